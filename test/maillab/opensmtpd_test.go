//go:build linux

package maillab_test

import (
	"errors"
	"fmt"
	"io"
	"net/smtp"
	"net/textproto"
	"os"
	"strings"
	"testing"

	"chaff/test/maillab"
)

func TestOpenSMTPD(t *testing.T) {
	t.Parallel()
	l := maillab.Start(t, maillab.OpenSMTPD)
	l.AddUser("anna")
	page := l.Page("opensmtpd.md")
	page.Install("root")
	config, err := os.ReadFile(l.Path("/etc/smtpd.conf"))
	if err != nil {
		t.Fatal(err)
	}
	train(l, "anna", "")
	l.StartOpenSMTPD(string(config))
	l.Run("anna", "mkdir -p Maildir/new Maildir/cur Maildir/tmp")
	filters(t, l, func() { page.Follow("anna", "chaff learn") })

	// A message waits while there is no model, and while the program cannot be run.
	const model, program = "/home/anna/.local/share/chaff/model", "/usr/local/bin/chaff-deliver"
	for n, fault := range []struct{ damage, repair string }{
		{"mv " + model + " " + model + ".away", "mv " + model + ".away " + model},
		{"chmod 644 " + program, "chmod 755 " + program},
	} {
		subject := fmt.Sprintf("minutes of meeting %d", 90+n)
		l.Run("root", fault.damage)
		l.Send(25, "anna@lab.example", ham(90+n))
		l.Wait("a deferred message", func() error {
			if queue := l.Run("root", "smtpctl show queue"); !strings.Contains(queue, "|anna@lab.example|") || !strings.Contains(queue, "|pending|") {
				return fmt.Errorf("after %s the queue has no deferred message: %s", fault.damage, queue)
			}
			return nil
		})
		if got := l.Stored(inbox, subject); len(got) > 0 {
			t.Errorf("delivered without a verdict:\n%s", got[0].Text)
		}
		l.Run("root", fault.repair+" && smtpctl schedule all")
		wantVerdict(t, l.WaitFor(inbox, subject), "ham")
	}
}

// TestOpenSMTPDAsksChaffInsteadOfRspamd checks what the page says of the filter for rspamd.
func TestOpenSMTPDAsksChaffInsteadOfRspamd(t *testing.T) {
	t.Parallel()
	l := maillab.Start(t, maillab.OpenSMTPD, maillab.OpenSMTPDRspamd)
	l.AddUser("anna")
	l.Run("root", "mkdir /var/lib/chaff")
	train(l, "root", "-m /var/lib/chaff/model")
	l.Run("root", "chaff serve -m /var/lib/chaff/model --http 11333 --set serve.max_message=4096 >/var/log/maillab/chaff 2>&1 &")
	l.Dial(11333).Close()
	l.StartOpenSMTPD(`filter "rspamd" proc-exec "/usr/libexec/opensmtpd/filter-rspamd -url http://127.0.0.1:11333"
listen on 127.0.0.1 filter "rspamd"
action "deliver" maildir junk
match from any for domain "lab.example" action "deliver"
`)
	l.Send(25, "anna@lab.example", "X-Spam-Flag: YES\n"+ham(1))
	l.Send(25, "anna@lab.example", spam(1))
	l.Send(25, "anna@lab.example", spam(2)+strings.Repeat("casino\n", 1000))
	if m := l.WaitFor(junk, "casino bonus 1"); m.Get("X-Spam") != "yes" {
		t.Errorf("spam has the fields %v", m.Header)
	}
	if m := l.WaitFor(inbox, "minutes of meeting 1"); m.Get("X-Spam-Flag") != "" {
		t.Errorf("ham has the fields %v", m.Header)
	}
	l.WaitFor(inbox, "casino bonus 2")

	stopServe(l)
	c, err := smtp.NewClient(l.Dial(25), "mx.lab.example")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = errors.Join(c.Mail("sender@elsewhere.example"), c.Rcpt("anna@lab.example"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.Data()
	if err == nil {
		_, err = io.WriteString(w, strings.ReplaceAll(spam(3), "\n", "\r\n"))
		err = errors.Join(err, w.Close())
	}
	if refused, is := errors.AsType[*textproto.Error](err); !is || refused.Code != 421 {
		t.Errorf("without the daemon: %v", err)
	}
}
