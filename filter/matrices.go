package filter

import (
	"sync"

	"chaff/corpus"
	"chaff/features"
)

// matrices are the parts of a collection as data sets of the kind that was asked for last: a model needs each several times,
// and the next one is often trained on the same.
type matrices struct {
	mu    sync.Mutex
	kind  features.Kind
	parts [3]*features.Dataset
}

// Dataset returns the documents of one part as a matrix (documents x terms) of the given kind.
func (c *Collection) Dataset(part corpus.Part, kind features.Kind) *features.Dataset {
	m := c.made
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kind != kind {
		m.kind, m.parts = kind, [3]*features.Dataset{}
	}
	if m.parts[part] == nil {
		m.parts[part] = c.dataset(part, kind)
	}
	return m.parts[part]
}

// drop frees the matrices; the next that is asked for is made again.
func (m *matrices) drop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parts = [3]*features.Dataset{}
}

func (c *Collection) dataset(part corpus.Part, kind features.Kind) *features.Dataset {
	documents, labels := c.part(part)
	if kind == features.Whole {
		return wholeDataset(c.wholes().vocabulary, c.classes, c.mail.Wholes(documents, c.workers()), labels)
	}
	return c.words.index.Dataset(kind, c.classes, documents, labels, c.workers())
}

// wholeDataset is documents as single terms, by their hashes.
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

// datasetFor returns the documents of one part as f sees them, which may know other terms than c.
func (c *Collection) datasetFor(f *Filter, part corpus.Part) *features.Dataset {
	if vocabulary, _ := c.termsOf(f.kind); vocabulary == f.vocabulary {
		return c.Dataset(part, f.kind)
	}
	documents, labels := c.part(part)
	return f.dataset(c.mail, documents, labels, c.workers())
}
