package message

import (
	"bytes"
	"slices"

	"chaff/internal/ascii"
)

// Original returns the message that SpamAssassin has put into a report of its own (report_safe), a copy; or raw if there is none. A model
// learns the original. A verdict counts the report as well, so nobody can wrap spam around ham.
//
// A sender can forge a report, and what he writes around its original is not learned. Mail that chaff passed on is safe from that: chaff
// removes X-Spam fields of senders, and its own fields say that it did.
func Original(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(originalParam)) {
		return raw
	}
	d := NewDecoder(DefaultOptions())
	e, body := d.top(raw)
	if string(e.mediaType) != "multipart/mixed" || !d.hasField("x-spam-") || d.hasField("x-chaff-") {
		return raw
	}
	originals := d.unwrap(e, body, func(e *entity, _ []byte) bool { return ascii.EqualFold(d.typeParam(e, originalParam), "original") })
	if len(originals) != 1 {
		return raw
	}
	return originals[0]
}

const originalParam = "x-spam-type"

// Attached returns copies of the messages attached to a message, without those attached to these, and whether the message is a complaint about
// them: a report of RFC 5965.
func Attached(raw []byte) (messages [][]byte, isReport bool) {
	d := NewDecoder(DefaultOptions())
	e, body := d.top(raw)
	isReport = string(e.mediaType) == "multipart/report" && ascii.EqualFold(d.typeParam(&e, "report-type"), "feedback-report")
	return d.unwrap(e, body, func(e *entity, body []byte) bool {
		switch e.kind() {
		case kindMessage:
			return true
		case kindFields:
			return isReport
		case kindFile:
			return d.isMessage(*e, body)
		}
		return false
	}), isReport
}

// top reads the header of a message.
func (d *Decoder) top(raw []byte) (e entity, body []byte) {
	d.msg = Message{}
	d.left = d.options.MaxTextBytes
	d.startHeaders()
	return d.header(skipFromLine(d.normalise(bytes.TrimPrefix(raw, []byte("\ufeff")))), typePlain, &d.msg.Header)
}

// unwrap returns copies of the parts below e that takes accepts. It looks into multiparts, but not into messages.
func (d *Decoder) unwrap(e entity, body []byte, takes func(e *entity, body []byte) bool) (taken [][]byte) {
	d.wholeMessages, d.leaf = true, func(e entity, body []byte) {
		if takes(&e, body) {
			taken = append(taken, bytes.Clone(d.content(e, body)))
		}
	}
	d.walk(e, body, 0)
	return taken
}

// hasField reports whether the header has a field whose name begins like that.
func (d *Decoder) hasField(prefix string) bool {
	return slices.ContainsFunc(d.msg.Header, func(f Field) bool { return ascii.HasPrefixFold(f.Name, prefix) })
}

// typeParam returns a parameter of the Content-Type.
func (h *headers) typeParam(e *entity, name string) []byte {
	_, params := cutToken(e.typeField)
	h.cutParams(params)
	return h.param(name)
}
