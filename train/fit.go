package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/metrics"
	"chaff/models"
)

// Options configure how a model is fitted.
type Options struct {
	Models     models.Options
	Thresholds metrics.ThresholdOptions
	// Epoch, if set, is called after each epoch of a trainer that works in epochs.
	Epoch func(model string, e models.Epoch)
	// Unwatched leaves out the figures of the epochs of a result.
	Unwatched bool
	Dump      func(Scores)
}

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	return Options{Models: models.DefaultOptions(), Thresholds: metrics.DefaultThresholdOptions()}
}

// Result describes a fitted model and its figures.
type Result struct {
	Model string `json:"model"`
	Kind  string `json:"features"`
	Terms int    `json:"terms"`
	// Seconds is the CPU time of training; Bytes is the size of the model file.
	Seconds float64 `json:"training_cpu_seconds"`
	Bytes   int     `json:"model_bytes,omitempty"`
	// Report comes from the trainer; Fit adds warnings about thresholds and calibration.
	models.Report
	// Train, Development and Test are the figures of the parts; nil for a part without messages.
	Train       *metrics.Figures `json:"train,omitempty"`
	Development *metrics.Figures `json:"development,omitempty"`
	Test        *metrics.Figures `json:"test,omitempty"`
	// Thresholds were chosen on the development part, and Verdicts counts their verdicts on the test part. Both are nil unless the
	// model is a spam filter.
	Thresholds *metrics.Thresholds `json:"thresholds,omitempty"`
	Verdicts   *VerdictCounts      `json:"test_verdicts,omitempty"`
	// Promise is the guarantee of the thresholds for future ham; nil if no confidence is set.
	Promise *metrics.Promise `json:"promise,omitempty"`
	// Cost is the mean cost of a message of the test part; nil if the thresholds were chosen without costs.
	Cost *float64 `json:"test_cost,omitempty"`
	// Calibration was fitted on the development part.
	Calibration metrics.Calibration `json:"calibration"`
	// AgainstBest compares the errors on the test part with those of the model that is best on the development part: Better counts the
	// messages that only this model gets right. P is corrected for the number of models. It is nil for the best model.
	AgainstBest *metrics.McNemar `json:"against_best,omitempty"`
}

// Trained is a fitted filter, its result, and its scores on the parts that it was not fitted to.
type Trained struct {
	Filter            *filter.Filter
	Result            Result
	Development, Test Scores
}

// Fit fits the named model to the training part of c, chooses its thresholds and calibration on the development part, and measures all
// three parts. The error comes from the trainer, or is about an unknown name.
func Fit(ctx context.Context, c *Collection, model string, o Options) (Trained, error) {
	trainer, kind, err := o.Models.New(model, c.options.Seed)
	if err != nil {
		return Trained{}, err
	}
	training, held, tested := c.Dataset(corpus.Train, kind), c.Dataset(corpus.Development, kind), c.Dataset(corpus.Test, kind)
	began := cputime.Process()
	linear, report, err := o.Train(ctx, trainer, model, training, held)
	if err != nil {
		return Trained{}, fmt.Errorf("train %s: %w", model, err)
	}
	seconds := (cputime.Process() - began).Seconds()
	isSpamFilter := filter.IsSpamFilter(c.classes)
	development, test := Score(linear, held), Score(linear, tested)
	a := o.adjust(c, development, ScaleOf(trainer, training.Labels), trainer)
	report.Warnings = append(report.Warnings, a.warnings...)
	vocabulary, _ := c.termsOf(kind)
	result := Result{
		Model: model, Kind: kind.String(), Terms: vocabulary.Len(), Seconds: seconds, Report: report,
		Thresholds: a.thresholds, Promise: a.promise, Calibration: a.calibration,
		Train:       Score(linear, training).Calibrated(a.calibration).Figures(isSpamFilter),
		Development: development.Calibrated(a.calibration).Figures(isSpamFilter),
		Test:        test.Calibrated(a.calibration).Figures(isSpamFilter),
	}
	if len(test.Labels) > 0 {
		result.Verdicts, result.Cost = a.verdicts(test, o)
	}
	if err := errors.Join(training.Err(), held.Err(), tested.Err()); err != nil {
		return Trained{}, err
	}
	result.Learned = nil // takes much memory, and learns on from a part of the mail only
	f, err := c.newFilter(linear, nil, trainer, model, kind, o, a, func(p *Provenance) {
		p.Train, p.Development, p.Test = result.Train, result.Development, result.Test
	})
	return Trained{f, result, development, test}, err
}

// Train runs a trainer. A trainer that works in epochs also measures each epoch on the held-out documents; held may be nil. The report
// has no Learned, whose memory would stay in use with it.
func (o Options) Train(ctx context.Context, t models.Trainer, model string, training, held *features.Dataset) (*models.Linear, models.Report, error) {
	options := models.EpochOptions{Development: held, Unwatched: o.Unwatched}
	if o.Epoch != nil {
		options.OnEpoch = func(e models.Epoch) { o.Epoch(model, e) }
	}
	linear, report, err := t.Train(ctx, training, options)
	report.Learned = nil
	return linear, report, err
}

// adjustment is what Fit and Refit derive from held-out scores.
type adjustment struct {
	thresholds  *metrics.Thresholds // nil unless the model is a spam filter
	promise     *metrics.Promise    // nil if no confidence is set
	calibration metrics.Calibration
	warnings    []string
}

// adjust chooses the thresholds and fits the calibration on the scores of held-out documents of c.
func (o Options) adjust(c *Collection, s Scores, scale metrics.Scale, t models.Trainer) (a adjustment) {
	isSpamFilter := filter.IsSpamFilter(c.classes)
	if isSpamFilter {
		thresholds, warnings := metrics.ChooseThresholds(s.Margins(), s.Spam(), scale, o.Thresholds)
		a.thresholds, a.warnings = &thresholds, warnings
		if promise, ok := o.Thresholds.Promise(thresholds, s.Margins(), s.Spam()); ok {
			a.promise = &promise
		}
	}
	calibration, warnings := metrics.Calibrate(s.Labels, s.Scores, s.Classes)
	a.calibration, a.warnings = calibration, append(a.warnings, warnings...)
	if warning := s.learnedLittle(); warning != "" && !isBaseline(t) {
		a.warnings = append(a.warnings, warning)
	}
	return a
}

// ScaleOf returns the scale of the scores of a model of a trainer that has learned documents with these labels.
func ScaleOf(t models.Trainer, labels []int32) metrics.Scale {
	var of [2]float64
	for _, label := range labels {
		of[min(label, filter.SpamClass)]++
	}
	m, ok := t.(interface{ LogOdds() float64 })
	if !ok || of[0] == 0 || of[1] == 0 {
		return metrics.Scale{}
	}
	return metrics.Scale{Prior: math.Log(of[filter.SpamClass] / of[0]), LogOdds: m.LogOdds()}
}

// isBaseline reports whether a trainer is not meant to learn from the terms of a message.
func isBaseline(t models.Trainer) bool {
	switch t.(type) {
	case *models.Majority, *models.Memoriser:
		return true
	}
	return false
}

// verdicts counts the verdicts of a spam filter on s, and returns the mean cost of a message, nil without costs.
func (a adjustment) verdicts(s Scores, o Options) (*VerdictCounts, *float64) {
	if a.thresholds == nil {
		return nil, nil
	}
	if cost, defined := o.Thresholds.Cost(*a.thresholds, s.Margins(), s.Spam()); defined {
		return s.Verdicts(*a.thresholds), &cost
	}
	return s.Verdicts(*a.thresholds), nil
}

// newFilter returns a filter of a model and of the settings and the vocabulary it was fitted with. The learner that goes on from the model
// may be nil. newFilter calls describe to complete the provenance.
func (c *Collection) newFilter(
	linear *models.Linear, learned models.Online, t models.Trainer, model string, kind features.Kind, o Options, a adjustment, describe func(*Provenance),
) (*filter.Filter, error) {
	trainer, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("encode settings of %s: %w", model, err)
	}
	p := Provenance{
		Features: c.options.Features, Trainer: trainer, Limits: o.Thresholds, Split: c.options.Split, Seed: c.options.Seed,
		Corpus: c.summary, Promise: a.promise, Sample: c.sample(),
	}
	describe(&p)
	p.Corpus.Listing = nil
	info, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode provenance of %s: %w", model, err)
	}
	vocabulary, terms := c.termsOf(kind)
	reading := c.options.Reading
	return filter.New(filter.Parts{
		Settings: filter.Settings{
			Classes: c.classes, Model: model, Kind: kind.String(), Key: reading.Key, Message: reading.Message, Tokenize: reading.Tokenize,
			Thresholds: a.thresholds, Calibration: a.calibration,
		},
		Vocabulary: vocabulary, Linear: linear, Terms: terms, SaveTexts: c.options.Features.Texts, Provenance: info, Learned: learned,
	})
}
