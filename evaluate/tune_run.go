package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
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
	names      []string // of the readings, by candidate
	o          TuneOptions
	shares     []float64                    // of the training messages, by rung
	readings   map[string]*train.Collection // the members by other readings, by name

	mu    sync.Mutex
	done  map[step]Trial
	count int // of finished trials
	best  Trial
}

// step identifies a trial.
type step struct{ candidate, rung int }

func newSearch(mail *train.Collection, members []train.Member, candidates []Candidate, o TuneOptions) *search {
	s := &search{
		mail: mail, members: members, candidates: candidates, o: o, shares: []float64{1},
		readings: make(map[string]*train.Collection), done: make(map[step]Trial),
	}
	for _, c := range candidates {
		s.names = append(s.names, nameOf(c.Reading))
	}
	if o.Halving {
		s.shares = HalvingShares(len(candidates), mail.Summary().Train)
	}
	for _, known := range o.Known {
		s.done[step{known.Candidate, known.Rung}] = known
	}
	return s
}

// run runs all rungs. It returns the finished trials even if there is an error.
func (s *search) run(ctx context.Context) ([]Trial, error) {
	alive := upTo(len(s.candidates))
	for rung := range s.shares {
		if err := s.runRung(ctx, alive, rung); err != nil {
			return s.results(), err
		}
		alive = s.betterHalf(alive, rung)
		maps.DeleteFunc(s.readings, func(name string, _ *train.Collection) bool {
			return !slices.ContainsFunc(alive, func(i int) bool { return s.names[i] == name })
		})
	}
	return s.results(), nil
}

// runRung runs one trial for each candidate, grouped by reading, so that few readings are in memory.
func (s *search) runRung(ctx context.Context, alive []int, rung int) error {
	groups := make(map[string][]int)
	var names []string // in the order of the candidates
	for _, i := range alive {
		if known, isKnown := s.done[step{i, rung}]; isKnown {
			s.record(known)
			continue
		}
		name := s.names[i]
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], i)
	}
	for _, name := range names {
		group := groups[name]
		mail, err := s.reading(ctx, name, s.candidates[group[0]].Reading)
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		if err := s.runTrials(ctx, mail, group, rung); err != nil {
			return err
		}
		if rung == len(s.shares)-1 {
			delete(s.readings, name)
		}
	}
	return nil
}

// reading returns the mail read by r. It reads the messages once for each reading.
func (s *search) reading(ctx context.Context, name string, r filter.Reading) (*train.Collection, error) {
	if name == nameOf(s.mail.Options().Reading) {
		return s.mail, nil
	}
	if mail, isRead := s.readings[name]; isRead {
		return mail, nil
	}
	mail, err := s.mail.Reread(ctx, r, s.members)
	if err == nil {
		s.readings[name] = mail
	}
	return mail, err
}

// runTrials runs one trial for each of the candidates, which share a reading, in parallel.
func (s *search) runTrials(ctx context.Context, mail *train.Collection, candidates []int, rung int) error {
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	d := newDivisions(mail, s.shares[rung], s.o.Folds)
	parallel.Each(parallel.Workers(s.o.Workers), len(candidates), func(n int) {
		if running.Err() != nil {
			return
		}
		if err := s.try(running, d, Trial{Candidate: candidates[n], Rung: rung, Share: s.shares[rung]}); err != nil {
			stop(err)
		}
	})
	return context.Cause(running)
}

// try runs one trial. A candidate that cannot be fitted is a result too; the error comes from the context or from Finished.
func (s *search) try(ctx context.Context, d *divisions, trial Trial) error {
	var rounds []*metrics.Figures
	var err error
	trial.Seconds = cputime.Of(func() { rounds, err = d.fit(ctx, s.candidates[trial.Candidate]) }).Seconds()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		trial.Error = err.Error()
	} else {
		trial.Development = metrics.MeanOutcome(rounds)
	}
	if s.o.Finished != nil {
		s.mu.Lock()
		err := s.o.Finished(trial)
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	s.record(trial)
	return nil
}

// record adds a finished trial.
func (s *search) record(trial Trial) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[step{trial.Candidate, trial.Rung}] = trial
	s.count++
	if s.count == 1 || compareTrials(s.o.Objective)(trial, s.best) < 0 {
		s.best = trial
	}
	if s.o.Progress != nil {
		s.o.Progress(s.count, s.total(), s.best)
	}
}

// total returns the number of trials of the whole search.
func (s *search) total() int {
	sum, alive := 0, len(s.candidates)
	for range s.shares {
		sum += alive
		alive = (alive + 1) / 2
	}
	return sum
}

// betterHalf returns the candidates of the next rung, in their order.
func (s *search) betterHalf(alive []int, rung int) []int {
	trials := make([]Trial, len(alive))
	for n, i := range alive {
		trials[n] = s.done[step{i, rung}]
	}
	slices.SortFunc(trials, compareTrials(s.o.Objective))
	var kept []int
	for _, trial := range trials[:(len(trials)+1)/2] {
		kept = append(kept, trial.Candidate)
	}
	slices.Sort(kept)
	return kept
}

// results returns the last trial of each candidate, the best first.
func (s *search) results() []Trial {
	var trials []Trial
	for i := range s.candidates {
		for rung := len(s.shares) - 1; rung >= 0; rung-- {
			if trial, isDone := s.done[step{i, rung}]; isDone {
				trials = append(trials, trial)
				break
			}
		}
	}
	slices.SortFunc(trials, compareTrials(s.o.Objective))
	return trials
}

// divisions divides the mail of one reading in the ways that the trials of a rung need, each once.
type divisions struct {
	mail  *train.Collection
	share float64 // of the training messages
	folds int

	mu   sync.Mutex
	made map[division]func() (*train.Collection, error)
}

type division struct {
	features features.Options
	round    int
}

func newDivisions(mail *train.Collection, share float64, folds int) *divisions {
	return &divisions{mail: mail, share: share, folds: folds, made: make(map[division]func() (*train.Collection, error))}
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

// These constants change the seed for folds and rungs: under the seed itself, all messages outside the test part have a low chance.
const (
	foldSeed    = 0x666f6c64
	halvingSeed = 0x68616c66
)

// divide leaves out the test part. With folds, one fold is the development part and the others are the training part. With a share below
// 1 it keeps that share of the training part: near-duplicates stay together, and a larger share has all messages of a smaller one.
func (d *divisions) divide(way division) (*train.Collection, error) {
	o := d.mail.Options()
	chance := corpus.SplitOptions{Train: d.share, Development: 1 - d.share}
	var members []train.Member
	for _, m := range withoutTest(d.mail.Members()) {
		if d.folds > 0 {
			m.Part = corpus.Train
			if corpus.Fold(o.Seed^foldSeed, m.Group, way.round, d.folds) == corpus.Test {
				m.Part = corpus.Development
			}
		}
		if d.share == 1 || m.Part != corpus.Train || chance.ByHash(o.Seed^halvingSeed, m.Group) == corpus.Train {
			members = append(members, m)
		}
	}
	o.Features, o.Workers = way.features, 1 // trials run in parallel, each timed by its own thread
	return d.mail.WithOptions(o).Select(members)
}
