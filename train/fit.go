package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/internal/parallel"
	"chaff/internal/sections"
	"chaff/metrics"
	"chaff/models"
)

// Options configure how a model is fitted.
type Options struct {
	Models     models.Options
	Thresholds metrics.ThresholdOptions
	// Epoch, if set, is called after each epoch of a trainer that works in epochs.
	Epoch func(model string, e models.Epoch)
	// Pass, if set, is called before each epoch of each fit, with its number and the largest number there may be.
	Pass func(pass, all int)
	// Unwatched leaves out the figures of the epochs of a result.
	Unwatched bool
}

// unwatched returns the options of a fit whose epochs nobody measures.
func (o Options) unwatched() models.EpochOptions {
	return models.EpochOptions{OnPass: o.Pass, Unwatched: true}
}

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	return Options{Models: models.DefaultOptions(), Thresholds: metrics.DefaultThresholdOptions()}
}

// Result describes a fitted model and its figures.
type Result struct {
	Model   string  `json:"model"`
	Kind    string  `json:"features"`
	Terms   int     `json:"terms"`
	Seconds float64 `json:"training_cpu_seconds"`  // the CPU time of training
	Bytes   int     `json:"model_bytes,omitempty"` // the size of the model file
	models.Report
	// Train, Development and Test are the figures of the parts; nil for a part without messages.
	Train       *metrics.Figures       `json:"train,omitempty"`
	Development *metrics.Figures       `json:"development,omitempty"`
	Test        *metrics.Figures       `json:"test,omitempty"`
	Choice                             // made on the development part
	Verdicts    *metrics.VerdictCounts `json:"test_verdicts,omitempty"` // nil unless the model is a spam filter
	Cost        *float64               `json:"test_cost,omitempty"`     // the mean of a message; nil without costs
	// AgainstBest compares the errors on the test part with those of the model that is best on the development part, for which it is nil. P is
	// corrected for the number of models.
	AgainstBest *metrics.McNemar `json:"against_best,omitempty"`
}

// Figures returns the figures of a part; nil for a part without messages.
func (r Result) Figures(part corpus.Part) *metrics.Figures {
	return map[corpus.Part]*metrics.Figures{corpus.Train: r.Train, corpus.Development: r.Development, corpus.Test: r.Test}[part]
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
	trainer, kind, err := o.Models.New(model, c.Options.Seed)
	if err != nil {
		return Trained{}, err
	}
	training, held, tested := c.Dataset(corpus.Train, kind), c.Dataset(corpus.Development, kind), c.Dataset(corpus.Test, kind)
	began := cputime.Process()
	epochs := models.EpochOptions{Development: held, OnPass: o.Pass, Unwatched: o.Unwatched}
	if o.Epoch != nil {
		epochs.OnEpoch = func(e models.Epoch) { o.Epoch(model, e) }
	}
	linear, report, err := trainer.Train(ctx, training, epochs)
	if err != nil {
		return Trained{}, fmt.Errorf("train %s: %w", model, err)
	}
	report.Learned = nil // takes much memory, and learns on from a part of the mail only
	seconds := (cputime.Process() - began).Seconds()
	development, test := Score(linear, held), Score(linear, tested)
	choice, warnings := o.choose(c, development, c.InPart(corpus.Development), trainer)
	report.Warnings = append(report.Warnings, warnings...)
	figures := func(s Scores) *metrics.Figures {
		s.Probabilities = choice.Calibration.All(s.Scores)
		return s.Figures(filter.IsSpamFilter(c.Classes))
	}
	result := Result{
		Model: model, Kind: kind.String(), Terms: c.termsOf(kind).Vocabulary.Len(), Seconds: seconds, Report: report, Choice: choice,
		Train: figures(Score(linear, training)), Development: figures(development), Test: figures(test),
	}
	if choice.Thresholds != nil && len(test.Labels) > 0 {
		result.Verdicts = test.Margins().Verdicts(*choice.Thresholds)
		result.Cost = o.Thresholds.Cost(*result.Verdicts)
	}
	if err := errors.Join(training.Err(), held.Err(), tested.Err()); err != nil {
		return Trained{}, err
	}
	f, err := c.newFilter(model, linear, nil, o, choice, Provenance{Train: result.Train, Development: result.Development, Test: result.Test})
	return Trained{f, result, development, test}, err
}

// Choice is what is chosen on scores of messages that the model had not learned.
type Choice struct {
	Thresholds  *metrics.Thresholds `json:"thresholds,omitempty"` // nil unless the model is a spam filter
	Calibration metrics.Calibration `json:"calibration"`
	// Promise is the guarantee of the thresholds for future ham; nil if no confidence is set.
	Promise *metrics.Promise `json:"promise,omitempty"`
}

// choose chooses for a model of the training part of c, by the scores of the documents with these numbers. Near-duplicates count as one message
// for the thresholds: a model learns little from the second, and thousands of reports of one program among the ham would let chaff call more of
// the other ham spam.
func (o Options) choose(c *Collection, s Scores, scored []int, t models.Trainer) (chosen Choice, warnings []string) {
	if filter.IsSpamFilter(c.Classes) {
		first, some := c.firsts(scored), Scores{Classes: s.Classes}
		for n, i := range scored {
			if first[i] || o.Thresholds.Costs != "" { // every message costs
				some.Labels, some.Scores = append(some.Labels, s.Labels[n]), append(some.Scores, s.Row(n)...)
			}
		}
		learned := c.InPart(corpus.Train)
		_, labels := c.rows(learned)
		_, apart := c.rows(slices.Collect(maps.Keys(c.firsts(learned))))
		thresholds, doubts := metrics.ChooseThresholds(some.Margins(), ScaleOf(t, labels, apart), o.Thresholds)
		chosen.Thresholds, warnings = &thresholds, doubts
		chosen.Promise = o.Thresholds.Promise(thresholds, s.Margins())
	}
	calibration, doubts := metrics.Calibrate(s.Labels, s.Scores, s.Classes)
	chosen.Calibration, warnings = calibration, append(warnings, doubts...)
	switch t.(type) {
	case *models.Majority, *models.Memoriser: // not meant to learn from the terms of a message
	default:
		if doubt := s.learnedLittle(); doubt != "" {
			warnings = append(warnings, doubt)
		}
	}
	return chosen, warnings
}

// ScaleOf returns the scale of the scores of a model of a trainer that has learned documents with these labels. The labels apart are those of one
// document of each group of near-duplicates.
func ScaleOf(t models.Trainer, labels, apart []int32) metrics.Scale {
	count := func(labels []int32) (of [2]float64) {
		for _, label := range labels {
			of[min(label, filter.SpamClass)]++
		}
		return of
	}
	all, groups := count(labels), count(apart)
	scale := metrics.Scale{Ham: int(groups[0])}
	if m, ok := t.(interface {
		LogOdds() (unit float64, bounds [2]float64)
	}); ok {
		scale.Prior, scale.Apart = math.Log(all[filter.SpamClass]/all[0]), math.Log(groups[filter.SpamClass]/groups[0])
		scale.LogOdds, scale.Bounds = m.LogOdds()
	}
	return scale
}

// newFilter returns a filter of the named model, whose learner may be nil, and of the settings and the vocabulary it was fitted with. It completes
// the provenance by them.
func (c *Collection) newFilter(model string, linear *models.Linear, learned *models.Online, o Options, chosen Choice, p Provenance) (*filter.Filter, error) {
	trainer, kind, err := o.Models.New(model, c.Options.Seed)
	if err != nil {
		return nil, err
	}
	if p.Trainer, err = json.Marshal(trainer); err != nil {
		return nil, fmt.Errorf("encode settings of %s: %w", model, err)
	}
	p.Features, p.Split, p.Seed, p.Limits = c.Options.Features, c.Options.Split, c.Options.Seed, o.Thresholds
	p.Corpus, p.Promise = c.summary, chosen.Promise
	p.Corpus.Listing = nil
	// The sample is the smallest hashes of messages, which are keyed like terms, so that nobody without the model can tell what it was fitted to.
	hashes := c.Mail.hashes(c.InPart(corpus.Train), c.Options.Reading.Key)
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	p.Sample = sections.Bytes(hashes[:min(sampleSize, len(hashes))])
	info, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode provenance of %s: %w", model, err)
	}
	v := c.termsOf(kind)
	return filter.New(filter.Parts{
		Settings: filter.Settings{
			Classes: c.Classes, Model: model, Kind: kind.String(), Reading: c.Options.Reading,
			Thresholds: chosen.Thresholds, Calibration: chosen.Calibration,
		},
		Vocabulary: v.Vocabulary, Linear: linear, Terms: v.Terms, SaveTexts: c.Options.Features.Texts, Provenance: info, Learned: learned,
	})
}

// Empty returns mail without messages and a filter of the named model that has seen none, which can learn. It calls every message unsure until it
// has thresholds and a calibration: one learned message of spam would make spam of all mail.
func Empty(classes []string, model string, c CollectOptions, o Options) (*Mail, *filter.Filter, error) {
	learner, kind, err := o.Models.NewOnline(model, classes)
	if err != nil {
		return nil, nil, err
	}
	if kind == features.Evidence {
		learner.Grow(features.CellCount)
	}
	linear, err := learner.Linear()
	if err != nil {
		return nil, nil, err
	}
	mail := NewMail(classes, features.NewDocuments(0), nil)
	empty := &Collection{Mail: mail, summary: mail.summary, Options: c}
	if err := empty.buildVocabulary(); err != nil {
		return nil, nil, err
	}
	var choice Choice
	choice.Calibration, _ = metrics.Calibrate(nil, nil, len(classes))
	if filter.IsSpamFilter(classes) {
		choice.Thresholds = &metrics.Thresholds{Unsure: -metrics.Beyond, Spam: metrics.Beyond}
	}
	f, err := empty.newFilter(model, linear, learner, o, choice, Provenance{})
	return mail, f, err
}

// Scores are the scores of a model on N labelled documents of K classes.
type Scores struct {
	Classes             int // K
	Labels, Predictions []int32
	Scores              []float64 // N x K, row by row
	Probabilities       []float64 // N x K, empty until the scores are calibrated
}

// Score returns the scores of all documents of a data set.
func Score(linear *models.Linear, d *features.Dataset) Scores {
	s := Scores{
		Classes:     linear.Classes,
		Labels:      d.Labels,
		Predictions: make([]int32, d.Len()),
		Scores:      make([]float64, d.Len()*linear.Classes),
	}
	parallel.Ranges(d.Workers, d.Len(), 256, func(_, from, to int) {
		rows := d.Rows()
		for i := from; i < to; i++ {
			s.Predictions[i] = int32(models.Argmax(linear.Scores(s.Row(i), rows.Row(i))))
		}
	})
	return s
}

// Row returns the K scores of document i.
func (s Scores) Row(i int) []float64 { return s.Scores[i*s.Classes:][:s.Classes] }

// Margins returns the scores of a spam filter, by the labels.
func (s Scores) Margins() (m metrics.Margins) {
	z, spam := make([]float64, len(s.Labels)), make([]bool, len(s.Labels))
	for i, label := range s.Labels {
		z[i], spam[i] = s.Scores[2*i+1]-s.Scores[2*i], label == filter.SpamClass
	}
	return metrics.NewMargins(z, spam)
}

// Figures returns the figures of calibrated scores, or nil without documents.
func (s Scores) Figures(isSpamFilter bool) *metrics.Figures {
	if len(s.Labels) == 0 {
		return nil
	}
	figures := metrics.Measure(s.Labels, s.Predictions, s.Classes)
	figures.MeasureScores(s.Labels, s.Scores, s.Probabilities, s.Classes)
	if isSpamFilter {
		figures.MeasureSpam(s.Margins())
	}
	return &figures
}

// learnedLittle returns a warning if there are more than half as many errors as when all documents are given the most frequent class.
func (s Scores) learnedLittle() string {
	confusion, most := metrics.NewConfusion(s.Labels, s.Predictions, s.Classes), 0
	for class := range confusion {
		most = max(most, confusion.Of(class))
	}
	errors, others := len(s.Labels)-confusion.Correct(), len(s.Labels)-most
	if 2*errors <= others {
		return ""
	}
	return fmt.Sprintf("the model has learned little: %d of %d messages have the wrong class, and %d would have it if all were given the most frequent one; check the labels and the settings",
		errors, len(s.Labels), others)
}

// Append appends the scores of other documents. Another model of the same classes may have scored them.
func (s *Scores) Append(t Scores) {
	s.Classes = max(s.Classes, t.Classes)
	s.Labels = append(s.Labels, t.Labels...)
	s.Predictions = append(s.Predictions, t.Predictions...)
	s.Scores = append(s.Scores, t.Scores...)
	s.Probabilities = append(s.Probabilities, t.Probabilities...)
}
