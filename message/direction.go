package message

import (
	"slices"
	"unicode/utf8"
)

// maxReversals is how often the order of letters may be reversed inside of each other.
const maxReversals = 8

// reversals says how often the order of letters is reversed at the end of a text, and where each reversal begins.
type reversals struct {
	n    uint8
	from [maxReversals + 1]int
}

// to notes that text appended from here on is reversed that many times. It reverses the text of levels that end (Unicode
// Bidirectional Algorithm, UAX #9, rule L2).
//
// QUIRK: text is written in reading order. With bdo, letters written backwards are shown forwards, so that none of their words is in
// the source (html-turned.eml).
func (r *reversals) to(n uint8, text []byte) {
	for ; r.n > n; r.n-- {
		reverseLetters(text[r.from[r.n]:])
	}
	for r.n < n {
		r.n++
		r.from[r.n] = len(text)
	}
}

// reverseLetters reverses the order of the characters of text.
func reverseLetters(text []byte) {
	for at := 0; at < len(text); {
		_, length := utf8.DecodeRune(text[at:])
		slices.Reverse(text[at : at+length])
		at += length
	}
	slices.Reverse(text)
}
