package tokenize

import (
	"bytes"
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"chaff/internal/ascii"
)

const (
	minDisguised = 4  // a shorter word says too little
	maxDisguised = 24 // a longer one is no word
)

// letterFor returns the letter that a digit or sign stands for in a disguised word, or 0.
func letterFor(c byte) byte {
	const signs, letters = "01!|34@5$78", "oiiieaasstb"
	if i := strings.IndexByte(signs, c); i >= 0 {
		return letters[i]
	}
	return 0
}

// restoreLetters appends the word that s was meant to be if digits or signs stand for letters between its first and its last letter. It is
// not ok for codes and numbers, which have fewer letters, only hexadecimal ones, or upper and lower case as no word does.
func restoreLetters(dst, s []byte) (word []byte, ok bool) {
	if len(s) < minDisguised || len(s) > maxDisguised {
		return dst, false
	}
	letters, upper, replaced, hexOnly := 0, 0, 0, true
	for _, c := range s {
		switch {
		case ascii.IsLetter(c):
			letters++
			if c < 'a' {
				upper++
			}
			hexOnly = hexOnly && c|0x20 <= 'f'
		case letterFor(c) != 0:
			replaced++
		default:
			return dst, false
		}
	}
	switch {
	case replaced == 0, letters < 2*replaced, hexOnly, !ascii.IsLetter(s[0]), !ascii.IsLetter(s[len(s)-1]):
		return dst, false
	case upper != 0 && upper != letters && (upper != 1 || s[0] >= 'a'):
		return dst, false
	}
	for _, c := range s {
		dst = append(dst, cmp.Or(letterFor(c), c))
	}
	return dst, true
}

// isName reports whether s is two words around an at sign, as ann@localhost, and not a word with @ for a.
func isName(s []byte) bool {
	const shortest = 3
	before, after, found := bytes.Cut(s, []byte("@"))
	return found && len(before) >= shortest && len(after) >= shortest
}

// A watcher finds words behind one kind of disguise. It gets the chunks of a text with the kinds of their bytes and the number of blanks before
// them, and an empty one at the end, except for those without a sign whose second and third characters are letters, behind other such words. It returns a word, which is valid until the next
// call, and its mark, or an empty word.
type watcher interface {
	watch(chunk []byte, kinds byteKind, gap int) (word []byte, k mark)
}

// signLetters finds words like c@sh or ca$h, with a sign that may stand for a letter.
type signLetters struct{ word []byte }

func (w *signLetters) watch(chunk []byte, kinds byteKind, _ int) ([]byte, mark) {
	if kinds&sign == 0 {
		return nil, 0
	}
	s := trimMarks(chunk)
	if !bytes.ContainsAny(s, "@$!|") || isName(s) {
		return nil, 0
	}
	word, ok := restoreLetters(w.word[:0], s)
	if w.word = word; !ok {
		return nil, 0
	}
	return word, letterDigit
}

// trimMarks returns a chunk without the punctuation around it.
func trimMarks(s []byte) []byte { return bytes.TrimFunc(s, isPunctuation) }

// isPunctuation reports whether r is an ASCII character other than a letter or a digit.
func isPunctuation(r rune) bool { return r < utf8.RuneSelf && !ascii.IsAlphanumeric(byte(r)) }

// minSpaced is the least number of spaced letters that make a word: fewer are initials.
const minSpaced = 4

// spaced finds words like c a s h: a run of single letters with the same white space between them.
type spaced struct {
	letters, word []byte // of the run, and of the one before
	count         int
	gap           int // bytes of white space between the letters
}

func (w *spaced) watch(chunk []byte, kinds byteKind, gap int) (word []byte, _ mark) {
	if w.count == 0 && (len(chunk) > 2 || kinds&^(alpha|nonASCII) != 0) {
		return nil, 0
	}
	letter := chunk
	single := isSingle(chunk)
	if !single { // it may be the last letter, as in c a s h!
		letter = bytes.TrimRightFunc(chunk, isPunctuation)
	}
	fits := w.count < 2 || gap == w.gap
	if single && !fits {
		word, fits = w.end(), true
	}
	if fits && (single || isSingle(letter)) {
		if w.count > 0 {
			w.gap = gap
		}
		w.letters = append(w.letters, letter...)
		w.count++
	}
	if !single {
		word = w.end()
	}
	return word, spacedLetters
}

// end ends the run and returns the word that it makes.
func (w *spaced) end() (word []byte) {
	if w.count >= minSpaced && !isRepeated(w.letters) {
		word = w.letters
	}
	w.letters, w.word, w.count = w.word[:0], w.letters, 0
	return word
}

// isRepeated reports whether a word repeats one letter, which is a mark on a form.
func isRepeated(word []byte) bool {
	_, size := utf8.DecodeRune(word)
	return bytes.Count(word, word[:size])*size == len(word)
}

// isSingle reports whether s is one letter of an alphabet.
func isSingle(s []byte) bool {
	r, size := utf8.DecodeRune(s)
	return size == len(s) && isEuropean(r) && unicode.IsLetter(r)
}

// isEuropean reports whether r is Latin, Greek, Cyrillic, Armenian or a sign, by its block. Other scripts need zero-width characters and
// combining marks.
func isEuropean(r rune) bool {
	return r < 0x0590 || r >= 0x1d00 && r < 0x1dc0 || r >= 0x1e00 && r < 0x2000 || r >= 0x2c60 && r < 0x2c80 || r >= 0xa720 && r < 0xa800
}

// separated finds words like V.I.A.G.R.A or v--i--a--g--r--a, letters with the same signs between them.
type separated struct{ word []byte }

func (w *separated) watch(chunk []byte, kinds byteKind, _ int) ([]byte, mark) {
	if kinds == alpha || len(chunk) < 2*minSpaced-1 {
		return nil, 0
	}
	chunk = bytes.TrimLeftFunc(chunk, isPunctuation)
	_, size := utf8.DecodeRune(chunk)
	between := signs(chunk[size:])
	if len(between) == 0 {
		return nil, 0
	}
	w.word = w.word[:0]
	count := 0
	for {
		r, size := utf8.DecodeRune(chunk)
		if size == 0 || !isEuropean(r) || !unicode.IsLetter(r) {
			break
		}
		w.word = append(w.word, chunk[:size]...)
		count++
		chunk = chunk[size:]
		if !bytes.HasPrefix(chunk, between) {
			break
		}
		chunk = chunk[len(between):]
	}
	if next, _ := utf8.DecodeRune(chunk); count < minSpaced || isLetterOrDigit(next) || isRepeated(w.word) {
		return nil, 0
	}
	return w.word, spacedLetters
}

// maxSigns is the length in bytes of the longest signs between two letters of a word.
const maxSigns = 8

// signs returns the signs at the start of s, or nothing if they are too long.
func signs(s []byte) []byte {
	size := 0
	for size < len(s) && !ascii.IsAlphanumeric(s[size]) {
		if s[size] >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(s[size:])
			if isLetterOrDigit(r) {
				break
			}
			size += n - 1
		}
		if size++; size > maxSigns {
			return nil
		}
	}
	return s[:size]
}
