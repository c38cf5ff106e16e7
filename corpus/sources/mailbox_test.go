package sources

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
)

// checkPlan checks the rows of a plan, such as "INBOX: 1 left out, not seen yet", and its mail.
func checkPlan(t *testing.T, plan Plan, rows, mail []string) {
	t.Helper()
	var got []string
	for _, f := range plan.Folders {
		row := fmt.Sprintf("%s: %d %v", f.Name, f.Messages, f.Label)
		if f.Reason != "" {
			row += ", " + f.Reason
		}
		got = append(got, row)
	}
	check(t, "the rows", got, rows)
	check(t, "the mail", contents(plan.Source()), mail)
}

func planOf(t *testing.T, files map[string]string) Plan {
	t.Helper()
	plan, err := MaildirTree(tree(t, files))
	must(t, err)
	return plan
}

func TestMaildirTree(t *testing.T) {
	plan := planOf(t, map[string]string{
		"cur/1.a:2,S": "read", "cur/2.b:2,": "unread", "cur/3.c": "no info", "new/4.d": "new",
		"cur/11.k:2,ST": "marked as deleted", ".Junk/cur/12.l:2,T": "junk that is marked as deleted", ".Trash/cur/13.m:2,ST": "x",
		"tmp/": "", "subscriptions": "", "dovecot.index.log": "",
		".Junk/cur/5.e:2,": "junk", ".Junk/new/6.f": "new junk", ".Junk/maildirfolder": "",
		".Trash/cur/7.g:2,S": "x", ".Trash.2004/cur/7.h:2,S": "x", ".Trash.2004/new/": "",
		".Trash/new/": "", ".Drafts/cur/8.h:2,S": "x", ".Drafts/new/": "",
		".Lists.golang/new/9.i": "list", ".Lists.golang/cur/": "",
		".Sent/cur/10.j:2,S": "sent", ".Sent/new/": "",
		".nomail/x": "x", "plain/cur/x": "plain", "plain/new/": "",
		".stversions/cur/1.spam~20240101-120000:2,S": "x", ".stversions/new/": "", ".stversions/.Junk/cur/2.ham~20240101-120000:2,S": "x", ".stversions/.Junk/new/": "",
		"#recycle/cur/x": "x", "#recycle/new/": "", "~snapshot/hourly.0/cur/x": "x", "~snapshot/hourly.0/new/": "", "cur/._1.a:2,S": "x", "cur/.DS_Store": "x", "._cur": "x",
	})
	checkPlan(t, plan, []string{
		"INBOX: 1 ham", "INBOX: 3 left out, not seen yet", ".Drafts: 1 left out, drafts", ".Junk: 2 spam, spam", ".Lists.golang: 1 ham",
		".Sent: 1 ham, sent mail", ".Trash: 2 left out, deleted mail", ".Trash.2004: 1 left out, in a folder of deleted mail", "plain: 1 ham",
	}, []string{"ham: read", "spam: junk", "spam: new junk", "ham: list", "ham: sent", "ham: plain"})
	if plan.Deleted != 2 {
		t.Errorf("%d messages of ham and spam folders are marked as deleted, want 2", plan.Deleted)
	}
}

func TestMaildirTreeOfNestedFolders(t *testing.T) {
	plan := planOf(t, map[string]string{
		"cur/1.a:2,S": "read", "cur/2.b:2,": "unread", "new/": "", "dovecot.index.log": "x", "dovecot-keywords": "x", "courierimapkeywords/cur/x": "x", "courierimapkeywords/new/": "",
		"INBOX/Junk/cur/3.c:2,": "junk", "INBOX/Junk/tmp/": "",
		"Lists/Go/cur/4.d:2,S": "go", "Lists/Go/new/": "", "Lists/Go/dovecot-uidlist": "x",
		"Lists/Go/Old/cur/5.e:2,S": "old", "Lists/Go/Old/tmp/": "",
		"Lists/Go/.B/cur/14.n:2,S": "b", "Lists/Go/.B/new/": "", "Lists/Go/.B/.C/cur/15.o:2,S": "c", "Lists/Go/.B/.C/new/": "", "Lists/Go/.B/.Spam/cur/16.p:2,S": "of mbsync", "Lists/Go/.B/.Spam/new/": "",
		"[Gmail]/All Mail/cur/6.f:2,S": "all", "[Gmail]/All Mail/new/7.g": "unread", "[Gmail]/All Mail/tmp/": "",
		"second/Inbox/cur/8.h:2,S": "inbox", "second/Inbox/new/9.i": "new",
		"second/Inbox/.Junk/cur/10.j:2,S": "dotted", "second/Inbox/.Junk/new/": "",
		"Trash/Lists/cur/11.k:2,S": "x", "Trash/Lists/new/": "",
		".KMail.directory/Work/cur/12.l:2,S": "kmail", ".KMail.directory/Work/new/": "", ".no.spam.directory/Work/cur/13.m:2,S": "dots", ".no.spam.directory/Work/new/": "",
	})
	checkPlan(t, plan, []string{
		"INBOX: 1 ham", "INBOX: 1 left out, not seen yet", ".KMail.directory/Work: 1 ham", ".no.spam.directory/Work: 1 ham",
		"INBOX/Junk: 1 spam, spam", "Lists/Go: 1 ham", "Lists/Go/.B: 1 ham", "Lists/Go/.B/.C: 1 ham", "Lists/Go/.B/.Spam: 1 spam, spam", "Lists/Go/Old: 1 ham",
		"Trash/Lists: 1 left out, in a folder of deleted mail", "[Gmail]/All Mail: 1 ham", "[Gmail]/All Mail: 1 left out, not seen yet",
		"second/Inbox: 1 ham", "second/Inbox: 1 left out, not seen yet", "second/Inbox/.Junk: 1 spam, spam",
	}, []string{"ham: read", "ham: kmail", "ham: dots", "spam: junk", "ham: go", "ham: b", "ham: c", "spam: of mbsync", "ham: old", "ham: all", "ham: inbox", "spam: dotted"})
}

// Thunderbird marks no file of its Maildirs.
func TestMaildirTreeOfThunderbird(t *testing.T) {
	files := map[string]string{"Mail/Local Folders/Junk.msf": "", "Mail/Local Folders/Inbox.msf": "", "Mail/Local Folders/Inbox.sbd/Lists.msf": ""}
	for _, folder := range []string{"Inbox", "Inbox.sbd/Lists", "Junk", "Trash"} {
		files["Mail/Local Folders/"+folder+"/cur/1.M2P3Q4.host.eml"], files["Mail/Local Folders/"+folder+"/tmp/"] = "x", ""
	}
	checkPlan(t, planOf(t, files), []string{
		"Mail/Local Folders/Inbox: 1 ham", "Mail/Local Folders/Inbox.sbd/Lists: 1 ham", "Mail/Local Folders/Junk: 1 spam, spam", "Mail/Local Folders/Trash: 1 left out, deleted mail",
	}, []string{"ham: x", "ham: x", "spam: x"})
}

// OfflineIMAP names folders as Maildir++ does, without the dot in front.
func TestMaildirTreeOfOfflineIMAP(t *testing.T) {
	files := map[string]string{}
	for _, folder := range []string{"INBOX", "INBOX.Spam", "Junk.2025", "Lists.golang.org", "[Gmail].All Mail", "[Gmail].Spam", "[Gmail].Trash", "unsure-bogofilter"} {
		files[folder+"/cur/1.a:2,S"], files[folder+"/cur/2.b:2,"], files[folder+"/new/"] = "x", "x", ""
	}
	checkPlan(t, planOf(t, files), []string{
		"INBOX: 1 ham", "INBOX: 1 left out, not seen yet", "INBOX.Spam: 2 spam, spam", "Junk.2025: 2 spam, in a folder of spam",
		"Lists.golang.org: 1 ham", "Lists.golang.org: 1 left out, not seen yet", "[Gmail].All Mail: 1 ham", "[Gmail].All Mail: 1 left out, not seen yet",
		"[Gmail].Spam: 2 spam, spam", "[Gmail].Trash: 2 left out, deleted mail", "unsure-bogofilter: 2 left out, unsure mail",
	}, []string{"ham: x", "spam: x", "spam: x", "spam: x", "spam: x", "ham: x", "ham: x", "spam: x", "spam: x"})
}

// mairix and mu make such Maildirs of what they find. The target of a link may have been renamed since.
func TestALinkToAMessageOfTheMailboxIsNoSecondOne(t *testing.T) {
	root := tree(t, map[string]string{
		"m/cur/1.a:2,S": "ham", "m/new/": "", "m/.Junk/cur/2.b:2,S": "spam", "m/.Junk/new/": "", "m/Search/cur/123456789.0.mairix:2,S": "a copy, or a hard link", "m/Search/new/": "",
		"m/.store/3.c": "inside, but in no Maildir", "elsewhere/cur/4.d": "elsewhere",
	})
	for i, target := range []string{
		"../../.Junk/cur/2.b:2,S", filepath.Join(root, "m/.Junk/cur/2.b:2,S"), "../../cur/1.a:2,RS", "../../.store/3.c", "../../../elsewhere/cur/4.d",
	} {
		must(t, os.Symlink(target, filepath.Join(root, "m/Search/cur", fmt.Sprint(i))))
	}
	plan, err := MaildirTree(filepath.Join(root, "m"))
	must(t, err)
	checkPlan(t, plan, []string{"INBOX: 1 ham", "INBOX: 0 left out, not seen yet", ".Junk: 1 spam, spam", "Search: 2 ham"}, []string{"ham: ham", "spam: spam", "ham: inside, but in no Maildir", "ham: elsewhere"})
}

// Each of many links to the folder they are in doubles the paths.
func TestLinksInTheNameOfFoldersOfKMailAreNotFollowed(t *testing.T) {
	root := tree(t, map[string]string{"cur/1.a:2,S": "ham", "new/": "", ".file.directory": "x"})
	for _, name := range []string{".a.directory", ".b.directory"} {
		must(t, os.Symlink(".", filepath.Join(root, name)))
	}
	plan, err := MaildirTree(root)
	must(t, err)
	if len(plan.Folders) > 6 { // a link may be a folder, as of Maildir++
		t.Errorf("%d folders", len(plan.Folders))
	}
}

func TestAFolderThatCannotBeReadIsARowOfThePlan(t *testing.T) {
	files := fstest.MapFS{}
	for name, text := range map[string]string{"m/cur/1.a:2,S": "a", "m/new/2": "b", "m/Lists/x": "c", "m/Work/cur/3": "d", "m/Work/tmp/4": "e"} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	plan, err := (&place{fsys: brokenFS{files, "m/Lists", false, fs.ErrPermission}, name: "m"}).plan()
	must(t, err)
	checkPlan(t, plan, []string{
		"INBOX: 1 ham", "INBOX: 1 left out, not seen yet", "Lists: 0 left out, cannot be read: permission denied", "Work: 1 ham",
	}, []string{"ham: a", "ham: d"})
	files["m/.Junk/cur/5"] = &fstest.MapFile{}
	plan, err = (&place{fsys: brokenFS{files, "m/.Junk/cur", false, fs.ErrPermission}, name: "m"}).plan()
	must(t, err)
	if i := slices.IndexFunc(plan.Folders, func(f PlanFolder) bool { return f.Name == ".Junk" }); i < 0 || !plan.Folders[i].Unreadable {
		t.Errorf("a folder for spam that cannot be read is no row: %v", plan.Folders)
	}
}

func TestNamesOfFoldersAreShownDecoded(t *testing.T) {
	plan := planOf(t, map[string]string{
		".Entw&APw-rfe/cur/": "", ".Entw&APw-rfe/new/": "", // modified UTF-7
		"Gelo\u0308scht/cur/": "", "Gelo\u0308scht/new/": "", // decomposed
		"R&D/cur/": "", "R&D/new/": "",
	})
	checkPlan(t, plan, []string{".Entwürfe: 0 left out, drafts", "Gelöscht: 0 left out, deleted mail", "R&D: 0 ham"}, nil)
}

func TestMaildirTreeErrors(t *testing.T) {
	root := tree(t, map[string]string{"folder/1": "a", "file": "a"})
	for name, want := range map[string]string{"folder": "is not a Maildir", "file": "open " + filepath.Join(root, "file") + ": not a directory", "no": "no such file"} {
		_, err := MaildirTree(filepath.Join(root, name))
		checkError(t, err, want)
	}
}

// checkLabel checks the label of a Maildir++ folder, and the reason for it if that is given.
func checkLabel(t *testing.T, name string, want string, why string) {
	t.Helper()
	use := UseOf(dottedParts(name))
	if use.Label != want || use.Reason != cmp.Or(why, use.Reason) {
		t.Errorf("%q: got %v, want %v, %q", name, use, want, why)
	}
}

func TestLabelOfFolders(t *testing.T) {
	for label, names := range map[string][]string{
		Spam:    {".Junk", ".spam", ".Junk E-mail", ".Junk-E-Mail", ".Bulk Mail", ".INBOX.Spam", ".[Gmail].Spam", ".Courrier ind&AOk-sirable", ".Unerw&APw-nscht", ".Trash.Spam"},
		LeftOut: {".Trash", ".Deleted Items", ".INBOX.Drafts", ".Entw&APw-rfe", ".Outbox", ".Templates", ".Spam.mistakes", ".Gel&APY-schte Elemente", ".Spam.Trash"},
		Ham:     {".Archive", ".Sent", ".Spamassassin", ".Lists.junkyard"},
	} {
		for _, name := range names {
			checkLabel(t, name, label, "")
		}
	}
}
