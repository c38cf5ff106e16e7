package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLearningCurveByHand(t *testing.T) {
	of := func(x float64) *float64 { return &x }
	if curve := LearningCurve(nil, nil, nil, 3); curve != nil {
		t.Error("points without messages")
	}
	// The spam at -2 is below the ham at -1: one pair of two is wrong. The ham at 3 is above all spam: 3 more wrong of 6 pairs.
	scores, predictions := []float64{-1, 2, -2, 3, 1}, []int32{0, 1, 0, 1, 1}
	spam := []bool{false, true, true, false, true}
	curve := LearningCurve(scores, predictions, spam, 3)
	lam := func(ham, lost, spam, through int) *float64 {
		return Confusion{{ham - lost, lost}, {through, spam - through}}.LAM()
	}
	points := []LearningPoint{
		{3, SpamFigures{of(0), of(50), lam(1, 0, 2, 1), of(50)}},
		{5, SpamFigures{of(50), of(100. / 3), lam(2, 1, 3, 1), of(100 * 4. / 6)}},
	}
	if diff := cmp.Diff(points, curve); diff != "" {
		t.Errorf("points: want (-), got (+):\n%s", diff)
	}
}

func TestLearningCurveAgreesWithTheFiguresOfTheSameMessages(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	figures := func(scores []float64, spam []bool) LearningPoint {
		predicted := make([]bool, len(scores))
		for i, score := range scores {
			predicted[i] = score > 0
		}
		c := NewConfusion(classesOf(spam), classesOf(predicted), 2)
		return LearningPoint{len(scores), spamFigures(c, scores, spam)}
	}
	for range 200 {
		scores, spam := randomScores(random, 1+random.IntN(120))
		positive := make([]bool, len(scores))
		for i, score := range scores {
			positive[i] = score > 0
		}
		labels, predictions := classesOf(spam), classesOf(positive)
		every := 1 + random.IntN(40)
		points := LearningCurve(scores, predictions, spam, every)
		if want := (len(scores) + every - 1) / every; len(points) != want {
			t.Fatalf("got %d points, want %d", len(points), want)
		}
		for i, p := range points {
			if diff := cmp.Diff(figures(scores[:p.Messages], spam[:p.Messages]), p); diff != "" {
				t.Fatalf("point %d: want (-), got (+):\n%s", i, diff)
			}
		}
		f, last := Measure(labels, predictions, 2), points[len(points)-1]
		f.MeasureSpam(scores, spam)
		if diff := cmp.Diff(last, LearningPoint{f.Messages, f.SpamFigures}); diff != "" {
			t.Fatalf("the last point differs from the figures of all:\n%s", diff)
		}
	}
}

func TestLearningCurveTakesZeroAndMinusZeroForATie(t *testing.T) {
	curve := LearningCurve([]float64{math.Copysign(0, -1), 0}, []int32{0, 0}, []bool{true, false}, 2)
	if got := curve[0].OneMinusROCA; got == nil || *got != 50 {
		t.Errorf("got %v, want 50", got)
	}
}

// A point after each message is measured without counting the messages before it again.
func BenchmarkLearningCurve(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 0))
	scores, spam := make([]float64, 100_000), make([]bool, 100_000)
	for i := range scores {
		scores[i], spam[i] = random.NormFloat64(), random.IntN(2) == 0
	}
	b.ReportAllocs()
	b.SetBytes(10 * 100_000)
	for b.Loop() {
		LearningCurve(scores, make([]int32, len(scores)), spam, 1)
	}
}
