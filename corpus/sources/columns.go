package sources

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The usual names of columns, the most specific first.
func textNames() []string {
	return []string{"text", "message", "body", "content", "sms", "comment", "email", "v2"}
}

func labelNames() []string {
	return []string{"label", "class", "category", "type", "is_spam", "spam/ham", "spam", "v1", "target"}
}

func subjectNames() []string { return []string{"subject", "title"} }

// findColumns chooses the separator between cells with which the first row has the wanted columns. If none has, it returns the error of the
// one that splits the row into the most cells.
func (t *Table) findColumns(o TableOptions) error {
	if err := t.checkText(); err != nil {
		return err
	}
	var failed error
	most := 0
	for _, comma := range []byte("\t,;") {
		first, err := t.firstRow(comma)
		if err != nil {
			return err
		}
		err = t.chooseColumns(comma, first, o)
		if err == nil {
			return nil
		}
		if failed == nil || len(first) > most {
			most, failed = len(first), err
		}
	}
	return failed
}

// checkText returns an error for a table that is read in no form.
func (t *Table) checkText() error {
	f, err := t.fsys.Open(t.path)
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := readHead(f)
	if err != nil {
		return err
	}
	text := strings.TrimPrefix(string(head), byteOrderMark)
	object, isObject := strings.CutPrefix(strings.TrimLeft(text, "[ \t\r\n"), "{")
	switch {
	case strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff"):
		return errors.New("is in UTF-16; a table must be in UTF-8 or another superset of ASCII")
	case isObject && strings.HasPrefix(strings.TrimLeft(object, " \t\r\n"), `"`):
		return errors.New("is JSON; a table must be in CSV or separated by tabs")
	}
	return nil
}

// firstRow returns the cells of the first row.
func (t *Table) firstRow(comma byte) ([]string, error) {
	for r, err := range t.scan(comma) {
		if err != nil {
			return nil, err
		}
		return cellsOf(r.bytes, comma)
	}
	return nil, errors.New("the table is empty")
}

// chooseColumns finds the columns in the first row.
func (t *Table) chooseColumns(comma byte, first []string, o TableOptions) error {
	text, textNamed, err := chooseColumn(first, o.Text, textNames())
	if err != nil {
		return err
	}
	label, labelNamed, err := chooseColumn(first, o.Label, labelNames())
	if err != nil {
		return err
	}
	// The cell "spam" may be the name of a column, but is more often a label.
	isName := func(cell string) bool { return isOneOf(cell, labelNames()) && hamOrSpam(strings.TrimSpace(cell)) == "" }
	header := textNamed || labelNamed && o.Label != ""
	switch {
	case text >= 0 && label >= 0:
		header = header || isOneOf(first[text], textNames()) || isName(first[label])
	case !header:
		text, label = guessColumns(first, o, text, label)
	}
	switch {
	case text < 0 || label < 0:
		return fmt.Errorf("%w: the first row is %s", ErrColumns, quoteCells(first))
	case text == label:
		return fmt.Errorf("%w: column %d cannot be both", ErrColumns, text+1)
	}
	t.use(columns{comma: comma, width: len(first), header: header, text: text, label: label, subject: -1}, first)
	return nil
}

// use sets the columns of the table, and adds that of the subjects if there is one.
func (t *Table) use(c columns, first []string) {
	name := func(i int) string {
		if c.header {
			return cmp.Or(strings.TrimSpace(first[i]), fmt.Sprintf("column %d", i+1))
		}
		return fmt.Sprintf("column %d", i+1)
	}
	if c.header {
		subject, _, _ := chooseColumn(first, "", subjectNames())
		if subject >= 0 && subject != c.text && subject != c.label {
			c.subject, t.Subject = subject, name(subject)
		}
	}
	t.Text, t.Label = name(c.text), name(c.label)
	t.columns = c
}

// chooseColumn returns the index of the column requested by name or number, or of the first usual name; -1 if there is none.
func chooseColumn(first []string, requested string, usual []string) (index int, named bool, err error) {
	if n, err := strconv.Atoi(requested); err == nil {
		if n < 1 || n > len(first) {
			return -1, false, fmt.Errorf("%w: there is no column %d in a first row of %d", ErrColumns, n, len(first))
		}
		return n - 1, false, nil
	}
	names := usual
	if requested != "" {
		names = []string{requested}
	}
	for _, name := range names {
		if i := slices.IndexFunc(first, func(cell string) bool { return isOneOf(cell, []string{name}) }); i >= 0 {
			return i, true, nil
		}
	}
	if requested != "" {
		return -1, false, fmt.Errorf("%w: there is no column %q in the first row, which is %s", ErrColumns, requested, quoteCells(first))
	}
	return -1, false, nil
}

func isOneOf(cell string, names []string) bool {
	cell = strings.TrimSpace(cell)
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(cell, name) })
}

// guessColumns finds the columns that were not requested in a first row that is a message: the label is a word for ham or
// spam, the text is the longest other cell.
func guessColumns(first []string, o TableOptions, text, label int) (int, int) {
	if o.Label == "" {
		label = slices.IndexFunc(first, func(cell string) bool { return hamOrSpam(strings.TrimSpace(cell)) != "" })
	}
	if o.Text == "" {
		text = -1
		for i, cell := range first {
			if i != label && (text < 0 || len(cell) > len(first[text])) {
				text = i
			}
		}
	}
	return text, label
}

// quoteCells formats the first cells of a row for an error.
func quoteCells(cells []string) string {
	const most = 8
	var quoted []string
	for _, cell := range cells[:min(len(cells), most)] {
		quoted = append(quoted, strconv.Quote(shorten(cell)))
	}
	if len(cells) > most {
		quoted = append(quoted, "...")
	}
	return strings.Join(quoted, ", ")
}
