//go:build linux

package maillab_test

import (
	"fmt"
	"net/textproto"
	"strings"
	"testing"

	"chaff/test/maillab"
)

const chaffSocket = "/run/chaff/spamd.sock"

// startServe enters the command of a page that starts chaff serve, and waits until it answers spamc.
func startServe(l *maillab.Lab, page *maillab.Page) {
	page.Follow("root", "systemctl enable")
	waitForServe(l)
}

func waitForServe(l *maillab.Lab) {
	l.Wait("chaff serve", func() error {
		if out, err := l.Command("root", "spamc -x -K -U "+chaffSocket).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

// stopUnits ends the daemon and its sockets.
func stopUnits(l *maillab.Lab) { l.Run("root", "systemctl stop 'chaff@*.socket' chaff") }

// stopServe ends a daemon that runs without systemd.
func stopServe(l *maillab.Lab) {
	l.Run("root", "kill $(pidof chaff); while pidof chaff; do sleep 0.1; done")
}

// relearned does something and waits until the daemon judges a message differently.
func relearned(l *maillab.Lab, message string, learn func()) {
	l.Write("/tmp/probe", message, 0o644)
	score := func() string { return l.Run("root", "spamc -U "+chaffSocket+" -R </tmp/probe | head -1") }
	before := score()
	learn()
	l.Wait("another verdict", func() error {
		if score() == before {
			return fmt.Errorf("still %s", before)
		}
		return nil
	})
}

func TestExim(t *testing.T) {
	t.Parallel()
	l := startServer(t, maillab.Exim, maillab.Spamd) // spamc asks the daemon whether it is there
	l.Run("root", "id Debian-exim >/dev/null 2>&1 || useradd --system Debian-exim")
	page := l.Page("exim.md")
	page.Install("root")
	startServe(l, page)
	l.Run("root", "usermod --append --groups chaff mail") // the lab's Exim runs as this user
	l.StartExim(".include /etc/exim4/exim4.conf.localmacros", ".include CHECK_DATA_LOCAL_ACL_FILE", "directory = MAILDIR_HOME_MAILDIR_LOCATION")
	filters(t, l, func() { relearned(l, offer(9), func() { page.Follow("root", "chaff learn") }) })

	stopUnits(l)
	c := textproto.NewConn(l.Dial(25))
	defer c.Close()
	for _, step := range []struct {
		line string
		code int
	}{{"", 220}, {"HELO mx.lab.example", 250}, {"MAIL FROM:<sender@elsewhere.example>", 250}, {"RCPT TO:<anna@lab.example>", 250}, {"DATA", 354}, {strings.ReplaceAll(spam(7), "\n", "\r\n") + ".", 451}} {
		if step.line != "" {
			if err := c.PrintfLine("%s", step.line); err != nil {
				t.Fatal(err)
			}
		}
		if _, text, err := c.ReadResponse(step.code); err != nil {
			t.Fatalf("%s: %v %s", step.line, err, text)
		}
	}
}

func TestSpamc(t *testing.T) {
	t.Parallel()
	l := startServer(t, maillab.Postfix, maillab.Procmail, maillab.Spamd)
	l.AddUser("bert")
	page := l.Page("spamc.md")
	l.Run("root", "postconf -e 'mailbox_command = /usr/bin/procmail'")
	page.Install("root")
	l.Page("procmail.md").Only(".procmailrc").Install("anna")
	l.Run("anna", "sed -i 's|chaff-classify --pass|"+page.Quoted("spamc -x")+"|' .procmailrc")
	l.Run("root", "cp -p ~anna/.procmailrc ~bert/ && chown bert: ~bert/.procmailrc")
	for _, user := range []string{"anna", "bert"} { // so that no two messages begin a Maildir at the same time
		l.Run(user, "for m in Maildir Maildir/.Junk; do mkdir -p $m/cur $m/new $m/tmp; done")
	}
	startServe(l, page)
	l.StartPostfix()

	l.Send(25, "anna@lab.example", "X-Spam-Flag: YES\nX-Chaff-Verdict: spam\n"+ham(1))
	l.Send(25, "anna@lab.example", "X-Spam-Flag: NO\n"+spam(1))
	l.Send(25, "anna@lab.example", offer(1))
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 1"), "ham")
	wantVerdict(t, l.WaitFor(junk, "casino bonus 1"), "spam")
	wantNoSpam(t, l.WaitFor(inbox, "tarpaulins 1"))

	// Anna teaches what she calls spam. Bert does not, and his mail is judged as before.
	message := l.Run("anna", "echo ~/message")
	l.Write(strings.TrimSpace(message), offer(1), 0o644)
	if out := page.Follow("anna", "-L spam"); out != "Message successfully un/learned\n" {
		t.Errorf("got %q", out)
	}
	for n := 10; n < 25; n++ {
		l.Write(fmt.Sprintf("/tmp/lessons/spam/%d", n), offer(n), 0o644)
		l.Write(fmt.Sprintf("/tmp/lessons/ham/%d", n), ham(n), 0o644)
	}
	l.Run("anna", "for class in spam ham; do for m in /tmp/lessons/$class/*; do spamc -x -U "+chaffSocket+" -L $class <$m || exit; done; done")
	l.Send(25, "anna@lab.example", offer(2))
	l.Send(25, "bert@lab.example", offer(2))
	wantVerdict(t, l.WaitFor(junk, "tarpaulins 2"), "spam")
	wantNoSpam(t, l.WaitFor("/home/bert/Maildir", "tarpaulins 2"))

	stopUnits(l)
	l.Send(25, "anna@lab.example", ham(3))
	l.Wait("a deferred message", func() error {
		if queue := l.Run("root", "postqueue -p"); !strings.Contains(queue, "(") {
			return fmt.Errorf("the queue has no deferred message: %s", queue)
		}
		return nil
	})
	startServe(l, page)
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 3"), "ham")
}

// wantNoSpam checks that chaff has judged a message, and not as spam.
func wantNoSpam(t *testing.T, m maillab.Stored) {
	t.Helper()
	if m.Get("X-Chaff-Verdict") == "" || m.Get("X-Spam-Flag") != "NO" {
		t.Errorf("%s: got the fields X-Chaff-Verdict %q and X-Spam-Flag %q", m.Get("Subject"), m.Get("X-Chaff-Verdict"), m.Get("X-Spam-Flag"))
	}
}
