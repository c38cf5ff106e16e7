package features

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"chaff/internal/replace"
)

// pageSize is how many bytes of records are kept, or written to disk, in one piece.
const pageSize = 256 << 10

// memoryBudget limits the memory that several stores take together.
type memoryBudget struct {
	limit int64 // in bytes; 0 means no limit
	used  atomic.Int64
}

// take reserves n bytes and reports whether at most a share of the budget is in use then. Otherwise it reserves nothing.
func (b *memoryBudget) take(n int, share float64) bool {
	if used := b.used.Add(int64(n)); b.limit > 0 && float64(used) > share*float64(b.limit) {
		b.used.Add(int64(-n))
		return false
	}
	return true
}

// recordStore keeps records that are written once and read in any order: in memory as far as the budget goes, beyond it in a
// temporary file. Where the system allows it the file has no name. It is freed with the store, or when the program ends.
type recordStore struct {
	budget *memoryBudget
	share  float64 // of the budget, up to which the store may fill it

	mu    sync.Mutex
	used  *int64 // bytes of the budget
	pages []page
	file  *os.File
	end   int64 // of the file
	err   error // the first one of writing or reading
}

// page is a piece of records in memory, or in the file if data is nil.
type page struct {
	data   []byte
	offset int64
	size   int
}

// Ref identifies a record: the index of its page, which is not 0, and its offset in the page. Ref 0 is that of no record.
type Ref uint64

func newRecordStore(budget *memoryBudget, share float64) *recordStore {
	used := new(int64)
	s := &recordStore{budget: budget, share: share, used: used, pages: make([]page, 1)}
	runtime.AddCleanup(s, func(used *int64) { budget.used.Add(-*used) }, used)
	return s
}

// put stores a page and reports whether it keeps data. If not, the caller may use the memory again.
func (s *recordStore) put(index int, data []byte) (kept bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.budget.take(cap(data), s.share) {
		*s.used += int64(cap(data))
		s.pages[index] = page{data: data, size: len(data)}
		return true
	}
	if s.file == nil && s.err == nil {
		s.file, s.err = temporaryFile(s)
	}
	if s.err != nil {
		return false
	}
	if _, err := s.file.WriteAt(data, s.end); err != nil {
		s.err = fmt.Errorf("write documents to %s: %w", os.TempDir(), replace.Reason(err))
		return false
	}
	s.pages[index] = page{offset: s.end, size: len(data)}
	s.end += int64(len(data))
	return false
}

// fail keeps the first error.
func (s *recordStore) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// failed returns the first error.
func (s *recordStore) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// recordWriter adds records to a store. It belongs to one goroutine; a store can have several.
type recordWriter struct {
	store *recordStore
	index int // of the page
	page  []byte
}

// sizeBytes is the length of the size that precedes each record.
const sizeBytes = 4

// write stores a record.
func (w *recordWriter) write(record []byte) Ref {
	size := sizeBytes + len(record)
	if len(w.page)+size > cap(w.page) {
		w.flush()
	}
	if cap(w.page) < size {
		w.page = make([]byte, 0, max(pageSize, size))
	}
	if len(w.page) == 0 {
		w.store.mu.Lock()
		w.index = len(w.store.pages)
		w.store.pages = append(w.store.pages, page{})
		w.store.mu.Unlock()
	}
	ref := Ref(w.index)<<32 | Ref(len(w.page))
	w.page = append(binary.LittleEndian.AppendUint32(w.page, uint32(len(record))), record...)
	return ref
}

// flush stores the last page.
func (w *recordWriter) flush() {
	if len(w.page) > 0 && w.store.put(w.index, w.page) {
		w.page = nil
	}
	w.page = w.page[:0]
}

// recordReader reads the records of a store. It belongs to one goroutine.
type recordReader struct {
	store *recordStore
	buf   []byte
}

// firstRead is how many bytes are read from the file at first. Most records are not larger.
const firstRead = 4 << 10

// read returns a record, or nil for Ref 0 and after an error. The record is valid until the next read.
func (r *recordReader) read(ref Ref) []byte {
	if ref == 0 {
		return nil
	}
	offset := int(ref & (1<<32 - 1))
	p := &r.store.pages[ref>>32]
	data := p.data
	if data != nil {
		data = data[offset:]
	} else if data = r.readFile(p, offset, firstRead); data == nil {
		return nil
	}
	size := sizeBytes + int(binary.LittleEndian.Uint32(data))
	if size > len(data) {
		if data = r.readFile(p, offset, size); data == nil {
			return nil
		}
	}
	return data[sizeBytes:size]
}

// readFile reads n bytes of a page from the file, or up to the end of the page.
func (r *recordReader) readFile(p *page, offset, n int) []byte {
	n = max(0, min(n, p.size-offset))
	if cap(r.buf) < n {
		r.buf = make([]byte, 2*n)
	}
	data := r.buf[:n]
	if _, err := r.store.file.ReadAt(data, p.offset+int64(offset)); err != nil {
		r.store.fail(fmt.Errorf("read documents in %s: %w", os.TempDir(), replace.Reason(err)))
		return nil
	}
	return data
}

func temporaryFile(s *recordStore) (*os.File, error) {
	file, err := os.CreateTemp("", "chaff-*")
	if err != nil {
		return nil, fmt.Errorf("create a temporary file in %s: %w", os.TempDir(), replace.Reason(err))
	}
	if os.Remove(file.Name()) != nil { // some systems do not remove open files
		runtime.AddCleanup(s, func(file *os.File) {
			file.Close()
			os.Remove(file.Name())
		}, file)
	}
	return file, nil
}
