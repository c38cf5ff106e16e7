package sections

import (
	"io"
	"slices"
)

// Ahead reads parts of a file in ascending order. While the parts lie close together it reads more and more bytes at once.
type Ahead struct {
	from       io.ReaderAt
	start, end int64 // in the file
	data       []byte
	at         int64 // of data, from start
}

// maxAhead is how many bytes are read at once while the parts lie close together.
const maxAhead = 64 << 10

// NewAhead returns a reader of the bytes of a file from start to end.
func NewAhead(from io.ReaderAt, start, end int64) Ahead {
	return Ahead{from: from, start: start, end: end}
}

// Read returns n bytes at an offset from the start. They are valid until the next call. The error is [io.EOF] for bytes behind the end.
func (a *Ahead) Read(at int64, n int) ([]byte, error) {
	if at < 0 || int64(n) > a.end-a.start-at {
		return nil, io.EOF
	}
	if skip := at - a.at; skip >= 0 && skip+int64(n) <= int64(len(a.data)) {
		return a.data[skip:][:n], nil
	}
	size := n
	if gap := at - a.at - int64(len(a.data)); gap >= 0 && gap <= int64(len(a.data)) {
		size = max(n, min(2*len(a.data), maxAhead))
	}
	size = int(min(int64(size), a.end-a.start-at))
	a.data, a.at = slices.Grow(a.data[:0], size)[:size], at
	if _, err := a.from.ReadAt(a.data, a.start+at); err != nil {
		a.data = a.data[:0]
		return nil, err
	}
	return a.data[:n], nil
}
