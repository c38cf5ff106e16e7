package corpus

import (
	"bytes"

	"github.com/cespare/xxhash/v2"

	"chaff/corpus/internal/lines"
	"chaff/internal/headerfield"
)

// Fingerprint returns a hash of what the sender wrote. Two copies of a message have the same fingerprint even if they took different
// routes, went to different people, passed different filters, or are kept in different formats. It leaves out
//
//   - header fields that relays, the delivery, filters and mailboxes add, see [headerfield.Kind.IsAdded]
//   - the From_ line of an mbox
//   - whether lines end in LF or CRLF, and empty lines at the end
//
// It decodes nothing and is the same on every machine. A hash has 64 bits: among a million messages, the odds of a collision are 1 in
// 37 million.
func Fingerprint(raw []byte) uint64 {
	fingerprint, _ := Hashes(raw)
	return fingerprint
}

// SplitKey returns the hash that decides in which part of a split a message goes. It is a fingerprint whose list of left-out fields
// never grows: a new entry would move messages to other parts and change every model and figure.
func SplitKey(raw []byte) uint64 {
	_, splitKey := Hashes(raw)
	return splitKey
}

// Hashes returns the fingerprint and the split key of a message, which are the same for most.
func Hashes(raw []byte) (fingerprint, splitKey uint64) {
	var d, split xxhash.Digest
	d.Reset()
	same := true // what both count
	// A continuation line at the top belongs to a field that was cut off. A field put before the message would absorb it, so it
	// cannot count.
	rest := raw
	for len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t') {
		rest = rest[lines.LineEnd(rest):]
	}
	for {
		field, after, ok := lines.CutField(rest)
		rest = after
		if !ok {
			break
		}
		if lines.IsFromLine(field) {
			continue
		}
		name := lines.NameOf(field)
		isAdded, isLeftOut := headerfield.KindOf(name.Text()).IsAdded(), isLeftOutOfSplitKey(name.Text())
		if same && isAdded != isLeftOut {
			same, split = false, d
		}
		if !isAdded {
			writeField(&d, field)
		}
		if !same && !isLeftOut {
			writeField(&split, field)
		}
	}
	writeBody(&d, rest)
	if same {
		return d.Sum64(), d.Sum64()
	}
	writeBody(&split, rest)
	return d.Sum64(), split.Sum64()
}

func writeField(d *xxhash.Digest, field []byte) {
	writeText(d, field)
	d.WriteString("\n")
}

func writeBody(d *xxhash.Digest, body []byte) {
	d.WriteString("\n")
	writeText(d, body)
}

// writeText hashes text without the line ends at its end. Every other line end counts as LF.
func writeText(d *xxhash.Digest, text []byte) {
	text = bytes.TrimRight(text, "\r\n")
	for {
		i := bytes.IndexByte(text, '\r')
		if i < 0 {
			d.Write(text)
			return
		}
		j := i + 1
		for j < len(text) && text[j] == '\r' {
			j++
		}
		if text[j] == '\n' {
			d.Write(text[:i])
		} else {
			d.Write(text[:j]) // CRs within a line are text
		}
		text = text[j:]
	}
}

// isLeftOutOfSplitKey reports whether split keys leave a field out. Do not change it, see [SplitKey].
func isLeftOutOfSplitKey(name []byte) bool {
	switch string(name) {
	case "received", "x-received", "received-spf", "return-path", "delivered-to",
		"x-original-to", "envelope-to", "delivery-date", "authentication-results",
		"status", "x-status", "x-keywords", "x-uid", "x-uidl",
		"x-gmail-labels", "lines", "content-length", "xref", "x-bogosity":
		return true
	}
	for _, prefix := range [...]string{
		"x-envelope-", "x-delivery-", "arc-", "x-mozilla-", "x-evolution", "x-gm-",
		"x-spam-", "x-spambayes-", "x-dspam-", "x-rspamd-", "x-chaff-",
	} {
		if bytes.HasPrefix(name, []byte(prefix)) {
			return true
		}
	}
	return false
}
