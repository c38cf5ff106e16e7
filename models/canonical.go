package models

import (
	"cmp"
	"slices"

	"chaff/features"
)

// listed returns n documents in the order in which they are in a data set.
func listed(n int) []int32 {
	documents := make([]int32, n)
	for i := range documents {
		documents[i] = int32(i)
	}
	return documents
}

// canonical returns the documents of d in an order that is that of their contents: the same whatever order they are in
// within d, so that sums over them round alike and a random order is the same for the same mail. Rows are compared by their
// ids, then their values, then their labels; equal ones stay as they are.
func canonical(d *features.Dataset) []int32 {
	s := sorter{d: d, x: d.Rows(), y: d.Rows()}
	places := make([]place, d.Len())
	for i := range places {
		places[i].document = int32(i)
	}
	s.sort(places, 0)
	documents := make([]int32, len(places))
	for i, p := range places {
		documents[i] = p.document
	}
	return documents
}

// place is a document that is being sorted: by two of its ids, plus 1, or 0 where the row is at its end. It has twelve bytes.
type place struct {
	key      [2]uint32
	document int32
}

// sorter sorts by two ids at a time, so that few rows are read more than once, and these only from their beginning.
type sorter struct {
	d    *features.Dataset
	x, y *features.Rows
}

// maxDepth is the number of ids from which on what is still equal, letters of one kind, is compared row by row.
const maxDepth = 16

// sort sorts documents that are the same in their first ids, so many.
func (s *sorter) sort(places []place, depth int) {
	for i := range places {
		places[i].key = s.key(places[i].document, depth)
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.key[0], b.key[0]), cmp.Compare(a.key[1], b.key[1]), cmp.Compare(a.document, b.document))
	})
	for from := 0; from < len(places); {
		to := from + 1
		for to < len(places) && places[to].key == places[from].key {
			to++
		}
		switch same := places[from:to]; {
		case len(same) == 1:
		case depth+2 < maxDepth:
			s.sort(same, depth+2)
		default:
			slices.SortStableFunc(same, s.compare)
		}
		from = to
	}
}

// key is the ids after the first so many.
func (s *sorter) key(document int32, depth int) (key [2]uint32) {
	ids := s.x.First(int(document), depth+len(key))
	for i := depth; i < len(ids); i++ {
		key[i-depth] = ids[i] + 1
	}
	return key
}

func (s *sorter) compare(a, b place) int {
	x, y := s.x.Row(int(a.document)), s.y.Row(int(b.document))
	if by := slices.Compare(x.IDs, y.IDs); by != 0 {
		return by
	}
	return cmp.Or(slices.Compare(x.Values, y.Values), cmp.Compare(s.d.Labels[a.document], s.d.Labels[b.document]))
}
