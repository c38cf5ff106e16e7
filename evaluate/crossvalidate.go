package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"chaff/corpus"
	"chaff/filter"
	"chaff/metrics"
	"chaff/train"
)

// CrossValidation is what a cross-validation found out about one model.
type CrossValidation struct {
	Model string `json:"model"`
	Kind  string `json:"features"`
	// Test is the figures over all messages, each classified by the model that has not seen it.
	Test metrics.Figures `json:"test"`
	// Deviation is the standard deviation of the test accuracy over the rounds, in percentage points.
	Deviation float64 `json:"accuracy_deviation"`
	// AgainstBest compares the errors of the model with those of the model that is best on the development parts: Better
	// are the messages that this one gets right and the best one wrong. P is corrected for how many models are compared. nil
	// for the best.
	AgainstBest *metrics.McNemar `json:"against_best,omitempty"`
	// Suspects are messages whose label may be wrong: a model that had not seen the message gave another class a probability
	// of at least 0.95. The least probable labels come first.
	Suspects []Judged `json:"suspects"`
	// Rounds is the result of each round.
	Rounds []train.Result `json:"rounds"`

	labels, predictions []int32 // of all messages, in the order of the rounds
}

// Against compares the errors of the model with those of base, which is of the same cross-validation: Better are the messages
// that this one gets right and base wrong. It panics if the two are of different mail.
func (v CrossValidation) Against(base CrossValidation) metrics.McNemar {
	return metrics.CompareErrors(v.labels, base.predictions, v.predictions)
}

// ValidateFolds returns what is wrong with so many folds of mail that is split so.
func ValidateFolds(folds int, split corpus.SplitOptions) error {
	if folds < 3 {
		return fmt.Errorf("%d folds: at least 3 are needed, for training, development and test", folds)
	}
	if split.Method == corpus.SplitByTime {
		return errors.New("a split by time has no folds")
	}
	return nil
}

// CrossValidate divides c into the given number of folds and trains each model as many times: each time one fold is the
// test part, the next one the development part, and the others are for training. Near-duplicates stay in one fold if c
// is split so. The best on the development parts comes first. The error is that of [ValidateFolds], of a trainer, or of an
// unknown name.
func CrossValidate(ctx context.Context, c *train.Collection, models []string, folds int, o train.Options) ([]CrossValidation, error) {
	if err := ValidateFolds(folds, c.Options().Split); err != nil {
		return nil, err
	}
	type entry struct {
		CrossValidation
		development float64 // sum over the rounds of the accuracy
		test        train.Scores
	}
	all := make([]entry, len(models))
	for round := range folds {
		r, err := fold(c, round, folds)
		if err != nil {
			return nil, err
		}
		for m, model := range models {
			t, err := train.Fit(ctx, r, model, o)
			if err != nil {
				return nil, fmt.Errorf("fold %d of %d: %w", round+1, folds, err)
			}
			e := &all[m]
			e.Model, e.Kind = model, t.Result.Kind
			e.Rounds = append(e.Rounds, t.Result)
			e.development += accuracy(t.Result.Development)
			e.test.Append(t.Test.Calibrated(t.Result.Calibration))
			review, err := ReviewPart(ctx, r, t.Filter, corpus.Test, maxSuspects)
			if err != nil {
				return nil, err
			}
			e.suspect(review.Mistakes)
		}
	}
	slices.SortStableFunc(all, func(x, y entry) int { return cmp.Compare(y.development, x.development) })
	results := make([]CrossValidation, len(all))
	for m, e := range all {
		e.Test = *e.test.Figures(filter.IsSpamFilter(c.Classes()))
		e.Deviation = deviation(e.Rounds)
		e.labels, e.predictions = e.test.Labels, e.test.Predictions
		results[m] = e.CrossValidation
	}
	for m, against := range AgainstBase(results, results[0]) {
		if m > 0 {
			results[m].AgainstBest = &against
		}
	}
	return results, nil
}

// AgainstBase compares the errors of each model with those of base, which is among them, with P corrected for how many there are
// (see [metrics.Holm]).
func AgainstBase(results []CrossValidation, base CrossValidation) []metrics.McNemar {
	var tests []metrics.McNemar
	for _, r := range results {
		if r.Model != base.Model {
			tests = append(tests, r.Against(base))
		}
	}
	corrected := metrics.Holm(tests)
	all := make([]metrics.McNemar, len(results))
	for m, r := range results {
		all[m].P = 1
		if r.Model != base.Model {
			all[m], corrected = corrected[0], corrected[1:]
		}
	}
	return all
}

// A message is suspected from a probability of suspicion on that is against its label; maxSuspects are named.
const (
	suspicion   = 0.95
	maxSuspects = 20
)

// suspect adds the messages that a model is sure of and wrong about.
func (v *CrossValidation) suspect(mistakes []Judged) {
	for _, m := range mistakes {
		if m.Probability >= suspicion {
			v.Suspects = append(v.Suspects, m)
		}
	}
	slices.SortStableFunc(v.Suspects, func(x, y Judged) int { return cmp.Compare(x.LabelProbability, y.LabelProbability) })
	v.Suspects = v.Suspects[:min(len(v.Suspects), maxSuspects)]
}

// fold returns c divided for one round.
func fold(c *train.Collection, round, folds int) (*train.Collection, error) {
	parts := make([]corpus.Part, c.Len())
	for i := range parts {
		parts[i] = corpus.Fold(c.Options().Seed, c.Key(i), round, folds)
	}
	return c.Divided(parts, c.Options().Features)
}

// deviation returns the standard deviation of the test accuracy over rounds that have a test part, 0 for fewer than two.
func deviation(rounds []train.Result) float64 {
	n, sum, squares := 0.0, 0.0, 0.0
	for _, r := range rounds {
		if r.Test != nil {
			n++
			sum += r.Test.Accuracy
		}
	}
	for _, r := range rounds {
		if r.Test != nil {
			squares += math.Pow(r.Test.Accuracy-sum/n, 2)
		}
	}
	if n < 2 {
		return 0
	}
	return math.Sqrt(squares / (n - 1))
}
