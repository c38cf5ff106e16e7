//go:build linux

package maillab_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"chaff/test/maillab"
)

// deliverByLMTP starts Postfix and Dovecot as the pages say.
func deliverByLMTP(l *maillab.Lab) (page, dovecot *maillab.Page) {
	page, dovecot = l.Page("postfix-lmtp.md"), l.DovecotPage()
	page.Install("root")
	fileJudgedMail(l, dovecot)
	page.Follow("root", "mailbox_transport")
	l.StartPostfix()
	return page, dovecot
}

func TestPostfixLMTP(t *testing.T) {
	t.Parallel()
	l := startServer(t, maillab.Postfix, maillab.Dovecot)
	page, dovecot := deliverByLMTP(l)
	page.Follow("root", "/run/dovecot/lmtp")
	filters(t, l, func() {
		page.Follow("root", "chaff learn")
		l.Run("root", "systemctl reload chaff") // so that the test knows when it has noticed
	})
	if got := l.WaitFor(inbox, "minutes of meeting 1"); got.Get("Delivered-To") != "anna@lab.example" || got.Get("Return-Path") != "<sender@elsewhere.example>" {
		t.Errorf("got %q", got.Text)
	}

	// The message waits while chaff, and then while Dovecot is away.
	stopUnits(l)
	l.Send(25, "anna@lab.example", ham(7))
	wantQueued(l)
	l.Run("root", "doveadm stop")
	page.Follow("root", "/run/dovecot/lmtp")
	l.Wait("the log", func() error {
		if log := l.Run("root", "journalctl --no-pager --output cat --unit chaff"); !strings.Contains(log, "/run/dovecot/lmtp: ") || !strings.Contains(log, ": mail waits until it is back\n") {
			return errors.New(log)
		}
		return nil
	})
	wantQueued(l)
	l.Run("root", "dovecot")
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 7"), "ham")

	// Judged mail goes back to Postfix.
	page.Follow("root", "smtp:127.0.0.1:10026")
	dovecot.Follow("root", "postconf")
	page.Follow("root", "content_filter")
	l.Run("root", "postfix reload")
	l.AddUser("bert")
	l.SendFrom(25, "", letter("returned mail", "meeting and minutes, agenda"), "anna@lab.example", "bert@lab.example")
	for _, maildir := range []string{inbox, "/home/bert/Maildir"} {
		got := l.WaitFor(maildir, "returned mail")
		wantVerdict(t, got, "ham")
		if from := got.Get("Return-Path"); from != "<>" {
			t.Errorf("a message without a sender was passed on as from %s", from)
		}
		if n := strings.Count(got.Text, "X-Chaff-Verdict: "); n != 1 {
			t.Errorf("judged %d times: %s", n, got.Text)
		}
	}
}

// wantQueued waits until a message waits in the queue with a reason.
func wantQueued(l *maillab.Lab) {
	l.Wait("a deferred message", func() error {
		if queue := l.Run("root", "postqueue -p"); !strings.Contains(queue, "sender@elsewhere.example") || !strings.Contains(queue, "(") {
			return fmt.Errorf("the queue has no deferred message: %s", queue)
		}
		return nil
	})
}
