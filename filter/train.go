package filter

import (
	"context"
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
	// The figures of the parts; a part without messages has none.
	Train       *metrics.Figures `json:"train,omitempty"`
	Development *metrics.Figures `json:"development,omitempty"`
	Test        *metrics.Figures `json:"test,omitempty"`
	// Thresholds were chosen on the development part, for a spam filter only. Verdicts is what they make of the test part.
	Thresholds *metrics.Thresholds `json:"thresholds,omitempty"`
	Verdicts   *VerdictCounts      `json:"test_verdicts,omitempty"`
	// Warnings are doubts about the result, in plain words.
	Warnings []string `json:"warnings,omitempty"`
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

// Train trains the model of the given name on the training part of c, chooses thresholds on the development part, and
// measures all three parts. The error is that of the trainer or of an unknown name.
func Train(ctx context.Context, c *Collection, model string, o TrainOptions) (*Filter, Result, error) {
	trainer, kind, err := o.Models.New(model)
	if err != nil {
		return nil, Result{}, err
	}
	training := c.Dataset(corpus.Train, kind)
	linear, report, err := trainer.Train(ctx, training)
	if err != nil {
		return nil, Result{}, fmt.Errorf("train %s: %w", model, err)
	}
	f := newFilter(c, linear, model, kind, o)
	result := Result{Model: model, Kind: kind.String(), Terms: c.vocabulary.Len(), Warnings: report.Warnings}
	development, test := f.score(c.Dataset(corpus.Development, kind)), f.score(c.Dataset(corpus.Test, kind))
	if f.isSpamFilter() {
		thresholds, warnings := metrics.ChooseThresholds(development.scores, development.spam(), o.Thresholds)
		f.settings.Thresholds = &thresholds
		result.Thresholds = &thresholds
		result.Warnings = append(result.Warnings, warnings...)
		if len(test.labels) > 0 {
			result.Verdicts = f.countVerdicts(test)
		}
	}
	result.Train, result.Development, result.Test = f.measure(f.score(training)), f.measure(development), f.measure(test)
	f.settings.Train, f.settings.Development, f.settings.Test = result.Train, result.Development, result.Test
	return f, result, nil
}

// newFilter joins a model with what it was trained on; thresholds and figures come later.
func newFilter(c *Collection, linear *models.Linear, model string, kind features.Kind, o TrainOptions) *Filter {
	summary := c.summary
	summary.Problems = nil // they name paths: the model tells nobody where its mail lay
	return &Filter{
		vocabulary: c.vocabulary,
		linear:     linear,
		kind:       kind,
		terms:      &Terms{Texts: c.texts, Documents: c.frequency},
		settings: Settings{
			Classes:      c.classes,
			Model:        model,
			Kind:         kind.String(),
			TermsVersion: tokenize.Version,
			Message:      c.options.Reading.Message,
			Tokenize:     c.options.Reading.Tokenize,
			Features:     c.options.Features,
			Trainer:      o.Models,
			Limits:       o.Thresholds,
			Split:        c.options.Split,
			Seed:         c.options.Seed,
			Corpus:       summary,
		},
	}
}

// scored is what a model says of labelled documents.
type scored struct {
	labels, predictions []int32
	scores              []float64 // log odds of the second class, for two classes only
}

func (f *Filter) score(d *features.Dataset) scored {
	s := scored{labels: d.Labels, predictions: make([]int32, d.Len())}
	if f.linear.Classes == 2 {
		s.scores = make([]float64, d.Len())
	}
	for i := range d.Len() {
		x := d.Row(i)
		s.predictions[i] = int32(f.linear.Predict(x))
		if s.scores != nil {
			s.scores[i] = f.linear.Score(x)
		}
	}
	return s
}

// spam says of each document whether it is truly spam.
func (s scored) spam() []bool {
	spam := make([]bool, len(s.labels))
	for i, label := range s.labels {
		spam[i] = label == spamClass
	}
	return spam
}

// measure returns the figures of a part, nil if it is empty.
func (f *Filter) measure(s scored) *metrics.Figures {
	if len(s.labels) == 0 {
		return nil
	}
	figures := metrics.Measure(s.labels, s.predictions, f.linear.Classes)
	if f.isSpamFilter() {
		figures.MeasureSpam(s.scores, s.spam())
	}
	return &figures
}

func (f *Filter) countVerdicts(s scored) *VerdictCounts {
	counts := new(VerdictCounts)
	for i, label := range s.labels {
		of := &counts.Ham
		if label == spamClass {
			of = &counts.Spam
		}
		switch f.decide(s.scores[i]) {
		case Ham:
			of.Ham++
		case Unsure:
			of.Unsure++
		case Spam:
			of.Spam++
		}
	}
	return counts
}
