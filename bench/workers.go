package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"chaff/config"
)

// workers has the elapsed time of training with one worker and with two, each on as many processors. Both are empty on a
// machine with one processor.
type workers struct {
	one, two timing
}

// times returns the speed of two workers over that of one.
func (w workers) times() float64 { return ratio(median(w.one.wall), median(w.two.wall)) }

// compareWorkers trains chaff's default model, if it is an entrant, with one worker and with two in turn.
func (r runner) compareWorkers(ctx context.Context, m *mail, meter meter, entrants []entrant) (w workers, err error) {
	if len(meter.cores) < 2 || !slices.ContainsFunc(entrants, func(e entrant) bool { return e.id == defaultChaff() }) {
		return w, nil
	}
	r.logf("%s: two workers", m.name)
	meter.dir = m.dir
	j := job{mail: m, meter: meter, db: filepath.Join("work", "workers")}
	if err := os.MkdirAll(j.path(j.db), 0o755); err != nil {
		return w, err
	}
	for range r.rounds {
		for i, t := range []*timing{&w.one, &w.two} {
			j.meter.cores = meter.cores[:i+1]
			if err := j.repeat(ctx, t, single("", trainChaff(r.chaff, i+1, j.db, config.Default().Model)...)); err != nil {
				return w, err
			}
		}
	}
	return w, nil
}
