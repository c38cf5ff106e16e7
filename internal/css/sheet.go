package css

import (
	"bytes"

	"chaff/internal/ascii"
)

// rule is a rule of a style sheet.
type rule struct {
	declarations declarations
	hasContent   bool
	content      list // what ::before or ::after shows, in Sheets.content
}

// piece is a piece of the text that ::before or ::after adds.
type piece struct {
	text        []byte
	isAttribute bool // the text is the value of the attribute of that name
}

// Add adds a style sheet to those of the page.
func (s *Sheets) Add(css []byte) {
	s.findVariables(css)
	s.addRules(s.withoutComments(css), 0)
}

// maxNesting is how deep blocks in blocks are read.
const maxNesting = 8

// addRules adds the rules of a style sheet, or of a block in one, without comments.
func (s *Sheets) addRules(css []byte, depth int) {
	for {
		css = skipCommentMarks(css)
		if len(css) == 0 {
			return
		}
		stops := atOpen
		if css[0] == '@' {
			stops |= atSemicolon
		}
		open := indexStop(css, stops)
		if open >= len(css) {
			return
		}
		prelude := ascii.Space.Trim(css[:open])
		if css[open] == ';' {
			css = css[open+1:] // @import url(x);
			continue
		}
		var block []byte
		block, css = cutBlock(css[open+1:])
		switch {
		case depth == maxNesting:
		case len(prelude) > 0 && prelude[0] == '@':
			if s.atRuleApplies(prelude) {
				s.addRules(block, depth+1)
			}
		default:
			s.addRule(prelude, block, depth)
		}
	}
}

// addRule adds a rule of a style sheet, and the rules nested in it.
func (s *Sheets) addRule(selectors, block []byte, depth int) {
	said := newDeclarations()
	var content []byte
	for len(block) > 0 {
		end := indexStop(block, atOpen|atSemicolon)
		if end >= len(block) || block[end] == ';' {
			if value := s.declaration(&said, block[:end]); value != nil {
				content = value
			}
			block = block[min(end+1, len(block)):]
			continue
		}
		prelude := ascii.Space.Trim(block[:end])
		var inside []byte
		inside, block = cutBlock(block[end+1:])
		if depth < maxNesting {
			s.addNestedRule(selectors, prelude, inside, depth+1)
		}
	}
	s.keepRule(selectors, said, content)
}

// keepRule keeps a rule that specifies something.
func (s *Sheets) keepRule(selectors []byte, said declarations, content []byte) {
	if said == newDeclarations() && content == nil {
		return
	}
	if len(s.rules) == maxRules {
		s.WasCut = true
		return
	}
	ok, cut := s.addSelectors(selectors, int32(len(s.rules)))
	s.WasCut = s.WasCut || cut
	if ok {
		s.rules = append(s.rules, rule{said, content != nil, s.addContent(content)})
	}
}

// addNestedRule adds a rule that is nested in another one: its selectors are those of both, joined.
func (s *Sheets) addNestedRule(outer, prelude, block []byte, depth int) {
	const (
		maxJoined = 1 << 10 // bytes of the joined selectors
		maxOuter  = 4 << 10 // bytes of the outer selectors, which are read for each rule inside
	)
	if len(prelude) == 0 {
		return
	}
	if s.nestings += 1 + len(outer)/maxKey; s.nestings > maxCompounds || len(outer) > maxOuter {
		s.WasCut = true
		return
	}
	if prelude[0] == '@' {
		if s.atRuleApplies(prelude) {
			s.addRule(outer, block, depth)
		}
		return
	}
	start, rules := len(s.names), len(s.rules)
	for one := range split(outer, atComma) {
		for selector := range split(prelude, atComma) {
			if len(s.names) > start {
				s.names = append(s.names, ',')
			}
			places := bytes.Count(selector, []byte("&"))
			joined := len(s.names) - start + len(selector) + places*(len(one)-1)
			if places == 0 {
				joined += len(one) + len(" ")
			}
			if joined > maxJoined {
				s.WasCut = true
				s.names = s.names[:start]
				return
			}
			if places == 0 {
				s.names = append(append(s.names, one...), ' ')
			}
			s.names = append(s.names, bytes.ReplaceAll(selector, []byte("&"), one)...)
		}
	}
	s.addRule(s.names[start:len(s.names):len(s.names)], block, depth)
	if len(s.rules) == rules {
		s.names = s.names[:start]
	}
}

// withoutComments returns css with a blank for each comment.
func (s *Sheets) withoutComments(css []byte) []byte {
	if !bytes.Contains(css, []byte("/*")) {
		return css
	}
	s.plain = s.plain[:0]
	for len(css) > 0 {
		at := indexComment(css)
		s.plain = append(s.plain, css[:at]...)
		if at == len(css) {
			break
		}
		s.plain = append(s.plain, ' ')
		_, css, _ = bytes.Cut(css[at+len("/*"):], []byte("*/"))
	}
	return s.plain
}

// indexComment returns where the first comment outside of a string begins, the length of css if there is none.
func indexComment(css []byte) int {
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

// skipCommentMarks returns css without the HTML comment marks that it begins with, which CSS ignores.
func skipCommentMarks(css []byte) []byte {
	for {
		css = ascii.Space.TrimLeft(css)
		rest, isOpen := bytes.CutPrefix(css, []byte("<!--"))
		rest, isClose := bytes.CutPrefix(rest, []byte("-->"))
		if !isOpen && !isClose {
			return css
		}
		css = rest
	}
}

// addContent keeps the pieces of the value of a property content.
func (s *Sheets) addContent(value []byte) list {
	start := int32(len(s.content))
	for value = ascii.Space.Trim(value); len(value) > 0 && value[0] != '/'; value = ascii.Space.TrimLeft(value) { // "/" starts a text for screen readers
		at := len(s.names)
		if quote := value[0]; quote == '"' || quote == '\'' {
			end := stringEnd(value, 0)
			s.names = appendUnescaped(s.names, value[1:end], end)
			s.content = append(s.content, piece{text: s.names[at:len(s.names):len(s.names)]})
			value = value[min(end+1, len(value)):]
			continue
		}
		end := indexStop(value, atSpace|atQuote)
		if name, argument, _ := cutFunction(value[:end]); ascii.EqualFold(name, "attr") {
			attribute, _ := cutStop(argument, atComma)
			s.names = appendLower(s.names, attribute, maxIdentifier)
			if name := s.names[at:len(s.names):len(s.names)]; s.askFor(name) {
				s.content = append(s.content, piece{name, true})
			}
		}
		value = value[end:]
	}
	return list{start, int32(len(s.content))}
}

// Text returns the text that style sheets add before or after the current element, and its style. The text is valid until the
// next call. All such texts of a page are no longer than the page itself: a short rule may be for a million elements.
func (s *Sheets) Text(t Target) (text []byte, style Style) {
	var content list
	for _, m := range s.matches {
		if r := &s.rules[m.rule]; m.target == t && r.hasContent && !m.uncertain {
			content = r.content
		}
	}
	style = NewStyle()
	if content.from == content.to {
		return nil, style
	}
	own := newDeclarations()
	s.cascade(&style, t, &own)
	s.generated = s.generated[:0]
	for _, p := range s.content[content.from:content.to] {
		text := p.text
		if p.isAttribute {
			text, _ = s.element.Value(string(text))
		}
		if s.textLeft -= len(text); s.textLeft < 0 {
			s.WasCut = true
			return nil, style
		}
		s.generated = append(s.generated, text...)
	}
	return s.generated, style
}
