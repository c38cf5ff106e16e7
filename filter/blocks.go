package filter

import (
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// blockTerms is how many entries of a table of a model file have a sum of their own. A message is looked up at a thousand places in
// megabytes: of larger blocks more must be read, and with smaller ones the sums are large.
const blockTerms = 32

// blocks are the tables of a model file of which only what is looked up is verified, when it is. They belong to one goroutine.
type blocks struct {
	weights, terms blockTable
	err            error // the first
}

// blockTable is a table with a sum for each block of its entries.
type blockTable struct {
	name     string // of an entry, for errors
	data     []byte
	size     int // of an entry
	sums     []uint32
	verified []bool // by block
}

// newBlocks returns blocks of the weights, by id, and the terms in the order of their hashes, of which nothing is verified yet.
func newBlocks(ids, terms int, weights, table []byte) *blocks {
	return &blocks{weights: newBlockTable("weights", ids, weights), terms: newBlockTable("terms", terms, table)}
}

// newBlockTable returns a table of n entries.
func newBlockTable(name string, n int, data []byte) blockTable {
	return blockTable{name: name, data: data, size: len(data) / max(n, 1), verified: make([]bool, (n+blockTerms-1)/blockTerms)}
}

// all returns the sums of all blocks, as in section SUMS: those of the weights and those of the terms.
func (b *blocks) all() []uint32 {
	var sums []uint32
	for _, t := range []blockTable{b.weights, b.terms} {
		for i := range t.verified {
			sums = append(sums, t.sum(i))
		}
	}
	return sums
}

// expect takes the sums that the blocks should have.
func (b *blocks) expect(sums []uint32) error {
	first := len(b.weights.verified)
	if want := first + len(b.terms.verified); len(sums) != want {
		return fmt.Errorf("%w: %d sums instead of %d", ErrDamaged, len(sums), want)
	}
	b.weights.sums, b.terms.sums = sums[:first], sums[first:]
	return nil
}

// verifyTerms verifies the blocks of the terms from up to but without to, as they stand in the table of the vocabulary.
func (b *blocks) verifyTerms(from, to uint32) {
	for i := int(from) / blockTerms; i*blockTerms < int(to) && from < to; i++ {
		b.verify(&b.terms, i)
	}
}

// verifyWeights verifies the blocks of the weights of some ids.
func (b *blocks) verifyWeights(ids []uint32) {
	for _, id := range ids {
		b.verify(&b.weights, int(id)/blockTerms)
	}
}

func (b *blocks) verify(t *blockTable, i int) {
	if t.verified[i] {
		return
	}
	t.verified[i] = true
	if t.sum(i) != t.sums[i] && b.err == nil {
		b.err = fmt.Errorf("%w: %s from %d on", ErrDamaged, t.name, i*blockTerms)
	}
}

// sum returns the sum of block i.
func (t *blockTable) sum(i int) uint32 {
	from := t.size * blockTerms * i
	return uint32(xxhash.Sum64(t.data[from:min(from+t.size*blockTerms, len(t.data))]))
}

// verifyScore finds weights that are no numbers, which nobody looked for.
func (b *blocks) verifyScore(v Verdict) {
	if sum := v.Score + v.Probability; sum-sum != 0 && b.err == nil { // only of a finite number this is 0
		b.err = fmt.Errorf("%w: the score is %v", ErrDamaged, v.Score)
	}
}
