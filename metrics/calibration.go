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
// Source: J. Platt 1999. Since the slope is never below 0, a class gets no less of the probability for a higher score.
type Calibration struct {
	// Slope is what scores are multiplied by, 0 or more. With 0 the probabilities are the same for all messages.
	Slope float64 `json:"slope"`
	// Offsets are what is added, one for each class. The first is 0: only differences matter.
	Offsets []float64 `json:"offsets"`
}

// Identity returns the calibration that takes scores for logarithms of probabilities as they are.
func Identity(classes int) Calibration {
	return Calibration{Slope: 1, Offsets: make([]float64, classes)}
}

// Validate returns everything that is wrong with c for the given number of classes. It is for a Calibration read from a
// file: what [Calibrate] returns is valid.
func (c Calibration) Validate(classes int) error {
	var errs []error
	if !(c.Slope >= 0) || math.IsInf(c.Slope, 0) { // also refuses NaN
		errs = append(errs, fmt.Errorf("slope is %v: must be 0 or more and finite", c.Slope))
	}
	if len(c.Offsets) != classes {
		errs = append(errs, fmt.Errorf("%d offsets: must be %d, one for each class", len(c.Offsets), classes))
	}
	for i, offset := range c.Offsets {
		if offset-offset != 0 { // only of a finite number this is 0
			errs = append(errs, fmt.Errorf("offset %d is %v: must be finite", i, offset))
		}
	}
	if len(c.Offsets) > 0 && c.Offsets[0] != 0 {
		errs = append(errs, fmt.Errorf("offset 0 is %v: must be 0", c.Offsets[0]))
	}
	return errors.Join(errs...)
}

// Probabilities returns the probabilities of the K classes for the K scores of one message, in the memory of dst if that
// suffices; dst may be scores. They are in 0..1 and their sum is 1, for any finite scores.
func (c Calibration) Probabilities(dst, scores []float64) []float64 {
	mustMatch(len(scores), len(c.Offsets))
	if cap(dst) < len(scores) {
		dst = make([]float64, len(scores))
	}
	dst = dst[:len(scores)]
	for i, score := range scores {
		// What is too large for a number is held at the largest: infinity less infinity would be no number.
		dst[i] = min(max(c.Slope*score+c.Offsets[i], -math.MaxFloat64), math.MaxFloat64)
	}
	softmax(dst)
	return dst
}

// Probability returns the probability of class 1 for two classes with the scores 0 and z, z being finite.
func (c Calibration) Probability(z float64) float64 {
	mustMatch(2, len(c.Offsets))
	return invlogit(c.Slope*z + c.Offsets[1])
}

// softmax replaces each z by exp(z) / sum of exp(z) and returns the logarithm of that sum. The greatest z is taken off
// first, so that exp never overflows and the sum is at least 1.
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

// All returns the N x K probabilities for the N x K scores of several messages, row by row.
func (c Calibration) All(scores []float64) []float64 {
	probabilities := make([]float64, len(scores))
	classes := len(c.Offsets)
	for at := 0; at < len(scores); at += classes {
		c.Probabilities(probabilities[at:at:at+classes], scores[at:at+classes])
	}
	return probabilities
}
