package message

import (
	"bytes"
	"slices"
	"time"
	"unicode/utf8"

	"chaff/internal/ascii"
	"chaff/internal/lines"
)

// maxJunkLines is how many lines ahead a field is searched for, to tell a stray line in the header from the body.
const maxJunkLines = 8

// maxHeaders is how many header fields of the largest size are read of a message, its parts and attached messages included.
const maxHeaders = 32

// headers reads headers of a message and its parts. Its zero value keeps no fields: [headers.header] sets the limits.
type headers struct {
	texts
	options     Options
	clock       func() time.Time
	deadline    time.Time // zero for a message without a time limit
	bytesLeft   int       // of header fields, in parts and attached messages too
	fieldsLeft  int
	laterLeft   int  // of fields that replace another one, although no bytes are left
	takesLast   bool // of two values for the same the last one counts
	isAmbiguous bool // the message has two values for the same, or two ends of the header of a part
	isLong      bool // the header of a part goes on, although other fields than those of parts follow

	params []attribute // of the current field
	pieces []piece     // of the current parameter
}

// The types of parts that declare none.
var typePlain, typeMessage, typeHTML, typeFile = []byte("text/plain"), []byte("message/rfc822"), []byte("text/html"), []byte("application/octet-stream")

// header reads the header at the start of data. It returns what the header says about the content, and the body. It adds the
// fields to kept, which is nil for the header of a part. That of the message itself begins a reading, for which it sets the limits.
func (h *headers) header(data, defaultType []byte, kept *[]Field) (e entity, body []byte) {
	const leastValue = 1 << 10 // bytes that are always read of a field that describes the content, which could not be read otherwise
	e.mediaType, e.assumed = defaultType, defaultType
	if kept == &h.msg.Header {
		h.bytesLeft, h.fieldsLeft, h.laterLeft = maxHeaders*h.options.MaxHeaderBytes, h.options.MaxHeaderFields, h.options.MaxHeaderFields
	}
	var first int
	if kept != nil {
		first = len(*kept)
	}
	h.isLong = false
	for {
		if h.isLate() {
			data = nil // no field and no body
		}
		var name, value []byte
		name, value, data = h.cutField(data, &e, kept == nil)
		if name == nil {
			break
		}
		most := min(h.options.MaxHeaderBytes, h.bytesLeft)
		if most < leastValue && h.needsField(&e, name) {
			most = min(h.options.MaxHeaderBytes, leastValue)
		}
		if len(value) > most {
			value = value[:most]
			h.msg.Repairs.Add(CutHeader)
		}
		name = name[:min(len(name), most)]
		h.bytesLeft = max(0, h.bytesLeft-len(name)-len(value))
		value = h.unfold(value)
		h.describe(&e, name, value)
		switch {
		case kept == nil:
		case h.fieldsLeft == 0:
			h.msg.Repairs.Add(CutHeader)
		default:
			h.fieldsLeft--
			*kept = append(*kept, Field{name, value})
		}
	}
	if len(e.filename) == 0 {
		e.filename = e.typeName
	}
	for i := first; kept != nil && i < len(*kept); i++ {
		(*kept)[i].Value = h.decodeWords((*kept)[i].Value, e.charset)
	}
	return e, data
}

// isLate reports whether the time for the message is up.
func (h *headers) isLate() bool {
	if h.deadline.IsZero() || h.clock().Before(h.deadline) {
		return false
	}
	h.msg.Repairs.Add(CutTime)
	return true
}

// needsField reports whether a field of that name would describe the content. Of two the last one does in a further reading: so many are
// read that they take little memory.
func (h *headers) needsField(e *entity, name []byte) bool {
	var isGiven bool
	switch {
	case ascii.EqualFold(name, "content-disposition"):
		return !e.hasDisposition
	case ascii.EqualFold(name, "content-type"):
		isGiven = e.typeField != nil
	case ascii.EqualFold(name, "content-transfer-encoding"):
		isGiven = e.encodingField != nil
	default:
		return false
	}
	if isGiven && h.takesLast && h.laterLeft > 0 {
		h.laterLeft--
		return true
	}
	return !isGiven
}

// usesValue reports whether a value of a field counts. Given is the value of the previous field of that name, or nil.
func (h *headers) usesValue(given *[]byte, value []byte) bool {
	before := *given
	if *given = value; before == nil {
		if value == nil {
			*given = []byte{}
		}
		return true
	}
	if string(before) != string(value) {
		h.isAmbiguous = true
	}
	return h.takesLast
}

// cutField cuts the first field, still folded, off a header. If there is none, the name is nil and rest is the body. OfPart
// says that it is the header of a part, which e describes so far.
//
// QUIRK: a header is a list of fields, continued on lines that begin with a blank, up to an empty line. In mail it may
// contain other lines, such as the rest of a field that a program did not fold (junk-lines.eml, lost-folds.eml) or an mbox
// line, and may run into the body without an empty line (no-empty-line.eml), or into the first part
// (no-empty-line-multipart.eml). Such a line continues the field before it if the header goes on, or if that field ends in a
// separator.
//
// QUIRK: headers of parts without an empty line often run into text that looks like fields, such as a delivery report or the
// header of a message (no-empty-line-part.eml). In nearly all mail the fields of parts begin with Content-, and fields are
// never base64. If such a field follows later, a further reading takes all of it for the header, as mail programs do.
func (h *headers) cutField(data []byte, e *entity, ofPart bool) (name, value, rest []byte) {
	for {
		line, after, _ := bytes.Cut(data, []byte("\n"))
		name, colon := cutName(line)
		switch {
		case len(line) == 0:
			return nil, nil, after
		case name == nil && (bytes.HasPrefix(line, []byte("--")) || !headerContinues(after, ofPart)),
			ofPart && !h.isLong && e.transfer != transferBase64 && !isCommonField(name, true) && !headerContinues(after, ofPart) && !h.goesOn(after):
			h.msg.Repairs.Add(HeaderWithoutEnd)
			return nil, nil, data
		case name == nil:
			h.msg.Repairs.Add(HeaderWithoutColon)
			data = after
			continue
		}
		for len(after) > 0 {
			next, below, _ := bytes.Cut(after, []byte("\n"))
			if !isFold(next) {
				if !isLostFold(next, below, data[:len(data)-len(after)], ofPart) {
					break
				}
				h.msg.Repairs.Add(HeaderWithoutColon)
			}
			after = below
		}
		return name, bytes.TrimSpace(data[colon+1 : len(data)-len(after)]), after
	}
}

// isFold reports whether line continues a field as RFC 5322 says.
func isFold(line []byte) bool { return len(line) > 0 && ascii.Blank.Has(line[0]) }

// isLostFold reports whether line continues the field before although it does not begin with a blank: the field ends in a separator of list
// items, so that another item must follow, or the header goes on. Subjects may end in a separator.
func isLostFold(line, below, before []byte, ofPart bool) bool {
	if name, _ := cutName(line); name != nil || len(line) == 0 || bytes.HasPrefix(line, []byte("--")) || lines.IsFromLine(line) {
		return false
	}
	name, _ := cutName(before)
	before = bytes.TrimRight(before, " \t\n")
	last := before[len(before)-1]
	return (last == ';' || last == ',') && !ascii.EqualFold(name, "subject") || headerContinues(below, ofPart)
}

// headerContinues reports whether one of the next lines is certainly a header field.
func headerContinues(data []byte, ofPart bool) bool {
	for range maxJunkLines {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte("\n"))
		if len(line) == 0 || bytes.HasPrefix(line, []byte("--")) {
			return false
		}
		name, colon := cutName(line)
		if len(name) == colon && isCommonField(name, ofPart) {
			return true
		}
	}
	return false
}

// goesOn reports whether the header of a part goes on in this reading with any fields, among them one that describes the content.
func (h *headers) goesOn(data []byte) bool {
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		switch name, _ := cutName(line); {
		case name == nil && !isFold(line):
			return false
		case ascii.HasPrefixFold(name, "content-"):
			h.isAmbiguous, h.isLong = true, h.takesLast
			return h.isLong
		}
	}
	return false
}

// cutName returns the field name that line begins with, nil if there is none, and the offset of the colon. A byte order mark may precede the name: that
// of a message which programs have put fields before, as chaff does.
//
// QUIRK: the colon follows the name. Some programs put a blank between (junk-lines.eml). So do corpora whose text is cut
// into words, but in small letters, and around hyphens too: a name like content-type is not cut. If two slashes follow the colon, the line is a
// URL that lost its fold, unless the name is known.
func cutName(line []byte) (name []byte, colon int) {
	start := 0
	if bytes.HasPrefix(line, []byte(byteOrderMark)) {
		start = len(byteOrderMark)
	}
	if start == len(line) || !ascii.IsLetter(line[start]) {
		return nil, 0
	}
	end := start + 1
	for end < len(line) && '!' <= line[end] && line[end] <= '~' && line[end] != ':' {
		end++
	}
	if end == len(line) {
		return nil, 0
	}
	name = line[start:end]
	switch c := line[end]; {
	case c == ':':
		if bytes.HasPrefix(line[end+1:], []byte("//")) && !isCommonField(name, false) {
			return nil, 0
		}
		return name, end
	case name[0] < 'a' || isCommonField(name, true):
		end += len(line[end:]) - len(ascii.Blank.TrimLeft(line[end:]))
		if end < len(line) && line[end] == ':' && isCommonField(name, false) {
			return name, end
		}
	}
	return nil, 0
}

// isCommonField reports whether parts commonly have a field of that name, or messages do if it is not that of a part.
func isCommonField(name []byte, ofPart bool) bool {
	isOfPart := ascii.HasPrefixFold(name, "content-") || ascii.HasPrefixFold(name, "x-") || ascii.EqualFold(name, "mime-version")
	if isOfPart || ofPart {
		return isOfPart
	}
	for _, known := range [...]string{
		"from", "to", "subject", "date", "received", "message-id", "return-path", "reply-to", "sender", "cc", "bcc",
		"references", "in-reply-to", "delivered-to", "errors-to", "precedence", "status", "importance", "priority",
		"organization", "user-agent", "mailing-list", "envelope-to", "delivery-date", "dkim-signature",
		"domainkey-signature", "authentication-results", "received-spf", "return-receipt-to", "lines", "newsgroups", "path",
		"list-", "resent-", "thread-", "disposition-", "arc-", // and others that begin like that
	} {
		if ascii.HasPrefixFold(name, known) && (len(name) == len(known) || known[len(known)-1] == '-') {
			return true
		}
	}
	return false
}

// unfold puts a value on one line. Where a fold has no blank, it adds one.
func (t *texts) unfold(value []byte) []byte {
	if bytes.IndexByte(value, '\n') < 0 {
		return value
	}
	start := len(t.arena)
	for len(value) > 0 {
		var line []byte
		line, value, _ = bytes.Cut(value, []byte("\n"))
		if len(t.arena) > start && !isFold(line) {
			t.arena = append(t.arena, ' ')
		}
		t.arena = append(t.arena, line...)
	}
	return slices.Clip(t.arena[start:])
}

// decodeWords decodes the encoded words (RFC 2047) of a field value. The rest of the value is in charset.
//
// QUIRK: the rest is ASCII. In mail it is in any charset, often in that of the body (charset-header.eml).
//
// QUIRK: encoded words stand between blanks, contain none, and hold whole characters. In mail they stand inside of words and
// quotes, contain blanks, and split characters (encoded-words.eml). So they are found anywhere, and the bytes of neighbours
// in one charset are joined before they are converted.
func (t *texts) decodeWords(value, charset []byte) []byte {
	const maxCharsetName = 64 // longer than any name of a charset with a language
	isSpecial := func(c byte) bool { return c == '=' || c == escape[0] || c == 0 || c >= utf8.RuneSelf }
	if !slices.ContainsFunc(value, isSpecial) { // there is nothing to decode
		return value
	}
	if c := t.codec(charset); c != nil && c.mark != "" && c.mark != escape {
		charset = nil // it is that of the body; in a date, "+0100" would be a word of UTF-7
	}
	if !bytes.Contains(value, []byte("=?")) {
		return t.toUTF8(value, charset, false)
	}
	start := len(t.arena)
	t.encoded = t.encoded[:0]
	var pending []byte // the charset of the bytes in t.encoded; nil if there are none
	for {
		gap, word, found := bytes.Cut(value, []byte("=?")) // =?charset?encoding?text?=
		if !found {
			break
		}
		own, rest, _ := bytes.Cut(word, []byte("?"))
		encoding, rest, ok := bytes.Cut(rest, []byte("?"))
		ok = ok && len(own) < maxCharsetName && bytes.IndexByte(own, ' ') < 0 && (ascii.EqualFold(encoding, "b") || ascii.EqualFold(encoding, "q"))
		if !ok {
			t.msg.Repairs.Add(BadEncodedWord)
			t.flushWord(pending)
			pending = nil
			t.appendUTF8(value[:len(gap)+len("=?")], charset, false)
			value = word
			continue
		}
		text, after, isClosed := bytes.Cut(rest, []byte("?="))
		if !isClosed { // nor is any later one
			t.msg.Repairs.Add(BadEncodedWord)
			break
		}
		own, _, _ = bytes.Cut(own, []byte("*")) // RFC 2231 allows a language after it
		adjacent := pending != nil && len(bytes.TrimSpace(gap)) == 0
		if !adjacent || !bytes.EqualFold(pending, own) {
			t.flushWord(pending)
		}
		if !adjacent {
			t.appendUTF8(gap, charset, false)
		}
		t.appendWord(text, ascii.EqualFold(encoding, "b"))
		pending, value = own, after
	}
	t.flushWord(pending)
	t.appendUTF8(value, charset, false)
	return bytes.TrimSpace(slices.Clip(t.arena[start:]))
}

// flushWord appends the bytes of encoded words to the arena.
func (t *texts) flushWord(charset []byte) {
	t.appendUTF8(t.encoded, charset, false)
	t.encoded = t.encoded[:0]
}

// appendWord appends the bytes of an encoded word to t.encoded.
func (t *texts) appendWord(text []byte, isBase64 bool) {
	var ok bool
	if isBase64 {
		t.encoded, ok = appendBase64(t.encoded, text)
	} else {
		start := len(t.encoded)
		t.encoded = append(t.encoded, text...)
		text = t.encoded[start:]
		for i, c := range text {
			if c == '_' {
				text[i] = ' '
			}
		}
		t.encoded, ok = ascii.AppendUnescaped(t.encoded[:start], text, '=')
	}
	if !ok {
		t.msg.Repairs.Add(BadEncodedWord)
	}
}

// joinFlowed returns text with the lines joined that "format=flowed; delsp=yes" divided (RFC 3676, section 4): a line ends with a blank and the next
// has as many quote marks. The blank was added, so that a word may go on in the next line.
func (t *texts) joinFlowed(text []byte) []byte {
	start := len(t.arena)
	depth, flows := 0, false
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
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
	return slices.Clip(t.arena[start:])
}
