package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

// CrossValidation is the result of one model.
type CrossValidation struct {
	Model string          `json:"model"`
	Kind  string          `json:"features"`
	Test  metrics.Figures `json:"test"` // all messages, each classified by a model that was not fitted to it
	// Verdicts counts those of all messages, each with the thresholds of its round; nil unless the model is a spam filter.
	Verdicts *metrics.VerdictCounts `json:"test_verdicts,omitempty"`
	// Deviation is the standard deviation of the test accuracy over the rounds, in percentage points.
	Deviation float64 `json:"accuracy_deviation"`
	// AgainstBest compares the errors with those of the model that is best on the development parts: Better counts the messages that
	// only this model gets right. P is corrected for the number of models. It is nil for the best model.
	AgainstBest *metrics.McNemar `json:"against_best,omitempty"`
	Rounds      []train.Result   `json:"rounds"` // the result of each round

	test train.Scores // of all messages, in the order of the rounds
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
	if err := ValidateFolds(folds, c.Options.Split); err != nil {
		return nil, err
	}
	if n := len(c.Members()); folds > n {
		return nil, fmt.Errorf("%d folds of %d messages: each needs one", folds, n)
	}
	results := make([]CrossValidation, len(models))
	for round := range folds {
		members := c.Members()
		for i, m := range members {
			members[i].Part = corpus.Fold(c.Options.Seed, m.Group, round, folds)
		}
		divided, err := c.Select(members)
		if err != nil {
			return nil, fmt.Errorf("fold %d of %d: %w", round+1, folds, err)
		}
		for m := range results {
			t, err := train.Fit(ctx, divided, models[m], o)
			if err != nil {
				return nil, fmt.Errorf("fold %d of %d: %w", round+1, folds, err)
			}
			v := &results[m]
			v.Model, v.Kind, v.Rounds = t.Result.Model, t.Result.Kind, append(v.Rounds, t.Result)
			t.Test.Probabilities = t.Result.Calibration.All(t.Test.Scores)
			v.test.Append(t.Test)
			if of := t.Result.Verdicts; of != nil {
				v.Verdicts = new(cmp.Or(v.Verdicts, new(metrics.VerdictCounts)).Plus(*of))
			}
		}
	}
	slices.SortStableFunc(results, func(x, y CrossValidation) int {
		return cmp.Compare(y.Mean(corpus.Development).Accuracy, x.Mean(corpus.Development).Accuracy)
	})
	against := against(len(results), func(m int) train.Scores { return results[m].test })
	for m := range results {
		v := &results[m]
		v.Test, v.Deviation = *v.test.Figures(filter.IsSpamFilter(c.Classes)), v.Mean(corpus.Test).Deviation
		if m > 0 {
			v.AgainstBest = &against[m]
		}
	}
	return results, nil
}

// Mean is the mean accuracy over rounds, and the standard deviation of a round, in percent.
type Mean struct {
	Accuracy  float64 `json:"accuracy"`
	Deviation float64 `json:"accuracy_deviation"` // of the population that the rounds are a sample of; 0 for fewer than two
}

// Mean returns the mean accuracy on a part over the rounds in which it has messages.
func (v CrossValidation) Mean(part corpus.Part) (m Mean) {
	var all []float64
	for _, r := range v.Rounds {
		if f := r.Figures(part); f != nil {
			all = append(all, f.Accuracy)
		}
	}
	for _, x := range all {
		m.Accuracy += x / float64(len(all))
	}
	squares := 0.
	for _, x := range all {
		squares += (x - m.Accuracy) * (x - m.Accuracy)
	}
	m.Deviation = math.Sqrt(squares / float64(max(1, len(all)-1)))
	return m
}

// against compares the errors of n models with those of the first. P is corrected for the number of models (see [metrics.Holm]).
func against(n int, of func(m int) train.Scores) []metrics.McNemar {
	all := make([]metrics.McNemar, n)
	for m := 1; m < n; m++ {
		all[m] = metrics.CompareErrors(of(m).Labels, of(0).Predictions, of(m).Predictions)
	}
	return append(all[:1], metrics.Holm(all[1:])...)
}

// Compare fits the named models to c, on each of the kinds of feature that they take or else on their own, and compares the errors of each on the test part with
// those of the model that is best on the development part. The most accurate on the development part comes first; of equally accurate ones the one with the
// smaller log loss. Without a development part they keep the order of the names. Models that diverge have failed, with [models.ErrDiverged]; any other error ends
// the comparison.
func Compare(ctx context.Context, c *train.Collection, names []string, o train.Options, kinds ...features.Kind) (all []train.Trained, failed []error, err error) {
	for _, name := range names {
		var options []models.Options // for each kind that the model takes
		for _, kind := range kinds {
			with := o.Models.WithFeatures(kind)
			_, on, err := with.New(name, c.Options.Seed)
			if err != nil {
				return nil, nil, err
			}
			if on == kind {
				options = append(options, with)
			}
		}
		if len(options) == 0 {
			options = append(options, o.Models)
		}
		for _, settings := range options {
			with := o
			with.Models = settings
			trained, err := train.Fit(ctx, c, name, with)
			switch {
			case errors.Is(err, models.ErrDiverged):
				failed = append(failed, err)
				continue
			case err != nil:
				return nil, nil, err
			}
			file, err := trained.Filter.Encode()
			if err != nil {
				return nil, nil, err
			}
			trained.Result.Bytes = len(file)
			all = append(all, trained)
		}
	}
	slices.SortStableFunc(all, func(x, y train.Trained) int {
		return compareFigures(x.Result.Development, y.Result.Development, metrics.ByAccuracy)
	})
	if len(all) == 0 || all[0].Result.Development == nil || len(all[0].Test.Labels) == 0 {
		return all, failed, nil
	}
	against := against(len(all), func(m int) train.Scores { return all[m].Test })
	for m := range all[1:] {
		all[m+1].Result.AgainstBest = &against[m+1]
	}
	return all, failed, nil
}
