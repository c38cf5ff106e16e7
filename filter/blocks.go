package filter

import (
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// blockTerms is how many terms have sums of their own in a model file. A message is looked up at hundreds of places in
// megabytes; of blocks so small a tenth has to be verified.
const blockTerms = 64

// blocks are the keys and the weights of a model file of which only what is looked up is verified, when it is. They belong to one
// goroutine.
type blocks struct {
	cells, terms int // that have weights; terms have keys, too
	// The weights of the cells come before those of the terms.
	keys, weights []byte
	sums          []uint32 // of each block of cells its weights; then of each block of terms its keys and its weights
	verified      []bool   // by block
	err           error    // the first
}

// newBlocks returns blocks of the tables of so many cells and terms, of which nothing is verified yet.
func newBlocks(cells, terms int, keys, weights []byte) *blocks {
	b := &blocks{cells: cells, terms: terms, keys: keys, weights: weights}
	b.verified = make([]bool, b.cellBlocks()+blocksOf(b.terms))
	return b
}

// blocksOf is how many blocks n of anything are.
func blocksOf(n int) int { return (n + blockTerms - 1) / blockTerms }

func (b *blocks) cellBlocks() int { return blocksOf(b.cells) }

// all returns the sums of all blocks, as in section SUMS.
func (b *blocks) all() []uint32 {
	var sums []uint32
	for i := range b.verified {
		sums = b.appendSums(sums, i)
	}
	return sums
}

// expect takes the sums that the blocks should have.
func (b *blocks) expect(sums []uint32) error {
	if want := b.cellBlocks() + 2*blocksOf(b.terms); len(sums) != want {
		return fmt.Errorf("%w: %d sums for %d terms and %d cells", ErrDamaged, len(sums), b.terms, b.cells)
	}
	b.sums = sums
	return nil
}

// appendSums appends the sums of block i: blocks of cells come before those of terms.
func (b *blocks) appendSums(dst []uint32, i int) []uint32 {
	perWeight := len(b.weights) / (b.cells + b.terms)
	if i < b.cellBlocks() {
		return append(dst, sumOf(b.weights[:b.cells*perWeight], perWeight, i))
	}
	i -= b.cellBlocks()
	perKey := len(b.keys) / b.terms
	return append(dst, sumOf(b.keys, perKey, i), sumOf(b.weights[b.cells*perWeight:], perWeight, i))
}

// sumOf returns the sum of block i of a table whose entries have the given size.
func sumOf(table []byte, size, i int) uint32 {
	from := size * blockTerms * i
	return uint32(xxhash.Sum64(table[from:min(from+size*blockTerms, len(table))]))
}

// verifyTerms verifies the blocks of the terms from up to to, as the vocabulary numbers them.
func (b *blocks) verifyTerms(from, to uint32) {
	if from == to {
		return
	}
	for i := int(from) / blockTerms; i <= int(to-1)/blockTerms; i++ {
		b.verify(b.cellBlocks() + i)
	}
}

// verifyCells verifies the blocks of cells, which ascend.
func (b *blocks) verifyCells(cells []uint32) {
	for _, cell := range cells {
		b.verify(int(cell) / blockTerms)
	}
}

func (b *blocks) verify(i int) {
	if b.verified[i] {
		return
	}
	b.verified[i] = true
	at := i // of its sums
	if cells := b.cellBlocks(); i > cells {
		at = cells + 2*(i-cells)
	}
	var sums [2]uint32
	for k, sum := range b.appendSums(sums[:0], i) {
		if sum != b.sums[at+k] && b.err == nil {
			b.err = fmt.Errorf("%w: %s", ErrDamaged, b.place(i))
		}
	}
}

// verifyScore finds weights that are no numbers, which nobody looked for.
func (b *blocks) verifyScore(v Verdict) {
	if sum := v.Score + v.Probability; sum-sum != 0 && b.err == nil { // only of a finite number this is 0
		b.err = fmt.Errorf("%w: the score is %v", ErrDamaged, v.Score)
	}
}

// place says which block i is.
func (b *blocks) place(i int) string {
	if cells := b.cellBlocks(); i >= cells {
		return fmt.Sprintf("terms from %d on", (i-cells)*blockTerms)
	}
	return fmt.Sprintf("cells from %d on", i*blockTerms)
}
