// Package pdftext extracts the text and the links of a PDF.
package pdftext

import (
	"bytes"
	"compress/flate"
	"encoding/ascii85"
	"io"
	"strconv"

	"chaff/internal/ascii"
)

// Limits bounds the cost of PDFs. Extract subtracts what it used from Packed and Unpacked, so that several PDFs can share
// them.
type Limits struct {
	Text     int // bytes of text, at which reading stops
	Packed   int // bytes of compressed streams to unpack
	Unpacked int // bytes of unpacked streams
}

// Extract returns the visible and the hidden text of a PDF. It calls link with the URI of each link, which is valid during
// the call.
//
// Of ISO 32000 it knows what that takes: objects, found by their first lines because the table at the end is often damaged;
// streams in Flate and base 85; the maps of fonts to Unicode. It reads no encrypted PDF.
//
// No library does this: those that are maintained unpack without a limit, and refuse what viewers repair.
func Extract(data []byte, limits *Limits, link func(uri []byte)) (text, hidden []byte) {
	r := &reader{limits: limits, link: link, byNumber: map[int]*object{}, fonts: map[string]*object{}, glyphsLeft: maxGlyphs}
	r.scan(data)
	// Programs use the same name for a font on all pages, and Contents for the streams that are those of a page.
	for _, ref := range r.references {
		o := r.byNumber[ref.number]
		if o == nil {
			continue
		}
		if string(ref.name) == "Contents" {
			o.isOther = false
		}
		if o.isFont && r.fonts[string(ref.name)] == nil {
			r.fonts[string(ref.name)] = o
		}
	}
	c := content{reader: r}
	for _, o := range r.objects {
		if !o.isOther && !c.isFull() {
			c.read(r.unpack(o))
		}
	}
	return c.out, c.hidden
}

const (
	// maxObjects is how many objects of a PDF, and how many references in them, are read.
	maxObjects = 1 << 15
	// maxGlyphs is how many glyphs of a PDF are mapped to Unicode, for all fonts together.
	maxGlyphs = 1 << 16
)

// reader reads one PDF.
type reader struct {
	limits     *Limits
	link       func(uri []byte)
	inflater   io.Reader // made when first needed
	objects    []*object
	byNumber   map[int]*object
	references []reference
	fonts      map[string]*object // by name
	glyphsLeft int                // how many of maxGlyphs are left
}

type object struct {
	stream    []byte // its content, nil if there is none
	filters   []filter
	isPacked  bool // it contains objects
	isOther   bool // an image, a font, objects, or another stream for programs
	isFont    bool
	isWide    bool // a font whose codes have more than one byte
	toUnicode int  // the number of the stream that maps the codes of a font to Unicode, 0 if there is none
	first     int  // the offset of the first object in it
	isRead    bool // as a map of glyphs
	glyphs    *glyphMap
}

// reference is a reference to an object under a name.
type reference struct {
	name   []byte
	number int
}

// filter decodes the content of a stream.
type filter func(r *reader, content []byte) []byte

// scan adds the objects of a PDF in order.
func (r *reader) scan(data []byte) {
	from, stream, end, streamEnd := -1, -1, -1, -1 // the next "obj", "stream", "endobj" and "endstream"
	for at := 0; len(r.objects) < maxObjects; {
		if from = ascii.Next(data, []byte("obj"), from, at); from == len(data) {
			return
		}
		at = from + len("obj")
		number, err := objectNumber(data[:from])
		if err != nil {
			continue
		}
		stream, end = ascii.Next(data, []byte("stream"), stream, at), ascii.Next(data, []byte("endobj"), end, at)
		o := r.addObject(number, data[at:min(stream, end)])
		if at = min(stream, end); at != stream || stream == len(data) {
			continue
		}
		content := bytes.TrimLeft(data[stream:][len("stream"):], " ")
		content = bytes.TrimPrefix(bytes.TrimPrefix(content, []byte("\r")), []byte("\n"))
		start := len(data) - len(content)
		streamEnd = ascii.Next(data, []byte("endstream"), streamEnd, start)
		at, o.stream = streamEnd, data[start:streamEnd]
		if o.isPacked {
			r.addPacked(o)
		}
	}
}

// objectNumber returns the number of the object whose "obj" follows data: "12 0 obj".
func objectNumber(data []byte) (int, error) {
	const blanks, digits = " \t\r\n", "0123456789"
	withoutGeneration := bytes.TrimRight(bytes.TrimRight(data, blanks), digits)
	rest := bytes.TrimRight(withoutGeneration, blanks)
	return strconv.Atoi(string(rest[len(bytes.TrimRight(rest, digits)):]))
}

// addObject adds an object without its stream. Names and values count wherever they stand in it.
func (r *reader) addObject(number int, data []byte) *object {
	o := &object{}
	r.objects, r.byNumber[number] = append(r.objects, o), o
	lex := lexer{data: data}
	var key []byte         // the last name
	var numbers [2]float64 // the last two
	depth := 0
	for t := lex.next(); t != tokenEnd; t = lex.next() {
		switch t {
		case tokenName:
			if depth == 1 {
				o.describe(key, lex.text)
			}
			key = lex.text
			if lex.escaped {
				key = bytes.Clone(key)
			}
		case tokenNumber:
			numbers[0], numbers[1] = numbers[1], lex.number
			if string(key) == "First" {
				o.first = int(lex.number)
			}
		case tokenString:
			isOdd := func(c rune) bool { return c < ' ' || c >= 0x7f }
			if string(key) == "URI" && !bytes.ContainsFunc(lex.text, isOdd) { // else it is encrypted
				r.link(lex.text)
			}
		case tokenWord:
			switch string(lex.text) {
			case "<<":
				depth++
			case ">>":
				depth--
			case "R":
				target := int(numbers[0])
				if string(key) == "ToUnicode" {
					o.toUnicode, o.isFont = target, true
				}
				if len(r.references) < maxObjects {
					r.references = append(r.references, reference{key, target})
				}
			}
		}
	}
	return o
}

// describe reads a name in an object. Key is the name before it.
func (o *object) describe(key, name []byte) {
	const maxFilters = 4 // of a stream that are undone: honest streams have at most two
	if f := filters[string(name)]; f != nil {
		if len(o.filters) < maxFilters {
			o.filters = append(o.filters, f)
		}
		return
	}
	switch string(name) {
	case "LZWDecode", "LZW", "DCTDecode", "DCT", "JPXDecode", "CCITTFaxDecode", "JBIG2Decode", "RunLengthDecode", "Crypt", "ASCIIHexDecode", "AHx":
		o.isOther = true
	case "ObjStm":
		o.isPacked, o.isOther = true, true
	case "Font":
		o.isFont = true
	case "Type0":
		o.isWide = true
	case "XRef", "Metadata", "Image", "Type1C", "CIDFontType0C", "OpenType":
		o.isOther = o.isOther || string(key) == "Type" || string(key) == "Subtype"
	case "Length1", "FunctionType", "ShadingType", "Alternate":
		o.isOther = true
	}
}

var filters = map[string]filter{
	"FlateDecode": (*reader).inflate, "Fl": (*reader).inflate, "ASCII85Decode": (*reader).fromASCII85, "A85": (*reader).fromASCII85,
}

// addPacked adds the objects in an object stream: pairs of a number and an offset, then the objects.
func (r *reader) addPacked(o *object) {
	data := r.unpack(o)
	if o.first < 0 || o.first > len(data) {
		return
	}
	pairs, objects := lexer{data: data[:o.first]}, data[o.first:]
	var numbers []int // of the objects, and their offsets
	for len(numbers) < 2*(maxObjects-len(r.objects)) && pairs.next() == tokenNumber {
		numbers = append(numbers, int(pairs.number))
	}
	numbers = append(numbers[:len(numbers)&^1], 0, len(objects)) // where another one would begin
	for ; len(numbers) > 2; numbers = numbers[2:] {
		from, to := numbers[1], numbers[3]
		if from < 0 || from > to || to > len(objects) {
			break
		}
		r.addObject(numbers[0], objects[from:to])
	}
}

// unpack returns the content of a stream, as far as it can be unpacked.
func (r *reader) unpack(o *object) []byte {
	content := o.stream
	for _, f := range o.filters {
		content = f(r, content)
	}
	return content
}

// fromASCII85 decodes base 85 text.
func (r *reader) fromASCII85(text []byte) []byte {
	const most = 4 // bytes for one byte of text, "z"
	text, _, _ = bytes.Cut(text, []byte("~>"))
	text = bytes.TrimPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("<~"))
	text = text[:min(len(text), r.limits.Unpacked/most)]
	content := make([]byte, len(text)+most*bytes.Count(text, []byte("z"))+most)
	n, _, _ := ascii85.Decode(content, text, true)
	r.limits.Unpacked -= n
	return content[:n]
}

// inflate unpacks content in zlib format.
func (r *reader) inflate(content []byte) []byte {
	const header = 2
	content = content[min(len(content), header):]
	content = content[:min(len(content), r.limits.Packed)]
	source := bytes.NewReader(content)
	if r.inflater == nil {
		r.inflater = flate.NewReader(source)
	} else {
		r.inflater.(flate.Resetter).Reset(source, nil)
	}
	unpacked, _ := io.ReadAll(io.LimitReader(r.inflater, int64(r.limits.Unpacked)))
	r.limits.Unpacked -= len(unpacked)
	r.limits.Packed -= len(content) - source.Len()
	return unpacked
}
