//go:build linux

package maillab_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chaff/test/maillab"
)

// TestTheAdministratorsPage follows docs/serving.md from nothing to filtered mail.
func TestTheAdministratorsPage(t *testing.T) {
	t.Parallel()
	l := startSite(t)
	writePackage(l, t, "deb", newRelease)
	for n := range 40 {
		l.Write(fmt.Sprintf("/home/anna/Maildir/cur/ham%d:2,S", n), ham(100+n), 0o644)
		l.Write(fmt.Sprintf("/home/anna/Maildir/.Junk/cur/spam%d:2,S", n), spam(100+n), 0o644)
	}
	l.Run("root", "mkdir /home/anna/Maildir/new /home/anna/Maildir/tmp; chown -R anna: /home/anna")

	page := l.Section("serving.md", "Ten minutes from nothing to filtered mail")
	page.Follow("root", "apt install")
	page.Follow("root", "chaff train")
	page.Install("root")
	page.Follow("root", "systemctl enable")
	if got := page.Follow("root", "curl"); strings.TrimSpace(got) != "ready" {
		t.Errorf("the check answers %q", got)
	}
	page.Follow("root", "postconf")
	l.Send(25, "anna@lab.example", "X-Spam-Flag: YES\n"+ham(1))
	l.Send(25, "anna@lab.example", spam(1))
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 1"), "ham")
	wantVerdict(t, l.WaitFor(inbox, "casino bonus 1"), "spam")
	l.Write("/root/message", ham(3), 0o644)
	page.Follow("root", "chaff learn")

	// A killed or restarted daemon delays mail, and loses none.
	for n, stop := range []string{"restart chaff", "kill --signal=KILL chaff", "reload chaff", "stop chaff", "start chaff-retrain"} {
		l.Run("root", "systemctl "+stop)
		l.Wait("the daemon after systemctl "+stop, func() error {
			code, err := talk(l, ham(10+n))
			if err == nil && code != 250 {
				err = fmt.Errorf("got %d", code)
			}
			return err
		})
		wantVerdict(t, l.WaitFor(inbox, fmt.Sprintf("minutes of meeting %d", 10+n)), "ham")
	}
	log := l.Run("root", "journalctl --no-pager")
	for _, want := range []string{"confined to /var/lib/chaff", "serving milter on fd:milter, /var/spool/postfix/chaff/milter.sock", "serving http on fd:http, /run/chaff/http.sock", "read the model /var/lib/chaff/model again", "Finished chaff-retrain.service"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log has no %q", want)
		}
	}
	if log := l.Run("root", "journalctl --no-pager --unit chaff"); strings.Contains(log, "warning") {
		t.Error(log)
	}
}

// TestTheUnitsAreInstalledByHand follows docs/serving.md without a package.
func TestTheUnitsAreInstalledByHand(t *testing.T) {
	t.Parallel()
	l := maillab.Start(t, maillab.Systemd, maillab.Curl)
	units, err := filepath.Glob(filepath.Join("..", "..", "cmd", "chaff", "systemd", "*"))
	if err != nil || len(units) == 0 {
		t.Fatalf("%d units, %v", len(units), err)
	}
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		l.Write("/root/cmd/chaff/systemd/"+filepath.Base(unit), string(text), 0o644)
	}
	l.Section("serving.md", "Without a package").Follow("root", "systemd-sysusers")
	l.AddUser("anna")
	train(l, "root", "-m "+stateFolder+"/model")
	l.Run("root", "systemctl daemon-reload; systemctl enable --now chaff@http.socket")
	if got := l.Run("root", "curl -s --unix-socket /run/chaff/http.sock http://localhost/readyz"); strings.TrimSpace(got) != "ready" {
		t.Errorf("the check answers %q", got)
	}
}
