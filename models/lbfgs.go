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

// batch is the batch method of [Softmax]: L-BFGS finds the minimum of the loss, of which an epoch is one step. It is the
// reference that the stochastic method is checked against.
func (m Softmax) batch(ctx context.Context, d *features.Dataset, w Watch) (*Linear, Report, error) {
	documents, err := countDocuments(d)
	if err != nil {
		return nil, Report{}, err
	}
	weights, err := classWeights(m.ClassWeights, d.Classes, documents)
	if err != nil {
		return nil, Report{}, err
	}
	o := newObjective(m, newPart(d), weights)
	r := &recorder{ctx: ctx, objective: o, watch: w, patience: m.Patience, out: outcome{weights: newRows(o.n, d.Terms)}}
	if w.Development != nil && w.Development.Len() > 0 {
		r.development = newPart(w.Development)
	}
	result, err := optimize.Minimize(
		optimize.Problem{Func: o.value, Grad: o.slope},
		make([]float64, o.n*(d.Terms+1)),
		&optimize.Settings{
			GradientThreshold: gradientThreshold,
			MajorIterations:   m.Epochs + 1, // the first is the start
			Converger:         optimize.NeverTerminate{},
			Recorder:          r,
		},
		&optimize.LBFGS{},
	)
	switch {
	case ctx.Err() != nil:
		return nil, Report{}, ctx.Err()
	case errors.Is(err, errPatience):
		err = nil
	case err != nil && floats.Norm(result.Gradient, math.Inf(1)) <= roundingGradient:
		err = nil // as near to the minimum as numbers go: the line search finds no lower point
	case err != nil:
		return nil, Report{}, fmt.Errorf("after %d steps: %w", len(r.out.epochs), err)
	}
	if m.Patience == 0 || r.out.kept == 0 {
		o.unpack(r.out.weights, result.X)
		r.out.kept = len(r.out.epochs)
	}
	linear, report, err := r.out.result(d)
	if err == nil && result.Status == optimize.IterationLimit {
		report.Warnings = append(report.Warnings, fmt.Sprintf("the loss is not at its minimum after %d steps: raise models.softmax.epochs, or models.softmax.l2", m.Epochs))
	}
	return linear, report, err
}

// The minimum is reached where no derivative of the mean loss is larger than gradientThreshold. Where the line search
// gives up, roundingGradient is near enough.
const (
	gradientThreshold = 1e-8
	roundingGradient  = 1e-5
)

var errPatience = errors.New("patience is at an end")

// objective is the loss of Softmax divided by N, as a function of all weights: the V x R weights, then the R biases.
type objective struct {
	n         int // R
	d         part
	weights   []float64 // by class
	l2        float64
	origin    bool
	rows      *rows
	slopeRows *rows
	scores    []float64
	// The point that the loss and its slope were computed at last: the optimiser asks for both, one after the other.
	at   []float64
	loss float64
}

func newObjective(m Softmax, d part, weights []float64) *objective {
	n := rowsOf(len(d.Classes))
	return &objective{
		n: n, d: d, weights: weights, l2: m.L2, origin: m.ThroughOrigin,
		rows: newRows(n, d.Terms), slopeRows: newRows(n, d.Terms), scores: make([]float64, n),
	}
}

// unpack writes the point x to v.
func (o *objective) unpack(v *rows, x []float64) {
	copy(v.weights, x)
	copy(v.bias, x[len(v.weights):])
}

// compute finds the loss and its slope at x in one pass over the documents.
func (o *objective) compute(x []float64) {
	if o.at != nil && floats.Equal(o.at, x) {
		return
	}
	o.at = append(o.at[:0], x...)
	o.unpack(o.rows, x)
	o.slopeRows.clear()
	o.loss = 0
	N := float64(o.d.Len())
	for _, i := range o.d.canonical {
		f, c := o.d.Row(int(i)), int(o.d.Labels[i])
		o.scores = o.rows.scores(o.scores, f)
		o.loss += o.weights[c] * logLoss(o.scores, c) / N
		slopes(o.scores, c)
		for r, slope := range o.scores {
			o.slopeRows.add(r, f, o.weights[c]*slope/N, o.origin)
		}
	}
	for i, w := range o.rows.weights {
		o.loss += o.l2 / 2 * w * w / N
		o.slopeRows.weights[i] += o.l2 * w / N
	}
}

func (o *objective) value(x []float64) float64 {
	o.compute(x)
	return o.loss
}

func (o *objective) slope(dst, x []float64) {
	o.compute(x)
	copy(dst, o.slopeRows.weights)
	copy(dst[len(o.slopeRows.weights):], o.slopeRows.bias)
}

// recorder makes an epoch of each step of the optimiser, and stops it when patience or the context is at an end.
type recorder struct {
	ctx         context.Context
	objective   *objective
	watch       Watch
	development part
	patience    int
	began       time.Time
	lowest      float64
	out         outcome
}

// Init implements optimize.Recorder.
func (r *recorder) Init() error {
	r.began = time.Now()
	return r.ctx.Err()
}

// Record implements optimize.Recorder. The first major iteration is the start, and the one that ends the optimisation is
// recorded at its end only.
func (r *recorder) Record(at *optimize.Location, _ optimize.Operation, stats *optimize.Stats) error {
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	if steps := stats.MajorIterations - 1; steps <= len(r.out.epochs) {
		return nil
	}
	o := r.objective
	o.unpack(o.rows, at.X)
	o.at = nil // rows are those of this point now
	e := Epoch{Epoch: len(r.out.epochs) + 1, Updates: 1, Train: measure(o.rows, o.d, logLoss, o.weights)}
	if r.development.Dataset != nil {
		figures := measure(o.rows, r.development, logLoss, o.weights)
		e.Development = &figures
	}
	e.Seconds = time.Since(r.began).Seconds()
	r.began = time.Now()
	r.out.epochs = append(r.out.epochs, e)
	if r.watch.Epoch != nil {
		r.watch.Epoch(e)
	}
	return r.stop(e)
}

// stop keeps the weights of the best epoch, and returns errPatience when there was none for too long.
func (r *recorder) stop(e Epoch) error {
	if r.patience == 0 || e.Development == nil {
		return nil
	}
	if r.out.kept == 0 || e.Development.Loss < r.lowest {
		r.lowest = e.Development.Loss
		r.out.kept = e.Epoch
		r.out.weights.set(r.objective.rows)
	}
	if e.Epoch-r.out.kept >= r.patience {
		return errPatience
	}
	return nil
}
