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
)

// mail is a corpus, dealt into the folders train/ham, train/spam, test/ham and test/spam, a file for each message. The
// names of the files are numbers that tell nothing, so that the order of names is a random one and the classes are mixed.
type mail struct {
	name        string // as it is called in the page
	dir         string // the folder that holds those four
	train, test []letter
	copies      int // messages that were left out since another is the same
	joined      int // messages whose text follows the header without an empty line
}

// letter is one message of it.
type letter struct {
	name string // its path in the folder, such as test/spam/000017.eml
	spam bool
	size int64
}

// The lists of messages that deal writes beside the folders, a line for each: the name; in trainOrder the class before it.
const (
	trainHam   = "train.ham.list"
	trainSpam  = "train.spam.list"
	trainOrder = "train.list"
	testList   = "test.list"
)

// found is a message where it was found.
type found struct {
	path     string
	spam     bool
	splitKey uint64
	size     int64
	joined   bool
}

// unpack returns the folder of a corpus, which may be a folder or an archive. What it unpacks is below the folder scratch.
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

// find lists the messages below a folder, in the order of their paths. The class of a message is told by the last folder on
// the way to it whose name has "spam" or "ham" in it; a message without one is none.
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
		all = append(all, found{name, spam, corpus.SplitKey(raw), int64(len(raw)), joined(raw)})
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

// joined tells whether the text of a message follows its header without an empty line, as in all of Enron-Spam. Some
// programs take such text for header fields, and see little of it.
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

// testShare is which share of the messages, one of so many, is in the test part.
const testShare = 5

// deal copies the messages below the folder root into the folders of a mail in dir. The part of a message and its number come
// from the hash of its content, so that they are the same wherever it lies; of messages with the same content one is taken.
func deal(name, root, dir string) (*mail, error) {
	all, err := find(root)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.splitKey, b.splitKey) })
	m := &mail{name: name, dir: dir}
	seen := make(map[uint64]bool)
	for _, f := range all {
		if seen[f.splitKey] {
			m.copies++
			continue
		}
		seen[f.splitKey] = true
		if f.joined {
			m.joined++
		}
		part := "train"
		if f.splitKey%testShare == 0 {
			part = "test"
		}
		l := letter{fmt.Sprintf("%s/%s/%06d.eml", part, className(f.spam), len(seen)), f.spam, f.size}
		if err := copyFile(filepath.Join(dir, filepath.FromSlash(l.name)), f.path); err != nil {
			return nil, err
		}
		if part == "test" {
			m.test = append(m.test, l)
		} else {
			m.train = append(m.train, l)
		}
	}
	for _, part := range [][]letter{m.train, m.test} {
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

func countSpam(letters []letter) int {
	n := 0
	for _, l := range letters {
		if l.spam {
			n++
		}
	}
	return n
}

func totalBytes(letters []letter) int64 {
	sum := int64(0)
	for _, l := range letters {
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
	var ham, spam, order, test strings.Builder
	for _, l := range m.train {
		list := &ham
		if l.spam {
			list = &spam
		}
		list.WriteString(l.name + "\n")
		fmt.Fprintln(&order, className(l.spam), l.name)
	}
	for _, l := range m.test {
		fmt.Fprintln(&test, l.name)
	}
	var errs []error
	for name, text := range map[string]string{trainHam: ham.String(), trainSpam: spam.String(), trainOrder: order.String(), testList: test.String()} {
		errs = append(errs, os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o644))
	}
	return errors.Join(errs...)
}

// names are those of the letters of one class, in their order.
func names(letters []letter, spam bool) []string {
	var list []string
	for _, l := range letters {
		if l.spam == spam {
			list = append(list, l.name)
		}
	}
	return list
}

// sample is n letters of the test part, spread evenly over it; all of them if there are no more.
func (m *mail) sample(n int) []letter {
	if n >= len(m.test) {
		return m.test
	}
	var some []letter
	for i := range n {
		some = append(some, m.test[i*len(m.test)/n])
	}
	return some
}
