// Package headerfield knows who writes a header field: the sender, or a program that handles the message later. It is the one
// list behind the fingerprints of messages, the terms of a filter, and the fields that chaff replaces in a message it passes on.
package headerfield

import "bytes"

// Kind says who writes a header field, or what it holds.
type Kind uint8

// The kinds of header fields.
const (
	Content   Kind = iota // written by the sender, or unknown
	Verdict               // the verdict of a filter or a virus scanner, or a check by the receiving server
	Mailbox               // the note of a mailbox, a mail program or an archive
	Trace                 // written by relays: Received, Return-Path and their like
	Delivery              // the recipient's mailbox: Delivered-To, Resent-To and their like
	List                  // written by mailing lists: List-Id, Precedence, Sender and their like
	Date                  // the time of sending
	MessageID             // message ids: Message-ID, References and their like
)

// IsAdded reports whether relays, the delivery, a filter or a mailbox adds such fields to what the sender wrote.
func (k Kind) IsAdded() bool { return k >= Verdict && k <= Delivery }

// MaxName is the length in bytes beyond which the name of a field is rubbish.
const MaxName = 76

// OwnPrefixes returns, in lower case, how the names of the fields begin that chaff writes into a message it passes on. It removes
// such fields from incoming messages.
func OwnPrefixes() [2]string { return [...]string{"x-spam-", "x-chaff-"} }

// KindOf returns the kind of the field with a name in lower case. Whole names decide first, then words for verdicts within the
// name, then the beginning of the name.
func KindOf(name []byte) Kind {
	if isUsual(name) {
		return Content
	}
	switch string(name) {
	case "x-cm-analysis", "x-cnfs-analysis", "x-text-classification", "x-google-smtp-source", "x-dkim", "dkimcheck", "dkim-status",
		"x-sid-pra", "x-sid-result", "x-message-delivery", "x-recommended-action", "ui-inboundreport", "ui-outboundreport":
		return Verdict
	case "status", "x-status", "x-keywords", "x-uid", "x-uidl", "x-gmail-labels", "x-folder", "x-flags", "x-tuid", "x-replied",
		"x-forwarded-to", "lines", "content-length", "xref", "x-original-status", "x-url", "url", "x-from-line", "x-mbox-line",
		"x-mime-autoconverted", "replied", "forwarded", "x-authentication-warning", "x-eopattributedmessage",
		"x-eoptenantattributedmessage", "x-incomingheadercount", "x-incomingtopheadermarker", "x-ms-publictraffictype",
		"x-ms-traffictypediagnostic", "x-ms-userlastlogontime", "x-pm-origin", "x-pm-content-encryption",
		"x-pm-transfer-encryption":
		return Mailbox
	case "received", "x-received", "return-path", "x-return-path", "x-originating-ip", "x-antiabuse", "x-sender-ip", "x-mail-from",
		"x-delivery-agent", "x-originalarrivaltime", "x-mailer-recptid":
		return Trace
	case "delivered-to", "x-delivered-to", "x-original-to", "envelope-to", "x-apparently-to", "apparently-to", "x-rcpt-to",
		"x-resolved-to", "delivery-date", "x-forwarded-for":
		return Delivery
	case "mailing-list", "x-mailing-list", "x-beenthere", "x-loop", "precedence", "errors-to", "sender", "x-sender",
		"x-original-date", "mail-followup-to", "mail-reply-to", "x-no-archive", "archived-at", "x-mlserver", "delivered-by",
		"x-sequence", "x-mail-count", "x-acceptable-languages", "old-subject":
		return List
	case "date", "x-date":
		return Date
	case "message-id", "in-reply-to", "references", "thread-index", "content-id", "x-message-id", "x-ms-tnef-correlator":
		return MessageID
	}
	if isVerdict(name) {
		return Verdict
	}
	for _, p := range prefixes() {
		if bytes.HasPrefix(name, []byte(p.text)) {
			return p.kind
		}
	}
	return Content
}

// isUsual reports whether a field is one that senders usually write. X-Bulkmail has a word for verdicts, but is the version of a bulk mailer.
func isUsual(name []byte) bool {
	switch string(name) {
	case "from", "to", "cc", "subject", "reply-to", "mime-version", "content-type", "content-transfer-encoding", "content-disposition",
		"user-agent", "x-mailer", "x-priority", "x-msmail-priority", "x-mimeole", "importance", "organization",
		"x-bulkmail":
		return true
	}
	return false
}

type prefix struct {
	text string
	kind Kind
}

// prefixes returns how the names of the fields of each kind begin. Filters come first: one of several that fit decides.
func prefixes() [152]prefix {
	return [...]prefix{
		{"x-chaff-", Verdict}, {"x-crm114-", Verdict}, {"x-sa-", Verdict}, {"x-sasi-", Verdict}, {"x-barracuda-", Verdict},
		{"x-pmx", Verdict}, {"x-proofpoint-", Verdict}, {"x-ironport-", Verdict}, {"x-brightmail-", Verdict}, {"x-cloudmark-", Verdict},
		{"x-cmae-", Verdict}, {"x-vade-", Verdict}, {"x-av-", Verdict}, {"x-amavis-", Verdict}, {"x-razor", Verdict},
		{"x-pyzor", Verdict}, {"x-dcc-", Verdict}, {"x-ms-exchange-", Verdict}, {"x-mimedefang", Verdict}, {"x-policyd-", Verdict},
		{"x-classification", Verdict}, {"x-trec-", Verdict}, {"x-popfile-", Verdict}, {"authentication-results", Verdict}, {"x-authentication-results", Verdict},
		{"arc-", Verdict},
		{"x-eset", Verdict}, {"x-me-vs", Verdict}, {"x-mox-", Verdict}, {"x-clx-", Verdict}, {"x-mantsh", Verdict}, {"x-tm-", Verdict},
		{"x-tmase-", Verdict}, {"x-imss-", Verdict}, {"x-klms-", Verdict}, {"x-kse-", Verdict}, {"x-ksmg-", Verdict}, {"x-feas-", Verdict},
		{"x-mlf-", Verdict}, {"x-pstn-", Verdict}, {"x-ctch-", Verdict}, {"x-ctasd", Verdict}, {"x-assp-", Verdict}, {"x-bess-", Verdict},
		{"x-mimecast-", Verdict}, {"x-purgate", Verdict}, {"x-expurgate", Verdict}, {"x-gnd-", Verdict}, {"x-vr-", Verdict},
		{"x-proxad-", Verdict}, {"x-lpn-", Verdict}, {"x-aol-", Verdict}, {"x-authority-", Verdict}, {"x-cm-envelope", Verdict},
		{"x-cm-senderinfo", Verdict}, {"x-sophos-", Verdict}, {"x-sea-", Verdict}, {"x-amp-", Verdict}, {"x-ipas-", Verdict},
		{"x-elnk-", Verdict}, {"x-fope-", Verdict}, {"x-bigfish", Verdict}, {"x-forefront-", Verdict}, {"x-nai-", Verdict},
		{"x-analysisout", Verdict}, {"x-mxl-", Verdict}, {"x-canit", Verdict}, {"x-j-chkmail", Verdict}, {"x-mirapoint-", Verdict},
		{"x-kerio-", Verdict}, {"x-watchguard-", Verdict}, {"x-mailprotector-", Verdict}, {"x-modus-", Verdict},
		{"x-hornetsecurity-", Verdict}, {"x-declude-", Verdict}, {"x-messagesniffer-", Verdict}, {"x-symantec-", Verdict},
		{"x-cloud-sec-", Verdict}, {"x-cfemailsecurity-", Verdict}, {"x-7564579a", Verdict}, {"x-77f55803", Verdict},
		{"x-7fa49cb5", Verdict}, {"x-c8649e89", Verdict}, {"x-d57d3aed", Verdict}, {"x-f696d7d5", Verdict}, {"x-mailru-", Verdict},
		{"x-xfinity-v", Verdict}, {"x-ymailisg", Verdict}, {"x-sbrs", Verdict}, {"x-gfi", Verdict}, {"x-hmailserver", Verdict},
		{"x-mdav", Verdict}, {"x-perlmx", Verdict}, {"x-stat-signature", Verdict}, {"x-asg-", Verdict}, {"ironport-", Verdict},
		{"x-mesageid", Verdict}, {"x-lased-", Verdict}, {"x-fe-", Verdict}, {"x-toi-", Verdict}, {"x-zoho-av-", Verdict},
		{"x-icl-", Verdict}, {"x-bitdefender-", Verdict}, {"x-drweb-", Verdict}, {"x-mdhelo", Verdict}, {"x-mdspf", Verdict},
		{"x-mdptr", Verdict}, {"x-ct-", Verdict}, {"x-mailcleaner-", Verdict}, {"x-ppe-", Verdict}, {"x-rocket-", Verdict},
		{"x-chzlrs", Verdict}, {"x-fb-ss", Verdict}, {"x-miltered", Verdict}, {"x-country-chain", Verdict},
		{"x-imap", Mailbox}, {"x-mozilla-", Mailbox}, {"x-evolution", Mailbox}, {"x-gm-", Mailbox}, {"x-label", Mailbox},
		{"x-offlineimap", Mailbox}, {"x-dovecot", Mailbox}, {"x-kmail-", Mailbox}, {"x-sylpheed-", Mailbox}, {"x-claws-", Mailbox},
		{"x-apple-", Mailbox}, {"x-mailcrate", Mailbox}, {"x-archive", Mailbox},
		{"x-source", Trace}, {"x-smtp-", Trace}, {"x-relay", Trace}, {"x-rcpt-", Trace},
		{"x-envelope-", Delivery}, {"x-delivery-", Delivery}, {"x-getmail-", Delivery}, {"x-fetchmail-", Delivery}, {"x-sieve", Delivery},
		{"resent-", Delivery},
		{"list-", List}, {"x-list", List}, {"x-mailman-", List}, {"x-egroups-", List}, {"x-yahoo-", List},
		{"x-ecartis-", List}, {"x-majordomo", List}, {"x-precedence", List}, {"x-unsubscri", List},
		{"x-subscri", List}, {"x-google-group", List}, {"x-groups", List}, {"x-ml-", List}, {"x-post-", List},
	}
}

// isVerdict reports whether a name has a word that only filters, virus scanners and checks use. A field that is wrongly taken for a
// verdict costs little. One that is missed teaches a model the verdicts of another filter.
func isVerdict(name []byte) bool {
	// Also within a longer word: X-SpamInfo, X-YahooFilteredBulk, X-Example-MailScanner-Information.
	for _, word := range [...]string{"spam", "virus", "junk", "phish", "malware", "bulk", "scan", "score", "verdict", "bogo", "bayes",
		"filter", "quarantin", "blacklist", "whitelist", "blocklist", "greylist"} {
		if bytes.Contains(name, []byte(word)) {
			return true
		}
	}
	// Only as a whole part of the name: X-Ham-Report, but not X-Shampoo.
	for len(name) > 0 {
		part := name
		if i := bytes.IndexAny(name, Separators); i >= 0 {
			part = name[:i]
		}
		switch string(part) {
		case "ham", "spf", "dmarc", "rbl", "dnsbl", "scl":
			return true
		}
		name = name[min(len(part)+1, len(name)):]
	}
	return false
}

// Separators are the characters between the parts of a name.
const Separators = "-_."
