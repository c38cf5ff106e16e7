package filter

import (
	"context"

	"chaff/corpus"
	"chaff/metrics"
)

// Evaluation is the figures of a filter on labelled mail.
type Evaluation struct {
	Summary  Summary
	Figures  metrics.Figures
	Verdicts *VerdictCounts // for a spam filter only
	Review   Review
	// Curve is the errors at every threshold, and Scores the scores, for a spam filter only.
	Curve  []metrics.Point
	Scores metrics.Histogram
}

// Evaluate reads all messages of source, whose labels must be among the classes of f, and measures what f says of them. The
// review has so many messages of each kind. Workers and progress are as in [CollectOptions]; the error is that of the
// context, or [ErrNoMail].
func (f *Filter) Evaluate(ctx context.Context, source corpus.Source, review, workers int, progress func(read, all int)) (Evaluation, error) {
	g, _, err := gather(ctx, source, f.settings.Classes, gatherOptions{reading: f.settings.Reading(), workers: workers, progress: progress})
	if err != nil {
		return Evaluation{}, err
	}
	d := f.datasetOf(g, workers)
	s := f.score(d)
	e := Evaluation{Summary: g.summary, Figures: *f.measure(s)}
	if f.isSpamFilter() {
		e.Verdicts = f.countVerdicts(s)
		e.Curve, e.Scores = metrics.ErrorCurve(s.margins(), s.spam()), metrics.ScoreHistogram(s.margins(), s.spam(), scoreBins)
	}
	if e.Review, err = f.review(ctx, g, g.documents, d, review); err != nil {
		return Evaluation{}, err
	}
	return e, nil
}
