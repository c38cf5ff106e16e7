package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/indices"
	"chaff/metrics"
	"chaff/models"
	"chaff/test/corpustest"
	"chaff/test/modelstest"
)

func refit(t testing.TB, c *Collection, model string, o Options) (*filter.Filter, Refitted, Trained) {
	t.Helper()
	measured, err := Fit(context.Background(), c, model, o)
	if err != nil {
		t.Fatal(err)
	}
	saved, refitted, err := c.Refit(context.Background(), measured, o)
	if err != nil {
		t.Fatal(err)
	}
	return saved, refitted, measured
}

// outOfFoldScores returns the scores that Refit uses.
func outOfFoldScores(t *testing.T, c *Collection, model string) Scores {
	t.Helper()
	_, _, measured := refit(t, c, model, DefaultOptions())
	trainer, kind, err := models.DefaultOptions().New(model, c.Options.Seed)
	if err != nil {
		t.Fatal(err)
	}
	scores := Scores{Classes: len(c.Classes)}
	scores.Append(measured.Development)
	scores.Append(measured.Test)
	d := undivided(t, c).Dataset(corpus.Train, kind)
	for _, fold := range c.trainingFolds() {
		outOfFold, err := DefaultOptions().scoreFold(context.Background(), trainer, d, fold)
		if err != nil {
			t.Fatal(err)
		}
		scores.Append(outOfFold)
	}
	return scores
}

// undivided returns c with all documents in the training part.
func undivided(t *testing.T, c *Collection) *Collection {
	t.Helper()
	members := c.Members()
	for i := range members {
		members[i].Part = corpus.Train
	}
	all, err := c.Select(members)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// divisionsOfMail returns options that lead to different out-of-fold scores, by name.
func divisionsOfMail() map[string]CollectOptions {
	all := make(map[string]CollectOptions)
	for _, method := range []string{corpus.SplitGrouped, corpus.SplitByHash, corpus.SplitByTime} {
		for _, training := range []float64{0.6, 0.9, 1} {
			o := DefaultCollectOptions()
			o.Split.Method = method
			o.Split.Train, o.Split.Development, o.Split.Test = training, (1-training)/2, (1-training)/2
			all[fmt.Sprintf("%s, %v for training", method, training)] = o
		}
	}
	return all
}

// The memoriser recognises only the spam it was fitted to, so it misses all spam unless it was fitted to the message that it scores.
func TestNoMessageInfluencesItsOwnScore(t *testing.T) {
	for name, o := range divisionsOfMail() {
		t.Run(name, func(t *testing.T) {
			c := collect(t, corpus.Concat(corpustest.Mailbox(3, 40, "ham"), corpustest.Mailbox(4, 30, "spam")), o, "ham", "spam")
			made := outOfFoldScores(t, c, "memoriser")
			if len(made.Labels) != 70 {
				t.Errorf("%d messages have a score, want 70", len(made.Labels))
			}
			spam := 0
			for i, label := range made.Labels {
				if label == filter.SpamClass {
					spam++
				}
				if made.Predictions[i] == filter.SpamClass {
					t.Errorf("message %d is scored by a model fitted to it", i)
				}
			}
			if spam != 30 {
				t.Errorf("%d messages are spam, want 30", spam)
			}
		})
	}
}

func TestNearDuplicatesDoNotInfluenceEachOthersScores(t *testing.T) {
	o := DefaultCollectOptions()
	o.Split.Train, o.Split.Development, o.Split.Test = 0.9, 0.05, 0.05
	c := collect(t, corpustest.Campaigns(60, 4), o, "ham", "spam")
	folds := c.trainingFolds()
	if len(folds) != 2 || len(folds[0]) == 0 || len(folds[1]) == 0 {
		t.Fatalf("%d folds, want 2 that are not empty", len(folds))
	}
	for at, fold := range folds {
		for _, i := range fold {
			for j := range c.documents {
				if c.groups[i] == c.groups[j] && !slices.Contains(fold, j) {
					t.Errorf("%s is in fold %d, its near-duplicate %s is not", c.Item(i).Origin, at, c.Item(j).Origin)
				}
			}
		}
	}
}

func TestRefitFitsAllTheMail(t *testing.T) {
	c := collect(t, corpustest.Mailbox(5, 80, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	for _, model := range []string{"softmax", "bernoulli", "memoriser"} {
		f, r, measured := refit(t, c, model, DefaultOptions())
		if r.Messages != 160 || r.OutOfFold != 160 {
			t.Errorf("%s: fitted to %d messages, with %d scores, want 160 of both", model, r.Messages, r.OutOfFold)
		}
		if r.Terms <= measured.Result.Terms || r.Terms != f.Vocabulary().Len() {
			t.Errorf("%s: %d terms, of the training part %d", model, r.Terms, measured.Result.Terms)
		}
		want, _ := fit(t, undivided(t, c), model)
		if !slices.Equal(f.Linear().Weights, want.Linear().Weights) || !slices.Equal(f.Linear().Bias, want.Linear().Bias) {
			t.Errorf("%s: the weights differ from those of a model of all the mail", model)
		}
	}
}

func TestRefitDoesNotChangeTheMeasuredModel(t *testing.T) {
	c := collect(t, corpustest.Mailbox(5, 50, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	measured, err := Fit(context.Background(), c, "softmax", DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	f := measured.Filter
	before := encode(t, f)
	saved, _, err := c.Refit(context.Background(), measured, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(before, encode(t, f)) {
		t.Error("the model of the training part has other bytes after refitting")
	}
	again, _ := fit(t, c, "softmax")
	if !slices.Equal(before, encode(t, again)) {
		t.Error("the collection gives another model after refitting")
	}
	if strings.Contains(string(before), "fitted_to") {
		t.Error("the model of the training part says that it is fitted to all the mail")
	}
	p, err := ProvenanceOf(saved)
	if err != nil {
		t.Fatal(err)
	}
	if p.FittedTo != 100 || p.OutOfFold != 100 || p.Corpus.Train != c.Summary().Train || p.Corpus.Test != c.Summary().Test ||
		p.Test.Accuracy != measured.Result.Test.Accuracy || p.Corpus.Terms != saved.Vocabulary().Len() {
		t.Errorf("provenance %+v", p)
	}
}

func TestWorkersChangeNoByteOfAModel(t *testing.T) {
	for name, o := range divisionsOfMail() {
		var want [2][]byte // the model of the training part and that of all the mail
		for _, workers := range []int{1, 8} {
			o.Workers = workers
			refitted, _, measured := refit(t, collect(t, corpustest.Mailbox(5, 50, "ham", "spam"), o, "ham", "spam"), "softmax", DefaultOptions())
			got := [2][]byte{encode(t, measured.Filter), encode(t, refitted)}
			if workers == 1 {
				want = got
			}
			if !bytes.Equal(got[0], want[0]) || !bytes.Equal(got[1], want[1]) {
				t.Errorf("%s: %d workers give another model than one", name, workers)
			}
		}
	}
}

func TestThresholdsAndCalibrationComeFromOutOfFoldScores(t *testing.T) {
	o := DefaultOptions()
	c := collect(t, corpustest.Mailbox(9, 200, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	f, r, _ := refit(t, c, "softmax", o)
	choose := func(s Scores) (metrics.Thresholds, metrics.Calibration) {
		thresholds, _ := metrics.ChooseThresholds(s.Margins(), metrics.Scale{}, o.Thresholds)
		calibration, _ := metrics.Calibrate(s.Labels, s.Scores, 2)
		return thresholds, calibration
	}
	scores := outOfFoldScores(t, c, "softmax")
	thresholds, calibration := choose(scores)
	if *r.Thresholds != thresholds || !reflect.DeepEqual(r.Calibration, calibration) {
		t.Errorf("got %v, %v, want %v, %v", *r.Thresholds, r.Calibration, thresholds, calibration)
	}
	want := o.Thresholds.Promise(thresholds, scores.Margins())
	if p, err := ProvenanceOf(f); err != nil || want == nil || !reflect.DeepEqual(r.Promise, want) || !reflect.DeepEqual(p.Promise, want) {
		t.Errorf("promise %+v, want %+v in the result and in the model", r.Promise, want)
	}
	if v := r.Verdicts; v.Ham.Messages() != 200 || v.Spam.Messages() != 200 || v.Ham.Spam != 0 {
		t.Errorf("verdicts %+v: want those of all 400 messages, and no ham lost", v)
	}
	if own, _ := choose(Score(f.Linear(), undivided(t, c).Dataset(corpus.Train, f.Kind()))); own == thresholds {
		t.Error("scores on the training mail give the same thresholds: the test proves nothing")
	}
}

// Thousands of reports of one program among the ham must not make spam of other ham, and a campaign in the junk must not make all mail unsure.
func TestNearDuplicatesMoveNoThresholdOfVotes(t *testing.T) {
	letters := corpustest.Mailbox(9, 80, "ham", "spam")
	thresholds := func(source corpus.Source) metrics.Thresholds {
		_, r, _ := refit(t, collect(t, source, DefaultCollectOptions(), "ham", "spam"), "votes", DefaultOptions())
		return *r.Thresholds
	}
	without := thresholds(letters)
	for _, label := range []string{"ham", "spam"} {
		var reports [][2]string
		for n := range 800 {
			reports = append(reports, [2]string{label, fmt.Sprintf("Subject: report\n\nthe nightly copy of all volumes has ended without any error, number %d\n", n)})
		}
		got := thresholds(corpus.Concat(letters, corpustest.Messages(reports...)))
		if got.Spam < without.Spam-0.2 || math.Abs(got.Unsure-without.Unsure) > 0.2 {
			t.Errorf("with near-duplicates of %s the thresholds are %v, without them %v", label, got, without)
		}
		if label == "ham" && got.Spam > without.Spam+0.2 {
			t.Errorf("with near-duplicates of ham less is called spam: above %v, without them above %v", got.Spam, without.Spam)
		}
	}
	if got := ScaleOf(nil, []int32{0, 0, 0, 1}, []int32{0, 1}); got != (metrics.Scale{Ham: 1}) {
		t.Errorf("of a ham and two near-duplicates of it a model without log odds has learned %+v", got)
	}
}

// A class whose messages are all near-duplicates of the other class still has one.
func TestNearDuplicatesCountOnceInEachClass(t *testing.T) {
	var reports [][2]string
	for n := range 10 {
		reports = append(reports, [2]string{[]string{"ham", "spam"}[n%2], fmt.Sprintf("Subject: report\n\nthe nightly copy of all volumes has ended without any error, number %d\n", n)})
	}
	c := collect(t, corpustest.Messages(reports...), DefaultCollectOptions(), "ham", "spam")
	for _, some := range [][]int{c.All(), {2, 3, 4}} {
		if got := c.firsts(some); len(got) != 2 || c.summary.Groups != 1 {
			t.Errorf("of %d messages of one group and two classes %v stand for the others", len(some), got)
		}
	}
}

func TestTheCheapestThresholdsAreThoseForAllMessages(t *testing.T) {
	o := DefaultOptions()
	o.Thresholds.Costs = "10:1:0.2"
	c := collect(t, corpus.Concat(corpustest.Mailbox(9, 80, "ham", "spam"), corpustest.Campaigns(20, 8)), DefaultCollectOptions(), "ham", "spam")
	_, r, _ := refit(t, c, "softmax", o)
	margins := outOfFoldScores(t, c, "softmax").Margins()
	want, _ := metrics.ChooseThresholds(margins, metrics.Scale{}, o.Thresholds)
	if *r.Thresholds != want {
		t.Errorf("got %v, want %v", *r.Thresholds, want)
	}
}

// before is a model of an earlier program.
type before struct{ metrics.Thresholds }

func (b before) Settings() filter.Settings { return filter.Settings{Thresholds: &b.Thresholds} }

func (before) Provenance() (json.RawMessage, error) {
	return json.RawMessage(`{"promise": {"ham": 200, "ham_lost": 1.5}}`), nil
}

func TestWhatCallsNothingSpamPromisesNothing(t *testing.T) {
	for spam, promises := range map[float64]bool{4: true, metrics.Beyond: false} {
		if p, err := ProvenanceOf(before{metrics.Thresholds{Spam: spam}}); err != nil || (p.Promise != nil) != promises {
			t.Errorf("above %v: %+v, %v", spam, p.Promise, err)
		}
	}
}

func TestManyClassesAreCalibratedOnOutOfFoldScores(t *testing.T) {
	classes := []string{"golang", "rowing", "garden"}
	c := collect(t, corpustest.Mailbox(7, 60, classes...), DefaultCollectOptions(), classes...)
	f, r, _ := refit(t, c, "multinomial", DefaultOptions())
	if r.Thresholds != nil || len(r.Calibration.Offsets) != 3 || r.Calibration.Slope <= 0 || r.OutOfFold != 180 {
		t.Errorf("%+v", r)
	}
	again, err := filter.Open(saved(t, f))
	if err != nil {
		t.Fatal(err)
	}
	if v := again.Classify([]byte("\nrowinga rowingb rowingc rowingd")); v.Class != "rowing" || v.Probability < 0.5 {
		t.Errorf("a message of rowing's words: %+v", v)
	}
}

func TestRefitWarnsOfMessagesWithoutAScore(t *testing.T) {
	// All messages are for training, and one of them is spam: a model without it has one class.
	o := DefaultCollectOptions()
	o.Split.Train, o.Split.Development, o.Split.Test = 1, 0, 0
	c := collect(t, corpus.Concat(corpustest.Mailbox(5, 30, "ham"), corpustest.Mailbox(6, 1, "spam")), o, "ham", "spam")
	_, r, _ := refit(t, c, "multinomial", DefaultOptions())
	if r.OutOfFold == 0 || r.OutOfFold >= 31 {
		t.Fatalf("%d messages have a score", r.OutOfFold)
	}
	want := fmt.Sprintf("the thresholds are chosen without %d of 31 messages: a class would have none left to learn from", 31-r.OutOfFold)
	if !slices.Contains(r.Warnings, want) {
		t.Errorf("warnings %q, want %q among them", r.Warnings, want)
	}
}

func TestEveryModelIsRefitted(t *testing.T) {
	two := collect(t, corpustest.Mailbox(1, 60, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	classes := []string{"golang", "rowing", "garden", "poetry"}
	four := collect(t, corpustest.Mailbox(7, 30, classes...), DefaultCollectOptions(), classes...)
	modelstest.EachModel(t, func(t *testing.T, model string) {
		f, r, measured := refit(t, two, model, DefaultOptions())
		again, err := filter.Open(saved(t, f))
		if err != nil {
			t.Fatal(err)
		}
		checkLearner(t, f, measured, two.Mail)
		if r.OutOfFold != 120 || r.Promise == nil || r.Promise.Ham != 60 || again.Settings().Thresholds.Spam != r.Thresholds.Spam {
			t.Errorf("%+v", r)
		}
		if _, r, _ = refit(t, four, model, DefaultOptions()); r.OutOfFold != 120 || r.Promise != nil || r.Calibration.Validate(4) != nil {
			t.Errorf("of four classes: %+v", r)
		}
		if slices.Contains(baselines(), model) {
			return
		}
		if v := again.Classify([]byte("Subject: hello\n\nspama spamb spamc spamd spame spamf")); v.Class != "spam" {
			t.Errorf("a message of spam's words: %+v", v)
		}
	})
}

// checkLearner checks that the file of a filter of all the mail has the learner of its model, if that can learn on, and that of a part has none.
func checkLearner(t *testing.T, f *filter.Filter, measured Trained, mail *Mail) {
	t.Helper()
	if measured.Result.Learned != nil {
		t.Error("the result of the training part keeps its learner")
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "model"))
	if err == nil {
		_, err = f.SaveTo(file, true)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	one, err := filter.OpenToLearn(file.Name())
	if err == nil {
		defer one.Close()
		err = one.Know(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, _, errOnline := models.DefaultOptions().NewOnline(measured.Result.Model, f.Settings().Classes)
	if one.Learns() != (errOnline == nil) {
		t.Errorf("the model cannot learn on (%v), and its file learns: %v", errOnline, one.Learns())
	}
	for i := 0; i < mail.Len() && one.Learns(); i++ {
		doc := mail.Documents().Document(mail.Entry(i).Terms)
		p, err := one.Partial(&doc, nil, 0)
		if got, want := p.Verdict.Score, f.ClassifyDocument(doc).Score; err != nil || math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
			t.Fatalf("message %d has the score %v by the learner, %v by the filter; %v", i, got, want, err)
		}
	}
}

func TestWrongLabelsAreDoubtedUntilTheyAreConfirmed(t *testing.T) {
	o := DefaultCollectOptions()
	o.Split.Method = corpus.SplitByHash
	c := collect(t, corpustest.Mailbox(5, 80, "ham", "spam"), o, "ham", "spam")
	members := c.Members()
	for _, i := range []int{3, 30, 100} {
		members[i].Label = 1 - members[i].Label
	}
	mail, err := c.Mail.Select(members)
	if err != nil {
		t.Fatal(err)
	}
	doubtful := func(confirmed ...int) (messages []int) {
		entries := mail.Entries()
		for _, i := range confirmed {
			entries[i].Confirmed = true
		}
		o.Split.Method = corpus.SplitByHash
		c, err := NewMail(mail.Classes, mail.Documents(), entries).Divide(o)
		if err != nil {
			t.Fatal(err)
		}
		f, refitted, _ := refit(t, c, "votes", DefaultOptions())
		if p, err := ProvenanceOf(f); err != nil || len(p.Typical) != 4 || p.Typical[1] <= 0 || p.Verdicts == nil {
			t.Errorf("the model has the typical margins %v, %v", p.Typical, err)
		}
		for _, d := range refitted.Doubts {
			messages = append(messages, d.Message)
		}
		slices.Sort(messages)
		return messages
	}
	if got := doubtful(); !slices.Equal(got, []int{3, 30, 100}) {
		t.Errorf("messages %v are doubtful, want 3, 30 and 100", got)
	}
	if got := doubtful(30); slices.Contains(got, 30) {
		t.Errorf("messages %v are doubtful, and 30 is confirmed", got)
	}
}

// TestALearnerScoresWhatItHasForgotten compares the scores of naive Bayes with those of models that were trained without each document.
func TestALearnerScoresWhatItHasForgotten(t *testing.T) {
	o := DefaultCollectOptions()
	o.Undivided = true
	c := collect(t, corpustest.Mailbox(3, 30, "ham", "spam"), o, "ham", "spam")
	trainer, kind, err := DefaultOptions().Models.New("multinomial", 1)
	if err != nil {
		t.Fatal(err)
	}
	trained := func(d *features.Dataset) (*models.Linear, models.Report) {
		linear, report, err := trainer.Train(t.Context(), d, models.EpochOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return linear, report
	}
	d := c.Dataset(corpus.Train, kind)
	linear, report := trained(d)
	got := scoreLearned(linear, report.Learned, d)
	for i := range d.Len() {
		others := slices.DeleteFunc(indices.Below[int](d.Len()), func(j int) bool { return j == i })
		without, _ := trained(d.Subset(others))
		want := without.Scores(nil, d.Row(i))
		if margin := got.Row(i)[1] - got.Row(i)[0]; math.Abs(margin-(want[1]-want[0])) > 1e-3*max(1, math.Abs(margin)) {
			t.Errorf("document %d: got %v, want %v", i, got.Row(i), want)
		}
		if want := int32(models.Argmax(got.Row(i))); got.Predictions[i] != want {
			t.Errorf("document %d: predicted %d, want %d", i, got.Predictions[i], want)
		}
	}
}
