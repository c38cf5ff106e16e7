package sections

import (
	"io"
	"slices"
)

// Ahead reads parts of a file in ascending order. While the parts lie close together it reads more and more bytes at once.
type Ahead struct {
	from       io.ReaderAt
	start, end int64 // in the file
	buffer     *[]byte
	size       int   // of what the buffer has
	at         int64 // where this is, from start
}

// maxAhead is how many bytes are read at once while the parts lie close together.
const maxAhead = 16 << 10

// NewAhead returns a reader of the bytes of a file from start to end. Readers that are used one after the other may share a buffer.
func NewAhead(from io.ReaderAt, start, end int64, buffer *[]byte) Ahead {
	return Ahead{from: from, start: start, end: end, buffer: buffer}
}

// Read returns n bytes at an offset from the start. They are valid until the next call. The error is [io.EOF] for bytes behind the end.
func (a *Ahead) Read(at int64, n int) ([]byte, error) {
	if at < 0 || int64(n) > a.end-a.start-at {
		return nil, io.EOF
	}
	skip, size := at-a.at, n
	switch behind := skip - int64(a.size); {
	case skip >= 0 && behind+int64(n) <= 0:
		return (*a.buffer)[skip:][:n], nil
	case behind >= 0 && behind <= int64(a.size):
		size = max(n, min(2*a.size, maxAhead))
	}
	a.at, a.size = at, int(min(int64(size), a.end-a.start-at))
	*a.buffer = slices.Grow((*a.buffer)[:0], max(a.size, maxAhead))[:a.size]
	if _, err := a.from.ReadAt(*a.buffer, a.start+at); err != nil {
		a.size = 0
		return nil, err
	}
	return (*a.buffer)[:n], nil
}
