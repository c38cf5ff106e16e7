package models

import (
	"math/rand/v2"
	"slices"
	"sync"

	"chaff/internal/indices"
)

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
