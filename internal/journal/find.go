package journal

import (
	"encoding/binary"
	"slices"
)

// wanted is a set of ids in which most others are seen not to be at one look: a bit for the lowest bits of each.
type wanted [1 << 10]uint64

func (w *wanted) add(id uint32) { w[id/64%uint32(len(w))] |= 1 << (id % 64) }

func (w *wanted) has(id uint32) bool { return w[id/64%uint32(len(w))]>>(id%64)&1 != 0 }

// Find calls take with the newest row of each of the ids, which ascend, that any record has, and returns the indices of the others. It
// verifies the records whose rows it takes. It compares each id of the journal with the few that are wanted, which takes less time than making
// a table of all.
func Find(records []Record, ids []uint32, take func(i int, row []byte)) (missing []int, err error) {
	var w wanted
	for _, id := range ids {
		w.add(id)
	}
	found, left := make([]bool, len(ids)), len(ids)
	for n := len(records) - 1; n >= 0 && left > 0; n-- {
		r := &records[n]
		if len(r.IDs) == 0 {
			continue
		}
		size, verified := len(r.Rows)/len(r.IDs), false
		for k, id := range r.IDs {
			if !w.has(id) {
				continue
			}
			i, isWanted := slices.BinarySearch(ids, id)
			if !isWanted || found[i] {
				continue
			}
			if !verified {
				if err := r.VerifyRows(); err != nil {
					return nil, err
				}
				verified = true
			}
			take(i, r.Rows[k*size:][:size])
			found[i] = true
			left--
		}
	}
	for i, isFound := range found {
		if !isFound {
			missing = append(missing, i)
		}
	}
	return missing, nil
}

// Globals returns the newest globals, or nil if no record has any.
func Globals(records []Record) []byte {
	for n := len(records) - 1; n >= 0; n-- {
		if g := records[n].Globals; len(g) > 0 {
			return g
		}
	}
	return nil
}

// Model returns the identity of the model that a journal belongs to, which [Parse] has read, or 0 for something else.
func Model(data []byte) uint64 {
	if len(data) < BeginSize {
		return 0
	}
	return binary.LittleEndian.Uint64(data[len(magic):])
}
