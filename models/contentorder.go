package models

import (
	"cmp"
	"context"
	"slices"

	"chaff/features"
)

// listOrder returns the numbers from 0 to n-1.
func listOrder[T int32 | uint32](n int) []T {
	numbers := make([]T, n)
	for i := range numbers {
		numbers[i] = T(i)
	}
	return numbers
}

// contentOrder returns the documents of d sorted by their contents: by ids, then values, then labels. It does not depend
// on the order of the documents within d, so that sums over them round alike and a random order is the same for the same
// mail. Equal documents keep their order.
func contentOrder(d *features.Dataset) []int32 {
	s := sorter{d: d, x: d.Rows(), y: d.Rows()}
	entries := make([]sortEntry, d.Len())
	for i := range entries {
		entries[i].document = int32(i)
	}
	s.sort(entries, 0)
	documents := make([]int32, len(entries))
	for i, e := range entries {
		documents[i] = e.document
	}
	return documents
}

// sortEntry is a document and two of its ids, each plus 1, or 0 beyond the end of the row. It has twelve bytes.
type sortEntry struct {
	key      [2]uint32
	document int32
}

// sorter sorts by two ids at a time, so that few rows are read more than once, and of these only the first ids.
type sorter struct {
	d    *features.Dataset
	x, y *features.Rows
}

// maxDepth is the number of ids after which rows that are still equal are compared as a whole: messages of one campaign.
const maxDepth = 16

// sort sorts entries whose first depth ids are equal.
func (s *sorter) sort(entries []sortEntry, depth int) {
	for i := range entries {
		entries[i].key = s.key(entries[i].document, depth)
	}
	slices.SortFunc(entries, func(a, b sortEntry) int {
		return cmp.Or(cmp.Compare(a.key[0], b.key[0]), cmp.Compare(a.key[1], b.key[1]), cmp.Compare(a.document, b.document))
	})
	for from := 0; from < len(entries); {
		to := from + 1
		for to < len(entries) && entries[to].key == entries[from].key {
			to++
		}
		switch same := entries[from:to]; {
		case len(same) == 1:
		case depth+2 < maxDepth:
			s.sort(same, depth+2)
		default:
			slices.SortStableFunc(same, s.compare)
		}
		from = to
	}
}

// key returns the two ids after the first depth ones.
func (s *sorter) key(document int32, depth int) (key [2]uint32) {
	ids := s.x.First(int(document), depth+len(key))
	for i := depth; i < len(ids); i++ {
		key[i-depth] = ids[i] + 1
	}
	return key
}

func (s *sorter) compare(a, b sortEntry) int {
	x, y := s.x.Row(int(a.document)), s.y.Row(int(b.document))
	if by := slices.Compare(x.IDs, y.IDs); by != 0 {
		return by
	}
	return cmp.Or(slices.Compare(x.Values, y.Values), cmp.Compare(s.d.Labels[a.document], s.d.Labels[b.document]))
}

// sorted is a data set with its documents in the order of their contents, in which sums over all of them are made.
type sorted struct {
	*features.Dataset
	order []int32
	rows  *features.Rows
}

func newSorted(d *features.Dataset) sorted { return sorted{d, contentOrder(d), d.Rows()} }

// Row returns document i, valid until the next Row.
func (s sorted) Row(i int) features.Vector { return s.rows.Row(i) }

// each calls do with each of the documents and its class.
func (s sorted) each(ctx context.Context, documents []int32, do func(x features.Vector, c int)) error {
	for read, i := range documents {
		if read%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		do(s.Row(int(i)), int(s.Labels[i]))
	}
	return nil
}
