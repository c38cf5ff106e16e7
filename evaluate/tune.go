package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/parallel"
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

// Trial is the result of fitting a candidate.
type Trial struct {
	Candidate   int              // the index of the candidate
	Development *metrics.Figures // nil if the trial failed
	// Error explains why the trial failed; empty if it did not.
	Error string
}

// ErrNoDevelopment is returned when there is no development mail to compare candidates on.
var ErrNoDevelopment = errors.New("no development mail to compare settings on")

// Tune fits all candidates, as many at a time as c has workers, and returns a trial of each, the best by an objective of [metrics.Objectives] first: of equal trials
// the one with the smaller log loss, then the first candidate. Tune never uses the test part of c. Neither the order of the mail nor the number of workers changes a
// figure. After each trial it calls progress, one at a time, with the number of finished trials and that of all.
//
// When ctx is done, Tune returns the finished trials and the cause.
func Tune(ctx context.Context, c *train.Collection, candidates []Candidate, objective string, progress func(done, all int)) ([]Trial, error) {
	if forSpam := objective == metrics.ByLAM || objective == metrics.ByOneMinusROCA; forSpam && !filter.IsSpamFilter(c.Classes) {
		return nil, fmt.Errorf("objective %s: needs the classes ham and spam, and the mail has %s", objective, strings.Join(c.Classes, ", "))
	}
	members := withoutTest(c.Members())
	if !slices.ContainsFunc(members, func(m train.Member) bool { return m.Part == corpus.Development }) {
		return nil, ErrNoDevelopment
	}
	trials, err := tryAll(ctx, c, members, candidates, progress)
	slices.SortFunc(trials, func(x, y Trial) int {
		return cmp.Or(compareFigures(x.Development, y.Development, objective), cmp.Compare(x.Candidate, y.Candidate))
	})
	return trials, err
}

// tryAll tries all candidates, grouped by reading, so that mail is read once for each and one reading at a time is in memory. The
// members of mail leave out the test part.
func tryAll(ctx context.Context, mail *train.Collection, members []train.Member, candidates []Candidate, progress func(done, all int)) (trials []Trial, err error) {
	groups := make(map[string][]int)
	var names []string // of readings, in the order of the candidates
	for i, c := range candidates {
		name := nameOf(c.Reading)
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], i)
	}
	var mu sync.Mutex // of the trials
	for _, name := range names {
		read, group := mail, groups[name]
		if name != nameOf(mail.Options.Reading) {
			with := mail.Options
			with.Reading = candidates[group[0]].Reading
			if read, err = mail.With(ctx, with, members); err != nil {
				return trials, cmp.Or(context.Cause(ctx), err)
			}
		}
		divided := make(map[features.Options]func() (*train.Collection, error)) // the mail without the test part, each once
		for _, i := range group {
			with := read.Options
			with.Features, with.Workers = candidates[i].Features, 1 // trials run in parallel
			divided[with.Features] = sync.OnceValues(func() (*train.Collection, error) {
				return read.With(ctx, with, withoutTest(read.Members()))
			})
		}
		parallel.Each(mail.Options.Workers, len(group), func(n int) {
			if ctx.Err() != nil {
				return
			}
			i := group[n]
			development, err := try(ctx, candidates[i], divided[candidates[i].Features])
			trial := Trial{Candidate: i, Development: development}
			if err != nil {
				trial.Error, trial.Development = err.Error(), nil
			}
			if ctx.Err() != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			trials = append(trials, trial)
			progress(len(trials), len(candidates))
		})
		if ctx.Err() != nil {
			return trials, context.Cause(ctx)
		}
	}
	return trials, nil
}

// try fits a candidate and returns its figures on development mail. That it cannot be fitted, or the mail not be divided, is a result too.
func try(ctx context.Context, candidate Candidate, divided func() (*train.Collection, error)) (*metrics.Figures, error) {
	c, err := divided()
	if err != nil {
		return nil, err
	}
	candidate.Options.Epoch, candidate.Options.Unwatched = nil, true
	t, err := train.Fit(ctx, c, candidate.Model, candidate.Options)
	if err == nil && t.Result.Development == nil {
		err = ErrNoDevelopment
	}
	return t.Result.Development, err
}

func withoutTest(members []train.Member) []train.Member {
	return slices.DeleteFunc(members, func(m train.Member) bool { return m.Part == corpus.Test })
}

// FitCandidate fits a candidate to the training part of c and measures all three parts, as [train.Fit] does on mail that was collected
// with the settings of the candidate.
func FitCandidate(ctx context.Context, c *train.Collection, candidate Candidate) (train.Trained, error) {
	o := c.Options
	o.Features, o.Reading = candidate.Features, candidate.Reading
	c, err := c.With(ctx, o, c.Members())
	if err != nil {
		return train.Trained{}, err
	}
	return train.Fit(ctx, c, candidate.Model, candidate.Options)
}

// nameOf returns a name that differs for different readings.
func nameOf(r filter.Reading) string { return fmt.Sprintf("%#v", r) }

// compareFigures orders the figures of models on development mail, the best first: of equal ones that with the smaller log loss. Without figures a model is last.
func compareFigures(x, y *metrics.Figures, objective string) int {
	return cmp.Or(cmp.Compare(x.Cost(objective), y.Cost(objective)), cmp.Compare(x.Cost(metrics.ByLogLoss), y.Cost(metrics.ByLogLoss)))
}
