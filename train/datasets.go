package train

import (
	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/parallel"
)

// Dataset returns the documents of one part as a matrix (documents x terms) of the given kind.
func (c *Collection) Dataset(part corpus.Part, kind features.Kind) *features.Dataset {
	documents, labels := c.Part(part)
	if kind == features.Whole {
		vocabulary, _ := c.whole()
		return wholeDataset(vocabulary, c.classes, c.store.DocumentHashes(documents, c.workers()), labels)
	}
	d := c.index.Dataset(kind, c.classes, documents, labels, c.workers())
	for n, i := range c.InPart(part) {
		if c.documents[i].Confirmed {
			if d.Confirmed == nil {
				d.Confirmed = make([]bool, len(labels))
			}
			d.Confirmed[n] = true
		}
	}
	return d
}

// wholeDataset returns documents given by their hashes, each as one term.
func wholeDataset(v *features.Vocabulary, classes []string, hashes []uint64, labels []int32) *features.Dataset {
	d := features.NewDataset(features.Whole, classes, v.Len())
	for i, hash := range hashes {
		var x features.Vector
		if id, known := v.ID(hash); known {
			x = features.Vector{IDs: []uint32{id}, Values: []float32{1}}
		}
		d.Append(x, labels[i])
	}
	return d
}

// DatasetFor returns the documents of one part as a matrix (documents x terms) over the vocabulary of f, which may differ from that of c.
func (c *Collection) DatasetFor(f *filter.Filter, part corpus.Part) *features.Dataset {
	if vocabulary, _ := c.termsOf(f.Kind()); vocabulary == f.Vocabulary() {
		return c.Dataset(part, f.Kind())
	}
	documents, labels := c.Part(part)
	return DatasetOf(f.Kind(), f.Vocabulary(), f.Settings().Classes, c.store, documents, labels, c.workers())
}

// DatasetFor returns all messages as a matrix (documents x terms) over the vocabulary of f. It uses the given number of goroutines, or
// one for each core if workers is 0.
func (m *Mail) DatasetFor(f *filter.Filter, workers int) *features.Dataset {
	documents, labels := make([]features.Ref, len(m.documents)), make([]int32, len(m.documents))
	for i, d := range m.documents {
		documents[i], labels[i] = d.Terms, int32(d.Label)
	}
	return DatasetOf(f.Kind(), f.Vocabulary(), f.Settings().Classes, m.store, documents, labels, parallel.Workers(workers))
}

// DatasetOf returns documents, which are in all, as a matrix (documents x terms) over the vocabulary v.
func DatasetOf(
	kind features.Kind, v *features.Vocabulary, classes []string, all *features.Documents, documents []features.Ref, labels []int32, workers int,
) *features.Dataset {
	if kind == features.Whole {
		return wholeDataset(v, classes, all.DocumentHashes(documents, workers), labels)
	}
	return all.Index(v, workers).Dataset(kind, classes, documents, labels, workers)
}

// VocabularyOf returns the vocabulary of documents for a kind of feature, and its terms.
func VocabularyOf(d *features.Documents, refs []features.Ref, kind features.Kind, o features.Options) (*features.Vocabulary, filter.Terms, error) {
	if kind == features.Whole {
		vocabulary, terms := wholeTerms(d.DocumentHashes(refs, 1))
		return vocabulary, terms, d.Err()
	}
	index, frequencies, err := d.Build(refs, o, 1)
	if err != nil {
		return nil, filter.Terms{}, err
	}
	return index.Vocabulary(), filter.Terms{Text: index.Text, Documents: frequencies}, d.Err()
}
