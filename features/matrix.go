package features

import (
	"encoding/binary"
	"math"

	"chaff/internal/parallel"
)

// matrix is the rows of documents over the terms that a vocabulary knows, in about two bytes a term: trainers read it many
// times, from one end to the other or in any order, and each row from its beginning.
//
// A row in a block is
//
//	4 bytes   the number of its terms
//	4 bytes   the size of their ids
//	4 bytes   the value of all terms, as a float32, if they have the same one; else it is no number
//	ids       the first id, and from there on the distance from the one before: two bytes, or wideGap and then four
//	values    float32, if they are not the same: of each term, or of evidence of each group
//
// little-endian.
type matrix struct {
	blocks *blocks
	rows   []Ref
	groups []Group // of the terms by id, for evidence only
}

const (
	rowHeaderSize = 12
	wideGap       = math.MaxUint16
)

// Dataset returns documents with their labels as a matrix (documents x terms) of any kind but [Whole], made by up to so many
// goroutines.
func (x *Index) Dataset(kind Kind, classes []string, refs []Ref, labels []int32, workers int) *Dataset {
	m := &matrix{blocks: newBlocks(x.documents.budget, 1), rows: make([]Ref, len(refs))}
	terms := x.vocabulary.Len()
	if kind == Evidence {
		m.groups = x.groups(workers)
		terms += CellCount
	}
	writers := make([]*rowWriter, max(workers, 1))
	parallel.Ranges(workers, len(refs), 256, func(worker, from, to int) {
		if writers[worker] == nil {
			writers[worker] = &rowWriter{blockWriter: blockWriter{blocks: m.blocks}, reader: blockReader{blocks: x.documents.blocks}}
		}
		for i := from; i < to; i++ {
			m.rows[i] = writers[worker].add(refs[i], x, kind)
		}
	})
	for _, w := range writers {
		if w != nil {
			w.close()
		}
	}
	if err := x.documents.Err(); err != nil {
		m.blocks.fail(err)
	}
	return &Dataset{Kind: kind, Classes: classes, Labels: labels, Terms: terms, Workers: workers, matrix: m}
}

// rowWriter makes rows of documents.
type rowWriter struct {
	blockWriter
	reader blockReader
	lookup Lookup
	row    Vector
	gaps   []byte
}

func (w *rowWriter) add(ref Ref, index *Index, kind Kind) Ref {
	e := get(&w.reader, ref)
	value := float32(math.NaN())
	var values []float32
	var cells []byte // which are the first ids, as they are kept in a row
	n, before := 0, uint32(0)
	switch {
	case kind == Evidence:
		w.lookup.find(e, index.ids, index.vocabulary.Len())
		w.row.IDs = w.lookup.appendIDs(w.row.IDs[:0], CellCount)
		var sizes [Groups]int
		sizes, cells = e.sizes()
		scales := scalesOf(sizes)
		values = scales[:]
		n, before = sizes[Grams], lastID(cells, sizes[Grams])
	default:
		w.row = w.lookup.appendEncoded(w.row.Reset(), e, index.ids, index.vocabulary.Len(), nil, kind)
		if kind.counted() {
			values = w.row.Values
		} else {
			value = float32(w.lookup.doc.scale(kind))
		}
	}
	x := w.row
	w.gaps = appendGaps(w.gaps[:0], x.IDs, before)
	idsSize := len(cells) + len(w.gaps)
	at := w.room(rowHeaderSize + idsSize + 4*len(values))
	le := binary.LittleEndian
	block := le.AppendUint32(w.block, uint32(n+len(x.IDs)))
	block = le.AppendUint32(block, uint32(idsSize))
	block = le.AppendUint32(block, math.Float32bits(value))
	block = append(append(block, cells...), w.gaps...)
	for _, value := range values {
		block = le.AppendUint32(block, math.Float32bits(value))
	}
	w.block = block
	return at
}

// appendGaps appends ids as they are kept in a row, the first of them by its distance from before.
func appendGaps(dst []byte, ids []uint32, before uint32) []byte {
	le := binary.LittleEndian
	for _, id := range ids {
		if gap := id - before; gap < wideGap {
			dst = le.AppendUint16(dst, uint16(gap))
		} else {
			dst = le.AppendUint32(le.AppendUint16(dst, wideGap), gap)
		}
		before = id
	}
	return dst
}

// lastID returns the last of n ids that are kept as in a row, 0 if there is none.
func lastID(ids []byte, n int) uint32 {
	id, at := uint32(0), 0
	for range n {
		gap := uint32(ids[at]) | uint32(ids[at+1])<<8
		at += 2
		if gap == wideGap {
			gap = binary.LittleEndian.Uint32(ids[at:])
			at += 4
		}
		id += gap
	}
	return id
}

// Rows reads the rows of a data set, one at a time. It belongs to one goroutine; a data set can have any number.
type Rows struct {
	dataset *Dataset
	reader  blockReader
	row     Vector
	value   float32 // of the values in the memory of row, if they are all the same
	values  int     // how many these are
}

// Rows returns a reader of the rows of d.
func (d *Dataset) Rows() *Rows {
	r := &Rows{dataset: d}
	if d.matrix != nil {
		r.reader.blocks = d.matrix.blocks
	}
	return r
}

// Row returns document i, valid until the next call.
func (r *Rows) Row(i int) Vector {
	if r.dataset.matrix == nil {
		return r.dataset.Row(i)
	}
	n, value, ids, values := r.encoded(i)
	if cap(r.row.IDs) < n {
		r.row = Vector{IDs: make([]uint32, n+n/2), Values: make([]float32, n+n/2)}
		r.values = 0
	}
	x := Vector{IDs: r.row.IDs[:n:n], Values: r.row.Values[:n:n]}
	decodeIDs(x.IDs, ids)
	if r.dataset.Kind == Evidence {
		return r.evidence(x, values)
	}
	if value == value { // it is a number
		r.fill(value, n)
		return x
	}
	for i := range x.Values {
		x.Values[i] = math.Float32frombits(binary.LittleEndian.Uint32(values[4*i:]))
	}
	r.values = 0
	return x
}

// evidence completes a row of the kind [Evidence], which has its ids, with the values of the groups as they are kept.
func (r *Rows) evidence(x Vector, values []byte) Vector {
	n := len(x.IDs)
	if n == 0 {
		return x
	}
	if cap(r.row.Groups) < n {
		r.row.Groups = make([]Group, cap(r.row.IDs))
	}
	var scales [Groups]float32
	for g := range scales {
		scales[g] = math.Float32frombits(binary.LittleEndian.Uint32(values[4*g:]))
	}
	x.Groups = r.row.Groups[:n:n]
	groups := r.dataset.matrix.groups
	i := 0
	for ; i < n && x.IDs[i] < CellCount; i++ {
		x.Values[i], x.Groups[i] = scales[Grams], Grams
	}
	for ; i < n; i++ {
		g := groups[x.IDs[i]-CellCount]
		x.Values[i], x.Groups[i] = scales[g], g
	}
	return x
}

// First returns the ids of document i up to the n-th, valid until the next call.
func (r *Rows) First(i, n int) []uint32 {
	if r.dataset.matrix == nil {
		ids := r.dataset.Row(i).IDs
		return ids[:min(n, len(ids))]
	}
	all, _, ids, _ := r.encoded(i)
	n = min(n, all)
	if cap(r.row.IDs) < n {
		r.row, r.values = Vector{IDs: make([]uint32, n), Values: make([]float32, n)}, 0
	}
	decodeIDs(r.row.IDs[:n], ids)
	return r.row.IDs[:n]
}

// encoded returns the parts of a row as it is kept; nothing if it could not be read.
func (r *Rows) encoded(i int) (n int, value float32, ids, values []byte) {
	ref := r.dataset.matrix.rows[i]
	data := r.reader.read(ref, guess)
	if data == nil {
		return 0, 1, nil, nil
	}
	le := binary.LittleEndian
	n, idsSize := int(le.Uint32(data)), int(le.Uint32(data[4:]))
	value = math.Float32frombits(le.Uint32(data[8:]))
	size := rowHeaderSize + idsSize
	switch {
	case r.dataset.Kind == Evidence:
		size += 4 * Groups
	case value != value:
		size += 4 * n
	}
	if len(data) < size {
		if data = r.reader.read(ref, size); data == nil {
			return 0, 1, nil, nil
		}
	}
	return n, value, data[rowHeaderSize:][:idsSize], data[rowHeaderSize+idsSize : size]
}

// decodeIDs fills dst with the first ids of a row.
func decodeIDs(dst []uint32, ids []byte) {
	id, at := uint32(0), 0
	for i := range dst {
		gap := uint32(ids[at]) | uint32(ids[at+1])<<8
		at += 2
		if gap == wideGap {
			gap = binary.LittleEndian.Uint32(ids[at:])
			at += 4
		}
		id += gap
		dst[i] = id
	}
}

// fill makes the first n values of the memory of row the same. They nearly always are.
func (r *Rows) fill(value float32, n int) {
	if value != r.value {
		r.value, r.values = value, 0
	}
	values := r.row.Values[:cap(r.row.Values)]
	for i := r.values; i < n; i++ {
		values[i] = value
	}
	r.values = max(r.values, n)
}
