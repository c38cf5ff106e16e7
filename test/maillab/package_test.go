//go:build linux

package maillab_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"chaff/test/maillab"
)

// The releases that tests install. The last two are of one version.
const oldRelease, newRelease, againRelease = "0.9.0", "1.0.0", "1.0.0 again"

// releases returns the Debian packages of the releases for this machine, and their sums, built once.
var releases = sync.OnceValues(func() (map[string][2]string, error) {
	dir, err := os.MkdirTemp("", "maillab")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	built := map[string][2]string{oldRelease: {}, newRelease: {}, againRelease: {}}
	for name := range built {
		version, again, _ := strings.Cut(name, " ")
		mask := "022"
		if again != "" {
			mask = "077"
		}
		build := exec.Command("sh", "-c", `umask $0 && exec go run ./internal/release -version "$1" -only "$2" -o "$3"`,
			mask, version, "linux/"+runtime.GOARCH, filepath.Join(dir, name))
		build.Dir = filepath.Join("..", "..")
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build the release %s: %w: %s", name, err, out)
		}
		deb, err := os.ReadFile(filepath.Join(dir, name, "chaff_"+version+"_"+runtime.GOARCH+".deb"))
		if err != nil {
			return nil, err
		}
		sums, err := os.ReadFile(filepath.Join(dir, name, "SHA256SUMS"))
		if err != nil {
			return nil, err
		}
		built[name] = [2]string{string(deb), string(sums)}
	}
	return built, nil
})

// writePackage writes the Debian package of a release into /root of a lab, and removes the programs that labs have.
func writePackage(l *maillab.Lab, t *testing.T, release string) (file string) {
	t.Helper()
	built, err := releases()
	if err != nil {
		t.Fatal(err)
	}
	l.Run("root", "rm -f /usr/local/bin/chaff*")
	file = "/root/chaff_" + release + "_amd64.deb" // as the page has it
	l.Write(file, built[release][0], 0o644)
	return file
}

func TestAReleaseBuiltAgainHasTheSameBytes(t *testing.T) {
	t.Parallel()
	maillab.Start(t) // or skip
	built, err := releases()
	if err != nil {
		t.Fatal(err)
	}
	first, again := built[newRelease][1], built[againRelease][1]
	if strings.Count(first, "\n") != 4 || first != again {
		t.Errorf("SHA256SUMS first:\n%s\nand again:\n%s", first, again)
	}
}

// TestAPackageIsUpgradedAndRemoved installs a release, a later one, and the first again while mail arrives, and removes it.
func TestAPackageIsUpgradedAndRemoved(t *testing.T) {
	t.Parallel()
	l := maillab.Start(t, maillab.Systemd, maillab.Postfix)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(l.Run("root", "journalctl --no-pager --unit 'chaff*' | tail -50"))
		}
	})
	const dpkg = "dpkg --path-include='/usr/share/man/*' --path-include='/usr/share/doc/*' " // which images for containers leave out
	oldFile, newFile := writePackage(l, t, oldRelease), writePackage(l, t, newRelease)
	l.Run("root", dpkg+"--install "+oldFile)
	for _, file := range []string{
		"man/man1/chaff.1", "man/man1/chaff-train.1", "bash-completion/completions/chaff",
		"doc/chaff/README.md", "doc/chaff/docs/recipes/dovecot.md",
	} {
		if _, err := os.Stat(l.Path("/usr/share/" + file)); err != nil {
			t.Error(err)
		}
	}
	l.AddUser("anna")
	if got := l.Run("anna", "chaff demo"); !strings.Contains(got, "Chaff learned") {
		t.Errorf("chaff demo prints %q", got)
	}
	if got := l.Run("anna", "chaff version; chaff-classify --version; chaff-learn --version"); strings.Count(got, " 0.9.0, commit ") != 3 {
		t.Errorf("the programs have the versions %s", got)
	}
	train(l, "root", "-m "+stateFolder+"/model")
	l.Run("root", "postconf -e home_mailbox=Maildir/ mailbox_command= smtpd_milters=unix:chaff/milter.sock milter_default_action=tempfail")
	l.Write("/etc/systemd/system/chaff@milter.socket.d/postfix.conf",
		"[Socket]\nListenStream=/var/spool/postfix/chaff/milter.sock\nSocketGroup=postfix\n", 0o644)
	const setting = "\nhistory = 77\n"
	settings, err := os.ReadFile(l.Path("/etc/chaff/config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	l.Write("/etc/chaff/config.toml", strings.Replace(string(settings), "\n#history = 10000\n", setting, 1), 0o644)
	l.Run("root", "systemctl daemon-reload; systemctl enable --now chaff@milter.socket chaff-retrain.timer")
	l.StartPostfix()

	sent := 0
	send := func() {
		sent++
		l.Wait(fmt.Sprintf("an answer to message %d", sent), func() error {
			code, err := talk(l, ham(sent))
			if err == nil && code != 250 {
				err = fmt.Errorf("got %d", code)
			}
			return err
		})
	}
	send()
	l.Write("/root/lesson", spam(3), 0o644)
	l.Run("root", "chaff learn -m "+stateFolder+"/model --spam </root/lesson")
	const learned = "cd " + stateFolder + " && sha256sum model model.log"
	before := l.Run("root", learned)
	for _, to := range []struct{ version, file string }{{newRelease, newFile}, {oldRelease, oldFile}} {
		process := l.Run("root", "systemctl show --property MainPID chaff")
		done := make(chan string)
		go func() {
			out, err := l.Command("root", dpkg+"--force-downgrade --install "+to.file).CombinedOutput()
			done <- fmt.Sprintf("%v %s", err, out)
		}()
		for said := ""; said == ""; send() {
			select {
			case said = <-done:
				if !strings.HasPrefix(said, "<nil>") {
					t.Fatal(said)
				}
			case <-time.After(20 * time.Millisecond):
			}
		}
		if got := l.Run("anna", "chaff version"); !strings.HasPrefix(got, "chaff "+to.version+", commit ") {
			t.Errorf("after the installation of %s the version is %s", to.version, got)
		}
		if l.Run("root", "systemctl show --property MainPID chaff") == process {
			t.Errorf("after the installation of %s the old daemon serves", to.version)
		}
		if after := l.Run("root", learned); after != before {
			t.Errorf("after the installation of %s:\n%swant\n%s", to.version, after, before)
		}
		if got := l.Run("root", "cat /etc/chaff/config.toml"); !strings.Contains(got, setting) {
			t.Errorf("after the installation of %s the settings are\n%s", to.version, got)
		}
	}
	l.Wait(fmt.Sprintf("%d messages", sent), func() error {
		if got := len(l.All(inbox)); got < sent {
			return fmt.Errorf("got %d", got)
		}
		return nil
	})
	times := map[string]int{}
	for _, m := range l.All(inbox) {
		wantVerdict(t, m, "ham")
		times[m.Get("Subject")]++
	}
	for n := 1; n <= sent; n++ {
		if subject := fmt.Sprintf("minutes of meeting %d", n); times[subject] != 1 {
			t.Errorf("the message %q is there %d times", subject, times[subject])
		}
	}
	t.Logf("%d messages arrived meanwhile", sent)

	l.Run("root", "dpkg --remove chaff")
	const left = "find /usr /etc/systemd -name '*chaff*' ! -path '*.socket.d*'; systemctl list-units --no-legend --plain 'chaff*'"
	if got := l.Run("root", left); got != "" {
		t.Errorf("the package left %s", got)
	}
	if got := l.Run("root", "dpkg --purge chaff"); !strings.Contains(got, "still in "+stateFolder) {
		t.Errorf("dpkg --purge prints %q", got)
	}
	if _, err := os.Stat(l.Path("/etc/chaff/config.toml")); err == nil {
		t.Error("dpkg --purge left the settings")
	}
	if after := l.Run("root", learned); after != before {
		t.Errorf("after the removal:\n%swant\n%s", after, before)
	}
}
