package sources

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
)

// TestLayouts lists folders as mail programs leave them. Every message is "x" or a mbox message with this body.
func TestLayouts(t *testing.T) {
	const from = "From a@b.example Thu Aug 22 12:36:23 2002\n\nx\n"
	const emlx = "2\nx\n<?xml"
	for _, tt := range []struct {
		about string
		files map[string]string
		want  []string
	}{
		{"MH: by number, without what was deleted, and nested",
			map[string]string{"context": "x", "inbox/.mh_sequences": "x", "inbox/10": "x", "inbox/9": "x", "inbox/,8": "x", "inbox/#7": "x", "inbox/note": "x", "inbox/lists/2": "x", "inbox/lists/1": "x", "inbox/lists/.xmhcache": "x"},
			[]string{"inbox/9", "inbox/10", "inbox/lists/1", "inbox/lists/2"}},
		{"MH without an index", map[string]string{"100": "x", "20": "x", "020": "x", ",3": "x", "3": "x"}, []string{"3", "020", "20", "100"}},
		{"a tree of eml files", map[string]string{"2023/a.eml": "x", "2023/b.EML": "x", "2024/c.eml": from, "Thumbs.db": "x"}, []string{"2023/a.eml", "2023/b.EML", "2024/c.eml"}},
		{"mbox files in a folder are known by their names",
			map[string]string{"a.mbox": from + "\n" + from, "b.MBX": from, "c.txt": from, "d": from}, []string{"a.mbox#1", "a.mbox#2", "b.MBX", "c.txt", "d"}},
		{"and by an index beside them",
			map[string]string{"Sent": from, "Sent.cmeta": "x", "Sent.ev-summary": "x", "Sent.ibex.index": "x", "In.mbx": from, "In.toc": "x", "Out": from, "Out.toc": "x"},
			[]string{"In.mbx", "Out", "Sent"}},
		{"Thunderbird: mbox files, their subfolders, messages beside them",
			map[string]string{"Inbox": from, "Inbox.msf": "x", "Inbox.sbd/Lists": from, "Inbox.sbd/Lists.msf": "x", "Inbox.sbd/Lists.sbd/Go": from,
				"Empty": "", "one.eml": "x", "msgFilterRules.dat": "x", "popstate.dat": "x", "filterlog.html": "x", "Inbox.mozmsgs/1.wdseml": "x", "2.wdseml": "x"},
			[]string{"Inbox", "Inbox.sbd/Lists", "Inbox.sbd/Lists.sbd/Go", "one.eml"}},
		{"Thunderbird: Maildirs",
			map[string]string{"Inbox.msf": "x", "Inbox/cur/1.eml": "x", "Inbox/tmp/2.eml": "x", "Inbox.sbd/Lists/cur/3.eml": "x", "Inbox.sbd/Lists/tmp/": "", "Inbox.sbd/Lists.msf": "x"},
			[]string{"Inbox/cur/1.eml", "Inbox.sbd/Lists/cur/3.eml"}},
		{"Thunderbird: a profile",
			map[string]string{"prefs.js": "x", "key4.db": "x", "extensions/x": "x", "Mail/Local Folders/Inbox": from, "Mail/Local Folders/Inbox.msf": "x", "ImapMail/imap.b.example.msf": "x", "ImapMail/imap.b.example/INBOX": from, "ImapMail/imap.b.example/INBOX.msf": "x"},
			[]string{"ImapMail/imap.b.example/INBOX", "Mail/Local Folders/Inbox"}},
		{"Apple Mail: messages and no attachments",
			map[string]string{"V2/In.mbox/Info.plist": "x", "V2/In.mbox/0F/Data/Messages/1.emlx": emlx, "V2/In.mbox/0F/Data/Messages/2.partial.emlx": emlx, "V2/In.mbox/0F/Data/Attachments/2/1/a.txt": "x", "V2/In.mbox/Sub.mbox/Info.plist": "x", "V2/In.mbox/Sub.mbox/Messages/3.emlx": emlx, "V2/Envelope Index": "x", "V2/MailData/Signatures/0F.mailsignature": "x"},
			[]string{"V2/In.mbox/0F/Data/Messages/1.emlx", "V2/In.mbox/0F/Data/Messages/2.partial.emlx", "V2/In.mbox/Sub.mbox/Messages/3.emlx"}},
		{"Apple Mail before 2005, and what it exports",
			map[string]string{"Old.mbox/mbox": from, "Old.mbox/table_of_contents": "x", "Old.mbox/content_index": "x", "Sent.mbox/mbox": from},
			[]string{"Old.mbox/mbox", "Sent.mbox/mbox"}},
		{"KMail: the folders in a folder are in a hidden one",
			map[string]string{"inbox": from, ".inbox.index": "x", ".inbox.directory/lists": from, ".inbox.directory/.lists.directory/go/cur/1": "x", ".inbox.directory/.lists.directory/go/new/": "", ".directory": "x"},
			[]string{"inbox", ".inbox.directory/lists", ".inbox.directory/.lists.directory/go/cur/1"}},
		{"notmuch: Maildirs in folders", map[string]string{".notmuch/xapian/x": "x", "a/cur/1": "x", "a/new/2": "x", "b/c/cur/3": "x", "b/c/tmp/": ""}, []string{"a/cur/1", "a/new/2", "b/c/cur/3"}},
		{"Gnus: mbox files, without the last version of each", map[string]string{"misc": from, "misc~": from, "misc.nov": "x"}, []string{"misc", "misc.nov"}},
		{"what servers leave in a folder", map[string]string{"dovecot-uidlist": "x", "dovecot.index": "x", "courierimapuiddb": "x", "cyrus.cache": "x", "subscriptions": "x", "maildirsize": "x", ".dovecot.lda-dupes": "x", "dovecotte": "x"}, []string{"dovecotte"}},
	} {
		t.Run(tt.about, func(t *testing.T) {
			root := tree(t, tt.files)
			var got []string
			for _, item := range itemsOf(t, open(t, root, "")) {
				if text := string(read(t, item)); text != "x" && text != "x\n" && !slices.Contains([]string{from, from + "\n"}, text) {
					t.Errorf("%s: got %q", item.Origin, text)
				}
				rel, err := filepath.Rel(root, item.Origin)
				must(t, err)
				got = append(got, filepath.ToSlash(rel))
			}
			slices.Sort(got)
			check(t, "", got, slices.Sorted(slices.Values(tt.want)))
		})
	}
}

func TestMHMessagesComeInTheOrderOfTheirNumbers(t *testing.T) {
	root := tree(t, map[string]string{"10": "ten", "9": "nine", "100": "hundred", "1": "one", "99999999999999999999": "many", ",2": "deleted"})
	check(t, "", contents(open(t, root, "")), []string{"ham: one", "ham: nine", "ham: ten", "ham: hundred", "ham: many"})
}

// A Maildir that is opened itself is read alone, so that the junk within it does not become ham. A Maildir within another
// folder is read with its subfolders.
func TestMaildirsInsideOfMaildirs(t *testing.T) {
	root := tree(t, map[string]string{
		"Mail/cur/1": "inbox", "Mail/new/": "", "Mail/dovecot.d/x": "x", "Mail/.Junk/cur/2": "hidden", "Mail/.Junk/new/": "",
		"Mail/Kept/cur/3": "kept", "Mail/Kept/new/": "", "Mail/Lists/Go/cur/4": "go", "Mail/Lists/Go/tmp/": "",
	})
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"Mail", []string{"ham: inbox"}},
		{"", []string{"ham: inbox", "ham: kept", "ham: go"}},
	} {
		check(t, tt.name, contents(open(t, filepath.Join(root, tt.name), "")), tt.want)
	}
}

// onlyFS hides the optional methods of a file system.
type onlyFS struct{ fs.FS }

// TestFoldersOfAnyFileSystem lists all layouts in a file system like that of an archive.
func TestFoldersOfAnyFileSystem(t *testing.T) {
	const from = "From a@b.example Thu Aug 22 12:36:23 2002\n\n"
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"m/a/cur/1": "maildir", "m/a/new/2": "new", "m/mh/.mh_sequences": "", "m/mh/10": "ten", "m/mh/9": "nine",
		"m/tb/Inbox.msf": "", "m/tb/Inbox": from + ">From x\n", "m/x.emlx": "4\nemlx<?xml", "m/y": "plain",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	want := []string{"ham: maildir", "ham: new", "ham: nine", "ham: ten", "ham: " + from + "From x\n", "ham: emlx", "ham: plain"}
	check(t, "", contents(FromFS(onlyFS{files}, "m", "ham")), want)
	plan, err := (&place{fsys: onlyFS{files}, name: "m"}).plan()
	if err != nil || len(plan.Folders) != 1 || plan.Folders[0].Name != "a" {
		t.Fatal(plan, err)
	}
	check(t, "", contents(plan.Source()), []string{"ham: maildir", "ham: new"})
}

func TestAnMboxInAFolderThatCannotBeReadIsOneError(t *testing.T) {
	files := fstest.MapFS{"m/a.mbox": {Data: []byte("x")}, "m/b.mbox": {Data: []byte("x")}, "m/c": {Data: []byte("c")}}
	source := FromFS(brokenFS{files, "m/a.mbox", true, errors.New("input/output error")}, "m", "ham")
	check(t, "", contents(source), []string{"ham! list m/a.mbox: input/output error", "ham! m/b.mbox has no From_ line, so it is not an mbox", "ham: c"})
}
