package filter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"chaff/features"
	"chaff/internal/sections"
)

// tables are the vocabulary and the weights in a model file, of which it reads and verifies what a message needs: a few percent of a large
// model. Reading a block for each term takes a quarter of the time of mapping the file, whose pages would be mapped one by one and unmapped
// again.
type tables struct {
	termBlocks
	often  frequent
	file   *sections.Reader
	buffer []byte // of a block or a chunk
}

// newTables reads what says where everything is.
func newTables(file *sections.Reader, pref []uint32, rows int) (tables, error) {
	blocks, err := newTermBlocks(pref, rows)
	if err != nil {
		return tables{}, err
	}
	often, err := frequentIn(file, rows)
	return tables{termBlocks: blocks, often: often, file: file}, err
}

// find returns the terms that the file has, as [features.Vocabulary.AppendKnown] does, and the rows of weights of each.
func (t *tables) find(hashes []uint64) (known []uint64, weights []float32, err error) {
	section, err := t.file.Part("TERM")
	if err != nil {
		return nil, nil, err
	}
	var all []byte // of the section, once most of it was read
	reads := 0
	known, weights = make([]uint64, 0, len(hashes)), make([]float32, 0, len(hashes)*t.rows)
	for i, hash := range hashes {
		prefix, key := t.split(hash)
		id, of, has := t.often.find(prefix, key)
		if !has {
			if all == nil && reads > t.blocks()/4 { // reading all of it takes no longer than reading so many blocks
				if all, err = t.file.Section("TERM"); err != nil {
					return nil, nil, err
				}
			}
			reads++
			block, err := t.block(section, all, prefix/blockPrefixes)
			if err == nil {
				block, err = t.entriesOf(block, prefix)
			}
			if err != nil {
				return nil, nil, err
			}
			id, of, has = t.termBlocks.find(block, key)
		}
		if has && int(id) < t.terms() { // a damaged file can have an id that no term has
			known = append(known, uint64(id)<<32|uint64(i))
			for r := range t.rows {
				weights = append(weights, weightAt(of, r))
			}
		}
	}
	return known, weights, nil
}

// block returns a block of section TERM, verified. It is valid until the next call.
func (t *tables) block(section *io.SectionReader, all []byte, number int) ([]byte, error) {
	from, to, err := t.place(number, int(section.Size()))
	if err != nil || all != nil {
		return all[from:to], err
	}
	block, err := t.read(section, from, to)
	if err == nil && uint32(checksumOf(block[4:], number)) != binary.LittleEndian.Uint32(block) {
		err = fmt.Errorf("%w: section TERM, block %d", ErrDamaged, number)
	}
	return block, err
}

// read returns a part of a section, which is valid until the next call.
func (t *tables) read(from io.ReaderAt, start, end int) ([]byte, error) {
	t.buffer = slices.Grow(t.buffer[:0], end-start)[:end-start]
	n, err := from.ReadAt(t.buffer, int64(start))
	if n == len(t.buffer) { // also at the end of the file
		err = nil
	}
	return t.buffer, shorter(err)
}

// shorter returns an error of reading, which is about a file that became shorter if it is [io.EOF].
func shorter(err error) error {
	if errors.Is(err, io.EOF) {
		return ErrTruncated
	}
	return err
}

// readCells sets the weights of cells, which are ascending and may be changed.
func (t *tables) readCells(weights []float32, cells []uint32) error {
	const chunks = features.CellCount / chunkCells
	section, err := t.file.Part("CELL")
	if err != nil {
		return err
	}
	index := make([]byte, chunks*chunkEntry)
	if _, err := section.ReadAt(index, 0); err != nil {
		return shorter(err)
	}
	for len(cells) > 0 {
		number := int(cells[0] / chunkCells)
		from, to, sum, err := chunkPlace(index, number, chunks, int(section.Size()))
		var chunk []byte
		if err == nil {
			chunk, err = t.read(section, from, to)
		}
		if err == nil && checksumOf(chunk, number) != sum {
			err = fmt.Errorf("%w: section CELL, chunk %d", ErrDamaged, number)
		}
		n := 0
		for n < len(cells) && int(cells[n]/chunkCells) == number {
			cells[n] %= chunkCells
			n++
		}
		if err == nil {
			err = cellsOf(weights, chunk, cells[:n], t.rows)
		}
		if err != nil {
			return err
		}
		weights, cells = weights[n*t.rows:], cells[n:]
	}
	return nil
}

// all returns the vocabulary and the weights, those of so many cells first.
func (t *tables) all(cells int) (*features.Vocabulary, []float32, error) {
	terms, err := t.file.Section("TERM")
	if err != nil {
		return nil, nil, err
	}
	if err := t.checkSize(len(terms)); err != nil {
		return nil, nil, err
	}
	first := cells * t.rows
	weights := make([]float32, first+t.terms()*t.rows)
	vocabulary, err := t.decode(terms, weights[first:])
	if err == nil && cells > 0 {
		var data []byte
		if data, err = t.file.Section("CELL"); err == nil {
			err = decodeCells(weights[:first], data, t.rows)
		}
	}
	return vocabulary, weights, err
}
