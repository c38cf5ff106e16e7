package models

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"chaff/features"
	"chaff/internal/evidence"
)

// A saved state is, in little-endian order:
//
//	8 bytes   stateMagic, which ends in the version
//	4 bytes   length of the header
//	          header: identity as JSON
//	8 bytes   V, the number of terms
//	          numbers of 8, 4 or 1 bytes, in the order in which the learner lists them
//	4 bytes   CRC-32 (IEEE) of all bytes before
//
// The header and V determine the length.
const stateMagic = "chaffst1" // 1: the first version

// ErrState is for bytes that are not a saved state.
var ErrState = errors.New("not the saved state of a learner")

// identity says which learner a state belongs to.
type identity struct {
	Model    string          `json:"model"`
	Settings json.RawMessage `json:"settings"`
	Classes  []string        `json:"classes"`
}

func (i *identity) identify(model string, t Trainer, classes []string) (err error) {
	i.Model, i.Classes = model, classes
	i.Settings, err = json.Marshal(t)
	return err
}

func (i *identity) header() *identity { return i }

// savable is what save and LoadOnline need of a learner.
type savable interface {
	identify(model string, t Trainer, classes []string) error
	header() *identity
	// state lists all numbers for a codec. A reading codec fills them in, of a vocabulary of so many terms.
	state(c *codec, terms int)
}

// save returns the state of a learner that knows so many terms.
func save(l savable, terms int) ([]byte, error) {
	header, err := json.Marshal(l.header())
	if err != nil {
		return nil, err
	}
	c := &codec{data: append(binary.LittleEndian.AppendUint32([]byte(stateMagic), uint32(len(header))), header...)}
	c.int(&terms)
	l.state(c, terms)
	return binary.LittleEndian.AppendUint32(c.data, crc32.ChecksumIEEE(c.data)), nil
}

// LoadOnline returns the learner whose MarshalBinary returned data, and the kind of feature it takes. Other bytes are an
// error that wraps [ErrState].
func LoadOnline(data []byte) (Online, features.Kind, error) {
	l, kind, err := loadOnline(data)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrState, err)
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
	if uint64(length) > uint64(len(body)-start) {
		return nil, 0, errors.New("truncated header")
	}
	c := &codec{data: body[start+int(length):], reading: true}
	var i identity
	if err := json.Unmarshal(body[start:start+int(length)], &i); err != nil {
		return nil, 0, err
	}
	l, kind, err := i.learner()
	if err != nil {
		return nil, 0, err
	}
	var terms int
	c.int(&terms)
	if terms > len(c.data)/4/rowCount(len(i.Classes)) { // a term has at least a float32 in each row
		return nil, 0, errTruncated
	}
	l.(savable).state(c, terms)
	if c.err == nil && len(c.data) > 0 {
		c.err = fmt.Errorf("%d bytes too many", len(c.data))
	}
	return l, kind, c.err
}

// learner returns a learner that has learnt nothing, with the settings of i.
func (i identity) learner() (Online, features.Kind, error) {
	o := DefaultOptions()
	if settings := o.field(i.Model); settings.IsValid() {
		d := json.NewDecoder(bytes.NewReader(i.Settings))
		d.DisallowUnknownFields()
		if err := d.Decode(settings.Addr().Interface()); err != nil {
			return nil, 0, err
		}
	}
	if err := o.Validate(); err != nil {
		return nil, 0, err
	}
	return o.NewOnline(i.Model, i.Classes)
}

// codec writes numbers to data or reads them from it, so that a learner lists its numbers once for both. After an error it
// reads zeros.
type codec struct {
	data    []byte
	reading bool
	err     error
}

var errTruncated = errors.New("truncated numbers")

// bits writes the lowest bits of a number, as many as size bytes have, or reads and returns them.
func (c *codec) bits(size int, number uint64) uint64 {
	var b [8]byte
	if !c.reading {
		binary.LittleEndian.PutUint64(b[:], number)
		c.data = append(c.data, b[:size]...)
		return number
	}
	if c.err == nil && len(c.data) < size {
		c.err = errTruncated
	}
	if c.err != nil {
		return 0
	}
	copy(b[:size], c.data)
	c.data = c.data[size:]
	return binary.LittleEndian.Uint64(b[:])
}

func (c *codec) float(p *float64) {
	if *p = math.Float64frombits(c.bits(8, math.Float64bits(*p))); c.reading && *p-*p != 0 {
		c.err = ErrNotFinite
	}
}

func (c *codec) float32(p *float32) {
	if *p = math.Float32frombits(uint32(c.bits(4, uint64(math.Float32bits(*p))))); c.reading && *p-*p != 0 {
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
	n := c.bits(8, uint64(*p))
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

func (c *codec) groups(list []evidence.Group) {
	for i, group := range list {
		g := c.bits(1, uint64(group))
		if g >= uint64(evidence.Groups) {
			c.err, g = fmt.Errorf("term %d is in the group %d", i, g), 0
		}
		list[i] = evidence.Group(g)
	}
}
