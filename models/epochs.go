package models

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"chaff/features"
	"chaff/internal/indices"
	"chaff/internal/parallel"
)

// EpochOptions select what happens after each pass over the training part. The zero value selects nothing.
type EpochOptions struct {
	// Development is the development part, on which epochs are measured too: documents over the same terms and classes. It may be nil.
	Development *features.Dataset
	// OnEpoch, if set, is called after each epoch.
	OnEpoch func(Epoch)
	// OnPass, if set, is called before each pass, with its number and the largest number there may be.
	OnPass func(pass, all int)
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
}

// EpochFigures are the figures of one part after an epoch.
type EpochFigures struct {
	// Loss is the mean over the documents of the loss that the trainer minimises.
	Loss float64 `json:"loss"`
	// Accuracy is the percentage of documents classified correctly.
	Accuracy float64 `json:"accuracy"`
}

// ErrDiverged is for training whose loss grows or becomes infinite. The text names the learning rate.
var ErrDiverged = errors.New("training diverges")

// passLearner is the learner of a trainer that reads the training part several times.
type passLearner interface {
	learner
	// loss returns the loss of a document of class c with the scores of the rows, which it may change.
	loss(scores []float64, c int) float64
}

// passEnder is a learner that also learns at the end of a pass.
type passEnder interface {
	// pass ends a pass over all documents. It returns how many updates it made itself, and whether the next pass would change little.
	pass() (updates int, atRest bool)
}

// The training loss of a learner that follows its gradient may end at maxRise times the loss of weights of 0. Single documents raise and lower it,
// and a decaying learning rate may be too high at first: before the end it may be maxRiseBetween times that loss.
const maxRise, maxRiseBetween = 1.1, 10.0

// trainPasses trains the learner of m on d; see epochs.
func trainPasses(ctx context.Context, m settings, p Passes, d *features.Dataset, o EpochOptions, rate string) (*Linear, Report, error) {
	return epochs(ctx, m, p, newSorted(d), m.newLearner(d).(passLearner), o, rate)
}

// epochs trains l, the learner of m, in passes by p until one changes nothing or hardly anything, or all are made, and returns the model. rate names the
// learning rate if a loss that grows says that it is too high.
func epochs(ctx context.Context, m settings, p Passes, d sorted, l passLearner, o EpochOptions, rate string) (*Linear, Report, error) {
	warnings, err := check(m, d.Dataset)
	if err != nil {
		return nil, Report{}, err
	}
	var development sorted // if there is one
	if o.Development != nil && o.Development.Len() > 0 {
		development = newSorted(o.Development)
	}
	report := Report{Warnings: warnings}
	var now *params // the weights are the largest allocation, so they are made when they are needed
	next, isWatched := p.orders(d), !o.Unwatched || o.OnEpoch != nil
	for isOver := false; !isOver; {
		if o.OnPass != nil {
			o.OnPass(report.Passes+1, p.Epochs)
		}
		updates, atRest, err := pass(ctx, l, d, next())
		if err != nil {
			return nil, Report{}, err
		}
		report.Passes++
		isOver = report.Passes == p.Epochs || atRest || updates == 0
		if !isWatched && (rate == "" || !isOver) {
			continue // whether it has diverged is asked at the end
		}
		now = snapshot(now, l, d.Workers)
		e := Epoch{Epoch: report.Passes, Updates: updates, Train: measure(now, d, l.loss)}
		if rate != "" {
			start, rise := l.loss(make([]float64, now.n), 0), maxRiseBetween
			if isOver {
				rise = maxRise
			}
			if !(e.Train.Loss <= rise*start) { // also refuses NaN
				return nil, Report{}, fmt.Errorf("%w: the training loss grew from %.3g to %.3g by epoch %d, with %s", ErrDiverged, start, e.Train.Loss, e.Epoch, strings.Join(slices.Concat([]string{rate}, warnings), "; "))
			}
		}
		if !isWatched {
			continue
		}
		if development.Dataset != nil {
			e.Development = new(measure(now, development, l.loss))
		}
		report.Epochs = append(report.Epochs, e)
		if o.OnEpoch != nil {
			o.OnEpoch(e)
		}
	}
	report.Learned = onlineOf(l, d.Classes)
	linear, err := linearOf(l, len(d.Classes), d.Workers)
	return linear, report, err
}

// pass makes l read the documents in this order. It returns how many of them changed it, and whether the next pass would change little.
func pass(ctx context.Context, l learner, d sorted, documents []int32) (updates int, atRest bool, err error) {
	form := l.shape().form
	changed := make([][]bool, form.members())
	err = d.each(ctx, documents, form, func(m int, x features.Vector, c int) {
		changed[m] = append(changed[m], l.learn(m, x, c))
	})
	if err != nil {
		return 0, false, err
	}
	for n := range documents {
		if slices.ContainsFunc(changed, func(by []bool) bool { return by[n] }) {
			updates++
		}
	}
	if l, is := l.(passEnder); is {
		more, atRest := l.pass()
		return updates + more, atRest, nil
	}
	return updates, false, nil
}

// measure returns the mean loss of documents, and the accuracy. Several goroutines share the documents; the sum has one order.
func measure(v *params, d sorted, loss func(scores []float64, c int) float64) EpochFigures {
	losses, correct := make([]float64, d.Len()), make([]bool, d.Len())
	parallel.Ranges(d.Workers, d.Len(), 512, func(_, from, to int) {
		rows, scores := d.Rows(), make([]float64, v.n)
		for k := from; k < to; k++ {
			i := int(d.order[k])
			c := int(d.Labels[i])
			scores = v.scores(scores, rows.Row(i))
			correct[k] = predicted(scores) == c
			losses[k] = loss(scores, c)
		}
	})
	var sum float64
	right := 0
	for k := range losses {
		sum += losses[k]
		if correct[k] {
			right++
		}
	}
	return EpochFigures{Loss: sum / float64(d.Len()), Accuracy: 100 * float64(right) / float64(d.Len())}
}

// The orders in which documents can be read.
const (
	OrderRandom    = "random"
	OrderFixed     = "fixed"
	orderByContent = "by content" // no setting
)

// Passes are the settings of all trainers that read the training part several times.
type Passes struct {
	// Epochs is the largest number of passes over the training part; training ends earlier if a pass changes nothing.
	// From 1 to 100000. The default depends on the model.
	Epochs int `json:"epochs" range:"from 1 to 100000"`
	// Order is the order of the training messages: "random", a new random one for each epoch, or "fixed", one random
	// order for all epochs. Default "random".
	Order string `json:"order" range:"random or fixed"`
	// Features is the kind of feature: "bits", "counts", or "normalised bits" and "normalised counts", which are
	// L2-normalised. The default depends on the model.
	Features string `json:"features" range:"bits, counts, normalised bits or normalised counts"`
	// ThroughOrigin leaves out the bias, so that a message without known terms has the score 0. Default false.
	ThroughOrigin bool `json:"through_origin"`
	// Listed reads the documents in the order of the data set instead, as an online learner does that is given one after
	// the other. Mail is listed class by class, so that the last class would outweigh the others.
	Listed bool `json:"-"`
	// Seed determines the orders and a random start.
	Seed uint64 `json:"-"`
}

// The streams of random numbers that are drawn from the seed.
const (
	orderStream = iota + 1
	startStream
)

// orders returns the function that returns the order of the documents in the next epoch. A fixed order is random too, and not that
// of time: an online trainer is right about mail like what it read last, and the classes of a corpus are often of different times.
func (p Passes) orders(d sorted) func() []int32 {
	switch {
	case p.Order == orderByContent:
		return func() []int32 { return d.order }
	case p.Listed:
		listed := indices.Below[int32](d.Len())
		return func() []int32 { return listed }
	}
	documents, random := slices.Clone(d.order), rand.New(rand.NewPCG(p.Seed, orderStream))
	shuffle := func() []int32 {
		random.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
		return documents
	}
	if p.Order == OrderFixed {
		return sync.OnceValue(shuffle)
	}
	return shuffle
}
