package filter

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"chaff/metrics"
	"chaff/models"
)

// Trained is a filter and what training it found out.
type Trained struct {
	Filter *Filter
	Result Result
}

// Comparison is models that were trained on the same mail.
type Comparison struct {
	// Models are those that could be trained, the best on the development part first, of equal ones the first in the order
	// of names.
	Models []Trained
	// Failed are the errors of those whose training diverged, which wrap models.ErrDiverged.
	Failed []error
}

// Compare trains the models of the given names on the same parts of c, and compares the errors of each on the test part
// with those of the one that is best on the development part. A model whose training diverges is left out; any other error
// ends the comparison.
func Compare(ctx context.Context, c *Collection, names []string, o TrainOptions) (Comparison, error) {
	type entry struct {
		Trained
		test scored
	}
	var all []entry
	var comparison Comparison
	for _, name := range names {
		f, result, test, err := trainAndTest(ctx, c, name, o)
		switch {
		case errors.Is(err, models.ErrDiverged):
			comparison.Failed = append(comparison.Failed, err)
			continue
		case err != nil:
			return Comparison{}, err
		}
		file, err := f.Encode()
		if err != nil {
			return Comparison{}, err
		}
		result.Bytes = len(file)
		all = append(all, entry{Trained{f, result}, test})
	}
	slices.SortStableFunc(all, func(x, y entry) int {
		return cmp.Compare(accuracy(y.Result.Development), accuracy(x.Result.Development))
	})
	var tests []metrics.McNemar
	for _, e := range all[min(1, len(all)):] {
		tests = append(tests, metrics.CompareErrors(e.test.labels, all[0].test.predictions, e.test.predictions))
	}
	corrected := metrics.Holm(tests)
	for i, e := range all {
		if i > 0 && len(e.test.labels) > 0 {
			e.Result.AgainstBest = &corrected[i-1]
		}
		comparison.Models = append(comparison.Models, e.Trained)
	}
	return comparison, nil
}

// accuracy is that of a part; one without messages comes last.
func accuracy(f *metrics.Figures) float64 {
	if f == nil {
		return -1
	}
	return f.Accuracy
}
