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

	"chaff/corpus"
	"chaff/message"
)

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
	format  Format
	noMail  error         // why a file that should be one message is none
	head    []byte        // of a file
	entries []fs.DirEntry // of a folder, until they are listed
	// archive opens an archive once, see [openArchive].
	archive func() (fs.FS, error)
}

// find finds the format of the mail at a path:
//
//   - a folder that contains at least two of cur, new and tmp is a Maildir
//   - a folder with the index of an MH program, such as .mh_sequences, or with only numbers for file names, is an MH folder
//   - a folder with an index of Thunderbird, such as Inbox.msf, and a Thunderbird profile are Thunderbird folders
//   - in any other folder each file is a message
//   - a file that begins with a From_ line is an mbox, and so is an empty file: an emptied inbox
//   - a tar or zip archive is read like a folder
//   - any other file is one message
//
// It looks into files compressed with gzip, bzip2, xz or zstd. It copies a pipe, which can be read once. With a buffer, it reads a file that
// is not large into the buffer, where the place then is. The error names the path and wraps the reason, such as fs.ErrNotExist.
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
	switch {
	case err != nil:
		return err
	case info.IsDir():
		if p.entries, err = fs.ReadDir(p.fsys, p.name); err == nil {
			p.format = inspectFolder(p.fsys, p.name, p.entries).format
		}
		return err
	case info.Mode()&fs.ModeNamedPipe != 0:
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
	if buffer == nil || info.Size() > corpus.LargeMessageBytes {
		content, err = readHead(f)
	} else if content, err = corpus.AppendMessage(slices.Grow((*buffer)[:0], int(info.Size())+1), f); err == nil {
		*buffer = content
		p.fsys = &single{name: p.name, content: bytes.NewReader(content), size: int64(len(content)), err: io.EOF}
	}
	packed, head := compressionOf(content), content
	if err == nil && packed != uncompressed {
		head, err = readHead(packed.decompress(io.MultiReader(bytes.NewReader(content), f)))
	}
	if err != nil {
		return err
	}
	p.head = head[:min(len(head), headBytes)]
	if p.format = detectFile(p.head); p.format == Message {
		p.noMail = message.CheckMail(head)
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

// detectFile returns the format of a file that begins with head.
func detectFile(head []byte) Format {
	switch {
	case archiveKind(head) != "":
		return Archive
	case len(head) == 0 || BeginsMbox(head):
		return Mbox
	}
	return Message
}

// OpenOnce lists the mail at path in the format as, without labels, for a caller that reads it before it uses the buffer again. An empty as
// stands for the format that is found. A file that is not large is opened and read once, into the buffer: to recognise its format, to find the
// messages in it, and to read them. A folder without messages gives an empty source and no error. A file that is no mail is a [message.NoMail].
//
// The folders within a folder are listed too, each in the format that is found for it, but not the mail folders in a Maildir at path
// (see MaildirTree). In any folder, files mbox, NAME.mbox and NAME.mbx and files with an index such as NAME.msf beside them are mbox files, files
// NAME.emlx are messages of Apple Mail, and the indexes and notes of mail programs are ignored. Every other file is one message, even if it
// begins with a From_ line, as in old corpora.
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

// source lists the mail in the requested format, or in the one that was found.
func (p *place) source(label string, as Format) (Source, error) {
	err := error(nil)
	if as != "" {
		err = p.override(as)
	}
	if err == nil && p.format == Message {
		err = p.noMail
	}
	if err != nil {
		return nil, explain("open", p.path, err)
	}
	return p.list(label), nil
}

// override sets the requested format in place of the detected one, unless it is impossible.
func (p *place) override(as Format) error {
	kind := p.format.row().kind
	switch {
	case !slices.Contains(Formats(), string(as)):
		return fmt.Errorf("unknown format %q: must be one of %s", as, strings.Join(Formats(), ", "))
	case as.row().kind != kind:
		return fmt.Errorf("is a %s, which cannot be read as %s: must be one of %s", kind, as, strings.Join(formatsOf(kind), ", "))
	case as == Maildir && !isFolder(p.fsys, path.Join(p.name, "cur")) && !isFolder(p.fsys, path.Join(p.name, "new")):
		return errors.New("has neither cur nor new, so it cannot be read as maildir")
	}
	p.format = as
	return nil
}

// list lists a folder or a file. The entries of a folder are those of the look at its format, if there was one: a large folder takes as long
// to read as its mail to list. They are used once.
func (p *place) list(label string) Source {
	if p.format == Mbox {
		return listMbox(p.fsys, p.name, label)
	}
	return func(yield func(Item, error) bool) {
		switch p.format {
		case Archive:
			archive, err := p.archive()
			if archive != nil && !(walker{archive, label, yield}).folder(p.name, "", nil) {
				return
			}
			if err != nil {
				yield(Item{Origin: p.name, Label: label}, explain("list", p.name, err))
			}
		case Message:
			yield(oneMessage(p.fsys, p.name, label), nil)
		default:
			known := p.entries
			p.entries = nil
			walker{p.fsys, label, yield}.folder(p.name, p.format, known)
		}
	}
}

// isFolder reports whether folders of mail may be in what was found.
func (p *place) isFolder() bool { return p.format.row().kind == ofFolder || p.format == Archive }

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
	unpack := unpackMessage
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
