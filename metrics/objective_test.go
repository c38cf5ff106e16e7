package metrics

import (
	"math"
	"testing"
)

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
