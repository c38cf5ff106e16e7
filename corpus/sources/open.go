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

	"chaff/corpus"
	"chaff/corpus/internal/lines"
	"chaff/message"
)

// Item and Source are aliases of the types of package corpus.
type (
	Item   = corpus.Item
	Source = corpus.Source
)

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
//   - a folder NAME.mbox that contains Info.plist, Messages or mbox, or nothing but folders, is a folder of Apple Mail
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

// detect opens no pipe, since that would break it for Open.
func detect(fsys fs.FS, name string) (Found, error) {
	if name == "" {
		return Found{}, errors.New("the path is empty")
	}
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return Found{}, err
	}
	if info.IsDir() {
		return detectFolder(fsys, name)
	}
	if !info.Mode().IsRegular() {
		return Found{}, errSpecial
	}
	f, err := fsys.Open(name)
	if err != nil {
		return Found{}, err
	}
	defer f.Close()
	head, err := readHead(f)
	if err != nil {
		return Found{}, err
	}
	found, _, err := detectFile(head, f, name)
	return found, err
}

func detectFolder(fsys fs.FS, name string) (Found, error) {
	dir := path.Clean(name)
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return Found{}, err
	}
	return inspectFolder(fsys, dir, entries).found, nil
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

// detectFile returns the format of the file name, which begins with head and goes on with rest. If it should be one message, noMail is why it
// is none.
func detectFile(head []byte, rest io.Reader, name string) (found Found, noMail, err error) {
	packed := compressionOf(head)
	if packed != uncompressed {
		if head, err = readHead(packed.decompress(io.MultiReader(bytes.NewReader(head), rest))); err != nil {
			return Found{}, nil, err
		}
	}
	if found = detectPlain(head, name); found.Format == Message {
		noMail = message.CheckMail(head)
	}
	if packed != uncompressed {
		found.Why += ", compressed with " + string(packed)
	}
	return found, noMail, nil
}

// detectPlain returns the format of the file name, which begins with head.
func detectPlain(head []byte, name string) Found {
	head = head[:min(len(head), headBytes)]
	if format := archiveFormat(head); format != "" {
		return Found{format, string(format) + " archive"}
	}
	text := bytes.TrimPrefix(head, []byte(byteOrderMark))
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, "\r\n"), []byte{lineEndOf(text)})
	line = lines.TrimLineEnd(line)
	_, isEmlx := emlxLength(line)
	switch {
	case len(head) == 0:
		return Found{Mbox, "is empty"}
	case BeginsMbox(head):
		return Found{Mbox, "begins with a From_ line"}
	case isEmlx && hasSuffix(name, ".emlx"):
		return Found{Emlx, "begins with the length of a message"}
	case isField(line):
		return Found{Message, "begins with a header field"}
	}
	return Found{Message, "matches no other format"}
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
// Open returns the errors of Detect, a [message.NoMail] for a file that is no mail, and an error if the format is unknown or impossible for
// the file or folder.
func Open(name, label string, as Format) (Source, Found, error) {
	return openPath(name, label, as, nil)
}

// OpenOnce lists the mail at path, as [Open] does, for a caller that reads it before it uses the buffer again. It opens and reads a file that
// is not large once, into the buffer: to recognise its format, to find the messages in it, and to read them. The source finds the format of a
// folder, so that the folder is listed once.
func OpenOnce(name, label string, as Format, buffer *[]byte) (Source, error) {
	source, _, err := openPath(name, label, as, buffer)
	return source, err
}

// openPath opens a path, and reads a file into the buffer if there is one.
func openPath(name, label string, as Format, buffer *[]byte) (Source, Found, error) {
	fail := func(err error) (Source, Found, error) { return nil, Found{}, explain("open", name, err) }
	if name == "" {
		return fail(errors.New("the path is empty"))
	}
	clean := filepath.Clean(name) // as all later reads have it: link/../x is x
	f, err := openFile(clean)
	if err != nil {
		return fail(err)
	}
	defer f.close()
	mode, size, err := f.stat()
	if err != nil {
		return fail(err)
	}
	var fsys fs.FS = system{}
	var found Found
	var noMail error
	switch {
	case mode.IsDir() && buffer != nil && as == "":
	case mode.IsDir():
		found, err = detectFolder(fsys, clean)
	case mode&fs.ModeNamedPipe != 0:
		if fsys, err = copyPipe(name); err != nil {
			return nil, Found{}, explain("read", name, err)
		}
		found, err = detect(fsys, name)
	case !mode.IsRegular():
		err = errSpecial
	default:
		var content []byte
		if buffer == nil || size > corpus.LargeMessageBytes {
			content, err = readHead(f)
		} else if content, err = readSized(f, (*buffer)[:0], size); err == nil {
			*buffer = content
			fsys = &single{name: clean, content: bytes.NewReader(content), memory: content, size: int64(len(content)), err: io.EOF}
		}
		if err == nil {
			found, noMail, err = detectFile(content, f, name)
		}
	}
	if err == nil && as != "" {
		found, err = found.overridden(name, as)
	}
	if err == nil && found.Format == Message {
		err = noMail
	}
	if err != nil {
		return fail(err)
	}
	return list(fsys, clean, label, found.Format), found, nil
}

// OpenReader lists the mail of a stream as [Open] lists that of a pipe. Name stands for it in the origins.
func OpenReader(r io.Reader, name string, as Format) (Source, error) {
	c, err := newTempCopy(path.Clean(name), r, MaxUnpackedBytes)
	if err != nil {
		return nil, explain("read", name, err)
	}
	found, err := detect(c, name)
	if err == nil && as != "" {
		found, err = found.overridden(name, as)
	}
	if err != nil {
		return nil, explain("open", name, err)
	}
	return list(c, c.name, "", found.Format), nil
}

// overridden returns the requested format in place of the detected one, or the reason why it is impossible.
func (f Found) overridden(name string, as Format) (Found, error) {
	kind, possible := "file", Formats()[folderFormats:]
	if f.Format.ofFolder() {
		kind, possible = "folder", Formats()[:folderFormats]
	}
	switch {
	case !slices.Contains(Formats(), string(as)):
		return f, fmt.Errorf("unknown format %q: must be one of %s", as, strings.Join(Formats(), ", "))
	case !slices.Contains(possible, string(as)):
		return f, fmt.Errorf("is a %s, which cannot be read as %s: must be one of %s", kind, as, strings.Join(possible, ", "))
	case as == Maildir && !isFolder(system{}, filepath.Join(name, "cur")) && !isFolder(system{}, filepath.Join(name, "new")):
		return f, errors.New("has neither cur nor new, so it cannot be read as maildir")
	}
	return Found{as, "as requested"}, nil
}

// list lists a folder or a file.
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
