package sections

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/cespare/xxhash/v2"
)

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
	w.file.Seek(int64(align(HeaderSize+EntrySize*n+8)), io.SeekStart)
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

// WriteEach appends what appendTo appends for each i from 0 to n-1.
func (w *Writer) WriteEach(n int, appendTo func(dst []byte, i int) []byte) {
	for i := range n {
		w.Write(appendTo(w.AvailableBuffer(), i))
	}
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
	w.Write(make([]byte, (8-at%8)%8))
	w.Flush()
	w.digest.Reset()
	return e.offset + uint64(align(int(e.size)))
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
