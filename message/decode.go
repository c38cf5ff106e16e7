package message

import (
	"bytes"
	"unicode/utf8"
)

// Decoder decodes messages one after the other, reusing its memory, which grows to what the largest message needed.
// It belongs to one goroutine.
type Decoder struct {
	options  Options
	msg      Message
	textLeft int // of Options.MaxTextBytes, for the message at hand

	// arena holds what is made for the message at hand. It is only appended to: if it moves, what was made before stays
	// valid where it was.
	arena   []byte
	links   []byte            // the same for links in HTML and their texts, which are found while its text grows in the arena
	hidden  []byte            // the same for hidden text in HTML
	open    []element         // the open elements of HTML
	rules   map[string]style  // of the style sheets of HTML, by selector
	colours map[string]colour // by name; made when they are needed
	word    []byte            // bytes of encoded words, before they are converted

	boundaries []boundary
	codecs     map[string]*codec // by declared label; known ones only, so their number has an end

	typePlain, typeMessage []byte // types of parts that declare none
}

// NewDecoder returns a Decoder with the limits o, which have been validated; zero limits mean the defaults.
func NewDecoder(o Options) *Decoder {
	return &Decoder{
		options:     o.orDefaults(),
		codecs:      map[string]*codec{},
		rules:       map[string]style{},
		typePlain:   []byte("text/plain"),
		typeMessage: []byte("message/rfc822"),
	}
}

// Decode decodes one message. It never fails; raw is not changed. The result is valid until the next Decode, and as
// long as raw stays unchanged, since it may share memory with it.
func (d *Decoder) Decode(raw []byte) *Message {
	d.msg = Message{Header: d.msg.Header[:0], Attached: d.msg.Attached[:0], Parts: d.msg.Parts[:0], Links: d.msg.Links[:0]}
	d.textLeft = d.options.MaxTextBytes
	d.arena, d.links, d.hidden = d.arena[:0], d.links[:0], d.hidden[:0]
	d.boundaries = d.boundaries[:0]

	d.walk(bytes.TrimPrefix(raw, []byte("\ufeff")), 0, true)
	return &d.msg
}

// normalise returns data with LF as the only line end: a copy in the arena if there is a CR in it.
//
// QUIRK: lines end in CR LF; mail on disk has LF, and broken gateways leave CR CR LF or CR alone (bare-cr.eml).
func (d *Decoder) normalise(data []byte) []byte {
	cr := bytes.IndexByte(data, '\r')
	if cr < 0 {
		return data
	}
	start := len(d.arena)
	for ; cr >= 0; cr = bytes.IndexByte(data, '\r') {
		d.arena = append(append(d.arena, data[:cr]...), '\n')
		data = data[cr:]
		switch {
		case bytes.HasPrefix(data, []byte("\r\n")):
			data = data[2:]
		case bytes.HasPrefix(data, []byte("\r\r\n")):
			data = data[3:]
			d.msg.Repairs.add(BareCR)
		default:
			data = data[1:]
			d.msg.Repairs.add(BareCR)
		}
	}
	d.arena = append(d.arena, data...)
	return d.arena[start:len(d.arena):len(d.arena)]
}

// skipFromLine returns data without the line that mbox files and some forwarding programs put before a header.
func skipFromLine(data []byte) []byte {
	if bytes.HasPrefix(data, []byte("From ")) || bytes.HasPrefix(data, []byte(">From ")) {
		_, data = cutLine(data)
	}
	return data
}

// cutLine returns the first line of data without its line end, and what follows.
func cutLine(data []byte) (line, rest []byte) {
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return data[:end], data[end+1:]
	}
	return data, nil
}

// boundary is the boundary of a multipart that is being read.
type boundary struct {
	text  []byte // as declared, without the two hyphens
	depth int    // of the multipart's parts
	inner []byte // media type of parts that declare none
}

// walk reads one message, or one part that holds a message, down to its leaves. It is one pass over data with a stack
// of the open boundaries, so that the work does not depend on how deep the parts nest. It calls itself only for a
// message inside base64 or quoted-printable. The header of the whole message (top) is kept.
func (d *Decoder) walk(data []byte, depth int, top bool) {
	base := len(d.boundaries) // those of the caller have no meaning in data
	inner := d.typePlain
	data = skipFromLine(d.normalise(data))
	for {
		var e entity
		e, data = d.header(data, inner, top)
		top = false

		var hit boundaryLine
		switch {
		case e.isMultipart() && d.opens(e, depth):
			d.boundaries = append(d.boundaries, boundary{e.boundary, depth + 1, d.innerType(e)})
			if hit = findBoundary(data, d.boundaries[base:]); hit.level != len(d.boundaries)-1-base {
				d.msg.Repairs.add(AbsentBoundary)
				d.boundaries = d.boundaries[:len(d.boundaries)-1]
				d.leaf(e, data[:hit.start])
			}
		case e.isMessage() && !e.isEncoded() && d.fits(depth):
			depth++
			inner = d.typePlain
			data = skipFromLine(data)
			continue
		case e.isMessage() && e.isEncoded() && d.fits(depth):
			hit = findBoundary(data, d.boundaries[base:])
			inside := d.content(e, data[:hit.start])
			d.textLeft -= len(inside) // or thirty of them, one in the other, would be decoded thirty times
			d.walk(inside, depth+1, false)
		default:
			hit = findBoundary(data, d.boundaries[base:])
			d.leaf(e, data[:hit.start])
		}

		for hit.closing { // go on in the multipart around it, after its epilogue
			d.closeTo(base + hit.level + 1)
			d.boundaries = d.boundaries[:len(d.boundaries)-1]
			data = data[hit.end:]
			hit = findBoundary(data, d.boundaries[base:])
		}
		if d.msg.Repairs.Has(CutParts) {
			d.boundaries = d.boundaries[:base]
			return
		}
		if hit.level < 0 {
			d.closeTo(base)
			return
		}
		d.closeTo(base + hit.level + 1)
		data = data[hit.end:]
		last := d.boundaries[len(d.boundaries)-1]
		depth, inner = last.depth, last.inner
	}
}

// opens reports whether the multipart e can be read as its parts.
func (d *Decoder) opens(e entity, depth int) bool {
	if len(e.boundary) == 0 {
		d.msg.Repairs.add(MissingBoundary)
		return false
	}
	return d.fits(depth)
}

// fits reports whether something may be nested in an entity at that depth.
func (d *Decoder) fits(depth int) bool {
	if depth >= d.options.MaxDepth {
		d.msg.Repairs.add(CutDepth)
		return false
	}
	return true
}

// closeTo leaves n boundaries open. Those above never had their closing line.
func (d *Decoder) closeTo(n int) {
	if len(d.boundaries) > n {
		d.msg.Repairs.add(UnclosedMultipart)
		d.boundaries = d.boundaries[:n]
	}
}

// boundaryLine is where a line with an open boundary is.
type boundaryLine struct {
	start   int  // of the line end before it, which belongs to it
	end     int  // of the line, after its line end
	level   int  // index of the boundary, -1 for the end of the data
	closing bool // it ends the multipart
}

// findBoundary finds the first line with one of the open boundaries, the innermost if it matches several.
func findBoundary(data []byte, open []boundary) boundaryLine {
	for at := 0; len(open) > 0; {
		if !bytes.HasPrefix(data[at:], []byte("--")) {
			next := bytes.Index(data[at:], []byte("\n--"))
			if next < 0 {
				break
			}
			at += next + 1
		}
		line, rest := cutLine(data[at:])
		hit := boundaryLine{start: max(at-1, 0), end: len(data) - len(rest)}
		line = bytes.TrimRight(line[2:], " \t")
		for hit.level = len(open) - 1; hit.level >= 0; hit.level-- {
			after, ok := bytes.CutPrefix(line, open[hit.level].text)
			if ok && (len(after) == 0 || string(after) == "--") {
				hit.closing = len(after) > 0
				return hit
			}
		}
		at = hit.end
	}
	return boundaryLine{start: len(data), end: len(data), level: -1}
}

// leaf adds one part, and its text if it is a text.
func (d *Decoder) leaf(e entity, body []byte) {
	if len(d.msg.Parts) == d.options.MaxParts {
		d.msg.Repairs.add(CutParts)
		return
	}
	part := Part{
		Type: e.mediaType, Charset: e.charset, Encoding: e.encoding, Filename: e.filename,
		Attachment: e.attachment || !e.isText(),
	}
	if e.isText() {
		d.text(&part, e, body)
	}
	d.msg.Parts = append(d.msg.Parts, part)
}

// text reads the text of a part, and adds the links in it to the message.
func (d *Decoder) text(part *Part, e entity, body []byte) {
	body = d.content(e, body)
	isHTML := e.isHTML()
	if !isHTML && looksLikeHTML(body) {
		d.msg.Repairs.add(UndeclaredHTML)
		isHTML = true
	}
	body = d.toUTF8(body, e.charset, isHTML)
	body = d.cutText(body)
	d.textLeft -= len(body)
	if isHTML {
		body, part.Hidden = d.visible(body, part)
		part.Hidden = d.takeURLs(part.Hidden)
	}
	part.Text = d.takeURLs(body)
	if part.Text == nil {
		part.Text = []byte{} // it is a text
	}
}

// cutText returns no more of text than the message may still have.
func (d *Decoder) cutText(text []byte) []byte {
	if len(text) > d.textLeft {
		d.msg.Repairs.add(CutText)
		text = cutRunes(text, d.textLeft)
	}
	return text
}

// cutRunes returns the first n bytes of text, or a little less, so that no UTF-8 character is cut in two.
func cutRunes(text []byte, n int) []byte {
	end := n
	for end > 0 && end > n-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
