package message

import (
	"bytes"
	"slices"
	"strconv"

	"chaff/internal/ascii"
)

// entity is what a header says about its content.
type entity struct {
	mediaType  []byte
	assumed    []byte // the default media type
	charset    []byte
	boundary   []byte
	encoding   []byte // as declared
	transfer   transfer
	filename   []byte
	typeName   []byte // the file name in the Content-Type, if there is no other
	attachment bool
	delSp      bool // a blank before a line end belongs to no word (RFC 3676)

	typeField, encodingField []byte // the last field of that name, nil if there is none
	hasDisposition           bool   // there was a Content-Disposition

	content []byte // of a file inside of a plain text, which has no header
}

// describe reads a field that describes the content. The reading decides which of two types or encodings counts; of other
// fields the first counts.
//
// QUIRK: a type is "text/html; name=value", with quotes where a value needs them. Mail has types without a subtype, without
// semicolons, with blanks, in quotes, and with open quotes (content-types.eml).
func (h *headers) describe(e *entity, name, value []byte) {
	const prefix = "content-"
	if !ascii.HasPrefixFold(name, prefix) {
		return
	}
	switch name = name[len(prefix):]; {
	case ascii.EqualFold(name, "type") && h.usesValue(&e.typeField, value):
		token, params := cutToken(value)
		if minor := skipComments(params); len(minor) > 0 && (minor[0] == '/' || bytes.HasSuffix(token, []byte("/"))) { // "text / html"
			major := bytes.TrimSuffix(token, []byte("/"))
			token, params = cutToken(bytes.TrimPrefix(minor, []byte("/")))
			token = bytes.Join([][]byte{major, token}, []byte("/"))
		}
		token = bytes.Trim(token, `"`)
		if major, minor, _ := bytes.Cut(token, []byte("/")); len(major) > 0 && len(minor) > 0 {
			e.mediaType = h.toUTF8(h.lower(token), nil, false)
		} else {
			e.mediaType = e.assumed
			h.msg.Repairs.Add(BadContentType)
		}
		h.cutParams(params)
		charset, _ := cutToken(h.param("charset"))
		e.charset = h.lower(charset)
		boundary := h.param("boundary")
		e.boundary = boundary[:len(bytes.TrimRight(boundary, " \t"))] // not nil if it is declared and empty
		e.typeName = h.param("name")
		e.delSp = ascii.EqualFold(h.param("format"), "flowed") && ascii.EqualFold(h.param("delsp"), "yes")
	case ascii.EqualFold(name, "transfer-encoding") && h.usesValue(&e.encodingField, value):
		h.describeTransfer(e, value)
	case !e.hasDisposition && ascii.EqualFold(name, "disposition"):
		e.hasDisposition = true
		token, params := cutToken(value)
		e.attachment = ascii.EqualFold(token, "attachment")
		h.cutParams(params)
		if filename := h.param("filename"); len(filename) > 0 {
			e.filename = filename
		}
	}
}

// kind is how a content is read.
type kind uint8

const (
	kindText     kind = iota // as text; so is everything unknown
	kindHTML                 // as HTML, or as SVG, which can be read like it
	kindFile                 // as an attachment, which is not for people
	kindCalendar             // as a calendar or visiting card: lines of properties
	kindPDF
	kindMultipart // as parts
	kindMessage   // as a message
	kindFields    // as the header of a message
)

// kinds is how contents are read by their type, or by what is before the slash. Delivery reports are text. Rich text can be read like
// HTML (RFC 1896).
var kinds = map[string]kind{
	"application": kindFile, "audio": kindFile, "font": kindFile, "image": kindFile, "model": kindFile, "video": kindFile, "multipart": kindMultipart,
	"text/html": kindHTML, "text/x-amp-html": kindHTML, "application/xhtml+xml": kindHTML, "text/enriched": kindHTML, "text/richtext": kindHTML,
	"text/calendar": kindCalendar, "text/directory": kindCalendar, "text/vcard": kindCalendar, "text/x-vcalendar": kindCalendar, "text/x-vcard": kindCalendar,
	"message/rfc822": kindMessage, "message/global": kindMessage, "message/news": kindMessage,
	"text/rfc822-headers": kindFields, "message/global-headers": kindFields,
}

func (e *entity) kind() kind {
	if k, ok := kinds[string(e.mediaType)]; ok {
		return k
	}
	major, _, _ := bytes.Cut(e.mediaType, []byte("/"))
	return kinds[string(major)]
}

// lower returns token in lower case.
func (t *texts) lower(token []byte) []byte {
	return t.keep(ascii.AppendLower(t.arena, token, len(token)))
}

// cutToken cuts value before the first blank, semicolon or comment.
func cutToken(value []byte) (token, rest []byte) {
	value = skipComments(value)
	const ends = ascii.Blank | 1<<';' | 1<<'\n' | 1<<'('
	end := ends.Index(value)
	return value[:end], value[end:]
}

// skipComments returns s without the blanks and comments that it begins with. Comments nest. An open parenthesis begins none.
func skipComments(s []byte) []byte {
	const maxComment = 256 // without a limit, each open parenthesis could be read to the end
	s = bytes.TrimSpace(s)
	for i, depth := 0, 0; i < min(len(s), maxComment); i++ {
		switch c := s[i]; {
		case c == '(':
			depth++
		case depth == 0:
			return s
		case c == '\\':
			i++
		case c == ')':
			if depth--; depth == 0 {
				s, i = bytes.TrimSpace(s[i+1:]), -1
			}
		}
	}
	return s
}

// piece is a piece of a parameter in the form of RFC 2231.
type piece struct {
	index   int
	percent bool // %FC stands for a byte
	value   []byte
}

// wholeValue is the index of a value that is not in pieces. It sorts before pieces.
const wholeValue = -1

// cutParams leaves the parameters of a field in h.params. The name of one is the last word before the "=".
//
// QUIRK: comments may stand between all words of a field. Mail also has parentheses in values without quotes, such as
// "report (2).pdf", so a comment counts only before a name and after quotes (comments.eml).
func (h *headers) cutParams(params []byte) {
	h.params = h.params[:0]
	for len(params) > 0 {
		params = skipComments(params)
		end := ascii.Set(1<<'=' | 1<<';').Index(params)
		if end == len(params) {
			return
		}
		if params[end] == ';' {
			params = params[end+1:]
			continue
		}
		name, rest := bytes.TrimSpace(params[:end]), ascii.Blank.TrimLeft(params[end+1:])
		name = name[max(bytes.LastIndexByte(name, ' '), bytes.LastIndexByte(name, '\t'))+1:]
		value, after, _ := bytes.Cut(bytes.TrimPrefix(rest, []byte{'"'}), []byte(";")) // perhaps after a quote without an end
		value = bytes.TrimSpace(value)
		for i := 1; i < len(rest) && rest[0] == '"'; i++ {
			if rest[i] == '"' {
				value, after = h.unescape(rest[1:i], 0), rest[i+1:]
				break
			} else if rest[i] == '\\' {
				i++
			}
		}
		if params = after; len(name) > 0 {
			h.params = append(h.params, attribute{name, value})
		}
	}
}

// param returns the decoded value of a parameter in h.params, valid UTF-8, or nil. That of a boundary is returned as it is written, since so
// are the lines with it. Of two with the same name the first counts, but the form of RFC 2231 wins: the other one is for readers that do not
// know it. For boundaries and charsets a further reading takes the last one, and the other form.
//
// QUIRK: RFC 2231 writes other letters than ASCII as name*=charset'language'text, with %FC for a byte, possibly in numbered
// pieces. Mail also has encoded words or raw bytes there (file-names.eml), has pieces in any order, omits some, and puts
// encoded words into them (parameter-pieces.eml).
func (h *headers) param(name string) []byte {
	var plain []byte
	found := false
	isRead := name == "boundary" || name == "charset" // other parameters do not change how the content is read
	h.pieces = h.pieces[:0]
	for _, p := range h.params {
		if !ascii.HasPrefixFold(p.name, name) {
			continue
		}
		switch form, extended := bytes.CutPrefix(p.name[len(name):], []byte("*")); {
		case extended: // what is left of the name is "", "0" or "0*"
			digits, percent := bytes.CutSuffix(form, []byte("*"))
			if len(digits) == 0 {
				h.pieces = append(h.pieces, piece{wholeValue, true, p.value})
			} else if index, err := strconv.ParseUint(string(digits), 10, 20); err == nil {
				h.pieces = append(h.pieces, piece{int(index), percent, p.value})
			}
		case len(form) > 0: // another name
		case !found:
			plain, found = p.value, true
		case isRead && !bytes.Equal(p.value, plain):
			h.isAmbiguous = true
			if h.takesLast {
				plain = p.value
			}
		}
	}
	isBoundary := name == "boundary"
	if !isBoundary {
		plain = h.decodeWords(plain, nil)
	}
	if len(h.pieces) == 0 {
		return plain
	}
	whole := h.joinPieces(isBoundary)
	if found && isRead && !bytes.Equal(whole, plain) {
		h.isAmbiguous = true
		if h.takesLast {
			return plain
		}
	}
	return whole
}

// joinPieces returns the value of h.pieces. Words in it stay encoded if it is asked for as it is written.
func (h *headers) joinPieces(asWritten bool) []byte {
	slices.SortStableFunc(h.pieces, func(a, b piece) int { return a.index - b.index })
	if h.pieces[0].index == wholeValue {
		h.pieces = h.pieces[:1]
	}
	h.pieces = slices.CompactFunc(h.pieces, func(a, b piece) bool { return a.index == b.index })

	var charset []byte
	starless := false // a charset comes first, although no star says so
	first := &h.pieces[0]
	declared, rest, _ := bytes.Cut(first.value, []byte("'")) // charset'language'text
	if _, text, ok := bytes.Cut(rest, []byte("'")); ok && (first.percent || h.codec(declared) != nil) {
		charset, first.value = declared, text
		starless = !first.percent
	}
	h.encoded = h.encoded[:0]
	isPlain := true
	for _, p := range h.pieces {
		if p.percent || starless {
			isPlain = false
			h.encoded, _ = ascii.AppendUnescaped(h.encoded, p.value, '%')
		} else {
			h.encoded = append(h.encoded, p.value...)
		}
	}
	if isPlain {
		whole := h.keep(append(h.arena, h.encoded...))
		if asWritten {
			return whole
		}
		return h.decodeWords(whole, nil)
	}
	start := len(h.arena)
	h.flushWord(charset)
	return slices.Clip(h.arena[start:])
}

// unescape removes the backslash before each escaped byte, and replaces an escaped "n" by n, unless n is 0.
func (t *texts) unescape(s []byte, n byte) []byte {
	start := len(t.arena)
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if n != 0 && ascii.Lower(s[i]) == 'n' {
				t.arena = append(t.arena, n)
				continue
			}
		}
		t.arena = append(t.arena, s[i])
	}
	return slices.Clip(t.arena[start:])
}
