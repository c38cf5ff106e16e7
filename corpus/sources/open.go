package sources

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"chaff/corpus/internal/lines"
)

// Format is a way to keep mail.
type Format string

// The formats that Detect knows.
const (
	Maildir     Format = "maildir"     // a folder with cur and new in it
	MH          Format = "mh"          // a folder of messages whose names are numbers
	Thunderbird Format = "thunderbird" // a folder of mbox files with their indexes
	AppleMail   Format = "applemail"   // a folder NAME.mbox of Apple Mail
	Folder      Format = "folder"      // a folder in which every file is one message
	Mbox        Format = "mbox"        // a file of messages, each after a From_ line
	Emlx        Format = "emlx"        // a file with one message of Apple Mail
	Message     Format = "message"     // a file that is one message
)

// Formats returns all formats: those of folders, then those of files.
func Formats() []Format {
	return append(folderFormats(), fileFormats()...)
}

func folderFormats() []Format { return []Format{Maildir, MH, Thunderbird, AppleMail, Folder} }

func fileFormats() []Format { return []Format{Mbox, Emlx, Message, Tar, Zip} }

// Found is the format of the mail at a path, and why it is taken for that: words
// that can follow the format in parentheses, such as "begins with a From_ line".
type Found struct {
	Format Format
	Why    string
}

// Detect says how mail is kept at path, by looking at it:
//
//   - a folder with at least two of cur, new and tmp in it is a Maildir
//   - a folder with the index of an MH program, such as .mh_sequences, or whose
//     files all have numbers for names, is an MH folder
//   - a folder with an index of Thunderbird, such as Inbox.msf, or a profile of
//     it, is a Thunderbird folder
//   - a folder NAME.mbox with Info.plist, Messages or mbox in it is one of Apple Mail
//   - in any other folder each file is a message
//   - a file that begins with a From_ line is an mbox, and so is an empty file, as
//     an emptied inbox is
//   - a file of the name NAME.emlx that begins with a number is of Apple Mail
//   - a tar or zip archive is read as a folder is
//   - any other file is one message
//
// A file that is compressed with gzip, bzip2, xz or zstd is looked into.
//
// The error names the path and wraps the reason, such as fs.ErrNotExist.
func Detect(path string) (Found, error) {
	found, err := detect(system{}, path)
	if err != nil {
		return Found{}, explain("open", path, err)
	}
	return found, nil
}

func detect(fsys fs.FS, name string) (Found, error) {
	if name == "" {
		return Found{}, errors.New("the path is empty")
	}
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return Found{}, err
	}
	if info.IsDir() {
		return detectFolder(fsys, path.Clean(name))
	}
	if !info.Mode().IsRegular() {
		return Found{}, errSpecial
	}
	f, err := fsys.Open(name)
	if err != nil {
		return Found{}, err
	}
	defer f.Close()
	plain, packed, err := decompressed(f)
	if err != nil {
		return Found{}, err
	}
	defer plain.Close()
	found, err := detectFile(plain, name)
	found.Why = packed.why(found.Why)
	return found, err
}

func detectFolder(fsys fs.FS, dir string) (Found, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return Found{}, err
	}
	return layoutOf(fsys, dir, entries).found, nil
}

// detectFile looks at the beginning of the file name, which r reads.
func detectFile(r io.Reader, name string) (Found, error) {
	head, err := bufio.NewReaderSize(r, 4096).Peek(4096)
	if err != nil && err != io.EOF {
		return Found{}, err
	}
	if format, why, ok := detectContainer(head); ok {
		return Found{format, why}, nil
	}
	text := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, "\r\n"), []byte("\n"))
	line = lines.TrimLineEnd(line)
	_, isMbox := lines.ParseFromLine(line)
	_, isEmlx := emlxLength(line)
	switch {
	case len(head) == 0:
		return Found{Mbox, "is empty"}, nil
	case isMbox:
		return Found{Mbox, "begins with a From_ line"}, nil
	case isEmlx && hasSuffix(name, ".emlx"):
		return Found{Emlx, "begins with the length of a message"}, nil
	case isField(line):
		return Found{Message, "begins with a header field"}, nil
	}
	return Found{Message, "begins with no mark of another format"}, nil
}

// Open lists the mail at path, all of it of the class label, in the format as; an
// empty as stands for the one that Detect finds. Found is the format that is used.
// A folder without messages is no error here: the source is empty.
//
// In a folder, other folders are listed too, each in the format that Detect would
// find for it; but a Maildir at path is listed alone, without the mail folders
// that are in it (see MaildirTree). In every folder files NAME.mbox and NAME.mbx,
// and those with an index such as NAME.msf beside them, are read as mbox,
// NAME.emlx as messages of Apple Mail, and the indexes and notes of mail programs
// are passed over. Any other file in a folder is one message, even if it begins
// with a From_ line, as the files of old corpora do.
//
// A pipe at path, such as `<(zcat mail.gz)` of a shell, is read to its end, into a
// temporary file. One that nobody writes to is an error.
//
// See Detect for the errors. A format that is not known, or that cannot be that of
// the file or folder at path, is one too.
func Open(name, label string, as Format) (Source, Found, error) {
	fsys, err := withPipe(name)
	if err != nil {
		return nil, Found{}, explain("read", name, err)
	}
	found, err := detect(fsys, name)
	if err == nil && as != "" {
		found, err = found.overridden(name, as)
	}
	if err != nil {
		return nil, Found{}, explain("open", name, err)
	}
	return list(fsys, filepath.Clean(name), label, found.Format), found, nil
}

// overridden returns the format as in place of f, if that can be.
func (f Found) overridden(name string, as Format) (Found, error) {
	kind, possible := "file", fileFormats()
	if slices.Contains(folderFormats(), f.Format) {
		kind, possible = "folder", folderFormats()
	}
	switch {
	case !slices.Contains(Formats(), as):
		return f, fmt.Errorf("unknown format %q: must be one of %s", as, joinFormats(Formats()))
	case !slices.Contains(possible, as):
		return f, fmt.Errorf("is a %s, which cannot be read as %s: must be one of %s", kind, as, joinFormats(possible))
	case as == Maildir && !isFolder(system{}, filepath.Join(name, "cur")) && !isFolder(system{}, filepath.Join(name, "new")):
		return f, errors.New("has neither cur nor new, so it cannot be read as maildir")
	}
	return Found{as, "as asked for"}, nil
}

func joinFormats(formats []Format) string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

// list lists what is at name in the given format.
func list(fsys fs.FS, name, label string, format Format) Source {
	switch format {
	case Mbox:
		return listMbox(fsys, name, label)
	case Tar, Zip:
		return listArchive(fsys, name, label)
	case Emlx, Message:
		return func(yield func(Item, error) bool) {
			yield(Item{Origin: name, Label: label, Place: place{fsys: fsys, path: name, emlx: format == Emlx}}, nil)
		}
	}
	return func(yield func(Item, error) bool) {
		walker{fsys, label, yield}.folder(name, format)
	}
}

// FromFS lists the folder dir of fsys as Open does for a folder of the operating
// system, which a nil fsys stands for. The origins are paths within fsys.
func FromFS(fsys fs.FS, dir, label string) Source {
	return list(orSystem(fsys), dir, label, "")
}

// errSpecial is for what is no mail and no folder of it: pipes, sockets and devices. Reading them may never end.
var errSpecial = errors.New("is neither a file nor a folder")

// isRegular reports whether the entry e at name is a file or a link to one. What is no folder either is an error.
func isRegular(fsys fs.FS, name string, e fs.DirEntry) (bool, error) {
	mode := e.Type()
	if mode&fs.ModeSymlink != 0 {
		info, err := fs.Stat(fsys, name)
		if err != nil {
			return false, fmt.Errorf("follow the link: %w", reason(err))
		}
		mode = info.Mode()
	}
	if !mode.IsRegular() && !mode.IsDir() {
		return false, errSpecial
	}
	return mode.IsRegular(), nil
}

// isFolder reports whether name is a folder or a link to one.
func isFolder(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.IsDir()
}

func isHidden(name string) bool { return strings.HasPrefix(name, ".") }
