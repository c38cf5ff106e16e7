package message

import "bytes"

const (
	maxFields = 1000
	// maxJunkLines is how far ahead a field is looked for, to tell a stray line in the header from the body.
	maxJunkLines = 8
)

// header reads the header at the start of data. It returns what it says about the content, and the body. The fields of
// the top-level header are kept.
func (d *Decoder) header(data, defaultType []byte, top bool) (e entity, body []byte) {
	e.mediaType = defaultType
	for {
		var name, value []byte
		name, value, data = d.field(data)
		if name == nil {
			break
		}
		if len(value) > d.options.MaxHeaderBytes {
			value = value[:d.options.MaxHeaderBytes]
			d.msg.Repairs.add(CutHeader)
		}
		value = d.unfold(value)
		d.describe(&e, name, value)
		switch {
		case !top:
		case len(d.msg.Header) == maxFields:
			d.msg.Repairs.add(CutHeader)
		default:
			name = d.toUTF8(name[:min(len(name), d.options.MaxHeaderBytes)], nil, false)
			if len(name) > 0 { // it may have been NUL
				d.msg.Header = append(d.msg.Header, Field{name, value})
			}
		}
	}
	if top {
		for i := range d.msg.Header {
			field := &d.msg.Header[i]
			field.Value = d.words(field.Value, e.charset)
		}
	}
	return e, data
}

// field cuts the first field off a header; its value is still folded. After the last one the name is nil, and rest is
// the body.
//
// QUIRK: a header consists of fields and ends with an empty line. In mail it may also hold other lines, such as the
// rest of a field broken by a program that did not know how to fold it, or an mbox line (junk-lines.eml), or go over
// into the body without an empty line (no-empty-line.eml), or into the first part (no-empty-line-multipart.eml). A line
// without a colon, or with a blank before it, is in the header if a proper field comes soon after.
func (d *Decoder) field(data []byte) (name, value, rest []byte) {
	for len(data) > 0 {
		line, after := cutLine(data)
		if len(line) == 0 {
			return nil, nil, after
		}
		colon := bytes.IndexByte(line, ':')
		if !isField(line) {
			if bytes.HasPrefix(line, []byte("--")) || !headerGoesOn(after) {
				d.msg.Repairs.add(HeaderWithoutEnd)
				return nil, nil, data
			}
			if colon < 0 || len(bytes.TrimSpace(line[:colon])) == 0 {
				d.msg.Repairs.add(HeaderWithoutColon)
				data = after
				continue
			}
		}
		for len(after) > 0 && isBlank(after[0]) { // the field is folded and goes on in this line
			_, after = cutLine(after)
		}
		value = data[colon+1 : len(data)-len(after)]
		return bytes.TrimSpace(line[:colon]), bytes.TrimSpace(value), after
	}
	return nil, nil, nil
}

// headerGoesOn reports whether one of the next lines is a field.
func headerGoesOn(data []byte) bool {
	for range maxJunkLines {
		var line []byte
		line, data = cutLine(data)
		if len(line) == 0 || bytes.HasPrefix(line, []byte("--")) {
			return false
		}
		if isField(line) {
			return true
		}
	}
	return false
}

// isField reports whether line starts with a field name and a colon as the RFC wants them. A line that starts with two
// hyphens is a boundary whatever follows.
func isField(line []byte) bool {
	if bytes.HasPrefix(line, []byte("--")) {
		return false
	}
	for i, c := range line {
		if c == ':' {
			return i > 0
		}
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return false
}

// unfold puts a value on one line. The blank that starts each further line remains.
func (d *Decoder) unfold(value []byte) []byte {
	if bytes.IndexByte(value, '\n') < 0 {
		return value
	}
	start := len(d.arena)
	for len(value) > 0 {
		var line []byte
		line, value = cutLine(value)
		d.arena = append(d.arena, line...)
	}
	return d.arena[start:len(d.arena):len(d.arena)]
}

// words decodes the encoded words (RFC 2047) of a field value; what is outside of them is in charset.
//
// QUIRK: it should be ASCII. In mail it is in any charset, often that of the body (charset-header.eml).
//
// QUIRK: encoded words stand alone between blanks, hold no blanks, and each holds whole characters. In mail they stand
// inside of words and quotes, hold blanks, and split characters (encoded-words.eml). So they are found anywhere, and
// the bytes of neighbours of one charset are joined before they are converted.
func (d *Decoder) words(value, charset []byte) []byte {
	if !bytes.Contains(value, []byte("=?")) {
		return d.toUTF8(value, charset, false)
	}
	start := len(d.arena)
	d.word = d.word[:0]
	var pending []byte // charset of the bytes in d.word; nil if the last thing was no encoded word
	for len(value) > 0 {
		at := bytes.Index(value, []byte("=?"))
		if at < 0 {
			break
		}
		w, ok := cutEncodedWord(value[at:])
		if !ok {
			d.msg.Repairs.add(BadEncodedWord)
			if w.unclosed {
				break
			}
			d.flushWord(pending)
			pending = nil
			d.appendUTF8(value[:at+2], charset, false)
			value = value[at+2:]
			continue
		}
		gap := value[:at]
		adjacent := pending != nil && len(bytes.TrimSpace(gap)) == 0
		if !adjacent || !bytes.EqualFold(pending, w.charset) {
			d.flushWord(pending)
		}
		if !adjacent {
			d.appendUTF8(gap, charset, false)
		}
		d.appendWord(w)
		pending = w.charset
		value = value[at+w.length:]
	}
	d.flushWord(pending)
	d.appendUTF8(value, charset, false)
	return bytes.TrimSpace(d.arena[start:len(d.arena):len(d.arena)])
}

// flushWord appends the collected bytes of encoded words to the arena.
func (d *Decoder) flushWord(charset []byte) {
	d.appendUTF8(d.word, charset, false)
	d.word = d.word[:0]
}

// encodedWord is "=?charset?encoding?text?=".
type encodedWord struct {
	charset  []byte // without a language, never nil
	encoding byte   // 'b' or 'q'
	text     []byte
	length   int  // of the whole
	unclosed bool // if it is none: because there is no "?=" up to the end
}

// maxCharsetName is longer than any name of a charset with a language; an encoded word's is looked for no further.
const maxCharsetName = 64

// cutEncodedWord reads the encoded word that value, which starts with "=?", starts with.
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
	w.charset, _, _ = bytes.Cut(name[:end], []byte("*")) // RFC 2231 adds a language there
	return w, true
}

// appendWord appends the bytes of an encoded word to d.word.
func (d *Decoder) appendWord(w encodedWord) {
	var ok bool
	if w.encoding == 'b' {
		d.word, ok = appendBase64(d.word, w.text)
	} else {
		d.word, ok = appendQ(d.word, w.text)
	}
	if !ok {
		d.msg.Repairs.add(BadEncodedWord)
	}
}
