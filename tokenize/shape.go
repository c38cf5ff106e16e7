package tokenize

import (
	"bytes"
	"math/bits"
	"strconv"

	"chaff/message"
)

const (
	maxRatio   = 1 << 10 // the largest ratio of markup to text that is counted
	littleText = 100     // bytes of text below which a message with images is image-only
)

// shape marks a message of images only. If the options say so, it also emits the number of images and the ratio of markup to visible text.
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
