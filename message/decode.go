package message

import (
	"bytes"
	"slices"
	"time"
	"unicode/utf8"

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
	unwraps    func(e entity, body []byte) // takes each leaf and message instead of reading it; nil unless the message is unwrapped

	takesLast   bool // of two values for the same the last one counts
	isAmbiguous bool // the message has two values for the same

	normal []byte // the current message with LF as the only line end

	// arena holds what is made for the current message. It is only appended to: when it moves, slices of its old memory stay
	// valid.
	arena []byte
	links linkList
	page  page

	frames     []frame
	frameDepth int // how many frames the HTML is in

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

// NewDecoder returns a Decoder with the limits o, which must be valid. Zero limits mean the defaults.
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

// Decode decodes one message. It never fails and does not change raw. The result may share memory with raw; it is valid
// until the next Decode.
func (d *Decoder) Decode(raw []byte) *Message {
	d.msg = Message{Header: d.msg.Header[:0], Attached: d.msg.Attached[:0], Parts: d.msg.Parts[:0], Links: d.msg.Links[:0]}
	d.textLeft, d.fileLeft = d.options.MaxTextBytes, maxFileBytes
	d.pdfLimits = pdftext.Limits{Packed: maxPacked, Unpacked: maxUnpacked}
	d.arena, d.links = d.arena[:0], linkList{all: d.msg.Links, bytes: d.links.bytes[:0]}
	d.page.reset()
	d.page.links = &d.links
	d.startClock(len(raw))

	whole := bytes.TrimPrefix(raw, []byte("\ufeff"))
	if bytes.IndexByte(whole, '\r') >= 0 {
		d.normal = d.appendNormal(slices.Grow(d.normal[:0], len(whole)), whole)
		whole = d.normal
	}
	d.decodeReadings(skipFromLine(whole))
	return &d.msg
}

// read reads a message, whose lines end in LF, into d.msg.
func (d *Decoder) read(data []byte) {
	d.boundaries, d.headerLeft = d.boundaries[:0], maxHeaders*d.options.MaxHeaderBytes
	e, body := d.header(data, d.typePlain, &d.msg.Header)
	d.walk(e, body, 0)
	d.msg.Links = d.links.all
	d.msg.Repairs |= d.links.repairs
}

// startClock sets the deadline for a message of that size. Messages below minTimed cannot take long.
func (d *Decoder) startClock(size int) {
	const minTimed = 64 << 10
	d.deadline, d.clockReads = time.Time{}, 0
	if size >= minTimed {
		d.deadline = d.clock().Add(time.Duration(d.options.MaxSeconds) * time.Second)
	}
}

// outOfTime reports whether the time for the message is up. Only every 32nd call reads the clock.
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

// maxHeaders is how many header fields of the largest size are read of a message, its parts and attached messages included.
const maxHeaders = 32

// normalise returns data with LF as the only line end. It copies data into the arena if there is a CR in it.
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
// QUIRK: lines end in CR LF. Mail on disk has LF, and broken gateways leave CR CR LF or a bare CR (bare-cr.eml).
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

// skipFromLine returns data without the "From " line that mbox files and some programs put before a header.
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

func cutLine(data []byte) (line, rest []byte) {
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return data[:end], data[end+1:]
	}
	return data, nil
}

// walk reads the content below the header e down to its leaves. It reads data once, with a stack of the open boundaries, so
// that the work does not depend on the nesting. It calls itself only for encoded content.
func (d *Decoder) walk(e entity, data []byte, depth int) {
	base := len(d.boundaries) // the boundaries of the caller do not count in data
	for {
		var hit boundaryLine
		switch kind := e.kind(); {
		case kind == kindMultipart && d.canOpen(e, depth):
			hit = d.multipart(e, data, depth, base)
		case d.unwraps != nil:
			hit = findBoundary(data, d.boundaries[base:])
			d.unwraps(e, data[:hit.start])
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

		for hit.closing { // continue in the enclosing multipart, after its epilogue
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

// multipart opens the multipart e and returns where its first part starts. A multipart without parts is read as text.
//
// QUIRK: the content of a multipart is not encoded; only its parts are. Some programs encode all of it
// (encoded-multipart.eml), and many more declare that they did.
func (d *Decoder) multipart(e entity, data []byte, depth, base int) boundaryLine {
	own := len(d.boundaries) - base
	inner := d.typePlain
	if string(e.mediaType) == "multipart/digest" {
		inner = d.typeMessage
	}
	d.boundaries = append(d.boundaries, boundary{e.boundary, depth + 1, inner})
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

// innerContent returns the content of an encoded message or multipart. It counts as text of the message: otherwise thirty
// messages, each in the next, would be decoded thirty times.
func (d *Decoder) innerContent(e entity, body []byte) []byte {
	body = d.content(e, body)
	d.textLeft -= len(body)
	return body
}

// canOpen reports whether the parts of the multipart e can be read.
func (d *Decoder) canOpen(e entity, depth int) bool {
	if len(e.boundary) == 0 {
		d.msg.Repairs.add(MissingBoundary)
		return false
	}
	return d.fitsDepth(depth)
}

// fitsDepth reports whether an entity at that depth may hold another one.
func (d *Decoder) fitsDepth(depth int) bool {
	if depth >= d.options.MaxDepth {
		d.msg.Repairs.add(CutDepth)
		return false
	}
	return true
}

// closeTo closes all boundaries but the first n. Their closing lines are missing.
func (d *Decoder) closeTo(n int) {
	if len(d.boundaries) > n {
		d.msg.Repairs.add(UnclosedMultipart)
		d.boundaries = d.boundaries[:n]
	}
}

// addLeaf adds a part, its text, and the files inside of its text.
func (d *Decoder) addLeaf(e entity, body []byte) {
	const large = 1 << 20
	if len(d.arena) > large { // old text must not be copied each time the arena grows
		d.arena = nil
	}
	kind := e.kind()
	part := Part{
		Type: e.mediaType, Charset: e.charset, Encoding: e.encoding, Filename: e.filename,
		Attachment: e.attachment || kind == kindFile,
	}
	if e.transfer == transferUUencode && len(part.Filename) == 0 {
		_, _, name, _ := findUUBegin(body)
		part.Filename = d.toUTF8(name, nil, false)
	}
	if !d.hasRoom() {
		return
	}
	d.inlineFiles, d.frames = d.inlineFiles[:0], d.frames[:0]
	d.page.runsScripts = part.Attachment
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
	d.page.runsScripts = false
	for _, file := range d.inlineFiles {
		d.addFile(file, e.charset)
	}
	d.readFrames()
	d.textLeft = min(d.textLeft, left) // what was read counts, even if it was dropped
}

// hasRoom reports whether the message may have one more part.
func (d *Decoder) hasRoom() bool {
	if len(d.msg.Parts) < d.options.MaxParts {
		return true
	}
	d.msg.Repairs.add(CutParts)
	return false
}

// readText sets the text of a part and adds its links to the message. It moves the files that plain text contains to
// d.inlineFiles. It returns how much text it read.
func (d *Decoder) readText(part *Part, e entity, body []byte, isHTML bool) (read int) {
	encoded := body
	body = d.content(e, body)
	read = len(body)
	if isNoise(body) {
		if isFileOf(body) && !hasWords(body) && !isMostlyUTF8(body, false) {
			if bytes.HasPrefix(body, []byte("%PDF-")) {
				d.showContent(part, formatPDF, body, nil)
			} else {
				part.Attachment = true
			}
			return read
		}
		if e.transfer == transferBase64 {
			d.msg.Repairs.add(BadBase64)
			start := len(d.arena)
			d.arena = append(append(append(d.arena, d.cutText(encoded)...), '\n'), body...)
			body = d.arena[start:len(d.arena):len(d.arena)]
		}
	}
	if !isHTML && looksLikeHTML(body) {
		d.msg.Repairs.add(UndeclaredHTML)
		isHTML = true
	}
	plain := d.isPlain(body, e.charset)
	if !isHTML {
		body = d.takeFiles(body, !plain && !e.isEncoded())
	}
	if !plain {
		body = d.convert(body, e.charset, isHTML)
	}
	if e.delSp && !isHTML {
		body = d.joinFlowed(body)
	}
	d.setText(part, body, isHTML)
	return read
}

// setText sets the visible and the hidden text of part to those of body, and adds the links to the message.
func (d *Decoder) setText(part *Part, body []byte, isHTML bool) {
	body = d.cutText(body)
	d.textLeft -= len(body)
	if isHTML {
		body, part.Hidden = d.readPage(part, body)
		part.Hidden = d.takeURLs(part.Hidden)
	}
	part.Text = d.takeURLs(body)
	if part.Text == nil {
		part.Text = []byte{} // not nil, since the part is a text
	}
}

// readPage reads HTML. It adds what it finds to the message, and counts the images and the markup of part.
func (d *Decoder) readPage(part *Part, source []byte) (text, hidden []byte) {
	text, hidden = d.page.read(source)
	found := &d.page.found
	d.msg.Marks |= found.marks
	d.msg.Repairs |= d.page.repairs
	part.Markup += len(source) - found.textBytes
	part.Images += found.images
	d.addFrames(found.frames)
	return text, hidden
}

// cutText cuts text at the limit of the message.
func (d *Decoder) cutText(text []byte) []byte {
	if len(text) > d.textLeft {
		d.msg.Repairs.add(CutText)
		text = cutRunes(text, d.textLeft)
	}
	return text
}

// cutRunes returns about n bytes of text, without cutting a character in two.
func cutRunes(text []byte, n int) []byte {
	end := n
	for end > 0 && end > n-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
