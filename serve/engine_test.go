package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chaff/filter"
	"chaff/store"
	"chaff/test/testmain"
	"chaff/train"
)

func TestMain(m *testing.M) {
	testmain.Prepare()
	goleak.VerifyTestMain(m)
}

// testLog is a logger that keeps its lines.
type testLog struct {
	mu  sync.Mutex
	all []string
}

func (l *testLog) Note(format string, args ...any) { l.add("note: "+format, args...) }
func (l *testLog) Warn(format string, args ...any) { l.add("warning: "+format, args...) }

func (l *testLog) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, fmt.Sprintf(format, args...))
}

func (l *testLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}

// mail returns a message of a class, whose words depend on a number, so that no two are near-duplicates.
func mail(label string, n int) []byte {
	words := map[string]string{"spam": "pills casino winner lottery", "ham": "meeting agenda minutes report"}[label]
	own := ""
	for i := range 12 {
		own += fmt.Sprintf(" number%d%c", n, 'a'+i)
	}
	return fmt.Appendf(nil, "From: a%d@%s.example\r\nSubject: %s %d\r\nMessage-ID: <%d@%s>\r\n\r\n%s%s\r\n", n, label, words, n, n, label, words, own)
}

// newModel saves a small model that knows some messages of each class, and returns its path.
func newModel(t testing.TB, messages int) string { return newModelOf(t, "multinomial", messages) }

func newModelOf(t testing.TB, model string, messages int) string {
	t.Helper()
	path, o := filepath.Join(t.TempDir(), "model"), train.DefaultOptions()
	o.Thresholds.HamLost = 1 // so that 20 ham suffice to call anything spam
	if err := store.Begin(t.Context(), path, []string{"ham", "spam"}, model, train.DefaultCollectOptions(), o, store.DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	teach(t, path, 0, messages)
	return path
}

// fittedModel saves a model that is fitted, so that it has verdicts, and returns its path.
func fittedModel(t testing.TB) string {
	t.Helper()
	path := newModel(t, 20)
	s, err := store.Open(t.Context(), path, store.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Retrain(t.Context(), nil, store.RetrainOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// teach teaches a model some messages of each class.
func teach(t testing.TB, path string, first, messages int) {
	t.Helper()
	s, err := store.Open(t.Context(), path, store.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := first; n < first+messages; n++ {
		for _, label := range []string{"ham", "spam"} {
			if _, err := s.Learn(store.Message{Raw: mail(label, n), Label: label}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// start starts an engine that the end of the test closes.
func start(t testing.TB, path string, change func(*Options)) (*Engine, *testLog) {
	t.Helper()
	o := DefaultOptions()
	o.Model = path
	if change != nil {
		change(&o)
	}
	log := &testLog{}
	e, err := New(t.Context(), o, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return e, log
}

func judge(t testing.TB, e *Engine, user string, raw []byte) Verdict {
	t.Helper()
	v, err := e.Judge(t.Context(), Origin{User: user}, raw)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAMessageIsJudgedAsByTheFilter(t *testing.T) {
	path := fittedModel(t)
	e, _ := start(t, path, nil)
	f, err := filter.OpenLearned(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"ham", "spam"} {
		raw := mail(label, 100)
		v := judge(t, e, "", raw)
		if want := f.Classify(raw); v.Classification != want || v.Shared != v.Score || string(v.Verdict) != label {
			t.Errorf("%s: got %+v, want %+v", label, v, want)
		}
		if got, want := string(v.Passed(raw)), string(f.Passed(raw, v.Classification)); got != want {
			t.Errorf("%s: passed on as %q, want %q", label, got, want)
		}
	}
}

func TestTheNextMessageIsJudgedWithWhatWasLearned(t *testing.T) {
	e, _ := start(t, newModel(t, 1), nil)
	raw := mail("ham", 7)
	before := judge(t, e, "", raw).Score
	o, err := e.Learn(t.Context(), Origin{}, raw, "spam")
	if err != nil || o.What != store.Learned {
		t.Fatalf("got %+v, %v", o, err)
	}
	after := judge(t, e, "", raw).Score
	if !(after > before) {
		t.Errorf("the score went from %v to %v", before, after)
	}
	if o, err = e.Forget(t.Context(), Origin{}, raw); err != nil || o.What != store.Forgotten {
		t.Fatalf("got %+v, %v", o, err)
	}
	if got := judge(t, e, "", raw).Score; got != before {
		t.Errorf("after forgetting the score is %v, want %v", got, before)
	}
}

func TestOneReadingOfTheModelIsForAllLessonsBeforeIt(t *testing.T) {
	e, _ := start(t, newModel(t, 20), nil)
	const lessons = 6
	e.learner.reading.Lock() // as while the model is read
	before := e.learner.readings.Load()
	var all sync.WaitGroup
	for n := range lessons {
		all.Go(func() {
			if _, err := e.Learn(t.Context(), Origin{}, mail("spam", 500+n), "spam"); err != nil {
				t.Error(err)
			}
		})
	}
	for taught := 0; taught < lessons; { // all are in the log
		var err error
		if taught, err = store.Later(e.options.Model); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond) // and wait for the model
	e.learner.reading.Unlock()
	all.Wait()
	if n := e.learner.readings.Load() - before; n > 2 { // the engine looks each second, too
		t.Errorf("the model was read %d times", n)
	}
	if f, err := filter.OpenLearned(e.options.Model); err != nil || judge(t, e, "", mail("spam", 1)).Score != f.Classify(mail("spam", 1)).Score {
		t.Errorf("the model in memory is another than in the files (%v)", err)
	}
}

func TestAModelThatChangesUnderLoadLosesNoRequest(t *testing.T) {
	path := newModel(t, 2)
	e, log := start(t, path, nil)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var clients sync.WaitGroup
	failed := make(chan error, 100)
	for c := range 4 {
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if _, err := e.Judge(context.Background(), Origin{}, mail("spam", c*1000+n)); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	for n := range 10 {
		teach(t, path, 10+n, 1)
		if err := e.Reload(); err != nil {
			t.Error(err)
		}
		if _, err := e.Learn(ctx, Origin{}, mail("ham", 500+n), "ham"); err != nil {
			t.Error(err)
		}
	}
	stop()
	clients.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
	if log.String() != "" {
		t.Errorf("log: %s", log)
	}
	if got := e.Counters.Reloads.All()["done"]; got < 20 {
		t.Errorf("%d reloads, want at least 20", got)
	}
}

func TestAClosedEngineRefuses(t *testing.T) {
	e, _ := start(t, newModel(t, 1), nil)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := e.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Judge(t.Context(), Origin{}, mail("ham", 1)); !errors.Is(err, ErrClosed) {
		t.Errorf("judge: got %v", err)
	}
	if _, err := e.Learn(t.Context(), Origin{}, mail("ham", 1), "ham"); !errors.Is(err, ErrClosed) {
		t.Errorf("learn: got %v", err)
	}
}

func TestClosingFinishesWhatWasAccepted(t *testing.T) {
	began, finish := make(chan struct{}, 1), make(chan struct{})
	e, _ := startWith(t, func(raw []byte) {
		began <- struct{}{}
		<-finish
	}, func(*Options) {})
	result, closed := make(chan error), make(chan error)
	go func() {
		_, err := e.Judge(context.Background(), Origin{}, mail("spam", 1))
		result <- err
	}()
	<-began
	go func() { closed <- e.Close(context.Background()) }()
	for !e.closed.Load() {
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-closed:
		t.Fatalf("it closed before the verdict: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	close(finish)
	if err := <-result; err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestClosingWaitsOnlySoLong(t *testing.T) {
	began, finish := make(chan struct{}, 1), make(chan struct{})
	o := DefaultOptions()
	o.Model = newModel(t, 1)
	e, err := open(o, &testLog{})
	if err != nil {
		t.Fatal(err)
	}
	e.judge = func(string, []byte) Verdict {
		began <- struct{}{}
		<-finish
		return Verdict{}
	}
	e.start(t.Context())
	go e.Judge(context.Background(), Origin{}, mail("spam", 1))
	<-began
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := e.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	close(finish)
}

// exchange puts data at path at once, as the daemon looks at its files all the time.
func exchange(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path+".next", data, 0o600), os.Rename(path+".next", path)); err != nil {
		t.Fatal(err)
	}
}

func TestAModelThatCannotBeReadIsReportedOnce(t *testing.T) {
	path := newModel(t, 5)
	e, log := start(t, path, nil)
	want := judge(t, e, "", mail("spam", 50))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	exchange(t, path, whole[:100])
	for range 3 {
		if err := e.Reload(); err == nil {
			t.Error("a damaged model is read")
		}
	}
	if n := strings.Count(log.String(), "going on with the model in memory"); n != 1 {
		t.Errorf("%d warnings, want 1: %s", n, log)
	}
	if got := judge(t, e, "", mail("spam", 50)); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if s, err := e.Status(""); s.Trouble == "" {
		t.Errorf("status %+v, %v", s, err)
	}
	exchange(t, path, whole)
	if err := e.shared.reload(false); err != nil {
		t.Error(err)
	}
	if s, err := e.Status(""); err != nil || s.Trouble != "" || s.Store.Messages != 10 {
		t.Errorf("status %+v, %v", s, err)
	}
}

// The system may have had no more open files: no file changes when it has some again.
func TestALogThatCouldNotBeReadOnceCountsAgain(t *testing.T) {
	path := newModel(t, 1)
	o, warnings := DefaultOptions(), &testLog{}
	o.Model = path
	e, err := open(o, warnings)
	if err != nil {
		t.Fatal(err)
	}
	want := judge(t, e, "", mail("spam", 50)).Score
	log := filter.LogOf(path)
	if err := errors.Join(os.Rename(log, log+".aside"), os.Mkdir(log, 0o700)); err != nil { // which opens, and cannot be read
		t.Fatal(err)
	}
	for range 2 {
		e.shared.reload(true)
	}
	if n := strings.Count(warnings.String(), "judging without what was learned"); n != 1 || judge(t, e, "", mail("spam", 50)).Score == want {
		t.Errorf("%d warnings, want 1, and other scores: %s", n, warnings)
	}
	if err := errors.Join(os.Remove(log), os.Rename(log+".aside", log)); err != nil {
		t.Fatal(err)
	}
	e.shared.files = filesOf(path) // as if it had always been there
	e.shared.trouble.at = time.Time{}
	if err := e.shared.reload(false); err != nil || judge(t, e, "", mail("spam", 50)).Score != want {
		t.Errorf("what was learned does not count: %v, %s", err, warnings)
	}
}

func TestAModelThatAnotherProgramTeachesIsFollowed(t *testing.T) {
	t.Parallel() // it waits
	path := newModel(t, 1)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	e, _ := start(t, link, nil)
	if !e.Learns() {
		t.Error("the log behind the link is not found")
	}
	before := judge(t, e, "", mail("spam", 50))
	teach(t, path, 10, 1)
	for began := time.Now(); judge(t, e, "", mail("spam", 50)).Score == before.Score; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatal("the model in memory stays as it was")
		}
	}
}

func TestAModelIsFittedAgainWhenNothingIsLearnedOrAfterAnHour(t *testing.T) {
	for name, isBusy := range map[string]bool{"nothing is learned": false, "something is always learned": true} {
		t.Run(name, func(t *testing.T) {
			o := DefaultOptions()
			o.Model, o.Store.RetrainAfter = newModel(t, 5), 3
			log := &testLog{}
			e, err := open(o, log)
			if err != nil {
				t.Fatal(err)
			}
			e.learner.idleFor = 10 * time.Millisecond
			if isBusy {
				e.learner.idleFor, e.learner.since, e.learner.changed[o.Model] = 2*time.Hour, time.Now().Add(-time.Hour), true
			}
			e.start(t.Context())
			defer e.Close(context.Background())
			learn(t, e, "", mail("spam", 50), "spam")
			for began := time.Now(); !strings.Contains(log.String(), "fitted "+o.Model+" to 11 messages"); time.Sleep(10 * time.Millisecond) {
				if time.Since(began) > 10*time.Second {
					t.Fatalf("the model is not fitted: %s", log)
				}
			}
			if s, err := e.Status(""); err != nil || s.Store.Changed != 0 {
				t.Errorf("status %+v, %v", s, err)
			}
		})
	}
}

func TestLearningGoesOnWhileAModelIsFitted(t *testing.T) {
	o := DefaultOptions()
	o.Model, o.Store.RetrainAfter = newModelOf(t, "votes", 20), 3
	var e *Engine
	learned := make(chan error, 1)
	once := sync.OnceFunc(func() {
		_, err := e.Learn(t.Context(), Origin{}, mail("spam", 51), "spam")
		learned <- err
	})
	o.Retrain.Pass = func(int, int) { once() }
	e, err := open(o, &testLog{})
	if err != nil {
		t.Fatal(err)
	}
	e.learner.idleFor = 10 * time.Millisecond
	e.start(t.Context())
	defer e.Close(context.Background())
	learn(t, e, "", mail("spam", 50), "spam")
	select {
	case err = <-learned:
	case <-time.After(20 * time.Second):
		err = errors.New("it waits")
	}
	if err != nil {
		t.Error(err)
	}
}

// TestReplacedModelsLeaveTheMemory counts the models that the garbage collector finds.
func TestReplacedModelsLeaveTheMemory(t *testing.T) {
	e, _ := start(t, newModel(t, 1), nil)
	var gone sync.WaitGroup
	for range 5 {
		gone.Add(1)
		runtime.AddCleanup(e.shared.current().filter, func(int) { gone.Done() }, 0)
		judge(t, e, "", mail("spam", 1))
		if err := e.Reload(); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	go func() { gone.Wait(); close(done) }()
	for range 1000 {
		runtime.GC()
		select {
		case <-done:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("replaced models are still in memory")
}

func BenchmarkJudge(b *testing.B) {
	path := newModel(b, 50)
	raw := append(mail("spam", 7), strings.Repeat("plain words of a message that nobody has to read\r\n", 60)...)
	b.Run("the filter alone", func(b *testing.B) {
		f, err := filter.OpenLearned(path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			f.Classify(raw)
		}
	})
	b.Run("the engine", func(b *testing.B) {
		e, _ := start(b, path, nil)
		b.ReportAllocs()
		for b.Loop() {
			judge(b, e, "", raw)
		}
	})
}
