package store

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/evaluate"
	"chaff/filter"
	"chaff/test/corpustest"
	"chaff/test/modelstest"
	"chaff/train"
)

// spamAssassin returns the SpamAssassin public corpus in the order of time. It has no message twice.
func spamAssassin(t *testing.T) []Message {
	t.Helper()
	source, ok := corpustest.SpamAssassin(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	var all []Message
	for item, raw := range corpustest.Each(t, source) {
		m := Message{Raw: bytes.Clone(raw), Label: item.Label, Way: ByHand}
		m.Time = corpus.DeliveryTime(m.Raw)
		all = append(all, m)
	}
	slices.SortStableFunc(all, func(a, b Message) int { return a.Time.Compare(b.Time) })
	return all
}

// A store that begins with nothing and learns the corpus judges each message as the replay does.
func TestAStoreLearnsAsTheReplayDoes(t *testing.T) {
	all := spamAssassin(t)
	replay, err := train.Read(t.Context(), sourceOf(all), []string{"ham", "spam"}, train.ReadOptions{Reading: filter.DefaultReading(), Copies: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, model := range []string{"multinomial", "votes"} {
		t.Run(model, func(t *testing.T) {
			want, err := evaluate.ReplayTo(t.Context(), model, replay, train.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "model")
			if err := Begin(t.Context(), path, []string{"ham", "spam"}, model, train.DefaultCollectOptions(), train.DefaultOptions(), DefaultOptions()); err != nil {
				t.Fatal(err)
			}
			s := opened(t, path)
			began := time.Now()
			errors := 0
			for i, m := range all {
				got := learned(t, s, m)
				if got.What != Learned || got.Class != want.Messages[i].Class {
					t.Errorf("message %d was %s and judged %s with the score %v; in the replay %s with %v",
						i, got.What, got.Class, got.Score, want.Messages[i].Class, want.Messages[i].Score)
				}
				if got.Class != m.Label {
					errors++
				}
			}
			t.Logf("%d messages learned one by one in %v: %d errors", len(all), time.Since(began).Round(time.Second), errors)
			if figures := want.Figures; errors != figures.Messages-figures.Confusion.Correct() {
				t.Errorf("%d errors; in the replay %d", errors, figures.Messages-figures.Confusion.Correct())
			}
		})
	}
}

// Half of the corpus is trained and the other half learned one by one; fitted again, the model is that of training on all of it.
func TestACorpusLearnedOneByOneAndFittedGivesTheModelOfAllAtOnce(t *testing.T) {
	all := spamAssassin(t)
	for _, model := range []string{"multinomial", "votes"} {
		t.Run(model, func(t *testing.T) {
			want := contents(t, trained(t, model, sourceOf(all)))
			mixed := slices.Clone(all)
			shuffle(mixed)
			half := len(mixed) / 2
			path := trained(t, model, sourceOf(mixed[:half]))
			s := opened(t, path)
			for _, m := range mixed[half:] {
				if o := learned(t, s, m); o.What != Learned {
					t.Fatalf("a message was %s", o.What)
				}
			}
			retrain(t, s)
			if !bytes.Equal(contents(t, path), want) {
				t.Error("the models differ")
			}
		})
	}
}

func shuffle(all []Message) {
	rand.New(rand.NewPCG(1, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
}

// The sample mail is learned and forgotten in another order by a model of other mail.
func TestThreeHundredMessagesThatWereForgottenLeaveNoTrace(t *testing.T) {
	if _, ok := corpustest.CorporaDir(t); !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	others := mailOf(t, sample.Source())
	if len(others) != 300 {
		t.Fatalf("%d messages, want 300", len(others))
	}
	modelstest.EachModel(t, func(t *testing.T, model string) {
		path := trained(t, model, corpustest.Mailbox(1, 100, "ham", "spam"))
		before := contents(t, path)
		s := opened(t, path)
		for _, forgetting := range []bool{false, true} {
			shuffle(others)
			for _, m := range others {
				want := Learned
				o, err := Outcome{}, error(nil)
				if forgetting {
					want = Forgotten
					o, err = s.Forget(m.Raw)
				} else {
					o, err = s.Learn(m)
				}
				if err != nil || o.What != want {
					t.Fatalf("a message was %s, want %s: %v", o.What, want, err)
				}
			}
		}
		retrain(t, s)
		if !bytes.Equal(contents(t, path), before) {
			t.Error("the model is another one")
		}
	})
}
