package features

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
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

// Vocabulary is the V terms of the training part, with ids 0..V-1. The ids follow from the documents and not from the key: see
// [Documents.Build].
//
// The table of terms is in the order of their hashes. Those that begin with the same bits, the prefix, lie side by side in a
// bucket: 8 to 16 of them on the average, so that a look-up reads one prefix and one or two cache lines. Of a hash the key of
// the table is kept, which is the 32 bits after the prefix, and beside it the id. Two terms with the same prefix and key are one term
// to all who look them up. Of 500,000 terms, one vocabulary in a thousand has such a pair.
type Vocabulary struct {
	table []uint32 // for each term its key and its id; keys ascend within a bucket
	// starts[p] is the first term of the table whose hash begins with the prefix p or a higher one; the last entry is V.
	starts []uint32
	shift  uint                  // how far a hash is shifted right to become its prefix
	hashes []uint64              // by id; nil if the vocabulary was restored
	shared int                   // how many terms have the id of another one
	look   func(from, to uint32) // see Watched; nil for none
}

// maxTerms is the largest size of a vocabulary.
const maxTerms = math.MaxInt32

// NewVocabulary returns the vocabulary of the given hashes by id, which must be fewer than 2^31 and all different. Of hashes that
// are one term the first id stands for all. It keeps the slice.
func NewVocabulary(hashes []uint64) (*Vocabulary, error) {
	if len(hashes) > maxTerms {
		return nil, fmt.Errorf("vocabulary of %d terms: at most %d are possible", len(hashes), maxTerms)
	}
	b := prefixBits(len(hashes))
	v := &Vocabulary{shift: 64 - b, hashes: hashes, starts: make([]uint32, 1<<b+1), table: make([]uint32, 2*len(hashes))}
	for _, hash := range hashes {
		v.starts[hash>>v.shift+1]++
	}
	for p := range 1 << b {
		v.starts[p+1] += v.starts[p]
	}
	terms := make([]uint64, len(hashes)) // the key and the id in one number
	at := slices.Clone(v.starts)
	for id, hash := range hashes {
		prefix, key := v.split(hash)
		terms[at[prefix]] = uint64(key)<<32 | uint64(id)
		at[prefix]++
	}
	for p := range 1 << b {
		if err := v.fill(v.starts[p], terms[v.starts[p]:v.starts[p+1]]); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// fill puts a bucket into the table from a place on.
func (v *Vocabulary) fill(from uint32, bucket []uint64) error {
	slices.Sort(bucket)
	for i, term := range bucket {
		key, id := uint32(term>>32), uint32(term)
		if before := 2 * (int(from) + i - 1); i > 0 && v.table[before] == key {
			first := v.table[before+1]
			if v.hashes[first] == v.hashes[id] {
				return fmt.Errorf("vocabulary has term %d twice", id)
			}
			id = first
			v.shared++
		}
		v.table[2*(int(from)+i)], v.table[2*(int(from)+i)+1] = key, id
	}
	return nil
}

// RestoreVocabulary returns a vocabulary from the two tables of one made before, [Vocabulary.Table] and
// [Vocabulary.Starts]; it keeps both slices. The error says what does not fit. The table itself is not looked at, which would cost
// more than all look-ups of a message: where its keys are not in order, terms are not found.
func RestoreVocabulary(table, starts []uint32) (*Vocabulary, error) {
	b := bits.Len(uint(max(len(starts), 2)-1)) - 1
	switch {
	case b > 32 || len(starts) != 1<<b+1:
		return nil, fmt.Errorf("vocabulary with a table of %d prefixes: must be a power of two and one more", len(starts))
	case len(table)%2 != 0 || len(table)/2 > maxTerms:
		return nil, fmt.Errorf("vocabulary with a table of %d numbers: must be two for each term", len(table))
	}
	for p := 1; p < len(starts); p++ {
		if starts[p-1] > starts[p] {
			return nil, fmt.Errorf("vocabulary is not in ascending order at prefix %d", p)
		}
	}
	if last := starts[len(starts)-1]; starts[0] != 0 || uint64(last) != uint64(len(table)/2) {
		return nil, fmt.Errorf("vocabulary of %d terms has prefixes for %d to %d", len(table)/2, starts[0], last)
	}
	return &Vocabulary{table: table, starts: starts, shift: 64 - uint(b)}, nil
}

// Watched returns a vocabulary in the memory of v that calls look before each look-up with the terms it is among, by their places
// in the table, from the first up to but without the second.
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

// Len returns V.
func (v *Vocabulary) Len() int { return len(v.table) / 2 }

// Shared returns how many terms have the id of another one, since their hashes are alike in the bits that are looked up.
func (v *Vocabulary) Shared() int { return v.shared }

// Table returns the key and the id of each term, in the order of their hashes, for [RestoreVocabulary]. The slice belongs to the
// vocabulary.
func (v *Vocabulary) Table() []uint32 { return v.table }

// Starts returns the first term of the table for every prefix of a hash, for [RestoreVocabulary]. The slice belongs to the
// vocabulary.
func (v *Vocabulary) Starts() []uint32 { return v.starts }

// Hashes returns the whole hashes of all terms, by id, or nothing for a vocabulary that was restored. The slice belongs
// to the vocabulary.
func (v *Vocabulary) Hashes() []uint64 { return v.hashes }

// ID returns the id of the term with the given hash; an unknown term has none.
func (v *Vocabulary) ID(hash uint64) (id uint32, known bool) {
	var found [1]uint64
	if k := v.appendKnown(found[:0], []uint64{hash}); len(k) > 0 {
		return uint32(k[0] >> 32), true
	}
	return 0, false
}

// place is where a key is looked for: among the terms from up to but without to, and first where it would be if their keys lay
// evenly, as hashes nearly do.
type place struct{ key, from, to, at, found uint32 }

// appendKnown appends the terms that the vocabulary knows, by their hashes: the id, and in the lower 32 bits the place among the
// hashes. All places in memory where terms are are asked for before the first is needed, so that the waits for them are one: in a
// large vocabulary this takes half the time.
func (v *Vocabulary) appendKnown(dst, hashes []uint64) []uint64 {
	var places [lookedUpTogether]place
	for done := 0; done < len(hashes); {
		batch := hashes[done:min(done+lookedUpTogether, len(hashes))]
		for i, hash := range batch {
			prefix, key := v.split(hash)
			from, to := v.starts[prefix], v.starts[prefix+1]
			places[i] = place{key: key, from: from, to: to, at: from + uint32(uint64(key)*uint64(to-from)>>32)}
			if v.look != nil {
				v.look(from, to)
			}
		}
		for i := range batch {
			if p := &places[i]; p.from < p.to {
				p.found = v.table[2*p.at]
			}
		}
		for i := range batch {
			if p := &places[i]; p.from < p.to && (p.found == p.key || v.find(p)) {
				// A damaged table can hold an id that no term has.
				if id := v.table[2*p.at+1]; int(id) < len(v.table)/2 {
					dst = append(dst, uint64(id)<<32|uint64(done+i))
				}
			}
		}
		done += len(batch)
	}
	return dst
}

// largeBucket is from how many terms on a bucket is searched by halves: keys that were chosen need not lie evenly.
const largeBucket = 64

// find looks for the key of p from where it should be, leaves in p where it is, and reports whether it is there.
func (v *Vocabulary) find(p *place) bool {
	if p.to-p.from >= largeBucket {
		return v.search(p)
	}
	at, found := p.at, p.found
	for ; found < p.key && at+1 < p.to; found = v.table[2*at] {
		at++
	}
	for ; found > p.key && at > p.from; found = v.table[2*at] {
		at--
	}
	p.at = at
	return found == p.key
}

// search is find in a large bucket.
func (v *Vocabulary) search(p *place) bool {
	i := sort.Search(int(p.to-p.from), func(i int) bool { return v.table[2*(int(p.from)+i)] >= p.key })
	p.at = p.from + uint32(i)
	return p.at < p.to && v.table[2*p.at] == p.key
}
