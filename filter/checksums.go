package filter

import (
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// blockTerms is the number of table entries with a checksum of their own. One message looks up about a thousand entries all over the
// tables: with larger blocks it reads more bytes, and with smaller blocks the checksums take more space.
const blockTerms = 32

// lazyChecksums verifies a block of the large tables of a model file before a look-up reads it. It belongs to one goroutine.
type lazyChecksums struct {
	weights, terms checkedTable
	err            error // the first damage
}

// checkedTable is a table with a checksum for each block.
type checkedTable struct {
	name     string // for errors
	data     []byte
	block    int // size in bytes
	sums     []uint32
	verified []bool // by block
}

// blocksOf returns the number of blocks of n entries.
func blocksOf(n int) int { return (n + blockTerms - 1) / blockTerms }

// blockSums returns the checksums of a table of n entries.
func blockSums(data []byte, n int) []uint32 {
	t := newCheckedTable("", data, n, nil)
	sums := make([]uint32, len(t.verified))
	for i := range sums {
		sums[i] = t.sum(i)
	}
	return sums
}

// newLazyChecksums returns the checksums of section SUMS: those of the weights of all ids, then those of the terms.
func newLazyChecksums(weights []byte, ids int, table []byte, terms int, sums []uint32) (*lazyChecksums, error) {
	first := blocksOf(ids)
	if want := first + blocksOf(terms); len(sums) != want {
		return nil, fmt.Errorf("%w: %d sums instead of %d", ErrDamaged, len(sums), want)
	}
	return &lazyChecksums{
		weights: newCheckedTable("weights", weights, ids, sums[:first]), terms: newCheckedTable("terms", table, terms, sums[first:]),
	}, nil
}

func newCheckedTable(name string, data []byte, n int, sums []uint32) checkedTable {
	return checkedTable{name: name, data: data, block: len(data) / max(n, 1) * blockTerms, sums: sums, verified: make([]bool, blocksOf(n))}
}

// verifyTerms verifies the blocks of the entries from <= i < to of the table of terms.
func (l *lazyChecksums) verifyTerms(from, to uint32) {
	for i := int(from) / blockTerms; i*blockTerms < int(to) && from < to; i++ {
		l.verify(&l.terms, i)
	}
}

// verifyWeights verifies the blocks of the weights of ids.
func (l *lazyChecksums) verifyWeights(ids []uint32) {
	for _, id := range ids {
		l.verify(&l.weights, int(id)/blockTerms)
	}
}

func (l *lazyChecksums) verify(t *checkedTable, i int) {
	if t.verified[i] {
		return
	}
	t.verified[i] = true
	if t.sum(i) != t.sums[i] && l.err == nil {
		l.err = fmt.Errorf("%w: %s from %d on", ErrDamaged, t.name, i*blockTerms)
	}
}

// sum returns the checksum of block i.
func (t *checkedTable) sum(i int) uint32 {
	return uint32(xxhash.Sum64(t.data[i*t.block : min((i+1)*t.block, len(t.data))]))
}

// verifyScore detects weights that are not finite: the score is not finite either.
func (l *lazyChecksums) verifyScore(v Classification) {
	if sum := v.Score + v.Probability; sum-sum != 0 && l.err == nil { // 0 for finite numbers only
		l.err = fmt.Errorf("%w: the score is %v", ErrDamaged, v.Score)
	}
}
