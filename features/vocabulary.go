package features

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// Options say which terms of the training part become the vocabulary.
type Options struct {
	// MinDocumentFrequency is the number of training messages that a term must occur in to be kept. At least 1;
	// default 1, which keeps every term: rare terms tell much together. With 2 the model has less than half the size.
	MinDocumentFrequency int `json:"min_document_frequency"`
	// MaxTerms is the largest size of the vocabulary; of more terms the most frequent are kept. At least 0; default
	// 0, which means no limit.
	MaxTerms int `json:"max_terms"`
}

// DefaultOptions returns the options used when nothing else is said.
func DefaultOptions() Options { return Options{MinDocumentFrequency: 1} }

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
type Vocabulary struct {
	hashes []uint64
	// starts[p] is the first id whose hash begins with the bits p or more; the last entry is V. A hash begins with
	// one of two to four times fewer prefixes than there are terms, so a look-up reads one prefix and a few hashes that
	// lie side by side.
	starts []uint32
	shift  uint
}

// NewVocabulary returns the vocabulary of the given hashes, which must be strictly ascending and fewer than 2^32. It
// keeps the slice.
func NewVocabulary(hashes []uint64) (*Vocabulary, error) {
	b := prefixBits(len(hashes))
	starts := make([]uint32, 1<<b+1)
	p := 0
	for i, h := range hashes {
		for ; p <= int(h>>(64-b)); p++ {
			starts[p] = uint32(i)
		}
	}
	for ; p < len(starts); p++ {
		starts[p] = uint32(len(hashes))
	}
	return RestoreVocabulary(hashes, starts)
}

// RestoreVocabulary returns a vocabulary from the two tables of one made before, [Vocabulary.Hashes] and
// [Vocabulary.Starts]; it keeps both slices. The error says what does not fit.
func RestoreVocabulary(hashes []uint64, starts []uint32) (*Vocabulary, error) {
	if uint64(len(hashes)) > math.MaxUint32 {
		return nil, fmt.Errorf("vocabulary of %d terms: at most %d are possible", len(hashes), uint64(math.MaxUint32))
	}
	b := prefixBits(len(hashes))
	if len(starts) != 1<<b+1 {
		return nil, fmt.Errorf("vocabulary of %d terms with %d prefixes: must have %d", len(hashes), len(starts), 1<<b+1)
	}
	for i := 1; i < len(hashes); i++ {
		if hashes[i-1] >= hashes[i] {
			return nil, fmt.Errorf("vocabulary is not in ascending order at term %d", i)
		}
	}
	for p := 1; p < len(starts); p++ {
		if starts[p-1] > starts[p] {
			return nil, fmt.Errorf("vocabulary is not in ascending order at prefix %d", p)
		}
	}
	if int(starts[len(starts)-1]) != len(hashes) {
		return nil, fmt.Errorf("vocabulary of %d terms has prefixes for %d", len(hashes), starts[len(starts)-1])
	}
	return &Vocabulary{hashes: hashes, starts: starts, shift: 64 - b}, nil
}

// prefixBits is the number of leading bits of a hash that n terms are looked up by.
func prefixBits(n int) uint { return max(uint(bits.Len(uint(n))), 3) - 2 }

// Len returns V.
func (v *Vocabulary) Len() int { return len(v.hashes) }

// Hashes returns the hashes of all terms, by id. The slice belongs to the vocabulary.
func (v *Vocabulary) Hashes() []uint64 { return v.hashes }

// Starts returns the first id of every prefix of a hash, for [RestoreVocabulary]. The slice belongs to the vocabulary.
func (v *Vocabulary) Starts() []uint32 { return v.starts }

// ID returns the id of the term with the given hash; an unknown term has none.
func (v *Vocabulary) ID(hash uint64) (id uint32, known bool) {
	p := hash >> v.shift
	for i := v.starts[p]; i < v.starts[p+1]; i++ {
		if v.hashes[i] >= hash {
			return i, v.hashes[i] == hash
		}
	}
	return 0, false
}

// AppendVector appends to dst the terms of doc that the vocabulary knows, with the values of the given kind, and
// returns the longer vector. Training and classification both make their vectors here.
func (v *Vocabulary) AppendVector(dst Vector, doc Document, kind Kind) Vector {
	return appendVector(dst, doc, kind, v.ID)
}

// GrowingVocabulary is a vocabulary that learns terms as they come, with ids in this order. The zero value is empty. It
// belongs to one goroutine.
type GrowingVocabulary struct{ table table }

// Len returns V, the number of terms so far.
func (v *GrowingVocabulary) Len() int { return len(v.table.hashes) }

// AppendVector is that of [Vocabulary].
func (v *GrowingVocabulary) AppendVector(dst Vector, doc Document, kind Kind) Vector {
	return appendVector(dst, doc, kind, func(hash uint64) (id uint32, known bool) {
		n := v.table.find(hash)
		return uint32(n), n >= 0
	})
}

// Learn is AppendVector, and makes terms known that are not.
func (v *GrowingVocabulary) Learn(dst Vector, doc Document, kind Kind) Vector {
	return appendVector(dst, doc, kind, func(hash uint64) (id uint32, known bool) {
		n, _ := v.table.number(hash)
		return uint32(n), true
	})
}

func appendVector(dst Vector, doc Document, kind Kind, idOf func(hash uint64) (id uint32, known bool)) Vector {
	if kind == Whole {
		if id, known := idOf(doc.hash()); known {
			dst.IDs, dst.Values = append(dst.IDs, id), append(dst.Values, 1)
		}
		return dst
	}
	scale := doc.scale(kind)
	for i, hash := range doc.Terms {
		if kind == StartBits && !doc.Start[i] {
			continue
		}
		if id, known := idOf(hash); known {
			dst.IDs, dst.Values = append(dst.IDs, id), append(dst.Values, float32(doc.value(i, kind)*scale))
		}
	}
	return dst
}
