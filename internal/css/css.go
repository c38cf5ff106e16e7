// Package css decides how style sheets and style attributes show the text of an HTML page: whether it is hidden, and why.
//
// It reads what decides that in mail: selectors of names, classes and ids with blanks between them, and the properties of a table in style.go. The rest of
// CSS is ignored, as many mail readers ignore it. The page is read once, from its start, and no tree is built.
//
// The appearance is that on one assumed screen: a browser in colour with a window 1280 pixels wide.
package css

import (
	"bytes"
	"slices"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"chaff/internal/ascii"
)

const (
	maxCompounds = 4000 // of the style sheets of a page, and rules; mail has a few dozen
	maxSteps     = 512
	maxTokens    = 2000 // of a list of selectors, a media query or a declaration

	// workPerByte is how many compounds, classes and declarations may be tried for each byte of HTML. Real pages need a few.
	workPerByte = 16

	windowWidth = 1280 // pixels
)

// Sheets holds the style sheets of one HTML page. It reuses its memory for the next page and belongs to one goroutine.
type Sheets struct {
	// WasCut reports that a limit was met, so that something of the style sheets does not count.
	WasCut bool
	// HasRules reports that there is a rule that may change how text is shown.
	HasRules bool

	compounds    []compound
	declarations []declaration // of all rules
	steps        int
	work         int      // how much may still be tried
	classes      [][]byte // of the current element

	source []byte // the sheets in lower case, and what else is being read
	kept   int    // the length of the sheets
	lexer  *css.Lexer
	tokens []token         // of the current prelude or declaration
	open   []css.TokenType // what closes the brackets around the current token
}

// compound is one compound of a selector: "div.a b" has "div.a" and "b". Each but the last has a number, its step. The steps that
// the elements around an element have met are known (Steps), so each compound is tried once for an element, without backtracking.
type compound struct {
	tag, class, id []byte // nil for any
	around         int16  // the step to its left, from 1, or 0
	step           int16  // its own, from 1; 0 for the last compound
	weight         uint32
	from, to       int32 // the declarations of its rule
}

// Steps is the set of steps that an element and those around it have met.
type Steps [maxSteps / 64]uint64

func (s *Steps) has(step int16) bool { return s[(step-1)/64]>>((step-1)%64)&1 != 0 }
func (s *Steps) add(step int16)      { s[(step-1)/64] |= 1 << ((step - 1) % 64) }

// Element is an element of a page as selectors see it, with its style attribute.
type Element struct{ Name, Class, ID, Style []byte }

// Start forgets the style sheets of the page before. The next page has htmlBytes bytes, which bound the work.
func (s *Sheets) Start(htmlBytes int) {
	s.compounds, s.declarations = s.compounds[:0], s.declarations[:0]
	s.kept, s.steps, s.work, s.WasCut, s.HasRules = 0, 0, workPerByte*htmlBytes, false, false
}

// Match adds to style what the rules for e and its own style say. Around is what the element around e has met; Match returns what e has.
func (s *Sheets) Match(style *Style, e *Element, around *Steps) (met Steps) {
	met = *around
	s.classes = slices.AppendSeq(s.classes[:0], bytes.FieldsSeq(e.Class))
	for i := range s.compounds {
		c := &s.compounds[i]
		if s.work -= 1 + len(s.classes); s.work < 0 {
			s.WasCut = true
			break
		}
		switch {
		case c.tag != nil && !bytes.Equal(c.tag, e.Name), c.id != nil && !bytes.EqualFold(c.id, e.ID), c.around > 0 && !around.has(c.around):
		case c.class != nil && !slices.ContainsFunc(s.classes, func(class []byte) bool { return bytes.EqualFold(class, c.class) }):
		case c.step > 0:
			met.add(c.step)
		default:
			s.work -= int(c.to - c.from)
			style.apply(s.declarations[c.from:c.to], c.weight)
		}
	}
	if len(e.Style) > 0 {
		from := len(s.declarations)
		s.read(e.Style)
		s.declarationList(css.SemicolonToken)
		style.apply(s.declarations[from:], weightInline)
		s.declarations = s.declarations[:from]
	}
	return met
}

// token is a token of CSS in lower case.
type token struct {
	kind       css.TokenType
	text       []byte
	afterBlank bool
}

// read starts to read CSS, of which it makes a copy behind the sheets, since the lexer writes behind its input.
func (s *Sheets) read(source []byte) {
	s.source = append(ascii.AppendLower(s.source[:s.kept], source, len(source)), 0)
	s.lexer = css.NewLexer(parse.NewInputBytes(s.source[s.kept : len(s.source)-1]))
}

// closers is what closes each kind of bracket.
var closers = [css.CustomPropertyValueToken + 1]css.TokenType{
	css.FunctionToken: css.RightParenthesisToken, css.LeftParenthesisToken: css.RightParenthesisToken,
	css.LeftBracketToken: css.RightBracketToken, css.LeftBraceToken: css.RightBraceToken,
}

// until reads up to a token outside of brackets that is one of ends, or ends an at-rule, and returns its kind: ErrorToken at the end of the source.
func (s *Sheets) until(ends ...css.TokenType) css.TokenType {
	s.tokens, s.open = s.tokens[:0], s.open[:0]
	for afterBlank := false; ; {
		kind, text := s.lexer.Next()
		isBlank := kind == css.WhitespaceToken
		if isBlank || kind == css.CommentToken || kind == css.CDOToken || kind == css.CDCToken {
			afterBlank = afterBlank || isBlank
			continue
		}
		inAtRule := len(s.tokens) > 0 && s.tokens[0].kind == css.AtKeywordToken // @import url(x);
		isEnd := slices.Contains(ends, kind) || kind == css.SemicolonToken && inAtRule
		if kind == css.ErrorToken || isEnd && len(s.open) == 0 {
			return kind
		}
		if closer := closers[kind]; closer != 0 {
			s.open = append(s.open, closer)
		} else if last := len(s.open) - 1; last >= 0 && s.open[last] == kind {
			s.open = s.open[:last]
		}
		if len(s.tokens) < maxTokens {
			s.tokens = append(s.tokens, token{kind, text, afterBlank})
		}
		afterBlank = false
	}
}

// Add adds a style sheet to those of the page.
func (s *Sheets) Add(sheet []byte) {
	s.read(sheet)
	ends := []css.TokenType{css.LeftBraceToken, css.RightBraceToken}
	for blocks := 0; ; { // of @media around the next rule
		switch end := s.until(ends[:1+min(blocks, 1)]...); {
		case end == css.ErrorToken:
			s.kept = len(s.source)
			return
		case end == css.RightBraceToken:
			blocks--
		case end == css.SemicolonToken:
		case len(s.tokens) == 0 || s.tokens[0].kind != css.AtKeywordToken:
			s.rule()
		case string(s.tokens[0].text) == "@media" && isForScreen(s.tokens[1:]):
			blocks++
		default:
			s.until(css.RightBraceToken)
		}
	}
}

// rule adds a rule, whose selectors are read.
func (s *Sheets) rule() {
	first, from, steps := len(s.compounds), len(s.declarations), s.steps
	isCut := len(s.tokens) == maxTokens
	s.WasCut = s.WasCut || isCut
	start := 0
	for i, t := range append(s.tokens, token{kind: css.CommaToken}) { // which ends the last selector
		if t.kind == css.CommaToken && !isCut {
			s.addSelector(s.tokens[start:i])
			start = i + 1
		}
	}
	s.declarationList(css.SemicolonToken, css.LeftBraceToken, css.RightBraceToken)
	if first == len(s.compounds) || from == len(s.declarations) {
		s.compounds, s.declarations, s.steps = s.compounds[:first], s.declarations[:from], steps
		return
	}
	s.HasRules = true
	for i := first; i < len(s.compounds); i++ {
		c := &s.compounds[i]
		c.from, c.to = int32(from), int32(len(s.declarations))
		c.weight += uint32(i + 1)
	}
}

// addSelector adds the compounds of a selector, or none if it asks for something else than names, classes and ids.
func (s *Sheets) addSelector(tokens []token) {
	const mostCompounds = 16 // of a selector, so that no weight overflows into the next
	first, steps := len(s.compounds), s.steps
	isKnown := len(tokens) > 0
	var c compound
	for i := 0; i < len(tokens) && isKnown; i++ {
		t := &tokens[i]
		isFirst := i == 0 || t.afterBlank
		if isFirst && i > 0 { // the compound before is for an element around
			s.steps++
			c.step = int16(s.steps)
			s.compounds = append(s.compounds, c)
			c = compound{around: c.step, weight: c.weight}
		}
		isClass := string(t.text) == "." && i+1 < len(tokens) && tokens[i+1].kind == css.IdentToken && !tokens[i+1].afterBlank
		switch {
		case isFirst && t.kind == css.IdentToken:
			c.tag, c.weight = t.text, c.weight+weightTag
		case isFirst && string(t.text) == "*":
		case isClass && c.class == nil:
			i++
			c.class, c.weight = tokens[i].text, c.weight+weightClass
		case t.kind == css.HashToken && c.id == nil:
			c.id, c.weight = t.text[len("#"):], c.weight+weightID
		default:
			isKnown = false
		}
	}
	isCut := len(s.compounds)-first >= mostCompounds || len(s.compounds) >= maxCompounds || s.steps > maxSteps
	if !isKnown || isCut {
		s.compounds, s.steps = s.compounds[:first], steps
		s.WasCut = s.WasCut || isKnown && isCut
		return
	}
	s.compounds = append(s.compounds, c)
}

// declarationList reads a list of declarations, each of which ends with one of ends, and adds them.
func (s *Sheets) declarationList(ends ...css.TokenType) {
	for end := css.SemicolonToken; end == css.SemicolonToken || end == css.LeftBraceToken; {
		if end = s.until(ends...); end == css.LeftBraceToken { // a rule in a rule
			s.until(css.RightBraceToken)
			continue
		}
		if len(s.tokens) < 3 || s.tokens[0].kind != css.IdentToken || s.tokens[1].kind != css.ColonToken {
			continue
		}
		value, importance := s.tokens[2:], uint32(0)
		if mark := slices.IndexFunc(value, func(t token) bool { return string(t.text) == "!" }); mark >= 0 {
			if mark == 0 || mark+2 != len(value) || string(value[mark+1].text) != "important" {
				continue
			}
			value, importance = value[:mark], weightImportant
		}
		specify(string(s.tokens[0].text), value, func(p Property, v float32) {
			s.declarations = append(s.declarations, declaration{p, importance, v})
		})
	}
}

// ForScreen reports whether a style sheet for these media applies on the assumed screen.
func (s *Sheets) ForScreen(media []byte) bool {
	if len(media) == 0 {
		return true
	}
	s.read(media)
	s.until()
	return isForScreen(s.tokens)
}

// isForScreen reports whether a list of media queries is empty, or one of them holds. One that asks for an unknown feature does not hold.
func isForScreen(list []token) bool {
	holds, not := true, false
	for i := range list {
		has, inBracket := true, i > 0 && list[i-1].kind == css.LeftParenthesisToken
		value := &list[min(i+2, len(list)-1)]
		width, _ := value.length()
		switch word := string(list[i].text); {
		case word == ",":
			if holds != not {
				return true
			}
			holds, not = true, false
		case word == "not":
			not = true
		case inBracket && (word == "min-width" || word == "min-device-width"):
			has = width.pixels <= windowWidth
		case inBracket && (word == "max-width" || word == "max-device-width"):
			has = width.pixels >= windowWidth
		case inBracket:
			has = word == "prefers-color-scheme" && string(value.text) == "light"
		case word == "(", word == ":", word == ")", i > 0 && list[i-1].kind == css.ColonToken:
		default:
			holds = holds && slices.Contains([]string{"only", "and", "all", "screen"}, word)
		}
		if !has {
			holds, not = false, false
		}
	}
	return holds != not
}
