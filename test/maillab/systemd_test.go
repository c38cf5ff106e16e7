//go:build linux

package maillab_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chaff/test/maillab"
)

// tenMinutes is the heading of the page's first part.
const tenMinutes = "Ten minutes from nothing to filtered mail"

// TestTheAdministratorsPage follows docs/serving.md from nothing to filtered mail.
func TestTheAdministratorsPage(t *testing.T) {
	t.Parallel()
	l := startSite(t, maillab.Prometheus)
	writePackage(l, t, "deb", newRelease)
	l.AddUser("bert")
	for n := range 40 {
		user := []string{"anna", "bert"}[n%2]
		l.Write(fmt.Sprintf("/home/%s/Maildir/cur/ham%d:2,S", user, n), easy("ham", n), 0o644)
		l.Write(fmt.Sprintf("/home/%s/Maildir/.Junk/cur/spam%d:2,S", user, n), easy("spam", n), 0o644)
	}
	l.Run("root", "for u in anna bert; do for m in Maildir Maildir/.Junk; do mkdir -p /home/$u/$m/new /home/$u/$m/tmp; done; chown -R $u: /home/$u; done")

	page, began := l.Section("serving.md", tenMinutes), time.Now()
	page.Follow("root", "apt install")
	page.Follow("root", "chaff train")
	page.Install("root")
	page.Follow("root", "systemctl enable")
	if got := page.Follow("root", "chaff doctor"); !strings.Contains(got, "unix:/run/chaff/milter.sock answers") {
		t.Errorf("doctor has not asked the milter:\n%s", got)
	}
	page.Follow("root", "postconf")
	awaitReload(l, true)
	l.Send(25, "anna@lab.example", "X-Spam-Flag: YES\n"+ham(1))
	l.Send(25, "anna@lab.example", spam(1))
	l.Send(25, "anna@lab.example", offer(1))
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 1"), "ham")
	wantVerdict(t, l.WaitFor(inbox, "casino bonus 1"), "spam")
	if got := l.WaitFor(inbox, "tarpaulins 1").Get("X-Chaff-Verdict"); got == "" || got == "spam" {
		t.Fatalf("the offer has the verdict %q, so none can be corrected", got)
	}
	l.Write("/root/message", offer(1), 0o644)
	page.Follow("root", "chaff learn")
	l.Wait("the corrected verdict", func() error {
		l.Run("root", "rm -f /home/anna/Maildir/new/*")
		l.Send(25, "anna@lab.example", offer(1))
		if got := l.WaitFor(inbox, "tarpaulins 1").Get("X-Chaff-Verdict"); got != "spam" {
			return fmt.Errorf("it is %q", got)
		}
		return nil
	})
	commands := page.Commands()
	t.Logf("from the package to mail with a corrected verdict: %d commands in %.1f s", commands, time.Since(began).Seconds())
	if commands > 10 {
		t.Errorf("the page has %d commands for ten minutes", commands)
	}

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
	l.Section("serving.md", "A model for each user").Follow("root", "chaff train")
	l.Send(25, "anna+lists@lab.example", ham(20))
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 20"), "ham")
	const classify = "printf 'Subject: minutes\\n\\nof the meeting' | curl -s --unix-socket /run/chaff/http.sock --data-binary @- http://localhost/v1/classify?user="
	for user, is := range map[string]bool{"anna@lab.example": true, "bob@lab.example": false} {
		if got := l.Run("root", classify+user); strings.Contains(got, `"user_score":0,`) == is {
			t.Errorf("the model of %s was used or not:\n%s", user, got)
		}
	}

	operation := l.Section("serving.md", "Operation")
	wantRepaired(t, l, operation)
	operation.Install("root")
	l.Run("root", "systemctl daemon-reload; systemctl stop chaff@http.socket; systemctl restart chaff")
	l.Run("root", "promtool check config /etc/prometheus/prometheus.yml && curl -s http://localhost:8025/metrics | promtool check metrics")

	wantDoctorToFind(t, l)
	log := l.Run("root", "journalctl --no-pager")
	for _, want := range []string{"confined to /var/lib/chaff", "serving milter on fd:milter, /var/spool/postfix/chaff/milter.sock", "serving http on fd:http, /run/chaff/http.sock", "read the model /var/lib/chaff/model again", "Finished chaff-retrain.service"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log has no %q", want)
		}
	}
}

// awaitReload sends mail until Postfix asks the milter, or no longer does: a process that was idle during a reload takes another message as before.
func awaitReload(l *maillab.Lab, asks bool) {
	n := 200
	l.Wait("Postfix to read its settings", func() error {
		n++
		l.Send(25, "anna@lab.example", ham(n))
		if got := l.WaitFor(inbox, fmt.Sprintf("minutes of meeting %d", n)).Get("X-Chaff-Verdict"); (got != "") != asks {
			return fmt.Errorf("the verdict is %q", got)
		}
		return nil
	})
}

// wantRepaired damages the model, and follows the page until mail is judged again: of the log, and of the backup.
func wantRepaired(t *testing.T, l *maillab.Lab, page *maillab.Page) {
	t.Helper()
	const model = stateFolder + "/model"
	page.Follow("root", "chaff backup")
	want := l.Run("root", "sha256sum "+model)
	for n, repair := range []struct {
		damage, advice string
		follow         func()
	}{
		{"truncate -s 1000 " + model, "chaff retrain -m " + model, func() { page.Follow("root", "chaff retrain") }},
		{"rm " + model + " " + model + ".log", "chaff train -m " + model + " --maildir PATH makes one", func() {
			l.Run("root", "chaff restore /var/backups/chaff.backup -m "+model+" --replace") // as the page has it
		}},
	} {
		l.Run("root", repair.damage+"; systemctl restart --no-block chaff")
		l.Wait("a temporary error", func() error { // the daemon that still stops may take this message
			if code, err := talk(l, ham(40+n)); code != 451 {
				return fmt.Errorf("got %d, %v", code, err)
			}
			return nil
		})
		if out, err := l.Command("root", "chaff doctor -m "+model).Output(); err == nil || !strings.Contains(unwrapped(out), repair.advice) {
			t.Errorf("doctor says\n%s", out)
		}
		if got := l.Run("root", "dpkg --install /root/chaff_1.0.0_amd64.deb"); !strings.Contains(got, "The daemon of chaff does not start: chaff doctor") {
			t.Errorf("an upgrade without a model prints\n%s", got)
		}
		repair.follow()
		l.Wait("a verdict", func() error {
			if code, err := talk(l, ham(30+n)); code != 250 {
				return fmt.Errorf("got %d, %v", code, err)
			}
			return nil
		})
		wantVerdict(t, l.WaitFor(inbox, fmt.Sprintf("minutes of meeting %d", 30+n)), "ham")
		if got := l.Run("root", "sha256sum "+model+"; stat -c %U:%a "+model+".log"); got != want+"chaff:600\n" {
			t.Errorf("after the repair got\n%swant\n%schaff:600", got, want)
		}
	}
}

// unwrapped returns the text that doctor prints, without its line breaks.
func unwrapped(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }

// wantDoctorToFind breaks what only a whole system has, and checks that doctor says what to do.
func wantDoctorToFind(t *testing.T, l *maillab.Lab) {
	t.Helper()
	doctor := "chaff doctor -m " + stateFolder + "/model --maildir " + inbox
	if out, err := l.Command("root", doctor).Output(); err != nil {
		t.Errorf("before anything is broken:\n%s", out)
	}
	smallDisk(l, stateFolder)
	for _, fault := range []struct{ damage, want, repair string }{
		{"echo queue=many >>/etc/chaff/config.toml", "settings BAD", "sed -i /queue=many/d /etc/chaff/config.toml"},
		{"chmod 600 /etc/chaff/config.toml", "chmod 644 /etc/chaff/config.toml", "chmod 644 /etc/chaff/config.toml"},
		{"chown root " + stateFolder, "chown --reference=" + stateFolder + "/model " + stateFolder, "chown chaff " + stateFolder},
		{"chown root " + stateFolder + "/model.log", "chown --reference=" + stateFolder, "chown chaff " + stateFolder + "/model.log"},
		{"cat /dev/zero >" + stateFolder + "/zeros || true", "disk BAD", "rm " + stateFolder + "/zeros"},
		{"mount -o remount,ro " + stateFolder, "mount it for writing", "mount -o remount,rw " + stateFolder},
		{"postconf -e smtpd_milters= && postfix reload", "the mail server does not ask chaff", "true"},
		{"systemctl stop 'chaff@*.socket' chaff", "systemctl enable chaff@milter.socket", "true"},
	} {
		l.Run("root", fault.damage)
		if strings.HasPrefix(fault.damage, "postconf") {
			awaitReload(l, false)
		}
		if out, err := l.Command("root", doctor).Output(); err == nil || !strings.Contains(unwrapped(out), fault.want) {
			t.Errorf("after %s, want %q, got\n%s", fault.damage, fault.want, out)
		}
		l.Run("root", fault.repair)
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
	l.Run("root", "mv /usr/bin/chaff* /usr/local/bin/")
	l.Section("serving.md", "Without a package").Follow("root", "systemd-sysusers")
	l.Run("root", "grep '^#lmtp_backend = ' /etc/chaff/config.toml") // which recipes change
	l.AddUser("anna")
	train(l, "root", "-m "+stateFolder+"/model")
	l.Run("root", "systemctl daemon-reload; systemctl enable --now chaff@http.socket")
	if got := l.Run("root", "curl -s --unix-socket /run/chaff/http.sock http://localhost/readyz"); strings.TrimSpace(got) != "ready" {
		t.Errorf("the check answers %q", got)
	}
}
