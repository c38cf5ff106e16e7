package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Calibration turns the K scores of a message into probabilities of the classes:
//
//	p_c = exp(z_c) / sum over k of exp(z_k)    with z_c = Slope * s_c + Offsets[c]
//
// For two classes with the scores 0 and z this is Platt's sigmoid:
//
//	p_1 = 1 / (1 + exp(-(Slope*z + Offsets[1])))
//
// The slope is at least 0, so the probability of a class never falls as its score rises. Source: J. Platt 1999.
type Calibration struct {
	// Slope is the factor of the scores, at least 0. With 0, all messages have the same probabilities.
	Slope float64 `json:"slope"`
	// Offsets are added to the scores, one for each class. The first is 0, because only differences matter.
	Offsets []float64 `json:"offsets"`
}

// Identity returns the calibration that takes scores as logarithms of probabilities.
func Identity(classes int) Calibration {
	return Calibration{Slope: 1, Offsets: make([]float64, classes)}
}

// Validate returns everything that is wrong with c for the given number of classes. [Calibrate] returns valid calibrations.
func (c Calibration) Validate(classes int) error {
	var errs []error
	if !(c.Slope >= 0) || math.IsInf(c.Slope, 0) { // also refuses NaN
		errs = append(errs, fmt.Errorf("slope is %v: must be 0 or more and finite", c.Slope))
	}
	if len(c.Offsets) != classes {
		errs = append(errs, fmt.Errorf("%d offsets: must be %d, one for each class", len(c.Offsets), classes))
	}
	for i, offset := range c.Offsets {
		if offset-offset != 0 { // NaN or infinite
			errs = append(errs, fmt.Errorf("offset %d is %v: must be finite", i, offset))
		}
	}
	if len(c.Offsets) > 0 && c.Offsets[0] != 0 {
		errs = append(errs, fmt.Errorf("offset 0 is %v: must be 0", c.Offsets[0]))
	}
	return errors.Join(errs...)
}

// Probabilities returns the probabilities of the K classes for the K scores of one message. They are in 0..1 and add up to 1. It uses
// the memory of dst if that suffices; dst may be scores.
func (c Calibration) Probabilities(dst, scores []float64) []float64 {
	mustMatch(len(scores), len(c.Offsets))
	if cap(dst) < len(scores) {
		dst = make([]float64, len(scores))
	}
	dst = dst[:len(scores)]
	for i, score := range scores {
		// Clamp overflows: the difference of two infinities would be NaN.
		dst[i] = min(max(c.Slope*score+c.Offsets[i], -math.MaxFloat64), math.MaxFloat64)
	}
	softmax(dst)
	return dst
}

// Probability returns the probability of class 1 for two classes with the scores 0 and z. z is finite.
func (c Calibration) Probability(z float64) float64 {
	mustMatch(2, len(c.Offsets))
	return invlogit(c.Slope*z + c.Offsets[1])
}

// softmax replaces each z by exp(z) / sum of exp(z) and returns the logarithm of the sum. It subtracts the greatest z first, so that
// exp does not overflow and the sum is at least 1.
func softmax(z []float64) (logSum float64) {
	greatest := slices.Max(z)
	sum := 0.
	for i := range z {
		z[i] = math.Exp(z[i] - greatest)
		sum += z[i]
	}
	for i := range z {
		z[i] /= sum
	}
	return greatest + math.Log(sum)
}

// All returns the N x K probabilities for N x K scores, row by row.
func (c Calibration) All(scores []float64) []float64 {
	probabilities := make([]float64, len(scores))
	classes := len(c.Offsets)
	for at := 0; at < len(scores); at += classes {
		c.Probabilities(probabilities[at:at:at+classes], scores[at:at+classes])
	}
	return probabilities
}
