package css

import (
	"bytes"
	"slices"

	"chaff/internal/ascii"
)

// variable is a custom property, as --ink, which values use as var(--ink).
//
// A page has one table of them, in which the last value counts. Following inheritance would need a table for each element; two of
// a thousand mails have variables.
type variable struct{ name, value []byte }

const maxVariables = 64

// findVariables keeps the variables that a style sheet declares anywhere.
func (s *Sheets) findVariables(css []byte) {
	for {
		at := bytes.Index(css, []byte("--"))
		if at < 0 {
			return
		}
		end := at + len("--")
		for end < len(css) && (ascii.IsAlphanumeric(css[end]) || css[end] == '-' || css[end] == '_') {
			end++
		}
		name := css[at:end]
		css = css[end:]
		if rest := ascii.Space.TrimLeft(css); len(name) > len("--") && len(rest) > 0 && rest[0] == ':' {
			value := rest[1:]
			value = value[:indexStop(value[:min(len(value), maxValue)], atSemicolon|atClosed)]
			s.setVariable(name, ascii.Space.Trim(value))
		}
	}
}

// setVariable keeps a variable.
func (s *Sheets) setVariable(name, value []byte) {
	if len(name) > maxKey || len(value) > maxValue {
		return
	}
	start := len(s.values)
	s.values = append(append(s.values, name...), value...)
	own := variable{s.values[start : start+len(name)], s.values[start+len(name):]}
	isOld := func(v variable) bool { return bytes.Equal(v.name, name) }
	if i := slices.IndexFunc(s.variables, isOld); i >= 0 {
		s.variables[i] = own
	} else if len(s.variables) < maxVariables {
		s.variables = append(s.variables, own)
	}
}

// expandVariables returns a value with each var() replaced by the value of its variable, or by its default. It cuts values that
// become too long, or refer to themselves.
func (s *Sheets) expandVariables(value []byte) []byte {
	for i := range maxVariables {
		before, _, ok := bytes.Cut(value, []byte("var("))
		if !ok {
			return value
		}
		if s.work -= 8 + len(s.variables)/8; s.work < 0 {
			s.WasCut = true
			return value
		}
		inside, after := cutGroup(value[len(before)+len("var"):], atParenthesis)
		name, replacement := cutStop(inside, atComma)
		replacement = ascii.Space.Trim(replacement)
		if i := slices.IndexFunc(s.variables, func(v variable) bool { return bytes.EqualFold(v.name, name) }); i >= 0 {
			replacement = s.variables[i].value
		}
		to := &s.expanded[i%2] // value is in the other, or the caller's
		*to = append((*to)[:0], before...)
		*to = append(appendLower(*to, replacement, maxValue), after...)
		value = (*to)[:min(len(*to), maxValue)]
	}
	return value
}
