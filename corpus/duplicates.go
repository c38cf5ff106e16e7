package corpus

import (
	"bytes"

	"github.com/cespare/xxhash/v2"

	"chaff/corpus/internal/lines"
)

// Fingerprint returns a hash of what the sender wrote, which two copies of a
// message share even if they were delivered along different ways, to different
// people, and kept in different formats. These do not count:
//
//   - header fields that the receiving side adds or changes: Received, X-Received,
//     Received-SPF, Return-Path, Delivered-To, X-Original-To, Envelope-To,
//     X-Envelope-*, Delivery-Date, X-Delivery-*, Authentication-Results, ARC-*,
//     Status, X-Status, X-Keywords, X-UID, X-UIDL, X-Mozilla-*, X-Evolution*,
//     X-Gmail-Labels, X-GM-*, Lines, Content-Length, Xref, and the verdicts of
//     filters: X-Spam-*, X-Bogosity, X-Spambayes-*, X-DSPAM-*, X-Rspamd-*, X-Chaff-*
//   - the From_ line of an mbox
//   - whether lines end in LF or CRLF, and empty lines at the end
//
// All else counts as it stands; nothing is decoded. The hash is the same on every
// machine. Equal messages have equal fingerprints; different messages have
// different ones as far as 64 bits go: among a million messages a chance pair has
// odds of 1 in 37 million.
func Fingerprint(raw []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	// A continuation line that continues nothing is the end of a field that was
	// cut off, and whatever comes before it makes it its own: it cannot count.
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
		if !lines.IsFromLine(field) && !isDeliveryField(lines.NameOf(field)) {
			writeText(&d, field)
			d.WriteString("\n")
		}
	}
	d.WriteString("\n")
	writeText(&d, rest)
	return d.Sum64()
}

// writeText hashes text without the line ends that it ends in, every other line
// end as LF.
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

// isDeliveryField reports whether the receiving side adds or changes the field.
func isDeliveryField(name lines.FieldName) bool {
	b := name.Text()
	switch string(b) {
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
		if len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix {
			return true
		}
	}
	return false
}
