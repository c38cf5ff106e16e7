package features

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"chaff/internal/evidence"
	"chaff/internal/parallel"
)

// Matrix is documents as rows over all terms of [Documents], in about two bytes for each term. The data sets of all parts and
// vocabularies are views of one matrix. Trainers read them many times, in any order of rows.
type Matrix struct {
	documents *Documents
	store     *recordStore
	kind      Kind
	rows      []Ref
}

// The record of a row has sections: with evidence the cells, and the terms of each group, otherwise all terms. It is, little-endian:
//
//	4 bytes   the number of ids, of each section
//	4 bytes   the value of all its ids, a float32
//	4 bytes   the size of its gaps
//	gaps      the ids of each section, as [appendGaps] writes them: cells, or positions of terms in the order of the documents
//	float32s  the value of each term for counts, in place of that of the section
func (k Kind) sections() int {
	if k == Evidence {
		return evidence.Groups
	}
	return 1
}

// sectionHeader is the size of what a record has of a section before the gaps.
const sectionHeader = 12

// section returns the header of a section.
func section(record []byte, s int) (n int, value float32, size int) {
	le, header := binary.LittleEndian, record[s*sectionHeader:]
	return int(le.Uint32(header)), math.Float32frombits(le.Uint32(header[4:])), int(le.Uint32(header[8:]))
}

// groupOf returns the group of a section of evidence. The cells come first, since their ids do.
func groupOf(section int) evidence.Group {
	if section == 0 {
		return evidence.Grams
	}
	return evidence.Group(section - 1)
}

// Matrix returns the rows of documents, made by up to so many goroutines. The kind is any except [Whole].
func (d *Documents) Matrix(kind Kind, refs []Ref, workers int) *Matrix {
	m := &Matrix{documents: d, store: newRecordStore(d.budget, 1), kind: kind, rows: make([]Ref, len(refs))}
	places := d.places(workers)
	writers := make([]rowWriter, max(workers, 1))
	for i := range writers {
		writers[i] = rowWriter{recordWriter: recordWriter{store: m.store}, reader: d.reader(), places: places}
	}
	parallel.Ranges(workers, len(refs), 256, func(worker, from, to int) {
		for i := from; i < to; i++ {
			m.rows[i] = writers[worker].add(refs[i], kind)
		}
	})
	for i := range writers {
		writers[i].flush()
	}
	if err := d.Err(); err != nil {
		m.store.fail(err)
	}
	return m
}

// places has the place of each term in the order of a row, by number: its group and, in the lower bits, its position in the order of all
// terms.
type places struct {
	all  []uint32
	bits int // of a position
}

const groupBits = 3 // of a group of evidence

func (d *Documents) places(workers int) *places {
	order := d.ordered(workers)
	p := &places{all: make([]uint32, d.dictionary.size()), bits: bits.Len(uint(len(order)))}
	for position, number := range order {
		p.all[number] = p.firstOf(int(d.dictionary.group(number))) | uint32(position)
	}
	return p
}

// firstOf returns the place of the first term if it is of the given group.
func (p *places) firstOf(group int) uint32 { return uint32(group) << p.bits }

// mask returns the bits of a position, or those of the group as well.
func (p *places) mask(withGroup bool) uint32 {
	if withGroup {
		return 1<<(p.bits+groupBits) - 1
	}
	return 1<<p.bits - 1
}

// rowWriter makes rows of documents.
type rowWriter struct {
	recordWriter
	reader documentReader
	places *places
	lookup Lookup
	ids    []uint32
	record []byte
}

func (w *rowWriter) add(ref Ref, kind Kind) Ref {
	w.reader.read(ref)
	if kind == HeadBits || kind.counted() {
		w.reader.readRest()
	}
	doc, l := &w.reader.doc, &w.lookup
	l.known = l.known[:0]
	mask := w.places.mask(kind == Evidence)
	for i, number := range w.reader.numbers {
		if kind != HeadBits || doc.InHead[i] {
			l.known = append(l.known, uint64(w.places.all[number]&mask)<<32|uint64(i))
		}
	}
	l.sort(int(mask))
	w.record = w.record[:0]
	if kind == Evidence {
		return w.addEvidence()
	}
	scale := doc.scaleOf(kind, len(w.reader.numbers))
	w.addHeader(len(l.known), scale)
	w.addPlaces(0, l.known)
	for _, known := range l.known {
		if !kind.counted() {
			break
		}
		value := float32(scale * float64(doc.Counts[uint32(known)]))
		w.record = binary.LittleEndian.AppendUint32(w.record, math.Float32bits(value))
	}
	return w.write(w.record)
}

// addEvidence adds the document that was read, whose terms are sorted by group. The gaps of its cells are in its record already.
func (w *rowWriter) addEvidence() Ref {
	var groups [evidence.Grams][]uint64
	rest := w.lookup.known
	for g := range groups {
		n, _ := slices.BinarySearch(rest, uint64(w.places.firstOf(g+1))<<32)
		groups[g], rest = rest[:n], rest[n:]
	}
	w.addHeader(w.reader.cells, 1/math.Sqrt(float64(w.reader.cells)))
	for _, terms := range groups {
		w.addHeader(len(terms), 1/math.Sqrt(float64(len(terms))))
	}
	cells := w.reader.cellGaps()
	w.record = append(w.record, cells...)
	w.setSize(0, len(cells))
	for g, terms := range groups {
		w.addPlaces(1+g, terms)
	}
	return w.write(w.record)
}

// addHeader adds the header of a section, without its size.
func (w *rowWriter) addHeader(n int, value float64) {
	w.record = binary.LittleEndian.AppendUint32(w.record, uint32(n))
	w.record = binary.LittleEndian.AppendUint32(w.record, math.Float32bits(float32(value)))
	w.record = append(w.record, 0, 0, 0, 0)
}

func (w *rowWriter) setSize(section, size int) {
	binary.LittleEndian.PutUint32(w.record[section*sectionHeader+8:], uint32(size))
}

// addPlaces adds the positions of the terms of a section.
func (w *rowWriter) addPlaces(section int, known []uint64) {
	w.ids = w.ids[:0]
	mask := w.places.mask(false)
	for _, known := range known {
		w.ids = append(w.ids, uint32(known>>32)&mask)
	}
	start := len(w.record)
	w.record = appendGaps(w.record, w.ids)
	w.setSize(section, len(w.record)-start)
}

// wideGap marks a gap that does not fit into two bytes.
const wideGap = math.MaxUint16

// appendGaps appends ascending ids, each by its distance from the one before: two bytes, or wideGap and four bytes.
func appendGaps(dst []byte, ids []uint32) []byte {
	le, before := binary.LittleEndian, uint32(0)
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

// decodeGaps fills dst with the first ids that appendGaps has written.
func decodeGaps(dst []uint32, gaps []byte) {
	id, size := uint32(0), 0
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
}

// view is the ids of a vocabulary by the positions of terms in the order of all terms.
type view struct {
	ids     []uint32 // nil if they are the positions
	ordered bool     // the ids ascend, and no two are equal
}

func newView(ids []uint32) *view {
	v := &view{ids: ids, ordered: true}
	same := true
	next := uint32(0) // the least id that ascends
	for position, id := range ids {
		same = same && id == uint32(position)
		if id != unknown {
			v.ordered = v.ordered && id >= next
			next = id + 1
		}
	}
	if same {
		v.ids = nil
	}
	return v
}

// id returns the id of the term at a position, or unknown.
func (v *view) id(position int) uint32 {
	if v.ids == nil {
		return uint32(position)
	}
	return v.ids[position]
}

// Dataset returns rows of m, given by their numbers, over the vocabulary of x, with their labels. It shares the memory of m. Trainers may
// use up to so many goroutines.
func (m *Matrix) Dataset(x *Index, classes []string, rows []int, labels []int32, workers int) *Dataset {
	d := &Dataset{Kind: m.kind, Classes: classes, Labels: labels, Terms: x.vocabulary.Len(), Workers: workers, matrix: m, view: x.view}
	if m.kind == Evidence {
		d.Terms += CellCount
	}
	d.rows = make([]Ref, len(rows))
	for i, row := range rows {
		d.rows[i] = m.rows[row]
	}
	return d
}

// Dataset returns documents with their labels as a data set of any kind except [Whole], made by up to so many goroutines. To make several
// of the same documents, make a [Matrix].
func (x *Index) Dataset(kind Kind, classes []string, refs []Ref, labels []int32, workers int) *Dataset {
	rows := make([]int, len(refs))
	for i := range rows {
		rows[i] = i
	}
	return x.documents.Matrix(kind, refs, workers).Dataset(x, classes, rows, labels, workers)
}

// Rows reads the rows of a data set, one at a time. It belongs to one goroutine; a data set can have any number.
type Rows struct {
	dataset *Dataset
	groups  func(evidence.Group) bool // nil for all
	reader  recordReader
	row     Vector
	entries []uint64 // ids with values, while counts are read
}

// Rows returns a reader of the rows of d.
func (d *Dataset) Rows() *Rows {
	r := &Rows{dataset: d}
	if d.matrix != nil {
		r.reader.store = d.matrix.store
	}
	return r
}

// RowsOf is [Dataset.Rows] for the terms of some groups: its rows may lack those of others.
func (d *Dataset) RowsOf(groups func(evidence.Group) bool) *Rows {
	r := d.Rows()
	r.groups = groups
	return r
}

// Row returns document i, valid until the next call. A row that could not be read is empty. With evidence the cells come first, then the
// terms of each group: ids ascend within a group only, and sums over a group are those of an ascending row.
func (r *Rows) Row(i int) Vector {
	d := r.dataset
	if d.matrix == nil {
		return d.Row(i)
	}
	record := r.reader.read(d.rows[i])
	if record == nil {
		return Vector{}
	}
	sections, total := d.Kind.sections(), 0
	for s := range sections {
		if n, _, _ := section(record, s); r.has(s) {
			total += n
		}
	}
	r.grow(total)
	n, rest := 0, record[sectionHeader*sections:]
	for s := range sections {
		size, value, bytes := section(record, s)
		gaps := rest
		rest = rest[bytes:]
		if !r.has(s) {
			continue
		}
		ids := r.row.IDs[n:][:size]
		decodeGaps(ids, gaps)
		switch {
		case d.Kind.counted():
			size = r.counted(ids, rest)
		case d.Kind != Evidence:
			size = d.view.idsOf(ids, 0)
		case s > 0:
			size = d.view.idsOf(ids, CellCount)
		}
		if !d.Kind.counted() {
			fill(r.row.Values[n:][:size], value)
		}
		if d.Kind == Evidence {
			fill(r.row.Groups[n:][:size], groupOf(s))
		}
		n += size
	}
	x := Vector{IDs: r.row.IDs[:n:n], Values: r.row.Values[:n:n]}
	if d.Kind == Evidence {
		x.Groups = r.row.Groups[:n:n]
	}
	return x
}

// has reports whether the rows have a section.
func (r *Rows) has(section int) bool {
	return r.groups == nil || r.dataset.Kind != Evidence || r.groups(groupOf(section))
}

func fill[T any](list []T, value T) {
	for i := range list {
		list[i] = value
	}
}

// grow makes room for n terms.
func (r *Rows) grow(n int) {
	if cap(r.row.IDs) < n {
		size := n + n/2
		r.row = Vector{IDs: make([]uint32, size), Values: make([]float32, size), Groups: make([]evidence.Group, size)}
	}
}

// idsOf replaces positions by ids, to each of which offset is added, leaves out unknown terms and returns how many are left.
func (v *view) idsOf(ids []uint32, offset uint32) int {
	if v.ids == nil {
		for i := 0; offset > 0 && i < len(ids); i++ {
			ids[i] += offset
		}
		return len(ids)
	}
	n, all := 0, v.ids
	for _, position := range ids {
		id := all[position]
		ids[n] = id + offset
		if id != unknown {
			n++
		}
	}
	if v.ordered {
		return n
	}
	slices.Sort(ids[:n])
	return len(slices.Compact(ids[:n])) // two hashes can be one term
}

// counted is [view.idsOf] for a row whose terms have values of their own. Those of two hashes that are one term are added.
func (r *Rows) counted(ids []uint32, values []byte) int {
	v := r.dataset.view
	r.entries = r.entries[:0]
	for i, position := range ids {
		if id := v.id(int(position)); id != unknown {
			r.entries = append(r.entries, uint64(id)<<32|uint64(binary.LittleEndian.Uint32(values[4*i:])))
		}
	}
	if !v.ordered {
		slices.Sort(r.entries)
	}
	n := 0
	for _, entry := range r.entries {
		id, value := uint32(entry>>32), math.Float32frombits(uint32(entry))
		if n > 0 && ids[n-1] == id {
			r.row.Values[n-1] += value
			continue
		}
		ids[n], r.row.Values[n] = id, value
		n++
	}
	return n
}

// First returns the n smallest ids of document i, or all if there are fewer. They are valid until the next call.
func (r *Rows) First(i, n int) []uint32 {
	d := r.dataset
	if d.matrix != nil && (d.Kind == Evidence || d.view.ordered) {
		if record := r.reader.read(d.rows[i]); record != nil {
			// The smallest ids begin the first section. Half of the terms may be unknown.
			size := min(int(binary.LittleEndian.Uint32(record)), 2*n)
			r.grow(size)
			ids := r.row.IDs[:size]
			decodeGaps(ids, record[sectionHeader*d.Kind.sections():])
			if d.Kind != Evidence {
				ids = ids[:d.view.idsOf(ids, 0)]
			}
			if len(ids) >= n {
				return ids[:n]
			}
		}
	}
	ids := slices.Sorted(slices.Values(r.Row(i).IDs))
	return ids[:min(n, len(ids))]
}
