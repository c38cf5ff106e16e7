package features

import (
	"encoding/binary"
	"iter"
)

// CellCount is the number of cells that grams are hashed into. A cell acts as a term without a text: in a data set of the kind
// [Evidence] the ids 0 to CellCount-1 are cells, and the terms of the vocabulary follow.
const CellCount = 1 << cellBits

const (
	cellBits = 18
	gramSize = 4 // bytes
)

// Cell returns the cell of a gram: four bytes, the first one lowest. Half of the grams, by their hash, have no cell, because
// neighbouring grams overlap and carry nearly the same information (docs/experiments.md). No key hides the cell: whoever can
// write a gram for its cell can write any other gram, and the sum of all cells is bounded.
func Cell(gram uint32) (cell uint32, ok bool) {
	// The finaliser of MurmurHash3 is a bijection: distinct grams collide only in the bits that are dropped.
	gram ^= gram >> 16
	gram *= 0x85ebca6b
	gram ^= gram >> 13
	gram *= 0xc2b2ae35
	gram ^= gram >> 16
	return gram >> (32 - cellBits), gram&1 == 0
}

// ByteGrams yields the grams of a text: each four neighbouring bytes.
func ByteGrams(text []byte) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for ; len(text) >= gramSize; text = text[1:] {
			if !yield(binary.LittleEndian.Uint32(text)) {
				return
			}
		}
	}
}
