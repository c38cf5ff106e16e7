package message

import (
	"bytes"
	"compress/flate"
	"encoding/ascii85"
	"io"
	"slices"
)

// pdf leaves in part the text of a PDF, and adds its links to the message. Of ISO 32000 it knows what that takes: objects,
// found by their first lines and not by the table at the end, which is often damaged; streams that are packed with Flate
// and in ASCII; the maps of fonts to Unicode. A PDF that is encrypted gives nothing.
//
// No library: those that are kept up unpack without a limit, and refuse what viewers repair.
func (d *Decoder) pdf(part *Part, data []byte) {
	p := d.pdfReader()
	defer p.forget()
	p.left = maxGlyphs
	p.scan(data)
	p.nameObjects()
	text := pdfText{pdf: p, out: d.lines[:0]}
	for i := range p.objects {
		if o := &p.objects[i]; o.isContent() && !text.isFull() {
			d.stream = p.unpacked(o, d.stream[:0])
			text.read(d.stream)
		}
	}
	d.lines = text.out
	if len(text.out)+len(text.hidden) == 0 {
		return
	}
	start := len(d.arena)
	d.arena = append(d.arena, text.out...)
	d.reader(part, d.arena[start:len(d.arena):len(d.arena)], false)
	part.Hidden = d.cutText(text.hidden)
	d.textLeft -= len(part.Hidden)
}

// pdfReader returns the reader of PDF.
func (d *Decoder) pdfReader() *pdfReader {
	if d.pdfs == nil {
		d.pdfs = &pdfReader{d: d, byNumber: map[int]int{}, fonts: map[string]int{}, maps: map[int]*glyphMap{}}
	}
	return d.pdfs
}

// forget makes the reader ready for the next PDF. It keeps no bytes of this one, and no map that would take long to clear.
func (p *pdfReader) forget() {
	const most = 1 << 10
	clear(p.objects)
	clear(p.refs)
	p.objects, p.refs = p.objects[:0], p.refs[:0]
	if len(p.byNumber) > most {
		p.byNumber, p.fonts, p.maps = map[int]int{}, map[string]int{}, map[int]*glyphMap{}
		return
	}
	clear(p.byNumber)
	clear(p.fonts)
	clear(p.maps)
}

const (
	// maxUnpacked is how many bytes all streams of the PDFs of a message are unpacked to.
	maxUnpacked = 4 << 20
	// maxPacked is how many bytes of them are unpacked. A stream may have a table every twelve bytes, which takes as long as
	// a thousand bytes of text, and unpack to nothing.
	maxPacked = 512 << 10
	// maxObjects is how many objects of a PDF are read, and how many references in them.
	maxObjects = 1 << 15
	// maxGlyphs is how many glyphs of a PDF are mapped to Unicode, in all fonts together.
	maxGlyphs = 1 << 16
)

// pdfReader is a PDF that is being read.
type pdfReader struct {
	d        *Decoder
	objects  []pdfObject
	byNumber map[int]int // index in objects
	refs     []pdfRef
	fonts    map[string]int    // index in objects of the font of that name
	maps     map[int]*glyphMap // by the number of the stream
	left     int               // of maxGlyphs
}

// pdfObject is what matters of an object.
type pdfObject struct {
	stream    []byte // packed, nil if there is none
	filters   [maxFilters]pdfFilter
	filtered  int  // how many filters there are
	isPacked  bool // it holds objects
	isOther   bool // a picture, a font, or another stream for programs
	isFont    bool
	isWide    bool // a font whose codes are no characters of one byte
	toUnicode int  // the number of the stream that maps the codes of a font, 0 if there is none
	first     int  // where the objects in it start
}

// isContent reports whether an object may show text.
func (o *pdfObject) isContent() bool { return o.stream != nil && !o.isPacked && !o.isOther }

// pdfRef is a reference to an object from under a name.
type pdfRef struct {
	name   []byte
	number int
}

type pdfFilter uint8

const (
	filterFlate pdfFilter = iota
	filterASCII85
	filterHex
)

// scan takes up the objects of a PDF in their order.
func (p *pdfReader) scan(data []byte) {
	find := func(what string) func([]byte) int {
		return func(text []byte) int { return bytes.Index(text, []byte(what)) }
	}
	nextObject, nextStream, nextEnd, nextEndStream := find("obj"), find("stream"), find("endobj"), find("endstream")
	var object, stream, end, endStream mark
	for at := 0; at < len(data) && len(p.objects) < maxObjects; {
		from := object.next(data, at, nextObject)
		if from == len(data) {
			return
		}
		at = from + len("obj")
		number, ok := pdfNumber(data[:from])
		if !ok {
			continue
		}
		to := min(end.next(data, at, nextEnd), stream.next(data, at, nextStream))
		o := p.object(number, data[at:to])
		at = to
		if !bytes.HasPrefix(data[to:], []byte("stream")) {
			continue
		}
		content := bytes.TrimLeft(data[to:][len("stream"):], " ")
		content = bytes.TrimPrefix(bytes.TrimPrefix(content, []byte("\r")), []byte("\n"))
		start := len(data) - len(content)
		at = max(start, endStream.next(data, start, nextEndStream))
		o.stream = data[start:at]
		if o.isPacked {
			p.packed(o)
		}
	}
}

// pdfNumber returns the number of the object whose "obj" comes after data: "12 0 obj".
func pdfNumber(data []byte) (number int, ok bool) {
	data = data[max(0, len(data)-32):]
	data = bytes.TrimRight(data, " \t\r\n")
	generation := bytes.TrimRight(data, "0123456789")
	if len(generation) == len(data) {
		return 0, false
	}
	data = bytes.TrimRight(generation, " \t\r\n")
	digits := data[len(bytes.TrimRight(data, "0123456789")):]
	if len(data) == len(generation) || len(digits) == 0 || len(digits) > 9 {
		return 0, false
	}
	for _, c := range digits {
		number = number*10 + int(c-'0')
	}
	return number, true
}

// object takes up an object without its stream. Its names and values count wherever in it they stand.
func (p *pdfReader) object(number int, data []byte) *pdfObject {
	p.objects = append(p.objects, pdfObject{})
	p.byNumber[number] = len(p.objects) - 1
	o := &p.objects[len(p.objects)-1]
	lex := pdfLexer{data: data}
	var key []byte         // the last name
	var numbers [2]float64 // the last two
	depth := 0
	for t := lex.next(); t != pdfEnd; t = lex.next() {
		switch t {
		case pdfName:
			if depth == 1 {
				o.describe(key, lex.text)
			}
			key = lex.text
			if lex.escaped {
				key = bytes.Clone(key)
			}
		case pdfNumberToken:
			numbers[0], numbers[1] = numbers[1], lex.number
			if string(key) == "First" {
				o.first = int(lex.number)
			}
		case pdfString:
			if string(key) == "URI" {
				p.link(lex.text)
			}
		case pdfWord:
			switch string(lex.text) {
			case "<<":
				depth++
				continue
			case ">>":
				depth--
				continue
			case "R":
			default:
				continue
			}
			target := int(numbers[0])
			if string(key) == "ToUnicode" {
				o.toUnicode, o.isFont = target, true
			}
			if len(p.refs) < maxObjects {
				p.refs = append(p.refs, pdfRef{key, target})
			}
		}
	}
	return o
}

// describe takes up a name in an object; key is the name before it.
func (o *pdfObject) describe(key, name []byte) {
	switch string(name) {
	case "FlateDecode", "Fl":
		o.addFilter(filterFlate)
	case "ASCII85Decode", "A85":
		o.addFilter(filterASCII85)
	case "ASCIIHexDecode", "AHx":
		o.addFilter(filterHex)
	case "LZWDecode", "LZW", "DCTDecode", "DCT", "JPXDecode", "CCITTFaxDecode", "JBIG2Decode", "RunLengthDecode", "Crypt":
		o.isOther = true
	case "ObjStm":
		o.isPacked = true
	case "Font":
		o.isFont = o.isFont || string(key) == "Type"
	case "Type0":
		o.isWide = true
	case "XRef", "Metadata", "Image", "Type1C", "CIDFontType0C", "OpenType":
		o.isOther = o.isOther || string(key) == "Type" || string(key) == "Subtype"
	case "Length1", "FunctionType", "ShadingType", "Alternate":
		o.isOther = true
	}
}

// maxFilters is how many filters of a stream are undone. No honest one has more than two.
const maxFilters = 4

func (o *pdfObject) addFilter(f pdfFilter) {
	if o.filtered == maxFilters {
		o.isOther = true
		return
	}
	o.filters[o.filtered] = f
	o.filtered++
}

// packed takes up the objects in a stream of objects: pairs of a number and an offset, then the objects.
func (p *pdfReader) packed(o *pdfObject) {
	start := len(p.d.arena)
	p.d.arena = p.unpacked(o, p.d.arena)
	data := p.d.arena[start:len(p.d.arena):len(p.d.arena)]
	first := o.first
	if first <= 0 || first > len(data) {
		return
	}
	pairs, objects := pdfLexer{data: data[:first]}, data[first:]
	number, from := -1, 0
	for len(p.objects) < maxObjects {
		if pairs.next() != pdfNumberToken {
			break
		}
		next := int(pairs.number)
		if pairs.next() != pdfNumberToken {
			break
		}
		to := int(pairs.number)
		if to < from || to > len(objects) {
			break
		}
		if number >= 0 {
			p.object(number, objects[from:to])
		}
		number, from = next, to
	}
	if number >= 0 {
		p.object(number, objects[from:])
	}
}

// unpacked appends the content of a stream to dst, as far as it can be unpacked.
func (p *pdfReader) unpacked(o *pdfObject, dst []byte) []byte {
	content := o.stream
	start := len(dst)
	for i, f := range o.filters[:o.filtered] {
		if i > 0 {
			dst = dst[:start:start] // what comes from the filter before is not written over
		}
		switch f {
		case filterFlate:
			dst = p.inflated(dst, content)
		case filterASCII85:
			dst = p.fromASCII85(dst, content)
		case filterHex:
			lex := pdfLexer{data: append([]byte("<"), content...)}
			lex.next()
			dst = append(dst, lex.text...)
		}
		content = dst[start:]
	}
	if o.filtered == 0 {
		dst = append(dst, content...)
	}
	return dst
}

// fromASCII85 appends what text in base 85 stands for, up to the limit of the message.
func (p *pdfReader) fromASCII85(dst, text []byte) []byte {
	const most = 4 // bytes for one of the text, which "z" stands for
	text, _, _ = bytes.Cut(text, []byte("~>"))
	text = bytes.TrimPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("<~"))
	text = text[:min(len(text), p.d.unpackLeft/most)]
	start := len(dst)
	dst = slices.Grow(dst, len(text)+most*bytes.Count(text, []byte("z"))+most)
	n, _, _ := ascii85.Decode(dst[start:cap(dst)], text, true)
	p.d.unpackLeft -= n
	return dst[:start+n]
}

// inflated appends what content, packed with zlib, stands for, up to the limit of the message.
func (p *pdfReader) inflated(dst, content []byte) []byte {
	const header = 2
	d := p.d
	if len(content) < header || d.unpackLeft == 0 {
		return dst
	}
	content = content[header:]
	content = content[:min(len(content), d.packedLeft)]
	source := bytes.NewReader(content)
	if d.inflater == nil {
		d.inflater = flate.NewReader(source)
	} else {
		d.inflater.(flate.Resetter).Reset(source, nil)
	}
	const chunk = 4 << 10
	for d.unpackLeft > 0 {
		if cap(dst)-len(dst) < chunk {
			dst = append(dst, make([]byte, chunk)...)[:len(dst)]
		}
		n, err := d.inflater.Read(dst[len(dst):min(cap(dst), len(dst)+d.unpackLeft)])
		dst = dst[:len(dst)+n]
		d.unpackLeft -= n
		if err != nil && err != io.ErrNoProgress || n == 0 {
			break
		}
	}
	d.packedLeft -= len(content) - source.Len()
	return dst
}

// link keeps a link of a PDF, unless it is encrypted.
func (p *pdfReader) link(uri []byte) {
	for _, c := range uri {
		if c < ' ' || c >= 0x7f {
			return
		}
	}
	p.d.addLink(LinkAnchor, uri)
}

// nameObjects finds out which names stand for fonts, and which streams are the contents of a page, whatever else they say.
// Programs give a font the same name on all pages.
func (p *pdfReader) nameObjects() {
	for _, ref := range p.refs {
		i, ok := p.byNumber[ref.number]
		if ok && string(ref.name) == "Contents" {
			p.objects[i].isOther = false
		}
		if !ok || !p.objects[i].isFont {
			continue
		}
		if _, known := p.fonts[string(ref.name)]; !known {
			p.fonts[string(ref.name)] = i
		}
	}
}
