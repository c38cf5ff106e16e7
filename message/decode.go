package message

import (
	"bytes"
	"slices"
	"time"
	"unicode/utf8"

	"chaff/internal/css"
	"chaff/internal/pdftext"
)

// Decoder decodes messages one after the other. It reuses its memory, which grows to what the largest message needs, and belongs
// to one goroutine.
type Decoder struct {
	options Options
	msg     Message

	// What is left of the limits for the current message.
	textLeft   int
	fileLeft   int // of maxFileBytes
	headerLeft int // bytes of header fields, in parts and attached messages too
	pdfLimits  pdftext.Limits
	deadline   time.Time // zero for a message without a time limit
	clockReads int       // how often the time was asked for
	clock      func() time.Time

	reading   reading
	ambiguous reading // what the message specifies twice, with different values

	normal []byte // the current message with LF as the only line end

	// arena holds what is made for the current message. It is only appended to: when it moves, slices of its old memory stay
	// valid.
	arena  []byte
	links  []byte // the same for links in HTML and their texts, which are found while text is appended to the arena
	hidden []byte // the same for hidden text in HTML

	// The state of the current HTML.
	state       htmlState
	open        []element
	sheets      css.Sheets
	current     css.Element       // the current tag
	tag         [css.MaxName]byte // its name
	impliedName []byte            // the name of an element without a tag
	runsScripts bool              // the HTML is a file, which a browser opens
	hasHyphen   bool              // it has a soft hyphen
	after       []byte            // texts that style sheets add after open elements
	cells       []cell            // of the current table
	frames      []frame
	frameDepth  int // how many frames the HTML is in

	encoded     []byte // the bytes of encoded words, before they are converted
	shifted     []byte // text without its shifts, before it is converted
	boundaries  []boundary
	params      []parameter  // of the current field
	pieces      []piece      // of the current parameter
	inlineFiles []inlineFile // of the current text
	textPieces  [][]byte     // what is between them
	lines       []byte       // the visible lines of the current calendar
	codecs      map[string]*codec
	guesser     *guesser // made when first needed

	typePlain, typeMessage, typeHTML, typeFile []byte // types of parts that declare none
}

// NewDecoder returns a Decoder with the limits o, which have been validated. Zero limits mean the defaults.
func NewDecoder(o Options) *Decoder {
	return &Decoder{
		options:     o.orDefaults(),
		codecs:      map[string]*codec{},
		typePlain:   []byte("text/plain"),
		typeMessage: []byte("message/rfc822"),
		typeHTML:    []byte("text/html"),
		typeFile:    []byte("application/octet-stream"),
		clock:       time.Now,
	}
}

// Decode decodes one message. It never fails; raw is not changed. The result is valid until the next Decode, and as
// long as raw stays unchanged, since it may share memory with it.
func (d *Decoder) Decode(raw []byte) *Message {
	d.msg = Message{Header: d.msg.Header[:0], Attached: d.msg.Attached[:0], Parts: d.msg.Parts[:0], Links: d.msg.Links[:0]}
	d.textLeft, d.fileLeft = d.options.MaxTextBytes, maxFileBytes
	d.pdfLimits = pdftext.Limits{Packed: maxPacked, Unpacked: maxUnpacked}
	d.arena, d.links, d.hidden = d.arena[:0], d.links[:0], d.hidden[:0]
	d.startClock(len(raw))

	whole := bytes.TrimPrefix(raw, []byte("\ufeff"))
	if bytes.IndexByte(whole, '\r') >= 0 {
		d.normal = d.appendNormal(slices.Grow(d.normal[:0], len(whole)), whole)
		whole = d.normal
	}
	d.decodeReadings(skipFromLine(whole))
	return &d.msg
}

// read reads a message with LF as the only line end into d.msg.
func (d *Decoder) read(data []byte) {
	d.boundaries, d.headerLeft = d.boundaries[:0], maxHeaders*d.options.MaxHeaderBytes
	e, body := d.header(data, d.typePlain, &d.msg.Header)
	d.walk(e, body, 0)
}

// startClock sets the deadline for a message of that size. Smaller ones than minTimed cannot take long.
func (d *Decoder) startClock(size int) {
	const minTimed = 64 << 10
	d.deadline, d.clockReads = time.Time{}, 0
	if size >= minTimed {
		d.deadline = d.clock().Add(time.Duration(d.options.MaxSeconds) * time.Second)
	}
}

// outOfTime reports whether the time for the message is up. It is asked for each field and each part, and looks at the clock
// for some of them.
func (d *Decoder) outOfTime() bool {
	const each = 32
	if d.deadline.IsZero() {
		return false
	}
	d.clockReads++
	if d.clockReads%each != 0 || d.clock().Before(d.deadline) {
		return false
	}
	d.msg.Repairs.add(CutTime)
	return true
}

// maxHeaders is how many fields of the largest size are read of a message in all, its parts and attached messages included.
const maxHeaders = 32

// normalise returns data with LF as the only line end: a copy in the arena if there is a CR in it.
func (d *Decoder) normalise(data []byte) []byte {
	if bytes.IndexByte(data, '\r') < 0 {
		return data
	}
	start := len(d.arena)
	d.arena = d.appendNormal(d.arena, data)
	return d.arena[start:len(d.arena):len(d.arena)]
}

// appendNormal appends data with LF as the only line end.
//
// QUIRK: lines end in CR LF; mail on disk has LF, and broken gateways leave CR CR LF or CR alone (bare-cr.eml).
func (d *Decoder) appendNormal(dst, data []byte) []byte {
	for cr := bytes.IndexByte(data, '\r'); cr >= 0; cr = bytes.IndexByte(data, '\r') {
		dst = append(append(dst, data[:cr]...), '\n')
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
	return append(dst, data...)
}

// skipFromLine returns data without the line that mbox files and some forwarding programs put before a header.
func skipFromLine(data []byte) []byte {
	if isFromLine(data) {
		_, data = cutLine(data)
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
	}
	return data
}

func isFromLine(data []byte) bool {
	return bytes.HasPrefix(data, []byte("From ")) || bytes.HasPrefix(data, []byte(">From "))
}

// cutLine returns the first line of data without its line end, and what follows.
func cutLine(data []byte) (line, rest []byte) {
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return data[:end], data[end+1:]
	}
	return data, nil
}

// walk reads what is below the header e, down to the leaves. It is one pass over data with a stack of the open
// boundaries, so that the work does not depend on how deep the parts nest. It calls itself only for what is inside of
// base64, quoted-printable or uuencode.
func (d *Decoder) walk(e entity, data []byte, depth int) {
	base := len(d.boundaries) // those of the caller have no meaning in data
	for {
		var hit boundaryLine
		switch kind := e.kind(); {
		case kind == kindMultipart && d.canOpen(e, depth):
			hit = d.multipart(e, data, depth, base)
		case kind == kindMessage && !e.isEncoded() && d.fitsDepth(depth):
			depth++
			e, data = d.header(skipFromLine(data), d.typePlain, &d.msg.Attached)
			continue
		case kind == kindFields && !e.isEncoded():
			hit = findBoundary(data, d.boundaries[base:])
			_, rest := d.header(data[:hit.start], d.typePlain, &d.msg.Attached)
			d.addLeaf(e, rest)
		case kind == kindOutside && !e.isEncoded() && d.fitsDepth(depth):
			depth++
			e, data = d.header(data, d.typePlain, nil)
			continue
		case kind == kindMessage && e.isEncoded() && d.fitsDepth(depth):
			hit = findBoundary(data, d.boundaries[base:])
			d.innerMessage(d.innerContent(e, data[:hit.start]), depth)
		default:
			hit = findBoundary(data, d.boundaries[base:])
			if body := data[:hit.start]; kind != kindFile || !d.fileMessage(e, body, depth) {
				d.addLeaf(e, body)
			}
		}

		for hit.closing { // go on in the multipart around it, after its epilogue
			d.closeTo(base + hit.level + 1)
			d.boundaries = d.boundaries[:len(d.boundaries)-1]
			data = data[hit.end:]
			hit = findBoundary(data, d.boundaries[base:])
		}
		if d.msg.Repairs.Has(CutParts) || d.outOfTime() {
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

// multipart opens the multipart e, and returns where its first part starts. If it has none, it is read as text.
//
// QUIRK: the content of a multipart is not encoded, only that of its parts. Some programs encode it as a whole
// (encoded-multipart.eml); many more declare that they did.
func (d *Decoder) multipart(e entity, data []byte, depth, base int) boundaryLine {
	own := len(d.boundaries) - base
	d.boundaries = append(d.boundaries, boundary{e.boundary, depth + 1, d.innerType(e)})
	hit := findBoundary(data, d.boundaries[base:])
	if hit.level == own {
		return hit
	}
	if other := otherBoundary(e.boundary); len(other) > 0 {
		d.boundaries[base+own].text = other
		if hit := findBoundary(data, d.boundaries[base:]); hit.level == own {
			d.msg.Repairs.add(BadBoundary)
			return hit
		}
	}
	d.boundaries = d.boundaries[:base+own]
	data = data[:hit.start]
	if e.isEncoded() {
		data = d.normalise(d.innerContent(e, data))
		e.transfer = transferIdentity
		if findBoundary(data, []boundary{{text: e.boundary}}).level == 0 {
			d.walk(e, data, depth)
			return hit
		}
	}
	d.msg.Repairs.add(AbsentBoundary)
	d.addLeaf(e, data)
	return hit
}

// innerMessage reads a message that was the content of an entity at that depth.
func (d *Decoder) innerMessage(message []byte, depth int) {
	e, body := d.header(skipFromLine(d.normalise(message)), d.typePlain, &d.msg.Attached)
	d.walk(e, body, depth+1)
}

// innerContent returns the content of an encoded message or multipart. It counts as text of the message, or thirty of them,
// one in the other, would be decoded thirty times.
func (d *Decoder) innerContent(e entity, body []byte) []byte {
	body = d.content(e, body)
	d.textLeft -= len(body)
	return body
}

// canOpen reports whether the multipart e can be read as its parts.
func (d *Decoder) canOpen(e entity, depth int) bool {
	if len(e.boundary) == 0 {
		d.msg.Repairs.add(MissingBoundary)
		return false
	}
	return d.fitsDepth(depth)
}

// fitsDepth reports whether something may be nested in an entity at that depth.
func (d *Decoder) fitsDepth(depth int) bool {
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

// addLeaf adds one part, its text if it is a text, and the files that are written into that.
func (d *Decoder) addLeaf(e entity, body []byte) {
	d.freshArena()
	kind := e.kind()
	part := Part{
		Type: e.mediaType, Charset: e.charset, Encoding: e.encoding, Filename: e.filename,
		Attachment: e.attachment || kind == kindFile,
	}
	if e.transfer == transferUUencode && len(part.Filename) == 0 {
		part.Filename = d.uuName(body)
	}
	if !d.hasRoom() {
		return
	}
	d.inlineFiles, d.frames = d.inlineFiles[:0], d.frames[:0]
	d.runsScripts = part.Attachment
	left := d.textLeft
	switch kind {
	case kindFile:
		left -= d.openFile(&part, e, body)
	case kindCalendar:
		d.showContent(&part, formatCalendar, d.content(e, body), e.charset)
	default:
		left -= d.readText(&part, e, body, e.isHTML() || hasEnding(e.filename, htmlEndings[:]...))
	}
	d.msg.Parts = append(d.msg.Parts, part)
	d.runsScripts = false
	for _, block := range d.inlineFiles {
		d.addFile(block, e.charset)
	}
	d.readFrames()
	d.textLeft = min(d.textLeft, left) // what was read counts, even if it is not kept
}

// freshArena lets a large arena be, so that it does not move again and again with what was made before.
func (d *Decoder) freshArena() {
	const large = 1 << 20
	if len(d.arena) > large {
		d.arena = nil
	}
}

// hasRoom reports whether the message may have one more part.
func (d *Decoder) hasRoom() bool {
	if len(d.msg.Parts) < d.options.MaxParts {
		return true
	}
	d.msg.Repairs.add(CutParts)
	return false
}

// readText reads the text of a part, and adds the links in it to the message. The files that are written into plain text
// are taken out of it, and left in d.inlineFiles. It returns how much was read.
func (d *Decoder) readText(part *Part, e entity, body []byte, isHTML bool) (read int) {
	body = d.content(e, body)
	read = len(body)
	if bytes.HasPrefix(body, []byte("%PDF-")) {
		d.showContent(part, formatPDF, body, nil)
		return read
	}
	if !isHTML && looksLikeHTML(body) {
		d.msg.Repairs.add(UndeclaredHTML)
		isHTML = true
	}
	plain := isPlainUTF8(body) && !looksLikeASCII(e.charset)
	if !isHTML {
		body = d.takeFiles(body, !plain && !e.isEncoded())
	}
	if !plain {
		body = d.convert(body, e.charset, isHTML)
	}
	d.setText(part, body, isHTML)
	return read
}

// setText leaves in part what a reader sees of body, and what is hidden there, and adds the links to the message.
func (d *Decoder) setText(part *Part, body []byte, isHTML bool) {
	body = d.cutText(body)
	d.textLeft -= len(body)
	if isHTML {
		body, part.Hidden = d.visibleText(body, part)
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
