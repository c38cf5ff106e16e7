package features

import (
	"iter"
	"slices"
)

// Lexicon keeps the text of each distinct term once, so that a model can be read and explained. It is asked for each
// term of each message, and nearly always knows the term: then one place in memory is looked at. The zero value is ready.
type Lexicon struct {
	slots []slot // a hash table with open addressing: a power of two, at least twice the number of terms
	spans []span // by the number of a term, in the order in which they came
	text  []byte
}

type slot struct {
	hash   uint64
	number uint32 // of the term, plus 1; 0 where free
	check  uint32 // of its text
}

type span struct {
	at   int // where in the text
	size int
}

// Add keeps the texts of the terms that are new. The terms are those of the document made last by b, in which they were named.
func (l *Lexicon) Add(terms []uint64, b *Bag) {
	for i, hash := range terms {
		l.add(hash, b.Text(i))
	}
}

// Merge adds the terms of other. The result does not depend on how messages were divided between lexicons.
func (l *Lexicon) Merge(other *Lexicon) {
	for _, s := range other.slots {
		if s.number > 0 {
			l.add(s.hash, other.at(int(s.number)-1))
		}
	}
}

func (l *Lexicon) add(hash uint64, term []byte) {
	if 2*len(l.spans) >= len(l.slots) {
		l.grow()
	}
	s := &l.slots[l.find(hash)]
	check := checkOf(term)
	switch {
	case s.number == 0:
		l.spans = append(l.spans, span{})
		s.hash, s.number = hash, uint32(len(l.spans))
	case s.check == check, slices.Compare(l.at(int(s.number)-1), term) <= 0:
		// Of two terms that share a hash the smaller text is kept, so that the order of the messages does not matter.
		return
	}
	s.check = check
	l.spans[s.number-1] = span{len(l.text), len(term)}
	l.text = append(l.text, term...)
}

// checkOf returns a second hash of a term (FNV-1a, 32 bits), by which two terms that share the first are told apart.
func checkOf(term []byte) uint32 {
	const offset, prime = 2166136261, 16777619
	check := uint32(offset)
	for _, c := range term {
		check = (check ^ uint32(c)) * prime
	}
	return check
}

// find returns which slot has the term, or belongs to it.
func (l *Lexicon) find(hash uint64) uint64 {
	mask := uint64(len(l.slots) - 1)
	s := hash & mask
	for l.slots[s].number != 0 && l.slots[s].hash != hash {
		s = (s + 1) & mask
	}
	return s
}

func (l *Lexicon) grow() {
	old := l.slots
	l.slots = make([]slot, max(minSlots, 2*len(old)))
	for _, s := range old {
		if s.number > 0 {
			l.slots[l.find(s.hash)] = s
		}
	}
}

// at returns the text of a term by its number.
func (l *Lexicon) at(n int) []byte { return l.text[l.spans[n].at:][:l.spans[n].size] }

// Len returns the number of distinct terms.
func (l *Lexicon) Len() int { return len(l.spans) }

// Texts returns the texts of the terms of v by id: V of them, empty where the lexicon does not know the term.
func (l *Lexicon) Texts(v *Vocabulary) []string {
	texts := make([]string, v.Len())
	for id, hash := range v.Hashes() {
		if len(l.slots) == 0 {
			break
		}
		if s := l.slots[l.find(hash)]; s.number > 0 {
			texts[id] = string(l.at(int(s.number) - 1))
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
	frequencies := make([]uint32, v.Len())
	if v.Len() < len(hashes) { // there are hashes that are one term, which a document may have both of
		v.countDocuments(frequencies, training)
		return v, frequencies, nil
	}
	for id, hash := range hashes {
		frequencies[id] = frequency(hash)
	}
	return v, frequencies, nil
}
