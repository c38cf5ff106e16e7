package sources

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A layout says which of the entries of a folder are mail, and in what format.
type layout struct {
	found Found
	names map[string]string // of all entries, by their lower-case form
}

// layoutOf looks at the entries of dir. What is found is a format of folders.
func layoutOf(fsys fs.FS, dir string, entries []fs.DirEntry) layout {
	l := layout{names: make(map[string]string, len(entries))}
	for _, e := range entries {
		l.names[strings.ToLower(e.Name())] = e.Name()
	}
	l.found = l.detect(fsys, dir, entries)
	return l
}

func (l layout) detect(fsys fs.FS, dir string, entries []fs.DirEntry) Found {
	if isMaildir(fsys, dir) {
		return Found{Maildir, "has " + l.firstOf("cur") + " and " + l.firstOf("new", "tmp")}
	}
	if mark := l.firstOf(mhMarks()...); mark != "" {
		return Found{MH, "has " + mark}
	}
	if mark := thunderbirdMark(l, dir, entries); mark != "" {
		return Found{Thunderbird, mark}
	}
	if mark := l.firstOf("info.plist", "messages", "table_of_contents", "mbox"); mark != "" && hasSuffix(dir, ".mbox", ".imapmbox") {
		return Found{AppleMail, "is a NAME.mbox and has " + mark}
	}
	switch {
	case len(entries) == 0:
		return Found{Folder, "is empty"}
	case allNumbers(entries):
		return Found{MH, "its files have numbers for names"}
	case l.has(".notmuch"):
		return Found{Folder, "has .notmuch; the folders in it are read"}
	}
	return Found{Folder, "each file in it is a message"}
}

// mhMarks are the files that programs leave in MH folders: nmh, exmh, Sylpheed and
// Claws Mail.
func mhMarks() []string {
	return []string{".mh_sequences", ".xmhcache", ".sylpheed_mark", ".sylpheed_cache", ".claws_mark", ".claws_cache"}
}

// thunderbirdMark says by what a folder can be seen to be one of Thunderbird.
func thunderbirdMark(l layout, dir string, entries []fs.DirEntry) string {
	if hasSuffix(dir, ".sbd") {
		return "is a NAME.sbd"
	}
	if l.isProfile() {
		return "has prefs.js: a profile"
	}
	if mark := l.firstOf("msgfilterrules.dat", "popstate.dat"); mark != "" {
		return "has " + mark
	}
	for _, e := range entries {
		if hasSuffix(e.Name(), ".msf") || e.IsDir() && hasSuffix(e.Name(), ".sbd") {
			return "has " + e.Name()
		}
	}
	return ""
}

// isProfile reports whether the folder is a whole profile of Thunderbird, in which
// mail is in Mail and ImapMail.
func (l layout) isProfile() bool {
	return l.has("prefs.js") && (l.has("mail") || l.has("imapmail"))
}

// firstOf returns the first of the names, given in lower case, that is in the
// folder, as it is written there, or "".
func (l layout) firstOf(names ...string) string {
	for _, name := range names {
		if l.has(name) {
			return l.names[name]
		}
	}
	return ""
}

// has reports whether the name, in lower case, is in the folder in any case.
func (l layout) has(name string) bool {
	_, ok := l.names[name]
	return ok
}

// hasMail reports whether to look into the folder name of the folder.
func (l layout) hasMail(name string) bool {
	lower := strings.ToLower(name)
	switch {
	case isHidden(name), isIndex(lower):
		return false
	case l.found.Format == Maildir:
		return lower != "cur" && lower != "new" && lower != "tmp"
	case l.found.Format == Thunderbird && l.isProfile():
		return lower == "mail" || lower == "imapmail"
	}
	return true
}

// kindOf returns the format of the file name of the folder, or "" if it is no mail.
//
// QUIRK: in a plain folder a file that begins with a From_ line is one message: so
// are the files of the SpamAssassin corpus. Only its name, or an index beside it,
// makes a file of a folder an mbox. See TestFolder.
func (l layout) kindOf(name string) Format {
	lower := withoutPacking(strings.ToLower(name))
	format := l.found.Format
	switch {
	case isHidden(name), isIndex(lower):
		return ""
	case format == Maildir, format == Thunderbird && l.isProfile():
		return ""
	case format == MH:
		return only(Message, isNumber(name))
	case hasSuffix(lower, ".emlx"):
		return Emlx
	case format == AppleMail:
		return only(Mbox, lower == "mbox" || hasSuffix(lower, ".mbox"))
	case hasSuffix(lower, ".mbox", ".mbx"), l.hasIndex(lower):
		return Mbox
	case format == Thunderbird && !hasSuffix(lower, ".eml"):
		return Mbox
	}
	return Message
}

// withoutPacking takes off what the tools that compress files add to a name, also
// if mail is kept so.
func withoutPacking(name string) string {
	for _, suffix := range []string{".gz", ".bz2", ".xz", ".zst"} {
		if base, ok := strings.CutSuffix(name, suffix); ok && base != "" {
			return base
		}
	}
	return name
}

func only(format Format, mail bool) Format {
	if mail {
		return format
	}
	return ""
}

// hasIndex reports whether a mail program keeps an index of the mbox name beside
// it: Thunderbird, Evolution, Eudora.
func (l layout) hasIndex(name string) bool {
	base := strings.TrimSuffix(name, path.Ext(name))
	return l.firstOf(name+".msf", name+".cmeta", name+".ev-summary", name+".toc") != "" ||
		hasSuffix(name, ".mbx") && l.has(base+".toc")
}

// isIndex knows the names, in lower case, of the files and folders that mail
// programs and servers keep beside mail.
func isIndex(name string) bool {
	switch name {
	case "msgfilterrules.dat", "popstate.dat", "filterlog.html", "rules.dat", "virtualfolders.dat",
		"foldertree.json", "panacea.dat", "training.dat", "nstmp", // Thunderbird
		"table_of_contents", "content_index", "envelope index", "info.plist", // Apple Mail
		"maildirfolder", "maildirsize", "subscriptions", // Maildir++
		"context",                  // nmh
		"desktop.ini", "thumbs.db": // Windows
		return true
	}
	return strings.HasPrefix(name, "dovecot-") || strings.HasPrefix(name, "dovecot.") ||
		strings.HasPrefix(name, "courierimap") || strings.HasPrefix(name, "courierpop3") ||
		hasSuffix(name, ".msf", ".wdseml", ".mozeml", ".mozmsgs", // Thunderbird
			".cmeta", ".ev-summary", ".ev-summary-meta", ".ibex.index", ".ibex.index.data", // Evolution
			".toc", ".plist")
}

// hasSuffix reports whether name ends in one of the suffixes, in any case.
func hasSuffix(name string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool {
		return len(name) > len(s) && strings.EqualFold(name[len(name)-len(s):], s)
	})
}

// allNumbers reports whether the files among entries have numbers for names, but
// for hidden ones, indexes, and those that MH has put away: ,12 or #12.
func allNumbers(entries []fs.DirEntry) bool {
	found := false
	for _, e := range entries {
		name := e.Name()
		putAway := strings.HasPrefix(name, ",") || strings.HasPrefix(name, "#")
		if e.IsDir() || putAway || isHidden(name) || isIndex(strings.ToLower(name)) {
			continue
		}
		if !isNumber(name) {
			return false
		}
		found = true
	}
	return found
}

// isNumber reports whether name consists of digits alone.
func isNumber(name string) bool {
	for i := range len(name) {
		if name[i] < '0' || name[i] > '9' {
			return false
		}
	}
	return len(name) > 0
}

// sortByNumber puts the names that are numbers into the order of the numbers,
// which is the order of delivery, and before all others.
func sortByNumber(entries []fs.DirEntry) {
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int {
		x, y := a.Name(), b.Name()
		if isNumber(x) != isNumber(y) {
			if isNumber(x) {
				return -1
			}
			return 1
		}
		if !isNumber(x) {
			return strings.Compare(x, y)
		}
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
	})
}
