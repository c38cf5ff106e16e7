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

// Comparison compares models that were fitted to the same mail.
type Comparison struct {
	// Models has the fitted models, the most accurate on the development part first; of equally accurate ones the one with the smaller
	// log loss. Without a development part they keep the order of the names.
	Models []train.Trained
	// Failed has the errors of the models that diverged. They wrap [models.ErrDiverged].
	Failed []error
}

// Compare fits the named models to c and compares the errors of each on the test part with those of the model that is best on the
// development part. It leaves out models that diverge; any other error ends the comparison.
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
		return cmp.Or(cmp.Compare(accuracy(y.Result.Development), accuracy(x.Result.Development)),
			cmp.Compare(logLoss(x.Result.Development), logLoss(y.Result.Development)))
	})
	if len(all) == 0 || all[0].Result.Development == nil {
		return comparison, nil
	}
	var tests []metrics.McNemar
	for _, t := range all[1:] {
		tests = append(tests, metrics.CompareErrors(t.Test.Labels, all[0].Test.Predictions, t.Test.Predictions))
	}
	for i, corrected := range metrics.Holm(tests) {
		if len(all[i+1].Test.Labels) > 0 {
			all[i+1].Result.AgainstBest = &corrected
		}
	}
	return comparison, nil
}

// logLoss returns the log loss on a part, or 0 for a part without messages.
func logLoss(f *metrics.Figures) float64 {
	if f == nil || f.LogLoss == nil {
		return 0
	}
	return *f.LogLoss
}

// accuracy returns the accuracy on a part, or -1 for a part without messages.
func accuracy(f *metrics.Figures) float64 {
	if f == nil {
		return -1
	}
	return f.Accuracy
}
