package message

import (
	"bytes"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"chaff/internal/ascii"
)

// The functions in this file cut HTML into the tokens that browsers see, without a copy.

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	textToken tokenKind = iota
	startTagToken
	endTagToken
	openToken    // a tag or a comment without an end
	commentToken // or a document type, or what browsers take for a comment: "<?", "</ ", "<!"
	rawToken     // the content of an element without tags
)

// maxName is the length at which names of elements are cut. It is longer than the names of all elements that exist.
const maxName = 16

// scanner cuts HTML into tokens.
//
// QUIRK: HTML is well-formed. In mail, tags, attributes, comments and scripts are left open (html-unclosed.eml). As in browsers, they reach to
// the end of the page.
type scanner struct {
	rest       []byte
	name       []byte      // of the current tag
	attributes []attribute // those of the current tag that matter
	raw        string      // the name of the element whose content, which has no tags, is or comes next, or ""
	isInRaw    bool
	isXML      bool     // it is SVG
	closes     bool     // the current tag ends in "/>", and so does its element in SVG, MathML and XML
	foreign    int      // how many elements svg and math are open, in which characters may be in a section as in XML
	after      []byte   // what follows the element that rest is the content of, see [scanner.cutLiteral]
	unended    []string // the elements like that whose end tag was not found

	lower      [maxName]byte
	unescaped  []byte            // the names and values of attributes, or the current text
	characters map[string]string // by the references to them
}

// attribute is an attribute of a tag, with its name in lower case, or a parameter of a header field.
type attribute struct{ name, value []byte }

// start starts with a page.
func (s *scanner) start(source []byte) {
	s.rest, s.raw, s.isInRaw = source, "", false
	s.foreign, s.after, s.unended = 0, nil, s.unended[:0]
}

// next cuts the next token from what is left, which is not empty.
func (s *scanner) next() (kind tokenKind, raw []byte) {
	source, n := s.rest, 0
	if s.isInRaw = s.raw != "" && !s.isInRaw; s.isInRaw {
		kind, n = rawToken, s.rawLength()
	}
	if n == 0 {
		s.raw, s.isInRaw = "", false
		switch kind, n = s.cutToken(source); kind {
		case startTagToken:
			s.name = tagName(&s.lower, source[len("<"):])
			if s.raw = rawElements[string(s.name)]; s.closes && s.isForeign() {
				s.raw = ""
			}
		case endTagToken:
			s.name = tagName(&s.lower, source[len("</"):])
		}
	}
	raw, s.rest = source[:n], source[n:]
	if kind == startTagToken || kind == endTagToken {
		switch string(s.name) {
		case "svg", "math":
			if kind == endTagToken {
				s.foreign = max(0, s.foreign-1)
			} else if !s.closes {
				s.foreign++
			}
		case "title", "textarea", "iframe", "noembed", "noframes":
			if kind == startTagToken && s.foreign == 0 && s.after == nil && !s.isXML {
				s.cutLiteral()
			}
		}
	}
	if len(s.rest) == 0 && s.after != nil {
		s.rest, s.after = s.after, nil
		if kind != rawToken { // a script or style that has begun ends here
			s.raw = ""
		}
	}
	return kind, raw
}

// isForeign reports whether what is left is read as XML.
func (s *scanner) isForeign() bool { return s.isXML || s.foreign > 0 }

// rawLength returns the length of the content of the raw element that has begun. In XML it ends with the first tag, since a paragraph in a style of
// SVG is shown.
func (s *scanner) rawLength() int {
	if s.raw == section || !s.isForeign() {
		return rawLength(s.rest, s.raw)
	}
	for at := 0; ; at++ {
		next := bytes.IndexByte(s.rest[at:], '<')
		if next < 0 || at+next+1 == len(s.rest) {
			return len(s.rest)
		}
		at += next
		if c := s.rest[at+1]; ascii.IsLetter(c) || c == '/' {
			return at
		}
		if after, is := bytes.CutPrefix(s.rest[at:], []byte(section)); is {
			at += len(section) + rawLength(after, section) - 1
		}
	}
}

// rawElements are the elements whose content is text without tags. To browsers, title, textarea, iframe, noembed, noframes and
// noscript contain such text as well. Mail readers, which run no scripts and show no frames, show it as HTML. If such an element is
// never closed, the markup after it must not become words.
var rawElements = map[string]string{"plaintext": "plaintext", "script": "script", "style": "style", "xmp": "xmp"}

// cutLiteral divides what is left at the end tag of the element that has begun: title, textarea, iframe, noembed or noframes. It counts wherever
// it stands, also in a comment, a script or the value of an attribute. One that was not found is not searched for again.
func (s *scanner) cutLiteral() {
	name := string(s.name)
	if slices.Contains(s.unended, name) {
		return
	}
	switch end := rawLength(s.rest, name); end {
	case 0:
	case len(s.rest):
		s.unended = append(s.unended, name)
	default:
		s.rest, s.after = s.rest[:end], s.rest[end:]
	}
}

// The tags of a section of characters in XML, and in SVG and MathML within HTML. Elsewhere in HTML the first is a comment up to its first ">".
const section, sectionEnd = "<![CDATA[", "]]>"

// cutToken returns the kind and the length of the token at the start of source, which is not empty. It leaves the attributes of
// a tag in s.attributes.
func (s *scanner) cutToken(source []byte) (kind tokenKind, length int) {
	for ; ; length++ { // text goes up to the first markup
		next := bytes.IndexByte(source[length:], '<')
		if length += next; next < 0 || length+1 == len(source) {
			return textToken, len(source)
		}
		if c := source[length+1]; ascii.IsLetter(c) || c == '!' || c == '?' || c == '/' && length+2 < len(source) {
			break
		}
	}
	switch {
	case length > 0:
		return textToken, length
	case ascii.IsLetter(source[1]):
		kind, length = startTagToken, s.cutTag(source)
	case source[1] == '/' && ascii.IsLetter(source[2]):
		kind, length = endTagToken, s.cutTag(source)
	case bytes.HasPrefix(source, []byte("<!--")):
		kind, length = commentToken, htmlCommentLength(source)
	case s.isForeign() && bytes.HasPrefix(source, []byte(section)):
		s.raw = section // what follows is raw as the content of an element is
		kind, length = commentToken, len(section)
	default:
		kind, length = commentToken, bytes.IndexByte(source, '>')+1
	}
	if length == 0 {
		return openToken, len(source)
	}
	return kind, length
}

// htmlCommentLength returns the length of the comment that source begins with, 0 if it has no end. It ends with "-->", with "--!>", or with ">" if
// nothing but hyphens come before.
func htmlCommentLength(source []byte) int {
	const start = len("<!--")
	for at := start; ; at++ {
		next := bytes.IndexByte(source[at:], '>')
		if next < 0 {
			return 0
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
	switch name {
	case "plaintext":
		return len(source)
	case section:
		before, _, _ := bytes.Cut(source, []byte(sectionEnd))
		return min(len(before)+len(sectionEnd), len(source))
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

// tagName returns the name that tag begins with in lower case, cut at maxName. The name is stored in lower.
func tagName(lower *[maxName]byte, tag []byte) []byte {
	n := 0
	for n < min(len(tag), maxName) && !endOfName.Has(tag[n]) {
		lower[n] = ascii.Lower(tag[n])
		n++
	}
	return lower[:n]
}

// cutTag returns the length of the tag at the start of source, 0 if it has no end. It leaves the attributes that matter in
// s.attributes.
func (s *scanner) cutTag(source []byte) (length int) {
	s.attributes, s.unescaped, s.closes = s.attributes[:0], s.unescaped[:0], false
	rest := source[len("<a"):]
	rest = ascii.Space.TrimLeft(rest[endOfName.Index(rest):])
	for len(rest) > 0 && rest[0] != '>' {
		end := endOfKey.Index(rest)
		if rest[0] == '=' { // the first letter of a name
			end = 1 + endOfKey.Index(rest[1:])
		}
		start := len(s.unescaped)
		s.unescaped = ascii.AppendLower(s.unescaped, rest[:end], end)
		name := slices.Clip(s.unescaped[start:])
		var value []byte
		after := ascii.Space.TrimLeft(rest[end:])
		value, rest = cutValue(after)
		s.closes = bytes.HasPrefix(after, []byte("/>"))
		rest = ascii.Space.TrimLeft(rest)
		isSame := func(a attribute) bool { return bytes.Equal(a.name, name) }
		if !isUsed(name) || slices.ContainsFunc(s.attributes, isSame) { // of two the first counts
			s.unescaped = s.unescaped[:start]
			continue
		}
		value, _ = s.replaceReferences(value, true)
		s.attributes = append(s.attributes, attribute{name, value})
	}
	if len(rest) == 0 {
		return 0
	}
	return len(source) - len(rest) + 1
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

// value returns the value of an attribute of the current tag, nil if there is none.
func (s *scanner) value(name string) []byte {
	for _, a := range s.attributes {
		if string(a.name) == name {
			return a.value
		}
	}
	return nil
}

// replaceReferences returns text of HTML, or the value of an attribute, with LF as the only line end and with characters in place of the
// references to them. It returns how many ASCII letters and digits were written as numeric references, such as "&#86;". The
// result is valid until the next tag or text.
func (s *scanner) replaceReferences(raw []byte, inAttribute bool) (text []byte, numericLetters int) {
	if bytes.IndexByte(raw, '&') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw, 0
	}
	const special ascii.Set = 1<<'&' | 1<<'\r'
	start := len(s.unescaped)
	for {
		plain := special.Index(raw)
		s.unescaped = append(s.unescaped, raw[:plain]...)
		raw = raw[plain:]
		if len(raw) == 0 {
			return s.unescaped[start:len(s.unescaped):len(s.unescaped)], numericLetters
		}
		if raw[0] == '\r' {
			s.unescaped = append(s.unescaped, '\n')
			raw = bytes.TrimPrefix(raw[1:], []byte("\n"))
			continue
		}
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
		reference := raw[:n] // perhaps
		raw = raw[n:]
		character := s.character(reference)
		isNumeric := bytes.HasPrefix(reference, []byte("&#"))
		if isNumeric && ascii.IsAlphanumeric(character[0]) {
			numericLetters++
		}
		if inAttribute && !isNumeric && !isWholeName(reference, character, raw) {
			s.unescaped = append(s.unescaped, reference...)
			continue
		}
		s.unescaped = append(s.unescaped, character...)
	}
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
func (s *scanner) character(reference []byte) string {
	const maxReferences, maxLength = 1 << 10, 40 // most mail has a few dozen; no name is longer
	c, ok := s.characters[string(reference)]
	if ok {
		return c
	}
	c = unescaped(string(reference))
	if len(s.characters) == 0 || len(s.characters) == maxReferences {
		s.characters = map[string]string{}
	}
	if len(reference) <= maxLength {
		s.characters[string(reference)] = c
	}
	return c
}

// unescaped returns text that begins like a reference to a character, with what browsers show in its place. The library, which would read
// a number that is too large as another character, makes its table of names when it is first called.
func unescaped(reference string) string {
	digits, isNumber := strings.CutPrefix(reference, "&#")
	switch {
	case reference == "&nbsp;": // most pages have it, and no other name outside of ASCII
		return "\u00a0"
	case !isNumber:
		return html.UnescapeString(reference)
	}
	base, set := 10, "0123456789"
	if strings.HasPrefix(strings.ToLower(digits), "x") {
		base, set, digits = 16, "0123456789abcdefABCDEF", digits[1:]
	}
	rest := strings.TrimLeft(digits, set)
	if rest == digits {
		return reference
	}
	n, err := strconv.ParseUint(digits[:len(digits)-len(rest)], base, 31)
	character := rune(n)
	switch {
	case err != nil || n == 0:
		character = utf8.RuneError
	case 0x80 <= n && n < 0xa0:
		character = charmap.Windows1252.DecodeByte(byte(n))
	}
	return string(character) + strings.TrimPrefix(rest, ";")
}
