package models

import (
	"cmp"
	"context"
	"slices"

	"chaff/features"
	"chaff/internal/evidence"
	"chaff/internal/parallel"
)

// sorted is a data set with its documents in the order of their contents, in which sums over all of them are made.
type sorted struct {
	*features.Dataset
	order []int32
}

// newSorted sorts documents by ids, then values, then labels, the confirmed ones last. The order does not depend on that within d, so that
// sums over documents round alike and a random order is the same for the same mail. Equal documents keep their order.
func newSorted(d *features.Dataset) sorted {
	x, y := d.Rows(), d.Rows()
	cells := d.RowsOf(func(g evidence.Group) bool { return g == evidence.Grams }) // with which rows begin
	entries := make([]sortKey, d.Len())
	for i := range entries {
		e := &entries[i]
		e.document = int32(i)
		ids := cells.Row(i).IDs
		if len(ids) < len(e.first) {
			ids = x.Row(i).IDs
		}
		for k := range min(len(ids), len(e.first)) {
			e.first[k] = ids[k] + 1
		}
	}
	label := func(i int32) int32 {
		if d.Confirmed != nil && d.Confirmed[i] {
			return 2*d.Labels[i] + 1
		}
		return 2 * d.Labels[i]
	}
	slices.SortFunc(entries, func(a, b sortKey) int {
		if by := slices.Compare(a.first[:], b.first[:]); by != 0 {
			return by
		}
		p, q := x.Row(int(a.document)), y.Row(int(b.document))
		return cmp.Or(slices.Compare(p.IDs, q.IDs), slices.Compare(p.Values, q.Values),
			cmp.Compare(label(a.document), label(b.document)), cmp.Compare(a.document, b.document))
	})
	s := sorted{d, make([]int32, len(entries))}
	for i, e := range entries {
		s.order[i] = e.document
	}
	return s
}

// sortKey is a document and its first ids, each plus 1, or 0 beyond the end of the row. They order all documents but those of
// one campaign, so that few rows are read again.
type sortKey struct {
	first    [8]uint32
	document int32
}

// each calls do with each of the documents and its class, for each member of a form with the terms of its groups only. Members read side by side if
// there are workers.
func (s sorted) each(ctx context.Context, documents []int32, form Form, do func(m int, x features.Vector, c int)) error {
	errs := make([]error, form.members())
	parallel.Each(s.Workers, len(errs), func(m int) {
		rows := s.Rows()
		if len(form) > 0 {
			rows = s.RowsOf(form[m].has)
		}
		for read, i := range documents {
			if read%1024 == 0 && ctx.Err() != nil {
				errs[m] = ctx.Err()
				return
			}
			x := rows.Row(int(i))
			x.Confirmed = s.Confirmed != nil && s.Confirmed[i]
			do(m, x, int(s.Labels[i]))
		}
	})
	return cmp.Or(errs...)
}
