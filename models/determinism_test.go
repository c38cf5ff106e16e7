package models

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"chaff/features"
)

// unlearned returns the report without what cannot be compared.
func unlearned(r Report) Report {
	r.Learned = nil // which has functions
	return r
}

// unitLength scales every document to length 1, so that the values of its terms are no whole numbers.
func unitLength(d *features.Dataset) *features.Dataset {
	d.Kind = features.NormalisedCounts
	for i := range d.Len() {
		x := d.Row(i)
		length := float32(math.Sqrt(squaredNorm(x, true)))
		for j := range x.Values {
			x.Values[j] /= length
		}
	}
	return d
}

func TestTheSameSeedGivesTheSameBits(t *testing.T) {
	d := randomMatrix(1, 60, 12, 3)
	development := randomMatrix(2, 30, 12, 3)
	for name := range driven(Passes{}) {
		t.Run(name, func(t *testing.T) {
			train := func(seed uint64) (*Linear, Report) {
				m := driven(Passes{Epochs: 4, Order: OrderRandom, Seed: seed})[name]
				l, report := mustTrain(t, m, d, EpochOptions{Development: development})
				return l, unlearned(report)
			}
			first, firstReport := train(1)
			again, againReport := train(1)
			if !reflect.DeepEqual(first, again) || !reflect.DeepEqual(firstReport, againReport) {
				t.Errorf("two trainings with the same seed differ")
			}
			other, _ := train(2)
			if same := reflect.DeepEqual(first, other); same != isBatch(name) {
				t.Errorf("with another seed the weights are the same: %v, want %v", same, isBatch(name))
			}
		})
	}
}

func TestTheOrderOfTheListHasNoChance(t *testing.T) {
	d := randomMatrix(1, 60, 12, 3)
	for name := range driven(Passes{}) {
		t.Run(name, func(t *testing.T) {
			train := func(seed uint64, d *features.Dataset) *Linear {
				l, _ := mustTrain(t, driven(Passes{Epochs: 4, Listed: true, Seed: seed})[name], d, EpochOptions{})
				return l
			}
			first := train(1, d)
			if !reflect.DeepEqual(first, train(2, d)) {
				t.Errorf("the seed changes weights that are learned in the order of the list")
			}
			if same := reflect.DeepEqual(first, train(1, shuffled(d))); same != isBatch(name) {
				t.Errorf("of documents in another order the weights are the same: %v, want %v", same, isBatch(name))
			}
		})
	}
}

func TestARandomStartComesFromTheSeed(t *testing.T) {
	d := randomMatrix(1, 60, 12, 3)
	start := Steps{LearningRate: 0.001, Decay: RateConstant, Start: StartRandom}
	for _, origin := range []bool{false, true} {
		passes := func(seed uint64) Passes {
			return Passes{Epochs: 1, Listed: true, Seed: seed, ThroughOrigin: origin}
		}
		models := map[string]func(seed uint64) Trainer{
			"perceptron":             func(seed uint64) Trainer { return Perceptron{Passes: passes(seed), Steps: start} },
			"multi-class perceptron": func(seed uint64) Trainer { return MulticlassPerceptron{Passes: passes(seed), Steps: start} },
			"tanh":                   func(seed uint64) Trainer { return Tanh{Descent: Descent{Passes: passes(seed), Steps: start}} },
			"least mean squares":     func(seed uint64) Trainer { return LMS{Descent: Descent{Passes: passes(seed), Steps: start}} },
		}
		for name, newTrainer := range models {
			t.Run(fmt.Sprintf("%s, through the origin %v", name, origin), func(t *testing.T) {
				first, _ := mustTrain(t, newTrainer(1), d, EpochOptions{})
				again, _ := mustTrain(t, newTrainer(1), d, EpochOptions{})
				other, _ := mustTrain(t, newTrainer(2), d, EpochOptions{})
				if !reflect.DeepEqual(first, again) {
					t.Errorf("the same seed gives other weights")
				}
				if reflect.DeepEqual(first, other) {
					t.Errorf("another seed gives the same weights")
				}
				if hasBias := first.Bias[0] != 0; hasBias == origin {
					t.Errorf("got the bias %v", first.Bias)
				}
			})
		}
	}
}

// A random order is drawn from the documents sorted by what is in them, and so are sums over all of them.
func TestAShuffledDatasetGivesTheSameBits(t *testing.T) {
	for _, classes := range []int{2, 3} {
		d := unitLength(randomMatrix(1, 60, 12, classes))
		development := unitLength(randomMatrix(2, 30, 12, classes))
		for name, m := range driven(Passes{Epochs: 4, Order: OrderRandom, Seed: 1}) {
			t.Run(fmt.Sprintf("%s, %d classes", name, classes), func(t *testing.T) {
				want, wantReport := mustTrain(t, m, d, EpochOptions{Development: development})
				got, gotReport := mustTrain(t, m, shuffled(d), EpochOptions{Development: shuffled(development)})
				if !reflect.DeepEqual(got, want) {
					t.Errorf("the same documents in another order give other weights")
				}
				if got, want := unlearned(gotReport), unlearned(wantReport); !reflect.DeepEqual(got, want) {
					t.Errorf("the same documents in another order give the report\n%+v, want\n%+v", got, want)
				}
			})
		}
		t.Run(fmt.Sprintf("multinomial, %d classes", classes), func(t *testing.T) {
			m := Multinomial{Smoothing: 0.1, Features: "normalised counts"}
			want, _, err := m.Train(t.Context(), d, EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := m.Train(t.Context(), shuffled(d), EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("the same documents in another order give other weights")
			}
		})
	}
}
