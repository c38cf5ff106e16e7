package headerfield

import (
	"bytes"

	"chaff/internal/ascii"
)

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
