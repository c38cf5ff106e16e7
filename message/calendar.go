package message

import (
	"bytes"

	"chaff/internal/ascii"
)

// calendar sets the text of part to what a calendar or visiting card shows (RFC 5545, 6350): the values of some properties,
// each on a line.
//
// QUIRK: the description of an event is plain text. Programs send HTML in it, and show it.
func (d *Decoder) calendar(part *Part, text []byte) {
	text = d.cutText(text)
	d.left -= len(text)
	var lines, hidden []byte
	pages := 0
	for len(text) > 0 {
		var property, value []byte
		property, value, text = d.cutProperty(text)
		if value = d.shownValue(property, value); len(value) == 0 {
			continue
		}
		isHTML := pages < maxHTMLValues && (bytes.Contains(value, []byte("</")) || hasTag(value, "br", "p", "html", "body"))
		if isHTML {
			pages++
		}
		line := Part{}
		left := d.left
		d.left = len(value) // it has been counted
		d.setText(&line, value, isHTML)
		d.left = left
		part.Markup += line.Markup
		part.Images += line.Images
		lines = append(append(lines, line.Text...), '\n')
		hidden = append(hidden, line.Hidden...)
	}
	part.Text, part.Hidden = lines, hidden
}

// maxHTMLValues is how many values of a calendar are read as HTML, since each costs more than a short value.
const maxHTMLValues = 64

// cutProperty cuts the first property off text. Lines that begin with a blank continue it, and so does a line after a soft
// line end of quoted-printable, as old calendars have it. The value is unfolded, but still escaped.
func (d *Decoder) cutProperty(text []byte) (property, value, rest []byte) {
	line, rest := cutLine(text)
	line = bytes.TrimSuffix(line, []byte("\r"))
	start := len(d.arena)
	isQuoted := false
	if colon := bytes.IndexByte(line, ':'); colon >= 0 {
		isQuoted = ascii.ContainsFold(line[:colon], "quoted-printable")
	}
	for len(rest) > 0 {
		soft := isQuoted && bytes.HasSuffix(line, []byte("="))
		if !isFold(rest) && !soft {
			break
		}
		if start == len(d.arena) {
			d.arena = append(d.arena, line...)
		}
		if soft {
			d.arena = d.arena[:len(d.arena)-1]
		}
		line, rest = cutLine(rest)
		line = bytes.TrimSuffix(line, []byte("\r"))
		if isFold(line) {
			line = line[1:]
		}
		d.arena = append(d.arena, line...)
	}
	if start < len(d.arena) {
		line = d.made(start)
	}
	colon := 0
	for inQuotes := false; colon < len(line) && (inQuotes || line[colon] != ':'); colon++ { // parameters may contain colons in quotes
		inQuotes = inQuotes != (line[colon] == '"')
	}
	property, value = line[:colon], line[min(colon+1, len(line)):]
	if isQuoted {
		start = len(d.arena)
		d.arena, _ = appendQuotedPrintable(d.arena, value)
		value = d.toUTF8(d.made(start), nil, false)
	}
	return property, value, rest
}

// shownValue returns the unescaped value of a property, nil if programs do not show it.
func (d *Decoder) shownValue(property, value []byte) []byte {
	name, _, _ := bytes.Cut(property, []byte(";"))
	if dot := bytes.LastIndexByte(name, '.'); dot >= 0 { // the group of a card
		name = name[dot+1:]
	}
	const maxName = 16 // longer than any below
	var lower [maxName]byte
	switch string(ascii.AppendLower(lower[:0], name, maxName)) {
	case "organizer", "attendee": // whose value is an address
		d.cutParams(property)
		return d.param("cn")
	case "summary", "description", "location", "comment", "contact", "url", "attach", "conference", "x-alt-desc",
		"x-wr-calname", "x-wr-caldesc", "fn", "note", "org", "title", "role", "label":
		return d.unescape(value, '\n')
	}
	return nil
}
