package corpus

import (
	"fmt"
	"io"
	"slices"

	"chaff/internal/limits"
)

// MaxMessageBytes is [limits.MaxMessage].
const MaxMessageBytes = limits.MaxMessage

// LargeMessageBytes is [limits.LargeMessage].
const LargeMessageBytes = limits.LargeMessage

// ErrTooLarge reports a message of more than [MaxMessageBytes].
var ErrTooLarge = fmt.Errorf("more than %d bytes are too large for a message", MaxMessageBytes)

// AppendMessage appends all of r to dst, up to [MaxMessageBytes] in total. If r has more, it returns [ErrTooLarge] and what it has
// read: one byte more than the limit. The rest stays in r.
func AppendMessage(dst []byte, r io.Reader) ([]byte, error) {
	for {
		if len(dst) == cap(dst) {
			// Above LargeMessageBytes, dst grows once to the limit: pages that are not written to take no memory.
			room := MaxMessageBytes + 1 - len(dst)
			if len(dst) < LargeMessageBytes {
				room = min(room, max(len(dst), 4<<10))
			}
			dst = slices.Grow(dst, room)
		}
		n, err := r.Read(dst[len(dst):min(cap(dst), MaxMessageBytes+1)])
		dst = dst[:len(dst)+n]
		switch {
		case len(dst) > MaxMessageBytes:
			return dst, ErrTooLarge
		case err == io.EOF:
			return dst, nil
		case err != nil:
			return dst, err
		}
	}
}
