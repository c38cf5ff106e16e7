package sources

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"chaff/corpus"
	"chaff/internal/lines"
	"chaff/internal/replace"
	"chaff/message"
)

// Format is a way to keep mail.
type Format string

// The formats that are found at a path, whose messages get one label.
const (
	Maildir     Format = "maildir"     // a folder with cur and new in it
	MH          Format = "mh"          // a folder of messages named by numbers
	Thunderbird Format = "thunderbird" // a folder of mbox files with their indexes
	Folder      Format = "folder"      // a folder in which every file is one message
	Mbox        Format = "mbox"        // a file of messages, each after a From_ line
	Message     Format = "message"     // a file that is one message
	Archive     Format = "archive"     // a tar or zip archive, read like a folder
)

// The formats of labelled mail.
const (
	Mailbox    Format = "mailbox" // a mailbox of Maildirs; see MaildirTree
	Subfolders Format = "folders" // a folder with a subfolder for each class
	Index      Format = "index"   // an index of the TREC spam track: lines "spam PATH" and "ham PATH"
	CSV        Format = "table"   // a table of messages, separated by commas, semicolons or tabs
)

// formatsOf is the formats whose messages get one label, by what may have them.
var formatsOf = map[string][]string{
	"folder": {string(Maildir), string(MH), string(Thunderbird), string(Folder)}, "file": {string(Mbox), string(Message), string(Archive)},
}

// Formats returns the formats whose messages get one label: those of folders, then those of files.
func Formats() []string { return slices.Concat(formatsOf["folder"], formatsOf["file"]) }

// Options say what is known of labelled mail.
type Options struct {
	Format Format   // empty: what is found or recognised
	Label  string   // of all messages; empty: what the mail says itself
	Apart  []string // paths within the mail that are left out, since they are named by themselves
}

// Mail is labelled mail that was opened.
type Mail struct {
	Source   Source
	Classes  []string
	Notes    []string // what was found, for people
	Warnings []string
	NoSpam   bool // a mailbox without a folder for spam
	Unread   bool // a mailbox without ham but unseen messages, which are left out
}

// OpenLabelled opens the labelled mail at a path. The error wraps [ErrNoLabel] if the options can help.
func OpenLabelled(path string, o Options) (Mail, error) {
	p, err := find(system{}, path, nil)
	switch {
	case err != nil:
		return Mail{}, err
	case o.Format == Mailbox:
		plan, err := p.plan()
		if err != nil {
			return Mail{}, err
		}
		return plan.mail(p.path, o.Apart), nil
	case o.Format == Subfolders:
		return p.openClasses()
	case o.Format == Index:
		return p.openIndex()
	case o.Format == CSV:
		return p.openTable()
	case o.Label != "":
		return p.openAll(o)
	case o.Format != "": // which the mail may not be able to have
		if _, err := p.source("", o.Format); err != nil {
			return Mail{}, err
		}
	}
	return p.recognise(o)
}

// openAll opens mail of one label. It warns if its name or labels of Gmail say otherwise.
func (p *place) openAll(o Options) (Mail, error) {
	source, err := p.source(o.Label, o.Format)
	if err != nil {
		return Mail{}, err
	}
	mail := Mail{Source: source, Notes: []string{fmt.Sprintf("%s: %s, all %s", p.path, p.format, o.Label)}}
	if p.format != Maildir { // of which the folders in it are no part
		mail.leaveOut(p.name, o.Apart)
	}
	if o.Label != Ham && o.Label != Spam {
		return mail, nil
	}
	if others := gmailCounts(p.countGmail(), o.Label); len(others) > 0 {
		mail.Warnings = []string{fmt.Sprintf("%s: X-Gmail-Labels has %s, and --%s takes them for %s; the path without a flag goes by the labels",
			p.path, strings.Join(others, " and "), o.Label, o.Label)}
	} else if said := labelOfName(p.path); p.format != Message && said != "" && said != o.Label { // a message has the name of its subject
		mail.Warnings = []string{fmt.Sprintf("%s: its name says that this is %s, and --%s takes it for %s", p.path, said, o.Label, o.Label)}
	}
	return mail, nil
}

// leaveOut leaves out the mail at and below the paths within root that are named by themselves. It returns whether an origin is there.
func (m *Mail) leaveOut(root string, named []string) (isApart func(origin string) bool) {
	var apart []string
	for _, name := range named {
		from, _ := filepath.Abs(root) // Rel fails without it
		to, _ := filepath.Abs(name)
		if below, err := filepath.Rel(from, to); err == nil && below != "." && filepath.IsLocal(below) {
			apart = append(apart, path.Join(root, filepath.ToSlash(below)))
			m.Notes = append(m.Notes, fmt.Sprintf("  %-9s %s (named by itself)", LeftOut, apart[len(apart)-1]))
		}
	}
	isApart = func(origin string) bool {
		return slices.ContainsFunc(apart, func(path string) bool {
			rest, is := strings.CutPrefix(origin, path)
			return is && (rest == "" || rest[0] == '/' || rest[0] == '#') // the second message of an mbox is PATH#2
		})
	}
	if len(apart) > 0 {
		m.Source = corpus.Select(m.Source, func(item Item, _ error) bool { return !isApart(item.Origin) })
	}
	return isApart
}

// ErrNoLabel reports mail whose class nobody has said, and neither its name nor its contents say.
var ErrNoLabel = errors.New("neither its name nor its contents say whether this is ham or spam")

// recognise opens labelled mail of which nothing is said:
//
//   - a folder or archive of Maildirs with a folder for spam is a mailbox
//   - a folder of Thunderbird is a mailbox too, unless its name says what all of it is and no file is one of spam
//   - a folder or archive with no subfolders but those of ham and spam has folders for both classes
//   - a file whose first line is "spam PATH" or "ham PATH" is an index
//   - what Gmail has exported, an mbox or a folder or archive with such files, has labels in its messages
//   - a file NAME.csv or .tsv is a table
//   - anything else is what its name says: spam for junk.mbox, .Junk or spam-2, ham for inbox or easy-ham
//   - a Maildir whose name says nothing is a mailbox without a folder for spam
//
// The error is [ErrNoLabel], or a [message.NoMail] for a file without a label because it is no mail.
func (p *place) recognise(o Options) (Mail, error) {
	plan, noMailbox := p.plan() // a file is none
	if noMailbox == nil && plan.Has(Spam) {
		return plan.mail(p.path, o.Apart), nil
	}
	gmail := p.countGmail()
	o.Label = labelOfName(p.path)
	both, isBoth := p.hamAndSpam() // false for a file
	line, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(string(p.head), byteOrderMark)), "\n")
	_, _, noIndex := parseIndexLine(strings.TrimSpace(line))
	switch {
	case noMailbox == nil && !isBoth && o.Label == "":
		return plan.mail(p.path, o.Apart), nil
	case isBoth:
		return both.mail(p.path), nil
	case len(gmail) > 0:
		return p.openGmail(gmail), nil
	case p.format == Thunderbird:
		if mail := p.openThunderbird(o); !mail.NoSpam || o.Label == "" {
			return mail, nil
		}
	case p.hasFolders(): // the cases below are of files
	case hasSuffix(withoutPacking(strings.ToLower(p.name)), ".csv", ".tsv"):
		return p.openTable()
	case noIndex == nil && p.ofUser:
		return Mail{}, explain("open", p.path, errors.New("is an index of a user, who could name what only root may read: run chaff as that user, or give the index to root with chown"))
	case noIndex == nil:
		return p.openIndex()
	case o.Label == "" && p.noMail != nil: // it has no label whatever its name
		return Mail{}, explain("open", p.path, p.noMail)
	}
	if o.Label == "" {
		for range p.list("") {
			return Mail{}, fmt.Errorf("%s: %w", p.path, ErrNoLabel)
		}
		return Mail{}, explain("open", p.path, errors.New("no message is in it"))
	}
	return p.openAll(o)
}

// labelOfName returns Ham, Spam or "" for the last name of a path. A whole name that mail programs give to a folder decides first, then its
// words, unless they contradict each other: spam-2 is spam, not-spam and ham-and-spam are nothing.
func labelOfName(name string) string {
	if full, err := filepath.Abs(name); err == nil {
		name = full
	}
	name = withoutPacking(strings.ToLower(filepath.Base(name)))
	for _, ending := range []string{".mbox", ".mbx", ".eml", ".emlx", ".txt", ".tar", ".tgz", ".zip"} {
		name = strings.TrimSuffix(name, ending)
	}
	parts := dottedParts(name)
	if label, known := said(parts[len(parts)-1]); known {
		return label
	}
	found := ""
	for word := range strings.FieldsFuncSeq(readable(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		label, known := said(word)
		switch {
		case word == "not" || word == "no" || word == "non", found != "" && known && label != found:
			return ""
		case known:
			found = label
		}
	}
	return found
}

// said returns the label that a name gives to mail, and whether it is the name of a folder in mail programs, such as that of the trash.
func said(name string) (label string, known bool) {
	label, _ = labelOf(name)
	known = foldName(name) == Ham || folderNames()[foldName(name)] != ""
	if label == LeftOut || !known {
		label = ""
	}
	return label, known
}

// Item and Source are aliases of the types of package corpus.
type (
	Item   = corpus.Item
	Source = corpus.Source
)

// A place is where mail is, and what was found there.
type place struct {
	fsys    fs.FS
	path    string // as it was given
	name    string // of the file or folder in fsys
	kind    string // "folder" or "file"
	format  Format
	asked   Format        // the format, if it was asked for
	noMail  error         // why a file that should be one message is none
	ofUser  bool          // it is a user's, and the superuser reads it
	head    []byte        // of a file
	entries []fs.DirEntry // of a folder, until they are listed
	// archive opens an archive once, see [openArchive].
	archive func() (fs.FS, error)
}

// find finds the format of the mail at a path. It looks into compressed files. It copies a pipe, which can be read once. With a buffer, it reads a
// file that is not large into the buffer, where the place then is. The error names the path and wraps the reason, such as fs.ErrNotExist.
func find(fsys fs.FS, path string, buffer *[]byte) (*place, error) {
	p := &place{fsys: fsys, path: path, name: filepath.Clean(path)} // as all later reads have it: link/../x is x
	err := errors.New("the path is empty")
	if path != "" {
		err = p.inspect(buffer)
	}
	if err != nil {
		return nil, explain("open", path, err)
	}
	p.archive = sync.OnceValues(func() (fs.FS, error) { return openArchive(p.fsys, p.name) })
	return p, nil
}

func (p *place) inspect(buffer *[]byte) error {
	f, err := p.fsys.Open(p.name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat() // a second look at the path would cost bulk classification a twentieth
	if err != nil {
		return err
	}
	if info.IsDir() {
		if p.entries, err = fs.ReadDir(p.fsys, p.name); err == nil {
			p.kind, p.format = "folder", inspectFolder(p.fsys, p.name, p.entries).format
		}
		return err
	}
	if _, isSystem := p.fsys.(system); isSystem {
		p.ofUser = replace.IsOfUser(info, p.name)
	}
	switch {
	case info.Mode()&fs.ModeNamedPipe != 0:
		if p.ofUser {
			return errors.New("is a pipe of a user, who may never end it")
		}
		copied, err := newTempCopy(p.name, f, maxUnpackedBytes)
		if err == nil && copied.size == 0 && copied.err == io.EOF {
			err = errors.New("is an empty pipe")
		}
		if err != nil {
			return err
		}
		p.fsys = copied
		return p.inspect(nil)
	case !info.Mode().IsRegular():
		return errSpecial
	}
	var content []byte
	if buffer == nil || info.Size() > message.LargeSize {
		content, err = readHead(f)
	} else if content, err = corpus.AppendMessage(slices.Grow((*buffer)[:0], int(info.Size())+1), f); err == nil {
		*buffer = content
		p.fsys = &single{name: p.name, content: bytes.NewReader(content), size: int64(len(content)), err: io.EOF}
	}
	packed, head := compressionOf(content), content
	if err == nil && packed != uncompressed {
		if head, err = readHead(packed.decompress(io.MultiReader(bytes.NewReader(content), f))); len(head) > 0 {
			err = nil // reading says what is wrong behind it
		}
	}
	if err != nil {
		return err
	}
	p.kind, p.head = "file", head[:min(len(head), headBytes)]
	switch {
	case archiveKind(p.head) != "":
		p.format = Archive
	case len(p.head) == 0 || BeginsMbox(p.head): // an empty file is an emptied inbox
		p.format = Mbox
	default:
		p.format, p.noMail = Message, message.CheckMail(head)
	}
	return nil
}

// headBytes is how much of a file decides its format.
const headBytes = 4096

// readHead returns the first headBytes of r, or all.
func readHead(r io.Reader) ([]byte, error) {
	head := make([]byte, headBytes)
	n, err := io.ReadFull(r, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head[:n], err
}

// OpenOnce lists the mail at path in the format as, without labels, for a caller that reads it before it uses the buffer again. An empty as
// stands for the format that is found. A file that is not large is opened and read once, into the buffer: to recognise its format, to find the
// messages in it, and to read them. A folder without messages gives an empty source and no error. A file that is no mail is a [message.NoMail].
//
// The folders within a folder are listed too, each in the format that is found for it, but not the mail folders in a Maildir at path
// (see MaildirTree). In any folder, files mbox, NAME.mbox and NAME.mbx and files with an index such as NAME.msf beside them are mbox files, files
// NAME.emlx are messages of Apple Mail, and the indexes and notes of mail programs are ignored. Every other file is one message, unless it is an
// mbox of several, and as is not Folder.
//
// A pipe, such as the shell's `<(zcat mail.gz)`, is read to its end into a temporary file. A pipe without a writer is an error.
func OpenOnce(path string, as Format, buffer *[]byte) (Source, error) {
	p, err := find(system{}, path, buffer)
	if err != nil {
		return nil, err
	}
	return p.source("", as)
}

// OpenReader lists the mail of a stream as [OpenOnce] lists that of a pipe. Name stands for it in the origins.
func OpenReader(r io.Reader, name string, as Format) (Source, error) {
	c, err := newTempCopy(path.Clean(name), r, maxUnpackedBytes)
	if err != nil {
		return nil, explain("read", name, err)
	}
	p, err := find(c, name, nil)
	if err != nil {
		return nil, err
	}
	p.noMail = nil // reading says it
	return p.source("", as)
}

// source lists the mail in the requested format, if that is possible, or in the one that was found.
func (p *place) source(label string, as Format) (Source, error) {
	var err error
	switch possible := formatsOf[p.kind]; {
	case as == "":
	case !slices.Contains(Formats(), string(as)):
		err = fmt.Errorf("unknown format %q: must be one of %s", as, strings.Join(Formats(), ", "))
	case !slices.Contains(possible, string(as)):
		err = fmt.Errorf("is a %s, which cannot be read as %s: must be one of %s", p.kind, as, strings.Join(possible, ", "))
	case as == Maildir && !isFolder(p.fsys, path.Join(p.name, "cur")) && !isFolder(p.fsys, path.Join(p.name, "new")):
		err = errors.New("has neither cur nor new, so it cannot be read as maildir")
	default:
		p.format, p.asked = as, as
	}
	if err == nil && p.format == Message {
		err = p.noMail
	}
	if err != nil {
		return nil, explain("open", p.path, err)
	}
	return p.list(label), nil
}

// list lists a folder or a file. The entries of a folder are those of the look at its format, if there was one: a large folder takes as long
// to read as its mail to list. They are used once.
func (p *place) list(label string) Source {
	if p.format == Mbox {
		return listMbox(p.fsys, p.name, label)
	}
	return func(yield func(Item, error) bool) {
		w := walker{fsys: p.fsys, label: label, oneEach: p.asked == Folder, yield: yield}
		switch p.format {
		case Archive:
			var err error
			if w.fsys, err = p.archive(); w.fsys != nil {
				w.folder(p.name, "", false, nil)
			}
			if err != nil {
				w.fail(p.name, err)
			}
		case Message:
			w.give(oneMessage(p.fsys, p.name, label), nil)
		default:
			known := p.entries
			p.entries = nil
			w.folder(p.name, p.format, false, known)
		}
	}
}

// hasFolders reports whether folders of mail may be in what was found.
func (p *place) hasFolders() bool { return p.kind == "folder" || p.format == Archive }

// folder returns the folder of a place, or the top folder of the archive there. If an archive has everything in one folder, as is common, that
// is the top folder.
func (p *place) folder() (fsys fs.FS, dir string, err error) {
	dir = p.name
	if p.format != Archive {
		return p.fsys, dir, nil // errors come back when the folder is listed
	}
	if fsys, err = p.archive(); err != nil {
		return nil, "", err
	}
	for {
		entries, err := fs.ReadDir(fsys, dir)
		if err != nil {
			return nil, "", err
		}
		if len(entries) != 1 || !entries[0].IsDir() || isHidden(entries[0].Name()) {
			return fsys, dir, nil
		}
		dir = path.Join(dir, entries[0].Name())
	}
}

// oneMessage returns the message in a file of one message, which Apple Mail calls NAME.emlx.
func oneMessage(fsys fs.FS, name, label string) Item {
	unpack := unpackDbox
	if hasSuffix(withoutPacking(name), ".emlx") {
		unpack = func(raw []byte) ([]byte, error) {
			raw, err := unpackMessage(raw)
			return cutEmlx(raw), err
		}
	}
	return Item{Origin: name, Label: label, Content: location{fsys: fsys, path: name, message: unpack}}
}

// FromFS lists the folder dir of fsys as OpenOnce lists a folder of the operating system. The origins are paths within fsys.
func FromFS(fsys fs.FS, dir, label string) Source {
	return (&place{fsys: fsys, name: dir}).list(label)
}

// BeginsMbox reports whether text, the beginning of a file, is that of an mbox.
func BeginsMbox(text []byte) (begins bool) {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte(byteOrderMark)), "\r\n")
	if bytes.HasPrefix(text, []byte(lines.FromPrefix)) {
		_ = scanMbox(bytes.NewReader(text), func(m mboxMessage) bool { begins = m.offset == 0; return false })
	}
	return begins
}
