package tokenize

import "chaff/internal/ascii"

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
