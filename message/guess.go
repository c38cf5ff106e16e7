package message

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// guess appends 8-bit text of an unknown charset to the arena, converted from the likeliest one.
func (t *texts) guess(text []byte) {
	t.decode(t.codec([]byte(t.guesses().charset(text))), text)
}

// guesses returns the guesser. Most messages need none.
func (t *texts) guesses() *guesser {
	if t.guesser == nil {
		t.guesser = newGuesser()
	}
	return t.guesser
}

// guesser finds the likeliest charset of a sample of text. Each charset gets points: many for bytes that are common letters
// in it, few or less than none for what its texts do not contain. If no other charset wins, it is windows-1252, as in mail
// readers. TestCharsetsAreGuessed measures it.
//
// The letters of an alphabet are listed by frequency, which gives their points. As with logarithms of probabilities, the sum
// says how likely the text is. Frequencies of pairs of letters would need tables a hundred times larger.
type guesser struct {
	singles []singleTable
	doubles []doubleTable
}

const (
	fallback      = "windows-1252"
	fallbackBonus = 8  // points in advance for the likeliest charset
	enoughPoints  = 16 // the points that another script needs: about three letters or one common character

	pointsUnlisted = -5  // a letter that the languages of the charset do not use
	pointsSymbol   = 1   // a quotation mark, a dash, a sign of currency
	pointsOdd      = -4  // any other symbol
	pointsControl  = -12 // a control character, or an undefined byte
	pointsMixed    = -7  // letters of two scripts side by side, or two letters beyond ASCII side by side in a Latin script
	pointsCase     = -8  // a capital letter after a small one
)

// byteClass is the kind of character that a byte is in a single-byte charset.
type byteClass uint8

const (
	classNone byteClass = iota // no letter
	classSmall
	classCapital
	classPlain // a letter without case
)

// singleTable is a single-byte charset.
type singleTable struct {
	name   string
	latin  bool
	runes  [256]rune
	points [256]int8
	class  [256]byteClass
}

func newGuesser() *guesser {
	g := &guesser{}
	for _, a := range alphabets() {
		for _, name := range a.charsets {
			t := newSingleTable(name, a)
			for c := range t.points {
				if len(g.singles) > 0 && t.latin && t.runes[c] == g.singles[0].runes[c] { // what two Latin charsets share does not tell them apart
					t.points[c] = g.singles[0].points[c]
				}
			}
			g.singles = append(g.singles, t)
		}
	}
	for _, s := range scripts() {
		for _, name := range s.charsets {
			g.doubles = append(g.doubles, newDoubleTable(name, s))
		}
	}
	return g
}

func newSingleTable(name string, a alphabet) singleTable {
	t := singleTable{name: name, latin: a.latin}
	ranks := map[rune]int{}
	for _, r := range a.letters {
		ranks[r] = len(ranks)
	}
	var all [256]byte
	for c := range all {
		all[c] = byte(c)
	}
	decoded, _ := newCodec(name).decoder.Bytes(all[:]) // one character for each byte, U+FFFD where there is none
	for c := range all {
		r, size := utf8.DecodeRune(decoded)
		decoded = decoded[size:]
		if c >= utf8.RuneSelf {
			t.points[c] = int8(pointsOf(r, ranks))
		}
		t.runes[c], t.class[c] = r, classOf(r)
	}
	return t
}

func classOf(r rune) byteClass {
	switch {
	case unicode.IsLower(r):
		return classSmall
	case unicode.IsUpper(r):
		return classCapital
	case unicode.IsLetter(r), unicode.IsMark(r):
		return classPlain
	}
	return classNone
}

// pointsOf returns the points of a character beyond ASCII by the ranks of letters: 9 for the first, 2 for the thirtieth.
func pointsOf(r rune, ranks map[rune]int) int {
	const symbols = "\u00a0“”‘’„«»‹›–—…•€£°©®™§·¿¡"
	rank, listed := ranks[unicode.ToLower(r)]
	switch {
	case listed:
		points := int(math.Round(9 - 2*math.Log2(float64(rank)/3+1)))
		if unicode.IsUpper(r) {
			points = max(points-3, pointsSymbol+1)
		}
		return points
	case r == utf8.RuneError || unicode.IsControl(r):
		return pointsControl
	case unicode.IsLetter(r):
		return pointsUnlisted
	case strings.ContainsRune(symbols, r):
		return pointsSymbol
	}
	return pointsOdd
}

// score returns the points of text in the charset. A single letter is probably a symbol of another charset, and
// counts for nothing.
func (t *singleTable) score(text []byte) int {
	score, pending := 0, 0
	last, lastHigh := classNone, false
	for _, c := range text {
		high := c >= utf8.RuneSelf
		class := t.class[c]
		points := int(t.points[c])
		switch {
		case class == classNone:
			score += points
			pending = 0
		case last == classNone:
			pending = points
		default:
			score += pending + points
			pending = 0
			if (high || lastHigh) && t.latin == (high && lastHigh) {
				score += pointsMixed
			}
			if (high || lastHigh) && class == classCapital && last == classSmall {
				score += pointsCase
			}
		}
		last, lastHigh = class, high
	}
	return score
}

// charset returns the name of the likeliest charset of text.
func (g *guesser) charset(text []byte) string {
	text = sample(text)
	best, name := 0, fallback
	for i := range g.singles {
		t := &g.singles[i]
		score := t.score(text)
		if t.name == fallback {
			score += fallbackBonus
		}
		if score > best && (t.latin || score >= enoughPoints) {
			best, name = score, t.name
		}
	}
	if standAlone(text) {
		return name
	}
	for i := range g.doubles {
		t := &g.doubles[i]
		if score, _, _ := t.score(text); score > best && score >= enoughPoints {
			best, name = score, t.name
		}
	}
	return name
}

// isFrequent reports whether all characters beyond ASCII in a sample of text are frequent ones of a charset, which is not Latin.
func (g *guesser) isFrequent(name string, text []byte) bool {
	text = text[max(0, lengthOfASCII(text)-1):] // with what is before the sample
	text = text[:min(len(text), sampleBytes)]
	for i := range g.singles {
		if t := &g.singles[i]; t.name == name && !t.latin {
			return !slices.ContainsFunc(text, func(c byte) bool { return c >= utf8.RuneSelf && (t.class[c] == classNone || t.points[c] <= 0) })
		}
	}
	_, frequent, latin := g.double(name, text)
	return frequent && !latin
}

// double returns what score does of a charset of two bytes a character.
func (g *guesser) double(name string, text []byte) (score int, frequent, latin bool) {
	for i := range g.doubles {
		if g.doubles[i].name == name {
			return g.doubles[i].score(text)
		}
	}
	return 0, false, false
}
