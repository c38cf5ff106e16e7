package message

import "bytes"

// frame is HTML inside of HTML: the content of a frame.
type frame struct {
	content  []byte
	hiddenBy Marks // why it is hidden
	depth    int   // how many frames it is in, including itself
}

// addFrames keeps the frames of a page as far as the limits allow.
func (d *Decoder) addFrames(frames []frame) {
	for _, f := range frames {
		if f.depth = d.frameDepth + 1; f.depth > d.options.MaxDepth {
			d.repairs.add(CutDepth)
			return
		}
		if len(d.msg.Parts)+len(d.frames) >= d.options.MaxParts {
			d.repairs.add(CutParts)
			return
		}
		d.frames = append(d.frames, f)
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
	links := len(d.links.all)
	d.showContent(&part, formatHTML, f.content, nil)
	if f.hiddenBy != 0 && hasWord(part.Text) {
		d.msg.Marks |= f.hiddenBy
		part.Hidden = bytes.Join([][]byte{part.Hidden, part.Text}, []byte("\n"))
		part.Text = []byte{}
	}
	if hasWord(part.Text) || hasWord(part.Hidden) || len(d.links.all) > links {
		d.msg.Parts = append(d.msg.Parts, part)
	}
}
