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

	"chaff/corpus"
	"chaff/corpus/internal/lines"
)

// Item and Source are aliases of the types of package corpus.
type (
	Item   = corpus.Item
	Source = corpus.Source
)

// Format is a way to keep mail.
type Format string

// The formats that Detect knows.
const (
	Maildir     Format = "maildir"     // a folder with cur and new in it
	MH          Format = "mh"          // a folder of messages named by numbers
	Thunderbird Format = "thunderbird" // a folder of mbox files with their indexes
	AppleMail   Format = "applemail"   // a folder NAME.mbox of Apple Mail
	Folder      Format = "folder"      // a folder in which every file is one message
	Mbox        Format = "mbox"        // a file of messages, each after a From_ line
	Emlx        Format = "emlx"        // a file with one message of Apple Mail
	Message     Format = "message"     // a file that is one message
	Tar         Format = "tar"         // a tar archive, read like a folder
	Zip         Format = "zip"         // a zip archive, read like a folder
)

// Formats returns all formats: those of folders, then those of files.
func Formats() []Format {
	return append(folderFormats(), fileFormats()...)
}

func folderFormats() []Format { return []Format{Maildir, MH, Thunderbird, AppleMail, Folder} }

func fileFormats() []Format { return []Format{Mbox, Emlx, Message, Tar, Zip} }

// Found is the format of the mail at a path and the reason for choosing it, a phrase such as "begins with a From_ line".
type Found struct {
	Format Format
	Why    string
}

// Detect returns the format of the mail at path:
//
//   - a folder that contains at least two of cur, new and tmp is a Maildir
//   - a folder with the index of an MH program, such as .mh_sequences, or with only numbers for file names, is an MH folder
//   - a folder with an index of Thunderbird, such as Inbox.msf, and a Thunderbird profile are Thunderbird folders
//   - a folder NAME.mbox that contains Info.plist, Messages or mbox is a folder of Apple Mail
//   - in any other folder each file is a message
//   - a file that begins with a From_ line is an mbox, and so is an empty file: an emptied inbox
//   - a file NAME.emlx that begins with a number is a message of Apple Mail
//   - a tar or zip archive is read like a folder
//   - any other file is one message
//
// Detect looks into files compressed with gzip, bzip2, xz or zstd. The error names the path and wraps the reason, such as
// fs.ErrNotExist.
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
		dir := path.Clean(name)
		entries, err := fs.ReadDir(fsys, dir)
		if err != nil {
			return Found{}, err
		}
		return inspectFolder(fsys, dir, entries).found, nil
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
	if packed != uncompressed {
		found.Why += ", compressed with " + string(packed)
	}
	return found, err
}

// detectFile returns the format of the file name by its first bytes, read from r.
func detectFile(r io.Reader, name string) (Found, error) {
	head, err := bufio.NewReaderSize(r, 4096).Peek(4096)
	if err != nil && err != io.EOF {
		return Found{}, err
	}
	if format := archiveFormat(head); format != "" {
		return Found{format, string(format) + " archive"}, nil
	}
	text := bytes.TrimPrefix(head, []byte(byteOrderMark))
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
	return Found{Message, "matches no other format"}, nil
}

// Open lists the mail at path in the format as, with the class label for all messages. An empty as stands for the format
// that Detect finds. Found is the format used. A folder without messages gives an empty source and no error.
//
// The folders within a folder are listed too, each in the format that Detect finds for it. A Maildir at path is the
// exception: it is listed without the mail folders in it (see MaildirTree). In any folder, files NAME.mbox and NAME.mbx and
// files with an index such as NAME.msf beside them are mbox files, files NAME.emlx are messages of Apple Mail, and the
// indexes and notes of mail programs are ignored. Every other file is one message, even if it begins with a From_ line, as
// in old corpora.
//
// Open reads a pipe, such as the shell's `<(zcat mail.gz)`, to its end into a temporary file. A pipe without a writer is an
// error.
//
// Open returns the errors of Detect, and an error if the format is unknown or impossible for the file or folder.
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

// overridden returns the requested format in place of the detected one, or the reason why it is impossible.
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
	return Found{as, "as requested"}, nil
}

func joinFormats(formats []Format) string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

func list(fsys fs.FS, name, label string, format Format) Source {
	return func(yield func(Item, error) bool) {
		switch format {
		case Mbox:
			listMbox(fsys, name, label)(yield)
		case Tar, Zip:
			listArchive(fsys, name, label)(yield)
		case Emlx, Message:
			yield(Item{Origin: name, Label: label, Content: location{fsys: fsys, path: name, emlx: format == Emlx}}, nil)
		default:
			walker{fsys, label, yield}.folder(name, format)
		}
	}
}

// FromFS lists the folder dir of fsys as Open lists a folder of the operating system, which a nil fsys stands for. The
// origins are paths within fsys.
func FromFS(fsys fs.FS, dir, label string) Source {
	return list(orSystem(fsys), dir, label, "")
}
