package features

import (
	"iter"
	"slices"
)

// Lexicon keeps the text of each distinct term once, so that a model can be read and explained. The zero value is ready.
type Lexicon struct {
	table table
	spans []span // by number in the table
	text  []byte
}

type span struct {
	at   int // where in the text
	size int
}

// Add keeps the texts of the terms in b that are new.
func (l *Lexicon) Add(b *Bag) {
	for n, e := range b.entries {
		l.add(b.table.hashes[n], b.text[e.at:e.to])
	}
}

// Merge adds the terms of other. The result does not depend on how messages were divided between lexicons.
func (l *Lexicon) Merge(other *Lexicon) {
	for n, s := range other.spans {
		l.add(other.table.hashes[n], other.at(s))
	}
}

func (l *Lexicon) add(hash uint64, term []byte) {
	n, seen := l.table.number(hash)
	if !seen {
		l.spans = append(l.spans, span{})
	} else if slices.Compare(l.at(l.spans[n]), term) <= 0 {
		// Of two terms that share a hash the smaller text is kept, so that the order of the messages does not matter.
		return
	}
	l.spans[n] = span{len(l.text), len(term)}
	l.text = append(l.text, term...)
}

func (l *Lexicon) at(s span) []byte { return l.text[s.at : s.at+s.size] }

// Len returns the number of distinct terms.
func (l *Lexicon) Len() int { return len(l.spans) }

// Texts returns the texts of the terms of v by id: V of them, empty where the lexicon does not know the term.
func (l *Lexicon) Texts(v *Vocabulary) []string {
	texts := make([]string, v.Len())
	for id, hash := range v.Hashes() {
		if n := l.table.find(hash); n >= 0 {
			texts[id] = string(l.at(l.spans[n]))
		}
	}
	return texts
}

// BuildVocabulary freezes the terms of the training documents that o lets in. It returns beside the vocabulary the
// document frequency of each term by id: in how many of the documents it occurs.
func BuildVocabulary(training iter.Seq[Document], o Options) (*Vocabulary, []uint32, error) {
	var table table
	var count []uint32 // document frequency by number in the table
	for doc := range training {
		for _, hash := range doc.Terms {
			n, seen := table.number(hash)
			if !seen {
				count = append(count, 0)
			}
			count[n]++
		}
	}
	frequency := func(hash uint64) uint32 { return count[table.find(hash)] }
	var hashes []uint64
	for n, hash := range table.hashes {
		if int64(count[n]) >= int64(o.MinDocumentFrequency) {
			hashes = append(hashes, hash)
		}
	}
	slices.Sort(hashes)
	if o.MaxTerms > 0 && len(hashes) > o.MaxTerms {
		// Ties are cut in the order of the hashes, which is the same in every run.
		slices.SortStableFunc(hashes, func(x, y uint64) int { return int(frequency(y)) - int(frequency(x)) })
		hashes = slices.Clone(hashes[:o.MaxTerms])
		slices.Sort(hashes)
	}
	v, err := NewVocabulary(hashes)
	if err != nil {
		return nil, nil, err
	}
	frequencies := make([]uint32, len(hashes))
	for id, hash := range hashes {
		frequencies[id] = frequency(hash)
	}
	return v, frequencies, nil
}
