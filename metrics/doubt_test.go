package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// twoClasses returns labels and scores of n messages of each class, whose margins are -1 to -n and 1 to n.
func twoClasses(n int) (labels []int32, scores []float64) {
	for i := range n {
		labels = append(labels, 0, 1)
		scores = append(scores, 0, -float64(i+1), 0, float64(i+1))
	}
	return labels, scores
}

func TestDoubtIsMeasuredInTypicalMargins(t *testing.T) {
	labels, scores := twoClasses(21)              // the medians are -11 and 11
	scores[1], scores[41] = scores[41], scores[1] // those of two ham, so that they do not ascend
	typical := TypicalOf(labels, scores, 2)
	if want := (Typical{0, 11, 11, 0}); !slices.Equal(typical, want) {
		t.Fatalf("typical margins %v, want %v", typical, want)
	}
	for _, tt := range []struct {
		name  string
		label int
		z     float64
		want  float64
	}{
		{"ham that scores as typical spam", 0, 11, 1},
		{"spam that scores as typical ham", 1, -11, 1},
		{"ham with twice the score of typical spam", 0, 22, 2},
		{"ham that scores a little as spam", 0, 2.2, 0.2},
		{"ham that scores as ham", 0, -11, 0},
		{"spam that scores as spam", 1, 11, 0},
		{"a score that is unknown", 0, math.NaN(), 0},
	} {
		if got := typical.Doubt(tt.label, []float64{0, tt.z}); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: doubt %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := Typical(nil).Doubt(0, []float64{0, 5}); got != 0 {
		t.Errorf("without typical margins a doubt of %v", got)
	}
}

func TestDoubtfulLabelsComeWorstFirst(t *testing.T) {
	labels, scores := twoClasses(50)
	labels[41] = 0 // a margin of 21, of which typical spam has 26
	labels[98] = 1 // and -50, where typical ham has -26
	typical := TypicalOf(labels, scores, 2)
	got := typical.Doubtful(labels, scores)
	if len(got) != 2 || got[0].Message != 98 || got[1].Message != 41 || !(got[0].Doubt > 1.8 && got[1].Doubt > 0.75 && got[1].Doubt < 0.9) {
		t.Errorf("doubtful are %v", got)
	}
}

func TestNothingIsTypicalOfFewMessagesOrWithoutScores(t *testing.T) {
	labels, scores := twoClasses(fewTypical - 1)
	if got := TypicalOf(labels, scores, 2); !slices.Equal(got, make(Typical, 4)) {
		t.Errorf("of few messages %v", got)
	}
	labels, scores = twoClasses(30)
	for i := range scores {
		scores[i] = -scores[i] // the wrong way round
	}
	typical := TypicalOf(labels, scores, 2)
	if messages := typical.Doubtful(labels, scores); len(messages) > 0 {
		t.Errorf("scores that mean the opposite make %v doubtful", messages)
	}
	if messages := TypicalOf(nil, nil, 2).Doubtful(nil, nil); len(messages) > 0 {
		t.Errorf("of no messages %v are doubtful", messages)
	}
}

func TestTheScaleAndTheOrderOfClassesChangeNoDoubt(t *testing.T) {
	const K, n = 3, 300
	random := rand.New(rand.NewPCG(1, 0))
	labels, scores := make([]int32, n), make([]float64, n*K)
	turned, scaled := make([]int32, n), make([]float64, n*K)
	for i := range labels {
		labels[i] = int32(random.IntN(K))
		turned[i] = (labels[i] + 1) % K
		for c := range K {
			scores[i*K+c] = random.NormFloat64()
		}
		scores[i*K+int(labels[i])]++
		for c := range K {
			scaled[i*K+(c+1)%K] = 8 * scores[i*K+c]
		}
	}
	messages := TypicalOf(labels, scores, K).Doubtful(labels, scores)
	again := TypicalOf(turned, scaled, K).Doubtful(turned, scaled)
	if len(messages) == 0 || !slices.Equal(messages, again) {
		t.Errorf("%d messages are doubtful, and %d with other units and names of classes", len(messages), len(again))
	}
}
