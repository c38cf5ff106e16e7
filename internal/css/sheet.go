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

// kinds is a set of kinds of tokens.
type kinds uint64

const (
	atSemicolon kinds = 1 << css.SemicolonToken
	atOpen      kinds = 1 << css.LeftBraceToken
	atClosed    kinds = 1 << css.RightBraceToken
)

// until reads tokens up to one outside of brackets that ends them; a semicolon ends an at-rule, too. It returns the kind of the last token,
// ErrorToken at the end of the source.
func (r *reader) until(ends kinds) css.TokenType {
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
		if len(r.open) == 0 && ends>>kind&1 != 0 {
			return kind
		}
		switch kind {
		case css.AtKeywordToken:
			if len(r.tokens) == 0 {
				ends |= atSemicolon // @import url(x);
			}
		case css.FunctionToken, css.LeftParenthesisToken:
			r.open = append(r.open, rune(css.RightParenthesisToken))
		case css.LeftBracketToken:
			r.open = append(r.open, rune(css.RightBracketToken))
		case css.LeftBraceToken:
			r.open = append(r.open, rune(css.RightBraceToken))
		default:
			if last := len(r.open) - 1; last >= 0 && r.open[last] == rune(kind) {
				r.open = r.open[:last]
			}
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
	blocks := 0 // of @media around the next rule
	for {
		ends := atOpen
		if blocks > 0 {
			ends |= atClosed
		}
		switch r.until(ends) {
		case css.ErrorToken:
			return
		case css.RightBraceToken:
			blocks--
		case css.LeftBraceToken:
			switch isAtRule := len(r.tokens) > 0 && r.tokens[0].kind == css.AtKeywordToken; {
			case !isAtRule:
				r.rule()
			case string(r.tokens[0].text) == "@media" && isForScreen(r.tokens[1:]):
				blocks++
			default:
				r.skipBlock()
			}
		}
	}
}

// skipBlock passes over what is left of a block.
func (r *reader) skipBlock() {
	r.until(atClosed)
}

// rule adds a rule, whose selectors are read.
func (r *reader) rule() {
	first, from, steps := len(r.compounds), len(r.declarations), r.steps
	switch {
	case r.rules == maxRules, len(r.tokens) == maxTokens:
		r.WasCut = true
	default:
		isComma := func(t token) bool { return t.kind == css.CommaToken }
		rest := r.tokens
		for more := true; more; {
			end := slices.IndexFunc(rest, isComma)
			if more = end >= 0; !more {
				end = len(rest)
			}
			r.addSelector(rest[:end])
			rest = rest[min(end+1, len(rest)):]
		}
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
		key := c.key()
		c.previous, r.index[key] = r.index[key], int32(i)+1
	}
}

// addSelector adds the compounds of a selector, or none if it asks for something else than names, classes and ids.
func (r *reader) addSelector(tokens []token) {
	first, steps := len(r.compounds), r.steps
	var c compound
	for i := 0; i < len(tokens); i++ {
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
			r.compounds, r.steps = r.compounds[:first], steps
			return
		}
	}
	const mostCompounds = 16 // of a selector, so that no weight overflows into the next
	isCut := len(r.compounds)-first >= mostCompounds || len(r.compounds) >= maxCompounds || r.steps > maxSteps
	if len(tokens) == 0 || isCut {
		r.compounds, r.steps = r.compounds[:first], steps
		r.WasCut = r.WasCut || isCut
		return
	}
	r.compounds = append(r.compounds, c)
}

// declarationList reads a list of declarations up to its end, which may be a brace, and adds them.
func (r *reader) declarationList(inBlock bool) {
	from := len(r.declarations)
	ends := atSemicolon
	if inBlock {
		ends |= atOpen | atClosed
	}
	for {
		end := r.until(ends)
		switch {
		case end == css.LeftBraceToken: // a rule in a rule
			r.skipBlock()
			continue
		case len(r.tokens) > 2 && r.tokens[0].kind == css.IdentToken && r.tokens[1].kind == css.ColonToken:
			r.declare(from, string(r.tokens[0].text), r.tokens[2:])
		}
		if end != css.SemicolonToken {
			return
		}
	}
}

// declare adds a declaration to those from the index from on.
func (r *reader) declare(from int, name string, value []token) {
	isImportant := false
	for i := range value {
		if value[i].is(css.DelimToken, "!") {
			if isImportant = i+2 == len(value) && value[i+1].is(css.IdentToken, "important"); !isImportant {
				return
			}
			value = value[:i]
			break
		}
	}
	if len(value) == 0 {
		return
	}
	specify(name, value, func(p Property, v float32) {
		isSame := func(d declaration) bool { return d.property == p && d.important == isImportant }
		if i := slices.IndexFunc(r.declarations[from:], isSame); i >= 0 {
			r.declarations[from+i].value = v
			return
		}
		r.declarations = append(r.declarations, declaration{p, isImportant, v})
	})
}

// ForScreen reports whether a style sheet for these media applies on the assumed screen.
func (s *Sheets) ForScreen(media []byte) bool {
	if len(ascii.Space.Trim(media)) == 0 {
		return true
	}
	source := len(s.source)
	r := s.read(media)
	r.until(0)
	s.source = s.source[:source]
	return isForScreen(r.tokens)
}

// isForScreen reports whether one of a list of media queries holds, such as "screen and (min-width: 600px)". One that asks for an
// unknown feature does not.
func isForScreen(list []token) bool {
	is, not := true, false
	for i := 0; i < len(list); i++ {
		switch string(list[i].text) {
		case ",":
			if is != not {
				return true
			}
			is, not = true, false
		case "not":
			not = true
		case "only", "and", "all", "screen":
		case "(":
			inside := list[i+1 : min(i+4, len(list))]
			if len(inside) < 3 || !hasFeature(string(inside[0].text), &inside[2]) {
				is, not = false, false
			}
			i += 4
		default:
			is = false
		}
	}
	return is != not
}

// hasFeature reports whether the screen has a feature, such as "min-width: 600px".
func hasFeature(name string, value *token) bool {
	n, _ := value.length()
	switch name {
	case "min-width", "min-device-width":
		return n.pixels <= windowWidth
	case "max-width", "max-device-width":
		return n.pixels >= windowWidth
	case "prefers-color-scheme":
		return string(value.text) == "light"
	}
	return false
}
