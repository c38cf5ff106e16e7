package tokenize

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"chaff/internal/ascii"
	"chaff/message"
)

// viewer turns text into what a reader sees of it, and notes the deceptions in it.
type viewer struct {
	seen *sightings

	ordered    []byte // text in display order
	cleaned    []byte // text without invisible characters
	normalized []byte // text in NFKC
}

// visible returns text as a reader sees it, and records the deceptions in it. The result is valid until the next call. It is valid UTF-8 in
// NFKC and in display order. Invisible characters and strokes across or around letters are removed, every kind of blank is a space, and
// letters and digits in circles and squares are plain.
func (v *viewer) visible(text []byte) []byte {
	if bytes.Contains(text, []byte(rightToLeft)) {
		v.ordered, _ = appendOrdered(v.ordered[:0], text, false, 0)
		text = v.ordered
	}
	dst := v.cleaned[:0]
	last := rune(' ') // the visible character before
	between := false  // a zero-width character followed it
	forms := 0        // ASCII letters in another form
	marked := false   // there is a combining mark
	for len(text) > 0 {
		if !between {
			if n := lengthOfPrintable(text); n > 0 {
				dst = append(dst, text[:n]...)
				last = rune(text[n-1])
				text = text[n:]
				continue
			}
		}
		r, size := utf8.DecodeRune(text)
		kind := glyphOf(r)
		switch {
		case kind == blank, r == utf8.RuneError && size == 1:
			r = ' '
			dst = append(dst, ' ')
		case kind == invisible:
			between = v.invisible(r, last) || between
			text = text[size:]
			continue
		case kind == enclosed:
			forms++
			if n := enclosedIn(r); n >= 'A' {
				dst = append(dst, byte(n))
			} else {
				dst = strconv.AppendInt(dst, int64(n), 10)
			}
			if next, _ := utf8.DecodeRune(text[size:]); unicode.IsDigit(rune(dst[len(dst)-1])) && unicode.IsLetter(next) {
				dst = append(dst, ' ') // the number of a paragraph
			}
			r = rune(dst[len(dst)-1])
		case kind == regional:
			var letters int
			dst, size, letters = appendRegional(dst, text)
			if forms += letters; letters > 0 {
				r = rune(dst[len(dst)-1])
			}
		default:
			dst = append(dst, text[:size]...)
			if r >= 0x0300 {
				marked = marked || isMark(r)
				if s := scriptOf(r); s != noScript {
					v.seen.letters[s]++
				}
				v.seen.native = v.seen.native || unicode.Is(rareScripts, r) && likeLetter(r) == 0
			}
			if isOtherForm(r) {
				forms++
				r = 'a'
			}
		}
		text = text[size:]
		if between && isEuropean(last) && isEuropean(r) && isLetterOrDigit(last) && isLetterOrDigit(r) {
			v.seen.marks.Add(message.ZeroWidth)
		}
		last, between = r, false
	}
	// One such letter alone is a formula or a sign.
	v.seen.wide = v.seen.wide || forms > 1
	v.cleaned = dst
	if norm.NFKC.QuickSpan(dst) != len(dst) {
		v.normalized = norm.NFKC.Append(v.normalized[:0], dst...)
		dst, marked = v.normalized, true // some signs become marks
	}
	if marked {
		dst = v.withoutMarks(dst)
	}
	return dst
}

// invisible records an invisible character, and reports whether it is a deception between letters.
func (v *viewer) invisible(r, last rune) bool {
	switch {
	case r == 0x202d || r == 0x202e:
		v.seen.marks.Add(message.DirectionOverride)
	case r == 0x202a || r == 0x202b:
		v.seen.embedding = true
	case r == 0x00ad: // a soft hyphen is honest
	case r >= tagBlock+' ' && r <= tagBlock+'~': // an invisible copy of an ASCII character
		if last == blackFlag { // the flag of a region
			return false
		}
		v.seen.marks.Add(message.TagLetters)
		if len(v.seen.tagged) < maxInvisible {
			v.seen.tagged = append(v.seen.tagged, byte(r-tagBlock))
		}
		return true
	default:
		return true
	}
	return false
}

const (
	// maxInvisible is how many bytes of invisible text of a message are used.
	maxInvisible = 1 << 16
	tagBlock     = 0xe0000
	blackFlag    = '🏴'
)

// glyph is what a reader sees of a character.
type glyph uint8

const (
	plain     glyph = iota // the character, which NFKC may replace
	blank                  // white space
	invisible              // nothing
	enclosed               // an ASCII letter or digit in a circle, square or brackets that NFKC does not fold
	regional               // an ASCII letter in a square, or half of a flag
)

// glyphOf returns what a reader sees of a character. The block decides for nearly all.
func glyphOf(r rune) glyph {
	switch {
	case r < ' ', r == 0x007f: // the control characters of ASCII
		if r >= '\t' && r <= '\r' {
			return blank
		}
		return invisible
	case r < 0x00ad && r != 0x0085 && r != 0x00a0, r > 0x00ad && r < 0x034f, r > 0x034f && r < 0x061c, r > 0x061c && r < 0x115f,
		r > 0x200f && r < 0x2028, r > 0x3000 && r < 0x3164, r > 0x3164 && r < 0xfe00:
		return plain
	case r == 0x2800, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, unicode.IsSpace(r):
		// Braille without dots, and the fillers of Hangul syllables.
		return blank
	case isInvisible(r):
		return invisible
	case isRegional(r):
		return regional
	case enclosedIn(r) >= 0:
		return enclosed
	}
	return plain
}

// isInvisible reports whether r is default ignorable, by the rule in Unicode's DerivedCoreProperties.txt, or a sign around annotations.
func isInvisible(r rune) bool {
	encloses := unicode.Is(unicode.Prepended_Concatenation_Mark, r) || r >= 0x13430 && r <= 0x13455 // other characters
	return !encloses && unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// isOtherForm reports whether NFKC folds r to an ASCII letter: it is letter-like, full-width or mathematical.
func isOtherForm(r rune) bool {
	if r < 0x2102 || r > 0x2134 && r < 0xff21 || r > 0xff5a && r < 0x1d400 || r > 0x1d6a3 {
		return false
	}
	folded := norm.NFKC.PropertiesString(string(r)).Decomposition()
	return len(folded) == 1 && ascii.IsLetter(folded[0])
}

// withoutMarks removes from text in NFKC the combining marks on Latin, Greek and Cyrillic letters and on signs, such as strokes. In these
// scripts NFKC has one character for a letter and a mark that belong to it.
func (v *viewer) withoutMarks(text []byte) []byte {
	const across = 1 // the canonical combining class of overlays; enclosing marks are drawn around a letter
	last := rune(' ')
	dst := text[:0]
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case !isMark(r) || !isEuropean(last):
			dst = append(dst, text[:size]...)
			last = r
		case unicode.IsLetter(last) && (unicode.Is(unicode.Me, r) || norm.NFKC.Properties(text[:size]).CCC() == across):
			v.seen.marks.Add(message.StruckLetters)
		}
		text = text[size:]
	}
	return dst
}

// isMark reports whether r is in a block of combining marks for any script, or is one for Cyrillic.
func isMark(r rune) bool {
	inBlock := r >= 0x0300 && r <= 0x036f || r >= 0x0483 && r <= 0x0489 || r >= 0x1ab0 && r <= 0x1aff || r >= 0x1dc0 && r <= 0x1dff ||
		r >= 0x20d0 && r <= 0x20ff || r >= 0xfe20 && r <= 0xfe2f
	return inBlock && unicode.IsMark(r)
}

// enclosedIn returns the letter, or the number below 32, in a circle, a square or brackets, by the names of characters in Unicode, or -1. NFKC folds
// some of the letters, keeps the brackets of others, and folds other numbers.
func enclosedIn(r rune) int {
	for _, e := range enclosures {
		if r >= e.first && r <= e.last {
			return e.start + int(r-e.first)
		}
	}
	return -1
}

var enclosures = [...]struct {
	first, last rune
	start       int // the letter or the number of the first
}{
	{0x24b6, 0x24cf, 'A'}, {0x24d0, 0x24e9, 'a'}, // circled
	{0x249c, 0x24b5, 'a'}, {0x1f110, 0x1f129, 'A'}, // parenthesized
	{0x1f130, 0x1f149, 'A'}, {0x1f150, 0x1f169, 'A'}, {0x1f170, 0x1f189, 'A'}, {0x1f1a5, 0x1f1a5, 'd'}, // squared, negative circled, negative squared
	{0x24eb, 0x24f4, 11}, {0x24f5, 0x24fe, 1}, {0x24ff, 0x24ff, 0}, // negative circled, double circled
	{0x2776, 0x277f, 1}, {0x2780, 0x2789, 1}, {0x278a, 0x2793, 1}, // dingbats
	{0x1f10b, 0x1f10b, 0}, {0x1f10c, 0x1f10c, 0},
}

const regionalA = 0x1f1e6 // REGIONAL INDICATOR SYMBOL LETTER A

// isRegional reports whether r is a regional indicator. Two of them are displayed as the flag of a country, or else as letters in squares.
func isRegional(r rune) bool { return r >= regionalA && r < regionalA+26 }

// appendRegional appends the regional indicators at the start of text: as they are if they are flags, else as letters, whose number it returns.
func appendRegional(dst, text []byte) (_ []byte, size, letters int) {
	start := len(dst)
	for r, n := utf8.DecodeRune(text); isRegional(r); r, n = utf8.DecodeRune(text[size:]) {
		dst = append(dst, byte('A'+r-regionalA))
		size += n
	}
	for pair := range slices.Chunk(dst[start:], 2) {
		if len(pair) < 2 || !strings.Contains(countries, string(pair)) {
			return dst, size, len(dst) - start
		}
	}
	return append(dst[:start], text[:size]...), size, 0
}

// countries are the codes of countries and of the European Union in golang.org/x/text/language, which fills tables at the start of each process.
const countries = "AC AD AE AF AG AI AL AM AN AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BU BV BW BY BZ CA CC CD CF CG CH " +
	"CI CK CL CM CN CO CP CQ CR CS CT CU CV CW CX CY CZ DD DE DG DJ DK DM DO DY DZ EA EC EE EG EH ER ES ET EU EZ FI FJ FK FM FO FQ FR FX GA GB " +
	"GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU HV IC ID IE IL IM IN IO IQ IR IS IT JE JM JO JP JT KE KG KH KI KM KN " +
	"KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MI MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NH " +
	"NI NL NO NP NQ NR NT NU NZ OM PA PC PE PF PG PH PK PL PM PN PR PS PT PU PW PY PZ QA RE RH RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM " +
	"SN SO SR SS ST SU SV SX SY SZ TA TC TD TF TG TH TJ TK TL TM TN TO TP TR TT TV TW TZ UA UG UK UM UN US UY UZ VA VC VD VE VG VI VN VU WF WK " +
	"WS XK YD YE YT YU ZA ZM ZR ZW"

// rightToLeft is RIGHT-TO-LEFT OVERRIDE: whatever follows it is displayed from right to left.
const rightToLeft = "\u202e"

// appendOrdered appends text in the order in which it is displayed, up to the end of the change of direction that it is in, of that depth. It returns
// what follows. Its rules are those for overrides, embeddings and isolates of the bidirectional algorithm (UAX #9, X1 to X8), simplified for
// letters that are read from left to right.
func appendOrdered(dst, text []byte, backwards bool, depth int) (_, rest []byte) {
	const deepest = 8 // what is deeper is as what is around it; the text, of at most 16 KiB, bounds the depth of the calls
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		isEnd := r == 0x202c || r == 0x2069
		if !isEnd {
			dst = append(dst, text[:size]...)
		}
		text = text[size:]
		switch {
		case isEnd && depth > 0:
			return dst, text
		case !isEnd && (r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2068):
			start := len(dst)
			dst, text = appendOrdered(dst, text, r == 0x202e, depth+1)
			if depth < deepest && backwards != (r == 0x202e) {
				reverse(dst[start:])
			}
		}
	}
	return dst, nil
}

// reverse reverses the characters of text, each with its combining marks, unless text is in a script from right to left.
func reverse(text []byte) {
	if bytes.ContainsFunc(text, func(r rune) bool { s := scriptOf(r); return s == hebrew || s == arabic }) {
		return
	}
	for rest := text; len(rest) > 0; {
		_, first := utf8.DecodeRune(rest)
		size := len(rest) - len(bytes.TrimLeftFunc(rest[first:], unicode.IsMark))
		slices.Reverse(rest[:size])
		rest = rest[size:]
	}
	slices.Reverse(text)
}

// script is one of the scripts that marks and terms distinguish.
type script uint8

const (
	noScript script = iota // Latin, or not a letter
	greek
	cyrillic
	hebrew
	arabic
	thai
	kana
	hangul
	han
	otherScript
	scriptKinds // how many there are
)

// minLetters is the least number of letters for text in a script: fewer are a formula or a name.
const minLetters = 8

var scriptNames = [scriptKinds]string{
	greek: "greek", cyrillic: "cyrillic", hebrew: "hebrew", arabic: "arabic", thai: "thai", kana: "kana", hangul: "hangul", han: "han",
	otherScript: "other",
}

// blocks has the script of each range of blocks, from that before it to an end.
var blocks = [...]struct {
	end    rune
	script script
}{
	{0x0370, noScript}, {0x0400, greek}, {0x0530, cyrillic}, {0x0590, otherScript}, {0x0600, hebrew}, {0x0780, arabic}, {0x0e00, otherScript},
	{0x0e80, thai}, {0x1e00, otherScript}, {0x3040, noScript}, // Latin and Greek extensions, and signs
	{0x3100, kana}, {0x3400, noScript}, {0xa000, han}, {0xac00, noScript}, {0xd7a4, hangul}, // syllables
	{0xf900, noScript}, {0xfb00, han}, {0xfb50, noScript}, {0xfe00, arabic}, {0xfe70, noScript}, {0xfeff, arabic}, {0xff66, noScript}, {0xffa0, kana},
	{0x20000, noScript}, {0x40000, han},
}

// scriptOf returns the script of a non-ASCII character, by its block.
func scriptOf(r rune) script {
	for _, b := range blocks {
		if r < b.end {
			return b.script
		}
	}
	return noScript
}
