package message

import "bytes"

// rule is what a rule of a style sheet says that matters here.
type rule struct {
	said       declared
	hasContent bool
	content    list // what ::before or ::after shows, in sheets.content
}

// sheet takes up a style sheet: its rules for a screen, and the links in it.
//
// No library is used. Those there are parse CSS into a tree and decide nothing, or match selectors on a tree of the whole
// page with going back, which takes exponential time (docs/experiments.md).
func (d *Decoder) sheet(css []byte) {
	d.variables(css)
	d.rulesOf(d.withoutCSSComments(css), 0)
}

// maxNestedRules is how deep blocks in blocks are looked into.
const maxNestedRules = 8

// rulesOf takes up the rules in a style sheet or in a block of one, which has no comments.
func (d *Decoder) rulesOf(css []byte, depth int) {
	for {
		css = skipCommentMarks(css)
		if len(css) == 0 {
			return
		}
		stops := atOpen
		if css[0] == '@' {
			stops |= atSemicolon
		}
		open := cssEnd(css, stops)
		if open >= len(css) {
			return
		}
		prelude := trimCSS(css[:open])
		if css[open] == ';' {
			css = css[open+1:] // @import url(x);
			continue
		}
		css = css[open+1:]
		end := blockEnd(css)
		block := css[:end]
		css = css[min(end+1, len(css)):]
		switch {
		case prelude == nil || depth == maxNestedRules:
		case len(prelude) > 0 && prelude[0] == '@':
			if d.isForReader(prelude) {
				d.rulesOf(block, depth+1)
			}
		default:
			d.rule(prelude, block, depth)
		}
	}
}

// rule takes up one rule of a style sheet, and those that are nested in it.
func (d *Decoder) rule(selectors, block []byte, depth int) {
	said := newDeclared()
	var content []byte
	for len(block) > 0 {
		end := cssEnd(block, atOpen|atSemicolon)
		if end >= len(block) || block[end] == ';' {
			if written, ok := contentIn(block[:end]); ok {
				content = written
			}
			d.declaration(&said, block[:end])
			block = block[min(end+1, len(block)):]
			continue
		}
		prelude, inside := trimCSS(block[:end]), block[end+1:]
		end = blockEnd(inside)
		block = inside[min(end+1, len(inside)):]
		if depth < maxNestedRules {
			d.nestedRule(selectors, prelude, inside[:end], depth+1)
		}
	}
	d.addRule(selectors, said, content)
}

// addRule keeps what a rule says, if it matters.
func (d *Decoder) addRule(selectors []byte, said declared, content []byte) {
	s := &d.sheets
	if said == newDeclared() && content == nil {
		return
	}
	if len(s.rules) == maxRules {
		d.msg.Repairs.add(CutStyles)
		return
	}
	ok, cut := s.selectors(selectors, int32(len(s.rules)))
	if cut {
		d.msg.Repairs.add(CutStyles)
	}
	if ok {
		s.rules = append(s.rules, rule{said, content != nil, s.addContent(content)})
	}
}

// nestedRule takes up a rule that stands in another one.
func (d *Decoder) nestedRule(outer, prelude, block []byte, depth int) {
	const (
		longest = 1 << 10 // of what the selectors of both make
		outmost = 4 << 10 // of what is looked at for each rule inside, with its blanks
	)
	if len(prelude) == 0 {
		return
	}
	s := &d.sheets
	if s.nestings += 1 + len(outer)/maxSelector; s.nestings > maxCompounds || len(outer) > outmost {
		d.msg.Repairs.add(CutStyles)
		return
	}
	if prelude[0] == '@' {
		if d.isForReader(prelude) {
			d.rule(outer, block, depth)
		}
		return
	}
	start, known := len(s.names), len(s.rules)
	for rest, more := outer, true; more; {
		at := cssEnd(rest, atComma)
		one := trimCSS(rest[:at])
		more = at < len(rest)
		rest = rest[min(at+1, len(rest)):]
		for inner, again := prelude, true; again; {
			at := cssEnd(inner, atComma)
			selector := trimCSS(inner[:at])
			again = at < len(inner)
			inner = inner[min(at+1, len(inner)):]
			if len(s.names) > start {
				s.names = append(s.names, ',')
			}
			if bytes.IndexByte(selector, '&') < 0 {
				s.names = append(append(append(s.names, one...), ' '), selector...)
			}
			for before, after, ok := bytes.Cut(selector, []byte("&")); ok; before, after, ok = bytes.Cut(after, []byte("&")) {
				s.names = append(append(s.names, before...), one...)
				if bytes.IndexByte(after, '&') < 0 {
					s.names = append(s.names, after...)
				}
				if len(s.names)-start > longest {
					break
				}
			}
			if len(s.names)-start > longest {
				d.msg.Repairs.add(CutStyles)
				s.names = s.names[:start]
				return
			}
		}
	}
	d.rule(s.names[start:len(s.names):len(s.names)], block, depth)
	if len(s.rules) == known {
		s.names = s.names[:start]
	}
}

// withoutCSSComments returns css without its comments.
func (d *Decoder) withoutCSSComments(css []byte) []byte {
	if !bytes.Contains(css, []byte("/*")) {
		return css
	}
	d.css = d.css[:0]
	for len(css) > 0 {
		at := cssEndOfPlain(css)
		d.css = append(d.css, css[:at]...)
		if at == len(css) {
			break
		}
		d.css = append(d.css, ' ') // what is on both sides of a comment stays apart
		_, css, _ = bytes.Cut(css[at+len("/*"):], []byte("*/"))
	}
	return d.css
}

// cssEndOfPlain returns where the first comment starts that is not inside of a string, the length of css if nowhere.
func cssEndOfPlain(css []byte) int {
	var quote byte
	for i, c := range css {
		switch {
		case quote != 0:
			if c == quote && css[i-1] != '\\' || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '/' && i+1 < len(css) && css[i+1] == '*':
			return i
		}
	}
	return len(css)
}

// skipCommentMarks returns css without the comment marks of HTML at its start, which do not count in it.
func skipCommentMarks(css []byte) []byte {
	for {
		css = trimLeftCSS(css)
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
