package tokenize

import (
	"path"
	"slices"
	"strings"

	"chaff/internal/headerfield"
	"chaff/message"
)

// fieldRule says how the header fields of one name become terms. The zero value makes none.
type fieldRule struct {
	fieldRow
	used     bool   // its name and its words are terms
	tag      string // of its words: "x-mailer:"
	attached string // the tag of its words in the header of an attached message; empty if it is not used there
	grams    bool   // grams are made of it
	checked  bool   // if its value is a verdict, it makes no terms
}

// fieldRow says how header fields are read if they are used.
type fieldRow struct {
	names     []string // lower case
	reading   reading
	structure structure // the terms for the way it is written, which do not depend on used
	attaches  bool      // it is used in the header of an attached message, too
}

// fieldRows are the fields that are not read as all of their kind. Trace fields have only the shape of each hop, and fields of the recipient's mailbox
// or of a list have no structure.
var fieldRows = [...]fieldRow{
	{[]string{"subject"}, readProse, orderOnly, true},
	{[]string{"from", "to", "reply-to"}, readAddresses, orderOnly, true},
	{[]string{"cc", "bcc", "disposition-notification-to"}, readAddresses, orderOnly, false},
	{
		[]string{"sender", "errors-to", "mail-followup-to", "delivered-to", "envelope-to", "x-original-to"},
		readAddresses, noStructure, false,
	},
	{[]string{"return-path"}, readAddresses, relationField, false},
	{[]string{"received"}, readWords, receivedField, false},
	{[]string{"message-id"}, readWords, messageIDField, false},
	{[]string{"content-type"}, readNothing, mediaField, false}, // the terms of the parts have the rest
}

// reading says which terms the value of a header field has.
type reading uint8

const (
	readNothing reading = iota
	readWords
	readProse // words that are stemmed
	readAddresses
)

// Note returns what people are told of a header field that the options do not use, or only in part; "" for one that they use.
func (t *Tokenizer) Note(f message.Field) string {
	switch rule := t.ruleOf(f.Name, f.Value); {
	case rule.used:
		return ""
	case rule.structure != noStructure:
		return "partly used"
	}
	return "not used"
}

var noRule = &fieldRule{}

// ruleOf returns the rule for a header field by its name, as written, and its value, which may be the verdict of another filter.
func (t *Tokenizer) ruleOf(name, value []byte) *fieldRule {
	const maxRules = 1 << 14 // that are cached: real mail has a few hundred names; junk can have any number
	rule, cached := t.rules[string(name)]
	if !cached {
		switch {
		case len(name) > headerfield.MaxName:
			return noRule
		case len(t.rules) >= maxRules:
			clear(t.rules)
		}
		rule = t.makeRule(strings.ToLower(string(name)))
		t.rules[string(name)] = rule
	}
	if rule.checked && headerfield.IsVerdict(value) {
		return noRule
	}
	return rule
}

// makeRule returns the rule for a header name in lower case.
func (t *Tokenizer) makeRule(lower string) *fieldRule {
	kind := headerfield.KindOf([]byte(lower))
	matches := func(pattern string) bool {
		ok, _ := path.Match(strings.ToLower(pattern), strings.ReplaceAll(lower, "/", "-")) // a slash, as in rubbish, would end `*`
		return ok
	}
	if lower == "" || kind == headerfield.Verdict || kind == headerfield.Mailbox ||
		slices.ContainsFunc(t.options.IgnoreHeaders, matches) || !slices.ContainsFunc(t.options.Headers, matches) {
		return noRule
	}
	rule := &fieldRule{tag: lower + ":"}
	if slices.Contains(reservedTags, lower) || strings.HasPrefix(lower, attachedPrefix) || strings.HasPrefix(lower, fieldPrefix) {
		rule.tag = fieldPrefix + rule.tag // else the words of a field named "Body" would pass for words of the text
	}
	rule.reading = readWords
	rule.structure = [...]structure{headerfield.Content: plainField, headerfield.Date: dateField, headerfield.MessageID: orderOnly}[kind]
	rule.used = [...]bool{
		headerfield.Content: true, headerfield.Trace: t.options.Received, headerfield.Delivery: t.options.DeliveredTo,
		headerfield.List: t.options.List, headerfield.Date: t.options.Date, headerfield.MessageID: t.options.MessageID,
	}[kind]
	for _, row := range fieldRows {
		if slices.Contains(row.names, lower) {
			rule.fieldRow = row
		}
	}
	if !t.options.Structure {
		rule.structure = noStructure
	}
	if rule.attaches {
		rule.attached = attachedPrefix + rule.tag
	}
	rule.checked = kind == headerfield.Content && headerfield.MayBeVerdict([]byte(lower))
	// Grams are made of what the sender writes, of the steps of the route, and of other fields whose words are used. The servers of some providers
	// write fields of trace and authentication that are terms all the same.
	isRouted := kind == headerfield.Trace || kind == headerfield.Delivery || kind == headerfield.List
	isOfServer := slices.ContainsFunc(serverFields[:], func(prefix string) bool { return strings.HasPrefix(lower, prefix) })
	rule.grams = (rule.used || !isRouted || lower == "received" || lower == "return-path") && !isOfServer
	return rule
}

// serverFields are how the names of fields begin that the servers of some providers write.
var serverFields = [...]string{
	"x-google-", "x-microsoft-", "x-message-info", "x-originatororg", "x-organizationheaders", "x-clientproxiedby", "x-forwarded-encrypted",
}

// Prefixes of tags: of fields of attached messages, and of fields whose names are reserved.
const (
	attachedPrefix = "attached-"
	fieldPrefix    = "field-"
)

// reservedTags are the tags of terms that are not words of a header field.
var reservedTags = []string{
	"body", "hidden", "type", "charset", "encoding", "file", "host", "domain", "path", "port", "mailto", "scheme", "link", "outline", "html", "script",
	"mark", "order", "value", "shape", "mime", "zone", "step", "same", "missing", "header",
}

// FieldOf returns the header field that a term comes from, in lower case. It is empty for terms of the text, the parts or the
// links, and for a term of several fields, such as their order; of two neighbouring fields it is the one that begins with X-.
func FieldOf(term string) string {
	tag, rest, _ := strings.Cut(term, ":")
	switch tag {
	case "header":
		return strings.ToLower(rest)
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
	case "value", "shape", "same", "missing":
		tag, _, _ = strings.Cut(rest, ":")
	}
	switch {
	case tag == "mime", tag == "boundary":
		return "content-type"
	case slices.Contains(reservedTags, tag):
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(tag, attachedPrefix), fieldPrefix)
}

// Without returns the setting, such as `ignore_headers=x-foo`, that removes a term, or nothing, as for words of the text.
func (o Options) Without(term string) string {
	if field := FieldOf(term); field != "" {
		pattern := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune(headerfield.Separators, r) {
				return r
			}
			return '?' // may be special in a pattern, in a list or to a shell
		}, field)
		return "ignore_headers=" + strings.Join(append(slices.Clone(o.IgnoreHeaders), pattern), ",")
	}
	if tag, _, _ := strings.Cut(term, ":"); tag == "order" || tag == "outline" {
		return "structure=false"
	}
	return ""
}
