package tokenize

import (
	"bytes"
	"math/bits"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/segment"
)

// wordKind tells words from what is not one.
type wordKind uint8

const (
	plainWord   wordKind = iota
	symbol               // punctuation, a sign, an emoji
	furtherWord          // a part of a word that was emitted already
)

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
		t.unicodeWords(stretch, emit)
	}
}

// unicodeWords cuts a stretch of any script that was made legible. Characters that stand for whole words or syllables, as in Chinese,
// Japanese and Thai, come one by one from segment: runs of them are counted in overlapping pairs. Korean is written
// with spaces, but particles stand at the end of its words without one: its words are counted whole and, from three
// syllables on, in pairs too, which the forms of a word have in common.
func (t *Tokenizer) unicodeWords(text []byte, emit func(word []byte, kind wordKind)) {
	var err error
	t.segments, t.types, _, err = segment.SegmentWordsDirect(text, t.segments[:0], t.types[:0])
	if err != nil {
		// It has none for valid UTF-8; if that ever changes, the text is still counted, as one word.
		emit(text, plainWord)
		return
	}
	run, runEnd := 0, 0 // where in text the characters to be paired are
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
	pairs(text[run:runEnd], plainWord, emit)
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

// lengthClass returns what stands for a word of n characters that is too long to be a term: the largest power of two
// in n, as "64+".
func lengthClass(dst []byte, n int) []byte {
	return append(strconv.AppendInt(dst, 1<<(bits.Len(uint(n))-1), 10), '+')
}
