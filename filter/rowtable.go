package filter

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/sections"
)

const (
	// blockIDs is the number of ids of a block.
	blockIDs = 64
	// blockEntry is the size of a block in the index: u64, a bit for each id with a row; u32, the number of rows before theirs; u32, the low half
	// of the xxhash64 of their rows.
	blockEntry = 16
)

// appendBlockEntry appends the next block to an index: which of its ids have a row, how many rows there are before, and its rows.
func appendBlockEntry(index []byte, has uint64, before int, rows []byte) []byte {
	le := binary.LittleEndian
	index = le.AppendUint32(le.AppendUint64(index, has), uint32(before))
	return le.AppendUint32(index, uint32(xxhash.Sum64(rows)))
}

// rowTable has a row of bytes for some ids in a model file: the rows in the order of their ids, and an index of blocks of 64 ids. The rows of a
// block are read when one of them is needed.
type rowTable struct {
	index []byte
	rows  sections.Part
	size  int // of a row
}

// read copies the rows of ascending ids into dst, without those that are there already. It leaves the place of an id without a row as it is.
func (t rowTable) read(dst []byte, ids []uint32, isThere []bool) (err error) {
	var rows []byte // of a block
	last, le := -1, binary.LittleEndian
	for i, id := range ids {
		number, bit := int(id/blockIDs), uint64(1)<<(id%blockIDs)
		if (number+1)*blockEntry > len(t.index) {
			break
		}
		entry := t.index[number*blockEntry:]
		has := le.Uint64(entry)
		if isThere[i] || has&bit == 0 {
			continue
		}
		if number != last {
			last = number
			at, size := int64(le.Uint32(entry[8:]))*int64(t.size), int64(bits.OnesCount64(has)*t.size)
			if rows, err = t.rows.Read(at, at+size); err == nil && uint32(xxhash.Sum64(rows)) != le.Uint32(entry[12:]) {
				err = fmt.Errorf("%w: section STAT", ErrDamaged)
			}
			if err != nil {
				return err
			}
		}
		copy(dst[i*t.size:], rows[bits.OnesCount64(has&(bit-1))*t.size:][:t.size])
	}
	return nil
}
