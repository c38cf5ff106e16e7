package tokenize

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/language"
)

// enclosure is a range of letters or numbers in circles, squares or brackets.
type enclosure struct {
	first, last rune
	start       int // the letter or the number of the first
}

// enclosures returns the enclosed letters, and the enclosed numbers that NFKC does not fold, by the names of characters in Unicode. NFKC
// folds some of the letters, and keeps the brackets of others.
func enclosures() [16]enclosure {
	return [...]enclosure{
		{0x24b6, 0x24cf, 'A'}, {0x24d0, 0x24e9, 'a'}, // circled
		{0x249c, 0x24b5, 'a'}, {0x1f110, 0x1f129, 'A'}, // parenthesized
		{0x1f130, 0x1f149, 'A'}, {0x1f150, 0x1f169, 'A'}, {0x1f170, 0x1f189, 'A'}, {0x1f1a5, 0x1f1a5, 'd'}, // squared, negative circled, negative squared
		{0x24eb, 0x24f4, 11}, {0x24f5, 0x24fe, 1}, {0x24ff, 0x24ff, 0}, // negative circled, double circled
		{0x2776, 0x277f, 1}, {0x2780, 0x2789, 1}, {0x278a, 0x2793, 1}, // dingbats
		{0x1f10b, 0x1f10b, 0}, {0x1f10c, 0x1f10c, 0},
	}
}

// enclosedIn returns the enclosed letter, or the enclosed number, which is below 32, or -1.
func enclosedIn(r rune) int {
	if r < 0x249c || r > 0x2793 && r < 0x1f10b || r > 0x1f1a5 {
		return -1
	}
	for _, e := range enclosures() {
		if r >= e.first && r <= e.last {
			return e.start + int(r-e.first)
		}
	}
	return -1
}

// appendEnclosed appends the letter or number enclosed in r.
func appendEnclosed(dst []byte, r rune) []byte {
	n := enclosedIn(r)
	if n >= 'A' {
		return append(dst, byte(n))
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

const regionalA = 0x1f1e6 // REGIONAL INDICATOR SYMBOL LETTER A

// isRegional reports whether r is a regional indicator. Two of them are displayed as the flag of the country with that code, or, if there is
// none, as letters in squares.
func isRegional(r rune) bool { return r >= regionalA && r < regionalA+26 }

// appendRegional appends the regional indicators at the start of text: as they are if they are flags, as letters otherwise. It returns their
// length in text and the number of letters.
func appendRegional(dst, text []byte) (_ []byte, size, letters int) {
	start := len(dst)
	for r, n := utf8.DecodeRune(text); isRegional(r); r, n = utf8.DecodeRune(text[size:]) {
		dst = append(dst, byte('A'+r-regionalA))
		size += n
	}
	for pair := range slices.Chunk(dst[start:], 2) {
		if !isCountry(string(pair)) {
			return dst, size, len(dst) - start
		}
	}
	return append(dst[:start], text[:size]...), size, 0
}

// isCountry reports whether a text is the code of a country, two letters, or of the European Union.
func isCountry(code string) bool {
	region, err := language.ParseRegion(code)
	return err == nil && (region.IsCountry() || code == "EU")
}
