package features

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// blockSize is how much of the documents is kept, or written, in one piece.
const blockSize = 256 << 10

// budget is how much memory blocks may take, of however many owners.
type budget struct {
	limit int64 // in bytes; 0 is for no limit
	used  atomic.Int64
}

// take says whether there is room for so many bytes, which are in use then, if share of all may be in use.
func (b *budget) take(n int, share float64) bool {
	if used := b.used.Add(int64(n)); b.limit > 0 && float64(used) > share*float64(b.limit) {
		b.used.Add(int64(-n))
		return false
	}
	return true
}

// blocks are pieces of bytes that are written once and read at any place, in memory as far as the budget goes, and else in
// a temporary file. The file has no name where the system allows that, and is freed when nothing refers to the blocks any
// more, or the program ends.
type blocks struct {
	budget *budget
	share  float64 // of the budget, up to which they may fill it

	mu   sync.Mutex
	used *int64 // of the budget
	list []block
	file *os.File
	end  int64 // of the file
	err  error // the first of writing or reading
}

// block is one piece: data, or where it is in the file.
type block struct {
	data []byte
	at   int64
	size int
}

// Ref is a place in blocks: the index of a block, and where in it.
type Ref uint64

func newBlocks(budget *budget, share float64) *blocks {
	used := new(int64)
	b := &blocks{budget: budget, share: share, used: used}
	runtime.AddCleanup(b, func(used *int64) { budget.used.Add(-*used) }, used)
	return b
}

// put makes data a block, and says whether it is kept: if not, the memory can be used again.
func (b *blocks) put(index int, data []byte) (kept bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.budget.take(cap(data), b.share) {
		*b.used += int64(cap(data))
		b.list[index] = block{data: data, size: len(data)}
		return true
	}
	if b.file == nil && b.err == nil {
		b.file, b.err = temporaryFile(b)
	}
	if b.err != nil {
		return false
	}
	if _, err := b.file.WriteAt(data, b.end); err != nil {
		b.err = fmt.Errorf("write documents to %s: %w", os.TempDir(), withoutPath(err))
		return false
	}
	b.list[index] = block{at: b.end, size: len(data)}
	b.end += int64(len(data))
	return false
}

// fail keeps the first error.
func (b *blocks) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
}

// failed returns the first error.
func (b *blocks) failed() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// blockWriter fills blocks. It belongs to one goroutine; there may be several at the same time.
type blockWriter struct {
	blocks *blocks
	index  int
	block  []byte
}

// room makes room in the block for so many bytes, and returns where they are.
func (w *blockWriter) room(size int) Ref {
	if len(w.block)+size > cap(w.block) {
		w.close()
	}
	if cap(w.block) < size {
		w.block = make([]byte, 0, max(blockSize, size))
	}
	if len(w.block) == 0 {
		w.blocks.mu.Lock()
		w.index = len(w.blocks.list)
		w.blocks.list = append(w.blocks.list, block{})
		w.blocks.mu.Unlock()
	}
	return Ref(w.index)<<32 | Ref(len(w.block))
}

// close gives away what was written last.
func (w *blockWriter) close() {
	if len(w.block) > 0 && w.blocks.put(w.index, w.block) {
		w.block = nil
	}
	w.block = w.block[:0]
}

// blockReader reads blocks. It belongs to one goroutine.
type blockReader struct {
	blocks *blocks
	buf    []byte
}

// guess is how much is read at first of what is in the file: most documents are not larger.
const guess = 4 << 10

// read returns what is at ref: n bytes, or all to the end of the block if that is less, or more. It is valid until the next
// read, and nil after an error.
func (r *blockReader) read(ref Ref, n int) []byte {
	from := int(ref & (1<<32 - 1))
	block := &r.blocks.list[ref>>32]
	if block.data != nil {
		return block.data[from:]
	}
	n = min(n, block.size-from)
	if cap(r.buf) < n {
		r.buf = make([]byte, 2*n)
	}
	data := r.buf[:max(n, 0)]
	if _, err := r.blocks.file.ReadAt(data, block.at+int64(from)); err != nil {
		r.blocks.fail(fmt.Errorf("read documents in %s: %w", os.TempDir(), withoutPath(err)))
		return nil
	}
	return data
}

func temporaryFile(b *blocks) (*os.File, error) {
	file, err := os.CreateTemp("", "chaff-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file in %s: %w", os.TempDir(), withoutPath(err))
	}
	if os.Remove(file.Name()) != nil { // systems that do not remove open files
		runtime.AddCleanup(b, func(file *os.File) {
			file.Close()
			os.Remove(file.Name())
		}, file)
	}
	return file, nil
}

// withoutPath returns err without the operation and the path that package os adds: the file has no name that tells anything.
func withoutPath(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
