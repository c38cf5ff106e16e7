package tokenize

import (
	"bytes"
	"math/bits"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/segment"
)

// segmentKind is what a segment of text is.
type segmentKind uint8

const (
	plainWord segmentKind = iota
	symbol                // punctuation, a sign, an emoji
	wordPart              // a part of a word that was emitted already
)

// cut divides a chunk into words and signs and calls emit for each. The bytes are valid until emit returns.
//
// asciiWords divides chunks of ASCII, which are most of mail. It returns the words that segment would (FuzzASCIIWords) and saves a tenth of
// the CPU of bulk classification.
func (t *Tokenizer) cut(chunk []byte, kinds byteKind, emit func(word []byte, kind segmentKind)) {
	switch {
	case kinds == alpha:
		emit(chunk, plainWord)
	case kinds&nonASCII == 0:
		asciiWords(&t.asciiClasses, chunk, emit)
	default:
		t.unicodeWords(chunk, emit)
	}
}

// unicodeWords divides a normalised chunk of any script. In scripts without spaces, such as Chinese, Japanese and Thai, segment returns single
// characters: these are counted in overlapping pairs. Korean words end in particles: they are counted whole and, from three syllables
// on, in pairs too, which the forms of a word share.
func (t *Tokenizer) unicodeWords(text []byte, emit func(word []byte, kind segmentKind)) {
	var err error
	t.segments, t.types, _, err = segment.SegmentWordsDirect(text, t.segments[:0], t.types[:0])
	if err != nil {
		// Valid UTF-8 has no errors. If it ever has, the text counts as one word.
		emit(text, plainWord)
		return
	}
	run, runEnd := 0, 0 // the characters to pair, as offsets
	at := 0
	for i, s := range t.segments {
		start := at
		at += len(s)
		first, _ := utf8.DecodeRune(s)
		switch {
		case isPaired(t.types[i], first):
			if runEnd != start {
				pairs(text[run:runEnd], plainWord, emit)
				run = start
			}
			runEnd = at
		case t.types[i] != segment.None && len(bytes.Trim(s, "_")) == 0:
			emit(s, symbol) // a blank to fill in
		case t.types[i] != segment.None:
			emit(s, plainWord)
			if isHangul(first) && len(s) > 2*utf8.RuneLen(first) {
				pairs(s, wordPart, emit)
			}
		case !unicode.IsSpace(first) && !unicode.IsControl(first):
			emit(s, symbol)
		}
	}
	pairs(text[run:runEnd], plainWord, emit)
}

// isHangul reports whether r is a Korean syllable.
func isHangul(r rune) bool { return r >= 0xac00 && r <= 0xd7a3 }

// isPaired reports whether a segment is of a script without spaces: an ideograph, kana, or a letter of a script without rules in segment.
func isPaired(segmentType int, first rune) bool {
	switch segmentType {
	case segment.Ideo, segment.Kana:
		return true
	case segment.None:
		return unicode.IsLetter(first) || unicode.IsMark(first)
	}
	return false
}

// pairs emits each two neighbouring characters of run, or its only one.
func pairs(run []byte, kind segmentKind, emit func(word []byte, kind segmentKind)) {
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

// lengthClass appends what a word of n characters is counted as if it is too long for a term: the largest power of two in n, as "64+".
func lengthClass(dst []byte, n int) []byte {
	return append(strconv.AppendInt(dst, 1<<(bits.Len(uint(n))-1), 10), '+')
}
