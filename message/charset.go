package message

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"

	"chaff/internal/ascii"
)

// codec is how text of a charset is read.
type codec struct {
	name    string
	decoder *encoding.Decoder // nil for UTF
	// mark occurs in all text of a charset whose other characters can look like ASCII. Text without it is not in this
	// charset, whatever is declared. It is empty for a charset that extends ASCII.
	mark string
}

// The marks of charsets. Those of ISO 2022 are control characters: two that switch between ASCII and another table, and the first of its escape
// sequences.
const (
	markUTF7 = "+"
	markWide = "\x00" // of UTF-16 and UTF-32
	shiftOut = "\x0e"
	shiftIn  = "\x0f"
	escape   = "\x1b"
)

// texts reads text of any transfer encoding and charset as UTF-8. It keeps what is made of a message.
type texts struct {
	msg Message // what is decoded of it
	// arena holds what is made for the current message. It is only appended to: when it moves, slices of its old memory stay
	// valid. What is kept of it is clipped, so that nobody appends over what follows.
	arena []byte
	left  int // how much text of the message may still be read

	encoded []byte // the bytes of encoded words, before they are converted
	codecs  map[string]*codec
}

// renew leaves a large arena to its slices if it has no room for n more bytes, since it would be copied when it grows.
func (t *texts) renew(n int) {
	if len(t.arena) > LargeSize && cap(t.arena)-len(t.arena) < n {
		t.arena = make([]byte, 0, min(2*cap(t.arena), 8*LargeSize))
	}
}

// keep takes what was appended to the arena as a part of it, and returns that.
func (t *texts) keep(arena []byte) []byte {
	start := len(t.arena)
	t.arena = arena
	return slices.Clip(arena[start:])
}

// toUTF8 returns text in UTF-8 without a byte order mark and without NUL: text itself if nothing changes, else a copy in the
// arena.
func (t *texts) toUTF8(text, label []byte, isHTML bool) []byte {
	c := t.codec(label)
	if utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 && bytes.IndexByte(text, escape[0]) < 0 && !bytes.HasPrefix(text, []byte(byteOrderMark)) &&
		(c == nil || c.mark == "" || !bytes.Contains(text, []byte(c.mark))) && !c.isRather(text) { // there is no sign of another charset
		return text
	}
	start := len(t.arena)
	t.appendUTF8(text, label, isHTML)
	return slices.Clip(t.arena[start:])
}

// isRather reports whether text that is valid UTF-8 is rather in the declared charset, which is not Latin, since all characters of a sample are
// frequent in it. In short texts they can be: the two bytes of a letter in UTF-8 may be a Chinese character, or two letters of Russian.
func (c *codec) isRather(text []byte) bool {
	if c == nil || c.decoder == nil || lengthOfASCII(text) == len(text) {
		return false
	}
	text = text[max(0, lengthOfASCII(text)-1):] // with what is before the sample
	text = text[:min(len(text), sampleBytes)]
	i := slices.IndexFunc(guesses(), func(g guessable) bool { return g.name == c.name && !g.isLatin })
	if i < 0 {
		return false
	}
	_, frequent := guesses()[i].score(text)
	return frequent
}

// appendUTF8 appends text to the arena in UTF-8. Text that is not UTF-8 is converted from the charset that is declared, by
// label or in the HTML, else from the likeliest one.
//
// QUIRK: text is in the declared charset, or in ASCII. Mail declares any charset, or none, or one that does not exist, and
// sends UTF-8 or another (charset-*.eml).
func (t *texts) appendUTF8(text, label []byte, isHTML bool) {
	start := len(t.arena)
	c := t.codec(label)
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	valid := utf8.Valid(text)
	if signed := charsetBySignature(text, valid); signed != "" && (c == nil || c.mark == "") {
		c = t.codec([]byte(signed))
	}
	if c == nil && isHTML && !valid {
		c = t.codec(charsetInHTML(text))
	}
	switch {
	case c != nil && c.mark != "" && bytes.Contains(text, []byte(c.mark)),
		c != nil && c.mark == markWide && (hasOrderMark(text) || !valid && !hasWords(text)): // without ASCII there need be no NUL
		t.decode(c, text)
	case valid && !c.isRather(text):
		t.arena = append(t.arena, text...)
	case (c == nil || c.name == "utf-8") && isMostlyUTF8(text, c != nil):
		t.msg.Repairs.Add(InvalidUTF8)
		t.arena = appendRepaired(t.arena, text)
	case c != nil && c.decoder != nil && c.mark == "":
		t.decode(c, text)
	default:
		t.noteCharset(c, label)
		t.decode(t.codec([]byte(guesses().charset(text))), text)
	}
	if made := t.arena[start:]; bytes.IndexByte(made, 0) >= 0 {
		t.msg.Repairs.Add(NULBytes)
		t.arena = t.arena[:start+len(withoutNUL(made, isHTML))]
	}
}

// withoutNUL removes NUL from text.
//
// QUIRK: text has no NUL. Spammers put NUL into words, since many readers do not show it (nul_bytes.eml). In the name of a tag it stays, as a byte that no
// name has: what "<scr\x00ipt>" begins is shown.
func withoutNUL(text []byte, isHTML bool) []byte {
	inName := false
	kept := text[:0]
	for _, c := range text {
		switch {
		case c == '<', endOfName.Has(c):
			inName = isHTML && c == '<'
		case c == 0 && inName:
			c = 0x7f
		}
		if c != 0 {
			kept = append(kept, c)
		}
	}
	return kept
}

// hasOrderMark reports whether text begins with the byte order mark of UTF-16.
func hasOrderMark(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
}

// charsetBySignature returns the charset that a signature in text proves: an escape sequence of ISO 2022, or a byte order
// mark of UTF-16 in text that is not valid UTF-8. It is empty if there is none.
//
// QUIRK: text with escapes is declared. Some programs send it without a charset, or with another one (charset-escapes.eml).
func charsetBySignature(text []byte, valid bool) string {
	if !valid && hasOrderMark(text) && bytes.IndexByte(text, 0) >= 0 {
		return "utf-16"
	}
	for _, escapes := range [...]struct{ sequence, charset string }{
		{"\x1b$B", "iso-2022-jp"}, {"\x1b$@", "iso-2022-jp"}, {"\x1b$(D", "iso-2022-jp"}, {"\x1b$)C", "iso-2022-kr"},
	} {
		if valid && bytes.Contains(text, []byte(escapes.sequence)) {
			return escapes.charset
		}
	}
	return ""
}

// charsetInHTML returns the charset that HTML, which is not UTF-8 as a whole, declares to browsers, nil if the word is not there. A declaration
// that no browser follows makes it windows-1252, or UTF-8 if the head is.
func charsetInHTML(text []byte) []byte {
	head := text[:min(len(text), sniffBytes)]
	if !bytes.Contains(bytes.ToLower(head), []byte("charset")) {
		return nil
	}
	var s scanner
	for s.start(head); len(s.rest) > 0; {
		if kind, _ := s.next(); kind != startTagToken || string(s.name) != "meta" {
			continue
		}
		label := s.value("charset")
		if label == nil && ascii.EqualFold(s.value("http-equiv"), "content-type") {
			label = charsetInContent(s.value("content"))
		}
		switch name := charsetNamed(string(label)); {
		case name == "utf-8", strings.HasPrefix(name, "utf-16"): // the declaration of UTF-16 could not be read
			return []byte("utf-8")
		case name == "us-ascii":
			return []byte(fallback)
		case encodingOf(name) != nil:
			return []byte(name)
		}
	}
	for head[len(head)-1] >= utf8.RuneSelf { // a character that the limit cut in two
		head = head[:len(head)-1]
	}
	if lengthOfASCII(head) < len(head) && utf8.Valid(head) {
		return []byte("utf-8")
	}
	return []byte(fallback)
}

// charsetInContent returns the charset that the content of an element meta names, as in "text/html; charset=utf-8".
func charsetInContent(content []byte) []byte {
	const quotes, end ascii.Set = 1<<'"' | 1<<'\'', ascii.Space | 1<<';'
	_, after, _ := bytes.Cut(bytes.ToLower(content), []byte("charset"))
	label, _ := bytes.CutPrefix(ascii.Space.TrimLeft(after), []byte("="))
	label = (ascii.Space | quotes).TrimLeft(label)
	return label[:(end | quotes).Index(label)]
}

// noteCharset notes that 8-bit text has no useful label: none, or that of c, in which it is not.
func (t *texts) noteCharset(c *codec, label []byte) {
	switch {
	case c != nil && c.name == "utf-8":
		t.msg.Repairs.Add(InvalidUTF8)
	case c != nil, charsetNamed(string(label)) == "us-ascii":
		t.msg.Repairs.Add(WrongCharset)
	case len(label) == 0:
		t.msg.Repairs.Add(UndeclaredCharset)
	default:
		t.msg.Repairs.Add(UnknownCharset)
	}
}

// decode appends text in the charset of c to the arena.
func (t *texts) decode(c *codec, text []byte) {
	decoder := c.decoder
	switch c.mark {
	case markUTF7:
		t.arena = appendUTF7(t.arena, text)
		return
	case markWide:
		decoder, text = c.wide(text)
	case shiftOut:
		text = unshifted(text)
	}
	t.arena, _, _ = transform.Append(decoder, t.arena, text) // a decoder gives up nowhere
}

// sampleBytes is how much of a text is read to find its charset, from its first byte beyond ASCII on.
const sampleBytes = 2 << 10

// lengthOfASCII returns how many bytes of ASCII text begins with.
func lengthOfASCII(text []byte) (length int) {
	const high = 0x8080808080808080
	for ; len(text)-length >= 8 && binary.LittleEndian.Uint64(text[length:])&high == 0; length += 8 {
	}
	for length < len(text) && text[length] < utf8.RuneSelf {
		length++
	}
	return length
}

// isMostlyUTF8 reports whether a sample of text is damaged UTF-8: a third or more of its bytes beyond ASCII belong to UTF-8,
// or two thirds if UTF-8 is not declared. In charsets of two bytes a character one in ten does, and up to a half in short
// texts.
func isMostlyUTF8(text []byte, declared bool) bool {
	good, bad := 0, 0
	text = text[lengthOfASCII(text):]
	for text = text[:min(len(text), sampleBytes)]; len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			bad++
		} else {
			good += size - 1
		}
		text = text[size:]
	}
	return good > 0 && (good >= 2*bad || declared && good*2 >= bad)
}

// appendRepaired appends text with the character of windows-1252 for each byte that is not valid UTF-8. So text that is cut
// inside of a character, or has a foreign line, is still read.
func appendRepaired(dst, text []byte) []byte {
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
