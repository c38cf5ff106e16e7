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

// override is an open override, embedding or isolate of the bidirectional algorithm (UAX #9, X1 to X8), simplified for letters that are read
// from left to right.
type override struct {
	start     int  // of the text inside
	backwards bool // the text is displayed from right to left
	turns     bool // the text around it is displayed in the other direction
}

// displayOrder returns text in the order in which it is displayed.
func (v *viewer) displayOrder(text []byte) []byte {
	if !bytes.Contains(text, []byte(rightToLeft)) {
		return text
	}
	var open [maxOverrides + 1]override // the first is the text around all
	depth := 0                          // may be more than maxOverrides: those inside of the last one are ignored
	dst := v.ordered[:0]
	end := func() {
		if depth > 0 && depth <= maxOverrides && open[depth].turns {
			reverse(dst[open[depth].start:])
		}
		depth = max(depth-1, 0)
	}
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch r {
		case 0x202c, 0x2069: // an end
			end()
		case 0x202a, 0x202b, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068: // embeddings, overrides, isolates
			dst = append(dst, text[:size]...)
			if depth++; depth <= maxOverrides {
				backwards := r == 0x202e
				open[depth] = override{len(dst), backwards, backwards != open[depth-1].backwards}
			}
		default:
			dst = append(dst, text[:size]...)
		}
		text = text[size:]
	}
	for depth > 0 {
		end()
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
