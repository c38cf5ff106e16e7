package sources

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// openIndex lists the messages of an index of the TREC spam track, one message on a line, in the order of the lines:
//
//	spam ../data/inmail.1
//	ham ../data/inmail.2
//
// The label is ham or spam in any case. A path is relative to the folder of the index, and may contain blanks. Empty lines are skipped. An
// unusable line is an error in the stream that names the index and the line. The index may be compressed.
func (p *place) openIndex() (Mail, error) {
	if err := p.mustBeText("an index", "spam ../data/inmail.1"); err != nil {
		return Mail{}, err
	}
	return Mail{Notes: []string{p.path + ": index"}, Source: func(yield func(Item, error) bool) {
		_, f, err := openAtOffsets(p.fsys, p.name)
		if err != nil {
			yield(Item{Origin: p.name}, explain("open", p.name, err))
			return
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		n := 1
		for ; lines.Scan(); n++ {
			line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), byteOrderMark))
			if line == "" {
				continue
			}
			label, file, err := parseIndexLine(line)
			if file = filepath.FromSlash(file); !filepath.IsAbs(file) {
				file = filepath.Join(filepath.Dir(p.name), file)
			}
			item := oneMessage(system{}, file, label) // even if the index is in a pipe
			if err != nil {
				item = Item{Origin: fmt.Sprintf("%s:%d", p.name, n), Label: label}
				err = fmt.Errorf("%s: %w", item.Origin, err)
			}
			if !yield(item, err) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = errors.New("the line is too long; the rest is not read")
			}
			origin := fmt.Sprintf("%s:%d", p.name, n)
			yield(Item{Origin: origin}, explain("read", origin, err))
		}
	}}, nil
}

// parseIndexLine splits a line "label path". The label is "ham", "spam", or "" with an error.
func parseIndexLine(line string) (label, name string, err error) {
	word, name := line, ""
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		word, name = line[:i], strings.TrimSpace(line[i:])
	}
	label = strings.ToLower(word)
	switch {
	case label != Ham && label != Spam:
		return "", "", fmt.Errorf("unknown label %q (want ham or spam)", shorten(word))
	case name == "":
		return label, "", fmt.Errorf("no path after the label %q", label)
	}
	return label, name, nil
}

// shorten limits the text that an error quotes.
func shorten(text string) string {
	if len(text) > 40 {
		return text[:40] + "..."
	}
	return text
}

// mustBeText returns an error if the place cannot be what is wanted: a text with lines such as the example.
func (p *place) mustBeText(wanted, example string) error {
	if !p.hasFolders() {
		return nil
	}
	what := "folder"
	if p.format == Archive {
		what = archiveKind(p.head) + " archive"
	}
	return fmt.Errorf("%s is a %s, not %s (a file of lines such as %q)", p.path, what, wanted, example)
}

// byteOrderMark is what some programs write before text in UTF-8.
const byteOrderMark = "\ufeff"
