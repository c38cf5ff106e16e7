package corpus

import (
	"fmt"
	"io"
	"slices"
)

// MaxMessageBytes is the size of the largest message that is read, wherever it comes from. Mail systems take 10 MB (Postfix)
// to 50 MB, and the largest attachment that the large providers let their users send, 25 MB, makes 36 MB of a message. What
// is larger is a disk image or an archive that lies among the mail, or is sent to fill the memory. It is such that a message
// with a copy of it and all that is made of it stays below 200 MB.
const MaxMessageBytes = 36 << 20

// LargeMessageBytes is from where on a message is too large to keep the memory that it took, and for several to be worked on
// at the same time. Few messages are.
const LargeMessageBytes = 1 << 20

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
