package models

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"chaff/internal/evidence"
)

// ErrState is for bytes that are not what a learner knew.
var ErrState = errors.New("not the saved state of a learner")

// listed is a learner that lists all numbers that it knows for a codec, which writes or reads them.
type listed interface {
	// globals lists what it knows apart from terms.
	globals(c *codec)
	// term lists what it knows of a term: numbers of termSize bytes.
	term(c *codec, w int)
	termSize() int
	// terms returns the size of the vocabulary, and resize changes it. New terms have learnt nothing.
	terms() int
	resize(terms int)
}

// stored is the part of an [Online] that saves and restores it. Globals and rows are numbers of 8, 4 or 1 bytes, little-endian, in the order in
// which the learner lists them.
type stored struct {
	list  listed
	codec codec // memory
}

// Terms implements [Online].
func (l *stored) Terms() int { return l.list.terms() }

// Grow implements [Online].
func (l *stored) Grow(terms int) {
	if terms > l.list.terms() {
		l.list.resize(terms)
	}
}

// TermSize implements [Online].
func (l *stored) TermSize() int { return l.list.termSize() }

// AppendGlobals implements [Online].
func (l *stored) AppendGlobals(dst []byte) []byte {
	l.codec = codec{data: dst}
	l.list.globals(&l.codec)
	return l.codec.written()
}

// AppendTerm implements [Online].
func (l *stored) AppendTerm(dst []byte, w int) []byte {
	l.codec = codec{data: dst}
	l.list.term(&l.codec, w)
	return l.codec.written()
}

// Restore implements [Online].
func (l *stored) Restore(globals, rows []byte) error {
	if err := l.restore(globals, rows); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	return nil
}

func (l *stored) restore(globals, rows []byte) error {
	size := l.list.termSize()
	if len(rows)%size != 0 {
		return fmt.Errorf("%d bytes of rows of %d bytes", len(rows), size)
	}
	c := &l.codec
	*c = codec{data: globals, reading: true}
	l.list.globals(c)
	if c.err == nil && len(c.data) > 0 {
		c.err = fmt.Errorf("globals with %d bytes too many", len(c.data))
	}
	if c.err != nil {
		return c.err
	}
	l.list.resize(len(rows) / size)
	c.data = rows
	for w := range len(rows) / size {
		l.list.term(c, w)
	}
	err := c.err
	*c = codec{} // keeps no bytes of the caller
	return err
}

// codec writes numbers to data or reads them from it, so that a learner lists its numbers once for both. After an error it
// reads zeros.
type codec struct {
	data    []byte
	reading bool
	err     error
}

// written returns the bytes written, and forgets them.
func (c *codec) written() []byte {
	data := c.data
	c.data = nil
	return data
}

var errTruncated = errors.New("truncated")

// has reports whether so many bytes are left. Otherwise, and after an error, there is nothing to read.
func (c *codec) has(bytes int) bool {
	if c.err == nil && len(c.data) < bytes {
		c.err = errTruncated
	}
	return c.err == nil
}

func (c *codec) uint64(p *uint64) {
	if !c.reading {
		c.data = binary.LittleEndian.AppendUint64(c.data, *p)
		return
	}
	if *p = 0; c.has(8) {
		*p, c.data = binary.LittleEndian.Uint64(c.data), c.data[8:]
	}
}

func (c *codec) uint32(p *uint32) {
	if !c.reading {
		c.data = binary.LittleEndian.AppendUint32(c.data, *p)
		return
	}
	if *p = 0; c.has(4) {
		*p, c.data = binary.LittleEndian.Uint32(c.data), c.data[4:]
	}
}

func (c *codec) float(p *float64) {
	bits := math.Float64bits(*p)
	c.uint64(&bits)
	if *p = math.Float64frombits(bits); c.reading && *p-*p != 0 {
		c.err = ErrNotFinite
	}
}

func (c *codec) float32(p *float32) {
	bits := math.Float32bits(*p)
	c.uint32(&bits)
	if *p = math.Float32frombits(bits); c.reading && *p-*p != 0 {
		c.err = ErrNotFinite
	}
}

func (c *codec) floats(list []float64) {
	for i := range list {
		c.float(&list[i])
	}
}

// int is for numbers that are not negative.
func (c *codec) int(p *int) {
	n := uint64(*p)
	if c.uint64(&n); c.reading && n > math.MaxInt32 {
		c.err, n = fmt.Errorf("the number %d is out of range", n), 0
	}
	*p = int(n)
}

func (c *codec) ints(list []int) {
	for i := range list {
		c.int(&list[i])
	}
}

// varint is for small numbers that are not negative.
func (c *codec) varint(p *int) {
	if !c.reading {
		c.data = binary.AppendUvarint(c.data, uint64(*p))
		return
	}
	n, size := binary.Uvarint(c.data)
	if size <= 0 || n > math.MaxInt32 {
		c.err = cmp.Or(c.err, errTruncated)
	}
	if *p = 0; c.err == nil {
		*p, c.data = int(n), c.data[size:]
	}
}

func (c *codec) group(p *evidence.Group) {
	if !c.reading {
		c.data = append(c.data, byte(*p))
		return
	}
	if *p = 0; c.has(1) {
		*p, c.data = evidence.Group(c.data[0]), c.data[1:]
	}
	if *p >= evidence.Groups {
		c.err, *p = fmt.Errorf("a term is in the group %d", *p), 0
	}
}
