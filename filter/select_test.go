package filter

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
)

func TestAnotherSeedDividesAsReadingWithItDoes(t *testing.T) {
	for _, method := range []string{corpus.SplitByHash, corpus.SplitGrouped} {
		o := DefaultCollectOptions()
		o.Split.Method = method
		c := collect(t, campaigns(40, 3), o, "ham", "spam")
		before := c.Members()
		got, err := c.WithSeed(7)
		if err != nil {
			t.Fatal(err)
		}
		o.Seed = 7
		want := collect(t, campaigns(40, 3), o, "ham", "spam")
		if diff := cmp.Diff(want.Members(), got.Members(), cmp.AllowUnexported(Member{})); diff != "" {
			t.Errorf("%s: messages (-read with the seed +divided by it):\n%s", method, diff)
		}
		if diff := cmp.Diff(want.Summary(), got.Summary()); diff != "" {
			t.Errorf("%s: summary (-read with the seed +divided by it):\n%s", method, diff)
		}
		f, _ := train(t, want, "arow")
		g, _ := train(t, got, "arow")
		if !slices.Equal(encode(t, f), encode(t, g)) {
			t.Errorf("%s: the models differ", method)
		}
		if diff := cmp.Diff(before, c.Members(), cmp.AllowUnexported(Member{})); diff != "" {
			t.Errorf("%s: the collection itself was changed:\n%s", method, diff)
		}
	}
}

func TestSelectedMembersAreTrainedOnAsTold(t *testing.T) {
	c := collect(t, mailbox(1, 60, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	var members []Member
	for _, m := range c.Members() {
		if m.Part == corpus.Development {
			continue
		}
		m.Label = 1 - m.Label
		members = append(members, m)
	}
	s, err := c.Select(members)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Summary(); got.Used != len(members) || got.Development != 0 || got.Train != c.Summary().Train || got.Classes[0].Messages+got.Classes[1].Messages != len(members) {
		t.Errorf("summary %+v of %d messages", got, len(members))
	}
	f, r := train(t, s, "multinomial")
	if r.Test == nil || r.Test.Accuracy < 90 || r.Development != nil {
		t.Errorf("test %+v, development %+v", r.Test, r.Development)
	}
	if v := f.Classify([]byte("Subject: hello\n\nspama spamb spamc spamd spame spamf")); v.Class != "ham" {
		t.Errorf("spam's words are %s, want ham, as the labels were changed", v.Class)
	}
	labels, predictions := s.Predictions(f, corpus.Test)
	right := 0
	for i, label := range labels {
		if predictions[i] == label {
			right++
		}
	}
	if len(labels) != r.Test.Messages || right != r.Test.Confusion.Correct() {
		t.Errorf("%d of %d predictions are right, want %d of %d", right, len(labels), r.Test.Confusion.Correct(), r.Test.Messages)
	}
	if c.Members()[0].Label != 0 {
		t.Error("the collection itself was changed")
	}
}

func TestTheVocabularyIsThatOfTheSelectedTrainingPart(t *testing.T) {
	c := collect(t, messages([2]string{"ham", "\n\nalpha"}, [2]string{"spam", "\n\nbeta"}, [2]string{"ham", "\n\ngamma"}), DefaultCollectOptions(), "ham", "spam")
	members := c.Members()
	members[0].Part, members[1].Part, members[2].Part = corpus.Train, corpus.Train, corpus.Test
	s, err := c.Select(members)
	if err != nil {
		t.Fatal(err)
	}
	if texts := s.words.terms().Texts; !slices.Contains(texts, "body:alpha") || slices.Contains(texts, "body:gamma") {
		t.Errorf("terms %q", texts)
	}
}

func TestSelectRefuses(t *testing.T) {
	c := collect(t, mailbox(1, 10, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	all := c.Members()
	strange := slices.Clone(all)
	strange[0].Label = 2
	hams := slices.DeleteFunc(slices.Clone(all), func(m Member) bool { return m.Label == 1 })
	untrained := slices.DeleteFunc(slices.Clone(all), func(m Member) bool { return m.Part == corpus.Train })
	tests := map[string]struct {
		members []Member
		err     error // nil: any
	}{
		"no member":                               {nil, ErrNoMail},
		"members that are not for training":       {untrained, ErrNoMail},
		"members of one class":                    {hams, ErrOneClass},
		"a member of a class that does not exist": {strange, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := c.Select(tt.members); err == nil || tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
		})
	}
}

func TestMarginsAreTheScoresOfAPart(t *testing.T) {
	c := collect(t, mailbox(1, 60, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	f, r := train(t, c, "multinomial")
	scores, spam := c.Margins(f, corpus.Test)
	labels, predictions := c.Predictions(f, corpus.Test)
	if len(scores) == 0 || len(scores) != r.Test.Messages || len(spam) != len(scores) {
		t.Fatalf("%d scores, %d labels of %d messages", len(scores), len(spam), r.Test.Messages)
	}
	for i, score := range scores {
		if spam[i] != (labels[i] == spamClass) || (score > 0) != (predictions[i] == spamClass) {
			t.Errorf("message %d: score %v, spam %t; label %d, predicted %d", i, score, spam[i], labels[i], predictions[i])
		}
	}
}

func TestSelectedMailIsReplayedAsIfItAloneWereRead(t *testing.T) {
	o := DefaultReplayOptions()
	o.Feedback = 0.5
	classes := []string{"ham", "spam"}
	read := func(n int) *ReplayMail {
		m, err := ReadForReplay(t.Context(), mailbox(4, n, classes...), classes, o)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := read(50)
	want := replayed(t, m, "hybrid")
	all, err := m.Select(m.Members())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Messages, replayed(t, all, "hybrid").Messages); diff != "" || len(want.Messages) != 100 {
		t.Errorf("%d messages (-read +selected):\n%s", len(want.Messages), diff)
	}
	var members []Member
	for i, member := range m.Members() {
		if i%2 == 0 {
			member.Label = 1 - member.Label
			members = append(members, member)
		}
	}
	half, err := m.Select(members)
	if err != nil {
		t.Fatal(err)
	}
	got := replayed(t, half, "hybrid")
	if len(got.Messages) != 50 || got.Learnt >= 50 || got.Learnt == 0 || half.Summary().Used != 50 {
		t.Fatalf("%d messages, %d learnt, summary %+v", len(got.Messages), got.Learnt, half.Summary())
	}
	for i, message := range got.Messages {
		if message.Path != members[i].Origin || message.Label != classes[members[i].Label] || message.Label == want.Messages[2*i].Label {
			t.Errorf("message %d is %s of class %s, want %+v", i, message.Path, message.Label, members[i])
		}
	}
	if diff := cmp.Diff(want.Messages, replayed(t, m, "hybrid").Messages); diff != "" {
		t.Errorf("the mail itself was changed:\n%s", diff)
	}
}

func TestReplayMailRefusesToSelect(t *testing.T) {
	m := readForReplay(t, DefaultReplayOptions(), [2]string{"ham", "lunch"}, [2]string{"spam", "offer"})
	if _, err := m.Select(nil); !errors.Is(err, ErrNoMail) {
		t.Errorf("no message at all: error %v, want %v", err, ErrNoMail)
	}
	members := m.Members()
	members[1].Label = 2
	if _, err := m.Select(members); err == nil || !strings.Contains(err.Error(), "class 2") {
		t.Errorf("an unknown class: error %v", err)
	}
}

func TestVerdictsAreThoseOfClassifyingTheMessages(t *testing.T) {
	source := mailbox(5, 60, "ham", "spam")
	f, _ := train(t, collect(t, mailbox(6, 60, "ham", "spam"), DefaultCollectOptions(), "ham", "spam"), "multinomial")
	c := collect(t, source, DefaultCollectOptions(), "ham", "spam")
	got, err := c.Verdicts(f, corpus.Test)
	if err != nil {
		t.Fatal(err)
	}
	inTest := c.Origins(corpus.Test)
	var want VerdictCounts
	for item, err := range source {
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(inTest, item.Origin) {
			continue
		}
		raw, err := item.Read(nil)
		if err != nil {
			t.Fatal(err)
		}
		of := &want.Ham
		if item.Label == "spam" {
			of = &want.Spam
		}
		switch f.Classify(raw).Decision {
		case Ham:
			of.Ham++
		case Unsure:
			of.Unsure++
		case Spam:
			of.Spam++
		}
	}
	if got != want || got.Ham.Messages() == 0 || got.Spam.Spam == 0 {
		t.Errorf("got %+v, want %+v", got, want)
	}
	three := collect(t, mailbox(7, 20, "golang", "rowing", "garden"), DefaultCollectOptions(), "golang", "rowing", "garden")
	g, _ := train(t, three, "multinomial")
	if _, err := three.Verdicts(g, corpus.Test); err == nil {
		t.Error("a filter for three classes has verdicts of a spam filter")
	}
}
