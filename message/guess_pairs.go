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
	t := doubleTable{name: name, rows: pairs[name]}
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
		if r.limits[0] <= lead && lead <= r.limits[1] && r.limits[2] <= trail && trail <= r.limits[3] {
			return r.points
		}
	}
	return pointsBroken
}

// rows is a range of pairs of bytes, and the points of its characters.
type rows struct {
	limits string // the least and the greatest first byte, and the same of the second
	points int
}

// pairs is the rows of charsets. The first that has a pair counts.
var pairs = map[string][]rows{
	"shift_jis": {
		{"\x82\x82\x9f\xf1", pointsKana}, {"\x83\x83\x40\x7e", pointsKana}, {"\x83\x83\x80\x96", pointsKana},
		{"\x88\x98\x40\x7e", pointsUsual}, {"\x88\x98\x80\xfc", pointsUsual}, {"\x81\x9f\x40\x7e", pointsRare},
		{"\x81\x9f\x80\xfc", pointsRare}, {"\xe0\xef\x40\x7e", pointsRare}, {"\xe0\xef\x80\xfc", pointsRare},
	},
	"big5": {
		{"\xa4\xc6\x40\x7e", pointsUsual}, {"\xa4\xc6\xa1\xfe", pointsUsual}, {"\xa1\xf9\x40\x7e", pointsRare}, {"\xa1\xf9\xa1\xfe", pointsRare},
	},
	"euc-jp": {
		{"\xa4\xa4\xa1\xf3", pointsKana}, {"\xa5\xa5\xa1\xf6", pointsKana}, {"\xb0\xcf\xa1\xfe", pointsUsual}, {"\xa1\xfe\xa1\xfe", pointsRare},
	},
	"euc-kr": {{"\xb0\xc8\xa1\xfe", pointsUsual}, {"\xa1\xfe\xa1\xfe", pointsRare}},
	"gb18030": { // GB 2312, and what GBK added
		{"\xb0\xd7\xa1\xfe", pointsUsual}, {"\xa1\xfe\xa1\xfe", pointsRare}, {"\x81\xfe\x40\xfe", pointsRare},
	},
}
