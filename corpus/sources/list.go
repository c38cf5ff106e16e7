package sources

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"chaff/corpus"
)

// OpenList lists the mail that the lines of a file name, in the order of the
// lines:
//
//	# mail of the last year
//	ham:inbox.mbox
//	ham: Maildir/.Lists
//	spam:old/junk.tar.gz
//
// The label is ham or spam in any case. What is at a path is found out as Open
// does, and all of it has the label. A path is relative to the folder of the list,
// and may contain blanks and colons. Empty lines and those that begin with # are
// skipped. A line that cannot be used is an error in the stream that names the
// list and the line; what it leads to is looked for when its turn comes. The list
// may be compressed.
func OpenList(name string) (Source, error) {
	if err := isTextFile(name, "a list", "spam:old/junk.mbox"); err != nil {
		return nil, err
	}
	name = filepath.Clean(name)
	return walkLines(name, func(line string) Source {
		if line[0] == '#' {
			return corpus.Concat()
		}
		label, source, err := listedMail(filepath.Dir(name), line)
		if err != nil {
			return func(yield func(Item, error) bool) { yield(Item{Label: label}, err) }
		}
		return source
	}), nil
}

// listedMail opens the mail of one line of a list that is in folder dir.
func listedMail(dir, line string) (label string, source Source, err error) {
	label, name, err := parseListLine(line)
	if err != nil {
		return label, nil, err
	}
	file := filepath.FromSlash(name)
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	source, _, err = Open(file, label, "")
	if err != nil {
		err = fmt.Errorf("%q: %w", name, innermost(err))
	}
	return label, source, err
}

// innermost returns the reason of an error of Open, without the path.
func innermost(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

// parseListLine takes a line without its end apart. The label is "ham", "spam", or
// "" with an error.
func parseListLine(line string) (label, name string, err error) {
	word, name, found := strings.Cut(line, ":")
	label = strings.ToLower(strings.TrimSpace(word))
	name = strings.TrimSpace(name)
	switch {
	case !found:
		return "", "", fmt.Errorf("no label before a path in %q (want ham:path or spam:path)", shorten(line))
	case label != "ham" && label != "spam":
		return "", "", fmt.Errorf("unknown label %q (want ham or spam)", shorten(word))
	case name == "":
		return label, "", fmt.Errorf("no path after the label %q", label)
	}
	return label, name, nil
}

// isTextFile returns an error if there is no file that could be what is wanted: a
// list or an index with lines such as the example.
func isTextFile(name, wanted, example string) error {
	found, err := Detect(name)
	switch {
	case err != nil:
		return err
	case slices.Contains(folderFormats(), found.Format):
		return fmt.Errorf("open %s: is a folder, not %s (a file of lines such as %q)", name, wanted, example)
	case found.Format == Tar || found.Format == Zip:
		return fmt.Errorf("open %s: is a %s, not %s (a file of lines such as %q)", name, found.Why, wanted, example)
	}
	return nil
}

// walkLines yields the messages that the lines of a file lead to, as mail says.
// An error without an origin gets the file and the line for one.
func walkLines(name string, mail func(line string) Source) Source {
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
			line := strings.TrimSpace(lines.Text())
			if n == 1 {
				line = strings.TrimSpace(strings.TrimPrefix(line, byteOrderMark))
			}
			if line == "" {
				continue
			}
			for item, err := range mail(line) {
				if err != nil && item.Origin == "" {
					item.Origin = fmt.Sprintf("%s:%d", name, n)
					err = fmt.Errorf("%s: %w", item.Origin, err)
				}
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
	}
}

// byteOrderMark is what some programs put before text in UTF-8.
const byteOrderMark = "\ufeff"
