package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/filter"
	"chaff/internal/logfile"
	"chaff/internal/termkey"
	"chaff/metrics"
	"chaff/models"
	"chaff/test/corpustest"
	"chaff/test/modelstest"
	"chaff/train"
)

// mailOf returns all messages of a source with their labels.
func mailOf(t testing.TB, source corpus.Source) (all []Message) {
	t.Helper()
	for item, err := range source {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := item.Read(nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Message{Raw: raw, Label: item.Label, Way: ByHand})
	}
	return all
}

// trained trains a model on some mail and returns the path of the model, which has a store.
func trained(t testing.TB, model string, source corpus.Source) string {
	t.Helper()
	return trainedWith(t, model, source, train.DefaultCollectOptions())
}

func trainedWith(t testing.TB, model string, source corpus.Source, o train.CollectOptions) string {
	t.Helper()
	c, err := train.Collect(t.Context(), source, []string{"ham", "spam"}, o)
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := train.Fit(t.Context(), c, model, train.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := c.Refit(t.Context(), fitted, train.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := Create(t.Context(), path, c.Mail, f, train.Refitted{}, DefaultOptions(), false); err != nil {
		t.Fatal(err)
	}
	return path
}

// teach teaches messages in another process.
func teach(t *testing.T, path string, all ...Message) error {
	s, err := Open(t.Context(), path, DefaultOptions())
	for _, m := range all {
		if err == nil {
			_, err = s.Learn(m)
		}
	}
	if err != nil {
		return err
	}
	return s.Close()
}

func opened(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func learned(t testing.TB, s *Store, m Message) Outcome {
	t.Helper()
	o, err := s.Learn(m)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// shrunk writes the model and its log anew, however large the log is.
func shrunk(s *Store) error {
	if len(s.tail) > 0 {
		if err := s.fold(); err != nil {
			return err
		}
	}
	l, err := s.read(nil)
	if err == nil {
		err = s.shrink(l)
	}
	return err
}

func retrain(t testing.TB, s *Store) {
	t.Helper()
	if _, err := s.Retrain(t.Context(), nil, RetrainOptions{Workers: 1}); err != nil {
		t.Fatal(err)
	}
}

// fitBeside fits the model again. In the middle of that, if the fit has epochs, it does something else.
func fitBeside(t testing.TB, s *Store, do func()) {
	t.Helper()
	o := RetrainOptions{Workers: 1, Pass: func(int, int) {
		if do != nil {
			do()
			do = nil
		}
	}}
	if _, err := s.Retrain(t.Context(), nil, o); err != nil {
		t.Fatal(err)
	}
}

func contents(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// copyStore copies a model and its store and returns the path of the copy.
func copyStore(t testing.TB, path string, store []byte) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "model")
	if err := errors.Join(os.WriteFile(to, contents(t, path), 0o600), os.WriteFile(to+Suffix, store, 0o600)); err != nil {
		t.Fatal(err)
	}
	return to
}

// numbered returns a message with a number.
func numbered(i int) Message {
	label := []string{"ham", "spam"}[i%2]
	return Message{Raw: fmt.Appendf(nil, "Subject: number %d of %s\n\nword%d and more words of %s\n", i, label, i, label), Label: label, Way: ByHand}
}

// numbers returns the numbers of the messages that the store at path has beside those of the training, by looking for each of the
// first n.
func numbers(t testing.TB, path string, n int) map[int]bool {
	t.Helper()
	v, err := Look(path)
	if err != nil {
		t.Fatal(err)
	}
	has := make(map[int]bool)
	for i := range n {
		if v.ledger.knows(v.Fingerprint(numbered(i).Raw)) {
			has[i] = true
		}
	}
	return has
}

func TestAMessageIsLearnedMovedAndForgotten(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 30, "ham", "spam"))
	s := opened(t, path)
	m := mailOf(t, corpustest.Mailbox(2, 1, "spam"))[0]
	steps := []struct {
		name string
		do   func() (Outcome, error)
		want Outcome
	}{
		{"it is new", func() (Outcome, error) { return s.Learn(m) }, Outcome{What: Learned}},
		{"it is known", func() (Outcome, error) { return s.Learn(m) }, Outcome{What: Known, Before: "spam"}},
		{"with other line ends it is known", func() (Outcome, error) {
			return s.Learn(Message{Raw: bytes.ReplaceAll(m.Raw, []byte("\n"), []byte("\r\n")), Label: "spam"})
		}, Outcome{What: Known, Before: "spam"}},
		{"it moves", func() (Outcome, error) { return s.Learn(Message{Raw: m.Raw, Label: "ham"}) }, Outcome{What: Relabelled, Before: "spam"}},
		{"it is forgotten", func() (Outcome, error) { return s.Forget(m.Raw) }, Outcome{What: Forgotten, Before: "ham"}},
		{"it cannot be forgotten twice", func() (Outcome, error) { return s.Forget(m.Raw) }, Outcome{What: Refused, Reason: NeverKnown}},
		{"it is new again", func() (Outcome, error) { return s.Learn(m) }, Outcome{What: Learned}},
	}
	for _, step := range steps {
		got, err := step.do()
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		got.Class, got.Verdict, got.Score, got.Probability = "", "", 0, 0
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	v, err := Look(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(v.Entries()); n != 61 {
		t.Errorf("%d messages, want 61", n)
	}
}

func TestAMessageThatIsLearnedAgainIsNotForgotten(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 12, "ham", "spam"))
	s := opened(t, path)
	forgotten := func(when string, want int) {
		t.Helper()
		v, err := Look(path)
		noError(t, err)
		defer v.Close()
		if n := v.Status(time.Now()).Forgotten; n != want {
			t.Errorf("%s %d messages are forgotten, want %d", when, n, want)
		}
	}
	both := mailOf(t, corpustest.Mailbox(2, 1, "spam", "ham"))
	for _, m := range both {
		learned(t, s, m)
		_, err := s.Forget(m.Raw)
		noError(t, err)
	}
	forgotten("after both,", 2)
	learned(t, s, both[0])
	forgotten("with one learned again,", 1)
	noError(t, s.fold())
	forgotten("in a new model,", 1)
	retrain(t, s)
	forgotten("after a fit,", 1)
	learned(t, s, both[1])
	forgotten("with the other learned again,", 0)
	noError(t, s.Finish())
	if n, err := Later(path); err != nil || n != 2 {
		t.Errorf("%d were learned later, want 2: %v", n, err)
	}
}

func TestALogGrowsByWhatItNeedsOnly(t *testing.T) {
	modelstest.EachModel(t, func(t *testing.T, model string) {
		path := trained(t, model, corpustest.Mailbox(1, 12, "ham", "spam"))
		s := opened(t, path)
		s.limit = 0
		for i := range 100 {
			learned(t, s, numbered(i))
			if i%5 == 4 {
				_, err := s.Forget(numbered(i - 2).Raw)
				noError(t, err)
			}
		}
		before, err := s.Entries()
		noError(t, err)
		if len(s.tail) != 120 {
			t.Fatalf("a tail of %d records, want 120", len(s.tail))
		}
		noError(t, s.fold())
		l, err := s.read(nil)
		noError(t, err)
		if s.end > 2*l.kept {
			t.Errorf("the log has %d bytes and needs %d", s.end, l.kept)
		}
		if all, err := s.Entries(); err != nil || !slices.EqualFunc(all, before, func(x, y Entry) bool { return x.record() == y.record() }) {
			t.Errorf("%d entries, want the same %d: %v", len(all), len(before), err)
		}
		if err := s.each(s.log.Verify); err != nil {
			t.Error(err)
		}
	})
}

func TestALogThatCannotBeShortenedIsSaidAndLearnsOn(t *testing.T) {
	s := opened(t, trained(t, "votes", corpustest.Mailbox(1, 12, "ham", "spam")))
	s.limit = 0
	for i := range 100 {
		learned(t, s, numbered(i))
	}
	damaged := make([]byte, 1)
	at := s.tail[10].End - 20 // in its document
	_, err1 := s.file.ReadAt(damaged, at)
	damaged[0] ^= 1
	_, err2 := s.file.WriteAt(damaged, at)
	noError(t, errors.Join(err1, err2, s.fold()))
	s.limit = 64
	if err := s.Finish(); s.unfolded != nil || !errors.Is(err, logfile.ErrDamaged) || !strings.Contains(err.Error(), "could not be shortened") {
		t.Errorf("it says %v", err)
	}
	if o := learned(t, s, numbered(100)); o.What != Learned {
		t.Errorf("the next message is %s", o.What)
	}
}

func TestVerifyAndABackupReadAllOfALog(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 12, "ham", "spam"))
	s := opened(t, path)
	learned(t, s, numbered(0))
	noError(t, s.fold()) // so that it has an older checkpoint
	whole, err := os.ReadFile(path + Suffix)
	noError(t, err)
	found := 0
	for at := 0; at < len(whole); at += 97 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		noError(t, os.WriteFile(path+Suffix, damaged, 0o600))
		v, err := Look(path)
		if err == nil {
			err = v.Verify()
			v.Close()
			found++
		}
		if _, err2 := Backup(path, path+".backup"); err == nil || err2 == nil {
			t.Errorf("the damage at byte %d is not found: %v; by a backup: %v", at, err, err2)
		}
	}
	if found == 0 {
		t.Error("Look finds all damage")
	}
}

func TestWhatWasForgottenLeavesNoTrace(t *testing.T) {
	modelstest.EachModel(t, func(t *testing.T, model string) {
		path := trained(t, model, corpustest.Mailbox(1, 12, "ham", "spam"))
		before := contents(t, path)
		s := opened(t, path)
		others := append(mailOf(t, corpustest.Mailbox(2, 5, "spam", "ham")), Message{Raw: []byte("Subject: x\n\nonlyonce"), Label: "ham"})
		for _, m := range others {
			learned(t, s, m)
		}
		for _, m := range others {
			if o, err := s.Forget(m.Raw); err != nil || o.What != Forgotten {
				t.Fatalf("forget: %v, %v", o, err)
			}
		}
		noError(t, s.fold())
		retrain(t, s)
		if !bytes.Equal(contents(t, path), before) {
			t.Error("the model is another one")
		}
		for _, word := range []string{"onlyonc"} {
			if bytes.Contains(contents(t, path+Suffix), []byte(word)) {
				t.Errorf("the log has %q", word)
			}
		}
	})
}

func writeFile(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMailLearnedOneByOneAndFittedGivesTheModelOfAllAtOnce(t *testing.T) {
	modelstest.EachModel(t, func(t *testing.T, model string) {
		all := mailOf(t, corpustest.Mailbox(1, 16, "ham", "spam"))
		var first, rest []Message
		for _, m := range all {
			if (m.Label == "ham") == (len(first) < 16) && len(first) < 24 {
				first = append(first, m)
			} else {
				rest = append(rest, m)
			}
		}
		want := contents(t, trained(t, model, sourceOf(append(first, rest...))))
		path := trained(t, model, sourceOf(first))
		s := opened(t, path)
		for _, m := range rest {
			learned(t, s, m)
		}
		retrain(t, s)
		if !bytes.Equal(contents(t, path), want) {
			t.Error("the models differ")
		}
	})
}

// sourceOf returns a source of messages.
func sourceOf(all []Message) corpus.Source {
	return func(yield func(corpus.Item, error) bool) {
		for _, m := range all {
			if !yield(corpus.Item{Origin: "message", Label: m.Label, Content: content(m.Raw)}, nil) {
				return
			}
		}
	}
}

type content []byte

func (c content) Append(dst []byte) ([]byte, error) { return append(dst, c...), nil }

func TestALogWhoseModelIsLostIsNotBegunAnew(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam"))
	noError(t, os.Remove(path))
	err := Begin(t.Context(), path, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), train.DefaultOptions(), DefaultOptions())
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("a new log beside an old one: %v", err)
	}
	if entries, err := opened(t, path).Entries(); err != nil || len(entries) != 20 {
		t.Errorf("the log has %d messages of 20, %v", len(entries), err)
	}
}

func TestAStoreBeginsWithNothing(t *testing.T) {
	modelstest.EachModel(t, func(t *testing.T, model string) {
		path := filepath.Join(t.TempDir(), "model")
		err := Begin(t.Context(), path, []string{"ham", "spam"}, model, train.DefaultCollectOptions(), train.DefaultOptions(), DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		s := opened(t, path)
		all := mailOf(t, corpustest.Mailbox(1, 10, "ham", "spam"))
		learned(t, s, all[10])
		if spam := learned(t, s, all[11]); spam.Verdict != filter.Unsure || spam.Probability != 0.5 {
			t.Errorf("after one spam another is %s, %v", spam.Verdict, spam.Probability)
		}
		for i := range 10 {
			learned(t, s, all[i])
			learned(t, s, all[i+10])
		}
		ham := learned(t, s, mailOf(t, corpustest.Mailbox(3, 1, "ham"))[0])
		noError(t, s.fold())
		v, err := Look(path)
		if err != nil || len(v.Entries()) != 21 {
			t.Fatalf("after folding: %v", err)
		}
		if p := v.Filter.Settings().Calibration.Probability(ham.Score); p < 0.01 || p > 0.99 {
			t.Errorf("from 21 messages a probability of %v", p)
		}
	})
}

// TestAForgottenMessageTakesNothingFromTermsThatItDidNotCountFor forgets a message of the training that has a rare term, which the vocabulary
// left out and another message brought back.
func TestAForgottenMessageTakesNothingFromTermsThatItDidNotCountFor(t *testing.T) {
	for _, model := range []string{"multinomial", "bernoulli", "votes"} {
		mail := mailOf(t, corpustest.Mailbox(1, 12, "ham", "spam"))
		rare := Message{Raw: []byte("Subject: hama\n\nhamb zzrare"), Label: "ham"}
		o := train.DefaultCollectOptions()
		o.Features.MinDocumentFrequency = 2
		s := opened(t, trainedWith(t, model, sourceOf(append(mail, rare)), o))
		learned(t, s, Message{Raw: []byte("Subject: spama\n\nspamb zzrare"), Label: "spam"})
		if o, err := s.Forget(rare.Raw); err != nil || o.What != Forgotten {
			t.Fatal(o, err)
		}
		after, err := filter.OpenLearned(s.path)
		noError(t, err)
		if v := after.Classify([]byte("Subject: x\n\nzzrare")); math.IsNaN(v.Score) || after.LogErr() != nil {
			t.Errorf("%s: the score is %v: %v", model, v.Score, after.LogErr())
		}
		after.Close()
	}
}

// A slip that is corrected at once must not hold up the mail of its kind until the next fit.
func TestAMessageThatMovedIsJudgedAsIfItHadBeenLearnedRightAtOnce(t *testing.T) {
	for _, model := range []string{"multinomial", "votes"} {
		for _, label := range []string{"ham", "spam"} {
			raw := []byte("From: zeb@quux.example\nSubject: wibble zorbing trip\n\nflurb quonk zaphod grault garply waldo plugh xyzzy")
			score := func(labels ...string) float64 {
				s := opened(t, trained(t, model, corpustest.Mailbox(1, 60, "ham", "spam")))
				for _, l := range labels {
					learned(t, s, Message{Raw: raw, Label: l})
				}
				v, err := s.filter.Classify(raw)
				noError(t, err)
				return v.Score
			}
			other := map[string]string{"ham": "spam", "spam": "ham"}[label]
			unknown, atOnce, moved := score(), score(label), score(other, label)
			if math.Abs(moved-atOnce) > math.Abs(atOnce-unknown)/8 {
				t.Errorf("%s, %s: %.2f, %.2f if it was learned, %.2f if it moved", model, label, unknown, atOnce, moved)
			}
		}
	}
}

func TestAMessageIsLearnedThoughTheModelCannotBeWritten(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 12, "ham", "spam"))
	s := opened(t, path)
	s.limit = 1
	noError(t, os.Rename(path, path+".away"))
	noError(t, os.WriteFile(path, []byte("no model"), 0o600)) // which is not replaced
	for i, raw := range []string{"\nhama one", "\nhama two"} {
		if o := learned(t, s, Message{Raw: []byte(raw), Label: "ham"}); o.What != Learned || s.Finish() == nil {
			t.Errorf("message %d: %v, warning: %v", i, o.What, s.Finish())
		}
		s.locked = time.Time{} // to let others learn it would have to read the model again
	}
	noError(t, os.Rename(path+".away", path))
	learned(t, s, Message{Raw: []byte("\nhama three"), Label: "ham"})
	entries, err := s.Entries()
	if err != nil || len(entries) != 27 || s.Finish() != nil || len(s.tail) != 0 {
		t.Errorf("%d messages, %d records: %v, %v", len(entries), len(s.tail), err, s.Finish())
	}
}

func TestWhoLearnsMuchLetsOthersLearn(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam"))
	s := opened(t, path)
	s.limit = 4
	other := make(chan error)
	go func() {
		beside, err := Open(t.Context(), path, DefaultOptions())
		if err == nil {
			_, err = beside.Learn(numbered(0))
			err = errors.Join(err, beside.Close())
		}
		other <- err
	}()
	n := 1
	for isOver := false; !isOver; n++ {
		select {
		case err := <-other:
			noError(t, err)
			isOver = true
		default:
			learned(t, s, numbered(n))
		}
	}
	noError(t, s.Close())
	if has := numbers(t, path, n-1); len(has) != n-1 {
		t.Errorf("%d messages, want %d", len(has), n-1)
	}
}

func TestMailIsReadAsAModelAsksThatWasTrainedMeanwhile(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam"))
	o := train.DefaultCollectOptions()
	o.Reading.Key = termkey.New([16]byte{1})
	other := trainedWith(t, "multinomial", corpustest.Mailbox(2, 10, "ham", "spam"), o)
	s := opened(t, path)
	s.limit = 1
	learned(t, s, numbered(1))
	replaced := make(chan error)
	go func() {
		_, err := Restore(t.Context(), other+Suffix, path, RetrainOptions{}, true)
		replaced <- err
	}()
	for n, isOver := 2, false; !isOver; n++ {
		select {
		case err := <-replaced:
			noError(t, err)
			isOver = true
		default:
			learned(t, s, numbered(n))
		}
	}
	learned(t, s, numbered(0))
	if v, err := s.Filter().Classify(numbered(0).Raw); err != nil || v.Unknown > 0 {
		t.Errorf("the model does not know %d terms of a message that it has learned, %v", v.Unknown, err)
	}
}

// Nor does another one write the log anew meanwhile, which would make the fit void.
func TestOnlyOneProcessFitsWhatIsDue(t *testing.T) {
	path := trained(t, "votes", corpustest.Mailbox(1, 20, "ham", "spam"))
	s := opened(t, path)
	for i := range 60 { // all spam
		learned(t, s, Message{Raw: numbered(i).Raw, Label: "spam"})
	}
	var beside int
	o := RetrainOptions{Workers: 1, Pass: func(int, int) {
		other := opened(t, path)
		refitted, err := other.FitIfDue(t.Context(), RetrainOptions{}, false)
		noError(t, errors.Join(err, shrunk(other), other.Close()))
		beside = max(beside, refitted.Messages)
	}}
	refitted, err := s.FitIfDue(t.Context(), o, false)
	noError(t, err)
	if refitted.Messages != 100 || beside != 0 {
		t.Errorf("fitted to %d messages, and meanwhile to %d", refitted.Messages, beside)
	}
	if _, err := os.Stat(path + fitSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock of the fit is left: %v", err)
	}
}

func TestTwoWhoCorrectALabelAgree(t *testing.T) {
	path := trained(t, "votes", corpustest.Mailbox(1, 20, "ham", "spam"))
	s := opened(t, path)
	entries, err := s.Entries()
	noError(t, err)
	labels := map[uint64]int{entries[0].Fingerprint: 1 - entries[0].Label}
	correct := sync.OnceFunc(func() {
		other := opened(t, path)
		_, err := other.Retrain(t.Context(), labels, RetrainOptions{})
		noError(t, errors.Join(err, other.Close()))
	})
	_, err = s.Retrain(t.Context(), labels, RetrainOptions{Workers: 1, Pass: func(int, int) { correct() }})
	noError(t, err)
	after, err := s.find(entries[0].Fingerprint)
	noError(t, err)
	if after.Label == entries[0].Label || !after.Confirmed {
		t.Errorf("the label is %d again", after.Label)
	}
}

func TestAModelThatIsLostMeanwhileIsMadeAnew(t *testing.T) {
	path := trained(t, "votes", corpustest.Mailbox(1, 20, "ham", "spam"))
	s := opened(t, path)
	noError(t, os.Remove(path))
	s.locked = time.Time{}
	learned(t, s, numbered(0))
	_, err := s.Retrain(t.Context(), nil, RetrainOptions{Workers: 1, Pass: func(int, int) { os.Remove(path) }})
	noError(t, err)
	s.locked = time.Time{}
	learned(t, s, numbered(1))
	if has := numbers(t, path, 2); len(has) != 2 {
		t.Errorf("%d messages, want 2", len(has))
	}
}

func TestTrainingDropsNoMessageThatWasLearnedMeanwhile(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 12, "ham", "spam"))
	o := train.DefaultCollectOptions()
	c, err := train.Collect(t.Context(), corpustest.Mailbox(2, 12, "ham", "spam"), []string{"ham", "spam"}, o)
	noError(t, err)
	fitted, err := train.Fit(t.Context(), c, "multinomial", train.DefaultOptions())
	noError(t, err)
	f, _, err := c.Refit(t.Context(), fitted, train.DefaultOptions())
	noError(t, err)
	s := opened(t, path)
	learned(t, s, Message{Raw: []byte("\nlearned while the model was trained"), Label: "ham", Way: ByHand})
	noError(t, s.Close())
	before := contents(t, path)
	if err := Create(t.Context(), path, c.Mail, f, train.Refitted{}, DefaultOptions(), false); !errors.Is(err, ErrLearned) || !bytes.Equal(contents(t, path), before) {
		t.Errorf("got %v, want %v and the store as it was", err, ErrLearned)
	}
	noError(t, Create(t.Context(), path, c.Mail, f, train.Refitted{}, DefaultOptions(), true))
	if n, err := Later(path); n != 0 || err != nil {
		t.Errorf("%d messages are left: %v", n, err)
	}
}

func TestWhatWasTaughtByAClockThatWasBehindIsNotDropped(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 12, "ham", "spam"))
	s := opened(t, path)
	s.now = func() time.Time { return time.Unix(1e9, 0) }
	learned(t, s, Message{Raw: []byte("\nlearned in 2001"), Label: "ham", Way: ByHand})
	for _, when := range []string{"at once", "after a fit"} {
		if n, err := Later(path); n != 1 || err != nil {
			t.Errorf("%s: training would drop %d messages, %v; want that it asks about 1", when, n, err)
		}
		if changed := s.Changed(); when == "at once" && changed != 1 {
			t.Errorf("%d changes since the fit", changed)
		}
		retrain(t, s)
	}
}

func TestALimitOfManyYearsKeepsAllMail(t *testing.T) {
	s := opened(t, trained(t, "multinomial", corpustest.Mailbox(1, 12, "ham", "spam")))
	s.options.MaxAge = math.MaxInt
	retrain(t, s)
	if entries, err := s.Entries(); err != nil || len(entries) != 24 {
		t.Errorf("%d messages are left: %v", len(entries), err)
	}
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheTextsOfNewTermsAreKnownAfterTheNextFit(t *testing.T) {
	path := trained(t, "votes", corpustest.Mailbox(1, 20, "ham", "spam"))
	s := opened(t, path)
	for i := range 40 { // more than readers read when nobody learns
		learned(t, s, Message{Raw: fmt.Appendf(nil, "Subject: lute\n\nhama xylophones number%d", i), Label: "spam"})
	}
	f, err := filter.OpenLearned(path)
	noError(t, err)
	_, err = f.Strongest(10)
	noError(t, errors.Join(err, f.LogErr(), f.Close()))
	retrain(t, s)
	if f, err = filter.Open(path); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	terms, err := f.Terms()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"body:xylophon", "subject:lute", "body:number3", "body:number39"} {
		has := false
		for id := range terms.Documents {
			has = has || string(terms.Text(id)) == want
		}
		if !has {
			t.Errorf("the filter does not have the text of %s", want)
		}
	}
}

func TestAModelThatLearnsOnlyByFitsHasAShortTail(t *testing.T) {
	o := train.DefaultCollectOptions()
	c, err := train.Collect(t.Context(), corpustest.Mailbox(1, 12, "ham", "spam"), []string{"ham", "spam"}, o)
	noError(t, err)
	settings := train.DefaultOptions()
	settings.Models.LMS.Method = models.MethodBatch
	fitted, err := train.Fit(t.Context(), c, "lms", settings)
	noError(t, err)
	f, _, err := c.Refit(t.Context(), fitted, settings)
	noError(t, err)
	path := filepath.Join(t.TempDir(), "model")
	noError(t, Create(t.Context(), path, c.Mail, f, train.Refitted{}, DefaultOptions(), false))
	before := contents(t, path)
	s := opened(t, path)
	s.limit = 5
	for i := range 12 {
		if o := learned(t, s, Message{Raw: fmt.Appendf(nil, "\nhama %d", i), Label: "ham"}); o.What != Learned || s.filter.Learns() || len(s.tail) > 4 {
			t.Fatalf("message %d is %s, and there are %d records", i, o.What, len(s.tail))
		}
	}
	noError(t, s.append(logfile.Record{Op: uint8(refuse)}, logfile.Rows{}, make([]byte, maxTailBytes)))
	if len(s.tail) != 0 {
		t.Errorf("%d records behind one of %d bytes", len(s.tail), maxTailBytes)
	}
	s.Close()
	s = opened(t, path)
	if s.Finish() != nil || len(s.tail) != 0 || !bytes.Equal(contents(t, path), before) {
		t.Errorf("%v, %d records", s.Finish(), len(s.tail))
	}
	retrain(t, s)
	if entries, err := s.Entries(); err != nil || len(entries) != 36 || bytes.Equal(contents(t, path), before) {
		t.Errorf("%d messages, %v", len(entries), err)
	}
}

func TestTheOldestMessagesLeave(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 30, "ham", "spam"))
	s := opened(t, path)
	want := mailOf(t, corpustest.Mailbox(2, 4, "ham", "spam"))
	moved := mailOf(t, corpustest.Mailbox(1, 30, "ham", "spam"))[0] // it is the oldest, and new with another label
	want[slices.IndexFunc(want, func(m Message) bool { return m.Label != moved.Label })].Raw = moved.Raw
	s.now = func() time.Time { return time.Now().Add(time.Minute) }
	for _, m := range want {
		if o := learned(t, s, m); o.What == Relabelled != bytes.Equal(m.Raw, moved.Raw) {
			t.Errorf("a message is %s", o.What)
		}
	}
	s.options.MaxMessages = 4 // of each class
	later := time.Now().Add(time.Hour)
	s.now = func() time.Time { return later }
	retrain(t, s)
	v, err := Look(path)
	if err != nil || len(v.Entries()) != 8 || s.Expired() != 59 || s.facts.Options != s.options {
		t.Fatalf("%d messages, %v; want 8; %d left, want 59; options %v", len(v.Entries()), err, s.Expired(), s.facts.Options)
	}
	has := make(map[uint64]bool)
	for _, e := range v.Entries() {
		has[e.Fingerprint] = true
	}
	for _, m := range want {
		if !has[v.Fingerprint(m.Raw)] {
			t.Error("a new message left before an old one")
		}
	}
	if !bytes.Equal(contents(t, path), contents(t, trained(t, "multinomial", sourceOf(want)))) {
		t.Error("the model is not that of the messages that are left")
	}
}

func TestTheDateThatASenderWritesForgetsNothing(t *testing.T) {
	s := opened(t, trained(t, "multinomial", corpustest.Mailbox(1, 4, "ham", "spam")))
	mail := mailOf(t, corpustest.Mailbox(2, 4, "ham", "spam"))
	for i, m := range mail {
		m.Time = time.Unix(int64(i), 0) // 1970
		learned(t, s, m)
	}
	s.options.MaxAge, s.options.MaxMessages = 30, 8
	retrain(t, s)
	for _, m := range mail {
		if e, err := s.find(s.Fingerprint(m.Raw)); e.what != learn || err != nil {
			t.Errorf("a message that was learned just now is gone: %v", err)
		}
	}
	later := time.Now().AddDate(0, 0, 31)
	s.now = func() time.Time { return later }
	learned(t, s, Message{Raw: []byte("\nhama"), Label: "ham"})
	learned(t, s, Message{Raw: []byte("\nspama"), Label: "spam"})
	learned(t, s, Message{Raw: []byte("\nhama hamb"), Label: "ham"})
	learned(t, s, Message{Raw: []byte("\nspama spamb"), Label: "spam"})
	_, err := s.Retrain(t.Context(), nil, RetrainOptions{})
	if entries, e := s.Entries(); e != nil || err == nil && len(entries) != 4 {
		t.Errorf("%d messages are left after 31 days, want the 4 new ones: %v, %v", len(entries), err, e)
	}
}

func TestSpamTakesNoRoomFromHam(t *testing.T) {
	s := opened(t, trained(t, "multinomial", corpustest.Mailbox(1, 6, "ham", "spam")))
	for _, m := range mailOf(t, corpustest.Mailbox(2, 20, "spam")) {
		learned(t, s, m)
	}
	s.options.MaxMessages = 8
	retrain(t, s)
	entries, err := s.Entries()
	noError(t, err)
	var count [2]int
	for _, e := range entries {
		count[e.Label]++
	}
	if count != [2]int{6, 8} {
		t.Errorf("%d ham and %d spam are left, want 6 and 8", count[0], count[1])
	}
}

func TestTwoStoresBecomeOne(t *testing.T) {
	first, second := mailOf(t, corpustest.Mailbox(1, 20, "ham", "spam")), mailOf(t, corpustest.Mailbox(2, 20, "ham", "spam"))
	both := append(slices.Clone(first), second...)
	a, b, out := trained(t, "votes", sourceOf(first)), trained(t, "votes", sourceOf(both[10:])), filepath.Join(t.TempDir(), "out")
	m, err := Merge(t.Context(), []string{a, b}, out, MergeOptions{RetrainOptions: RetrainOptions{Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if m.Messages != 80 || m.Both != 30 || m.Conflicts != 0 {
		t.Errorf("merged %+v; want 80 messages, 30 in both", m)
	}
	if !bytes.Equal(contents(t, out), contents(t, trained(t, "votes", sourceOf(both)))) {
		t.Error("the model is not that of all messages")
	}
	for _, path := range []string{a, b} { // of 20 ham and 20 spam, and of 30 and 40
		s := opened(t, path)
		s.options.MaxMessages = 18
		retrain(t, s)
		s.Close()
	}
	_, err = Merge(t.Context(), []string{a, b}, out+"2", MergeOptions{RetrainOptions: RetrainOptions{Workers: 1}})
	noError(t, err)
	if _, l, err := readAll(out + "2"); err != nil || l.facts.Expired != 4+34 {
		t.Errorf("%d messages had left, want 38: %v", l.facts.Expired, err)
	}
	disturb := sync.OnceFunc(func() { noError(t, teach(t, out, numbered(0))) })
	o := MergeOptions{RetrainOptions: RetrainOptions{Workers: 1, Pass: func(int, int) { disturb() }}}
	if _, err := Merge(t.Context(), []string{a, b}, out, o); !errors.Is(err, ErrLearned) {
		t.Errorf("in the place of a log that has learned meanwhile: %v", err)
	}
	other := trained(t, "multinomial", sourceOf(first))
	if _, err := Merge(t.Context(), []string{a, other}, out, MergeOptions{}); err == nil || !strings.Contains(err.Error(), "the model (votes; multinomial) differs") {
		t.Errorf("stores of two models: %v", err)
	}
}

func TestOnlyOneOfManyBeginsAStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	var began atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			err := Begin(t.Context(), path, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), train.DefaultOptions(), DefaultOptions())
			switch {
			case err == nil:
				began.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := began.Load(); n != 1 {
		t.Errorf("%d began the store", n)
	}
}

func TestFewWrongLabelsDoNotTurnAllMail(t *testing.T) {
	all := mailOf(t, corpustest.Mailbox(1, 150, "ham", "spam"))
	path := trained(t, "votes", sourceOf(all))
	s := opened(t, path)
	for _, m := range all[:8] {
		m.Label = "spam"
		learned(t, s, m)
	}
	f, err := filter.OpenLearned(path)
	if err != nil {
		t.Fatal(err)
	}
	turned := 0
	for _, m := range all[8:150] {
		if f.Classify(m.Raw).Class == "spam" {
			turned++
		}
	}
	if turned > 14 {
		t.Errorf("after 8 ham were learned as spam, %d of 142 others are spam", turned)
	}
}

func TestForgettingOutlastsAFit(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam"))
	s := opened(t, path)
	raw := mailOf(t, corpustest.Mailbox(1, 10, "ham", "spam"))[3].Raw
	if _, err := s.Forget(raw); err != nil {
		t.Fatal(err)
	}
	for _, about := range []string{"before a fit", "after it"} {
		if n, err := Later(path); n != 1 || err != nil {
			t.Errorf("%s: %d changes, %v; want that training would bring a message back", about, n, err)
		}
		_, err := s.Retrain(t.Context(), map[uint64]int{s.Fingerprint(raw): 1}, RetrainOptions{Workers: 1})
		noError(t, err)
		_, l, err := readAll(path)
		if noError(t, err); len(l.entries) != l.learned+1 || l.entries[l.learned].Confirmed {
			t.Errorf("%s: a label of what was forgotten is confirmed", about)
		}
	}
}

func TestSettledLabelsLastAndChangeTheNextFit(t *testing.T) {
	path := trained(t, "votes", corpustest.Mailbox(1, 60, "ham", "spam"))
	other := filepath.Join(t.TempDir(), "other")
	for _, ending := range []string{"", Suffix} {
		if err := os.WriteFile(other+ending, contents(t, path+ending), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := opened(t, path)
	retrain(t, s)
	before := contents(t, path)
	entries, err := s.Entries()
	if err != nil {
		t.Fatal(err)
	}
	right, wrong := entries[3], entries[70]
	if _, err := s.Retrain(t.Context(), map[uint64]int{right.Fingerprint: right.Label, wrong.Fingerprint: 1 - wrong.Label, 1: 0, 2: 1}, RetrainOptions{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(before, contents(t, path)) {
		t.Error("settled labels do not change the fit")
	}
	check := func(when, path string) {
		t.Helper()
		v, err := Look(path)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		confirmed := 0
		for _, e := range v.Entries() {
			want := e.Label
			switch e.Fingerprint {
			case right.Fingerprint:
				want = right.Label
			case wrong.Fingerprint:
				want = 1 - wrong.Label
			}
			if e.Confirmed {
				confirmed++
			}
			if e.Label != want || e.Confirmed && e.Doubt > 0 {
				t.Errorf("%s: label %d, want %d; doubt %d", when, e.Label, want, e.Doubt)
			}
		}
		if status := v.Status(time.Now()); confirmed != 2 || status.Confirmed != 2 {
			t.Errorf("%s: %d labels are confirmed, status says %d, want 2", when, confirmed, status.Confirmed)
		}
	}
	check("at once", path)
	retrain(t, s)
	check("after a fit", path)
	learned(t, s, mailOf(t, corpustest.Mailbox(2, 1, "spam"))[0])
	noError(t, s.fold())
	check("after the model was written anew", path)
	if n, err := Later(path); err != nil || n != 3 {
		t.Errorf("%d messages are to be kept from a new training, %v, want 3", n, err)
	}
	s.Close()
	for _, pair := range [][2]string{{path, other}, {other, path}} {
		out := filepath.Join(t.TempDir(), "both")
		if _, err := Merge(t.Context(), pair[:], out, MergeOptions{RetrainOptions: RetrainOptions{Workers: 1}}); err != nil {
			t.Fatal(err)
		}
		check("after a merge", out)
	}
}

func TestAMailboxThatContradictsTheFilterIsDoubted(t *testing.T) {
	path := trained(t, "votes", corpustest.Mailbox(1, 60, "ham", "spam"))
	s := opened(t, path)
	spam := mailOf(t, corpustest.Mailbox(2, 3, "spam"))
	for i, tt := range []struct {
		label string
		way   Way
		want  bool
	}{{"ham", ByMaildir, true}, {"spam", ByMaildir, false}, {"ham", ByHand, false}} {
		m := spam[i]
		m.Label, m.Way = tt.label, tt.way
		if o := learned(t, s, m); (o.Doubt > 0) != tt.want {
			t.Errorf("%s by way %v: doubt %v", tt.label, tt.way, o.Doubt)
		}
	}
	v, err := Look(path)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if n := v.Status(time.Now()).Doubtful; n != 1 {
		t.Errorf("status counts %d doubtful messages, want 1", n)
	}
}

// A model that learned twenty spam for each ham calls a message ham at scores that are above 0.
func TestAMessageThatIsJudgedHamDoesNotContradictHam(t *testing.T) {
	s := opened(t, trained(t, "multinomial", corpustest.Mailbox(1, 60, "ham", "spam")))
	m := mailOf(t, corpustest.Mailbox(2, 1, "spam"))[0]
	for _, want := range []bool{true, false} {
		if got, err := s.Contradicts(m.Raw, "ham"); err != nil || got != want {
			t.Errorf("with the thresholds %v: %v, %v", *s.filter.Settings().Thresholds, got, err)
		}
		*s.filter.Settings().Thresholds = metrics.Thresholds{Unsure: 1000, Spam: 1000}
	}
}
