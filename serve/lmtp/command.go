package lmtp

import "strings"

// parseCommand divides a line without its end: the verb is in capitals, the rest has no blanks around it. Result ok is false if the line has
// control characters, and no program would agree on what they mean.
func parseCommand(line string) (verb, rest string, ok bool) {
	verb, rest, _ = strings.Cut(line, " ")
	return strings.ToUpper(verb), strings.Trim(rest, " "), !strings.ContainsFunc(line, isControl)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

type path struct {
	address    string // between the brackets
	parameters string // with a blank before each
}

// parsePath parses the argument of MAIL, "FROM:<address> parameters", or of RCPT.
func parsePath(rest, prefix string) (p path, ok bool) {
	if len(rest) < len(prefix) || !strings.EqualFold(rest[:len(prefix)], prefix) {
		return path{}, false
	}
	rest = strings.TrimLeft(rest[len(prefix):], " ")
	if !strings.HasPrefix(rest, "<") {
		return path{}, false
	}
	end, quoted := -1, false
	for i := 1; i < len(rest) && end < 0; i++ {
		switch {
		case rest[i] == '\\' && quoted:
			i++
		case rest[i] == '"':
			quoted = !quoted
		case rest[i] == '>' && !quoted:
			end = i
		case rest[i] == ' ' && !quoted, rest[i] == '<' && !quoted:
			return path{}, false
		}
	}
	if end < 0 || end+1 < len(rest) && rest[end+1] != ' ' {
		return path{}, false
	}
	p.address = rest[1:end]
	for parameter := range strings.FieldsFuncSeq(rest[end+1:], func(r rune) bool { return r == ' ' }) {
		p.parameters += " " + parameter
	}
	return p, true
}

// line returns the path as a command for the backend.
func (p path) line(verb string) string { return verb + "<" + p.address + ">" + p.parameters }
