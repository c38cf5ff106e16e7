package filter

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"chaff/metrics"
)

// ErrNoTexts is returned for a model that was saved without the texts of its terms.
var ErrNoTexts = errors.New("the model has no texts of its terms: it was trained with features.texts=false")

// Terms are the terms of a model, by id.
type Terms struct {
	// Text returns a tagged term, such as `subject:offer`, which must not be changed; empty for a term that was learned since the
	// model was fitted. It is nil if there are no texts.
	Text func(id int) []byte
	// Documents counts the training messages with each term, 0 for terms of later records.
	Documents []uint32
}

// Terms returns the terms of the model. The error is [ErrNoTexts], or about the file that f was opened from.
func (f *Filter) Terms() (Terms, error) {
	documents, err := f.documents()
	if err != nil {
		return Terms{}, err
	}
	text, err := f.texts()
	return Terms{text, documents}, err
}

func (h *head) texts() (text func(id int) []byte, err error) {
	if h.file.Reader == nil {
		return h.terms.Text, nil
	}
	data, err := h.file.Section("TEXT")
	if err != nil {
		return nil, err
	}
	if text, err = decodeTexts(data, h.tables.terms); err != nil {
		return nil, fmt.Errorf("section TEXT: %w", err)
	}
	return text, nil
}

// documents returns how many training messages have each term. The error is [ErrNoTexts] without texts.
func (h *head) documents() ([]uint32, error) {
	if h.file.Reader == nil {
		return h.terms.Documents, nil
	}
	if !h.saveTexts {
		return nil, ErrNoTexts
	}
	data, err := h.file.Section("DOCF")
	if err != nil {
		return nil, err
	}
	damaged := fmt.Errorf("%w: section DOCF is not for %d terms", ErrDamaged, h.tables.terms)
	counts := make([]uint32, min(h.tables.terms, len(data)))
	for i := range counts {
		count, size := binary.Uvarint(data)
		if size <= 0 || count > math.MaxUint32 {
			return nil, damaged
		}
		counts[i], data = uint32(count), data[size:]
	}
	if len(counts) != h.tables.terms || len(data) > 0 {
		return nil, damaged
	}
	for _, r := range h.knows.tail {
		counts = append(counts, make([]uint32, len(r.New))...)
	}
	return counts, nil
}

// made is what the provenance says of how the model was made, as far as the filter needs it.
type made struct {
	Trainer json.RawMessage
	Usual   []metrics.Usual
}

func (h *head) made() (m made, err error) {
	info, err := h.Provenance()
	if err != nil {
		return m, err
	}
	if err = json.Unmarshal(info, &m); err != nil {
		err = fmt.Errorf("%w: provenance: %w", ErrVersion, err)
	}
	return m, err
}

// decodeTexts returns the n texts of data, which it keeps, and nil for a term of a later record.
func decodeTexts(data []byte, n int) (text func(i int) []byte, err error) {
	if n > len(data) || uint64(len(data)) > math.MaxUint32 {
		return nil, fmt.Errorf("%w: %d bytes are not the texts of %d terms", ErrDamaged, len(data), n)
	}
	starts, end := make([]uint32, n+1), uint64(0)
	for i := range n {
		starts[i] = uint32(end)
		size, width := binary.Uvarint(data[end:])
		if width <= 0 || size > uint64(len(data))-end-uint64(width) {
			return nil, fmt.Errorf("%w: the texts end at term %d", ErrDamaged, i)
		}
		end += uint64(width) + size
	}
	if left := uint64(len(data)) - end; left > 0 {
		return nil, fmt.Errorf("%w: the texts have %d bytes too many", ErrDamaged, left)
	}
	starts[n] = uint32(end)
	return func(i int) []byte {
		if i >= n {
			return nil
		}
		text := data[starts[i]:starts[i+1]:starts[i+1]]
		_, width := binary.Uvarint(text)
		return text[width:]
	}, nil
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
			if weight := f.weightFor(f.FirstTerm()+id, c); weight > 0 {
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

// weightFor returns the weight of a term or cell for class c against the mean of all classes. For two classes it is the weight for the
// second class against the first, negated if c is 0.
func (f *Filter) weightFor(id, c int) float64 {
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
