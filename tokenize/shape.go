package tokenize

import (
	"bytes"
	"math/bits"
	"strconv"

	"chaff/message"
)

const (
	maxRatio   = 1 << 10 // beyond it the ratio of markup to text tells nothing more
	littleText = 100     // bytes of text, beside images, that are next to none
)

// shape looks at what the HTML and the images of a message are like. If the options want it, it emits how many images it
// shows and how many bytes of markup come on one of visible text, both as the largest power of two in them.
func (t *Tokenizer) shape(parts []message.Part) {
	markup, text, shown, images := 0, 0, 0, 0
	for i := range parts {
		p := &parts[i]
		text += len(p.Text)
		if p.Markup > 0 {
			shown += len(p.Text)
		}
		markup += p.Markup
		images += p.Images
		if bytes.HasPrefix(p.Type, []byte("image/")) {
			images++
		}
	}
	if t.options.Shape && markup > 0 {
		t.count("html:images:", images)
		t.count("html:markup:", min(markup/max(shown, 1), maxRatio))
	}
	if images > 0 && text < littleText {
		t.seen.add(imageOnly)
	}
}

// count emits a term for a number: 0, or the largest power of two in it.
func (t *Tokenizer) count(tag string, n int) {
	if n > 0 {
		n = 1 << (bits.Len(uint(n)) - 1)
	}
	t.term = strconv.AppendInt(append(t.term[:0], tag...), int64(n), 10)
	t.put(t.term, nil)
}
