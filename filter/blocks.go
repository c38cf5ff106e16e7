package filter

import (
	"encoding/binary"
	"math"
	"math/bits"

	"chaff/features"
)

// The sections PREF, TERM and CELL keep the vocabulary and the weights in blocks with a checksum each, so that a process for one message reads a
// block for each of its terms and nothing else of TERM. docs/inside/formats.md describes them byte by byte.

const (
	// blockPrefixes is how many prefixes of hashes share a block: 32 to 64 terms. Larger blocks take longer to verify, smaller ones make PREF
	// larger, which every process reads.
	blockPrefixes = 4
	// blockHeader is the size of what comes before the terms of a block: its checksum and where the terms of each prefix but the last end.
	blockHeader = 4 * blockPrefixes
	// chunkCells is the number of cells of a chunk. A message has cells in all chunks.
	chunkCells  = 1 << 14
	chunkBitmap = chunkCells / 8
	chunkEntry  = 16 // in the index of section CELL
)

// Section FREQ repeats the terms that occur in most messages, with their weights: a process for one message finds nearly half of its terms
// there, and reads a block of section TERM only for each of the others; without it one message takes 3% more CPU. It has the mostFrequent terms, but at most one in
// frequentShare of the vocabulary. With twice as many, one process for a message would gain as much as it loses by reading them.
const (
	mostFrequent  = 2048
	frequentShare = 16
)

// encodePref returns section PREF of a vocabulary.
func encodePref(v *features.Vocabulary) []uint32 {
	_, starts := v.Table()
	prefixes := len(starts) - 1
	pref := []uint32{uint32(bits.Len(uint(prefixes)) - 1)}
	for first := 0; first < prefixes; first += blockPrefixes {
		pref = append(pref, starts[first])
	}
	return append(pref, starts[prefixes])
}

// appendBlock appends a block of section TERM of a vocabulary whose terms have these weights by id.
func appendBlock(dst []byte, v *features.Vocabulary, weights []float32, rows, number int) []byte {
	table, starts := v.Table()
	end := func(p int) uint32 { return starts[min(blockPrefixes*number+p, len(starts)-1)] }
	block, le := len(dst), binary.LittleEndian
	dst = append(dst, 0, 0, 0, 0)
	for p := 1; p < blockPrefixes; p++ {
		dst = le.AppendUint32(dst, end(p)-end(0))
	}
	for i := end(0); i < end(blockPrefixes); i++ {
		key, id := table[2*i], table[2*i+1]
		dst = le.AppendUint32(le.AppendUint32(dst, key), id)
		dst = appendWeights(dst, weights[int(id)*rows:][:rows])
	}
	le.PutUint32(dst[block:], uint32(checksumOf(dst[block+4:], number)))
	return dst
}

func appendWeights(dst []byte, weights []float32) []byte {
	for _, w := range weights {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(w))
	}
	return dst
}

// encodeFrequent returns section FREQ for terms that so many documents have, by id.
func encodeFrequent(v *features.Vocabulary, documents []uint32, weights []float32, rows int) (data []byte) {
	most := min(mostFrequent, len(documents)/frequentShare)
	if most == 0 {
		return nil
	}
	table, starts := v.Table()
	le := binary.LittleEndian
	areFrequent := make([]bool, len(documents))
	_, admits := features.Admit(documents, 1, most)
	for id, n := range documents {
		areFrequent[id] = admits(n)
	}
	for prefix := range len(starts) - 1 {
		for i := starts[prefix]; i < starts[prefix+1]; i++ {
			if key, id := table[2*i], table[2*i+1]; areFrequent[id] {
				data = le.AppendUint32(le.AppendUint32(le.AppendUint32(data, key), uint32(prefix)), id)
				data = appendWeights(data, weights[int(id)*rows:][:rows])
			}
		}
	}
	return data
}

// encodeCells returns section CELL: the weights of all cells, without those that are 0.
func encodeCells(weights []float32, rows int) []byte {
	chunks := (len(weights)/rows + chunkCells - 1) / chunkCells
	index, data := make([]byte, 0, chunks*chunkEntry), []byte(nil)
	for number := range chunks {
		chunk := len(data)
		data = append(data, make([]byte, chunkBitmap)...)
		of := weights[number*chunkCells*rows:]
		of = of[:min(len(of), chunkCells*rows)]
		for i := range len(of) / rows {
			cell := of[i*rows:][:rows]
			for _, w := range cell {
				if math.Float32bits(w) != 0 {
					data[chunk+i/8] |= 1 << (i % 8)
					data = appendWeights(data, cell)
					break
				}
			}
		}
		index = binary.LittleEndian.AppendUint64(index, uint64(len(data)))
		index = binary.LittleEndian.AppendUint64(index, checksumOf(data[chunk:], number))
	}
	return append(index, data...)
}
