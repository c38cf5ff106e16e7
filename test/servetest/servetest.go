// Package servetest has what the tests of protocols share: an engine with a small model, mail for it, and a log.
package servetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"chaff/serve"
	"chaff/store"
	"chaff/train"
)

// Mail returns a message of a class, ham or spam, whose words depend on a number, so that no two are near-duplicates.
func Mail(label string, n int) string {
	words := map[string]string{"spam": "pills casino winner lottery", "ham": "meeting agenda minutes report"}[label]
	own := ""
	for i := range 12 {
		own += fmt.Sprintf(" number%d%c", n, 'a'+i)
	}
	return fmt.Sprintf("From: a%d@%s.example\r\nSubject: %s %d\r\nMessage-ID: <%d@%s>\r\n\r\n%s%s\r\n", n, label, words, n, n, label, words, own)
}

// model returns the files of a model that knows some mail, by the end of their names.
var model = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "servetest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model")
	ctx, o := context.Background(), train.DefaultOptions()
	o.Thresholds.HamLost = 1 // so that 20 ham suffice to call anything spam
	if err := store.Begin(ctx, path, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), o, store.DefaultOptions()); err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, path, store.DefaultOptions())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for n := range 20 {
		for _, label := range []string{"ham", "spam"} {
			if _, err := s.Learn(store.Message{Raw: []byte(Mail(label, n)), Label: label}); err != nil {
				return nil, err
			}
		}
	}
	if _, err := s.Retrain(ctx, nil, store.RetrainOptions{}); err != nil { // chooses thresholds
		return nil, err
	}
	files := map[string][]byte{}
	for _, end := range []string{"", store.Suffix} {
		if files[end], err = os.ReadFile(path + end); err != nil {
			return nil, err
		}
	}
	return files, nil
})

// NewEngine returns an engine with a model that knows some mail. It closes with its test.
func NewEngine(t testing.TB, change func(*serve.Options)) *serve.Engine {
	t.Helper()
	files, err := model()
	if err != nil {
		t.Fatal(err)
	}
	o := serve.DefaultOptions()
	o.Model, o.History = filepath.Join(t.TempDir(), "model"), 0
	for end, data := range files {
		if err := os.WriteFile(o.Model+end, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if change != nil {
		change(&o)
	}
	e, err := serve.New(t.Context(), o, &Log{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return e
}

// WantUnjudged checks how many messages have no verdict for a reason, by the counters and by the history.
func WantUnjudged(t testing.TB, e *serve.Engine, reason string, want int) {
	t.Helper()
	remembered := 0
	for _, r := range e.History.All() {
		if r.Unjudged == reason {
			remembered++
		}
	}
	if counted := int(e.Counters.Unjudged.All()[reason]); counted != want || remembered != want {
		t.Errorf("%s: %d messages are counted and %d in the history, want %d", reason, counted, remembered, want)
	}
}

// Log is a logger that keeps its lines.
type Log struct {
	mu  sync.Mutex
	all []string
}

// Note keeps a line, with "note: " before it.
func (l *Log) Note(format string, args ...any) { l.Warn("note: "+format, args...) }

// Warn keeps a line.
func (l *Log) Warn(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, fmt.Sprintf(format, args...))
}

// String returns the lines.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}
