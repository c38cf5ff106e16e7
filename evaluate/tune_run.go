package evaluate

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/metrics"
	"chaff/train"
)

// tuning is a search that goes on.
type tuning struct {
	mail       *train.Collection // without the test part
	candidates []Candidate
	o          TuneOptions
	shares     []float64                    // of the training messages, by rung
	readings   map[string]*train.Collection // the mail by other readings, as long as they are needed

	mu    sync.Mutex
	done  map[step]Trial
	count int   // of trials told
	best  Trial // of those told
}

// step is one trial of a candidate.
type step struct{ candidate, rung int }

func newTuning(mail *train.Collection, candidates []Candidate, o TuneOptions) *tuning {
	t := &tuning{
		mail: mail, candidates: candidates, o: o, shares: []float64{1},
		readings: make(map[string]*train.Collection), done: make(map[step]Trial),
	}
	if o.Halving {
		t.shares = Rungs(len(candidates), mail.Summary().Train)
	}
	for _, known := range o.Known {
		t.done[step{known.Candidate, known.Rung}] = known
	}
	return t
}

// run goes through all rungs. What is finished is returned in any case.
func (t *tuning) run(ctx context.Context) ([]Trial, error) {
	alive := make([]int, len(t.candidates))
	for i := range alive {
		alive[i] = i
	}
	for rung := range t.shares {
		if err := t.climb(ctx, alive, rung); err != nil {
			return t.results(), err
		}
		alive = t.better(alive, rung)
		t.forget(alive)
	}
	return t.results(), nil
}

// climb runs the trials of one rung, those of one reading after the other, so that few readings are in memory.
func (t *tuning) climb(ctx context.Context, alive []int, rung int) error {
	var names []string
	of := make(map[string][]int) // candidates by the name of their reading
	for _, i := range alive {
		if known, isKnown := t.done[step{i, rung}]; isKnown {
			t.tell(known)
			continue
		}
		name := nameOf(t.candidates[i].Reading)
		if len(of[name]) == 0 {
			names = append(names, name)
		}
		of[name] = append(of[name], i)
	}
	for _, name := range names {
		mail, err := t.reading(ctx, t.candidates[of[name][0]].Reading)
		if err != nil {
			return causeOr(ctx, err)
		}
		if err := t.trials(ctx, mail, of[name], rung); err != nil {
			return err
		}
		if rung == len(t.shares)-1 {
			delete(t.readings, name)
		}
	}
	return nil
}

// reading returns the mail as it is read by r, which happens once.
func (t *tuning) reading(ctx context.Context, r filter.Reading) (*train.Collection, error) {
	name := nameOf(r)
	if name == nameOf(t.mail.Options().Reading) {
		return t.mail, nil
	}
	if mail, isRead := t.readings[name]; isRead {
		return mail, nil
	}
	mail, err := t.mail.Reread(ctx, r)
	if err != nil {
		return nil, err
	}
	t.readings[name] = mail
	return mail, nil
}

// trials runs one trial for each of the candidates, which have the same reading, in parallel.
func (t *tuning) trials(ctx context.Context, mail *train.Collection, candidates []int, rung int) error {
	workers := t.o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	parts := newDivisions(mail, t.shares[rung], t.o.Folds)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, len(candidates)) {
		wg.Go(func() {
			for running.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(candidates) {
					return
				}
				trial := Trial{Candidate: candidates[n], Rung: rung, Share: t.shares[rung]}
				if err := t.try(running, parts, &trial); err != nil {
					stop(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(running)
}

// try runs one trial. A candidate that cannot be trained is a result too; the error is that of the context or of the
// search.
func (t *tuning) try(ctx context.Context, parts *divisions, trial *Trial) error {
	candidate := t.candidates[trial.Candidate]
	var rounds []*metrics.Figures
	var err error
	trial.Seconds = cputime.Of(func() { rounds, err = parts.train(ctx, candidate) }).Seconds()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		trial.Error = err.Error()
	} else {
		trial.Development = metrics.MeanOutcome(rounds)
	}
	if t.o.Finished != nil {
		if err := t.finish(*trial); err != nil {
			return err
		}
	}
	t.tell(*trial)
	return nil
}

func (t *tuning) finish(trial Trial) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.o.Finished(trial)
}

// tell takes a trial down as finished.
func (t *tuning) tell(trial Trial) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done[step{trial.Candidate, trial.Rung}] = trial
	t.count++
	if t.count == 1 || compareTrials(t.o.Objective)(trial, t.best) < 0 {
		t.best = trial
	}
	if t.o.Progress != nil {
		t.o.Progress(t.count, t.all(), t.best)
	}
}

// all is how many trials there will be.
func (t *tuning) all() int {
	sum, alive := 0, len(t.candidates)
	for range t.shares {
		sum += alive
		alive = (alive + 1) / 2
	}
	return sum
}

// better returns the candidates that go on to the next rung: the better half, in their order.
func (t *tuning) better(alive []int, rung int) []int {
	trials := make([]Trial, len(alive))
	for n, i := range alive {
		trials[n] = t.done[step{i, rung}]
	}
	slices.SortFunc(trials, compareTrials(t.o.Objective))
	var kept []int
	for _, trial := range trials[:(len(trials)+1)/2] {
		kept = append(kept, trial.Candidate)
	}
	slices.Sort(kept)
	return kept
}

// forget drops the readings that none of the candidates needs.
func (t *tuning) forget(alive []int) {
	needed := make(map[string]bool)
	for _, i := range alive {
		needed[nameOf(t.candidates[i].Reading)] = true
	}
	for name := range t.readings {
		if !needed[name] {
			delete(t.readings, name)
		}
	}
}

// results returns the last trial of each candidate, the best first.
func (t *tuning) results() []Trial {
	var trials []Trial
	for i := range t.candidates {
		for rung := len(t.shares) - 1; rung >= 0; rung-- {
			if trial, isDone := t.done[step{i, rung}]; isDone {
				trials = append(trials, trial)
				break
			}
		}
	}
	slices.SortFunc(trials, compareTrials(t.o.Objective))
	return trials
}

// causeOr returns why ctx is done, and err if it is not.
func causeOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
