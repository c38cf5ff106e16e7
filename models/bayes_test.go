package models_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"chaff/features"
	"chaff/models"
)

// fourDocuments is the example that is worked by hand below: the terms are meeting, offer, now.
func fourDocuments(kind features.Kind) *features.Dataset {
	d := dense(kind, 2, []int32{0, 0, 0, 1}, [][]float32{
		{1, 0, 1}, // ham: meeting now
		{2, 0, 0}, // ham: meeting meeting
		{0, 0, 1}, // ham: now
		{0, 2, 1}, // spam: offer now offer
	})
	d.Classes = []string{"ham", "spam"}
	return d
}

// dense returns a data set from rows of counts, which become bits if that is the kind.
func dense(kind features.Kind, classes int, labels []int32, rows [][]float32) *features.Dataset {
	d := dataset(kind, classes, len(rows[0]), labels, rows...)
	if kind == features.Bits {
		for i := range d.Len() {
			for k := range d.Row(i).Values {
				d.Row(i).Values[k] = 1
			}
		}
	}
	return d
}

// sparse returns a row of counts as a vector.
func sparse(kind features.Kind, row []float32) features.Vector {
	return dense(kind, 1, []int32{0}, [][]float32{row}).Row(0)
}

// estimator is a trainer of naive Bayes.
type estimator interface {
	models.Trainer
	Estimate(ctx context.Context, d *features.Dataset) (*models.Estimates, error)
}

// The odds are products of the estimates, worked out as fractions.
func TestNaiveBayesByHand(t *testing.T) {
	tests := []struct {
		name       string
		model      estimator
		kind       features.Kind
		prior      []float64
		likelihood [][]float64
		document   []float32
		odds       float64 // of spam
	}{
		{
			// a = 1. ham: N_c = 3, of which 2 contain meeting, 0 offer, 2 now: (1+2)/(2+3), (1+0)/(2+3), (1+2)/(2+3).
			// spam: N_c = 1, 0 contain meeting, 1 offer, 1 now: (1+0)/(2+1), (1+1)/(2+1), (1+1)/(2+1).
			// The document "offer": ham 3/4 * 2/5 * 1/5 * 2/5 = 3/125; spam 1/4 * 2/3 * 2/3 * 1/3 = 1/27.
			name:       "Bernoulli counts the absent terms too",
			model:      models.Bernoulli{Smoothing: 1, Prior: "learned"},
			kind:       features.Bits,
			prior:      []float64{3. / 4, 1. / 4},
			likelihood: [][]float64{{3. / 5, 1. / 5, 3. / 5}, {1. / 3, 2. / 3, 2. / 3}},
			document:   []float32{0, 1, 0},
			odds:       125. / (3 * 27),
		},
		{
			// The same without a term: ham 1/2 * 2/5 * 4/5 * 2/5 = 8/125; spam 1/2 * 2/3 * 1/3 * 1/3 = 1/27.
			name:       "Bernoulli has something to say of an empty document",
			model:      models.Bernoulli{Smoothing: 1, Prior: "uniform"},
			kind:       features.Bits,
			prior:      []float64{1. / 2, 1. / 2},
			likelihood: [][]float64{{3. / 5, 1. / 5, 3. / 5}, {1. / 3, 2. / 3, 2. / 3}},
			document:   []float32{0, 0, 0},
			odds:       125. / (8 * 27),
		},
		{
			// a = 1/2. ham: (1/2+2)/(1+3), (1/2+0)/(1+3), (1/2+2)/(1+3); spam: (1/2+0)/(1+1), (1/2+1)/(1+1), (1/2+1)/(1+1).
			// The document "offer now": ham 1/2 * 3/8 * 1/8 * 5/8 = 1/2 * 15/512; spam 1/2 * 3/4 * 3/4 * 3/4 = 1/2 * 27/64.
			name:       "Bernoulli with half a document of smoothing and a uniform prior",
			model:      models.Bernoulli{Smoothing: 0.5, Prior: "uniform"},
			kind:       features.Bits,
			prior:      []float64{0.5, 0.5},
			likelihood: [][]float64{{5. / 8, 1. / 8, 5. / 8}, {1. / 4, 3. / 4, 3. / 4}},
			document:   []float32{0, 1, 1},
			odds:       (27. / 64) / (15. / 512),
		},
		{
			// a = 1, V = 3. ham: 5 tokens, of which 3 meeting, 0 offer, 2 now: (1+3)/(3+5), (1+0)/(3+5), (1+2)/(3+5).
			// spam: 3 tokens, 0 meeting, 2 offer, 1 now: (1+0)/(3+3), (1+2)/(3+3), (1+1)/(3+3).
			// The document "offer now now": ham 3/4 * 1/8 * (3/8)^2 = 27/2048; spam 1/4 * 1/2 * (1/3)^2 = 1/72.
			name:       "multinomial counts every token",
			model:      models.Multinomial{Smoothing: 1, Prior: "learned"},
			kind:       features.Counts,
			prior:      []float64{3. / 4, 1. / 4},
			likelihood: [][]float64{{4. / 8, 1. / 8, 3. / 8}, {1. / 6, 3. / 6, 2. / 6}},
			document:   []float32{0, 1, 2},
			odds:       2048. / (72 * 27),
		},
		{
			// Nothing but the prior: ham 3/4, spam 1/4.
			name:       "multinomial knows only the prior of an empty document",
			model:      models.Multinomial{Smoothing: 1, Prior: "learned"},
			kind:       features.Counts,
			prior:      []float64{3. / 4, 1. / 4},
			likelihood: [][]float64{{4. / 8, 1. / 8, 3. / 8}, {1. / 6, 3. / 6, 2. / 6}},
			document:   []float32{0, 0, 0},
			odds:       1. / 3,
		},
		{
			// a = 2. ham: (2+3)/(6+5), (2+0)/(6+5), (2+2)/(6+5); spam: (2+0)/(6+3), (2+2)/(6+3), (2+1)/(6+3).
			// The document "meeting": ham 1/2 * 5/11; spam 1/2 * 2/9.
			name:       "multinomial with two tokens of smoothing and a uniform prior",
			model:      models.Multinomial{Smoothing: 2, Prior: "uniform"},
			kind:       features.Counts,
			prior:      []float64{1. / 2, 1. / 2},
			likelihood: [][]float64{{5. / 11, 2. / 11, 4. / 11}, {2. / 9, 4. / 9, 3. / 9}},
			document:   []float32{1, 0, 0},
			odds:       22. / 45,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := fourDocuments(test.kind)
			e, err := test.model.Estimate(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			l, _, err := test.model.Train(t.Context(), d, models.EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for c, pi := range test.prior {
				near(t, "prior", math.Exp(e.LogPrior[c]), pi, 1e-12)
				for w, lambda := range test.likelihood[c] {
					near(t, "likelihood", math.Exp(e.LogLikelihood[c][w]), lambda, 1e-12)
					if e.LogAbsent != nil {
						near(t, "probability of absence", math.Exp(e.LogAbsent[c][w]), 1-lambda, 1e-12)
					}
				}
			}
			// Weights are float32: 2^-24 of each.
			near(t, "log odds", l.Score(sparse(test.kind, test.document)), math.Log(test.odds), 1e-6)
		})
	}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestNaiveBayesWithoutSmoothing(t *testing.T) {
	tests := []struct {
		name  string
		model estimator
		kind  features.Kind
		rows  [][]float32 // two of class 0, then two of class 1
		want  [][]float64 // likelihood
	}{
		{
			"Bernoulli estimates are shares, held off 0 and 1", models.Bernoulli{}, features.Bits,
			[][]float32{{1, 0, 1}, {1, 0, 0}, {0, 1, 1}, {0, 1, 1}},
			[][]float64{{1 - 1e-10, 1e-10, 0.5}, {1e-10, 1 - 1e-10, 1 - 1e-10}},
		},
		{
			"multinomial estimates are shares, held off 0 and 1", models.Multinomial{}, features.Counts,
			[][]float32{{2, 0, 1}, {1, 0, 0}, {0, 5, 0}, {0, 1, 0}},
			[][]float64{{0.75, 1e-10, 0.25}, {1e-10, 1 - 1e-10, 1e-10}},
		},
		{
			"a class without a token has the same probability for every term", models.Multinomial{}, features.Counts,
			[][]float32{{0, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 1, 2}},
			[][]float64{{1. / 3, 1. / 3, 1. / 3}, {1e-10, 0.5, 0.5}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, err := test.model.Estimate(t.Context(), dense(test.kind, 2, []int32{0, 0, 1, 1}, test.rows))
			if err != nil {
				t.Fatal(err)
			}
			for c, row := range test.want {
				for w, lambda := range row {
					near(t, "log likelihood", e.LogLikelihood[c][w], math.Log(lambda), 1e-9)
					if e.LogAbsent != nil {
						near(t, "log of absence", e.LogAbsent[c][w], math.Log1p(-lambda), 1e-6) // 1 - lambda has 6 digits left
					}
				}
			}
		})
	}
}

// sklearnFixture is testdata/sklearn_nb.json, made by the script beside it.
type sklearnFixture struct {
	Documents [][]float32        `json:"documents"`
	Labels    map[string][]int32 `json:"labels"` // by number of classes
	Tests     [][]float32        `json:"tests"`
	Cases     []struct {
		Model              string      `json:"model"`
		Classes            int         `json:"classes"`
		Smoothing          float64     `json:"smoothing"`
		ClassLogPrior      []float64   `json:"class_log_prior"`
		FeatureLogProb     [][]float64 `json:"feature_log_prob"`
		JointLogLikelihood [][]float64 `json:"joint_log_likelihood"` // tests x classes
	} `json:"cases"`
}

func TestNaiveBayesAgreesWithScikitLearn(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "sklearn_nb.json"))
	if err != nil {
		t.Fatal(err)
	}
	var fixture sklearnFixture
	if err := json.Unmarshal(data, &fixture); err != nil {
		t.Fatal(err)
	}
	if len(fixture.Cases) == 0 || len(fixture.Tests) == 0 {
		t.Fatal("the fixture has no cases")
	}
	for _, test := range fixture.Cases {
		t.Run(fmt.Sprintf("%s, %d classes, smoothing %v", test.Model, test.Classes, test.Smoothing), func(t *testing.T) {
			var model estimator = models.Bernoulli{Smoothing: test.Smoothing}
			kind := features.Bits
			if test.Model == "multinomial" {
				model, kind = models.Multinomial{Smoothing: test.Smoothing}, features.Counts
			}
			d := dense(kind, test.Classes, fixture.Labels[strconv.Itoa(test.Classes)], fixture.Documents)
			e, err := model.Estimate(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			l, _, err := model.Train(t.Context(), d, models.EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for c := range test.Classes {
				near(t, "log prior", e.LogPrior[c], test.ClassLogPrior[c], 1e-9)
				for w := range d.Terms {
					near(t, "log likelihood", e.LogLikelihood[c][w], test.FeatureLogProb[c][w], 1e-9)
				}
			}
			for i, row := range fixture.Tests {
				joint := test.JointLogLikelihood[i]
				scores := l.Scores(nil, sparse(kind, row))
				for c := range test.Classes {
					near(t, "joint log likelihood", direct(e, row, c, nil), joint[c], 1e-9)
					// Of each of some ten tokens a weight of up to 10 is rounded to 24 bits.
					want := direct(e, row, c, nil) - direct(e, row, 0, nil)
					near(t, "score over the first class", scores[c]-scores[0], want, 2e-5)
				}
			}
		})
	}
}

// direct returns log(P(class) P(document | class)) by the definition: the product over all terms, present and absent,
// for Bernoulli, but for those that are not known, if known is given; and over all tokens for multinomial.
func direct(e *models.Estimates, row []float32, c int, known []bool) float64 {
	sum := e.LogPrior[c]
	for w, f := range row {
		switch {
		case known != nil && !known[w] && e.LogAbsent != nil:
		case e.LogAbsent == nil:
			sum += float64(f) * e.LogLikelihood[c][w]
		case f > 0:
			sum += e.LogLikelihood[c][w]
		default:
			sum += e.LogAbsent[c][w]
		}
	}
	return sum
}

// knownTerms says which terms a document has.
func knownTerms(d *features.Dataset) []bool {
	known := make([]bool, d.Terms)
	for i := range d.Len() {
		for _, w := range d.Row(i).IDs {
			known[w] = true
		}
	}
	return known
}

// Two documents of class 0, one of class 1, and a = 1: were the second term counted, its absence would be 3/4 in class 0 and
// 2/3 in class 1.
//
//	lambda_1 = (1+2)/(2+2) = 3/4, (1+0)/(2+1) = 1/3         lambda_3 = (1+0)/(2+2) = 1/4, (1+1)/(2+1) = 2/3
//	bias     = log((1/3 (1-1/3) (1-2/3)) / (2/3 (1-3/4) (1-1/4)))
func TestATermOfNoDocumentSaysNothing(t *testing.T) {
	for _, kind := range []features.Kind{features.Bits, features.HeadBits} {
		d := dataset(kind, 2, 3, []int32{0, 0, 1}, []float32{1, 0, 0}, []float32{1, 0, 0}, []float32{0, 0, 1})
		o := models.DefaultOptions()
		o.Bernoulli = models.Bernoulli{Smoothing: 1, Features: kind.String()}
		l, _, err := o.Bernoulli.Train(t.Context(), d, models.EpochOptions{})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "bias", l.Bias[0], math.Log((1./3*2/3*1/3)/(2./3*1/4*3/4)), 1e-12)
		near(t, "weight", float64(l.Weights[0]), math.Log((1./3/(2./3))/(3./4/(1./4))), 1e-6)
		near(t, "weight of the term of no document", float64(l.Weights[1]), 0, 0)
		online, _, err := o.NewOnline("bernoulli", d.Classes)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range d.Labels {
			online.Learn(d.Row(i), int(c))
		}
		none := online.Scores(nil, features.Vector{})[1]
		near(t, "online, without a term", none, l.Bias[0], 1e-12)
		unknown := online.Scores(nil, features.Vector{IDs: []uint32{1}, Values: []float32{1}})[1]
		near(t, "online, with the term of no document", unknown, none, 0)
	}
}

// With a = 1 the known terms have 3/4 and 1/4 in class 0, and 1/3 and 2/3 in class 1. Were the third term counted, as likely as any other that a class
// lacks, it would speak for the class with less mail: 1/5 against 1/4.
func TestOfATermOfNoDocumentMultinomialNaiveBayesKnowsNothing(t *testing.T) {
	d := dataset(features.Bits, 2, 3, []int32{0, 0, 1}, []float32{1, 0, 0}, []float32{1, 0, 0}, []float32{0, 0, 1})
	l, _, err := models.Multinomial{Smoothing: 1, Features: "bits"}.Train(t.Context(), d, models.EpochOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for w, want := range []float64{math.Log(1. / 3 / (3. / 4)), 0, math.Log(2. / 3 / (1. / 4))} {
		near(t, fmt.Sprintf("weight of term %d", w), float64(l.Weights[w]), want, 1e-6)
	}
}

// Two documents of length 1 in class 0 and one in class 1, with a = 1: n_0 = (2, 0) of 2 tokens, n_1 = (3/5, 4/5) of 7/5.
func TestFractionsOfTokens(t *testing.T) {
	d := dense(features.NormalisedCounts, 2, []int32{0, 0, 1}, [][]float32{{7, 0}, {1, 0}, {3, 4}})
	want := [][]float64{{3. / 4, 1. / 4}, {(1 + 3./5) / (2 + 7./5), (1 + 4./5) / (2 + 7./5)}}
	e, err := models.Multinomial{Smoothing: 1, Features: "normalised counts"}.Estimate(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for c, row := range want {
		for w, lambda := range row {
			near(t, "likelihood", math.Exp(e.LogLikelihood[c][w]), lambda, 1e-7) // features are float32
		}
	}
}

func TestMajority(t *testing.T) {
	tests := []struct {
		name   string
		labels []int32
		want   []float64 // scores, less that of class 0
		class  int
	}{
		{"the first of two has most", []int32{0, 1, 0, 0}, []float64{0, math.Log(1. / 3)}, 0},
		{"the second of two has most", []int32{1, 1, 1, 0}, []float64{0, math.Log(3)}, 1},
		{"a tie goes to the first", []int32{1, 1, 0, 0}, []float64{0, 0}, 0},
		{"the last of three has most", []int32{2, 1, 2, 0}, []float64{0, 0, math.Log(2)}, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := dense(features.Counts, len(test.want), test.labels, [][]float32{{1, 0}, {1, 2}, {0, 1}, {0, 0}})
			l, _, err := models.Majority{}.Train(t.Context(), d, models.EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range d.Len() {
				scores := l.Scores(nil, d.Row(i))
				for c, want := range test.want {
					near(t, "score", scores[c]-scores[0], want, 1e-12)
				}
				if got := l.Predict(d.Row(i)); got != test.class {
					t.Errorf("got class %d, want %d", got, test.class)
				}
			}
		})
	}
}
