package filter

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/features"
)

// mailbox makes a corpus of n messages for each class. Each class has words of its own beside words that all share.
func mailbox(seed uint64, n int, classes ...string) corpus.Source {
	rng := rand.New(rand.NewPCG(seed, 0))
	fsys := fstest.MapFS{}
	for c, class := range classes {
		for i := range n {
			var words []string
			for range 20 + rng.IntN(30) {
				word := fmt.Sprintf("shared%c", 'a'+rng.IntN(26))
				if rng.IntN(4) == 0 {
					word = fmt.Sprintf("%s%c", class, 'a'+rng.IntN(26))
				} else if rng.IntN(8) == 0 {
					word = fmt.Sprintf("%s%c", classes[(c+1)%len(classes)], 'a'+rng.IntN(26))
				}
				words = append(words, word)
			}
			text := fmt.Sprintf("From: someone%d@%s.example\nSubject: about %s\n\n%s\n", i, class, words[0], strings.Join(words, " "))
			fsys[fmt.Sprintf("%s/%04d.eml", class, i)] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	var opened []corpus.Source
	for _, class := range classes {
		opened = append(opened, sources.FromFS(fsys, class, class))
	}
	return corpus.Concat(opened...)
}

// messages makes a source of messages given by label and text.
func messages(labelled ...[2]string) corpus.Source {
	var opened []corpus.Source
	for i, m := range labelled {
		fsys := fstest.MapFS{fmt.Sprintf("m/%d.eml", i): &fstest.MapFile{Data: []byte(m[1])}}
		opened = append(opened, sources.FromFS(fsys, "m", m[0]))
	}
	return corpus.Concat(opened...)
}

func collect(t testing.TB, source corpus.Source, o CollectOptions, classes ...string) *Collection {
	t.Helper()
	c, err := Collect(context.Background(), source, classes, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func train(t testing.TB, c *Collection, model string) (*Filter, Result) {
	t.Helper()
	f, r, err := Train(context.Background(), c, model, DefaultTrainOptions())
	if err != nil {
		t.Fatal(err)
	}
	return f, r
}

func spamFilter(t testing.TB) *Filter {
	t.Helper()
	f, _ := train(t, collect(t, mailbox(1, 60, "ham", "spam"), DefaultCollectOptions(), "ham", "spam"), "multinomial")
	return f
}

func encode(t testing.TB, f *Filter) []byte {
	t.Helper()
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAFilterLearnsToTellSpam(t *testing.T) {
	c := collect(t, mailbox(1, 100, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	for _, model := range []string{"bernoulli", "multinomial", "hybrid"} {
		f, r := train(t, c, model)
		if r.Test.Accuracy < 90 { // of words drawn by chance, pairs are noise
			t.Errorf("%s: test accuracy %.1f%%, want at least 90%%", model, r.Test.Accuracy)
		}
		v := f.Classify([]byte("Subject: hello\n\nspama spamb spamc spamd spame spamf"))
		if v.Class != "spam" || v.Score <= 0 || v.Probability <= 0.5 {
			t.Errorf("%s: a message of spam's words: %+v", model, v)
		}
		v = f.Classify([]byte("Subject: hello\n\nhama hamb hamc hamd hame hamf"))
		if v.Class != "ham" || v.Score > 0 || v.Decision == Spam {
			t.Errorf("%s: a message of ham's words: %+v", model, v)
		}
	}
}

// TestTrainingAndClassificationSeeTheSameVector holds the two ways of one e-mail together.
func TestTrainingAndClassificationSeeTheSameVector(t *testing.T) {
	source := mailbox(3, 20, "ham", "spam")
	c := collect(t, source, DefaultCollectOptions(), "ham", "spam")
	f, _ := train(t, c, "multinomial")
	rows := map[string]features.Vector{}
	for _, part := range []corpus.Part{corpus.Train, corpus.Development, corpus.Test} {
		d := c.Dataset(part, f.kind)
		for i, origin := range c.Origins(part) {
			rows[origin] = d.Row(i)
		}
	}
	compared := 0
	r := f.newReader()
	for item, err := range source {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := item.Read(nil)
		if err != nil {
			t.Fatal(err)
		}
		document, _ := r.document(raw)
		got := new(features.Lookup).AppendVector(features.Vector{}, f.vocabulary, document, f.kind)
		if diff := cmp.Diff(rows[item.Origin], got); diff != "" {
			t.Errorf("%s (-training +classification):\n%s", item.Origin, diff)
		}
		compared++
	}
	if compared != 40 {
		t.Errorf("compared %d messages, want 40", compared)
	}
}

func TestWorkersChangeNoByteOfTheModel(t *testing.T) {
	for _, method := range []string{corpus.SplitGrouped, corpus.SplitByHash, corpus.SplitByTime} {
		var first []byte
		for _, workers := range []int{1, 2, 8} {
			o := DefaultCollectOptions()
			o.Workers = workers
			o.Split.Method = method
			f, _ := train(t, collect(t, mailbox(5, 50, "ham", "spam"), o, "ham", "spam"), "bernoulli")
			data := encode(t, f)
			if first == nil {
				first = data
			}
			if !slices.Equal(data, first) {
				t.Errorf("split by %s: the model of %d workers differs from that of one", method, workers)
			}
		}
	}
}

func TestManyClassesWorkTheWholeWay(t *testing.T) {
	classes := []string{"golang", "rowing", "garden"}
	c := collect(t, mailbox(7, 60, classes...), DefaultCollectOptions(), classes...)
	f, r := train(t, c, "multinomial")
	if r.Test.Accuracy < 90 {
		t.Errorf("test accuracy %.1f%%, want at least 90%%", r.Test.Accuracy)
	}
	if r.Thresholds != nil || r.Test.HM != nil {
		t.Error("a filter for three classes has figures of a spam filter")
	}
	again, err := Decode(encode(t, f))
	if err != nil {
		t.Fatal(err)
	}
	v := again.Classify([]byte("\nrowinga rowingb rowingc rowingd"))
	if v.Class != "rowing" || v.Decision != "rowing" || v.Score <= 0 || v.Probability <= 0.5 {
		t.Errorf("a message of rowing's words: %+v", v)
	}
	strongest, err := again.Strongest(3)
	if err != nil || len(strongest) != 3 || !strings.Contains(strongest[1][0].Term, "rowing") {
		t.Errorf("strongest terms of rowing: %v, %v", strongest, err)
	}
}

func TestTheScoreOfAClassIsItsLogOdds(t *testing.T) {
	// With scores 1, 2, 0.5 the softmax probability of the second class is e^2 / (e + e^2 + e^0.5).
	scores := []float64{1, 2, 0.5}
	p := math.Exp(2) / (math.E + math.Exp(2) + math.Exp(0.5))
	if got, want := scores[1]-logSumExpExcept(scores, 1), math.Log(p/(1-p)); math.Abs(got-want) > 1e-12 {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := logSumExpExcept([]float64{0, 1e5, 1e5}, 0); math.IsInf(got, 0) || math.IsNaN(got) {
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

func TestAModelDoesNotTellWhereItsMailLay(t *testing.T) {
	gone := func(yield func(corpus.Item, error) bool) {
		yield(corpus.Item{Origin: "/home/ann/gone.eml", Label: "ham"}, errors.New("read /home/ann/gone.eml: no such file"))
	}
	c := collect(t, corpus.Concat(mailbox(1, 20, "ham", "spam"), gone), DefaultCollectOptions(), "ham", "spam")
	if s := c.Summary(); len(s.Problems) != 1 {
		t.Fatalf("problems %q, want one", s.Problems)
	}
	f, _ := train(t, c, "multinomial")
	if data := string(encode(t, f)); strings.Contains(data, "/home/ann") || strings.Contains(data, "0001.eml") {
		t.Error("the model has the path of a message")
	}
	if got := f.provenance.Corpus.Unreadable; got != 1 {
		t.Errorf("the model knows of %d unreadable messages, want 1", got)
	}
}

func TestAFilterServesManyGoroutines(t *testing.T) {
	f := spamFilter(t)
	raws := [][]byte{[]byte("\nspama spamb"), []byte("\nhama hamb"), []byte("Subject: sharedc\n\nsharedd")}
	want := make([]Verdict, len(raws))
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

func TestWhatMakesTrainingImpossible(t *testing.T) {
	ham := [2]string{"ham", "Subject: a\n\none"}
	problem := func(yield func(corpus.Item, error) bool) {
		yield(corpus.Item{Origin: "gone.eml", Label: "ham"}, errors.New("gone.eml: no such file"))
	}
	tests := []struct {
		name   string
		source corpus.Source
		want   error
		text   string
	}{
		{"no messages", messages(), ErrNoMail, "no messages: 0 found, 0 of them unreadable"},
		{"only unreadable messages", problem, ErrNoMail, "no messages: 1 found, 1 of them unreadable"},
		{"one class", messages(ham), ErrOneClass, "all 1 messages are ham: a classifier needs messages of at least two classes"},
		{"an unknown label", messages([2]string{"eggs", "x"}), ErrNoMail, "no messages: 1 found, 1 of them unreadable"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Collect(context.Background(), tt.source, []string{"ham", "spam"}, DefaultCollectOptions())
			if !errors.Is(err, tt.want) || err.Error() != tt.text {
				t.Errorf("got %v, want %s", err, tt.text)
			}
		})
	}
}

func TestACancelledContextStopsTheWork(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Collect(ctx, mailbox(1, 5, "ham", "spam"), []string{"ham", "spam"}, DefaultCollectOptions()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestEveryMessageIsCountedOnceOrSaidToBeLeftOut(t *testing.T) {
	text := "From: a@b.example\nSubject: offer\n\nthe same\n"
	source := messages(
		[2]string{"ham", text},
		[2]string{"ham", "Received: by mx.example; Mon, 1 Jan 2024 00:00:00 +0000\n" + text},
		[2]string{"spam", text},
		[2]string{"spam", "Subject: other\nno colon here\n\nanother\n"},
		[2]string{"eggs", "Subject: odd\n\nodd\n"},
	)
	c := collect(t, source, DefaultCollectOptions(), "ham", "spam")
	s := c.Summary()
	if s.Listed != 5 || s.Used != 2 || s.Duplicates != 2 || s.Conflicts != 1 || s.Unreadable != 1 || len(s.Problems) != 1 {
		t.Errorf("summary %+v: want 5 listed, 2 used, 2 copies, 1 of another label, 1 left out", s)
	}
	if s.Train+s.Development+s.Test != s.Used {
		t.Errorf("the parts have %d + %d + %d messages of %d", s.Train, s.Development, s.Test, s.Used)
	}
	want := []ClassCount{{"ham", 1}, {"spam", 1}}
	if diff := cmp.Diff(want, s.Classes); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	if s.Mended != 1 || len(s.Repairs) != 1 || s.Repairs[0].Messages != 1 {
		t.Errorf("mended %d, repairs %v: want one message with one repair", s.Mended, s.Repairs)
	}
}

func TestTheVocabularyIsThatOfTheTrainingPart(t *testing.T) {
	c := collect(t, mailbox(11, 50, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	training := map[uint64]bool{}
	documents, _ := c.part(corpus.Train)
	for _, ref := range documents {
		for _, hash := range c.mail.Document(ref).Terms {
			training[hash] = true
		}
	}
	texts := c.words.terms().Texts
	for id, hash := range c.words.index.Vocabulary().Hashes() {
		if !training[hash] {
			t.Errorf("term %q is in no training message", texts[id])
		}
		if (features.Key{}).Hash([]byte(texts[id])) != hash {
			t.Errorf("text %q does not have the hash of its term", texts[id])
		}
	}
	if len(texts) == 0 {
		t.Error("the vocabulary is empty")
	}
}

func TestASplitByTimeTrainsOnTheOldest(t *testing.T) {
	var labelled [][2]string
	for day := 1; day <= 20; day++ {
		label := []string{"ham", "spam"}[day%2]
		labelled = append(labelled, [2]string{label, fmt.Sprintf("Date: %d Mar 2024 10:00:00 +0000\nSubject: day %d\n\nword%d\n", 21-day, day, day)})
	}
	o := DefaultCollectOptions()
	o.Split.Method = corpus.SplitByTime
	c := collect(t, messages(labelled...), o, "ham", "spam")
	for _, origin := range c.Origins(corpus.Test) {
		// The first four of the listing are the newest.
		if !slices.Contains([]string{"m/0.eml", "m/1.eml", "m/2.eml", "m/3.eml"}, origin) {
			t.Errorf("%s is in the test part, and is not among the newest", origin)
		}
	}
	if s := c.Summary(); s.Train != 12 || s.Development != 4 || s.Test != 4 {
		t.Errorf("parts of %d, %d, %d messages: want 12, 4, 4", s.Train, s.Development, s.Test)
	}
}

func TestFiguresOfASavedModelAreThoseOfTraining(t *testing.T) {
	source := mailbox(13, 60, "ham", "spam")
	c := collect(t, source, DefaultCollectOptions(), "ham", "spam")
	f, r := train(t, c, "bernoulli")
	again, err := Decode(encode(t, f))
	if err != nil {
		t.Fatal(err)
	}
	inTest := c.Origins(corpus.Test)
	test := func(yield func(corpus.Item, error) bool) {
		for item, err := range source {
			if slices.Contains(inTest, item.Origin) && !yield(item, err) {
				return
			}
		}
	}
	e, err := again.Evaluate(context.Background(), test, 3, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*r.Test, e.Figures); diff != "" {
		t.Errorf("figures (-training +evaluation):\n%s", diff)
	}
	if diff := cmp.Diff(r.Verdicts, e.Verdicts); diff != "" {
		t.Errorf("verdicts (-training +evaluation):\n%s", diff)
	}
}

func Example() {
	source := mailbox(1, 60, "ham", "spam")
	mail, err := Collect(context.Background(), source, []string{"ham", "spam"}, DefaultCollectOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	f, _, err := Train(context.Background(), mail, "multinomial", DefaultTrainOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Classify([]byte("Subject: spama\n\nspamb spamc spamd")).Class)
	// Output: spam
}
