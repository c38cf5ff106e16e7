package features

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"chaff/internal/fieldtags"
	"chaff/internal/indices"
)

// Options say which terms of the training part become the vocabulary.
type Options struct {
	// MinDocumentFrequency is how many training messages a term must occur in. At least 1. Default 1.
	MinDocumentFrequency int `json:"min_document_frequency" range:"at least 1" default:"1"`
	// MaxTerms is the largest size of the vocabulary, which keeps the most frequent terms; 0 is no limit. At least 0.
	// Default 0.
	MaxTerms int `json:"max_terms" range:"at least 0"`
	// Texts keeps the text of each term in the model file, for explain, inspect and export; without it the file has two
	// thirds of the size. Default true.
	Texts bool `json:"texts" default:"true"`
}

// DefaultOptions returns the default options.
func DefaultOptions() Options { return fieldtags.Default[Options]() }

// Vocabulary is the V terms of the training part, with the ids 0..V-1. See [Documents.Build] for the order of the ids.
//
// The first bits of a hash, the prefix, select a bucket of the table: 8 to 16 terms on average, side by side, so that a lookup
// reads one prefix and one or two cache lines. The next 32 bits are the key of a term in its bucket. Two terms with the same
// prefix and key are one term. Of 500,000 terms, one vocabulary in a thousand has such a pair.
type Vocabulary struct {
	table []uint32 // the key and the id of each term; keys ascend within a bucket
	// bucketStarts[p] is the first term of the bucket of prefix p; the last entry is V.
	bucketStarts []uint32
	shift        uint // from a hash to its prefix
	shared       int  // how many terms have the id of another one
}

// minPrefixBits is the least size of a prefix, in bits. Terms that are learned later are told apart as those of the vocabulary are: by the keys alone, one
// model in 20 that begins without terms would take two of its first 25,000 for one.
const minPrefixBits = 8

// maxTerms is the largest size of a vocabulary.
const maxTerms = math.MaxInt32

// NewVocabulary returns the vocabulary of hashes, which are in the order of the ids, all different, and fewer than 2^31. If several
// hashes are one term, all have the first id.
func NewVocabulary(hashes []uint64) (*Vocabulary, error) {
	return newVocabulary(len(hashes), func(id int) uint64 { return hashes[id] })
}

// newVocabulary is NewVocabulary for the hashes of n terms by id.
func newVocabulary(n int, hash func(id int) uint64) (*Vocabulary, error) {
	if n > maxTerms {
		return nil, fmt.Errorf("vocabulary of %d terms: at most %d are possible", n, maxTerms)
	}
	b := max(bits.Len(uint(n))-4, minPrefixBits)
	v := &Vocabulary{shift: uint(64 - b), bucketStarts: make([]uint32, 1<<b+1), table: make([]uint32, 2*n)}
	for id := range n {
		v.bucketStarts[hash(id)>>v.shift+1]++
	}
	for p := range 1 << b {
		v.bucketStarts[p+1] += v.bucketStarts[p]
	}
	at := slices.Clone(v.bucketStarts)
	for id := range n {
		prefix, key := v.split(hash(id))
		i := 2 * int(at[prefix])
		v.table[i], v.table[i+1] = key, uint32(id)
		at[prefix]++
	}
	var terms []uint64 // of a bucket: the key and the id
	for p := range 1 << b {
		bucket := v.table[2*int(v.bucketStarts[p]) : 2*int(v.bucketStarts[p+1])]
		terms = terms[:0]
		for i := 0; i < len(bucket); i += 2 {
			terms = append(terms, uint64(bucket[i])<<32|uint64(bucket[i+1]))
		}
		slices.Sort(terms)
		for i, term := range terms {
			key, id := uint32(term>>32), uint32(term)
			if i > 0 && bucket[2*i-2] == key { // one term with the one before, whose id it gets
				first := bucket[2*i-1]
				if hash(int(first)) == hash(int(id)) {
					return nil, fmt.Errorf("vocabulary has term %d twice", id)
				}
				id = first
				v.shared++
			}
			bucket[2*i], bucket[2*i+1] = key, id
		}
	}
	return v, nil
}

// RestoreVocabulary returns the vocabulary with the given [Vocabulary.Table], and keeps both slices.
// It does not read the table, which would cost more than all lookups of a message: if keys are out of order, terms are not found.
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
	return &Vocabulary{table: table, bucketStarts: starts, shift: 64 - uint(b)}, nil
}

// Extended returns v with more terms, whose ids follow those of v. v must have none of them.
func (v *Vocabulary) Extended(hashes []uint64) *Vocabulary {
	added := indices.Below[uint32](len(hashes)) // the terms in the order of the table
	slices.SortStableFunc(added, func(i, j uint32) int { return cmp.Compare(v.identifying(hashes[i]), v.identifying(hashes[j])) })
	w := &Vocabulary{shift: v.shift, table: make([]uint32, 0, len(v.table)+2*len(hashes)), bucketStarts: make([]uint32, len(v.bucketStarts))}
	addBelow := func(end uint64) {
		for len(added) > 0 && v.identifying(hashes[added[0]]) < end {
			w.table = append(w.table, uint32(v.identifying(hashes[added[0]])), uint32(v.Len())+added[0])
			added = added[1:]
		}
	}
	for p := range len(v.bucketStarts) - 1 {
		for at := v.bucketStarts[p]; at < v.bucketStarts[p+1]; at++ {
			addBelow(uint64(p)<<32 | uint64(v.table[2*at]))
			w.table = append(w.table, v.table[2*at], v.table[2*at+1])
		}
		addBelow(uint64(p+1) << 32)
		w.bucketStarts[p+1] = uint32(w.Len())
	}
	return w
}

// identifying returns the bits of a hash that tell its term from all others: the prefix and the key.
func (v *Vocabulary) identifying(hash uint64) uint64 { return hash >> (v.shift - 32) }

// split returns the prefix and the key of a hash.
func (v *Vocabulary) split(hash uint64) (prefix uint64, key uint32) {
	return hash >> v.shift, uint32(hash << (64 - v.shift) >> 32)
}

// Len returns V.
func (v *Vocabulary) Len() int { return len(v.table) / 2 }

// Shared returns how many terms have the id of another one, because their hashes share the prefix and the key.
func (v *Vocabulary) Shared() int { return v.shared }

// Table returns the key and the id of each term, in the order of their hashes, and the first term for every prefix, and V. Both slices belong to the
// vocabulary.
func (v *Vocabulary) Table() (table, bucketStarts []uint32) { return v.table, v.bucketStarts }

// probe is a lookup of a key in the bucket from..to of the table. It starts at the index where the key would be if keys were
// evenly spaced, as those of hashes nearly are.
type probe struct{ key, from, to, at, found uint32 }

// AppendKnown appends the terms that the vocabulary knows: the id and, in the lower 32 bits, the index among the hashes. It
// reads from each bucket before it compares the first key, so that the processor waits for memory once instead of once for
// each term. In a large vocabulary, that takes half the time.
func (v *Vocabulary) AppendKnown(dst, hashes []uint64) []uint64 {
	const lookupBatch = 32 // terms that are looked up at a time
	var probes [lookupBatch]probe
	for done := 0; done < len(hashes); done += lookupBatch {
		batch := hashes[done:min(done+lookupBatch, len(hashes))]
		for i, hash := range batch {
			prefix, key := v.split(hash)
			from, to := v.bucketStarts[prefix], v.bucketStarts[prefix+1]
			probes[i] = probe{key: key, from: from, to: to, at: from + uint32(uint64(key)*uint64(to-from)>>32)}
		}
		for i := range batch {
			if p := &probes[i]; p.from < p.to {
				p.found = v.table[2*p.at]
			}
		}
		for i := range batch {
			if p := &probes[i]; p.from < p.to && (p.found == p.key || v.find(p)) {
				// A damaged table can hold an id that no term has.
				if id := v.table[2*p.at+1]; int(id) < len(v.table)/2 {
					dst = append(dst, uint64(id)<<32|uint64(done+i))
				}
			}
		}
	}
	return dst
}

// largeBucket is the least number of terms in a bucket that is searched by halves: chosen keys need not be evenly spaced.
const largeBucket = 64

// find moves p.at to the key of p and reports whether the bucket has it.
func (v *Vocabulary) find(p *probe) bool {
	if p.to-p.from >= largeBucket {
		i := sort.Search(int(p.to-p.from), func(i int) bool { return v.table[2*(int(p.from)+i)] >= p.key })
		p.at = p.from + uint32(i)
		return p.at < p.to && v.table[2*p.at] == p.key
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
