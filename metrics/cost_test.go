package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestThresholdsByCosts(t *testing.T) {
	tests := []struct {
		name      string
		ham, spam []float64
		costs     string
		want      Thresholds
		warn      []string
	}{
		{"what is in order costs nothing", []float64{-3, -1}, []float64{1, 4}, "10:1:0.2", Thresholds{}, nil},
		{"what is in order above 0 is cut at the last ham", []float64{3, 5}, []float64{7, 9}, "10:1:0.2", Thresholds{5, 5}, nil},
		{"what is in order below 0 is cut below the first spam", []float64{-9, -8}, []float64{-5, -2}, "10:1:0.2", Thresholds{below(-5), below(-5)}, nil},
		// Unsure from 1 to 2: 2 * 0.2. All else costs 1 or 10.
		{"a pair the wrong way round is unsure", []float64{-5, 2}, []float64{1, 6}, "10:1:0.2", Thresholds{0, 2}, nil},
		// Unsure 2 * 0.6; missed spam 1.
		{"unless unsure costs more than the spam", []float64{-5, 2}, []float64{1, 6}, "10:1:0.6", Thresholds{2, 2}, nil},
		// One ham among five spam with the same score: spam 10, ham 5, unsure 6 * 0.2.
		{"what has the same score stays together", []float64{-5, 2}, []float64{2, 2, 2, 2, 2, 7}, "10:1:0.2", Thresholds{0, 2}, nil},
		// Both cost 1: a lost ham or a missed spam.
		{"of equal cost ham is not lost", []float64{-5, 2}, []float64{1, 6}, "1:1:1", Thresholds{2, 2}, nil},
		// 0.1 + 0.2 and 0.3 are equal here: 3 unsure cost 0.3, a missed spam 0.3; no ham is lost, and fewer are unsure.
		{"decimals are exact", []float64{-5, 2, 2}, []float64{1, 6}, "10:0.3:0.1", Thresholds{2, 2}, nil},
		{"lost ham that costs nothing may make all spam", []float64{-1, 2}, []float64{-2, 1}, "0:1:1", Thresholds{below(-2), below(-2)},
			[]string{"with the costs 0:1:1, all development mail is called spam"}},
		{"missed spam that costs nothing makes all ham", []float64{-5, 2}, []float64{1, 6}, "1:0:1", Thresholds{6, 6},
			[]string{"with the costs 1:0:1, all development mail is called ham"}},
		{"scores the wrong way round are unsure", []float64{2}, []float64{1}, "10:10:1", Thresholds{0, 2},
			[]string{"with the costs 10:10:1, all development mail is called unsure"}},
		{"no spam", []float64{2}, nil, "10:1:0.2", Thresholds{Spam: Beyond}, []string{"nothing is called spam: the held-out mail has 1 ham and 0 spam, and both are needed"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scores, spam := join(test.ham, test.spam)
			got, warnings := ChooseThresholds(NewMargins(scores, spam), Scale{}, ThresholdOptions{Costs: test.costs})
			if got != test.want || !slices.Equal(warnings, test.warn) {
				t.Errorf("got %v, %q, want %v, %q", got, warnings, test.want, test.warn)
			}
		})
	}
}

func TestThresholdsByCostsAreTheBestOfAllPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	chosen := 0
	for range 1000 {
		scores, spam := randomScores(random, 2+random.IntN(14))
		groups := NewMargins(scores, spam).tallies()
		if slices.Index(spam, true) < 0 || slices.Index(spam, false) < 0 {
			continue
		}
		chosen++
		// Costs in whole tenths, and many of them equal.
		lost, missed, unsure := random.IntN(6), random.IntN(4), random.IntN(4)
		o := ThresholdOptions{Costs: fmt.Sprintf("%.1f:%.1f:%.1f", float64(lost)/10, float64(missed)/10, float64(unsure)/10)}
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		count := func(u, s float64) [3]int {
			var n [3]int // lost, missed, unsure
			for i, score := range scores {
				if score > s && !spam[i] {
					n[0]++
				}
				if score <= u && spam[i] {
					n[1]++
				}
				if score > u && score <= s {
					n[2]++
				}
			}
			return [3]int{lost*n[0] + missed*n[1] + unsure*n[2], n[0], n[2]}
		}
		cuts := []float64{math.Inf(-1)}
		for _, g := range groups {
			cuts = append(cuts, g.score)
		}
		best := [3]int{math.MaxInt}
		for i, u := range cuts {
			for _, s := range cuts[i:] {
				if n := count(u, s); slices.Compare(n[:], best[:]) < 0 {
					best = n
				}
			}
		}
		got, _ := ChooseThresholds(NewMargins(scores, spam), Scale{}, o)
		if n := count(got.Unsure, got.Spam); got.Unsure > got.Spam || n != best {
			t.Fatalf("%s: %v costs, loses, leaves unsure %v; the best is %v", o.Costs, got, n, best)
		}
		perMessage, defined := valueOf(o.Cost(*NewMargins(scores, spam).Verdicts(got)))
		if want := float64(best[0]) / 10 / float64(len(scores)); !defined || !near(perMessage, want) {
			t.Fatalf("got %v, %v, want %v", perMessage, defined, want)
		}
		if unsure > 0 && unsure*(lost+missed) >= lost*missed && got.Unsure != got.Spam {
			t.Fatalf("%s: unsure never pays, but got %v", o.Costs, got)
		}
	}
	if chosen == 0 {
		t.Fatal("no case had both classes")
	}
}

func TestCost(t *testing.T) {
	scores, spam := join([]float64{-1, 1, 3, 4}, []float64{0, 2, 5})
	tests := []struct {
		name    string
		costs   string
		t       Thresholds
		want    float64
		defined bool
	}{
		// The ham 4 is lost, the spam 0 missed; unsure are the ham 1, 3 and the spam 2.
		{"some of each", "10:1:0.2", Thresholds{0, 3}, (10 + 1 + 3*0.2) / 7, true},
		{"no unsure", "10:1:0.2", Thresholds{1, 1}, (20 + 1) / 7., true},
		{"no costs", "", Thresholds{0, 3}, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, defined := valueOf(ThresholdOptions{Costs: test.costs}.Cost(*NewMargins(scores, spam).Verdicts(test.t)))
			if defined != test.defined || !near(got, test.want) {
				t.Errorf("got %v, %v, want %v, %v", got, defined, test.want, test.defined)
			}
		})
	}
	if (ThresholdOptions{Costs: "1:1:1"}).Cost(VerdictCounts{}) != nil {
		t.Error("a cost without messages")
	}
}

func FuzzCosts(f *testing.F) {
	for _, seed := range []string{"10:1:0.2", "", "1:2", " 1 :1e3: 0", "0x1p4:1:1", "-0:-0:-0", "NaN:inf:1_0", "0.0000001:1:1", "100000:99999.999999:0.000001"} {
		f.Add(seed)
	}
	// Accepted costs are whole millionths.
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCosts(text)
		if err != nil {
			return
		}
		for _, cost := range []int64{c.hamLost, c.spamMissed, c.unsure} {
			if cost < 0 || cost > 1e6*highestCost {
				t.Fatalf("%q: %d millionths", text, cost)
			}
		}
		again := fmt.Sprintf("%.6f:%.6f:%.6f", float64(c.hamLost)/1e6, float64(c.spamMissed)/1e6, float64(c.unsure)/1e6)
		if got, err := parseCosts(again); err != nil || got != c {
			t.Fatalf("%q is %v; %q is %v, %v", text, c, again, got, err)
		}
	})
}

func BenchmarkThresholdsByCosts(b *testing.B) {
	scores, spam := benchmarkScores()
	b.ReportAllocs()
	b.SetBytes(int64(9 * len(scores)))
	for b.Loop() {
		ChooseThresholds(NewMargins(scores, spam), Scale{}, ThresholdOptions{Costs: "10:1:0.2"})
	}
}

// below is the next number below x.
func below(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }
