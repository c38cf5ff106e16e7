package pdftext

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"chaff/internal/ascii"
)

// token is a kind of token.
type token uint8

const (
	tokenEnd token = iota
	tokenName
	tokenNumber
	tokenString
	tokenWord // an operator or a bracket
)

// lexer splits objects, content streams and maps into tokens.
type lexer struct {
	data    []byte
	at      int
	text    []byte // of a name, a string without escapes, or a word; valid until the next token
	escaped bool   // the text is a copy, not a slice of data
	number  float64
	buffer  []byte
}

// next returns the next token. Its value is in text or number.
func (l *lexer) next() token {
	for l.at < len(l.data) {
		switch c := l.data[l.at]; {
		case blank.Has(c):
			l.at++
		case c == '%':
			l.at += (ascii.Set(1<<'\n' | 1<<'\r')).Index(l.data[l.at:])
		case c == '/':
			l.at++
			l.name()
			return tokenName
		case c == '(':
			l.literal()
			return tokenString
		case c == '<' && !l.isNext('<'):
			l.hex()
			return tokenString
		case isDelimiter(c):
			length := 1
			if l.isNext(c) { // << or >>
				length = 2
			}
			l.text = l.data[l.at : l.at+length]
			l.at += length
			return tokenWord
		default:
			return l.word()
		}
	}
	return tokenEnd
}

func (l *lexer) isNext(c byte) bool { return l.at+1 < len(l.data) && l.data[l.at+1] == c }

// inNumber has the characters of numbers: PDF has no exponents.
const inNumber ascii.Set = 1<<'+' | 1<<'-' | 1<<'.' | 0x3ff<<'0'

// word reads a number or a word.
func (l *lexer) word() token {
	l.text = l.regular()
	const longest = 32 // bytes of a number: longer ones can be so near 0 that they take long to read
	if len(l.text) > longest || slices.ContainsFunc(l.text, func(c byte) bool { return !inNumber.Has(c) }) {
		return tokenWord
	}
	number, err := strconv.ParseFloat(string(l.text), 64)
	if err != nil {
		return tokenWord
	}
	l.number = number
	return tokenNumber
}

// name reads a name after its slash. #41 stands for a byte.
func (l *lexer) name() {
	const maxName = 127 // programs write no longer names, and each operator may look one up
	l.text = l.regular()
	l.text = l.text[:min(len(l.text), maxName)]
	if l.escaped = bytes.IndexByte(l.text, '#') >= 0; l.escaped {
		l.buffer, _ = ascii.AppendUnescaped(l.buffer[:0], l.text, '#')
		l.text = l.buffer
	}
}

// regular returns what precedes the next blank or delimiter.
func (l *lexer) regular() []byte {
	start := l.at
	for l.at < len(l.data) && !blank.Has(l.data[l.at]) && !isDelimiter(l.data[l.at]) {
		l.at++
	}
	return l.data[start:l.at]
}

// literal reads a string in parentheses, which nest.
func (l *lexer) literal() {
	l.buffer = l.buffer[:0]
	l.at++
	for depth := 1; l.at < len(l.data) && depth > 0; l.at++ {
		c := l.data[l.at]
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case '\\':
			l.at++
			l.escape()
			continue
		}
		if depth > 0 {
			l.buffer = append(l.buffer, c)
		}
	}
	l.text = l.buffer
}

// escape reads the escape after a backslash, up to its last byte.
func (l *lexer) escape() {
	if l.at == len(l.data) {
		return
	}
	c := l.data[l.at]
	switch c {
	case '\n':
		return
	case '\r':
		if l.isNext('\n') {
			l.at++
		}
		return
	case 'n', 'r', 't', 'b', 'f':
		c = "\n\n\t  "[strings.IndexByte("nrtbf", c)]
	case '0', '1', '2', '3', '4', '5', '6', '7':
		digits := l.data[l.at:min(l.at+3, len(l.data))]
		digits = digits[:len(digits)-len(bytes.TrimLeft(digits, "01234567"))]
		n, _ := strconv.ParseUint(string(digits), 8, 16)
		c = byte(n)
		l.at += len(digits) - 1
	}
	l.buffer = append(l.buffer, c)
}

// hex reads a hexadecimal string. A missing last digit is 0.
func (l *lexer) hex() {
	l.buffer = l.buffer[:0]
	for l.at++; l.at < len(l.data) && l.data[l.at] != '>'; l.at++ {
		if c := l.data[l.at]; strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 {
			l.buffer = append(l.buffer, c)
		}
	}
	l.at++
	if len(l.buffer)%2 != 0 {
		l.buffer = append(l.buffer, '0')
	}
	n, _ := hex.Decode(l.buffer, l.buffer)
	l.text = l.buffer[:n]
}

const blank = ascii.Space | 1<<0

func isDelimiter(c byte) bool {
	const round ascii.Set = 1<<'(' | 1<<')' | 1<<'<' | 1<<'>' | 1<<'/' | 1<<'%'
	return round.Has(c) || c == '[' || c == ']'
}
