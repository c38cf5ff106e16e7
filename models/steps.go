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

// The initial weights.
const (
	StartZeros  = "zeros"
	StartRandom = "random"
)

// Steps are the settings of trainers that change the weights by steps of a given length. Source: cs440 lecture 16,
// "Implementation details".
type Steps struct {
	// LearningRate is the length of a step, eta. Above 0, at most 1e6. The default depends on the model.
	LearningRate float64 `json:"learning_rate"`
	// Decay is how the learning rate falls with the number n of steps: "constant", "1/n" or "1/sqrt(n)". Default
	// "constant".
	Decay string `json:"decay"`
	// Start is where the weights start: "zeros", or "random" for small random numbers. Default "zeros".
	Start string `json:"start"`
}

func defaultSteps(rate float64) Steps {
	return Steps{LearningRate: rate, Decay: RateConstant, Start: StartZeros}
}

func (s *Steps) sharedWith(p *Passes) shared {
	all := p.shared()
	all.learningRate = &s.LearningRate
	return all
}

func (s Steps) validate() error {
	return errors.Join(
		checkPositive("learning_rate", s.LearningRate),
		checkChoice("decay", s.Decay, RateConstant, RateInverse, RateInverseRoot),
		checkChoice("start", s.Start, StartZeros, StartRandom))
}

// checkOnline returns an error for settings that need all terms at the start.
func (s Steps) checkOnline() error {
	if s.Start == StartRandom {
		return fmt.Errorf("start is %q: terms that are not known yet have no weight", s.Start)
	}
	return nil
}

// rate returns eta_n, the learning rate of the n-th step.
func (s Steps) rate(n int) float64 {
	switch s.Decay {
	case RateInverse:
		return s.LearningRate / float64(n)
	case RateInverseRoot:
		return s.LearningRate / math.Sqrt(float64(n))
	}
	return s.LearningRate
}

// startDeviation is the standard deviation of random initial weights. It is small beside weights that are learnt.
const startDeviation = 0.01

// startParams returns the initial weights of n rows.
func (s Steps) startParams(n, terms int, seed uint64, origin bool) *params {
	v := newParams(n, terms)
	if s.Start != StartRandom {
		return v
	}
	random := rand.New(rand.NewPCG(seed, startStream))
	for i := range v.weights {
		v.weights[i] = startDeviation * random.NormFloat64()
	}
	for r := 0; !origin && r < n; r++ {
		v.bias[r] = startDeviation * random.NormFloat64()
	}
	return v
}
