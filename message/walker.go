package message

import (
	"bytes"
	"slices"

	"chaff/internal/ascii"
)

// walk reads the content below the header e down to its leaves. It reads data once, with a stack of the open boundaries, so
// that the work does not depend on the nesting. It calls itself only for encoded content.
func (d *Decoder) walk(e entity, data []byte, depth int) {
	base := len(d.boundaries) // the boundaries of the caller do not count in data
	for {
		var hit boundaryLine
		kind := e.kind()
		if kind == kindMultipart && e.boundary == nil {
			d.msg.Repairs.Add(MissingBoundary)
			kind = kindText
		}
		switch {
		case kind == kindMultipart && d.fitsDepth(depth):
			hit = d.multipart(e, data, depth, base)
		case d.wholeMessages:
			hit = d.findBoundary(data, d.boundaries[base:])
			d.leaf(e, data[:hit.start])
		case kind == kindMessage && e.transfer == transferIdentity && d.fitsDepth(depth):
			depth++
			e, data = d.header(skipFromLine(data), typePlain, &d.msg.Attached)
			continue
		case kind == kindFields && e.transfer == transferIdentity:
			hit = d.findBoundary(data, d.boundaries[base:])
			_, rest := d.header(data[:hit.start], typePlain, &d.msg.Attached)
			d.leaf(e, rest)
		default:
			hit = d.findBoundary(data, d.boundaries[base:])
			body := data[:hit.start]
			mayBeMessage := kind == kindFile || string(e.mediaType) == "message/partial" // of whose pieces the first has the header
			isMessage := kind == kindMessage && e.transfer != transferIdentity || mayBeMessage && d.isMessage(e, body)
			if isMessage && d.fitsDepth(depth) {
				inner, body := d.header(skipFromLine(d.normalise(d.innerContent(e, body))), typePlain, &d.msg.Attached)
				d.walk(inner, body, depth+1)
				break
			}
			d.leaf(e, body)
			isSMIME := kind == kindFile && (bytes.HasSuffix(e.mediaType, []byte("pkcs7-mime")) || ascii.HasSuffixFold(e.filename, ".p7m"))
			if !isSMIME || !d.fitsDepth(depth) {
				break
			}
			if signed := d.signed(e, body); signed != nil {
				inner, body := d.header(d.normalise(signed), typePlain, nil)
				d.walk(inner, body, depth+1)
			}
		}

		for hit.closing { // continue in the enclosing multipart, after its epilogue
			d.closeTo(base + hit.level + 1)
			d.boundaries = d.boundaries[:len(d.boundaries)-1]
			data = data[hit.end:]
			hit = d.findBoundary(data, d.boundaries[base:])
		}
		if d.isLate() || d.msg.Repairs.Has(CutParts) {
			d.boundaries = d.boundaries[:base]
			return
		}
		if hit.level < 0 {
			d.closeTo(base)
			return
		}
		d.closeTo(base + hit.level + 1)
		last := d.boundaries[len(d.boundaries)-1]
		depth = last.depth
		e, data = d.header(data[hit.end:], last.inner, nil)
	}
}

// multipart opens the multipart e and returns where its first part starts. A multipart without parts is read as text.
//
// QUIRK: the content of a multipart is not encoded; only its parts are. Some programs encode all of it
// (encoded-multipart.eml), and many more declare that they did.
func (d *Decoder) multipart(e entity, data []byte, depth, base int) boundaryLine {
	own := len(d.boundaries) - base
	inner := typePlain
	if string(e.mediaType) == "multipart/digest" {
		inner = typeMessage
	}
	d.boundaries = append(d.boundaries, boundary{e.boundary, depth + 1, inner})
	hit := d.findBoundary(data, d.boundaries[base:])
	if hit.level == own {
		return hit
	}
	if other := otherBoundary(e.boundary); len(other) > 0 {
		d.boundaries[base+own].text = other
		if hit := d.findBoundary(data, d.boundaries[base:]); hit.level == own {
			d.msg.Repairs.Add(BadBoundary)
			return hit
		}
	}
	d.boundaries = d.boundaries[:base+own]
	data = data[:hit.start]
	if e.transfer != transferIdentity { // it must be decoded before its structure can be read
		data = d.normalise(d.innerContent(e, data))
		e.transfer = transferIdentity
		if d.findBoundary(data, []boundary{{text: e.boundary}}).level == 0 {
			d.walk(e, data, depth)
			return hit
		}
	}
	d.msg.Repairs.Add(AbsentBoundary)
	d.leaf(e, data)
	return hit
}

// innerContent returns the content of an encoded message or multipart. It counts as text of the message: otherwise thirty
// messages, each in the next, would be decoded thirty times.
func (d *Decoder) innerContent(e entity, body []byte) []byte {
	d.renew(len(body))
	body = d.content(e, body, d.left)
	d.left -= len(body)
	return body
}

// fitsDepth reports whether an entity at that depth may hold another one.
func (d *Decoder) fitsDepth(depth int) bool {
	if depth >= d.options.MaxDepth {
		d.msg.Repairs.Add(CutDepth)
		return false
	}
	return true
}

// closeTo closes all boundaries but the first n. Their closing lines are missing.
func (d *Decoder) closeTo(n int) {
	if len(d.boundaries) > n {
		d.msg.Repairs.Add(UnclosedMultipart)
		d.boundaries = d.boundaries[:n]
	}
}

// isMessage reports whether a file is a whole message: it begins with two known fields, or has the name of a message, or of a page that a browser
// saved as one, and begins with a field.
func (d *Decoder) isMessage(e entity, body []byte) bool {
	head := skipFromLine(d.contentStart(e, body))
	isNamed := slices.ContainsFunc([]string{".eml", ".mht", ".mhtml"}, func(ending string) bool { return ascii.HasSuffixFold(e.filename, ending) })
	fields := 0
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		if fields > 0 && isFold(line) {
			continue
		}
		name, _ := cutName(line)
		if name == nil || !isNamed && !isCommonField(name, false) {
			return false
		}
		if fields++; fields == 2 || isNamed {
			return true
		}
	}
	return false
}

// boundary is the boundary of an open multipart.
type boundary struct {
	text  []byte // as declared, without the two hyphens
	depth int    // of the multipart's parts
	inner []byte // the default type of the parts
}

// boundaryLine is a line with an open boundary.
type boundaryLine struct {
	start   int  // the offset of the line end before it, which belongs to it
	end     int  // the offset after its line end
	level   int  // the index of the boundary, -1 at the end of the data
	closing bool // it ends the multipart
}

// findBoundary returns the first line with an open boundary, the innermost if several match.
//
// QUIRK: the boundary is all of the line. RFC 2046 lets more follow it, and so do IMAP servers: a further reading does.
func (d *Decoder) findBoundary(data []byte, open []boundary) boundaryLine {
	for at := 0; len(open) > 0; {
		if !bytes.HasPrefix(data[at:], []byte("--")) {
			next := bytes.Index(data[at:], []byte("\n--"))
			if next < 0 {
				break
			}
			at += next + 1
		}
		line, rest, _ := bytes.Cut(data[at:], []byte("\n"))
		hit := boundaryLine{start: max(at-1, 0), end: len(data) - len(rest)}
		line = bytes.TrimRight(line[2:], " \t")
		begun := -1
		for hit.level = len(open) - 1; hit.level >= 0; hit.level-- {
			after, ok := bytes.CutPrefix(line, open[hit.level].text)
			if ok && (len(after) == 0 || string(after) == "--") {
				hit.closing = len(after) > 0
				return hit
			}
			if ok && begun < 0 && len(after) < len(line) && !bytes.HasPrefix(after, []byte("--")) {
				begun = hit.level
			}
		}
		if begun >= 0 {
			if d.isAmbiguous = true; d.takesLast {
				hit.level = begun
				return hit
			}
		}
		at = hit.end
	}
	return boundaryLine{start: len(data), end: len(data), level: -1}
}

// otherBoundary returns what the lines of a multipart may contain instead of the declared boundary, or nil.
//
// QUIRK: a line is two hyphens and the declared boundary. Some programs declare it with the hyphens (boundary-hyphens.eml),
// with wrong or single quotes (boundary-quotes.eml), or with a comment.
func otherBoundary(text []byte) []byte {
	if other, ok := bytes.CutPrefix(text, []byte("--")); ok {
		return other
	}
	if other := bytes.Trim(text, `'"`); len(other) < len(text) {
		return other
	}
	if comment := bytes.Index(text, []byte(" (")); comment > 0 {
		return text[:comment]
	}
	return nil
}

// Original returns the message that SpamAssassin has put into a report of its own (report_safe), a copy; or raw if there is none. A model
// learns the original. A verdict counts the report as well, so nobody can wrap spam around ham.
//
// A sender can forge a report, and what he writes around its original is not learned. Mail that chaff passed on is safe from that: chaff
// removes X-Spam fields of senders, and its own fields say that it did.
func Original(raw []byte) []byte {
	const originalParam = "x-spam-type"
	if !bytes.Contains(raw, []byte(originalParam)) {
		return raw
	}
	d, e, body := open(raw)
	hasField := func(prefix string) bool {
		return slices.ContainsFunc(d.msg.Header, func(f Field) bool { return ascii.HasPrefixFold(f.Name, prefix) })
	}
	if string(e.mediaType) != "multipart/mixed" || !hasField("x-spam-") || hasField("x-chaff-") {
		return raw
	}
	originals := d.unwrap(e, body, func(e *entity, _ []byte) bool { return ascii.EqualFold(d.typeParam(e, originalParam), "original") })
	if len(originals) != 1 {
		return raw
	}
	return originals[0]
}

// Attached returns copies of the messages attached to a message, without those attached to these, and whether the message is a complaint about
// them: a report of RFC 5965.
func Attached(raw []byte) (messages [][]byte, isReport bool) {
	d, e, body := open(raw)
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

// open returns a decoder for the attached messages of a message, whose header it has read.
func open(raw []byte) (d *Decoder, e entity, body []byte) {
	d = NewDecoder(DefaultOptions())
	d.left = d.options.MaxTextBytes
	e, body = d.header(skipFromLine(d.normalise(raw)), typePlain, &d.msg.Header)
	return d, e, body
}

// unwrap returns copies of the parts below e that takes accepts. It looks into multiparts, but not into messages.
func (d *Decoder) unwrap(e entity, body []byte, takes func(e *entity, body []byte) bool) (taken [][]byte) {
	d.wholeMessages, d.leaf = true, func(e entity, body []byte) {
		if takes(&e, body) {
			taken = append(taken, bytes.Clone(d.content(e, body, d.left)))
		}
	}
	d.walk(e, body, 0)
	return taken
}

// typeParam returns a parameter of the Content-Type.
func (h *headers) typeParam(e *entity, name string) []byte {
	_, params := cutToken(e.typeField)
	h.cutParams(params)
	return h.param(name)
}
