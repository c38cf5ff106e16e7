package features

import (
	"fmt"
	"math"
	"os"
	"slices"
	"sync"

	"chaff/internal/replace"
)

// pageSize is how many bytes of records are kept, or written to disk, in one piece.
const pageSize = 256 << 10

// records are pieces of bytes that are written once and read in any order: in memory up to a limit, beyond it in a temporary
// file. Where the system allows it the file has no name. It is freed with the records, or when the program ends.
type records struct {
	limit int64 // of the bytes in memory; 0 means no limit

	mu     sync.Mutex
	used   int64
	places []place // by Ref
	pages  []page
	file   *os.File
	end    int64 // of the file
	err    error // the first one of writing or reading
}

// Ref identifies a document. Ref 0 is that of none.
type Ref uint32

// place says where a record is.
type place struct{ page, offset, size uint32 }

// notWritten is the offset of a page that is not in the file: its records cannot be read there.
const notWritten = math.MinInt64 / 2

// page is a piece of records in memory, or in the file if data is nil.
type page struct {
	data   []byte
	offset int64
	wanted int // how many of its records were not dropped
}

// drop says that a record is not read again. It frees the memory of a page without others.
func (s *records) drop(ref Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &s.pages[s.places[ref].page]
	if p.wanted--; p.wanted == 0 {
		p.data = nil
	}
}

// fail keeps the first error, if it is one.
func (s *records) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// write stores the record of a Ref, or of a new one for 0, and returns the Ref.
func (w *Writer) write(ref Ref, record []byte) Ref {
	if len(w.page)+len(record) > cap(w.page) {
		w.Close()
		if cap(w.page) < len(record) {
			w.page = make([]byte, 0, max(pageSize, len(record)))
		}
	}
	s := w.records
	s.mu.Lock()
	if len(w.page) == 0 {
		w.index = len(s.pages)
		s.pages = append(s.pages, page{offset: notWritten})
	}
	s.pages[w.index].wanted++
	if ref == 0 {
		ref = Ref(len(s.places))
		s.places = append(s.places, place{})
	}
	s.places[ref] = place{uint32(w.index), uint32(len(w.page)), uint32(len(record))}
	s.mu.Unlock()
	w.page = append(w.page, record...)
	return ref
}

// Close flushes the last page. If that goes to the file, its memory is for the next one.
func (w *Writer) Close() {
	if len(w.page) == 0 {
		return
	}
	s, data := w.records, w.page
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &s.pages[w.index]
	if size := int64(cap(data)); s.limit == 0 || s.used+size <= s.limit {
		s.used += size
		p.data, w.page = data, nil
		return
	}
	w.page = data[:0]
	if s.file == nil && s.err == nil {
		s.file, s.err = replace.Scratch()
	}
	if s.err != nil {
		return
	}
	if _, err := s.file.WriteAt(data, s.end); err != nil {
		s.err = fmt.Errorf("write documents to %s: %w", os.TempDir(), replace.Reason(err))
		return
	}
	p.offset = s.end
	s.end += int64(len(data))
}

// readAhead is how many bytes are read at once where records are read one after the other: a system call for each took a twentieth of training.
const readAhead = 32 << 10

// buffer is what a reader has read last of the file.
type buffer struct {
	data []byte
	from int64 // its place in the file
}

// read returns a record, or nil for Ref 0 and after an error. It may be in the buffer, and is valid until that is used again.
func (s *records) read(ref Ref, b *buffer) []byte {
	at := s.places[ref]
	if at.size == 0 {
		return nil
	}
	p := &s.pages[at.page]
	if p.data != nil {
		return p.data[at.offset:][:at.size]
	}
	from, size := p.offset+int64(at.offset), int64(at.size)
	end := b.from + int64(len(b.data))
	if from < b.from || from+size > end {
		wanted := size
		if from >= b.from && from < end+readAhead {
			wanted = max(size, min(readAhead, s.end-from))
		}
		b.data, b.from = slices.Grow(b.data[:0], int(wanted))[:wanted], from
		if _, err := s.file.ReadAt(b.data, from); err != nil {
			b.data = b.data[:0]
			s.fail(fmt.Errorf("read documents in %s: %w", os.TempDir(), replace.Reason(err)))
			return nil
		}
	}
	return b.data[from-b.from:][:size]
}
