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
	terms         int
	keys, weights []byte
	sums          []uint32 // of the keys and of the weights of each block
	verified      []bool   // by block
	err           error    // the first
}

// newBlocks returns blocks of so many terms of which nothing is verified yet.
func newBlocks(terms int, keys, weights []byte, sums []uint32) (*blocks, error) {
	n := (terms + blockTerms - 1) / blockTerms
	if len(sums) != 2*n {
		return nil, fmt.Errorf("%w: %d sums for %d terms", ErrDamaged, len(sums), terms)
	}
	return &blocks{terms: terms, keys: keys, weights: weights, sums: sums, verified: make([]bool, n)}, nil
}

// blockSums returns the sums of the keys and weights of so many terms, as in section SUMS.
func blockSums(terms int, keys, weights []byte) []uint32 {
	var sums []uint32
	b := blocks{terms: terms, keys: keys, weights: weights}
	for from := 0; from < terms; from += blockTerms {
		ofKeys, ofWeights := b.sum(from)
		sums = append(sums, ofKeys, ofWeights)
	}
	return sums
}

// sum returns the sums of the block that begins with the term from.
func (b *blocks) sum(from int) (keys, weights uint32) {
	part := func(table []byte) uint32 {
		size := len(table) / b.terms // of a term
		return uint32(xxhash.Sum64(table[size*from : size*min(from+blockTerms, b.terms)]))
	}
	return part(b.keys), part(b.weights)
}

// verify verifies the blocks of the terms with the ids from up to to.
func (b *blocks) verify(from, to uint32) {
	if from == to {
		return
	}
	for i := int(from) / blockTerms; i <= int(to-1)/blockTerms; i++ {
		if b.verified[i] {
			continue
		}
		b.verified[i] = true
		if keys, weights := b.sum(i * blockTerms); (keys != b.sums[2*i] || weights != b.sums[2*i+1]) && b.err == nil {
			b.err = fmt.Errorf("%w: terms from %d on", ErrDamaged, i*blockTerms)
		}
	}
}
