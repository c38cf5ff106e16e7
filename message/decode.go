package message

import (
	"bytes"
	"cmp"
	"slices"
	"time"
	"unicode/utf8"

	"chaff/internal/ascii"
	"chaff/internal/lines"
	"chaff/internal/pdftext"
)

const (
	// MaxSize is the size in bytes of the largest message that chaff reads. Mail systems accept 10 MB (Postfix) to 50 MB, and an attachment of
	// 25 MB, the limit of the large providers, makes a message of 36 MB. Such a message and everything derived from it fit into 200 MB.
	MaxSize = 36 << 20
	// LargeSize is the size in bytes above which chaff reads messages one at a time and frees their memory.
	LargeSize = 1 << 20
)

// Options are the limits of a [Decoder]. They bound time and memory on hostile mail; ordinary mail stays below all of them. Those of depth and parts are
// those of Dovecot (https://doc.dovecot.org, limits): what an IMAP server does not tell its clients of, they do not show.
type Options struct {
	// MaxDepth is how deep parts and attached messages may nest; deeper ones are read as plain text. From 1 to 1000;
	// zero means the default. Default 100.
	MaxDepth int `json:"max_depth" range:"0, or from 1 to 1000"`
	// MaxParts is how many parts of a message are read. From 1 to 1000000; zero means the default. Default 10000.
	MaxParts int `json:"max_parts" range:"0, or from 1 to 1000000"`
	// MaxTextBytes is how many bytes of decoded text, HTML with its tags, are read of all parts together. From 1 to
	// 1073741824 (1 GiB); zero means the default. Default 4194304.
	MaxTextBytes int `json:"max_text_bytes" range:"0, or from 1 to 1073741824"`
	// MaxHeaderBytes is how many bytes of a header field are read. From 1 to 16777216 (16 MiB); zero means the
	// default. Default 65536.
	MaxHeaderBytes int `json:"max_header_bytes" range:"0, or from 1 to 16777216"`
	// MaxHeaderFields is how many header fields are kept, those of attached messages included. From 1 to 1000000; zero
	// means the default. Default 1000.
	MaxHeaderFields int `json:"max_header_fields" range:"0, or from 1 to 1000000"`
	// MaxSeconds is how many seconds decoding a message may take; the rest is dropped. The other limits keep all mail
	// far below it, so that results do not depend on the machine. From 1 to 3600; zero means the default. Default 60.
	MaxSeconds int `json:"max_seconds" range:"0, or from 1 to 3600"`
}

// DefaultOptions returns the default limits.
func DefaultOptions() Options { return NewDecoder(Options{}).options }

// Decoder decodes messages one after the other. It reuses its memory, which grows to what the largest message needs, and belongs
// to one goroutine.
type Decoder struct {
	headers
	normal        []byte                      // the current message with LF as the only line end
	boundaries    []boundary                  // of the open multiparts
	leaf          func(e entity, body []byte) // takes each leaf: its texts and files
	wholeMessages bool                        // attached messages are leaves, too
	fileLeft      int                         // what is left of maxFileBytes, so that a large file leaves room for the text after it
	pdfLimits     pdftext.Limits
	page          page
}

// NewDecoder returns a Decoder with the limits o, which must be valid. Zero limits mean the defaults.
func NewDecoder(o Options) *Decoder {
	d := &Decoder{}
	limit := func(given, usual int) int { return cmp.Or(max(given, 0), usual) }
	d.options = Options{
		MaxDepth: limit(o.MaxDepth, 100), MaxParts: limit(o.MaxParts, 10_000), MaxTextBytes: limit(o.MaxTextBytes, 4<<20),
		MaxHeaderBytes: limit(o.MaxHeaderBytes, 64<<10), MaxHeaderFields: limit(o.MaxHeaderFields, 1000), MaxSeconds: limit(o.MaxSeconds, 60),
	}
	d.clock = time.Now
	d.leaf, d.page.out = d.addLeaf, &d.texts
	return d
}

// Decode decodes one message. It never fails and does not change raw. The result may share memory with raw; it is valid
// until the next Decode.
func (d *Decoder) Decode(raw []byte) *Message {
	const minTimed = 64 << 10 // bytes of the least message that has a deadline: smaller ones cannot take long
	d.msg = Message{Header: d.msg.Header[:0], Attached: d.msg.Attached[:0], Parts: d.msg.Parts[:0], Links: d.msg.Links[:0]}
	d.left, d.fileLeft = d.options.MaxTextBytes, maxFileBytes
	d.pdfLimits = pdftext.Limits{Packed: maxPacked, Unpacked: maxUnpacked}
	d.arena = d.arena[:0]
	d.page.text, d.page.hidden = d.page.text[:0], d.page.hidden[:0]
	d.deadline = time.Time{}
	if len(raw) >= minTimed {
		d.deadline = d.clock().Add(time.Duration(d.options.MaxSeconds) * time.Second)
	}

	whole := raw
	if bytes.IndexByte(whole, '\r') >= 0 { // not in the arena, which would be copied with it when it grows
		d.normal = d.appendNormal(slices.Grow(d.normal[:0], len(whole)), whole)
		whole = d.normal
	}
	whole = skipFromLine(whole)
	d.takesLast, d.isAmbiguous = false, false
	e, body := d.header(whole, typePlain, &d.msg.Header)
	d.walk(e, body, 0)
	if d.isAmbiguous {
		d.readAgain(whole)
	}
	return &d.msg
}

// readAgain reads a message by the last of two values that contradict each other, and adds what that shows to what the first has shown.
//
// QUIRK: a field and a parameter occur once. Of two, some programs take the first and some the last, so a sender can show
// one text to a filter and another to people. Both readings share the limits.
func (d *Decoder) readAgain(data []byte) {
	first := d.msg
	d.msg, d.takesLast = Message{}, true
	e, body := d.header(data, typePlain, &d.msg.Header)
	d.walk(e, body, 0)
	further := d.msg
	d.msg = first
	d.msg.Repairs |= further.Repairs&Cuts | 1<<Contradiction
	d.msg.Marks |= further.Marks
	key := func(pieces ...[]byte) string { return string(bytes.Join(pieces, []byte{0})) }
	d.msg.Parts = appendNew(first.Parts, further.Parts, func(p *Part) string {
		if p.Text == nil {
			return key(p.Filename, p.Type)
		}
		return key([]byte("text"), p.Filename, p.Text, p.Hidden) // whatever its type
	})
	d.msg.Links = appendNew(first.Links, further.Links, func(l *Link) string { return key([]byte{byte(l.Kind)}, l.URL, l.Text) })
	d.msg.Attached = appendNew(first.Attached, further.Attached, func(f *Field) string { return key(f.Name, f.Value) })
	if most := d.options.MaxParts; len(d.msg.Parts) > most {
		d.msg.Parts = d.msg.Parts[:most]
		d.msg.Repairs.Add(CutParts)
	}
	if most := d.options.MaxHeaderFields - len(first.Header); len(d.msg.Attached) > most {
		d.msg.Attached = d.msg.Attached[:most]
		d.msg.Repairs.Add(CutHeader)
	}
}

// appendNew appends the further items that are not among items.
func appendNew[T any](items, further []T, key func(*T) string) []T {
	known := map[string]bool{}
	for i := range items {
		known[key(&items[i])] = true
	}
	for i := range further {
		if k := key(&further[i]); !known[k] {
			known[k] = true
			items = append(items, further[i])
		}
	}
	return items
}

// normalise returns data with LF as the only line end. It copies data into the arena if there is a CR in it.
//
// QUIRK: lines end in CR LF. Mail on disk has LF, and broken gateways leave CR CR LF or a bare CR (bare-cr.eml).
func (t *texts) normalise(data []byte) []byte {
	if bytes.IndexByte(data, '\r') < 0 {
		return data
	}
	return t.keep(t.appendNormal(t.arena, data))
}

// appendNormal appends data with LF as the only line end.
func (t *texts) appendNormal(dst, data []byte) []byte {
	for cr := bytes.IndexByte(data, '\r'); cr >= 0; cr = bytes.IndexByte(data, '\r') {
		dst = append(append(dst, data[:cr]...), '\n')
		var isLF bool
		if data, isLF = bytes.CutPrefix(data[cr+1:], []byte("\n")); !isLF {
			t.msg.Repairs.Add(BareCR)
			data = bytes.TrimPrefix(data, []byte("\r\n"))
		}
	}
	return append(dst, data...)
}

const byteOrderMark = "\ufeff"

// skipFromLine returns data without the "From " line that mbox files and some programs put before a header, and without a byte order mark.
func skipFromLine(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	if lines.IsFromLine(data) {
		_, data, _ = bytes.Cut(data, []byte("\n"))
		data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	}
	return data
}

// addLeaf adds a part, its text, and the files inside of its text.
func (d *Decoder) addLeaf(e entity, body []byte) {
	kind := e.kind()
	part := Part{
		Type: e.mediaType, Charset: e.charset, Encoding: e.encoding, Filename: e.filename,
		Attachment: e.attachment || kind == kindFile,
	}
	if e.transfer == transferUUencode && len(part.Filename) == 0 {
		_, _, name, _ := findUUBegin(body)
		part.Filename = d.toUTF8(name, nil, false)
	}
	if len(d.msg.Parts) >= d.options.MaxParts {
		d.msg.Repairs.Add(CutParts)
		return
	}
	d.page.isXML = kind == kindFile && (string(e.mediaType) == "image/svg+xml" || ascii.HasSuffixFold(e.filename, ".svg")) ||
		string(e.mediaType) == "application/xhtml+xml"
	saved := bytes.TrimRight(e.filename, ". ") // as Windows names the file
	isPage := slices.ContainsFunc(htmlEndings[:], func(ending string) bool { return ascii.HasSuffixFold(saved, ending) })
	switch {
	case kind == kindFile:
		kind = kindOfFile(d.contentStart(e, body), &e, isPage)
	case kind == kindCalendar && !bytes.Contains(bytes.ToLower(d.contentStart(e, body)), []byte("begin:v")): // most programs show it as it stands
		kind = kindText
	}
	if kind != kindFile {
		d.renew(2 * min(len(body), d.left)) // decoded, and as UTF-8
	}
	var files []entity
	d.page.runsScripts, d.page.frames, d.page.depth = part.Attachment, d.page.frames[:0], 0
	left := d.left
	switch kind {
	case kindFile:
	case kindCalendar:
		d.calendar(&part, d.content(e, body, d.left), e.charset)
	case kindPDF:
		content := d.content(e, body[:min(len(body), d.fileLeft)], d.fileLeft)
		d.fileLeft -= len(content)
		d.pdf(&part, content)
	default:
		var read int
		read, files = d.readText(&part, e, body, kind == kindHTML || isPage)
		left -= read
	}
	d.msg.Parts = append(d.msg.Parts, part)
	d.page.runsScripts, d.page.isXML = false, false
	d.readFrames()
	for _, f := range files {
		d.addLeaf(f, f.content) // which may contain files
	}
	d.left = min(d.left, left) // what was read counts, even if it was dropped
}

// readText sets the text of a part and adds its links to the message. It returns how much text it read, and the files that plain text contains.
func (d *Decoder) readText(part *Part, e entity, body []byte, isHTML bool) (read int, files []entity) {
	encoded := body
	body = d.content(e, body, d.left)
	read = len(body)
	if string(e.mediaType) == "text/x-amp-html" { // mail programs remove the sheet that hides the page until its scripts run
		body = bytes.Replace(body, []byte("<style amp4email-boilerplate>body{visibility:hidden}</style>"), nil, 1)
	}
	declared := d.codec(e.charset)
	isWide := declared != nil && declared.mark == markWide // UTF-16 or UTF-32, of whose letters a byte may be a control character
	if isNoise(body) && !isWide && !hasOrderMark(body) {
		isPDF := bytes.HasPrefix(body, []byte("%PDF-")) && (!isHTML || part.Attachment && ascii.HasSuffixFold(e.filename, ".pdf")) // else browsers show a page
		isKnown := slices.Contains(fileKinds, kindOf(body[:min(len(body), sniffBytes)]))
		if (isPDF || !isHTML && isKnown) && !hasWords(body) && !isMostlyUTF8(body, false) && !declared.isRather(body) {
			if isPDF {
				d.pdf(part, body)
			} else {
				part.Attachment = true
			}
			if !isHTML || part.Text != nil {
				return read, nil
			}
		}
		if e.transfer == transferBase64 {
			d.msg.Repairs.Add(BadBase64)
			body = d.keep(append(append(append(d.arena, d.cutText(encoded, d.left)...), '\n'), body...))
		}
	}
	if string(e.mediaType) == "text/enriched" || string(e.mediaType) == "text/richtext" {
		isHTML = isRich(body)
	}
	isUndeclared := !isHTML && hasTag(body, "html", "body") // QUIRK: HTML is declared as text/html. It is also sent as text/plain (html-as-plain.eml).
	if isUndeclared {
		d.msg.Repairs.Add(UndeclaredHTML)
		isHTML = true
	}
	if !isHTML {
		body, files = d.takeFiles(body)
	}
	body = d.toUTF8(body, e.charset, isHTML)
	if e.delSp && !isHTML {
		body = d.joinFlowed(body)
	}
	d.setText(part, body, isHTML)
	if isUndeclared { // most programs show it as it stands, with its comments and attributes
		page := part.Text
		d.setText(part, body, false)
		part.Text = d.keep(append(append(append(d.arena, page...), '\n'), part.Text...))
	}
	return read, files
}

// setText sets the visible and the hidden text of part to those of body, and adds the links to the message. Of HTML it counts the images.
func (d *Decoder) setText(part *Part, body []byte, isHTML bool) {
	body = d.cutText(body, d.left)
	d.left -= len(body)
	if isHTML {
		body, part.Hidden = d.page.read(body)
		part.Images += d.page.images
		part.Hidden = d.takeURLs(part.Hidden)
	}
	if part.Text = d.takeURLs(body); part.Text == nil {
		part.Text = []byte{} // not nil, since the part is a text
	}
}

// frame is HTML inside of HTML: the content of a frame.
type frame struct {
	content  []byte
	hiddenBy Marks // why it is hidden
	depth    int   // how many frames it is in, including itself
}

// readFrames adds a part for each frame of the page that contains text or links, and for the frames in it.
func (d *Decoder) readFrames() {
	for i := 0; i < len(d.page.frames); i++ {
		f := d.page.frames[i]
		switch {
		case f.depth > d.options.MaxDepth:
			d.msg.Repairs.Add(CutDepth)
			continue
		case max(i, len(d.msg.Parts)) >= d.options.MaxParts:
			d.msg.Repairs.Add(CutParts)
			return
		}
		d.page.depth = f.depth
		part := Part{Type: typeHTML}
		links := len(d.msg.Links)
		d.setText(&part, f.content, true)
		if f.hiddenBy != 0 && hasWord(part.Text) {
			d.msg.Marks |= f.hiddenBy
			part.Hidden = bytes.Join([][]byte{part.Hidden, part.Text}, []byte("\n"))
			part.Text = []byte{}
		}
		if hasWord(part.Text) || hasWord(part.Hidden) || len(d.msg.Links) > links {
			d.msg.Parts = append(d.msg.Parts, part)
		}
	}
}

// cutText cuts text that is longer than most bytes.
func (t *texts) cutText(text []byte, most int) []byte {
	if len(text) > most {
		t.msg.Repairs.Add(CutText)
		text = CutRunes(text, most)
	}
	return text
}

// CutRunes returns at most n bytes of text, without cutting a character in two.
func CutRunes(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	end := n
	for end > 0 && end > n-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
