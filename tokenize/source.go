package tokenize

import (
	"slices"
	"strings"

	"chaff/internal/headerfield"
)

// IsInTransit reports whether relays, mailing lists or the recipient's server write the header fields with a name in lower case.
func IsInTransit(field string) bool {
	switch headerfield.KindOf([]byte(field)) {
	case headerfield.Trace, headerfield.Delivery, headerfield.List:
		return true
	}
	return false
}

// FieldOf returns the header field that a term comes from, in lower case. It is empty for terms of the text, the parts or the
// links, and for a term of several fields, such as their order; of two neighbouring fields it is the one that begins with X-.
func FieldOf(term string) string {
	tag, rest, _ := strings.Cut(term, ":")
	first, _, _ := strings.Cut(rest, ":")
	switch tag {
	case "header":
		return strings.ToLower(rest)
	case "shape":
		if first == "boundary" {
			return "content-type"
		}
		return first
	case "value", "same":
		return first
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
	}
	if isReserved(tag) {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(tag, attachedPrefix), fieldPrefix)
}

// Without returns the setting, such as `ignore_headers=x-foo`, that removes a term and leaves all other settings of o. It is empty if
// there is none, as for words of the text.
func (o Options) Without(term string) string {
	if field := FieldOf(term); field != "" {
		return "ignore_headers=" + strings.Join(append(slices.Clone(o.IgnoreHeaders), patternFor(field)), ",")
	}
	switch tag, _, _ := strings.Cut(term, ":"); tag {
	case "order", "outline":
		return "structure=false"
	case "html":
		return "shape=false"
	}
	return ""
}

// patternFor returns a pattern for the name of a field. A `?` replaces each character that is special in a pattern, in a list or to
// a shell.
func patternFor(field string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune(headerfield.Separators, r) {
			return r
		}
		return '?'
	}, field)
}
