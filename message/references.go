package message

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/charmap"
)

// namedCharacter is what a name stands for in HTML, as nbsp in "&nbsp;".
type namedCharacter struct {
	text  string // what "&" and the name become in text
	whole bool   // the whole name is one, not only its start, as it has to be in attributes
}

const (
	// maxNamed is how many names are remembered. Most mail has a few dozen.
	maxNamed = 1 << 10
	// maxNamedLength is longer than any name.
	maxNamedLength = 40
)

// unescaped returns text or the value of an attribute of HTML with LF as the only line end, and the character in place of
// each reference to one: raw itself if there is none. It is valid until the next tag or text.
func (d *Decoder) unescaped(raw []byte, inAttribute bool) []byte {
	if bytes.IndexByte(raw, '&') < 0 && (!d.hasCR || bytes.IndexByte(raw, '\r') < 0) {
		return raw
	}
	const special uint64 = 1<<'&' | 1<<'\r'
	start := len(d.values)
	for at := 0; at < len(raw); {
		plain := skipTo(raw, at, special)
		d.values = append(d.values, raw[at:plain]...)
		switch at = plain; {
		case at == len(raw):
		case raw[at] == '\r':
			d.values = append(d.values, '\n')
			at++
			if at < len(raw) && raw[at] == '\n' {
				at++
			}
		case at+1 < len(raw) && raw[at+1] == '#':
			at += d.numbered(raw[at:])
		default:
			at += d.named(raw[at:], inAttribute)
		}
	}
	return d.values[start:len(d.values):len(d.values)]
}

// numbered appends the character that stands at the start of raw by its number, as in "&#8364;". It returns how many bytes
// have been dealt with.
func (d *Decoder) numbered(raw []byte) (read int) {
	at, base := len("&#"), rune(10)
	if at < len(raw) && lowerByte(raw[at]) == 'x' {
		at, base = at+1, 16
	}
	first := at
	var r rune
	for ; at < len(raw) && rune(hexDigit(raw[at])) < base; at++ {
		if r <= utf8.MaxRune {
			r = r*base + rune(hexDigit(raw[at]))
		}
	}
	if at == first {
		d.values = append(d.values, '&')
		return 1
	}
	if at < len(raw) && raw[at] == ';' {
		at++
	}
	switch {
	case 0x80 <= r && r <= 0x9f: // meant in windows-1252, if it is anything there
		if meant := charmap.Windows1252.DecodeByte(byte(r)); meant != utf8.RuneError {
			r = meant
		}
	case r == 0:
		r = utf8.RuneError
	}
	d.values = utf8.AppendRune(d.values, r)
	return at
}

// named appends the character that stands at the start of raw by its name, as in "&nbsp;". It returns how many bytes have
// been dealt with.
func (d *Decoder) named(raw []byte, inAttribute bool) (read int) {
	length := len("&")
	for length < len(raw) && isWordByte(raw[length]) {
		length++
	}
	if length < len(raw) && raw[length] == ';' {
		length++
	}
	reference, rest := raw[:min(length, maxNamedLength)], raw[min(length, maxNamedLength):length]
	isQuery := raw[length-1] != ';' && length < len(raw) && raw[length] == '=' // as in "?a=1&copy=2"
	var c namedCharacter
	if !inAttribute || !isQuery {
		c = d.namedCharacter(reference)
	}
	if inAttribute && !c.whole {
		d.values = append(d.values, raw[:length]...)
		return length
	}
	d.values = append(append(d.values, c.text...), rest...)
	return length
}

// namedCharacter returns what a reference, such as "&nbsp;", stands for.
func (d *Decoder) namedCharacter(reference []byte) namedCharacter {
	if c, ok := d.characters[string(reference)]; ok {
		return c
	}
	c := namedCharacter{text: html.UnescapeString(string(reference))}
	if reference[len(reference)-1] == ';' {
		c.whole = c.text == ";" || c.text[len(c.text)-1] != ';' // else it was left over
	} else {
		c.whole = utf8.RuneCountInString(c.text) == 1 && len(reference) > len("&")
	}
	if len(d.characters) == maxNamed {
		clear(d.characters) // of what some message has made up
	}
	d.characters[string(reference)] = c
	return c
}
