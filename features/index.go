package features

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"chaff/internal/parallel"
)

// unknown is the id of a term that a vocabulary does not know.
const unknown = math.MaxUint32

// termIDs are the ids of terms by their numbers, which are the ids themselves if both fields are nil.
type termIDs struct {
	known []knownTerms // if the ids are 0, 1, 2, ... in the order of the numbers; they take a sixteenth of the memory of ids
	ids   []uint32
}

// knownTerms says which of 64 terms are known, the lowest bit for the first, and the id of the first of these.
type knownTerms struct {
	bits  uint64
	first uint32
}

// Index maps the terms of documents to the ids of a vocabulary. It is read-only and safe for concurrent use.
type Index struct {
	Vocabulary *Vocabulary // whose ids the index has
	documents  *Documents
	ids        termIDs
	number     func(id int) uint32 // of a term
}

// Build makes the vocabulary of the training documents, from the terms that o admits, with up to so many goroutines. Ids are in
// the order of an unkeyed hash of the texts: neither the key nor the order of the messages decides in which order sums are made.
// In a data set of the kind [Evidence], CellCount is added to the ids. Build also returns the document frequency of each term
// by id: the number of training documents that have it.
func (d *Documents) Build(training []Ref, o Options, workers int) (*Index, []uint32, error) {
	if err := d.Complete(workers); err != nil {
		return nil, nil, err
	}
	count := d.frequencies(training, workers)
	kept, admits := Admit(count, uint32(max(1, min(int64(o.MinDocumentFrequency), math.MaxUint32))), cmp.Or(o.MaxTerms, len(count)))
	x := &Index{documents: d, number: func(id int) uint32 { return uint32(id) }}
	if kept < len(count) {
		numbers, known := make([]uint32, 0, kept), make([]knownTerms, (len(count)+63)/64)
		for number, n := range count {
			of := &known[number/64]
			if number%64 == 0 {
				of.first = uint32(len(numbers))
			}
			if admits(n) {
				of.bits |= 1 << (number % 64)
				count[len(numbers)] = n
				numbers = append(numbers, uint32(number))
			}
		}
		x.ids, x.number = termIDs{known: known}, func(id int) uint32 { return numbers[id] }
	}
	frequencies := count[:kept:kept]
	v, err := newVocabulary(len(frequencies), func(id int) uint64 { return d.terms.hashes[x.number(id)] })
	if err != nil {
		return nil, nil, err
	}
	x.Vocabulary = v
	if v.shared > 0 { // two numbers have the id of one of them
		x.ids = d.idsIn(v, workers)
		frequencies = x.Frequencies(training)
	}
	return x, frequencies, nil
}

// frequencies returns the document frequency of each term by number.
func (d *Documents) frequencies(refs []Ref, workers int) []uint32 {
	const maxCounters = 4 // goroutines, each of which needs four bytes for every distinct term
	counts := make([][]uint32, max(1, min(workers, maxCounters)))
	for worker := range counts {
		counts[worker] = make([]uint32, len(d.terms.hashes))
	}
	parallel.Ranges(len(counts), len(refs), 256, func(worker, from, to int) {
		r := documentReader{of: d}
		for _, ref := range refs[from:to] {
			r.read(ref)
			r.readNumbers()
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

// Admit returns how many terms are admitted, and which, given how often each occurs: up to so many that occur most often, none below the least frequency,
// which is at least 1. The function takes the frequency of one term after the other, in order; of those as frequent as the last one it admits the first.
func Admit(count []uint32, least uint32, terms int) (kept int, admits func(frequency uint32) bool) {
	with := make(map[uint32]int) // how many terms have a frequency
	for _, n := range count {
		if n < least {
			continue
		}
		if kept++; terms < len(count) {
			with[n]++
		}
	}
	kept = min(kept, terms)
	ties := len(count) // of the terms that have exactly the least frequency
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(with))) {
		if terms <= with[n] {
			least, ties = n, terms
			break
		}
		terms -= with[n]
	}
	return kept, func(frequency uint32) bool {
		if frequency == least {
			ties--
			return ties >= 0
		}
		return frequency > least
	}
}

// Index returns the index of a vocabulary that was made of other documents. It has no texts.
func (d *Documents) Index(v *Vocabulary, workers int) *Index {
	_ = d.Complete(workers) // an error stays, see Err
	return &Index{documents: d, Vocabulary: v, ids: d.idsIn(v, workers)}
}

// idsIn returns the ids of the terms in a vocabulary.
func (d *Documents) idsIn(v *Vocabulary, workers int) termIDs {
	ids := slices.Repeat([]uint32{unknown}, len(d.terms.hashes))
	parallel.Ranges(workers, len(ids), 1<<12, func(_, from, to int) {
		for _, known := range v.AppendKnown(nil, d.terms.hashes[from:to]) {
			ids[from+int(uint32(known))] = uint32(known >> 32)
		}
	})
	return termIDs{ids: ids}
}

// Dataset returns documents with their labels as a data set of a kind that the documents are as ([Documents.As]). Trainers may use up to so many
// goroutines.
func (x *Index) Dataset(kind Kind, classes []string, documents []Ref, labels []int32, workers int) *Dataset {
	d := &Dataset{Kind: kind, Classes: classes, Labels: labels, Terms: x.Vocabulary.Len(), Workers: workers, index: x, documents: documents}
	if kind == Evidence {
		d.Terms += CellCount
	}
	return d
}

// Frequencies returns how many of the given documents have each term, by id.
func (x *Index) Frequencies(refs []Ref) []uint32 {
	byID := make([]uint32, x.Vocabulary.Len())
	rows := x.Dataset(Bits, nil, refs, nil, 1).Rows()
	for i := range refs {
		for _, id := range rows.Row(i).IDs { // two hashes of a document can be one term
			byID[id]++
		}
	}
	return byID
}

// Novelty returns [Lookup.Novelty] of each document of a data set that is made of [Documents].
func (d *Dataset) Novelty() []float64 {
	all := make([]float64, d.Len())
	parallel.Ranges(d.Workers, len(all), 64, func(_, from, to int) {
		r := documentReader{of: d.index.documents}
		var l Lookup
		for i := from; i < to; i++ {
			r.read(d.documents[i])
			l.find(&r, d.index.ids)
			all[i] = l.Novelty(r.doc)
		}
	})
	return all
}

// Text returns the text of a term of the vocabulary by its id. The bytes belong to the documents.
func (x *Index) Text(id int) []byte { return x.documents.terms.text(x.number(id)) }
