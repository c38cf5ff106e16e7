package train

import (
	"sync"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/parallel"
)

// datasets keeps the parts of a collection as data sets of the two kinds that were used last: a model needs each several times, and the
// models of a search alternate between kinds.
type datasets struct {
	mu   sync.Mutex
	kept [2]kept // the last used first
}

type kept struct {
	kind  features.Kind
	parts [3]*features.Dataset
}

// Dataset returns the documents of one part as a matrix (documents x terms) of the given kind.
func (c *Collection) Dataset(part corpus.Part, kind features.Kind) *features.Dataset {
	s := c.datasets
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept[0].kind != kind {
		s.kept[0], s.kept[1] = s.kept[1], s.kept[0]
	}
	first := &s.kept[0]
	if first.kind != kind {
		*first = kept{kind: kind}
	}
	if first.parts[part] == nil {
		first.parts[part] = c.dataset(part, kind)
	}
	return first.parts[part]
}

// drop frees the data sets. Dataset makes them again.
func (s *datasets) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = [2]kept{}
}

func (c *Collection) dataset(part corpus.Part, kind features.Kind) *features.Dataset {
	documents, labels := c.Part(part)
	if kind == features.Whole {
		return wholeDataset(c.wholes().vocabulary, c.classes, c.terms.DocumentHashes(documents, c.workers()), labels)
	}
	return c.index.Dataset(kind, c.classes, documents, labels, c.workers())
}

// wholeDataset returns documents as single terms, by their hashes.
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

// DatasetFor returns the documents of one part as f sees them. The vocabulary of f may be another one than that of c.
func (c *Collection) DatasetFor(f *filter.Filter, part corpus.Part) *features.Dataset {
	if vocabulary, _ := c.termsOf(f.Kind()); vocabulary == f.Vocabulary() {
		return c.Dataset(part, f.Kind())
	}
	documents, labels := c.Part(part)
	return datasetFor(f, c.terms, documents, labels, c.workers())
}

// DatasetFor returns all messages as f sees them: a matrix (documents x terms). It works with so many goroutines, 0 for one for each
// core.
func (m *Mail) DatasetFor(f *filter.Filter, workers int) *features.Dataset {
	documents, labels := make([]features.Ref, len(m.documents)), make([]int32, len(m.documents))
	for i, d := range m.documents {
		documents[i], labels[i] = d.terms, d.label
	}
	return datasetFor(f, m.terms, documents, labels, parallel.Workers(workers))
}

func datasetFor(f *filter.Filter, all *features.Documents, documents []features.Ref, labels []int32, workers int) *features.Dataset {
	classes := f.Settings().Classes
	if f.Kind() == features.Whole {
		return wholeDataset(f.Vocabulary(), classes, all.DocumentHashes(documents, workers), labels)
	}
	return all.Index(f.Vocabulary(), workers).Dataset(f.Kind(), classes, documents, labels, workers)
}
