package tokenize

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// unmask appends what become makes of a word, or of the word of ASCII that it looks like:
//
//   - A word of several scripts is the word it looks like, if all its letters are Latin or look so.
//   - A word wholly of Greek, Cyrillic or Armenian letters is what it says.
//   - So is one wholly of a rare script, but the word that it looks like is behind it.
//   - Behind a word of turned letters is the word that is read when it is turned.
func (t *Tokenizer) unmask(dst, word []byte, become func(dst, word []byte) []byte) ([]byte, *disguise) {
	text := string(word)
	if turned, ok := turnedWord(text); ok {
		return become(dst, word), &disguise{mark: turnedLetters, meant: string(become(nil, turned))}
	}
	plain, scripts := t.plainOf(text)
	switch {
	case plain == nil, scripts&^latinLetters == 0:
	case scripts&(scripts-1) != 0, scripts&maskedLatin != 0:
		return become(dst, plain), &disguise{mark: homoglyph}
	case scripts == rareLetters && len(plain) >= minDisguised:
		return become(dst, word), &disguise{mark: homoglyph, perhaps: true, meant: string(become(nil, plain))}
	}
	return become(dst, word), nil
}

// letterScripts is a set of the scripts of letters, as far as look-alikes need it.
type letterScripts uint8

const (
	latinLetters letterScripts = 1 << iota // Latin ones that are meant
	maskedLatin                            // Latin ones that look like others, such as small capitals
	greekLetters
	cyrillicLetters
	armenianLetters
	rareLetters
)

// plainOf returns a word with the letters of ASCII that its letters look like, and the scripts of these, nil if one of them
// looks like none.
func (t *Tokenizer) plainOf(word string) (plain []byte, scripts letterScripts) {
	plain = make([]byte, 0, len(word))
	for _, r := range word {
		like, known := t.likes[r]
		switch {
		case known:
			scripts |= scriptOfLike(r)
			plain = append(plain, like)
			continue
		case r < utf8.RuneSelf && classOf(byte(r)) == letter, unicode.Is(unicode.Latin, r):
			scripts |= latinLetters
		case unicode.IsLetter(r):
			return nil, 0
		}
		plain = utf8.AppendRune(plain, r)
	}
	return plain, scripts
}

// scriptOfLike returns the script of a letter that looks like one of ASCII.
func scriptOfLike(r rune) letterScripts {
	switch {
	case unicode.Is(unicode.Latin, r):
		return maskedLatin
	case unicode.Is(unicode.Greek, r):
		return greekLetters
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillicLetters
	case unicode.Is(unicode.Armenian, r):
		return armenianLetters
	}
	return rareLetters
}

// isOfRareScript reports whether r is of one of the scripts of which letters look like Latin ones and in which little mail
// is written, by their blocks: Cherokee, Canadian syllabics, Coptic, Tifinagh and Lisu.
func isOfRareScript(r rune) bool {
	switch {
	case r < 0x13a0:
		return false
	case r <= 0x13fd, r >= 0x1401 && r <= 0x167f, r >= 0x18b0 && r <= 0x18f5, r >= 0x2c80 && r <= 0x2cff, r >= 0x2d30 && r <= 0x2d7f,
		r >= 0xa4d0 && r <= 0xa4fd, r >= 0xab70 && r <= 0xabbf:
		return true
	}
	return false
}

// mayBeMasked reports whether a word has a character beyond the Latin letters of Europe, and letters of two scripts or of
// one that may be Latin.
func mayBeMasked(word []byte) bool {
	high, latin, greek, cyrillic := false, false, false, false
	for _, c := range word {
		switch {
		case c >= 0xc6: // U+0180 and above
			high = true
			// Of the first bytes of characters: of small capitals and letters of phonetics, and of the rare scripts.
			latin = latin || c == 0xc9 || c == 0xca || c == 0xe1 || c == 0xe2 || c == 0xea || c == 0xf0
			greek = greek || c >= 0xcd && c <= 0xcf
			cyrillic = cyrillic || c >= 0xd0 && c <= 0xd3
		case classOf(c) == letter:
			latin = true
		}
	}
	return high && (latin || greek && cyrillic)
}

// turnedWord returns the word that is read when a word is turned by half a circle: its letters are turned and come from the
// last to the first. Half of its letters must be turned ones, which are not in any word that is not.
func turnedWord(word string) (upright []byte, ok bool) {
	turned := 0
	for _, r := range word {
		letter, isTurned := turnedLetter(r)
		if letter == 0 || len(upright) == maxDisguised {
			return nil, false
		}
		if isTurned {
			turned++
		}
		upright = append(upright, letter)
	}
	if len(upright) < minDisguised || 2*turned < len(upright) {
		return nil, false
	}
	slices.Reverse(upright)
	return upright, true
}

// turnedLetter returns the letter of ASCII that is read when r is turned, 0 if it is none, and whether r is a turned letter
// itself, by its name in Unicode or by its shape.
func turnedLetter(r rune) (upright byte, isTurned bool) {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	i := 0
	for _, t := range "ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz" {
		if r == t {
			return letters[i], r >= utf8.RuneSelf
		}
		i++
	}
	if r == 'ı' {
		return 'i', true
	}
	return 0, false
}
