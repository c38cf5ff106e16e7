package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"chaff/features"
	"chaff/internal/evidence"
)

// EpochOptions select what happens after each pass over the training part. The zero value selects nothing.
type EpochOptions struct {
	// Development is the development part, which decides when to stop: documents over the same terms and classes. If it is
	// nil or empty, all epochs are trained.
	Development *features.Dataset
	// OnEpoch, if set, is called after each epoch.
	OnEpoch func(Epoch)
	// Unwatched leaves out the figures of epochs that neither OnEpoch nor training needs. The model is the same.
	Unwatched bool
}

// hasDevelopment reports whether there is a development part.
func (o EpochOptions) hasDevelopment() bool { return o.Development != nil && o.Development.Len() > 0 }

// Epoch has the figures after a pass over the training part.
type Epoch struct {
	// Epoch counts from 1.
	Epoch int `json:"epoch"`
	// Updates is how many documents changed the weights in it.
	Updates int `json:"updates"`
	// Train and Development are measured with the weights after the epoch; Development is nil if there is none.
	Train       EpochFigures  `json:"train"`
	Development *EpochFigures `json:"development,omitempty"`
	// Seconds is how long the epoch and its measurement took.
	Seconds float64 `json:"seconds"`
}

// EpochFigures are the figures of one part after an epoch.
type EpochFigures struct {
	// Loss is the mean over the documents, weighted by class, of the loss that the trainer minimises.
	Loss float64 `json:"loss"`
	// Accuracy is the percentage of documents classified correctly.
	Accuracy float64 `json:"accuracy"`
}

// ErrDiverged is for training whose loss grows or becomes infinite. The text names the learning rate.
var ErrDiverged = errors.New("training diverges")

// learner learns from one document after the other.
type learner interface {
	// learn reads a document of class c that counts as much as weight documents, and reports whether the weights changed.
	learn(x features.Vector, c int, weight float64) bool
	// pass ends a pass over all documents, and returns how many updates it made itself.
	pass() int
	// model writes what has been learnt so far to dst: the biases, and from the weight with the given index on as many as dst has.
	model(dst *params, from int)
	// loss returns the loss of a document of class c with the scores of the rows.
	loss(scores []float64, c int) float64
}

// committee is a learner whose members learn by themselves, each from its groups of terms.
type committee interface {
	members() Form
	// learnAs is learn for one member. Members have no weight in common, so they can learn at the same time.
	learnAs(m int, x features.Vector, c int, weight float64) bool
}

// perDocument is part of a learner that updates its weights after each document only.
type perDocument struct{}

func (perDocument) pass() int { return 0 }

// fit trains a learner in epochs.
type fit struct {
	Passes
	settings settings
	options  EpochOptions
	learner  learner
	start    *params  // the initial weights; run overwrites them. nil if no epoch is measured: a growing learner gives the model itself
	descent  *descent // nil for learners that do not follow a gradient
	// unmeasured leaves out the figures of the epochs, but for the last one of a descent, which is checked.
	unmeasured bool

	train, development sorted
	classWeights       []float64
	nextOrder          func() []int32 // of the documents, in the next epoch
	now, best          *params
	losses             []float64 // training losses: at the start, and after each epoch
	lowest             float64   // development loss so far
	epochs             []Epoch   // measured so far
	kept               int       // the epoch whose weights are the best
	converged          bool      // the last pass changed nothing, or hardly anything
}

// linear returns the best weights as a model, and the part of the report that all trainers in epochs have.
func (f *fit) linear() (*Linear, Report, error) {
	K, d := len(f.train.Classes), f.train.Dataset
	var l *Linear
	var err error
	if f.best != nil {
		l, err = f.best.linear(K)
	} else {
		l, err = linearNow(f.learner.(growing), K, d.Workers)
	}
	return l, Report{Warnings: warnings(d), Epochs: f.epochs, Kept: f.kept, Learned: f.learned()}, err
}

// learned returns the learner, which learns on, or nil; see [Report.Learned].
func (f *fit) learned() Online {
	online, is := learnsOn(f.settings, f.train.Dataset).(*onlineEpoch)
	if !is || f.kept != len(f.losses)-1 {
		return nil
	}
	switch l := f.learner.(type) {
	case *votes:
		l.settle(f.train.Len())
		online.growing = &onlineVotes{l}
	case growing:
		online.growing = l
	}
	online.list = online.growing
	return online
}

// run trains until a pass changes nothing, patience ends, or all epochs are made, and returns the model.
func (f *fit) run(ctx context.Context, d sorted) (*Linear, Report, error) {
	if err := f.prepare(d); err != nil {
		return nil, Report{}, err
	}
	for n := 1; n <= f.Epochs && !f.isOver(); n++ {
		e, err := f.epoch(ctx, n)
		if err != nil {
			return nil, Report{}, err
		}
		f.losses = append(f.losses, e.Train.Loss)
		f.keep(e)
		if err := f.descent.check(f.losses, n == f.Epochs || f.isOver()); err != nil {
			return nil, Report{}, err
		}
		if f.options.OnEpoch != nil {
			f.options.OnEpoch(e)
		}
	}
	return f.linear()
}

// prepare checks the settings and the documents, and measures the initial loss.
func (f *fit) prepare(d sorted) error {
	if err := f.settings.Validate(); err != nil {
		return err
	}
	documents, err := countDocuments(d.Dataset)
	if err != nil {
		return err
	}
	if f.classWeights, err = classWeights(f.ClassWeights, d.Classes, documents); err != nil {
		return err
	}
	f.train, f.lowest = d, math.Inf(1)
	f.nextOrder = f.orders(f.train)
	if f.descent != nil && f.descent.batch {
		f.nextOrder = func() []int32 { return f.train.order } // one step over all documents, which rounds by their order
	}
	if f.options.hasDevelopment() {
		f.development = newSorted(f.options.Development)
	}
	f.losses = []float64{math.NaN()} // only learners with a descent need the initial loss
	switch {
	case f.descent == nil:
	case f.descent.atRest != nil:
		f.losses[0] = f.descent.start
	default:
		f.losses[0] = measure(f.start, f.train, f.learner.loss, f.classWeights).Loss
	}
	// The weights are the largest allocation. Without patience those of the last epoch are kept, so that one copy will do.
	f.now, f.best = f.start, f.start
	if f.Patience > 0 {
		f.best = f.start.sameShape(d.Terms)
	}
	return nil
}

// epoch makes a pass over the training part and measures the result.
func (f *fit) epoch(ctx context.Context, n int) (Epoch, error) {
	began := time.Now()
	e := Epoch{Epoch: n}
	var err error
	if e.Updates, err = f.learn(ctx, f.nextOrder()); err != nil {
		return Epoch{}, err
	}
	e.Updates += f.learner.pass()
	f.converged = e.Updates == 0 || f.descent.isAtRest()
	if f.now != nil {
		f.learner.model(f.now, 0)
	}
	if isLast := f.converged || n == f.Epochs; f.unmeasured && !(isLast && f.descent != nil) {
		return e, nil
	}
	return f.measured(e, began, f.learner.loss), nil
}

// learn makes the learner read the documents in this order, and returns how many of them changed it.
func (f *fit) learn(ctx context.Context, documents []int32) (updates int, err error) {
	var changed [][]bool // of each reader
	var readers []reader
	add := func(has func(evidence.Group) bool, learn func(x features.Vector, c int, weight float64) bool) {
		i := len(readers)
		changed = append(changed, make([]bool, 0, len(documents)))
		readers = append(readers, reader{has, func(x features.Vector, c int) {
			changed[i] = append(changed[i], learn(x, c, f.classWeights[c]))
		}})
	}
	if all, is := f.learner.(committee); is {
		for m, member := range all.members() {
			add(member.has, func(x features.Vector, c int, weight float64) bool { return all.learnAs(m, x, c, weight) })
		}
	} else {
		add(nil, f.learner.learn)
	}
	if err := f.train.eachBy(ctx, documents, readers); err != nil {
		return 0, err
	}
	for n := range documents {
		if slices.ContainsFunc(changed, func(by []bool) bool { return by[n] }) {
			updates++
		}
	}
	return updates, nil
}

// measured returns e with the figures of the weights now.
func (f *fit) measured(e Epoch, began time.Time, loss func(scores []float64, c int) float64) Epoch {
	e.Train = measure(f.now, f.train, loss, f.classWeights)
	if f.options.hasDevelopment() {
		figures := measure(f.now, f.development, loss, f.classWeights)
		e.Development = &figures
	}
	e.Seconds = time.Since(began).Seconds()
	return e
}

// keep keeps the weights of an epoch: with patience if they are the best so far, else always.
func (f *fit) keep(e Epoch) {
	if !f.unmeasured {
		f.epochs = append(f.epochs, e)
	}
	if f.Patience > 0 && e.Development != nil {
		if e.Development.Loss >= f.lowest {
			return
		}
		f.lowest = e.Development.Loss
	}
	f.best, f.now = f.now, f.best
	f.kept = e.Epoch
}

// isOver reports whether training stops before all epochs are made.
func (f *fit) isOver() bool {
	return f.converged || len(f.epochs)-f.kept >= max(f.Patience, 1)
}

// descent checks that the loss of a learner that follows its gradient falls.
type descent struct {
	batch   bool   // every step follows the gradient of the whole loss, so that none may raise it
	setting string // the learning rate, such as models.lms.learning_rate=0.2
	// atRest, if set, is called after each pass and reports whether the next one would change little. The loss is then checked once, at
	// the end, against start.
	atRest func() bool
	start  float64
}

func (s *descent) isAtRest() bool { return s != nil && s.atRest != nil && s.atRest() }

const (
	// slack is how much a loss may grow by rounding alone.
	slack = 1e-9
	// Single documents raise and lower the loss, and a decaying learning rate may be too high at first. While the loss falls
	// it may be maxFallingRise times the loss at the start, and else maxRise times.
	maxFallingRise, maxRise = 10, 1.1
)

// check returns an error if the training losses so far, the first of them at the start, diverge: a step of a batch that raises
// the loss, a loss that grows, or one that ends higher than it started.
func (s *descent) check(losses []float64, atEnd bool) error {
	n := len(losses) - 1
	loss, before, start := losses[n], losses[n-1], losses[0]
	isFinite := loss-loss == 0
	switch {
	case s == nil && isFinite:
		return nil
	case s == nil:
		return fmt.Errorf("epoch %d: the loss is %v: %w", n, loss, ErrNotFinite)
	case s.atRest != nil && !atEnd:
		return nil
	case s.batch && loss <= before*(1+slack)+slack:
		return nil
	case !s.batch && loss <= maxRise*start:
		return nil
	case !s.batch && !atEnd && loss <= maxFallingRise*start && (n == 1 || loss < before):
		return nil
	}
	from := start
	if s.batch {
		from = before
	}
	return fmt.Errorf("%w: the training loss grew from %.3g to %.3g by epoch %d, with %s", ErrDiverged, from, loss, n, s.setting)
}
