// Package headerfield knows who writes a header field: the sender, or a program that handles the message later. It is the one
// list behind the fingerprints of messages, the terms of a filter, and the fields that chaff replaces in a message it passes on.
package headerfield

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"

	"chaff/internal/ascii"
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
	listed := byStart()[string(name[:min(len(name), startSize)])]
	for _, l := range listed {
		if string(name) == l.text {
			return l.kind
		}
	}
	if isVerdict(name) {
		return Verdict
	}
	for _, l := range listed {
		if !l.isWhole && bytes.HasPrefix(name, []byte(l.text)) {
			return l.kind
		}
	}
	return Content
}

// isUsual reports whether a field is one that senders usually write. X-Bulkmail has a word for verdicts, but is the version of a bulk mailer.
func isUsual(name []byte) bool {
	switch string(name) {
	case "from", "to", "cc", "subject", "reply-to", "mime-version", "content-type", "content-transfer-encoding", "content-disposition",
		"user-agent", "x-mailer", "x-priority", "x-msmail-priority", "x-mimeole", "importance", "organization", "x-bulkmail":
		return true
	}
	return false
}

// listed is a name of fields, or how such names begin.
type listed struct {
	text    string
	kind    Kind
	isWhole bool
}

// startSize is the size of the shortest beginning.
const startSize = 4

// byStart returns the lists by their first bytes. Text before the first empty line may have a thousand fields that are in none. Filters come first:
// one of several that fit decides.
var byStart = sync.OnceValue(func() map[string][]listed {
	all := make(map[string][]listed)
	for _, of := range lists {
		for text := range strings.FieldsSeq(of.names) {
			l := listed{kind: of.kind}
			l.text, l.isWhole = strings.CutSuffix(text, "=")
			start := l.text[:min(len(l.text), startSize)]
			all[start] = append(all[start], l)
		}
	}
	return all
})

// lists is the names of the fields of each kind, which end with "=", and how names begin.
var lists = [...]struct {
	kind  Kind
	names string
}{
	{Verdict, `
		x-cm-analysis= x-cnfs-analysis= x-text-classification= x-google-smtp-source= x-dkim= dkimcheck= dkim-status= x-sid-pra= x-sid-result=
		x-message-delivery= x-recommended-action= ui-inboundreport= ui-outboundreport= x-chaff- x-crm114- x-sa- x-sasi- x-barracuda- x-pmx
		x-proofpoint- x-ironport- x-brightmail- x-cloudmark- x-cmae- x-vade- x-av- x-amavis- x-razor x-pyzor x-dcc- x-ms-exchange- x-mimedefang
		x-policyd- x-classification x-trec- x-popfile- authentication-results x-authentication-results arc- x-eset x-me-vs x-mox- x-clx- x-mantsh
		x-tm- x-tmase- x-imss- x-klms- x-kse- x-ksmg- x-feas- x-mlf- x-pstn- x-ctch- x-ctasd x-assp- x-bess- x-mimecast- x-purgate x-expurgate x-gnd-
		x-vr- x-proxad- x-lpn- x-aol- x-authority- x-cm-envelope x-cm-senderinfo x-sophos- x-sea- x-amp- x-ipas- x-elnk- x-fope- x-bigfish
		x-forefront- x-nai- x-analysisout x-mxl- x-canit x-j-chkmail x-mirapoint- x-kerio- x-watchguard- x-mailprotector- x-modus- x-hornetsecurity-
		x-declude- x-messagesniffer- x-symantec- x-cloud-sec- x-cfemailsecurity- x-7564579a x-77f55803 x-7fa49cb5 x-c8649e89 x-d57d3aed x-f696d7d5
		x-mailru- x-xfinity-v x-ymailisg x-sbrs x-gfi x-hmailserver x-mdav x-perlmx x-stat-signature x-asg- ironport- x-mesageid x-lased- x-fe- x-toi-
		x-zoho-av- x-icl- x-bitdefender- x-drweb- x-mdhelo x-mdspf x-mdptr x-ct- x-mailcleaner- x-ppe- x-rocket- x-chzlrs x-fb-ss x-miltered
		x-country-chain`},
	{Mailbox, `
		status= x-status= x-keywords= x-uid= x-uidl= x-gmail-labels= x-folder= x-flags= x-tuid= x-replied= x-forwarded-to= lines= content-length=
		xref= x-original-status= x-url= url= x-from-line= x-mbox-line= x-mime-autoconverted= replied= forwarded= x-authentication-warning=
		x-eopattributedmessage= x-eoptenantattributedmessage= x-incomingheadercount= x-incomingtopheadermarker= x-ms-publictraffictype=
		x-ms-traffictypediagnostic= x-ms-userlastlogontime= x-pm-origin= x-pm-content-encryption= x-pm-transfer-encryption= x-imap x-mozilla-
		x-evolution x-gm- x-label x-offlineimap x-dovecot x-kmail- x-sylpheed- x-claws- x-apple- x-mailcrate x-archive`},
	{Trace, `
		received= x-received= return-path= x-return-path= x-originating-ip= x-antiabuse= x-sender-ip= x-mail-from= x-delivery-agent=
		x-originalarrivaltime= x-mailer-recptid= x-source x-smtp- x-relay x-rcpt-`},
	{Delivery, `
		delivered-to= x-delivered-to= x-original-to= envelope-to= x-apparently-to= apparently-to= x-rcpt-to= x-resolved-to= delivery-date=
		x-forwarded-for= x-envelope- x-delivery- x-getmail- x-fetchmail- x-sieve resent-`},
	{List, `
		mailing-list= x-mailing-list= x-beenthere= x-loop= precedence= errors-to= sender= x-sender= x-original-date= mail-followup-to= mail-reply-to=
		x-no-archive= archived-at= x-mlserver= delivered-by= x-sequence= x-mail-count= x-acceptable-languages= old-subject= list- x-list x-mailman-
		x-egroups- x-yahoo- x-ecartis- x-majordomo x-precedence x-unsubscri x-subscri x-google-group x-groups x-ml- x-post-`},
	{Date, "date= x-date="},
	{MessageID, "message-id= in-reply-to= references= thread-index= content-id= x-message-id= x-ms-tnef-correlator="},
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
	for part := range bytes.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune(Separators, r) }) {
		switch string(part) {
		case "ham", "spf", "dmarc", "rbl", "dnsbl", "scl":
			return true
		}
	}
	return false
}

// Separators are the characters between the parts of a name.
const Separators = "-_."

// IsAdded reports whether relays, the delivery, a filter or a mailbox has added a field to what the sender wrote, by its name in lower case and its value. The names
// of filters grow without end, so a field that no list has is a verdict if its value is one: clean, R=SPAM;S=100, 5.2 / 15.0, ****, -4.5, "No, hits=0.3 required=7.0".
func IsAdded(name, value []byte) bool {
	kind := KindOf(name)
	return kind >= Verdict && kind <= Delivery || kind == Content && MayBeVerdict(name) && IsVerdict(value)
}

// MayBeVerdict reports whether the value of a field of kind Content may make it a verdict. Common fields of senders say normal, no or 1 as
// well, and some carry text.
func MayBeVerdict(name []byte) bool {
	switch string(name) {
	case "sensitivity", "priority", "keywords", "comments", "auto-submitted", "thread-topic", "x-message-flag", "x-subliminal-message":
		return false
	}
	return len(name) > 0 && !isUsual(name) && !bytes.HasPrefix(name, []byte("content-")) && !bytes.HasPrefix(name, []byte("x-habeas-"))
}

// role says what a word does in a verdict.
type role uint8

const (
	other    role = iota // it is no word of verdicts
	filler               // beside others
	link                 // before a class: is, not
	measure              // beside a number: score, required
	answer               // before a number: yes, no
	examined             // before the name of a program: scanned by
	result               // of any check: ok, pass
	class                // of mail: spam, clean
)

// roleOf returns the role of a word in lower case.
func roleOf(word []byte) role {
	switch string(word) {
	case "spam", "ham", "clean", "junk", "suspect", "suspected", "suspicious", "notspam", "nonspam", "notjunk", "innocent", "infected", "legit",
		"legitimate", "whitelisted", "blacklisted", "whitelist", "blacklist", "greylisted", "phish", "phishing", "virus", "viruses", "malware",
		"malicious", "unsure", "graymail", "greymail", "nothreat", "spammy", "hammy", "uce", "ube", "spoof", "spoofed", "unsolicited", "trojan",
		"worm", "harmless", "harmful", "sauber", "infiziert":
		return class
	case "ok", "okay", "pass", "passed", "fail", "failed", "softfail", "neutral", "good", "bad", "scored", "unscanned", "accept", "accepted",
		"reject", "rejected", "quarantine", "quarantined", "discard", "trusted", "untrusted", "safe", "unsafe", "blocked", "allowed", "approved",
		"negative", "positive", "uncategorized", "detected", "undetected", "bulk", "skipped", "verified", "unverified", "gray", "grey", "deliver",
		"dunno", "hit", "dangerous", "threat", "threats":
		return result
	case "scanned", "checked":
		return examined
	case "score", "hits", "required", "threshold", "probability", "prob", "sbrs", "scl", "bcl", "pcl", "points", "spamicity":
		return measure
	case "yes", "no", "true", "false":
		return answer
	case "not", "non", "is", "be", "as", "was", "considered", "recognized", "recognised", "identified", "classified", "likely", "probably",
		"probable", "possibly", "possible", "kein", "keine", "nicht":
		return link
	case "to", "by", "for", "of", "the", "a", "this", "it", "and", "or", "with", "at", "mail", "email", "message", "found", "none", "unknown",
		"status", "verdict", "category", "test", "tests", "check", "free", "high", "low", "medium", "very", "definitely", "certain", "confidence",
		"level", "limit", "disabled", "enabled", "action", "default", "state", "result", "has", "been", "file", "content", "marked", "tagged",
		"verdacht":
		return filler
	}
	return other
}

// IsVerdict reports whether a value is a verdict: it consists of words of verdicts, it begins with one, it assigns one, or it rates.
func IsVerdict(value []byte) bool {
	const most = 200 // bytes that are looked at
	value = bytes.TrimSpace(value[:min(len(value), most)])
	if isLevel(value) || isRating(value) {
		return true
	}
	var memory [16]byte
	var first, before role
	isFirst, known, decides := true, true, false
	for at := 0; at < len(value); {
		if !ascii.IsLetter(value[at]) {
			at++
			continue
		}
		end := at + 1
		for end < len(value) && ascii.IsLetter(value[end]) {
			end++
		}
		is, behind, next := other, byte(0), byte(0)
		if end < len(value) {
			behind = value[end]
		}
		if rest := bytes.TrimLeft(value[end:], ` "')]}`); len(rest) > 0 {
			next = rest[0]
		}
		if !isDigit(behind) {
			is = roleOf(ascii.AppendLower(memory[:0], value[at:end], len(memory)))
		}
		decisive := is >= examined
		switch {
		case decisive && assigns(value[:at]) && bytes.IndexByte([]byte("\x00;,|/ ])}\"'("), behind) >= 0,
			decisive && isFirst && bytes.IndexByte([]byte(",;:("), next) >= 0,
			is == class && (before == link || before == answer || next == '='),
			is == measure && (before == class || rates(value[:at], value[end:])),
			is == filler && before == examined:
			return true
		}
		if isFirst {
			first, isFirst = is, false
		}
		decides = decides || decisive
		known = known && (is != other || next == '=' || next == ':')
		before, at = is, end
	}
	if !known {
		return false
	}
	digit := bytes.IndexAny(value, digits)
	return decides || digit > 0 && (first == answer || isRating(value[digit:]))
}

const digits = "0123456789"

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// assigns reports whether text ends in a sign of assignment.
func assigns(text []byte) bool {
	text = bytes.TrimRight(text, `"'`)
	return len(text) > 0 && (text[len(text)-1] == '=' || text[len(text)-1] == ':')
}

// rates reports whether a number is beside a measure, whose text before and behind is given.
func rates(before, behind []byte) bool {
	before, behind = bytes.TrimRight(before, " "), bytes.TrimLeft(behind, "=: +-")
	return len(bytes.TrimRight(before, digits)) < len(before) || len(bytes.TrimLeft(behind, digits)) < len(behind)
}

// isLevel reports whether a value is a level: one star or more, or several of another sign.
func isLevel(value []byte) bool {
	if len(value) == 0 || bytes.Count(value, value[:1]) < len(value) {
		return false
	}
	return value[0] == '*' || len(value) > 1 && bytes.IndexByte([]byte("xXsSI+-#"), value[0]) >= 0
}

// isRating reports whether a value is a signed number, a percentage, or numbers of which one has a fraction, with a slash or the like;
// details may follow two numbers with fractions. Signed numbers of four digits are time zones.
func isRating(value []byte) bool {
	fractions, ratios := 0, 0
	for at := 0; at < len(value); {
		n, signed, fraction := number(value[at:])
		switch {
		case n > 0:
			rest := bytes.TrimLeft(value[at+n:], " ")
			if fraction {
				fractions++
			}
			if at == 0 && (len(rest) == 0 && signed && (fraction || n < len("+0100")) || string(rest) == "%") {
				return true
			}
			at += n
		case bytes.HasPrefix(value[at:], []byte("of ")):
			ratios++
			at += len("of")
		case bytes.IndexByte([]byte("/<>-"), value[at]) >= 0:
			ratios++
			at++
		case bytes.IndexByte([]byte(" ()[]=,;%"), value[at]) >= 0:
			at++
		default:
			return fractions == 2 && ratios > 0 // what follows are details
		}
	}
	return fractions > 0 && ratios > 0
}

// number returns the length of the number that text begins with, 0 if there is none.
func number(text []byte) (n int, signed, fraction bool) {
	if text[0] == '-' || text[0] == '+' {
		n, signed = 1, true
	}
	start, dots := n, 0
	for ; n < len(text) && (isDigit(text[n]) || text[n] == '.' && n > start); n++ {
		if text[n] == '.' {
			dots++
		}
	}
	if n == start || n > 12 {
		return 0, false, false
	}
	return n, signed, dots == 1
}

// WithoutTags returns a subject without the tags of servers at its start: *****SPAM*****, [SPAM 5.2], {Virus?}, ***Junk***, [EXTERNAL]. Between
// the signs are only words of verdicts and numbers, so that the name of a list stays: [Spambayes].
func WithoutTags(subject []byte) []byte {
	for {
		subject = bytes.TrimLeft(subject, " \t")
		words := bytes.TrimLeft(subject, "*[{(<#=~|!?-_ ")
		if len(words) == 0 {
			return subject
		}
		sign := subject[0]
		if i := bytes.IndexByte([]byte("[{(<"), sign); i >= 0 {
			sign = "]})>"[i]
		}
		end := bytes.IndexByte(words, sign)
		if end < 0 || !isTag(words[:end]) {
			return subject
		}
		subject = bytes.TrimLeft(words[end:], string(rune(sign)))
	}
}

// isTag reports whether all words are those of a tag, and one says that a message is bad or comes from outside.
func isTag(words []byte) bool {
	var memory [16]byte
	says := false
	isOther := func(r rune) bool { return r < utf8.RuneSelf && !ascii.IsLetter(byte(r)) }
	for written := range bytes.FieldsFuncSeq(words, isOther) {
		word := ascii.AppendLower(memory[:0], written, len(memory))
		switch string(word) {
		case "spam", "junk", "suspect", "suspected", "suspicious", "virus", "phish", "phishing", "malware", "malicious", "infected", "uce", "ube",
			"unsolicited", "spammy", "graymail", "greymail", "bulk", "disarmed", "dangerous", "fraud", "external", "extern", "externe", "ext":
			says = true
		case "caution", "warning", "sender", "origin", "score":
		default:
			if roleOf(word) == other {
				return false
			}
		}
	}
	return says
}
