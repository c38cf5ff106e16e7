package message

import "bytes"

// maxRules is how many rules of the style sheets of a message are kept. Mail has a few dozen.
const maxRules = 1000

// sheet takes up the style sheets of a message: of each simple selector (an element, .class or #id, or an element with a
// class or id) what it says that matters here. Selectors that look at where an element stands make the colours of all
// elements of that name or class uncertain, since to follow them needs the whole tree; what is for some screens only is
// passed over. The links in it are kept.
//
// No library is used: those there are parse CSS into a tree and decide nothing.
func (d *Decoder) sheet(css []byte) {
	d.cssLinks(css)
	css = d.withoutCSSComments(css)
	for len(css) > 0 {
		css = skipCommentMarks(css)
		open := bytes.IndexAny(css, "{;}")
		if open < 0 {
			return
		}
		selectors := bytes.TrimSpace(css[:open])
		if css[open] != '{' {
			css = css[open+1:] // @import url(x); or something broken
			continue
		}
		css = css[open+1:]
		if len(selectors) > 0 && selectors[0] == '@' {
			css = skipBlock(css)
			continue
		}
		end := bytes.IndexByte(css, '}')
		if end < 0 {
			end = len(css)
		}
		d.rule(selectors, css[:end])
		css = css[min(end+1, len(css)):]
	}
}

// rule takes up one rule of a style sheet.
func (d *Decoder) rule(selectors, declarations []byte) {
	said := newStyle()
	d.declarations(&said, declarations)
	if said == newStyle() {
		return
	}
	for len(selectors) > 0 {
		var written []byte
		written, selectors, _ = bytes.Cut(selectors, []byte(","))
		written = bytes.TrimSpace(written)
		s := said
		if at := bytes.LastIndexAny(written, " \t\r\n>+~"); at >= 0 {
			written, s = written[at+1:], said.uncertain()
		}
		if len(written) == 0 || len(written) > maxSelector || bytes.ContainsAny(written, ":[*") || s == newStyle() {
			continue
		}
		var key selector
		appendLower(key[:0], written, maxSelector)
		old, known := d.rules[key]
		if !known {
			if len(d.rules) >= maxRules {
				return
			}
			old = newStyle()
		}
		old.override(s)
		d.rules[key] = old
	}
}

const maxSelector = 64

// selector is a simple selector in lower case, with zeros behind it. As a key of a map it needs no memory of its own.
type selector [maxSelector]byte

// withoutCSSComments returns css without its comments.
func (d *Decoder) withoutCSSComments(css []byte) []byte {
	if !bytes.Contains(css, []byte("/*")) {
		return css
	}
	d.css = d.css[:0]
	for len(css) > 0 {
		before, comment, ok := bytes.Cut(css, []byte("/*"))
		d.css = append(d.css, before...)
		if !ok {
			break
		}
		d.css = append(d.css, ' ') // what is on both sides of a comment stays apart
		_, css, _ = bytes.Cut(comment, []byte("*/"))
	}
	return d.css
}

// skipCommentMarks returns css without the comment marks of HTML at its start, which do not count in it.
func skipCommentMarks(css []byte) []byte {
	for {
		css = bytes.TrimLeft(css, " \t\r\n")
		switch {
		case bytes.HasPrefix(css, []byte("<!--")):
			css = css[len("<!--"):]
		case bytes.HasPrefix(css, []byte("-->")):
			css = css[len("-->"):]
		default:
			return css
		}
	}
}

// cssLinks keeps the links that CSS fetches: url(...).
func (d *Decoder) cssLinks(css []byte) {
	for {
		at := indexURLCall(css)
		if at < 0 {
			return
		}
		css = css[at+len("url("):]
		end := bytes.IndexAny(css, ");")
		if end < 0 {
			return
		}
		d.addLink(LinkOther, bytes.Trim(css[:end], " \t\r\n\"'"))
		css = css[end:]
	}
}

// isForMail reports whether a style sheet for these media is for the screen that a mail is read on, whatever that is.
func isForMail(media []byte) bool {
	media = bytes.TrimSpace(media)
	return len(media) == 0 || equalFold(media, "all") || equalFold(media, "screen")
}

// skipBlock returns what follows the block that css is in.
func skipBlock(css []byte) []byte {
	for depth := 1; depth > 0; {
		at := bytes.IndexAny(css, "{}")
		if at < 0 {
			return nil
		}
		if css[at] == '{' {
			depth++
		} else {
			depth--
		}
		css = css[at+1:]
	}
	return css
}

// ruled lets the style sheets say what they say of an element with this name, in lower case, class and id.
func (d *Decoder) ruled(s *style, name, class, id []byte) {
	if len(d.rules) == 0 {
		return
	}
	var key selector
	copy(key[:], name)
	if rule, ok := d.rules[key]; ok {
		s.override(rule)
	}
	class = class[:min(len(class), maxClass)]
	for class := range bytes.FieldsSeq(class) {
		d.ruledBy(s, nil, '.', class)
		d.ruledBy(s, name, '.', class)
	}
	if len(id) > 0 {
		d.ruledBy(s, nil, '#', id)
		d.ruledBy(s, name, '#', id)
	}
}

const maxClass = 1 << 10 // bytes of a class attribute that are looked at

// ruledBy lets the rule of a selector, such as td.small, say what it says.
func (d *Decoder) ruledBy(s *style, name []byte, sign byte, identifier []byte) {
	if len(name)+1+len(identifier) > maxSelector {
		return
	}
	var key selector
	appendLower(append(append(key[:0], name...), sign), identifier, maxSelector)
	if rule, ok := d.rules[key]; ok {
		s.override(rule)
	}
}
