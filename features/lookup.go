package features

import (
	"math"
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
	l.sort()
	return l.appendRow(dst, doc, kind)
}

// AppendFound is AppendVector for known terms as [Vocabulary.AppendKnown] returns them.
func (l *Lookup) AppendFound(dst Vector, known []uint64, doc Document, kind Kind) Vector {
	l.known = append(l.known[:0], known...)
	l.sort()
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

// appendStored is AppendVector for the document that r has read, with the ids of a vocabulary. Rows of evidence have the cells first, then the
// terms of each group: ids ascend within a group only, and sums over a group are those of an ascending row. They lack the groups that are not
// wanted; nil wants all.
func (l *Lookup) appendStored(dst Vector, r *documentReader, ids termIDs, kind Kind, wanted func(evidence.Group) bool) Vector {
	switch kind {
	case Evidence:
		return appendEvidence(dst, r, ids, wanted)
	case Bits, NormalisedBits:
		first := len(dst.IDs)
		dst.IDs = appendDecoded(dst.IDs, len(r.marks), r.gaps)
		known := ids.known(dst.IDs[first:], 0)
		dst.IDs = dst.IDs[:first+len(known)]
		dst.Values = appendSame(dst.Values, float32(scale(kind, len(r.marks), nil)), len(known))
		return dst
	}
	l.find(r, ids)
	return l.appendRow(dst, r.doc, kind)
}

// find sets the known terms of the document that r has read.
func (l *Lookup) find(r *documentReader, ids termIDs) {
	r.readTerms()
	l.known = l.known[:0]
	for i, number := range r.numbers {
		if id := ids.of(number); id != unknown {
			l.known = append(l.known, uint64(id)<<32|uint64(i))
		}
	}
	if !ids.ordered {
		l.sort()
	}
}

// appendEvidence is appendStored for evidence.
func appendEvidence(dst Vector, r *documentReader, ids termIDs, wanted func(evidence.Group) bool) Vector {
	wants := func(g evidence.Group) bool { return wanted == nil || wanted(g) }
	if n := r.sizes[evidence.Grams]; wants(evidence.Grams) {
		r.readCells()
		dst = appendGroup(dst, r.doc.Cells, evidenceValue(n), evidence.Grams)
	}
	r.readNumbers()
	r.byGroup = slices.Grow(r.byGroup[:0], len(r.numbers))[:len(r.numbers)]
	var next [1 << (8 - groupShift)]int // where the next term of each group goes
	for g := range evidence.Grams {
		next[g+1] = next[g] + r.sizes[g]
	}
	for i, mark := range r.marks {
		g := mark >> groupShift
		r.byGroup[next[g]] = r.numbers[i]
		next[g]++
	}
	for g := range evidence.Grams {
		if n := r.sizes[g]; wants(g) {
			dst = appendGroup(dst, ids.known(r.byGroup[next[g]-n:next[g]], CellCount), evidenceValue(n), g)
		}
	}
	return dst
}

// sort sorts the known terms by id, and terms with the same id by index.
func (l *Lookup) sort() {
	const fewTerms = 64
	if len(l.known) <= fewTerms {
		slices.Sort(l.known)
		return
	}
	var all uint64
	for _, known := range l.known {
		all |= known
	}
	l.known, l.spare = radixSort(l.known, l.spare, 32, bits.Len64(all))
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

// appendRow appends the known terms of a document with their values, in the order of their ids. Two hashes can be one term.
func (l *Lookup) appendRow(dst Vector, doc Document, kind Kind) Vector {
	first, offset, factor := len(dst.IDs), uint32(0), scale(kind, len(doc.Groups), doc.Counts)
	var values [evidence.Groups]float32
	if kind == Evidence {
		offset = CellCount
		for g, n := range doc.sizes() {
			values[g] = evidenceValue(n)
		}
		dst = appendGroup(dst, doc.Cells, values[evidence.Grams], evidence.Grams)
	}
	for _, known := range l.known {
		id, i, last := offset+uint32(known>>32), uint32(known), len(dst.IDs)-1
		isAgain := last >= first && dst.IDs[last] == id
		switch {
		case kind == HeadBits && !doc.InHead[i] || isAgain && !kind.counted():
			continue
		case isAgain:
			dst.Values[last] += float32(factor * float64(doc.Counts[i]))
			continue
		case kind == Evidence:
			g := doc.Groups[i]
			dst.Values, dst.Groups = append(dst.Values, values[g]), append(dst.Groups, g)
		case kind.counted():
			dst.Values = append(dst.Values, float32(factor*float64(doc.Counts[i])))
		default:
			dst.Values = append(dst.Values, float32(factor))
		}
		dst.IDs = append(dst.IDs, id)
	}
	return dst
}

// evidenceValue returns the value of each of the n terms of a group.
func evidenceValue(n int) float32 { return float32(1 / math.Sqrt(float64(n))) }

// appendGroup appends terms of a group, which have one value.
func appendGroup(dst Vector, ids []uint32, value float32, g evidence.Group) Vector {
	dst.IDs = append(dst.IDs, ids...)
	dst.Values = appendSame(dst.Values, value, len(ids))
	dst.Groups = appendSame(dst.Groups, g, len(ids))
	return dst
}

func appendSame[T any](dst []T, value T, n int) []T {
	dst = slices.Grow(dst, n)[:len(dst)+n]
	for i := len(dst) - n; i < len(dst); i++ {
		dst[i] = value
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
