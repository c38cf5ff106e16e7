package filter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"chaff/corpus"
	"chaff/features"
	"chaff/metrics"
	"chaff/models"
	"chaff/test/corpustest"
)

const knownLetter = "Subject: spama\n\nspama spamb sharedc hamb\n"

// fitted returns a filter fitted to all of source, with fixed thresholds. Package train, which imports this one, chooses them.
func fitted(t testing.TB, source corpus.Source, model string, classes ...string) *Filter {
	t.Helper()
	return collect(t, source, classes...).fit(t, model)
}

// collected is mail that models can be fitted to.
type collected struct {
	documents *features.Documents
	refs      []features.Ref
	labels    []int32
	classes   []string
}

func collect(t testing.TB, source corpus.Source, classes ...string) collected {
	t.Helper()
	reader, err := NewReader(DefaultReading(), ReaderOptions{Grams: true, Names: true})
	noError(t, err)
	c := collected{documents: features.NewDocuments(0), classes: classes}
	writer := c.documents.NewWriter()
	for item, raw := range corpustest.Each(t, source) {
		reader.Read(raw)
		c.refs, c.labels = append(c.refs, writer.Add(reader.Bag.Document(), reader.Bag.Text)), append(c.labels, int32(slices.Index(classes, item.Label)))
	}
	writer.Close()
	noError(t, c.documents.Complete(1))
	return c
}

func (c collected) fit(t testing.TB, model string) *Filter {
	t.Helper()
	index, frequencies, err := c.documents.Build(c.refs, features.DefaultOptions(), 1)
	noError(t, err)
	trainer, kind, err := models.DefaultOptions().New(model, 1)
	noError(t, err)
	classes := c.classes
	linear, report, err := trainer.Train(context.Background(), index.Dataset(kind, classes, c.refs, c.labels, 1), models.EpochOptions{})
	noError(t, err)
	settings := Settings{Classes: classes, Model: model, Kind: kind.String(), Calibration: metrics.Identity(len(classes))}
	settings.Message, settings.Tokenize = DefaultReading().Message, DefaultReading().Tokenize
	if IsSpamFilter(classes) {
		settings.Thresholds = &metrics.Thresholds{Unsure: -1, Spam: 1}
	}
	trained, err := json.Marshal(trainer)
	noError(t, err)
	f, err := New(Parts{
		Settings: settings, Vocabulary: index.Vocabulary, Linear: linear, SaveTexts: true,
		Terms:      Terms{Text: index.Text, Documents: frequencies},
		Provenance: fmt.Appendf(nil, `{"seed":1,"trainer":%s}`, trained), Learned: report.Learned,
	})
	noError(t, err)
	return f
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func spamFilter(t testing.TB) *Filter {
	t.Helper()
	return fitted(t, corpustest.Mailbox(1, 60, "ham", "spam"), "multinomial", "ham", "spam")
}

// Decode returns the filter in the bytes of a model file.
func Decode(data []byte) (*Filter, error) {
	file, err := modelFormat.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return decode(modelFile{Reader: file})
}

func encode(t testing.TB, f *Filter) []byte {
	t.Helper()
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTheScoreOfSeveralClassesIsTheLogOddsOfTheFirst(t *testing.T) {
	h := head{settings: Settings{Classes: []string{"a", "b", "c"}, Calibration: metrics.Identity(3)}}
	// With scores 1, 2, 0.5 the softmax probability of the second class is e^2 / (e + e^2 + e^0.5).
	p := math.Exp(2) / (math.E + math.Exp(2) + math.Exp(0.5))
	if got, want := h.judge([]float64{1, 2, 0.5}), math.Log(p/(1-p)); math.Abs(got.Score-want) > 1e-12 || math.Abs(got.Probability-p) > 1e-12 {
		t.Errorf("got %v, want %v and %v", got, want, p)
	}
	if got := h.judge([]float64{0, 1e5, 1e5}).Score; math.IsInf(got, 0) || math.IsNaN(got) {
		t.Errorf("of large scores: %v", got)
	}
}

func TestAnyBytesAreAMessage(t *testing.T) {
	f := spamFilter(t)
	rng := rand.New(rand.NewPCG(9, 9))
	random := make([]byte, 100_000)
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	for name, raw := range map[string][]byte{"no bytes": nil, "a line end": []byte("\n"), "random bytes": random, "NUL bytes": make([]byte, 100)} {
		v := f.Classify(raw)
		if math.IsNaN(v.Score) || math.IsInf(v.Score, 0) || v.Probability < 0 || v.Probability > 1 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestAFilterServesManyGoroutines(t *testing.T) {
	f := spamFilter(t)
	raws := [][]byte{[]byte("\nspama spamb"), []byte("\nhama hamb"), []byte("Subject: sharedc\n\nsharedd")}
	want := make([]Classification, len(raws))
	for i, raw := range raws {
		want[i] = f.Classify(raw)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 100 {
				if got := f.Classify(raws[i%len(raws)]); got != want[i%len(raws)] {
					t.Errorf("got %+v, want %+v", got, want[i%len(raws)])
				}
			}
		})
	}
	wg.Wait()
}

func TestAVerdictIsAboveItsThreshold(t *testing.T) {
	thresholds := metrics.Thresholds{Unsure: 1, Spam: 2}
	for _, test := range []struct {
		score float64
		want  Verdict
	}{{0.5, Ham}, {1, Ham}, {1.5, Unsure}, {2, Unsure}, {2.5, Spam}} {
		if got := VerdictOn(test.score, thresholds); got != test.want {
			t.Errorf("a score of %v is %s, want %s", test.score, got, test.want)
		}
	}
}
