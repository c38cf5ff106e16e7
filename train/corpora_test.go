package train

import (
	"fmt"
	"testing"
	"time"

	"chaff/corpus"
	"chaff/internal/cputime"
	"chaff/test/corpustest"
)

func TestEveryMessageOfTheCorporaIsRead(t *testing.T) {
	dir, ok := corpustest.CorporaDir(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	check := func(name string, source corpus.Source, messages int) {
		s := collect(t, source, DefaultCollectOptions(), "ham", "spam").Summary()
		if s.Listed != messages || s.Unreadable != 0 {
			t.Errorf("%s: %d messages, %d of them unreadable: want %d and 0", name, s.Listed, s.Unreadable, messages)
		}
		t.Logf("%s: %d messages, %d needed repair, %d are copies", name, s.Listed, s.Repaired, s.Duplicates)
		for _, r := range s.Repairs {
			t.Logf("%s: %5d %s", name, r.Messages, r.Repair)
		}
	}
	spamAssassin, _ := corpustest.SpamAssassin(t)
	check("SpamAssassin", spamAssassin, 6046)
	for i, messages := range []int{5172, 5857, 5512, 5999, 5175, 6000} {
		check(fmt.Sprintf("enron%d", i+1), corpustest.Enron(t, dir, i+1), messages)
	}
}

// TestTenEpochsCostLessThanReading compares the CPU time of ten epochs with that of reading and tokenizing the same mail.
func TestTenEpochsCostLessThanReading(t *testing.T) {
	source, ok := corpustest.SpamAssassin(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	o := DefaultCollectOptions()
	o.Split.Method = corpus.SplitByHash
	o.Workers = 1
	began := cputime.Process()
	c := collect(t, source, o, "ham", "spam")
	share := float64(c.Summary().Train) / float64(c.Summary().Used)
	reading := time.Duration(share * float64(cputime.Process()-began)) // of the training part
	epochs := DefaultOptions()
	epochs.Models.AveragedPerceptron.Epochs, epochs.Models.Softmax.Epochs = 10, 10
	epochs.Models.Softmax.Tolerance, epochs.Unwatched = 0, true
	for _, model := range []string{"averaged-perceptron", "softmax"} {
		trained, err := Fit(t.Context(), c, model, epochs)
		if err != nil {
			t.Fatal(err)
		}
		r := trained.Result
		training := time.Duration(r.Seconds * float64(time.Second))
		t.Logf("%s: %d epochs in %v of CPU, reading and tokenizing %v", model, r.Passes, training, reading)
		if training >= reading {
			t.Errorf("%s: %d epochs cost %v of CPU, reading and tokenizing the same mail %v", model, r.Passes, training, reading)
		}
	}
}
