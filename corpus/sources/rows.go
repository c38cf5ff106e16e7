package sources

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// maxRowBytes is the size of the longest row of a table.
const maxRowBytes = 16 << 20

// A row is one row of a table. The bytes are valid until the next row is read.
type row struct {
	offset int64
	line   int // counted from 1
	bytes  []byte
	label  string // in its cell, once it is parsed
}

// A rowScanner finds the rows of a table for encoding/csv, which would read from an open quote to the end of the file. It reads no more
// than a limited row into memory, whatever the quotes say. Each byte of the file is in one row or between rows, where only a byte order mark
// and line ends are.
type rowScanner struct {
	scanner *bufio.Scanner
	comma   byte
	limit   int
	next    row  // begins where the last one ended, until it is found
	drop    bool // the rest of the line belongs to a row that is too long
}

func newRowScanner(r io.Reader, comma byte) *rowScanner {
	s := &rowScanner{scanner: bufio.NewScanner(r), comma: comma, limit: maxRowBytes, next: row{line: 1}}
	s.scanner.Buffer(nil, 2*maxRowBytes)
	s.scanner.Split(s.split)
	return s
}

var errLongRow = errors.New("the row is too long")

// rows yields the rows. Further rows may follow errLongRow, which comes with the row's position, but no other error. A row in which reading
// fails is not yielded.
func (s *rowScanner) rows(yield func(row, error) bool) {
	for s.scanner.Scan() {
		r := s.next
		s.advance(r.bytes)
		var err error
		if len(r.bytes) >= s.limit {
			err = errLongRow
		} else if s.scanner.Err() != nil && r.bytes[len(r.bytes)-1] != '\n' {
			yield(row{line: r.line}, s.scanner.Err())
			return
		}
		if !yield(r, err) {
			return
		}
	}
	if err := s.scanner.Err(); err != nil {
		yield(row{line: s.next.line}, err)
	}
}

func (s *rowScanner) advance(b []byte) {
	s.next.offset += int64(len(b))
	s.next.line += bytes.Count(b, []byte("\n"))
}

// split is a [bufio.SplitFunc] whose tokens are the bytes of rows.
func (s *rowScanner) split(b []byte, end bool) (advance int, token []byte, err error) {
	at := 0
	switch {
	case s.drop:
		if at = bytes.IndexByte(b, '\n') + 1; at == 0 {
			at = len(b)
		}
		s.drop = at == 0 || b[at-1] != '\n'
	case s.next.offset > 0:
	case bytes.HasPrefix(b, []byte(byteOrderMark)):
		at = len(byteOrderMark)
	case strings.HasPrefix(byteOrderMark, string(b)) && !end:
		return 0, nil, nil
	}
	at = len(b) - len(bytes.TrimLeft(b[at:], "\r\n"))
	s.advance(b[:at])
	b = b[at:]
	size := rowSize(b, s.comma, end || len(b) >= s.limit)
	if size == 0 {
		return at, nil, nil
	}
	s.next.bytes = b[:size]
	s.drop = size >= s.limit && b[size-1] != '\n'
	return at + size, b[:size], nil
}

// rowSize returns the size of the row that b begins with, including its line end, or 0 if more bytes are needed. With end, no bytes follow b.
//
// QUIRK: in a row of RFC 4180 only quoted cells have line ends and quotes, and these quotes are doubled. Real tables have lone quotes, and a
// reader that takes one for the beginning of a cell loses all rows up to the next. So a row is one line unless encoding/csv accepts the lines
// up to the one that makes the number of quotes even. See TestTables, "a quote that is not closed".
func rowSize(b []byte, comma byte, end bool) int {
	first, quotes := 0, 0
	for size := 0; size < len(b); {
		n := bytes.IndexByte(b[size:], '\n') + 1
		if n == 0 && !end {
			return 0
		}
		if n == 0 {
			n = len(b) - size
		}
		quotes += bytes.Count(b[size:size+n], []byte(`"`))
		size += n
		if first == 0 {
			first = size
		}
		if comma == '\t' || quotes%2 == 0 {
			if size > first && !isRow(b[:size], comma) {
				break
			}
			return size
		}
	}
	if end || quotes%2 == 0 {
		return first
	}
	return 0
}

// isRow reports whether encoding/csv accepts b as a row.
func isRow(b []byte, comma byte) bool {
	r := newCSV(b, comma)
	r.LazyQuotes = false
	_, err := r.Read()
	return err == nil
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
	cells, err := newCSV(row, comma).Read()
	if err == io.EOF {
		return nil, errors.New("the row is empty")
	}
	return cells, err
}
