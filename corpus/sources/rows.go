package sources

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxRowBytes is the size of the longest row of a table.
const maxRowBytes = 16 << 20

// rowFormat is the format of the rows of a table.
type rowFormat struct {
	// comma separates the cells of a row; with 0 each row is a JSON object.
	comma byte
	// array is set if the objects are the elements of one JSON array instead of one per line.
	array bool
	// keys are those of the objects whose values are the cells: the text, the label and possibly the subject.
	keys []string
}

func (f rowFormat) json() bool { return f.comma == 0 }

// A row is one row of a table. The bytes are valid until the next row is read.
type row struct {
	offset int64
	line   int // counted from 1
	bytes  []byte
}

// A rowScanner finds rows in a window that moves over a file. It reads no more than a limited row into memory, whatever the
// quotes and brackets of the file say: encoding/csv would read from an open quote to the end of the file. Each byte of the
// file is in one row or between rows, where only line ends are, and brackets and commas of a JSON array.
type rowScanner struct {
	r      io.Reader
	format rowFormat
	limit  int    // of the window
	buf    []byte // the window
	pos    int    // of the next byte in the window
	base   int64  // offset of the window in the file
	line   int    // of pos
	eof    bool   // the file is in the window to its end
	err    error  // of reading: io.EOF or another
	drop   bool   // the rest of the line belongs to a row that is too long
}

func newRowScanner(r io.Reader, format rowFormat) *rowScanner {
	return &rowScanner{r: r, format: format, limit: maxRowBytes, line: 1}
}

var errLongRow = errors.New("the row is too long")

// next returns the next row, or io.EOF. Further rows may follow errLongRow, which comes with the row's position, but no
// other error. A row in which reading fails is not returned.
func (s *rowScanner) next() (row, error) {
	for {
		if s.drop && !s.dropLine() {
			s.fill()
			continue
		}
		full := len(s.buf)-s.pos >= s.limit
		skip, size, ok := s.format.find(s.buf[s.pos:], s.eof || full)
		if !ok {
			s.fill()
			continue
		}
		s.advance(skip)
		if s.eof && s.pos+size == len(s.buf) && (size == 0 || s.err != io.EOF) {
			return row{line: s.line}, s.err
		}
		if size == 0 {
			s.fill()
			continue
		}
		r := row{s.base + int64(s.pos), s.line, s.buf[s.pos : s.pos+size]}
		s.advance(size)
		if size >= s.limit {
			s.drop = r.bytes[size-1] != '\n'
			return r, errLongRow
		}
		return r, nil
	}
}

func (s *rowScanner) advance(n int) {
	s.line += bytes.Count(s.buf[s.pos:s.pos+n], []byte("\n"))
	s.pos += n
}

// dropLine advances to the end of the line, and reports whether it is in the window.
func (s *rowScanner) dropLine() bool {
	rest := s.buf[s.pos:]
	i := bytes.IndexByte(rest, '\n')
	if i < 0 && !s.eof {
		s.advance(len(rest))
		return false
	}
	if i < 0 {
		i = len(rest) - 1
	}
	s.advance(i + 1)
	s.drop = false
	return true
}

// fill moves the rest of the window to its beginning, enlarges the window if it is full, and reads as much as fits.
func (s *rowScanner) fill() {
	left := copy(s.buf, s.buf[s.pos:])
	s.buf = s.buf[:left]
	s.base += int64(s.pos)
	s.pos = 0
	if left == cap(s.buf) {
		larger := make([]byte, left, min(max(2*left, 64<<10), s.limit))
		copy(larger, s.buf)
		s.buf = larger
	}
	// Unlike io.ReadFull, this keeps io.EOF apart from the error of a file that is cut off.
	for s.err == nil && len(s.buf) < cap(s.buf) {
		var n int
		n, s.err = s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
	}
	s.eof = s.err != nil
}

// find returns how many bytes of b are before the first row, and how many are in it, including its line end; 0 if b has no
// row. With end, no bytes follow b; otherwise more bytes may be needed to decide.
func (f rowFormat) find(b []byte, end bool) (skip, size int, ok bool) {
	between := "\r\n"
	if f.json() {
		between = " \t\r\n"
	}
	if f.array {
		between = " \t\r\n[],"
	}
	skip = len(b) - len(bytes.TrimLeft(b, between))
	b = b[skip:]
	switch {
	case len(b) == 0:
		return skip, 0, true
	case f.array:
		size, ok = elementEnd(b)
	case f.json() || f.comma == '\t':
		size, ok = lineRow(b)
	default:
		size, ok = csvRow(b, f.comma, end)
	}
	if !ok && end {
		return skip, len(b), true
	}
	return skip, size, ok
}

// lineRow returns the size of a row that is one line.
func lineRow(b []byte) (size int, ok bool) {
	i := bytes.IndexByte(b, '\n')
	return i + 1, i >= 0
}

// csvRow returns the size of a row of RFC 4180, whose quoted cells may contain line ends.
//
// QUIRK: the rule is that a quote within a quoted cell is doubled, and that no other cell has one. Real tables have lone
// quotes, and a reader that takes one for the beginning of a cell loses all rows up to the next. So a row with a misplaced
// quote is read as one line. See TestTables, "a quote that is not closed".
func csvRow(b []byte, comma byte, end bool) (size int, ok bool) {
	for i := 0; i < len(b); {
		if b[i] != '"' {
			n := bytes.IndexAny(b[i:], string([]byte{comma, '\n', '"'}))
			if n < 0 {
				return 0, false
			}
			i += n + 1
			switch b[i-1] {
			case '\n':
				return i, true
			case '"':
				return lineRow(b)
			}
			continue
		}
		n, closed := quotedEnd(b[i:])
		i += n
		rest := b[i:]
		switch {
		case !closed && end:
			return lineRow(b)
		case len(rest) == 0 || string(rest) == "\r":
			return 0, false
		case rest[0] == comma:
			i++
		case rest[0] == '\n':
			return i + 1, true
		case rest[0] == '\r' && rest[1] == '\n':
			return i + 2, true
		default:
			return lineRow(b)
		}
	}
	return 0, false
}

// quotedEnd returns the length of the quoted cell at the beginning of b, and whether it is closed.
func quotedEnd(b []byte) (n int, closed bool) {
	for n = 1; ; {
		i := bytes.IndexByte(b[n:], '"')
		if i < 0 {
			return len(b), false
		}
		n += i + 1
		if n == len(b) || b[n] != '"' {
			return n, true
		}
		n++
	}
}

// elementEnd returns the size of an element of a JSON array. Anything but an object extends to the next comma or line end.
func elementEnd(b []byte) (size int, ok bool) {
	if b[0] != '{' {
		i := bytes.IndexAny(b, ",\n")
		return i + 1, i >= 0
	}
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return 0, false
}

func (f rowFormat) cells(row []byte) ([]string, error) {
	switch f.comma {
	case 0:
		return f.values(row)
	case '\t':
		cells := strings.Split(strings.TrimRight(string(row), "\r\n"), "\t")
		for i, c := range cells {
			cells[i] = unquote(c)
		}
		return cells, nil
	}
	r := csv.NewReader(bytes.NewReader(row))
	r.Comma = rune(f.comma)
	r.FieldsPerRecord = -1
	r.LazyQuotes = true
	cells, err := r.Read()
	if err == io.EOF {
		return nil, errors.New("the row is empty")
	}
	return cells, err
}

// unquote removes the quotes around a whole cell. A cell of a tab-separated table has no line ends, so a lone quote is
// harmless.
func unquote(cell string) string {
	if len(cell) < 2 || cell[0] != '"' || cell[len(cell)-1] != '"' {
		return cell
	}
	return strings.ReplaceAll(cell[1:len(cell)-1], `""`, `"`)
}

// values returns the values of the keys in a JSON object. Null gives an empty cell, and so does a missing key, except for the
// first two: the text and the label.
func (f rowFormat) values(row []byte) ([]string, error) {
	object, err := parseObject(row)
	if err != nil {
		return nil, err
	}
	cells := make([]string, len(f.keys))
	for i, key := range f.keys {
		value, found := object[key]
		switch {
		case !found && i < 2:
			return nil, fmt.Errorf("JSON: has no key %q", key)
		case !found || string(value) == "null":
		case value[0] == '"':
			if err := json.Unmarshal(value, &cells[i]); err != nil {
				return nil, err
			}
		case value[0] == '{' || value[0] == '[':
			return nil, fmt.Errorf("JSON: the value of %q is neither text nor a number", key)
		default:
			cells[i] = string(value)
		}
	}
	return cells, nil
}

func parseObject(row []byte) (map[string]json.RawMessage, error) {
	var object map[string]json.RawMessage
	err := json.Unmarshal(row, &object)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok || err == nil && object == nil {
		err = errors.New("is not an object")
	}
	if err != nil {
		return nil, fmt.Errorf("JSON: %w", err)
	}
	return object, nil
}
