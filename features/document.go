package features

import (
	"chaff/internal/evidence"
	"math"
)

// Document is the terms of one message, in the order of their first occurrence. The slices have one entry for each term,
// except Cells.
type Document struct {
	Terms  []uint64 // hashes
	Counts []uint32 // how often the term occurs
	InHead []bool   // whether the term occurs in the head of the text; whoever makes the document says where the head ends
	Groups []evidence.Group
	Cells  []uint32 // cells of the grams, in ascending order
}

// sizes returns the number of distinct terms in each group.
func (doc Document) sizes() (n [evidence.Groups]int) {
	for _, g := range doc.Groups {
		n[g]++
	}
	n[evidence.Grams] = len(doc.Cells)
	return n
}

// scale returns the factor of the values of a kind other than [Evidence]: 1 / the Euclidean length of the document for a
// normalised kind, otherwise 1.
func (doc Document) scale(kind Kind) float64 {
	if !kind.normalised() || len(doc.Counts) == 0 {
		return 1
	}
	squares := float64(len(doc.Counts)) // of bits
	if kind.counted() {
		squares = 0
		for _, count := range doc.Counts {
			squares += float64(count) * float64(count)
		}
	}
	return 1 / math.Sqrt(squares)
}

// groupScales returns the factor of the values in each group: 1 / the Euclidean length of the group.
func (doc Document) groupScales() (scales [evidence.Groups]float64) {
	for g, n := range doc.sizes() {
		if n > 0 {
			scales[g] = 1 / math.Sqrt(float64(n))
		}
	}
	return scales
}

// hash returns a hash of all terms and their counts, in any order: the only term of a document of the kind [Whole].
func (doc Document) hash() uint64 {
	var sum uint64
	for i, term := range doc.Terms {
		sum += mix(term + uint64(doc.Counts[i]))
	}
	return mix(sum)
}

// mix is the finaliser of MurmurHash3: each bit of x changes half of the bits of the result.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
