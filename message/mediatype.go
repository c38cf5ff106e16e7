package message

import (
	"bytes"

	"chaff/internal/ascii"
)

// entity is what a header says about its content.
type entity struct {
	mediaType  []byte
	assumed    []byte // the default media type
	charset    []byte
	boundary   []byte
	encoding   []byte // as declared
	transfer   transfer
	filename   []byte
	typeName   []byte // the file name in the Content-Type, if there is no other
	attachment bool
	fragment   bool // a message/partial that does not start its message
	delSp      bool // a blank before a line end belongs to no word (RFC 3676)

	typeField, encodingField []byte // the last field of that name, nil if there is none
	hasDisposition           bool   // there was a Content-Disposition
}

// describe reads a field that describes the content. The reading decides which of two types or encodings counts; of other
// fields the first counts.
func (h *headers) describe(e *entity, name, value []byte) {
	const prefix = "content-"
	if !ascii.HasPrefixFold(name, prefix) {
		return
	}
	switch name = name[len(prefix):]; {
	case ascii.EqualFold(name, "type"):
		if h.usesValue(&e.typeField, value) {
			h.describeType(e, value)
		}
	case ascii.EqualFold(name, "transfer-encoding"):
		if h.usesValue(&e.encodingField, value) {
			h.describeTransfer(e, value)
		}
	case !e.hasDisposition && ascii.EqualFold(name, "disposition"):
		e.hasDisposition = true
		token, params := cutToken(value)
		e.attachment = ascii.EqualFold(token, "attachment")
		h.cutParams(params)
		if filename := h.param("filename"); len(filename) > 0 {
			e.filename = filename
		}
	}
}

// describeType reads a Content-Type.
//
// QUIRK: a type is "text/html; name=value", with quotes where a value needs them. Mail has types without a subtype, without
// semicolons, with blanks, in quotes, and with open quotes (content-types.eml).
func (h *headers) describeType(e *entity, value []byte) {
	token, params := cutToken(value)
	token = bytes.Trim(token, `"`)
	if major, minor, ok := bytes.Cut(token, []byte("/")); ok && len(major) > 0 && len(minor) > 0 {
		e.mediaType = h.toUTF8(h.lower(token), nil, false)
	} else {
		e.mediaType = e.assumed
		h.repairs.add(BadContentType)
	}
	h.cutParams(params)
	charset, _ := cutToken(h.param("charset"))
	e.charset = h.lower(charset)
	e.boundary = bytes.TrimRight(h.param("boundary"), " \t")
	e.typeName = h.param("name")
	e.delSp = ascii.EqualFold(h.param("format"), "flowed") && ascii.EqualFold(h.param("delsp"), "yes")
	if string(e.mediaType) == "message/partial" {
		number := h.param("number")
		e.fragment = len(number) > 0 && string(number) != "1"
	} else {
		e.fragment = false
	}
}

// kind is how a content is read.
type kind uint8

const (
	kindText      kind = iota // as text; so is everything unknown
	kindFile                  // as an attachment
	kindCalendar              // as a calendar or visiting card
	kindMultipart             // as parts
	kindMessage               // as a message
	kindFields                // as the header of a message
	kindOutside               // the content is elsewhere, and the part is its header
)

func (e *entity) kind() kind {
	major, minor, _ := bytes.Cut(e.mediaType, []byte("/"))
	switch string(major) {
	case "application":
		if e.isHTML() {
			return kindText
		}
		return kindFile
	case "audio", "font", "image", "model", "video":
		return kindFile
	case "multipart":
		return kindMultipart
	case "text":
		switch string(minor) {
		case "calendar", "directory", "vcard", "x-vcalendar", "x-vcard":
			return kindCalendar
		case "rfc822-headers":
			return kindFields
		}
	case "message":
		return e.messageKind(minor)
	}
	return kindText
}

// messageKind returns how a subtype of message is read. Delivery reports are text.
func (e *entity) messageKind(minor []byte) kind {
	switch string(minor) {
	case "rfc822", "global", "news":
		return kindMessage
	case "partial":
		if !e.fragment {
			return kindMessage
		}
	case "global-headers":
		return kindFields
	case "external-body":
		return kindOutside
	}
	return kindText
}

// isEncoded reports whether the content must be decoded before its structure can be read.
func (e *entity) isEncoded() bool { return e.transfer != transferIdentity }

// isHTML reports whether the content is HTML, or rich text that can be read like HTML (RFC 1896).
func (e *entity) isHTML() bool {
	switch string(e.mediaType) {
	case "text/html", "application/xhtml+xml", "text/enriched", "text/richtext":
		return true
	}
	return false
}

// lower returns token in lower case.
func (t *texts) lower(token []byte) []byte {
	if bytes.IndexFunc(token, func(r rune) bool { return 'A' <= r && r <= 'Z' }) < 0 {
		return token
	}
	start := len(t.arena)
	t.arena = ascii.AppendLower(t.arena, token, len(token))
	return t.made(start)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
