package sources

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
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

// findColumns chooses the format in which the first row has the wanted columns. If none has, it returns the error of the
// format that splits the row into the most cells.
func (t *Table) findColumns(o TableOptions) error {
	formats := []rowFormat{{comma: '\t'}, {comma: ','}, {comma: ';'}}
	jsonFormat, isJSON, err := t.jsonFormat()
	if err != nil {
		return err
	}
	if isJSON {
		formats = []rowFormat{jsonFormat}
	}
	var failed error
	most := 0
	for _, format := range formats {
		first, err := t.firstRow(format)
		if err != nil {
			return err
		}
		err = t.chooseColumns(format, first, o)
		if err == nil {
			return nil
		}
		if failed == nil || len(first) > most {
			most, failed = len(first), err
		}
	}
	return failed
}

func (t *Table) jsonFormat() (format rowFormat, isJSON bool, err error) {
	f, err := t.fsys.Open(t.path)
	if err != nil {
		return format, false, err
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return format, false, err
	}
	text := strings.TrimPrefix(string(head[:n]), byteOrderMark)
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return format, false, errors.New("is in UTF-16; a table must be in UTF-8 or another superset of ASCII")
	}
	text = strings.TrimLeft(text, " \t\r\n")
	if inside, ok := strings.CutPrefix(text, "["); ok {
		inside = strings.TrimLeft(inside, " \t\r\n")
		return rowFormat{array: true}, inside != "" && strings.Contains("{]", inside[:1]), nil
	}
	return rowFormat{}, strings.HasPrefix(text, "{"), nil
}

// firstRow returns the cells of the first row, or the sorted keys of the first object.
func (t *Table) firstRow(format rowFormat) ([]string, error) {
	rows, f, err := t.scan(format)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := rows.next()
	switch {
	case err == io.EOF:
		return nil, errors.New("the table is empty")
	case err != nil:
		return nil, err
	case !format.json():
		return format.cells(r.bytes)
	}
	object, err := parseObject(r.bytes)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", r.line, err)
	}
	return slices.Sorted(maps.Keys(object)), nil
}

// chooseColumns finds the columns in the first row, split according to format.
func (t *Table) chooseColumns(format rowFormat, first []string, o TableOptions) error {
	text, textNamed, err := chooseColumn(first, o.Text, textNames(), format.json())
	if err != nil {
		return err
	}
	label, labelNamed, err := chooseColumn(first, o.Label, labelNames(), format.json())
	if err != nil {
		return err
	}
	// The cell "spam" may be the name of a column, but is more often a label.
	isName := func(cell string) bool { return isOneOf(cell, labelNames()) && hamOrSpam(strings.TrimSpace(cell)) == "" }
	header := format.json() || textNamed || labelNamed && o.Label != ""
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
	t.use(columns{format: format, width: len(first), header: header, text: text, label: label, subject: -1}, first)
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
		subject, _, _ := chooseColumn(first, "", subjectNames(), true)
		if subject >= 0 && subject != c.text && subject != c.label {
			c.subject, t.Subject = subject, name(subject)
		}
	}
	t.Text, t.Label = name(c.text), name(c.label)
	if c.format.json() {
		c.useKeys(first)
	}
	t.columns = c
}

// useKeys makes the cells of a row of JSON the values of the keys in use.
func (c *columns) useKeys(names []string) {
	c.format.keys = []string{names[c.text], names[c.label]}
	c.text, c.label = 0, 1
	if c.subject >= 0 {
		c.format.keys = append(c.format.keys, names[c.subject])
		c.subject = 2
	}
	c.width, c.header = len(c.format.keys), false
}

// chooseColumn returns the index of the column requested by name or number, or of the first usual name; -1 if there is none.
func chooseColumn(first []string, requested string, usual []string, isJSON bool) (index int, named bool, err error) {
	if n, err := strconv.Atoi(requested); err == nil && !isJSON {
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
