package message

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"chaff/internal/ascii"
)

// decodeWords decodes the encoded words (RFC 2047) of a field value. The rest of the value is in charset.
//
// QUIRK: the rest is ASCII. In mail it is in any charset, often in that of the body (charset-header.eml).
//
// QUIRK: encoded words stand between blanks, contain none, and hold whole characters. In mail they stand inside of words and
// quotes, contain blanks, and split characters (encoded-words.eml). So they are found anywhere, and the bytes of neighbours
// in one charset are joined before they are converted.
func (t *texts) decodeWords(value, charset []byte) []byte {
	isSpecial := func(c byte) bool { return c == '=' || c == escape || c == 0 || c >= utf8.RuneSelf }
	if !slices.ContainsFunc(value, isSpecial) { // there is nothing to decode
		return value
	}
	if c := t.codec(charset); c != nil && c.mark != "" && c.mark != string(rune(escape)) {
		charset = nil // it is that of the body; in a date, "+0100" would be a word of UTF-7
	}
	if !bytes.Contains(value, []byte("=?")) {
		return t.toUTF8(value, charset, false)
	}
	start := len(t.arena)
	t.encoded = t.encoded[:0]
	var pending []byte // the charset of the bytes in t.encoded; nil if there are none
	for len(value) > 0 {
		at := bytes.Index(value, []byte("=?"))
		if at < 0 {
			break
		}
		w, ok := cutEncodedWord(value[at:])
		if !ok {
			t.repairs.add(BadEncodedWord)
			if w.unclosed {
				break
			}
			t.flushWord(pending)
			pending = nil
			t.appendUTF8(value[:at+2], charset, false)
			value = value[at+2:]
			continue
		}
		gap := value[:at]
		adjacent := pending != nil && len(bytes.TrimSpace(gap)) == 0
		if !adjacent || !bytes.EqualFold(pending, w.charset) {
			t.flushWord(pending)
		}
		if !adjacent {
			t.appendUTF8(gap, charset, false)
		}
		t.appendWord(w)
		pending = w.charset
		value = value[at+w.length:]
	}
	t.flushWord(pending)
	t.appendUTF8(value, charset, false)
	return bytes.TrimSpace(t.made(start))
}

// flushWord appends the bytes of encoded words to the arena.
func (t *texts) flushWord(charset []byte) {
	t.appendUTF8(t.encoded, charset, false)
	t.encoded = t.encoded[:0]
}

// encodedWord is "=?charset?encoding?text?=".
type encodedWord struct {
	charset  []byte // without a language, never nil
	encoding byte   // 'b' or 'q'
	text     []byte
	length   int  // of the encoded word
	unclosed bool // it is none, since there is no "?=" up to the end
}

// maxCharsetName is longer than any name of a charset with a language.
const maxCharsetName = 64

// cutEncodedWord reads the encoded word at the start of value, which begins with "=?".
func cutEncodedWord(value []byte) (w encodedWord, ok bool) {
	name := value[2:min(len(value), 2+maxCharsetName)]
	end := bytes.IndexByte(name, '?')
	if end < 0 || bytes.IndexByte(name[:end], ' ') >= 0 {
		return w, false
	}
	at := 2 + end + 1
	if len(value) < at+2 || value[at+1] != '?' {
		return w, false
	}
	w.encoding = value[at] | 0x20
	if w.encoding != 'b' && w.encoding != 'q' {
		return w, false
	}
	at += 2
	length := bytes.Index(value[at:], []byte("?="))
	if length < 0 {
		w.unclosed = true
		return w, false
	}
	w.text = value[at : at+length]
	w.length = at + length + 2
	w.charset, _, _ = bytes.Cut(name[:end], []byte("*")) // RFC 2231 allows a language after it
	return w, true
}

// appendWord appends the bytes of an encoded word to t.encoded.
func (t *texts) appendWord(w encodedWord) {
	var ok bool
	if w.encoding == 'b' {
		t.encoded, ok = appendBase64(t.encoded, w.text)
	} else {
		start := len(t.encoded)
		t.encoded = append(t.encoded, w.text...)
		text := t.encoded[start:]
		for i, c := range text {
			if c == '_' {
				text[i] = ' '
			}
		}
		t.encoded, ok = ascii.AppendUnescaped(t.encoded[:start], text, '=')
	}
	if !ok {
		t.repairs.add(BadEncodedWord)
	}
}

// joinFlowed returns text with the lines joined that "format=flowed; delsp=yes" divided (RFC 3676, section 4): a line ends with a blank and the next
// has as many quote marks. The blank was added, so that a word may go on in the next line.
func (t *texts) joinFlowed(text []byte) []byte {
	start := len(t.arena)
	depth, flows := 0, false
	for len(text) > 0 {
		line, rest := cutLine(text)
		ending := text[len(line) : len(text)-len(rest)]
		text = rest
		content := bytes.TrimSuffix(line, []byte("\r"))
		quotes := len(content) - len(bytes.TrimLeft(content, ">"))
		if flows && quotes == depth {
			content = bytes.TrimPrefix(content[quotes:], []byte(" "))
		} else if flows {
			t.arena = append(t.arena, '\n')
		}
		depth, flows = quotes, len(content) > 0 && content[len(content)-1] == ' ' && string(bytes.TrimLeft(content, "> ")) != "-- "
		if flows {
			content, ending = content[:len(content)-1], nil
		}
		t.arena = append(append(t.arena, content...), ending...)
	}
	return t.made(start)
}
