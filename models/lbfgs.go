package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"chaff/features"
)

// batch is the batch method of [Softmax]: L-BFGS finds the minimum of the loss, and an epoch is one of its steps. Tests
// compare the stochastic method with it.
func (m Softmax) batch(ctx context.Context, d *features.Dataset, options EpochOptions) (*Linear, Report, error) {
	h, err := newHistory(newSorted(d), m, options, logLoss)
	if err != nil {
		return nil, Report{}, err
	}
	o := newObjective(m, h.train, h.classWeights)
	minimum, err := optimize.Minimize(
		optimize.Problem{Func: o.value, Grad: o.gradient},
		make([]float64, o.R*(d.Terms+1)),
		&optimize.Settings{
			GradientThreshold: gradientThreshold,
			MajorIterations:   m.Epochs + 1, // the first is the start
			Converger:         optimize.NeverTerminate{},
			Recorder:          &recorder{ctx: ctx, history: h, R: o.R, onEpoch: options.OnEpoch},
		},
		&optimize.LBFGS{},
	)
	switch {
	case ctx.Err() != nil:
		return nil, Report{}, ctx.Err()
	case errors.Is(err, errPatience):
		err = nil
	case err != nil && floats.Norm(minimum.Gradient, math.Inf(1)) <= roundingGradient:
		err = nil // rounding hides the rest: the line search finds no lower point
	case err != nil:
		return nil, Report{}, fmt.Errorf("after %d steps: %w", len(h.epochs), err)
	}
	v := h.best
	if v == nil {
		v, h.kept = paramsAt(minimum.X, o.R), len(h.epochs)
	}
	report := h.report()
	linear, err := linearOf(v, len(d.Classes), d.Workers)
	if err == nil && minimum.Status == optimize.IterationLimit {
		report.Warnings = append(report.Warnings, fmt.Sprintf("the loss is not at its minimum after %d steps: raise models.softmax.epochs, or models.softmax.l2", m.Epochs))
	}
	return linear, report, err
}

// The minimum is reached when no derivative of the mean loss is larger than gradientThreshold, or roundingGradient where the
// line search fails.
const (
	gradientThreshold = 1e-8
	roundingGradient  = 1e-5
)

var errPatience = errors.New("patience ended")

// objective is the loss of Softmax divided by N, as a function of all weights: the V x R weights, then the R biases.
type objective struct {
	Softmax
	R       int
	d       sorted
	weights []float64 // by class
	// at is the last point, with its loss and its gradient. The optimiser asks for both in turn.
	at, slopes []float64
	loss       float64
}

func newObjective(m Softmax, d sorted, weights []float64) *objective {
	R := rowCount(len(d.Classes))
	return &objective{Softmax: m, R: R, d: d, weights: weights, slopes: make([]float64, R*(d.Terms+1))}
}

// paramsAt returns the params of a point, in the same memory.
func paramsAt(x []float64, R int) *params {
	biases := len(x) - R
	return &params{n: R, columns: R, weights: x[:biases], bias: x[biases:]}
}

// compute computes the loss and its gradient at x in one pass over the documents.
func (o *objective) compute(x []float64) {
	if o.at != nil && floats.Equal(o.at, x) {
		return
	}
	o.at = append(o.at[:0], x...)
	clear(o.slopes)
	o.loss = 0
	v, slopes, N := paramsAt(x, o.R), paramsAt(o.slopes, o.R), float64(o.d.Len())
	var scores []float64
	for _, i := range o.d.order {
		f, c := o.d.Row(int(i)), int(o.d.Labels[i])
		scores = v.scores(scores, f)
		o.loss += o.weights[c] * logLoss(scores, c) / N
		logLossGradient(scores, c)
		for r, derivative := range scores {
			slopes.add(r, f, o.weights[c]*derivative/N, o.ThroughOrigin)
		}
	}
	for i, w := range v.weights {
		o.loss += o.L2 / 2 * w * w / N
		slopes.weights[i] += o.L2 * w / N
	}
}

func (o *objective) value(x []float64) float64 {
	o.compute(x)
	return o.loss
}

func (o *objective) gradient(dst, x []float64) {
	o.compute(x)
	copy(dst, o.slopes)
}

// recorder records each step of the optimiser as an epoch, and stops it when patience or the context ends.
type recorder struct {
	ctx context.Context
	*history
	R       int
	onEpoch func(Epoch)
	began   time.Time
}

// Init implements optimize.Recorder.
func (r *recorder) Init() error {
	r.began = time.Now()
	return r.ctx.Err()
}

// Record implements optimize.Recorder. The first major iteration is the start; the last one is recorded at its end only.
func (r *recorder) Record(at *optimize.Location, _ optimize.Operation, stats *optimize.Stats) error {
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	n := len(r.epochs) + 1
	if stats.MajorIterations <= n {
		return nil
	}
	e := r.add(Epoch{Epoch: n, Updates: 1}, r.began, paramsAt(at.X, r.R))
	r.began = time.Now()
	if r.onEpoch != nil {
		r.onEpoch(e)
	}
	if r.isOver() {
		return errPatience
	}
	return nil
}
