package tokenize

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"chaff/internal/ascii"
)

// withoutLookAlikes appends what normalize makes of a word, or of the ASCII word that it looks like:
//
//   - A word of several scripts whose letters are all Latin or look Latin is the word it looks like.
//   - A word of Greek, Cyrillic or Armenian letters only is itself.
//   - A word of one rare script is itself, and the word it looks like may be behind it.
//   - A word of turned letters is itself, and the upright word is behind it.
func (t *Tokenizer) withoutLookAlikes(dst, word []byte, normalize func(dst, word []byte) []byte) ([]byte, *disguise) {
	if !mayHaveLookAlikes(word) {
		return normalize(dst, word), nil
	}
	text := string(word)
	if turned, ok := turnedWord(text); ok {
		return normalize(dst, word), &disguise{mark: turnedLetters, meant: normalize(nil, turned)}
	}
	plain, scripts := t.plainOf(text)
	switch {
	case plain == nil, scripts&^latinLetters == 0:
	case scripts&(scripts-1) != 0, scripts&latinLookAlikes != 0:
		return normalize(dst, plain), &disguise{mark: homoglyph}
	case scripts == rareLetters && len(plain) >= minDisguised:
		return normalize(dst, word), &disguise{mark: homoglyph, perhaps: true, meant: normalize(nil, plain)}
	}
	return normalize(dst, word), nil
}

// letterScripts is a set of the scripts that look-alikes come from.
type letterScripts uint8

const (
	latinLetters    letterScripts = 1 << iota // Latin letters that look like no other
	latinLookAlikes                           // Latin letters that look like others, such as small capitals
	greekLetters
	cyrillicLetters
	armenianLetters
	rareLetters
)

// plainOf returns a word with its look-alikes replaced by ASCII letters, and the scripts of its letters. The result is nil if a letter is
// neither Latin nor looks so.
func (t *Tokenizer) plainOf(word string) (plain []byte, scripts letterScripts) {
	plain = make([]byte, 0, len(word))
	for _, r := range word {
		like, known := t.lookAlikes[r]
		switch {
		case known:
			scripts |= scriptOfLike(r)
			plain = append(plain, like)
			continue
		case r < utf8.RuneSelf && ascii.IsLetter(byte(r)), unicode.Is(unicode.Latin, r):
			scripts |= latinLetters
		case unicode.IsLetter(r):
			return nil, 0
		}
		plain = utf8.AppendRune(plain, r)
	}
	return plain, scripts
}

// scriptOfLike returns the script of a look-alike.
func scriptOfLike(r rune) letterScripts {
	switch {
	case unicode.Is(unicode.Latin, r):
		return latinLookAlikes
	case unicode.Is(unicode.Greek, r):
		return greekLetters
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillicLetters
	case unicode.Is(unicode.Armenian, r):
		return armenianLetters
	}
	return rareLetters
}

// isOfRareScript reports whether r is in a block of Cherokee, Canadian syllabics, Coptic, Tifinagh or Lisu: scripts that are rare in mail
// and have letters that look Latin.
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

// mayHaveLookAlikes reports whether a word can have look-alikes, from its bytes: it has a character above U+017F, and letters of two
// scripts or of one that looks Latin.
func mayHaveLookAlikes(word []byte) bool {
	high, latin, greek, cyrillic := false, false, false, false
	for _, c := range word {
		switch {
		case c >= 0xc6: // U+0180 and above
			high = true
			// The first bytes of small capitals, of phonetic letters and of rare scripts.
			latin = latin || c == 0xc9 || c == 0xca || c == 0xe1 || c == 0xe2 || c == 0xea || c == 0xf0
			greek = greek || c >= 0xcd && c <= 0xcf
			cyrillic = cyrillic || c >= 0xd0 && c <= 0xd3
		case ascii.IsLetter(c):
			latin = true
		}
	}
	return high && (latin || greek && cyrillic)
}

// turnedWord returns the word that is read when a word is turned by 180 degrees. At least half of its letters must be turned ones,
// which no other word has.
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

// turnedLetter returns the ASCII letter that is read when r is turned, or 0, and whether r is itself a turned letter, by its name in
// Unicode or by its shape.
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
