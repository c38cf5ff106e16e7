package message

import (
	"bytes"

	"golang.org/x/net/html"
)

// The functions in this file cut HTML into the tokens that the tokenizer of x/net/html cuts it into, without copying it.
// What is unusual they leave to that: tokens that are too long, scripts in scripts, and elements that nobody uses any more
// whose content is no markup. A fuzz target holds the two together.

// ordinary appends the text at the start of source, like appendVisible, up to the first token that it leaves to that. It
// returns how far it came.
func (d *Decoder) ordinary(source []byte, h *htmlState) (read int) {
	if h.script || h.style {
		return 0
	}
	for read < len(source) {
		kind, length := d.nextToken(source[read:])
		raw := source[read : read+length]
		switch kind {
		case html.ErrorToken:
			if length == 0 {
				return read
			}
			length = d.brokenTag(raw, false, h)
			if h.script || h.style {
				return read + length
			}
		case html.TextToken:
			d.htmlText(raw, nil, h)
		case html.CommentToken:
			d.inWord(h, CommentInWord)
			if read+length == len(source) {
				length = d.lastComment(raw, length, h)
			}
		case html.StartTagToken:
			name := tagName(&d.tag, raw[len("<"):])
			content, ok := rawText(source[read:], length, name)
			if !ok {
				return read
			}
			d.startTag(name, h)
			if len(content) > 0 {
				d.htmlText(content, content, h)
				length += len(content)
			}
		case html.EndTagToken:
			d.endTag(tagName(&d.tag, raw[len("</"):]), h)
		}
		read += length
	}
	return read
}

// nextToken returns the kind and length of the token at the start of source, which is not empty, and leaves the attributes
// of a tag in d.given. A tag without an end is an html.ErrorToken; so is what is left to the tokenizer of x/net/html, with no
// length.
func (d *Decoder) nextToken(source []byte) (kind html.TokenType, length int) {
	source = source[:min(len(source), maxTokenBytes)]
	switch length = textLength(source); {
	case length > 0:
		kind = html.TextToken
	case isLetter(source[1]):
		if kind, length = html.StartTagToken, d.cutTag(source, len("<")); length == 0 {
			kind, length = html.ErrorToken, len(source)
		}
	case source[1] == '/' && len(source) > 2 && isLetter(source[2]):
		if kind, length = html.EndTagToken, d.cutTag(source, len("</")); length == 0 {
			kind, length = html.ErrorToken, len(source)
		}
	case bytes.HasPrefix(source, []byte("<!--")):
		kind, length = html.CommentToken, htmlCommentLength(source)
	default:
		kind = html.CommentToken // which is also what is none of the others
		switch {
		case string(source) == "</":
			kind = html.TextToken
		case source[1] == '!' && hasPrefixFold(source[2:], "doctype"):
			kind = html.DoctypeToken
		}
		length = lengthTo(source, len("<!"), '>')
	}
	const ahead = 2 // bytes behind a text that the tokenizer looks at
	if length+ahead >= maxTokenBytes {
		return html.ErrorToken, 0
	}
	return kind, length
}

// lengthTo returns the length of source up to the first c at or after at, with that, and of all of it if there is none.
func lengthTo(source []byte, at int, c byte) int {
	if next := bytes.IndexByte(source[at:], c); next >= 0 {
		return at + next + 1
	}
	return len(source)
}

// textLength returns where the first markup in source starts.
func textLength(source []byte) int {
	for at := 0; ; at++ {
		if source[at] != '<' {
			next := bytes.IndexByte(source[at:], '<')
			if next < 0 {
				return len(source)
			}
			at += next
		}
		if at+1 == len(source) {
			return len(source)
		}
		if c := source[at+1]; isLetter(c) || c == '/' || c == '!' || c == '?' {
			return at
		}
	}
}

// htmlCommentLength returns the length of the comment that source starts with. It ends with "-->", "--!>", ">" after nothing
// but hyphens, or source.
func htmlCommentLength(source []byte) int {
	const start = len("<!--")
	for at := start; ; at++ {
		next := bytes.IndexByte(source[at:], '>')
		if next < 0 {
			return len(source)
		}
		at += next
		content := source[start:at]
		if len(content) < len("--") && len(bytes.Trim(content, "-")) == 0 || bytes.HasSuffix(content, []byte("--")) ||
			bytes.HasSuffix(content, []byte("--!")) {
			return at + 1
		}
	}
}

// rawText returns the content of an element with that name whose content is no markup, nothing for other elements; its tag
// is the first length bytes of source. It is not ok if the tokenizer of x/net/html has to find out.
func rawText(source []byte, length int, name []byte) (content []byte, ok bool) {
	switch string(name) {
	case "script", "style":
	case "xmp", "plaintext":
		return nil, false
	default:
		return nil, true
	}
	if length > maxReusedTag {
		return nil, false // appendVisible starts anew after it, and takes what follows for markup
	}
	rest := source[length:min(len(source), maxTokenBytes-maxTagName)]
	for at := 0; ; at++ {
		next := bytes.IndexByte(rest[at:], '<')
		if next < 0 {
			return rest, length+len(rest) == len(source)
		}
		at += next
		switch tag := rest[at+1:]; {
		case len(tag) > 0 && tag[0] == '/' && isNamed(tag[1:], name):
			return rest[:at], true
		case string(name) == "script" && isNamed(tag, name):
			return nil, false // a script in a script, which may have an end of its own
		}
	}
}

// isNamed reports whether tag starts with a name, which is in lower case.
func isNamed(tag, name []byte) bool {
	return len(tag) > len(name) && isIn(tag[len(name)], endOfName) && bytes.EqualFold(tag[:len(name)], name)
}

// Sets of bytes: the bit of each of them is set.
const (
	htmlBlanks uint64 = 1<<' ' | 1<<'\t' | 1<<'\n' | 1<<'\r' | 1<<'\f'
	endOfName         = htmlBlanks | 1<<'/' | 1<<'>'
	endOfKey          = endOfName | 1<<'='
	endOfValue        = htmlBlanks | 1<<'>'
)

// isIn reports whether c is in a set of bytes below 64.
func isIn(c byte, set uint64) bool { return set>>c&1 != 0 }

// skipTo returns where source, from at on, has the first byte in the set, its length if nowhere.
func skipTo(source []byte, at int, set uint64) int {
	for at < len(source) && !isIn(source[at], set) {
		at++
	}
	return at
}

// skipHTMLBlanks returns where source, from at on, has the first byte that is no blank.
func skipHTMLBlanks(source []byte, at int) int {
	for at < len(source) && isIn(source[at], htmlBlanks) {
		at++
	}
	return at
}

// givenAttribute is an attribute of the tag at hand.
type givenAttribute struct {
	key attribute
	raw []byte // its value as it is written
}

// cutTag returns the length of the tag at the start of source, whose name starts at at, or 0 if it never ends. It leaves
// those attributes in d.given that matter here; of several with the same name the first counts.
func (d *Decoder) cutTag(source []byte, at int) (length int) {
	d.given, d.values = d.given[:0], d.values[:0]
	var seen uint64
	at = skipTo(source, at, endOfName)
	for {
		at = skipHTMLBlanks(source, at)
		if at == len(source) {
			return 0
		}
		if source[at] == '>' {
			return at + 1
		}
		start := at
		if source[at] == '=' {
			at++ // the start of a name
		}
		at = skipTo(source, at, endOfKey)
		name := source[start:at]
		key := attributeOf(name)
		if key == noAttribute && len(d.sheets.asked) > 0 {
			key = d.sheets.askedFor(name)
		}
		var raw []byte
		raw, at = cutValue(source, at)
		if at < 0 {
			return 0
		}
		if key != noAttribute && seen&(1<<key) == 0 {
			seen |= 1 << key
			d.given = append(d.given, givenAttribute{key, raw})
		}
	}
}

// cutValue returns the value of the attribute whose name ends at at, and where it ends, which is negative if it never does.
func cutValue(source []byte, at int) (raw []byte, end int) {
	at = skipHTMLBlanks(source, at)
	if at == len(source) {
		return nil, -1
	}
	switch source[at] {
	case '/':
		return nil, at + 1
	case '=':
	default:
		return nil, at
	}
	at = skipHTMLBlanks(source, at+1)
	if at == len(source) {
		return nil, -1
	}
	switch quote := source[at]; quote {
	case '>':
		return nil, at
	case '"', '\'':
		at++
		length := bytes.IndexByte(source[at:], quote)
		if length < 0 {
			return nil, -1
		}
		return source[at : at+length], at + length + 1
	}
	end = skipTo(source, at, endOfValue)
	if end == len(source) {
		return nil, -1
	}
	return source[at:end], end
}
