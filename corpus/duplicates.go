package corpus

import (
	"bytes"
	"hash"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/headerfield"
	"chaff/internal/lines"
	"chaff/internal/termkey"
)

// Fingerprint returns a hash of what the sender wrote, under the key of a model: nobody without the key can make two messages with one
// fingerprint. Two copies of a message have the same fingerprint even if they took different routes, went to different people, passed
// different filters, or are kept in different formats. It leaves out
//
//   - header fields that relays, the delivery, filters and mailboxes add, see [headerfield.IsAdded]
//   - the From_ line of an mbox
//   - the ">" before a line of the body that begins with "From ", which mailboxes add, and programs that read them remove or not
//   - whether lines end in LF or CRLF, and empty lines at the end
//
// It decodes nothing and is the same on every machine. A hash has 64 bits: among a million messages, the odds of a collision are 1 in
// 37 million.
func Fingerprint(raw []byte, key termkey.Key) uint64 {
	fingerprint, _ := Hashes(raw, key)
	return fingerprint
}

// Hashes returns the fingerprint and the split key of a message: the hash that decides in which part of a split it goes. The latter has no key, so
// that the same messages are in the same parts for every model, and its list of left-out fields never grows: a new entry would move messages
// to other parts and change every figure.
func Hashes(raw []byte, key termkey.Key) (fingerprint, splitKey uint64) {
	h := hashes{fingerprint: key.New()}
	h.splitKey.Reset()
	// A continuation line at the top belongs to a field that was cut off. A field put before the message would absorb it, so it
	// cannot count.
	rest := raw
	for len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t') {
		rest = rest[lines.LineEnd(rest):]
	}
	var room [lines.NameSize]byte
	field, rest, ok := lines.CutField(rest)
	for ; ok; field, rest, ok = lines.CutField(rest) {
		if lines.IsFromLine(field) {
			continue
		}
		name := lines.AppendName(room[:0], field)
		h.inFingerprint = !headerfield.IsAdded(name, field[bytes.IndexByte(field, ':')+1:])
		h.inSplitKey = !isLeftOutOfSplitKey(name)
		h.writeLines(bytes.TrimRight(field, "\r\n"))
		h.write(lineEnd)
	}
	h.inFingerprint, h.inSplitKey = true, true
	h.write(lineEnd)
	rest = bytes.TrimRight(rest, "\r\n")
	for len(rest) > 0 {
		line, quotes := lines.NextQuotedFrom(rest)
		h.writeLines(rest[:line])
		h.inFingerprint = false
		h.write(rest[line : line+quotes])
		h.inFingerprint = true
		rest = rest[line+quotes:]
	}
	return h.fingerprint.Sum64(), h.splitKey.Sum64()
}

// hashes are those of a message, as far as it is read.
type hashes struct {
	fingerprint               hash.Hash64
	splitKey                  xxhash.Digest
	inFingerprint, inSplitKey bool // which count what is written
}

var lineEnd = []byte{'\n'}

func (h *hashes) write(text []byte) {
	if h.inFingerprint {
		h.fingerprint.Write(text)
	}
	if h.inSplitKey {
		h.splitKey.Write(text)
	}
}

// writeLines writes text that does not end in half a line end. Every line end counts as LF.
func (h *hashes) writeLines(text []byte) {
	for {
		i := bytes.IndexByte(text, '\r')
		if i < 0 {
			h.write(text)
			return
		}
		rest := bytes.TrimLeft(text[i:], "\r")
		if rest[0] == '\n' {
			h.write(text[:i])
		} else {
			h.write(text[:len(text)-len(rest)]) // CRs within a line are text
		}
		text = rest
	}
}

// isLeftOutOfSplitKey reports whether split keys leave a field out. Do not change it, see [Hashes].
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
