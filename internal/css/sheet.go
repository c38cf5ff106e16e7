package css

import (
	"slices"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"chaff/internal/ascii"
)

// token is a token of CSS in lower case.
type token struct {
	kind       css.TokenType
	text       []byte
	afterBlank bool
}

func (t *token) is(kind css.TokenType, text string) bool {
	return t.kind == kind && string(t.text) == text
}

// maxTokens is how many tokens of a list of selectors, a media query or a declaration are read.
const maxTokens = 2000

// reader reads CSS. What it reads is kept in s.source, since the lexer writes behind its input.
type reader struct {
	*Sheets
	lexer *css.Lexer
}

func (s *Sheets) read(source []byte) reader {
	start := len(s.source)
	s.source = append(ascii.AppendLower(s.source, source, len(source)), 0)
	return reader{s, css.NewLexer(parse.NewInputBytes(s.source[start : len(s.source)-1]))}
}

// closers is what closes each kind of bracket.
var closers = [css.CustomPropertyValueToken + 1]css.TokenType{
	css.FunctionToken: css.RightParenthesisToken, css.LeftParenthesisToken: css.RightParenthesisToken,
	css.LeftBracketToken: css.RightBracketToken, css.LeftBraceToken: css.RightBraceToken,
}

// until reads tokens up to one outside of brackets that is of one of these kinds; a semicolon ends an at-rule, too. It returns the kind of the
// last token, ErrorToken at the end of the source.
func (r *reader) until(ends ...css.TokenType) css.TokenType {
	r.tokens, r.open = r.tokens[:0], r.open[:0]
	for afterBlank := false; ; {
		kind, text := r.lexer.Next()
		switch kind {
		case css.ErrorToken:
			return kind
		case css.CommentToken, css.CDOToken, css.CDCToken:
			continue
		case css.WhitespaceToken:
			afterBlank = true
			continue
		}
		inAtRule := len(r.tokens) > 0 && r.tokens[0].kind == css.AtKeywordToken // @import url(x);
		if len(r.open) == 0 && (slices.Contains(ends, kind) || kind == css.SemicolonToken && inAtRule) {
			return kind
		}
		if closer := closers[kind]; closer != 0 {
			r.open = append(r.open, closer)
		} else if last := len(r.open) - 1; last >= 0 && r.open[last] == kind {
			r.open = r.open[:last]
		}
		if len(r.tokens) < maxTokens {
			r.tokens = append(r.tokens, token{kind, text, afterBlank})
		}
		afterBlank = false
	}
}

// Add adds a style sheet to those of the page.
func (s *Sheets) Add(sheet []byte) {
	r := s.read(sheet)
	ends := []css.TokenType{css.LeftBraceToken, css.RightBraceToken}
	blocks := 0 // of @media around the next rule
	for {
		switch end := r.until(ends[:1+min(blocks, 1)]...); {
		case end == css.ErrorToken:
			return
		case end == css.RightBraceToken:
			blocks--
		case end == css.SemicolonToken:
		case len(r.tokens) == 0 || r.tokens[0].kind != css.AtKeywordToken:
			r.rule()
		case string(r.tokens[0].text) == "@media" && isForScreen(r.tokens[1:]):
			blocks++
		default:
			r.until(css.RightBraceToken)
		}
	}
}

// rule adds a rule, whose selectors are read.
func (r *reader) rule() {
	first, from, steps := len(r.compounds), len(r.declarations), r.steps
	isCut := r.rules == maxRules || len(r.tokens) == maxTokens
	r.WasCut = r.WasCut || isCut
	for at := 0; !isCut && at <= len(r.tokens); at++ {
		end := at
		for end < len(r.tokens) && r.tokens[end].kind != css.CommaToken {
			end++
		}
		r.addSelector(r.tokens[at:end])
		at = end
	}
	r.declarationList(true)
	to := len(r.declarations)
	if first == len(r.compounds) || from == to {
		r.compounds, r.declarations, r.steps = r.compounds[:first], r.declarations[:from], steps
		return
	}
	r.rules++
	for i := first; i < len(r.compounds); i++ {
		c := &r.compounds[i]
		c.from, c.to = int32(from), int32(to)
		c.weight += uint32(r.rules)
	}
}

// addSelector adds the compounds of a selector, or none if it asks for something else than names, classes and ids.
func (r *reader) addSelector(tokens []token) {
	const mostCompounds = 16 // of a selector, so that no weight overflows into the next
	first, steps := len(r.compounds), r.steps
	isKnown := len(tokens) > 0
	var c compound
	for i := 0; i < len(tokens) && isKnown; i++ {
		t := &tokens[i]
		isFirst := i == 0 || t.afterBlank
		if isFirst && i > 0 { // the compound before is for an element around
			r.steps++
			c.step = int16(r.steps)
			r.compounds = append(r.compounds, c)
			c = compound{around: c.step, weight: c.weight}
		}
		isClass := t.is(css.DelimToken, ".") && i+1 < len(tokens) && tokens[i+1].kind == css.IdentToken && !tokens[i+1].afterBlank
		switch {
		case isFirst && t.kind == css.IdentToken:
			c.tag, c.weight = t.text, c.weight+weightTag
		case isFirst && t.is(css.DelimToken, "*"):
		case isClass && c.class == nil:
			i++
			c.class, c.weight = tokens[i].text, c.weight+weightClass
		case t.kind == css.HashToken && c.id == nil:
			c.id, c.weight = t.text[len("#"):], c.weight+weightID
		default:
			isKnown = false
		}
	}
	isCut := len(r.compounds)-first >= mostCompounds || len(r.compounds) >= maxCompounds || r.steps > maxSteps
	if !isKnown || isCut {
		r.compounds, r.steps = r.compounds[:first], steps
		r.WasCut = r.WasCut || isKnown && isCut
		return
	}
	r.compounds = append(r.compounds, c)
}

// declarationList reads a list of declarations up to its end, which may be a brace, and adds them.
func (r *reader) declarationList(inBlock bool) {
	from := len(r.declarations)
	ends := []css.TokenType{css.SemicolonToken, css.LeftBraceToken, css.RightBraceToken}
	if !inBlock {
		ends = ends[:1]
	}
	for end := css.SemicolonToken; end == css.SemicolonToken; {
		if end = r.until(ends...); end == css.LeftBraceToken { // a rule in a rule
			r.until(css.RightBraceToken)
			end = css.SemicolonToken
			continue
		}
		if len(r.tokens) < 3 || r.tokens[0].kind != css.IdentToken || r.tokens[1].kind != css.ColonToken {
			continue
		}
		value := r.tokens[2:]
		mark := slices.IndexFunc(value, func(t token) bool { return t.is(css.DelimToken, "!") })
		isImportant := mark > 0
		if mark >= 0 {
			if mark == 0 || mark+2 != len(value) || !value[mark+1].is(css.IdentToken, "important") {
				continue
			}
			value = value[:mark]
		}
		specify(string(r.tokens[0].text), value, func(p Property, v float32) {
			isSame := func(d declaration) bool { return d.property == p && d.important == isImportant }
			if i := slices.IndexFunc(r.declarations[from:], isSame); i >= 0 {
				r.declarations[from+i].value = v
				return
			}
			r.declarations = append(r.declarations, declaration{p, isImportant, v})
		})
	}
}

// ForScreen reports whether a style sheet for these media applies on the assumed screen.
func (s *Sheets) ForScreen(media []byte) bool {
	if len(media) == 0 {
		return true
	}
	source := len(s.source)
	r := s.read(media)
	r.until()
	s.source = s.source[:source]
	return isForScreen(r.tokens)
}

// isForScreen reports whether one of a list of media queries holds, such as "screen and (min-width: 600px)", or the list is empty. A query
// that asks for an unknown feature does not hold.
func isForScreen(list []token) bool {
	holds, not := true, false
	for i := 0; i < len(list); i++ {
		switch string(list[i].text) {
		case ",":
			if holds != not {
				return true
			}
			holds, not = true, false
		case "not":
			not = true
		case "only", "and", "all", "screen":
		case "(":
			inside := list[i+1 : min(i+4, len(list))]
			if len(inside) < 3 || !hasFeature(string(inside[0].text), &inside[2]) {
				holds, not = false, false
			}
			i += 4
		default:
			holds = false
		}
	}
	return holds != not
}

// hasFeature reports whether the screen has a feature, such as "min-width: 600px".
func hasFeature(name string, value *token) bool {
	n, _ := value.length()
	switch name {
	case "min-width", "min-device-width":
		return n.pixels <= windowWidth
	case "max-width", "max-device-width":
		return n.pixels >= windowWidth
	}
	return name == "prefers-color-scheme" && string(value.text) == "light"
}
