package filter

import (
	"context"

	"chaff/corpus"
	"chaff/features"
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
	g, err := gather(ctx, source, f.settings.Classes, gatherOptions{reading: f.settings.Reading(), workers: workers, progress: progress})
	if err != nil {
		return Evaluation{}, err
	}
	d := features.NewDataset(f.kind, g.classes, f.vocabulary.Len())
	for _, doc := range g.documents {
		d.Append(f.vocabulary, doc.terms, doc.label)
	}
	s := f.score(d)
	e := Evaluation{Summary: g.summary, Figures: *f.measure(s)}
	if f.isSpamFilter() {
		e.Verdicts = f.countVerdicts(s)
	}
	return e, nil
}
