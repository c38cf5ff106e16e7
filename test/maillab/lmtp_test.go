package maillab_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"chaff/test/maillab"
)

// startLMTP starts a lab with Postfix, the proxy and Dovecot as the page says, and a model.
func startLMTP(t *testing.T) (*maillab.Lab, *maillab.Page, *maillab.Page) {
	t.Helper()
	l := maillab.Start(t, maillab.Postfix, maillab.Dovecot)
	l.AddUser("anna")
	page, dovecot := l.Page("postfix-lmtp.md"), l.Page("dovecot.md")
	page.Follow("root", "useradd")
	page.Install("root")
	dovecot.Install("root")
	l.Write("/etc/dovecot/sieve/file.sieve", "require \"fileinto\";\nif header :is \"X-Spam-Flag\" \"YES\" { fileinto \"Junk\"; }\n", 0o644)
	dovecot.Follow("root", "sievec")
	dovecot.Follow("root", "postconf")
	page.Follow("root", "mailbox_transport")
	train(l, "root", "-m /var/lib/chaff/model")
	l.StartDovecot()
	page.Follow("root", "/run/dovecot/lmtp")
	waitForLMTP(l)
	l.StartPostfix()
	return l, page, dovecot
}

// waitForLMTP waits until the proxy listens.
func waitForLMTP(l *maillab.Lab) {
	l.Wait("the proxy", func() error {
		if log := l.Run("root", "cat /var/log/chaff.log"); !strings.Contains(log[strings.LastIndex(log, "stopped")+1:], "serving lmtp") {
			return errors.New(log)
		}
		return nil
	})
}

func TestPostfixLMTP(t *testing.T) {
	t.Parallel()
	l, page, dovecot := startLMTP(t)
	filters(t, l, func() {
		page.Follow("root", "chaff learn")
		read := func() int { return strings.Count(l.Run("root", "cat /var/log/chaff.log"), " again\n") }
		before := read()
		l.Run("root", "kill -HUP $(pidof chaff)") // so that the test knows when it has noticed
		l.Wait("the new model", func() error {
			if read() == before {
				return errors.New("not read yet")
			}
			return nil
		})
	})
	if got := l.WaitFor(inbox, "minutes of meeting 1"); got.Get("Delivered-To") != "anna@lab.example" || got.Get("Return-Path") != "<sender@elsewhere.example>" {
		t.Errorf("got %q", got.Text)
	}

	// The message waits while chaff, and then while Dovecot is away.
	stopServe(l)
	l.Send(25, "anna@lab.example", ham(7))
	wantQueued(l)
	l.Run("root", "doveadm stop")
	page.Follow("root", "/run/dovecot/lmtp")
	waitForLMTP(l)
	l.Wait("the log", func() error {
		if log := l.Run("root", "cat /var/log/chaff.log"); !strings.Contains(log, "/run/dovecot/lmtp: ") || !strings.Contains(log, ": mail waits until it is back\n") {
			return errors.New(log)
		}
		return nil
	})
	wantQueued(l)
	l.Run("root", "dovecot")
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 7"), "ham")

	// Judged mail goes back to Postfix.
	stopServe(l)
	page.Follow("root", "smtp:127.0.0.1:10026")
	waitForLMTP(l)
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
