package message

import "bytes"

// variable is a property that a sender names himself, as --ink, which values use as var(--ink).
//
// All of a page are taken as one table, in which the last value counts. To follow how they are inherited would need one
// table for each element; mail has them in two of a thousand messages (docs/experiments.md).
type variable struct{ name, value []byte }

const maxVariables = 64

// variables takes up those that a style sheet declares, wherever it does.
func (d *Decoder) variables(css []byte) {
	for {
		at := bytes.Index(css, []byte("--"))
		if at < 0 {
			return
		}
		end := at + len("--")
		for end < len(css) && (isWordByte(css[end]) || css[end] == '-' || css[end] == '_') {
			end++
		}
		name := css[at:end]
		css = css[end:]
		if rest := trimLeftCSS(css); len(name) > len("--") && len(rest) > 0 && rest[0] == ':' {
			value := rest[1:]
			value = value[:cssEnd(value[:min(len(value), maxValue)], atSemicolon|atClosed)]
			d.setVariable(name, trimCSS(value))
		}
	}
}

// setVariable keeps a variable.
func (d *Decoder) setVariable(name, value []byte) {
	s := &d.sheets
	if len(name) > maxSelector || len(value) > maxValue {
		return
	}
	start := len(s.values)
	s.values = append(append(s.values, name...), value...)
	own := variable{s.values[start : start+len(name)], s.values[start+len(name):]}
	for i := range s.variables {
		if bytes.Equal(s.variables[i].name, name) {
			s.variables[i] = own
			return
		}
	}
	if len(s.variables) < maxVariables {
		s.variables = append(s.variables, own)
	}
}

// withVariables returns a value with what each var() in it stands for: what it says itself if nothing else does. A value that
// becomes too long, or goes on and on, is cut off.
func (d *Decoder) withVariables(value []byte) []byte {
	for i := range maxVariables {
		before, after, ok := bytes.Cut(value, []byte("var("))
		if !ok {
			return value
		}
		if d.sheets.left -= 8 + len(d.sheets.variables)/8; d.sheets.left < 0 {
			d.msg.Repairs.add(CutStyles)
			return value
		}
		end := max(parenthesisEnd(value[len(before)+len("var"):])-1, 0)
		name, stands := cutAt(after[:min(end, len(after))], ',')
		after = after[min(end+1, len(after)):]
		for _, v := range d.sheets.variables {
			if bytes.EqualFold(v.name, name) {
				stands = v.value
				break
			}
		}
		to := &d.replaced[i%2] // value is in the other, or the caller's
		*to = append((*to)[:0], before...)
		*to = append(appendCSSLower(*to, stands, maxValue), after...)
		value = (*to)[:min(len(*to), maxValue)]
	}
	return value
}
