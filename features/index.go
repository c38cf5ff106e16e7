package features

import (
	"math"
	"slices"

	"chaff/internal/parallel"
)

// unknown is the id of a term that a vocabulary does not know.
const unknown = math.MaxUint32

// Index says which terms of documents a vocabulary knows, and by which ids, so that no document is looked up twice. It is
// read-only and safe for concurrent use.
type Index struct {
	documents  *Documents
	vocabulary *Vocabulary
	ids        []uint32 // by the number of a term in the dictionary
}

// Build freezes the terms of the training documents that o lets in, with up to so many goroutines. Their ids are in the order of
// an unkeyed hash of their texts: neither the key nor the order of the messages decides in which order sums are made. It returns
// beside the index of the vocabulary the document frequency of each term by id: in how many of the documents it occurs. In a data
// set of the kind [Evidence] CellCount is added to the ids.
func (d *Documents) Build(training []Ref, o Options, workers int) (*Index, []uint32, error) {
	count := d.frequencies(training, workers)
	least := uint32(max(1, min(int64(o.MinDocumentFrequency), math.MaxUint32)))
	ties := len(count) // how many terms of the least frequency there is room for
	if o.MaxTerms > 0 {
		least, ties = mostFrequent(count, least, o.MaxTerms)
	}
	kept := d.dictionary.ordered(workers, func(number uint32) bool { return count[number] >= least })
	ids := make([]uint32, len(count))
	for number := range ids {
		ids[number] = unknown
	}
	hashes, frequencies := make([]uint64, 0, len(kept)), make([]uint32, 0, len(kept))
	for _, number := range kept {
		n := count[number]
		if n == least {
			if ties--; ties < 0 {
				continue
			}
		}
		ids[number] = uint32(len(hashes))
		hashes, frequencies = append(hashes, d.dictionary.hash(number)), append(frequencies, n)
	}
	v, err := NewVocabulary(hashes)
	if err != nil {
		return nil, nil, err
	}
	if v.Shared() > 0 {
		x := d.Index(v, workers)
		return x, x.frequenciesOfRows(training), nil
	}
	return &Index{d, v, ids}, frequencies, nil
}

// maxCounters bounds the memory of counting: each goroutine needs four bytes a term.
const maxCounters = 4

// frequencies returns in how many of the documents each term occurs, by number.
func (d *Documents) frequencies(refs []Ref, workers int) []uint32 {
	counts := make([][]uint32, max(1, min(workers, maxCounters)))
	parallel.Ranges(len(counts), len(refs), 256, func(worker, from, to int) {
		if counts[worker] == nil {
			counts[worker] = make([]uint32, d.dictionary.size())
		}
		count := counts[worker]
		r := blockReader{blocks: d.blocks}
		for _, ref := range refs[from:to] {
			e := get(&r, ref)
			for i := range e.n {
				count[e.number(i)]++
			}
		}
	})
	sum := counts[0]
	if sum == nil {
		sum = make([]uint32, d.dictionary.size())
	}
	for _, count := range counts[1:] {
		for i, n := range count {
			sum[i] += n
		}
	}
	return sum
}

// mostFrequent returns the least frequency, at least the given one, of the given number of terms that occur most often, and how many
// terms of this frequency are among them.
func mostFrequent(count []uint32, least uint32, terms int) (limit uint32, ties int) {
	var all []uint32
	for _, n := range count {
		if n >= least {
			all = append(all, n)
		}
	}
	if len(all) <= terms {
		return least, len(all)
	}
	slices.Sort(all)
	kept := all[len(all)-terms:]
	above, _ := slices.BinarySearch(kept, kept[0]+1)
	return kept[0], above
}

// Index returns the index of a vocabulary that was made of other documents.
func (d *Documents) Index(v *Vocabulary, workers int) *Index {
	ids := make([]uint32, d.dictionary.size())
	parallel.Each(workers, shardCount, func(at int) {
		d.dictionary.each(at, func(number uint32) {
			id, known := v.ID(d.dictionary.hash(number))
			if !known {
				id = unknown
			}
			ids[number] = id
		})
	})
	return &Index{d, v, ids}
}

// groups returns the groups of evidence of the terms by id.
func (x *Index) groups(workers int) []Group {
	groups := make([]Group, x.vocabulary.Len())
	parallel.Each(workers, shardCount, func(at int) {
		x.documents.dictionary.each(at, func(number uint32) {
			if id := x.ids[number]; id != unknown {
				groups[id] = x.documents.dictionary.group(number)
			}
		})
	})
	return groups
}

// Vocabulary returns what it is the index of.
func (x *Index) Vocabulary() *Vocabulary { return x.vocabulary }

// Frequencies returns in how many of the documents each term occurs, by id.
func (x *Index) Frequencies(refs []Ref, workers int) []uint32 {
	byID := make([]uint32, x.vocabulary.Len())
	for number, n := range x.documents.frequencies(refs, workers) {
		if n > 0 && x.ids[number] != unknown {
			byID[x.ids[number]] += n
		}
	}
	return byID
}

// frequenciesOfRows is Frequencies where a document may have two hashes that are one term.
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

// Texts returns the texts of the terms by id: V of them, empty for those that none of the documents has.
func (x *Index) Texts(workers int) []string {
	if x.vocabulary.Shared() > 0 {
		workers = 1
	}
	return x.documents.dictionary.textsOf(x.ids, x.vocabulary.Len(), workers)
}
