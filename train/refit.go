package train

import (
	"context"
	"errors"
	"fmt"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/metrics"
	"chaff/models"
)

// Refitted is what fitting a model to all the mail found out.
type Refitted struct {
	// Messages is how many messages the model was fitted to: all of the collection.
	Messages int `json:"messages"`
	// OutOfFold is how many of them have an out-of-fold score, from which thresholds and calibration come.
	OutOfFold int `json:"out_of_fold_scores"`
	Terms     int `json:"terms"`
	// Thresholds are there for a spam filter only. Promise is what they promise about ham to come; nil without confidence.
	Thresholds *metrics.Thresholds `json:"thresholds,omitempty"`
	Promise    *metrics.Promise    `json:"promise,omitempty"`
	// Verdicts is what the thresholds make of the out-of-fold scores, for a spam filter only, and Cost what a message then costs
	// on the average; nil without costs.
	Verdicts    *VerdictCounts      `json:"out_of_fold_verdicts,omitempty"`
	Cost        *float64            `json:"out_of_fold_cost,omitempty"`
	Calibration metrics.Calibration `json:"calibration"`
	// Warnings are reasons to doubt the model, its thresholds or its calibration.
	Warnings []string `json:"warnings,omitempty"`
	// Seconds is the CPU time of Refit.
	Seconds float64 `json:"training_cpu_seconds"`
}

// Refit fits the model of t, which [Train] made of c, to all documents of c. The figures in t stay those of the model that was
// measured; the provenance of the filter that Refit returns says so.
//
// Thresholds and calibration come from out-of-fold scores: each document is scored by a model that has not learnt it.
//
//	the development and the test part    by the model of t, which has learnt the training part
//	the training part                    by a model that has learnt the development and the test part
//
// If these two have less than a third of a class, a model of them alone would be too weak. The training part is then divided
// into two halves, by the keys of the documents, so that near-duplicates stay together, and each half is scored by a model
// that has learnt everything else.
//
// A model of less mail has scores on a smaller scale, and separates the classes less well. Of ham the second outweighs the first:
// its greatest out-of-fold scores are above those of fresh ham, so thresholds err to the safe side. docs/results.md measures
// how often they keep their promise.
//
// The error is that of the trainer. Documents whose model would lack a class have no score, and a warning says how many.
func (c *Collection) Refit(ctx context.Context, t Trained, o Options) (*filter.Filter, Refitted, error) {
	began := cputime.Process()
	name := t.Result.Model
	configured, kind, err := o.Models.New(name, c.options.Seed)
	if err != nil {
		return nil, Refitted{}, err
	}
	trainer, _, err := o.Models.Stopped(name, t.Result.Kept).New(name, c.options.Seed)
	if err != nil {
		return nil, Refitted{}, err
	}
	measured, err := ProvenanceOf(t.Filter)
	if err != nil {
		return nil, Refitted{}, err
	}
	heldOut, err := c.scoreHeldOut(t.Filter)
	if err != nil {
		return nil, Refitted{}, err
	}
	c.datasets.drop()                                                                // their memory is needed for the data set of all documents
	all, err := c.Divided(make([]corpus.Part, len(c.documents)), c.options.Features) // corpus.Train is 0
	if err != nil {
		return nil, Refitted{}, err
	}
	d := all.Dataset(corpus.Train, kind)
	for _, fold := range c.trainingFolds() {
		if err := heldOut.scoreFold(ctx, trainer, d, fold); err != nil {
			return nil, Refitted{}, fmt.Errorf("train %s for out-of-fold scores: %w", name, err)
		}
	}
	linear, report, err := trainer.Train(ctx, d)
	if err != nil {
		return nil, Refitted{}, fmt.Errorf("train %s on all the mail: %w", name, err)
	}
	scores := heldOut.scores()
	a := o.adjust(scores, filter.IsSpamFilter(c.classes))
	vocabulary, _ := all.termsOf(kind)
	r := Refitted{
		Messages: d.Len(), OutOfFold: len(scores.Labels), Terms: vocabulary.Len(), Warnings: report.Warnings,
		Thresholds: a.thresholds, Calibration: a.calibration, Promise: a.promise,
	}
	if missing := r.Messages - r.OutOfFold; missing > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d messages have no part in the thresholds: without them a class has no message to learn from", missing))
	}
	r.Warnings = append(r.Warnings, a.warnings...)
	if a.thresholds != nil {
		r.Verdicts, r.Cost = scores.Verdicts(*a.thresholds), o.cost(a, scores)
	}
	p, err := all.provenance(configured, o, a)
	if err != nil {
		return nil, Refitted{}, fmt.Errorf("encode settings of %s: %w", name, err)
	}
	p.measuredOn(measured)
	p.FittedTo, p.OutOfFold = r.Messages, r.OutOfFold
	f, err := all.newFilter(linear, name, kind, a, p)
	r.Seconds = (cputime.Process() - began).Seconds()
	return f, r, errors.Join(err, d.Err())
}

const (
	// enoughToScore is the share of each class of which a model is good enough to score the rest.
	enoughToScore = 1. / 3
	// halvesSeed makes of a seed the one by which the training part is halved: by the seed itself it has the documents whose
	// chance is low.
	halvesSeed = 0x68616c766573
)

// trainingFolds returns the documents of the training part, in one fold or two.
func (c *Collection) trainingFolds() [][]int {
	training := c.having(func(i int) bool { return c.parts[i] == corpus.Train })
	all, trained := make([]int, len(c.classes)), make([]int, len(c.classes))
	for i, d := range c.documents {
		all[d.label]++
		if c.parts[i] == corpus.Train {
			trained[d.label]++
		}
	}
	enough := true
	for class, n := range all {
		enough = enough && float64(n-trained[class]) >= enoughToScore*float64(n)
	}
	if enough {
		return [][]int{training}
	}
	even := corpus.SplitOptions{Train: 0.5, Development: 0.5}
	folds := make([][]int, 2)
	for _, i := range training {
		half := even.ByHash(c.options.Seed^halvesSeed, c.keys[i])
		folds[half] = append(folds[half], i)
	}
	return folds
}

// having returns the documents for which is is true, in their order.
func (c *Collection) having(is func(i int) bool) []int {
	var documents []int
	for i := range c.documents {
		if is(i) {
			documents = append(documents, i)
		}
	}
	return documents
}

// outOfFold collects scores of documents by models that have not learnt them.
type outOfFold struct {
	all Scores // row i is that of document i
	has []bool // by document, whether it has a score
}

// scoreHeldOut returns the scores of f, which was trained on the training part, of the other documents.
func (c *Collection) scoreHeldOut(f *filter.Filter) (*outOfFold, error) {
	n, classes := len(c.documents), len(c.classes)
	o := &outOfFold{
		all: Scores{Classes: classes, Labels: make([]int32, n), Predictions: make([]int32, n), Scores: make([]float64, n*classes)},
		has: make([]bool, n),
	}
	for _, part := range []corpus.Part{corpus.Development, corpus.Test} {
		d := c.Dataset(part, f.Kind())
		o.add(c.having(func(i int) bool { return c.parts[i] == part }), Score(f.Linear(), d))
		if err := d.Err(); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// scoreFold scores the documents of a fold by a model of all others of d. If these lack a class, nothing is scored.
func (o *outOfFold) scoreFold(ctx context.Context, t models.Trainer, d *features.Dataset, fold []int) error {
	inFold := make([]bool, d.Len())
	for _, i := range fold {
		inFold[i] = true
	}
	var others []int
	for i, in := range inFold {
		if !in {
			others = append(others, i)
		}
	}
	linear, _, err := t.Train(ctx, d.Subset(others))
	if errors.Is(err, models.ErrNoDocuments) {
		return nil
	}
	if err != nil {
		return err
	}
	o.add(fold, Score(linear, d.Subset(fold)))
	return nil
}

// add keeps the scores of documents; row n of s is that of the n-th.
func (o *outOfFold) add(documents []int, s Scores) {
	for n, i := range documents {
		o.has[i] = true
		o.all.Labels[i], o.all.Predictions[i] = s.Labels[n], s.Predictions[n]
		copy(o.all.Row(i), s.Row(n))
	}
}

// scores returns the scores of the documents that have one, in their order.
func (o *outOfFold) scores() Scores {
	s := Scores{Classes: o.all.Classes}
	for i, has := range o.has {
		if has {
			s.Labels, s.Predictions = append(s.Labels, o.all.Labels[i]), append(s.Predictions, o.all.Predictions[i])
			s.Scores = append(s.Scores, o.all.Row(i)...)
		}
	}
	return s
}
