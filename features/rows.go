package features

// Rows reads the rows of a data set, one at a time. It belongs to one goroutine; a data set can have any number.
type Rows struct {
	kind    Kind
	dataset *Dataset
	reader  documentReader
	ids     []uint32 // by number
	row     Vector
	first   []uint32
	value   float32 // of the values of the row before, if they were all the same
	values  int     // how many there are in its memory
}

// Rows returns a reader of the rows of d.
func (d *Dataset) Rows() *Rows {
	r := &Rows{kind: d.Kind, dataset: d}
	if d.index != nil {
		r.reader.documents, r.ids = d.index.documents, d.index.ids
	}
	return r
}

// Row returns document i, valid until the next Row.
func (r *Rows) Row(i int) Vector {
	if r.dataset.index == nil {
		return r.dataset.Row(i)
	}
	return r.read(r.dataset.refs[i])
}

// First returns the ids of document i up to the n-th, valid until the next First.
func (r *Rows) First(i, n int) []uint32 {
	if r.dataset.index == nil {
		ids := r.dataset.Row(i).IDs
		return ids[:min(n, len(ids))]
	}
	e := r.reader.get(r.dataset.refs[i])
	r.first = r.first[:0]
	for i := 0; i < e.n && len(r.first) < n; i++ {
		id := r.ids[e.number(i)]
		if n := len(r.first); id == unknown || n > 0 && r.first[n-1] == id {
			continue
		}
		if r.kind != StartBits || e.isAtStart(i) {
			r.first = append(r.first, id)
		}
	}
	return r.first
}

// read makes the row of a document, as appendVector does of one with hashes.
func (r *Rows) read(ref Ref) Vector {
	e := r.reader.get(ref)
	if cap(r.row.IDs) < e.n {
		r.row = Vector{IDs: make([]uint32, e.n+e.n/2), Values: make([]float32, e.n+e.n/2)}
		r.values = 0
	}
	if r.kind.counted() {
		return r.counted(e)
	}
	ids, n := r.row.IDs[:cap(r.row.IDs)], 0
	if r.kind == StartBits {
		for i := range e.n {
			if id := r.ids[e.number(i)]; id != unknown && e.isAtStart(i) && (n == 0 || ids[n-1] != id) {
				ids[n] = id
				n++
			}
		}
	} else {
		n = r.allKnown(ids, e)
	}
	return Vector{IDs: ids[:n:n], Values: r.equal(float32(1*e.scale(r.kind)), n)}
}

// allKnown writes the ids of all terms that are known, and returns how many they are. Two hashes may be one term.
func (r *Rows) allKnown(ids []uint32, e encoded) int {
	n := 0
	for i := range e.n {
		ids[n] = r.ids[e.number(i)]
		if ids[n] != unknown && (n == 0 || ids[n-1] != ids[n]) {
			n++
		}
	}
	return n
}

// equal returns n values that are all the same. They are nearly always those of the row before, or fewer.
func (r *Rows) equal(value float32, n int) []float32 {
	values := r.row.Values[:cap(r.row.Values)]
	if value != r.value {
		r.value, r.values = value, 0
	}
	for ; r.values < n; r.values++ {
		values[r.values] = value
	}
	return values[:n:n]
}

// counted is read for kinds whose values grow with the number of tokens.
func (r *Rows) counted(e encoded) Vector {
	scale := e.scale(r.kind)
	ids, values, n := r.row.IDs[:cap(r.row.IDs)], r.row.Values[:cap(r.row.Values)], 0
	for i := range e.n {
		count := e.count(i)
		id := r.ids[e.number(i)]
		if id == unknown {
			continue
		}
		value := float32(float64(count) * scale)
		if n > 0 && ids[n-1] == id {
			values[n-1] += value
			continue
		}
		ids[n], values[n] = id, value
		n++
	}
	r.values = 0
	return Vector{IDs: ids[:n:n], Values: values[:n:n]}
}
