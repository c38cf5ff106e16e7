package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReplayByHand(t *testing.T) {
	of := func(x float64) *float64 { return &x }
	r := NewReplay(3)
	if r.Points() != nil || r.Blocks() != nil {
		t.Error("points without messages")
	}
	for _, m := range []struct {
		score        float64
		judged, spam bool
	}{
		{-1, false, false}, {2, true, true}, {-2, false, true}, // spam at -2 is below ham at -1: one pair of two is wrong
		{3, true, false}, {1, true, true}, // ham at 3 is above all spam: 3 more wrong of 6 pairs; in the block one of one
	} {
		r.Add(m.score, m.judged, m.spam)
	}
	lam := func(ham, lost, spam, through int) *float64 { return orNil(Misses{ham, lost, spam, through}.LAM()) }
	points := []LearningPoint{
		{3, SpamFigures{of(0), of(50), lam(1, 0, 2, 1), of(50)}},
		{5, SpamFigures{of(50), of(100. / 3), lam(2, 1, 3, 1), of(100 * 4. / 6)}},
	}
	if diff := cmp.Diff(points, r.Points()); diff != "" {
		t.Errorf("points: want (-), got (+):\n%s", diff)
	}
	blocks := []LearningPoint{points[0], {5, SpamFigures{of(100), of(0), lam(1, 1, 1, 0), of(100)}}}
	if diff := cmp.Diff(blocks, r.Blocks()); diff != "" {
		t.Errorf("blocks: want (-), got (+):\n%s", diff)
	}
	if f := r.Figures(); r.Messages() != 5 || f.Messages != 5 || !near(f.Accuracy, 60) || *f.HM != 50 {
		t.Errorf("got %d messages, %v", r.Messages(), f)
	}
}

func TestReplayAgreesWithTheFiguresOfTheSameMessages(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	figures := func(scores []float64, spam []bool) LearningPoint {
		var m Misses
		for i, score := range scores {
			m.add(score > 0, spam[i])
		}
		percent, defined := OneMinusROCA(scores, spam)
		return LearningPoint{len(scores), spamFigures(m, percent, defined)}
	}
	for range 200 {
		scores, spam := randomScores(random, 1+random.IntN(120))
		every := random.IntN(40)
		r := NewReplay(every)
		for i, score := range scores {
			r.Add(score, score > 0, spam[i])
		}
		points, blocks := r.Points(), r.Blocks()
		if every == 0 {
			every = len(scores)
		}
		if want := (len(scores) + every - 1) / every; len(points) != want || len(blocks) != want {
			t.Fatalf("got %d points and %d blocks, want %d", len(points), len(blocks), want)
		}
		start := 0
		for i, p := range points {
			if diff := cmp.Diff(figures(scores[:p.Messages], spam[:p.Messages]), p); diff != "" {
				t.Fatalf("point %d: want (-), got (+):\n%s", i, diff)
			}
			block := figures(scores[start:p.Messages], spam[start:p.Messages])
			block.Messages = p.Messages
			if diff := cmp.Diff(block, blocks[i]); diff != "" {
				t.Fatalf("block %d: want (-), got (+):\n%s", i, diff)
			}
			start = p.Messages
		}
		f, last := r.Figures(), points[len(points)-1]
		if diff := cmp.Diff(last, LearningPoint{f.Messages, f.SpamFigures}); diff != "" || start != len(scores) {
			t.Fatalf("the last point differs from the figures of all:\n%s", diff)
		}
	}
}

func TestReplayTakesZeroAndMinusZeroForATie(t *testing.T) {
	r := NewReplay(0)
	r.Add(math.Copysign(0, -1), false, true)
	r.Add(0, false, false)
	if got := r.Points()[0].OneMinusROCA; got == nil || *got != 50 {
		t.Errorf("got %v, want 50", got)
	}
}

// A point after each message must cost no more than one at the end, except for the points themselves.
func BenchmarkReplay(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 0))
	r := NewReplay(1)
	for range 100_000 {
		r.Add(random.NormFloat64(), false, random.IntN(2) == 0)
	}
	b.ReportAllocs()
	b.SetBytes(10 * 100_000)
	for b.Loop() {
		r.Points()
	}
}
