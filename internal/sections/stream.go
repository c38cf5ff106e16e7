package sections

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Stream reads a section from its start to its end, and verifies it there: what it returns before may be damaged. It belongs to one
// goroutine.
type Stream struct {
	name   string
	format Format
	sum    uint64
	part   *io.SectionReader
	left   int64  // bytes that were not read from the file
	ahead  []byte // read and not returned
	buffer []byte
	digest *xxhash.Digest
	err    error // the first one of reading
}

// Stream returns a reader of a section.
func (r *Reader) Stream(name string) (*Stream, error) {
	e, err := r.entry(name)
	if err != nil {
		return nil, err
	}
	part := io.NewSectionReader(r.from, int64(e.offset), int64(e.size))
	return &Stream{name: name, format: r.format, sum: e.sum, part: part, left: int64(e.size), digest: xxhash.New()}, nil
}

// Left returns how many bytes Next has not returned.
func (s *Stream) Left() int64 { return s.left + int64(len(s.ahead)) }

// Next returns the next n bytes, or nil if there are fewer. They are valid until the next call.
func (s *Stream) Next(n int) []byte {
	if n < 0 || int64(n) > s.Left() || s.fill(n) < n {
		return nil
	}
	if n == 0 {
		return []byte{}
	}
	next := s.ahead[:n:n]
	s.ahead = s.ahead[n:]
	return next
}

// Uvarint returns the next number, and reports whether there is one.
func (s *Stream) Uvarint() (number uint64, ok bool) {
	s.fill(int(min(binary.MaxVarintLen64, s.Left())))
	number, size := binary.Uvarint(s.ahead)
	if size <= 0 {
		return 0, false
	}
	s.ahead = s.ahead[size:]
	return number, true
}

// fill reads ahead until there are n bytes, which are left, and returns how many there are.
func (s *Stream) fill(n int) int {
	if len(s.ahead) < n && s.err == nil {
		size := int(min(int64(max(n, bufferSize)-len(s.ahead)), s.left))
		s.buffer = append(s.buffer[:0], s.ahead...) // the same memory: it moves to the start
		s.buffer = slices.Grow(s.buffer, size)[:len(s.ahead)+size]
		read := s.buffer[len(s.ahead):]
		if _, s.err = io.ReadFull(s.part, read); s.err != nil {
			s.ahead = nil
			return 0
		}
		s.digest.Write(read)
		s.left -= int64(size)
		s.ahead = s.buffer
	}
	return len(s.ahead)
}

// Close reads what is left, and returns an error of reading or about the checksum.
func (s *Stream) Close() error {
	for s.err == nil && s.left > 0 {
		s.ahead = nil
		s.fill(1)
	}
	switch {
	case s.err == io.EOF || s.err == io.ErrUnexpectedEOF:
		return fmt.Errorf("%w: section %s", s.format.ErrTruncated, s.name)
	case s.err == nil && s.digest.Sum64() != s.sum:
		return fmt.Errorf("%w: section %s", s.format.ErrDamaged, s.name)
	}
	return s.err
}
