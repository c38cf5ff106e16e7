package filter

import (
	"encoding/json"
	"slices"
)

// Provenance returns the JSON that the filter was made with. For a filter that was opened it is read from the file and verified;
// the error is about that.
func (f *Filter) Provenance() (json.RawMessage, error) {
	if f.file == nil {
		if f.provenance == nil {
			return json.RawMessage("{}"), nil
		}
		return f.provenance, nil
	}
	return f.file.get("INFO")
}

// TermWeight is a term with its weight for one class: how much the score of that class against the others grows for
// each occurrence.
type TermWeight struct {
	Term     string  `json:"term"`
	Weight   float64 `json:"weight"`
	Messages uint32  `json:"messages"` // training messages that have the term
}

// Strongest returns, for each class, the n terms that speak for it most, the strongest first. For two classes a weight
// counts for the second class, and against the first.
func (f *Filter) Strongest(n int) ([][]TermWeight, error) {
	t, err := f.Terms()
	if err != nil {
		return nil, err
	}
	strongest := make([][]TermWeight, f.linear.Classes)
	for c := range strongest {
		weights := make([]TermWeight, len(t.Texts))
		for id := range weights {
			weights[id] = TermWeight{t.Texts[id], f.WeightFor(f.FirstTerm()+id, c), t.Documents[id]}
		}
		slices.SortStableFunc(weights, func(x, y TermWeight) int {
			switch {
			case x.Weight > y.Weight:
				return -1
			case x.Weight < y.Weight:
				return 1
			}
			return int(y.Messages) - int(x.Messages)
		})
		strongest[c] = slices.Clone(weights[:min(n, len(weights))])
	}
	return strongest, nil
}

// WeightFor returns the weight of a term, or of a cell, for class c against the mean of all classes.
func (f *Filter) WeightFor(id, c int) float64 {
	rows := f.linear.Rows()
	w := f.linear.Weights[id*rows : (id+1)*rows]
	if rows == 1 {
		if c == 0 {
			return -float64(w[0])
		}
		return float64(w[0])
	}
	var mean float64
	for _, a := range w {
		mean += float64(a)
	}
	return float64(w[c]) - mean/float64(rows)
}
