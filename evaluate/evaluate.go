package evaluate

import (
	"context"
	"errors"

	"chaff/corpus"
	"chaff/filter"
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
