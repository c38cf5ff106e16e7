package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestOneMinusROCA(t *testing.T) {
	tests := []struct {
		name      string
		ham, spam []float64
		want      float64 // -1 is not defined
	}{
		{"spam above ham is perfect", []float64{-2, -1}, []float64{0, 3, 4}, 0},
		{"ham above spam is as bad as can be", []float64{5, 6}, []float64{0, 3}, 100},
		{"all the same is chance", []float64{1, 1, 1}, []float64{1, 1}, 50},
		// Pairs (ham, spam): (1,2) right, (1,4) right, (3,2) wrong, (3,4) right: 1 of 4.
		{"one pair of four is wrong", []float64{1, 3}, []float64{4, 2}, 25},
		// (1,1) tie, (1,2) right, (2,1) wrong, (2,2) tie, (0,1) right, (0,2) right: 2 of 6.
		{"a tie is half a pair", []float64{1, 2, 0}, []float64{1, 2}, 100. / 3},
		{"zero and minus zero are a tie", []float64{0}, []float64{math.Copysign(0, -1)}, 50},
		{"no ham", nil, []float64{1, 2}, -1},
		{"no spam", []float64{1, 2}, nil, -1},
		{"nothing", nil, nil, -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scores, spam := join(test.ham, test.spam)
			got, defined := OneMinusROCA(scores, spam)
			if defined != (test.want >= 0) || defined && !near(got, test.want) {
				t.Errorf("got %v, %v, want %v", got, defined, test.want)
			}
		})
	}
}

// join returns the scores of ham and spam in one list, and which of them are spam.
func join(hams, spams []float64) (scores []float64, spam []bool) {
	for _, score := range hams {
		scores, spam = append(scores, score), append(spam, false)
	}
	for _, score := range spams {
		scores, spam = append(scores, score), append(spam, true)
	}
	return scores, spam
}

// randomScores returns scores with many ties.
func randomScores(random *rand.Rand, n int) (scores []float64, spam []bool) {
	for range n {
		is := random.IntN(3) == 0
		score := math.Round(3 * random.NormFloat64())
		if is {
			score += 2
		}
		scores, spam = append(scores, score), append(spam, is)
	}
	return scores, spam
}

func TestOneMinusROCAIsTheShareOfPairsInTheWrongOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 200 {
		scores, spam := randomScores(random, 1+random.IntN(60))
		var wrong, pairs float64
		for i, ham := range scores {
			for j, other := range scores {
				if spam[i] || !spam[j] {
					continue
				}
				pairs++
				if ham > other {
					wrong++
				} else if ham == other {
					wrong += 0.5
				}
			}
		}
		got, defined := OneMinusROCA(scores, spam)
		if defined != (pairs > 0) {
			t.Fatalf("got defined %v with %v pairs", defined, pairs)
		}
		if defined && !near(got, 100*wrong/pairs) {
			t.Fatalf("got %v, want %v", got, 100*wrong/pairs)
		}
	}
}

func TestOneMinusROCAAgreesWithScikitLearn(t *testing.T) {
	fixture := readFixture[struct {
		Scores []float64 `json:"scores"`
		Spam   []bool    `json:"spam"`
		Area   float64   `json:"roc_auc_score"`
	}](t, "sklearn_roc.json")
	got, defined := OneMinusROCA(fixture.Scores, fixture.Spam)
	if want := 100 * (1 - fixture.Area); !defined || math.Abs(got-want) > 1e-9 {
		t.Errorf("got %v, %v, want %v", got, defined, want)
	}
}

// benchmarkScores returns many scores, nearly all of them different.
func benchmarkScores() (scores []float64, spam []bool) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 100_000 {
		scores, spam = append(scores, random.NormFloat64()), append(spam, random.IntN(2) == 0)
	}
	return scores, spam
}

func BenchmarkOneMinusROCA(b *testing.B) {
	scores, spam := benchmarkScores()
	b.ReportAllocs()
	b.SetBytes(int64(9 * len(scores)))
	for b.Loop() {
		OneMinusROCA(scores, spam)
	}
}
