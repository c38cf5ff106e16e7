package models_test

import (
	"fmt"
	"math"
	"testing"

	"chaff/features"
	"chaff/models"
)

// Scoring the present terms, with the absent ones in the bias, is the product over all terms of the definition.
func TestBernoulliByPresentTermsIsBernoulliByAllTerms(t *testing.T) {
	for _, classes := range []int{2, 3} {
		for _, a := range []float64{0, 1e-10, 0.01, 1, 1e6} {
			t.Run(fmt.Sprintf("%d classes, smoothing %v", classes, a), func(t *testing.T) {
				d := randomDataset(7, features.Bits, 80, 120, classes, 15)
				m := models.Bernoulli{Smoothing: a}
				e, err := m.Estimate(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				l, _, err := m.Train(t.Context(), d, models.EpochOptions{})
				if err != nil {
					t.Fatal(err)
				}
				known := knownTerms(d)
				for i := range d.Len() {
					x := d.Row(i)
					row := make([]float32, d.Terms)
					for _, w := range x.IDs {
						row[w] = 1
					}
					scores := l.Scores(nil, x)
					for c := range scores {
						// 15 weights of up to 46, each rounded to 24 bits.
						near(t, "score over the first class", scores[c]-scores[0], direct(e, row, c, known)-direct(e, row, 0, known), 1e-4)
					}
				}
			})
		}
	}
}

func TestBernoulliProbabilitiesOfATermSumToOne(t *testing.T) {
	for _, a := range []float64{0, 1e-10, 0.01, 1, 1e6} {
		d := randomDataset(7, features.Bits, 80, 120, 3, 15)
		e, err := models.Bernoulli{Smoothing: a}.Estimate(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for c := range e.LogLikelihood {
			for w := range d.Terms {
				sum := math.Exp(e.LogLikelihood[c][w]) + math.Exp(e.LogAbsent[c][w])
				if math.Abs(sum-1) > 1e-12 {
					t.Fatalf("smoothing %v, class %d, term %d: the probabilities sum to %v", a, c, w, sum)
				}
			}
		}
	}
}

func TestMultinomialProbabilitiesSumToOne(t *testing.T) {
	for _, a := range []float64{0, 1e-10, 0.01, 1, 1e6} {
		d := randomDataset(7, features.Counts, 80, 120, 3, 15)
		e, err := models.Multinomial{Smoothing: a}.Estimate(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		tolerance := 1e-12
		if a == 0 {
			tolerance = 120 * 1e-10 // what the terms held at 1e-10 add
		}
		for c, row := range e.LogLikelihood {
			var sum float64
			for _, log := range row {
				sum += math.Exp(log)
			}
			if math.Abs(sum-1) > tolerance {
				t.Errorf("smoothing %v, class %d: the probabilities sum to %v", a, c, sum)
			}
		}
	}
}

func BenchmarkTrain(b *testing.B) {
	for _, name := range []string{"bernoulli", "multinomial"} {
		b.Run(name, func(b *testing.B) {
			trainer, kind, err := models.DefaultOptions().New(name, 1)
			if err != nil {
				b.Fatal(err)
			}
			d := randomDataset(1, kind, 5_000, 50_000, 2, 300)
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := trainer.Train(b.Context(), d, models.EpochOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
