package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"chaff/features"
	"chaff/internal/parallel"
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

// passTrainer is a trainer that reads the training part several times.
type passTrainer interface {
	settings
	// passes returns the settings of the passes over so many documents.
	passes(documents int) Passes
	// checkOnline returns why there is no online learner with these settings.
	checkOnline() error
}

// passLearner is the learner of a [passTrainer].
type passLearner interface {
	learner
	// loss returns the loss of a document of class c with the scores of the rows.
	loss(scores []float64, c int) float64
}

// passEnder is a learner that also learns at the end of a pass.
type passEnder interface {
	// pass ends a pass over all documents. It returns how many updates it made itself, and whether the next pass would change little.
	pass() (updates int, atRest bool)
}

// committee is a learner whose members learn by themselves, each from its groups of terms.
type committee interface {
	// learnAs is learn for one member. Members have no weight in common, so they can learn at the same time.
	learnAs(m int, x features.Vector, c int, weight float64) bool
}

// epochs trains l, the learner of m, until a pass changes nothing or hardly anything, patience ends, or all epochs are made, and returns the
// model.
func epochs(ctx context.Context, m passTrainer, d sorted, l learner, o EpochOptions, g lossCheck) (*Linear, Report, error) {
	p, lossOf := m.passes(d.Len()), l.(passLearner).loss
	h, err := newHistory(d, m, o, lossOf)
	if err != nil {
		return nil, Report{}, err
	}
	var now *params // the weights are the largest allocation, so they are made when they are needed
	loss := func() float64 {
		now = snapshot(now, l, d.Workers)
		return measure(now, d, lossOf, h.classWeights).Loss
	}
	losses := []float64{g.start}
	checksAll := g.setting != "" && g.start == 0
	if checksAll {
		losses[0] = loss()
	}
	isWatched := !o.Unwatched || o.OnEpoch != nil || h.patience > 0 || checksAll
	next := p.orders(d)
	if g.batch {
		next = func() []int32 { return d.order } // one step over all documents, which rounds by their order
	}
	n, isOver := 0, false
	for !isOver {
		n++
		began := time.Now()
		updates, atRest, err := pass(ctx, l, d, next(), h.classWeights)
		if err != nil {
			return nil, Report{}, err
		}
		isOver = n == p.Epochs || atRest || updates == 0
		e := Epoch{Epoch: n, Updates: updates}
		if isWatched {
			now = snapshot(now, l, d.Workers)
			e = h.add(e, began, now)
		} else if h.kept = n; isOver && g.setting != "" {
			e.Train.Loss = loss()
		}
		isOver = isOver || h.isOver()
		losses = append(losses, e.Train.Loss)
		if err := g.check(losses, isOver); err != nil {
			return nil, Report{}, err
		}
		if o.OnEpoch != nil {
			o.OnEpoch(e)
		}
	}
	report := h.report()
	if h.kept == n {
		report.Learned = learnsOn(m, l, d.Dataset)
	}
	kept := weighted(l)
	switch {
	case h.best != nil:
		kept = h.best
	case now != nil:
		kept = now
	}
	linear, err := linearOf(kept, len(d.Classes), d.Workers)
	return linear, report, err
}

// pass makes l read the documents in this order, each weighted by its class. It returns how many of them changed it, and whether the next
// pass would change little.
func pass(ctx context.Context, l learner, d sorted, documents []int32, weights []float64) (updates int, atRest bool, err error) {
	_, form := l.shape()
	changed := make([]bool, len(documents))
	if all, is := l.(committee); is {
		byMember := make([][]bool, len(form))
		err = d.eachMember(ctx, documents, form, func(m int, x features.Vector, c int) {
			byMember[m] = append(byMember[m], all.learnAs(m, x, c, weights[c]))
		})
		for n := range documents {
			changed[n] = err == nil && slices.ContainsFunc(byMember, func(by []bool) bool { return by[n] })
		}
	} else {
		n := 0
		err = d.each(ctx, documents, func(x features.Vector, c int) {
			changed[n] = l.learn(x, c, weights[c])
			n++
		})
	}
	for _, is := range changed {
		if is {
			updates++
		}
	}
	if l, is := l.(passEnder); is && err == nil {
		more, atRest := l.pass()
		return updates + more, atRest, nil
	}
	return updates, false, err
}

// history measures the epochs, and keeps the best weights if patience may end training.
type history struct {
	train, development sorted
	loss               func(scores []float64, c int) float64
	classWeights       []float64
	patience           int // 0 without a development part
	epochs             []Epoch
	kept               int     // the epoch with the weights that are kept
	best               *params // nil without patience: the last weights are kept
	lowest             float64 // development loss so far
}

func newHistory(d sorted, m passTrainer, o EpochOptions, loss func(scores []float64, c int) float64) (*history, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	documents, err := countDocuments(d.Dataset)
	if err != nil {
		return nil, err
	}
	p := m.passes(d.Len())
	h := &history{train: d, loss: loss, classWeights: classWeights(p.ClassWeights, documents), lowest: math.Inf(1)}
	if o.Development != nil && o.Development.Len() > 0 {
		h.development, h.patience = newSorted(o.Development), p.Patience
	}
	return h, nil
}

// add adds an epoch with the figures of the weights v.
func (h *history) add(e Epoch, began time.Time, v *params) Epoch {
	e.Train = measure(v, h.train, h.loss, h.classWeights)
	if h.development.Dataset != nil {
		figures := measure(v, h.development, h.loss, h.classWeights)
		e.Development = &figures
	}
	e.Seconds = time.Since(began).Seconds()
	h.epochs = append(h.epochs, e)
	switch {
	case h.patience == 0:
		h.kept = e.Epoch
	case h.best == nil || !(e.Development.Loss >= h.lowest):
		h.kept, h.lowest = e.Epoch, e.Development.Loss
		h.best = snapshot(h.best, v, h.train.Workers)
	}
	return e
}

func (h *history) isOver() bool { return h.patience > 0 && len(h.epochs)-h.kept >= h.patience }

// report returns the part of the report that all trainers in epochs have.
func (h *history) report() Report {
	return Report{Warnings: warnings(h.train.Dataset), Epochs: h.epochs, Kept: h.kept}
}

// measure returns the mean loss of documents, each weighted by its class, and the accuracy. Several goroutines share the
// documents; the sum has one order.
func measure(v *params, d sorted, loss func(scores []float64, c int) float64, weights []float64) EpochFigures {
	losses, correct := make([]float64, d.Len()), make([]bool, d.Len())
	parallel.Ranges(d.Workers, d.Len(), 512, func(_, from, to int) {
		rows, scores := d.Rows(), make([]float64, v.n)
		for k := from; k < to; k++ {
			i := int(d.order[k])
			c := int(d.Labels[i])
			scores = v.scores(scores, rows.Row(i))
			losses[k], correct[k] = loss(scores, c), predicted(scores) == c
		}
	})
	var sum, all float64
	right := 0
	for k, i := range d.order {
		weight := weights[d.Labels[i]]
		sum += weight * losses[k]
		all += weight
		if correct[k] {
			right++
		}
	}
	return EpochFigures{Loss: sum / all, Accuracy: 100 * float64(right) / float64(d.Len())}
}

// lossCheck says how the loss of a learner that follows its gradient must fall. The zero value is for learners that follow none.
type lossCheck struct {
	setting string // the learning rate, such as models.lms.learning_rate=0.2
	batch   bool   // every step follows the gradient of the whole loss, so that none may raise it
	// start is the loss before the first epoch; the loss is then checked once, at the end. With 0 it is measured, and each epoch checked.
	start float64
}

const (
	// slack is how much a loss may grow by rounding alone.
	slack = 1e-9
	// Single documents raise and lower the loss, and a decaying learning rate may be too high at first. While the loss falls
	// it may be maxFallingRise times the loss at the start, and else maxRise times.
	maxFallingRise, maxRise = 10, 1.1
)

// check returns an error if the training losses so far, the first of them at the start, diverge: a step of a batch that raises
// the loss, a loss that grows, or one that ends higher than it started.
func (g lossCheck) check(losses []float64, atEnd bool) error {
	n := len(losses) - 1
	loss, before, start := losses[n], losses[n-1], losses[0]
	isFinite := loss-loss == 0
	switch {
	case g.setting == "" && isFinite:
		return nil
	case g.setting == "":
		return fmt.Errorf("epoch %d: the loss is %v: %w", n, loss, ErrNotFinite)
	case g.start > 0 && !atEnd:
		return nil
	case g.batch && loss <= before*(1+slack)+slack:
		return nil
	case !g.batch && loss <= maxRise*start:
		return nil
	case !g.batch && !atEnd && loss <= maxFallingRise*start && (n == 1 || loss < before):
		return nil
	}
	from := start
	if g.batch {
		from = before
	}
	return fmt.Errorf("%w: the training loss grew from %.3g to %.3g by epoch %d, with %s", ErrDiverged, from, loss, n, g.setting)
}
