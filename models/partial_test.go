package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"chaff/features"
	"chaff/internal/evidence"
	"chaff/internal/indices"
)

// mailbox returns documents of any kind as a growing vocabulary numbers them: new terms have the next ids.
func mailbox(kind features.Kind, classes, documents int) *features.Dataset {
	random := rand.New(rand.NewPCG(uint64(kind), uint64(classes)))
	d := &features.Dataset{Kind: kind, Classes: classNames(classes)}
	idOf := make(map[int]uint32)
	for i := range documents {
		counts := make(map[uint32]float64)
		for range 12 {
			word := random.IntN(1 + i + classes)
			word -= (word + i) % classes * random.IntN(2) // half of the words lean to a class
			if kind == features.Whole && len(counts) == 1 {
				break
			}
			if _, known := idOf[word]; !known {
				idOf[word] = uint32(len(idOf))
			}
			counts[idOf[word]]++
		}
		d.Append(vectorOfKind(kind, counts), int32(i%classes))
	}
	d.Terms = len(idOf)
	return d
}

// vectorOfKind returns the document with these counts of its terms.
func vectorOfKind(kind features.Kind, counts map[uint32]float64) features.Vector {
	var squares [evidence.Groups]float64
	group := func(w uint32) evidence.Group {
		if kind == features.Evidence {
			return evidence.Group(w % evidence.Groups)
		}
		return 0
	}
	var x features.Vector
	for w, n := range counts {
		if kind != features.Counts && kind != features.NormalisedCounts {
			counts[w], n = 1, 1
		}
		squares[group(w)] += n * n
		x.IDs = append(x.IDs, w)
	}
	slices.Sort(x.IDs)
	for _, w := range x.IDs {
		f := counts[w]
		if kind == features.Evidence || kind == features.NormalisedBits || kind == features.NormalisedCounts {
			f /= math.Sqrt(squares[group(w)])
		}
		x.Values = append(x.Values, float32(f))
		if kind == features.Evidence {
			x.Groups = append(x.Groups, group(w))
		}
	}
	return x
}

// eachModel runs a test with every model on every kind of feature that it takes, with two and three classes, and with settings
// that change what a learner knows.
func eachModel(t *testing.T, test func(t *testing.T, o Options, name string, d *features.Dataset)) {
	for kind := features.Bits; kind <= features.Evidence; kind++ {
		o := DefaultOptions().WithFeatures(kind)
		for _, name := range Names() {
			if rate := field(&o, name).FieldByName("LearningRate"); rate.IsValid() {
				rate.SetFloat(rate.Float() / 10)
			}
		}
		o.PassiveAggressive.Averaged, o.MulticlassPerceptron.Averaged = kind == features.Counts, kind == features.Bits
		for _, name := range Names() {
			if _, takes, err := o.New(name, 1); err != nil || takes != kind {
				continue
			}
			for _, classes := range []int{2, 3} {
				t.Run(fmt.Sprintf("%s, %v, %d classes", name, kind, classes), func(t *testing.T) {
					test(t, o, name, mailbox(kind, classes, 40))
				})
			}
		}
	}
}

// fromSettings returns a learner that has learned nothing, with the settings that a model file has.
func fromSettings(t *testing.T, o Options, name string, d *features.Dataset) *Online {
	t.Helper()
	trainer, _, err := o.New(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := json.Marshal(trainer)
	if err != nil {
		t.Fatal(err)
	}
	o, err = OptionsFrom(name, settings)
	if err != nil {
		t.Fatal(err)
	}
	l, kind, err := o.NewOnline(name, d.Classes)
	if err != nil {
		t.Fatal(err)
	}
	if kind != d.Kind {
		t.Fatalf("got the kind %v, want %v", kind, d.Kind)
	}
	return l
}

// rowsOfTerms returns the rows of terms that l knows.
func rowsOfTerms(l *Online, terms []uint32) (rows []byte) {
	for _, w := range terms {
		if int(w) < l.Terms() {
			rows = l.AppendTerm(rows, int(w))
		}
	}
	return rows
}

func allRows(l *Online) []byte { return rowsOfTerms(l, indices.Below[uint32](l.Terms())) }

// restored returns a learner with the settings, globals and rows.
func restored(t *testing.T, o Options, name string, d *features.Dataset, globals, rows []byte) *Online {
	t.Helper()
	l := fromSettings(t, o, name, d)
	if err := l.Restore(globals, rows); err != nil {
		t.Fatal(err)
	}
	return l
}

// renumber returns x with the numbers of its terms in a list.
func renumber(x features.Vector, terms []uint32) features.Vector {
	y := features.Vector{Values: x.Values, Groups: x.Groups}
	for _, w := range x.IDs {
		at, _ := slices.BinarySearch(terms, w)
		y.IDs = append(y.IDs, uint32(at))
	}
	return y
}

// A learner with the rows of one document's terms, or of some documents', scores and learns this document as the one with all
// rows does, and no other row changes.
func TestALearnerWithTheRowsOfADocumentIsTheWholeOne(t *testing.T) {
	eachModel(t, func(t *testing.T, o Options, name string, d *features.Dataset) {
		whole := fromSettings(t, o, name, d)
		newTerms := 0
		for i, label := range d.Labels {
			x, c := d.Row(i), int(label)
			terms := slices.Clone(x.IDs)
			if i%2 == 1 {
				terms = append(terms, d.Row(i/2).IDs...) // learned before, so that new terms are the last ones
				slices.Sort(terms)
				terms = slices.Compact(terms)
			}
			part := restored(t, o, name, d, whole.AppendGlobals(nil), rowsOfTerms(whole, terms))
			newTerms += len(terms) - part.Terms()
			y := renumber(x, terms)
			if got, want := part.Scores(nil, y), whole.Scores(nil, x); !slices.Equal(got, want) {
				t.Fatalf("document %d: got the scores %v, want %v", i, got, want)
			}
			wantSameWeights(t, part, whole, terms)
			before, known := allRows(whole), whole.Terms()
			whole.Learn(x, c)
			part.Learn(y, c)
			wantSameState(t, part, whole, terms)
			for w := range known {
				size := whole.TermSize()
				if _, isIn := slices.BinarySearch(terms, uint32(w)); !isIn && !bytes.Equal(whole.AppendTerm(nil, w), before[w*size:][:size]) {
					t.Fatalf("document %d changed term %d, which it does not have", i, w)
				}
			}
			if part.Counts() && i%3 == 0 {
				part.Forget(y, c)
				whole.Forget(x, c)
				wantSameState(t, part, whole, terms)
			}
		}
		if newTerms == 0 {
			t.Error("no document had a new term")
		}
	})
}

// wantSameState compares the globals, and the rows of the listed terms of whole with all rows of part.
func wantSameState(t *testing.T, part, whole *Online, terms []uint32) {
	t.Helper()
	if got, want := part.AppendGlobals(nil), whole.AppendGlobals(nil); !bytes.Equal(got, want) {
		t.Fatalf("got the globals %x, want %x", got, want)
	}
	if got, want := allRows(part), rowsOfTerms(whole, terms); !bytes.Equal(got, want) {
		t.Fatalf("got the rows %x, want %x", got, want)
	}
}

// wantSameWeights compares the models: biases, and the weights of the listed terms that whole knows.
func wantSameWeights(t *testing.T, part, whole *Online, terms []uint32) {
	t.Helper()
	p, partErr := part.Linear()
	w, wholeErr := whole.Linear()
	if partErr != nil || wholeErr != nil {
		t.Fatal(partErr, wholeErr)
	}
	if !slices.Equal(p.Bias, w.Bias) || !reflect.DeepEqual(p.Form, w.Form) {
		t.Fatalf("got the biases %v, want %v", p.Bias, w.Bias)
	}
	for i := range p.Terms {
		rows := w.Rows()
		if got, want := p.Weights[i*rows:][:rows], w.Weights[int(terms[i])*rows:][:rows]; !slices.Equal(got, want) {
			t.Fatalf("term %d: got the weights %v, want %v", terms[i], got, want)
		}
	}
}

// A learner that is restored forgets all that it knew, also of terms beyond those restored.
func TestRestoringReplacesAllThatWasKnown(t *testing.T) {
	eachModel(t, func(t *testing.T, o Options, name string, d *features.Dataset) {
		want, got := fromSettings(t, o, name, d), fromSettings(t, o, name, d)
		for i, c := range d.Labels {
			if got.Learn(d.Row(i), int(c)); i < 10 {
				want.Learn(d.Row(i), int(c))
			}
		}
		if err := got.Restore(want.AppendGlobals(nil), allRows(want)); err != nil {
			t.Fatal(err)
		}
		wantSameState(t, got, want, indices.Below[uint32](want.Terms()))
		got.Learn(d.Row(39), 1)
		want.Learn(d.Row(39), 1)
		wantSameState(t, got, want, indices.Below[uint32](want.Terms()))
	})
}

// A learner that forgets knows, of what it was not told to forget, the same bytes as one that never learned the rest, in whatever
// order both learned; and nothing of terms that only forgotten documents have.
func TestForgettingIsNeverHavingLearned(t *testing.T) {
	var counting int
	eachModel(t, func(t *testing.T, o Options, name string, d *features.Dataset) {
		got := fromSettings(t, o, name, d)
		if !got.Forgets() {
			return
		}
		counting++
		want := fromSettings(t, o, name, d)
		for i := range 10 {
			want.Learn(d.Row(i), int(d.Labels[i]))
		}
		for i := d.Len() - 1; i >= 0; i-- {
			got.Learn(d.Row(i), int(d.Labels[i]))
		}
		for i := 10; i < d.Len(); i++ {
			got.Forget(d.Row(i), int(d.Labels[i]))
		}
		rows, known := allRows(got), want.Terms()*want.TermSize()
		if !bytes.Equal(got.AppendGlobals(nil), want.AppendGlobals(nil)) || !bytes.Equal(rows[:known], allRows(want)) {
			t.Error("forgetting left a trace")
		}
		if !bytes.Equal(rows[known:], make([]byte, len(rows)-known)) {
			t.Error("forgetting left a trace in the terms that nothing else has")
		}
	})
	if counting == 0 {
		t.Error("no model forgets")
	}
}

func TestVotesTakeAForgottenDocumentOutOfTheirCounts(t *testing.T) {
	for classes := 2; classes <= 3; classes++ {
		d := mailbox(features.Evidence, classes, 40)
		l := fromSettings(t, DefaultOptions(), "votes", d)
		l.Grow(d.Terms + evidence.Groups)
		counts := func() string {
			v := l.learner.(*votes)
			s := fmt.Sprint(v.known, v.totals)
			for _, slot := range v.slots {
				s += fmt.Sprint(slot.sums)
			}
			return s
		}
		for i := range 35 {
			l.Learn(d.Row(i), int(d.Labels[i]))
		}
		before := counts()
		for i := 35; i < 40; i++ { // some have new terms
			l.Learn(d.Row(i), 0)
		}
		for i := 35; i < 40; i++ {
			l.Forget(d.Row(i), 0)
		}
		if got := counts(); got != before {
			t.Errorf("%d classes: got the counts\n%s, want\n%s", classes, got, before)
		}
		known := l.learner.(*votes).known
		l.Forget(vectorOfKind(features.Evidence, map[uint32]float64{uint32(d.Terms): 1}), 0) // which was never learned
		if got := l.learner.(*votes).known; got != known || strings.Contains(counts(), "4294") {
			t.Errorf("%d classes: got the known terms %v, want %v", classes, got, known)
		}
	}
}

// A product of the factors of many frequent terms is too large for a float.
func TestVotesLearnLongDocumentsOfFrequentTerms(t *testing.T) {
	for _, smoothing := range []float64{1e-10, 1.0 / unit, 1} {
		for label := range 2 {
			o := DefaultOptions()
			o.Votes.Smoothing = smoothing
			terms := make(map[uint32]float64)
			for w := range uint32(400) {
				terms[w*evidence.Groups] = 1 // of one group
			}
			x := vectorOfKind(features.Evidence, terms)
			l := fromSettings(t, o, "votes", &features.Dataset{Kind: features.Evidence, Classes: classNames(2)})
			for range 200 {
				l.Learn(x, label)
			}
			l.Learn(x, 1-label)
			for _, s := range l.learner.(*votes).states {
				if s.bias-s.bias != 0 || s.wrong-s.wrong != 0 {
					t.Fatalf("smoothing %v, class %d: got the state %+v", smoothing, label, s)
				}
			}
		}
	}
}

func TestDamagedRowsAreRefused(t *testing.T) {
	eachModel(t, func(t *testing.T, o Options, name string, d *features.Dataset) {
		l := fromSettings(t, o, name, d)
		for i, c := range d.Labels {
			l.Learn(d.Row(i), int(c))
		}
		globals, rows := l.AppendGlobals(nil), allRows(l)
		for what, data := range map[string][2][]byte{
			"no globals":         {nil, rows},
			"truncated globals":  {globals[:len(globals)-1], rows},
			"a byte of globals":  {append(slices.Clone(globals), 0), rows},
			"half a row":         {globals, rows[:len(rows)-l.TermSize()/2]},
			"a byte and no rows": {globals, make([]byte, 1)},
		} {
			if err := fromSettings(t, o, name, d).Restore(data[0], data[1]); !errors.Is(err, ErrState) {
				t.Errorf("%s: got %v", what, err)
			}
		}
	})
}

// Training ends with a learner that has the model that training returned, and that can be restored and taught.
func TestWhatTrainingLearnedIsTheModelAndLearnsOn(t *testing.T) {
	eachModel(t, func(t *testing.T, o Options, name string, d *features.Dataset) {
		trainer, _, err := o.New(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		want, report, err := trainer.Train(t.Context(), d, EpochOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if report.Learned == nil {
			t.Fatal("training has no learner")
		}
		got, err := report.Learned.Linear()
		if err != nil {
			t.Fatal(err)
		}
		if name == "bernoulli" { // training adds the logarithms of absent terms one by one
			wantAllNear(t, "biases", got.Bias, want.Bias, 1e-9)
			got.Bias = want.Bias
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got the model %v, want %v", got, want)
		}
		again := restored(t, o, name, d, report.Learned.AppendGlobals(nil), allRows(report.Learned))
		for i := range 5 {
			x, c := d.Row(i), (i+1)%len(d.Classes)
			for _, l := range []*Online{report.Learned, again} {
				l.Learn(x, c)
			}
		}
		wantSameState(t, again, report.Learned, indices.Below[uint32](d.Terms))
	})
}

// Training in one epoch, in the order of the documents, ends with the learner that learned them one after the other.
func TestTrainingInOneEpochEndsWithTheOnlineLearner(t *testing.T) {
	eachModel(t, func(t *testing.T, o Options, name string, d *features.Dataset) {
		if name == "votes" || name == "softmax" {
			return // they know all documents, or their number, beforehand
		}
		for i := range reflect.ValueOf(&o).Elem().NumField() {
			passes := reflect.ValueOf(&o).Elem().Field(i).FieldByName("Passes")
			if passes.IsValid() {
				p := passes.Addr().Interface().(*Passes)
				p.Epochs, p.Listed = 1, true
			}
		}
		trainer, _, err := o.New(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		_, report, err := trainer.Train(t.Context(), d, EpochOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := fromSettings(t, o, name, d)
		for i, c := range d.Labels {
			want.Learn(d.Row(i), int(c))
		}
		wantSameState(t, report.Learned, want, indices.Below[uint32](d.Terms))
	})
}

func TestTrainingThatCannotLearnOnHasNoLearner(t *testing.T) {
	d := mailbox(features.NormalisedBits, 2, 60)
	m := DefaultOptions().LMS
	m.Epochs, m.LearningRate, m.Method = 3, 0.01, MethodBatch
	linear, report, err := m.Train(t.Context(), d, EpochOptions{})
	if err != nil || linear == nil {
		t.Fatal(err)
	}
	if report.Learned != nil {
		t.Error("training in a batch has a learner")
	}
}
