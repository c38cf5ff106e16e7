package models

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"chaff/features"
)

// The orders in which documents can be read.
const (
	OrderRandom = "random"
	OrderFixed  = "fixed"
)

// maxEpochs keeps a slip of the finger from training for days.
const maxEpochs = 100_000

// Passes are the settings of all trainers that read the training part several times.
type Passes struct {
	// Epochs is the largest number of passes over the training part. Training ends before it when a pass changes nothing,
	// or when patience is at an end. From 1 to 100000; the default depends on the model.
	Epochs int `json:"epochs"`
	// Patience is after how many epochs without a smaller loss on development mail training stops; the weights of the best
	// epoch are kept. At least 0; 0 is for never: all epochs are trained, and the last weights are kept.
	Patience int `json:"patience"`
	// Order is how the messages of the training part are read: "random", in a new order for each epoch, which comes from the
	// seed; or "fixed", always as they were found. Default "random"; an empty text means the same.
	Order string `json:"order"`
	// ClassWeights is how much a message of each class counts: "none" for one; "balanced" for as much as makes all classes
	// count the same; or the weights themselves, as "ham:10,spam:1": of every class, each above 0. Default "none"; an empty
	// text means the same.
	ClassWeights string `json:"class_weights"`
	// Features is what the model is trained on: "bits", every term of a message once; "counts", every token; or "normalised bits"
	// and "normalised counts", where a message is scaled to length 1, so that long ones weigh as much as short ones.
	Features string `json:"features"`
	// ThroughOrigin leaves out the bias, so that the boundary goes through the origin: a message without a known term has
	// the score 0. Default false.
	ThroughOrigin bool `json:"through_origin"`
	// Seed is where the orders and a random start come from.
	Seed uint64 `json:"-"`
}

// The streams of chance that are drawn from the seed.
const (
	orderStream = iota + 1
	startStream
)

func (p Passes) validate(prefix string) error {
	var errs []error
	if p.Epochs < 1 || p.Epochs > maxEpochs {
		errs = append(errs, fmt.Errorf("%sepochs is %d: must be from 1 to %d", prefix, p.Epochs, maxEpochs))
	}
	if p.Patience < 0 {
		errs = append(errs, fmt.Errorf("%spatience is %d: must be at least 0", prefix, p.Patience))
	}
	switch p.Order {
	case "", OrderRandom, OrderFixed:
	default:
		errs = append(errs, fmt.Errorf("%sorder is %q: must be random or fixed", prefix, p.Order))
	}
	return errors.Join(append(errs, checkClassWeights(prefix, p.ClassWeights), checkFeatures(prefix, p.Features))...)
}

// kind is the kind of feature that is trained on.
func (p Passes) kind() (features.Kind, error) { return parseFeatures(p.Features) }

// parseFeatures reads the kind of feature of a classifier that takes any values. An empty text means bits.
func parseFeatures(name string) (features.Kind, error) {
	if name == "" {
		return features.Bits, nil
	}
	kind, err := features.ParseKind(name)
	if err == nil {
		switch kind {
		case features.Bits, features.Counts, features.NormalisedBits, features.NormalisedCounts:
			return kind, nil
		}
	}
	return 0, fmt.Errorf("features is %q: must be bits, counts, normalised bits or normalised counts", name)
}

func checkFeatures(prefix, name string) error {
	if _, err := parseFeatures(name); err != nil {
		return fmt.Errorf("%s%w", prefix, err)
	}
	return nil
}

// order gives the order of the documents in each epoch.
type order struct {
	documents []int32
	random    *rand.Rand // nil for a fixed order
}

func (p Passes) newOrder(d part) *order {
	if p.Order == OrderFixed {
		return &order{documents: listed(d.Len())}
	}
	return &order{documents: slices.Clone(d.canonical), random: rand.New(rand.NewPCG(p.Seed, orderStream))}
}

// newBatchOrder is the order for a step over all documents, which has none but rounds by it.
func newBatchOrder(d part) *order { return &order{documents: d.canonical} }

// next returns the order of the next epoch.
func (o *order) next() []int32 {
	if o.random != nil {
		o.random.Shuffle(len(o.documents), func(i, j int) {
			o.documents[i], o.documents[j] = o.documents[j], o.documents[i]
		})
	}
	return o.documents
}

// part is documents with the order in which sums over all of them are made.
type part struct {
	*features.Dataset
	canonical []int32
	rows      *features.Rows
}

func newPart(d *features.Dataset) part { return part{d, canonical(d), d.Rows()} }

// Row returns document i, valid until the next Row.
func (p part) Row(i int) features.Vector { return p.rows.Row(i) }
