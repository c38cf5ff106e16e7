package message

import (
	"bytes"
	"slices"
)

// A uuencoded file:
//
//	begin 644 name
//	#86)C
//	`
//	end
//
// A line begins with its number of bytes. Each four characters after it hold three bytes. A character is a blank plus six
// bits, and "`" is 0.

const maxUULine = 1 + 63/3*4 + 2 // the length, the longest data, and a checksum that some programs add

// cutUUBegin reads the line that begins a file. The mode has three or four digits.
func cutUUBegin(line []byte) (name []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("begin "))
	after := bytes.TrimLeft(rest, "01234567")
	if digits := len(rest) - len(after); !ok || digits < 3 || digits > 4 || !bytes.HasPrefix(after, []byte(" ")) {
		return nil, false
	}
	name = bytes.TrimSpace(after)
	return name, len(name) > 0
}

// uuLine is the state of a line of a uuencoded file.
type uuLine uint8

const (
	uuForeign uuLine = iota // another line
	uuDamaged               // some characters are missing
	uuWhole                 // it is complete
)

func uuLineOf(line []byte) uuLine {
	isOther := func(c byte) bool { return c < ' ' || c > '`' }
	if len(line) == 0 || len(line) > maxUULine || slices.ContainsFunc(line, isOther) {
		return uuForeign
	}
	want, have := (int(uuDigit(line[0]))+2)/3*4, len(line)-1
	switch {
	case have >= want && have <= want+2:
		return uuWhole
	case have < want && have >= want/2:
		return uuDamaged
	}
	return uuForeign
}

func uuDigit(c byte) byte { return (c - ' ') & 0x3f }

// appendUULine appends the bytes of a line. It omits bytes whose characters are missing.
func appendUULine(dst, line []byte) []byte {
	left := int(uuDigit(line[0]))
	for line = line[1:]; left > 0 && len(line) > 1; left -= 3 {
		var group uint32
		n := min(4, len(line))
		for i := range 4 {
			group <<= 6
			if i < n {
				group |= uint32(uuDigit(line[i]))
			}
		}
		line = line[n:]
		three := [3]byte{byte(group >> 16), byte(group >> 8), byte(group)}
		dst = append(dst, three[:min(left, n-1)]...)
	}
	return dst
}

// appendUU appends the bytes of lines after a begin line. It returns what follows the file, and whether the file was
// complete.
//
// QUIRK: the last line of a file is "end". It is missing if the mail was cut, and in the first of several mails with one
// file (uuencode-broken.eml). So a file continues as long as its lines look like uuencode.
func appendUU(dst, lines []byte) (_, rest []byte, ok bool) {
	ok = true
	for len(lines) > 0 {
		line, after := cutLine(lines)
		if string(bytes.TrimRight(line, " \t")) == "end" {
			return dst, after, ok
		}
		switch uuLineOf(line) {
		case uuWhole:
			dst = appendUULine(dst, line)
		case uuDamaged:
			ok = false
			dst = appendUULine(dst, line)
		case uuForeign:
			ok = false
			if next, _ := cutLine(after); uuLineOf(next) != uuWhole && string(next) != "end" {
				return dst, lines, false
			}
		}
		lines = after
	}
	return dst, nil, false
}

// findUUBegin returns the offset of the first line that begins a file, and that of the next line. A file must follow, since
// people write "begin", too.
func findUUBegin(text []byte) (at, lines int, name []byte, ok bool) {
	for {
		line, rest := cutLine(text[at:])
		if name, ok = cutUUBegin(line); ok {
			if next, _ := cutLine(rest); uuLineOf(next) == uuWhole {
				return at, len(text) - len(rest), name, true
			}
		}
		next := bytes.Index(text[at:], []byte("\nbegin "))
		if next < 0 {
			return 0, 0, nil, false
		}
		at += next + 1
	}
}

// uuBody returns the content of a body that is declared as uuencode. Without a begin line, its first line must look like
// uuencode.
func (t *texts) uuBody(body []byte) []byte {
	_, from, _, ok := findUUBegin(body)
	if first, _ := cutLine(body); !ok && uuLineOf(first) != uuWhole {
		t.repairs.add(BadUUencode)
		return body
	}
	start := len(t.arena)
	var whole bool
	t.arena, _, whole = appendUU(t.arena, body[from:])
	if !whole || !ok {
		t.repairs.add(BadUUencode)
	}
	return t.made(start)
}
