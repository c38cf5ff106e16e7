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

// wordWithSigns emits the word behind a chunk like c@sh or ca$h, which has a sign that may stand for a letter.
func (t *Tokenizer) wordWithSigns(chunk []byte) {
	s := trimMarks(chunk)
	if !bytes.ContainsAny(s, "@$!|") || isName(s) {
		return
	}
	word, ok := restoreLetters(t.joined[:0], s)
	t.joined = word[:0]
	if !ok {
		return
	}
	t.seen.add(letterDigit)
	t.putWord(t.current.tag, word, t.current.words)
}

// trimMarks returns a chunk without the punctuation around it.
func trimMarks(s []byte) []byte { return bytes.TrimFunc(s, isPunctuation) }

// isPunctuation reports whether r is an ASCII character other than a letter or a digit.
func isPunctuation(r rune) bool { return r < utf8.RuneSelf && !ascii.IsAlphanumeric(byte(r)) }

// minSpaced is the least number of spaced letters that make a word: fewer are initials.
const minSpaced = 4

// spaced is a run of single letters with the same white space between them.
type spaced struct {
	letters []byte
	count   int
	gap     int // bytes of white space between them
}

// spacedLetter adds a single letter to the run, or ends the run if the chunk is not one that fits.
func (t *Tokenizer) spacedLetter(chunk []byte, gap int) {
	s := &t.spaced
	if !isSingle(chunk) {
		if letter := bytes.TrimRightFunc(chunk, isPunctuation); isSingle(letter) && (s.count < 2 || gap == s.gap) { // the last letter, as in c a s h!
			s.letters = append(s.letters, letter...)
			s.count++
		}
		t.endSpaced()
		return
	}
	if s.count > 1 && gap != s.gap {
		t.endSpaced()
	}
	if s.count > 0 {
		s.gap = gap
	}
	s.letters = append(s.letters, chunk...)
	s.count++
}

// endSpaced ends the run of single letters and emits the word that they make.
func (t *Tokenizer) endSpaced() {
	s := &t.spaced
	if s.count >= minSpaced {
		t.spacedWord(s.letters)
	}
	s.letters, s.count = s.letters[:0], 0
}

// spacedWord emits a word made of spaced letters. Repetitions of one letter are a mark on a form, not a word.
func (t *Tokenizer) spacedWord(word []byte) {
	_, size := utf8.DecodeRune(word)
	if bytes.Count(word, word[:size])*size == len(word) {
		return
	}
	t.seen.add(spacedLetters)
	t.putWord(t.current.tag, word, t.current.words)
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

// separatedLetters emits the word behind a chunk like V.I.A.G.R.A or v--i--a--g--r--a, letters with the same signs between them. Its first
// comparisons rule out nearly all chunks.
func (t *Tokenizer) separatedLetters(chunk []byte) {
	chunk = bytes.TrimLeftFunc(chunk, isPunctuation)
	_, size := utf8.DecodeRune(chunk)
	between := signs(chunk[size:])
	if len(between) == 0 {
		return
	}
	t.joined = t.joined[:0]
	count := 0
	for {
		r, size := utf8.DecodeRune(chunk)
		if size == 0 || !isEuropean(r) || !unicode.IsLetter(r) {
			break
		}
		t.joined = append(t.joined, chunk[:size]...)
		count++
		chunk = chunk[size:]
		if !bytes.HasPrefix(chunk, between) {
			break
		}
		chunk = chunk[len(between):]
	}
	if next, _ := utf8.DecodeRune(chunk); count >= minSpaced && !isLetterOrDigit(next) {
		t.spacedWord(t.joined)
	}
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
