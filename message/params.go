package message

import (
	"bytes"
	"slices"

	"chaff/internal/ascii"
)

// cutToken cuts value before the first blank, semicolon or comment.
func cutToken(value []byte) (token, rest []byte) {
	value = skipComments(value)
	const ends ascii.Set = 1<<';' | 1<<' ' | 1<<'\t' | 1<<'\n' | 1<<'('
	if end := ends.Index(value); end < len(value) {
		return value[:end], value[end:]
	}
	return bytes.TrimSpace(value), nil
}

// maxComment is the length of the longest comment. Without a limit, each open parenthesis could be read to the end.
const maxComment = 256

// skipComments returns s without the blanks and comments that it begins with. An open parenthesis begins none.
func skipComments(s []byte) []byte {
	s = bytes.TrimSpace(s)
	for len(s) > 0 && s[0] == '(' {
		length := commentLength(s[:min(len(s), maxComment)])
		if length == 0 {
			break
		}
		s = bytes.TrimSpace(s[length:])
	}
	return s
}

// commentLength returns the length of the comment that s begins with, 0 if it has no end. Comments nest.
func commentLength(s []byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// piece is a piece of a parameter in the form of RFC 2231.
type piece struct {
	index   int
	percent bool // %FC stands for a byte
	value   []byte
}

// wholeValue is the index of a value that is not in pieces. It sorts before pieces.
const wholeValue = -1

// parameter is a "name=value" of a field.
type parameter struct {
	name, value []byte
}

// cutParams leaves the parameters of a field in h.params.
func (h *headers) cutParams(params []byte) {
	h.params = h.params[:0]
	for len(params) > 0 {
		var p parameter
		p.name, p.value, params = h.cutParam(params)
		if len(p.name) > 0 {
			h.params = append(h.params, p)
		}
	}
}

// param returns the decoded value of a parameter in h.params, valid UTF-8, or nil. Of two with the same name the first
// counts, but the form of RFC 2231 wins: the other one is for readers that do not know it. For boundaries and charsets a
// further reading takes the last one, and the other form.
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
		case extended:
			h.addPiece(form, p.value)
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
	if len(h.pieces) > 0 && (!found || !isRead) {
		return h.joinPieces()
	}
	if found {
		plain = h.decodeWords(plain, nil)
	}
	if len(h.pieces) == 0 {
		return plain
	}
	whole := h.joinPieces()
	if bytes.Equal(whole, plain) {
		return whole
	}
	h.isAmbiguous = true
	if h.takesLast {
		return plain
	}
	return whole
}

// addPiece adds a piece. Form is the rest of its name after the first star: "", "0" or "0*".
func (h *headers) addPiece(form, value []byte) {
	p := piece{index: wholeValue, value: value}
	digits, percent := bytes.CutSuffix(form, []byte("*"))
	p.percent = percent || len(form) == 0
	const maxIndex = 1 << 20
	for i, c := range digits {
		if c < '0' || c > '9' || p.index > maxIndex {
			return
		}
		if i == 0 {
			p.index = 0
		}
		p.index = p.index*10 + int(c-'0')
	}
	h.pieces = append(h.pieces, p)
}

// joinPieces returns the value of h.pieces.
func (h *headers) joinPieces() []byte {
	slices.SortStableFunc(h.pieces, func(a, b piece) int { return a.index - b.index })
	if h.pieces[0].index == wholeValue {
		h.pieces = h.pieces[:1]
	}
	h.pieces = slices.CompactFunc(h.pieces, func(a, b piece) bool { return a.index == b.index })

	var charset []byte
	starless := false // a charset comes first, although no star says so
	first := &h.pieces[0]
	if declared, text, ok := cutExtended(first.value); ok && (first.percent || h.codec(declared) != nil) {
		charset, first.value = declared, text
		starless = !first.percent
	}
	if !starless && !slices.ContainsFunc(h.pieces, func(p piece) bool { return p.percent }) {
		start := len(h.arena)
		for _, p := range h.pieces {
			h.arena = append(h.arena, p.value...)
		}
		return h.decodeWords(h.made(start), nil)
	}
	h.encoded = h.encoded[:0]
	for _, p := range h.pieces {
		if p.percent || starless {
			h.encoded, _ = ascii.AppendUnescaped(h.encoded, p.value, '%')
		} else {
			h.encoded = append(h.encoded, p.value...)
		}
	}
	start := len(h.arena)
	h.flushWord(charset)
	return h.made(start)
}

// cutExtended cuts "charset'language'text".
func cutExtended(value []byte) (charset, text []byte, ok bool) {
	charset, rest, _ := bytes.Cut(value, []byte("'"))
	_, text, ok = bytes.Cut(rest, []byte("'"))
	return charset, text, ok
}

// cutParam cuts the first "name=value" off params. Both may be empty. The name is the last word before the "=".
//
// QUIRK: comments may stand between all words of a field. Mail also has parentheses in values without quotes, such as
// "report (2).pdf", so a comment counts only before a name and after quotes (comments.eml).
func (h *headers) cutParam(params []byte) (name, value, rest []byte) {
	params = skipComments(params)
	end := ascii.Set(1<<'=' | 1<<';').Index(params)
	if end == len(params) {
		return nil, nil, nil
	}
	if params[end] == ';' {
		return nil, nil, params[end+1:]
	}
	name, rest = bytes.TrimSpace(params[:end]), bytes.TrimLeft(params[end+1:], " \t")
	name = name[max(bytes.LastIndexByte(name, ' '), bytes.LastIndexByte(name, '\t'))+1:]
	if len(rest) > 0 && rest[0] == '"' {
		if value, rest, ok := h.cutQuoted(rest); ok {
			return name, value, rest
		}
		rest = rest[1:] // the quote has no end
	}
	value, rest, _ = bytes.Cut(rest, []byte(";"))
	return name, bytes.TrimSpace(value), rest
}

// cutQuoted cuts a quoted string off s, and returns its content.
func (h *headers) cutQuoted(s []byte) (value, rest []byte, ok bool) {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return h.unescape(s[1:i], 0), s[i+1:], true
		}
	}
	return nil, nil, false
}

// unescape removes the backslash before each escaped byte, and replaces an escaped "n" by n, unless n is 0.
func (t *texts) unescape(s []byte, n byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
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
	return t.made(start)
}
