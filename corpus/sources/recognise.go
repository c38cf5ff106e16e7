package sources

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Meaning is what a path says itself about the mail there.
type Meaning string

// The meanings. The first is for a path that says nothing.
const (
	MeansNothing Meaning = ""
	MeansHam     Meaning = "ham"     // by its name; see Open
	MeansSpam    Meaning = "spam"    // by its name; see Open
	MeansMailbox Meaning = "mailbox" // a mailbox of Maildirs; see MaildirTree
	MeansFolders Meaning = "folders" // a folder with subfolders of ham and spam; see HamAndSpam
	MeansIndex   Meaning = "index"   // an index of the TREC spam track; see OpenTREC
	MeansLabels  Meaning = "labels"  // an mbox of Gmail; see OpenGmail
	MeansList    Meaning = "list"    // a list of labelled paths; see OpenList
	MeansTable   Meaning = "table"   // a table of messages; see OpenTable
)

// Recognise returns what the path name says about the mail there:
//
//   - a folder or archive of Maildirs with a folder for spam is a mailbox
//   - a folder or archive with no subfolders but those of ham and spam has folders for both classes; see HamAndSpam
//   - a file whose first line is "spam PATH" or "ham PATH" is an index, and one with "spam:PATH" or "ham:PATH" is a list
//   - an mbox that Gmail has exported has labels in its messages
//   - a file NAME.csv or .tsv is a table
//   - anything else means what its name says: spam for junk.mbox, .Junk or spam-2, ham for inbox or easy-ham
//   - a Maildir whose name says nothing is a mailbox without a folder for spam
//
// The error is that of Detect, or a [message.NoMail] for a file that means nothing because it is no mail.
func Recognise(name string) (Meaning, error) {
	found, err := Detect(name)
	if err != nil {
		return MeansNothing, err
	}
	holdsFolders := found.Format == Tar || found.Format == Zip || slices.Contains(folderFormats(), found.Format)
	if !holdsFolders {
		if is, err := isGmail(name); is || err != nil {
			return MeansLabels, err
		}
		if m := meaningOfFile(name); m != MeansNothing {
			return m, nil
		}
		m := meaningOfName(name)
		if m == MeansNothing { // what is no mail means nothing whatever its name
			_, _, err = Open(name, "", "")
		}
		return m, err
	}
	plan, noMailbox := MaildirTree(name)
	if noMailbox == nil && plan.Has(Spam) {
		return MeansMailbox, nil
	}
	if _, ok := HamAndSpam(name); ok {
		return MeansFolders, nil
	}
	if m := meaningOfName(name); m != MeansNothing || noMailbox != nil {
		return m, nil
	}
	return MeansMailbox, nil
}

// meaningOfFile returns what the contents of a file say, and its extension.
func meaningOfFile(name string) Meaning {
	switch filepath.Ext(withoutPacking(strings.ToLower(name))) {
	case ".csv", ".tsv":
		return MeansTable
	}
	f, err := openPlain(nil, name)
	if err != nil {
		return MeansNothing
	}
	defer f.Close()
	read := bufio.NewScanner(f)
	for read.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(read.Text(), byteOrderMark))
		if line == "" || line[0] == '#' {
			continue
		}
		if _, _, err := parseListLine(line); err == nil {
			return MeansList
		}
		if _, _, err := parseIndexLine(line); err == nil {
			return MeansIndex
		}
		break
	}
	return MeansNothing
}

// meaningOfName returns MeansHam, MeansSpam or MeansNothing for the last name of a path. A whole name that mail programs give to a
// folder decides first, then its words, unless they contradict each other: spam-2 is spam, not-spam and ham-and-spam are nothing.
func meaningOfName(name string) Meaning {
	if full, err := filepath.Abs(name); err == nil {
		name = full
	}
	name = withoutPacking(strings.ToLower(filepath.Base(name)))
	for _, ending := range []string{".mbox", ".mbx", ".eml", ".emlx", ".txt", ".tar", ".tgz", ".zip"} {
		name = strings.TrimSuffix(name, ending)
	}
	parts := dottedParts(name)
	names := readFolderNames()
	if m, known := names.meaning(parts[len(parts)-1]); known {
		return m
	}
	found := MeansNothing
	for word := range strings.FieldsFuncSeq(readable(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		m, known := names.meaning(word)
		switch {
		case word == "not" || word == "no" || word == "non", found != MeansNothing && known && m != found:
			return MeansNothing
		case known:
			found = m
		}
	}
	return found
}

// meaning returns what the name of a folder says of the mail in it. It is not known for a name that mail programs do not use.
func (names folderNames) meaning(name string) (m Meaning, known bool) {
	if foldName(name) == "ham" {
		return MeansHam, true
	}
	holds, known := names[foldName(name)]
	switch holds {
	case "spam":
		return MeansSpam, true
	case incomingMail, sentMail, "archive":
		return MeansHam, true
	}
	return MeansNothing, known
}

// SpamNames returns the English names of folders for spam that MaildirTree knows, and the number of all. Case, blanks and hyphens do
// not count.
func SpamNames() (english []string, all int) {
	inSpam := false
	for line := range strings.Lines(folderNameFile) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			inSpam = line == "[spam]"
			continue
		}
		languages, list, found := strings.Cut(line, ": ")
		if !inSpam || !found || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(languages, "English") {
			english = strings.Fields(list)
		}
		all += len(strings.Fields(list))
	}
	return english, all
}

// Has reports whether a folder of the mailbox has the role.
func (p Plan) Has(role Role) bool {
	return slices.ContainsFunc(p.Folders, func(f PlanFolder) bool { return f.Role == role })
}

// Unread reports whether the mailbox has no ham but unseen messages, which are left out.
func (p Plan) Unread() bool {
	unseen := 0
	for _, f := range p.Folders {
		if f.Role == Ham && f.Messages > 0 {
			return false
		}
		if f.part == unseenPart {
			unseen += f.Messages
		}
	}
	return unseen > 0
}

// LeaveOut leaves out the mail folder at the path name, for the given reason. It does nothing if that is no folder of the mailbox.
func (p *Plan) LeaveOut(name, reason string) {
	named, err := os.Stat(name)
	if _, isSystem := orSystem(p.fsys).(system); err != nil || !isSystem {
		return
	}
	for i := range p.Folders {
		f := &p.Folders[i]
		if info, err := os.Stat(f.path); err == nil && os.SameFile(info, named) {
			f.Role, f.Reason = LeftOut, reason
		}
	}
}
