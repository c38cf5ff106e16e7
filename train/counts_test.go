package train_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/filter"
	"chaff/metrics"
	"chaff/train"
	"chaff/train/counts"
)

// madeOfCounts returns mail of counts of 30 ham and 20 spam.
func madeOfCounts(t *testing.T) *train.Mail {
	t.Helper()
	c, err := counts.ReadBogofilter(strings.NewReader(".MSG_COUNT 20 30 1\ngarden 1 25 1\noffer 18 2 1\nmeeting 0 12 1\npills 11 0 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	mail, _, err := c.Mail(counts.Options{Reading: filter.DefaultReading(), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return mail
}

func TestNothingIsMeasuredOnDocumentsOfCounts(t *testing.T) {
	for _, method := range []string{corpus.SplitGrouped, corpus.SplitByHash, corpus.SplitByTime} {
		t.Run(method, func(t *testing.T) {
			o := train.DefaultCollectOptions()
			o.Split.Method = method
			c, err := madeOfCounts(t).Divide(o)
			if err != nil {
				t.Fatal(err)
			}
			if s := c.Summary(); s.Train != 50 || s.Development != 0 || s.Test != 0 {
				t.Errorf("got %d, %d and %d documents in the parts, want all in the training part", s.Train, s.Development, s.Test)
			}
			options := train.DefaultOptions()
			options.Given = &train.Given{Thresholds: metrics.Thresholds{Unsure: -1.5, Spam: 2.5}, Calibration: metrics.Calibration{Slope: 0.5, Offsets: []float64{0, 0.25}}}
			trained, err := train.Fit(t.Context(), c, "bernoulli", options)
			if err != nil {
				t.Fatal(err)
			}
			if r := trained.Result; r.Train != nil || r.Development != nil || r.Test != nil {
				t.Errorf("there are figures: %+v", r)
			}
			f, refitted, err := c.Refit(t.Context(), trained, options)
			if err != nil {
				t.Fatal(err)
			}
			if refitted.OutOfFold != 0 || refitted.Verdicts != nil || refitted.Promise != nil || len(refitted.Warnings) > 0 {
				t.Errorf("got %+v", refitted)
			}
			if s := f.Settings(); *s.Thresholds != options.Given.Thresholds || !cmp.Equal(s.Calibration, options.Given.Calibration) {
				t.Errorf("got %v and %v, want those given", *s.Thresholds, s.Calibration)
			}
		})
	}
}

// TestMailTakesOverFromGivenThresholds adds messages to documents of counts, as a store does.
func TestMailTakesOverFromGivenThresholds(t *testing.T) {
	made := madeOfCounts(t)
	given := &train.Given{Thresholds: metrics.Thresholds{Unsure: -1000, Spam: 1000}, Calibration: metrics.Identity(2)}
	for _, tt := range []struct {
		about    string
		messages int // of each class
		given    bool
	}{
		{"too few messages", 49, true},
		{"enough messages", 50, false},
	} {
		t.Run(tt.about, func(t *testing.T) {
			entries := slices.Clone(made.Entries())
			of := [2]int{}
			for i := 0; of[0] < tt.messages || of[1] < tt.messages; i++ {
				e := entries[i%made.Len()]
				if of[e.Label] == tt.messages {
					continue
				}
				of[e.Label]++
				e.Size, e.Fingerprint, e.SplitKey = 1000, e.Fingerprint+uint64(i)<<40, e.SplitKey+uint64(i)<<40
				entries = append(entries, e)
			}
			f, refitted := fitEntries(t, made, entries, given)
			if got := f.Settings().Thresholds.Spam == 1000; got != tt.given {
				t.Errorf("the thresholds are %+v; given: %v, want %v", *f.Settings().Thresholds, got, tt.given)
			}
			want := 0
			if !tt.given {
				want = 2 * tt.messages
			}
			if refitted.OutOfFold != want {
				t.Errorf("got %d out-of-fold scores, want %d", refitted.OutOfFold, want)
			}
		})
	}
	t.Run("mail without documents of counts", func(t *testing.T) {
		entries := slices.Clone(made.Entries())
		for i := range entries {
			entries[i].Size = 1000
		}
		if f, _ := fitEntries(t, made, entries, given); f.Settings().Thresholds.Spam == 1000 {
			t.Error("the thresholds are those given")
		}
	})
}

func fitEntries(t *testing.T, m *train.Mail, entries []train.Entry, given *train.Given) (*filter.Filter, train.Refitted) {
	t.Helper()
	o := train.DefaultCollectOptions()
	o.Split.Method = corpus.SplitByHash
	c, err := train.NewMail(m.Classes(), m.Documents(), entries).Divide(o)
	if err != nil {
		t.Fatal(err)
	}
	options := train.DefaultOptions()
	options.Given = given
	trained, err := train.Fit(context.Background(), c, "multinomial", options)
	if err != nil {
		t.Fatal(err)
	}
	f, refitted, err := c.Refit(context.Background(), trained, options)
	if err != nil {
		t.Fatal(err)
	}
	return f, refitted
}
