package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"chaff/corpus"
	"chaff/features"
	"chaff/internal/cputime"
	"chaff/internal/parallel"
	"chaff/metrics"
	"chaff/train"
)

// search is the state of Tune.
type search struct {
	mail       *train.Collection
	members    []train.Member // of mail, without the test part
	candidates []Candidate
	o          TuneOptions

	mu     sync.Mutex
	trials []Trial // finished
	best   Trial
}

// run runs one trial for each candidate, grouped by reading, so that mail is read once for each and one reading at a time is in memory. It
// returns the finished trials even if there is an error.
func (s *search) run(ctx context.Context) ([]Trial, error) {
	groups := make(map[string][]int)
	var names []string // in the order of the candidates
	for i, c := range s.candidates {
		name := nameOf(c.Reading)
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], i)
	}
	var err error
	for _, name := range names {
		if err = s.runTrials(ctx, groups[name]); err != nil {
			break
		}
	}
	slices.SortFunc(s.trials, compareTrials(s.o.Objective))
	return s.trials, err
}

// runTrials runs one trial for each of the candidates, which share a reading, in parallel.
func (s *search) runTrials(ctx context.Context, candidates []int) error {
	mail := s.mail
	if reading := s.candidates[candidates[0]].Reading; nameOf(reading) != nameOf(mail.Options().Reading) {
		var err error
		if mail, err = mail.Reread(ctx, reading, s.members); err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
	}
	d := newDivisions(mail, s.o.Folds)
	parallel.Each(parallel.Workers(s.o.Workers), len(candidates), func(n int) {
		if ctx.Err() == nil {
			s.try(ctx, d, Trial{Candidate: candidates[n]})
		}
	})
	return context.Cause(ctx)
}

// try runs one trial and records it, unless ctx ends it. A candidate that cannot be fitted is a result too.
func (s *search) try(ctx context.Context, d *divisions, trial Trial) {
	var rounds []*metrics.Figures
	var err error
	trial.Seconds = cputime.Of(func() { rounds, err = d.fit(ctx, s.candidates[trial.Candidate]) }).Seconds()
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		trial.Error = err.Error()
	default:
		trial.Development = metrics.MeanOutcome(rounds)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.trials) == 0 || compareTrials(s.o.Objective)(trial, s.best) < 0 {
		s.best = trial
	}
	s.trials = append(s.trials, trial)
	if s.o.Progress != nil {
		s.o.Progress(len(s.trials), len(s.candidates), s.best)
	}
}

// divisions divides the mail of one reading in the ways that trials need, each once.
type divisions struct {
	mail  *train.Collection
	folds int

	mu   sync.Mutex
	made map[division]func() (*train.Collection, error)
}

type division struct {
	features features.Options
	round    int
}

func newDivisions(mail *train.Collection, folds int) *divisions {
	return &divisions{mail: mail, folds: folds, made: make(map[division]func() (*train.Collection, error))}
}

// fit fits a candidate and returns its figures on the development mail of each round.
func (d *divisions) fit(ctx context.Context, candidate Candidate) ([]*metrics.Figures, error) {
	candidate.Options.Epoch, candidate.Options.Unwatched = nil, true
	var rounds []*metrics.Figures
	for round := range max(d.folds, 1) {
		var t train.Trained
		c, err := d.get(division{candidate.Features, round})
		if err == nil {
			t, err = train.Fit(ctx, c, candidate.Model, candidate.Options)
		}
		switch {
		case err != nil && d.folds > 0:
			return nil, fmt.Errorf("fold %d of %d: %w", round+1, d.folds, err)
		case err != nil:
			return nil, err
		case t.Result.Development != nil:
			rounds = append(rounds, t.Result.Development)
		}
	}
	if len(rounds) == 0 {
		return nil, ErrNoDevelopment
	}
	return rounds, nil
}

// get returns the mail divided in one way.
func (d *divisions) get(way division) (*train.Collection, error) {
	d.mu.Lock()
	divide, isMade := d.made[way]
	if !isMade {
		divide = sync.OnceValues(func() (*train.Collection, error) { return d.divide(way) })
		d.made[way] = divide
	}
	d.mu.Unlock()
	return divide()
}

// foldSeed changes the seed for folds: under the seed itself, all messages outside the test part have a low chance.
const foldSeed = 0x666f6c64

// divide leaves out the test part. With folds, one fold is the development part and the others are the training part.
func (d *divisions) divide(way division) (*train.Collection, error) {
	o := d.mail.Options()
	members := withoutTest(d.mail.Members())
	for i := range members {
		if d.folds > 0 {
			members[i].Part = corpus.Train
			if corpus.Fold(o.Seed^foldSeed, members[i].Group, way.round, d.folds) == corpus.Test {
				members[i].Part = corpus.Development
			}
		}
	}
	o.Features, o.Workers = way.features, 1 // trials run in parallel, each timed by its own thread
	return d.mail.WithOptions(o).Select(members)
}
