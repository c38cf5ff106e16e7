package metrics

import (
	"math"
	"testing"
)

func TestTheMeanIsOverTheRoundsInWhichAFigureIsDefined(t *testing.T) {
	hm, loss := []float64{1, 2}, []float64{0.25, 0.75}
	mean := MeanOutcome([]*Figures{
		{Accuracy: 90, SpamFigures: SpamFigures{HM: &hm[0]}, LogLoss: &loss[0]},
		{Accuracy: 96, SpamFigures: SpamFigures{HM: &hm[1]}, LogLoss: &loss[1]},
		{Accuracy: 99},
	})
	if mean.Accuracy != 95 || *mean.HM != 1.5 || *mean.LogLoss != 0.5 || mean.SM != nil || mean.LAM != nil || mean.OneMinusROCA != nil {
		t.Errorf("got %+v", mean)
	}
	if none := MeanOutcome(nil); none != (Outcome{}) {
		t.Errorf("no rounds: got %+v", none)
	}
}

func TestTheBetterOutcomeCostsLess(t *testing.T) {
	small, large := 1.0, 2.0
	better := Outcome{Accuracy: 99, SpamFigures: SpamFigures{LAM: &small, OneMinusROCA: &small}, LogLoss: &small}
	worse := Outcome{Accuracy: 98, SpamFigures: SpamFigures{LAM: &large, OneMinusROCA: &large}, LogLoss: &large}
	for _, objective := range Objectives() {
		if better.Cost(objective) >= worse.Cost(objective) {
			t.Errorf("%s: the better costs %v, the worse %v", objective, better.Cost(objective), worse.Cost(objective))
		}
		if objective != ByAccuracy && !math.IsInf(Outcome{}.Cost(objective), 1) {
			t.Errorf("%s: one that is not defined costs %v", objective, Outcome{}.Cost(objective))
		}
	}
}
