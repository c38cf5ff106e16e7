package sources

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"chaff/internal/lines"
)

// ErrColumns is wrapped by the error about a table whose text and label columns are not found.
var ErrColumns = errors.New("cannot find the text and label columns")

// table is a file of short messages with labels, one per row, as collections of SMS and comments are published: cells
// separated by commas, semicolons or tabs. It is in memory.
type table struct {
	path   string
	text   []byte
	damage error    // why there is no more text
	comma  byte     // between cells
	first  []string // the cells of the first row
	// header is whether the first row has names and is not a message.
	header               bool
	body, label, subject int  // indexes of the cells; without subjects, subject is -1
	hasWords             bool // the labels are words for ham or spam
}

const (
	// maxTableBytes is how much of a table is read, decompressed: 1 GiB, or 256 MiB where addresses have 32 bits.
	maxTableBytes = 256 << 20 << (^uint(0) >> 63 * 2)
	// maxRowBytes is the size of the longest row.
	maxRowBytes = 16 << 20
	// maxClasses limits the classes of a table. A column with more values does not hold labels.
	maxClasses = 1000
	// maxShownCells is how many cells an error shows.
	maxShownCells = 8
)

// openTable opens a table, which may be compressed. It detects the format and the columns. A column called subject or title becomes the
// subjects. The error names the file.
//
// In a table with tabs a row is one line, and quotes around a cell are removed. With commas or semicolons, a quoted
// cell may contain line ends; a row with a misplaced quote is read as one line.
func (p *place) openTable() (Mail, error) {
	if err := p.mustBeText("a table", "spam,You have won"); err != nil {
		return Mail{}, err
	}
	t := &table{path: p.name, subject: -1}
	classes, err := t.read(p.fsys, maxTableBytes)
	if err != nil {
		return Mail{}, explain("open", p.path, err)
	}
	note := fmt.Sprintf("%s: table, text in %q, label in %q", p.path, t.nameOf(t.body), t.nameOf(t.label))
	if t.subject >= 0 {
		note += fmt.Sprintf(", subject in %q", t.nameOf(t.subject))
	}
	return Mail{Source: t.list, Classes: classes, Notes: []string{note + ", classes " + strings.Join(classes, ", ")}}, nil
}

// read reads up to limit bytes of the table, in one allocation: a compressed table is decompressed into a temporary file first. It returns the
// classes: ham and spam if all labels are words for these, such as 0 and 1 or legit and junk; else the labels themselves, sorted.
func (t *table) read(fsys fs.FS, limit int64) (classes []string, err error) {
	_, f, err := openAtOffsets(fsys, t.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text := bytes.NewBuffer(make([]byte, 0, int(min(info.Size(), limit))+bytes.MinRead)) // with room to see the end
	_, t.damage = text.ReadFrom(io.LimitReader(f, limit+1))
	if t.text = text.Bytes(); int64(len(t.text)) > limit {
		t.text, t.damage = t.text[:limit], tooMuch(limit)
	}
	if t.damage != nil { // the last row may be cut off
		t.text = t.text[:bytes.LastIndexByte(t.text, '\n')+1]
	}
	t.text = bytes.TrimPrefix(t.text, []byte(byteOrderMark))
	if err := t.findColumns(); err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for item, err := range t.list {
		if err != nil {
			continue
		}
		if found[item.Label] = true; len(found) > maxClasses {
			return nil, fmt.Errorf("the column %q has more than %d different labels", t.nameOf(t.label), maxClasses)
		}
	}
	labels := slices.Sorted(maps.Keys(found))
	if slices.ContainsFunc(labels, func(label string) bool { return hamOrSpam(label) == "" }) {
		return labels, nil
	}
	t.hasWords = true
	return []string{Ham, Spam}, nil
}

// hamOrSpam returns the class that a label of a table means, or "".
func hamOrSpam(label string) string {
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "ham", "0", "0.0", "false", "no", "not spam", "not_spam", "not-spam", "legit", "legitimate", "normal", "good":
		return Ham
	case "spam", "1", "1.0", "true", "yes", "junk", "bad":
		return Spam
	}
	return ""
}

// findColumns chooses the separator between cells with which the first row has the wanted columns. If none has, the error shows the most cells.
func (t *table) findColumns() error {
	var cells []string
	for _, t.comma = range []byte("\t,;") {
		t.first = nil
		for r, err := range t.rows {
			if err == nil {
				t.first, err = cellsOf(r.bytes, t.comma)
			}
			if err != nil {
				return err
			}
			break
		}
		if t.first == nil {
			return errors.New("the table is empty")
		}
		if t.chooseColumns() {
			return nil
		}
		if len(t.first) > len(cells) {
			cells = t.first
		}
	}
	cells = cells[:min(len(cells), maxShownCells)]
	for i, cell := range cells {
		cells[i] = strconv.Quote(shorten(cell))
	}
	return fmt.Errorf("%w: the first row is %s", ErrColumns, strings.Join(cells, ", "))
}

// chooseColumns finds the columns in the first row: those with usual names, or in a table without names the label by its word, and the longest
// other cell.
func (t *table) chooseColumns() bool {
	// The most specific names come first.
	t.body = t.column("text", "message", "body", "content", "sms", "comment", "email", "v2")
	t.label = t.column("label", "class", "category", "type", "is_spam", "spam/ham", "spam", "v1", "target")
	// A usual name of labels alone makes no row of names: the cell "spam" is more often a label.
	if t.header = t.body >= 0; t.header {
		t.subject = t.column("subject", "title")
		return t.label >= 0
	}
	t.label = slices.IndexFunc(t.first, func(cell string) bool { return hamOrSpam(cell) != "" })
	for i, cell := range t.first {
		if i != t.label && (t.body < 0 || len(cell) > len(t.first[t.body])) {
			t.body = i
		}
	}
	return t.body >= 0 && t.label >= 0
}

// column returns the index of the column with the first of the names, in any case; -1 if there is none.
func (t *table) column(names ...string) int {
	for _, name := range names {
		if i := slices.IndexFunc(t.first, func(cell string) bool { return strings.EqualFold(strings.TrimSpace(cell), name) }); i >= 0 {
			return i
		}
	}
	return -1
}

// nameOf describes a column: its name or "column 2".
func (t *table) nameOf(column int) string {
	name := ""
	if t.header {
		name = strings.TrimSpace(t.first[column])
	}
	return cmp.Or(name, fmt.Sprintf("column %d", column+1))
}

// list lists the rows of the table as messages, with an Origin such as "sms.csv:17" and the class as label, or what the cell says while the
// classes are not known. An unusable row, such as one with another number of cells than the first, is an error in the stream.
func (t *table) list(yield func(Item, error) bool) {
	isName := t.header
	for r, err := range t.rows {
		if isName && err == nil {
			isName = false
			continue
		}
		item := Item{Origin: fmt.Sprintf("%s:%d", t.path, r.line), Content: r, Text: true}
		var cells []string
		if err == nil {
			cells, err = cellsOf(r.bytes, t.comma)
		}
		switch {
		case err != nil:
		case len(cells) != len(t.first):
			err = fmt.Errorf("wrong number of cells: %d, but %d in the first row", len(cells), len(t.first))
		default:
			// Without a copy, the label would keep all cells of the row in memory.
			label := strings.Clone(strings.TrimSpace(cells[t.label]))
			if item.Label = label; t.hasWords {
				item.Label = hamOrSpam(label)
			}
			if label == "" {
				err = errors.New("the label is empty")
			}
		}
		if err != nil {
			item.Content, err = nil, fmt.Errorf("%s: %w", item.Origin, err)
		}
		if !yield(item, err) {
			return
		}
	}
}

type row struct {
	bytes []byte
	line  int // where it begins, counted from 1
	table *table
}

// Append appends the row as a message: the text after an empty header, or after a subject.
func (r row) Append(dst []byte) ([]byte, error) {
	cells, err := cellsOf(r.bytes, r.table.comma)
	if err != nil {
		return dst, err
	}
	if r.table.subject >= 0 {
		// A line that continues a field begins with a blank (RFC 5322, 2.2.3).
		lines := strings.FieldsFunc(cells[r.table.subject], func(r rune) bool { return r == '\r' || r == '\n' })
		if subject := strings.Join(lines, "\n "); strings.TrimSpace(subject) != "" {
			dst = append(dst, "Subject: "+subject+"\n"...)
		}
	}
	dst = append(dst, '\n')
	return append(dst, cells[r.table.body]...), nil
}

// rows divides the text of a table into rows for encoding/csv, which would read from an open quote to the end. Each byte is in one row or
// between rows, where only line ends are. A row that is too long is the last one, and an error. If the text was cut off, the reason is a last error.
func (t *table) rows(yield func(row, error) bool) {
	rest, r := t.text, row{line: 1, table: t}
	for len(rest) > 0 {
		all := rest[:rowSize(rest, t.comma)]
		if len(all) == maxRowBytes {
			yield(r, errors.New("the row is too long; the rest is not read"))
			return
		}
		if r.bytes = bytes.TrimLeft(all, "\r\n"); len(r.bytes) > 0 && !yield(r, nil) {
			return
		}
		rest = rest[len(all):]
		r.line += bytes.Count(all, []byte("\n"))
	}
	if t.damage != nil {
		yield(r, t.damage)
	}
}

// rowSize returns the size of the row that b begins with, including its line end, up to maxRowBytes.
//
// QUIRK: in a row of RFC 4180 only quoted cells have line ends and quotes, and these quotes are doubled. Real tables have lone quotes, and a
// reader that takes one for the beginning of a cell loses all rows up to the next. So a row is one line unless encoding/csv accepts the lines
// up to the one that makes the number of quotes even. See TestTables, "a quote that is not closed".
func rowSize(b []byte, comma byte) int {
	b = b[:min(len(b), maxRowBytes)]
	first, quotes := 0, 0
	for size := 0; size < len(b); {
		line := b[size:][:lines.LineEnd(b[size:])]
		quotes += bytes.Count(line, []byte(`"`))
		if size += len(line); first == 0 {
			first = size
		}
		if comma == '\t' || quotes%2 == 0 {
			if size > first {
				strict := newCSV(b[:size], comma)
				strict.LazyQuotes = false
				if _, err := strict.Read(); err != nil {
					return first
				}
			}
			return size
		}
	}
	return first
}

func newCSV(b []byte, comma byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(b))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = rune(comma), -1, true
	return r
}

// cellsOf returns the cells of a row. Between tabs, quotes around a whole cell are removed, and a lone quote is a character.
func cellsOf(row []byte, comma byte) ([]string, error) {
	if comma == '\t' {
		cells := strings.Split(strings.TrimRight(string(row), "\r\n"), "\t")
		for i, c := range cells {
			if len(c) >= 2 && c[0] == '"' && c[len(c)-1] == '"' {
				cells[i] = strings.ReplaceAll(c[1:len(c)-1], `""`, `"`)
			}
		}
		return cells, nil
	}
	return newCSV(row, comma).Read()
}
