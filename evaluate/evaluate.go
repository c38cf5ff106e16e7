package evaluate

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/message"
	"chaff/train"
)

// Evaluation is the performance of a filter on labelled mail.
type Evaluation struct {
	train.Trained     // its test part is the mail
	Learned       int // how many of the messages the filter was fitted to; see [train.Provenance.Learned]
	Mistakes      []Judged
}

// Filter classifies mail, which was read with the settings and the classes of f, and measures the result. It lists up to n mistakes.
func Filter(ctx context.Context, f *filter.Filter, mail *train.Mail, n, workers int) (Evaluation, error) {
	s := f.Settings()
	from, err := train.ProvenanceOf(f)
	if err != nil {
		return Evaluation{}, err
	}
	d := mail.DatasetFor(f, workers)
	scores := train.Score(f.Linear(), d)
	scores.Probabilities = s.Calibration.All(scores.Scores)
	e := Evaluation{Trained: train.Trained{Filter: f, Test: scores}, Learned: from.Learned(mail, s.Key)}
	isSpamFilter := filter.IsSpamFilter(s.Classes)
	e.Result = train.Result{
		Model: s.Model, Kind: s.Kind, Terms: f.Vocabulary().Len(), Choice: train.Choice{Thresholds: s.Thresholds, Calibration: s.Calibration},
		Test: scores.Figures(isSpamFilter),
	}
	if isSpamFilter {
		e.Result.Verdicts = scores.Margins().Verdicts(*s.Thresholds)
	}
	unlike, err := f.NewUnlike()
	if err != nil {
		return Evaluation{}, err
	}
	for i, novelty := range d.Novelty() {
		unlike.Add(filter.Classification{Class: s.Classes[scores.Predictions[i]], Novelty: novelty})
	}
	if text := unlike.String(); text != "" {
		e.Result.Warnings = append(e.Result.Warnings, "these "+text)
	}
	e.Mistakes, err = mistakes(ctx, e.Trained, mail, mail.All(), d, n)
	return e, err
}

// Mistakes lists up to n wrong predictions of t on the test part of c, which it was fitted to, the least probable label first. Of messages with the same label,
// prediction and subject, it has the first. A message that cannot be read again has no subject. The error comes from ctx.
func Mistakes(ctx context.Context, c *train.Collection, t train.Trained, n int) ([]Judged, error) {
	return mistakes(ctx, t, c.Mail, c.InPart(corpus.Test), c.Dataset(corpus.Test, t.Filter.Kind()), n)
}

// Judged is a message with its prediction.
type Judged struct {
	Path    string `json:"path"`
	Subject string `json:"subject"`
	From    string `json:"from"`
	Label   string `json:"label"` // the true class
	Class   string `json:"class"` // the prediction
	// Score is the score of Class over Label. For a spam filter it is the score of spam over ham.
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

// mistakes describes the first n wrong predictions of the test part of t that differ in label, prediction or subject, the least probable label first, and of
// equally probable ones the farthest from the boundary. The part has these messages of mail, and a row for each.
func mistakes(ctx context.Context, t train.Trained, mail *train.Mail, messages []int, rows *features.Dataset, n int) ([]Judged, error) {
	terms, err := t.Filter.Terms()
	if err != nil && !errors.Is(err, filter.ErrNoTexts) {
		return nil, err
	}
	s, settings := t.Test, t.Filter.Settings()
	if len(s.Probabilities) == 0 {
		s.Probabilities = settings.Calibration.All(s.Scores)
	}
	probability := func(i int, c int32) float64 { return s.Probabilities[i*s.Classes+int(c)] }
	margin := func(i int) float64 { return s.Row(i)[s.Predictions[i]] - s.Row(i)[s.Labels[i]] } // of the prediction over the label
	var order []int
	for i, label := range s.Labels {
		if s.Predictions[i] != label {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(probability(x, s.Labels[x]), probability(y, s.Labels[y])), cmp.Compare(margin(y), margin(x)))
	})
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
		given, label, item := s.Predictions[i], s.Labels[i], mail.Item(messages[i])
		judged := Judged{
			Path: item.Origin, Label: settings.Classes[label], Class: settings.Classes[given],
			Score: margin(i), Probability: probability(i, given), LabelProbability: probability(i, label),
		}
		if filter.IsSpamFilter(settings.Classes) {
			judged.Score, judged.Probability = s.Row(i)[1]-s.Row(i)[0], probability(i, filter.SpamClass)
		}
		if raw, err := item.Read(nil); err == nil {
			m := decoder.Decode(raw)
			judged.Subject, judged.From = string(m.Get("subject")), string(m.Get("from"))
		}
		if of := [3]string{judged.Label, judged.Class, judged.Subject}; judged.Subject != "" {
			if seen[of] {
				continue
			}
			seen[of] = true
		}
		judged.Terms = reasons(t.Filter, terms, rows.Row(i), int(given), int(label))
		all = append(all, judged)
	}
	return all, rows.Err()
}

// reasons returns the terms of x with the largest contributions to the score of class c over class k; none if the model has no texts.
func reasons(f *filter.Filter, terms filter.Terms, x features.Vector, c, k int) []Reason {
	const maxReasons = 5
	all := []Reason{}
	if terms.Text == nil {
		return all
	}
	added, _ := f.Linear().Contributions(x, c, k)
	for i, id := range x.IDs {
		if term := int(id) - f.FirstTerm(); term >= 0 && added[i] > 0 {
			all = append(all, Reason{string(terms.Text(term)), added[i], terms.Documents[term]})
		}
	}
	slices.SortStableFunc(all, func(a, b Reason) int { return cmp.Compare(b.Contribution, a.Contribution) })
	return all[:min(maxReasons, len(all))]
}

// Title returns the subject and the sender of a message, from its header fields.
func Title(subject, from string) string {
	title := cmp.Or(subject, "without a subject")
	if sender := Sender(from); sender != "" {
		title += ", from " + sender
	}
	return title
}

// Sender returns the name of the sender in a From field, or the address if there is none.
func Sender(from string) string {
	name, address, _ := strings.Cut(from, "<")
	if name = strings.Trim(name, "\" \t"); name == "" {
		return strings.Trim(address, "<>")
	}
	return name
}
