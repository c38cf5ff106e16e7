package sources

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// OpenTREC lists the messages of an index as the TREC spam track has them, one
// message on a line, in the order of the lines:
//
//	spam ../data/inmail.1
//	ham ../data/inmail.2
//
// The label is ham or spam in any case. A path is relative to the folder of the
// index, and may contain blanks. Empty lines are skipped. A line that cannot be
// used is an error in the stream that names the index and the line; the file of
// a line is looked for, but not read, when its turn comes.
func OpenTREC(index string) (Source, error) {
	if err := isTextFile(index, "an index", `spam ../data/inmail.1`); err != nil {
		return nil, err
	}
	index = filepath.Clean(index)
	return walkLines(index, func(line string) Source {
		item, err := indexItem(filepath.Dir(index), line)
		return func(yield func(Item, error) bool) { yield(item, err) }
	}), nil
}

// indexItem makes the item of one line of an index that is in folder dir.
func indexItem(dir, line string) (Item, error) {
	label, name, err := parseIndexLine(line)
	if err != nil {
		return Item{Label: label}, err
	}
	file := filepath.FromSlash(name)
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return Item{Label: label}, fmt.Errorf("%q: %w", name, reason(err))
	case !info.Mode().IsRegular():
		return Item{Label: label}, fmt.Errorf("%q: is not a file", name)
	}
	return Item{Origin: file, Label: label, Place: place{path: file}}, nil
}

// parseIndexLine takes a line without its end apart. The label is "ham", "spam",
// or "" with an error.
func parseIndexLine(line string) (label, name string, err error) {
	line = strings.TrimSpace(line)
	word, name := line, ""
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		word, name = line[:i], strings.TrimSpace(line[i:])
	}
	switch label = strings.ToLower(word); label {
	case "ham", "spam":
	default:
		return "", "", fmt.Errorf("unknown label %q (want ham or spam)", shorten(word))
	}
	if name == "" {
		return label, "", fmt.Errorf("no path after the label %q", word)
	}
	return label, name, nil
}

// shorten keeps error texts readable when a line is not of an index at all.
func shorten(word string) string {
	if len(word) > 40 {
		return word[:40] + "..."
	}
	return word
}
