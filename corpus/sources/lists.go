package sources

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"chaff/corpus"
)

// OpenList lists the mail that the lines of a file name, in the order of the lines:
//
//	# mail of the last year
//	ham:inbox.mbox
//	ham: Maildir/.Lists
//	spam:old/junk.tar.gz
//
// The label is ham or spam in any case, and applies to all mail at the path, which is opened as Open does. A path is relative
// to the folder of the list, and may contain blanks and colons. Empty lines and those that begin with # are skipped. An
// unusable line is an error in the stream that names the list and the line; its path is opened when its turn comes. The list
// may be compressed.
func OpenList(name string) (Source, error) {
	return openLines(name, "a list", "spam:old/junk.mbox", func(dir, line string) (Source, string, error) {
		if line[0] == '#' {
			return corpus.Concat(), "", nil
		}
		label, name, err := parseListLine(line)
		if err != nil {
			return nil, label, err
		}
		source, _, err := Open(resolve(dir, name), label, "")
		if err != nil {
			inner := cmp.Or(errors.Unwrap(err), err) // without the path
			return nil, label, fmt.Errorf("%q: %w", name, inner)
		}
		return source, label, nil
	})
}

// parseListLine splits a line "label:path". The label is "ham", "spam", or "" with an error.
func parseListLine(line string) (label, name string, err error) {
	label, name, found := strings.Cut(line, ":")
	if !found {
		return "", "", fmt.Errorf("no label before a path in %q (want ham:path or spam:path)", shorten(line))
	}
	return parseLabel(label, name)
}

// OpenTREC lists the messages of an index of the TREC spam track, one message on a line, in the order of the lines:
//
//	spam ../data/inmail.1
//	ham ../data/inmail.2
//
// The rules are those of [OpenList], without comments. A file must exist when its turn comes, but is not read.
func OpenTREC(index string) (Source, error) {
	return openLines(index, "an index", `spam ../data/inmail.1`, func(dir, line string) (Source, string, error) {
		label, name, err := parseIndexLine(line)
		if err != nil {
			return nil, label, err
		}
		file := resolve(dir, name)
		info, err := os.Stat(file)
		switch {
		case err != nil:
			return nil, label, fmt.Errorf("%q: %w", name, reason(err))
		case !info.Mode().IsRegular():
			return nil, label, fmt.Errorf("%q: is not a file", name)
		}
		return list(system{}, file, label, Message), label, nil
	})
}

// parseIndexLine splits a line "label path". The label is "ham", "spam", or "" with an error.
func parseIndexLine(line string) (label, name string, err error) {
	label = strings.TrimSpace(line)
	if i := strings.IndexAny(label, " \t"); i >= 0 {
		label, name = label[:i], label[i:]
	}
	return parseLabel(label, name)
}

func parseLabel(word, name string) (label, path string, err error) {
	label, path = strings.ToLower(strings.TrimSpace(word)), strings.TrimSpace(name)
	switch {
	case label != "ham" && label != "spam":
		return "", "", fmt.Errorf("unknown label %q (want ham or spam)", shorten(word))
	case path == "":
		return label, "", fmt.Errorf("no path after the label %q", label)
	}
	return label, path, nil
}

// shorten limits the text that an error quotes.
func shorten(text string) string {
	if len(text) > 40 {
		return text[:40] + "..."
	}
	return text
}

// resolve returns the file that a line of a list in the folder dir names.
func resolve(dir, name string) string {
	if file := filepath.FromSlash(name); filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, name)
}

// openLines yields the messages of each line of the file name, given by mail, which gets the folder of the file. The file
// must be able to contain lines such as the example.
func openLines(name, wanted, example string, mail func(dir, line string) (source Source, label string, err error)) (Source, error) {
	if err := isTextFile(name, wanted, example); err != nil {
		return nil, err
	}
	name = filepath.Clean(name)
	return func(yield func(Item, error) bool) {
		f, err := openPlain(nil, name)
		if err != nil {
			yield(Item{Origin: name}, explain("open", name, err))
			return
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		n := 0
		for lines.Scan() {
			n++
			line := lines.Text()
			if n == 1 {
				line = strings.TrimPrefix(line, byteOrderMark)
			}
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			source, label, err := mail(filepath.Dir(name), line)
			if err != nil {
				origin := fmt.Sprintf("%s:%d", name, n)
				if !yield(Item{Origin: origin, Label: label}, fmt.Errorf("%s: %w", origin, err)) {
					return
				}
				continue
			}
			for item, err := range source {
				if !yield(item, err) {
					return
				}
			}
		}
		if err := lines.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = errors.New("the line is too long; the rest is not read")
			}
			origin := fmt.Sprintf("%s:%d", name, n+1)
			yield(Item{Origin: origin}, explain("read", origin, err))
		}
	}, nil
}

// isTextFile returns an error if the file at name cannot be what is wanted: a text with lines such as the example.
func isTextFile(name, wanted, example string) error {
	found, err := Detect(name)
	switch {
	case err != nil:
		return err
	case found.Format.ofFolder():
		return fmt.Errorf("%s is a folder, not %s (a file of lines such as %q)", name, wanted, example)
	case found.Format == Tar || found.Format == Zip:
		return fmt.Errorf("%s is a %s, not %s (a file of lines such as %q)", name, found.Why, wanted, example)
	}
	return nil
}

// byteOrderMark is what some programs write before text in UTF-8.
const byteOrderMark = "\ufeff"
