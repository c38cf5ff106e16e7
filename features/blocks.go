package features

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"
)

// blockSize is how much of the documents is kept, or written, in one piece.
const blockSize = 256 << 10

// blocks are pieces of bytes that are written once and read at any place, in memory up to a limit, and beyond it in a
// temporary file. The file has no name where the system allows that, and is freed when nothing refers to the blocks any
// more, or the program ends.
type blocks struct {
	limit int64 // on the bytes in memory; 0 is for none

	mu   sync.Mutex
	used int64
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

// reserve returns the index of a new block.
func (b *blocks) reserve() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = append(b.list, block{})
	return len(b.list) - 1
}

// put makes data a block, and says whether it is kept: if not, the memory can be used again.
func (b *blocks) put(index int, data []byte) (kept bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limit == 0 || b.used+int64(cap(data)) <= b.limit {
		b.used += int64(cap(data))
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

// read returns what block index has from a place on: n bytes or all that there are. It may lie in the memory of buf, which
// is returned for the next read.
func (b *blocks) read(buf []byte, index, from, n int) (data, buffer []byte, err error) {
	block := &b.list[index]
	if block.data != nil {
		return block.data[from:], buf, nil
	}
	n = min(n, block.size-from)
	if cap(buf) < n {
		buf = make([]byte, 2*n)
	}
	buf = buf[:n]
	if _, err := b.file.ReadAt(buf, block.at+int64(from)); err != nil {
		return nil, buf, fmt.Errorf("read documents in %s: %w", os.TempDir(), withoutPath(err))
	}
	return buf, buf, nil
}

// fail keeps the first error.
func (b *blocks) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
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
