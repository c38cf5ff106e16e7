package features

import "chaff/internal/hashtable"

// GrowingVocabulary is a vocabulary that learns the terms of documents one document at a time. Ids are in the order of learning.
// It belongs to one goroutine.
type GrowingVocabulary struct {
	kind   Kind
	reader documentReader
	ids    []uint32        // by the number of a term
	wholes hashtable.Table // of documents, for the kind [Whole]
	terms  int
	lookup Lookup
	row    Vector
}

// Growing returns an empty vocabulary for rows of the given kind.
func (d *Documents) Growing(kind Kind) *GrowingVocabulary {
	_ = d.Complete(1) // an error stays, see Err
	v := &GrowingVocabulary{kind: kind, reader: d.reader()}
	if kind != Whole {
		v.ids = unknownIDs(len(d.terms.hashes))
	}
	return v
}

// Len returns V, the number of terms learned so far.
func (v *GrowingVocabulary) Len() int { return v.terms }

// Row returns the known terms of a document, valid until the next call.
func (v *GrowingVocabulary) Row(ref Ref) Vector { return v.readRow(ref, false) }

// Learn learns the terms of a document and returns its row, valid until the next call.
func (v *GrowingVocabulary) Learn(ref Ref) Vector { return v.readRow(ref, true) }

func (v *GrowingVocabulary) readRow(ref Ref, learn bool) Vector {
	v.row = v.row.Reset()
	if v.kind == Whole {
		return v.readWhole(ref, learn)
	}
	v.reader.read(ref)
	if learn {
		v.reader.readTerms()
		for i, number := range v.reader.numbers {
			if v.ids[number] == unknown && (v.kind != HeadBits || v.reader.doc.InHead[i]) {
				v.ids[number] = uint32(v.terms)
				v.terms++
			}
		}
	}
	v.row = v.lookup.appendStored(v.row, &v.reader, termIDs{ids: v.ids}, v.kind, nil)
	return v.row
}

func (v *GrowingVocabulary) readWhole(ref Ref, learn bool) Vector {
	v.reader.readAll(ref)
	hash := v.reader.doc.hash()
	if learn {
		v.wholes.Add(hash)
		v.terms = v.wholes.Len()
	}
	if id := v.wholes.Find(hash); id >= 0 {
		v.row = Vector{IDs: append(v.row.IDs, uint32(id)), Values: append(v.row.Values, 1)}
	}
	return v.row
}
