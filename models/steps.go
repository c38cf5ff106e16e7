package models

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// How the learning rate changes.
const (
	RateConstant    = "constant"  // eta_n = eta
	RateInverse     = "1/n"       // eta_n = eta / n
	RateInverseRoot = "1/sqrt(n)" // eta_n = eta / sqrt(n)
)

// Where the weights start.
const (
	StartZeros  = "zeros"
	StartRandom = "random"
)

// Steps are the settings of trainers that change the weights by steps of a given length. Source: cs440 lecture 16,
// "Implementation details".
type Steps struct {
	// LearningRate is the length of a step, eta. Above 0, at most 1e6; the default depends on the model.
	LearningRate float64 `json:"learning_rate"`
	// Decay is how the learning rate becomes smaller with the number n of messages read, or of steps where a step is over
	// all messages: "constant" for not at all, "1/n", or "1/sqrt(n)". Default "constant"; an empty text means the same.
	Decay string `json:"decay"`
	// Start is where the weights start: "zeros", or "random" for small random numbers, which come from the seed. Default
	// "zeros"; an empty text means the same.
	Start string `json:"start"`
}

const maxLearningRate = 1e6

func (s Steps) validate(prefix string) error {
	errs := []error{checkLearningRate(prefix, s.LearningRate)}
	switch s.Decay {
	case "", RateConstant, RateInverse, RateInverseRoot:
	default:
		errs = append(errs, fmt.Errorf("%sdecay is %q: must be constant, 1/n or 1/sqrt(n)", prefix, s.Decay))
	}
	switch s.Start {
	case "", StartZeros, StartRandom:
	default:
		errs = append(errs, fmt.Errorf("%sstart is %q: must be zeros or random", prefix, s.Start))
	}
	return errors.Join(errs...)
}

func checkLearningRate(prefix string, eta float64) error {
	if !(eta > 0 && eta <= maxLearningRate) { // also refuses NaN
		return fmt.Errorf("%slearning_rate is %v: must be above 0 and at most %v", prefix, eta, maxLearningRate)
	}
	return nil
}

// checkOnline returns an error if the settings are none for learning without a beginning of all terms.
func (s Steps) checkOnline() error {
	if s.Start == StartRandom {
		return fmt.Errorf("start is %q: terms that are not known yet have no weight", s.Start)
	}
	return nil
}

// rate is eta_n, the learning rate of the n-th step.
func (s Steps) rate(n int) float64 {
	switch s.Decay {
	case RateInverse:
		return s.LearningRate / float64(n)
	case RateInverseRoot:
		return s.LearningRate / math.Sqrt(float64(n))
	}
	return s.LearningRate
}

// startDeviation is the standard deviation of weights that start at random: small beside those that are learnt.
const startDeviation = 0.01

// startRows returns n rows over the terms, where the weights start.
func (s Steps) startRows(n, terms int, seed uint64, origin bool) *rows {
	v := newRows(n, terms)
	if s.Start != StartRandom {
		return v
	}
	random := rand.New(rand.NewPCG(seed, startStream))
	for i := range v.weights {
		v.weights[i] = startDeviation * random.NormFloat64()
	}
	if origin {
		return v
	}
	for r := range v.bias {
		v.bias[r] = startDeviation * random.NormFloat64()
	}
	return v
}
