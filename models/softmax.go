package models

import (
	"context"
	"fmt"
	"math"

	"chaff/features"
)

// Softmax is softmax regression, the differentiable multi-class perceptron. Scores are log probabilities up to a constant,
// and training maximises the probabilities of the training labels with a penalty on large weights.
//
//	p_ic = exp(z_ic) / sum over k of exp(z_ik)          z_ic = w_c . f_i + b_c
//	L    = - sum over i of ln p_i,c_i  +  L2/2 ||w||^2
//
// Of two classes only the difference of their scores matters, so they have one row, z of class 1 over class 0: logistic
// regression, p_i1 = 1 / (1 + exp(-z_i)). The biases have no penalty. Source: cs440 lecture 16, "Differentiable Multi-class
// perceptrons"; the lecture has no L2. Steps are those of [ftrl].
type Softmax struct {
	Passes
	// LearningRate is the length of a step, alpha; the rate of each term falls with its gradients. From 1e-10 to
	// 1e6. Default 12.
	LearningRate float64 `json:"learning_rate" range:"from 1e-10 to 1e6"`
	// L2 is the penalty on half the sum of the squared weights. At least 0, at most 1e6. Default 0.001.
	L2 float64 `json:"l2" range:"from 0 to 1e6"`
	// Tolerance ends training when a pass lowers the mean loss by less than this share of the loss of equal probabilities,
	// ln K; 0 makes all epochs. The loss of a pass is that of each message before its step. From 0 to 1. Default 0.01.
	Tolerance float64 `json:"tolerance" range:"from 0 to 1"`
}

// Train implements [Trainer].
func (m Softmax) Train(ctx context.Context, d *features.Dataset, o EpochOptions) (*Linear, Report, error) {
	return trainPasses(ctx, &m, m.Passes, d, o, fmt.Sprintf("models.softmax.learning_rate=%v", m.LearningRate))
}

// logLoss returns -ln p_c of the class c of a document with the given scores, and overwrites them with dL/dz_k = p_k - [k = c]. It uses differences
// from the highest score, so that nothing overflows or loses digits.
func logLoss(scores []float64, c int) float64 {
	if len(scores) == 1 {
		t := target(1, 0, c)
		z := scores[0]
		scores[0] = -t * logistic(-t*z)
		return log1pExp(-t * z)
	}
	top, own := scores[Argmax(scores)], scores[c]
	var sum float64
	for k, z := range scores {
		scores[k] = math.Exp(z - top)
		sum += scores[k]
	}
	for k := range scores {
		scores[k] /= sum
	}
	scores[c]-- // where p_c is close to 1, the lost digits do not matter
	return top - own + math.Log(sum)
}

// logistic returns 1/(1+exp(-z)), without overflow.
func logistic(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}

// log1pExp returns ln(1 + exp(z)), without overflow.
func log1pExp(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }
