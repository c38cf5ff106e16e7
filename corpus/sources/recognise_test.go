package sources

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRecognise(t *testing.T) {
	const message = "Subject: a\n\nb\n"
	const mbox = "From a@b.example Thu Aug 22 12:36:23 2002\n" + message
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{
		"Maildir/cur/1:2,S", "Maildir/new/2", "Maildir/.Junk/cur/3:2,S", "Maildir/.Junk/new/4", "Plain/cur/1:2,S", "Plain/new/2",
		"both/ham/1", "both/Spam/1", "more/ham/1", "more/spam/1", "more/news/1", "spam-2/1", "easy-ham-1/1", "not-spam/1", "ham-and-spam/1",
		"mixed/1", "letter.eml", "sa/easy-ham-1/1", "sa/spam-1/1", "sa/README", "enron/enron1/ham/1", "enron/enron1/spam/1", "enron/enron1/Summary.txt",
		"enron/enron2/ham/1", "enron/enron2/spam/1", "half/enron1/ham/1", "half/enron1/spam/1", "half/news/1", "deep/a/b/ham/1", "deep/a/b/spam/1", "old-spam/a/ham/1", "old-spam/a/spam/1", "Bulk Mail/1", "Trash/1",
	} {
		write(file, message)
	}
	for _, file := range []string{"junk.mbox", "INBOX", "Sent.mbx", "letters", "Courrier indésirable.mbox"} {
		write(file, mbox)
	}
	for _, file := range []string{"Profile/Inbox", "Profile/Inbox.sbd/Junk", "Profile/Inbox.sbd/Lists", "Profile/Trash", "Inbox.sbd/Lists"} {
		write(file, mbox)
		write(file+".msf", "")
	}
	write("index", "spam ../data/inmail.1\nham ../data/inmail.2\n")
	write("sms.csv", "label,text\nham,hello\n")
	const bothClasses, unknown = " a folder for each class: ham, spam", "unknown"
	for name, want := range map[string]string{
		"Maildir": "", "Maildir/.Junk": " maildir, all spam", "Plain": "", "both": bothClasses, "more": unknown, "sa": bothClasses, "enron": bothClasses, "half": unknown, "deep": unknown, "old-spam": bothClasses,
		"spam-2": " mh, all spam", "easy-ham-1": " mh, all ham", "not-spam": unknown, "ham-and-spam": unknown, "mixed": unknown,
		"letter.eml": unknown, "Bulk Mail": " mh, all spam", "Trash": unknown, "junk.mbox": " mbox, all spam", "INBOX": " mbox, all ham", "Sent.mbx": " mbox, all ham",
		"Profile": "", "Inbox.sbd": " thunderbird, all ham", "letters": unknown, "Courrier indésirable.mbox": " mbox, all spam", "index": " index", "sms.csv": ` table, text in "text", label in "label", classes ham, spam`,
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		mail, err := OpenLabelled(path, Options{})
		got := unknown
		if err == nil {
			note, _, _ := strings.Cut(mail.Notes[0], ";")
			got = strings.TrimPrefix(note, path+":")
		}
		if got != want || (want == unknown) != errors.Is(err, ErrNoLabel) {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := OpenLabelled(filepath.Join(root, "nowhere"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a path that is not there means something")
	}
}

func TestAFolderOfAMailboxThatIsNamedApartIsLeftOut(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"cur", "new", ".Caught/cur", ".Caught/new"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	plan, err := MaildirTree(root)
	if err != nil {
		t.Fatal(err)
	}
	plan.mail(root, []string{filepath.Join(root, ".Nowhere"), filepath.Join(root, ".Caught") + "/"})
	var rows []string
	for _, f := range plan.Folders {
		rows = append(rows, f.Name+": "+f.Label+" "+f.Reason)
	}
	if want := []string{"INBOX: ham ", "INBOX: left out not seen yet", ".Caught: left out named by itself"}; !slices.Equal(rows, want) {
		t.Errorf("got %q, want %q", rows, want)
	}
}

func TestAFolderOfThunderbirdHasHamAndSpamByTheNamesOfItsFiles(t *testing.T) {
	message := func(subject string) string { return "From - Thu Aug 22 12:36:23 2002\nSubject: " + subject + "\n\n" }
	root := tree(t, map[string]string{
		"profiles.ini": "[Profile0]", "Crash Reports/InstallTime": "1",
		"a/prefs.js": "", "a/Mail/Local Folders/Inbox": message("a"), "a/Mail/Local Folders/Inbox.msf": "", "a/Mail/Local Folders/Inbox.sbd/Junk": message("b"),
		"a/Mail/Local Folders/Inbox.sbd/Junk.sbd/Old": message("c"), "a/Mail/Local Folders/Trash": message("d"), "a/Mail/Local Folders/Caught": message("e"), "a/x": message("f"),
	})
	subjects := func(source Source) (got []string) {
		for _, line := range contents(source) {
			got = append(got, strings.Join(strings.Fields(strings.Replace(line, "From - Thu Aug 22 12:36:23 2002\nSubject:", "", 1)), " "))
		}
		return got
	}
	for about, path := range map[string]string{"a profile": filepath.Join(root, "a"), "its folder Mail": filepath.Join(root, "a/Mail"), "the folder of all profiles": root} {
		mail, err := OpenLabelled(path, Options{})
		must(t, err)
		check(t, about, subjects(mail.Source), []string{"ham: e", "ham: a", "spam: b", "spam: c"})
		if mail.NoSpam {
			t.Errorf("%s has no folder for spam", about)
		}
	}
	caught := filepath.Join(root, "a/Mail/Local Folders/Caught")
	for _, o := range []Options{{Apart: []string{caught}}, {Apart: []string{caught}, Label: Ham}} {
		mail, err := OpenLabelled(root, o)
		must(t, err)
		if got := subjects(mail.Source); slices.Contains(got, "ham: e") || !slices.Contains(got, "ham: a") || !slices.Contains(mail.Notes, "  left out  "+caught+" (named by itself)") {
			t.Errorf("got %q, %q", got, mail.Notes)
		}
	}
}

func TestSpamNamesAreThoseOfTheFile(t *testing.T) {
	for name := range strings.SplitSeq(SpamNames, ", ") {
		checkLabel(t, "."+name, Spam, "spam")
	}
}
