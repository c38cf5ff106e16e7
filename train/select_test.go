package train

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/metrics"
	"chaff/test/corpustest"
)

func TestMailIsDividedAgainByAnotherSeed(t *testing.T) {
	for _, method := range []string{corpus.SplitByHash, corpus.SplitGrouped} {
		o := DefaultCollectOptions()
		o.Split.Method = method
		c := collect(t, corpustest.Campaigns(40, 3), o, "ham", "spam")
		before := c.Members()
		o.Seed = 7
		got, err := c.Divide(o)
		if err != nil {
			t.Fatal(err)
		}
		want := collect(t, corpustest.Campaigns(40, 3), o, "ham", "spam")
		if diff := cmp.Diff(want.Members(), got.Members(), cmp.AllowUnexported(Member{})); diff != "" {
			t.Errorf("%s: messages (-read with the seed +divided by it):\n%s", method, diff)
		}
		if diff := cmp.Diff(want.Summary(), got.Summary()); diff != "" {
			t.Errorf("%s: summary (-read with the seed +divided by it):\n%s", method, diff)
		}
		f, _ := fit(t, want, "softmax")
		g, _ := fit(t, got, "softmax")
		if !slices.Equal(encode(t, f), encode(t, g)) {
			t.Errorf("%s: the models differ", method)
		}
		if diff := cmp.Diff(before, c.Members(), cmp.AllowUnexported(Member{})); diff != "" {
			t.Errorf("%s: the collection itself was changed:\n%s", method, diff)
		}
	}
}

func TestSelectUsesThePartsAndLabelsOfItsMembers(t *testing.T) {
	c := collect(t, corpustest.Mailbox(1, 60, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
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
	f, r := fit(t, s, "multinomial")
	if r.Test == nil || r.Test.Accuracy < 90 || r.Development != nil {
		t.Errorf("test %+v, development %+v", r.Test, r.Development)
	}
	if v := f.Classify([]byte("Subject: hello\n\nspama spamb spamc spamd spame spamf")); v.Class != "ham" {
		t.Errorf("spam's words are %s, want ham, as the labels were changed", v.Class)
	}
	scored := Score(f.Linear(), s.Dataset(corpus.Test, f.Kind()))
	labels, predictions := scored.Labels, scored.Predictions
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

func TestSelectBuildsTheVocabularyOfItsTrainingPart(t *testing.T) {
	c := collect(t, corpustest.Messages([2]string{"ham", "\n\nalpha"}, [2]string{"spam", "\n\nbeta"}, [2]string{"ham", "\n\ngamma"}), DefaultCollectOptions(), "ham", "spam")
	members := c.Members()
	members[0].Part, members[1].Part, members[2].Part = corpus.Train, corpus.Train, corpus.Test
	s, err := c.Select(members)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for id := range s.Terms().Documents {
		texts = append(texts, string(s.Terms().Text(id)))
	}
	if !slices.Contains(texts, "body:alpha") || slices.Contains(texts, "body:gamma") {
		t.Errorf("terms %q", texts)
	}
}

func TestSelectRefuses(t *testing.T) {
	c := collect(t, corpustest.Mailbox(1, 10, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
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

func TestMarginsAgreeWithPredictions(t *testing.T) {
	c := collect(t, corpustest.Mailbox(1, 60, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	f, r := fit(t, c, "multinomial")
	s := Score(f.Linear(), c.Dataset(corpus.Test, f.Kind()))
	got := *s.Margins().Verdicts(metrics.Thresholds{})
	confusion := metrics.NewConfusion(s.Labels, s.Predictions, 2)
	want := metrics.VerdictCounts{
		Ham:  metrics.ByVerdict{Ham: confusion[0][0], Spam: confusion[0][1]},
		Spam: metrics.ByVerdict{Ham: confusion[1][0], Spam: confusion[1][1]},
	}
	if got != want || got.Ham.Messages()+got.Spam.Messages() != r.Test.Messages || r.Test.Messages == 0 {
		t.Errorf("got %+v, want %+v of %d messages", got, want, r.Test.Messages)
	}
}

func TestVerdictsAgreeWithClassify(t *testing.T) {
	source := corpustest.Mailbox(5, 60, "ham", "spam")
	f, _ := fit(t, collect(t, corpustest.Mailbox(6, 60, "ham", "spam"), DefaultCollectOptions(), "ham", "spam"), "multinomial")
	c := collect(t, source, DefaultCollectOptions(), "ham", "spam")
	got := *Score(f.Linear(), c.DatasetFor(f, 0).Subset(c.InPart(corpus.Test))).Margins().Verdicts(*f.Settings().Thresholds)
	inTest := c.Origins(corpus.Test)
	given := make(map[string]int)
	for item, raw := range corpustest.Each(t, source) {
		if slices.Contains(inTest, item.Origin) {
			given[item.Label+" called "+string(f.Classify(raw).Verdict)]++
		}
	}
	want := metrics.VerdictCounts{
		Ham:  metrics.ByVerdict{Ham: given["ham called ham"], Unsure: given["ham called unsure"], Spam: given["ham called spam"]},
		Spam: metrics.ByVerdict{Ham: given["spam called ham"], Unsure: given["spam called unsure"], Spam: given["spam called spam"]},
	}
	if got != want || got.Ham.Messages() == 0 || got.Spam.Spam == 0 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
