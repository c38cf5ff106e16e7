package tokenize

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chaff/internal/ascii"
	"chaff/message"
)

const (
	minDisguised = 4  // a shorter word says too little
	maxDisguised = 24 // a longer one is no word
)

// restoreLetters returns the word that s was meant to be if digits or signs stand for letters between its first and its last letter. It is nil
// for codes and numbers, which have fewer letters, only hexadecimal ones, or upper and lower case as no word does.
func restoreLetters(s []byte) (word []byte) {
	if len(s) < minDisguised || len(s) > maxDisguised || !ascii.IsLetter(s[0]) || !ascii.IsLetter(s[len(s)-1]) {
		return nil
	}
	const signs, meant = "01!|34@5$78", "oiiieaasstb"
	var restored [maxDisguised]byte
	letters, upper, replaced, hexOnly := 0, 0, 0, true
	for i, c := range s {
		restored[i] = c
		if ascii.IsLetter(c) {
			letters++
			if c < 'a' {
				upper++
			}
			hexOnly = hexOnly && c|0x20 <= 'f'
			continue
		}
		at := strings.IndexByte(signs, c)
		if at < 0 {
			return nil
		}
		restored[i] = meant[at]
		replaced++
	}
	if replaced == 0 || letters < 2*replaced || hexOnly || upper != 0 && upper != letters && (upper != 1 || s[0] >= 'a') {
		return nil
	}
	return slices.Clone(restored[:len(s)])
}

// watch emits the words behind disguises. It gets the chunks of a text with the kinds of their bytes and the number of blanks before them, and an
// empty one at the end.
func (t *Tokenizer) watch(chunk []byte, kinds byteKind, gap int) {
	t.putMeant(message.LetterDigit, withSigns(chunk, kinds))
	t.putMeant(message.SpacedLetters, t.spaced.add(chunk, kinds, gap))
	t.putMeant(message.SpacedLetters, separated(chunk, kinds))
}

// putMeant emits the word behind a disguise, and marks the message, unless the word is empty.
func (t *Tokenizer) putMeant(mark message.Mark, word []byte) {
	if len(word) > 0 {
		t.seen.marks.Add(mark)
		t.putWord(t.current, word)
	}
}

// withSigns finds words like c@sh or ca$h, with a sign that may stand for a letter.
func withSigns(chunk []byte, kinds byteKind) (word []byte) {
	if kinds&sign == 0 {
		return nil
	}
	s := bytes.TrimFunc(chunk, isPunctuation)
	const shortest = 3 // of the two words of a name like ann@localhost
	before, after, _ := bytes.Cut(s, []byte("@"))
	if len(before) >= shortest && len(after) >= shortest || !bytes.ContainsAny(s, "@$!|") {
		return nil
	}
	return restoreLetters(s)
}

// isPunctuation reports whether r is an ASCII character other than a letter or a digit.
func isPunctuation(r rune) bool { return r < utf8.RuneSelf && !ascii.IsAlphanumeric(byte(r)) }

// minSpaced is the least number of spaced letters that make a word: fewer are initials.
const minSpaced = 4

// spaced finds words like c a s h: a run of single letters with the same white space between them.
type spaced struct {
	letters []byte // of the run
	count   int
	gap     int // bytes of white space between the letters
}

// add adds a chunk. It returns the word that ends before it, or nothing.
func (w *spaced) add(chunk []byte, kinds byteKind, gap int) (word []byte) {
	if w.count == 0 && (len(chunk) > 2 || kinds&^(alpha|nonASCII) != 0) {
		return nil
	}
	letter := bytes.TrimRightFunc(chunk, isPunctuation) // it may be the last one, as in c a s h!
	r, size := utf8.DecodeRune(letter)
	isLetter := size == len(letter) && isEuropean(r) && unicode.IsLetter(r)
	single := isLetter && len(letter) == len(chunk)
	if isLetter && (w.count < 2 || gap == w.gap) {
		w.letters, w.count, w.gap = append(w.letters, letter...), w.count+1, gap
		if single {
			return nil
		}
	}
	if w.count >= minSpaced && !isRepeated(w.letters) { // the run ends
		word = slices.Clone(w.letters)
	}
	w.letters, w.count = w.letters[:0], 0
	if single {
		w.letters, w.count = append(w.letters, letter...), 1
	}
	return word
}

// isRepeated reports whether a word repeats one letter, which is a mark on a form.
func isRepeated(word []byte) bool {
	_, size := utf8.DecodeRune(word)
	return bytes.Count(word, word[:size])*size == len(word)
}

// isEuropean reports whether r is Latin, Greek, Cyrillic, Armenian or a sign. Other scripts need zero-width characters and combining marks.
func isEuropean(r rune) bool {
	return r < 0x0590 || r >= 0x1d00 && r < 0x1dc0 || r >= 0x1e00 && r < 0x2000 || r >= 0x2c60 && r < 0x2c80 || r >= 0xa720 && r < 0xa800
}

// separated finds words like V.I.A.G.R.A or v--i--a--g--r--a, letters with the same signs between them.
func separated(chunk []byte, kinds byteKind) (word []byte) {
	const maxSigns = 8 // bytes of signs between two letters of a word
	if kinds == alpha || len(chunk) < 2*minSpaced-1 {
		return nil
	}
	letters := bytes.TrimLeftFunc(chunk, isPunctuation)
	_, size := utf8.DecodeRune(letters)
	end := bytes.IndexFunc(letters[size:min(len(letters), size+maxSigns+utf8.UTFMax)], isLetterOrDigit)
	if end <= 0 || end > maxSigns {
		return nil
	}
	between := letters[size:][:end]
	rest, count := letters, 0
	for goesOn := true; goesOn; count++ {
		r, size := utf8.DecodeRune(rest)
		if !isEuropean(r) || !unicode.IsLetter(r) {
			break
		}
		rest, goesOn = bytes.CutPrefix(rest[size:], between)
	}
	if next, _ := utf8.DecodeRune(rest); count < minSpaced || isLetterOrDigit(next) {
		return nil
	}
	if word = bytes.ReplaceAll(letters[:len(letters)-len(rest)], between, nil); isRepeated(word) {
		return nil
	}
	return word
}

// reveal appends what normalize makes of a word, or of the ASCII word that it looks like:
//
//   - A word of several scripts whose letters are all Latin or look Latin is the word it looks like.
//   - A word of Greek, Cyrillic or Armenian letters only is itself.
//   - A word of one rare script is itself, and the word it looks like may be behind it.
//   - A word of turned letters is itself, and the upright word is behind it.
func reveal(dst, word []byte, normalize func(dst, word []byte) []byte) ([]byte, *disguise) {
	if !mayHaveLookAlikes(word) {
		return normalize(dst, word), nil
	}
	text := string(word)
	if turned, ok := turnedWord(text); ok {
		return normalize(dst, word), &disguise{mark: message.TurnedLetters, meant: normalize(nil, turned)}
	}
	plain, scripts := plainOf(text)
	switch {
	case scripts&(scripts-1) != 0, scripts&latinLookAlikes != 0:
		return normalize(dst, plain), &disguise{mark: message.Homoglyph}
	case scripts == rareLetters && len(plain) >= minDisguised:
		return normalize(dst, word), &disguise{mark: message.Homoglyph, perhaps: true, meant: normalize(nil, plain)}
	}
	return normalize(dst, word), nil
}

// letterScripts is a set of the scripts that look-alikes come from.
type letterScripts uint8

const (
	rareLetters     letterScripts = 1 << iota
	latinLookAlikes               // Latin letters that look like others, such as small capitals
	latinLetters    = 1 << 5      // Latin letters that look like no other; the bits between are of other alphabets
)

// alphabets have letters that look Latin, from the bit of latinLookAlikes on.
var alphabets = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian}

// plainOf returns a word with its look-alikes replaced by ASCII letters, and the scripts of its letters. The result is nil if a letter is
// neither Latin nor looks so.
func plainOf(word string) (plain []byte, scripts letterScripts) {
	plain = make([]byte, 0, len(word))
	for _, r := range word {
		like := likeLetter(r)
		switch {
		case like != 0:
			scripts |= rareLetters << (1 + slices.IndexFunc(alphabets, func(table *unicode.RangeTable) bool { return unicode.Is(table, r) }))
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

// rareScripts are the blocks of Cherokee, Canadian, Coptic, Tifinagh and Lisu: scripts that are rare in mail and have letters that look Latin.
var rareScripts = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x13a0, Hi: 0x13fd, Stride: 1}, {Lo: 0x1401, Hi: 0x167f, Stride: 1}, {Lo: 0x18b0, Hi: 0x18f5, Stride: 1}, {Lo: 0x2c80, Hi: 0x2cff, Stride: 1},
	{Lo: 0x2d30, Hi: 0x2d7f, Stride: 1}, {Lo: 0xa4d0, Hi: 0xa4fd, Stride: 1}, {Lo: 0xab70, Hi: 0xabbf, Stride: 1},
}}

// mayHaveLookAlikes reports by the bytes of a word whether it has a character above U+017F, and letters of two scripts or of one that looks Latin.
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

// turnedWord returns the word that is read when a word is turned by 180 degrees, if at least half of its letters are turned ones.
func turnedWord(word string) (upright []byte, ok bool) {
	const alphabet = "ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz" // from a to z
	turned := 0
	for _, r := range word {
		if r == 'ı' { // another turned i
			r = 'ᴉ'
		}
		at := strings.IndexRune(alphabet, r)
		if at < 0 || len(upright) == maxDisguised {
			return nil, false
		}
		if r >= utf8.RuneSelf {
			turned++
		}
		upright = append(upright, byte('a'+utf8.RuneCountInString(alphabet[:at])))
	}
	if len(upright) < minDisguised || 2*turned < len(upright) {
		return nil, false
	}
	slices.Reverse(upright)
	return upright, true
}

// lookAlikes is the letters that look like others, a line for each letter from a to z.
//
// Source: confusables.txt of Unicode 10.0.0 (UTS #39, Unicode Security Mechanisms), the single letters of alphabets whose prototype is an
// ASCII letter. It leaves out what NFKC folds, such as mathematical and full-width letters, and letters of living orthographies:
// dotless i, iota, gamma, v with hook and long s. Departures: a letter that looks like a capital I is an i, not an l, and small
// capitals are included. So are letters that Unicode calls turned or reversed, and the alphabet that text generators make of Canadian
// syllabics: ᗩᗷᑕᗪEᖴGᕼIᒍKᒪᗰᑎOᑭᑫᖇᔕTᑌᐯᗯ᙭Yᘔ.
const lookAlikes = "ɑΑαАаᎪᗅᴀꓮɐⱯᗩ\n" +
	"ƄʙΒВЬᏏᏴᖯᗷꓐꞴ\U00010301\n" +
	"СсᏟᴄⲤⲥꓚꮯᑕ\U00010302\U00010415\U0001043d\n" +
	"ԁᎠᏧᑯᗞᗪᴅꓒꓓ\n" +
	"ΕЕеҽᎬᴇⴹꓰꬲƎǝɘ\U000118a6\U000118ae\n" +
	"ϜքᖴẝꓝꜰꞘꞙꬵ\U000118a2\U000118c2\n" +
	"ƍɡɢԌցᏀᏳᶃꓖ\n" +
	"ʜΗНһհᎻᏂᕼⲎꓧɥ\n" +
	"ɪΙιІіӀӏᎥⲒⵏꓲꙇꭵᴉ\U000118c3\n" +
	"ͿϳЈјᎫᒍᴊꓙꞲ\n" +
	"ΚКᏦᴋⲔꓗʞ\n" +
	"ʟᏞᒪⳐꓡ\U00010309\U0001041b\U000118a3\U000118b2\n" +
	"ΜϺМᎷᗰᴍⲘꓟ\U00010311\n" +
	"ɴΝոռⲚꓠᑎ\n" +
	"ΟοσОоՕօჿᴏᴑⲞⲟⵔꓳꬽ\U00010404\U0001042c\U000104c2\U000104ea\U000118b5\U000118c8\U000118d7\n" +
	"ΡρРрᏢᑭᴘⲢⲣꓑ\n" +
	"ꞯԛգզⵕᑫ\n" +
	"ƦʀгᎡᏒᖇᴦⲅꓣꭇꭈꮁɹ\U000104b4\n" +
	"ƽЅѕՏᏕᏚꓢꜱꮪᔕ\U00010420\U00010448\U000118c1\n" +
	"ΤТᎢᴛⲦꓔʇ\U00010315\U000118bc\n" +
	"υՍսᑌᴜꓴꞟꭎꭒ\U000104ce\U000104f6\U000118b8\U000118d8\n" +
	"νѴѵᏙᐯᴠⴸꓦꮩɅʌ\U000118a0\U000118c0\n" +
	"ɯѡԜԝաᎳᏔᴡꓪꮃʍᗯ\n" +
	"ΧХхᕁᕽⲬⵝꓫꞳ᙭\U00010317\n" +
	"ʏΥγУуҮүყᎩᎽᶌỿⲨꓬꭚʎ\U000118a4\U000118dc\n" +
	"ΖᏃᴢꓜꮓᘔ\U000118a9\U000118c4\n"

// likeLetter returns the lower-case ASCII letter that a letter beyond ASCII looks like, or 0.
func likeLetter(r rune) byte {
	at := strings.IndexRune(lookAlikes, r)
	if at < 0 || r < utf8.RuneSelf {
		return 0
	}
	return byte('a' + strings.Count(lookAlikes[:at], "\n"))
}
