package filter

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"sort"

	"github.com/cespare/xxhash/v2"

	"chaff/features"
)

// The sections PREF, TERM and CELL keep the vocabulary and the weights in blocks with a checksum each, so that a process for one message reads a
// block for each of its terms and nothing else of TERM. docs/formats.md describes them byte by byte.

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

// checksumOf returns the checksum of a block or a chunk. The number makes it that of this block and of no other.
func checksumOf(data []byte, number int) uint64 { return xxhash.Sum64(data) + uint64(number) }

// entrySize is the size of a term with its key, its id and its rows of weights.
func entrySize(rows int) int { return 8 + 4*rows }

// encodePref returns section PREF of a vocabulary.
func encodePref(v *features.Vocabulary) []uint32 {
	starts := v.BucketStarts()
	prefixes := len(starts) - 1
	pref := []uint32{uint32(bits.Len(uint(prefixes)) - 1)}
	for first := 0; first < prefixes; first += blockPrefixes {
		pref = append(pref, starts[first])
	}
	return append(pref, starts[prefixes])
}

// appendBlock appends a block of section TERM of a vocabulary whose terms have these weights by id.
func appendBlock(dst []byte, v *features.Vocabulary, weights []float32, rows, number int) []byte {
	table, starts := v.Table(), v.BucketStarts()
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

func weightAt(data []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
}

// termBlocks says where the blocks of section TERM are.
type termBlocks struct {
	prefixBits uint
	starts     []uint32 // the first term of each block, and the number of terms
	rows       int
}

// newTermBlocks reads section PREF.
func newTermBlocks(pref []uint32, rows int) (termBlocks, error) {
	if len(pref) < 3 || pref[0] > 32 || len(pref)-2 != (1<<pref[0]+blockPrefixes-1)/blockPrefixes || pref[1] != 0 {
		return termBlocks{}, fmt.Errorf("%w: section PREF", ErrDamaged)
	}
	return termBlocks{uint(pref[0]), pref[1:], rows}, nil
}

// terms returns V.
func (t termBlocks) terms() int { return int(t.starts[len(t.starts)-1]) }

func (t termBlocks) blocks() int { return len(t.starts) - 1 }

// checkSize returns an error unless section TERM has the size of all blocks.
func (t termBlocks) checkSize(size int) error {
	if size != t.blocks()*blockHeader+t.terms()*entrySize(t.rows) {
		return fmt.Errorf("%w: section TERM is not for %d terms", ErrDamaged, t.terms())
	}
	return nil
}

// place returns where a block is in section TERM, which has so many bytes.
func (t termBlocks) place(block, size int) (from, to int, err error) {
	at := func(block int) int { return block*blockHeader + int(t.starts[block])*entrySize(t.rows) }
	if from, to = at(block), at(block+1); from > to-blockHeader || to > size || int(t.starts[block+1]) > t.terms() {
		return 0, 0, fmt.Errorf("%w: section PREF", ErrDamaged)
	}
	return from, to, nil
}

// shift returns how many bits of a hash do not tell terms apart: those behind its prefix and its key.
func (t termBlocks) shift() uint { return 32 - t.prefixBits }

// split returns the prefix and the key of a hash.
func (t termBlocks) split(hash uint64) (prefix int, key uint32) {
	return int(hash >> (64 - t.prefixBits)), uint32(hash << t.prefixBits >> 32)
}

// entriesOf returns the terms of a prefix in its block.
func (t termBlocks) entriesOf(block []byte, prefix int) (entries []byte, err error) {
	from, to := 0, (len(block)-blockHeader)/entrySize(t.rows)
	i := prefix % blockPrefixes
	if i > 0 {
		from = int(binary.LittleEndian.Uint32(block[4*i:]))
	}
	if i+1 < blockPrefixes {
		to = min(to, int(binary.LittleEndian.Uint32(block[4*i+4:])))
	}
	if from > to {
		return nil, fmt.Errorf("%w: section TERM, prefix %d", ErrDamaged, prefix)
	}
	return block[blockHeader:][from*entrySize(t.rows) : to*entrySize(t.rows)], nil
}

// find returns the term with a key among entries: its id and its weights.
func (t termBlocks) find(entries []byte, key uint32) (id uint32, weights []byte, known bool) {
	size := entrySize(t.rows)
	i := sort.Search(len(entries)/size, func(i int) bool { return binary.LittleEndian.Uint32(entries[i*size:]) >= key })
	if entries = entries[i*size:]; len(entries) == 0 || binary.LittleEndian.Uint32(entries) != key {
		return 0, nil, false
	}
	// A damaged file can have an id that no term has.
	id = binary.LittleEndian.Uint32(entries[4:])
	return id, entries[8:size], int(id) < t.terms()
}

// decode returns the vocabulary of section TERM, which was verified, and sets the weights by id.
func (t termBlocks) decode(data []byte, weights []float32) (*features.Vocabulary, error) {
	if err := t.checkSize(len(data)); err != nil {
		return nil, err
	}
	size, le := entrySize(t.rows), binary.LittleEndian
	table, starts := make([]uint32, 2*t.terms()), make([]uint32, t.blocks()*blockPrefixes+1)
	for block := range t.blocks() {
		from, to, err := t.place(block, len(data))
		if err != nil {
			return nil, err
		}
		first := t.starts[block]
		starts[block*blockPrefixes] = first
		for p := 1; p < blockPrefixes; p++ {
			starts[block*blockPrefixes+p] = first + le.Uint32(data[from+4*p:])
		}
		at := table[2*first:]
		for entries := data[from+blockHeader : to]; len(entries) >= size; entries = entries[size:] {
			id := le.Uint32(entries[4:])
			if int(id) >= t.terms() {
				return nil, fmt.Errorf("%w: section TERM has the id %d of %d", ErrDamaged, id, t.terms())
			}
			at[0], at[1] = le.Uint32(entries), id
			at = at[2:]
			for r := range t.rows {
				weights[int(id)*t.rows+r] = weightAt(entries[8:], r)
			}
		}
	}
	starts = starts[:1<<t.prefixBits+1]
	starts[1<<t.prefixBits] = uint32(t.terms())
	v, err := features.RestoreVocabulary(table, starts)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return v, nil
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

// cellsOf sets weights to those of ascending cells of a chunk, by their number in the chunk.
func cellsOf(weights []float32, chunk []byte, cells []uint32, rows int) error {
	if len(chunk) < chunkBitmap {
		return fmt.Errorf("%w: section CELL", ErrDamaged)
	}
	values := chunk[chunkBitmap:]
	before, word := 0, 0 // how many cells with weights there are before a word of the bitmap
	for i, cell := range cells {
		for ; word < int(cell)/64; word++ {
			before += bits.OnesCount64(binary.LittleEndian.Uint64(chunk[8*word:]))
		}
		here, bit := binary.LittleEndian.Uint64(chunk[8*word:]), uint64(1)<<(cell%64)
		if here&bit == 0 {
			continue
		}
		at := 4 * rows * (before + bits.OnesCount64(here&(bit-1)))
		if at+4*rows > len(values) {
			return fmt.Errorf("%w: section CELL", ErrDamaged)
		}
		for r := range rows {
			weights[i*rows+r] = weightAt(values[at:], r)
		}
	}
	return nil
}

// chunkPlace returns where a chunk is in section CELL, which has so many bytes and so many chunks, and its checksum.
func chunkPlace(index []byte, number, chunks, size int) (from, to int, sum uint64, err error) {
	first := chunks * chunkEntry
	from, to = first, first
	if number > 0 {
		from += int(binary.LittleEndian.Uint64(index[(number-1)*chunkEntry:]))
	}
	to += int(binary.LittleEndian.Uint64(index[number*chunkEntry:]))
	if from < first || from > to || to > size {
		return 0, 0, 0, fmt.Errorf("%w: section CELL", ErrDamaged)
	}
	return from, to, binary.LittleEndian.Uint64(index[number*chunkEntry+8:]), nil
}

// decodeCells sets the weights of all cells from section CELL, which was verified.
func decodeCells(weights []float32, data []byte, rows int) error {
	cells := make([]uint32, chunkCells)
	for i := range cells {
		cells[i] = uint32(i)
	}
	chunks := (len(weights)/rows + chunkCells - 1) / chunkCells
	if len(data) < chunks*chunkEntry {
		return fmt.Errorf("%w: section CELL", ErrDamaged)
	}
	for number := range chunks {
		from, to, _, err := chunkPlace(data, number, chunks, len(data))
		if err != nil {
			return err
		}
		of := weights[number*chunkCells*rows:]
		of = of[:min(len(of), chunkCells*rows)]
		if err := cellsOf(of, data[from:to], cells[:len(of)/rows], rows); err != nil {
			return err
		}
	}
	return nil
}
