package features

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Options say which terms of the training part become the vocabulary.
type Options struct {
	// MinDocumentFrequency is the number of training messages that a term must occur in to be kept. At least 1;
	// default 1, which keeps every term: rare terms tell much together. With 2 the model has less than half the size.
	MinDocumentFrequency int `json:"min_document_frequency"`
	// MaxTerms is the largest size of the vocabulary; of more terms the most frequent are kept. At least 0; default
	// 0, which means no limit.
	MaxTerms int `json:"max_terms"`
	// Texts keeps the text of each term in the model file, with the number of training messages that have it, for explain,
	// inspect and export. Default true; without them a file has a third of the size, and classifies as well.
	Texts bool `json:"texts"`
}

// DefaultOptions returns the options used when nothing else is said.
func DefaultOptions() Options { return Options{MinDocumentFrequency: 1, Texts: true} }

// Validate returns everything that is wrong with o.
func (o Options) Validate() error {
	var errs []error
	if o.MinDocumentFrequency < 1 {
		errs = append(errs, fmt.Errorf("min_document_frequency is %d: must be at least 1", o.MinDocumentFrequency))
	}
	if o.MaxTerms < 0 {
		errs = append(errs, fmt.Errorf("max_terms is %d: must be at least 0", o.MaxTerms))
	}
	return errors.Join(errs...)
}

// Vocabulary is the V terms of the training part, with ids 0..V-1 in ascending order of their hashes: the same corpus
// has the same ids whatever the number of workers, and a document's hashes in ascending order give its ids in ascending
// order.
//
// Terms whose hashes begin with the same bits, the prefix, lie side by side in a bucket: 8 to 16 of them on the average,
// so that a look-up reads one prefix and about one cache line. Of a hash the key is kept, which is the 32 bits after the
// prefix. Two terms with the same prefix and key are one term to all who look them up. Of 500,000 terms, one vocabulary
// in a thousand has such a pair.
type Vocabulary struct {
	keys []uint32 // by id; ascending within a bucket
	// starts[p] is the first id whose hash begins with the prefix p or a higher one; the last entry is V.
	starts []uint32
	shift  uint                  // how far a hash is shifted right to become its prefix
	hashes []uint64              // by id; nil if the vocabulary was restored
	look   func(from, to uint32) // see Watched; nil for none
}

// NewVocabulary returns the vocabulary of the given hashes, which must be strictly ascending and fewer than 2^32. Of
// hashes that are one term the lowest stands for all. It keeps the slice, and changes it if there are such hashes.
func NewVocabulary(hashes []uint64) (*Vocabulary, error) {
	if uint64(len(hashes)) >= unknown {
		return nil, fmt.Errorf("vocabulary of %d terms: at most %d are possible", len(hashes), uint64(unknown)-1)
	}
	for i := 1; i < len(hashes); i++ {
		if hashes[i-1] >= hashes[i] {
			return nil, fmt.Errorf("vocabulary is not in ascending order at term %d", i)
		}
	}
	b := prefixBits(len(hashes))
	v := &Vocabulary{shift: 64 - b, starts: make([]uint32, 1<<b+1)}
	v.hashes = slices.CompactFunc(hashes, v.same)
	v.keys = make([]uint32, len(v.hashes))
	p := 0
	for i, h := range v.hashes {
		prefix, key := v.split(h)
		for ; p <= int(prefix); p++ {
			v.starts[p] = uint32(i)
		}
		v.keys[i] = key
	}
	for ; p < len(v.starts); p++ {
		v.starts[p] = uint32(len(v.hashes))
	}
	return v, nil
}

// RestoreVocabulary returns a vocabulary from the two tables of one made before, [Vocabulary.Keys] and
// [Vocabulary.Starts]; it keeps both slices. The error says what does not fit. Whether the keys are in ascending order is
// not looked at, which would cost more than all look-ups of a message: where they are not, terms are not found.
func RestoreVocabulary(keys, starts []uint32) (*Vocabulary, error) {
	b := bits.Len(uint(max(len(starts), 2)-1)) - 1
	if b > 32 || len(starts) != 1<<b+1 {
		return nil, fmt.Errorf("vocabulary with a table of %d prefixes: must be a power of two and one more", len(starts))
	}
	for p := 1; p < len(starts); p++ {
		if starts[p-1] > starts[p] {
			return nil, fmt.Errorf("vocabulary is not in ascending order at prefix %d", p)
		}
	}
	if last := starts[len(starts)-1]; starts[0] != 0 || uint64(last) != uint64(len(keys)) {
		return nil, fmt.Errorf("vocabulary of %d terms has prefixes for %d to %d", len(keys), starts[0], last)
	}
	return &Vocabulary{keys: keys, starts: starts, shift: 64 - uint(b)}, nil
}

// Watched returns a vocabulary in the memory of v that calls look before each look-up with the ids it is among, from the first
// up to but without the second.
func (v *Vocabulary) Watched(look func(from, to uint32)) *Vocabulary {
	w := *v
	w.look = look
	return &w
}

// prefixBits is the number of leading bits of a hash that are the prefix among n terms.
func prefixBits(n int) uint { return max(uint(bits.Len(uint(n))), 4) - 4 }

// split returns the two parts of a hash by which it is looked up.
func (v *Vocabulary) split(hash uint64) (prefix uint64, key uint32) {
	return hash >> v.shift, uint32(hash << (64 - v.shift) >> 32)
}

// same says whether two hashes are one term.
func (v *Vocabulary) same(x, y uint64) bool {
	px, kx := v.split(x)
	py, ky := v.split(y)
	return px == py && kx == ky
}

// Len returns V.
func (v *Vocabulary) Len() int { return len(v.keys) }

// Keys returns the keys of all terms, by id, for [RestoreVocabulary]. The slice belongs to the vocabulary.
func (v *Vocabulary) Keys() []uint32 { return v.keys }

// Starts returns the first id of every prefix of a hash, for [RestoreVocabulary]. The slice belongs to the vocabulary.
func (v *Vocabulary) Starts() []uint32 { return v.starts }

// Hashes returns the whole hashes of all terms, by id, or nothing for a vocabulary that was restored. The slice belongs
// to the vocabulary.
func (v *Vocabulary) Hashes() []uint64 { return v.hashes }

// ID returns the id of the term with the given hash; an unknown term has none.
func (v *Vocabulary) ID(hash uint64) (id uint32, known bool) {
	var ids [1]uint32
	id = v.appendIDs(ids[:0], []uint64{hash})[0]
	return id, id != unknown
}

// place is where a key is looked for: among the terms from up to but without to, and first where it would be if their keys lay
// evenly, as hashes nearly do.
type place struct{ from, to, at, found uint32 }

// appendIDs appends the ids of terms by their hashes. All places in memory where terms are are asked for before the first is
// needed, so that the waits for them are one: in a large vocabulary this takes half the time.
func (v *Vocabulary) appendIDs(dst []uint32, hashes []uint64) []uint32 {
	var places [lookedUpTogether]place
	for len(hashes) > 0 {
		batch := hashes[:min(lookedUpTogether, len(hashes))]
		hashes = hashes[len(batch):]
		for i, hash := range batch {
			prefix, key := v.split(hash)
			from, to := v.starts[prefix], v.starts[prefix+1]
			places[i] = place{from: from, to: to, at: from + uint32(uint64(key)*uint64(to-from)>>32)}
			if v.look != nil {
				v.look(from, to)
			}
		}
		for i := range batch {
			if p := &places[i]; p.from < p.to {
				p.found = v.keys[p.at]
			}
		}
		for i, hash := range batch {
			_, key := v.split(hash)
			dst = append(dst, v.find(&places[i], key))
		}
	}
	return dst
}

// find returns the id of the term with a key, or unknown.
func (v *Vocabulary) find(p *place, key uint32) (id uint32) {
	if p.from == p.to {
		return unknown
	}
	at, found := p.at, p.found
	for found < key {
		if at++; at == p.to {
			return unknown
		}
		found = v.keys[at]
	}
	for found > key {
		if at == p.from {
			return unknown
		}
		at--
		found = v.keys[at]
	}
	if found != key {
		return unknown
	}
	return at
}

// AppendVector appends to dst the terms of doc that the vocabulary knows, with the values of the given kind, and
// returns the longer vector. Training and classification both make their vectors here.
func (v *Vocabulary) AppendVector(dst Vector, doc Document, kind Kind) Vector {
	first := len(dst.IDs)
	if kind == Evidence {
		dst.IDs = v.appendIDs(append(dst.IDs, doc.Cells...), doc.Terms)
		return doc.appendEvidence(dst, first)
	}
	dst.IDs = v.appendIDs(dst.IDs, doc.terms(kind))
	return doc.appendValues(dst, first, kind)
}

// terms are the hashes by which a document is looked up.
func (doc Document) terms(kind Kind) []uint64 {
	if kind == Whole {
		return []uint64{doc.hash()}
	}
	return doc.Terms
}

// appendValues takes the unknown ones out of the ids from first on, which are those of terms, and puts values beside the
// others.
func (doc Document) appendValues(dst Vector, first int, kind Kind) Vector {
	scale := doc.scale(kind)
	ids := dst.IDs[first:]
	dst.IDs = dst.IDs[:first]
	for i, id := range ids {
		if id == unknown || kind == StartBits && !doc.Start[i] {
			continue
		}
		dst.add(first, id, float32(doc.value(i, kind)*scale), kind)
	}
	return dst
}

// appendEvidence is appendValues for the kind [Evidence]: the ids from first on are those of the cells and then of the terms.
func (doc Document) appendEvidence(dst Vector, first int) Vector {
	scales := scalesOf(doc.sizes())
	terms := dst.IDs[first+len(doc.Cells):]
	dst.IDs = dst.IDs[:first+len(doc.Cells)]
	dst.addCells(scales[Grams])
	for i, id := range terms {
		if id != unknown {
			g := doc.Groups[i]
			dst.addEvidence(first, CellCount+id, scales[g], g)
		}
	}
	return dst
}

// scalesOf returns 1 / the Euclidean length of each group with so many terms.
func scalesOf(sizes [Groups]int) (scales [Groups]float32) {
	for g, n := range sizes {
		if n > 0 {
			scales[g] = float32(1 / math.Sqrt(float64(n)))
		}
	}
	return scales
}

// addCells puts the value and the group of cells beside the ids that have none yet.
func (x *Vector) addCells(value float32) {
	for len(x.Values) < len(x.IDs) {
		x.Values, x.Groups = append(x.Values, value), append(x.Groups, Grams)
	}
}

// addEvidence appends a term to the vector of a document that begins at first, unless it is the last one: two hashes may be
// one term.
func (x *Vector) addEvidence(first int, id uint32, value float32, g Group) {
	if last := len(x.IDs) - 1; last < first || x.IDs[last] != id {
		x.IDs, x.Values, x.Groups = append(x.IDs, id), append(x.Values, value), append(x.Groups, g)
	}
}

// add appends a term to the vector of a document that begins at first, or adds it to the last one: two hashes may be one term.
func (x *Vector) add(first int, id uint32, value float32, kind Kind) {
	last := len(x.IDs) - 1
	if last < first || x.IDs[last] != id {
		x.IDs, x.Values = append(x.IDs, id), append(x.Values, value)
	} else if kind.counted() {
		x.Values[last] += value
	}
}
