package message

import (
	"bytes"

	"chaff/internal/ascii"
)

// entity is what a header says about the content below it.
type entity struct {
	mediaType  []byte
	assumed    []byte // the media type of an entity that declares none
	charset    []byte
	boundary   []byte
	encoding   []byte // as declared
	transfer   transfer
	filename   []byte
	typeName   []byte // the file name in the type, for want of a better one
	attachment bool
	fragment   bool // a message/partial that does not start its message

	typeField, encodingField []byte // the last of these fields, nil if there was none
	hasDisposition           bool   // that field has been seen
}

// describe takes up a field that describes the content. Of two types or encodings the one counts that the reading says,
// of other fields the first.
func (d *Decoder) describe(e *entity, name, value []byte) {
	const prefix = "content-"
	if !ascii.HasPrefixFold(name, prefix) {
		return
	}
	switch name = name[len(prefix):]; {
	case ascii.EqualFold(name, "type"):
		if d.usesValue(&e.typeField, value, useLastType) {
			d.describeType(e, value)
		}
	case ascii.EqualFold(name, "transfer-encoding"):
		if d.usesValue(&e.encodingField, value, useLastEncoding) {
			d.describeTransfer(e, value)
		}
	case !e.hasDisposition && ascii.EqualFold(name, "disposition"):
		e.hasDisposition = true
		token, params := cutToken(value)
		e.attachment = ascii.EqualFold(token, "attachment")
		d.cutParams(params)
		if filename := d.param("filename"); len(filename) > 0 {
			e.filename = filename
		}
	}
}

// describeType takes up a Content-Type.
//
// QUIRK: a type is "text/html; name=value" with its values in quotes where they need them. Mail has types without a
// subtype, without semicolons, with blanks in them, in quotes, with open quotes (content-types.eml).
func (d *Decoder) describeType(e *entity, value []byte) {
	token, params := cutToken(value)
	token = bytes.Trim(token, `"`)
	if major, minor, ok := bytes.Cut(token, []byte("/")); ok && len(major) > 0 && len(minor) > 0 {
		e.mediaType = d.toUTF8(d.lower(token), nil, false)
	} else {
		e.mediaType = e.assumed
		d.msg.Repairs.add(BadContentType)
	}
	d.cutParams(params)
	charset, _ := cutToken(d.param("charset"))
	e.charset = d.lower(charset)
	e.boundary = bytes.TrimRight(d.param("boundary"), " \t")
	e.typeName = d.param("name")
	if string(e.mediaType) == "message/partial" {
		number := d.param("number")
		e.fragment = len(number) > 0 && string(number) != "1"
	} else {
		e.fragment = false
	}
}

// kind is what is done with a content.
type kind uint8

const (
	kindText      kind = iota // is decoded, which is done with all that is not known to be something else
	kindFile                  // is named, and counts as an attachment
	kindCalendar              // holds lines of properties, some of which are for people: a calendar or visiting card
	kindMultipart             // is cut into its parts
	kindMessage               // is read as a message
	kindFields                // is read as the header of a message
	kindOutside               // is read as the header of a part whose content is elsewhere
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

// messageKind returns what is done with the types of message, of which reports on delivery are to be read by people.
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

// isEncoded reports whether the content must be decoded before its structure can be seen.
func (e *entity) isEncoded() bool { return e.transfer != transferIdentity }

// isHTML reports whether the content is HTML, or text with tags that may be read as if they were (RFC 1896).
func (e *entity) isHTML() bool {
	switch string(e.mediaType) {
	case "text/html", "application/xhtml+xml", "text/enriched", "text/richtext":
		return true
	}
	return false
}

// innerType returns the type of parts of e that declare none.
func (d *Decoder) innerType(e entity) []byte {
	if string(e.mediaType) == "multipart/digest" {
		return d.typeMessage
	}
	return d.typePlain
}

// lower returns token with A to Z in lower case, and itself if it has none.
func (d *Decoder) lower(token []byte) []byte {
	if bytes.IndexFunc(token, func(r rune) bool { return 'A' <= r && r <= 'Z' }) < 0 {
		return token
	}
	start := len(d.arena)
	for _, c := range token {
		d.arena = append(d.arena, ascii.Lower(c))
	}
	return d.arena[start:len(d.arena):len(d.arena)]
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
