package message

import "bytes"

// maxRules is how many rules of the style sheets of a message are kept. Mail has a few dozen.
const maxRules = 1000

// sheet takes up the style sheets of a message: of each simple selector (an element, .class or #id, or an element with a
// class or id) what it says that matters here. Selectors that look at where an element stands, and what is for some
// screens only, are passed over: they seldom hide text, and to follow them needs the whole tree.
//
// No library is used: those there are parse CSS into a tree and decide nothing.
func (d *Decoder) sheet(css []byte) {
	for len(css) > 0 {
		css = skipCSSComments(css)
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
	s := newStyle()
	d.declarations(&s, declarations)
	if s == newStyle() {
		return
	}
	for selector := range bytes.SplitSeq(selectors, []byte(",")) {
		selector = bytes.TrimSpace(selector)
		if len(selector) == 0 || len(selector) > maxSelector || bytes.ContainsAny(selector, " \t\r\n>+~:[*") {
			continue
		}
		var lower [maxSelector]byte
		key := appendLower(lower[:0], selector, maxSelector)
		old, known := d.rules[string(key)]
		if !known {
			if len(d.rules) >= maxRules {
				return
			}
			old = newStyle()
		}
		old.override(s)
		d.rules[string(key)] = old
	}
}

const maxSelector = 64

// skipCSSComments returns css without comments and HTML comment marks at its start.
func skipCSSComments(css []byte) []byte {
	for {
		css = bytes.TrimLeft(css, " \t\r\n")
		switch {
		case bytes.HasPrefix(css, []byte("<!--")):
			css = css[len("<!--"):]
		case bytes.HasPrefix(css, []byte("-->")):
			css = css[len("-->"):]
		case bytes.HasPrefix(css, []byte("/*")):
			end := bytes.Index(css, []byte("*/"))
			if end < 0 {
				return nil
			}
			css = css[end+len("*/"):]
		default:
			return css
		}
	}
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

// ruled lets the style sheets say what they say of an element with this name, class and id.
func (d *Decoder) ruled(s *style, name, class, id []byte) {
	if len(d.rules) == 0 {
		return
	}
	d.ruledBy(s, name)
	for class := range bytes.FieldsSeq(class[:min(len(class), maxClass)]) {
		d.ruledBy(s, []byte("."), class)
		d.ruledBy(s, name, []byte("."), class)
	}
	if len(id) > 0 {
		d.ruledBy(s, []byte("#"), id)
		d.ruledBy(s, name, []byte("#"), id)
	}
}

const maxClass = 1 << 10 // bytes of a class attribute that are looked at

// ruledBy lets one rule, whose selector is put together from pieces, say what it says.
func (d *Decoder) ruledBy(s *style, pieces ...[]byte) {
	var lower [maxSelector]byte
	key := lower[:0]
	for _, piece := range pieces {
		key = appendLower(key, piece, maxSelector-len(key))
	}
	if rule, ok := d.rules[string(key)]; ok {
		s.override(rule)
	}
}
