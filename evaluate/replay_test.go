package evaluate

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/models"
	"chaff/test/corpustest"
	"chaff/test/modelstest"
	"chaff/train"
)

func readForReplay(t *testing.T, source corpus.Source) *train.Mail {
	t.Helper()
	return must(train.Read(t.Context(), source, spamAndHam(), train.ReadOptions{Reading: filter.DefaultReading(), Copies: true, Workers: 1}))(t)
}

func replayed(t *testing.T, m *train.Mail, model string, o train.Options) Replay {
	t.Helper()
	return must(ReplayTo(t.Context(), model, m, o))(t)
}

// The first message of the second half must have the score of a model trained on the first half.
func TestAReplayAgreesWithATrainedModel(t *testing.T) {
	o := train.DefaultOptions()
	modelstest.EachPasses(&o.Models, func(p *models.Passes) {
		p.Epochs, p.Listed = 1, true
	})
	o.Models.Softmax.L2 = 0
	m := readForReplay(t, corpustest.Mailbox(4, 100, "ham", "spam"))
	members := m.Members()
	half := len(members) / 2
	// The listing has ham before spam; alternate them.
	for i := 0; i < half; i += 2 {
		members[i], members[half+i] = members[half+i], members[i]
	}
	m = must(m.Select(members))(t)
	modelstest.EachModel(t, func(t *testing.T, model string) {
		r := replayed(t, m, model, o)
		trainer, kind, err := o.Models.New(model, 0)
		if err != nil {
			t.Fatal(err)
		}
		if kind == features.Evidence {
			return // in training it knows the terms of all documents before the first update; see models/votes_test.go
		}
		var hashes []uint64
		for i := range half {
			hashes = append(hashes, m.Documents().Document(m.Entry(i).Terms).As(kind).Terms...)
		}
		slices.Sort(hashes)
		vocabulary := must(features.NewVocabulary(slices.Compact(hashes)))(t)
		first := &features.Dataset{Kind: kind, Classes: m.Classes, Terms: vocabulary.Len()}
		row := func(i int) features.Vector {
			return new(features.Lookup).AppendVector(features.Vector{}, vocabulary, m.Documents().Document(m.Entry(i).Terms).As(kind), kind)
		}
		for i := range half {
			first.Append(row(i), int32(m.Entry(i).Label))
		}
		linear, _, err := trainer.Train(t.Context(), first, models.EpochOptions{})
		if err != nil {
			t.Fatal(err)
		}
		z, got := linear.Score(row(half)), r.Messages[half].Score
		if math.Abs(got-z) > 1e-4*max(1, math.Abs(z)) {
			t.Fatalf("the replay scores %v, the trained model %v", got, z)
		}
	})
}

// plainBayes returns options for textbook multinomial naive Bayes, whose predictions can be worked out by hand.
func plainBayes() train.Options {
	o := train.DefaultOptions()
	o.Models.Multinomial = models.Multinomial{Smoothing: 1, Prior: models.PriorLearned, Features: features.Bits.String()}
	return o
}

func TestAMessageIsClassifiedBeforeItIsLearned(t *testing.T) {
	letters := [][2]string{
		{"spam", "\ncasino lottery"}, {"ham", "\nmeeting agenda"}, {"spam", "\ncasino lottery"}, {"ham", "\nmeeting agenda"}, {"spam", "\ncasino lottery"},
	}
	r := replayed(t, readForReplay(t, corpustest.Messages(letters...)), "multinomial", plainBayes())
	var given []string
	for _, m := range r.Messages {
		given = append(given, m.Class)
	}
	// The first message is a tie, which is ham. After it, all mail is spam so far. Then both classes are known.
	if got, want := strings.Join(given, " "), "ham spam spam ham spam"; got != want {
		t.Errorf("given %s, want %s", got, want)
	}
	if s := readForReplay(t, corpustest.Messages(letters...)).Summary(); s.Used != 5 || s.Duplicates != 0 {
		t.Errorf("used %d messages, left out %d copies, want 5 and 0: a mailbox gets copies too", s.Used, s.Duplicates)
	}
	if r.Figures.Confusion.Correct() != 3 {
		t.Errorf("right about %d, want 3", r.Figures.Confusion.Correct())
	}
}

func TestByTimeReplaysInTheOrderOfDelivery(t *testing.T) {
	date := func(day string) string { return "Received: by x; " + day + " Mar 2025 10:00:00 +0000\n\n" }
	letters := [][2]string{{"ham", date("3") + "c"}, {"spam", "\nnone"}, {"ham", date("1") + "a"}, {"spam", date("2") + "b"}}
	o := train.DefaultOptions()
	for byTime, want := range map[bool]string{false: "0 1 2 3", true: "2 3 0 1"} {
		mail := readForReplay(t, corpustest.Messages(letters...))
		if byTime {
			mail = must(ByTime(mail))(t)
		}
		var order []string
		for _, m := range replayed(t, mail, "majority", o).Messages {
			order = append(order, strings.Trim(m.Path, "m/.el"))
		}
		if got := strings.Join(order, " "); got != want {
			t.Errorf("by time %v: replayed %s, want %s", byTime, got, want)
		}
	}
}

func TestSelectReplaysItsMembers(t *testing.T) {
	o := train.DefaultOptions()
	classes := spamAndHam()
	m := readForReplay(t, corpustest.Mailbox(4, 50, classes...))
	want := replayed(t, m, "softmax", o)
	all := must(m.Select(m.Members()))(t)
	if diff := cmp.Diff(want.Messages, replayed(t, all, "softmax", o).Messages); diff != "" || len(want.Messages) != 100 {
		t.Errorf("%d messages (-read +selected):\n%s", len(want.Messages), diff)
	}
	var members []train.Member
	for i, member := range m.Members() {
		if i%2 == 0 {
			member.Label = 1 - member.Label
			members = append(members, member)
		}
	}
	half := must(m.Select(members))(t)
	got := replayed(t, half, "softmax", o)
	if len(got.Messages) != 50 || half.Summary().Used != 50 {
		t.Fatalf("%d messages, summary %+v", len(got.Messages), half.Summary())
	}
	for i, message := range got.Messages {
		if message.Path != members[i].Origin || message.Label != classes[members[i].Label] || message.Label == want.Messages[2*i].Label {
			t.Errorf("message %d is %s of class %s, want %+v", i, message.Path, message.Label, members[i])
		}
	}
	if diff := cmp.Diff(want.Messages, replayed(t, m, "softmax", o).Messages); diff != "" {
		t.Errorf("the mail itself was changed:\n%s", diff)
	}
}

func TestSelectRefuses(t *testing.T) {
	m := readForReplay(t, corpustest.Messages([2]string{"ham", "lunch"}, [2]string{"spam", "offer"}))
	if _, err := m.Select(nil); !errors.Is(err, train.ErrNoMail) {
		t.Errorf("no message at all: error %v, want %v", err, train.ErrNoMail)
	}
	members := m.Members()
	members[1].Label = 2
	if _, err := m.Select(members); err == nil || !strings.Contains(err.Error(), "class 2") {
		t.Errorf("an unknown class: error %v", err)
	}
}

// A replay including reading must cost at most twice the CPU time of reading alone.
func TestAReplayCostsLittleBesideReading(t *testing.T) {
	source, ok := corpustest.SpamAssassin(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	o := train.DefaultOptions()
	began := cputime.Process()
	m := must(ByTime(readForReplay(t, source)))(t)
	reading := (cputime.Process() - began).Seconds()
	r := replayed(t, m, "softmax", o)
	t.Logf("replay: %.2f s of CPU beside %.2f s for reading and tokenizing, lam%% %.2f, (1-ROCA)%% %.4f", r.Seconds, reading, *r.Figures.LAM, *r.Figures.OneMinusROCA)
	if r.Seconds > reading {
		t.Errorf("the replay took %.2f s of CPU, reading and tokenizing %.2f s", r.Seconds, reading)
	}
	if r.Figures.Accuracy < 98 {
		t.Errorf("accuracy %.2f%%, want at least 98%%", r.Figures.Accuracy)
	}
}

func TestAReplayMakesVerdictsByWhatItHasLearned(t *testing.T) {
	r := replayed(t, readForReplay(t, corpustest.Mailbox(3, 200, "ham", "spam")), "votes", train.DefaultOptions())
	last := r.Messages[len(r.Messages)-1]
	if r.Messages[0].Verdict != filter.Unsure || last.Verdict == filter.Unsure {
		t.Errorf("the first verdict is %s, the last %s: want unsure until there are 50 of each class", r.Messages[0].Verdict, last.Verdict)
	}
	v := *r.Verdicts
	if v.Ham.Messages() != 200 || v.Spam.Messages() != 200 || v.Ham.Spam > 1 || v.Spam.Spam == 0 {
		t.Errorf("%+v: want 200 of each, hardly any ham lost, and spam found", v)
	}
}
