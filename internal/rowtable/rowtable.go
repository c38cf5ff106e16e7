// Package rowtable keeps a row of bytes for some ids, so that a reader finds the rows of a few ids in a large file: the rows in the order of their
// ids, and an index of blocks of 64 ids. The index is looked through piece by piece, and the rows of a block are read when one of them is
// needed.
package rowtable

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/sections"
)

const (
	// BlockIDs is the number of ids of a block.
	BlockIDs = 64
	// EntrySize is the size of a block in the index: u64, a bit for each id with a row; u32, the number of rows before theirs; u32, the low half
	// of the xxhash64 of their rows.
	EntrySize = 16
)

// ErrDamaged is returned for rows that are not as they were written.
var ErrDamaged = errors.New("damaged rows")

// Blocks returns the number of blocks of so many ids.
func Blocks(ids int) int { return (ids + BlockIDs - 1) / BlockIDs }

// Index makes the index of rows. The zero value is empty.
type Index struct {
	data   []byte
	before uint32
}

// Add adds the next block: which ids have a row, and their rows.
func (x *Index) Add(has uint64, rows []byte) {
	le := binary.LittleEndian
	x.data = le.AppendUint32(le.AppendUint64(x.data, has), x.before)
	x.data = le.AppendUint32(x.data, uint32(xxhash.Sum64(rows)))
	x.before += uint32(bits.OnesCount64(has))
}

// Bytes returns the index.
func (x *Index) Bytes() []byte { return x.data }

// Table is the rows of ids in a file.
type Table struct {
	// Scan calls do with the index, a multiple of EntrySize at a time. What it passes is good if there is no error.
	Scan func(buffer *[]byte, do func(data []byte)) error
	// File has the rows from Start to End, of Size bytes each.
	File             io.ReaderAt
	Start, End, Size int64
}

// block is where the rows of a block are.
type block struct {
	number, before, sum uint32
	has                 uint64
}

func blockAt(data []byte, number uint32) block {
	le := binary.LittleEndian
	return block{number, le.Uint32(data[8:]), le.Uint32(data[12:]), le.Uint64(data)}
}

// Find calls take with the index and the row of each of ascending ids that has one. A row is valid until take returns. What take was given is good
// if there is no error, which is [ErrDamaged] or one of reading.
func (t Table) Find(ids []uint32, buffer *[]byte, take func(i int, row []byte)) error {
	var blocks []block
	left, start := ids, 0
	err := t.Scan(buffer, func(data []byte) {
		for len(left) > 0 {
			number := left[0] / BlockIDs
			at := int(number)*EntrySize - start
			if at >= len(data) {
				break
			}
			blocks = append(blocks, blockAt(data[at:], number))
			for len(left) > 0 && left[0]/BlockIDs == number {
				left = left[1:]
			}
		}
		start += len(data)
	})
	if err != nil {
		return err
	}
	reader, i := t.reader(buffer), 0
	for _, b := range blocks {
		var rows []byte // nil before they are needed
		for ; i < len(ids) && ids[i]/BlockIDs == b.number; i++ {
			bit := uint64(1) << (ids[i] % BlockIDs)
			if b.has&bit == 0 {
				continue
			}
			if rows == nil {
				if rows, err = reader.read(b); err != nil {
					return err
				}
			}
			take(i, rows[int64(bits.OnesCount64(b.has&(bit-1)))*t.Size:][:t.Size])
		}
	}
	return nil
}

// Each calls do with all ids that have a row, which are ascending, and their rows. A row is valid until do returns.
func (t Table) Each(do func(id uint32, row []byte) error) error {
	var blocks []block
	buffer := new([]byte)
	err := t.Scan(buffer, func(data []byte) {
		for ; len(data) >= EntrySize; data = data[EntrySize:] {
			blocks = append(blocks, blockAt(data, uint32(len(blocks))))
		}
	})
	if err != nil {
		return err
	}
	reader, before := t.reader(buffer), uint32(0)
	for _, b := range blocks {
		rows, err := reader.read(b)
		if err == nil && b.before != before {
			err = ErrDamaged
		}
		for has := b.has; has != 0 && err == nil; has &= has - 1 {
			err = do(BlockIDs*b.number+uint32(bits.TrailingZeros64(has)), rows[:t.Size])
			rows = rows[t.Size:]
			before++
		}
		if err != nil {
			return err
		}
	}
	if int64(before)*t.Size != t.End-t.Start {
		return ErrDamaged
	}
	return nil
}

// reader reads the rows of blocks in ascending order.
type reader struct {
	ahead sections.Ahead
	size  int64
}

func (t Table) reader(buffer *[]byte) reader {
	return reader{sections.NewAhead(t.File, t.Start, t.End, buffer), t.Size}
}

// read returns the rows of a block, verified. They are valid until the next call.
func (r *reader) read(b block) ([]byte, error) {
	rows, err := r.ahead.Read(int64(b.before)*r.size, bits.OnesCount64(b.has)*int(r.size))
	if err == nil && uint32(xxhash.Sum64(rows)) != b.sum {
		err = ErrDamaged
	}
	return rows, err
}
