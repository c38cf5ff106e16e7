package evaluate

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/message"
	"chaff/train"
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

// ReviewPart judges the messages of a part of c with f, and returns up to n of each kind. The error is that of ctx, or about the file of
// f. A message that cannot be read again has no subject.
func ReviewPart(ctx context.Context, c *train.Collection, f *filter.Filter, part corpus.Part, n int) (Review, error) {
	var messages []int
	for i, p := range c.Parts() {
		if p == part {
			messages = append(messages, i)
		}
	}
	d := c.DatasetFor(f, part)
	r, err := newReview(ctx, f, c.Mail, messages, d, n)
	return r, errors.Join(err, d.Err())
}

// judging is what a review needs: a filter, and what it says of some messages.
type judging struct {
	train.Scores
	filter   *filter.Filter
	mail     *train.Mail
	messages []int // the message of each row
	rows     *features.Dataset
	terms    filter.Terms
}

// newReview reviews some messages of mail, of which d are the rows.
func newReview(ctx context.Context, f *filter.Filter, mail *train.Mail, messages []int, d *features.Dataset, n int) (Review, error) {
	terms, err := f.Terms()
	if err != nil && !errors.Is(err, filter.ErrNoTexts) {
		return Review{}, err
	}
	s := train.Score(f.Linear(), d).Calibrated(f.Settings().Calibration)
	j := judging{s, f, mail, messages, d, terms}
	var r Review
	if r.Mistakes, err = j.judge(ctx, n, j.mistakes()); err != nil {
		return Review{}, err
	}
	if r.LeastCertain, err = j.judge(ctx, n, j.leastCertain()); err != nil {
		return Review{}, err
	}
	r.Months = j.months()
	return r, nil
}

// probability returns the probability of class c for row i.
func (j *judging) probability(i int, c int32) float64 { return j.Probabilities[i*j.Classes+int(c)] }

// mistakes returns the rows whose prediction is not their label, the least probable label first.
func (j *judging) mistakes() []int {
	var wrong []int
	for i, label := range j.Labels {
		if j.Predictions[i] != label {
			wrong = append(wrong, i)
		}
	}
	slices.SortStableFunc(wrong, func(x, y int) int {
		return cmp.Or(cmp.Compare(j.probability(x, j.Labels[x]), j.probability(y, j.Labels[y])), cmp.Compare(j.margin(y), j.margin(x)))
	})
	return wrong
}

// leastCertain returns all rows, the least probable prediction first.
func (j *judging) leastCertain() []int {
	all := make([]int, len(j.Labels))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(x, y int) int {
		return cmp.Or(cmp.Compare(j.probability(x, j.Predictions[x]), j.probability(y, j.Predictions[y])), cmp.Compare(j.margin(x), j.margin(y)))
	})
	return all
}

// rival returns the class to compare the prediction of row i with: its label, or the next best class if the prediction is right.
func (j *judging) rival(i int) int {
	if j.Predictions[i] != j.Labels[i] {
		return int(j.Labels[i])
	}
	best := -1
	for c, score := range j.Row(i) {
		if c != int(j.Predictions[i]) && (best < 0 || score > j.Row(i)[best]) {
			best = c
		}
	}
	return best
}

// margin returns the score of the prediction over its rival.
func (j *judging) margin(i int) float64 { return j.Row(i)[j.Predictions[i]] - j.Row(i)[j.rival(i)] }

// judge describes the first n rows of an order.
func (j *judging) judge(ctx context.Context, n int, order []int) ([]Judged, error) {
	settings := j.filter.Settings()
	decoder := message.NewDecoder(settings.Message)
	all := []Judged{}
	for _, i := range order[:min(n, len(order))] {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		given, label := j.Predictions[i], j.Labels[i]
		judged := Judged{
			Path: j.mail.Origin(j.messages[i]), Label: settings.Classes[label], Class: settings.Classes[given],
			Score: j.margin(i), Probability: j.probability(i, given), LabelProbability: j.probability(i, label),
			Terms: j.reasons(j.rows.Row(i), int(given), j.rival(i)),
		}
		if filter.IsSpamFilter(settings.Classes) {
			judged.Score = j.Row(i)[1] - j.Row(i)[0]
		}
		if raw, err := j.mail.Raw(j.messages[i]); err == nil {
			judged.Subject = string(decoder.Decode(raw).Get("subject"))
		}
		all = append(all, judged)
	}
	return all, nil
}

// reasons returns the terms of x that speak most for class c over class k, none if the model has no texts.
func (j *judging) reasons(x features.Vector, c, k int) []Reason {
	all := []Reason{}
	if j.terms.Texts == nil {
		return all
	}
	added, _ := j.filter.Contributions(x, c, k)
	for i, id := range x.IDs {
		if term := int(id) - j.filter.FirstTerm(); term >= 0 && added[i] > 0 {
			all = append(all, Reason{j.terms.Texts[term], added[i], j.terms.Documents[term]})
		}
	}
	slices.SortStableFunc(all, func(a, b Reason) int { return cmp.Compare(b.Contribution, a.Contribution) })
	return all[:min(reasons, len(all))]
}

// months returns the accuracy by month of delivery, in the order of time.
func (j *judging) months() []Month {
	byName := make(map[string]*Month)
	for i, m := range j.messages {
		delivered := j.mail.Time(m)
		if delivered.IsZero() {
			continue
		}
		name := delivered.UTC().Format("2006-01")
		if byName[name] == nil {
			byName[name] = &Month{Month: name}
		}
		month := byName[name]
		month.Messages++
		if j.Predictions[i] == j.Labels[i] {
			month.Accuracy++ // a count for now
		}
	}
	var all []Month
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		month := *byName[name]
		month.Accuracy = 100 * month.Accuracy / float64(month.Messages)
		all = append(all, month)
	}
	return all
}
