// Package sections reads and writes files that are a table of named, checksummed sections. docs/inside/formats.md describes them byte by byte.
package sections

import (
	"bufio"
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

// entry describes a section.
type entry struct {
	name              string
	offset, size, sum uint64
}

// Reader reads the sections of a file one at a time.
type Reader struct {
	// Identity is the checksum of the header and the table. Files with different sections have different identities, up to a chance of one
	// in 2^64.
	Identity uint64
	// Size is the size of the file in bytes.
	Size    int64
	format  Format
	from    io.ReaderAt
	entries []entry
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
	case len(head) < len(f.Magic) && strings.HasPrefix(f.Magic, string(head)): // also an empty file, as a crash of the machine leaves one
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
	table := HeaderSize + EntrySize*int(sections)
	if len(head) < table+8 {
		return nil, fmt.Errorf("%w: %d bytes of %d", f.ErrTruncated, len(head), size)
	}
	r := &Reader{Identity: le.Uint64(head[table:]), Size: int64(size), format: f, from: from}
	if r.Identity != xxhash.Sum64(head[:table]) {
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

// Has reports whether the file has a section.
func (r *Reader) Has(name string) bool {
	return slices.ContainsFunc(r.entries, func(e entry) bool { return e.name == name })
}

// Section reads and verifies a section.
func (r *Reader) Section(name string) ([]byte, error) {
	p, err := r.Part(name)
	if err != nil {
		return nil, err
	}
	data, err := p.Read(0, p.Size) // a damaged table has a wrong checksum, so that this is a size that was written
	if err == nil && xxhash.Sum64(data) != p.sum {
		err = fmt.Errorf("%w: section %s", r.format.ErrDamaged, name)
	}
	return data, err
}

// Part is a section of a file that is read in parts, in ascending order. While they lie close together it reads more at once than it is asked for.
type Part struct {
	entry
	Size int64
	file *Reader
	data []byte // what was read last
	at   int64  // where that begins
}

// Part returns a section for reading parts of it.
func (r *Reader) Part(name string) (Part, error) {
	i := slices.IndexFunc(r.entries, func(e entry) bool { return e.name == name })
	if i < 0 {
		return Part{}, fmt.Errorf("%w: section %s is missing", r.format.ErrDamaged, name)
	}
	return Part{entry: r.entries[i], Size: int64(r.entries[i].size), file: r}, nil
}

// Read returns a part of the section, which is not verified, and valid until the next call. A part that is not in the section is damage.
func (p *Part) Read(from, to int64) ([]byte, error) {
	const ahead = 16 << 10 // bytes that are read at once, at most, unless one part has more
	end, before := p.at+int64(len(p.data)), int64(len(p.data))
	if from > to || to > p.Size {
		return nil, fmt.Errorf("%w: section %s", p.file.format.ErrDamaged, p.name)
	}
	if from < p.at || to > end {
		n := to - from
		if from <= end+before {
			n = min(max(n, min(2*before, ahead)), p.Size-from)
		}
		p.at, p.data = from, slices.Grow(p.data[:0], int(n))[:n]
		if read, err := p.file.from.ReadAt(p.data, int64(p.offset)+from); read < len(p.data) {
			if err == io.EOF { // the file became shorter
				err = fmt.Errorf("%w: section %s", p.file.format.ErrTruncated, p.name)
			}
			return nil, err
		}
	}
	return p.data[from-p.at : to-p.at], nil
}

// Writer writes a file of sections one after the other, and keeps up to 64 kB of them in memory. Its Write appends to the section that was begun last;
// [Writer.Close] returns the errors of all writes. It belongs to one goroutine.
type Writer struct {
	*bufio.Writer
	format  Format
	to      io.WriterAt
	room    int // for sections in the table
	file    *io.OffsetWriter
	digest  *xxhash.Digest // of the section
	entries []entry
}

// NewWriter returns a writer of a file with at most n sections, from the start of to.
func (f Format) NewWriter(to io.WriterAt, n int) *Writer {
	w := &Writer{format: f, to: to, room: n, file: io.NewOffsetWriter(to, 0), digest: xxhash.New()}
	w.file.Seek(int64(HeaderSize+EntrySize*n+8), io.SeekStart)
	w.Writer = bufio.NewWriterSize(io.MultiWriter(w.digest, w.file), 64<<10)
	return w
}

// Begin begins a section, whose name has four letters.
func (w *Writer) Begin(name string) {
	w.entries = append(w.entries, entry{name: name, offset: w.end()})
}

// Add adds a section.
func (w *Writer) Add(name string, data []byte) {
	w.Begin(name)
	w.Write(data)
}

// end ends a section, if one was begun, and returns where the next one begins. The buffer keeps errors.
func (w *Writer) end() (next uint64) {
	w.Flush()
	at, _ := w.file.Seek(0, io.SeekCurrent) // no error: it stays
	if len(w.entries) == 0 {
		return uint64(at)
	}
	e := &w.entries[len(w.entries)-1]
	e.size, e.sum = uint64(at)-e.offset, w.digest.Sum64()
	padding := (8 - at%8) % 8
	w.Write(make([]byte, padding))
	w.Flush()
	w.digest.Reset()
	return uint64(at + padding)
}

// Close ends the last section, and writes the header and the table. It returns the Identity of the file. It panics if there is
// no room for all sections in the table.
func (w *Writer) Close() (identity uint64, err error) {
	if len(w.entries) > w.room {
		panic("sections: more sections than there is room for")
	}
	size := w.end()
	le := binary.LittleEndian
	head := append([]byte(nil), w.format.Magic...)
	head = le.AppendUint32(head, w.format.Version)
	head = le.AppendUint32(head, uint32(len(w.entries)))
	head = le.AppendUint64(head, size)
	for _, e := range w.entries {
		head = append(append(head, e.name...), 0, 0, 0, 0)
		for _, number := range []uint64{e.offset, e.size, e.sum} {
			head = le.AppendUint64(head, number)
		}
	}
	identity = xxhash.Sum64(head)
	if err = w.Flush(); err == nil {
		_, err = w.to.WriteAt(le.AppendUint64(head, identity), 0)
	}
	return identity, err
}

// Memory is a file in memory.
type Memory []byte

// WriteAt implements [io.WriterAt].
func (m *Memory) WriteAt(data []byte, at int64) (int, error) {
	if missing := int(at) + len(data) - len(*m); missing > 0 {
		*m = append(*m, make([]byte, missing)...)
	}
	return copy((*m)[at:], data), nil
}

// Number is an element of a table.
type Number interface {
	~uint32 | ~uint64 | ~float32 | ~float64
}

// Decode returns the little-endian numbers in data, in place if this machine stores them alike, else as a copy; none if the data is no whole
// number of them.
func Decode[T Number](data []byte) []T {
	size := int(unsafe.Sizeof(*new(T)))
	n := len(data) / size
	if n == 0 || len(data)%size != 0 {
		return nil
	}
	first := unsafe.Pointer(unsafe.SliceData(data))
	if isLittleEndian && uintptr(first)%uintptr(size) == 0 {
		return unsafe.Slice((*T)(first), n)
	}
	numbers := make([]T, n)
	_, _ = binary.Decode(data, binary.LittleEndian, numbers) // no error: the sizes agree
	return numbers
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
