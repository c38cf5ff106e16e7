// Package headerfield knows who writes a header field: the sender, or a program that handles the message later. It is the one
// list behind the fingerprints of messages, the terms of a filter, and the fields that chaff replaces in a message it passes on.
package headerfield

import (
	"bytes"
	"strings"
	"sync"
)

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
	case "x-cm-analysis", "x-cnfs-analysis", "x-text-classification", "x-google-smtp-source", "x-dkim", "dkimcheck", "dkim-status", "x-sid-pra",
		"x-sid-result", "x-message-delivery", "x-recommended-action", "ui-inboundreport", "ui-outboundreport":
		return Verdict
	case "status", "x-status", "x-keywords", "x-uid", "x-uidl", "x-gmail-labels", "x-folder", "x-flags", "x-tuid", "x-replied", "x-forwarded-to",
		"lines", "content-length", "xref", "x-original-status", "x-url", "url", "x-from-line", "x-mbox-line", "x-mime-autoconverted", "replied",
		"forwarded", "x-authentication-warning", "x-eopattributedmessage", "x-eoptenantattributedmessage", "x-incomingheadercount",
		"x-incomingtopheadermarker", "x-ms-publictraffictype", "x-ms-traffictypediagnostic", "x-ms-userlastlogontime", "x-pm-origin",
		"x-pm-content-encryption", "x-pm-transfer-encryption":
		return Mailbox
	case "received", "x-received", "return-path", "x-return-path", "x-originating-ip", "x-antiabuse", "x-sender-ip", "x-mail-from",
		"x-delivery-agent", "x-originalarrivaltime", "x-mailer-recptid":
		return Trace
	case "delivered-to", "x-delivered-to", "x-original-to", "envelope-to", "x-apparently-to", "apparently-to", "x-rcpt-to", "x-resolved-to",
		"delivery-date", "x-forwarded-for":
		return Delivery
	case "mailing-list", "x-mailing-list", "x-beenthere", "x-loop", "precedence", "errors-to", "sender", "x-sender", "x-original-date",
		"mail-followup-to", "mail-reply-to", "x-no-archive", "archived-at", "x-mlserver", "delivered-by", "x-sequence", "x-mail-count",
		"x-acceptable-languages", "old-subject":
		return List
	case "date", "x-date":
		return Date
	case "message-id", "in-reply-to", "references", "thread-index", "content-id", "x-message-id", "x-ms-tnef-correlator":
		return MessageID
	}
	if isVerdict(name) {
		return Verdict
	}
	for _, p := range byStart()[string(name[:min(len(name), startSize)])] {
		if bytes.HasPrefix(name, []byte(p.text)) {
			return p.kind
		}
	}
	return Content
}

// startSize is the size of the shortest prefix.
const startSize = 4

type prefix struct {
	text string
	kind Kind
}

// byStart returns the prefixes by their first bytes. Text before the first empty line may have a thousand fields that are none.
var byStart = sync.OnceValue(func() map[string][]prefix {
	all := make(map[string][]prefix)
	for text, kind := range prefixes {
		start := text[:startSize]
		all[start] = append(all[start], prefix{text, kind})
	}
	return all
})

// isUsual reports whether a field is one that senders usually write. X-Bulkmail has a word for verdicts, but is the version of a bulk mailer.
func isUsual(name []byte) bool {
	switch string(name) {
	case "from", "to", "cc", "subject", "reply-to", "mime-version", "content-type", "content-transfer-encoding", "content-disposition",
		"user-agent", "x-mailer", "x-priority", "x-msmail-priority", "x-mimeole", "importance", "organization", "x-bulkmail":
		return true
	}
	return false
}

// prefixes yields how the names of the fields of each kind begin. Filters come first: one of several that fit decides.
func prefixes(yield func(prefix string, kind Kind) bool) {
	for _, of := range [...]struct {
		kind  Kind
		names string
	}{
		{Verdict, "x-chaff- x-crm114- x-sa- x-sasi- x-barracuda- x-pmx x-proofpoint- x-ironport- x-brightmail- x-cloudmark- x-cmae- x-vade- x-av- " +
			"x-amavis- x-razor x-pyzor x-dcc- x-ms-exchange- x-mimedefang x-policyd- x-classification x-trec- x-popfile- " +
			"authentication-results x-authentication-results arc- x-eset x-me-vs x-mox- x-clx- x-mantsh x-tm- x-tmase- x-imss- x-klms- x-kse- " +
			"x-ksmg- x-feas- x-mlf- x-pstn- x-ctch- x-ctasd x-assp- x-bess- x-mimecast- x-purgate x-expurgate x-gnd- x-vr- x-proxad- x-lpn- " +
			"x-aol- x-authority- x-cm-envelope x-cm-senderinfo x-sophos- x-sea- x-amp- x-ipas- x-elnk- x-fope- x-bigfish x-forefront- x-nai- " +
			"x-analysisout x-mxl- x-canit x-j-chkmail x-mirapoint- x-kerio- x-watchguard- x-mailprotector- x-modus- x-hornetsecurity- " +
			"x-declude- x-messagesniffer- x-symantec- x-cloud-sec- x-cfemailsecurity- x-7564579a x-77f55803 x-7fa49cb5 x-c8649e89 x-d57d3aed " +
			"x-f696d7d5 x-mailru- x-xfinity-v x-ymailisg x-sbrs x-gfi x-hmailserver x-mdav x-perlmx x-stat-signature x-asg- ironport- " +
			"x-mesageid x-lased- x-fe- x-toi- x-zoho-av- x-icl- x-bitdefender- x-drweb- x-mdhelo x-mdspf x-mdptr x-ct- x-mailcleaner- x-ppe- " +
			"x-rocket- x-chzlrs x-fb-ss x-miltered x-country-chain"},
		{Mailbox, "x-imap x-mozilla- x-evolution x-gm- x-label x-offlineimap x-dovecot x-kmail- x-sylpheed- x-claws- x-apple- x-mailcrate x-archive"},
		{Trace, "x-source x-smtp- x-relay x-rcpt-"},
		{Delivery, "x-envelope- x-delivery- x-getmail- x-fetchmail- x-sieve resent-"},
		{List, "list- x-list x-mailman- x-egroups- x-yahoo- x-ecartis- x-majordomo x-precedence x-unsubscri x-subscri x-google-group x-groups " +
			"x-ml- x-post-"},
	} {
		for rest, prefix := of.names, ""; rest != ""; {
			if prefix, rest, _ = strings.Cut(rest, " "); !yield(prefix, of.kind) {
				return
			}
		}
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
