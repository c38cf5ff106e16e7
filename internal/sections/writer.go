package sections

import (
	"encoding/binary"
	"io"

	"github.com/cespare/xxhash/v2"
)

// Writer writes a file of sections one after the other, and keeps up to 64 kB of them in memory. It belongs to one goroutine.
type Writer struct {
	format  Format
	to      io.WriterAt
	room    int // for sections in the table
	entries []entry
	buffer  []byte // not written yet
	hashed  int    // bytes of buffer that digest has
	offset  uint64 // where buffer goes
	digest  *xxhash.Digest
	err     error // the first one of writing
}

// bufferSize is how many bytes a Writer writes at once.
const bufferSize = 64 << 10

// NewWriter returns a writer of a file with at most n sections, from the start of to.
func (f Format) NewWriter(to io.WriterAt, n int) *Writer {
	return &Writer{format: f, to: to, room: n, offset: uint64(align(tableSize(n) + 8)), digest: xxhash.New()}
}

// Begin begins a section, whose name has four letters.
func (w *Writer) Begin(name string) {
	w.end()
	w.entries = append(w.entries, entry{name: name, offset: w.at()})
}

// Add adds a section.
func (w *Writer) Add(name string, data []byte) {
	w.Begin(name)
	w.Write(data)
}

// Write appends data to the section that was begun last. [Writer.Close] returns its errors too.
func (w *Writer) Write(data []byte) (int, error) {
	if len(w.buffer)+len(data) > bufferSize {
		w.flush()
	}
	if len(data) < bufferSize {
		w.buffer = append(w.buffer, data...)
	} else {
		w.digest.Write(data)
		w.write(data)
	}
	return len(data), w.err
}

// WriteEach appends what appendTo appends for each i from 0 to n-1.
func (w *Writer) WriteEach(n int, appendTo func(dst []byte, i int) []byte) {
	for i := range n {
		if w.buffer = appendTo(w.buffer, i); len(w.buffer) >= bufferSize {
			w.flush()
		}
	}
}

// at returns where the next byte goes.
func (w *Writer) at() uint64 { return w.offset + uint64(len(w.buffer)) }

// end ends a section.
func (w *Writer) end() {
	if len(w.entries) == 0 {
		return
	}
	w.hash()
	e := &w.entries[len(w.entries)-1]
	e.size, e.sum = w.at()-e.offset, w.digest.Sum64()
	w.digest.Reset()
	w.buffer = append(w.buffer, make([]byte, (8-e.size%8)%8)...)
	w.hashed = len(w.buffer)
}

// hash adds what is in the buffer to the checksum of the section.
func (w *Writer) hash() {
	w.digest.Write(w.buffer[w.hashed:])
	w.hashed = len(w.buffer)
}

// flush writes the buffer.
func (w *Writer) flush() {
	w.hash()
	w.write(w.buffer)
	w.buffer, w.hashed = w.buffer[:0], 0
}

// write writes data behind all that was written before. After an error it writes nothing.
func (w *Writer) write(data []byte) {
	if w.err == nil {
		_, w.err = w.to.WriteAt(data, int64(w.offset))
	}
	w.offset += uint64(len(data))
}

// Close ends the last section, and writes the header and the table. It returns the [Reader.Identity] of the file. It panics if there is
// no room for all sections in the table.
func (w *Writer) Close() (identity uint64, err error) {
	if len(w.entries) > w.room {
		panic("sections: more sections than there is room for")
	}
	w.end()
	w.flush()
	le := binary.LittleEndian
	head := append([]byte(nil), w.format.Magic...)
	head = le.AppendUint32(head, w.format.Version)
	head = le.AppendUint32(head, uint32(len(w.entries)))
	head = le.AppendUint64(head, w.offset)
	for _, e := range w.entries {
		head = append(append(head, e.name...), 0, 0, 0, 0)
		for _, number := range []uint64{e.offset, e.size, e.sum} {
			head = le.AppendUint64(head, number)
		}
	}
	identity = xxhash.Sum64(head)
	if head = le.AppendUint64(head, identity); w.err == nil {
		_, w.err = w.to.WriteAt(head, 0)
	}
	return identity, w.err
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
