package headerfield

import (
	"bytes"

	"chaff/internal/ascii"
)

// Of returns the kind of a field by its name in lower case and its value. The names of filters grow without end, so a field that no list has is
// a verdict if its value is one: clean, R=SPAM;S=100, 5.2 / 15.0, ****, -4.5, "No, hits=0.3 required=7.0".
func Of(name, value []byte) Kind {
	kind := KindOf(name)
	if kind == Content && MayBeVerdict(name) && IsVerdict(value) {
		return Verdict
	}
	return kind
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
	known, decides, words := true, false, 0
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
		if end-at <= len(memory) && (at == 0 || !continues(value[at-1])) && !continues(behind) && behind != '@' {
			is = roleOf(ascii.AppendLower(memory[:0], value[at:end], end-at))
		}
		decisive := is >= examined
		switch {
		case decisive && assigns(value[:at]) && bytes.IndexByte([]byte("\x00;,|/ ])}\"'("), behind) >= 0,
			decisive && words == 0 && next != 0 && bytes.IndexByte([]byte(",;:("), next) >= 0,
			is == class && (before == link || before == answer || next == '=' && rates(nil, bytes.TrimLeft(value[end:], ")"))),
			is == measure && (before == class || rates(value[:at], value[end:])),
			is == filler && before == examined:
			return true
		}
		if words == 0 && at == 0 {
			first = is
		}
		words++
		decides = decides || decisive
		known = known && (is != other || next == '=' || next == ':')
		before, at = is, end
	}
	if words > maxWords || !known {
		return false
	}
	digit := bytes.IndexAny(value, "0123456789")
	return decides || digit > 0 && (first == answer && words == 1 || isRating(value[digit:]))
}

// maxWords is how many words a verdict in words has.
const maxWords = 12

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// continues reports whether a byte beside letters makes them a part of a longer word.
func continues(c byte) bool { return isDigit(c) || c >= 0x80 }

// assigns reports whether text ends in a sign of assignment.
func assigns(text []byte) bool {
	text = bytes.TrimRight(text, `"'`)
	return len(text) > 0 && (text[len(text)-1] == '=' || text[len(text)-1] == ':')
}

// rates reports whether a number is beside a measure, whose text before and behind is given.
func rates(before, behind []byte) bool {
	before, behind = bytes.TrimRight(before, " "), bytes.TrimLeft(behind, "=: +-")
	return len(before) > 0 && isDigit(before[len(before)-1]) || len(behind) > 0 && isDigit(behind[0])
}

// isLevel reports whether a value is a level: one star or more, or several of another sign.
func isLevel(value []byte) bool {
	if len(value) == 0 || len(value) > 100 || bytes.Count(value, value[:1]) < len(value) {
		return false
	}
	return value[0] == '*' || len(value) > 1 && bytes.IndexByte([]byte("xXsSI+-#"), value[0]) >= 0
}

// isRating reports whether a value is a signed number, a percentage, or numbers of which one has a fraction and another one a slash or the like
// before it; details may follow two such numbers. Signed numbers of four digits are time zones.
func isRating(value []byte) bool {
	numbers, fractions, ratios := 0, 0, 0
	for at := 0; at < len(value); {
		n, signed, fraction := number(value[at:])
		switch {
		case n > 0:
			rest := bytes.TrimLeft(value[at+n:], " ")
			if numbers++; fraction {
				fractions++
			}
			if numbers == 1 && at == 0 && (len(rest) == 0 && signed && (fraction || n < len("+0100")) || string(rest) == "%") {
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
			return numbers == 2 && fractions == 2 && ratios > 0 // what follows are details
		}
	}
	return numbers > 1 && fractions > 0 && ratios > 0
}

// number returns the length of the number that text begins with, 0 if there is none.
func number(text []byte) (n int, signed, fraction bool) {
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		n, signed = 1, true
	}
	start, dots := n, 0
	for ; n < len(text) && (isDigit(text[n]) || text[n] == '.' && n > start); n++ {
		if text[n] == '.' {
			dots++
		}
	}
	if n == start || dots > 1 || n > 12 {
		return 0, false, false
	}
	return n, signed, dots == 1
}

// WithoutTags returns a subject without the tags of servers at its start: *****SPAM*****, [SPAM 5.2], {Virus?}, ***Junk***, [EXTERNAL]. Between
// the signs are only words of verdicts and numbers, so that the name of a list stays: [Spambayes].
func WithoutTags(subject []byte) []byte {
	const most = 48 // bytes of a tag
	for {
		subject = bytes.TrimLeft(subject, " \t")
		words := bytes.TrimLeft(subject, "*[{(<#=~|!?-_ ")
		opening := len(subject) - len(words)
		if opening == 0 || len(words) == 0 {
			return subject
		}
		sign := subject[0]
		if i := bytes.IndexByte([]byte("[{(<"), sign); i >= 0 {
			sign = "]})>"[i]
		}
		end := bytes.IndexByte(words, sign)
		if opening+end > most || end < 0 || !isTag(words[:end]) {
			return subject
		}
		subject = bytes.TrimLeft(words[end:], string(rune(sign)))
	}
}

// isTag reports whether all words are those of a tag, and one says that a message is bad or comes from outside.
func isTag(words []byte) bool {
	var memory [16]byte
	says := false
	for at := 0; at < len(words); at++ {
		if words[at] >= 0x80 {
			return false
		}
		if !ascii.IsLetter(words[at]) {
			continue
		}
		start := at
		for at < len(words) && ascii.IsLetter(words[at]) {
			at++
		}
		word := ascii.AppendLower(memory[:0], words[start:at], len(memory))
		switch string(word) {
		case "spam", "junk", "suspect", "suspected", "suspicious", "virus", "phish", "phishing", "malware", "malicious", "infected", "uce", "ube",
			"unsolicited", "spammy", "graymail", "greymail", "bulk", "disarmed", "dangerous", "fraud", "external", "extern", "externe", "ext":
			says = true
		case "caution", "warning", "sender", "origin", "score":
		default:
			if len(word) < at-start || roleOf(word) == other {
				return false
			}
		}
		at--
	}
	return says
}
