package train

import (
	"context"
	"fmt"
	"slices"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/metrics"
	"chaff/models"
)

// Quick fits the named model once, to all documents of c, which is undivided, and measures nothing: no figures, no guarantee, no doubtful labels.
//
// Thresholds and calibration come from scores of some messages of each class. Naive Bayes forgets each of them while it scores it. Other
// models have learned them, so their scores are greater than those of new messages by up to a third, and fewer of these are called spam; the
// thresholds of a model whose scores have a unit come from that alone ([metrics.ChooseThresholds]).
func (c *Collection) Quick(ctx context.Context, model string, o Options) (*filter.Filter, Refitted, error) {
	began := cputime.Process()
	trainer, kind, err := o.Models.New(model, c.Options.Seed)
	if err != nil {
		return nil, Refitted{}, err
	}
	d := c.Dataset(corpus.Train, kind)
	linear, report, err := trainer.Train(ctx, d, o.unwatched())
	if err != nil {
		return nil, Refitted{}, fmt.Errorf("train %s: %w", model, err)
	}
	scores := scoreLearned(linear, report.Learned, d.Subset(c.some(c.InPart(corpus.Train))))
	chosen, doubts := o.choose(c, scores, trainer, d.Labels)
	chosen.Promise = nil
	r := Refitted{Messages: d.Len(), Terms: c.termsOf(kind).Vocabulary.Len(), Warnings: slices.Concat(report.Warnings, doubts), Choice: chosen}
	if err := d.Err(); err != nil {
		return nil, Refitted{}, err
	}
	typical := metrics.TypicalOf(scores.Labels, scores.Scores, scores.Classes)
	f, err := c.newFilter(model, linear, report.Learned, o, chosen, Provenance{FittedTo: r.Messages, Typical: typical})
	r.Seconds = (cputime.Process() - began).Seconds()
	return f, r, err
}

// scoreLearned scores documents that a model has learned. A learner that can forget forgets each while it scores it, unless its class has no other.
func scoreLearned(linear *models.Linear, learned *models.Online, d *features.Dataset) Scores {
	s := Score(linear, d)
	if learned == nil || !learned.Forgets() {
		return s
	}
	ofClass := make([]int, s.Classes)
	for _, label := range d.Labels {
		ofClass[label]++
	}
	rows := d.Rows()
	for i, label := range d.Labels {
		if ofClass[label] < 2 {
			continue
		}
		x := rows.Row(i)
		learned.Forget(x, int(label))
		copy(s.Row(i), learned.Scores(nil, x))
		learned.Learn(x, int(label))
		s.Predictions[i] = int32(models.Argmax(s.Row(i)))
	}
	return s
}
