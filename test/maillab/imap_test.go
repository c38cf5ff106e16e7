//go:build linux

package maillab_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"chaff/test/maillab"
)

func TestIMAP(t *testing.T) {
	t.Parallel()
	l := maillab.Start(t, maillab.Dovecot)
	l.AddUser("anna")
	l.Write("/etc/dovecot/conf.d/97-provider.conf", "mail_location = maildir:~/provider\n", 0o644)
	l.StartDovecot()
	client := l.Login("anna")
	client.Do("CREATE Junk")
	const mailbox = "/home/anna/provider"
	arrived := 1_700_000_000
	put := func(dir, flags string, message func(n int) string, from, to int) {
		for n := from; n < to; n++ {
			arrived++
			l.Write(filepath.Join(mailbox, dir, fmt.Sprintf("%d.provider%s", arrived, flags)), message(n), 0o600)
		}
		l.Run("root", "chown -R anna: "+mailbox)
	}
	put("cur", ":2,S", ham, 100, 102)

	page := l.Page("imap.md")
	page.Install("anna")
	page.Follow("anna", "chaff learn --begin")
	train(l, "anna", "") // so that the verdicts are known
	if out := page.Follow("anna", "--learn\n"); !strings.Contains(out, "learned     2: 2 ham") {
		t.Errorf("it learns: %s", out)
	}
	put("new", "", ham, 1, 2)
	put("new", "", spam, 1, 2)
	put("new", "", offer, 1, 2)
	want := "judged      3 new messages: 2 ham, 0 unsure, 1 spam\nmoved       0: this is a dry run, --move moves spam to Junk\n"
	if out := page.Follow("anna", "imap-password\n"); !strings.HasSuffix(out, want) {
		t.Errorf("a dry run prints: %s", out)
	}
	run := func() string { return page.Follow("anna", "--learn --move") }
	run()
	l.WaitFor(mailbox+"/.Junk", "casino bonus 1")
	for _, subject := range []string{"minutes of meeting 1", "tarpaulins 1"} {
		if m := l.WaitFor(mailbox, subject); strings.Contains(filepath.Base(m.Path), "S") {
			t.Errorf("%s is marked as seen: %s", subject, m.Path)
		}
	}
	if out := run(); out != "" {
		t.Errorf("nothing is new, and it prints: %s", out)
	}

	client.Move("INBOX", "tarpaulins 1", "Junk", false)
	put("new", "", offer, 2, 3)
	run()
	l.WaitFor(mailbox+"/.Junk", "tarpaulins 2")
	client.Move("Junk", "tarpaulins 2", "INBOX", false)
	client.Move("Junk", "tarpaulins 1", "INBOX", true)
	client.Do("SELECT INBOX")
	client.Do(`STORE 1:* +FLAGS (\Seen)`)
	put("new", "", offer, 3, 4)
	run()
	l.WaitFor(mailbox, "tarpaulins 3")
	for _, n := range []int{1, 2} {
		l.WaitFor(mailbox, fmt.Sprintf("tarpaulins %d", n))
	}
	client.Do("NOOP")
	if got := client.Do("STATUS INBOX (MESSAGES)"); len(got) != 1 || !strings.Contains(got[0], "MESSAGES 6") {
		t.Errorf("the inbox has %s", got)
	}
	if got := client.Do("STATUS Junk (MESSAGES)"); len(got) != 1 || !strings.Contains(got[0], "MESSAGES 1") {
		t.Errorf("the folder for spam has %s", got)
	}
}
