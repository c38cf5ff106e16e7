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

// state lists all numbers that a learner knows for a codec, which writes or reads them.
type state interface {
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
	state
	codec codec // memory
}

// Terms implements [Online].
func (l *stored) Terms() int { return l.state.terms() }

// Grow implements [Online].
func (l *stored) Grow(terms int) {
	if terms > l.state.terms() {
		l.state.resize(terms)
	}
}

// TermSize implements [Online].
func (l *stored) TermSize() int { return l.state.termSize() }

// AppendGlobals implements [Online].
func (l *stored) AppendGlobals(dst []byte) []byte {
	return l.written(dst, l.state.globals)
}

// AppendTerm implements [Online].
func (l *stored) AppendTerm(dst []byte, w int) []byte {
	return l.written(dst, func(c *codec) { l.state.term(c, w) })
}

// written appends what list lists.
func (l *stored) written(dst []byte, list func(c *codec)) []byte {
	l.codec = codec{data: dst}
	list(&l.codec)
	dst, l.codec.data = l.codec.data, nil
	return dst
}

// Restore implements [Online].
func (l *stored) Restore(globals, rows []byte) error {
	if err := l.restore(globals, rows); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	return nil
}

func (l *stored) restore(globals, rows []byte) error {
	size := l.state.termSize()
	if len(rows)%size != 0 {
		return fmt.Errorf("%d bytes of rows of %d bytes", len(rows), size)
	}
	c := &l.codec
	*c = codec{data: globals, reading: true}
	l.state.globals(c)
	if c.err == nil && len(c.data) > 0 {
		c.err = fmt.Errorf("globals with %d bytes too many", len(c.data))
	}
	if c.err != nil {
		return c.err
	}
	l.state.resize(len(rows) / size)
	c.data = rows
	for w := range len(rows) / size {
		l.state.term(c, w)
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

var errTruncated = errors.New("truncated")

// bits writes the low bytes of n, so many, or reads them.
func (c *codec) bits(n uint64, bytes int) uint64 {
	if !c.reading {
		c.data = binary.LittleEndian.AppendUint64(c.data, n)
		c.data = c.data[:len(c.data)-8+bytes]
		return n
	}
	if c.err == nil && len(c.data) < bytes {
		c.err = errTruncated
	}
	if n = 0; c.err == nil {
		for i, b := range c.data[:bytes] {
			n |= uint64(b) << (8 * i)
		}
		c.data = c.data[bytes:]
	}
	return n
}

func (c *codec) uint32(p *uint32) { *p = uint32(c.bits(uint64(*p), 4)) }

func (c *codec) float(p *float64) {
	*p = math.Float64frombits(c.bits(math.Float64bits(*p), 8))
	c.mustBeFinite(*p)
}

func (c *codec) float32(p *float32) {
	*p = math.Float32frombits(uint32(c.bits(uint64(math.Float32bits(*p)), 4)))
	c.mustBeFinite(float64(*p))
}

func (c *codec) mustBeFinite(x float64) {
	if c.reading && x-x != 0 {
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
	n := c.bits(uint64(*p), 8)
	if c.reading && n > math.MaxInt32 {
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
	if *p = evidence.Group(c.bits(uint64(*p), 1)); *p >= evidence.Groups {
		c.err, *p = fmt.Errorf("a term is in the group %d", *p), 0
	}
}
