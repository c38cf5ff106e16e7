package message

import (
	"bytes"
	"slices"

	"chaff/internal/ascii"
	"chaff/internal/css"
)

// The functions in this file cut HTML into the tokens that browsers see, without a copy.

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	textToken tokenKind = iota
	startTagToken
	endTagToken
	brokenTagToken // without an end, or too long
	commentToken   // or what browsers take for one: "<?", "</ ", "<!" without a document type
	doctypeToken
)

// maxTokenBytes is the length of the longest tag or comment.
const maxTokenBytes = 1 << 20

// cutToken returns the kind and the length of the token at the start of source, which is not empty. It leaves the attributes of
// a tag in d.current.
func (d *Decoder) cutToken(source []byte) (kind tokenKind, length int) {
	if length = textLength(source); length > 0 {
		return textToken, length
	}
	source = source[:min(len(source), maxTokenBytes)]
	switch {
	case ascii.IsLetter(source[1]):
		kind = startTagToken
	case source[1] == '/' && ascii.IsLetter(source[2]):
		kind = endTagToken
	case bytes.HasPrefix(source, []byte("<!--")):
		return commentToken, htmlCommentLength(source)
	default:
		kind = commentToken
		if ascii.HasPrefixFold(source, "<!doctype") {
			kind = doctypeToken
		}
		before, _, _ := bytes.Cut(source, []byte(">"))
		return kind, min(len(before)+1, len(source))
	}
	if length = d.cutTag(source); length == 0 {
		return brokenTagToken, len(source)
	}
	return kind, length
}

// textLength returns the offset of the first markup in source, len(source) if there is none.
func textLength(source []byte) int {
	for at := 0; ; at++ {
		next := bytes.IndexByte(source[at:], '<')
		at += next
		if next < 0 || at+1 == len(source) {
			return len(source)
		}
		switch c := source[at+1]; {
		case ascii.IsLetter(c), c == '!', c == '?', c == '/' && at+2 < len(source):
			return at
		}
	}
}

// htmlCommentLength returns the length of the comment that source begins with. It ends with "-->", with "--!>", with ">" if nothing
// but hyphens come before, or with source.
func htmlCommentLength(source []byte) int {
	const start = len("<!--")
	for at := start; ; at++ {
		next := bytes.IndexByte(source[at:], '>')
		if next < 0 {
			return len(source)
		}
		at += next
		switch content := source[start:at]; {
		case len(content) == 0, string(content) == "-", bytes.HasSuffix(content, []byte("--")), bytes.HasSuffix(content, []byte("--!")):
			return at + 1
		}
	}
}

// rawLength returns the length of the content of an element whose content is text without tags. Source begins after its start
// tag. A comment in a script may contain another script, with its end tag.
func rawLength(source []byte, name string) int {
	if name == "plaintext" {
		return len(source)
	}
	isComment, isInner := false, false
	for at := 0; ; at++ {
		next := bytes.IndexByte(source[at:], '<')
		if next < 0 {
			return len(source)
		}
		if isComment && bytes.Contains(source[at:at+next], []byte("-->")) {
			isComment, isInner = false, false
		}
		at += next
		switch tag := source[at+1:]; {
		case len(tag) > 0 && tag[0] == '/' && hasName(tag[1:], name):
			if !isInner {
				return at
			}
			isInner = false
		case name == "script" && bytes.HasPrefix(tag, []byte("!--")):
			isComment = true
		case isComment && hasName(tag, name):
			isInner = true
		}
	}
}

// hasName reports whether a tag begins with name, which is in lower case.
func hasName(tag []byte, name string) bool {
	return len(tag) > len(name) && endOfName.Has(tag[len(name)]) && ascii.HasPrefixFold(tag, name)
}

// The bytes that end the name of a tag, that of an attribute, and the value of an attribute without quotes.
const (
	endOfName  = ascii.Space | 1<<'/' | 1<<'>'
	endOfKey   = endOfName | 1<<'='
	endOfValue = ascii.Space | 1<<'>'
)

// tagName returns the name that tag begins with in lower case, cut at css.MaxName. The name is stored in lower.
func tagName(lower *[css.MaxName]byte, tag []byte) []byte {
	n := 0
	for n < min(len(tag), css.MaxName) && !endOfName.Has(tag[n]) {
		lower[n] = ascii.Lower(tag[n])
		n++
	}
	return lower[:n]
}

// cutTag returns the length of the tag at the start of source, 0 if it has no end. It leaves the attributes that matter in
// d.current.
func (d *Decoder) cutTag(source []byte) (length int) {
	d.current.Attributes, d.unescaped = d.current.Attributes[:0], d.unescaped[:0]
	rest := afterName(source)
	for len(rest) > 0 && rest[0] != '>' {
		var name, value []byte
		name, value, rest = cutAttribute(rest)
		d.addAttribute(name, value)
	}
	if len(rest) == 0 {
		return 0
	}
	return len(source) - len(rest) + 1
}

// afterName returns what follows the name of the tag at the start of source.
func afterName(source []byte) []byte {
	rest := source[len("<a"):]
	return ascii.Space.TrimLeft(rest[endOfName.Index(rest):])
}

// cutAttribute returns the attribute at the start of source, and what follows it: nothing if its value has no end.
func cutAttribute(source []byte) (name, value, rest []byte) {
	end := endOfKey.Index(source)
	if source[0] == '=' { // the first letter of a name
		end = 1 + endOfKey.Index(source[1:])
	}
	value, rest = cutValue(ascii.Space.TrimLeft(source[end:]))
	return source[:end], value, ascii.Space.TrimLeft(rest)
}

// cutValue returns the value that follows the name of an attribute, and what follows the value: nothing if it has no end.
func cutValue(source []byte) (value, rest []byte) {
	source, ok := bytes.CutPrefix(source, []byte("="))
	if !ok {
		return nil, bytes.TrimPrefix(source, []byte("/"))
	}
	source = ascii.Space.TrimLeft(source)
	if len(source) > 0 && (source[0] == '"' || source[0] == '\'') {
		value, rest, _ = bytes.Cut(source[1:], source[:1])
		return value, rest
	}
	end := endOfValue.Index(source)
	return source[:end], source[end:]
}

// addAttribute adds an attribute to d.current if it matters and is the first of its name.
func (d *Decoder) addAttribute(name, value []byte) {
	start := len(d.unescaped)
	d.unescaped = ascii.AppendLower(d.unescaped, name, len(name))
	name = d.unescaped[start:len(d.unescaped):len(d.unescaped)]
	hasName := func(a css.Attribute) bool { return bytes.Equal(a.Name, name) }
	if !isUsed(name) && !d.sheets.AsksFor(name) || slices.ContainsFunc(d.current.Attributes, hasName) {
		d.unescaped = d.unescaped[:start]
		return
	}
	value, _ = d.replaceReferences(value, true)
	d.current.Attributes = append(d.current.Attributes, css.Attribute{Name: name, Value: value})
}

// replaceReferences returns text of HTML, or the value of an attribute, with LF as the only line end and with characters in place of the
// references to them. It returns how many ASCII letters and digits were written as numeric references, such as "&#86;". The
// result is valid until the next tag or text.
func (d *Decoder) replaceReferences(raw []byte, inAttribute bool) (text []byte, numericLetters int) {
	if bytes.IndexByte(raw, '&') < 0 && (!d.hasCR || bytes.IndexByte(raw, '\r') < 0) {
		return raw, 0
	}
	const special ascii.Set = 1<<'&' | 1<<'\r'
	start := len(d.unescaped)
	for {
		plain := special.Index(raw)
		d.unescaped = append(d.unescaped, raw[:plain]...)
		raw = raw[plain:]
		if len(raw) == 0 {
			return d.unescaped[start:len(d.unescaped):len(d.unescaped)], numericLetters
		}
		if raw[0] == '\r' {
			d.unescaped = append(d.unescaped, '\n')
			raw = bytes.TrimPrefix(raw[1:], []byte("\n"))
			continue
		}
		reference := raw[:referenceLength(raw)]
		raw = raw[len(reference):]
		character := d.character(reference)
		isNumeric := bytes.HasPrefix(reference, []byte("&#"))
		if isNumeric && ascii.IsAlphanumeric(character[0]) {
			numericLetters++
		}
		if inAttribute && !isNumeric && !isWholeName(reference, character, raw) {
			d.unescaped = append(d.unescaped, reference...)
			continue
		}
		d.unescaped = append(d.unescaped, character...)
	}
}

// referenceLength returns the length of what may be a reference to a character at the start of raw.
func referenceLength(raw []byte) int {
	n := len("&")
	if n < len(raw) && raw[n] == '#' {
		n++
	}
	for n < len(raw) && ascii.IsAlphanumeric(raw[n]) {
		n++
	}
	if n < len(raw) && raw[n] == ';' {
		n++
	}
	return n
}

// isWholeName reports whether all of a reference, not only its start, is the name of the character: in "?a=1&copyright=2" it is
// not, and neither is it before "=" without a semicolon.
func isWholeName(reference []byte, character string, rest []byte) bool {
	last := len(reference) - 1
	if reference[last] != ';' && bytes.HasPrefix(rest, []byte("=")) {
		return false
	}
	return reference[last] != character[len(character)-1] || string(reference) == "&semi;"
}

// character returns what a reference stands for in text. It remembers it.
func (d *Decoder) character(reference []byte) string {
	const maxReferences, maxLength = 1 << 10, 40 // most mail has a few dozen; no name is longer
	c, ok := d.characters[string(reference)]
	if ok {
		return c
	}
	c = unescaped(string(reference))
	if len(reference) <= maxLength {
		if len(d.characters) == maxReferences {
			clear(d.characters)
		}
		d.characters[string(reference)] = c
	}
	return c
}
