package sources

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chaff/test/tabletest"
)

func TestFlags(t *testing.T) {
	flagsOf := func(name string) string { _, flags := cutFlags(name); return flags }
	tabletest.Strings(t, flagsOf, [][3]string{
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
		unique, flags := cutFlags(name)
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
		if again, flags := cutFlags(marked); flags != "S" || again != unique {
			t.Errorf("%q: got flags %q and name %q", marked, flags, again)
		}
		if when := maildirTime(name); !when.Equal(maildirTime(marked)) || !when.IsZero() && when.Year() < 1973 {
			t.Errorf("%q: got time %v, and %v with a flag", name, when, maildirTime(marked))
		}
	})
}

func TestMaildirTime(t *testing.T) {
	for _, tt := range []struct {
		about, name string
		want        time.Time
	}{
		{"seconds since 1970", "1204680122.a.host:2,S", time.Date(2008, 3, 5, 1, 22, 2, 0, time.UTC)},
		{"nothing after them", "1204680122", time.Date(2008, 3, 5, 1, 22, 2, 0, time.UTC)},
		{"a number in a row", "00001.7c53336b37", time.Time{}},
		{"too many digits", "12046801221.a", time.Time{}},
		{"a hexadecimal number that begins with digits", "175643820a947f0c:2,S", time.Time{}},
		{"zeros", "0000000000.a", time.Time{}},
		{"more digits than a number has", "99999999999999999999.a", time.Time{}},
		{"no digits", "message", time.Time{}},
	} {
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
		"ham! " + dangling + " is a link to a file that does not exist",
	}
	check(t, "", contents(source), want)
	for item, err := range source {
		if err == nil && item.Time.Unix()/10 != 1000000000/10 {
			t.Errorf("%s: got time %v", item.Origin, item.Time)
		}
	}
}

// TestAMessageIsFoundUnderItsNewName marks and moves messages of a Maildir and of a mailbox between listing and
// reading.
func TestAMessageIsFoundUnderItsNewName(t *testing.T) {
	root := tree(t, map[string]string{
		"cur/1000000000.b.h:2,": "a", "new/1000000001.a.h": "b",
		".Junk/new/1000000001.a.h": "c", ".Junk/cur/": "",
		"Lists/Go/new/1000000002.b.h,S=1": "d", "Lists/Go/cur/1000000003.c.h:2,": "e", "Lists/Go/cur/1000000004.d.h:2,": "f",
	})
	plan, err := MaildirTree(root)
	must(t, err)
	items := append(itemsOf(t, open(t, root, "")), itemsOf(t, plan.Source())...)
	for from, to := range map[string]string{
		"cur/1000000000.b.h:2,":           "cur/1000000000.b.h:2,RS",
		"new/1000000001.a.h":              "cur/1000000001.a.h:2,S",
		".Junk/new/1000000001.a.h":        ".Junk/cur/1000000001.a.h:2,S",
		"Lists/Go/new/1000000002.b.h,S=1": "Lists/Go/cur/1000000002.b.h,S=1:2,",
		"Lists/Go/cur/1000000003.c.h:2,":  "Lists/Go/cur/1000000003.c.h,U=7:2,FRS",
		"Lists/Go/cur/1000000004.d.h:2,":  "Lists/Go/new/1000000004.d.h",
	} {
		must(t, os.Rename(filepath.Join(root, from), filepath.Join(root, to)))
	}
	got := ""
	for _, item := range items {
		got += string(read(t, item))
	}
	if got != "abcdef" {
		t.Errorf("got %q, want abcdef", got)
	}
	must(t, os.Remove(filepath.Join(root, "cur/1000000001.a.h:2,S")))
	_, err = readAny(items[1], nil)
	checkError(t, err, "1000000001.a.h: no such file")
}
