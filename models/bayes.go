package models

import (
	"context"
	"errors"
	"fmt"
	"math"

	"chaff/features"
)

// Estimates are the parameters of a naive Bayes model, in float64 and before they are folded into a [Linear], whose
// weights are rounded and, for two classes, a difference.
type Estimates struct {
	// LogPrior is log pi_c, K.
	LogPrior []float64
	// LogLikelihood is log lambda_cw, K x V.
	LogLikelihood [][]float64
	// LogAbsent is log(1 - lambda_cw), K x V, for Bernoulli; nil for multinomial, where absent terms say nothing.
	LogAbsent [][]float64
}

// The range of smoothing other than 0. The least is that of scikit-learn: with less, estimates of terms that were not
// seen would only add up to rounding errors. The largest is where all estimates are as good as equal.
const (
	minSmoothing = 1e-10
	maxSmoothing = 1e6
)

// floor is how close to 0 and 1 an estimate comes when smoothing is 0, so that its logarithm is finite.
const floor = minSmoothing

// validateBayes checks the settings of both models; prefix stands before each key.
func validateBayes(prefix string, smoothing float64, prior string) error {
	var errs []error
	if smoothing != 0 && !(smoothing >= minSmoothing && smoothing <= maxSmoothing) { // also refuses NaN
		errs = append(errs, fmt.Errorf("%ssmoothing is %v: must be 0, or from %v to %v", prefix, smoothing, minSmoothing, maxSmoothing))
	}
	if err := checkPrior(prior); err != nil {
		errs = append(errs, fmt.Errorf("%s%w", prefix, err))
	}
	return errors.Join(errs...)
}

// countFor returns n_cw and log pi_c of a data set, which must be of the kind of feature that the named model takes.
func countFor(ctx context.Context, d *features.Dataset, model string, kind features.Kind, prior string) (*counts, []float64, error) {
	if err := wantKind(model, d, kind); err != nil {
		return nil, nil, err
	}
	n, err := count(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	logPi, err := logPrior(prior, d.Classes, n.documents)
	return n, logPi, err
}

// logHeld returns the logarithm of an estimate, which is held between floor and 1 - floor when there is no smoothing.
func logHeld(estimate, a float64) float64 {
	if a == 0 {
		estimate = min(max(floor, estimate), 1-floor)
	}
	return math.Log(estimate)
}
