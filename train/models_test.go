package train

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/models"
	"chaff/test/corpustest"
	"chaff/test/modelstest"
)

// baselines returns the models that cannot classify new mail.
func baselines() []string { return []string{"memoriser", "majority"} }

func TestEveryModelLearnsSpam(t *testing.T) {
	c := collect(t, corpustest.Mailbox(1, 100, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	modelstest.EachModel(t, func(t *testing.T, model string) {
		f, r := fit(t, c, model)
		if slices.Contains(baselines(), model) {
			if r.Test.Accuracy > 70 {
				t.Errorf("test accuracy %.1f%%: a baseline cannot know this", r.Test.Accuracy)
			}
			return
		}
		if r.Test.Accuracy < 90 { // of words drawn by chance, pairs are noise
			t.Errorf("test accuracy %.1f%%, want at least 90%%", r.Test.Accuracy)
		}
		v := f.Classify([]byte("Subject: hello\n\nspama spamb spamc spamd spame spamf"))
		if v.Class != "spam" || v.Score <= 0 || v.Probability <= 0.5 {
			t.Errorf("a message of spam's words: %+v", v)
		}
		v = f.Classify([]byte("Subject: hello\n\nhama hamb hamc hamd hame hamf"))
		if v.Class != "ham" || v.Score > 0 || v.Verdict == filter.Spam || v.Probability >= 0.5 {
			t.Errorf("a message of ham's words: %+v", v)
		}
	})
}

func TestEveryModelLearnsManyClasses(t *testing.T) {
	classes := []string{"golang", "rowing", "garden", "poetry"}
	c := collect(t, corpustest.Mailbox(7, 60, classes...), DefaultCollectOptions(), classes...)
	modelstest.EachModel(t, func(t *testing.T, model string) {
		f, r := fit(t, c, model)
		if len(r.Test.Classes) != 4 || len(r.Test.Confusion) != 4 || r.Test.LogLoss == nil || r.Test.HM != nil || r.Thresholds != nil {
			t.Errorf("figures of the test part: %+v", r.Test)
		}
		again, err := filter.Open(saved(t, f))
		if err != nil {
			t.Fatal(err)
		}
		v := again.Classify([]byte("\nrowinga rowingb rowingc rowingd"))
		if v.Class != string(v.Verdict) || !(v.Probability >= 0 && v.Probability <= 1) {
			t.Errorf("invalid verdict: %+v", v)
		}
		if slices.Contains(baselines(), model) {
			return
		}
		if r.Test.Accuracy < 90 {
			t.Errorf("test accuracy %.1f%%, want at least 90%%", r.Test.Accuracy)
		}
		if strongest, err := again.Strongest(3); err != nil || len(strongest) != 4 || !strings.Contains(strongest[1][0].Term, "rowing") {
			t.Errorf("strongest terms of rowing: %v, %v", strongest, err)
		}
		if v.Class != "rowing" || v.Probability < 0.3 { // chance is 0.25
			t.Errorf("a message of rowing's words: %+v", v)
		}
	})
}

// The same mail, with near-duplicates, is listed in another order and read by another number of workers.
func TestTheOrderOfTheMailChangesNoByteOfAnyModel(t *testing.T) {
	var items []corpus.Item
	for item := range corpustest.Each(t, corpus.Concat(corpustest.Mailbox(5, 50, "ham", "spam"), corpustest.Campaigns(20, 4))) {
		items = append(items, item)
	}
	listed := func(items []corpus.Item) corpus.Source {
		return func(yield func(corpus.Item, error) bool) {
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
	o := DefaultCollectOptions()
	o.Workers = 1
	first := collect(t, listed(items), o, "ham", "spam")
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	o.Workers = 5
	second := collect(t, listed(items), o, "ham", "spam")
	modelstest.EachModel(t, func(t *testing.T, model string) {
		f, _ := fit(t, first, model)
		again, _ := fit(t, second, model)
		if !slices.Equal(encode(t, f), encode(t, again)) {
			t.Error("the model has other bytes")
		}
	})
}

func TestTrainingAndClassificationMakeTheSameVector(t *testing.T) {
	source := corpustest.Mailbox(3, 20, "ham", "spam")
	c := collect(t, source, DefaultCollectOptions(), "ham", "spam")
	for _, kind := range []features.Kind{features.Bits, features.Counts, features.NormalisedBits, features.NormalisedCounts, features.Whole} {
		rows := make(map[string]features.Vector)
		for _, part := range []corpus.Part{corpus.Train, corpus.Development, corpus.Test} {
			d := c.Dataset(part, kind)
			for i, origin := range c.Origins(part) {
				rows[origin] = d.Row(i)
			}
		}
		reader, err := filter.NewReader(filter.DefaultReading(), filter.ReaderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		known := 0
		for item, raw := range corpustest.Each(t, source) {
			reader.Read(raw)
			document := reader.Bag.Document().As(kind)
			got := new(features.Lookup).AppendVector(features.Vector{}, c.termsOf(kind).Vocabulary, document, kind)
			if !slices.Equal(got.IDs, rows[item.Origin].IDs) || !slices.Equal(got.Values, rows[item.Origin].Values) {
				t.Errorf("%v: %s: got %v, in training %v", kind, item.Origin, got, rows[item.Origin])
			}
			known += len(got.IDs)
		}
		if known == 0 {
			t.Errorf("%v: no message has a known term", kind)
		}
	}
}

func TestProbabilitiesAreCalibratedOnNewMail(t *testing.T) {
	// Among so many messages, some have no word of their class.
	c := collect(t, corpustest.Mailbox(11, 600, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	for _, model := range []string{"multinomial", "averaged-perceptron", "softmax"} {
		_, r := fit(t, c, model)
		if r.Test.CalibrationError == nil || *r.Test.CalibrationError > 0.05 {
			t.Errorf("%s: calibration error %v, want at most 0.05", model, r.Test.CalibrationError)
		}
	}
}

func TestEachEpochIsReported(t *testing.T) {
	c := collect(t, corpustest.Mailbox(2, 50, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	o := DefaultOptions()
	o.Models.LMS.Epochs = 4
	var reported []models.Epoch
	o.Epoch = func(model string, e models.Epoch) {
		if model != "lms" {
			t.Errorf("reported %s", model)
		}
		reported = append(reported, e)
	}
	trained, err := Fit(context.Background(), c, "lms", o)
	r := trained.Result
	if err != nil || len(reported) != 4 || !slices.Equal(reported, r.Epochs) {
		t.Errorf("reported %v, want %v, error %v", reported, r.Epochs, err)
	}
	for _, e := range reported {
		if e.Development == nil {
			t.Errorf("epoch %d has no figures of the development part", e.Epoch)
		}
	}
}
