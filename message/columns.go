package message

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// table is the current table.
type table struct {
	isNarrow bool
	row      int32
}

// cell is a cell of a table: its row and column, and its text in the arena.
type cell struct {
	row, column int32
	start, end  int
}

const (
	maxCells       = 256 // of a table
	maxColumns     = 32
	maxCell        = 64 // bytes
	maxCellLetters = 2  // in a line of a cell
	minColumn      = 3  // letters of a word that is joined from cells
)

// noteCell notes where a table, row or cell starts.
func (d *Decoder) noteCell(name []byte, h *htmlState) {
	t := &h.table
	switch string(name) {
	case "table":
		*t = table{isNarrow: true}
		d.cells = d.cells[:0]
	case "tr":
		t.row++
	case "td", "th":
		if !t.isNarrow {
			return
		}
		column := int32(0)
		if n := len(d.cells); n > 0 {
			last := &d.cells[n-1]
			last.end = len(d.arena)
			if last.row == t.row {
				column = last.column + 1
			}
			if last.end-last.start > maxCell || n == maxCells || column == maxColumns {
				t.isNarrow = false
				return
			}
		}
		d.cells = append(d.cells, cell{t.row, column, len(d.arena), len(d.arena)})
	}
}

// joinCells ends a table. If each line of its cells has a letter or two, joinCells adds the words that they form across rows
// and down columns. It keeps the cells, because either direction may be meant.
//
// QUIRK: a table is read cell by cell. Tables with one letter in each cell, or columns of letters, show words that are not
// in the source (html-columns.eml).
func (d *Decoder) joinCells(h *htmlState) {
	n := len(d.cells)
	isNarrow := h.table.isNarrow
	h.table.isNarrow = false
	if !isNarrow || n < minColumn-1 {
		return
	}
	d.reverseTo(h, 0)
	d.cells[n-1].end = len(d.arena)
	single, letters, width := true, 0, int32(0) // single: each cell has one line
	for i := range d.cells {
		c := &d.cells[i]
		if c.end-c.start > maxCell {
			return
		}
		lines, n := linesOfLetters(d.arena[c.start:c.end])
		if lines < 0 {
			return
		}
		single, letters, width = single && lines <= 1, letters+n, max(width, c.column+1)
	}
	if letters < minColumn {
		return
	}
	for column := int32(0); single && column < width; column++ {
		d.joinLines(d.cells, column)
	}
	for first := 0; first < n; {
		end := first + 1
		for end < n && d.cells[end].row == d.cells[first].row {
			end++
		}
		for d.joinLines(d.cells[first:end], anyColumn) {
		}
		first = end
	}
}

// linesOfLetters returns how many lines with letters a cell has, and how many letters. The number of lines is negative if
// the cell contains anything else, or too many letters in a line.
func linesOfLetters(text []byte) (lines, letters int) {
	inLine := 0
	for len(text) > 0 {
		r, length := utf8.DecodeRune(text)
		text = text[length:]
		switch {
		case r == '\n':
			inLine = 0
		case unicode.IsSpace(r):
		case !isLetterOfWords(r) || unicode.IsDigit(r) || inLine == maxCellLetters:
			return -1, 0
		default:
			if inLine == 0 {
				lines++
			}
			inLine++
			letters++
		}
	}
	return lines, letters
}

const anyColumn int32 = -1

// joinLines adds the word that the next lines of the cells in a column form. For anyColumn it moves on to the lines after
// them, and reports whether there were any.
func (d *Decoder) joinLines(cells []cell, column int32) (more bool) {
	start := len(d.arena)
	d.arena = append(d.arena, '\n')
	for i := range cells {
		c := &cells[i]
		if column != anyColumn && c.column != column {
			continue
		}
		text := bytes.TrimLeftFunc(d.arena[c.start:c.end], unicode.IsSpace)
		line, _ := cutLine(text)
		if column == anyColumn {
			c.start = c.end - len(text) + len(line)
		}
		d.arena = append(d.arena, bytes.TrimRightFunc(line, unicode.IsSpace)...)
		more = more || len(line) > 0
	}
	if utf8.RuneCount(d.arena[start+1:]) < minColumn {
		d.arena = d.arena[:start]
		return more
	}
	d.arena = append(d.arena, '\n')
	return more
}
