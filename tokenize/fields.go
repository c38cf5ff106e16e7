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
	used      bool        // its name and its words are terms
	nameOnly  bool        // its words are not
	addresses bool        // its value is addresses, not text
	prose     bool        // its words are stemmed
	header    string      // the term for its name: "header:X-Mailer"
	tags      addressTags // of its words: "x-mailer:"
	attached  addressTags // of its words in the header of an attached message; empty if it is not used there
	structure structure   // the terms for the way it is written, which do not depend on used
	grams     bool        // grams are made of it
	checked   bool        // if its value is a verdict, it makes no terms
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
	if lower == "" || kind == headerfield.Verdict || kind == headerfield.Mailbox || r.isIgnored(lower) {
		return &fieldRule{}
	}
	rule := &fieldRule{used: r.wants(kind), header: "header:" + name, tags: newAddressTags(tagOf(lower))}
	rule.checked = kind == headerfield.Content && headerfield.MayBeVerdict([]byte(lower))
	rule.grams = hasGrams(lower, kind, rule.used)
	if r.options.Structure {
		rule.structure = structureOf(lower, kind)
	}
	if !rule.used {
		return rule
	}
	switch lower {
	case "subject", "from", "to", "reply-to":
		rule.attached = newAddressTags("attached-" + rule.tags.words)
	}
	rule.nameOnly = lower == "content-type" // the terms of the parts have the rest
	rule.prose = lower == "subject"
	rule.addresses = isAddressField(lower)
	return rule
}

// isAddressField reports whether the value of a field is addresses.
func isAddressField(lower string) bool {
	switch lower {
	case "from", "to", "cc", "bcc", "reply-to", "sender", "return-path", "errors-to", "mail-followup-to",
		"disposition-notification-to", "delivered-to", "envelope-to", "x-original-to":
		return true
	}
	return false
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

// isIgnored reports whether the options exclude the fields of a name, whatever their kind.
func (r *fieldRules) isIgnored(lower string) bool {
	return matchesAny(r.options.IgnoreHeaders, lower) || !matchesAny(r.options.Headers, lower)
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

// structureOf returns which terms a field has for the way it is written. Trace fields have only the shape of each hop, and
// fields of the recipient's mailbox or of a list have none.
func structureOf(lower string, kind headerfield.Kind) structure {
	switch {
	case kind == headerfield.Date:
		return dateField
	case lower == "message-id":
		return messageIDField
	case kind == headerfield.MessageID:
		return orderOnly
	case lower == "received":
		return receivedField
	case lower == "return-path":
		return relationField
	case kind != headerfield.Content:
		return noStructure
	case lower == "content-type":
		return mediaField
	case lower == "subject", isAddressField(lower):
		return orderOnly
	}
	return plainField
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
