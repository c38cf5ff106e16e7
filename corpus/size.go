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

// ErrTooLarge is for what is larger than MaxMessageBytes.
var ErrTooLarge = fmt.Errorf("more than %d bytes are too large for a message", MaxMessageBytes)

// AppendMessage appends what r holds to dst, up to MaxMessageBytes in all. If there is more, the error is [ErrTooLarge], and
// the result is what was read so far, one byte more than the limit; what follows is still to be read from r.
func AppendMessage(dst []byte, r io.Reader) ([]byte, error) {
	for {
		if len(dst) == cap(dst) {
			// To grow further step by step would take several times the memory; memory that is not written to takes none.
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
