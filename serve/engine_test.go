package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chaff/filter"
	"chaff/store"
	"chaff/train"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lines is a logger that keeps its lines.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) Note(format string, args ...any) { l.add("note: "+format, args...) }
func (l *lines) Warn(format string, args ...any) { l.add("warning: "+format, args...) }

func (l *lines) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, fmt.Sprintf(format, args...))
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}

// mail returns a message of a class, whose words depend on a number.
func mail(label string, n int) []byte {
	words := map[string]string{"spam": "pills casino winner lottery", "ham": "meeting agenda minutes report"}[label]
	return fmt.Appendf(nil, "From: a%d@%s.example\r\nSubject: %s %d\r\nMessage-ID: <%d@%s>\r\n\r\n%s number%d\r\n", n, label, words, n, n, label, words, n)
}

// newModel saves a model of naive Bayes that knows some messages of each class, and returns its path.
func newModel(t testing.TB, messages int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model")
	teach(t, path, 0, messages)
	return path
}

// teach begins a model if there is none, and teaches it some messages of each class.
func teach(t testing.TB, path string, first, messages int) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		if err := store.Begin(t.Context(), path, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), train.DefaultOptions()); err != nil {
			t.Fatal(err)
		}
	}
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
func start(t testing.TB, path string, change func(*Options)) (*Engine, *lines) {
	t.Helper()
	o := DefaultOptions()
	o.Model = path
	if change != nil {
		change(&o)
	}
	log := &lines{}
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
	v, err := e.Judge(t.Context(), user, raw)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAMessageIsJudgedAsByTheFilter(t *testing.T) {
	path := newModel(t, 5)
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
		if got, want := string(e.Passed(raw, v)), string(f.Passed(raw, v.Classification)); got != want {
			t.Errorf("%s: passed on as %q, want %q", label, got, want)
		}
	}
}

func TestTheNextMessageIsJudgedWithWhatWasLearned(t *testing.T) {
	e, _ := start(t, newModel(t, 1), nil)
	raw := mail("ham", 7)
	before := judge(t, e, "", raw).Score
	o, err := e.Learn(t.Context(), "", raw, "spam")
	if err != nil || o.What != store.Learned {
		t.Fatalf("got %+v, %v", o, err)
	}
	after := judge(t, e, "", raw).Score
	if !(after > before) {
		t.Errorf("the score went from %v to %v", before, after)
	}
	if o, err = e.Forget(t.Context(), "", raw); err != nil || o.What != store.Forgotten {
		t.Fatalf("got %+v, %v", o, err)
	}
	if got := judge(t, e, "", raw).Score; got != before {
		t.Errorf("after forgetting the score is %v, want %v", got, before)
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
				if _, err := e.Judge(context.Background(), "", mail("spam", c*1000+n)); err != nil {
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
		if _, err := e.Learn(ctx, "", mail("ham", 500+n), "ham"); err != nil {
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
	if got := e.Counters().Reloads.All()["done"]; got < 20 {
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
	if _, err := e.Judge(t.Context(), "", mail("ham", 1)); !errors.Is(err, ErrClosed) {
		t.Errorf("judge: got %v", err)
	}
	if _, err := e.Learn(t.Context(), "", mail("ham", 1), "ham"); !errors.Is(err, ErrClosed) {
		t.Errorf("learn: got %v", err)
	}
}
