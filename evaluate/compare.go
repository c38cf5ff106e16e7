package evaluate

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

// Comparison compares models that were trained on the same mail.
type Comparison struct {
	// Models are those that could be trained, the best on the development part first, of equal ones the first in the order
	// of names.
	Models []train.Trained
	// Failed are the errors of the models whose training diverged. They wrap [models.ErrDiverged].
	Failed []error
}

// Compare trains the models of the given names on the same parts of c, and compares the errors of each on the test part
// with those of the one that is best on the development part. A model whose training diverges is left out; any other error
// ends the comparison.
func Compare(ctx context.Context, c *train.Collection, names []string, o train.Options) (Comparison, error) {
	var comparison Comparison
	for _, name := range names {
		trained, err := train.Fit(ctx, c, name, o)
		switch {
		case errors.Is(err, models.ErrDiverged):
			comparison.Failed = append(comparison.Failed, err)
			continue
		case err != nil:
			return Comparison{}, err
		}
		file, err := trained.Filter.Encode()
		if err != nil {
			return Comparison{}, err
		}
		trained.Result.Bytes = len(file)
		comparison.Models = append(comparison.Models, trained)
	}
	all := comparison.Models
	slices.SortStableFunc(all, func(x, y train.Trained) int {
		return cmp.Compare(accuracy(y.Result.Development), accuracy(x.Result.Development))
	})
	var tests []metrics.McNemar
	for _, t := range all[min(1, len(all)):] {
		tests = append(tests, metrics.CompareErrors(t.Test.Labels, all[0].Test.Predictions, t.Test.Predictions))
	}
	for i, corrected := range metrics.Holm(tests) {
		if len(all[i+1].Test.Labels) > 0 {
			all[i+1].Result.AgainstBest = &corrected
		}
	}
	return comparison, nil
}

// accuracy returns the accuracy on a part; a part without messages sorts last.
func accuracy(f *metrics.Figures) float64 {
	if f == nil {
		return -1
	}
	return f.Accuracy
}
