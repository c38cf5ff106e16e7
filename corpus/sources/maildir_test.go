package sources

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestFlags(t *testing.T) {
	checkEach(t, Flags, [][3]string{
		{"no info part", "1204680122.27c448_0.host", ""},
		{"an info part without flags", "1204680122.a.host:2,", ""},
		{"flags after a colon", "1204680122.a.host:2,FS", "FS"},
		{"flags after a semicolon", "1204680122.a.host;2,RS", "RS"},
		{"flags after an exclamation mark", "1204680122.a.host!2,T", "T"},
		{"keywords of Dovecot in lower case", "1.M2P3.h,S=10,W=11:2,Sab", "Sab"},
		{"a size is no flag", "1.M2P3.h,S=2,W=12,x", ""},
		{"the last info part counts", "1.a:2,F:2,S", "S"},
		{"experimental info is no flag", "1.a.host:1,S", ""},
		{"what follows the letters is no flag", "1.a:2,S.bak", "S"},
		{"nothing but an info part", ":2,S", "S"},
		{"no name", "", ""},
		{"two and comma alone", "2,S", ""},
	})
}

func FuzzFlags(f *testing.F) {
	for _, s := range []string{"1204680122.a.h:2,FS", "x;2,", "!2,T", "2,2,", "1.a:1,S", "", "::2,,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		flags, unique := Flags(name), uniqueName(name)
		if !strings.HasPrefix(name, unique) || !strings.Contains(name[len(unique):], flags) {
			t.Errorf("%q: flags %q and name %q are not parts of it", name, flags, unique)
		}
		for _, c := range flags {
			if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
				t.Errorf("%q: flags %q have %q", name, flags, c)
			}
		}
		// Setting a flag changes the flags and nothing else.
		marked := unique + ":2,S"
		if Flags(marked) != "S" || uniqueName(marked) != unique {
			t.Errorf("%q: got flags %q and name %q", marked, Flags(marked), uniqueName(marked))
		}
		if when := maildirTime(name); !when.Equal(maildirTime(marked)) || !when.IsZero() && when.Year() < 1973 {
			t.Errorf("%q: got time %v, and %v with a flag", name, when, maildirTime(marked))
		}
	})
}

func TestMaildirTime(t *testing.T) {
	tests := []struct {
		about, name string
		want        time.Time
	}{
		{"seconds since 1970", "1204680122.a.host:2,S", time.Date(2008, 3, 5, 1, 22, 2, 0, time.UTC)},
		{"nothing after them", "1204680122", time.Date(2008, 3, 5, 1, 22, 2, 0, time.UTC)},
		{"a number in a row", "00001.7c53336b37", time.Time{}},
		{"too many digits", "12046801221.a", time.Time{}},
		{"zeros", "0000000000.a", time.Time{}},
		{"more digits than a number has", "99999999999999999999.a", time.Time{}},
		{"no digits", "message", time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			if got := maildirTime(tt.name); !got.Equal(tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestMaildirListing(t *testing.T) {
	root := tree(t, map[string]string{
		"cur/1000000003.c.h:2,S": "third", "cur/1000000001.a.h:2,": "first",
		"new/1000000002.b.h": "second", "new/1000000004.d.h": "both",
		"cur/1000000004.d.h:2,S": "both", "cur/.nfs001": "x",
		"cur/dovecot.d/x": "x", "tmp/1000000005.e.h": "being written",
		"dovecot-uidlist": "x", "maildirfolder": "", ".Junk/cur/1": "x",
		"cur/dovecot-keywords": "x", "new/dovecot.index.cache": "x", "cur/maildirsize": "x",
	})
	must(t, os.Symlink("nowhere", filepath.Join(root, "cur", "1000000006.f.h:2,S")))
	source := openAs(t, root, Maildir)
	dangling := filepath.Join(root, "cur", "1000000006.f.h:2,S")
	want := []string{
		"ham: first", "ham: second", "ham: third", "ham: both",
		"ham! list " + dangling + ": follow the link: no such file or directory",
	}
	check(t, "", contents(source), want)
	for item, err := range source {
		if err == nil && item.Time.Unix()/10 != 1000000000/10 {
			t.Errorf("%s: got time %v", item.Origin, item.Time)
		}
	}
}

func TestMaildirTree(t *testing.T) {
	root := tree(t, map[string]string{
		"cur/1.a:2,S": "read", "cur/2.b:2,": "unread", "cur/3.c": "no info", "new/4.d": "new",
		"cur/11.k:2,ST": "marked as deleted", ".Junk/cur/12.l:2,T": "junk that is marked as deleted", ".Trash/cur/13.m:2,ST": "x",
		"tmp/": "", "subscriptions": "", "dovecot.index.log": "",
		".Junk/cur/5.e:2,": "junk", ".Junk/new/6.f": "new junk", ".Junk/maildirfolder": "",
		".Trash/cur/7.g:2,S": "x", ".Trash.2004/cur/7.h:2,S": "x", ".Trash.2004/new/": "",
		".Trash/new/": "", ".Drafts/cur/8.h:2,S": "x", ".Drafts/new/": "",
		".Lists.golang/new/9.i": "list", ".Lists.golang/cur/": "",
		".Sent/cur/10.j:2,S": "sent", ".Sent/new/": "",
		".nomail/x": "x", "plain/cur/x": "plain", "plain/new/": "",
	})
	plan, err := MaildirTree(root)
	must(t, err)
	want := []PlanFolder{
		{Name: "INBOX", Role: Ham, Messages: 1},
		{Name: "INBOX", Role: LeftOut, Reason: "not seen yet", Messages: 3},
		{Name: ".Drafts", Role: LeftOut, Reason: "drafts", Messages: 1},
		{Name: ".Junk", Role: Spam, Reason: "spam", Messages: 2},
		{Name: ".Lists.golang", Role: Ham, Messages: 1},
		{Name: ".Sent", Role: Ham, Reason: "sent mail", Messages: 1},
		{Name: ".Trash", Role: LeftOut, Reason: "deleted mail", Messages: 1},
		{Name: ".Trash.2004", Role: LeftOut, Reason: "in a folder of deleted mail", Messages: 1},
		{Name: "plain", Role: Ham, Messages: 1},
	}
	got := slices.Clone(plan.Folders)
	for i := range got {
		got[i].path, got[i].part = "", wholeFolder
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if plan.Deleted != 2 {
		t.Errorf("%d messages of ham and spam folders are marked as deleted, want 2", plan.Deleted)
	}
	mail := contents(plan.Source())
	if want := []string{"ham: read", "spam: junk", "spam: new junk", "ham: list", "ham: sent", "ham: plain"}; !slices.Equal(mail, want) {
		t.Errorf("got  %q\nwant %q", mail, want)
	}
}

func TestMaildirTreeOfNestedFolders(t *testing.T) {
	root := tree(t, map[string]string{
		"cur/1.a:2,S": "read", "cur/2.b:2,": "unread", "new/": "", "dovecot.index.log": "x", "dovecot-keywords": "x", "courierimapkeywords/cur/x": "x", "courierimapkeywords/new/": "",
		"INBOX/Junk/cur/3.c:2,": "junk", "INBOX/Junk/tmp/": "",
		"Lists/Go/cur/4.d:2,S": "go", "Lists/Go/new/": "", "Lists/Go/dovecot-uidlist": "x",
		"Lists/Go/Old/cur/5.e:2,S": "old", "Lists/Go/Old/tmp/": "",
		"[Gmail]/All Mail/cur/6.f:2,S": "all", "[Gmail]/All Mail/new/7.g": "unread", "[Gmail]/All Mail/tmp/": "",
		"second/Inbox/cur/8.h:2,S": "inbox", "second/Inbox/new/9.i": "new",
		"second/Inbox/.Junk/cur/10.j:2,S": "dotted", "second/Inbox/.Junk/new/": "",
		"Trash/Lists/cur/11.k:2,S": "x", "Trash/Lists/new/": "",
	})
	plan, err := MaildirTree(root)
	must(t, err)
	want := []PlanFolder{
		{Name: "INBOX", Role: Ham, Messages: 1},
		{Name: "INBOX", Role: LeftOut, Reason: "not seen yet", Messages: 1},
		{Name: "INBOX/Junk", Role: Spam, Reason: "spam", Messages: 1},
		{Name: "Lists/Go", Role: Ham, Messages: 1},
		{Name: "Lists/Go/Old", Role: Ham, Messages: 1},
		{Name: "Trash/Lists", Role: LeftOut, Reason: "in a folder of deleted mail", Messages: 1},
		{Name: "[Gmail]/All Mail", Role: Ham, Messages: 1},
		{Name: "[Gmail]/All Mail", Role: LeftOut, Reason: "not seen yet", Messages: 1},
		{Name: "second/Inbox", Role: Ham, Messages: 1},
		{Name: "second/Inbox", Role: LeftOut, Reason: "not seen yet", Messages: 1},
		{Name: "second/Inbox/.Junk", Role: Spam, Reason: "spam", Messages: 1},
	}
	got := slices.Clone(plan.Folders)
	for i := range got {
		got[i].path, got[i].part = "", wholeFolder
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	mail := contents(plan.Source())
	if want := []string{"ham: read", "spam: junk", "ham: go", "ham: old", "ham: all", "ham: inbox", "spam: dotted"}; !slices.Equal(mail, want) {
		t.Errorf("got  %q\nwant %q", mail, want)
	}
}

func TestAFolderThatCannotBeReadIsARowOfThePlan(t *testing.T) {
	files := fstest.MapFS{"m/cur/1.a:2,S": {Data: []byte("a")}, "m/new/2": {Data: []byte("b")}, "m/Lists/x": {Data: []byte("c")}, "m/Work/cur/3": {Data: []byte("d")}, "m/Work/tmp/4": {Data: []byte("e")}}
	plan, err := maildirTree(brokenFS{files, "m/Lists", false, fs.ErrPermission}, "m")
	must(t, err)
	var got []string
	for _, f := range plan.Folders {
		got = append(got, fmt.Sprintf("%s: %d %v, %s", f.Name, f.Messages, f.Role, f.Reason))
	}
	want := []string{"INBOX: 1 ham, ", "INBOX: 1 left out, not seen yet", "Lists: 0 left out, cannot be read: permission denied", "Work: 1 ham, "}
	check(t, "", got, want)
	check(t, "", contents(plan.Source()), []string{"ham: a", "ham: d"})
}

func TestNamesOfFoldersAreShownDecoded(t *testing.T) {
	root := tree(t, map[string]string{
		".Entw&APw-rfe/cur/": "", ".Entw&APw-rfe/new/": "", // modified UTF-7
		"Gelo\u0308scht/cur/": "", "Gelo\u0308scht/new/": "", // decomposed
		"R&D/cur/": "", "R&D/new/": "",
	})
	plan, err := MaildirTree(root)
	must(t, err)
	var got []string
	for _, f := range plan.Folders {
		got = append(got, f.Name+": "+f.Role.String())
	}
	if want := []string{".Entwürfe: left out", "Gelöscht: left out", "R&D: ham"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMaildirTreeErrors(t *testing.T) {
	root := tree(t, map[string]string{"folder/1": "a", "file": "a"})
	tests := []struct{ about, name, want string }{
		{"a folder of another kind", "folder", "is not a Maildir"},
		{"a file", "file", "open " + filepath.Join(root, "file") + ": not a directory"},
		{"a path that is not there", "no", "no such file"},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			_, err := MaildirTree(filepath.Join(root, tt.name))
			checkError(t, err, tt.want)
		})
	}
}

func TestRoleOfFolders(t *testing.T) {
	tests := []struct {
		name string
		want Role
	}{
		{".Junk", Spam}, {".spam", Spam}, {".Junk E-mail", Spam}, {".Junk-E-Mail", Spam}, {".Bulk Mail", Spam},
		{".INBOX.Spam", Spam}, {".[Gmail].Spam", Spam}, {".Courrier ind&AOk-sirable", Spam}, {".Unerw&APw-nscht", Spam},
		{".Trash", LeftOut}, {".Deleted Items", LeftOut}, {".INBOX.Drafts", LeftOut}, {".Entw&APw-rfe", LeftOut},
		{".Outbox", LeftOut}, {".Templates", LeftOut}, {".Spam.mistakes", LeftOut}, {".Gel&APY-schte Elemente", LeftOut},
		{".Trash.Spam", Spam}, {".Spam.Trash", LeftOut},
		{".Archive", Ham}, {".Sent", Ham}, {".Spamassassin", Ham}, {".Lists.junkyard", Ham},
	}
	for _, tt := range tests {
		if got, _ := readFolderNames().role(dottedParts(tt.name)); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
