package tokenize

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

const (
	minDisguised = 4  // a shorter word says too little
	maxDisguised = 24 // a longer one is no word
)

// letterFor returns the letter that a digit or sign is put in place of, or 0.
func letterFor(c byte) byte {
	switch c {
	case '0':
		return 'o'
	case '1', '!', '|':
		return 'i'
	case '3':
		return 'e'
	case '4', '@':
		return 'a'
	case '5', '$':
		return 's'
	case '7':
		return 't'
	case '8':
		return 'b'
	}
	return 0
}

// undigit appends to dst the word that s was meant to be if digits or signs stand in it in place of letters, between
// letters that the word starts and ends with. Codes and numbers of all sorts have fewer letters, letters of hexadecimal
// numbers only, or upper and lower case as no word has them.
func undigit(dst, s []byte) (word []byte, ok bool) {
	if len(s) < minDisguised || len(s) > maxDisguised {
		return dst, false
	}
	letters, upper, others, hexOnly := 0, 0, 0, true
	for _, c := range s {
		switch {
		case classOf(c) == letter:
			letters++
			if c < 'a' {
				upper++
			}
			hexOnly = hexOnly && c|0x20 <= 'f'
		case letterFor(c) != 0:
			others++
		default:
			return dst, false
		}
	}
	switch {
	case others == 0, letters < 2*others, hexOnly, classOf(s[0]) != letter, classOf(s[len(s)-1]) != letter:
		return dst, false
	case upper != 0 && upper != letters && (upper != 1 || s[0] >= 'a'):
		return dst, false
	}
	for _, c := range s {
		if classOf(c) != letter {
			c = letterFor(c)
		}
		dst = append(dst, c)
	}
	return dst, true
}

// isName reports whether s is two words around an at sign, as ann@localhost, and not a word with the sign for a letter.
func isName(s []byte) bool {
	const shortest = 3
	before, after, found := bytes.Cut(s, []byte("@"))
	return found && len(before) >= shortest && len(after) >= shortest
}

// signed emits the word behind a stretch like c@sh or ca$h, which holds a sign that may be put in place of a letter.
func (t *Tokenizer) signed(stretch []byte) {
	s := trimMarks(stretch)
	if !bytes.ContainsAny(s, "@$!|") || isName(s) {
		return
	}
	word, ok := undigit(t.joined[:0], s)
	t.joined = word[:0]
	if !ok {
		return
	}
	t.seen.add(letterDigit)
	t.single(t.voice.tag, word, t.voice.words)
}

// trimMarks returns a stretch without the punctuation around it.
func trimMarks(s []byte) []byte {
	for len(s) > 0 && s[0] < utf8.RuneSelf && !isAlnum(s[0]) {
		s = s[1:]
	}
	return trimEnd(s)
}

// trimEnd returns a stretch without the punctuation behind it.
func trimEnd(s []byte) []byte {
	for len(s) > 0 && s[len(s)-1] < utf8.RuneSelf && !isAlnum(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func isAlnum(c byte) bool {
	k := classOf(c)
	return k == letter || k == digit
}

// minSpaced is how many letters set apart make a word: fewer are initials.
const minSpaced = 4

// spaced gathers single letters that stand one after the other with the same white space between them.
type spaced struct {
	letters []byte
	count   int
	gap     int // white space between them, in bytes
}

// alone adds a stretch to the run of single letters, or ends the run if it is not a single letter that fits.
func (t *Tokenizer) alone(stretch []byte, gap int) {
	s := &t.spaced
	if !isSingle(stretch) {
		if letter := trimEnd(stretch); isSingle(letter) && (s.count < 2 || gap == s.gap) { // the last one, as in c a s h!
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
	s.letters = append(s.letters, stretch...)
	s.count++
}

// endSpaced ends the run of single letters and emits the word they make.
func (t *Tokenizer) endSpaced() {
	s := &t.spaced
	if s.count >= minSpaced {
		t.spacedWord(s.letters)
	}
	s.letters, s.count = s.letters[:0], 0
}

// spacedWord emits a word made of letters that were set apart. A row of one letter is a mark on a form, not a word.
func (t *Tokenizer) spacedWord(word []byte) {
	_, size := utf8.DecodeRune(word)
	if bytes.Count(word, word[:size])*size == len(word) {
		return
	}
	t.seen.add(spacedLetters)
	t.single(t.voice.tag, word, t.voice.words)
}

// isSingle reports whether s is one letter of an alphabet.
func isSingle(s []byte) bool {
	if len(s) == 1 {
		return classOf(s[0]) == letter
	}
	r, size := utf8.DecodeRune(s)
	return size == len(s) && isEuropean(r) && unicode.IsLetter(r)
}

// isEuropean reports whether r is Latin, Greek, Cyrillic, Armenian or a sign, and not of a script that has its own use for
// characters without width and for marks: it is before all of these, or in one of the later blocks of Latin and Greek.
func isEuropean(r rune) bool {
	return r < 0x0590 || r >= 0x1d00 && r < 0x1dc0 || r >= 0x1e00 && r < 0x2000 || r >= 0x2c60 && r < 0x2c80 || r >= 0xa720 && r < 0xa800
}

// apart emits the word behind a stretch like V.I.A.G.R.A or v--i--a--g--r--a, letters with the same signs between them. Its
// first comparisons tell nearly all stretches.
func (t *Tokenizer) apart(stretch []byte) {
	for len(stretch) > 0 && stretch[0] < utf8.RuneSelf && !isAlnum(stretch[0]) {
		stretch = stretch[1:]
	}
	_, size := utf8.DecodeRune(stretch)
	between := signs(stretch[size:])
	if len(between) == 0 {
		return
	}
	t.joined = t.joined[:0]
	count := 0
	for {
		r, size := utf8.DecodeRune(stretch)
		if size == 0 || !isEuropean(r) || !unicode.IsLetter(r) {
			break
		}
		t.joined = append(t.joined, stretch[:size]...)
		count++
		stretch = stretch[size:]
		if !bytes.HasPrefix(stretch, between) {
			break
		}
		stretch = stretch[len(between):]
	}
	if count >= minSpaced && !isAlnumStart(stretch) {
		t.spacedWord(t.joined)
	}
}

// maxSigns is how long the signs between two letters of a word may be, in bytes.
const maxSigns = 8

// signs returns the signs at the start of s, nothing if they are longer than such between letters.
func signs(s []byte) []byte {
	size := 0
	for size < len(s) && !isAlnum(s[size]) {
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

// isAlnumStart reports whether a letter or digit is at the start of s.
func isAlnumStart(s []byte) bool {
	r, _ := utf8.DecodeRune(s)
	return len(s) > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
