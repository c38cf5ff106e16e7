package message

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/net/html"
)

const (
	// maxTokenBytes is how long a tag, comment or piece of text the HTML tokenizer holds in memory.
	maxTokenBytes = 1 << 20
	// maxReusedTag is the length of a tag after which the tokenizer is replaced: for each tag it clears a table that
	// has grown with the attributes of the largest one, so one huge tag would make all later ones slow.
	maxReusedTag = 1 << 10
	// maxOpenComments is how many comments that never end are mended in one text.
	maxOpenComments = 16
	// sniffBytes is how much of a text is looked at for signs of HTML.
	sniffBytes = 1 << 10
)

// visible returns the visible text of HTML: without tags, comments, scripts and styles; entities decoded; words apart
// where elements set them apart; with the texts that stand for images. It adds the links in attributes to the message.
//
// QUIRK: HTML is well-formed. In mail tags, attributes, comments and scripts are left open, and tags that do not exist
// stand inside of words, where browsers pass over them (html.eml, html-unclosed.eml).
func (d *Decoder) visible(source []byte) []byte {
	start := len(d.arena)
	var state htmlState
	for len(source) > 0 {
		source = source[d.appendVisible(source, &state):]
	}
	return d.arena[start:len(d.arena):len(d.arena)]
}

// htmlState is what is kept from one tokenizer to the next.
type htmlState struct {
	hidden       bool // inside of a script or style
	openComments int  // seen so far
}

// appendVisible appends the visible text at the start of source to the arena, up to where a new tokenizer is needed. It
// returns how far it came, at least one byte.
func (d *Decoder) appendVisible(source []byte, state *htmlState) (read int) {
	z := html.NewTokenizer(bytes.NewReader(source))
	z.SetMaxBuf(maxTokenBytes)
	var lower [maxTagName]byte
	for {
		kind := z.Next()
		raw := z.Raw()
		at := read
		read += len(raw)
		switch kind {
		case html.ErrorToken: // the end, a token that is too long, or a tag without an end
			if len(raw) == 0 {
				return read
			}
			return at + d.brokenTag(source[at:], z.Err() == html.ErrBufferExceeded, state.hidden)
		case html.TextToken:
			if !state.hidden {
				d.arena = append(d.arena, z.Text()...)
			}
		case html.CommentToken:
			if read == len(source) || len(raw) >= maxTokenBytes {
				return at + d.lastComment(source[at:], len(raw), state)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if !state.hidden {
				state.hidden = d.startTag(z, tagName(lower[:0], raw[len("<"):]))
			}
			if len(raw) > maxReusedTag {
				return read
			}
		case html.EndTagToken:
			switch name := tagName(lower[:0], raw[len("</"):]); {
			case isHidden(name):
				state.hidden = false
			case separates(name) && !state.hidden:
				d.arena = append(d.arena, '\n')
			}
		}
	}
}

// brokenTag deals with a tag, at the start of source, that never ends or is too long. An open quote is the usual reason,
// so it is taken to end at the first ">". It is kept as text if it is not too long for that: a link in it is found
// there. It returns how many bytes have been dealt with.
func (d *Decoder) brokenTag(source []byte, tooLong, hidden bool) (read int) {
	read = bytes.IndexByte(source, '>') + 1
	if read == 0 {
		read = len(source)
	}
	switch {
	case tooLong:
		d.msg.Repairs.add(CutMarkup)
	case !hidden:
		d.msg.Repairs.add(UnclosedTag)
		d.arena = append(d.arena, source[:read]...)
	}
	return read
}

// lastComment deals with a comment at the start of source that ends with the source or is too long; length is how much
// of it was read. It returns how many bytes have been dealt with.
//
// QUIRK: comments end with "-->". Some end with ">", and browsers of their time took them so (html-unclosed.eml). For
// each of these all the rest has been read in vain, so there is a limit to it.
func (d *Decoder) lastComment(source []byte, length int, state *htmlState) (read int) {
	raw := source[:length]
	if length >= maxTokenBytes {
		d.msg.Repairs.add(CutMarkup)
		for length < len(source) && !utf8.RuneStart(source[length]) {
			length++ // the rest of a character that was cut in two
		}
		return length
	}
	end := bytes.IndexByte(raw, '>') + 1
	if end == length || !bytes.HasPrefix(raw, []byte("<!--")) || bytes.HasSuffix(raw, []byte("-->")) ||
		bytes.HasSuffix(raw, []byte("--!>")) {
		return length
	}
	d.msg.Repairs.add(UnclosedTag)
	state.openComments++
	if end == 0 || state.openComments > maxOpenComments {
		return length
	}
	return end
}

// startTag deals with the start of an element. It reports whether what follows is hidden.
func (d *Decoder) startTag(z *html.Tokenizer, name []byte) (hidden bool) {
	switch string(name) {
	case "script", "style":
		return true
	case "iframe", "noembed", "noframes", "noscript", "textarea", "title":
		// Their content is text to browsers. Mail readers run no scripts and show no frames, so what stands in for these
		// is seen, and if one is never closed the markup after it should not become words.
		z.NextIsNotRawText()
	}
	if separates(name) {
		d.arena = append(d.arena, '\n')
	}
	if hasLinks(name) {
		d.attributes(z)
	}
	return false
}

// attributes takes the links and the text for an image from the attributes of a tag.
func (d *Decoder) attributes(z *html.Tokenizer) {
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "action", "background", "cite", "data", "formaction", "href", "poster", "src":
			d.addLink(LinkOther, value)
		case "alt":
			d.arena = append(d.arena, ' ')
			d.arena = append(d.arena, value...)
			d.arena = append(d.arena, ' ')
		}
	}
}

// maxTagName is longer than the names of all elements that matter here.
const maxTagName = 16

// tagName appends the name that tag starts with to dst, in lower case, cut at maxTagName.
func tagName(dst, tag []byte) []byte {
	for _, c := range tag[:min(len(tag), maxTagName)] {
		switch c {
		case ' ', '\t', '\n', '\r', '\f', '/', '>':
			return dst
		}
		dst = append(dst, lowerByte(c))
	}
	return dst
}

// isHidden reports whether the content of an element is not shown.
func isHidden(name []byte) bool { return string(name) == "script" || string(name) == "style" }

// separates reports whether the start or end of an element sets words apart, as that of a paragraph or image does.
// Other elements, and those that do not exist, may be inside of a word.
func separates(name []byte) bool {
	switch string(name) {
	case "address", "area", "article", "aside", "blockquote", "body", "br", "button", "caption", "center", "dd", "details",
		"dialog", "dir", "div", "dl", "dt", "embed", "fieldset", "figcaption", "figure", "footer", "form", "frame",
		"frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "img", "input",
		"isindex", "legend", "li", "listing", "main", "map", "marquee", "menu", "nav", "noframes", "object", "ol",
		"optgroup", "option", "p", "plaintext", "pre", "section", "select", "summary", "table", "tbody", "td",
		"textarea", "tfoot", "th", "thead", "title", "tr", "ul", "video", "xmp":
		return true
	}
	return false
}

// hasLinks reports whether the attributes of an element may hold a link or the text for an image.
func hasLinks(name []byte) bool {
	switch string(name) {
	case "a", "area", "base", "bgsound", "blockquote", "body", "button", "embed", "form", "frame", "iframe", "image",
		"img", "input", "link", "object", "source", "table", "td", "th", "tr", "video":
		return true
	}
	return false
}

// looksLikeHTML reports whether a text has the start of an HTML document near its own.
//
// QUIRK: HTML is declared as text/html. It is also sent as text/plain (html-as-plain.eml).
func looksLikeHTML(text []byte) bool {
	text = text[:min(len(text), sniffBytes)]
	for {
		tag := bytes.IndexByte(text, '<')
		if tag < 0 {
			return false
		}
		text = text[tag+1:]
		var lower [maxTagName]byte
		if name := string(tagName(lower[:0], text)); name == "html" || name == "body" {
			return true
		}
	}
}
