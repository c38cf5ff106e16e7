package tokenize

import (
	"bytes"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/segment"

	"chaff/internal/ascii"
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

// powerOfTwo returns the largest power of two in n, or 0 for 0.
func powerOfTwo(n int) int64 { return 1 << bits.Len(uint(n)) >> 1 }

// asciiClass is the Word_Break property of an ASCII character (UAX #29, table 3), simplified.
type asciiClass uint8

const (
	other     asciiClass = iota // breaks on both sides
	letter                      // ALetter
	digit                       // Numeric
	underline                   // ExtendNumLet
	midLetter                   // MidLetter: the colon
	midNum                      // MidNum: comma and semicolon
	midBoth                     // MidNumLet and Single_Quote: full stop and apostrophe
)

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func classOf(c byte) asciiClass {
	switch {
	case ascii.IsLetter(c):
		return letter
	case isDigit(c):
		return digit
	case c == '_':
		return underline
	case c == ':':
		return midLetter
	case c == ',', c == ';':
		return midNum
	case c == '.', c == '\'':
		return midBoth
	}
	return other
}

// asciiClasses returns the class of each byte.
func asciiClasses() (classes [256]asciiClass) {
	for c := range classes {
		classes[c] = classOf(byte(c))
	}
	return classes
}

// asciiWords divides a chunk of ASCII without white space into the words that segment would return.
func asciiWords(classes *[256]asciiClass, text []byte, emit func(word []byte, kind segmentKind)) {
	for len(text) > 0 {
		size, isSymbol := asciiWord(classes, text)
		switch c := text[0]; {
		case !isSymbol:
			emit(text[:size], plainWord)
		case c > ' ' && c != 0x7f:
			emit(text[:size], symbol)
		}
		text = text[size:]
	}
}

// asciiWord returns the length of the word at the start of text, and whether it is a symbol. The rules are WB5 to WB13b of UAX #29. Letters,
// digits and underscores join (WB5, 8, 9, 10, 13a, 13b). A colon, full stop or apostrophe joins two letters (WB6, 7), and a comma,
// semicolon, full stop or apostrophe two digits (WB11, 12). Everything else is a segment of its own (WB999).
func asciiWord(classes *[256]asciiClass, text []byte) (size int, isSymbol bool) {
	last := classes[text[0]]
	if last != letter && last != digit && last != underline {
		return 1, true
	}
	isSymbol = last == underline
	for size = 1; size < len(text); {
		switch c := classes[text[size]]; c {
		case letter, digit, underline:
			isSymbol = isSymbol && c == underline
			last = c
			size++
		case midLetter, midNum, midBoth:
			if size+1 == len(text) || !joins(last, c, classes[text[size+1]]) {
				return size, isSymbol
			}
			size++ // the next round takes the character behind it
		default:
			return size, isSymbol
		}
	}
	return size, isSymbol
}

// joins reports whether mid joins the characters before and after it into one word.
func joins(before, mid, after asciiClass) bool {
	switch {
	case before != after:
		return false
	case before == letter:
		return mid == midLetter || mid == midBoth
	case before == digit:
		return mid == midNum || mid == midBoth
	}
	return false
}
