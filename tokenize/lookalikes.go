package tokenize

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chaff/internal/ascii"
)

// likeLetters maps letters to the lower-case ASCII letter that they look like.
type likeLetters map[rune]byte

// reveal appends what normalize makes of a word, or of the ASCII word that it looks like:
//
//   - A word of several scripts whose letters are all Latin or look Latin is the word it looks like.
//   - A word of Greek, Cyrillic or Armenian letters only is itself.
//   - A word of one rare script is itself, and the word it looks like may be behind it.
//   - A word of turned letters is itself, and the upright word is behind it.
func (l likeLetters) reveal(dst, word []byte, normalize func(dst, word []byte) []byte) ([]byte, *disguise) {
	if !mayHaveLookAlikes(word) {
		return normalize(dst, word), nil
	}
	text := string(word)
	if turned, ok := turnedWord(text); ok {
		return normalize(dst, word), &disguise{mark: turnedLetters, meant: normalize(nil, turned)}
	}
	plain, scripts := l.plainOf(text)
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
func (l likeLetters) plainOf(word string) (plain []byte, scripts letterScripts) {
	plain = make([]byte, 0, len(word))
	for _, r := range word {
		like, known := l[r]
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

// asciiHost returns the ASCII host name that a name looks like. Unlike in text, a label may be wholly of another script, since a reader
// has no context to recognise it by.
func (l likeLetters) asciiHost(name string) (ascii []byte, masked bool) {
	for _, r := range name {
		like, known := l[r]
		switch {
		case r < utf8.RuneSelf:
			like = byte(r)
		case !known:
			return nil, false
		}
		ascii = append(ascii, like)
	}
	return ascii, len(ascii) != len(name)
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
	return r >= 0x13a0 && (r <= 0x13fd || r >= 0x1401 && r <= 0x167f || r >= 0x18b0 && r <= 0x18f5 || r >= 0x2c80 && r <= 0x2cff ||
		r >= 0x2d30 && r <= 0x2d7f || r >= 0xa4d0 && r <= 0xa4fd || r >= 0xab70 && r <= 0xabbf)
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
	const alphabet = "ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz" // from a to z
	if r == 'ı' {
		return 'i', true
	}
	at := strings.IndexRune(alphabet, r)
	if at < 0 {
		return 0, false
	}
	return byte('a' + utf8.RuneCountInString(alphabet[:at])), r >= utf8.RuneSelf
}

// lookAlikes returns the letters that look like others.
//
// Source: confusables.txt of Unicode 10.0.0 (UTS #39, Unicode Security Mechanisms), the single letters of alphabets whose prototype is an
// ASCII letter. The map leaves out what NFKC folds, such as mathematical and full-width letters, and letters of living orthographies:
// dotless i, iota, gamma, v with hook and long s. Departures: a letter that looks like a capital I is an i, not an l, and small
// capitals are included. So are letters that Unicode calls turned or reversed, and the alphabet that text generators make of Canadian
// syllabics: ᗩᗷᑕᗪEᖴGᕼIᒍKᒪᗰᑎOᑭᑫᖇᔕTᑌᐯᗯ᙭Yᘔ.
func lookAlikes() likeLetters {
	letters := make(likeLetters, 320)
	for _, l := range []struct {
		latin byte
		like  string
	}{
		{'a', "ɑΑαАаᎪᗅᴀꓮɐⱯᗩ"},
		{'b', "ƄʙΒВЬᏏᏴᖯᗷꓐꞴ\U00010301"},
		{'c', "СсᏟᴄⲤⲥꓚꮯᑕ\U00010302\U00010415\U0001043d"},
		{'d', "ԁᎠᏧᑯᗞᗪᴅꓒꓓ"},
		{'e', "ΕЕеҽᎬᴇⴹꓰꬲƎǝɘ\U000118a6\U000118ae"},
		{'f', "ϜքᖴẝꓝꜰꞘꞙꬵ\U000118a2\U000118c2"},
		{'g', "ƍɡɢԌցᏀᏳᶃꓖ"},
		{'h', "ʜΗНһհᎻᏂᕼⲎꓧɥ"},
		{'i', "ɪΙιІіӀӏᎥⲒⵏꓲꙇꭵᴉ\U000118c3"},
		{'j', "ͿϳЈјᎫᒍᴊꓙꞲ"},
		{'k', "ΚКᏦᴋⲔꓗʞ"},
		{'l', "ʟᏞᒪⳐꓡ\U00010309\U0001041b\U000118a3\U000118b2"},
		{'m', "ΜϺМᎷᗰᴍⲘꓟ\U00010311"},
		{'n', "ɴΝոռⲚꓠᑎ"},
		{'o', "ΟοσОоՕօჿᴏᴑⲞⲟⵔꓳꬽ\U00010404\U0001042c\U000104c2\U000104ea\U000118b5\U000118c8\U000118d7"},
		{'p', "ΡρРрᏢᑭᴘⲢⲣꓑ"},
		{'q', "ꞯԛգզⵕᑫ"},
		{'r', "ƦʀгᎡᏒᖇᴦⲅꓣꭇꭈꮁɹ\U000104b4"},
		{'s', "ƽЅѕՏᏕᏚꓢꜱꮪᔕ\U00010420\U00010448\U000118c1"},
		{'t', "ΤТᎢᴛⲦꓔʇ\U00010315\U000118bc"},
		{'u', "υՍսᑌᴜꓴꞟꭎꭒ\U000104ce\U000104f6\U000118b8\U000118d8"},
		{'v', "νѴѵᏙᐯᴠⴸꓦꮩɅʌ\U000118a0\U000118c0"},
		{'w', "ɯѡԜԝաᎳᏔᴡꓪꮃʍᗯ"},
		{'x', "ΧХхᕁᕽⲬⵝꓫꞳ᙭\U00010317"},
		{'y', "ʏΥγУуҮүყᎩᎽᶌỿⲨꓬꭚʎ\U000118a4\U000118dc"},
		{'z', "ΖᏃᴢꓜꮓᘔ\U000118a9\U000118c4"},
	} {
		for _, r := range l.like {
			letters[r] = l.latin
		}
	}
	return letters
}
