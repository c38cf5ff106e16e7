package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"chaff/features"
)

// EpochTrainer is a trainer that reads the training part in passes and can be watched at it.
type EpochTrainer interface {
	Trainer
	// TrainEpochs is Train with somebody who watches. Beside the errors of Train it returns [ErrDiverged].
	TrainEpochs(ctx context.Context, d *features.Dataset, w Watch) (*Linear, Report, error)
}

// Watch is what training in epochs is watched by. The zero value observes nothing.
type Watch struct {
	// Development is the development part, which decides when to stop: documents over the same terms and classes. It may be
	// nil or empty, and then all epochs are trained.
	Development *features.Dataset
	// Epoch, if set, is called after each epoch.
	Epoch func(Epoch)
}

// Epoch is what is known after a pass over the training part.
type Epoch struct {
	// Epoch counts from 1.
	Epoch int `json:"epoch"`
	// Updates is how often the weights were changed in it.
	Updates int `json:"updates"`
	// Train and Development are measured with the weights after the epoch; Development is nil if there is none.
	Train       EpochFigures  `json:"train"`
	Development *EpochFigures `json:"development,omitempty"`
	// Seconds is how long the epoch took, with measuring.
	Seconds float64 `json:"seconds"`
}

// EpochFigures are the figures of one part after an epoch.
type EpochFigures struct {
	// Loss is the mean over the documents, weighted by class, of the loss that the trainer makes small.
	Loss float64 `json:"loss"`
	// Accuracy is the percentage of documents classified correctly.
	Accuracy float64 `json:"accuracy"`
}

// ErrDiverged is for training whose loss grows, or becomes infinite, since its steps are too long. The text names the
// setting to lower.
var ErrDiverged = errors.New("training diverges")

// learner learns from one document after the other.
type learner interface {
	// learn reads a document of class c that counts as much as weight documents, and says whether the weights changed.
	learn(x features.Vector, c int, weight float64) bool
	// pass ends a pass over all documents, and returns how many updates it made itself.
	pass() int
	// model writes what has been learnt so far to dst.
	model(dst *rows)
	// loss is the loss of a document of class c with the scores of the rows.
	loss(scores []float64, c int) float64
}

// downhill is the loss of learners that follow its slope: it must become smaller, and if not, their steps are too long.
type downhill struct {
	batch bool   // every step is down the slope of the whole loss, so none may end higher
	brake string // the setting to lower, with its value
}

// course is one training in epochs.
type course struct {
	Passes
	watch   Watch
	learner learner
	start   *rows     // where the learner starts; used up
	descent *downhill // nil for learners that do not follow a slope
	// unmeasured leaves the figures of the epochs out, for a learner that needs none.
	unmeasured bool
}

// outcome is what a course ends with.
type outcome struct {
	weights *rows
	epochs  []Epoch
	kept    int  // the epoch whose weights these are
	settled bool // the last pass changed nothing
}

// run trains until a pass changes nothing, patience is at an end, or the epochs are.
func (c *course) run(ctx context.Context, d *features.Dataset) (*outcome, error) {
	documents, err := countDocuments(d)
	if err != nil {
		return nil, err
	}
	r := &running{course: c, train: newPart(d), lowest: math.Inf(1)}
	if r.weights, err = classWeights(c.ClassWeights, d.Classes, documents); err != nil {
		return nil, err
	}
	r.order = c.newOrder(r.train)
	if c.descent != nil && c.descent.batch {
		r.order = newBatchOrder(r.train)
	}
	if c.watching() {
		r.development = newPart(c.watch.Development)
	}
	r.losses = []float64{math.NaN()} // only learners with a descent need the initial loss
	if c.descent != nil {
		r.losses[0] = measure(c.start, r.train, c.learner.loss, r.weights).Loss
	}
	// The weights are the largest thing there is: without patience those of the last epoch are kept, so one place will do.
	r.now, r.best, c.start = c.start, c.start, nil
	if c.Patience > 0 {
		r.best = newFormRows(r.now.form, r.now.n, d.Terms)
	}
	for n := 1; n <= c.Epochs && !r.isOver(); n++ {
		e, err := r.epoch(ctx, n)
		if err != nil {
			return nil, err
		}
		r.losses = append(r.losses, e.Train.Loss)
		r.keep(e)
		if err := c.descent.check(r.losses, n == c.Epochs || r.isOver()); err != nil {
			return nil, err
		}
		if c.watch.Epoch != nil {
			c.watch.Epoch(e)
		}
	}
	r.out.weights = r.best
	return &r.out, nil
}

// running is a course that is under way.
type running struct {
	*course
	train, development part
	weights            []float64 // by class
	order              *order
	now, best          *rows
	losses             []float64 // training losses: at the start, and after each epoch
	lowest             float64   // development loss so far
	out                outcome
}

// epoch makes a pass over the training part and measures what came of it.
func (r *running) epoch(ctx context.Context, n int) (Epoch, error) {
	began := time.Now()
	e := Epoch{Epoch: n}
	for read, i := range r.order.next() {
		if read%1024 == 0 && ctx.Err() != nil {
			return Epoch{}, ctx.Err()
		}
		if c := int(r.train.Labels[i]); r.learner.learn(r.train.Row(int(i)), c, r.weights[c]) {
			e.Updates++
		}
	}
	e.Updates += r.learner.pass()
	r.learner.model(r.now)
	if r.unmeasured {
		return e, nil
	}
	e.Train = measure(r.now, r.train, r.learner.loss, r.weights)
	if r.watching() {
		figures := measure(r.now, r.development, r.learner.loss, r.weights)
		e.Development = &figures
	}
	e.Seconds = time.Since(began).Seconds()
	return e, nil
}

// keep takes the weights of an epoch for the result: with patience if they are the best so far, else always.
func (r *running) keep(e Epoch) {
	if !r.unmeasured {
		r.out.epochs = append(r.out.epochs, e)
	}
	r.out.settled = e.Updates == 0
	if r.Patience > 0 && e.Development != nil {
		if e.Development.Loss >= r.lowest {
			return
		}
		r.lowest = e.Development.Loss
	}
	r.best, r.now = r.now, r.best
	r.out.kept = e.Epoch
}

// isOver says whether training stops before the epochs are at an end.
func (r *running) isOver() bool {
	return r.out.settled || len(r.out.epochs)-r.out.kept >= max(r.Patience, 1)
}

// watching says whether there is a development part.
func (c *course) watching() bool { return c.watch.Development != nil && c.watch.Development.Len() > 0 }

const (
	// slack is how much a loss may grow by rounding alone.
	slack = 1e-9
	// Single documents lead up and down, and steps that become shorter may begin too long: as long as the loss falls, it may
	// be higher than at the start by as many times as farUp, and else by as many as up.
	farUp, up = 10, 1.1
)

// check returns an error if the training losses so far, the first of them at the start, are what too long steps end in. The
// steps of a batch never go up. At the end the loss must not be higher than at the start.
func (s *downhill) check(losses []float64, atEnd bool) error {
	n := len(losses) - 1
	loss, before, start := losses[n], losses[n-1], losses[0]
	isFinite := loss-loss == 0
	switch {
	case s == nil && isFinite:
		return nil
	case s == nil:
		return fmt.Errorf("epoch %d: the loss is %v: %w", n, loss, ErrNotFinite)
	case s.batch && loss <= before*(1+slack)+slack:
		return nil
	case !s.batch && loss <= up*start:
		return nil
	case !s.batch && !atEnd && loss <= farUp*start && (n == 1 || loss < before):
		return nil
	}
	from := start
	if s.batch {
		from = before
	}
	return fmt.Errorf("%w: the training loss grew from %.4g to %.4g by epoch %d; lower %s", ErrDiverged, from, loss, n, s.brake)
}

// result makes a model of what a course ended with, and the part of the report that all have.
func (out *outcome) result(d *features.Dataset) (*Linear, Report, error) {
	l, err := out.weights.linear(len(d.Classes))
	return l, Report{Warnings: warnings(d), Epochs: out.epochs, Kept: out.kept}, err
}
