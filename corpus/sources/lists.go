package sources

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"strings"
)

// openList lists the mail that the lines of a file name, in the order of the lines:
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
func openList(name string, _ Options) (Mail, error) {
	return openLines(name, List, "a list", "spam:old/junk.mbox", parseListLine, func(file, label string) (Source, error) {
		source, _, err := Open(file, label, "")
		return source, err
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

// openIndex lists the messages of an index of the TREC spam track, one message on a line, in the order of the lines:
//
//	spam ../data/inmail.1
//	ham ../data/inmail.2
//
// The rules are those of a list, without comments. A file must exist when its turn comes, but is not read.
func openIndex(name string, _ Options) (Mail, error) {
	return openLines(name, Index, "an index", "spam ../data/inmail.1", parseIndexLine, func(file, label string) (Source, error) {
		info, err := os.Stat(file)
		if err == nil && !info.Mode().IsRegular() {
			err = errors.New("is not a file")
		}
		return list(system{}, file, label, Message, nil), err
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
	case label != Ham && label != Spam:
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

// openLines opens a file of lines such as the example, each with a label and a path whose mail open lists.
func openLines(name string, format Format, wanted, example string,
	parse func(line string) (label, name string, err error), open func(file, label string) (Source, error),
) (Mail, error) {
	if err := isTextFile(name, wanted, example); err != nil {
		return Mail{}, err
	}
	note := name + ": " + string(format)
	name = filepath.Clean(name)
	each := func(line string) (source Source, label string, err error) {
		label, file, err := parse(line)
		if err != nil {
			return nil, label, err
		}
		full := filepath.FromSlash(file)
		if !filepath.IsAbs(full) {
			full = filepath.Join(filepath.Dir(name), full)
		}
		if source, err = open(full, label); err != nil {
			err = fmt.Errorf("%q: %w", file, cmp.Or(errors.Unwrap(err), err)) // without the path
		}
		return source, label, err
	}
	return Mail{Notes: []string{note}, Source: func(yield func(Item, error) bool) {
		f, err := openPlain(system{}, name)
		if err != nil {
			yield(Item{Origin: name}, explain("open", name, err))
			return
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		n := 1
		for ; lines.Scan(); n++ {
			line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), byteOrderMark))
			if line == "" || format == List && line[0] == '#' {
				continue
			}
			source, label, err := each(line)
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
			origin := fmt.Sprintf("%s:%d", name, n)
			yield(Item{Origin: origin}, explain("read", origin, err))
		}
	}}, nil
}

// isTextFile returns an error if the file at name cannot be what is wanted: a text with lines such as the example.
func isTextFile(name, wanted, example string) error {
	found, err := Detect(name)
	if err != nil || !found.isFolder() {
		return err
	}
	what := found.Why
	if found.Format.row().kind == ofFolder {
		what = "folder"
	}
	return fmt.Errorf("%s is a %s, not %s (a file of lines such as %q)", name, what, wanted, example)
}

// byteOrderMark is what some programs write before text in UTF-8.
const byteOrderMark = "\ufeff"

// gmailLabel returns what the labels say that Gmail gives a message: [Spam], [Ham], or [LeftOut] for mail that was deleted, sent or not sent
// yet. They are in the language of the account, as names of folders are. The value may be encoded (RFC 2047).
func gmailLabel(value string) string {
	if decoded, err := new(mime.WordDecoder).DecodeHeader(value); err == nil {
		value = decoded
	}
	label := Ham
	for name := range strings.SplitSeq(value, ",") {
		switch says, why := labelOf(strings.Trim(name, "\" \t")); {
		case says == LeftOut || why == sentMail:
			return LeftOut
		case says == Spam:
			label = Spam
		}
	}
	return label
}

// openGmail opens an mbox that Gmail has exported and whose messages have labels. It yields ham and spam.
func openGmail(name string, _ Options) (Mail, error) {
	counts := countGmail(name)
	note := name + ": mbox with X-Gmail-Labels"
	for _, label := range []string{LeftOut, Ham, Spam} {
		note += ", " + gmailCount(counts, label)
	}
	return Mail{Notes: []string{note}, Source: func(yield func(Item, error) bool) {
		for item, err := range listMbox(system{}, filepath.Clean(name), "") {
			if item.Label = cmp.Or(item.Label, Ham); item.Label != LeftOut && !yield(item, err) {
				return
			}
		}
	}}, nil
}

// countGmail counts how many messages of an mbox have which label, if Gmail has exported it. A pipe is none, since it can be read only once.
func countGmail(name string) map[string]int {
	if p, err := inspect(system{}, name, false, nil); err != nil || !p.isGmail() {
		return nil
	}
	counts := map[string]int{}
	for item, err := range listMbox(system{}, filepath.Clean(name), "") {
		if err == nil {
			counts[cmp.Or(item.Label, Ham)]++
		}
	}
	return counts
}

// gmailCount says how many messages have a label.
func gmailCount(counts map[string]int, label string) string {
	return fmt.Sprintf("%d %s", counts[label], strings.Replace(label, LeftOut, "in Sent, Drafts or Trash", 1))
}

// isGmail reports whether the first message of an mbox has labels of Gmail.
func (p place) isGmail() (is bool) {
	s := newMboxScanner(func(m mboxMessage) bool { is = m.label != ""; return false })
	s.take(p.head, true)
	_ = s.end() // only the first message counts
	return is && p.Format == Mbox
}
