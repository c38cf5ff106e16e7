package models

import (
	"reflect"
	"testing"

	"chaff/features"
	"chaff/internal/indices"
)

func TestAFixedOrderIsRandomAndMadeOnce(t *testing.T) {
	d := randomMatrix(1, 60, 12, 2)
	next := Passes{Order: OrderFixed, Seed: 1}.orders(newSorted(d))
	first := append([]int32{}, next()...)
	if again := next(); !reflect.DeepEqual(first, again) {
		t.Errorf("the second epoch has the order %v, want %v", again, first)
	}
	if reflect.DeepEqual(first, indices.Below[int32](d.Len())) {
		t.Errorf("the order is that of the list")
	}
	if other := (Passes{Order: OrderFixed, Seed: 2}).orders(newSorted(d))(); reflect.DeepEqual(first, other) {
		t.Errorf("another seed gives the same order")
	}
	for name := range driven(Passes{}) {
		m := driven(Passes{Epochs: 4, Order: OrderFixed, Seed: 1})[name]
		l, _ := mustTrain(t, m, d, EpochOptions{})
		if other, _ := mustTrain(t, m, shuffled(d), EpochOptions{}); !reflect.DeepEqual(l, other) {
			t.Errorf("%s: the order of the list changes the weights", name)
		}
	}
}

func TestSmoothingThatHidesTheFeaturesIsAWarning(t *testing.T) {
	d := randomMatrix(1, 60, 12, 2) // 30 documents a class of 12 terms
	for _, test := range []struct {
		name      string
		smoothing float64
		normal    bool
		warns     bool
	}{
		{"the default", 0.001, true, false},
		{"a large value", 100, true, true},
		{"a large value for counts", 100, false, false},
	} {
		kind, name := d.Kind, d.Kind.String()
		if test.normal {
			kind, name = features.NormalisedBits, features.NormalisedBits.String()
		}
		d := *d
		d.Kind = kind
		_, report := mustTrain(t, Multinomial{Smoothing: test.smoothing, Features: name}, &d, EpochOptions{})
		if got := len(report.Warnings) > 0; got != test.warns {
			t.Errorf("%s: got the warnings %q", test.name, report.Warnings)
		}
	}
}

// What is shown of epochs changes no weight.
func TestSoftmaxEndsWithAPassThatHardlyLowersTheLoss(t *testing.T) {
	labels, documents := make([]int32, 40), make([][]float32, 40)
	for i := range documents { // the first two terms tell the class
		c := i % 2
		labels[i], documents[i] = int32(c), []float32{float32(c), float32(1 - c), 1, float32(i % 3), float32(i % 5)}
	}
	d := matrix(2, labels, documents)
	m := Softmax{Passes: Passes{Epochs: 200, Order: OrderRandom, Seed: 1}, LearningRate: 1}
	epochs := func(tolerance float64) int {
		m.Tolerance = tolerance
		watched, report := mustTrain(t, m, d, EpochOptions{})
		unwatched, bare := mustTrain(t, m, d, EpochOptions{Unwatched: true})
		if !reflect.DeepEqual(watched, unwatched) || bare.Epochs != nil || bare.Passes != report.Passes {
			t.Errorf("tolerance %v: unwatched training differs: %d epochs, %d passes instead of %d", tolerance, len(bare.Epochs), bare.Passes, report.Passes)
		}
		return len(report.Epochs)
	}
	all, fine, coarse := epochs(0), epochs(0.0001), epochs(0.01)
	if all != m.Epochs || !(1 < coarse && coarse < fine && fine < all) {
		t.Errorf("%d epochs without a tolerance, %d with 0.0001, %d with 0.01", all, fine, coarse)
	}
}
