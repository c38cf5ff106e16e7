package store

import (
	"cmp"
	"math"
	"path/filepath"
	"testing"

	"chaff/filter"
	"chaff/test/corpustest"
)

func TestASampleIsSpreadOverAStore(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 30, "ham", "spam"))
	v, err := Look(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := filter.OpenLearned(path)
	if err != nil {
		t.Fatal(err)
	}
	var sums [2]float64
	var counts [2]float64
	for _, e := range v.Entries() {
		sums[e.Label] += f.ClassifyDocument(*documentOf(t, v, e)).Score
		counts[e.Label]++
	}
	all, err := v.Sample(1000)
	noError(t, err)
	if got, want := all.Mean(f), (sums[0]/counts[0]+sums[1]/counts[1])/2; math.Abs(got-want) > 1e-9 {
		t.Errorf("the mean of all messages is %v, want %v", got, want)
	}
	if got := all.Len(); got != int(min(counts[0], counts[1])) {
		t.Errorf("the smallest class has %d messages of %v", got, counts)
	}
	few, err := v.Sample(7)
	if err != nil || few.Len() != 7 {
		t.Errorf("a sample of 7 has %d, %v", few.Len(), err)
	}
}

func TestAModelThatBeginsLikeAnotherJoinsIt(t *testing.T) {
	shared := opened(t, trained(t, "multinomial", corpustest.Mailbox(1, 30, "ham", "spam")))
	path := filepath.Join(t.TempDir(), "model")
	if err := BeginLike(t.Context(), path, shared.filter, DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	own := opened(t, path)
	for _, m := range mailOf(t, corpustest.Mailbox(2, 5, "ham", "spam")) {
		learned(t, own, m)
	}
	base, err1 := filter.OpenLearned(shared.path)
	user, err2 := filter.OpenLearned(path)
	one, err3 := filter.OpenOne(path)
	if err := cmp.Or(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	if !base.CanJoin(user) || own.Model != shared.Model {
		t.Fatalf("the models %s and %s read mail in different ways", own.Model, shared.Model)
	}
	for _, m := range mailOf(t, corpustest.Mailbox(3, 5, "ham", "spam")) {
		got, added, err := base.ClassifyWith(one, 0.5, m.Raw)
		alone, other := base.Classify(m.Raw), user.Classify(m.Raw).Score
		if err != nil || math.Abs(added-(other-0.5)) > 1e-9 || math.Abs(got.Score-(alone.Score+other-0.5)) > 1e-9 || got.Known != alone.Known {
			t.Errorf("%v and %v less 0.5 are %v, %v", alone.Score, other, got.Score, err)
		}
		if again := base.Classify(m.Raw); again != alone {
			t.Errorf("alone it is %+v, and afterwards %+v", alone, again)
		}
	}
}
