package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// TableOptions name the columns of a table that hold the texts and the labels.
type TableOptions struct {
	// Text is the column of the texts: its name, in any case, or its number, counted from 1. A name is safer: with a number, a
	// first row of unusual names may pass for a message. Empty: the column with a usual name, such as text, message or v2, or,
	// in a table without names, the longest cell of the first row.
	Text string
	// Label is the column of the labels, likewise. Empty: the column with a usual name, such as label, class or v1, or the
	// cell of the first row that is ham, spam or another word for these.
	Label string
}

// ErrColumns is wrapped by the errors about tables whose text and label columns are not found.
var ErrColumns = errors.New("cannot find the text and label columns")

// Table is a file of short messages with labels, one per row, as collections of SMS and comments are published: cells
// separated by commas, semicolons or tabs.
type Table struct {
	// Classes are the classes of the messages: ham and spam if all labels are words for these, such as 0 and 1 or legit and
	// junk; else the labels themselves, sorted.
	Classes []string
	// Text, Label and Subject describe the columns in use: a name or "column 2". Subject may be empty.
	Text, Label, Subject string

	fsys fs.FS
	path string
	columns
}

// columns defines how a row of a table becomes a message.
type columns struct {
	comma   byte // between cells
	width   int  // cells in each row
	header  bool // the first row has names and is not a message
	text    int  // indexes of the cells
	label   int
	subject int               // -1: none
	classes map[string]string // by the label in the cell
}

// maxClasses limits the classes of a table. A column with more values does not hold labels.
const maxClasses = 1000

// OpenTable opens the table in the file name, which may be compressed. It detects the format and the columns, and reads the
// whole table once for its classes. A column called subject or title becomes the subjects. The error names the file; it
// wraps ErrColumns if the options can help.
//
// In a table with tabs a row is one line, and OpenTable removes quotes around a cell. With commas or semicolons, a quoted
// cell may contain line ends; a row with a misplaced quote is read as one line.
func OpenTable(name string, o TableOptions) (Table, error) {
	if err := isTextFile(name, "a table", "spam,You have won"); err != nil {
		return Table{}, err
	}
	t := Table{path: filepath.Clean(name)}
	if err := t.open(system{}, o); err != nil {
		return Table{}, explain("open", name, err)
	}
	return t, nil
}

func (t *Table) open(fsys fs.FS, o TableOptions) error {
	fsys, f, err := openAtOffsets(fsys, t.path)
	if err != nil {
		return err
	}
	f.Close()
	t.fsys = fsys
	if err := t.findColumns(o); err != nil {
		return err
	}
	t.classes = map[string]string{}
	first := ""
	for r, err := range t.rows {
		if err != nil {
			continue // Source yields it
		}
		if r.line == 1 {
			first = r.label
		}
		if t.classes[r.label] = r.label; len(t.classes) > maxClasses {
			return fmt.Errorf("the column %q has more than %d different labels: %w", t.Label, maxClasses, ErrColumns)
		}
	}
	if !t.header {
		t.dropNames(first)
	}
	t.Classes = nameClasses(t.classes)
	return nil
}

// dropNames makes the first row a row of names if its label is not a word for ham or spam, and all other labels are. Columns
// given by number may have unusual names.
func (t *Table) dropNames(first string) {
	others := maps.Clone(t.classes)
	delete(others, first)
	for label := range others {
		if hamOrSpam(label) == "" {
			return
		}
	}
	if first != "" && hamOrSpam(first) == "" && len(others) > 0 {
		t.header, t.classes = true, others
	}
}

// nameClasses sets the class of each label and returns the classes.
func nameClasses(classes map[string]string) []string {
	labels := slices.Sorted(maps.Keys(classes))
	if slices.ContainsFunc(labels, func(label string) bool { return hamOrSpam(label) == "" }) {
		return labels
	}
	for _, label := range labels {
		classes[label] = hamOrSpam(label)
	}
	return []string{Ham, Spam}
}

// hamOrSpam returns the class that a label of a table means, or "".
func hamOrSpam(label string) string {
	switch strings.ToLower(label) {
	case "ham", "0", "0.0", "false", "no", "not spam", "not_spam", "not-spam", "legit", "legitimate", "normal", "good":
		return Ham
	case "spam", "1", "1.0", "true", "yes", "junk", "bad":
		return Spam
	}
	return ""
}

// Source lists the rows of the table as messages, with an Origin such as "sms.csv:17" and the class as label. An unusable
// row, such as one with another number of cells than the first, is an error in the stream.
func (t Table) Source() Source {
	return func(yield func(Item, error) bool) {
		for r, err := range t.rows {
			item := Item{Origin: fmt.Sprintf("%s:%d", t.path, r.line), Label: t.classes[r.label], Text: true}
			if err == nil && item.Label == "" {
				err = fmt.Errorf("the label %q was added since the table was opened", r.label)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", item.Origin, err)
			} else {
				item.Content = location{fsys: t.fsys, path: t.path, offset: r.offset, size: int64(len(r.bytes)), columns: &t.columns, label: item.Label}
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// rows yields all rows except that of names, each with an error if it is unusable.
func (t *Table) rows(yield func(row, error) bool) {
	isName := t.header
	for r, err := range t.scan(t.comma) {
		if isName && (err == nil || errors.Is(err, errLongRow)) {
			isName = false
			continue
		}
		if err == nil {
			_, r.label, err = t.parse(r.bytes)
		}
		if !yield(r, err) {
			return
		}
	}
}

// scan yields all rows of cells with a separator between them.
func (t *Table) scan(comma byte) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		f, err := t.fsys.Open(t.path)
		if err != nil {
			yield(row{line: 1}, reason(err))
			return
		}
		defer f.Close()
		newRowScanner(f, comma).rows(yield)
	}
}

func (c *columns) parse(row []byte) (cells []string, label string, err error) {
	cells, err = cellsOf(row, c.comma)
	switch {
	case err != nil:
		return nil, "", err
	case len(cells) != c.width:
		return nil, "", fmt.Errorf("wrong number of cells: %d, but %d in the first row", len(cells), c.width)
	}
	label = strings.TrimSpace(cells[c.label])
	if label == "" {
		return nil, "", errors.New("the label is empty")
	}
	return cells, label, nil
}

// message turns a row into a message, in raw's memory or new memory: the text after an empty header, or after a subject.
func (c *columns) message(raw []byte, class string) ([]byte, error) {
	cells, label, err := c.parse(raw)
	if err != nil || c.classes[label] != class {
		return raw, errChanged
	}
	raw = raw[:0]
	if c.subject >= 0 {
		// A line that continues a field begins with a blank (RFC 5322, 2.2.3).
		lines := strings.FieldsFunc(cells[c.subject], func(r rune) bool { return r == '\r' || r == '\n' })
		if subject := strings.Join(lines, "\n "); strings.TrimSpace(subject) != "" {
			raw = append(raw, "Subject: "+subject+"\n"...)
		}
	}
	raw = append(raw, '\n')
	return append(raw, cells[c.text]...), nil
}
