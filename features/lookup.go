package features

import (
	"math/bits"
	"slices"

	"chaff/internal/evidence"
)

// Lookup makes vectors of documents. It belongs to one goroutine and reuses its memory; the zero value is ready.
type Lookup struct {
	known []uint64 // the known terms of a document: the id and, in the lower 32 bits, the index in the document
	spare []uint64
	whole [1]uint64 // the hash of the document for the kind [Whole]
}

// AppendVector appends to dst the terms of doc that the vocabulary knows, with the values of the given kind, and returns the
// longer vector.
func (l *Lookup) AppendVector(dst Vector, v *Vocabulary, doc Document, kind Kind) Vector {
	l.known = v.AppendKnown(l.known[:0], l.Hashes(doc, kind))
	l.sort(v.Len())
	return l.appendRow(dst, doc, kind)
}

// AppendFound is AppendVector for known terms as [Vocabulary.AppendKnown] returns them, whose ids are below terms.
func (l *Lookup) AppendFound(dst Vector, known []uint64, terms int, doc Document, kind Kind) Vector {
	l.known = append(l.known[:0], known...)
	l.sort(terms)
	return l.appendRow(dst, doc, kind)
}

// Known returns the known terms of the document that was last looked up: the id and, in the lower 32 bits, the index in the document. They
// are in the order of their ids, and valid until the next call.
func (l *Lookup) Known() []uint64 { return l.known }

// Hashes returns the hashes of the terms of doc: for the kind [Whole] that of the document.
func (l *Lookup) Hashes(doc Document, kind Kind) []uint64 {
	if kind != Whole {
		return doc.Terms
	}
	l.whole[0] = doc.hash()
	return l.whole[:]
}

// appendStored is AppendVector for the document that r has read. ids has the ids of terms by their numbers, all below terms.
func (l *Lookup) appendStored(dst Vector, r *documentReader, ids []uint32, terms int, kind Kind) Vector {
	r.readRest()
	if kind == Evidence {
		r.readGroups()
	}
	l.known = l.known[:0]
	for i, number := range r.numbers {
		if id := ids[number]; id != unknown {
			l.known = append(l.known, uint64(id)<<32|uint64(i))
		}
	}
	l.sort(terms)
	return l.appendRow(dst, r.doc, kind)
}

// sort sorts the known terms by id, and terms with the same id by index. Ids are below terms.
func (l *Lookup) sort(terms int) {
	const fewTerms = 64
	if len(l.known) <= fewTerms {
		slices.Sort(l.known)
		return
	}
	l.known, l.spare = radixSort(l.known, l.spare, 32, 32+bits.Len(uint(terms)))
}

// radixSort returns x sorted by the bits from low to high, and the other one of the two slices. Numbers with equal bits keep their order.
// It takes a sixth of the time of slices.Sort for the terms of a message.
func radixSort(x, spare []uint64, low, high int) (sorted, other []uint64) {
	const digitBits, mask = 10, 1<<10 - 1
	spare = slices.Grow(spare[:0], len(x))[:len(x)]
	for shift := low; shift < high; shift += digitBits {
		var next [mask + 2]uint32 // where the next number with each digit goes
		for _, n := range x {
			next[n>>shift&mask+1]++
		}
		for digit := range mask {
			next[digit+1] += next[digit]
		}
		for _, n := range x {
			digit := n >> shift & mask
			spare[next[digit]] = n
			next[digit]++
		}
		x, spare = spare, x
	}
	return x, spare
}

// appendRow appends the known terms with their values. The rows of a [Matrix] have the same values, see [rowWriter].
func (l *Lookup) appendRow(dst Vector, doc Document, kind Kind) Vector {
	first, offset, scale := len(dst.IDs), uint32(0), 1.
	var scales [evidence.Groups]float64
	if kind == Evidence {
		scales, offset = doc.groupScales(), CellCount
		for _, cell := range doc.Cells {
			dst.IDs = append(dst.IDs, cell)
			dst.Values, dst.Groups = append(dst.Values, float32(scales[evidence.Grams])), append(dst.Groups, evidence.Grams)
		}
	} else {
		scale = doc.scale(kind)
	}
	for _, known := range l.known {
		id, i := offset+uint32(known>>32), uint32(known)
		if kind == HeadBits && !doc.InHead[i] {
			continue
		}
		value := scale
		if kind.counted() {
			value *= float64(doc.Counts[i])
		}
		if last := len(dst.IDs) - 1; last >= first && dst.IDs[last] == id { // two hashes can be one term
			if kind.counted() {
				dst.Values[last] += float32(value)
			}
			continue
		}
		if kind == Evidence {
			g := doc.Groups[i]
			value, dst.Groups = scales[g], append(dst.Groups, g)
		}
		dst.IDs, dst.Values = append(dst.IDs, id), append(dst.Values, float32(value))
	}
	return dst
}

// Novelty returns how new the document is that was last looked up, from 0 to 1: the share of its terms that were not found, as a mean over the
// kinds of evidence g that it has. A kind with many terms does not outvote the others, and one of few counts less:
//
//	sum over g of u_g / (n_g + 1)  /  sum over g of n_g / (n_g + 1)           u_g of n_g terms were not found
//
// These are the weights of a mean of shares whose variances between and within the kinds are equal; see R. DerSimonian, N. Laird 1986.
func (l *Lookup) Novelty(doc Document) float64 {
	var known [evidence.Groups]int
	for _, k := range l.known {
		known[doc.Groups[uint32(k)]]++
	}
	var unknown, all float64
	for g, n := range doc.sizes() {
		if evidence.Group(g) != evidence.Grams {
			unknown += float64(n-known[g]) / float64(n+1)
			all += float64(n) / float64(n+1)
		}
	}
	if all == 0 {
		return 0
	}
	return unknown / all
}
