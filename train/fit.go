package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/metrics"
	"chaff/models"
)

// Options say how a model is trained.
type Options struct {
	Models     models.Options
	Thresholds metrics.ThresholdOptions
	// Epoch, if set, is called after each epoch of a model that is trained in epochs.
	Epoch func(model string, e models.Epoch)
}

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	return Options{Models: models.DefaultOptions(), Thresholds: metrics.DefaultThresholdOptions()}
}

// Result is what training a model found.
type Result struct {
	Model string `json:"model"`
	Kind  string `json:"features"`
	Terms int    `json:"terms"`
	// Seconds is the CPU time of training; Bytes is the size of the model file.
	Seconds float64 `json:"training_cpu_seconds"`
	Bytes   int     `json:"model_bytes,omitempty"`
	// Report comes from the trainer; Fit adds warnings about thresholds and calibration.
	models.Report
	// The figures of the parts; nil for a part without messages.
	Train       *metrics.Figures `json:"train,omitempty"`
	Development *metrics.Figures `json:"development,omitempty"`
	Test        *metrics.Figures `json:"test,omitempty"`
	// Thresholds were chosen on the development part, for a spam filter only. Verdicts counts their verdicts on the test part.
	Thresholds *metrics.Thresholds `json:"thresholds,omitempty"`
	Verdicts   *VerdictCounts      `json:"test_verdicts,omitempty"`
	// Promise is what the thresholds promise about future ham; nil without confidence.
	Promise *metrics.Promise `json:"promise,omitempty"`
	// Cost is the mean cost of a message of the test part, by the costs that the thresholds were chosen with; nil without costs.
	Cost *float64 `json:"test_cost,omitempty"`
	// Calibration was fitted on the development part.
	Calibration metrics.Calibration `json:"calibration"`
	// AgainstBest compares the errors on the test part with those of the model that is best on the development part: Better are the
	// messages that this model gets right and the best one wrong. P is corrected for the number of models. nil for the best model.
	AgainstBest *metrics.McNemar `json:"against_best,omitempty"`
}

// Trained is a filter, what training it found, and the scores of its model on the test part.
type Trained struct {
	Filter *filter.Filter
	Result Result
	Test   Scores
}

// Fit trains the model of the given name on the training part of c, chooses thresholds and fits the calibration on the
// development part, and measures all three parts. The error is that of the trainer or about an unknown name.
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
	a := o.adjust(development, isSpamFilter)
	report.Warnings = append(report.Warnings, a.warnings...)
	vocabulary, _ := c.termsOf(kind)
	result := Result{
		Model: model, Kind: kind.String(), Terms: vocabulary.Len(), Seconds: seconds, Report: report,
		Thresholds: a.thresholds, Promise: a.promise, Calibration: a.calibration,
		Train:       Score(linear, training).Calibrated(a.calibration).Figures(isSpamFilter),
		Development: development.Calibrated(a.calibration).Figures(isSpamFilter),
		Test:        test.Calibrated(a.calibration).Figures(isSpamFilter),
	}
	if isSpamFilter && len(test.Labels) > 0 {
		result.Verdicts = test.Verdicts(*a.thresholds)
		result.Cost = o.cost(a, test)
	}
	if err := errors.Join(training.Err(), held.Err(), tested.Err()); err != nil {
		return Trained{}, err
	}
	p, err := c.provenance(trainer, o, a)
	if err != nil {
		return Trained{}, fmt.Errorf("encode settings of %s: %w", model, err)
	}
	p.Train, p.Development, p.Test = result.Train, result.Development, result.Test
	f, err := c.newFilter(linear, model, kind, a, p)
	return Trained{f, result, test}, err
}

// Train calls a trainer, which watches the held-out documents if it trains in epochs; held may be nil.
func (o Options) Train(ctx context.Context, t models.Trainer, model string, training, held *features.Dataset) (*models.Linear, models.Report, error) {
	inEpochs, ok := t.(models.EpochTrainer)
	if !ok {
		return t.Train(ctx, training)
	}
	options := models.EpochOptions{Development: held}
	if o.Epoch != nil {
		options.OnEpoch = func(e models.Epoch) { o.Epoch(model, e) }
	}
	return inEpochs.TrainEpochs(ctx, training, options)
}

// adjustment is what held-out scores decide.
type adjustment struct {
	thresholds  *metrics.Thresholds // for a spam filter only
	promise     *metrics.Promise    // nil without confidence
	calibration metrics.Calibration
	warnings    []string
}

// adjust chooses the thresholds and fits the calibration on scores of documents that the model did not learn.
func (o Options) adjust(s Scores, isSpamFilter bool) (a adjustment) {
	if isSpamFilter {
		thresholds, warnings := metrics.ChooseThresholds(s.Margins(), s.Spam(), o.Thresholds)
		a.thresholds, a.warnings = &thresholds, warnings
		if promise, ok := o.Thresholds.Promise(thresholds, s.Margins(), s.Spam()); ok {
			a.promise = &promise
		}
	}
	calibration, warnings := metrics.Calibrate(s.Labels, s.Scores, s.Classes)
	a.calibration, a.warnings = calibration, append(a.warnings, warnings...)
	return a
}

// cost returns the mean cost of a message, nil without costs.
func (o Options) cost(a adjustment, s Scores) *float64 {
	if cost, defined := o.Thresholds.Cost(*a.thresholds, s.Margins(), s.Spam()); defined {
		return &cost
	}
	return nil
}

// provenance returns where a model of c comes from; the caller adds its figures.
func (c *Collection) provenance(t models.Trainer, o Options, a adjustment) (Provenance, error) {
	trainer, err := json.Marshal(t)
	summary := c.summary
	summary.Problems = nil // they name paths, which a model must not reveal
	return Provenance{
		Features: c.options.Features, Trainer: trainer, Limits: o.Thresholds, Split: c.options.Split, Seed: c.options.Seed,
		Corpus: summary, Promise: a.promise,
	}, err
}

// newFilter joins a model with the settings and the vocabulary that it was trained with.
func (c *Collection) newFilter(linear *models.Linear, model string, kind features.Kind, a adjustment, p Provenance) (*filter.Filter, error) {
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
		Vocabulary: vocabulary, Linear: linear, Terms: terms, SaveTexts: c.options.Features.Texts, Provenance: info,
	})
}
