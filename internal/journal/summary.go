package journal

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// summaryRecords is how many records are appended between two summaries. A reader looks at all ids of the records since the last summary, and a
// summary has the rows of all records before it.
const summaryRecords = 32

// summaryBits is the number of bits for the records of a summary.
const summaryBits = 10

// NeedsSummary reports whether a summary should be appended.
func (j *Journal) NeedsSummary() bool {
	n := len(j.records)
	return n > summaryRecords || n == summaryRecords && j.records[0].Covers == 0
}

// Summary returns a record that takes the place of all records before it: with the last row of each id, the last globals, and the entries as
// its meta. The caller appends it, and then writes [Hint] to its place.
func (j *Journal) Summary() (Record, error) {
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
	var rows []uint64 // the id, how many records are behind the one with the row, the index in this record
	if len(j.records) >= 1<<summaryBits {
		return Record{}, fmt.Errorf("a summary of %d records", len(j.records))
	}
	for n, s := range j.records {
		r.New = append(r.New, s.New...)
		if len(s.New) > 0 {
			_, texts, _, err := s.Rest()
			if err != nil {
				return Record{}, err
			}
			hasTexts = hasTexts && len(texts) > 0
			r.Texts = append(r.Texts, texts...)
		}
		if len(s.IDs) >= 1<<(32-summaryBits) {
			return Record{}, fmt.Errorf("a summary of a record of %d rows", len(s.IDs))
		}
		behind := uint64(len(j.records)-1-n) << (32 - summaryBits)
		for i, id := range s.IDs {
			rows = append(rows, uint64(id)<<32|behind|uint64(i))
		}
	}
	if !hasTexts {
		r.Texts = nil
	}
	slices.Sort(rows)
	rows = slices.CompactFunc(rows, func(a, b uint64) bool { return a>>32 == b>>32 })
	readers := make([]Rows, len(j.records))
	for n := range j.records {
		readers[n] = j.records[n].Rows(new([]byte))
	}
	for _, at := range rows { // by id, so ascending in each record
		n, i := len(j.records)-1-int(uint32(at)>>(32-summaryBits)), int(at&(1<<(32-summaryBits)-1))
		row, err := readers[n].Row(i)
		if err != nil {
			return Record{}, err
		}
		r.IDs, r.Rows = append(r.IDs, uint32(at>>32)), append(r.Rows, row...)
	}
	return r, nil
}

// Hint returns 8 bytes for the place at in the store, by which readers find a summary that was appended. They do without it if it is not
// there.
func (j *Journal) Hint() (data []byte, at int64) {
	var summary int64
	if len(j.records) > 0 && j.records[0].Covers > 0 {
		summary = j.records[0].at
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(summary)), j.base + int64(hintAt)
}
