package sources

import (
	"cmp"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/message"
)

// A folder has a format, which decides which of its entries are mail.
type folder struct {
	format Format
	marks  map[string]bool // lower-case names of entries, among them all that say what others are
}

func inspectFolder(fsys fs.FS, dir string, entries []fs.DirEntry) folder {
	f := folder{marks: map[string]bool{}}
	for _, e := range entries {
		// Most names of mail are longer, and their lower case takes longer to find.
		if name := e.Name(); len(name) <= len("msgfilterrules.dat") || hasSuffix(name, mboxIndexes...) {
			f.marks[strings.ToLower(name)] = true
		}
	}
	isOfThunderbird := func(e fs.DirEntry) bool {
		return hasSuffix(e.Name(), ".msf") || e.IsDir() && hasSuffix(e.Name(), ".sbd")
	}
	switch {
	case isMaildir(fsys, dir):
		f.format = Maildir
	case f.has(".mh_sequences", ".xmhcache", ".sylpheed_mark", ".sylpheed_cache", ".claws_mark", ".claws_cache"): // of nmh, exmh, Sylpheed and Claws Mail
		f.format = MH
	case hasSuffix(dir, ".sbd"), f.isProfile(), f.has("msgfilterrules.dat", "popstate.dat", "local folders", allProfiles), slices.ContainsFunc(entries, isOfThunderbird):
		f.format = Thunderbird
	case allNumbers(entries):
		f.format = MH
	default:
		f.format = Folder
	}
	return f
}

// isProfile reports whether the folder is a whole profile of Thunderbird, which has its mail in Mail and ImapMail.
func (f folder) isProfile() bool {
	return f.has("prefs.js") && (f.has("mail") || f.has("imapmail"))
}

// allProfiles is a file in the folder of all profiles of Thunderbird, such as ~/.thunderbird.
const allProfiles = "profiles.ini"

// has reports whether the folder has one of the lower-case names, in any case.
func (f folder) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return f.marks[name] })
}

// hasMail reports whether the subfolder name may contain mail.
func (f folder) hasMail(name string) bool {
	lower := strings.ToLower(name)
	switch {
	case isHidden(name) && !hasSuffix(name, ".directory"), isIndex(lower), lower == "attachments" && f.has("messages"): // .NAME.directory is of KMail, and the last of Apple Mail
		return false
	case f.format == Maildir:
		return !slices.Contains(maildirParts, lower)
	case f.format == Thunderbird && f.isProfile():
		return lower == "mail" || lower == "imapmail"
	}
	return true
}

// formatOf returns the format of the file name in the folder, or "" if it is not mail.
//
// QUIRK: a file of a plain folder that begins with a From_ line may be one message, as in the SpamAssassin corpus. The name of a file, such as
// In.mbox/mbox of Apple Mail, or an index beside it, makes it an mbox, and so does a second message in it: see [hasSeveral].
func (f folder) formatOf(name string) Format {
	lower := withoutPacking(strings.ToLower(name))
	format := f.format
	switch {
	case isHidden(name), isIndex(lower), format == Maildir,
		format == Thunderbird && (f.isProfile() || f.has(allProfiles)),
		format == MH && !isNumber(name):
		return ""
	case format == MH:
		return Message
	case lower == "mbox", hasSuffix(lower, ".mbox", ".mbx"), f.hasIndex(lower),
		format == Thunderbird && !hasSuffix(lower, ".eml", ".emlx"):
		return Mbox
	}
	return Message
}

// withoutPacking returns name without the suffix that a compression tool adds.
func withoutPacking(name string) string {
	for _, suffix := range []string{".gz", ".bz2", ".xz", ".zst"} {
		if base, ok := strings.CutSuffix(name, suffix); ok && base != "" {
			return base
		}
	}
	return name
}

// hasIndex reports whether Thunderbird, Evolution or Eudora keeps an index of the mbox name beside it.
func (f folder) hasIndex(name string) bool {
	base := strings.TrimSuffix(name, path.Ext(name))
	return slices.ContainsFunc(mboxIndexes, func(ending string) bool { return f.has(name + ending) }) ||
		hasSuffix(name, ".mbx") && f.has(base+".toc")
}

// mboxIndexes are the endings of the indexes of Thunderbird, Evolution and Eudora.
var mboxIndexes = []string{".msf", ".cmeta", ".ev-summary", ".toc"}

// isIndex reports whether a lower-case name is that of a file or folder that mail programs and servers keep beside mail.
func isIndex(name string) bool {
	switch name {
	case "msgfilterrules.dat", "popstate.dat", "filterlog.html", "rules.dat", "virtualfolders.dat",
		"foldertree.json", "panacea.dat", "training.dat", "nstmp", // Thunderbird
		"table_of_contents", "content_index", "envelope index", "info.plist", // Apple Mail
		"maildirfolder", "maildirsize", "subscriptions", // Maildir++
		"context",                                        // nmh
		"#recycle", "@recycle", "#snapshot", "~snapshot", // old copies, on disks of a network
		"desktop.ini", "thumbs.db": // Windows
		return true
	}
	isPrefix := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	switch path.Ext(name) {
	case ".msf", ".wdseml", ".mozeml", ".mozmsgs", // Thunderbird
		".cmeta", ".ev-summary", ".ev-summary-meta", // Evolution
		".toc", ".plist", ".emlxpart", ".mailsignature":
		return true
	}
	return strings.HasSuffix(name, "~") || // of Emacs: Gnus keeps the mailbox as it was before spam was moved
		isPrefix("dovecot-") || isPrefix("dovecot.") || isPrefix("cyrus.") || isPrefix("courierimap") || isPrefix("courierpop3") ||
		strings.HasSuffix(name, ".ibex.index") || strings.HasSuffix(name, ".ibex.index.data") // Evolution
}

// hasSuffix reports whether name is longer than one of the suffixes and ends in it, in any case.
func hasSuffix(name string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool {
		return len(name) > len(s) && strings.EqualFold(name[len(name)-len(s):], s)
	})
}

// allNumbers reports whether all files are named by numbers, except for hidden files, indexes, and those that MH has deleted: ,12 or #12.
func allNumbers(entries []fs.DirEntry) bool {
	found := false
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || name[0] == ',' || name[0] == '#' || isHidden(name) || isIndex(strings.ToLower(name)) {
			continue
		}
		if found = isNumber(name); !found {
			break
		}
	}
	return found
}

func isNumber(name string) bool { return name != "" && strings.Trim(name, "0123456789") == "" }

// sortByNumber sorts names that are numbers by their value, the order of delivery, and puts them before all others.
func sortByNumber(entries []fs.DirEntry) {
	key := func(e fs.DirEntry) (digits int, name string) {
		if name = e.Name(); isNumber(name) {
			name = strings.TrimLeft(name, "0")
			return len(name), name
		}
		return math.MaxInt, name
	}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int {
		m, x := key(a)
		n, y := key(b)
		return cmp.Or(cmp.Compare(m, n), strings.Compare(x, y))
	})
}

// A walker yields the messages of folders until the caller wants no more.
type walker struct {
	fsys    fs.FS
	label   string
	oneEach bool // each file of a plain folder is one message
	yield   func(Item, error) bool
	stopped bool
}

// give yields a message, or an error about one, and returns whether the caller wants more.
func (w *walker) give(item Item, err error) bool {
	w.stopped = w.stopped || !w.yield(item, err)
	return !w.stopped
}

func (w *walker) fail(name string, err error) {
	w.give(Item{Origin: name, Label: w.label}, explain("list", name, err))
}

// doubt yields a remark about a folder or mbox in a folder of ham if its name says spam, or what is left out of a mailbox.
func (w *walker) doubt(name string) {
	says := labelOfName(name)
	if says == "" {
		_, says = labelOf(strings.TrimSuffix(path.Base(name), ".mbox"))
	}
	if w.label == Ham && says != "" && says != Ham {
		w.fail(name, corpus.Remark("has a name that says "+says+", and is taken for ham with the rest: name the folders of ham, or this one by itself"))
	}
}

// folder yields the messages of dir and of the folders in it. An empty as stands for the detected format. Entries are those of dir, if it was
// listed before. It follows symbolic links to files, and none to folders, since those may lead back.
//
// QUIRK: nested Maildirs, as in the fs layout of Dovecot and in what mbsync and offlineimap write, have other mail folders
// beside cur and new. They are read if the Maildir is nested itself. See TestMaildirsInsideOfMaildirs.
func (w *walker) folder(dir string, as Format, nested bool, entries []fs.DirEntry) {
	if entries == nil {
		var err error
		if entries, err = fs.ReadDir(w.fsys, dir); err != nil {
			w.fail(dir, err)
			return
		}
	}
	f := inspectFolder(w.fsys, dir, entries)
	if f.has(".mixmeta") { // in hidden files; other mailboxes may be in folders beside them
		w.fail(dir, message.IsNoMail("Alpine mix mailbox"))
	}
	switch f.format = cmp.Or(as, f.format); f.format {
	case Maildir: // in the order of unique names
		files, err := readMaildir(w.fsys, dir, w.label)
		if err != nil {
			w.give(Item{Origin: dir, Label: w.label}, err)
		}
		for _, f := range files {
			w.give(f.Item, f.Err)
		}
		if !nested {
			return
		}
	case MH:
		sortByNumber(entries)
	}
	looks := 50 // for a second message in a file of a plain folder: if none of these has one, each file of the folder is one message
	prefix := strings.TrimSuffix(path.Join(dir, "x"), "x")
	for _, e := range entries {
		name := prefix + e.Name()
		switch {
		case w.stopped:
			return
		case !e.IsDir():
			w.file(name, e, f, &looks)
		case f.hasMail(e.Name()):
			w.doubt(name)
			w.folder(name, "", true, nil)
		}
	}
}

// file yields the messages of the file e at name in the folder f, if it is mail. It may look for a second message in so many files.
func (w *walker) file(name string, e fs.DirEntry, f folder, looks *int) {
	format := f.formatOf(e.Name())
	if format == "" {
		return
	}
	regular, err := isRegular(w.fsys, name, e) // before it is opened: a pipe may never end
	if regular && format == Message && f.format == Folder && !w.oneEach && *looks > 0 {
		if *looks--; hasSeveral(w.fsys, name) {
			format, *looks = Mbox, math.MaxInt
		}
	}
	if regular && f.format == Folder && !w.oneEach && !strings.ContainsAny(e.Name(), ".0123456789") { // as no message is named
		if info, err := e.Info(); err == nil && info.Size() == 0 {
			return // an mbox such as sent or outbox of mutt, Pine and Balsa, before it has mail
		}
	}
	switch {
	case err != nil:
		w.fail(name, err)
	case regular && format == Mbox:
		w.doubt(name)
		listMbox(w.fsys, name, w.label)(w.give)
	case regular:
		w.give(oneMessage(w.fsys, name, w.label), nil)
	}
}
