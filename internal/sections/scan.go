package sections

import (
	"fmt"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// scanSize is how many bytes Scan reads at once: a multiple of what is stored in a table, and few enough to stay in a fast cache.
const scanSize = 16 << 10

// Scan calls do with size bytes of a file from at on, some at a time: a multiple of 16, but at the end. It reports whether all of them have
// the given xxhash64. What do was given is good only then. The error for a file that ends before is [io.EOF]. Scan takes less time than reading
// a large table at once into memory that was never used.
func Scan(from io.ReaderAt, at, size int64, sum uint64, buffer *[]byte, do func(data []byte)) (good bool, err error) {
	var digest xxhash.Digest
	digest.Reset()
	*buffer = slices.Grow((*buffer)[:0], scanSize)
	for size > 0 {
		data := (*buffer)[:min(size, scanSize)]
		n, err := from.ReadAt(data, at)
		if n < len(data) {
			return false, err
		}
		digest.Write(data)
		do(data)
		at, size = at+int64(n), size-int64(n)
	}
	return digest.Sum64() == sum, nil
}

// Scan is [Scan] for a section, whose damage is an error.
func (r *Reader) Scan(name string, buffer *[]byte, do func(data []byte)) error {
	e, err := r.entry(name)
	if err != nil {
		return err
	}
	switch good, err := Scan(r.from, int64(e.offset), int64(e.size), e.sum, buffer, do); {
	case err == io.EOF:
		return fmt.Errorf("%w: section %s", r.format.ErrTruncated, name)
	case err == nil && !good:
		return fmt.Errorf("%w: section %s", r.format.ErrDamaged, name)
	default:
		return err
	}
}
