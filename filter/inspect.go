package filter

import "slices"

// Settings returns what the filter classifies by.
func (f *Filter) Settings() Settings { return f.settings }

// Provenance returns where the filter came from. For a filter that was opened it is read from the file and verified, which
// the error is about.
func (f *Filter) Provenance() (Provenance, error) {
	if f.provenance != nil {
		return *f.provenance, nil
	}
	data, err := f.file.get("INFO")
	if err != nil {
		return Provenance{}, err
	}
	var p Provenance
	err = decodeJSON(data, &p)
	return p, err
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
			weights[id] = TermWeight{t.Texts[id], f.weightFor(f.FirstTerm()+id, c), t.Documents[id]}
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

// weightFor is the weight of a term for class c against the mean of all classes.
func (f *Filter) weightFor(id, c int) float64 {
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
