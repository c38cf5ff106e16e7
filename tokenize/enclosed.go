package tokenize

import (
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/language"
)

// enclosure is a row of characters that are letters or numbers in a circle, a square or brackets.
type enclosure struct {
	first, last rune
	start       int // what the first one is: a letter or a number
}

// enclosures returns the rows of enclosed letters and of those enclosed numbers that NFKC leaves as they are, by the
// names of the characters in Unicode. NFKC knows some of the letters, and leaves the brackets around others.
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

// isEnclosed reports whether r is in one of the enclosures.
func isEnclosed(r rune) bool { return enclosedIn(r) >= 0 }

// enclosedIn returns what is enclosed, a letter or a number below 32, or -1.
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

// appendEnclosed appends the letter or number that is enclosed in r.
func appendEnclosed(dst []byte, r rune) []byte {
	n := enclosedIn(r)
	if n >= 'A' {
		return append(dst, byte(n))
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

const regionalA = 0x1f1e6 // REGIONAL INDICATOR SYMBOL LETTER A

// isRegional reports whether r is a regional indicator: two of them are the flag of the country of that code, if there is
// one, and letters in squares otherwise.
func isRegional(r rune) bool { return r >= regionalA && r < regionalA+26 }

// appendRegional appends the regional indicators that text starts with: as they are if they are flags of countries, else
// the letters that they are. It returns how long they are, and how many letters were appended.
func appendRegional(dst, text []byte) (_ []byte, size, letters int) {
	flags := true
	var first byte // of two
	count := 0
	for {
		r, n := utf8.DecodeRune(text[size:])
		if !isRegional(r) {
			break
		}
		size += n
		letter := byte('A' + r - regionalA)
		if count++; count%2 == 0 {
			flags = flags && isCountry(first, letter)
		}
		first = letter
	}
	if flags && count%2 == 0 {
		return append(dst, text[:size]...), size, 0
	}
	for at := 0; at < size; {
		r, n := utf8.DecodeRune(text[at:])
		dst = append(dst, byte('A'+r-regionalA))
		at += n
	}
	return dst, size, count
}

// isCountry reports whether two letters are the code of a country, or of the union that has a flag too.
func isCountry(first, second byte) bool {
	code := string([]byte{first, second})
	region, err := language.ParseRegion(code)
	return err == nil && (region.IsCountry() || code == "EU")
}
