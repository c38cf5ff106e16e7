package features

import (
	"math"
	"math/bits"
	"slices"
)

// Lookup makes vectors of documents. It belongs to one goroutine and reuses its memory; the zero value is ready.
type Lookup struct {
	known []uint64 // the terms of a document that are known: the id, and in the lower 32 bits the place in the document
	spare []uint64
	doc   Document // made of one that is kept
}

// AppendVector appends to dst the terms of doc that the vocabulary knows, with the values of the given kind, and
// returns the longer vector.
func (l *Lookup) AppendVector(dst Vector, v *Vocabulary, doc Document, kind Kind) Vector {
	hashes := doc.Terms
	if kind == Whole {
		hashes = []uint64{doc.hash()}
	}
	l.known = v.appendKnown(l.known[:0], hashes)
	l.sort(v.Len())
	return l.appendRow(dst, doc, kind)
}

// appendEncoded is AppendVector for a document that is kept, by the ids of the numbers of its terms. The group of a term is needed
// for evidence only.
func (l *Lookup) appendEncoded(dst Vector, e encoded, ids []uint32, terms int, group func(number uint32) Group, kind Kind) Vector {
	if kind != Evidence {
		group = nil
	}
	l.find(e, ids, terms)
	l.doc = e.document(l.doc, group)
	return l.appendRow(dst, l.doc, kind)
}

// find makes known the terms of a document that is kept.
func (l *Lookup) find(e encoded, ids []uint32, terms int) {
	l.known = l.known[:0]
	for i := range e.n {
		if id := ids[e.number(i)]; id != unknown {
			l.known = append(l.known, uint64(id)<<32|uint64(i))
		}
	}
	l.sort(terms)
}

// fewTerms is up to how many terms a sort that compares is faster.
const fewTerms = 64

// sort sorts what is known by id, and by place where two terms have one id. It takes linear time whatever the ids are.
func (l *Lookup) sort(terms int) {
	if len(l.known) <= fewTerms {
		slices.Sort(l.known)
		return
	}
	l.spare = slices.Grow(l.spare[:0], len(l.known))[:len(l.known)]
	for shift := 32; shift < 32+bits.Len(uint(terms)); shift += digitBits {
		sortByDigit(l.spare, l.known, uint(shift))
		l.known, l.spare = l.spare, l.known
	}
}

// appendRow appends the known terms with their values. Training and classification both make their vectors here.
func (l *Lookup) appendRow(dst Vector, doc Document, kind Kind) Vector {
	first := len(dst.IDs)
	if kind == Evidence {
		scales := scalesOf(doc.sizes())
		dst.IDs = append(dst.IDs, doc.Cells...)
		dst.addCells(scales[Grams])
		for _, known := range l.known {
			g := doc.Groups[uint32(known)]
			dst.addEvidence(first, CellCount+uint32(known>>32), scales[g], g)
		}
		return dst
	}
	scale := doc.scale(kind)
	for _, known := range l.known {
		i := uint32(known)
		if kind == HeadBits && !doc.Start[i] {
			continue
		}
		dst.add(first, uint32(known>>32), float32(doc.value(i, kind)*scale), kind)
	}
	return dst
}

// appendIDs appends the ids of the known terms, each once.
func (l *Lookup) appendIDs(dst []uint32, first uint32) []uint32 {
	for i, known := range l.known {
		if i == 0 || known>>32 != l.known[i-1]>>32 {
			dst = append(dst, first+uint32(known>>32))
		}
	}
	return dst
}

// scalesOf returns 1 / the Euclidean length of each group with so many terms.
func scalesOf(sizes [Groups]int) (scales [Groups]float32) {
	for g, n := range sizes {
		if n > 0 {
			scales[g] = float32(1 / math.Sqrt(float64(n)))
		}
	}
	return scales
}

// addCells puts the value and the group of cells beside the ids that have none yet.
func (x *Vector) addCells(value float32) {
	for len(x.Values) < len(x.IDs) {
		x.Values, x.Groups = append(x.Values, value), append(x.Groups, Grams)
	}
}

// addEvidence appends a term to the vector of a document that begins at first, unless it is the last one: two hashes may be
// one term.
func (x *Vector) addEvidence(first int, id uint32, value float32, g Group) {
	if last := len(x.IDs) - 1; last < first || x.IDs[last] != id {
		x.IDs, x.Values, x.Groups = append(x.IDs, id), append(x.Values, value), append(x.Groups, g)
	}
}

// add appends a term to the vector of a document that begins at first, or adds it to the last one: two hashes may be one term.
func (x *Vector) add(first int, id uint32, value float32, kind Kind) {
	last := len(x.IDs) - 1
	if last < first || x.IDs[last] != id {
		x.IDs, x.Values = append(x.IDs, id), append(x.Values, value)
	} else if kind.counted() {
		x.Values[last] += value
	}
}
