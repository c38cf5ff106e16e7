package filter

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"chaff/corpus"
	"chaff/features"
	"chaff/message"
	"chaff/metrics"
)

// Review is what is worth reading about what a filter said of labelled mail.
type Review struct {
	// Mistakes are the messages that were given another class than they have, the worst first: those whose own class was
	// given the least probability.
	Mistakes []Judged `json:"mistakes"`
	// LeastCertain are the messages whose class was given the least probability, the least certain first.
	LeastCertain []Judged `json:"least_certain"`
	// Months is the accuracy by the month in which messages were delivered; those without a time are left out.
	Months []Month `json:"months,omitempty"`
}

// Judged is a message with what a filter said of it.
type Judged struct {
	Path    string `json:"path"`
	Subject string `json:"subject"`
	Label   string `json:"label"` // the true class
	Class   string `json:"class"` // the class given
	// Score is that of the class given over the true class, or, where they are the same, over the next best; of a spam
	// filter that of spam. Probability is that of the class given, and LabelProbability that of the true class.
	Score            float64 `json:"score"`
	Probability      float64 `json:"probability"`
	LabelProbability float64 `json:"label_probability"`
	// Terms are those that spoke most for the class given, the strongest first.
	Terms []Reason `json:"terms"`
}

// Reason is a term and what it adds to a score.
type Reason struct {
	Term         string  `json:"term"`
	Contribution float64 `json:"contribution"`
	Messages     uint32  `json:"messages"` // training messages that have the term
}

// Month is the accuracy of one month.
type Month struct {
	Month    string  `json:"month"` // 2002-09
	Messages int     `json:"messages"`
	Accuracy float64 `json:"accuracy"` // in percent
}

// reasons is how many terms a judged message has.
const reasons = 5

// Review judges the messages of a part with f, and returns the n most telling of each kind. The error is that of ctx, or
// about the file of f. A message that cannot be read again has no subject.
func (c *Collection) Review(ctx context.Context, f *Filter, part corpus.Part, n int) (Review, error) {
	var documents []document
	for i, d := range c.documents {
		if c.parts[i] == part {
			documents = append(documents, d)
		}
	}
	return f.review(ctx, c.gathered, documents, c.datasetFor(f, part), n)
}

// review judges some documents of g, of which d are the rows.
func (f *Filter) review(ctx context.Context, g *gathered, documents []document, d *features.Dataset, n int) (Review, error) {
	s := f.score(d)
	s.probabilities = f.settings.Calibration.All(s.scores)
	var r Review
	var err error
	if r.Mistakes, err = f.worst(ctx, g, documents, d, s, n, s.mistakes()); err != nil {
		return Review{}, err
	}
	if r.LeastCertain, err = f.worst(ctx, g, documents, d, s, n, s.leastCertain()); err != nil {
		return Review{}, err
	}
	r.Months = months(documents, s)
	return r, d.Err()
}

// probability is what document i was given for class c.
func (s scored) probability(i int, c int32) float64 { return s.probabilities[i*s.classes+int(c)] }

// mistakes are the documents that were given another class than theirs, the least probable label first.
func (s scored) mistakes() []int {
	var wrong []int
	for i, label := range s.labels {
		if s.predictions[i] != label {
			wrong = append(wrong, i)
		}
	}
	slices.SortStableFunc(wrong, func(i, j int) int {
		return cmp.Or(cmp.Compare(s.probability(i, s.labels[i]), s.probability(j, s.labels[j])), cmp.Compare(s.margin(j), s.margin(i)))
	})
	return wrong
}

// leastCertain are all documents, the least probable class given first.
func (s scored) leastCertain() []int {
	all := make([]int, len(s.labels))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(i, j int) int {
		return cmp.Or(cmp.Compare(s.probability(i, s.predictions[i]), s.probability(j, s.predictions[j])), cmp.Compare(s.margin(i), s.margin(j)))
	})
	return all
}

// rival is the class that document i was weighed against: its own if another was given, else the next best.
func (s scored) rival(i int) int {
	if s.predictions[i] != s.labels[i] {
		return int(s.labels[i])
	}
	row := s.scores[i*s.classes:][:s.classes]
	best := -1
	for c, score := range row {
		if c != int(s.predictions[i]) && (best < 0 || score > row[best]) {
			best = c
		}
	}
	return best
}

// margin is the score of the class given over its rival.
func (s scored) margin(i int) float64 {
	row := s.scores[i*s.classes:][:s.classes]
	return row[s.predictions[i]] - row[s.rival(i)]
}

// worst describes the first n documents of an order.
func (f *Filter) worst(ctx context.Context, g *gathered, documents []document, d *features.Dataset, s scored, n int, order []int) ([]Judged, error) {
	terms, err := f.Terms()
	if err != nil && !errors.Is(err, ErrNoTexts) {
		return nil, err
	}
	decoder := message.NewDecoder(f.settings.Message)
	all := []Judged{}
	for _, i := range order[:min(n, len(order))] {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		given, label := s.predictions[i], s.labels[i]
		j := Judged{
			Path: g.origin(documents[i]), Label: f.settings.Classes[label], Class: f.settings.Classes[given],
			Score: s.margin(i), Probability: s.probability(i, given), LabelProbability: s.probability(i, label),
			Terms: f.reasons(d.Row(i), terms, int(given), s.rival(i)),
		}
		if f.isSpamFilter() {
			j.Score = s.scores[2*i+1] - s.scores[2*i]
		}
		if raw, err := g.items[documents[i].item].Read(nil); err == nil {
			j.Subject = string(decoder.Decode(raw).Get("subject"))
		}
		all = append(all, j)
	}
	return all, nil
}

// reasons are the terms of x that speak most for class c over class k, none where the model has no texts.
func (f *Filter) reasons(x features.Vector, terms Terms, c, k int) []Reason {
	all := []Reason{}
	if terms.Texts == nil {
		return all
	}
	added, _ := f.contributions(x, c, k)
	for i, id := range x.IDs {
		if term := int(id) - f.FirstTerm(); term >= 0 && added[i] > 0 {
			all = append(all, Reason{terms.Texts[term], added[i], terms.Documents[term]})
		}
	}
	slices.SortStableFunc(all, func(a, b Reason) int { return cmp.Compare(b.Contribution, a.Contribution) })
	return all[:min(reasons, len(all))]
}

// months counts by month.
func months(documents []document, s scored) []Month {
	at := make(map[string]int)
	var all []Month
	correct := make(map[string]int)
	for i, d := range documents {
		if d.time.IsZero() {
			continue
		}
		name := d.time.UTC().Format("2006-01")
		if _, known := at[name]; !known {
			at[name] = len(all)
			all = append(all, Month{Month: name})
		}
		all[at[name]].Messages++
		if s.predictions[i] == s.labels[i] {
			correct[name]++
		}
	}
	for i := range all {
		all[i].Accuracy = 100 * float64(correct[all[i].Month]) / float64(all[i].Messages)
	}
	slices.SortFunc(all, func(x, y Month) int { return cmp.Compare(x.Month, y.Month) })
	return all
}

// scoreBins is into how many bins scores are counted.
const scoreBins = 40

// Curves returns the errors of f on the messages of a part at every threshold, and its scores, for a spam filter.
func (c *Collection) Curves(f *Filter, part corpus.Part) ([]metrics.Point, metrics.Histogram, error) {
	if !f.isSpamFilter() {
		return nil, metrics.Histogram{}, errors.New("only a spam filter has such curves")
	}
	s := f.score(c.Dataset(part, f.kind))
	return metrics.ErrorCurve(s.margins(), s.spam()), metrics.ScoreHistogram(s.margins(), s.spam(), scoreBins), nil
}
