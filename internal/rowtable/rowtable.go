// Package rowtable keeps a row of bytes for some ids, so that a reader finds the rows of a few ids in a large file: the rows in the order of their
// ids, and an index of blocks of 64 ids. The rows of a block are read when one of them is needed.
package rowtable

import (
	"encoding/binary"
	"errors"
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

// AppendEntry appends the next block to an index: which of its ids have a row, how many rows there are before, and its rows.
func AppendEntry(index []byte, has uint64, before int, rows []byte) []byte {
	le := binary.LittleEndian
	index = le.AppendUint32(le.AppendUint64(index, has), uint32(before))
	return le.AppendUint32(index, uint32(xxhash.Sum64(rows)))
}

// Table is the rows of ids in a file.
type Table struct {
	Index, Rows sections.Part
	Size        int // of a row
}

// entries returns the entries of the blocks that have ascending ids, as far as there are such blocks.
func (t Table) entries(buffer []byte, ids []uint32) (entries []byte, err error) {
	first, last := 0, -1 // the block that a piece begins with, and the last one taken
	err = t.Index.Pieces(buffer[:len(buffer)/EntrySize*EntrySize], func(piece []byte) {
		behind := first + len(piece)/EntrySize
		for ; len(ids) > 0 && int(ids[0]/BlockIDs) < behind; ids = ids[1:] {
			if number := int(ids[0] / BlockIDs); number != last {
				last, entries = number, append(entries, piece[(number-first)*EntrySize:][:EntrySize]...)
			}
		}
		first = behind
	})
	return entries, err
}

// Find calls take with the index and the row of each of ascending ids that has one. A row is valid until take returns. The error is [ErrDamaged] or one of
// reading. buffer is memory to work with.
func (t Table) Find(buffer []byte, ids []uint32, take func(i int, row []byte)) error {
	entries, err := t.entries(buffer, ids)
	if err != nil {
		return err
	}
	var entry, rows []byte // of a block
	last, le := -1, binary.LittleEndian
	t.Rows.Buffer = buffer
	for i, id := range ids {
		number, bit := int(id/BlockIDs), uint64(1)<<(id%BlockIDs)
		if number != last {
			if last = number; len(entries) == 0 {
				break
			}
			entry, entries, rows = entries[:EntrySize], entries[EntrySize:], nil
		}
		has := le.Uint64(entry)
		if has&bit == 0 {
			continue
		}
		if rows == nil {
			at, size := int64(le.Uint32(entry[8:]))*int64(t.Size), int64(bits.OnesCount64(has)*t.Size)
			if rows, err = t.Rows.Read(at, at+size); err == nil && uint32(xxhash.Sum64(rows)) != le.Uint32(entry[12:]) {
				err = ErrDamaged
			}
			if err != nil {
				return err
			}
		}
		take(i, rows[bits.OnesCount64(has&(bit-1))*t.Size:][:t.Size])
	}
	return nil
}
