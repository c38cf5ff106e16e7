//go:build unix

package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"chaff/store"
	"chaff/test/testmain"
)

// TestDoctorAsksSocketsAsTheirClientsDo asks a daemon by each protocol, and programs that are none.
func TestDoctorAsksSocketsAsTheirClientsDo(t *testing.T) {
	h := newHome(t, "")
	h.writeModel()
	dir := testmain.ShortDir(t)
	agent, err := net.Listen("unix", filepath.Join(dir, "agent"))
	must(t, err)
	defer agent.Close()
	args := []string{"-m", h.path("model"), "--set", "serve.lmtp_backend=unix:" + filepath.Join(dir, "agent")}
	for _, protocol := range protocols() {
		args = append(args, "--"+protocol.flag, "unix:"+filepath.Join(dir, protocol.flag))
	}
	d := startDaemon(t, protocols(), args...)
	d.log.has(t, "serving")
	address := func(name string) string { return "unix:" + filepath.Join(dir, name) }
	for _, protocol := range protocols() {
		d.log.has(t, "serving "+protocol.flag)
		if err := protocol.ask(address(protocol.flag)); err != nil {
			t.Errorf("%s: %v", protocol.flag, err)
		}
	}
	if err := protocolOf(protocols(), "http").ask(address("none")); err == nil || err.Error() != "nobody answers" {
		t.Errorf("a socket that is not there: got %v", err)
	}
	if err := protocolOf(protocols(), "http").ask(address("lmtp")); err == nil || !strings.Contains(err.Error(), "not as http does") {
		t.Errorf("a socket of another protocol: got %v", err)
	}
	d.stop()
	must(t, d.ended(t))
}

// protocolOf returns the protocol of a flag.
func protocolOf(all []protocol, flag string) *protocol {
	return &all[slices.IndexFunc(all, func(p protocol) bool { return p.flag == flag })]
}

// TestDoctorSaysWhatToDo breaks what an administrator looks after, and checks that the line about it says what helps.
func TestDoctorSaysWhatToDo(t *testing.T) {
	nothing := func(home, *doctor) {}
	model, err := filesOf(sampleDir(), "--model", "multinomial")
	must(t, err)
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		damage    func(h home, d *doctor)
		about, do string // of the line that is bad; none if about is empty
	}{
		"all is well": {nothing, "", ""},
		"the model is missing": {func(h home, d *doctor) { must(h.t, os.Remove(d.model)) },
			"model", "chaff retrain -m MODEL makes it anew from its log"},
		"the log is missing": {func(h home, d *doctor) { must(h.t, os.Remove(d.model+store.Suffix)) },
			"log", "chaff restore has it from a backup"},
		"an earlier version wrote both": {func(h home, d *doctor) { must(h.t, os.Rename(d.model+store.Suffix, d.model+".store")) },
			"log", "chaff retrain -m MODEL makes it"},
		"both are missing": {func(h home, d *doctor) { d.model = h.path("other/model") }, "model", "chaff train -m MODEL --maildir PATH makes one"},
		"the model is cut": {func(h home, d *doctor) { must(h.t, os.Truncate(d.model, 100_000)) },
			"learning", "chaff retrain -m MODEL makes it anew from its log"},
		"the model is another file": {func(h home, d *doctor) { h.write("mail/model", "zeros") },
			"learning", "remove it, then chaff retrain -m MODEL makes it anew"},
		"the log is cut":        {func(h home, d *doctor) { must(h.t, os.Truncate(d.model+store.Suffix, 50)) }, "learning", "anew from a backup"},
		"others read the model": {func(h home, d *doctor) { must(h.t, os.Chmod(d.model, 0o644)) }, "model", "chmod 600 MODEL"},
		"others write the folder": {func(h home, d *doctor) { must(h.t, os.Chmod(filepath.Dir(d.model), 0o777)) },
			"folder", "chmod 700 "},
		"the token is short": {func(h home, d *doctor) { h.write("mail/model.token", "secret") }, "token", "remove it"},
		"the log belongs to root": {func(h home, d *doctor) {
			if os.Geteuid() != 0 || runtime.GOOS != "linux" {
				h.t.Skip("this needs root, to give the folder to another user, and Linux, where owners are checked")
			}
			must(h.t, os.Chown(filepath.Dir(d.model), 12345, -1))
			must(h.t, os.Chown(d.model, 12345, -1))
		}, "log", "chown --reference="},
		"the fit is old": {func(h home, d *doctor) {
			for n := range manyChanges + 1 {
				h.write(fmt.Sprintf("more/%d", n), fmt.Sprintf("Subject: minutes %d\n\nagenda of river number%d and garden%d\n", n, n, n))
			}
			if got := chaff(h.t, h.dir, "learn", "-m", d.model, "--set", "store.retrain_after=0", "--ham", h.path("more")); got.code != 0 {
				h.t.Fatal(got)
			}
			d.now = d.now.Add(31 * day)
		}, "fit", "chaff retrain -m MODEL, best every week"},
		"the clock is slow": {func(h home, d *doctor) { d.now = d.now.Add(-2 * day) }, "clock", "UTC: set the clock: timedatectl; if it is right, it was ahead then"},
		"nobody listens": {func(h home, d *doctor) {
			protocolOf(d.protocols, "milter").addresses = []string{"unix:" + h.path("none")}
		},
			"milter", "systemctl enable chaff@milter.socket"},
		"no port": {func(h home, d *doctor) { protocolOf(d.protocols, "http").addresses = []string{"localhost"} },
			"http", "localhost is no address: it must be unix:PATH, HOST:PORT or a port: give the address of chaff serve --http"},
		"no such port": {func(h home, d *doctor) { protocolOf(d.protocols, "http").addresses = []string{"99999"} }, "http", "99999 is no address"},
		"another program listens": {func(h home, d *doctor) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			must(h.t, err)
			h.t.Cleanup(func() { l.Close() })
			go func() {
				for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
					io.WriteString(conn, "220 another program\r\n")
					conn.Close()
				}
			}()
			protocolOf(d.protocols, "http").addresses = []string{l.Addr().String()}
		}, "http", "journalctl -u chaff"},
		"the mail server does not ask": {func(h home, d *doctor) {
			h.write("Maildir/new/1", "Subject: minutes\n\nX-Chaff-Verdict: ham\n")
			h.write("Maildir/cur/.keep", "")
			d.maildir = h.path("Maildir")
		}, "newest mail", "look at its settings"},
		"the newest mail was over a limit": {func(h home, d *doctor) {
			h.write("Maildir/new/1", "X-Chaff-Unjudged: too large\nSubject: minutes\n\n")
			h.write("Maildir/cur/.keep", "")
			d.maildir = h.path("Maildir")
		}, "newest mail", "chaff config --explain serve"},
		"there is no Maildir": {func(h home, d *doctor) { d.maildir = h.path("none") }, "newest mail", "run doctor as root"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, "")
			must(t, os.Mkdir(h.path("mail"), 0o700))
			for ending, data := range model {
				must(t, os.WriteFile(h.path("mail/model")+ending, data, 0o600))
			}
			d := &doctor{program: &program{model: h.path("mail/model")}, protocols: protocols(), now: time.Now()}
			c.damage(h, d)
			d.run()
			bad := map[string]string{}
			for _, f := range d.findings {
				if f.Bad {
					bad[f.About] = f.Found + ": " + f.Do
					if f.Do == "" {
						t.Errorf("%s: %s: what to do?", f.About, f.Found)
					}
				}
			}
			if want := strings.ReplaceAll(c.do, "MODEL", d.model); c.about == "" && len(bad) > 0 || !strings.Contains(bad[c.about], want) {
				t.Errorf("got %q, want %q about %q", bad, want, c.about)
			}
		})
	}
}

func TestDoctorNamesSocketsWithAndWithoutSystemd(t *testing.T) {
	d := doctor{program: &program{model: "/var/lib/chaff/model"}}
	d.sockets()
	for _, want := range []string{"systemctl enable chaff@milter.socket", "--milter unix:PATH"} {
		if len(d.findings) != 1 || !strings.Contains(d.findings[0].Do, want) {
			t.Errorf("got %v, want %q", d.findings, want)
		}
	}
}

func TestDoctorSaysWhetherMovingAMessageTeaches(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs a POSIX shell, such as that of Git for Windows")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	script := filepath.Join(dir, "learn.sieve")
	const none, teaches = "no hook of it calls chaff", "moving a message to or from Junk teaches chaff"
	for _, tt := range []struct{ setting, hook, want string }{
		{"  imapsieve_mailbox1_before = file:SCRIPT", "", none},
		{"  imapsieve_mailbox1_before = file:SCRIPT", `pipe :copy "sa-learn";`, none},
		{"  imapsieve_mailbox1_before = file:SCRIPT", `pipe :copy "chaff-learn";`, teaches},
		{"imapsieve_from Junk {\n  sieve_script ham {\n    path = SCRIPT\n  }\n}", `pipe :copy "chaff-learn";`, teaches},
		{"namespace inbox {\n  mailbox Junk {\n    sieve_script spam {\n      path = SCRIPT\n    }\n  }\n}", `pipe :copy "chaff-learn";`, teaches},
		{"sieve_script file {\n  path = SCRIPT\n}", `filter "chaff-classify";`, none},
	} {
		must(t, os.WriteFile(script, []byte(tt.hook), 0o600))
		settings := "  vsz_limit = 2G\n" + strings.ReplaceAll(tt.setting, "SCRIPT", script)
		must(t, os.WriteFile(filepath.Join(dir, "doveconf"), []byte("#!/bin/sh\ncat <<'END'\n"+settings+"\nEND\n"), 0o700))
		var d doctor
		d.dovecot()
		if len(d.findings) != 1 || d.findings[0].Bad || !strings.HasPrefix(d.findings[0].Found, tt.want) {
			t.Errorf("%s with %q: got %v", tt.setting, tt.hook, d.findings)
		}
	}
	must(t, os.WriteFile(script, []byte("pipe :copy \"chaff-learn\";"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "doveconf"), []byte("#!/bin/sh\necho 'imapsieve_mailbox1_before = file:"+script+"'\n"), 0o700))
	var narrow doctor
	if narrow.dovecot(); len(narrow.findings) != 1 || !narrow.findings[0].Bad || !strings.Contains(narrow.findings[0].Do, "vsz_limit") {
		t.Errorf("without vsz_limit: got %v", narrow.findings)
	}
	must(t, os.WriteFile(filepath.Join(dir, "doveconf"), []byte("#!/bin/sh\nexit 1\n"), 0o700))
	var d doctor
	if d.dovecot(); len(d.findings) != 1 || !d.findings[0].Bad {
		t.Errorf("a configuration that cannot be read: got %v", d.findings)
	}
}
