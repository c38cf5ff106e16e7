package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/metrics"
	"chaff/train"
)

// Candidate is a set of settings to try: everything that a model depends on except the mail and its split.
type Candidate struct {
	Model    string
	Reading  filter.Reading
	Features features.Options
	Options  train.Options
}

// TuneOptions configure a search for settings.
type TuneOptions struct {
	// Objective is one of [metrics.Objectives].
	Objective string
	// Folds, if not 0, is the number of folds that training and development part together are divided into. Each fold is the
	// development part of one round, and the figures are means over the rounds. With 0, the split decides the development part.
	Folds int
	// Workers is the number of trials that run at the same time; 0 means one for each core. It changes no result.
	Workers int
	// Progress, if set, is called after each trial, one at a time, with the number of finished trials, the number of all trials, and the
	// best trial so far.
	Progress func(done, all int, best Trial)
}

// Trial is the result of fitting a candidate.
type Trial struct {
	// Candidate is the index of the candidate.
	Candidate int
	// Development is the outcome on development mail, the mean over folds if there are any.
	Development metrics.Outcome
	// Seconds is the CPU time of the trial: vectors, training and measuring.
	Seconds float64
	// Error explains why the trial failed; empty if it did not.
	Error string
}

// ErrNoDevelopment is returned when there is no development mail to compare candidates on.
var ErrNoDevelopment = errors.New("no development mail to compare settings on")

// Tune fits all candidates and returns a trial of each, the best first: of equal trials the one with the smaller log loss, then the first
// candidate. Tune never uses the test part of c. Neither the order of the mail nor the number of workers changes a figure.
//
// When ctx is done, Tune returns the finished trials and the cause.
func Tune(ctx context.Context, c *train.Collection, candidates []Candidate, o TuneOptions) ([]Trial, error) {
	if !slices.Contains(metrics.Objectives(), o.Objective) {
		return nil, fmt.Errorf("objective %q: must be one of %q", o.Objective, metrics.Objectives())
	}
	if forSpam := o.Objective == metrics.ByLAM || o.Objective == metrics.ByOneMinusROCA; forSpam && !filter.IsSpamFilter(c.Classes()) {
		return nil, fmt.Errorf("objective %s: needs the classes ham and spam, and the mail has %s", o.Objective, strings.Join(c.Classes(), ", "))
	}
	if o.Folds != 0 {
		if err := ValidateFolds(o.Folds, c.Options().Split); err != nil {
			return nil, err
		}
	}
	members := withoutTest(c.Members())
	if o.Folds == 0 && !slices.ContainsFunc(members, func(m train.Member) bool { return m.Part == corpus.Development }) {
		return nil, ErrNoDevelopment
	}
	return (&search{mail: c, members: members, candidates: candidates, o: o}).run(ctx)
}

// withoutTest removes the test part from members.
func withoutTest(members []train.Member) []train.Member {
	return slices.DeleteFunc(members, func(m train.Member) bool { return m.Part == corpus.Test })
}

// FitCandidate fits a candidate to the training part of c and measures all three parts, as [train.Fit] does on mail that was collected
// with the settings of the candidate.
func FitCandidate(ctx context.Context, c *train.Collection, candidate Candidate) (train.Trained, error) {
	o := c.Options()
	o.Features = candidate.Features
	c = c.WithOptions(o)
	var err error
	if nameOf(candidate.Reading) == nameOf(o.Reading) {
		c, err = c.Select(c.Members())
	} else {
		c, err = c.Reread(ctx, candidate.Reading, c.Members())
	}
	if err != nil {
		return train.Trained{}, err
	}
	return train.Fit(ctx, c, candidate.Model, candidate.Options)
}

// nameOf returns a name that differs for different readings.
func nameOf(r filter.Reading) string { return fmt.Sprintf("%#v", r) }

// compareTrials orders trials from the best to the worst.
func compareTrials(objective string) func(x, y Trial) int {
	failed := func(t Trial) int {
		if t.Error != "" {
			return 1
		}
		return 0
	}
	return func(x, y Trial) int {
		return cmp.Or(
			cmp.Compare(failed(x), failed(y)),
			cmp.Compare(x.Development.Cost(objective), y.Development.Cost(objective)),
			cmp.Compare(x.Development.Cost(metrics.ByLogLoss), y.Development.Cost(metrics.ByLogLoss)),
			cmp.Compare(x.Candidate, y.Candidate),
		)
	}
}
