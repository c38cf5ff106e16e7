package filter

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"chaff/features"
	"chaff/internal/sections"
	"chaff/models"
)

// partFile is a model file of which parts are read.
type partFile interface {
	io.ReaderAt
	changed() bool // since it was opened
	close() error
}

// part reads the weights of the terms and cells of a message from a model file. Reading a block for each term takes a quarter of the time of
// mapping the file, whose pages would be mapped one by one and unmapped again. It belongs to one goroutine.
type part struct {
	file   partFile
	base   *sections.Reader
	blocks termBlocks
	often  frequent
	terms  *io.SectionReader // section TERM
	cells  *io.SectionReader // section CELL; nil for a model without cells
	buffer []byte            // of a block or a chunk
	err    error             // the first damage

	// The last look-up, which learning repeats, and what it found: the ids in the order of the terms of the message, and their rows.
	hashes  []uint64
	known   []uint64
	found   []uint32
	weights []float32

	reads    int    // blocks read one at a time
	allTerms []byte // section TERM, once most of it was read
	scored   int
	allCells []float32
}

// fewMessages is how many messages are scored with weights of cells that are read for each.
const fewMessages = 8

// newPart reads what says where everything is. Its vocabulary looks terms up in the file.
func newPart(file partFile, base *sections.Reader, pref []uint32, rows int, hasCells bool) (*part, *features.Vocabulary, error) {
	blocks, err := newTermBlocks(pref, rows)
	if err != nil {
		return nil, nil, err
	}
	p := &part{file: file, base: base, blocks: blocks}
	var err2, err3 error
	p.terms, err = base.Part("TERM")
	p.often, err3 = frequentIn(base, rows)
	if hasCells {
		p.cells, err2 = base.Part("CELL")
	}
	return p, features.NewVocabularyElsewhere(blocks.terms(), blocks.prefixBits, p.find), cmp.Or(err, err2, err3)
}

// note keeps the first error.
func (p *part) note(err error) {
	if err == io.EOF {
		err = ErrTruncated
	}
	if err != nil && p.err == nil {
		p.err = err
	}
}

// find appends the terms that the vocabulary knows: the id and, in the lower 32 bits, the index among the hashes.
func (p *part) find(dst, hashes []uint64) []uint64 {
	if slices.Equal(hashes, p.hashes) && p.err == nil {
		return append(dst, p.known...)
	}
	p.hashes, p.known, p.found, p.weights = append(p.hashes[:0], hashes...), p.known[:0], p.found[:0], p.weights[:0]
	for i, hash := range hashes {
		id, weights, known, err := p.findOne(p.blocks.split(hash))
		p.note(err)
		if known {
			p.known = append(p.known, uint64(id)<<32|uint64(i))
			p.found = append(p.found, id)
			for r := range p.blocks.rows {
				p.weights = append(p.weights, weightAt(weights, r))
			}
		}
	}
	return append(dst, p.known...)
}

// findOne returns the term with a prefix and a key: its id and its weights, valid until the next call.
func (p *part) findOne(prefix int, key uint32) (id uint32, weights []byte, known bool, err error) {
	if id, weights, known = p.often.find(prefix, key); known {
		return id, weights, int(id) < p.blocks.terms(), nil
	}
	block, err := p.block(prefix / blockPrefixes)
	if err != nil {
		return 0, nil, false, err
	}
	entries, err := p.blocks.entriesOf(block, prefix)
	if err != nil {
		return 0, nil, false, err
	}
	id, weights, known = p.blocks.find(entries, key)
	return id, weights, known, nil
}

// block returns a block of section TERM, verified. It is valid until the next call.
func (p *part) block(number int) ([]byte, error) {
	if p.allTerms == nil && p.reads > p.blocks.blocks()/4 {
		// Reading all of it takes no longer than reading so many blocks.
		all, err := p.base.Section("TERM")
		if err != nil {
			return nil, err
		}
		p.allTerms = all
	}
	from, to, err := p.blocks.place(number, int(p.terms.Size()))
	if err != nil {
		return nil, err
	}
	if p.allTerms != nil {
		return p.allTerms[from:to], nil
	}
	p.reads++
	block, err := p.read(p.terms, from, to)
	if err == nil && uint32(checksumOf(block[4:], number)) != binary.LittleEndian.Uint32(block) {
		err = fmt.Errorf("%w: section TERM, block %d", ErrDamaged, number)
	}
	return block, err
}

// read returns a part of a section, which is valid until the next call.
func (p *part) read(from io.ReaderAt, start, end int) ([]byte, error) {
	p.buffer = slices.Grow(p.buffer[:0], end-start)[:end-start]
	_, err := from.ReadAt(p.buffer, int64(start))
	if err == io.EOF { // also at the end of the file
		err = nil
	}
	return p.buffer, err
}

// readCells sets the weights of cells, which are ascending.
func (p *part) readCells(weights []float32, cells []uint32) error {
	rows := p.blocks.rows
	if p.scored++; p.scored > fewMessages && p.allCells == nil {
		data, err := p.base.Section("CELL")
		all := make([]float32, features.CellCount*rows)
		if err == nil {
			err = decodeCells(all, data, rows)
		}
		if err != nil {
			return err
		}
		p.allCells = all
	}
	if p.allCells != nil {
		for i, cell := range cells {
			copy(weights[i*rows:][:rows], p.allCells[int(cell)*rows:])
		}
		return nil
	}
	const chunks = features.CellCount / chunkCells
	index := make([]byte, chunks*chunkEntry)
	if _, err := p.cells.ReadAt(index, 0); err != nil {
		return err
	}
	for len(cells) > 0 {
		number := int(cells[0] / chunkCells)
		from, to, sum, err := chunkPlace(index, number, chunks, int(p.cells.Size()))
		var chunk []byte
		if err == nil {
			chunk, err = p.read(p.cells, from, to)
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
			err = cellsOf(weights, chunk, cells[:n], rows)
		}
		if err != nil {
			return err
		}
		weights, cells = weights[n*rows:], cells[n:]
	}
	return nil
}

// score makes s score the vector of the last look-up: by a linear of its cells and terms alone, whose ids are those of the model.
func (p *part) score(s *scratch, model *models.Linear, firstTerm int) {
	rows := p.blocks.rows
	s.ids, s.later = s.vector.IDs, nil
	s.vector.IDs = make([]uint32, len(s.ids))
	weights := make([]float32, len(s.ids)*rows)
	cells, _ := slices.BinarySearch(s.ids, uint32(firstTerm))
	if cells > 0 {
		p.note(p.readCells(weights, append(s.vector.IDs[:0], s.ids[:cells]...)))
	}
	for i := range s.vector.IDs {
		s.vector.IDs[i] = uint32(i)
	}
	for i, id := range p.found {
		if at, has := slices.BinarySearch(s.ids[cells:], uint32(firstTerm)+id); has { // of head bits, only terms of the head are in the vector
			copy(weights[(cells+at)*rows:][:rows], p.weights[i*rows:])
		}
	}
	s.linear = &models.Linear{Classes: model.Classes, Terms: len(s.ids), Form: model.Form, Bias: model.Bias, Weights: weights}
}

// vocabulary returns the vocabulary with all its terms in memory.
func (p *part) vocabulary() (*features.Vocabulary, error) {
	data, err := p.base.Section("TERM")
	if err != nil {
		return nil, err
	}
	return p.blocks.decode(data, make([]float32, p.blocks.terms()*p.blocks.rows))
}

// verifyScore detects weights that are not finite: the score is not finite either.
func (p *part) verifyScore(v Classification) {
	if sum := v.Score + v.Probability; sum-sum != 0 { // 0 for finite numbers only
		p.note(fmt.Errorf("%w: the score is %v", ErrDamaged, v.Score))
	}
}

// Err returns the first damage, or that the file has changed.
func (p *part) Err() error {
	if p.file.changed() || errors.Is(p.err, ErrTruncated) {
		return ErrChanged
	}
	return p.err
}
