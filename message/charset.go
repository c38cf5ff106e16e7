package message

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// codec is how text of one charset is read.
type codec struct {
	decoder *encoding.Decoder // nil for UTF-8
	// mark is found in any text of a charset in which other things than ASCII can look like ASCII; text without it is
	// not in this charset, whatever is declared. It is empty for a charset that extends ASCII.
	mark []byte
}

// codec returns the codec for a declared charset, or nil for an unknown one. Known ones are made once per Decoder.
func (d *Decoder) codec(label []byte) *codec {
	if c, ok := d.codecs[string(label)]; ok {
		return c
	}
	c := newCodec(strings.ToLower(string(label)))
	if c != nil {
		d.codecs[string(label)] = c
	}
	return c
}

func newCodec(label string) *codec {
	switch label {
	case "utf-16": // the table below always takes this for little-endian
		return &codec{unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder(), []byte("\x00")}
	case "hz-gb-2312": // not in the table below, which is made for browsers
		return &codec{simplifiedchinese.HZGB2312.NewDecoder(), []byte("~{")}
	}
	enc, name := charset.Lookup(label)
	switch name {
	case "", "replacement":
		return nil
	case "utf-8":
		return &codec{}
	case "utf-16le", "utf-16be":
		return &codec{enc.NewDecoder(), []byte("\x00")}
	case "iso-2022-jp":
		return &codec{enc.NewDecoder(), []byte("\x1b")}
	}
	return &codec{enc.NewDecoder(), nil}
}

// toUTF8 returns text in UTF-8, without a byte order mark and without NUL: text itself where nothing is to be done,
// else a copy in the arena. See appendUTF8.
func (d *Decoder) toUTF8(text, label []byte, isHTML bool) []byte {
	if isPlainUTF8(text) && !bytes.HasPrefix(label, []byte("hz")) {
		return text
	}
	start := len(d.arena)
	d.appendUTF8(text, label, isHTML)
	return d.arena[start:len(d.arena):len(d.arena)]
}

// isPlainUTF8 reports whether text is valid UTF-8 in which nothing hints at something else.
func isPlainUTF8(text []byte) bool {
	return utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 && bytes.IndexByte(text, '\x1b') < 0 &&
		!bytes.HasPrefix(text, []byte("\ufeff"))
}

// appendUTF8 appends text to the arena, converted to UTF-8: if it is not UTF-8 already, then from the charset that is
// declared, by label or within the HTML, else from windows-1252.
//
// QUIRK: text is in the charset that is declared, or in ASCII. Mail declares any charset, or none, or one that does not
// exist, and sends UTF-8 or windows-1252 (charset-*.eml).
func (d *Decoder) appendUTF8(text, label []byte, isHTML bool) {
	if len(text) == 0 {
		return
	}
	start := len(d.arena)
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	c := d.codec(label)
	valid := utf8.Valid(text)
	if c == nil && isHTML && !valid {
		_, name, _ := charset.DetermineEncoding(text, "")
		c = d.codec([]byte(name))
	}
	switch {
	case c != nil && len(c.mark) > 0 && bytes.Contains(text, c.mark):
		d.transform(c.decoder, text)
	case valid:
		d.arena = append(d.arena, text...)
	case c == nil:
		if len(label) == 0 {
			d.msg.Repairs.add(UndeclaredCharset)
		} else {
			d.msg.Repairs.add(UnknownCharset)
		}
		d.transform(d.codec([]byte("windows-1252")).decoder, text)
	case c.decoder == nil:
		d.msg.Repairs.add(InvalidUTF8)
		d.arena = appendMended(d.arena, text)
	default:
		d.transform(c.decoder, text)
	}
	d.dropNUL(start)
}

// transform appends what decoder makes of text to the arena.
func (d *Decoder) transform(decoder *encoding.Decoder, text []byte) {
	decoder.Reset()
	for {
		d.arena = slices.Grow(d.arena, len(text)+2*utf8.UTFMax)
		made, read, err := decoder.Transform(d.arena[len(d.arena):cap(d.arena)], text, true)
		d.arena = d.arena[:len(d.arena)+made]
		text = text[read:]
		if err != transform.ErrShortDst {
			break
		}
	}
	d.arena = appendMended(d.arena, text) // nothing, unless decoder gave up
}

// appendMended appends text, and in place of each byte that is not valid UTF-8 what it means in windows-1252. So a text
// that was cut inside of a character, or has a foreign line in it, is still read.
func appendMended(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			r = charmap.Windows1252.DecodeByte(text[0])
		}
		dst = utf8.AppendRune(dst, r)
		text = text[size:]
	}
	return dst
}

// dropNUL removes NUL bytes from the end of the arena, from start on.
//
// QUIRK: text holds no NUL. Spammers put NUL into words since many readers do not show it (nul.eml).
func (d *Decoder) dropNUL(start int) {
	text := d.arena[start:]
	if bytes.IndexByte(text, 0) < 0 {
		return
	}
	d.msg.Repairs.add(NULBytes)
	text = slices.DeleteFunc(text, func(c byte) bool { return c == 0 })
	d.arena = d.arena[:start+len(text)]
}
