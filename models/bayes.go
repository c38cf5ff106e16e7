package models

import (
	"context"
	"errors"
	"fmt"
	"math"

	"chaff/features"
)

// countTrainer is a trainer whose model is a function of [Counts]: naive Bayes and the baselines.
type countTrainer interface {
	Trainer
	settings
	// biases returns the K biases.
	biases(n *Counts) ([]float64, error)
	// weights returns the function that makes the K weights of a term, one of V, of its sums n_cw.
	weights(n *Counts, V float64) func(dst, ncw []float64)
}

// The range of smoothing other than 0. The minimum is that of scikit-learn: with less, the estimates of unseen terms would
// be dominated by rounding. At the maximum all estimates are practically equal.
const (
	minSmoothing = 1e-10
	maxSmoothing = 1e6
)

// floor is how close to 0 and 1 an estimate comes when smoothing is 0, so that its logarithm is finite.
const floor = minSmoothing

func validateBayes(smoothing float64, prior string) error {
	var errs []error
	if smoothing != 0 && !(smoothing >= minSmoothing && smoothing <= maxSmoothing) { // also refuses NaN
		errs = append(errs, fmt.Errorf("smoothing is %v: must be 0, or from %v to %v", smoothing, minSmoothing, maxSmoothing))
	}
	_, err := parsePrior(prior)
	return errors.Join(append(errs, err)...)
}

// trainCounts trains a model on d. With a name, d must have the kind that m takes.
func trainCounts(ctx context.Context, m countTrainer, d *features.Dataset, name string) (*Linear, Report, *Counts, error) {
	if err := m.Validate(); err != nil {
		return nil, Report{}, nil, err
	}
	if kind, _ := m.kind(); name != "" {
		if err := checkKind(name, d, kind); err != nil {
			return nil, Report{}, nil, err
		}
	}
	n, err := Count(ctx, d)
	if err != nil {
		return nil, Report{}, nil, err
	}
	report := Report{Warnings: warnings(d)}
	if l, is := learnsOn(m, d).(*onlineCounts); is {
		l.counts = n
		l.absent.recount(n)
		report.Learned = l
	}
	l, err := linearOf(m, n)
	return l, report, n, err
}

// linearOf returns the model that m makes of n, over the whole vocabulary of n.
func linearOf(m countTrainer, n *Counts) (*Linear, error) {
	beta, err := m.biases(n)
	if err != nil {
		return nil, err
	}
	return n.linear(beta, m.weights(n, float64(n.terms())))
}

// logEstimate returns the logarithm of an estimate. Without smoothing a the estimate is clipped to floor and 1 - floor.
func logEstimate(estimate, a float64) float64 {
	if a == 0 {
		estimate = min(max(floor, estimate), 1-floor)
	}
	return math.Log(estimate)
}

// logShare returns log lambda_w of tokens, of which n_w are w and n are any of V terms:
//
//	lambda_w = (a + n_w) / (aV + n)
func logShare(nw, n, V, a float64) float64 {
	lambda := 1 / V
	if a > 0 || n > 0 {
		lambda = (a + nw) / (a*V + n)
	}
	return logEstimate(lambda, a)
}
