package message

import (
	"slices"
	"unicode/utf8"
)

// reverseTo notes that text appended to the arena from here on is reversed that many times. It reverses the text of levels
// that end (Unicode Bidirectional Algorithm, UAX #9, rule L2).
//
// QUIRK: text is written in reading order. With bdo and unicode-bidi, letters written backwards are shown forwards, so that
// none of their words is in the source (html-turned.eml).
func (d *Decoder) reverseTo(h *htmlState, to uint8) {
	for ; h.reversals > to; h.reversals-- {
		reverseLetters(d.arena[h.reversedFrom[h.reversals]:])
	}
	for h.reversals < to {
		h.reversals++
		h.reversedFrom[h.reversals] = len(d.arena)
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
