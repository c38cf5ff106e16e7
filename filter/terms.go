package filter

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"chaff/features"
)

// ErrNoTexts is returned for a model that was saved without the texts of its terms.
var ErrNoTexts = errors.New("the model has no texts of its terms: it was trained with features.texts=false")

// Terms are the terms of a model, by id.
type Terms struct {
	// Text returns a tagged term, such as `subject:offer`, which must not be changed; empty for a term whose text was not kept. It is nil
	// if there are no texts.
	Text func(id int) []byte
	// Documents counts the training messages with each term, 0 for terms of the journal.
	Documents []uint32
}

// Terms returns the terms of the model. The error is [ErrNoTexts], or about the file that f was opened from.
func (f *Filter) Terms() (Terms, error) {
	if f.file == nil {
		return f.terms, nil
	}
	documents, err := f.documents()
	if err != nil {
		return Terms{}, err
	}
	inFile, later := len(documents), []string(nil) // terms of the file and of the journal
	if k := f.knowledge; k != nil {
		if later, err = k.laterTexts(); err != nil {
			return Terms{}, err
		}
	}
	data, err := f.file.Section("TEXT")
	if err != nil {
		return Terms{}, err
	}
	text, err := decodeTexts(data, inFile)
	of := func(id int) []byte {
		if id >= inFile {
			return []byte(later[id-inFile])
		}
		return text(id)
	}
	return Terms{Text: of, Documents: append(documents, make([]uint32, len(later))...)}, err
}

// documents counts the training messages with each term, without those of the journal. The errors are those of [Filter.Terms].
func (f *Filter) documents() ([]uint32, error) {
	if f.file == nil {
		return f.terms.Documents, nil
	}
	if !f.file.Has("TEXT") {
		return nil, ErrNoTexts
	}
	counts, err := f.file.Section("DOCF")
	if err != nil {
		return nil, err
	}
	terms := f.vocabulary.Len()
	if f.knowledge != nil {
		terms = f.knowledge.ids - f.FirstTerm()
	}
	documents, err := decodeCounts(counts, terms)
	if err != nil {
		return nil, fmt.Errorf("%w: section DOCF is not for %d terms", ErrDamaged, terms)
	}
	return documents, nil
}

// Provenance returns the JSON that the filter was made with. The error is about the file that f was opened from.
func (f *Filter) Provenance() (json.RawMessage, error) {
	if f.file != nil {
		return f.file.Section("INFO")
	}
	return f.provenance, nil
}

// TermWeight is a term with its weight for one class against the mean of all classes.
type TermWeight struct {
	Term     string  `json:"term"`
	Weight   float64 `json:"weight"`
	Messages uint32  `json:"messages"` // training messages with the term
}

// Strongest returns the n terms with the largest weights for each class, the largest first. It leaves out terms that speak against the
// class. The filter comes neither from [OpenForOne] nor from [OpenToLearn], as for [Filter.WeightFor].
func (f *Filter) Strongest(n int) ([][]TermWeight, error) {
	t, err := f.Terms()
	if err != nil {
		return nil, err
	}
	strongest := make([][]TermWeight, f.linear.Classes)
	for c := range strongest {
		weights := []TermWeight{}
		for id, documents := range t.Documents {
			if weight := f.WeightFor(f.FirstTerm()+id, c); weight > 0 {
				if text := t.Text(id); len(text) > 0 {
					weights = append(weights, TermWeight{string(text), weight, documents})
				}
			}
		}
		slices.SortStableFunc(weights, func(x, y TermWeight) int {
			return cmp.Or(cmp.Compare(y.Weight, x.Weight), cmp.Compare(y.Messages, x.Messages))
		})
		strongest[c] = slices.Clone(weights[:min(n, len(weights))])
	}
	return strongest, nil
}

// WeightFor returns the weight of a term or cell for class c against the mean of all classes. For two classes it is the weight for the
// second class against the first, negated if c is 0.
func (f *Filter) WeightFor(id, c int) float64 {
	rows := f.linear.Rows()
	w := f.linear.Weights[id*rows : (id+1)*rows]
	if rows == 1 {
		return float64(w[0]) * float64(2*c-1)
	}
	var mean float64
	for _, a := range w {
		mean += float64(a)
	}
	return float64(w[c]) - mean/float64(rows)
}

// FirstTerm returns the id of the first term of the vocabulary: 0, or the number of cells if the model has weights for cells.
func (f *Filter) FirstTerm() int {
	if f.kind == features.Evidence {
		return features.CellCount
	}
	return 0
}
