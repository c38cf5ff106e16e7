package models

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"chaff/features"
)

// The orders in which documents can be read.
const (
	OrderRandom    = "random"
	OrderFixed     = "fixed"
	orderByContent = "by content" // no setting
)

// maxEpochs keeps a typing error from training for days.
const maxEpochs = 100_000

// Passes are the settings of all trainers that read the training part several times.
type Passes struct {
	// Epochs is the largest number of passes over the training part; training ends earlier if a pass changes nothing.
	// From 1 to 100000. The default depends on the model.
	Epochs int `json:"epochs"`
	// Order is the order of the training messages: "random", a new random one for each epoch, or "fixed", one random
	// order for all epochs. Default "random".
	Order string `json:"order"`
	// Features is the kind of feature: "bits", "counts", or "normalised bits" and "normalised counts", which are
	// L2-normalised. The default depends on the model.
	Features string `json:"features"`
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

func (p Passes) validate() error {
	var errs []error
	if p.Epochs < 1 || p.Epochs > maxEpochs {
		errs = append(errs, fmt.Errorf("epochs is %d: must be from 1 to %d", p.Epochs, maxEpochs))
	}
	_, err := p.shared().kind()
	return errors.Join(append(errs, checkChoice("order", p.Order, OrderRandom, OrderFixed), err)...)
}

// anyKind are the kinds of feature of a classifier that takes any values.
var anyKind = []features.Kind{features.Bits, features.Counts, features.NormalisedBits, features.NormalisedCounts}

func (p *Passes) shared() shared { return shared{kinds: anyKind, features: &p.Features, seed: &p.Seed} }

func checkChoice(key, value string, values ...string) error {
	if value == "" || slices.Contains(values, value) {
		return nil
	}
	last := len(values) - 1
	return fmt.Errorf("%s is %q: must be %s or %s", key, value, strings.Join(values[:last], ", "), values[last])
}

func checkPositive(key string, value float64) error {
	if !(value > 0 && value <= maxPositive) { // also refuses NaN
		return fmt.Errorf("%s is %v: must be above 0 and at most %v", key, value, maxPositive)
	}
	return nil
}

func checkRange(key string, value, least, most float64) error {
	if !(value >= least && value <= most) { // also refuses NaN
		return fmt.Errorf("%s is %v: must be from %v to %v", key, value, least, most)
	}
	return nil
}

// maxPositive is the maximum of settings without a natural one.
const maxPositive = 1e6

// orders returns the function that returns the order of the documents in the next epoch. A fixed order is random too, and not that
// of time: an online trainer is right about mail like what it read last, and the classes of a corpus are often of different times.
func (p Passes) orders(d sorted) func() []int32 {
	switch {
	case p.Order == orderByContent:
		return func() []int32 { return d.order }
	case p.Listed:
		listed := listOrder[int32](d.Len())
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

func (s Steps) validate() error {
	return errors.Join(
		checkPositive("learning_rate", s.LearningRate),
		checkChoice("decay", s.Decay, RateConstant, RateInverse, RateInverseRoot),
		checkChoice("start", s.Start, StartZeros, StartRandom))
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
