package css

import (
	"bytes"

	"chaff/internal/ascii"
)

// rule is a rule of a style sheet.
type rule struct {
	declarations
	content []piece // what ::before or ::after shows, nil if the rule does not say so
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

// cutItem cuts the first item of css: a prelude and its block, or what ends at a semicolon or the end, without a block.
func cutItem(css []byte, at stops) (prelude, block, rest []byte, hasBlock bool) {
	end := indexStop(css, at)
	prelude, rest = ascii.Space.Trim(css[:end]), css[min(end+1, len(css)):]
	if hasBlock = end < len(css) && css[end] == '{'; hasBlock {
		block, rest = cutBlock(rest)
	}
	return prelude, block, rest, hasBlock
}

// addRules adds the rules of a style sheet, or of a block in one, without comments.
func (s *Sheets) addRules(css []byte, depth int) {
	for css = skipCommentMarks(css); len(css) > 0; css = skipCommentMarks(css) {
		ends := atOpen
		if css[0] == '@' {
			ends |= atSemicolon // @import url(x);
		}
		prelude, block, rest, hasBlock := cutItem(css, ends)
		css = rest
		switch {
		case !hasBlock || depth == maxNesting:
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
		item, inside, rest, hasBlock := cutItem(block, atOpen|atSemicolon)
		block = rest
		if hasBlock {
			s.addNestedRule(selectors, item, inside, depth+1)
		} else if value := s.declaration(&said, item); value != nil {
			content = value
		}
	}
	switch {
	case said == newDeclarations() && content == nil:
	case len(s.rules) == maxRules:
		s.WasCut = true
	case s.addSelectors(selectors, int32(len(s.rules))):
		s.rules = append(s.rules, rule{said, s.contentOf(content)})
	}
}

// addNestedRule adds a rule that is nested in another one: its selectors are those of both, joined.
func (s *Sheets) addNestedRule(outer, prelude, block []byte, depth int) {
	const (
		maxJoined = 1 << 10 // bytes of the joined selectors
		maxOuter  = 4 << 10 // bytes of the outer selectors, which are read for each rule inside
	)
	if len(prelude) == 0 || depth > maxNesting {
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
			if bytes.IndexByte(selector, '&') < 0 {
				selector = append([]byte("& "), selector...)
			}
			if len(s.names)-start+len(selector)+bytes.Count(selector, []byte("&"))*(len(one)-1) > maxJoined {
				s.WasCut = true
				s.names = s.names[:start]
				return
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
	start := 0 // of what follows the last comment
	for i := 0; i < len(css); i++ {
		switch c := css[i]; {
		case c == '"' || c == '\'':
			i = stringEnd(css, i)
		case c == '/' && i+1 < len(css) && css[i+1] == '*':
			s.plain = append(append(s.plain, css[start:i]...), ' ')
			length := bytes.Index(css[i+len("/*"):], []byte("*/"))
			if length < 0 {
				return s.plain
			}
			start = i + len("/*") + length + len("*/")
			i = start - 1
		}
	}
	s.plain = append(s.plain, css[start:]...)
	return s.plain
}

// skipCommentMarks returns css without the HTML comment marks that it begins with, which CSS ignores.
func skipCommentMarks(css []byte) []byte {
	for {
		rest := bytes.TrimPrefix(ascii.Space.TrimLeft(css), []byte("<!--"))
		rest = bytes.TrimPrefix(rest, []byte("-->"))
		if len(rest) == len(css) {
			return css
		}
		css = rest
	}
}

// contentOf returns the pieces of the value of a property content.
func (s *Sheets) contentOf(value []byte) (pieces []piece) {
	if value != nil {
		pieces = []piece{}
	}
	for value = ascii.Space.Trim(value); len(value) > 0 && value[0] != '/'; value = ascii.Space.TrimLeft(value) { // "/" starts a text for screen readers
		at := len(s.names)
		if quote := value[0]; quote == '"' || quote == '\'' {
			end := stringEnd(value, 0)
			s.names = appendUnescaped(s.names, value[1:end], end)
			pieces = append(pieces, piece{text: s.names[at:len(s.names):len(s.names)]})
			value = value[min(end+1, len(value)):]
			continue
		}
		end := indexStop(value, atSpace|atQuote)
		if name, argument, _ := cutFunction(value[:end]); ascii.EqualFold(name, "attr") {
			attribute, _ := cutStop(argument, atComma)
			s.names = appendLower(s.names, attribute, maxIdentifier)
			if name := s.names[at:len(s.names):len(s.names)]; s.askFor(name) {
				pieces = append(pieces, piece{name, true})
			}
		}
		value = value[end:]
	}
	return pieces
}

// Text returns the text that style sheets add before or after the current element, and its style. The text is valid until the
// next call. All such texts of a page are no longer than the page itself: a short rule may be for a million elements.
func (s *Sheets) Text(t Target) (text []byte, style Style) {
	var content []piece
	for _, c := range s.matches {
		if r := &s.rules[c.rule]; c.target == t && r.content != nil && !c.uncertain {
			content = r.content
		}
	}
	style = NewStyle()
	if len(content) == 0 {
		return nil, style
	}
	own := newDeclarations()
	s.cascade(&style, t, &own)
	s.generated = s.generated[:0]
	for _, p := range content {
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
