package filter

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"chaff/features"
	"chaff/internal/evidence"
	"chaff/message"
	"chaff/models"
)

// Explanation is a classification with the contributions to its score.
type Explanation struct {
	Classification
	// For and Against are the classes that Margin compares. They are spam and ham for a spam filter, otherwise the two classes with the
	// highest scores.
	For     string  `json:"for"`
	Against string  `json:"against"`
	Margin  float64 `json:"margin"`
	// Bias is the contribution of the biases.
	Bias float64 `json:"bias"`
	// Contributions has the contributions of the known terms and of the cells, the strongest first. Bias and Contributions add up to
	// Margin, except for rounding.
	Contributions []Contribution `json:"terms"`
	// Votes sums the contributions by group of evidence, for a model with groups.
	Votes []Vote `json:"votes,omitempty"`
	// UnknownTerms are the terms outside the vocabulary. They have no weight.
	UnknownTerms []string `json:"unknown"`
	// View is the message as the classifier sees it.
	View View `json:"-"`
}

// Sum says what the bias and the contributions add up to.
func (e Explanation) Sum() string {
	if e.Margin == e.Score {
		return "the score"
	}
	return "the lead over " + e.Against
}

// Vote is the contribution of a group of evidence to a score.
type Vote struct {
	Group        string  `json:"group"`
	Terms        int     `json:"terms"` // distinct known terms and cells
	Contribution float64 `json:"contribution"`
}

// Contribution is the contribution of a term to a score: its value times its weight, within the bound of the model if it has one.
type Contribution struct {
	SeenTerm
	ID           int     `json:"id"`
	Value        float64 `json:"value"`
	Weight       float64 `json:"weight"`
	Contribution float64 `json:"contribution"`
	Messages     uint32  `json:"messages"` // training messages with the term
}

// Explain classifies a message and explains the score. The error is about the file that f was opened from.
func (f *Filter) Explain(raw []byte) (Explanation, error) {
	s := &scratch{reader: f.newReader()}
	class := f.classify(s, raw)
	documents, err := f.documents()
	if err != nil {
		return Explanation{}, err
	}
	var text func(id int) []byte
	if f.kind == features.Whole { // each term is a message, without words that the view has
		if text, err = f.texts(); err != nil {
			return Explanation{}, err
		}
	}
	ids := make(map[uint64]uint32) // of the known terms, by hash
	hashes := s.reader.Bag.Document().As(f.kind).Terms
	for _, known := range s.lookup.Known {
		ids[hashes[uint32(known)]] = uint32(f.FirstTerm()) + uint32(known>>32)
	}
	s.reader = nil
	if len(raw) > message.LargeSize {
		runtime.GC() // frees what the first reading took, since the view takes as much again
	}
	x := s.vector
	view, err := f.settings.Reading.View(raw)
	if err != nil {
		return Explanation{}, err
	}
	unlike, err := f.NewUnlike()
	if err != nil {
		return Explanation{}, err
	}
	class.Unlike = unlike.Add(class)
	e := Explanation{Classification: class, View: view, Contributions: []Contribution{}}
	scores := f.linear.Scores(nil, x)
	first := models.Argmax(scores)
	if len(scores) == 2 {
		first = 1
	}
	second := models.Rival(scores, first)
	e.For, e.Against = f.settings.Classes[first], f.settings.Classes[second]
	e.Margin = scores[first] - scores[second]
	var seen map[uint32]SeenTerm
	seen, e.UnknownTerms = f.seenByID(view, ids)
	var added []float64
	added, e.Bias = f.linear.Contributions(x, first, second)
	for i, id := range x.IDs {
		c := Contribution{
			ID: int(id), Value: float64(x.Values[i]), Weight: f.linear.WeightOver(int(id), first, second),
			Contribution: added[i], SeenTerm: seen[id],
		}
		if term := int(id) - f.FirstTerm(); term >= 0 {
			c.Messages = documents[term]
			if text != nil {
				c.Term = string(text(term))
			}
		}
		e.Contributions = append(e.Contributions, c)
	}
	e.Votes = votesOf(x, added)
	slices.SortFunc(e.Contributions, func(a, b Contribution) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Contribution), math.Abs(a.Contribution)), cmp.Compare(a.ID, b.ID))
	})
	return e, nil
}

// seenByID returns the known terms and the cells of a message by id, and the unknown terms.
func (h *head) seenByID(view View, ids map[uint64]uint32) (seen map[uint32]SeenTerm, unknown []string) {
	seen, unknown = make(map[uint32]SeenTerm, len(view.Terms)), []string{}
	for _, t := range view.Terms {
		if id, known := ids[h.settings.Key.Hash([]byte(t.Term))]; known {
			seen[id] = t
		} else if h.kind != features.Whole {
			unknown = append(unknown, t.Term)
		}
	}
	if h.kind == features.Evidence {
		for _, g := range view.Grams {
			cell, _ := cellOf([]byte(g.Term[len(gramTag):]))
			if first, taken := seen[cell]; taken {
				g.Count += first.Count
				g.Term = first.Term // the first of several runs in one cell
			}
			seen[cell] = g
		}
	}
	return seen, unknown
}

func votesOf(x features.Vector, added []float64) []Vote {
	if x.Groups == nil {
		return nil
	}
	var byGroup [evidence.Groups]Vote
	for i, g := range x.Groups {
		byGroup[g].Terms++
		byGroup[g].Contribution += added[i]
	}
	var votes []Vote
	for g, v := range byGroup {
		if v.Terms > 0 {
			v.Group = evidence.Group(g).String()
			votes = append(votes, v)
		}
	}
	return votes
}
