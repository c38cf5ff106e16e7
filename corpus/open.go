package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Format is a way to keep mail.
type Format string

// The formats that Detect knows.
const (
	Maildir Format = "maildir" // a folder with cur and new in it
	Mbox    Format = "mbox"    // a file of messages, each after a From_ line
	Folder  Format = "folder"  // a folder in which every file is one message
	Message Format = "message" // a file that is one message
)

// Detect says how mail is kept at path, by looking at it: a folder with at least
// two of cur, new and tmp in it is a Maildir; a file that begins with a From_ line
// is an mbox, and so is an empty file, as an emptied inbox is. The error names the
// path and wraps the reason, such as fs.ErrNotExist.
func Detect(path string) (Format, error) {
	format, err := detect(path)
	if err != nil {
		return "", explain("open", path, err)
	}
	return format, nil
}

func detect(path string) (Format, error) {
	if path == "" {
		return "", errors.New("the path is empty")
	}
	// Stat comes first because opening a named pipe would wait for its writer.
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return "", errors.New("is neither a file nor a folder")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info.IsDir() {
		return detectFolder(f, path)
	}
	plain, _, err := decompressed(f)
	if err != nil {
		return "", err
	}
	defer plain.Close()
	return detectFile(plain)
}

func detectFolder(f *os.File, path string) (Format, error) {
	if _, err := f.Readdirnames(1); err != nil && err != io.EOF {
		return "", err
	}
	if isMaildir(system{}, path) {
		return Maildir, nil
	}
	return Folder, nil
}

func detectFile(r io.Reader) (Format, error) {
	head, err := bufio.NewReaderSize(r, 4096).Peek(4096)
	if err != nil && err != io.EOF {
		return "", err
	}
	if format, _, ok := detectContainer(head); ok {
		return format, nil
	}
	text := bytes.TrimLeft(head, "\r\n")
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if _, ok := parseFromLine(line); ok || len(head) == 0 {
		return Mbox, nil
	}
	return Message, nil
}

// Open lists the mail at path, all of it of the class label, in the format that
// Detect finds. A folder without messages is no error here: the source is empty.
// In a folder, other folders are listed too, and a Maildir among them is read as
// one. See Detect for the errors.
func Open(name, label string) (Source, Format, error) {
	format, err := Detect(name)
	if err != nil {
		return nil, "", err
	}
	clean := filepath.Clean(name)
	switch format {
	case Maildir, Folder:
		return FromFS(nil, clean, label), format, nil
	case Mbox:
		return listMbox(system{}, clean, label), format, nil
	case Tar, Zip:
		return listArchive(system{}, clean, label), format, nil
	}
	return func(yield func(Item, error) bool) {
		yield(Item{Origin: clean, Label: label, path: clean}, nil)
	}, format, nil
}

// FromFS lists the folder dir of fsys as Open does for a folder or a Maildir of
// the operating system, which a nil fsys stands for. The origins are paths within
// fsys.
func FromFS(fsys fs.FS, dir, label string) Source {
	return func(yield func(Item, error) bool) {
		walkFolder(orSystem(fsys), dir, label, yield)
	}
}

// walkFolder yields the messages of dir and the folders in it, sorted by name;
// it returns false when the caller has seen enough. Symbolic links to files are
// followed. Links to folders are not, as they may lead back.
func walkFolder(fsys fs.FS, dir, label string, yield func(Item, error) bool) bool {
	if isMaildir(fsys, dir) {
		return walkMaildir(fsys, dir, label, yield)
	}
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil && !yield(Item{Origin: dir, Label: label}, explain("list", dir, err)) {
		return false
	}
	for _, e := range entries {
		if isHidden(e.Name()) {
			continue
		}
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			if !walkFolder(fsys, name, label, yield) {
				return false
			}
			continue
		}
		item := Item{Origin: name, Label: label, fsys: fsys, path: name}
		regular, err := isRegular(fsys, name, e)
		if err != nil {
			err = explain("list", name, err)
		} else if !regular {
			continue
		}
		if !yield(item, err) {
			return false
		}
	}
	return true
}

// isRegular reports whether the entry e at name is a file or a link to one.
func isRegular(fsys fs.FS, name string, e fs.DirEntry) (bool, error) {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular(), nil
	}
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return false, fmt.Errorf("follow the link: %w", reason(err))
	}
	return info.Mode().IsRegular(), nil
}

func isHidden(name string) bool { return name[0] == '.' }
