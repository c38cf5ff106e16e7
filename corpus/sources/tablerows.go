package sources

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// Source lists the rows of the table as messages, with an Origin such as
// "sms.csv:17" and the class as label. A row that cannot be used, such as one with
// more or fewer cells than the first, is an error in the stream.
func (t Table) Source() Source {
	return func(yield func(Item, error) bool) {
		for r, err := range t.rows() {
			item := Item{
				Origin: fmt.Sprintf("%s:%d", t.path, r.line), Label: t.classes[r.label],
				Place: place{fsys: t.fsys, path: t.path, offset: r.offset, size: int64(len(r.bytes)), columns: &t.columns, label: t.classes[r.label]},
			}
			if err == nil && item.Label == "" {
				err = fmt.Errorf("the label %q is new since the table was opened", r.label)
			}
			if err != nil {
				item, err = Item{Origin: item.Origin, Label: item.Label}, fmt.Errorf("%s: %w", item.Origin, err)
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// A labelledRow is a row and its label, as it is in the cell.
type labelledRow struct {
	row
	label string
}

// rows yields all rows after the line of names, or what is wrong with them.
func (t *Table) rows() iter.Seq2[labelledRow, error] {
	return func(yield func(labelledRow, error) bool) {
		rows, f, err := t.scan(t.format)
		if err != nil {
			yield(labelledRow{row: row{line: 1}}, reason(err))
			return
		}
		defer f.Close()
		for n := 0; ; n++ {
			r, err := rows.next()
			switch {
			case err == io.EOF:
				return
			case err != nil && !errors.Is(err, errLongRow):
				yield(labelledRow{row: r}, err)
				return
			case n == 0 && t.header:
				continue
			}
			label := ""
			if err == nil {
				_, label, err = t.read(r.bytes)
			}
			if !yield(labelledRow{r, label}, err) {
				return
			}
		}
	}
}

// read takes a row apart, and returns its cells and its label.
func (c *columns) read(row []byte) (cells []string, label string, err error) {
	cells, err = c.format.cells(row)
	switch {
	case err != nil:
		return nil, "", err
	case len(cells) != c.width:
		return nil, "", fmt.Errorf("cells: %d, but the first row has %d", len(cells), c.width)
	}
	label = strings.TrimSpace(cells[c.label])
	if label == "" {
		return nil, "", errors.New("there is no label")
	}
	return cells, label, nil
}

// message makes a message of a row: its text, after a header that is empty but for
// the subject. The result is in raw's memory or a larger one.
func (c *columns) message(raw []byte, class string) ([]byte, error) {
	cells, label, err := c.read(raw)
	if err != nil || c.classes[label] != class {
		return raw, errChanged
	}
	raw = raw[:0]
	if c.subject >= 0 {
		// Lines of a field go on after a line end and a blank (RFC 5322, 2.2.3).
		lines := strings.FieldsFunc(cells[c.subject], func(r rune) bool { return r == '\r' || r == '\n' })
		if subject := strings.Join(lines, "\n "); strings.TrimSpace(subject) != "" {
			raw = append(raw, "Subject: "+subject+"\n"...)
		}
	}
	raw = append(raw, '\n')
	return append(raw, cells[c.text]...), nil
}
