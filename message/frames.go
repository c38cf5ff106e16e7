package message

import "bytes"

// frame is HTML inside of HTML: the content of a frame.
type frame struct {
	content  []byte
	hiddenBy Marks // why it is hidden
	depth    int   // how many frames it is in, including itself
}

// addFrame keeps a copy of a frame inside of the current HTML. It is read after that HTML, so that nested frames need no
// stack.
func (d *Decoder) addFrame(content []byte) {
	if d.frameDepth+1 > d.options.MaxDepth {
		d.msg.Repairs.add(CutDepth)
		return
	}
	if len(d.msg.Parts)+len(d.frames) >= d.options.MaxParts {
		d.msg.Repairs.add(CutParts)
		return
	}
	start := len(d.links)
	d.links = append(d.links, content...)
	d.frames = append(d.frames, frame{content: d.links[start:len(d.links):len(d.links)], depth: d.frameDepth + 1})
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
	part := Part{Type: d.typeHTML}
	links := len(d.msg.Links)
	d.showContent(&part, formatHTML, f.content, nil)
	if f.hiddenBy != 0 && hasWord(part.Text) {
		d.msg.Marks |= f.hiddenBy
		part.Hidden = bytes.Join([][]byte{part.Hidden, part.Text}, []byte("\n"))
		part.Text = []byte{}
	}
	if hasWord(part.Text) || hasWord(part.Hidden) || len(d.msg.Links) > links {
		d.msg.Parts = append(d.msg.Parts, part)
	}
}
