//go:build linux

package maillab_test

import (
	"fmt"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-milter"

	"chaff/internal/verdictfield"
	"chaff/test/maillab"
)

const milterSocket, sendmailSocket = "/var/spool/postfix/chaff/milter.sock", "/run/chaff/milter.sock"

// startMilter starts a lab with Postfix and Dovecot, a model, and the daemon as the page says that it starts without systemd.
func startMilter(t *testing.T) (*maillab.Lab, *maillab.Page) {
	t.Helper()
	l := maillab.Start(t, maillab.Postfix, maillab.Dovecot)
	l.AddUser("anna")
	page, dovecot := l.Section("serving.md", "Without systemd"), l.DovecotPage()
	page.Follow("root", "useradd")
	fileJudgedMail(l, dovecot)
	l.Run("root", "postconf -e smtpd_milters=unix:chaff/milter.sock milter_default_action=tempfail") // as the page has it
	train(l, "root", "-m /var/lib/chaff/model")
	startMilterDaemon(l, page, milterSocket)
	return l, page
}

func startMilterDaemon(l *maillab.Lab, page *maillab.Page, socket string) {
	page.Follow("root", "chaff serve")
	l.Wait("the milter", func() error {
		_, err := askMilter(l, socket, ham(1))
		return err
	})
}

// askMilter returns the score of a message.
func askMilter(l *maillab.Lab, socket, message string) (string, error) {
	c := milter.NewClientWithOptions("unix", l.Path(socket), milter.ClientOptions{
		ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, ActionMask: milter.OptAddHeader | milter.OptChangeHeader,
	})
	s, err := c.Session()
	if err != nil {
		return "", err
	}
	defer s.Close()
	if _, err := s.Mail("sender@elsewhere.example", nil); err != nil {
		return "", err
	}
	header, body, _ := strings.Cut(message, "\n\n")
	for line := range strings.Lines(header) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if _, err := s.HeaderField(name, value); err != nil {
			return "", err
		}
	}
	edits, _, err := s.BodyReadFrom(strings.NewReader(strings.ReplaceAll(body, "\n", "\r\n")))
	for _, e := range edits {
		if e.HeaderName == "X-Chaff-Score" {
			return e.HeaderValue, err
		}
	}
	return "", fmt.Errorf("no score: %v, %w", edits, err)
}

func TestPostfixMilter(t *testing.T) {
	t.Parallel()
	l, daemon := startMilter(t)
	l.StartPostfix()
	filtersByMilter(t, l, l.Page("postfix-milter.md"), milterSocket, func() { stopServe(l) }, func() { startMilterDaemon(l, daemon, milterSocket) })
}

// filtersByMilter sends mail, lets the model learn, and stops the daemon for a while.
func filtersByMilter(t *testing.T, l *maillab.Lab, page *maillab.Page, socket string, stop, start func()) {
	t.Helper()
	filters(t, l, func() {
		score := func() string {
			got, err := askMilter(l, socket, offer(9))
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		before := score()
		page.Follow("root", "chaff learn")
		l.Wait("another verdict", func() error {
			if score() == before {
				return fmt.Errorf("still %s", before)
			}
			return nil
		})
	})
	stop()
	if code, err := talk(l, ham(7)); code != 451 || err != nil {
		t.Errorf("without the daemon: got %d, %v", code, err)
	}
	start()
	if code, err := talk(l, ham(7)); code != 250 || err != nil {
		t.Errorf("with the daemon again: got %d, %v", code, err)
	}
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 7"), "ham")
	if log := l.Run("root", "cat /var/log/chaff.log 2>/dev/null || journalctl --no-pager --output cat --unit chaff"); !strings.Contains(log, " queue=") {
		t.Errorf("the log has no queue ID: %s", log)
	}
}

func TestSendmail(t *testing.T) {
	t.Parallel()
	l := startServer(t, maillab.Procmail, maillab.M4, maillab.SendmailBase, maillab.SendmailConfig, maillab.Sendmail)
	l.Run("anna", "for m in Maildir Maildir/.Junk; do mkdir -p $m/cur $m/new $m/tmp; done")
	page := l.Page("sendmail.md")
	l.ConfigureSendmail()
	page.Install("anna")
	start := func() { page.Follow("root", "systemctl enable") }
	start()
	l.StartSendmail()
	filtersByMilter(t, l, page, sendmailSocket, func() { stopUnits(l) }, start)

	l.Send(25, "anna@lab.example", "X-Odd:no space\nX-Spam-Flag: NO\nX-Folded: text\n X-Spam-Flag: NO\nX-Two:  two spaces \n"+spam(9))
	const want = "\nX-Odd:no space\nX-Folded: text\n X_Spam-Flag: NO\nX-Two:  two spaces \nFrom: "
	if got := l.WaitFor(junk, "casino bonus 9"); !strings.Contains(got.Text, want) || strings.Count(got.Text, "X-Spam-Flag") != 1 {
		t.Errorf("got %q", got.Text)
	}
}

// talk sends a message to anna, and returns the code of the first reply that refuses it, or of the last one.
func talk(l *maillab.Lab, message string) (code int, err error) {
	c := textproto.NewConn(l.Dial(25))
	defer c.Close()
	code, _, err = c.ReadResponse(0)
	for _, line := range []string{"HELO mx.lab.example", "MAIL FROM:<sender@elsewhere.example>", "RCPT TO:<anna@lab.example>", "DATA", strings.ReplaceAll(message, "\n", "\r\n") + "."} {
		if err != nil || code >= 400 {
			break
		}
		if err = c.PrintfLine("%s", line); err == nil {
			code, _, err = c.ReadResponse(0)
		}
	}
	return code, err
}

// oddMessages have what mail servers and filters read in different ways, and forged verdicts among it.
func oddMessages() []string {
	return []string{
		"X-Odd:no space\nX-Tab:\ttab\nX-Two:  two spaces\nX-Empty:\nX-Blank: \nX-Folded: a\n\tb\n  c\nX-End: blank \n",
		"X-Blanks : before the colon\nX-Spam-Flag : NO\n",
		"X-Spam-Flag: NO\nx-spam-status: No,\n\tscore=1\nX-Kept: yes\nX-SPAM-FLAG:NO\nX-Chaff-Verdict: ham\n",
		"X-Chaff-Score:\nX-Chaff-Score: 1\nX-Chaff-Score: 2\nReceived: from nowhere\n",
		"X-Folded: text\n X-Spam-Flag: NO\n\tX-Chaff-Verdict: ham\nX-Folded:other\n X-Spam-Flag: NO\n",
		"X-Control: a\x01b\nX-Spam-Flag: NO\nX-Kept: 1\nX-Chaff-Verdict:ham\n",
		"X-Return: a\rX-Spam-Flag: NO\nX-Kept: 1\n",
		"X-Long: " + strings.Repeat("a", 520) + "X-Spam-Flag: NO\nX-Long: " + strings.Repeat("b ", 900) + "\n",
		"X-Eight: \xff\xfe\nX-Spam-\xffFlag: NO\nX-Kept: 1\n",
		"X-Spam-Flag: NO\n",
		"no header at all\nX-Spam-Flag: NO",
	}
}

// Postfix delivers what it delivers without the milter, with fields in front and without forged ones.
func TestPostfixMilterChangesNothingElse(t *testing.T) {
	t.Parallel()
	l, _ := startMilter(t)
	// Postfix delivers by itself: Dovecot refuses some of these.
	l.Run("root", "postconf -e mailbox_transport= mailbox_command= home_mailbox=Maildir/ && postconf -M '2525/inet=2525 inet n - y - - smtpd' && postconf -P 2525/inet/smtpd_milters=")
	l.StartPostfix()
	for n, odd := range oddMessages() {
		var got [2]string
		for i, port := range []int{2525, 25} {
			subject := fmt.Sprintf("odd %d %d", n, i)
			l.Send(port, "anna@lab.example", "Message-ID: <odd@elsewhere.example>\nDate: Mon, 2 Nov 2026 10:00:00 +0000\nFrom: a@elsewhere.example\nSubject: "+subject+"\n"+odd+"\n\nX-Spam-Flag: of the body\n.\nend\n")
			text := strings.Replace(l.WaitFor(inbox, subject).Text, "Subject: "+subject, "Subject: odd", 1)
			top, received, found := strings.Cut(text, "Received: ")
			_, message, began := strings.Cut(received, "\nMessage-ID: ")
			if !found || !began || strings.Contains(top, "X-Chaff-Verdict: ") != (port == 25) {
				t.Fatalf("got %q", text)
			}
			got[i] = "Message-ID: " + message
		}
		header, body, _ := strings.Cut(got[0], "\n\n")
		clean, _ := verdictfield.Clean([]byte(header + "\n\n"))
		if want := string(clean) + body; got[1] != want {
			t.Errorf("%q:\ngot  %q\nwant %q", odd, got[1], want)
		}
	}

	// From a probability, Postfix holds spam or refuses it.
	for setting, want := range map[string]int{"milter_quarantine": 250, "milter_reject": 550} {
		stopServe(l)
		l.Run("root", "su -s /bin/sh chaff -c 'exec chaff serve -m /var/lib/chaff/model --set serve."+setting+"=0.9 --milter unix:"+milterSocket+"' >>/var/log/maillab/chaff 2>&1 &")
		l.Wait("the milter", func() error {
			_, err := askMilter(l, milterSocket, ham(1))
			return err
		})
		for message, want := range map[string]int{spam(7): want, ham(7): 250} {
			if code, err := talk(l, message); code != want || err != nil {
				t.Errorf("%s: got %d, %v, want %d", setting, code, err, want)
			}
		}
	}
	if held := l.Run("root", "postqueue -p"); strings.Count(held, "!") != 1 {
		t.Errorf("the queue is %s", held)
	}
	if got := l.Stored(inbox, "casino bonus 7"); len(got) > 0 {
		t.Errorf("delivered: %q", got[0].Text)
	}
}
