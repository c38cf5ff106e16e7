package maillab_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chaff/test/maillab"
)

// letter returns a message of a campaign, or of a friend.
func letter(subject, text string) string {
	return fmt.Sprintf("From: A Sender <sender@elsewhere.example>\nTo: anna@lab.example\nSubject: %s\nMessage-ID: <%s@elsewhere.example>\n"+
		"Date: Mon, 2 Nov 2026 10:00:00 +0000\n\n%s\n", subject, strings.ReplaceAll(subject, " ", "."), text)
}

// The messages that the tests send. The model knows mail like the first two. It takes an offer for ham until it has learned one.
func spam(n int) string {
	return letter(fmt.Sprintf("casino bonus %d", n), "casino and lottery, pills. The winner of the loan gets a bonus.")
}
func ham(n int) string {
	return letter(fmt.Sprintf("minutes of meeting %d", n), "meeting and minutes, agenda. We walk along the river and bake bread in the garden.")
}
func offer(n int) string {
	return letter(fmt.Sprintf("tarpaulins %d", n), fmt.Sprintf("Our heavy tarpaulins keep firewood dry. Eyelets every metre, reinforced seams. Catalogue %d is enclosed.", n))
}

// train makes a model of easy mail for a user, as chaff train does where it looks for it.
func train(l *maillab.Lab, user, flags string) {
	for class, of := range map[string][]string{
		"ham":  {"meeting", "minutes", "agenda", "river", "bread", "garden"},
		"spam": {"casino", "lottery", "pills", "winner", "bonus", "loan"},
	} {
		for i := range 40 {
			l.Write(fmt.Sprintf("/tmp/mail/%s/%02d", class, i), letter(of[i%6], fmt.Sprintf("%s and %s, %s %d", of[i%6], of[(i+1)%6], of[(i+2)%6], i)), 0o644)
		}
	}
	l.Run(user, "CHAFF_MODEL=multinomial chaff train --ham /tmp/mail/ham --spam /tmp/mail/spam "+flags)
}

// wantVerdict checks the fields of a message that chaff has judged.
func wantVerdict(t *testing.T, m maillab.Stored, want string) {
	t.Helper()
	flag := "NO"
	if want == "spam" {
		flag = "YES"
	}
	if m.Get("X-Chaff-Verdict") != want || m.Get("X-Spam-Flag") != flag {
		t.Errorf("%s: got the fields X-Chaff-Verdict %q and X-Spam-Flag %q, want %q and %q", m.Get("Subject"), m.Get("X-Chaff-Verdict"), m.Get("X-Spam-Flag"), want, flag)
	}
}

// move moves a message in a mailbox as a program without a server does: it gets the name of a message that was seen.
func move(t *testing.T, l *maillab.Lab, m maillab.Stored, maildir string) {
	t.Helper()
	name, _, _ := strings.Cut(filepath.Base(m.Path), ":")
	if err := os.Rename(l.Path(m.Path), filepath.Join(l.Path(maildir), "cur", name+":2,S")); err != nil {
		t.Fatal(err)
	}
}

// wantDeferred sends a message that chaff cannot judge, and checks that it waits in the queue, and is judged once chaff can.
func wantDeferred(t *testing.T, l *maillab.Lab, inbox, model string) {
	t.Helper()
	l.Run("root", "mv "+model+" "+model+".away")
	l.Send(25, "anna@lab.example", ham(99))
	l.Wait("a deferred message", func() error {
		if queue := l.Run("root", "postqueue -p"); !strings.Contains(queue, "sender@elsewhere.example") || !strings.Contains(queue, "(") {
			return fmt.Errorf("the queue has no deferred message: %s", queue)
		}
		return nil
	})
	if got := l.Stored(inbox, "minutes of meeting 99"); len(got) > 0 {
		t.Errorf("delivered without a verdict:\n%s", got[0].Text)
	}
	l.Run("root", "mv "+model+".away "+model)
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 99"), "ham")
}

func TestProcmail(t *testing.T) {
	t.Parallel()
	l := maillab.Start(t, maillab.Postfix, maillab.Procmail)
	l.AddUser("anna")
	page := l.Page("procmail.md")
	page.Install("anna")
	l.StartPostfix()
	train(l, "anna", "")
	filters(t, l, func() { page.Follow("anna", "chaff learn") })
	wantDeferred(t, l, inbox, "/home/anna/.local/share/chaff/model")
}

const (
	inbox = "/home/anna/Maildir"
	junk  = "/home/anna/Maildir/.Junk"
)

// filters sends mail to anna, moves a message that was judged wrong, lets chaff learn it, and sends one like it.
func filters(t *testing.T, l *maillab.Lab, learn func()) {
	t.Helper()
	l.Send(25, "anna@lab.example", "X-Spam-Flag: YES\nX-Chaff-Verdict: spam\n"+ham(1))
	l.Send(25, "anna@lab.example", "X-Spam-Flag: NO\n"+spam(1))
	l.Send(25, "anna@lab.example", offer(1))
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 1"), "ham")
	wantVerdict(t, l.WaitFor(junk, "casino bonus 1"), "spam")
	first := l.WaitFor(inbox, "tarpaulins 1")
	wantVerdict(t, first, "ham")
	move(t, l, first, junk)
	learn()
	l.Send(25, "anna@lab.example", offer(2))
	second := l.WaitFor(junk, "tarpaulins 2")
	wantVerdict(t, second, "spam")
	move(t, l, second, inbox)
	move(t, l, l.WaitFor(junk, "tarpaulins 1"), inbox)
	learn()
	l.Send(25, "anna@lab.example", offer(3))
	wantVerdict(t, l.WaitFor(inbox, "tarpaulins 3"), "ham")
}

func TestMaildrop(t *testing.T) {
	t.Parallel()
	l := maillab.Start(t, maillab.Postfix, maillab.Maildrop)
	l.AddUser("anna")
	l.Run("root", "usermod --shell /usr/sbin/nologin anna")
	l.Run("anna", "maildirmake.maildrop Maildir")
	page := l.Page("maildrop.md")
	page.Install("anna")
	l.StartPostfix()
	train(l, "anna", "")
	filters(t, l, func() { page.Follow("anna", "chaff learn") })
	wantDeferred(t, l, inbox, "/home/anna/.local/share/chaff/model")
}

func TestPostfixContentFilter(t *testing.T) {
	t.Parallel()
	l := maillab.Start(t, maillab.Postfix, maillab.Dovecot)
	l.AddUser("anna")
	page, dovecot := l.Page("postfix-pipe.md"), l.Page("dovecot.md")
	page.Follow("root", "useradd")
	page.Install("root")
	page.Follow("root", "postconf")
	dovecot.Install("root")
	l.Write("/etc/dovecot/sieve/file.sieve", "require \"fileinto\";\nif header :is \"X-Spam-Flag\" \"YES\" { fileinto \"Junk\"; }\n", 0o644)
	dovecot.Follow("root", "sievec")
	train(l, "root", "-m /var/lib/chaff/model && chown chaff: /var/lib/chaff/model*")
	l.StartDovecot()
	l.StartPostfix()
	filters(t, l, func() { page.Follow("root", "chaff learn") })
	wantDeferred(t, l, inbox, "/var/lib/chaff/model")
}

func TestDovecot(t *testing.T) {
	t.Parallel()
	l := maillab.Start(t, maillab.Postfix, maillab.Dovecot)
	l.AddUser("anna")
	page := l.Page("dovecot.md")
	page.Install("root")
	page.Follow("root", "sievec")
	train(l, "anna", "")
	l.StartDovecot()
	l.StartPostfix()
	send := func(message string) { l.Send(25, "anna@lab.example", message) }
	send("X-Spam-Flag: YES\n" + ham(1))
	send(spam(1))
	send(offer(1))
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 1"), "ham")
	wantVerdict(t, l.WaitFor(junk, "casino bonus 1"), "spam")
	wantVerdict(t, l.WaitFor(inbox, "tarpaulins 1"), "ham")

	client := l.Login("anna")
	client.Move("INBOX", "tarpaulins 1", "Junk", false)
	wantLearned(t, l, 40, 41)
	send(offer(2))
	wantVerdict(t, l.WaitFor(junk, "tarpaulins 2"), "spam")

	client.Do("CREATE Trash")
	client.Move("Junk", "casino bonus 1", "Trash", false)
	wantLearned(t, l, 40, 41)
	client.Move("Junk", "tarpaulins 1", "INBOX", true)
	client.Move("Junk", "tarpaulins 2", "INBOX", false)
	wantLearned(t, l, 42, 40)
	send(offer(3))
	wantVerdict(t, l.WaitFor(inbox, "tarpaulins 3"), "ham")

	l.Run("root", "mv /home/anna/.local/share/chaff/model /home/anna/away")
	send("X-Spam-Flag: YES\n" + ham(2))
	if got := l.WaitFor(inbox, "minutes of meeting 2"); got.Get("X-Chaff-Verdict") != "" {
		t.Errorf("judged without a model:\n%s", got.Text)
	}
}

// wantLearned checks how many messages of ham and spam anna's model has learned.
func wantLearned(t *testing.T, l *maillab.Lab, ham, spam int) {
	t.Helper()
	got := strings.Join(strings.Fields(l.Run("anna", "chaff status")), " ")
	for _, want := range []string{fmt.Sprintf("ham %d ", ham), fmt.Sprintf("spam %d ", spam)} {
		if !strings.Contains(got, want) {
			t.Errorf("chaff status has no %q: %s", want, got)
		}
	}
}
