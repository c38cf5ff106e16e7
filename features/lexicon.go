package features

import (
	"iter"
	"slices"
)

// Lexicon keeps the text of each distinct term once, so that a model can be read and explained. The zero value is ready.
type Lexicon struct {
	spans map[uint64]span
	text  []byte
}

type span struct {
	at   int // where in the text
	size int
}

// Add keeps the texts of the terms in b that are new.
func (l *Lexicon) Add(b *Bag) {
	for _, d := range b.distinct {
		l.add(d.hash, b.text[d.at:d.to])
	}
}

// Merge adds the terms of other. The result does not depend on how messages were divided between lexicons.
func (l *Lexicon) Merge(other *Lexicon) {
	if l.spans == nil {
		*l, *other = *other, Lexicon{}
		return
	}
	for hash, s := range other.spans {
		l.add(hash, other.text[s.at:s.at+s.size])
	}
}

func (l *Lexicon) add(hash uint64, term []byte) {
	// Of two terms that share a hash the smaller text is kept, so that the order of the messages does not matter.
	if s, seen := l.spans[hash]; seen && slices.Compare(l.text[s.at:s.at+s.size], term) <= 0 {
		return
	}
	if l.spans == nil {
		l.spans = make(map[uint64]span)
	}
	l.spans[hash] = span{len(l.text), len(term)}
	l.text = append(l.text, term...)
}

// Len returns the number of distinct terms.
func (l *Lexicon) Len() int { return len(l.spans) }

// Texts returns the texts of the terms of v by id: V of them, empty where the lexicon does not know the term.
func (l *Lexicon) Texts(v *Vocabulary) []string {
	texts := make([]string, v.Len())
	for id, hash := range v.Hashes() {
		s := l.spans[hash]
		texts[id] = string(l.text[s.at : s.at+s.size])
	}
	return texts
}

// BuildVocabulary freezes the terms of the training documents that o lets in. It returns beside the vocabulary the
// document frequency of each term by id: in how many of the documents it occurs.
func BuildVocabulary(training iter.Seq[Document], o Options) (*Vocabulary, []uint32, error) {
	frequency := make(map[uint64]uint32)
	for doc := range training {
		for _, hash := range doc.Terms {
			frequency[hash]++
		}
	}
	var hashes []uint64
	for hash, n := range frequency {
		if int64(n) >= int64(o.MinDocumentFrequency) {
			hashes = append(hashes, hash)
		}
	}
	slices.Sort(hashes)
	if o.MaxTerms > 0 && len(hashes) > o.MaxTerms {
		// Ties are cut in the order of the hashes, which is the same in every run.
		slices.SortStableFunc(hashes, func(x, y uint64) int { return int(frequency[y]) - int(frequency[x]) })
		hashes = slices.Clone(hashes[:o.MaxTerms])
		slices.Sort(hashes)
	}
	v, err := NewVocabulary(hashes)
	if err != nil {
		return nil, nil, err
	}
	frequencies := make([]uint32, len(hashes))
	for id, hash := range hashes {
		frequencies[id] = frequency[hash]
	}
	return v, frequencies, nil
}
