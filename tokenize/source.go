package tokenize

import (
	"slices"
	"strings"
)

// FieldOf returns the header field that a term is made of, in lower case. It is empty for a term of the text, the parts or the
// links, and for one of several fields, such as their order; of two neighbouring fields it is the one that begins with X-.
func FieldOf(term string) string {
	tag, rest, _ := strings.Cut(term, ":")
	switch tag {
	case "header":
		return strings.ToLower(rest)
	case "value", "same":
		field, _, _ := strings.Cut(rest, ":")
		return field
	case "shape":
		if field, _, _ := strings.Cut(rest, ":"); field != "boundary" {
			return field
		}
		return "content-type"
	case "missing":
		return rest
	case "order":
		before, after, _ := strings.Cut(strings.ToLower(rest), ">")
		for _, field := range []string{before, after} {
			if strings.HasPrefix(field, "x-") {
				return field
			}
		}
		return ""
	case "step":
		return "received"
	case "zone":
		return "date"
	case "mime":
		return "content-type"
	case "body", "hidden", "type", "charset", "encoding", "file", "host", "domain", "path", "port", "mailto", "scheme", "link",
		"outline", "html", "script", "class", "address", "mark":
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(tag, attachedPrefix), fieldPrefix)
}

// Without returns the one setting, as `ignore_headers=x-foo`, that leaves a term out when all others stay as o has them. It is
// empty if there is none, as for the words of the text.
func (o Options) Without(term string) string {
	if field := FieldOf(term); field != "" {
		return "ignore_headers=" + strings.Join(append(slices.Clone(o.IgnoreHeaders), patternFor(field)), ",")
	}
	switch tag, _, _ := strings.Cut(term, ":"); tag {
	case "order", "outline":
		return "structure=false"
	case "class", "address":
		return "classes=false"
	case "html":
		return "shape=false"
	}
	return ""
}

// patternFor returns a pattern for the name of a field. A `?` stands for what would mean something else in a pattern, in a
// list or to a shell.
func patternFor(field string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || isNameSeparator(r) {
			return r
		}
		return '?'
	}, field)
}
