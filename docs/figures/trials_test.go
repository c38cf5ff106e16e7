package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"chaff/config"
	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/metrics"
	"chaff/test/corpustest"
	"chaff/test/testmain"
	"chaff/train"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// letters is invented mail: n ham and n spam, each with words of its class.
func letters(n int) corpus.Source {
	random := rand.New(rand.NewPCG(1, 0))
	files := make(fstest.MapFS)
	for _, class := range classes() {
		for i := range n {
			var text strings.Builder
			for range 30 {
				fmt.Fprintf(&text, "%s%c shared%c ", class, 'a'+random.IntN(26), 'a'+random.IntN(26))
			}
			files[fmt.Sprintf("%s/%03d", class, i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "Subject: letter %d\n\n%s\n", i, &text)}
		}
	}
	return corpus.Concat(sources.FromFS(files, "ham", "ham"), sources.FromFS(files, "spam", "spam"))
}

func inventedBench(t *testing.T) (*bench, *train.Collection) {
	t.Helper()
	b := newBench(t.Context(), t.TempDir(), io.Discard)
	collection, err := b.collect(letters(60), corpus.SplitByHash)
	if err != nil {
		t.Fatal(err)
	}
	return b, collection
}

// writeLetters writes n letters of each class to the folders below dir that are named for their classes.
func writeLetters(t *testing.T, n int, dir string, folders map[string]string) {
	t.Helper()
	for item, raw := range corpustest.Each(t, letters(n)) {
		folder := filepath.Join(dir, folders[item.Label])
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(item.Origin)), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// inventedSpamAssassin writes invented mail to where b looks for that corpus.
func inventedSpamAssassin(t *testing.T, b *bench) {
	t.Helper()
	dir := filepath.Join(b.corpora, "sa")
	for _, folder := range []string{"easy-ham-1", "easy-ham-2", "hard-ham-1", "spam-1", "spam-2"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeLetters(t, 60, dir, map[string]string{"ham": "easy-ham-1", "spam": "spam-1"})
}

// inventedEnron writes invented mail to where b looks for those corpora.
func inventedEnron(t *testing.T, b *bench) {
	t.Helper()
	for n := 1; n <= sets; n++ {
		writeLetters(t, 30, filepath.Join(b.corpora, "enron", fmt.Sprintf("enron%d", n)), map[string]string{"ham": "ham", "spam": "spam"})
	}
}

func pointer(v float64) *float64 { return &v }

func TestMeanOf(t *testing.T) {
	figures := func(accuracy float64, hm *float64) metrics.Figures {
		return metrics.Figures{Accuracy: accuracy, HM: hm, OneMinusROCA: &accuracy}
	}
	tests := map[string]struct {
		all  []metrics.Figures
		want mean
	}{
		"of nothing there is none": {nil, mean{}},
		"of one it is that one":    {[]metrics.Figures{figures(90, pointer(2))}, mean{accuracy: pointer(90), hm: pointer(2), roca: pointer(90)}},
		"what is not defined on one part is not defined": {
			[]metrics.Figures{figures(90, pointer(2)), figures(80, nil)}, mean{accuracy: pointer(85), roca: pointer(85)}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, meanOf(tt.all), cmp.AllowUnexported(mean{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMeansOfAreOverThePartsOfMail(t *testing.T) {
	of := func(accuracy float64) metrics.Figures { return metrics.Figures{Accuracy: accuracy} }
	means := meansOf([][][]metrics.Figures{{{of(1), of(2)}, {of(3), of(4)}}, {{of(5), of(6)}, {of(7), of(8)}}})
	var got [][]float64
	for _, row := range means {
		var accuracies []float64
		for _, m := range row {
			accuracies = append(accuracies, *m.accuracy)
		}
		got = append(got, accuracies)
	}
	if diff := cmp.Diff([][]float64{{3, 4}, {5, 6}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInParallelKeepsTheOrder(t *testing.T) {
	got, err := inParallel(100, func(i int) (int, error) { return i * i, nil })
	if err != nil || len(got) != 100 || got[99] != 99*99 || !slices.IsSorted(got) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := inParallel(0, func(int) (int, error) { return 0, nil }); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
	_, err = inParallel(10, func(i int) (int, error) {
		if i >= 3 {
			return 0, fmt.Errorf("thing %d", i)
		}
		return 0, nil
	})
	if err == nil || err.Error() != "thing 3" {
		t.Errorf("error %v, want that of thing 3", err)
	}
}

func TestOverSeedsDividesEachCollectionByEachSeed(t *testing.T) {
	_, collection := inventedBench(t)
	type division struct {
		seed uint64
		used int
		part string
	}
	got, err := overSeeds([]*train.Collection{collection, collection}, 2, func(divided *train.Collection, seed uint64) (division, error) {
		var parts strings.Builder
		for _, m := range divided.Members() {
			parts.WriteByte(m.Part.String()[1])
		}
		return division{seed, divided.Summary().Used, parts.String()}, nil
	})
	if err != nil || len(got) != 4 {
		t.Fatalf("%v, %v", got, err)
	}
	if got[0] != got[2] || got[1] != got[3] || got[0].seed != 1 || got[1].seed != 2 || got[0].part == got[1].part {
		t.Errorf("%+v", got)
	}
	failed := errors.New("failed")
	if _, err := overSeeds([]*train.Collection{collection}, 2, func(*train.Collection, uint64) (int, error) { return 0, failed }); !errors.Is(err, failed) {
		t.Errorf("error %v, want %v", err, failed)
	}
}

func TestTheDefaultModelComesFirstAndOnce(t *testing.T) {
	b := &bench{settings: config.Config{Model: "softmax"}}
	if got := b.withDefault("multinomial", "softmax", "lms"); !slices.Equal(got, []string{"softmax", "multinomial", "lms"}) {
		t.Errorf("%q", got)
	}
}

func TestAnEmptyTestPartIsAnError(t *testing.T) {
	b, collection := inventedBench(t)
	trained, _ := trainedAndTested(collection)
	untested, err := collection.Select(trained)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.testEach(untested, []string{"multinomial"}); err == nil {
		t.Error("no error")
	}
}
