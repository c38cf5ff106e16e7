package filter

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/logfile"
	"chaff/internal/sections"
	"chaff/models"
)

// ErrNotLearning is returned for a model that cannot learn on: its trainer needs all mail at once, or its file does not say what it knows.
var ErrNotLearning = errors.New("the model cannot learn from one message after the other")

// knowledge is what the learner of a model knows: what it knew when the model was written, and what records of the log say since. Four sections of the
// model keep the former:
//
//	GLOB  what the learner knew apart from terms
//	NONE  the row of a cell or term of which it had learned nothing
//	ROWS  the index of a [rowTable] of the ids of which it had learned something
//	STAT  the rows of the table
//
// The zero value is that of a model that cannot learn on.
type knowledge struct {
	settings *models.Options // of the learner
	globals  []byte
	none     []byte
	rows     rowTable
	tail     []logfile.Rows
}

// saveLearned writes the sections of what the learner of f knows, none if the model cannot learn on.
func (f *Filter) saveLearned(file *sections.Writer) error {
	l := f.learner
	if l == nil {
		return nil
	}
	globals := l.AppendGlobals(nil)
	empty, err := f.newLearner()
	if err == nil {
		err = empty.Restore(globals, nil)
	}
	if err != nil {
		return err
	}
	empty.Grow(1)
	none := empty.AppendTerm(nil, 0) // the row of a term of which it has learned nothing
	file.Add("GLOB", globals)
	file.Add("NONE", none)
	file.Begin("STAT")
	ids, before := l.Terms(), 0
	var index, rows []byte
	for first := 0; first < ids; first += blockIDs {
		has := uint64(0)
		rows = rows[:0]
		for w := first; w < min(first+blockIDs, ids); w++ {
			at := len(rows)
			if rows = l.AppendTerm(rows, w); bytes.Equal(rows[at:], none) {
				rows = rows[:at]
			} else {
				has |= 1 << (w - first)
			}
		}
		file.Write(rows)
		index = appendBlockEntry(index, has, before, rows)
		before += bits.OnesCount64(has)
	}
	file.Add("ROWS", index)
	return nil
}

// trainer returns the settings of the trainer of the model. The error is [ErrNotLearning], or about the file.
func (h *head) trainer() (*models.Options, error) {
	made, err := h.made()
	if err != nil {
		return nil, err
	}
	o, err := models.OptionsFrom(h.settings.Model, made.Trainer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotLearning, err)
	}
	return &o, nil
}

// newLearner returns a learner with the settings of the model that knows nothing. The error is [ErrNotLearning], or about the file that the
// filter was opened from.
func (h *head) newLearner() (*models.Online, error) {
	settings := h.knows.settings
	if settings == nil {
		var err error
		if settings, err = h.trainer(); err != nil {
			return nil, err
		}
	}
	l, kind, err := settings.NewOnline(h.settings.Model, h.settings.Classes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotLearning, err)
	}
	if size := len(h.knows.none); kind != h.kind || size > 0 && size != l.TermSize() {
		return nil, fmt.Errorf("%w: its learner has another kind of row", ErrVersion)
	}
	return l, nil
}

// know makes the model know later records, in the place of those that it knew. Rows are read from the file of the model when they are needed.
func (h *head) know(tail []logfile.Rows) error {
	errOtherRows := fmt.Errorf("%w: rows of another model", logfile.ErrDamaged)
	k, ids := h.knows, h.ids()
	if len(k.none) == 0 {
		if !h.file.Has("STAT") {
			return ErrNotLearning
		}
		globals, err1 := h.file.Section("GLOB")
		none, err2 := h.file.Section("NONE")
		index, err3 := h.file.Section("ROWS")
		rows, err4 := h.file.Part("STAT")
		settings, err5 := h.trainer()
		if err := cmp.Or(err1, err2, err3, err4, err5); err != nil {
			return err
		}
		if len(index) != (ids+blockIDs-1)/blockIDs*blockEntry || len(none) == 0 {
			return fmt.Errorf("%w: section ROWS is not for %d terms", ErrDamaged, ids)
		}
		k = knowledge{settings: settings, globals: globals, none: none, rows: rowTable{index, rows, len(none)}}
	}
	next := uint64(ids)
	for _, r := range tail {
		if size := r.Size(); size > 0 && size != len(k.none) || len(r.New) > 0 && uint64(r.First) != next {
			return errOtherRows
		}
		next += uint64(len(r.New))
		if n := len(r.IDs); n > 0 && uint64(r.IDs[n-1]) >= next {
			return errOtherRows
		}
	}
	k.tail = tail
	h.knows = k
	return nil
}

// total returns the number of ids, those of later terms included.
func (h *head) total() int {
	n := h.ids()
	for _, r := range h.knows.tail {
		n += len(r.New)
	}
	return n
}

// learner returns a learner that knows the terms with the given ids, which are ascending, as ids 0, 1, 2, .... It does not know the new ones among them.
func (h *head) learner(ids []uint32) (*models.Online, error) {
	k := &h.knows
	if len(k.none) == 0 {
		return nil, ErrNotLearning
	}
	l, err := h.newLearner()
	if err != nil {
		return nil, err
	}
	// Each row is from the newest record that has it, else from the model.
	known, _ := slices.BinarySearch(ids, uint32(h.total()))
	ids = ids[:known]
	rows, isLater := slices.Repeat(k.none, known), make([]bool, known)
	buffer, globals := make([]byte, 16<<10), k.globals
	for _, r := range k.tail {
		err := r.Find(buffer, ids, func(i int, row []byte) {
			copy(rows[i*len(row):], row)
			isLater[i] = true
		})
		if err != nil {
			return nil, err
		}
		if len(r.Globals) > 0 {
			globals = r.Globals
		}
	}
	if err := k.rows.read(rows, ids, isLater); err != nil {
		return nil, err
	}
	return l, l.Restore(globals, rows)
}

// later appends to known, as [features.Vocabulary.AppendKnown] returns them, the terms that only later records have. The first of their terms has the
// given id, and shift hides the bits of a hash that do not tell terms apart. It has no table of the terms: comparing all with the few that the
// document has and the model lacks takes less time than making one.
func (k *knowledge) later(known, hashes []uint64, id uint32, shift uint) []uint64 {
	var may [1 << 8]uint64                                  // a bit for the 14 highest bits of each term: most terms of records are none of the document
	missing := make(map[uint64]int, len(hashes)-len(known)) // the last of the terms with these bits, by index plus 1
	before := make([]int, len(hashes))                      // the one before that, 0 for none
	left := known
	for i, hash := range hashes {
		if len(left) > 0 && uint32(left[0]) == uint32(i) {
			left = left[1:]
		} else {
			before[i], missing[hash>>shift] = missing[hash>>shift], i+1
			may[hash>>56] |= 1 << (hash >> 50 & 63)
		}
	}
	for _, r := range k.tail {
		for n, hash := range r.New {
			if may[hash>>56]>>(hash>>50&63)&1 == 0 {
				continue
			}
			for i := missing[hash>>shift]; i > 0; i = before[i-1] {
				known = append(known, uint64(id+uint32(n))<<32|uint64(i-1))
			}
		}
		id += uint32(len(r.New))
	}
	return known
}

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
