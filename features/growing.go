package features

// GrowingVocabulary is a vocabulary of the terms of documents that learns them as they come, with ids in this order. It
// belongs to one goroutine.
type GrowingVocabulary struct {
	documents *Documents
	kind      Kind
	reader    blockReader
	ids       []uint32 // by number
	whole     table    // of whole documents
	terms     int
	lookup    Lookup
	row       Vector
}

// Growing returns a vocabulary that knows nothing, for rows of the given kind.
func (d *Documents) Growing(kind Kind) *GrowingVocabulary {
	v := &GrowingVocabulary{documents: d, kind: kind, reader: blockReader{blocks: d.blocks}}
	if kind != Whole {
		v.ids = make([]uint32, d.dictionary.size())
		for i := range v.ids {
			v.ids[i] = unknown
		}
	}
	return v
}

// Len returns V, the number of terms so far.
func (v *GrowingVocabulary) Len() int { return v.terms }

// Row returns the terms of a document that are known, valid until the next call.
func (v *GrowingVocabulary) Row(ref Ref) Vector { return v.read(ref, false) }

// Learn is Row, and makes terms known that are not.
func (v *GrowingVocabulary) Learn(ref Ref) Vector { return v.read(ref, true) }

func (v *GrowingVocabulary) read(ref Ref, learns bool) Vector {
	e := get(&v.reader, ref)
	if v.kind == Whole {
		return v.readWhole(v.documents.whole(e), learns)
	}
	for i := 0; learns && i < e.n; i++ {
		if n := e.number(i); v.ids[n] == unknown && (v.kind != HeadBits || e.isAtStart(i)) {
			v.ids[n] = uint32(v.terms)
			v.terms++
		}
	}
	v.row = v.lookup.appendEncoded(v.row.Reset(), e, v.ids, v.terms, v.documents.dictionary.group, v.kind)
	return v.row
}

func (v *GrowingVocabulary) readWhole(hash uint64, learns bool) Vector {
	if learns {
		v.whole.number(hash)
		v.terms = len(v.whole.hashes)
	}
	v.row = v.row.Reset()
	if n := v.whole.find(hash); n >= 0 {
		v.row = Vector{IDs: append(v.row.IDs, uint32(n)), Values: append(v.row.Values, 1)}
	}
	return v.row
}
