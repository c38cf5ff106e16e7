package share

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"chaff/internal/testmain"
	"chaff/store"
)

// A host publishes as many records as its rate says in an hour, and the next ones wait.
func TestMoreThanTheRateWaits(t *testing.T) {
	const rate = 1000
	ended, stop := context.WithCancel(t.Context())
	stop()
	b := newBudget(rate)
	for i := range rate {
		if !b.wait(ended) {
			t.Fatalf("record %d of %d waits", i, rate)
		}
	}
	if b.wait(ended) {
		t.Error("one more than the rate does not wait")
	}
	b.since = b.since.Add(-6 * time.Minute)
	sent := 0
	for b.wait(ended) {
		sent++
	}
	if sent < 100 || sent > 102 {
		t.Errorf("%d records after a tenth of an hour, want 100", sent)
	}
	if b := newBudget(0); !b.wait(ended) {
		t.Error("there is a limit without a rate")
	}
}

func TestThatNoServerAnswersIsSaidAtOnce(t *testing.T) {
	ended, stop := context.WithTimeout(t.Context(), 10*time.Second)
	var said []string
	err := Run(ended, Model{Path: filepath.Join(t.TempDir(), "model")}, Options{Nats: []string{"nats://127.0.0.1:1"}, Filter: "mail", Host: "a"}, func(line string) {
		said = append(said, line)
		stop()
	})
	if want := "no server answers at nats://127.0.0.1:1; what is taught waits in the log"; err != nil || len(said) == 0 || said[0] != want {
		t.Errorf("said %q, %v, want %q", said, err, want)
	}
}

// A host that was taken over may send anything: what is too large is no lesson, and the largest that hosts send is one.
func TestALessonHasABound(t *testing.T) {
	encoder, err := newEncoder()
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	sizes := map[int]bool{store.MaxLesson: true, store.MaxLesson + 1: false}
	if testmain.IsLong() {
		sizes[100*store.MaxLesson] = false
	}
	for size, is := range sizes {
		if got := decompress(encoder.EncodeAll(make([]byte, size), nil)); (len(got) == size) != is {
			t.Errorf("%d of %d bytes are read", len(got), size)
		}
	}
}
