package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/internal/termkey"
)

// mail is a corpus, split into the folders train/ham, train/spam, test/ham and test/spam with a file for each message. The
// file names are numbers in random order, so that sorting by name mixes the classes.
type mail struct {
	name        string // in the page
	dir         string // the folder of these four
	train, test []mailFile
	copies      int // messages left out as copies
	joined      int // messages without an empty line after the header
}

// mailFile is one message of a mail.
type mailFile struct {
	name string // its path in the folder, such as test/spam/000017.eml
	spam bool
	size int64
}

// The lists of messages that split writes beside the folders: a name per line, in trainOrder after the class.
const (
	trainHam   = "train.ham.list"
	trainSpam  = "train.spam.list"
	trainOrder = "train.list"
	testList   = "test.list"
)

// found is a message of a corpus.
type found struct {
	path                  string
	spam                  bool
	fingerprint, splitKey uint64 // see [corpus.Hashes]
	size                  int64
	joined                bool
}

// unpack returns the folder of a corpus. It unpacks an archive below the folder scratch.
func unpack(ctx context.Context, name, scratch string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return name, nil
	}
	dir, err := os.MkdirTemp(scratch, "unpacked")
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, "tar", "-C", dir, "-xf", name).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("unpack %s: %w: %s", name, err, lastLine(out))
	}
	return dir, nil
}

// find lists the messages below a folder, in the order of their paths. The last folder of the path with "spam" or "ham" in its
// name is the class; a file without such a folder is not a message.
func find(root string) ([]found, error) {
	var all []found
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		spam, known := classOf(path.Dir(filepath.ToSlash(rel)))
		if !known {
			return nil
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fingerprint, splitKey := corpus.Hashes(raw, termkey.Key{})
		all = append(all, found{name, spam, fingerprint, splitKey, int64(len(raw)), joined(raw)})
		return nil
	})
	return all, err
}

func classOf(folder string) (spam, known bool) {
	parts := strings.Split(strings.ToLower(folder), "/")
	for _, part := range slices.Backward(parts) {
		if strings.Contains(part, "spam") {
			return true, true
		}
		if strings.Contains(part, "ham") {
			return false, true
		}
	}
	return false, false
}

// joined reports whether a message has no empty line after its header, as in all of Enron-Spam. Some programs take the text
// of such a message for header fields and use little of it.
func joined(raw []byte) bool {
	first := true
	for line := range bytes.Lines(raw) {
		text := bytes.TrimRight(line, "\r\n")
		switch {
		case len(text) == 0:
			return false
		case text[0] == ' ' || text[0] == '\t' || first && bytes.HasPrefix(text, []byte("From ")):
		default:
			name, _, isField := bytes.Cut(text, []byte(":"))
			if !isField || bytes.ContainsAny(name, " \t") {
				return true
			}
		}
		first = false
	}
	return false
}

// One of testShare messages is in the test part.
const testShare = 5

// split copies the messages below the folder root into the folders of a mail in dir, one of each group of copies. The hash of
// the content decides the part and the number of a message, so they do not depend on its path.
func split(name, root, dir string) (*mail, error) {
	all, err := find(root)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.splitKey, b.splitKey) })
	m := &mail{name: name, dir: dir}
	seen := make(map[uint64]bool)
	for _, f := range all {
		if seen[f.fingerprint] { // as chaff sees it
			m.copies++
			continue
		}
		seen[f.fingerprint] = true
		if f.joined {
			m.joined++
		}
		part := "train"
		if f.splitKey%testShare == 0 {
			part = "test"
		}
		l := mailFile{fmt.Sprintf("%s/%s/%06d.eml", part, className(f.spam), len(seen)), f.spam, f.size}
		if err := copyFile(filepath.Join(dir, filepath.FromSlash(l.name)), f.path); err != nil {
			return nil, err
		}
		if part == "test" {
			m.test = append(m.test, l)
		} else {
			m.train = append(m.train, l)
		}
	}
	for _, part := range [][]mailFile{m.train, m.test} {
		if of := countSpam(part); of == 0 || of == len(part) {
			return nil, fmt.Errorf("%s: needs ham and spam, for training and for the test, in folders with these words in their names: there are %d messages", root, len(all))
		}
	}
	return m, m.writeLists()
}

func className(spam bool) string {
	if spam {
		return "spam"
	}
	return "ham"
}

func countSpam(files []mailFile) int { return len(names(files, true)) }

func totalBytes(files []mailFile) int64 {
	sum := int64(0)
	for _, l := range files {
		sum += l.size
	}
	return sum
}

func copyFile(dst, src string) error {
	raw, err := os.ReadFile(src)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dst), 0o755); err != nil {
		return err
	}
	return os.WriteFile(dst, raw, 0o644)
}

func (m *mail) writeLists() error {
	var order strings.Builder
	for _, l := range m.train {
		fmt.Fprintln(&order, className(l.spam), l.name)
	}
	var errs []error
	for name, lines := range map[string]string{
		trainHam: listOf(names(m.train, false)), trainSpam: listOf(names(m.train, true)), trainOrder: order.String(), testList: listOf(namesOf(m.test)),
	} {
		errs = append(errs, os.WriteFile(filepath.Join(m.dir, name), []byte(lines), 0o644))
	}
	return errors.Join(errs...)
}

// listOf returns a text with each name on a line.
func listOf(names []string) string {
	return strings.Join(append(names, ""), "\n")
}

// names returns the names of the files of one class.
func names(files []mailFile, spam bool) []string {
	var list []string
	for _, l := range files {
		if l.spam == spam {
			list = append(list, l.name)
		}
	}
	return list
}

// sample returns n files, spread evenly over the test part, or all of them if there are fewer.
func (m *mail) sample(n int) []mailFile {
	if n >= len(m.test) {
		return m.test
	}
	var some []mailFile
	for i := range n {
		some = append(some, m.test[i*len(m.test)/n])
	}
	return some
}
