package models

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"chaff/features"
)

// countedData returns documents of kinds of feature.
func countedData() map[string]*features.Dataset {
	bits := randomMatrix(1, 60, 20, 3)
	bits.Kind = features.Bits
	for i := range bits.Len() {
		for k := range bits.Row(i).Values {
			bits.Row(i).Values[k] = 1
		}
	}
	return map[string]*features.Dataset{
		"bits": bits, "counts": randomMatrix(2, 60, 20, 3), "normalised counts": unitLength(randomMatrix(3, 60, 20, 3)),
		"two classes": unitLength(randomMatrix(4, 60, 20, 2)),
	}
}

// counted returns the counts of the documents from the first up to but without the last.
func counted(d *features.Dataset, from, to int) *counts {
	n := newCounts(new(Majority), &features.Dataset{Kind: d.Kind, Classes: d.Classes, Terms: d.Terms})
	for i := from; i < to; i++ {
		n.learn(0, d.Row(i), int(d.Labels[i]))
	}
	return n
}

func TestLearningAndForgettingIsNeverHavingLearned(t *testing.T) {
	for name, d := range countedData() {
		t.Run(name, func(t *testing.T) {
			want, got := counted(d, 0, 30), counted(d, 0, 60)
			for i := 30; i < 60; i++ {
				got.forget(d.Row(i), int(d.Labels[i]))
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			for i := range 30 {
				got.forget(d.Row(i), int(d.Labels[i]))
			}
			if !reflect.DeepEqual(got, newCounts(new(Majority), &features.Dataset{Kind: d.Kind, Classes: d.Classes, Terms: d.Terms})) {
				t.Errorf("without a document got %+v", got)
			}
		})
	}
}

// Features as small as these do not add up exactly as they are.
func TestSumsOfFractionsAreExactInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	documents := make([]features.Vector, 1000)
	for i := range documents {
		for w := range uint32(20) {
			documents[i].IDs = append(documents[i].IDs, w)
			documents[i].Values = append(documents[i].Values, float32(math.Exp(-14*random.Float64())))
		}
	}
	empty := &features.Dataset{Kind: features.NormalisedBits, Classes: []string{"ham", "spam"}, Terms: 20}
	want, got := newCounts(new(Majority), empty), newCounts(new(Majority), empty)
	for i, x := range documents {
		got.learn(0, documents[len(documents)-1-i], 0)
		if i < 10 {
			want.learn(0, x, 0)
		}
	}
	for _, x := range documents[10:] {
		got.forget(x, 0)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var sum float64
	for _, x := range documents[:10] {
		sum += float64(x.Values[0])
	}
	wantNear(t, "sum", want.of(0)[0], sum, 10./(1<<31))
}

func TestForgettingMoreThanWasLearnedPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("did not panic")
		}
	}()
	newCounts(new(Majority), &features.Dataset{Kind: features.Bits, Classes: []string{"ham", "spam"}, Terms: 2}).forget(features.Vector{}, 0)
}

func TestPriors(t *testing.T) {
	for prior, want := range map[string][]float64{
		"learned": {3. / 8, 1. / 8, 4. / 8}, "": {3. / 8, 1. / 8, 4. / 8}, "uniform": {1. / 3, 1. / 3, 1. / 3},
	} {
		for c, log := range logPrior(prior, []int{3, 1, 4}) {
			wantNear(t, "log prior "+prior, log, math.Log(want[c]), 1e-12)
		}
	}
	wantNear(t, "a class without documents", logPrior("learned", []int{0, 2})[0], math.Log(0.5/2.5), 1e-12)
}
