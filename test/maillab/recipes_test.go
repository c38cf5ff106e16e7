//go:build linux

package maillab_test

import (
	"errors"
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

// easy returns a message of a class, to learn: one of six kinds.
func easy(class string, n int) string {
	of := map[string][]string{
		"ham":  {"meeting", "minutes", "agenda", "river", "bread", "garden"},
		"spam": {"casino", "lottery", "pills", "winner", "bonus", "loan"},
	}[class]
	return letter(of[n%6], fmt.Sprintf("%s and %s, %s %d", of[n%6], of[(n+1)%6], of[(n+2)%6], n))
}

// train makes a model of easy mail for a user, as chaff train does where it looks for it.
func train(l *maillab.Lab, user, flags string) {
	for _, class := range []string{"ham", "spam"} {
		for i := range 40 {
			l.Write(fmt.Sprintf("/tmp/mail/%s/%02d", class, i), easy(class, i), 0o644)
		}
	}
	// With the default limit, more than 40 ham would be needed to call any of this spam.
	l.Run(user, "CHAFF_MODEL=multinomial CHAFF_THRESHOLDS_HAM_LOST=0.3 chaff train --ham /tmp/mail/ham --spam /tmp/mail/spam "+flags)
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
	waitForDeferred(l)
	if got := l.Stored(inbox, "minutes of meeting 99"); len(got) > 0 {
		t.Errorf("delivered without a verdict:\n%s", got[0].Text)
	}
	l.Run("root", "mv "+model+".away "+model)
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 99"), "ham")
}

func waitForDeferred(l *maillab.Lab) {
	l.Wait("a deferred message", func() error {
		if queue := l.Run("root", "postqueue -p"); !strings.Contains(queue, "sender@elsewhere.example") || !strings.Contains(queue, "(") {
			return fmt.Errorf("the queue has no deferred message: %s", queue)
		}
		return nil
	})
}

// wantNoBounce checks that a message waits in the queue while the disk with anna's mail is full.
func wantNoBounce(l *maillab.Lab) {
	l.Run("root", `for folder in /home/anna/Maildir /var/mail; do
		mount -t tmpfs -o size=8k,mode=1777 full $folder
		head -c 1m /dev/zero >$folder/filler || true
	done`)
	l.Run("anna", "cd Maildir && mkdir new cur tmp")
	l.Send(25, "anna@lab.example", ham(98))
	waitForDeferred(l)
	l.Run("root", "umount /home/anna/Maildir /var/mail")
	l.WaitFor(inbox, "minutes of meeting 98")
}

// TestTheReadmeHasTheRecipeOfProcmail checks that the recipe of the README is the end of the tested one.
func TestTheReadmeHasTheRecipeOfProcmail(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "recipes", "procmail.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(readme), "```\n:0 fw\n")
	block, _, ended := strings.Cut(block, "```\n")
	if !found || !ended || !strings.Contains(string(page), ":0 fw\n"+block+"```\n") {
		t.Errorf("docs/recipes/procmail.md does not end its recipe with that of the README:\n%s", block)
	}
}

func TestProcmail(t *testing.T) {
	t.Parallel()
	l := maillab.Start(t, maillab.Postfix, maillab.Procmail)
	l.AddUser("anna")
	l.Run("anna", "mkdir -p Maildir/new Maildir/cur Maildir/tmp")
	page := l.Page("procmail.md")
	page.Install("anna")
	page.Follow("root", "postconf")
	l.StartPostfix()
	train(l, "anna", "")
	filters(t, l, func() { page.Follow("anna", "chaff learn") })
	if out := page.Follow("anna", "chaff learn"); out != "" {
		t.Errorf("cron sends mail although nothing is new: %s", out)
	}
	wantNoBounce(l)
	wantDeferred(t, l, inbox, "/home/anna/.local/share/chaff/model")
}

const (
	inbox = "/home/anna/Maildir"
	junk  = "/home/anna/Maildir/.Junk"
)

// filters sends mail to anna, moves a message that was judged wrong, lets chaff learn it, and sends one like it.
func filters(t *testing.T, l *maillab.Lab, learn func()) {
	t.Helper()
	l.Send(25, "anna@lab.example", "X-Spam-Flag: YES\nX-Chaff-Verdict: spam\nX-Chaff-Probability: forged\n"+ham(1))
	l.Send(25, "anna@lab.example", "X-Spam-Flag: NO\n"+spam(1))
	l.Send(25, "anna@lab.example", offer(1))
	minutes := l.WaitFor(inbox, "minutes of meeting 1")
	if wantVerdict(t, minutes, "ham"); strings.Contains(minutes.Text, "forged") {
		t.Errorf("a field that the sender forged was delivered:\n%s", minutes.Text)
	}
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
	page.Follow("root", "postconf")
	l.StartPostfix()
	train(l, "anna", "")
	filters(t, l, func() { page.Follow("anna", "chaff learn") })
	wantNoBounce(l)
	wantDeferred(t, l, inbox, "/home/anna/.local/share/chaff/model")
}

// fileJudgedMail follows the page of Dovecot where chaff judges mail before it gets there. Dovecot runs already, as on the machine of
// an administrator.
func fileJudgedMail(l *maillab.Lab, dovecot *maillab.Page) {
	l.StartDovecot()
	dovecot.Install("root")
	l.Write("/etc/dovecot/sieve/file.sieve", dovecot.Quoted("require \"fileinto\"")+"\n", 0o644)
	dovecot.Follow("root", "sievec")
	dovecot.Follow("root", "postconf")
}

// startContentFilter starts a lab with Postfix, the filter and Dovecot as the page says, and a model.
func startContentFilter(t *testing.T) (*maillab.Lab, *maillab.Page) {
	t.Helper()
	l := maillab.Start(t, maillab.Postfix, maillab.Dovecot)
	l.AddUser("anna")
	page, dovecot := l.Page("postfix-pipe.md"), l.DovecotPage()
	l.Section("serving.md", "Without systemd").Only("useradd").Follow("root", "useradd")
	page.Install("root")
	page.Follow("root", "postconf")
	fileJudgedMail(l, dovecot)
	train(l, "root", "-m /var/lib/chaff/model")
	l.StartPostfix()
	return l, page
}

func TestPostfixContentFilter(t *testing.T) {
	t.Parallel()
	l, page := startContentFilter(t)
	filters(t, l, func() { page.Follow("root", "chaff learn") })
	wantDeferred(t, l, inbox, "/var/lib/chaff/model")

	l.Send(25, "anna@lab.example", "X-Sender: Jürgen\n"+ham(50)) // which Dovecot would not take if Postfix asked for SMTPUTF8
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 50"), "ham")

	l.AddUser("bert")
	l.SendFrom(25, "", letter("returned mail", "meeting and minutes, agenda"), "anna@lab.example", "bert@lab.example")
	for _, maildir := range []string{inbox, "/home/bert/Maildir"} {
		got := l.WaitFor(maildir, "returned mail")
		wantVerdict(t, got, "ham")
		if from := got.Get("Return-Path"); from != "<>" {
			t.Errorf("a message without a sender was passed on as from %s", from)
		}
	}

	// Aliases and copies are made before the filter or after it, and not both times.
	l.AddUser("archive")
	l.Run("root", "postconf -e always_bcc=archive@lab.example 'virtual_alias_maps=inline:{ {anna@lab.example = anna@lab.example, bert@lab.example} }' && postfix reload")
	l.Send(25, "anna@lab.example", ham(51))
	l.WaitFor(inbox, "minutes of meeting 51")
	l.Wait("an empty queue", func() error {
		if queue := l.Run("root", "postqueue -p"); !strings.Contains(queue, "is empty") {
			return errors.New(queue)
		}
		return nil
	})
	for _, maildir := range []string{inbox, "/home/bert/Maildir", "/home/archive/Maildir"} {
		if got := l.Stored(maildir, "minutes of meeting 51"); len(got) != 1 {
			t.Errorf("%s has %d copies, want 1", maildir, len(got))
		}
	}
}

func TestDovecot(t *testing.T) {
	t.Parallel()
	teachesWhenMailIsMoved(t, maillab.Start(t, maillab.Postfix, maillab.Dovecot))
}

func TestDovecot24(t *testing.T) {
	t.Parallel()
	teachesWhenMailIsMoved(t, maillab.StartDovecot24(t))
}

// teachesWhenMailIsMoved follows the page of Dovecot in a lab with Postfix and Dovecot.
func teachesWhenMailIsMoved(t *testing.T, l *maillab.Lab) {
	t.Helper()
	l.AddUser("anna")
	page := l.DovecotPage()
	l.StartPostfix()
	l.StartDovecot()
	page.Install("root")
	page.Follow("root", "sievec")
	page.Follow("root", "postconf")
	train(l, "anna", "")
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

	send(spam(3))
	l.WaitFor(junk, "casino bonus 3")
	for subject, trash := range map[string]string{"casino bonus 1": "Trash", "casino bonus 3": `"Deleted Items"`} { // as Outlook calls it
		client.Do("CREATE %s", trash)
		client.Move("Junk", subject, trash, false)
	}
	wantLearned(t, l, 40, 41)
	client.Move("Junk", "tarpaulins 1", "INBOX", true)
	client.Move("Junk", "tarpaulins 2", "INBOX", false)
	wantLearned(t, l, 42, 40)
	send(offer(3))
	wantVerdict(t, l.WaitFor(inbox, "tarpaulins 3"), "ham")
	saved := strings.ReplaceAll(spam(2), "\n", "\r\n")
	client.Do("APPEND Junk {%d+}\r\n%s", len(saved), saved)
	wantLearned(t, l, 42, 41)

	l.Run("root", "mv /home/anna/.local/share/chaff/model /home/anna/away")
	send("X-Spam-Flag: YES\n" + ham(2))
	if got := l.WaitFor(inbox, "minutes of meeting 2"); got.Get("X-Chaff-Verdict") != "" {
		t.Errorf("judged without a model:\n%s", got.Text)
	}
}

func TestFilesOfMdboxAreExportedAsTheHintSays(t *testing.T) {
	t.Parallel()
	exportsMdbox(t, maillab.Start(t, maillab.Dovecot), "mail_location = mdbox:~/mdbox\n")
}

func TestFilesOfMdboxAreExportedInDovecot24(t *testing.T) {
	t.Parallel()
	exportsMdbox(t, maillab.StartDovecot24(t), "mail_driver = mdbox\nmail_path = ~/mdbox\nmail_inbox_path = ~/mdbox\n")
}

func exportsMdbox(t *testing.T, l *maillab.Lab, settings string) {
	t.Helper()
	l.AddUser("anna")
	l.Write("/etc/dovecot/conf.d/99-mdbox.conf", settings, 0o644)
	l.StartDovecot()
	for n := range 2 {
		l.Write("/tmp/letter", ham(n), 0o644)
		l.Run("root", "doveadm save -u anna /tmp/letter")
	}
	_, command, _ := strings.Cut(l.Run("anna", "chaff learn --begin; chaff learn --ham ~/mdbox 2>&1 || true"), "first: ")
	l.Run("root", strings.NewReplacer("USER", "anna", "FOLDER", "/home/anna/exported").Replace(command))
	l.Run("anna", "chaff learn --ham ~/exported")
	wantLearned(t, l, 2, 0)
}

// wantLearned checks how many messages of ham and spam anna's model has learned.
func wantLearned(t *testing.T, l *maillab.Lab, ham, spam int) {
	t.Helper()
	for _, want := range []string{fmt.Sprintf("ham %d ", ham), fmt.Sprintf("spam %d ", spam)} {
		if err := learned(l, want); err != nil {
			t.Error(err)
		}
	}
}

// The provider's mailbox of anna is in her folder provider.
func TestGetmailAndFetchmail(t *testing.T) {
	for program, tt := range map[string]struct {
		is, delivers maillab.Package
		page, config string
	}{
		"getmail":   {maillab.Getmail, maillab.Maildrop, "maildrop.md", ".mailfilter"},
		"fetchmail": {maillab.Fetchmail, maillab.Procmail, "procmail.md", ".procmailrc"},
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			l := maillab.Start(t, maillab.Dovecot, tt.is, tt.delivers)
			l.AddUser("anna")
			l.Write("/etc/dovecot/conf.d/97-provider.conf", "mail_location = maildir:~/provider\n", 0o644)
			l.StartDovecot()
			l.Run("anna", "mkdir -p provider/new provider/cur provider/tmp Maildir/new Maildir/cur Maildir/tmp")
			train(l, "anna", "")
			l.Page(tt.page).Only(tt.config).Install("anna")
			page := l.Page("fetch.md").Only(program)
			page.Install("anna")
			arrive := func(messages ...string) {
				for i, m := range messages {
					l.Write(fmt.Sprintf("/home/anna/provider/new/%d.%d.provider", len(m), i), m, 0o644)
				}
				l.Run("root", "chown -R anna: /home/anna/provider")
			}
			arrive(ham(1), spam(1), offer(1))
			page.Follow("anna", program)
			wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 1"), "ham")
			wantVerdict(t, l.WaitFor(junk, "casino bonus 1"), "spam")
			first := l.WaitFor(inbox, "tarpaulins 1")
			wantVerdict(t, first, "ham")
			move(t, l, first, junk)
			l.Run("anna", "chaff learn --maildir ~/Maildir")
			arrive(offer(2))
			page.Follow("anna", program)
			wantVerdict(t, l.WaitFor(junk, "tarpaulins 2"), "spam")

			l.Run("anna", "mv .local/share/chaff/model away")
			arrive(ham(2))
			l.Command("anna", program).Run()
			if got := l.Stored(inbox, "minutes of meeting 2"); len(got) > 0 {
				t.Errorf("delivered without a verdict:\n%s", got[0].Text)
			}
			l.Run("anna", "mv away .local/share/chaff/model")
			page.Follow("anna", program)
			wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 2"), "ham")
			for _, subject := range []string{"minutes of meeting 1", "minutes of meeting 2", "tarpaulins 2"} {
				if got := l.Stored("/home/anna/provider", subject); len(got) > 0 {
					t.Errorf("%s is still at the provider", subject)
				}
			}
		})
	}
}

func TestKeysOfMailPrograms(t *testing.T) {
	for program, tt := range map[string]struct {
		is     maillab.Package
		config string
		tag    string // the keys that tag all messages
		inJunk string // the command that begins in Junk
	}{
		"mutt":    {maillab.Mutt, ".muttrc", "T.\r", "mutt -f ~/Maildir/.Junk"},
		"neomutt": {maillab.Neomutt, ".muttrc", "T.\r", "neomutt -f ~/Maildir/.Junk"},
		"aerc":    {maillab.Aerc, "binds.conf", ":mark -a\r", "sed -i 1adefault=Junk .config/aerc/accounts.conf; aerc"},
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			l := maillab.Start(t, tt.is)
			l.AddUser("anna")
			train(l, "anna", "")
			l.Run("anna", `mkdir -p Maildir/new Maildir/cur Maildir/tmp Maildir/.Junk/new Maildir/.Junk/cur Maildir/.Junk/tmp .config/aerc
				touch .muttrc Maildir/.Junk/maildirfolder
				printf '[Mail]\nsource = maildirpp://~/Maildir\nfrom = anna <anna@lab.example>\n' >.config/aerc/accounts.conf
				cp /usr/share/aerc/binds.conf .config/aerc/binds.conf; chmod 600 .config/aerc/*`)
			l.Page("keys.md").Only(tt.config).Install("anna")
			wantJudged(t, l, offer(2), "ham")
			l.Write("/home/anna/Maildir/cur/1.1.lab:2,S", offer(1), 0o644)
			l.Write("/home/anna/Maildir/cur/1.3.lab:2,S", offer(3), 0o644)
			l.Run("root", "chown -R anna: /home/anna/Maildir")
			l.Terminal("anna", program).Type("tarpaulins", tt.tag+"S") // aerc moves the cursor within a line
			l.WaitFor(junk, "tarpaulins 1")
			l.WaitFor(junk, "tarpaulins 3")
			l.Wait("what it learned", func() error { return learned(l, "spam 42 ") })
			wantJudged(t, l, offer(2), "spam")

			l.Run("root", "rm -r /home/anna/Maildir/.Junk/cur/*")
			l.Write("/home/anna/Maildir/.Junk/cur/2.2.lab:2,S", ham(1), 0o644)
			l.Run("root", "chown -R anna: /home/anna/Maildir")
			l.Terminal("anna", tt.inJunk).Type("minutes of meet", "H") // aerc cuts the rest
			l.WaitFor(inbox, "minutes of meeting 1")
			l.Wait("what it learned", func() error { return learned(l, "ham 41 ") })
		})
	}
}

// wantJudged checks the verdict on a message by anna's model.
func wantJudged(t *testing.T, l *maillab.Lab, message, want string) {
	t.Helper()
	l.Write("/tmp/judged", message, 0o644)
	if got := l.Run("anna", "chaff-classify </tmp/judged"); !strings.HasPrefix(got, want+" ") {
		t.Errorf("got %q, want %s", got, want)
	}
}

// learned returns an error unless the status of anna's model has a line that begins with a text.
func learned(l *maillab.Lab, want string) error {
	if got := strings.Join(strings.Fields(l.Run("anna", "chaff status")), " "); !strings.Contains(got, want) {
		return fmt.Errorf("chaff status has no %q: %s", want, got)
	}
	return nil
}

func TestNotmuch(t *testing.T) {
	t.Parallel()
	l := maillab.Start(t, maillab.Notmuch)
	l.AddUser("anna")
	train(l, "anna", "")
	l.Run("anna", `mkdir -p Maildir/new Maildir/cur Maildir/tmp
		printf '[database]\npath=/home/anna/Maildir\n[user]\nprimary_email=anna@lab.example\n[search]\nexclude_tags=deleted;spam\n' >.notmuch-config`)
	page := l.Page("notmuch.md")
	page.Install("anna")
	page.Follow("anna", "config set")
	arrive := func(name, message string) {
		l.Write("/home/anna/Maildir/new/"+name, message, 0o644)
		l.Run("root", "chown anna: /home/anna/Maildir/new/*")
		l.Run("anna", "notmuch new")
	}
	want := func(subject, tags string) {
		t.Helper()
		got := strings.TrimSpace(l.Run("anna", `notmuch search --output=tags --exclude=false 'subject:"`+subject+`"' | paste -sd ' '`))
		if got != tags {
			t.Errorf("%s has the tags %q, want %q", subject, got, tags)
		}
	}
	arrive("1", ham(1))
	arrive("2", strings.Replace(spam(1), "casino.bonus.1@elsewhere.example", `x")or(tag:inbox@elsewhere.example`, 1))
	arrive("3", offer(1))
	want("minutes of meeting 1", "inbox unread")
	want("casino bonus 1", "judged-spam spam unread")
	want("tarpaulins 1", "inbox unread")

	l.Run("anna", `notmuch tag +spam -inbox -- 'subject:"tarpaulins 1"'`)
	l.Run("anna", "notmuch new")
	want("tarpaulins 1", "judged-spam spam unread")
	wantLearned(t, l, 40, 41)
	arrive("4", offer(2))
	want("tarpaulins 2", "judged-spam spam unread")
	l.Run("anna", `notmuch tag -spam +inbox -- subject:tarpaulins`)
	l.Run("anna", "notmuch new")
	want("tarpaulins 1", "inbox unread")
	wantLearned(t, l, 42, 40)

	arrive("large", letter("too large", strings.Repeat("not judged\n", 4<<20)))
	arrive("small", ham(4))
	want("too large", "inbox new unread")
	want("minutes of meeting 4", "inbox unread")
	l.Run("root", "rm /home/anna/Maildir/new/large")

	l.Run("anna", "mv .local/share/chaff/model away")
	l.Write("/home/anna/Maildir/new/5", ham(2), 0o644)
	l.Command("anna", "notmuch new").Run()
	want("minutes of meeting 2", "inbox new unread")
	l.Run("anna", "mv away .local/share/chaff/model && notmuch new")
	want("minutes of meeting 2", "inbox unread")
}
