package tokenize

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// rightToLeft is RIGHT-TO-LEFT OVERRIDE: whatever follows it is displayed from right to left.
const rightToLeft = "\u202e"

// maxOverrides is how many nested overrides are followed.
const maxOverrides = 8

// overrides is the stack of open overrides, embeddings and isolates of the bidirectional algorithm (UAX #9, X1 to X8), simplified for
// letters that are read from left to right.
type overrides struct {
	open  [maxOverrides]override
	depth int // may be more than maxOverrides: those inside of the last one are ignored
}

type override struct {
	start     int  // of the text inside
	backwards bool // the text is displayed from right to left
	turns     bool // the text around it is displayed in the other direction
}

func (s *overrides) push(start int, backwards bool) {
	if s.depth < maxOverrides {
		outer := s.depth > 0 && s.open[s.depth-1].backwards
		s.open[s.depth] = override{start, backwards, backwards != outer}
	}
	s.depth++
}

// pop closes the innermost override and reverses the text inside if it is displayed in the other direction.
func (s *overrides) pop(text []byte) {
	if s.depth == 0 {
		return
	}
	s.depth--
	if s.depth < maxOverrides && s.open[s.depth].turns {
		reverse(text[s.open[s.depth].start:])
	}
}

// displayOrder returns text in the order in which it is displayed.
func (v *viewer) displayOrder(text []byte) []byte {
	if !bytes.Contains(text, []byte(rightToLeft)) {
		return text
	}
	var open overrides
	dst := v.ordered[:0]
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == 0x202c || r == 0x2069 { // an end
			open.pop(dst)
		} else {
			dst = append(dst, text[:size]...)
		}
		switch r {
		case 0x202a, 0x202b, 0x202d, 0x2066, 0x2067, 0x2068: // embeddings, the other override, isolates
			open.push(len(dst), false)
		case 0x202e:
			open.push(len(dst), true)
		}
		text = text[size:]
	}
	for range open.depth {
		open.pop(dst)
	}
	v.ordered = dst
	return dst
}

// reverse reverses the characters of text, each with its combining marks, unless text is in a script from right to left.
func reverse(text []byte) {
	if bytes.ContainsFunc(text, func(r rune) bool { s := scriptOf(r); return s == hebrew || s == arabic }) {
		return
	}
	for rest := text; len(rest) > 0; {
		_, size := utf8.DecodeRune(rest)
		for size < len(rest) {
			r, n := utf8.DecodeRune(rest[size:])
			if !unicode.IsMark(r) {
				break
			}
			size += n
		}
		slices.Reverse(rest[:size])
		rest = rest[size:]
	}
	slices.Reverse(text)
}
