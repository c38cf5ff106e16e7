package filter

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/features"
	"chaff/models"
)

// baselines are the models that do not learn to tell new mail.
func baselines() []string { return []string{"memoriser", "majority"} }

// eachModel runs a test for every model.
func eachModel(t *testing.T, test func(t *testing.T, model string)) {
	t.Helper()
	names := models.Names()
	if len(names) < 13 {
		t.Fatalf("only the models %v", names)
	}
	for _, model := range names {
		t.Run(model, func(t *testing.T) { test(t, model) })
	}
}

func TestEveryModelLearnsToTellSpam(t *testing.T) {
	c := collect(t, mailbox(1, 100, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	eachModel(t, func(t *testing.T, model string) {
		f, r := train(t, c, model)
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
		if v.Class != "ham" || v.Score > 0 || v.Decision == Spam || v.Probability >= 0.5 {
			t.Errorf("a message of ham's words: %+v", v)
		}
	})
}

func TestEveryModelTellsManyClasses(t *testing.T) {
	classes := []string{"golang", "rowing", "garden", "poetry"}
	c := collect(t, mailbox(7, 60, classes...), DefaultCollectOptions(), classes...)
	eachModel(t, func(t *testing.T, model string) {
		f, r := train(t, c, model)
		if len(r.Test.Classes) != 4 || len(r.Test.Confusion) != 4 || r.Test.LogLoss == nil || r.Test.HM != nil {
			t.Errorf("figures of the test part: %+v", r.Test)
		}
		again, err := Decode(encode(t, f))
		if err != nil {
			t.Fatal(err)
		}
		v := again.Classify([]byte("\nrowinga rowingb rowingc rowingd"))
		if v.Class != string(v.Decision) || !(v.Probability >= 0 && v.Probability <= 1) {
			t.Errorf("a verdict that is none: %+v", v)
		}
		if slices.Contains(baselines(), model) {
			return
		}
		if r.Test.Accuracy < 90 {
			t.Errorf("test accuracy %.1f%%, want at least 90%%", r.Test.Accuracy)
		}
		if v.Class != "rowing" || v.Probability < 0.3 { // chance is 0.25
			t.Errorf("a message of rowing's words: %+v", v)
		}
	})
}

// TestTheOrderOfTheMailChangesNoByteOfAnyModel trains on the same mail, listed in another order and read by other numbers
// of workers.
func TestTheOrderOfTheMailChangesNoByteOfAnyModel(t *testing.T) {
	var items []corpus.Item
	for item, err := range mailbox(5, 50, "ham", "spam") {
		if err != nil {
			t.Fatal(err)
		}
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
	eachModel(t, func(t *testing.T, model string) {
		f, _ := train(t, first, model)
		again, _ := train(t, second, model)
		if !slices.Equal(encode(t, f), encode(t, again)) {
			t.Error("the model has other bytes")
		}
	})
}

// TestEveryKindOfFeatureIsTheSameInTrainingAndClassification holds the two ways of one e-mail together for all models.
func TestEveryKindOfFeatureIsTheSameInTrainingAndClassification(t *testing.T) {
	source := mailbox(3, 20, "ham", "spam")
	c := collect(t, source, DefaultCollectOptions(), "ham", "spam")
	for _, kind := range []features.Kind{features.Bits, features.Counts, features.NormalisedBits, features.NormalisedCounts, features.Whole} {
		rows := make(map[string]features.Vector)
		for _, part := range []corpus.Part{corpus.Train, corpus.Development, corpus.Test} {
			d := c.Dataset(part, kind)
			for i, origin := range c.Origins(part) {
				rows[origin] = d.Row(i)
			}
		}
		reader, err := newReader(DefaultReading())
		if err != nil {
			t.Fatal(err)
		}
		known := 0
		for item, err := range source {
			if err != nil {
				t.Fatal(err)
			}
			raw, err := item.Read(nil)
			if err != nil {
				t.Fatal(err)
			}
			document, _ := reader.document(raw)
			vocabulary, _ := c.termsOf(kind)
			got := new(features.Lookup).AppendVector(features.Vector{}, vocabulary, document, kind)
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

func TestProbabilitiesComeTrueOnMailThatWasNotSeen(t *testing.T) {
	// Many messages, of which some have no word of their class.
	c := collect(t, mailbox(11, 600, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	for _, model := range []string{"multinomial", "averaged-perceptron", "arow"} {
		_, r := train(t, c, model)
		if r.Test.CalibrationError == nil || *r.Test.CalibrationError > 0.05 {
			t.Errorf("%s: probabilities differ from what came true by %v, want at most 0.05", model, r.Test.CalibrationError)
		}
	}
}

func TestModelsAreComparedWithTheBestOnDevelopmentMail(t *testing.T) {
	c := collect(t, mailbox(2, 100, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	comparison, err := Compare(context.Background(), c, []string{"majority", "bernoulli", "lms"}, DefaultTrainOptions())
	if err != nil || len(comparison.Models) != 3 || len(comparison.Failed) != 0 {
		t.Fatalf("%d models, %v failed, %v", len(comparison.Models), comparison.Failed, err)
	}
	last := math.Inf(1)
	for i, m := range comparison.Models {
		r := m.Result
		if r.Development.Accuracy > last {
			t.Errorf("%s is better on development mail than the one before it", r.Model)
		}
		last = r.Development.Accuracy
		if (r.AgainstBest == nil) != (i == 0) {
			t.Errorf("%s, number %d: against the best %v", r.Model, i, r.AgainstBest)
		}
		if data := encode(t, m.Filter); r.Bytes != len(data) {
			t.Errorf("%s: %d bytes, want %d", r.Model, r.Bytes, len(data))
		}
	}
	worst := comparison.Models[2].Result
	if worst.Model != "majority" || worst.AgainstBest.Worse < 10 || worst.AgainstBest.P > 0.001 {
		t.Errorf("the last is %s, against the best %+v", worst.Model, worst.AgainstBest)
	}
	// The difference in errors is that in accuracy.
	best := comparison.Models[0].Result
	errors := float64(best.Test.Messages) * (best.Test.Accuracy - worst.Test.Accuracy) / 100
	if got := float64(worst.AgainstBest.Worse - worst.AgainstBest.Better); math.Abs(got-errors) > 1e-6 {
		t.Errorf("%v errors more than the best, want %v", got, errors)
	}
}

func TestAModelThatDivergesIsLeftOutOfAComparison(t *testing.T) {
	c := collect(t, mailbox(2, 50, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	o := DefaultTrainOptions()
	o.Models.LMS.LearningRate = 100
	comparison, err := Compare(context.Background(), c, []string{"bernoulli", "lms"}, o)
	if err != nil || len(comparison.Models) != 1 || len(comparison.Failed) != 1 {
		t.Fatalf("%d models, %v failed, %v", len(comparison.Models), comparison.Failed, err)
	}
	failed := comparison.Failed[0]
	if !errors.Is(failed, models.ErrDiverged) || !strings.HasPrefix(failed.Error(), "train lms: training diverges: the training loss grew from 0.5 to ") ||
		!strings.HasSuffix(failed.Error(), "; lower models.lms.learning_rate, which is 100") {
		t.Errorf("got %v", failed)
	}
}

func TestEpochsAreToldAsTheyEnd(t *testing.T) {
	c := collect(t, mailbox(2, 50, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	o := DefaultTrainOptions()
	o.Models.LMS.Epochs = 4
	var told []models.Epoch
	o.Epoch = func(model string, e models.Epoch) {
		if model != "lms" {
			t.Errorf("told of %s", model)
		}
		told = append(told, e)
	}
	_, r, err := Train(context.Background(), c, "lms", o)
	if err != nil || len(told) != 4 || !slices.Equal(told, r.Epochs) {
		t.Errorf("told %v, want %v, error %v", told, r.Epochs, err)
	}
	for _, e := range told {
		if e.Development == nil {
			t.Errorf("epoch %d has no figures of the development part", e.Epoch)
		}
	}
}
