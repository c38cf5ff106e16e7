//go:build linux

package maillab_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"chaff/test/maillab"
)

// The releases that tests install: one of an earlier commit, and one of the files as they are.
const oldRelease, newRelease = "0.9.0", "1.0.0"

// oldCommit is the commit of the old release. Packages, archives, their scripts and units came after it: the old release has today's.
const oldCommit = "aebc9564f5baccb431ff0037bcb6ba69ae435a8c"

// kinds of packages: how they are installed, also over a later version, and removed, and what their scripts are called with.
var kinds = map[string]struct{ pattern, install, remove string }{
	// Answered with N, dpkg keeps settings that the administrator has changed.
	"deb": {"chaff_*.deb", "yes N | dpkg --force-downgrade --install ", "dpkg --remove chaff"},
	"rpm": {"chaff-*.rpm", "rpm --force-debian --nodeps --upgrade --oldpackage ", "rpm --force-debian --nodeps --erase chaff"},
}

// release is what internal/release makes for this machine.
type release struct {
	packages map[string]string // by kind
	sums     string
}

// build builds a release of a clone with a mask of permissions.
func build(clone, version, mask string) (release, error) {
	r := release{packages: map[string]string{}}
	dir, err := os.MkdirTemp("", "maillab")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	dist := filepath.Join(dir, "dist")
	made := exec.Command("sh", "-c", `umask $0 && exec go run ./internal/release -version "$1" -only "$2" -o "$3"`, mask, version, "linux/"+runtime.GOARCH, dist)
	made.Dir = clone
	if out, err := made.CombinedOutput(); err != nil {
		return r, fmt.Errorf("build the release %s: %w: %s", version, err, out)
	}
	for kind, of := range kinds {
		files, _ := filepath.Glob(filepath.Join(dist, of.pattern)) // the pattern is valid
		if len(files) != 1 {
			return r, fmt.Errorf("the release %s has %d packages %s", version, len(files), of.pattern)
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			return r, err
		}
		r.packages[kind] = string(data)
	}
	sums, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	r.sums = string(sums)
	return r, err
}

var root = filepath.Join("..", "..")

// today returns the new release, built once.
var today = sync.OnceValues(func() (release, error) { return build(root, newRelease, "022") })

// git returns a command of git for the clone that is tested.
func git(args ...string) *exec.Cmd {
	return exec.Command("git", append([]string{"-c", "safe.directory=*", "-C", root}, args...)...)
}

// hasOldCommit reports whether the clone that is tested reaches back to the old release.
func hasOldCommit() bool { return git("cat-file", "-e", oldCommit+"^{commit}").Run() == nil }

// earlier returns the old release, built once in a clone of the old commit, or of today's if that is out of reach.
var earlier = sync.OnceValues(func() (release, error) {
	dir, err := os.MkdirTemp("", "maillab")
	if err != nil {
		return release{}, err
	}
	defer os.RemoveAll(dir)
	clone := filepath.Join(dir, "clone")
	here, err := filepath.Abs(root)
	if err != nil {
		return release{}, err
	}
	commit := "HEAD"
	if hasOldCommit() {
		commit = oldCommit
	}
	for _, command := range []*exec.Cmd{
		git("clone", "--quiet", "--shared", "--no-checkout", here, clone),
		exec.Command("git", "-C", clone, "checkout", "--quiet", "--detach", commit),
		exec.Command("sh", "-c", `rm -r "$1/cmd/chaff/systemd" && cp -R internal/release "$1/internal/" && cp -R cmd/chaff/systemd "$1/cmd/chaff/" &&
			sed -i '\|docs/inside|d' "$1/internal/release/nfpm.yaml"`, "sh", clone), // its docs have no such folder
	} {
		if command.Dir == "" {
			command.Dir = root
		}
		if out, err := command.CombinedOutput(); err != nil {
			return release{}, fmt.Errorf("%s: %w: %s", command, err, out)
		}
	}
	return build(clone, oldRelease, "022")
})

// writePackage writes a package of a release into /root of a lab.
func writePackage(l *maillab.Lab, t *testing.T, kind, version string) (file string) {
	t.Helper()
	build := map[string]func() (release, error){newRelease: today, oldRelease: earlier}[version]
	built, err := build()
	if err != nil {
		t.Fatal(err)
	}
	file = "/root/chaff_" + version + "_amd64." + kind // as the page has it
	l.Write(file, built.packages[kind], 0o644)
	return file
}

func TestAReleaseBuiltAgainHasTheSameBytes(t *testing.T) {
	t.Parallel()
	maillab.Start(t) // or skip
	first, err := today()
	if err != nil {
		t.Fatal(err)
	}
	again, err := build(root, newRelease, "077")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(first.sums, "\n") != 4 || first.sums != again.sums {
		t.Errorf("SHA256SUMS first:\n%s\nand again:\n%s", first.sums, again.sums)
	}
}

// TestAPackageIsUpgradedAndRemoved installs the old release, the new one, and the old one again while mail arrives and messages are
// learned, removes it, and installs the new one.
func TestAPackageIsUpgradedAndRemoved(t *testing.T) {
	for kind, of := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			l := startSite(t)
			if !hasOldCommit() {
				t.Log("the clone is shallow, so the old release is built of today's commit: git fetch --unshallow gets its own")
			}
			oldFile, newFile := writePackage(l, t, kind, oldRelease), writePackage(l, t, kind, newRelease)
			l.Run("root", of.install+oldFile)
			if got := l.Run("anna", "chaff demo"); !strings.Contains(got, "Chaff learned") {
				t.Errorf("chaff demo prints %q", got)
			}
			train(l, "root", "-m "+stateFolder+"/model")
			l.Run("root", "postconf -e smtpd_milters=unix:chaff/milter.sock milter_default_action=tempfail; postfix reload")
			l.Write("/etc/systemd/system/chaff@milter.socket.d/postfix.conf",
				"[Socket]\nListenStream=/var/spool/postfix/chaff/milter.sock\nSocketGroup=postfix\n", 0o644)
			const setting = "\nhistory = 77\n"
			settings, err := os.ReadFile(l.Path("/etc/chaff/config.toml"))
			if err != nil {
				t.Fatal(err)
			}
			l.Write("/etc/chaff/config.toml", strings.Replace(string(settings), "\n#history = 10000\n", setting, 1), 0o644)
			l.Run("root", "systemctl daemon-reload; systemctl enable --now chaff@milter.socket chaff-retrain.timer")

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
			lessons := 0
			learn := func() {
				t.Helper()
				lessons++
				l.Write("/root/lesson", spam(lessons), 0o644)
				l.Run("root", "chaff learn -m "+stateFolder+"/model --spam </root/lesson")
				wantLessons(t, l, lessons)
			}
			send()
			learn()
			const files = "cd " + stateFolder + " && sha256sum model model.log"
			before := l.Run("root", files)
			programs := l.Run("root", "cat /usr/bin/chaff* | sha256sum")
			for _, file := range []string{newFile, oldFile} {
				process := l.Run("root", "systemctl show --property MainPID chaff")
				done := make(chan string)
				go func() {
					out, err := l.Command("root", of.install+file).CombinedOutput()
					done <- fmt.Sprintf("%v %s", err, out)
				}()
				for said := ""; said == ""; send() {
					select {
					case said = <-done:
						if !strings.HasPrefix(said, "<nil>") {
							t.Fatal(said)
						}
						t.Log(said)
					case <-time.After(20 * time.Millisecond):
					}
				}
				if isOld := l.Run("root", "cat /usr/bin/chaff* | sha256sum") == programs; isOld != (file == oldFile) {
					t.Errorf("after the installation of %s the programs are those of the old release: %t", file, isOld)
				}
				if l.Run("root", "systemctl show --property MainPID chaff") == process {
					t.Errorf("after the installation of %s the old daemon serves", file)
				}
				if after := l.Run("root", files); after != before {
					t.Errorf("after the installation of %s:\n%swant\n%s", file, after, before)
				}
				if got := l.Run("root", "cat /etc/chaff/config.toml"); !strings.Contains(got, setting) {
					t.Errorf("after the installation of %s the settings are\n%s", file, got)
				}
				wantLessons(t, l, lessons)
				learn()
				before = l.Run("root", files)
			}
			wantEachOnce(t, l, sent)

			l.Run("root", of.remove)
			const left = "find /usr /etc/systemd -name '*chaff*' ! -path '*.socket.d*'; systemctl list-units --no-legend --plain 'chaff*'"
			if got := l.Run("root", left); got != "" {
				t.Errorf("the package left %s", got)
			}
			if kind == "deb" {
				if got := l.Run("root", "dpkg --purge chaff"); !strings.Contains(got, "still in "+stateFolder) {
					t.Errorf("dpkg --purge prints %q", got)
				}
			}
			if _, err := os.Stat(l.Path("/etc/chaff/config.toml")); err == nil {
				t.Error("the settings are left")
			}
			if after := l.Run("root", files); after != before {
				t.Errorf("after the removal:\n%swant\n%s", after, before)
			}
			l.Run("root", of.install+newFile)
			wantLessons(t, l, lessons)
			if got := l.Run("anna", "chaff version; chaff-classify --version; chaff-learn --version"); strings.Count(got, " "+newRelease+", commit ") != 3 {
				t.Errorf("the programs have the versions %s", got)
			}
		})
	}
}

// startServer starts a lab with systemd and programs, in which the package of chaff is installed, there is a user, a model of easy mail, and
// a daemon that runs already, as for a recipe that is not the first.
func startServer(t *testing.T, packages ...maillab.Package) *maillab.Lab {
	t.Helper()
	l := maillab.Start(t, append(packages, maillab.Systemd)...)
	l.AddUser("anna")
	l.Run("root", kinds["deb"].install+writePackage(l, t, "deb", newRelease))
	train(l, "root", "-m "+stateFolder+"/model")
	l.Run("root", "systemctl enable --now chaff@http.socket; systemctl start chaff")
	return l
}

// startSite starts a clean system with Postfix, which delivers to Maildirs, and a user.
func startSite(t *testing.T, packages ...maillab.Package) *maillab.Lab {
	t.Helper()
	l := maillab.StartClean(t, packages...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(l.Run("root", "journalctl --no-pager | tail -50"))
		}
	})
	l.AddUser("anna")
	l.Run("root", "postconf -e home_mailbox=Maildir/ mailbox_command=")
	l.StartPostfix()
	return l
}

// wantLessons checks that a model has learned so many messages of spam beside those of its training.
func wantLessons(t *testing.T, l *maillab.Lab, lessons int) {
	t.Helper()
	want := fmt.Sprintf("spam %d ", 40+lessons)
	if got := strings.Join(strings.Fields(l.Run("root", "chaff status -m "+stateFolder+"/model")), " "); !strings.Contains(got, want) {
		t.Errorf("chaff status has no %q: %s", want, got)
	}
}

// wantEachOnce waits until anna has the ham that was sent, and checks that each was judged and is there once.
func wantEachOnce(t *testing.T, l *maillab.Lab, sent int) {
	t.Helper()
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
}

// TestThePackageHasItsFiles checks the pages and completions of a package, and that anybody can read them.
func TestThePackageHasItsFiles(t *testing.T) {
	t.Parallel()
	l := maillab.StartClean(t)
	l.Run("root", kinds["deb"].install+writePackage(l, t, "deb", newRelease))
	for _, file := range []string{"bash-completion/completions/chaff", "doc/chaff/README.md", "doc/chaff/docs/recipes/dovecot.md"} {
		if _, err := os.Stat(l.Path("/usr/share/" + file)); err != nil {
			t.Error(err)
		}
	}
	if got := l.Run("root", "dpkg --listfiles chaff | while read -r f; do find $f -prune ! -type l ! -perm -o+r; done"); got != "" {
		t.Errorf("not everybody can read %s", got)
	}
	pages := map[string]bool{}
	folder := l.Path("/usr/share/man/man1")
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name, isPage := strings.CutSuffix(entry.Name(), ".1"); isPage && strings.HasPrefix(name, "chaff") {
			pages[name] = true
		}
	}
	for _, name := range strings.Fields(l.Run("root", `cd /usr/bin; ls chaff*; chaff help | sed -n 's/^  \([a-z][a-z]*\)  .*/chaff-\1/p'`)) {
		if !pages[name] {
			t.Errorf("%s has no page", name)
		}
	}
	named := regexp.MustCompile(`(?m)^\.BR (\S+) \(1\)`)
	for name := range pages {
		text, err := fs.ReadFile(os.DirFS(folder), name+".1")
		if err != nil {
			t.Fatal(err)
		}
		also := named.FindAllStringSubmatch(string(text), -1)
		if len(also) == 0 {
			t.Errorf("the page of %s names no other", name)
		}
		for _, other := range also {
			if !pages[strings.ReplaceAll(other[1], `\`, "")] {
				t.Errorf("the page of %s names %s, which is not there", name, other[1])
			}
		}
	}
}
