package models_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"chaff/features"
	"chaff/models"
)

// stream returns an online learner of the named model and documents for it.
func stream(t testing.TB, name string, classes int) (*models.Online, *features.Dataset) {
	t.Helper()
	_, kind, err := models.DefaultOptions().New(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	d := randomDataset(5, kind, 60, 50, classes, 10)
	return online(t, name, d.Classes), d
}

// online returns an online learner that has learned nothing.
func online(t testing.TB, name string, classes []string) *models.Online {
	t.Helper()
	l, _, err := models.DefaultOptions().NewOnline(name, classes)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func learn(l *models.Online, d *features.Dataset, from, to int) {
	for i := from; i < to; i++ {
		l.Learn(d.Row(i), int(d.Labels[i]))
	}
}

// state returns the globals and the rows of l.
func state(l *models.Online) (globals, rows []byte) {
	for w := range l.Terms() {
		rows = l.AppendTerm(rows, w)
	}
	return l.AppendGlobals(nil), rows
}

// copied returns a learner of the named model that was restored to know what l knows.
func copied(t *testing.T, name string, l *models.Online, classes []string) *models.Online {
	t.Helper()
	again := online(t, name, classes)
	if err := again.Restore(state(l)); err != nil {
		t.Fatal(err)
	}
	wantSameState(t, again, l)
	return again
}

func wantSameState(t *testing.T, got, want *models.Online) {
	t.Helper()
	globals, rows := state(got)
	if wantGlobals, wantRows := state(want); !bytes.Equal(globals, wantGlobals) || !bytes.Equal(rows, wantRows) {
		t.Errorf("got the state %x %x, want %x %x", globals, rows, wantGlobals, wantRows)
	}
}

func wantSameScores(t *testing.T, got, want *models.Online, d *features.Dataset) {
	t.Helper()
	for i := range d.Len() {
		if got, want := got.Scores(nil, d.Row(i)), want.Scores(nil, d.Row(i)); !slices.Equal(got, want) {
			t.Fatalf("document %d: got the scores %v, want %v", i, got, want)
		}
	}
}

func eachStream(t *testing.T, test func(t *testing.T, name string, l *models.Online, d *features.Dataset)) {
	for _, name := range models.Names() {
		for _, classes := range []int{2, 3} {
			t.Run(fmt.Sprintf("%s, %d classes", name, classes), func(t *testing.T) {
				l, d := stream(t, name, classes)
				test(t, name, l, d)
			})
		}
	}
}

func TestRestoringInTheMiddleOfAStreamChangesNothing(t *testing.T) {
	eachStream(t, func(t *testing.T, name string, l *models.Online, d *features.Dataset) {
		learn(l, d, 0, 30)
		again := copied(t, name, l, d.Classes)
		wantSameScores(t, again, l, d)
		learn(l, d, 30, 60)
		learn(again, d, 30, 60)
		wantSameScores(t, again, l, d)
		wantSameState(t, again, l)
	})
}

func TestTheModelOfAnOnlineLearnerHasItsScores(t *testing.T) {
	eachStream(t, func(t *testing.T, _ string, l *models.Online, d *features.Dataset) {
		learn(l, d, 0, 60)
		linear, err := l.Linear()
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Len() {
			want, got := l.Scores(nil, d.Row(i)), linear.Scores(nil, d.Row(i))
			for c := range want {
				if math.Abs((got[c]-got[0])-(want[c]-want[0])) > 1e-4*max(1, math.Abs(want[c])) {
					t.Fatalf("document %d: got %v, want %v", i, got, want)
				}
			}
		}
	})
}

func TestCountingLearnersForget(t *testing.T) {
	var counting []string
	eachStream(t, func(t *testing.T, name string, whole *models.Online, d *features.Dataset) {
		if !whole.Forgets() {
			return
		}
		counting = append(counting, t.Name())
		half := copied(t, name, whole, d.Classes)
		learn(half, d, 30, 60)
		learn(whole, d, 0, 60)
		for i := range 30 {
			whole.Forget(d.Row(i), int(d.Labels[i]))
		}
		half.Grow(whole.Terms())
		wantSameState(t, half, whole)
	})
	if want := 2 * 4; len(counting) != want { // naive Bayes and the baselines
		t.Errorf("counting learners are %q, want %d", counting, want)
	}
}

// FuzzRestore restores any globals and rows. What is restored can be scored, learned with and restored again.
func FuzzRestore(f *testing.F) {
	names := models.Names()
	for i, name := range names {
		l, d := stream(f, name, 2)
		learn(l, d, 0, 3)
		globals, rows := state(l)
		f.Add(uint8(i), globals, rows)
	}
	f.Fuzz(func(t *testing.T, model uint8, globals, rows []byte) {
		name, classes := names[int(model)%len(names)], []string{"ham", "spam"}
		l := online(t, name, classes)
		if err := l.Restore(globals, rows); err != nil {
			if !errors.Is(err, models.ErrState) {
				t.Errorf("got %v", err)
			}
			return
		}
		copied(t, name, l, classes)
		x := features.Vector{IDs: []uint32{0, 3}, Values: []float32{1, 1}}
		l.Scores(nil, x)
		l.Learn(x, 1)
		l.Scores(nil, x)
		_, _ = l.Linear()
	})
}
