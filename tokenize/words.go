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

// words cuts text into words and calls emit for each that is not white space. The bytes are valid until emit returns.
// symbol tells punctuation, signs and emoji from words.
//
// Text is taken one stretch between white space at a time, since no word crosses white space. Stretches of plain ASCII,
// which is most mail, are cut by asciiWord, exactly as segment would but several times faster (fuzz_test.go holds the
// two together); all others go through segment.
func (t *Tokenizer) words(text []byte, emit func(word []byte, symbol bool)) {
	for i := 0; i < len(text); {
		if isSpace(text[i]) {
			i++
			continue
		}
		start, ascii := i, true
		for ; i < len(text) && !isSpace(text[i]); i++ {
			ascii = ascii && text[i] < utf8.RuneSelf
		}
		if ascii {
			asciiWords(text[start:i], emit)
		} else {
			t.unicodeWords(text[start:i], emit)
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// unicodeWords cuts a stretch of any script. Characters that stand for whole words or syllables, as in Chinese,
// Japanese and Thai, come one by one from segment: runs of them are counted in overlapping pairs.
func (t *Tokenizer) unicodeWords(text []byte, emit func(word []byte, symbol bool)) {
	t.clean = appendVisible(t.clean[:0], text)
	t.normal = norm.NFKC.Append(t.normal[:0], t.clean...)
	// segment stops at invalid UTF-8 and would lose the rest.
	valid := t.normal
	if !utf8.Valid(valid) {
		valid = bytes.ToValidUTF8(valid, []byte(" "))
	}
	var err error
	t.segments, t.types, _, err = segment.SegmentWordsDirect(valid, t.segments[:0], t.types[:0])
	if err != nil {
		// It has none for valid UTF-8; if that ever changes, the text is still counted, as one word.
		emit(valid, false)
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
				pairs(valid[run:runEnd], emit)
				run = start
			}
			runEnd = at
		case t.types[i] != segment.None:
			emit(s, false)
		case !unicode.IsSpace(first) && !unicode.IsControl(first):
			emit(s, true)
		}
	}
	pairs(valid[run:runEnd], emit)
}

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
func pairs(run []byte, emit func(word []byte, symbol bool)) {
	if len(run) == 0 {
		return
	}
	_, first := utf8.DecodeRune(run)
	if first == len(run) {
		emit(run, false)
		return
	}
	for first < len(run) {
		_, second := utf8.DecodeRune(run[first:])
		emit(run[:first+second], false)
		run, first = run[first:], second
	}
}

// appendVisible appends text without the characters that show nothing: zero-width spaces and joiners, direction marks,
// soft hyphens and byte order marks, which are put inside words to hide them.
func appendVisible(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if !isInvisible(r) {
			dst = append(dst, text[:size]...)
		}
		text = text[size:]
	}
	return dst
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
