package models

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"chaff/features"
	"chaff/internal/evidence"
)

// A saved state is, in little-endian order:
//
//	8 bytes   stateMagic, which ends in the version
//	4 bytes   length of the header
//	          header: identity as JSON
//	8 bytes   V, the number of terms
//	          globals
//	          V rows
//	4 bytes   CRC-32 (IEEE) of all bytes before
//
// Globals and rows are numbers of 8, 4 or 1 bytes, in the order in which the learner lists them.
const stateMagic = "chaffst2"

// ErrState is for bytes that are not what a learner knew.
var ErrState = errors.New("not the saved state of a learner")

// identity says which learner a state belongs to.
type identity struct {
	Model    string          `json:"model"`
	Settings json.RawMessage `json:"settings"`
	Classes  []string        `json:"classes"`
}

func (i *identity) identify(s settings, classes []string) (err error) {
	i.Model, i.Classes = nameOf(s), classes
	i.Settings, err = json.Marshal(s)
	return err
}

// savable is what NewOnline needs of a learner.
type savable interface {
	identify(s settings, classes []string) error
}

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

// stored is the part of an [Online] that saves and restores it.
type stored struct {
	identity
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

// MarshalBinary implements [Online].
func (l *stored) MarshalBinary() ([]byte, error) {
	header, err := json.Marshal(l.identity)
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	data := append(le.AppendUint32([]byte(stateMagic), uint32(len(header))), header...)
	data = l.AppendGlobals(le.AppendUint64(data, uint64(l.Terms())))
	data = slices.Grow(data, l.Terms()*l.TermSize()+4)
	for w := range l.Terms() {
		data = l.AppendTerm(data, w)
	}
	return le.AppendUint32(data, crc32.ChecksumIEEE(data)), nil
}

// LoadOnline returns the learner whose MarshalBinary returned data, and the kind of feature it takes. Other bytes are an
// error that wraps [ErrState].
func LoadOnline(data []byte) (Online, features.Kind, error) {
	l, kind, err := loadOnline(data)
	if err != nil && !errors.Is(err, ErrState) {
		err = fmt.Errorf("%w: %w", ErrState, err)
	}
	if err != nil {
		return nil, 0, err
	}
	return l, kind, nil
}

func loadOnline(data []byte) (Online, features.Kind, error) {
	const start, end = len(stateMagic) + 4, 4
	if len(data) < start+end || string(data[:len(stateMagic)]) != stateMagic {
		return nil, 0, errors.New("no header")
	}
	body, sum := data[:len(data)-end], data[len(data)-end:]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(sum) {
		return nil, 0, errors.New("wrong checksum")
	}
	length := binary.LittleEndian.Uint32(body[len(stateMagic):])
	if body = body[start:]; uint64(length)+8 > uint64(len(body)) {
		return nil, 0, errTruncated
	}
	var i identity
	if err := json.Unmarshal(body[:length], &i); err != nil {
		return nil, 0, err
	}
	l, kind, err := i.learner()
	if err != nil {
		return nil, 0, err
	}
	terms, size := binary.LittleEndian.Uint64(body[length:]), uint64(l.TermSize())
	if body = body[length+8:]; terms > uint64(len(body))/size {
		return nil, 0, errTruncated
	}
	rows := len(body) - int(terms*size)
	return l, kind, l.Restore(body[:rows], body[rows:])
}

// learner returns a learner that has learnt nothing, with the settings of i.
func (i identity) learner() (Online, features.Kind, error) {
	o, err := OptionsFrom(i.Model, i.Settings)
	if err != nil {
		return nil, 0, err
	}
	return o.NewOnline(i.Model, i.Classes)
}

// OptionsFrom returns the default options with the settings of the named model, as JSON of its trainer.
func OptionsFrom(model string, settings json.RawMessage) (Options, error) {
	o := DefaultOptions()
	if field := o.field(model); field.IsValid() {
		d := json.NewDecoder(bytes.NewReader(settings))
		d.DisallowUnknownFields()
		if err := d.Decode(field.Addr().Interface()); err != nil {
			return Options{}, err
		}
	}
	return o, o.Validate()
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
