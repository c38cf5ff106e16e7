package tokenize

import (
	"bytes"
	"math/bits"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/segment"
	"golang.org/x/text/unicode/norm"
)

// wordKind tells words from what is not one.
type wordKind uint8

const (
	plainWord   wordKind = iota
	symbol               // punctuation, a sign, an emoji
	furtherWord          // a part of a word that was emitted already
)

// byteKind is a set of what the bytes of a stretch of text are.
type byteKind uint8

const (
	space       byteKind = 1 << iota
	nonASCII             // part of a character beyond ASCII
	alpha                // a letter of ASCII
	number               // a digit
	at                   // an at sign
	sign                 // a sign that may be put in place of a letter, other than the at sign
	punctuation          // any other character of ASCII
)

// byteKinds returns the kind of each byte.
func byteKinds() (kinds [256]byteKind) {
	for c := range kinds {
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			kinds[c] = space
		case c >= utf8.RuneSelf:
			kinds[c] = nonASCII
		case classOf(byte(c)) == letter:
			kinds[c] = alpha
		case c >= '0' && c <= '9':
			kinds[c] = number
		case c == '@':
			kinds[c] = at
		case c == '$' || c == '!' || c == '|':
			kinds[c] = sign
		default:
			kinds[c] = punctuation
		}
	}
	return kinds
}

// stretches takes text one stretch between white space at a time, since no word crosses white space.
type stretches struct {
	bytes *[256]byteKind
	text  []byte   // what is left of the text
	kinds byteKind // what the stretch has
	gap   int      // white space before the stretch, in bytes
}

// next returns the next stretch, nil at the end.
func (s *stretches) next() []byte {
	text := s.text
	start := 0
	for start < len(text) && s.bytes[text[start]] == space {
		start++
	}
	kinds := byteKind(0)
	end := start
	for ; end < len(text); end++ {
		k := s.bytes[text[end]]
		if k == space {
			break
		}
		kinds |= k
	}
	s.text, s.kinds, s.gap = text[end:], kinds, start
	return text[start:end]
}

// cut cuts a stretch into words and calls emit for each. The bytes are valid until emit returns.
//
// Stretches of plain ASCII, which is most mail, are cut by asciiWord, exactly as segment would but several times faster
// (a fuzz target holds the two together); all others go through segment.
func (t *Tokenizer) cut(stretch []byte, kinds byteKind, emit func(word []byte, kind wordKind)) {
	switch {
	case kinds == alpha:
		emit(stretch, plainWord)
	case kinds&nonASCII == 0:
		asciiWords(&t.ascii, stretch, emit)
	default:
		for len(stretch) > maxPiece && t.left >= 0 {
			n := lengthOfPiece(stretch)
			t.unicodeWords(stretch[:n], emit)
			stretch = stretch[n:]
		}
		t.unicodeWords(stretch[:min(len(stretch), maxPiece)], emit)
	}
}

// maxPiece is how many bytes of a stretch beyond ASCII are brought to one form and cut at a time: one character can become
// eighteen. Text in a script without spaces has no paragraph as long.
const maxPiece = 64 << 10

// lengthOfPiece returns how much of a longer stretch is cut at a time.
func lengthOfPiece(stretch []byte) int {
	n := maxPiece
	for n > maxPiece-utf8.UTFMax && !utf8.RuneStart(stretch[n]) {
		n--
	}
	return n
}

// unicodeWords cuts a stretch of any script. Characters that stand for whole words or syllables, as in Chinese,
// Japanese and Thai, come one by one from segment: runs of them are counted in overlapping pairs. Korean is written
// with spaces, but particles stand at the end of its words without one: its words are counted whole and, from three
// syllables on, in pairs too, which the forms of a word have in common.
func (t *Tokenizer) unicodeWords(text []byte, emit func(word []byte, kind wordKind)) {
	t.clean = t.appendVisible(t.clean[:0], text)
	// segment stops at invalid UTF-8 and would lose the rest.
	valid := t.inOneForm(t.clean)
	if !utf8.Valid(valid) {
		valid = bytes.ToValidUTF8(valid, []byte(" "))
	}
	var err error
	t.segments, t.types, _, err = segment.SegmentWordsDirect(valid, t.segments[:0], t.types[:0])
	if err != nil {
		// It has none for valid UTF-8; if that ever changes, the text is still counted, as one word.
		emit(valid, plainWord)
		return
	}
	run, runEnd := 0, 0 // where in valid the characters to be paired are
	at := 0
	for i, s := range t.segments {
		start := at
		at += len(s)
		first, _ := utf8.DecodeRune(s)
		switch {
		case isPaired(t.types[i], first):
			if runEnd != start {
				pairs(valid[run:runEnd], plainWord, emit)
				run = start
			}
			runEnd = at
		case t.types[i] != segment.None && len(bytes.Trim(s, "_")) == 0:
			emit(s, symbol) // a line to be filled in
		case t.types[i] != segment.None:
			emit(s, plainWord)
			if isHangul(first) && len(s) > 2*utf8.RuneLen(first) {
				pairs(s, furtherWord, emit)
			}
		case !unicode.IsSpace(first) && !unicode.IsControl(first):
			emit(s, symbol)
		}
	}
	pairs(valid[run:runEnd], plainWord, emit)
}

// isHangul reports whether r is a syllable of Korean.
func isHangul(r rune) bool { return r >= 0xac00 && r <= 0xd7a3 }

// isPaired reports whether a segment belongs to a script without spaces: ideographs and kana by their type, and letters
// of the scripts for which segment knows no words.
func isPaired(segmentType int, first rune) bool {
	switch segmentType {
	case segment.Ideo, segment.Kana:
		return true
	case segment.None:
		return unicode.IsLetter(first) || unicode.IsMark(first)
	}
	return false
}

// pairs emits each two neighbouring characters of run, or the one there is.
func pairs(run []byte, kind wordKind, emit func(word []byte, kind wordKind)) {
	if len(run) == 0 {
		return
	}
	_, first := utf8.DecodeRune(run)
	if first == len(run) {
		emit(run, kind)
		return
	}
	for first < len(run) {
		_, second := utf8.DecodeRune(run[first:])
		emit(run[:first+second], kind)
		run, first = run[first:], second
	}
}

// appendVisible appends text without the characters that show nothing: zero-width spaces and joiners, direction marks,
// soft hyphens and byte order marks, which are put inside words to hide them. It takes down what of them, and of other
// disguises of characters, is no honest use.
func (t *Tokenizer) appendVisible(dst, text []byte) []byte {
	last := rune(' ') // the visible character before
	between := false  // whether a character without width followed it
	otherForms := 0   // letters of ASCII in another form
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r >= 0x00ad && isInvisible(r) {
			switch {
			case r == 0x202d || r == 0x202e:
				t.seen.add(directionOverride)
			case r == 0x202a || r == 0x202b:
				t.seen.embedding = true
			case r != 0x00ad: // the soft hyphen of careful typesetting
				between = true
			}
			text = text[size:]
			continue
		}
		dst = append(dst, text[:size]...)
		text = text[size:]
		if between && isEuropean(last) && isEuropean(r) && isLetterOrDigit(last) && isLetterOrDigit(r) {
			t.seen.add(zeroWidth)
		}
		if s := scriptOf(r); s != noScript {
			t.seen.letters[s]++
		} else if isOtherForm(r) {
			otherForms++
		}
		last, between = r, false
	}
	// One such letter alone is a formula or a sign.
	t.seen.wide = t.seen.wide || otherForms > 1
	return dst
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isOtherForm reports whether r is a letter of ASCII in another form: letter-like, in a circle or square, full-width,
// or mathematical.
func isOtherForm(r rune) bool {
	switch {
	case r >= 0x2102 && r <= 0x2134, r >= 0x24b6 && r <= 0x24e9, r >= 0xff21 && r <= 0xff3a, r >= 0xff41 && r <= 0xff5a,
		r >= 0x1d400 && r <= 0x1d6a3, r >= 0x1f130 && r <= 0x1f149:
		folded := norm.NFKC.PropertiesString(string(r)).Decomposition()
		return len(folded) == 1 && classOf(folded[0]) == letter
	}
	return false
}

func isInvisible(r rune) bool {
	switch {
	case r == 0x00ad, r == 0x034f, r == 0x061c, r == 0x180e, r == 0xfeff:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xfe00 && r <= 0xfe0f: // variation selectors
		return true
	}
	return false
}

// lengthClass returns what stands for a word of n characters that is too long to be a term: the largest power of two
// in n, as "64+".
func lengthClass(dst []byte, n int) []byte {
	return append(strconv.AppendInt(dst, 1<<(bits.Len(uint(n))-1), 10), '+')
}
