package features

import (
	"encoding/binary"
	"math"

	"chaff/internal/evidence"
	"chaff/internal/parallel"
)

// matrix is the rows of documents over the terms of a vocabulary, in about two bytes for each term. Trainers read it many
// times, in any order of rows.
type matrix struct {
	store  *recordStore
	rows   []Ref
	groups []evidence.Group // of the terms by id; nil except for the kind [Evidence]
}

// The record of a row with n terms is, little-endian:
//
//	4 bytes   n
//	4 bytes   the value of all terms, a float32, or NaN if they differ
//	gaps      the ids, as [appendGaps] writes them
//	float32s  if the values differ: one for each group, for the kind [Evidence], otherwise one for each term
const rowHeader = 8

// Dataset returns documents with their labels as a matrix (documents x terms) of any kind except [Whole], made by up to so many
// goroutines.
func (x *Index) Dataset(kind Kind, classes []string, refs []Ref, labels []int32, workers int) *Dataset {
	m := &matrix{store: newRecordStore(x.documents.budget, 1), rows: make([]Ref, len(refs))}
	terms := x.vocabulary.Len()
	if kind == Evidence {
		m.groups = x.groups(workers)
		terms += CellCount
	}
	writers := make([]rowWriter, max(workers, 1))
	for i := range writers {
		writers[i] = rowWriter{recordWriter: recordWriter{store: m.store}, reader: x.documents.reader()}
	}
	parallel.Ranges(workers, len(refs), 256, func(worker, from, to int) {
		for i := from; i < to; i++ {
			m.rows[i] = writers[worker].add(refs[i], x, kind)
		}
	})
	for i := range writers {
		writers[i].flush()
	}
	if err := x.documents.Err(); err != nil {
		m.store.fail(err)
	}
	return &Dataset{Kind: kind, Classes: classes, Labels: labels, Terms: terms, Workers: workers, matrix: m}
}

// rowWriter makes rows of documents.
type rowWriter struct {
	recordWriter
	reader documentReader
	lookup Lookup
	row    Vector
	record []byte
}

func (w *rowWriter) add(ref Ref, x *Index, kind Kind) Ref {
	w.reader.read(ref)
	if kind == Evidence {
		return w.addEvidence(x)
	}
	w.row = w.lookup.appendStored(w.row.Reset(), &w.reader, x.ids, x.vocabulary.Len(), kind)
	shared, values := float32(math.NaN()), w.row.Values
	if !kind.counted() {
		shared, values = float32(w.reader.doc.scale(kind)), nil
	}
	return w.writeRow(len(w.row.IDs), shared, nil, 0, values)
}

// addEvidence adds the document that was read. The gaps of its cells are in its record already, and the terms follow them.
func (w *rowWriter) addEvidence(x *Index) Ref {
	w.row = w.lookup.appendStored(w.row.Reset(), &w.reader, x.ids, x.vocabulary.Len(), Bits)
	w.reader.readGroups()
	values := w.row.Values[:0]
	for _, scale := range w.reader.doc.groupScales() {
		values = append(values, float32(scale))
	}
	last := uint32(0)
	if cells := w.reader.doc.Cells; len(cells) > 0 {
		last = cells[len(cells)-1]
	}
	return w.writeRow(w.reader.cells+len(w.row.IDs), float32(math.NaN()), w.reader.gaps, last-CellCount, values)
}

// writeRow writes a row of n ids: those of gaps, then those of w.row, whose first gap is counted from an id.
func (w *rowWriter) writeRow(n int, shared float32, gaps []byte, from uint32, values []float32) Ref {
	le := binary.LittleEndian
	w.record = le.AppendUint32(w.record[:0], uint32(n))
	w.record = le.AppendUint32(w.record, math.Float32bits(shared))
	w.record = appendGaps(append(w.record, gaps...), from, w.row.IDs)
	for _, value := range values {
		w.record = le.AppendUint32(w.record, math.Float32bits(value))
	}
	return w.write(w.record)
}

// wideGap marks a gap that does not fit into two bytes.
const wideGap = math.MaxUint16

// appendGaps appends ascending ids, each by its distance from the one before: two bytes, or wideGap and four bytes.
func appendGaps(dst []byte, before uint32, ids []uint32) []byte {
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

// decodeGaps fills dst with the first ids that appendGaps has written, and returns how many bytes they took.
func decodeGaps(dst []uint32, gaps []byte) (size int) {
	id := uint32(0)
	for i := range dst {
		gap := uint32(gaps[size]) | uint32(gaps[size+1])<<8
		size += 2
		if gap == wideGap {
			gap = binary.LittleEndian.Uint32(gaps[size:])
			size += 4
		}
		id += gap
		dst[i] = id
	}
	return size
}

// Rows reads the rows of a data set, one at a time. It belongs to one goroutine; a data set can have any number.
type Rows struct {
	dataset *Dataset
	reader  recordReader
	row     Vector
}

// Rows returns a reader of the rows of d.
func (d *Dataset) Rows() *Rows {
	r := &Rows{dataset: d}
	if d.matrix != nil {
		r.reader.store = d.matrix.store
	}
	return r
}

// Row returns document i, valid until the next call. A row that could not be read is empty.
func (r *Rows) Row(i int) Vector {
	if r.dataset.matrix == nil {
		return r.dataset.Row(i)
	}
	record := r.reader.read(r.dataset.matrix.rows[i])
	if record == nil {
		return Vector{}
	}
	n, shared := int(binary.LittleEndian.Uint32(record)), math.Float32frombits(binary.LittleEndian.Uint32(record[4:]))
	r.grow(n)
	x := Vector{IDs: r.row.IDs[:n:n], Values: r.row.Values[:n:n]}
	values := record[rowHeader:]
	values = values[decodeGaps(x.IDs, values):]
	switch {
	case r.dataset.Kind == Evidence:
		x.Groups = r.row.Groups[:n:n]
		r.evidence(x, values)
	case shared == shared: // not NaN
		for i := range x.Values {
			x.Values[i] = shared
		}
	default:
		for i := range x.Values {
			x.Values[i] = valueAt(values, i)
		}
	}
	return x
}

// grow makes room for n terms.
func (r *Rows) grow(n int) {
	if cap(r.row.IDs) < n {
		size := n + n/2
		r.row = Vector{IDs: make([]uint32, size), Values: make([]float32, size), Groups: make([]evidence.Group, size)}
	}
}

func valueAt(values []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(values[4*i:]))
}

// evidence sets the values and the groups of a row, which has its ids.
func (r *Rows) evidence(x Vector, values []byte) {
	var scales [evidence.Groups]float32
	for g := range scales {
		scales[g] = valueAt(values, g)
	}
	groups := r.dataset.matrix.groups
	for i, id := range x.IDs {
		g := evidence.Grams
		if id >= CellCount {
			g = groups[id-CellCount]
		}
		x.Values[i], x.Groups[i] = scales[g], g
	}
}

// First returns the first n ids of document i, or all if there are fewer. They are valid until the next call.
func (r *Rows) First(i, n int) []uint32 {
	if r.dataset.matrix == nil {
		ids := r.dataset.Row(i).IDs
		return ids[:min(n, len(ids))]
	}
	record := r.reader.read(r.dataset.matrix.rows[i])
	if record == nil {
		return nil
	}
	n = min(n, int(binary.LittleEndian.Uint32(record)))
	r.grow(n)
	decodeGaps(r.row.IDs[:n], record[rowHeader:])
	return r.row.IDs[:n]
}
