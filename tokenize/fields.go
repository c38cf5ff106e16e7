package tokenize

import (
	"path"
	"strings"
)

// fieldPlan is what happens to a header field of one name.
type fieldPlan struct {
	never   bool        // whether nothing of the field is looked at, whatever its group's option says
	onWay   bool        // whether others than the sender and the sender's program write it
	look    bool        // whether the field is looked at
	address bool        // whether its value is addresses, not text
	stem    bool        // whether its words are stemmed
	mute    bool        // whether its words are left out
	mark    string      // the term that says the field occurs, "header:X-Mailer"
	tags    addressTags // what its words are tagged with, "x-mailer:"
	// attached is what its words are tagged with in the header of an attached message; empty if it is not looked at there.
	attached addressTags
	// structure is what is said of how the field is written, whether its words are looked at or not.
	structure structure
	// grams says whether the field is among those that grams are made of.
	grams bool
}

// FieldUse is what of a header field becomes terms.
type FieldUse uint8

// The uses of a header field.
const (
	FieldNotUsed FieldUse = iota
	FieldPartUsed
	FieldUsed
)

// String returns "not looked at", "in part only" or "looked at".
func (u FieldUse) String() string {
	switch u {
	case FieldUsed:
		return "looked at"
	case FieldPartUsed:
		return "in part only"
	}
	return "not looked at"
}

// Use returns what the options make of the header fields of a name.
func (t *Tokenizer) Use(name []byte) FieldUse {
	switch plan := t.plans.plan(name); {
	case plan.look:
		return FieldUsed
	case plan.structure != notStructure:
		return FieldPartUsed
	}
	return FieldNotUsed
}

// IsNever reports whether the header fields of a name are never looked at: a filter writes them as its verdict, a mailbox or
// an archive as its note, or the options leave out the name. The name may be in any case.
func (t *Tokenizer) IsNever(name []byte) bool { return t.plans.plan(name).never }

// IsOnTheWay reports whether the header fields of a name are written on the way of a message: by relays, mailing lists and the
// recipient's server. It is false for those that are never looked at.
func (t *Tokenizer) IsOnTheWay(name []byte) bool { return t.plans.plan(name).onWay }

// group is why a header field is or is not looked at.
type group uint8

const (
	groupOther group = iota
	groupNever
	groupReceived
	groupDelivered
	groupList
	groupDate
	groupMessageID
)

// groups says which header fields belong to which group, beside those whose name says that they are verdicts. An entry is a
// name in lower case, or the start of names and a `*`. Whole names decide first, then [isVerdict], then starts, of these the
// first.
func groups() []struct {
	group    group
	patterns string
} {
	return []struct {
		group    group
		patterns string
	}{
		// Senders write these, although their names have a word of verdicts: a bulk mailer writes its version.
		{groupOther, `x-bulkmail`},
		// Verdicts of filters, and the checks of the receiving server, whose names do not say so.
		{groupNever, `x-chaff-* x-crm114-* x-sa-* x-sasi-* x-barracuda-* x-pmx* x-proofpoint-* x-ironport-* x-brightmail-*
			x-cloudmark-* x-cm-analysis x-cmae-* x-cnfs-analysis x-vade-* x-av-* x-amavis-* x-razor* x-pyzor* x-dcc-*
			x-ms-exchange-* x-mimedefang* x-policyd-* x-classification* x-text-classification x-trec-* x-popfile-*
			authentication-results* x-authentication-results* arc-* x-google-smtp-source x-dkim dkimcheck dkim-status
			x-sid-pra x-sid-result x-message-delivery x-recommended-action ui-inboundreport ui-outboundreport`},
		// Notes of mailboxes, mail programs and archives about messages they keep.
		{groupNever, `status x-status x-keywords x-uid x-uidl x-imap* x-mozilla-* x-evolution* x-gmail-labels x-gm-*
			x-folder x-label* x-flags x-tuid x-offlineimap* x-dovecot* x-replied x-forwarded-to lines content-length
			xref x-original-status x-kmail-* x-sylpheed-* x-claws-* x-apple-* x-mailcrate* x-url url x-from-line x-archive*
			x-mbox-line x-mime-autoconverted replied forwarded x-authentication-warning x-eopattributedmessage
			x-eoptenantattributedmessage x-incomingheadercount x-incomingtopheadermarker x-ms-publictraffictype
			x-ms-traffictypediagnostic x-ms-userlastlogontime x-pm-origin x-pm-content-encryption x-pm-transfer-encryption`},
		{groupReceived, `received x-received return-path x-return-path x-originating-ip x-source* x-antiabuse x-sender-ip
			x-mail-from x-smtp-* x-relay* x-rcpt-* x-delivery-agent x-originalarrivaltime x-mailer-recptid`},
		{groupDelivered, `delivered-to x-delivered-to x-original-to envelope-to x-envelope-* x-apparently-to apparently-to
			x-rcpt-to x-resolved-to delivery-date x-delivery-* x-getmail-* x-fetchmail-* x-sieve* resent-* x-forwarded-for`},
		{groupList, `list-* x-list* mailing-list x-mailing-list x-beenthere x-mailman-* x-loop precedence errors-to sender
			x-sender x-egroups-* x-yahoo-* x-original-date mail-followup-to mail-reply-to x-listar-* x-ecartis-*
			x-majordomo* x-no-archive x-precedence* archived-at x-unsubscri* x-subscri* x-google-group* x-groups* x-ml-*
			x-mlserver delivered-by x-post-* x-sequence x-mail-count x-acceptable-languages old-subject`},
		{groupDate, `date x-date`},
		{groupMessageID, `message-id in-reply-to references thread-index content-id x-message-id x-ms-tnef-correlator`},
	}
}

// plans makes and remembers the plan for each header name. Real mail has a few hundred names, rubbish has any number.
type plans struct {
	options Options
	byName  map[string]*fieldPlan
	rubbish *fieldPlan       // of names that are too long
	names   map[string]group // groups, by whole names
	starts  []start
}

// start is the start of names that belong to a group.
type start struct {
	prefix string
	group  group
}

func newPlans(o Options) *plans {
	p := &plans{options: o, byName: make(map[string]*fieldPlan), rubbish: &fieldPlan{never: true}, names: make(map[string]group)}
	for _, g := range groups() {
		for pattern := range strings.FieldsSeq(g.patterns) {
			if prefix, isStart := strings.CutSuffix(pattern, "*"); isStart {
				p.starts = append(p.starts, start{prefix, g.group})
			} else {
				p.names[pattern] = g.group
			}
		}
	}
	return p
}

// plan returns the plan for a header field by its name as written.
func (p *plans) plan(name []byte) *fieldPlan {
	if plan, seen := p.byName[string(name)]; seen {
		return plan
	}
	switch {
	case len(name) > maxHeaderName:
		return p.rubbish
	case len(p.byName) >= maxPlans:
		clear(p.byName)
	}
	key := string(name)
	plan := p.makePlan(key)
	p.byName[key] = plan
	return plan
}

func (p *plans) makePlan(name string) *fieldPlan {
	lower := strings.ToLower(name)
	if lower == "" || p.isIgnored(lower) || p.group(lower) == groupNever {
		return &fieldPlan{never: true}
	}
	plan := &fieldPlan{look: p.wanted(lower), mark: "header:" + name, tags: newAddressTags(tagOf(lower))}
	plan.grams = plan.look || p.isOfSender(lower)
	switch p.group(lower) {
	case groupReceived, groupDelivered, groupList:
		plan.onWay = true
	}
	if p.options.Structure {
		plan.structure = p.structure(lower)
	}
	if !plan.look {
		return plan
	}
	switch lower {
	case "subject", "from", "to", "reply-to":
		plan.attached = newAddressTags("attached-" + plan.tags.words)
	}
	plan.mute = lower == "content-type" // the parts say what it says
	plan.stem = lower == "subject"
	plan.address = isAddressField(lower)
	return plan
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

// maxHeaderName is the length beyond which the name of a header field is rubbish and the field is not looked at.
const maxHeaderName = 76

// maxPlans is how many names of header fields are remembered.
const maxPlans = 1 << 14

// isIgnored reports whether the options leave out the fields of a name, whatever group it belongs to.
func (p *plans) isIgnored(lower string) bool {
	return matchesAny(p.options.IgnoreHeaders, lower) || !matchesAny(p.options.Headers, lower)
}

// structure returns what is said of how a field is written. Of fields that name the route only the shape of each step is,
// and nothing of those that name the recipient's mailbox or a list.
func (p *plans) structure(lower string) structure {
	switch p.group(lower) {
	case groupOther:
	case groupDate:
		return dateField
	case groupMessageID:
		if lower == "message-id" {
			return messageIDField
		}
		return placeOnly
	case groupReceived:
		switch lower {
		case "received":
			return receivedField
		case "return-path":
			return relationField
		}
		return notStructure
	default:
		return notStructure
	}
	switch {
	case lower == "content-type":
		return mediaField
	case lower == "subject", isAddressField(lower):
		return placeOnly
	}
	return plainField
}

// tagOf returns what the words of a field are tagged with: its name, unless something else has that tag. A sender can name a field
// "Body", and must not put its words among those of the text.
func tagOf(lower string) string {
	if isReserved(lower) || strings.HasPrefix(lower, attachedPrefix) || strings.HasPrefix(lower, fieldPrefix) {
		return fieldPrefix + lower + ":"
	}
	return lower + ":"
}

// The starts of tags: of fields of attached messages, and of fields whose names are tags of something else.
const (
	attachedPrefix = "attached-"
	fieldPrefix    = "field-"
)

// isReserved reports whether a tag is of terms that are no words of a header field.
func isReserved(tag string) bool {
	switch tag {
	case "body", "hidden", "type", "charset", "encoding", "file", "host", "domain", "path", "port", "mailto", "scheme", "link",
		"outline", "html", "script", "class", "address", "mark", "order", "value", "shape", "mime", "zone", "step", "same", "missing",
		"header":
		return true
	}
	return false
}

// isOfSender reports whether the sender, or a server on the way, writes a field, and not a list, the delivery or a filter.
func (p *plans) isOfSender(lower string) bool {
	switch p.group(lower) {
	case groupOther, groupReceived, groupDate, groupMessageID:
		return true
	}
	return false
}

// wanted reports whether the words of a field are looked at.
func (p *plans) wanted(lower string) bool {
	o := p.options
	switch p.group(lower) {
	case groupReceived:
		return o.Received
	case groupDelivered:
		return o.DeliveredTo
	case groupList:
		return o.List
	case groupDate:
		return o.Date
	case groupMessageID:
		return o.MessageID
	}
	return true
}

func (p *plans) group(lower string) group {
	if g, known := p.names[lower]; known {
		return g
	}
	if isVerdict(lower) {
		return groupNever
	}
	for _, s := range p.starts {
		if strings.HasPrefix(lower, s.prefix) {
			return s.group
		}
	}
	return groupOther
}

// verdictWords are words that make a header field a verdict wherever in its name they stand, also within a longer word:
// X-Spam-Status, X-RC-Virus, X-SpamInfo, X-YahooFilteredBulk, X-Example-MailScanner-Information. A field that is wrongly taken
// for a verdict costs little, one that is overlooked teaches the verdicts of another filter.
const verdictWords = `spam virus junk phish malware bulk scan score verdict bogo bayes filter quarantin blacklist whitelist
	blocklist greylist`

// verdictParts are words that do so only as a part of the name between hyphens, underscores and dots, since other words have
// them, too: X-Ham-Report, but not X-Shampoo.
const verdictParts = `ham spf dmarc rbl dnsbl scl`

// isVerdict reports whether the name of a header field, in lower case, says that it is the verdict of a filter, of a virus
// scanner or of a check by the receiving server.
func isVerdict(lower string) bool {
	for word := range strings.FieldsSeq(verdictWords) {
		if strings.Contains(lower, word) {
			return true
		}
	}
	for part := range strings.FieldsFuncSeq(lower, isNameSeparator) {
		for word := range strings.FieldsSeq(verdictParts) {
			if part == word {
				return true
			}
		}
	}
	return false
}

// isNameSeparator reports whether r stands between the parts of the name of a header field.
func isNameSeparator(r rune) bool { return r == '-' || r == '_' || r == '.' }

func matchesAny(patterns []string, lower string) bool {
	for _, pattern := range patterns {
		if matches(strings.ToLower(pattern), lower) {
			return true
		}
	}
	return false
}

// matches reports whether a header name fits a pattern; the patterns were validated.
func matches(pattern, lower string) bool {
	// A slash would end path.Match's `*`, and rubbish may have one in a header name.
	ok, err := path.Match(pattern, strings.ReplaceAll(lower, "/", "-"))
	return ok && err == nil
}
