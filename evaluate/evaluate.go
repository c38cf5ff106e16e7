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
	"chaff/metrics"
	"chaff/train"
)

// Evaluation is the performance of a filter on labelled mail.
type Evaluation struct {
	Summary  train.Summary
	Learned  int // how many of the messages the filter was fitted to; see [train.Provenance.Learned]
	Figures  metrics.Figures
	Verdicts *train.VerdictCounts // nil unless f is a spam filter
	Review   Review
	// Curve has the errors at every threshold, and Scores the distribution of the scores. Both are empty unless f is a spam filter.
	Curve  []metrics.Point
	Scores metrics.Histogram
}

// Filter classifies all messages of source, whose labels must be among the classes of f, and measures the result. The review has up to n
// messages of each kind. Filter sets o.Reading to that of f. The error comes from the context, or [train.ErrNoMail].
func Filter(ctx context.Context, f *filter.Filter, source corpus.Source, n int, o train.ReadOptions) (Evaluation, error) {
	o.Reading = f.Settings().Reading()
	mail, err := train.Read(ctx, source, f.Settings().Classes, o)
	if err != nil {
		return Evaluation{}, err
	}
	d := mail.DatasetFor(f, o.Workers)
	s := train.Score(f.Linear(), d).Calibrated(f.Settings().Calibration)
	isSpamFilter := filter.IsSpamFilter(f.Settings().Classes)
	from, err := train.ProvenanceOf(f)
	if err != nil {
		return Evaluation{}, err
	}
	e := Evaluation{Summary: mail.Summary(), Learned: from.Learned(mail, f.Settings().Key), Figures: *s.Figures(isSpamFilter)}
	if isSpamFilter {
		e.Verdicts = s.Verdicts(*f.Settings().Thresholds)
		e.Curve, e.Scores = curves(s)
	}
	j, err := newReviewer(f, mail, upTo(mail.Len()), d, s)
	if err == nil {
		e.Review, err = j.review(ctx, n)
	}
	return e, errors.Join(err, d.Err())
}

const scoreBins = 40

func curves(s train.Scores) ([]metrics.Point, metrics.Histogram) {
	margins, spam := s.Margins(), s.Spam()
	return metrics.ErrorCurve(margins, spam), metrics.ScoreHistogram(margins, spam, scoreBins)
}

// Curves returns the errors of f, a spam filter, on a part of c at every threshold, and the distribution of its scores.
func Curves(c *train.Collection, f *filter.Filter, part corpus.Part) ([]metrics.Point, metrics.Histogram, error) {
	if !filter.IsSpamFilter(f.Settings().Classes) {
		return nil, metrics.Histogram{}, errors.New("curves need a spam filter")
	}
	d := c.DatasetFor(f, part)
	points, scores := curves(train.Score(f.Linear(), d))
	return points, scores, d.Err()
}

// Review lists the messages of labelled mail that are worth reading. Of messages with the same label, prediction and
// subject, a list has the first.
type Review struct {
	// Mistakes are the messages whose prediction differs from their label, the least probable label first.
	Mistakes []Judged `json:"mistakes"`
	// LeastCertain are the messages with right predictions that are the least probable, the least certain first.
	LeastCertain []Judged `json:"least_certain"`
	// Months has the accuracy by month of delivery. It leaves out messages without a time.
	Months []Month `json:"months,omitempty"`
}

// Judged is a message with its prediction.
type Judged struct {
	Path    string `json:"path"`
	Subject string `json:"subject"`
	Label   string `json:"label"` // the true class
	Class   string `json:"class"` // the prediction
	// Score is the score of Class over Label, or over the next best class if the prediction is right. For a spam filter it is the score
	// of spam over ham.
	Score float64 `json:"score"`
	// Probability is that of Class; for a spam filter it is that of spam, as in [filter.Classification].
	Probability      float64 `json:"probability"`
	LabelProbability float64 `json:"label_probability"` // of Label
	// Terms has the terms with the largest contributions to the score of Class, the largest first.
	Terms []Reason `json:"terms"`
}

// Reason is a term with its contribution to a score.
type Reason struct {
	Term         string  `json:"term"`
	Contribution float64 `json:"contribution"`
	Messages     uint32  `json:"messages"` // training messages that have the term
}

// Month is the accuracy of one month.
type Month struct {
	Month    string  `json:"month"` // 2002-09
	Messages int     `json:"messages"`
	Accuracy float64 `json:"accuracy"` // percent
}

const maxReasons = 5

// ReviewPart reviews the messages of a part of c, with up to n messages of each kind. A message that cannot be read again has no subject.
// The error comes from ctx, or is about the file of f.
func ReviewPart(ctx context.Context, c *train.Collection, f *filter.Filter, part corpus.Part, n int) (Review, error) {
	j, err := reviewerOf(c, f, part)
	if err != nil {
		return Review{}, err
	}
	r, err := j.review(ctx, n)
	return r, errors.Join(err, j.rows.Err())
}

// reviewer has the scores of a filter on some messages.
type reviewer struct {
	train.Scores
	filter   *filter.Filter
	mail     *train.Mail
	messages []int // the number of the message of each row
	rows     *features.Dataset
	terms    filter.Terms
}

// reviewerOf returns the reviewer of a part of c. The error is about the file of f.
func reviewerOf(c *train.Collection, f *filter.Filter, part corpus.Part) (*reviewer, error) {
	d := c.DatasetFor(f, part)
	return newReviewer(f, c.Mail, c.InPart(part), d, train.Score(f.Linear(), d).Calibrated(f.Settings().Calibration))
}

// newReviewer returns a reviewer of messages of mail; d has their rows and s their calibrated scores.
func newReviewer(f *filter.Filter, mail *train.Mail, messages []int, d *features.Dataset, s train.Scores) (*reviewer, error) {
	terms, err := f.Terms()
	if err != nil && !errors.Is(err, filter.ErrNoTexts) {
		return nil, err
	}
	return &reviewer{s, f, mail, messages, d, terms}, nil
}

func (j *reviewer) review(ctx context.Context, n int) (Review, error) {
	var r Review
	var err error
	if r.Mistakes, err = j.judge(ctx, n, j.mistakes()); err != nil {
		return Review{}, err
	}
	if r.LeastCertain, err = j.judge(ctx, n, j.leastCertain()); err != nil {
		return Review{}, err
	}
	r.Months = j.months()
	return r, nil
}

func (j *reviewer) probability(i int, c int32) float64 { return j.Probabilities[i*j.Classes+int(c)] }

// mistakes returns the rows whose prediction differs from their label, the least probable label first.
func (j *reviewer) mistakes() []int {
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

func upTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// leastCertain returns the rows with right predictions, the least probable prediction first.
func (j *reviewer) leastCertain() []int {
	right := slices.DeleteFunc(upTo(len(j.Labels)), func(i int) bool { return j.Predictions[i] != j.Labels[i] })
	slices.SortStableFunc(right, func(x, y int) int {
		return cmp.Or(cmp.Compare(j.probability(x, j.Predictions[x]), j.probability(y, j.Predictions[y])), cmp.Compare(j.margin(x), j.margin(y)))
	})
	return right
}

// rival returns the label of row i, or the next best class if the prediction is right.
func (j *reviewer) rival(i int) int {
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

// margin returns the score of the prediction of row i over its rival.
func (j *reviewer) margin(i int) float64 { return j.Row(i)[j.Predictions[i]] - j.Row(i)[j.rival(i)] }

// judge describes the first n rows of order that differ in label, prediction or subject.
func (j *reviewer) judge(ctx context.Context, n int, order []int) ([]Judged, error) {
	settings := j.filter.Settings()
	decoder := message.NewDecoder(settings.Message)
	all := []Judged{}
	seen := make(map[[3]string]bool) // label, prediction and subject
	for _, i := range order {
		if len(all) == n {
			break
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		given, label := j.Predictions[i], j.Labels[i]
		judged := Judged{
			Path: j.mail.Origin(j.messages[i]), Label: settings.Classes[label], Class: settings.Classes[given],
			Score: j.margin(i), Probability: j.probability(i, given), LabelProbability: j.probability(i, label),
		}
		if filter.IsSpamFilter(settings.Classes) {
			judged.Score, judged.Probability = j.Row(i)[1]-j.Row(i)[0], j.probability(i, filter.SpamClass)
		}
		if raw, err := j.mail.Raw(j.messages[i]); err == nil {
			judged.Subject = string(decoder.Decode(raw).Get("subject"))
		}
		if of := [3]string{judged.Label, judged.Class, judged.Subject}; judged.Subject != "" {
			if seen[of] {
				continue
			}
			seen[of] = true
		}
		judged.Terms = j.reasons(j.rows.Row(i), int(given), j.rival(i))
		all = append(all, judged)
	}
	return all, nil
}

// reasons returns the terms of x with the largest contributions to the score of class c over class k; none if the model has no texts.
func (j *reviewer) reasons(x features.Vector, c, k int) []Reason {
	all := []Reason{}
	if j.terms.Text == nil {
		return all
	}
	added, _ := j.filter.Contributions(x, c, k)
	for i, id := range x.IDs {
		if term := int(id) - j.filter.FirstTerm(); term >= 0 && added[i] > 0 {
			all = append(all, Reason{string(j.terms.Text(term)), added[i], j.terms.Documents[term]})
		}
	}
	slices.SortStableFunc(all, func(a, b Reason) int { return cmp.Compare(b.Contribution, a.Contribution) })
	return all[:min(maxReasons, len(all))]
}

// months returns the accuracy by month of delivery, the oldest first.
func (j *reviewer) months() []Month {
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
			month.Accuracy++ // a count, divided below
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
