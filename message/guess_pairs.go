package message

import (
	"unicode/utf8"

	"chaff/internal/ascii"
)

const (
	pointsCommon   = 16  // one of the common characters
	pointsKana     = 14  // a Japanese letter
	pointsUsual    = 5   // a character of the common levels of the charset
	pointsRare     = -4  // any other
	pointsHalfKana = -2  // a half-width Japanese letter, which is obsolete
	pointsBroken   = -12 // an undefined pair of bytes
)

// doubleTable is a charset of two bytes a character.
type doubleTable struct {
	name   string
	common [1 << 16 / 64]uint64 // the set of common characters, by their two bytes
}

func newDoubleTable(name string, s script) doubleTable {
	t := doubleTable{name: name}
	encoder := encodingOf(name).NewEncoder()
	for _, r := range s.common {
		var text, encoded [2 * utf8.UTFMax]byte
		encoder.Reset()
		n, _, err := encoder.Transform(encoded[:], utf8.AppendRune(text[:0], r), true)
		if err == nil && n == 2 {
			at := uint16(encoded[0])<<8 | uint16(encoded[1])
			t.common[at/64] |= 1 << (at % 64)
		}
	}
	return t
}

// score returns the points of text in the charset, whether no character is rare or broken, and whether most are broken or follow an ASCII letter,
// as they do if the text is in a Latin alphabet.
func (t *doubleTable) score(text []byte) (score int, frequent, latin bool) {
	all, odd := 0, 0
	frequent = true
	last := byte(0)
	for len(text) > 0 {
		lead := text[0]
		if lead < utf8.RuneSelf {
			last = lead
			text = text[1:]
			continue
		}
		var points int
		length := 2
		switch {
		case t.name == "shift_jis" && 0xa1 <= lead && lead <= 0xdf:
			points, length = pointsHalfKana, 1
		case len(text) == 1: // the sample ends inside of a character
			return score, frequent, odd*2 > all
		default:
			points = t.points(lead, text[1])
			if at := uint16(lead)<<8 | uint16(text[1]); t.common[at/64]&(1<<(at%64)) != 0 {
				points = pointsCommon
			}
		}
		if points == pointsBroken {
			length = 1
		}
		score += points
		frequent = frequent && points > 0
		all++
		if points == pointsBroken || ascii.IsLetter(last) {
			odd++
		}
		trail := text[length-1]
		text = text[length:]
		if ascii.IsLetter(trail) && len(text) > 0 && ascii.IsLetter(text[0]) {
			score += pointsMixed // probably a symbol before a word, such as a bullet
		}
		last = lead
	}
	return score, frequent, odd*2 > all
}

// points returns the points of a character that is not common.
func (t *doubleTable) points(lead, trail byte) int {
	switch t.name {
	case "shift_jis":
		return pointsShiftJIS(lead, trail)
	case "big5":
		return pointsBig5(lead, trail)
	}
	// The EUC charsets have 94 rows of 94 characters.
	if !between(lead, 0xa1, 0xfe) || !between(trail, 0xa1, 0xfe) {
		if t.name == "gb18030" && between(lead, 0x81, 0xfe) && between(trail, 0x40, 0xfe) {
			return pointsRare // added by GBK
		}
		return pointsBroken
	}
	switch t.name {
	case "euc-jp":
		if lead == 0xa4 && trail <= 0xf3 || lead == 0xa5 && trail <= 0xf6 {
			return pointsKana
		}
		return usual(between(lead, 0xb0, 0xcf))
	case "euc-kr":
		return usual(between(lead, 0xb0, 0xc8))
	}
	return usual(between(lead, 0xb0, 0xd7)) // GB 2312
}

func pointsShiftJIS(lead, trail byte) int {
	switch {
	case !between(trail, 0x40, 0xfc) || trail == 0x7f || lead == 0x80 || lead == 0xa0 || lead >= 0xf0:
		return pointsBroken
	case lead == 0x82 && between(trail, 0x9f, 0xf1), lead == 0x83 && trail <= 0x96:
		return pointsKana
	}
	return usual(between(lead, 0x88, 0x98))
}

func pointsBig5(lead, trail byte) int {
	if !between(lead, 0xa1, 0xf9) || !between(trail, 0x40, 0x7e) && !between(trail, 0xa1, 0xfe) {
		return pointsBroken
	}
	return usual(between(lead, 0xa4, 0xc6))
}

func usual(is bool) int {
	if is {
		return pointsUsual
	}
	return pointsRare
}

func between(c, low, high byte) bool { return low <= c && c <= high }
