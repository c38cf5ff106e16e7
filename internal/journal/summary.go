package journal

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// summaryRecords is how many records are appended between two summaries. A reader looks at all ids of the records since the last summary, and a
// summary has the rows of all records before it.
const summaryRecords = 32

// NeedsSummary reports whether a summary should be appended.
func (j *Journal) NeedsSummary() bool {
	n := len(j.records)
	return n > summaryRecords || n == summaryRecords && j.records[0].Covers == 0
}

// Summary returns a record that takes the place of all records before it: with the last row of each id, the last globals, and the entries as
// its meta. The model has so many ids without the new terms. The caller appends the record, and then writes [Journal.Hint] to its place.
func (j *Journal) Summary(ids int) (Record, error) {
	entries, err := j.Entries()
	if err != nil {
		return Record{}, err
	}
	r := Record{covers: uint64(len(entries))}
	for _, e := range entries {
		r.Meta = binary.LittleEndian.AppendUint64(r.Meta, e.Key)
		r.Meta = binary.LittleEndian.AppendUint64(r.Meta, uint64(e.offset))
		r.Meta = binary.LittleEndian.AppendUint64(r.Meta, uint64(e.Tag))
	}
	if r.Globals, err = j.Globals(); err != nil {
		return Record{}, err
	}
	hasTexts := true
	for _, s := range j.records {
		if err := s.Hashes(func(hashes []uint64) { r.New = append(r.New, hashes...) }); err != nil {
			return Record{}, err
		}
		if s.terms > 0 {
			_, texts, _, err := s.Rest()
			if err != nil {
				return Record{}, err
			}
			hasTexts = hasTexts && len(texts) > 0
			r.Texts = append(r.Texts, texts...)
		}
	}
	if !hasTexts {
		r.Texts = nil
	}
	r.IDs, r.Rows, err = newestRows(j.records)
	if n := len(r.IDs); err == nil && n > 0 && uint64(r.IDs[n-1]) >= uint64(ids+len(r.New)) { // the index of a summary grows with its last id
		err = fmt.Errorf("%w: a row of id %d in the journal", ErrDamaged, r.IDs[n-1])
	}
	return r, err
}

// newestRows returns the ids that any record has a row of, in ascending order, and the last row of each.
func newestRows(records []*Stored) (ids []uint32, newest []byte, err error) {
	n, size := 0, 0
	for _, s := range records {
		n, size = n+s.rows, max(size, s.rowSize)
	}
	for _, s := range records {
		if err := s.CheckRows(size); err != nil {
			return nil, nil, err
		}
	}
	order := make([]uint64, 0, n) // the id and the complement of the number of each row: the newest row of an id comes first
	rows := make([]byte, 0, n*size)
	for _, s := range records {
		err := s.Each(func(id uint32, row []byte) error {
			order, rows = append(order, uint64(id)<<32|uint64(^uint32(len(order)))), append(rows, row...)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	slices.Sort(order)
	order = slices.CompactFunc(order, func(a, b uint64) bool { return a>>32 == b>>32 })
	ids, newest = make([]uint32, len(order)), make([]byte, 0, len(order)*size)
	for i, o := range order {
		ids[i], newest = uint32(o>>32), append(newest, rows[int(^uint32(o))*size:][:size]...)
	}
	return ids, newest, nil
}

// Hint returns 8 bytes for the place at in the store, by which readers find a summary that was appended. They do without it if it is not
// there.
func (j *Journal) Hint() (data []byte, at int64) {
	var summary int64
	if len(j.records) > 0 && j.records[0].Covers > 0 {
		summary = j.records[0].at
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(summary)), j.base.Size() + int64(hintAt)
}
