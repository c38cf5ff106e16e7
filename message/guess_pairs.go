package message

import (
	"unicode/utf8"

	"golang.org/x/net/html/charset"

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
	rows   []rows
	common [1 << 16 / 64]uint64 // the set of common characters, by their two bytes
}

func newDoubleTable(name string, s script) doubleTable {
	t := doubleTable{name: name, rows: rowsOf(name)}
	enc, _ := charset.Lookup(name)
	encoder := enc.NewEncoder()
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
	for _, r := range t.rows {
		if between(lead, r.lead) && between(trail, r.trail) {
			return r.points
		}
	}
	return pointsBroken
}

func between(c byte, limits [2]byte) bool { return limits[0] <= c && c <= limits[1] }

// rows is a range of pairs of bytes, and the points of its characters.
type rows struct {
	lead, trail [2]byte
	points      int
}

// rowsOf returns the rows of a charset. The first that has a pair counts.
func rowsOf(name string) []rows {
	high := [2]byte{0xa1, 0xfe}
	switch name {
	case "shift_jis":
		low, high := [2]byte{0x40, 0x7e}, [2]byte{0x80, 0xfc}
		return []rows{
			{[2]byte{0x82, 0x82}, [2]byte{0x9f, 0xf1}, pointsKana},
			{[2]byte{0x83, 0x83}, low, pointsKana}, {[2]byte{0x83, 0x83}, [2]byte{0x80, 0x96}, pointsKana},
			{[2]byte{0x88, 0x98}, low, pointsUsual}, {[2]byte{0x88, 0x98}, high, pointsUsual},
			{[2]byte{0x81, 0x9f}, low, pointsRare}, {[2]byte{0x81, 0x9f}, high, pointsRare},
			{[2]byte{0xe0, 0xef}, low, pointsRare}, {[2]byte{0xe0, 0xef}, high, pointsRare},
		}
	case "big5":
		low := [2]byte{0x40, 0x7e}
		return []rows{
			{[2]byte{0xa4, 0xc6}, low, pointsUsual}, {[2]byte{0xa4, 0xc6}, high, pointsUsual},
			{[2]byte{0xa1, 0xf9}, low, pointsRare}, {[2]byte{0xa1, 0xf9}, high, pointsRare},
		}
	case "euc-jp":
		return []rows{
			{[2]byte{0xa4, 0xa4}, [2]byte{0xa1, 0xf3}, pointsKana}, {[2]byte{0xa5, 0xa5}, [2]byte{0xa1, 0xf6}, pointsKana},
			{[2]byte{0xb0, 0xcf}, high, pointsUsual}, {high, high, pointsRare},
		}
	case "euc-kr":
		return []rows{{[2]byte{0xb0, 0xc8}, high, pointsUsual}, {high, high, pointsRare}}
	}
	return []rows{ // GB 2312, and what GBK added
		{[2]byte{0xb0, 0xd7}, high, pointsUsual}, {high, high, pointsRare}, {[2]byte{0x81, 0xfe}, [2]byte{0x40, 0xfe}, pointsRare},
	}
}
