package metrics

import (
	"math"
	"testing"
)

func TestBetterFiguresCostLess(t *testing.T) {
	small, large := 1.0, 2.0
	better := &Figures{Accuracy: 99, LAM: &small, OneMinusROCA: &small, LogLoss: &small}
	worse := &Figures{Accuracy: 98, LAM: &large, OneMinusROCA: &large, LogLoss: &large}
	for _, objective := range Objectives() {
		if better.Cost(objective) >= worse.Cost(objective) {
			t.Errorf("%s: the better costs %v, the worse %v", objective, better.Cost(objective), worse.Cost(objective))
		}
		if objective != ByAccuracy && !math.IsInf(new(Figures).Cost(objective), 1) {
			t.Errorf("%s: one that is not defined costs %v", objective, new(Figures).Cost(objective))
		}
	}
}
