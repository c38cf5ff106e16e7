package features

import (
	"math"
	"math/bits"
	"slices"

	"chaff/internal/evidence"
)

// Lookup makes vectors of documents. It belongs to one goroutine and reuses its memory; the zero value is ready.
type Lookup struct {
	// Known is the known terms of the document that was last looked up, in the order of their ids: the id and, in the lower 32 bits, the index in the
	// document.
	Known   []uint64
	spare   []uint64
	ids     []uint32 // their ids, which ascend, and indices
	indices []uint32
	some    []uint32 // memory of indices
	order   []uint32 // 0, 1, 2, ...
	repeats bool     // two hashes are one term
	byGroup []uint32 // their ids, one group after the other
}

// AppendVector appends to dst the terms of doc, which is as [Document.As] returns it, that the vocabulary knows, with the values of the given
// kind, and returns the longer vector.
func (l *Lookup) AppendVector(dst Vector, v *Vocabulary, doc Document, kind Kind) Vector {
	return l.AppendFound(dst, v.AppendKnown(l.Known[:0], doc.Terms), doc, kind)
}

// AppendFound is AppendVector for known terms as [Vocabulary.AppendKnown] returns them. It keeps their memory.
func (l *Lookup) AppendFound(dst Vector, known []uint64, doc Document, kind Kind) Vector {
	l.Known = known
	l.split()
	return l.appendRow(dst, doc, doc.sizes(), kind, nil)
}

// split sorts the known terms by id, and terms with the same id by index. It sets their ids and their indices.
func (l *Lookup) split() {
	var all uint64
	for _, known := range l.Known {
		all |= known
	}
	l.Known, l.spare = radixSort(l.Known, l.spare, 32, bits.Len64(all))
	l.ids, l.indices = slices.Grow(l.ids[:0], len(l.Known))[:len(l.Known)], slices.Grow(l.some[:0], len(l.Known))[:len(l.Known)]
	for k, known := range l.Known {
		l.ids[k], l.indices[k] = uint32(known>>32), uint32(known)
		l.repeats = k > 0 && (l.repeats || l.ids[k] == l.ids[k-1])
	}
	l.some = l.indices
}

// find sets the known terms of the document that r has read. Its memory is that of r.
func (l *Lookup) find(r *documentReader, ids termIDs) {
	r.readNumbers()
	numbers := r.numbers
	for len(l.order) < len(numbers) {
		l.order = append(l.order, uint32(len(l.order)))
	}
	l.ids, l.indices, l.repeats = numbers, l.order[:len(numbers)], false
	if ids.known != nil {
		l.some = slices.Grow(l.some[:0], len(numbers))[:len(numbers)]
		n := 0
		for i, number := range numbers {
			of, bit := &ids.known[number/64], uint64(1)<<(number%64)
			numbers[n], l.some[n] = of.first+uint32(bits.OnesCount64(of.bits&(bit-1))), uint32(i)
			n += int(of.bits >> (number % 64) & 1)
		}
		l.ids, l.indices = numbers[:n], l.some[:n]
		return
	}
	if ids.ids == nil {
		return
	}
	l.Known = l.Known[:0]
	for i, number := range numbers {
		if id := ids.ids[number]; id != unknown {
			l.Known = append(l.Known, uint64(id)<<32|uint64(i))
		}
	}
	l.split()
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
func (l *Lookup) appendRow(dst Vector, doc Document, sizes [evidence.Groups]int, kind Kind, wanted *[evidence.Groups]bool) Vector {
	if kind == Evidence {
		return l.appendGroups(dst, doc, sizes, wanted)
	}
	first, factor := len(dst.IDs), scale(kind, len(doc.Marks), doc.Counts)
	if kind.counted() {
		for k, i := range l.indices {
			if value := float32(factor * float64(doc.Counts[i])); k > 0 && l.ids[k] == l.ids[k-1] {
				dst.Values[len(dst.Values)-1] += value
			} else {
				dst.Values = append(dst.Values, value)
			}
		}
	}
	dst.IDs = append(dst.IDs, l.ids...)
	if kind == HeadBits {
		dst.IDs = dst.IDs[:first]
		for k, i := range l.indices {
			if doc.InHead(int(i)) {
				dst.IDs = append(dst.IDs, l.ids[k])
			}
		}
	}
	if l.repeats {
		dst.IDs = dst.IDs[:first+len(slices.Compact(dst.IDs[first:]))]
	}
	if !kind.counted() {
		dst.Values = appendSame(dst.Values, float32(factor), len(dst.IDs)-first)
	}
	return dst
}

// appendGroups is appendRow for evidence: the cells first, then the terms of each group, of those that are wanted; nil wants all. Ids ascend within a group
// only, and sums over a group are those of an ascending row.
func (l *Lookup) appendGroups(dst Vector, doc Document, sizes [evidence.Groups]int, wanted *[evidence.Groups]bool) Vector {
	l.byGroup = slices.Grow(l.byGroup[:0], len(doc.Marks))[:len(doc.Marks)]
	var next [1 << (8 - groupShift)]int // where the next term of each group goes
	for g := range evidence.Grams {
		next[g+1] = next[g] + sizes[g]
	}
	starts, before := next, uint32(unknown)
	for k, id := range l.ids {
		if id != before {
			g := doc.Marks[l.indices[k]] >> groupShift
			l.byGroup[next[g]] = CellCount + id
			next[g]++
			before = id
		}
	}
	for i := range evidence.Groups {
		g := (evidence.Grams + evidence.Group(i)) % evidence.Groups
		if wanted != nil && !wanted[g] {
			continue
		}
		ids := doc.Cells
		if g != evidence.Grams {
			ids = l.byGroup[starts[g]:next[g]]
		}
		dst.IDs = append(dst.IDs, ids...)
		dst.Values = appendSame(dst.Values, float32(1/math.Sqrt(float64(sizes[g]))), len(ids))
		dst.Groups = appendSame(dst.Groups, g, len(ids))
	}
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
	for _, i := range l.indices {
		known[doc.Marks[i]>>groupShift]++
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
