package sources

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/emersion/go-imap/utf7"
	"golang.org/x/text/unicode/norm"
)

//go:embed foldernames.txt
var folderNameFile string

// Sections of foldernames.txt.
const (
	incomingMail = "incoming mail"
	sentMail     = "sent mail"
)

// SpamNames are the usual English names of folders for spam. Others, and those in other languages, are in foldernames.txt.
const SpamNames = "junk, junk mail, spam, spam mail, bulk mail"

// folderNames has what a folder holds, a section of foldernames.txt, by its folded name. A name means the same in every
// language that has it.
var folderNames = sync.OnceValue(func() map[string]string {
	names, section := map[string]string{}, ""
	for line := range strings.Lines(folderNameFile) {
		line = strings.TrimSpace(line)
		_, list, _ := strings.Cut(line, ": ") // behind the languages
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		default:
			for _, name := range strings.Fields(list) {
				names[foldName(name)] = section
			}
		}
	}
	return names
})

// Use is what a mail folder is used for.
type Use struct {
	Label  string // of its mail
	Reason string // for the label; empty for ordinary ham
	// Incoming is whether mail comes in there, seen by the user or not: the inbox, and "All Mail" of Gmail. What is unseen is left out.
	Incoming bool
}

// UseOf returns the use of a mail folder by its decoded path in the mailbox, such as [Lists golang].
//
// The last name decides. If that makes the folder ham, it is spam within a folder of spam, and LeftOut within any other folder that is not
// ham. A name such as "Not spam" within a folder of spam contradicts it, and so does one of sent mail: the folder is LeftOut.
func UseOf(path []string) Use {
	last := path[len(path)-1]
	label, why := labelOf(last)
	if label != Ham {
		return Use{Label: label, Reason: why}
	}
	for _, name := range path[:len(path)-1] {
		within, holds := labelOf(name)
		switch {
		case within == Ham:
			continue
		case within == Spam && why != sentMail && !saysHam(last):
			return Use{Label: Spam, Reason: "in a folder of " + holds}
		}
		return Use{Label: LeftOut, Reason: "in a folder of " + holds}
	}
	return Use{Label: Ham, Reason: why, Incoming: folderNames()[foldName(last)] == incomingMail}
}

// saysHam reports whether the name of a folder within one of spam says that its mail is none, such as "Not spam", "False positives" or "Mistakes".
func saysHam(name string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch word {
		case "ham", "not", "no", "non", "false", "notspam", "notjunk", "nonspam", "mistake", "mistakes", "wrong",
			"kein", "keine", "nicht", "pas", "não", "geen", "niet", "inte", "ikke", "ei", "nie", "není", "ne", "nem", "nu", "değil", "не", "όχι", "아님":
			return true
		}
	}
	return false
}

// labelOf returns the label that the name of a folder gives to the mail in it, and what the folder holds if that is not ordinary ham.
func labelOf(name string) (label, why string) {
	switch why = folderNames()[foldName(copyMark.ReplaceAllString(name, ""))]; why {
	case "", incomingMail:
		return Ham, ""
	case sentMail, "archive":
		return Ham, why
	case "spam":
		return Spam, why
	}
	return LeftOut, why
}

// copyMark matches what programs add to the name of a second folder or of a copy: Junk-1, Junk Email1, Junk (2), Junk.bak, and what Syncthing and
// Dropbox call a file that has changed in two places.
var copyMark = regexp.MustCompile(`(?i)[ ._-]*(\d+|\(([^()]* )?(\d+|conflicted copy [^()]*)\)|sync-conflict-[\w-]+|bak|old)$`)

// foldName maps names that differ only in case, blanks, hyphens, underscores, apostrophes or the composition of accents to
// the same text.
func foldName(name string) string {
	// QUIRK: the lower case of the Turkish İ is an i followed by a combining dot.
	lower := strings.ReplaceAll(strings.ToLower(norm.NFC.String(name)), "i\u0307", "i")
	return ignoredInNames.Replace(lower)
}

var ignoredInNames = strings.NewReplacer(" ", "", "\u00a0", "", "\u3000", "", "-", "", "_", "", "'", "", "’", "")

// readable decodes the name of a folder from the modified UTF-7 of IMAP (RFC 3501, 5.1.3). It returns any other name as it is: names in UTF-8 may
// have an "&" too.
//
// QUIRK: macOS keeps file names decomposed, "u" and two dots for "ü". See TestNamesOfFoldersAreShownDecoded.
//
// QUIRK: an encoded name can contain line ends and marks of direction, which would make one name look like another on a
// terminal. A name with a character that cannot be printed stays encoded.
func readable(name string) string {
	name = norm.NFC.String(name)
	if !strings.Contains(name, "&") {
		return name
	}
	decoded, err := utf7.Encoding.NewDecoder().String(name)
	unprintable := func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.IsPrint(r) && r != '\u3000' && r != '\u00a0'
	}
	if err != nil || strings.ContainsFunc(decoded, unprintable) {
		return name
	}
	return norm.NFC.String(decoded)
}
