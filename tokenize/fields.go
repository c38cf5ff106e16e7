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
	used     bool        // its name and its words are terms
	header   string      // the term for its name: "header:X-Mailer"
	tags     addressTags // of its words: "x-mailer:"
	attached addressTags // of its words in the header of an attached message; empty if it is not used there
	grams    bool        // grams are made of it
	checked  bool        // if its value is a verdict, it makes no terms
}

// fieldRow says how header fields are read if they are used.
type fieldRow struct {
	reading   reading
	structure structure // the terms for the way it is written, which do not depend on used
	attaches  bool      // it is used in the header of an attached message, too
}

// reading says which terms the value of a header field has.
type reading uint8

const (
	readNothing reading = iota
	readWords
	readProse // words that are stemmed
	readAddresses
)

// fieldRowOf returns the row of a field. Trace fields have only the shape of each hop, and fields of the recipient's mailbox or of a list have
// no structure.
func fieldRowOf(lower string, kind headerfield.Kind) fieldRow {
	switch lower {
	case "subject":
		return fieldRow{readProse, orderOnly, true}
	case "from", "to", "reply-to":
		return fieldRow{readAddresses, orderOnly, true}
	case "cc", "bcc", "disposition-notification-to":
		return fieldRow{readAddresses, orderOnly, false}
	case "sender", "errors-to", "mail-followup-to", "delivered-to", "envelope-to", "x-original-to":
		return fieldRow{readAddresses, noStructure, false}
	case "return-path":
		return fieldRow{readAddresses, relationField, false}
	case "received":
		return fieldRow{readWords, receivedField, false}
	case "message-id":
		return fieldRow{readWords, messageIDField, false}
	case "content-type": // the terms of the parts have the rest
		return fieldRow{readNothing, mediaField, false}
	}
	switch kind {
	case headerfield.Content:
		return fieldRow{readWords, plainField, false}
	case headerfield.Date:
		return fieldRow{readWords, dateField, false}
	case headerfield.MessageID:
		return fieldRow{readWords, orderOnly, false}
	}
	return fieldRow{readWords, noStructure, false}
}

// FieldUse says whether a header field becomes terms.
type FieldUse string

// The uses of a header field.
const (
	FieldNotUsed  FieldUse = "not used"
	FieldPartUsed FieldUse = "partly used"
	FieldUsed     FieldUse = "used"
)

// Use returns how the options treat a header field.
func (t *Tokenizer) Use(f message.Field) FieldUse {
	switch rule := t.rules.ofField(f); {
	case rule.used:
		return FieldUsed
	case rule.structure != noStructure:
		return FieldPartUsed
	}
	return FieldNotUsed
}

// fieldRules makes and caches the rule for each header name. Real mail has a few hundred names; junk can have any number.
type fieldRules struct {
	options Options
	byName  map[string]*fieldRule
	none    fieldRule // makes no terms
}

// maxRules is how many rules are cached.
const maxRules = 1 << 14

// ofField returns the rule for a header field.
func (r *fieldRules) ofField(f message.Field) *fieldRule {
	if rule := r.of(f.Name); !rule.checked || !headerfield.IsVerdict(f.Value) {
		return rule
	}
	return &r.none
}

// of returns the rule for a header name, as written.
func (r *fieldRules) of(name []byte) *fieldRule {
	if rule, cached := r.byName[string(name)]; cached {
		return rule
	}
	switch {
	case len(name) > headerfield.MaxName:
		return &fieldRule{}
	case len(r.byName) >= maxRules:
		clear(r.byName)
	}
	key := string(name)
	rule := r.make(key)
	r.byName[key] = rule
	return rule
}

func (r *fieldRules) make(name string) *fieldRule {
	lower := strings.ToLower(name)
	kind := headerfield.KindOf([]byte(lower))
	if lower == "" || kind == headerfield.Verdict || kind == headerfield.Mailbox ||
		matchesAny(r.options.IgnoreHeaders, lower) || !matchesAny(r.options.Headers, lower) {
		return &fieldRule{}
	}
	rule := &fieldRule{fieldRow: fieldRowOf(lower, kind), used: r.wants(kind), header: "header:" + name, tags: newAddressTags(tagOf(lower))}
	rule.checked = kind == headerfield.Content && headerfield.MayBeVerdict([]byte(lower))
	rule.grams = hasGrams(lower, kind, rule.used)
	if !r.options.Structure {
		rule.structure = noStructure
	}
	if rule.used && rule.attaches {
		rule.attached = newAddressTags(attachedPrefix + rule.tags.words)
	}
	return rule
}

// hasGrams reports whether a field has grams: those that the sender writes, the steps of the route, and others whose words are used. The servers of
// some providers write fields of trace and authentication that are terms all the same.
func hasGrams(lower string, kind headerfield.Kind, used bool) bool {
	for _, prefix := range [...]string{"x-google-", "x-microsoft-", "x-message-info", "x-originatororg", "x-organizationheaders", "x-clientproxiedby",
		"x-forwarded-encrypted"} {
		if strings.HasPrefix(lower, prefix) {
			return false
		}
	}
	switch kind {
	case headerfield.Delivery, headerfield.List:
		return used
	case headerfield.Trace:
		return used || lower == "received" || lower == "return-path"
	}
	return true
}

// wants reports whether the options use the words of fields of a kind.
func (r *fieldRules) wants(kind headerfield.Kind) bool {
	switch kind {
	case headerfield.Trace:
		return r.options.Received
	case headerfield.Delivery:
		return r.options.DeliveredTo
	case headerfield.List:
		return r.options.List
	case headerfield.Date:
		return r.options.Date
	case headerfield.MessageID:
		return r.options.MessageID
	}
	return true
}

// tagOf returns the tag of a field's words: its name, or its name with a prefix if other terms have that tag. Otherwise the words
// of a field named "Body" would pass for words of the text.
func tagOf(lower string) string {
	if isReserved(lower) || strings.HasPrefix(lower, attachedPrefix) || strings.HasPrefix(lower, fieldPrefix) {
		return fieldPrefix + lower + ":"
	}
	return lower + ":"
}

// Prefixes of tags: of fields of attached messages, and of fields whose names are reserved.
const (
	attachedPrefix = "attached-"
	fieldPrefix    = "field-"
)

// isReserved reports whether a tag belongs to terms that are not words of a header field.
func isReserved(tag string) bool {
	switch tag {
	case "body", "hidden", "type", "charset", "encoding", "file", "host", "domain", "path", "port", "mailto", "scheme", "link",
		"outline", "html", "script", "mark", "order", "value", "shape", "mime", "zone", "step", "same", "missing",
		"header":
		return true
	}
	return false
}

// matchesAny reports whether a header name matches one of some valid patterns.
func matchesAny(patterns []string, lower string) bool {
	name := strings.ReplaceAll(lower, "/", "-") // a slash, as in rubbish, would end path.Match's `*`
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(strings.ToLower(pattern), name)
		return ok && err == nil
	})
}
