package models

import (
	"math"
	"testing"
)

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
