package filter

import (
	"cmp"
	"errors"
	"slices"
)

// ErrNoTexts is returned for a model that was saved without the texts of its terms.
var ErrNoTexts = errors.New("the model has no texts of its terms: it was trained with features.texts=false")

// Terms are the terms of a model, by id.
type Terms struct {
	// Text returns a tagged term, such as `subject:offer`, which must not be changed; empty for a term whose text was not kept. It is nil
	// if there are no texts.
	Text func(id int) []byte
	// Documents counts the training messages with each term, 0 for terms of later records.
	Documents []uint32
}

// Terms returns the terms of the model. The error is [ErrNoTexts], or about the file that f was opened from.
func (f *Filter) Terms() (Terms, error) {
	documents, err := f.details.documents()
	if err != nil {
		return Terms{}, err
	}
	text, err := f.details.texts()
	return Terms{text, documents}, err
}

// TermWeight is a term with its weight for one class against the mean of all classes.
type TermWeight struct {
	Term     string  `json:"term"`
	Weight   float64 `json:"weight"`
	Messages uint32  `json:"messages"` // training messages with the term
}

// Strongest returns the n terms with the largest weights for each class, the largest first. It leaves out terms that speak against the
// class.
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
