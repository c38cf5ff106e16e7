package message

import (
	"slices"
	"unicode/utf8"
)

// reverseTo notes that what is added to the arena from here on is turned that often: from right to left if the number is odd. What
// was turned more often is put into the order in which it is seen, as in the Unicode Bidirectional Algorithm (UAX #9, L2).
//
// QUIRK: text is written in the order in which it is read. bdo and unicode-bidi let letters be seen from right to left that
// are written so, and no word of them is in the source (html-turned.eml).
func (d *Decoder) reverseTo(h *htmlState, to uint8) {
	for ; h.reversals > to; h.reversals-- {
		reverseLetters(d.arena[h.reversedFrom[h.reversals]:])
	}
	for h.reversals < to {
		h.reversals++
		h.reversedFrom[h.reversals] = len(d.arena)
	}
}

// reverseLetters puts the characters of text, which is UTF-8, into the opposite order.
func reverseLetters(text []byte) {
	for at := 0; at < len(text); {
		_, length := utf8.DecodeRune(text[at:])
		slices.Reverse(text[at : at+length])
		at += length
	}
	slices.Reverse(text)
}
