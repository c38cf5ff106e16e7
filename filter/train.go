package filter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"chaff/corpus"
	"chaff/features"
	"chaff/metrics"
	"chaff/models"
	"chaff/tokenize"
)

// TrainOptions say how a model is trained.
type TrainOptions struct {
	Models     models.Options
	Thresholds metrics.ThresholdOptions
	// Epoch, if set, is called after each epoch of a model that is trained in epochs.
	Epoch func(model string, e models.Epoch)
}

// DefaultTrainOptions returns the options used when nothing else is said.
func DefaultTrainOptions() TrainOptions {
	return TrainOptions{Models: models.DefaultOptions(), Thresholds: metrics.DefaultThresholdOptions()}
}

// Result is what training a model found out.
type Result struct {
	Model string `json:"model"`
	Kind  string `json:"features"`
	Terms int    `json:"terms"`
	// Seconds is the CPU time of training; Bytes is the size of the model file.
	Seconds float64 `json:"training_cpu_seconds"`
	Bytes   int     `json:"model_bytes,omitempty"`
	// Report is what the trainer has to say; its warnings are joined by those about thresholds and calibration.
	models.Report
	// The figures of the parts; a part without messages has none.
	Train       *metrics.Figures `json:"train,omitempty"`
	Development *metrics.Figures `json:"development,omitempty"`
	Test        *metrics.Figures `json:"test,omitempty"`
	// Thresholds were chosen on the development part, for a spam filter only. Verdicts is what they make of the test part.
	Thresholds *metrics.Thresholds `json:"thresholds,omitempty"`
	Verdicts   *VerdictCounts      `json:"test_verdicts,omitempty"`
	// Promise is what the thresholds promise about ham to come; nil without confidence.
	Promise *metrics.Promise `json:"promise,omitempty"`
	// Cost is what a message of the test part costs on the average, by the costs that the thresholds were chosen by; nil
	// without costs.
	Cost *float64 `json:"test_cost,omitempty"`
	// Calibration was fitted on the development part.
	Calibration metrics.Calibration `json:"calibration"`
	// AgainstBest compares the errors of the model on the test part with those of the model that is best on the development
	// part: Better are the messages that this one gets right and the best one wrong. P is corrected for how many models are compared. nil for the best.
	AgainstBest *metrics.McNemar `json:"against_best,omitempty"`
}

// VerdictCounts is how many messages of each class were given each verdict.
type VerdictCounts struct {
	Ham  ByVerdict `json:"ham"`
	Spam ByVerdict `json:"spam"`
}

// ByVerdict counts messages by the verdict they were given.
type ByVerdict struct {
	Ham    int `json:"ham"`
	Unsure int `json:"unsure"`
	Spam   int `json:"spam"`
}

// Messages is the sum over the verdicts.
func (b ByVerdict) Messages() int { return b.Ham + b.Unsure + b.Spam }

// Train trains the model of the given name on the training part of c, chooses thresholds and fits the probabilities on
// the development part, and measures all three parts. The error is that of the trainer or of an unknown name.
func Train(ctx context.Context, c *Collection, model string, o TrainOptions) (*Filter, Result, error) {
	f, result, _, err := trainAndTest(ctx, c, model, o)
	return f, result, err
}

// trainAndTest is Train, which also returns what the filter says of the test part.
func trainAndTest(ctx context.Context, c *Collection, model string, o TrainOptions) (*Filter, Result, scored, error) {
	trainer, kind, err := o.Models.New(model, c.options.Seed)
	if err != nil {
		return nil, Result{}, scored{}, err
	}
	training, held := c.Dataset(corpus.Train, kind), c.Dataset(corpus.Development, kind)
	began := cpuTime()
	linear, report, err := o.run(ctx, trainer, model, training, held)
	if err != nil {
		return nil, Result{}, scored{}, fmt.Errorf("train %s: %w", model, err)
	}
	seconds := (cpuTime() - began).Seconds()
	f, err := newFilter(c, linear, model, kind, trainer, o)
	if err != nil {
		return nil, Result{}, scored{}, err
	}
	result := Result{Model: model, Kind: kind.String(), Terms: f.vocabulary.Len(), Seconds: seconds, Report: report}
	development, test := f.score(held), f.score(c.Dataset(corpus.Test, kind))
	result.Warnings = append(result.Warnings, f.adjust(development, o.Thresholds)...)
	result.Thresholds, result.Calibration = f.settings.Thresholds, f.settings.Calibration
	result.Promise = f.provenance.Promise
	if f.isSpamFilter() && len(test.labels) > 0 {
		result.Verdicts = f.countVerdicts(test)
		if cost, defined := o.Thresholds.Cost(*f.settings.Thresholds, test.margins(), test.spam()); defined {
			result.Cost = &cost
		}
	}
	result.Train, result.Development, result.Test = f.measure(f.score(training)), f.measure(development), f.measure(test)
	tested := c.Dataset(corpus.Test, kind)
	if err := errors.Join(training.Err(), held.Err(), tested.Err()); err != nil {
		return nil, Result{}, scored{}, err
	}
	f.provenance.Train, f.provenance.Development, f.provenance.Test = result.Train, result.Development, result.Test
	return f, result, test, nil
}

// run trains, in epochs if the trainer does.
func (o TrainOptions) run(ctx context.Context, t models.Trainer, model string, training, held *features.Dataset) (*models.Linear, models.Report, error) {
	inEpochs, ok := t.(models.EpochTrainer)
	if !ok {
		return t.Train(ctx, training)
	}
	watch := models.EpochOptions{Development: held}
	if o.Epoch != nil {
		watch.OnEpoch = func(e models.Epoch) { o.Epoch(model, e) }
	}
	return inEpochs.TrainEpochs(ctx, training, watch)
}

// adjust chooses the thresholds and fits the probabilities on mail that was not learnt, and returns the doubts about them.
func (f *Filter) adjust(s scored, limits metrics.ThresholdOptions) []string {
	var warnings []string
	if f.isSpamFilter() {
		thresholds, doubts := metrics.ChooseThresholds(s.margins(), s.spam(), limits)
		f.settings.Thresholds = &thresholds
		if promise, ok := limits.Promise(thresholds, s.margins(), s.spam()); ok {
			f.provenance.Promise = &promise
		}
		warnings = append(warnings, doubts...)
	}
	calibration, doubts := metrics.Calibrate(s.labels, s.scores, f.linear.Classes)
	f.settings.Calibration = calibration
	return append(warnings, doubts...)
}

// newFilter joins a model with what it was trained on; thresholds, calibration and figures come later.
func newFilter(c *Collection, linear *models.Linear, model string, kind features.Kind, t models.Trainer, o TrainOptions) (*Filter, error) {
	trainer, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("encode settings of %s: %w", model, err)
	}
	summary := c.summary
	summary.Problems = nil // they name paths: the model tells nobody where its mail lay
	vocabulary, terms := c.termsOf(kind)
	return &Filter{
		vocabulary: vocabulary,
		linear:     linear,
		kind:       kind,
		terms:      terms,
		settings: Settings{
			Classes:      c.classes,
			Model:        model,
			Kind:         kind.String(),
			Form:         linear.Form,
			TermsVersion: tokenize.Version,
			Key:          c.options.Reading.Key,
			Message:      c.options.Reading.Message,
			Tokenize:     c.options.Reading.Tokenize,
		},
		provenance: &Provenance{
			Features: c.options.Features,
			Trainer:  trainer,
			Limits:   o.Thresholds,
			Split:    c.options.Split,
			Seed:     c.options.Seed,
			Corpus:   summary,
		},
	}, nil
}
