package filter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"chaff/features"
	"chaff/internal/indices"
	"chaff/internal/sections"
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
		dst = append(dst, sections.Bytes(weights[int(id)*rows:][:rows])...)
	}
	le.PutUint32(dst[block:], uint32(checksumOf(dst[block+4:], number)))
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
				data = append(data, sections.Bytes(weights[int(id)*rows:][:rows])...)
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
			if cell := sections.Bytes(of[i*rows:][:rows]); len(bytes.Trim(cell, "\x00")) > 0 {
				data[chunk+i/8] |= 1 << (i % 8)
				data = append(data, cell...)
			}
		}
		index = binary.LittleEndian.AppendUint64(index, uint64(len(data)))
		index = binary.LittleEndian.AppendUint64(index, checksumOf(data[chunk:], number))
	}
	return append(index, data...)
}

// tables are the vocabulary and the weights in a model file, of which it reads and verifies what a message needs: a few percent of a large
// model. Reading a block for each term takes a quarter of the time of mapping the file, whose pages would be mapped one by one and unmapped
// again.
type tables struct {
	file   *sections.Reader
	shift  uint     // how many bits of a hash do not tell terms apart: those behind its prefix and its key, of 32 bits
	starts []uint32 // the first term of each block, and the number of terms
	terms  int      // V
	rows   int
	often  []uint32 // section FREQ; empty if the file has none
}

// newTables reads what says where everything is: the sections PREF and FREQ.
func newTables(file *sections.Reader, rows int) (t tables, err error) {
	data, err := file.Section("PREF")
	pref := sections.Decode[uint32](data)
	if err == nil && (len(pref) < 3 || pref[0] > 32 || len(pref)-2 != (1<<pref[0]+blockPrefixes-1)/blockPrefixes || pref[1] != 0) {
		err = fmt.Errorf("%w: section PREF", ErrDamaged)
	}
	if err != nil {
		return t, err
	}
	t = tables{file: file, shift: uint(32 - pref[0]), starts: pref[1:], terms: int(pref[len(pref)-1]), rows: rows}
	if file.Has("FREQ") {
		if data, err = file.Section("FREQ"); err == nil && len(data)%(4*(3+rows)) != 0 {
			err = fmt.Errorf("%w: section FREQ", ErrDamaged)
		}
		t.often = sections.Decode[uint32](data)
	}
	return t, err
}

// find returns the terms that the file and later records have, as [features.Vocabulary.AppendKnown] does, and the rows of weights of those in the file, by the
// indices of the hashes.
func (h *head) find(hashes []uint64) (known []uint64, weights []float32, err error) {
	t := &h.tables
	section, err := t.file.Part("TERM")
	if err != nil {
		return nil, nil, err
	}
	known, weights = make([]uint64, 0, len(hashes)), make([]float32, len(hashes)*t.rows)
	add := func(i int, term []uint32) {
		if term != nil && term[0] < uint32(t.terms) { // a damaged file can have an id that no term has
			known = append(known, uint64(i)<<32|uint64(term[0]))
			for r, bits := range term[1:] {
				weights[i*t.rows+r] = math.Float32frombits(bits)
			}
		}
	}
	places := make([]uint64, 0, len(hashes)) // the blocks of the other terms and their indices, in the order of the blocks
	size, n := 3+t.rows, len(t.often)/(3+t.rows)
	for i, hash := range hashes {
		wanted := hash >> t.shift
		key := func(k int) uint64 { return uint64(t.often[k*size+1])<<32 | uint64(t.often[k*size]) }
		if k := sort.Search(n, func(k int) bool { return key(k) >= wanted }); k < n && key(k) == wanted {
			add(i, t.often[k*size+2:][:1+t.rows])
		} else {
			places = append(places, hash>>t.shift>>32/blockPrefixes<<32|uint64(i))
		}
	}
	slices.Sort(places)
	last := -1
	var block []uint32
	for _, place := range places {
		i, number := int(uint32(place)), int(place>>32)
		if number != last {
			if block, err = t.block(&section, number); err != nil {
				return nil, nil, err
			}
			last = number
		}
		term, err := t.inBlock(block, hashes[i])
		if err != nil {
			return nil, nil, err
		}
		add(i, term)
	}
	slices.Sort(known)
	for k, term := range known {
		known[k] = term<<32 | term>>32
	}
	if len(h.knows.tail) > 0 {
		known = h.knows.later(known, hashes, uint32(t.terms), t.shift)
	}
	return known, weights, nil
}

// block returns the numbers of a block of section TERM, verified: of each term its key, its id and the bits of its weights. They are valid until the next call.
func (t *tables) block(section *sections.Part, number int) ([]uint32, error) {
	term := int64(4 * (2 + t.rows))
	from := int64(number)*blockHeader + int64(t.starts[number])*term
	to := int64(number+1)*blockHeader + int64(t.starts[number+1])*term
	if from > to-blockHeader || to > section.Size || t.starts[number+1] > uint32(t.terms) {
		return nil, fmt.Errorf("%w: section PREF", ErrDamaged)
	}
	data, err := section.Read(from, to)
	if err == nil && uint32(checksumOf(data[4:], number)) != binary.LittleEndian.Uint32(data) {
		err = fmt.Errorf("%w: section TERM, block %d", ErrDamaged, number)
	}
	return sections.Decode[uint32](data), err
}

// inBlock returns the id and the bits of the weights of a term that its block has, else nil.
func (t *tables) inBlock(block []uint32, hash uint64) ([]uint32, error) {
	prefix, key := int(hash>>t.shift>>32), uint32(hash>>t.shift)
	size, first, last := 2+t.rows, 0, uint32(math.MaxUint32) // of the terms of the prefix
	terms := block[blockPrefixes:]
	if i := prefix % blockPrefixes; i > 0 {
		first = int(block[i])
	}
	if i := prefix%blockPrefixes + 1; i < blockPrefixes {
		last = block[i]
	}
	n := int(min(last, uint32(len(terms)/size))) - first
	if first < 0 || n < 0 {
		return nil, fmt.Errorf("%w: section TERM, prefix %d", ErrDamaged, prefix)
	}
	terms = terms[first*size:][:n*size]
	i := sort.Search(n, func(i int) bool { return terms[i*size] >= key })
	if i == n || terms[i*size] != key {
		return nil, nil
	}
	return terms[i*size:][1:size], nil
}

// readCells sets the weights of cells, which are ascending, from section CELL. It changes cells.
func (t *tables) readCells(weights []float32, cells []uint32) error {
	section, err := t.file.Part("CELL")
	if err != nil {
		return err
	}
	const indexSize = features.CellCount / chunkCells * chunkEntry
	if section.Size < indexSize {
		return fmt.Errorf("%w: section CELL", ErrDamaged)
	}
	data, err := section.Read(0, indexSize)
	index := sections.Decode[uint64](slices.Clone(data)) // where each chunk ends behind the index, and its checksum
	for err == nil && len(cells) > 0 {
		number := int(cells[0] / chunkCells)
		from, to := uint64(0), index[2*number]
		if number > 0 {
			from = index[2*number-2]
		}
		if from > to || to > uint64(section.Size-indexSize) {
			return fmt.Errorf("%w: section CELL", ErrDamaged)
		}
		n := 0
		for n < len(cells) && int(cells[n]/chunkCells) == number {
			cells[n] %= chunkCells
			n++
		}
		if data, err = section.Read(indexSize+int64(from), indexSize+int64(to)); err == nil {
			if checksumOf(data, number) != index[2*number+1] {
				return fmt.Errorf("%w: section CELL, chunk %d", ErrDamaged, number)
			}
			err = cellsOf(weights, data, cells[:n], t.rows)
		}
		weights, cells = weights[n*t.rows:], cells[n:]
	}
	return err
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
			weights[i*rows+r] = math.Float32frombits(binary.LittleEndian.Uint32(values[at+4*r:]))
		}
	}
	return nil
}

// all returns the vocabulary and the weights, those of cells first if the model has any.
func (t *tables) all(hasCells bool) (*features.Vocabulary, []float32, error) {
	section, err := t.file.Part("TERM")
	if err != nil {
		return nil, nil, err
	}
	blocks, size := len(t.starts)-1, 2+t.rows
	if section.Size != int64(blocks)*blockHeader+4*int64(t.starts[blocks])*int64(size) {
		return nil, nil, fmt.Errorf("%w: section TERM is not for %d terms", ErrDamaged, t.terms)
	}
	var cells []uint32
	if hasCells {
		cells = indices.Below[uint32](features.CellCount)
	}
	first := len(cells) * t.rows
	weights := make([]float32, first+t.terms*t.rows)
	if hasCells {
		if err := t.readCells(weights[:first], cells); err != nil {
			return nil, nil, err
		}
	}
	table, starts := make([]uint32, 0, 2*t.terms), make([]uint32, 0, blocks*blockPrefixes+1)
	for number := range blocks {
		block, err := t.block(&section, number)
		if err != nil {
			return nil, nil, err
		}
		starts = append(starts, t.starts[number])
		for _, end := range block[1:blockPrefixes] {
			starts = append(starts, t.starts[number]+end)
		}
		for terms := block[blockPrefixes:]; len(terms) > 0; terms = terms[size:] {
			id := terms[1]
			if id >= uint32(t.terms) {
				return nil, nil, fmt.Errorf("%w: section TERM has the id %d of %d", ErrDamaged, id, t.terms)
			}
			table = append(table, terms[:2]...)
			for r, bits := range terms[2:size] {
				weights[first+int(id)*t.rows+r] = math.Float32frombits(bits)
			}
		}
	}
	starts = append(starts[:1<<(32-t.shift)], uint32(t.terms))
	v, err := features.RestoreVocabulary(table, starts)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return v, weights, nil
}
