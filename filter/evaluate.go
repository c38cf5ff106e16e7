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
}

// Evaluate reads all messages of source, whose labels must be among the classes of f, and measures what f says of them.
// Workers and progress are as in [CollectOptions]; the error is that of the context, or [ErrNoMail].
func (f *Filter) Evaluate(ctx context.Context, source corpus.Source, workers int, progress func(read, all int)) (Evaluation, error) {
	d, summary, err := f.Dataset(ctx, source, workers, progress)
	if err != nil {
		return Evaluation{}, err
	}
	s := f.score(d)
	e := Evaluation{Summary: summary, Figures: *f.measure(s)}
	if f.isSpamFilter() {
		e.Verdicts = f.countVerdicts(s)
	}
	return e, nil
}
