package filter

import (
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// blockTerms is how many entries of a table of a model file have a sum of their own. A message is looked up at a thousand places in
// megabytes: of larger blocks more must be read, and with smaller ones the sums are large.
const blockTerms = 32

// lazyChecksums verifies the large tables of a model file block by block, when a look-up reads a block. It belongs to one goroutine.
type lazyChecksums struct {
	weights, terms checkedTable
	err            error // the first
}

// checkedTable is a table with a checksum for each block of its entries.
type checkedTable struct {
	name     string // of an entry, for errors
	data     []byte
	size     int // of an entry
	sums     []uint32
	verified []bool // by block
}

// newLazyChecksums returns the checksums of the weights, in the order of ids, and of the terms, in the order of their hashes.
func newLazyChecksums(ids, terms int, weights, table []byte) *lazyChecksums {
	return &lazyChecksums{weights: newCheckedTable("weights", ids, weights), terms: newCheckedTable("terms", terms, table)}
}

// newCheckedTable returns a table of n entries.
func newCheckedTable(name string, n int, data []byte) checkedTable {
	return checkedTable{name: name, data: data, size: len(data) / max(n, 1), verified: make([]bool, (n+blockTerms-1)/blockTerms)}
}

// sums computes section SUMS: the checksums of the weights, then those of the terms.
func (b *lazyChecksums) sums() []uint32 {
	var sums []uint32
	for _, t := range []checkedTable{b.weights, b.terms} {
		for i := range t.verified {
			sums = append(sums, t.sum(i))
		}
	}
	return sums
}

// expect sets the checksums to verify against.
func (b *lazyChecksums) expect(sums []uint32) error {
	first := len(b.weights.verified)
	if want := first + len(b.terms.verified); len(sums) != want {
		return fmt.Errorf("%w: %d sums instead of %d", ErrDamaged, len(sums), want)
	}
	b.weights.sums, b.terms.sums = sums[:first], sums[first:]
	return nil
}

// verifyTerms verifies the blocks of the entries from <= i < to of the table of terms.
func (b *lazyChecksums) verifyTerms(from, to uint32) {
	for i := int(from) / blockTerms; i*blockTerms < int(to) && from < to; i++ {
		b.verify(&b.terms, i)
	}
}

// verifyWeights verifies the blocks of the weights of ids.
func (b *lazyChecksums) verifyWeights(ids []uint32) {
	for _, id := range ids {
		b.verify(&b.weights, int(id)/blockTerms)
	}
}

func (b *lazyChecksums) verify(t *checkedTable, i int) {
	if t.verified[i] {
		return
	}
	t.verified[i] = true
	if t.sum(i) != t.sums[i] && b.err == nil {
		b.err = fmt.Errorf("%w: %s from %d on", ErrDamaged, t.name, i*blockTerms)
	}
}

// sum returns the checksum of block i.
func (t *checkedTable) sum(i int) uint32 {
	from := t.size * blockTerms * i
	return uint32(xxhash.Sum64(t.data[from:min(from+t.size*blockTerms, len(t.data))]))
}

// verifyScore finds weights that are not finite by the score that they gave.
func (b *lazyChecksums) verifyScore(v Classification) {
	if sum := v.Score + v.Probability; sum-sum != 0 && b.err == nil { // only of a finite number this is 0
		b.err = fmt.Errorf("%w: the score is %v", ErrDamaged, v.Score)
	}
}
