package features

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"sync"

	"chaff/internal/parallel"
)

// unknown is the id of a term that a vocabulary does not know.
const unknown = math.MaxUint32

// unknownIDs returns n ids, all unknown.
func unknownIDs(n int) []uint32 { return slices.Repeat([]uint32{unknown}, n) }

// Index maps the terms of documents to the ids of a vocabulary. It is read-only and safe for concurrent use.
type Index struct {
	documents  *Documents
	vocabulary *Vocabulary
	view       *view
	numbers    func() []uint32 // of the terms by id, unknown for a term that no document has; computed once
}

// newIndex returns the index of a vocabulary whose ids are given by the positions of terms in the order of all terms; nil if they are the
// positions.
func newIndex(d *Documents, v *Vocabulary, ids []uint32) *Index {
	x := &Index{documents: d, vocabulary: v, view: newView(ids)}
	x.numbers = sync.OnceValue(x.numbersByID)
	return x
}

// Build makes the vocabulary of the training documents, from the terms that o admits, with up to so many goroutines. Ids are in
// the order of an unkeyed hash of the texts: neither the key nor the order of the messages decides in which order sums are made.
// In a data set of the kind [Evidence], CellCount is added to the ids. Build also returns the document frequency of each term
// by id: the number of training documents that have it.
func (d *Documents) Build(training []Ref, o Options, workers int) (*Index, []uint32, error) {
	order, count := d.ordered(workers), d.frequencies(training, workers)
	limit := Limit{uint32(max(1, min(int64(o.MinDocumentFrequency), math.MaxUint32))), len(count)}
	if o.MaxTerms > 0 {
		limit = MostFrequent(count, limit.least, o.MaxTerms)
	}
	numbers, ids := order, []uint32(nil) // of all terms
	if kept := limit.admitted(count); kept < len(order) {
		numbers, ids = make([]uint32, 0, kept), unknownIDs(len(order))
		for position, number := range order {
			if limit.Admits(count[number]) {
				ids[position] = uint32(len(numbers))
				numbers = append(numbers, number)
			}
		}
	}
	frequencies := make([]uint32, len(numbers))
	for id, number := range numbers {
		frequencies[id] = count[number]
	}
	v, err := newVocabulary(len(numbers), func(id int) uint64 { return d.dictionary.hash(numbers[id]) })
	if err != nil {
		return nil, nil, err
	}
	if v.Shared() > 0 {
		x := d.Index(v, workers)
		return x, x.frequenciesOfRows(training), nil
	}
	x := newIndex(d, v, ids)
	x.numbers = func() []uint32 { return numbers }
	return x, frequencies, nil
}

// maxCounters bounds the goroutines that count terms: each needs four bytes for every distinct term.
const maxCounters = 4

// frequencies returns the document frequency of each term by number.
func (d *Documents) frequencies(refs []Ref, workers int) []uint32 {
	counts := make([][]uint32, max(1, min(workers, maxCounters)))
	for worker := range counts {
		counts[worker] = make([]uint32, d.dictionary.size())
	}
	parallel.Ranges(len(counts), len(refs), 256, func(worker, from, to int) {
		r := d.reader()
		for _, ref := range refs[from:to] {
			r.read(ref)
			for _, number := range r.numbers {
				counts[worker][number]++
			}
		}
	})
	sum := counts[0]
	for _, count := range counts[1:] {
		for number, n := range count {
			sum[number] += n
		}
	}
	return sum
}

// Limit admits the terms whose frequency is above least, and the first ties terms that have exactly it.
type Limit struct {
	least uint32
	ties  int
}

// Admits reports whether a term with the given frequency is admitted. It is asked once for each term.
func (l *Limit) Admits(frequency uint32) bool {
	if frequency == l.least {
		l.ties--
		return l.ties >= 0
	}
	return frequency > l.least
}

// admitted returns how many terms with the given frequencies are admitted.
func (l Limit) admitted(count []uint32) int {
	n := 0
	for _, frequency := range count {
		if l.Admits(frequency) {
			n++
		}
	}
	return n
}

// MostFrequent returns the limit that admits the given number of the terms that occur most often, none below the given least frequency, which is
// at least 1.
func MostFrequent(count []uint32, least uint32, terms int) Limit {
	var withBits [33]int // how many terms have a frequency of so many bits
	for _, n := range count {
		if n >= least {
			withBits[bits.Len32(n)]++
		}
	}
	size := len(withBits) - 1 // of the limit in bits
	for ; size > 0 && withBits[size] < terms; size-- {
		terms -= withBits[size]
	}
	if size == 0 {
		return Limit{least, len(count)}
	}
	frequencies := make([]uint32, 0, withBits[size])
	for _, n := range count {
		if n >= least && bits.Len32(n) == size {
			frequencies = append(frequencies, n)
		}
	}
	slices.Sort(frequencies)
	slices.Reverse(frequencies)
	limit := Limit{least: frequencies[terms-1]}
	for i := terms - 1; i >= 0 && frequencies[i] == limit.least; i-- {
		limit.ties++
	}
	return limit
}

// Index returns the index of a vocabulary that was made of other documents.
func (d *Documents) Index(v *Vocabulary, workers int) *Index {
	order := d.ordered(workers)
	ids := unknownIDs(len(order))
	parallel.Ranges(workers, len(order), 1<<12, func(_, from, to int) {
		for position := from; position < to; position++ {
			if id, known := v.ID(d.dictionary.hash(order[position])); known {
				ids[position] = id
			}
		}
	})
	return newIndex(d, v, ids)
}

// Vocabulary returns the vocabulary whose ids the index has.
func (x *Index) Vocabulary() *Vocabulary { return x.vocabulary }

// Frequencies returns how many of the given documents have each term, by id.
func (x *Index) Frequencies(refs []Ref, workers int) []uint32 {
	byID := make([]uint32, x.vocabulary.Len())
	count := x.documents.frequencies(refs, workers)
	for position, number := range x.documents.ordered(workers) {
		if id := x.view.id(position); id != unknown {
			byID[id] += count[number]
		}
	}
	return byID
}

// frequenciesOfRows is Frequencies for a vocabulary in which two hashes of a document can be one term.
func (x *Index) frequenciesOfRows(refs []Ref) []uint32 {
	byID := make([]uint32, x.vocabulary.Len())
	rows := x.Dataset(Bits, nil, refs, nil, 1).Rows()
	for i := range refs {
		for _, id := range rows.Row(i).IDs {
			byID[id]++
		}
	}
	return byID
}

// Text returns the text of a term by its id, empty for a term that no document has, and without texts. The smallest text stands for all terms
// that share an id. The bytes belong to the documents.
func (x *Index) Text(id int) []byte {
	number := x.numbers()[id]
	if number == unknown || !x.documents.HasTexts() {
		return nil
	}
	return x.documents.dictionary.name(number)
}

func (x *Index) numbersByID() []uint32 {
	numbers, d := slices.Repeat([]uint32{unknown}, x.vocabulary.Len()), x.documents.dictionary
	for position, number := range x.documents.ordered(1) {
		id := x.view.id(position)
		if id != unknown && (numbers[id] == unknown || bytes.Compare(d.name(number), d.name(numbers[id])) < 0) {
			numbers[id] = number
		}
	}
	return numbers
}
