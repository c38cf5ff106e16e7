package models

import (
	"context"
	"errors"
	"fmt"
	"math"

	"chaff/features"
)

// Softmax is softmax regression, the differentiable multi-class perceptron: the scores are log probabilities but for a
// constant, and training makes the training classes as probable as it can while weights stay small.
//
//	p_ic = exp(z_ic) / sum over k of exp(z_ik)          z_ic = w_c . f_i + b_c
//	L    = - sum over i of ln p_i,c_i  +  L1 ||w||_1  +  L2/2 ||w||^2
//
// Of two classes only the difference of their scores matters, so they have one row, z of class 1 over class 0: logistic
// regression, p_i1 = 1 / (1 + exp(-z_i)). The biases are free. Source: cs440 lecture 16, "Differentiable Multi-class
// perceptrons"; the lecture has neither L1 nor L2.
//
// It takes any kind of feature.
type Softmax struct {
	Passes
	// LearningRate is the length of the steps of the stochastic method, alpha; each term's own rate falls with what it has
	// been changed by. Above 0, at most 1e6; default 3, which is best on development mail.
	LearningRate float64 `json:"learning_rate"`
	// L1 is how much the sum of the absolute weights counts beside the sum of the losses of all messages: it makes weights
	// 0. At least 0, at most 1e6; default 0. The method "batch" takes none.
	L1 float64 `json:"l1"`
	// L2 is how much half the sum of the squared weights counts beside the sum of the losses of all messages: it keeps weights
	// small. At least 0, at most 1e6; default 0.001. Without it the weights for mail that can be separated grow with each epoch.
	L2 float64 `json:"l2"`
	// Method is "stochastic" for a step after each message, or "batch" for L-BFGS over all of them, which finds the very
	// minimum and costs more. Default "stochastic"; an empty text means the same.
	Method string `json:"method"`
}

var _ EpochTrainer = Softmax{}

// DefaultSoftmax returns the settings used when nothing else is said.
func DefaultSoftmax() Softmax {
	return Softmax{
		Passes:       Passes{Epochs: 20, Order: OrderRandom, ClassWeights: WeightsNone, Features: features.NormalisedBits.String()},
		LearningRate: 3,
		L1:           0,
		L2:           0.001,
		Method:       MethodStochastic,
	}
}

// Validate returns everything that is wrong with m.
func (m Softmax) Validate() error { return m.validate("") }

func (m Softmax) validate(prefix string) error {
	errs := []error{m.Passes.validate(prefix), checkLearningRate(prefix, m.LearningRate), checkMethod(prefix, m.Method)}
	for _, s := range []struct {
		key   string
		value float64
	}{{"l1", m.L1}, {"l2", m.L2}} {
		if !(s.value >= 0 && s.value <= maxPositive) { // also refuses NaN
			errs = append(errs, fmt.Errorf("%s%s is %v: must be from 0 to %v", prefix, s.key, s.value, maxPositive))
		}
	}
	if m.Method == MethodBatch && m.L1 > 0 {
		errs = append(errs, fmt.Errorf("%sl1 is %v: must be 0 for the method batch, which needs a smooth loss", prefix, m.L1))
	}
	return errors.Join(errs...)
}

// Train implements [Trainer].
func (m Softmax) Train(ctx context.Context, d *features.Dataset) (*Linear, Report, error) {
	return m.TrainEpochs(ctx, d, Watch{})
}

// TrainEpochs implements [EpochTrainer].
func (m Softmax) TrainEpochs(ctx context.Context, d *features.Dataset, w Watch) (*Linear, Report, error) {
	if err := m.Validate(); err != nil {
		return nil, Report{}, err
	}
	if m.Method == MethodBatch {
		return m.batch(ctx, d, w)
	}
	l := newFTRL(m, rowsOf(len(d.Classes)), d.Terms, d.Len())
	down := &downhill{brake: fmt.Sprintf("models.softmax.learning_rate, which is %v", m.LearningRate)}
	out, err := (&course{Passes: m.Passes, watch: w, learner: l, start: newRows(l.n, d.Terms), descent: down}).run(ctx, d)
	if err != nil {
		return nil, Report{}, err
	}
	return out.result(d)
}

func (m Softmax) online(classes []string) (Online, error) {
	return m.Passes.online(classes, checkStochastic(m.Method), newFTRL(m, rowsOf(len(classes)), 0, 0))
}

// logLoss is -ln p_c of the class c of a document with the given scores. Only differences from the highest score count, so
// that nothing overflows or is lost in large numbers.
func logLoss(scores []float64, c int) float64 {
	if len(scores) == 1 {
		return log1pExp(-target(1, 0, c) * scores[0])
	}
	top := scores[Argmax(scores)]
	var sum float64
	for _, z := range scores {
		sum += math.Exp(z - top)
	}
	return top - scores[c] + math.Log(sum)
}

// slopes writes dL/dz_k = p_k - [k = c] of a document of class c over its scores.
func slopes(scores []float64, c int) {
	if len(scores) == 1 {
		t := target(1, 0, c)
		scores[0] = -t * logistic(-t*scores[0])
		return
	}
	top := scores[Argmax(scores)]
	var sum float64
	for k, z := range scores {
		scores[k] = math.Exp(z - top)
		sum += scores[k]
	}
	for k := range scores {
		scores[k] /= sum
	}
	scores[c]-- // p_c is close to 1 where it is no matter
}

// logistic is 1/(1+exp(-z)), without overflow.
func logistic(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}

// log1pExp is ln(1 + exp(z)), without overflow.
func log1pExp(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }
