package message

import (
	"bytes"

	"chaff/internal/ascii"
)

// frame is a document inside of HTML: the content of a frame, or a "data:" URL.
type frame struct {
	mediaType, charset []byte
	format             format
	content            []byte
	escaped            bool // the content is percent-encoded
	base64             bool
	hiddenBy           Marks // why it is hidden
	depth              int   // how many frames it is in, including itself
}

// addFrame keeps a copy of a document inside of the current HTML. It is read after that HTML, so that nested frames need no
// stack.
func (d *Decoder) addFrame(f frame) {
	f.depth = d.frameDepth + 1
	if f.depth > d.options.MaxDepth {
		d.msg.Repairs.add(CutDepth)
		return
	}
	if len(d.msg.Parts)+len(d.frames) >= d.options.MaxParts {
		d.msg.Repairs.add(CutParts)
		return
	}
	start := len(d.links)
	d.links = append(d.links, f.content...)
	f.content = d.links[start:len(d.links):len(d.links)]
	d.frames = append(d.frames, f)
}

// addData keeps the document in a URL "data:text/html;base64,...". It ignores images and other files.
func (d *Decoder) addData(address []byte) {
	address = bytes.TrimSpace(address)
	const scheme = "data:"
	if !ascii.HasPrefixFold(address, scheme) {
		return
	}
	declared, content, _ := bytes.Cut(address[len(scheme):], []byte(","))
	f := frame{content: content, escaped: true}
	token, params := cutToken(declared)
	mediaType := d.lowerLink(token)
	switch major, minor, _ := bytes.Cut(mediaType, []byte("/")); {
	case string(minor) == "html", string(minor) == "xhtml+xml", string(minor) == "svg+xml", string(minor) == "xml":
		f.format = formatHTML
	case string(minor) == "pdf":
		f.format = formatPDF
	case string(major) == "text", len(mediaType) == 0:
		f.format = formatText
	default:
		return
	}
	f.mediaType = mediaType
	for param := range bytes.SplitSeq(params, []byte(";")) {
		param = bytes.TrimSpace(param)
		if ascii.HasPrefixFold(param, "charset=") {
			f.charset = d.lowerLink(param[len("charset="):])
		}
		f.base64 = f.base64 || ascii.EqualFold(param, "base64")
	}
	d.addFrame(f)
}

// lowerLink returns the visible ASCII of b in lower case, in d.links.
func (d *Decoder) lowerLink(b []byte) []byte {
	start := len(d.links)
	for _, c := range b {
		if ' ' < c && c < 0x7f {
			d.links = append(d.links, ascii.Lower(c))
		}
	}
	return d.links[start:len(d.links):len(d.links)]
}

// hideFrames marks the frames from first on as hidden if the element e hides them.
func (d *Decoder) hideFrames(first int, e *element) {
	if e.appearance.Removed == 0 && !e.appearance.Invisible && !e.closed {
		return
	}
	for i := range d.frames[first:] {
		d.frames[first+i].hiddenBy = e.hiddenBy
	}
}

// readFrames adds a part for each frame that contains text or links, and for the frames in it.
func (d *Decoder) readFrames() {
	for i := 0; i < len(d.frames) && d.hasRoom(); i++ {
		d.readFrame(d.frames[i])
	}
	d.frames, d.frameDepth = d.frames[:0], 0
}

func (d *Decoder) readFrame(f frame) {
	d.frameDepth = f.depth
	content := f.content
	if f.escaped {
		content = d.unpacked(content, f.base64)
	}
	if len(f.mediaType) == 0 {
		f.mediaType = d.typePlain
	}
	part := Part{Type: f.mediaType, Charset: f.charset}
	links := len(d.msg.Links)
	d.showContent(&part, f.format, content, f.charset)
	if f.hiddenBy != 0 && hasWord(part.Text) {
		d.msg.Marks |= f.hiddenBy
		part.Hidden = bytes.Join([][]byte{part.Hidden, part.Text}, []byte("\n"))
		part.Text = []byte{}
	}
	if hasWord(part.Text) || hasWord(part.Hidden) || len(d.msg.Links) > links {
		d.msg.Parts = append(d.msg.Parts, part)
	}
}

// unpacked returns the content of a "data:" URL.
func (d *Decoder) unpacked(content []byte, isBase64 bool) []byte {
	start := len(d.arena)
	d.arena, _ = appendUnescaped(d.arena, content, '%')
	content = d.arena[start:len(d.arena):len(d.arena)]
	if isBase64 {
		start = len(d.arena)
		d.arena, _ = appendBase64(d.arena, content)
		content = d.arena[start:len(d.arena):len(d.arena)]
	}
	return content
}
