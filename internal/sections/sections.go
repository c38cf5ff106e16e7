// Package sections reads and writes files that are a table of named, checksummed sections. docs/inside/formats.md describes them byte by byte.
package sections

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// Format is a kind of file.
type Format struct {
	Magic   string // 8 bytes
	Version uint32
	// The errors that Open and reading wrap: for a file of another kind, one whose end is missing, one whose bytes have changed since it was
	// written, and one of another version.
	ErrForeign, ErrTruncated, ErrDamaged, ErrVersion error
}

const (
	// HeaderSize is the size of the header in bytes.
	HeaderSize = 24
	// EntrySize is the size of an entry of the table in bytes.
	EntrySize   = 32
	maxSections = 64
)

func align(n int) int { return (n + 7) &^ 7 }

// tableSize returns the size of the header and of the table of n sections.
func tableSize(n int) int { return HeaderSize + EntrySize*n }

// entry describes a section.
type entry struct {
	name              string
	offset, size, sum uint64
}

// Reader reads the sections of a file one at a time.
type Reader struct {
	format   Format
	from     io.ReaderAt
	size     uint64
	entries  []entry
	identity uint64
}

// Open reads the table of a file of so many bytes, or of at least as many as were written if has is -1.
func (f Format) Open(from io.ReaderAt, has int64) (*Reader, error) {
	head := make([]byte, HeaderSize+EntrySize*maxSections+8)
	n, err := from.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	head = head[:n]
	switch {
	case len(head) > 0 && len(head) < len(f.Magic) && strings.HasPrefix(f.Magic, string(head)):
		return nil, f.ErrTruncated
	case !bytes.HasPrefix(head, []byte(f.Magic)):
		return nil, f.ErrForeign
	case len(head) < HeaderSize:
		return nil, f.ErrTruncated
	}
	le, damaged := binary.LittleEndian, fmt.Errorf("%w: section table", f.ErrDamaged)
	if v := le.Uint32(head[8:]); v != f.Version {
		return nil, fmt.Errorf("%w: its format is %d, this program reads %d", f.ErrVersion, v, f.Version)
	}
	sections, size := le.Uint32(head[12:]), le.Uint64(head[16:])
	if sections > maxSections || size > math.MaxInt64 {
		return nil, damaged
	}
	table := tableSize(int(sections))
	if len(head) < table+8 {
		return nil, fmt.Errorf("%w: %d bytes of %d", f.ErrTruncated, len(head), size)
	}
	r := &Reader{format: f, from: from, size: size, identity: le.Uint64(head[table:])}
	if r.identity != xxhash.Sum64(head[:table]) {
		return nil, damaged
	}
	for raw := range slices.Chunk(head[HeaderSize:table], EntrySize) {
		e := entry{string(raw[:4]), le.Uint64(raw[8:]), le.Uint64(raw[16:]), le.Uint64(raw[24:])}
		if e.offset%8 != 0 || e.offset > size || e.size > size-e.offset {
			return nil, damaged
		}
		r.entries = append(r.entries, e)
	}
	switch {
	case has >= 0 && uint64(has) < size:
		return nil, fmt.Errorf("%w: %d bytes of %d", f.ErrTruncated, has, size)
	case has >= 0 && uint64(has) > size:
		return nil, fmt.Errorf("%w: %d bytes more than were written", f.ErrDamaged, uint64(has)-size)
	}
	return r, nil
}

// Size returns the size of the file in bytes.
func (r *Reader) Size() int64 { return int64(r.size) }

// Identity returns the checksum of the header and the table. Files with different sections have different identities, up to a chance of one
// in 2^64.
func (r *Reader) Identity() uint64 { return r.identity }

// Has reports whether the file has a section.
func (r *Reader) Has(name string) bool {
	return slices.ContainsFunc(r.entries, func(e entry) bool { return e.name == name })
}

// Section reads and verifies a section.
func (r *Reader) Section(name string) ([]byte, error) {
	e, err := r.entry(name)
	if err != nil {
		return nil, err
	}
	data := make([]byte, e.size) // a damaged table has a wrong checksum, so that this is a size that was written
	if err := r.Pieces(name, data, func([]byte) {}); err != nil {
		return nil, err
	}
	return data, nil
}

// Pieces reads a section piece by piece into the memory of buffer, and calls do with each. It verifies them when it has read all.
func (r *Reader) Pieces(name string, buffer []byte, do func(piece []byte)) error {
	e, err := r.entry(name)
	if err != nil {
		return err
	}
	digest := xxhash.New()
	err = Pieces(r.from, int64(e.offset), int64(e.offset+e.size), buffer, func(piece []byte) {
		digest.Write(piece)
		do(piece)
	})
	switch {
	case err == io.EOF:
		return fmt.Errorf("%w: section %s", r.format.ErrTruncated, name)
	case err == nil && digest.Sum64() != e.sum:
		return fmt.Errorf("%w: section %s", r.format.ErrDamaged, name)
	}
	return err
}

// Pieces reads a part of a file piece by piece into the memory of buffer, and calls do with each. New memory for all of it would take longer than reading it.
// The error is io.EOF if the file is shorter.
func Pieces(file io.ReaderAt, from, to int64, buffer []byte, do func(piece []byte)) error {
	for ; from < to; from += int64(len(buffer)) {
		buffer = buffer[:min(int64(len(buffer)), to-from)]
		if n, err := file.ReadAt(buffer, from); n < len(buffer) {
			return err
		}
		do(buffer)
	}
	return nil
}

// Part returns a section for reading parts of it, which are not verified.
func (r *Reader) Part(name string) (*io.SectionReader, error) {
	e, err := r.entry(name)
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(r.from, int64(e.offset), int64(e.size)), nil
}

// Ahead reads parts of a section in ascending order, which are not verified. While they lie close together it reads more at once than it is asked for.
type Ahead struct {
	Section *io.SectionReader
	Buffer  []byte // memory to work with
	data    []byte // what was read last
	at      int64  // where that begins
}

// ahead is how many bytes are read at once, at most, unless one part has more.
const ahead = 16 << 10

// Read returns a part, which is valid until the next call. The error is io.EOF if the section or the file is shorter.
func (a *Ahead) Read(from, to int64) ([]byte, error) {
	end, before := a.at+int64(len(a.data)), int64(len(a.data))
	if to > a.Section.Size() {
		return nil, io.EOF
	}
	if from < a.at || to > end {
		n := to - from
		if from <= end+before {
			n = min(max(n, min(2*before, ahead)), a.Section.Size()-from)
		}
		a.Buffer = slices.Grow(a.Buffer[:0], int(n))
		a.at, a.data = from, a.Buffer[:n]
		if read, err := a.Section.ReadAt(a.data, from); read < len(a.data) {
			return nil, err
		}
	}
	return a.data[from-a.at : to-a.at], nil
}

func (r *Reader) entry(name string) (entry, error) {
	for _, e := range r.entries {
		if e.name == name {
			return e, nil
		}
	}
	return entry{}, fmt.Errorf("%w: section %s is missing", r.format.ErrDamaged, name)
}

// Number is an element of a table.
type Number interface {
	~uint32 | ~uint64 | ~float32 | ~float64
}

// Decode returns the little-endian numbers in data, in place if this machine stores them alike, else as a copy. Data that is no whole
// number of entries is an error.
func Decode[T Number](data []byte) ([]T, error) {
	size := int(unsafe.Sizeof(*new(T)))
	if len(data)%size != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of entries", len(data))
	}
	n := len(data) / size
	if n == 0 {
		return nil, nil
	}
	first := unsafe.Pointer(unsafe.SliceData(data))
	if isLittleEndian && uintptr(first)%uintptr(size) == 0 {
		return unsafe.Slice((*T)(first), n), nil
	}
	numbers := make([]T, n)
	if _, err := binary.Decode(data, binary.LittleEndian, numbers); err != nil {
		return nil, err
	}
	return numbers, nil
}

// Bytes returns the little-endian bytes of numbers, in place if this machine stores them alike, else as a copy.
func Bytes[T Number](numbers []T) []byte {
	if !isLittleEndian {
		data, _ := binary.Append(nil, binary.LittleEndian, numbers) // never fails for numbers
		return data
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), len(numbers)*int(unsafe.Sizeof(*new(T))))
}

var isLittleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1
