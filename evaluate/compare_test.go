package evaluate

import (
	"errors"
	"math"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/models"
	"chaff/test/corpustest"
	"chaff/train"
)

func TestModelsAreComparedWithTheBestOnDevelopmentMail(t *testing.T) {
	c := collect(t, corpustest.Mailbox(2, 100, "ham", "spam"), train.DefaultCollectOptions(), "ham", "spam")
	compared, failed, err := Compare(t.Context(), c, []string{"majority", "bernoulli", "lms"}, train.DefaultOptions())
	if err != nil || len(compared) != 3 || len(failed) != 0 {
		t.Fatalf("%d models, %v failed, %v", len(compared), failed, err)
	}
	last := math.Inf(1)
	for i, m := range compared {
		r := m.Result
		if r.Development.Accuracy > last {
			t.Errorf("%s is better on development mail than the one before it", r.Model)
		}
		last = r.Development.Accuracy
		if (r.AgainstBest == nil) != (i == 0) {
			t.Errorf("%s, number %d: against the best %v", r.Model, i, r.AgainstBest)
		}
		if data := must(m.Filter.Encode())(t); r.Bytes != len(data) {
			t.Errorf("%s: %d bytes, want %d", r.Model, r.Bytes, len(data))
		}
	}
	worst := compared[2].Result
	if worst.Model != "majority" || worst.AgainstBest.Worse < 10 || worst.AgainstBest.P > 0.001 {
		t.Errorf("the last is %s, against the best %+v", worst.Model, worst.AgainstBest)
	}
	// The difference in errors agrees with the difference in accuracy.
	best := compared[0].Result
	errors := float64(best.Test.Messages) * (best.Test.Accuracy - worst.Test.Accuracy) / 100
	if got := float64(worst.AgainstBest.Worse - worst.AgainstBest.Better); math.Abs(got-errors) > 1e-6 {
		t.Errorf("%v errors more than the best, want %v", got, errors)
	}
}

func TestCompareLeavesOutAModelThatDiverges(t *testing.T) {
	c := collect(t, corpustest.Mailbox(2, 50, "ham", "spam"), train.DefaultCollectOptions(), "ham", "spam")
	o := train.DefaultOptions()
	o.Models.LMS.LearningRate = 100
	compared, failed, err := Compare(t.Context(), c, []string{"bernoulli", "lms"}, o)
	if err != nil || len(compared) != 1 || len(failed) != 1 {
		t.Fatalf("%d models, %v failed, %v", len(compared), failed, err)
	}
	diverged := failed[0]
	if !errors.Is(diverged, models.ErrDiverged) || !strings.HasPrefix(diverged.Error(), "train lms: training diverges: the training loss grew from 0.5 to ") ||
		!strings.HasSuffix(diverged.Error(), ", with models.lms.learning_rate=100") {
		t.Errorf("got %v", diverged)
	}
}

// The split by hash is the one that other filters are measured on.
func TestTheBestClassifierIsAccurateOnRealMail(t *testing.T) {
	dir, ok := corpustest.CorporaDir(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	o := train.DefaultCollectOptions()
	o.Split.Method = corpus.SplitByHash
	accuracy := func(source corpus.Source) map[string]float64 {
		c := collect(t, source, o, "ham", "spam")
		compared, failed, err := Compare(t.Context(), c, models.Names(), train.DefaultOptions())
		if err != nil || len(failed) > 0 {
			t.Fatalf("failed: %v, %v", failed, err)
		}
		all := make(map[string]float64)
		for _, m := range compared {
			all[m.Result.Model] = m.Result.Test.Accuracy
		}
		return all
	}
	best := func(corpus string, all map[string]float64, least float64) {
		highest := 0.0
		for _, model := range models.Names() {
			t.Logf("%s: %s: test accuracy %.2f%%", corpus, model, all[model])
			highest = max(highest, all[model])
		}
		if highest < least {
			t.Errorf("%s: the best has a test accuracy of %.2f%%, want at least %v%%", corpus, highest, least)
		}
	}
	spamAssassin, _ := corpustest.SpamAssassin(t)
	best("SpamAssassin", accuracy(spamAssassin), 99.2)
	mean := make(map[string]float64)
	for n := range 6 {
		for model, percent := range accuracy(corpustest.Enron(t, dir, n+1)) {
			mean[model] += percent / 6
		}
	}
	best("mean of Enron", mean, 98.9)
}
