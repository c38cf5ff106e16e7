package filter

import (
	"cmp"
	"math"
	"runtime/debug"
	"slices"

	"chaff/features"
	"chaff/models"
)

// Explanation is what the score of a message is made of.
type Explanation struct {
	Classification
	// For and Against are the two classes that the score decides between: it speaks for the first if it is above 0. Of a
	// spam filter they are spam and ham; of other classes the two with the highest scores, and then Margin is the
	// difference of these, which the contributions add up to. Of a spam filter Margin is the score.
	For     string  `json:"for"`
	Against string  `json:"against"`
	Margin  float64 `json:"margin"`
	// Bias is what the biases add.
	Bias float64 `json:"bias"`
	// Contributions are those of the known terms and of the runs of bytes, the strongest first. They and the bias add up to
	// Margin but for rounding. Of a model without bounds, a message without a known term has the bias alone.
	Contributions []Contribution `json:"terms"`
	// Votes are the sums of the contributions by group of evidence, for a model that has such groups.
	Votes []Vote `json:"votes,omitempty"`
	// UnknownTerms are the terms that the vocabulary does not have. They have no weight.
	UnknownTerms []string `json:"unknown"`
	// View is what the classifier sees of the message.
	View View `json:"-"`
}

// Vote is what a kind of evidence adds to a score.
type Vote struct {
	Group        string  `json:"group"`
	Terms        int     `json:"terms"` // different ones, known or cells
	Contribution float64 `json:"contribution"`
}

// Contribution is what a term adds to a score: its value times its weight, and of that what a bound leaves.
type Contribution struct {
	SeenTerm
	ID           int     `json:"id"`
	Value        float64 `json:"value"`
	Weight       float64 `json:"weight"`
	Contribution float64 `json:"contribution"`
	Messages     uint32  `json:"messages"` // training messages that have the term
}

// Explain says what a message is, and why. For a filter that was opened, the error is about its file.
func (f *Filter) Explain(raw []byte) (e Explanation, err error) {
	if f.mapped != nil {
		defer func() { err = cmp.Or(f.Err(), err) }()
		defer f.mapped.catch(debug.SetPanicOnFault(true))
	}
	terms, err := f.Terms()
	if err != nil {
		return Explanation{}, err
	}
	class, x := f.weigh(raw)
	view, err := f.settings.Reading().View(raw)
	if err != nil {
		return Explanation{}, err
	}
	e = Explanation{Classification: class, View: view, Contributions: []Contribution{}, UnknownTerms: []string{}}
	scores := f.linear.Scores(nil, x)
	first, second := topTwo(scores)
	if f.linear.Classes == 2 {
		first, second = 1, 0
	}
	e.For, e.Against = f.settings.Classes[first], f.settings.Classes[second]
	e.Margin = scores[first] - scores[second]
	seen := f.seen(view)
	added, bias := f.Contributions(x, first, second)
	e.Bias = bias
	for i, id := range x.IDs {
		c := Contribution{
			ID: int(id), Value: float64(x.Values[i]), Weight: f.weightBetween(int(id), first, second), Contribution: added[i],
			SeenTerm: seen[id],
		}
		if term := int(id) - f.FirstTerm(); term >= 0 {
			c.Messages = terms.Documents[term]
			if c.Term == "" {
				c.Term = terms.Texts[term] // the term of a whole message is in no text
			}
		}
		e.Contributions = append(e.Contributions, c)
	}
	e.Votes = votesOf(x, added)
	for _, t := range view.Terms {
		if _, known := f.vocabulary.ID(f.settings.Key.Hash([]byte(t.Term))); !known && f.kind != features.Whole {
			e.UnknownTerms = append(e.UnknownTerms, t.Term)
		}
	}
	slices.SortStableFunc(e.Contributions, func(a, b Contribution) int {
		return cmp.Compare(math.Abs(b.Contribution), math.Abs(a.Contribution))
	})
	return e, f.Err()
}

// weigh is Classify with the message as the model sees it.
func (f *Filter) weigh(raw []byte) (Classification, features.Vector) {
	s := &scratch{reader: f.newReader()}
	return f.classify(s, raw), s.vector
}

// seen finds the terms and the runs of bytes of a message by their ids.
func (f *Filter) seen(view View) map[uint32]SeenTerm {
	seen := make(map[uint32]SeenTerm, len(view.Terms))
	for _, t := range view.Terms {
		if id, known := f.vocabulary.ID(f.settings.Key.Hash([]byte(t.Term))); known {
			seen[uint32(f.FirstTerm())+id] = t
		}
	}
	if f.kind == features.Evidence {
		for _, g := range view.Grams {
			if first, taken := seen[g.cell]; taken {
				g.SeenTerm.Count += first.Count
				g.SeenTerm.Term = first.Term // of two runs in one cell the first one
			}
			seen[g.cell] = g.SeenTerm
		}
	}
	return seen
}

// Contributions returns what each term of a message adds to the score of class c over class k, and what the biases add.
func (f *Filter) Contributions(x features.Vector, c, k int) (terms []float64, bias float64) {
	if f.linear.Rows() == 1 {
		terms, bias = f.linear.Contributions(nil, x, 0)
		if c < k { // the row is that of class 1
			for i := range terms {
				terms[i] = -terms[i]
			}
			bias = -bias
		}
		return terms, bias
	}
	terms, bias = f.linear.Contributions(nil, x, c)
	others, other := f.linear.Contributions(nil, x, k)
	for i := range terms {
		terms[i] -= others[i]
	}
	return terms, bias - other
}

// votesOf adds contributions up by the groups of the terms.
func votesOf(x features.Vector, added []float64) []Vote {
	if x.Groups == nil {
		return nil
	}
	var byGroup [features.Groups]Vote
	for i, g := range x.Groups {
		byGroup[g].Terms++
		byGroup[g].Contribution += added[i]
	}
	var votes []Vote
	for g, v := range byGroup {
		if v.Terms > 0 {
			v.Group = features.Group(g).String()
			votes = append(votes, v)
		}
	}
	return votes
}

// topTwo are the classes with the highest and the second highest score.
func topTwo(scores []float64) (first, second int) {
	first = models.Argmax(scores)
	second = -1
	for c, score := range scores {
		if c != first && (second < 0 || score > scores[second]) {
			second = c
		}
	}
	return first, second
}

// weightBetween is the weight of a term for class c over class k.
func (f *Filter) weightBetween(id, c, k int) float64 {
	rows := f.linear.Rows()
	w := f.linear.Weights[id*rows:][:rows]
	if rows == 1 {
		return float64(w[0]) * float64(c-k)
	}
	return float64(w[c]) - float64(w[k])
}
