package evaluate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/metrics"
	"chaff/train"
)

// Candidate is settings to try: everything that a model depends on but the mail and its split.
type Candidate struct {
	Model    string
	Reading  filter.Reading
	Features features.Options
	Options  train.Options
}

// TuneOptions say how candidates are compared.
type TuneOptions struct {
	// Objective is one of metrics.Objectives.
	Objective string
	// Folds, if not 0, is into how many folds training and development part together are divided: each is once the
	// development part, and the figures are the means. 0 for the development part of the split.
	Folds int
	// Halving tries all candidates on a part of the training messages first; see [Rungs].
	Halving bool
	// Workers is how many trials run at the same time; 0 means one for each core. The result is the same.
	Workers int
	// Known are trials of the same candidates, mail and options that were finished before; they are not run again.
	Known []Trial
	// Finished, if set, is called after each trial that was run, one at a time. An error ends the search.
	Finished func(Trial) error
	// Progress, if set, is called after each trial, known or run, one at a time, with how many there were, how many there
	// will be, and the best so far.
	Progress func(done, all int, best Trial)
}

// Trial is what became of a candidate.
type Trial struct {
	// Candidate is its index.
	Candidate int `json:"candidate"`
	// Rung is how often it had come through a halving.
	Rung int `json:"rung"`
	// Share is the share of the training messages that it was trained on.
	Share float64 `json:"training_share"`
	// Development is what it reached on development mail, the mean over folds if there are any.
	Development metrics.Outcome `json:"development"`
	// Seconds is the CPU time of the trial: vectors, training and measuring.
	Seconds float64 `json:"cpu_seconds"`
	// Error is why there are no figures, such as a step that is too long; empty if there are.
	Error string `json:"error,omitempty"`
}

// ErrNoDevelopment is returned when there is no development mail to compare candidates on.
var ErrNoDevelopment = errors.New("no development mail to compare settings on")

// Tune trains all candidates, and returns what became of each that was finished, the best first: those trained on more
// come before those on less, and of equal ones the first candidate. It never looks at the test part of c. Neither the
// order of the mail nor the number of workers changes a figure.
//
// When ctx is done it returns what was finished by then and the cause.
func Tune(ctx context.Context, c *train.Collection, candidates []Candidate, o TuneOptions) ([]Trial, error) {
	if !slices.Contains(metrics.Objectives(), o.Objective) {
		return nil, fmt.Errorf("objective %q: must be one of %q", o.Objective, metrics.Objectives())
	}
	if forSpam := o.Objective == metrics.ByLAM || o.Objective == metrics.ByOneMinusROCA; forSpam && !filter.IsSpamFilter(c.Classes()) {
		return nil, fmt.Errorf("objective %s: needs the classes ham and spam, and the mail has %q", o.Objective, c.Classes())
	}
	if o.Folds != 0 {
		if err := ValidateFolds(o.Folds, c.Options().Split); err != nil {
			return nil, err
		}
	}
	mail := c.Only(func(i int) bool { return c.Parts()[i] != corpus.Test })
	if o.Folds == 0 && !slices.Contains(mail.Parts(), corpus.Development) {
		return nil, ErrNoDevelopment
	}
	return newTuning(mail, candidates, o).run(ctx)
}

// TrainCandidate trains the best candidate of a search on the training part of c, and measures all three parts. It is
// what [train.Fit] does on mail that was collected with the settings of the candidate.
func TrainCandidate(ctx context.Context, c *train.Collection, candidate Candidate) (train.Trained, error) {
	var err error
	if nameOf(candidate.Reading) != nameOf(c.Options().Reading) {
		if c, err = c.Reread(ctx, candidate.Reading); err != nil {
			return train.Trained{}, err
		}
	}
	if c, err = c.Divided(c.Parts(), candidate.Features); err != nil {
		return train.Trained{}, err
	}
	return train.Fit(ctx, c, candidate.Model, candidate.Options)
}

// nameOf returns a name that is different for different readings.
func nameOf(r filter.Reading) string { return fmt.Sprintf("%#v", r) }

// TuningID names what a search compares candidates on: the training and development mail of c with its labels, in any order. The test
// part does not influence it.
func TuningID(c *train.Collection) string {
	var lines []string
	for i, part := range c.Parts() {
		if part != corpus.Test {
			lines = append(lines, fmt.Sprintf("%016x %s %s\n", c.SplitKey(i), c.Classes()[c.Label(i)], part))
		}
	}
	slices.Sort(lines)
	hash := sha256.New()
	for _, line := range lines {
		hash.Write([]byte(line))
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// The halving begins with no fewer training messages than this, and on no less than 1/16 of them.
const (
	minHalvingMessages = 100
	maxRungs           = 5
)

// Rungs returns the shares of the training messages that a halving of so many candidates goes through, the last of them
// 1: 1/16, 1/8, 1/4, 1/2 and 1 for 16 candidates and more. Fewer candidates have fewer rungs, so that each rung halves
// them, and no rung has fewer than 100 of the training messages.
func Rungs(candidates, training int) []float64 {
	shares := []float64{1}
	for len(shares) < maxRungs && candidates>>len(shares) > 0 && shares[0]/2*float64(training) >= minHalvingMessages {
		shares = append([]float64{shares[0] / 2}, shares...)
	}
	return shares
}

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
			cmp.Compare(y.Share, x.Share),
			cmp.Compare(failed(x), failed(y)),
			cmp.Compare(x.Development.Cost(objective), y.Development.Cost(objective)),
			cmp.Compare(x.Candidate, y.Candidate),
		)
	}
}
