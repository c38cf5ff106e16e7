package models_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"chaff/features"
	"chaff/models"
)

// traits are exceptions to the contract. Most trainers have none.
type traits struct {
	ignoresTerms      bool // a baseline that learns nothing from the terms
	ignoresPrior      bool // does not learn which class is the most frequent
	anyKind           bool // takes bits and counts
	classOrderMatters bool // the order of the classes changes the result
}

// testConformance checks the trainers that newTrainer returns, which are trained on the given kind of feature.
func testConformance(t *testing.T, kind features.Kind, newTrainer func() models.Trainer, traits traits) {
	s := suite{kind: kind, newTrainer: newTrainer, traits: traits}
	t.Run("refuses a data set without documents", s.empty)
	t.Run("refuses a single class", s.oneClass)
	t.Run("names the class that has no documents", s.emptyClass)
	t.Run("refuses the wrong kind of feature", s.wrongKind)
	t.Run("stops when the context is done", s.cancelled)
	t.Run("learns what is separable", s.separable)
	t.Run("gives finite scores", s.finite)
	t.Run("takes documents without terms and terms without documents", s.hollow)
	t.Run("takes an empty vocabulary and warns of it", s.noTerms)
	t.Run("gives the same bytes for the same data", s.repeats)
	t.Run("does not depend on the order of the documents", s.documentOrder)
	if !traits.classOrderMatters {
		t.Run("does not depend on the order of the classes", s.classOrder)
	}
	t.Run("leaves the data set unchanged", s.unchanged)
	t.Run("gives the same scores after saving and loading", s.saved)
}

type suite struct {
	kind       features.Kind
	newTrainer func() models.Trainer
	traits     traits
}

// train trains and fails the test on an error, or a result that does not fit the data set.
func (s suite) train(t *testing.T, d *features.Dataset) (*models.Linear, models.Report) {
	t.Helper()
	l, report, err := s.newTrainer().Train(t.Context(), d, models.EpochOptions{})
	if err != nil {
		t.Fatalf("Train: %v", err)
	}
	if err := l.Validate(); err != nil {
		t.Fatalf("trained a model that is not valid: %v", err)
	}
	if l.Classes != len(d.Classes) || l.Terms != d.Terms {
		t.Fatalf("got a model of %d classes and %d terms, want %d and %d", l.Classes, l.Terms, len(d.Classes), d.Terms)
	}
	return l, report
}

// random returns a data set that is large enough to reveal differences.
func (s suite) random(classes int) *features.Dataset {
	return randomDataset(1, s.kind, 61, 97, classes, 12)
}

func (s suite) refuses(t *testing.T, d *features.Dataset, want error) error {
	t.Helper()
	l, _, err := s.newTrainer().Train(t.Context(), d, models.EpochOptions{})
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
	if l != nil {
		t.Errorf("got a model together with the error")
	}
	return err
}

func (s suite) empty(t *testing.T) {
	s.refuses(t, dataset(s.kind, 2, 3, nil), models.ErrNoDocuments)
}

func (s suite) oneClass(t *testing.T) {
	s.refuses(t, dataset(s.kind, 1, 2, []int32{0, 0}, []float32{1, 0}, []float32{0, 1}), models.ErrOneClass)
}

func (s suite) emptyClass(t *testing.T) {
	d := dataset(s.kind, 3, 2, []int32{0, 2}, []float32{1, 0}, []float32{0, 1})
	err := s.refuses(t, d, models.ErrNoDocuments)
	if got, want := err.Error(), `class "class 1" has no training messages`; got != want {
		t.Errorf("got error %q, want %q", got, want)
	}
}

func (s suite) wrongKind(t *testing.T) {
	wrong := s
	wrong.kind = features.Whole
	if s.kind == features.Whole {
		wrong.kind = features.Counts
	}
	if s.traits.anyKind {
		// Steps for normalised documents may be too long for others.
		if _, _, err := s.newTrainer().Train(t.Context(), wrong.random(2), models.EpochOptions{}); err != nil && !errors.Is(err, models.ErrDiverged) {
			t.Errorf("Train: %v", err)
		}
		return
	}
	wrong.refuses(t, wrong.random(2), models.ErrKind)
}

func (s suite) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.newTrainer().Train(ctx, s.random(2), models.EpochOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}

func (s suite) separable(t *testing.T) {
	// Two terms of its own for each class, and one that all have.
	d := dataset(s.kind, 3, 7, []int32{0, 0, 1, 1, 2, 2},
		[]float32{1, 1, 0, 0, 0, 0, 1},
		[]float32{1, 0, 0, 0, 0, 0, 1},
		[]float32{0, 0, 1, 1, 0, 0, 1},
		[]float32{0, 0, 1, 0, 0, 0, 1},
		[]float32{0, 0, 0, 0, 1, 1, 1},
		[]float32{0, 0, 0, 0, 1, 0, 1})
	two := d.Subset([]int{0, 1, 2, 3})
	two.Classes = two.Classes[:2]
	for _, d := range []*features.Dataset{d, two} {
		l, _ := s.train(t, d)
		for i, label := range d.Labels {
			want := int(label)
			if s.traits.ignoresTerms {
				want = 0 // all classes have two documents, and a tie goes to the first
			}
			if got := l.Predict(d.Row(i)); got != want {
				t.Errorf("of %d classes, document %d: got class %d, want %d", l.Classes, i, got, want)
			}
		}
	}
}

func (s suite) finite(t *testing.T) {
	for _, classes := range []int{2, 3, 20} {
		d := s.random(classes)
		l, _ := s.train(t, d)
		checkFinite(t, l, d)
	}
}

func (s suite) hollow(t *testing.T) {
	for _, classes := range []int{2, 3} {
		d := s.random(classes)
		// A document without terms in class 1, and class 0 without any term at all; the last 10 terms have no document.
		d.Append(features.Vector{}, 1)
		d.Terms += 10
		checkModel(t, s, d)

		rows := make([][]float32, classes)
		labels := make([]int32, classes)
		for c := range rows {
			labels[c] = int32(c)
			rows[c] = make([]float32, 2*classes)
			rows[c][c] = float32(min(c, 1))
		}
		checkModel(t, s, dataset(s.kind, classes, 2*classes, labels, rows...))
	}
}

func checkModel(t *testing.T, s suite, d *features.Dataset) {
	t.Helper()
	l, _ := s.train(t, d)
	checkFinite(t, l, d)
	for c, score := range l.Scores(nil, features.Vector{}) {
		if math.IsNaN(score) || math.IsInf(score, 0) {
			t.Errorf("a document without terms has the score %v for class %d", score, c)
		}
	}
}

func checkFinite(t *testing.T, l *models.Linear, d *features.Dataset) {
	t.Helper()
	for i := range d.Len() {
		for c, score := range l.Scores(nil, d.Row(i)) {
			if math.IsNaN(score) || math.IsInf(score, 0) {
				t.Fatalf("document %d has the score %v for class %d", i, score, c)
			}
		}
	}
}

func (s suite) noTerms(t *testing.T) {
	l, report := s.train(t, dataset(s.kind, 2, 0, []int32{0, 1, 1}, nil, nil, nil))
	if got := l.Predict(features.Vector{}); got != 1 && !s.traits.ignoresPrior {
		t.Errorf("got class %d, want the most frequent, 1", got)
	}
	if !s.traits.ignoresTerms && len(report.Warnings) == 0 {
		t.Errorf("got no warning")
	}
}

func (s suite) repeats(t *testing.T) {
	first, _ := s.train(t, s.random(3))
	second, _ := s.train(t, s.random(3))
	if !reflect.DeepEqual(first, second) {
		t.Errorf("two models of the same data differ")
	}
}

func (s suite) documentOrder(t *testing.T) {
	d := s.random(3)
	want, _ := s.train(t, d)
	order := rand.New(rand.NewPCG(2, 0)).Perm(d.Len())
	if got, _ := s.train(t, d.Subset(order)); !reflect.DeepEqual(got, want) {
		t.Errorf("the same documents in another order give another model")
	}
}

func (s suite) classOrder(t *testing.T) {
	for _, to := range [][]int{{1, 0}, {2, 0, 1}} {
		d := s.random(len(to))
		first, _ := s.train(t, d)
		second, _ := s.train(t, renumbered(d, to))
		for i := range d.Len() {
			was, is := first.Scores(nil, d.Row(i)), second.Scores(nil, d.Row(i))
			for c := range to {
				// Differences, since of two classes the first always has the score 0.
				want := was[c] - was[0]
				got := is[to[c]] - is[to[0]]
				if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
					t.Fatalf("document %d: class %d is %v above class 0, and %v when classes are numbered %v", i, c, want, got, to)
				}
			}
		}
	}
}

func (s suite) unchanged(t *testing.T) {
	d := s.random(3)
	want := clone(d)
	s.train(t, d)
	if !reflect.DeepEqual(d, want) {
		t.Errorf("training changed the data set")
	}
}

func (s suite) saved(t *testing.T) {
	for _, classes := range []int{2, 3} {
		d := s.random(classes)
		l, _ := s.train(t, d)
		data, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		loaded := new(models.Linear)
		if err := json.Unmarshal(data, loaded); err != nil {
			t.Fatal(err)
		}
		for i := range d.Len() {
			if want, got := l.Scores(nil, d.Row(i)), loaded.Scores(nil, d.Row(i)); !slices.Equal(got, want) {
				t.Fatalf("document %d: got scores %v, want %v", i, got, want)
			}
		}
	}
}
