package models

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"chaff/features"
)

// handDocuments are the three documents that are worked by hand below.
func handDocuments() *features.Dataset {
	return matrix(2, []int32{1, 0, 1}, [][]float32{{2, 1, 0}, {0, 1, 0}, {0, 1, 3}})
}

func handHybrid(share float64) Hybrid {
	return Hybrid{Passes: Passes{Epochs: 1, Listed: true}, Smoothing: 1, BayesShare: share, LearningRate: 1}
}

// a = 1, V = 3, c = 1/2, eta = 1 and G = 1/1000 at the start. n1_w = (2, 2, 3), n1 = 7; n0_w = (0, 1, 0), n0 = 1.
//
//	f = (2, 1, 0), y = 1: without it n1_w = (0, 1, 3), n1 = 4, and the first term is that of no document
//	    nb = log(2/2) + log((3+1)/(3+4)) = log(4/7)                   z = 1/2 log(4/7)
//	f = (0, 1, 0), y = 0: without it n0_w = (0, 0, 0), n0 = 0
//	    nb = log(3/1) + log((3+0)/(3+7)) = log(9/10)                  z = 1/2 log(9/10) + w_2 + b
//	f = (0, 1, 3), y = 1: without it n1_w = (2, 1, 0), n1 = 3, and the third term is that of no document
//	    nb = log(2/2) + log((3+1)/(3+3)) = log(2/3)                   z = 1/2 log(2/3) + w_2 + b
//
// w_2 and b have the same gradient e, w_1 has 2e of the first and w_3 3e of the third. In the end naive Bayes adds, to the
// three weights, 1/2 of log(3/1) + log(4/10), log(3/2) + log(4/10) and log(4/1) + log(4/10).
func TestHybridByHand(t *testing.T) {
	e1 := 1/(1+math.Exp(-math.Log(4./7)/2)) - 1
	w1 := -2 * e1 / math.Sqrt(0.001+4*e1*e1)
	w2 := -e1 / math.Sqrt(0.001+e1*e1)
	e2 := 1 / (1 + math.Exp(-math.Log(9./10)/2-2*w2))
	w2 -= e2 / math.Sqrt(0.001+e1*e1+e2*e2)
	e3 := 1/(1+math.Exp(-math.Log(2./3)/2-2*w2)) - 1
	w2 -= e3 / math.Sqrt(0.001+e1*e1+e2*e2+e3*e3)
	w3 := -3 * e3 / math.Sqrt(0.001+9*e3*e3)

	got, _ := hybridCase{Classes: 2, ClassWeights: []float64{1, 1}, Share: 1. / 2, Smoothing: 1, LearningRate: 1, Epochs: 1}.train(t, handDocuments())
	wantNear(t, "bias", got.bias[0], w2, 1e-12)
	wantAllNear(t, "weights", got.weights, []float64{
		w1 + math.Log(6./5)/2, w2 + math.Log(3./5)/2, w3 + math.Log(8./5)/2,
	}, 1e-12)
}

// The same documents, c = 3/10, each counted after it was learnt from.
//
//	f = (2, 1, 0), y = 1: nothing is counted                          z = 0, e = -1/2
//	f = (0, 1, 0), y = 0: n1_w = (2, 1), n1 = 3, n0 = 0, V = 2
//	    nb = log(2/1) + log((2+0)/(2+3)) = log(4/5)                   z = 3/10 log(4/5) + w_2 + b
//	f = (0, 1, 3), y = 1: n0_w = (0, 1), n0 = 1, and the third term is not known
//	    nb = log(2/2) + log((2+1)/(2+3)) = log(3/5)                   z = 3/10 log(3/5) + w_2 + b
//	f = (1, 0, 1):        n1_w = (2, 2, 3), n1 = 7, V = 3
//	    nb = log(3/1) + log(4/1) + 2 log((3+1)/(3+7)) = log(48/25)    z = 3/10 log(48/25) + w_1 + w_3 + b
func TestHybridOnlineByHand(t *testing.T) {
	w1, w2 := 1/math.Sqrt(0.001+1), (1./2)/math.Sqrt(0.001+1./4)
	e2 := 1 / (1 + math.Exp(-0.3*math.Log(4./5)-2*w2))
	w2 -= e2 / math.Sqrt(0.001+1./4+e2*e2)
	e3 := 1/(1+math.Exp(-0.3*math.Log(3./5)-2*w2)) - 1
	w2 -= e3 / math.Sqrt(0.001+1./4+e2*e2+e3*e3)
	w3 := -3 * e3 / math.Sqrt(0.001+9*e3*e3)

	d := handDocuments()
	online, err := handHybrid(0.3).online(d.Classes)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range d.Labels {
		online.Learn(d.Row(i), int(c))
	}
	scores := online.Scores(nil, vectorOf([]float32{1, 0, 1}))
	wantAllNear(t, "scores", scores, []float64{0, 0.3*math.Log(48./25) + w1 + w3 + w2}, 1e-12)
}

// hybridFixture is testdata/numpy_hybrid.json, made by the script beside it.
type hybridFixture struct {
	Documents [][]float32        `json:"documents"`
	Labels    map[string][]int32 `json:"labels"` // by number of classes
	Cases     []hybridCase       `json:"cases"`
}

type hybridCase struct {
	Classes       int         `json:"classes"`
	Unit          bool        `json:"unit"`
	ClassWeights  []float64   `json:"class_weights"`
	Share         float64     `json:"share"`
	Smoothing     float64     `json:"smoothing"`
	LearningRate  float64     `json:"learning_rate"`
	Epochs        int         `json:"epochs"`
	ThroughOrigin bool        `json:"through_origin"`
	Online        bool        `json:"online"`
	Updates       int         `json:"updates"`
	Bias          []float64   `json:"bias"`
	Weights       [][]float64 `json:"weights"`
}

func (test hybridCase) hybrid() Hybrid {
	var classWeights string
	for c, weight := range test.ClassWeights {
		if c > 0 {
			classWeights += ","
		}
		classWeights += fmt.Sprintf("%d:%v", c, weight)
	}
	return Hybrid{
		Passes:    Passes{Epochs: test.Epochs, Listed: true, ClassWeights: classWeights, ThroughOrigin: test.ThroughOrigin},
		Smoothing: test.Smoothing, BayesShare: test.Share, LearningRate: test.LearningRate,
	}
}

// train returns the weights before they become float32, and the number of documents that moved a weight.
func (test hybridCase) train(t *testing.T, d *features.Dataset) (*params, int) {
	t.Helper()
	weights, updates := newParams(rowCount(test.Classes), d.Terms), 0
	l := newHybrid(test.hybrid(), weights.n, d.Terms)
	var learner learner = l
	if test.Online {
		learner = &onlineHybrid{l}
	} else {
		if err := l.bayes.addAll(t.Context(), newSorted(d)); err != nil {
			t.Fatal(err)
		}
	}
	for range test.Epochs {
		for i, c := range d.Labels {
			if learner.learn(d.Row(i), int(c), test.ClassWeights[c]) {
				updates++
			}
		}
	}
	l.model(weights, 0)
	return weights, updates
}

func TestHybridAgreesWithNumPy(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "numpy_hybrid.json"))
	if err != nil {
		t.Fatal(err)
	}
	var fixture hybridFixture
	if err := json.Unmarshal(data, &fixture); err != nil {
		t.Fatal(err)
	}
	if len(fixture.Cases) == 0 {
		t.Fatal("the fixture has no cases")
	}
	for i, test := range fixture.Cases {
		t.Run(fmt.Sprintf("case %d, %d classes, share %v, online %v", i, test.Classes, test.Share, test.Online), func(t *testing.T) {
			d := matrix(test.Classes, fixture.Labels[strconv.Itoa(test.Classes)], fixture.Documents)
			if test.Unit {
				d = unitLength(d)
			}
			got, updates := test.train(t, d)
			if updates != test.Updates {
				t.Errorf("got %d updates, want %d", updates, test.Updates)
			}
			wantAllNear(t, "bias", got.bias, test.Bias, 1e-9)
			for r, want := range test.Weights {
				wantAllNear(t, fmt.Sprintf("weights of row %d", r), got.row(r), want, 1e-9)
			}
			if test.Online {
				return
			}
			l, _, err := test.hybrid().Train(t.Context(), d, EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want, err := got.linear(test.Classes)
			if err != nil {
				t.Fatal(err)
			}
			for i := range d.Len() {
				wantAllNear(t, "scores of the trained model", l.Scores(nil, d.Row(i)), want.Scores(nil, d.Row(i)), 1e-5)
			}
		})
	}
}

// A mailbox of few messages, some of them in both classes, is no reason to refuse: it is what somebody begins with.
func TestHybridTakesMessagesThatContradict(t *testing.T) {
	row := make([]float32, 1000)
	for w := range row {
		row[w] = 1
	}
	d := unitLength(matrix(2, []int32{0, 1, 0, 1}, [][]float32{row, row, row, row[:999]}))
	l, report := mustTrain(t, DefaultOptions().Hybrid, d, EpochOptions{})
	if err := l.Validate(); err != nil || len(report.Epochs) != 2 {
		t.Errorf("got %v and %d epochs, want a model of 2", err, len(report.Epochs))
	}
}

// Documents with a large margin change no weight, so that training converges.
func TestHybridStopsWhenAllIsRightEnough(t *testing.T) {
	d := matrix(2, []int32{0, 1}, [][]float32{{20, 0}, {0, 20}})
	m := DefaultOptions().Hybrid
	m.Epochs = 100
	if _, report := mustTrain(t, m, d, EpochOptions{}); len(report.Epochs) == 100 || report.Epochs[len(report.Epochs)-1].Updates != 0 {
		t.Errorf("got %d epochs, the last with an update", len(report.Epochs))
	}
}

// The sum of 1e8 and two of 1e-8 rounds by its order.
func TestHybridCountsInTheOrderOfContents(t *testing.T) {
	values, labels := [][]float32{{1e8}, {1e-8}, {1e-8}, {1}}, []int32{1, 1, 1, 0}
	want := newHybrid(DefaultOptions().Hybrid, 1, 1)
	if err := want.bayes.addAll(t.Context(), newSorted(matrix(2, labels, values))); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(values)
	slices.Reverse(labels)
	got := newHybrid(DefaultOptions().Hybrid, 1, 1)
	if err := got.bayes.addAll(t.Context(), newSorted(matrix(2, labels, values))); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.bayes[0].Sums, want.bayes[0].Sums) {
		t.Errorf("got %v of the same documents in another order, want %v", got.bayes[0].Sums, want.bayes[0].Sums)
	}
}

// 1,000 terms, each of the same two documents: of class 1, or of class 0. The product of their odds overflows.
func TestHybridOfTermsThatAreAllVerySure(t *testing.T) {
	const terms = 1000
	const a = 1e-10
	row := make([]float32, terms)
	for w := range row {
		row[w] = 1
	}
	for c, sign := range []float64{-1, 1} {
		m := handHybrid(1)
		m.Smoothing = a
		l := newHybrid(m, 1, terms)
		l.bayes.add(vectorOf(row), c)
		l.bayes.add(vectorOf(row), c)
		odds := terms * (math.Log((a+2)/a) + math.Log(a*terms/(a*terms+2*terms)))
		wantNear(t, "score", l.score(0, vectorOf(row), side{}), sign*odds, 1e-9)
		want := terms * (math.Log((a+1)/a) + math.Log(a*terms/(a*terms+terms)))
		var own side
		own[c] = 1
		wantNear(t, "score without the document", l.score(0, vectorOf(row), own), sign*want, 1e-9)
	}
}
