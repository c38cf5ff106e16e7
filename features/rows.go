package features

import (
	"slices"

	"chaff/internal/evidence"
)

// Rows reads the rows of a data set, one at a time. It belongs to one goroutine; a data set can have any number.
type Rows struct {
	dataset *Dataset
	wanted  func(evidence.Group) bool // nil for all
	reader  documentReader
	lookup  Lookup
	row     Vector
}

// Rows returns a reader of the rows of d.
func (d *Dataset) Rows() *Rows { return d.RowsOf(nil) }

// RowsOf is [Dataset.Rows] for the terms of some groups: its rows may lack those of others.
func (d *Dataset) RowsOf(groups func(evidence.Group) bool) *Rows {
	r := &Rows{dataset: d, wanted: groups}
	if d.index != nil {
		r.reader = d.index.documents.reader()
	}
	return r
}

// Row returns document i, valid until the next call. A row that could not be read is empty. With evidence the cells come first, then the
// terms of each group: ids ascend within a group only, and sums over a group are those of an ascending row.
func (r *Rows) Row(i int) Vector {
	d := r.dataset
	if d.index == nil {
		return d.Row(i)
	}
	r.reader.read(d.documents[i])
	r.row = r.lookup.appendStored(r.row.Reset(), &r.reader, d.index.ids, d.Kind, r.wanted)
	return r.row
}

// First returns the n smallest ids of document i, or all if there are fewer. They are valid until the next call.
func (r *Rows) First(i, n int) []uint32 {
	if d := r.dataset; d.index != nil && d.Kind == Evidence {
		if r.reader.read(d.documents[i]); r.reader.sizes[evidence.Grams] >= n {
			r.row.IDs = appendDecoded(r.row.IDs[:0], n, r.reader.cells)
			return r.row.IDs
		}
	}
	ids := slices.Sorted(slices.Values(r.Row(i).IDs))
	return ids[:min(n, len(ids))]
}
