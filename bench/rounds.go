package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"chaff/internal/screen"
)

// runner measures entrants.
type runner struct {
	chaff    string        // the program
	rounds   int           // runs of training and of bulk classification
	singles  int           // runs for one message
	slow     time.Duration // a step that takes longer runs once
	heavy    time.Duration // one message that takes longer runs fewSingles times
	progress io.Writer
}

// fewSingles is the number of runs for one message of a slow program.
const fewSingles = 5

// result has the measurements of an entrant. A failure ends them, and keeps the earlier ones.
type result struct {
	entrant
	training, classifying, single timing
	bytes                         int64 // of the database
	vocabulary                    int   // terms in the database; 0 if unknown
	judged                        *judged
	failure                       error
}

// run measures the entrants on a mail. They take turns in each round, so that other load on the machine affects all of them.
func (r runner) run(ctx context.Context, m *mail, meter meter, entrants []entrant) ([]result, error) {
	results := make([]result, len(entrants))
	jobs := make([]job, len(entrants))
	for i, e := range entrants {
		work := filepath.Join("work", e.id)
		jobs[i] = job{mail: m, meter: meter, db: filepath.Join(work, "db"), inputs: filepath.Join(work, "inputs"), sample: m.sample(r.singles)}
		jobs[i].meter.dir = m.dir
		results[i] = result{entrant: e}
		results[i].failure = r.prepare(ctx, jobs[i], e)
	}
	for _, stage := range []struct {
		name string
		once func(ctx context.Context, j job, res *result, round int) error
		runs int
	}{
		{"train", r.trainOnce, r.rounds},
		{"measure the databases and the accuracy", r.judgeOnce, 1},
		{"classify in bulk", r.bulkOnce, r.rounds},
		{"classify one", r.singleOnce, r.singles},
	} {
		r.logf("%s: %s", m.name, stage.name)
		for round := range stage.runs {
			for i := range results {
				if results[i].failure != nil {
					continue
				}
				if err := stage.once(ctx, jobs[i], &results[i], round); err != nil {
					results[i].failure = fmt.Errorf("%s: %w", stage.name, err)
					r.logf("  %s: %v", results[i].id, results[i].failure)
				}
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
		}
	}
	return results, nil
}

func (r runner) logf(format string, args ...any) {
	screen.Printf(r.progress, "bench: "+format+"\n", args...)
}

// errAbsent is the failure of a program that is not installed.
type errAbsent struct{ debian string }

func (e errAbsent) Error() string {
	return fmt.Sprintf("not installed: apt-get install --no-install-recommends %s", e.debian)
}

func (r runner) prepare(ctx context.Context, j job, e entrant) error {
	if !e.present() {
		return errAbsent{e.debian}
	}
	if e.prepare == nil {
		return nil
	}
	r.logf("%s: prepare %s", j.mail.name, e.id)
	if err := os.MkdirAll(j.path(j.inputs), 0o755); err != nil {
		return err
	}
	if err := e.prepare(ctx, j); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	return nil
}

// measure runs commands one after the other.
func (j job) measure(ctx context.Context, commands []command) (cost, []byte, error) {
	var sum cost
	var printed []byte
	for _, c := range commands {
		spent, out, err := j.run(ctx, c)
		if err != nil {
			return cost{}, nil, err
		}
		sum, printed = sum.add(spent), append(printed, out...)
	}
	return sum, printed, nil
}

// repeat runs commands and adds their cost to t.
func (j job) repeat(ctx context.Context, t *timing, commands []command) error {
	spent, _, err := j.measure(ctx, commands)
	if err == nil {
		t.add(spent)
	}
	return err
}

func (r runner) trainOnce(ctx context.Context, j job, res *result, _ int) error {
	if res.training.slow(r.slow) {
		return nil
	}
	if err := os.RemoveAll(j.path(j.db)); err != nil {
		return err
	}
	if err := os.MkdirAll(j.path(j.db), 0o755); err != nil {
		return err
	}
	return j.repeat(ctx, &res.training, res.train(j))
}

func (r runner) bulkOnce(ctx context.Context, j job, res *result, _ int) error {
	if res.classifying.slow(r.slow) {
		return nil
	}
	return j.repeat(ctx, &res.classifying, res.bulk(j))
}

func (r runner) singleOnce(ctx context.Context, j job, res *result, round int) error {
	if round >= fewSingles && res.single.slow(r.heavy) || round >= len(j.sample) {
		return nil
	}
	return j.repeat(ctx, &res.single, []command{res.one(j, j.sample[round])})
}

// judgeOnce measures the database and the accuracy of the answers about the test part.
func (r runner) judgeOnce(ctx context.Context, j job, res *result, _ int) error {
	var err error
	if res.bytes, err = sizeOf(j, res.database); err != nil {
		return err
	}
	if res.terms != nil {
		if res.vocabulary, err = res.terms(ctx, j); err != nil {
			return err
		}
	}
	ask := res.precise
	if ask == nil {
		ask = res.bulk
	}
	_, out, err := j.measure(ctx, ask(j))
	if err != nil {
		return err
	}
	answers, err := res.answers(j, out)
	if err != nil {
		return err
	}
	judged := judge(j.mail.test, answers, res.middle)
	res.judged = &judged
	return nil
}
