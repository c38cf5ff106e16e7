package sources

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chaff/corpus"
)

func TestFormatsAreFound(t *testing.T) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\n"
	root := tree(t, map[string]string{
		"maildir/cur/": "", "maildir/new/": "", "maildir/tmp/": "",
		"copy/cur/1.a.h:2,S": "a", "copy/tmp/": "",
		"folder/a": "Subject: a\n", "empty/": "",
		"mh/1": "a", "mh/22": "b", "mh/,3": "c", "mh/sub/x": "d",
		"nmh/.mh_sequences": "", "nmh/note": "a",
		"old/1": "a", "old/README": "b",
		"tb/Inbox.msf": "", "tb/Inbox": from, "sub.sbd/Lists": from, "pop/popstate.dat": "", "pop/Inbox": "",
		"profile/prefs.js": "", "profile/Mail/": "", "program/prefs.js": "",
		"In.mbox/Info.plist": "", "Old.mbox/mbox": from, "kept.mbox/a": "a",
		"notmuch/.notmuch/": "", "notmuch/a/cur/": "", "notmuch/a/new/": "",
		"mbox":     from + "Subject: a\n\na\n",
		"blank":    "\r\n\n" + from + "\n",
		"bom":      "\ufeff" + from + "\n",
		"nothing":  "",
		"message":  "Subject: a\n\nFrom here on\n",
		"prose":    "From the start\n",
		"1.emlx":   "12        \nSubject: a\n\n<?xml",
		"2.emlx":   "Subject: a\n\n",
		"12.eml":   "12\nSubject: a\n\n",
		"bytes.gz": "\x1f\x8b",
	})
	must(t, os.Symlink("mbox", filepath.Join(root, "link")))
	for _, tt := range []struct {
		about, name string
		want        Format
	}{
		{"cur, new and tmp make a Maildir", "maildir", Maildir},
		{"two of the three are enough", "copy", Maildir},
		{"a slash at the end changes nothing", "maildir/", Maildir},
		{"a folder of files", "folder", Folder},
		{"an empty folder", "empty", Folder},
		{"numbers for names make an MH folder", "mh", MH},
		{"an index of MH makes one", "nmh", MH},
		{"another file beside the numbers does not", "old", Folder},
		{"an index of Thunderbird makes a folder of it", "tb", Thunderbird},
		{"the name of a folder does", "sub.sbd", Thunderbird},
		{"what it notes about a server does", "pop", Thunderbird},
		{"a profile of Thunderbird", "profile", Thunderbird},
		{"settings alone make no profile", "program", Folder},
		{"a folder of Apple Mail", "In.mbox", Folder},
		{"a folder of an older Apple Mail", "Old.mbox", Folder},
		{"a name of an mbox", "kept.mbox", Folder},
		{"a folder of notmuch", "notmuch", Folder},
		{"a From_ line at the start makes an mbox", "mbox", Mbox},
		{"empty lines may come before it", "blank", Mbox},
		{"a byte order mark may come before it", "bom", Mbox},
		{"an empty file is an empty mbox", "nothing", Mbox},
		{"a link is what it leads to", "link", Mbox},
		{"a file with a header is a message", "message", Message},
		{"From without a date does not make an mbox", "prose", Message},
		{"a file of Apple Mail is a message", "1.emlx", Message},
		{"an emlx file without it is a message", "2.emlx", Message},
		{"a number at the start of another file says nothing", "12.eml", Message},
	} {
		t.Run(tt.about, func(t *testing.T) {
			p, err := find(system{}, filepath.Join(root, tt.name), nil)
			must(t, err)
			if p.format != tt.want {
				t.Errorf("got %s, want %s", p.format, tt.want)
			}
		})
	}
}

func TestAFormatThatIsAskedForOverridesWhatIsFound(t *testing.T) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\n"
	root := tree(t, map[string]string{
		"one":      from + "To: b\n\na\n\n" + from + "To: b\n\nb\n",
		"foreign":  "my mail\n\n" + from + "To: b\n\na\n",
		"1.emlx":   "7\nTo: b\n\n<?xml",
		"maildir/": "", "maildir/cur/1.a:2,S": "a",
		"numbers/10": "ten", "numbers/9": "nine", "numbers/,8": "eight",
		"boxes/In": from + "To: b\n\na\n", "boxes/Out": from + "To: b\n\nb\n\n" + from + "\nc\n",
		"mixed/1": "one", "mixed/note": "x",
	})
	for _, tt := range []struct {
		about, name string
		as          Format
		want        []string
	}{
		{"an mbox as one message", "one", Message, []string{"ham: " + from + "To: b\n\na\n\n" + from + "To: b\n\nb\n"}},
		{"a file with other text first as mbox", "foreign", Mbox, []string{"ham: " + from + "To: b\n\na\n"}},
		{"a file of Apple Mail", "1.emlx", Message, []string{"ham: To: b\n\n"}},
		{"half a Maildir", "maildir", Maildir, []string{"ham: a"}},
		{"an MH folder as a folder of messages", "numbers", Folder, []string{"ham: eight", "ham: ten", "ham: nine"}},
		{"a folder as one of Thunderbird", "boxes", Thunderbird, []string{"ham: " + from + "To: b\n\na\n", "ham: " + from + "To: b\n\nb\n\n", "ham: " + from + "\nc\n"}},
		{"a folder as MH", "mixed", MH, []string{"ham: one"}},
	} {
		t.Run(tt.about, func(t *testing.T) {
			source, found, err := openFound(filepath.Join(root, tt.name), "ham", tt.as)
			if err != nil || found != tt.as {
				t.Fatalf("got %v, %v, want %v", found, err, tt.as)
			}
			check(t, "", contents(source), tt.want)
		})
	}
}

func TestAFormatThatCannotBeIsAnError(t *testing.T) {
	root := tree(t, map[string]string{"file": "To: b\n", "folder/a": "To: b\n"})
	for _, tt := range []struct {
		about, name string
		as          Format
		want        string
	}{
		{"mbox for a folder", "folder", Mbox, "is a folder, which cannot be read as mbox: must be one of maildir, mh, thunderbird, folder"},
		{"maildir for a file", "file", Maildir, "is a file, which cannot be read as maildir: must be one of mbox, message, archive"},
		{"a name that is not known", "file", "mbx", `unknown format "mbx": must be one of maildir, mh, thunderbird, folder, mbox, message, archive`},
		{"maildir for a folder without cur and new", "folder", Maildir, "has neither cur nor new, so it cannot be read as maildir"},
		{"a path that is not there", "no", Mbox, "no such file"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			_, _, err := openFound(filepath.Join(root, tt.name), "ham", tt.as)
			checkError(t, err, tt.want, filepath.Join(root, tt.name))
		})
	}
}

// TestWhatIsFoundCanBeAskedFor opens a path of each format as its detected format.
func TestWhatIsFoundCanBeAskedFor(t *testing.T) {
	root := tree(t, map[string]string{
		"maildir/cur/1.a:2,S": "a", "maildir/new/": "", "mh/1": "a", "mh/2": "b",
		"tb/Inbox.msf": "", "tb/Inbox": "From a@b.example 2002\nTo: a\n\nx\n",
		"In.mbox/Info.plist": "", "In.mbox/Messages/1.emlx": "1\nx<?xml", "folder/a": "a",
		"mbox": "From a@b.example 2002\nTo: a\n\nx\n", "1.emlx": "6\nTo: b\n<?xml", "message": "To: b\n",
		"old.tar": makeTar(t, entry{name: "1", text: "a"}), "old.zip": makeZip(t, entry{name: "1", text: "a"}),
	})
	known := map[Format]bool{}
	for _, name := range []string{"maildir", "mh", "tb", "In.mbox", "folder", "mbox", "1.emlx", "message", "old.tar", "old.zip"} {
		path := filepath.Join(root, name)
		source, found, err := openFound(path, "ham", "")
		must(t, err)
		again, _, err := openFound(path, "ham", found)
		must(t, err)
		got, want := contents(again), contents(source)
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s as %s: got %q, want %q", name, found, got, want)
		}
		known[found] = true
	}
	if len(known) != len(Formats()) {
		t.Errorf("%d formats were tried, there are %d", len(known), len(Formats()))
	}
}

func TestAFolderOfSpamWithinMailThatIsSaidToBeHamIsAWarning(t *testing.T) {
	const mbox = "From a@b.example Thu Jan  1 00:00:00 2026\nSubject: a\n\n"
	for about, tt := range map[string]struct {
		files map[string]string
		apart []string
		want  string // the folder that is no ham
		says  string // spam, if empty
	}{
		"Maildirs of mbsync":    {map[string]string{"INBOX/cur/1": "a", "INBOX/new/": "", "Junk/cur/2": "b", "Junk/new/": ""}, nil, "Junk", ""},
		"a corpus":              {map[string]string{"2004/ham-1/1": "a", "2004/spam-1/1": "b"}, nil, "2004/spam-1", ""},
		"Thunderbird":           {map[string]string{"Inbox": mbox, "Inbox.msf": "", "Junk": mbox, "Junk.msf": ""}, nil, "Junk", ""},
		"Apple Mail":            {map[string]string{"INBOX.mbox/1.emlx": "a", "Junk.mbox/2.emlx": "b"}, nil, "Junk.mbox", ""},
		"named by itself":       {map[string]string{"inbox/1": "a", "junk/2": "b"}, []string{"junk"}, "", ""},
		"with a like name":      {map[string]string{"inbox/1": "a", "junk/2": "b", "junk mail/3": "c"}, []string{"junk"}, "junk mail", ""},
		"one of two":            {map[string]string{"inbox/1": "a", "junk/2": "b", "spam/3": "c"}, []string{"junk"}, "spam", ""},
		"no folder of spam":     {map[string]string{"inbox/1": "a", "not spam/2": "b", "why spam.eml": "c"}, nil, "", ""},
		"a Maildir, read alone": {map[string]string{"cur/1": "a", "new/": "", ".Junk/cur/2": "b", ".Junk/new/": ""}, nil, "", ""},
		"the trash of Outlook":  {map[string]string{"Inbox/1": "a", "Deleted Items/2": "b", "Sent Items/3": "c", "Archive/4": "d"}, nil, "Deleted Items", "deleted mail"},
		"drafts of Apple Mail":  {map[string]string{"INBOX.mbox/1.emlx": "a", "Drafts.mbox/2.emlx": "b"}, nil, "Drafts.mbox", "drafts"},
	} {
		root := tree(t, tt.files)
		for i, name := range tt.apart {
			tt.apart[i] = filepath.Join(root, name)
		}
		mail, err := OpenLabelled(root, Options{Label: Ham, Apart: tt.apart})
		must(t, err)
		var got, want []string
		for _, err := range mail.Source {
			if corpus.IsRemark(err) {
				got = append(got, err.Error())
			}
		}
		if tt.want != "" {
			want = []string{path.Join(root, tt.want) + " has a name that says " + cmp.Or(tt.says, "spam") + ", and is taken for ham with the rest: name the folders of ham, or this one by itself"}
		}
		check(t, about, got, want)
	}
}

func TestANameThatContradictsItsFlagIsAWarning(t *testing.T) {
	for name, want := range map[string]string{
		"junk.mbox":     "its name says that this is spam, and --ham takes it for ham",
		"not-spam.mbox": "",
		"letters.mbox":  "",
		"my spam.eml":   "",
		"inbox.mbox":    "",
	} {
		path, text := filepath.Join(t.TempDir(), name), "Subject: a\n\nb\n"
		if strings.HasSuffix(name, ".mbox") {
			text = "From a@b.example Thu Jan  1 00:00:00 2026\n" + text
		}
		must(t, os.WriteFile(path, []byte(text), 0o600))
		mail, err := OpenLabelled(path, Options{Label: Ham})
		if must(t, err); (len(mail.Warnings) > 0) != (want != "") || want != "" && !strings.Contains(mail.Warnings[0], want) {
			t.Errorf("%s: got the warnings %q, want %q", name, mail.Warnings, want)
		}
	}
}
