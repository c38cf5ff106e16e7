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

// CrossValidation is the result of one model.
type CrossValidation struct {
	Model string `json:"model"`
	Kind  string `json:"features"`
	// Test covers all messages, each classified by a model that was not fitted to it.
	Test metrics.Figures `json:"test"`
	// Deviation is the standard deviation of the test accuracy over the rounds, in percentage points.
	Deviation float64 `json:"accuracy_deviation"`
	// AgainstBest compares the errors with those of the model that is best on the development parts: Better counts the messages that
	// only this model gets right. P is corrected for the number of models. It is nil for the best model.
	AgainstBest *metrics.McNemar `json:"against_best,omitempty"`
	// Suspects are messages whose label may be wrong, since a model that was not fitted to the message doubts it: see [metrics.Typical]. The
	// least probable labels come first.
	Suspects []Judged `json:"suspects"`
	// Rounds has the result of each round.
	Rounds []train.Result `json:"rounds"`

	test        train.Scores // of all messages, in the order of the rounds
	development float64      // sum of the accuracies of the rounds
}

// Against compares the errors of v with those of base, another model of the same cross-validation: Better counts the messages that only
// v gets right. It panics if the numbers of messages differ.
func (v CrossValidation) Against(base CrossValidation) metrics.McNemar {
	return metrics.CompareErrors(v.test.Labels, base.test.Predictions, v.test.Predictions)
}

// ValidateFolds returns an error if mail with such a split cannot be divided into the given number of folds.
func ValidateFolds(folds int, split corpus.SplitOptions) error {
	if folds < 3 {
		return fmt.Errorf("the number is %d: must be at least 3, for training, development and test", folds)
	}
	if split.Method == corpus.SplitByTime {
		return errors.New("a split by time has no folds")
	}
	return nil
}

// CrossValidate divides c into folds and fits each model once for each fold: that fold is the test part, the next one the development
// part, and the others are the training part. If the split of c is grouped, near-duplicates share a fold. The model that is best on the
// development parts comes first. The error comes from [ValidateFolds] or a trainer, or is about an unknown name.
func CrossValidate(ctx context.Context, c *train.Collection, models []string, folds int, o train.Options) ([]CrossValidation, error) {
	if err := ValidateFolds(folds, c.Options().Split); err != nil {
		return nil, err
	}
	results := make([]CrossValidation, len(models))
	for round := range folds {
		members := c.Members()
		for i, m := range members {
			members[i].Part = corpus.Fold(c.Options().Seed, m.Group, round, folds)
		}
		r, err := c.Select(members)
		if err != nil {
			return nil, fmt.Errorf("fold %d of %d: %w", round+1, folds, err)
		}
		for m, model := range models {
			t, err := train.Fit(ctx, r, model, o)
			if err != nil {
				return nil, fmt.Errorf("fold %d of %d: %w", round+1, folds, err)
			}
			v := &results[m]
			v.Model, v.Kind = model, t.Result.Kind
			v.Rounds = append(v.Rounds, t.Result)
			v.development += accuracy(t.Result.Development)
			v.test.Append(t.Test.Calibrated(t.Result.Calibration))
			if err := v.addSuspects(ctx, r, t.Filter); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(results, func(x, y CrossValidation) int { return cmp.Compare(y.development, x.development) })
	against := AgainstBase(results, results[0])
	for m := range results {
		v := &results[m]
		v.Test, v.Deviation = *v.test.Figures(filter.IsSpamFilter(c.Classes())), deviation(v.Rounds)
		if m > 0 {
			v.AgainstBest = &against[m]
		}
	}
	return results, nil
}

// AgainstBase compares the errors of each model with those of base, one of them. P is corrected for the number of models
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

const maxSuspects = 20

// addSuspects adds the test messages of a round whose label may be wrong.
func (v *CrossValidation) addSuspects(ctx context.Context, round *train.Collection, f *filter.Filter) error {
	j, err := reviewerOf(round, f, corpus.Test)
	if err != nil {
		return err
	}
	doubtful, _ := metrics.TypicalOf(j.Labels, j.Scores.Scores, j.Classes).Doubtful(j.Labels, j.Scores.Scores)
	suspects, err := j.judge(ctx, maxSuspects, doubtful)
	if err := errors.Join(err, j.rows.Err()); err != nil {
		return err
	}
	v.Suspects = append(v.Suspects, suspects...)
	slices.SortStableFunc(v.Suspects, func(x, y Judged) int { return cmp.Compare(x.LabelProbability, y.LabelProbability) })
	v.Suspects = v.Suspects[:min(len(v.Suspects), maxSuspects)]
	return nil
}

// deviation returns the standard deviation of the test accuracy over the rounds with a test part, or 0 for fewer than two.
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
