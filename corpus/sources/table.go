package sources

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// TableOptions say where in a table the texts and the labels are.
type TableOptions struct {
	// Text is the column of the texts: its name, in any case, or its number,
	// counted from 1; a name is surer, as by a number it may not be seen that the
	// first row is one of names. Empty: it is found by the usual names, such as text, message
	// or v2; or, in a table without a line of names, as the longest cell of the
	// first row.
	Text string
	// Label is the column of the labels, likewise. Empty: it is found by names
	// such as label, class or v1, or by a first row that has ham, spam or another
	// word for them in it.
	Label string
}

// ErrColumns is wrapped by the error about a table in which the columns of text
// and label are not found.
var ErrColumns = errors.New("the columns of text and label are not clear")

// Table is a file of short messages, one in a row, with their labels, as
// collections of SMS and comments are kept: a text with commas, semicolons or tabs
// between the cells, or JSON, one object on a line or all in one array.
type Table struct {
	// Classes are the classes of the messages: ham and spam, if all labels are
	// words for one of these, such as 0 and 1 or legit and junk; else the labels
	// themselves, sorted.
	Classes []string
	// Text, Label and Subject say which columns are used, for people: the name, or
	// "column 2". There need not be a subject.
	Text, Label, Subject string

	fsys fs.FS
	path string
	columns
}

// columns is how a row of a table becomes a message.
type columns struct {
	format  rowFormat
	width   int  // cells in each row
	header  bool // the first row has names, and is no message
	text    int  // the places of the cells, from 0
	label   int
	subject int               // -1: none
	classes map[string]string // by the label as it is in the cell
}

// maxClasses bounds the classes of a table: what has more is no column of labels.
const maxClasses = 1000

// OpenTable looks at the table in the file name, which may be compressed, reads it
// once for its classes, and finds out how it is written and which columns hold
// texts and labels. A column called subject or title, if there is one, becomes the
// subjects. The error names the file; it is ErrColumns if the options can help.
//
// In a table with tabs a row is one line, and quotes around a cell are taken off.
// With commas or semicolons, cells may be quoted and have line ends in them; a row
// in which a quote is out of place is taken for one line.
func OpenTable(name string, o TableOptions) (Table, error) {
	if err := isTextFile(name, "a table", "spam,You have won"); err != nil {
		return Table{}, err
	}
	t := Table{path: filepath.Clean(name)}
	err := t.open(system{}, o)
	if err != nil {
		return Table{}, explain("open", name, err)
	}
	return t, nil
}

func (t *Table) open(fsys fs.FS, o TableOptions) (err error) {
	if t.fsys, err = randomAccess(fsys, t.path); err != nil {
		return err
	}
	if err := t.findColumns(o); err != nil {
		return err
	}
	t.classes = map[string]string{}
	first := ""
	for r, err := range t.rows() {
		if err != nil {
			continue // Source tells of it
		}
		if r.line == 1 {
			first = r.label
		}
		if t.classes[r.label] = r.label; len(t.classes) > maxClasses {
			return fmt.Errorf("the column %q has more than %d different labels: %w", t.Label, maxClasses, ErrColumns)
		}
	}
	if !t.header && t.format.comma != 0 {
		t.dropNames(first)
	}
	t.Classes = nameClasses(t.classes)
	return nil
}

// dropNames takes the first row for a line of names if its label is no word for ham
// or spam, and those of all other rows are: columns that are given by their numbers
// may have unusual names.
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

// nameClasses gives each label its class, and returns the classes.
func nameClasses(classes map[string]string) []string {
	labels := slices.Sorted(maps.Keys(classes))
	for _, label := range labels {
		if hamOrSpam(label) == "" {
			return labels
		}
	}
	for _, label := range labels {
		classes[label] = hamOrSpam(label)
	}
	return []string{Ham.String(), Spam.String()}
}

// hamOrSpam knows the words for ham and spam that tables have as labels.
func hamOrSpam(label string) string {
	switch strings.ToLower(label) {
	case "ham", "0", "0.0", "false", "no", "not spam", "not_spam", "not-spam", "legit", "legitimate", "normal", "good":
		return Ham.String()
	case "spam", "1", "1.0", "true", "yes", "junk", "bad":
		return Spam.String()
	}
	return ""
}

// The usual names of columns, the most telling first.
func textNames() []string {
	return []string{"text", "message", "body", "content", "sms", "comment", "email", "v2"}
}

func labelNames() []string {
	return []string{"label", "class", "category", "type", "is_spam", "spam/ham", "spam", "v1", "target"}
}

func subjectNames() []string { return []string{"subject", "title"} }

// findColumns finds out how the rows are written: so that the first one has the
// columns that are wanted in it.
func (t *Table) findColumns(o TableOptions) error {
	format, isJSON, err := t.jsonFormat()
	if err != nil {
		return err
	}
	formats := []rowFormat{{comma: '\t'}, {comma: ','}, {comma: ';'}}
	if isJSON {
		formats = []rowFormat{format}
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
		if failed == nil || len(first) > most { // the likeliest way to write the row
			most, failed = len(first), err
		}
	}
	return failed
}

// jsonFormat reports whether the table is JSON, and how it is written.
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
		return format, false, errors.New("is in UTF-16; a table must be in UTF-8 or another form of ASCII")
	}
	text = strings.TrimLeft(text, " \t\r\n")
	if inside, ok := strings.CutPrefix(text, "["); ok {
		inside = strings.TrimLeft(inside, " \t\r\n")
		return rowFormat{array: true}, inside != "" && strings.Contains("{]", inside[:1]), nil
	}
	return rowFormat{}, strings.HasPrefix(text, "{"), nil
}

// firstRow returns the cells of the first row, or the names in the first object.
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
	case format.comma != 0:
		return format.cells(r.bytes)
	}
	object, err := parseObject(r.bytes)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", r.line, err)
	}
	return slices.Sorted(maps.Keys(object)), nil
}

// scan reads the rows from the first on.
func (t *Table) scan(format rowFormat) (*rowScanner, io.Closer, error) {
	f, err := t.fsys.Open(t.path)
	if err != nil {
		return nil, nil, err
	}
	rows := newRowScanner(f, format)
	rows.fill()
	if strings.HasPrefix(string(rows.buf[:min(len(rows.buf), len(byteOrderMark))]), byteOrderMark) {
		rows.advance(len(byteOrderMark))
	}
	return rows, f, nil
}

// chooseColumns finds the columns in the first row, if it is written in the given
// format.
func (t *Table) chooseColumns(format rowFormat, first []string, o TableOptions) error {
	isJSON := format.comma == 0
	text, textNamed, err := chooseColumn(first, o.Text, textNames(), isJSON)
	if err != nil {
		return err
	}
	label, labelNamed, err := chooseColumn(first, o.Label, labelNames(), isJSON)
	if err != nil {
		return err
	}
	// A cell that says spam may be the name of a column, but is more often a label.
	isName := func(cell string) bool { return isOneOf(cell, labelNames()) && hamOrSpam(strings.TrimSpace(cell)) == "" }
	header := isJSON || textNamed || labelNamed && o.Label != ""
	switch {
	case text >= 0 && label >= 0:
		header = header || isOneOf(first[text], textNames()) || isName(first[label])
	case !header:
		// The first row is no line of names, if it has a label in it.
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

// use takes the columns that were found, and looks for one of subjects.
func (t *Table) use(c columns, first []string) {
	name := func(i int) string { return fmt.Sprintf("column %d", i+1) }
	if c.header {
		name = func(i int) string { return cmp.Or(strings.TrimSpace(first[i]), fmt.Sprintf("column %d", i+1)) }
		subject, _, _ := chooseColumn(first, "", subjectNames(), true)
		if subject >= 0 && subject != c.text && subject != c.label {
			c.subject, t.Subject = subject, name(subject)
		}
	}
	t.Text, t.Label = name(c.text), name(c.label)
	if c.format.comma == 0 {
		c.useKeys(first)
	}
	t.columns = c
}

// useKeys makes the cells of a row of JSON those that are needed.
func (c *columns) useKeys(names []string) {
	c.format.keys = []string{names[c.text], names[c.label]}
	c.text, c.label = 0, 1
	if c.subject >= 0 {
		c.format.keys = append(c.format.keys, names[c.subject])
		c.subject = 2
	}
	c.width, c.header = len(c.format.keys), false
}

// chooseColumn returns the place of the column that is asked for by name or
// number, or has the first of the usual names; -1 if there is none of these.
func chooseColumn(first []string, asked string, usual []string, isJSON bool) (place int, named bool, err error) {
	if n, err := strconv.Atoi(asked); err == nil && !isJSON {
		if n < 1 || n > len(first) {
			return -1, false, fmt.Errorf("%w: there is no column %d in a first row of %d", ErrColumns, n, len(first))
		}
		return n - 1, false, nil
	}
	names := usual
	if asked != "" {
		names = []string{asked}
	}
	for _, name := range names {
		i := slices.IndexFunc(first, func(cell string) bool { return isOneOf(cell, []string{name}) })
		if i >= 0 {
			return i, true, nil
		}
	}
	if asked != "" {
		return -1, false, fmt.Errorf("%w: there is no column %q in the first row, which is %s", ErrColumns, asked, quoteCells(first))
	}
	return -1, false, nil
}

func isOneOf(cell string, names []string) bool {
	cell = strings.TrimSpace(cell)
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(cell, name) })
}

// guessColumns finds what was not asked for in a first row of a label and a text.
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

// quoteCells shows the first cells of a row.
func quoteCells(cells []string) string {
	const most = 8
	var b strings.Builder
	for i, cell := range cells {
		if i == most {
			b.WriteString(", ...")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", shorten(cell))
	}
	return b.String()
}
