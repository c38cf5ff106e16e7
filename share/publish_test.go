package share

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"chaff/store"
	"chaff/test/testmain"
)

// A host publishes as many records as its rate says in an hour, and the next ones wait.
func TestMoreThanTheRateWaits(t *testing.T) {
	const rate = 1000
	p, now := newPace(rate), time.Now()
	for i := range rate {
		if !p.take(now) {
			t.Fatalf("record %d of %d waits", i, rate)
		}
	}
	if p.take(now) {
		t.Error("one more than the rate does not wait")
	}
	sent := 0
	for p.take(now.Add(6 * time.Minute)) {
		sent++
	}
	if sent != 100 {
		t.Errorf("%d records after a tenth of an hour, want 100", sent)
	}
	// A host that was away learns what came meanwhile at once.
	p = newPace(rate)
	for i := range 10 * rate {
		if !p.take(now.Add(time.Duration(i-10*rate) * time.Hour / rate)) {
			t.Fatalf("record %d of an origin that kept to its rate waits", i)
		}
	}
	if p := newPace(0); !p.take(now) {
		t.Error("there is a limit without a rate")
	}
}

func TestThatNoServerAnswersIsSaidAtOnce(t *testing.T) {
	ended, stop := context.WithTimeout(t.Context(), 10*time.Second)
	var said []string
	o := DefaultOptions()
	o.Nats, o.Host = []string{"nats://127.0.0.1:1"}, "a"
	err := Run(ended, Model{Path: filepath.Join(t.TempDir(), "model")}, o, func(line string) {
		said = append(said, line)
		stop()
	})
	if want := "no server answers at nats://127.0.0.1:1; what is taught waits in the log"; err != nil || len(said) == 0 || said[0] != want {
		t.Errorf("said %q, %v, want %q", said, err, want)
	}
}

// On a full disk, each part of share would say its own line each second.
func TestLinesThatTakeTurnsAreSaidOnce(t *testing.T) {
	var said []string
	h := &host{tell: func(line string) { said = append(said, line) }}
	for range 3 {
		h.say("publish")
		h.say("follow")
		h.say("save")
	}
	if len(said) != 3 {
		t.Errorf("said %q", said)
	}
	h.told = nil // as after what succeeds
	if h.say("publish"); len(said) != 4 {
		t.Errorf("after a success said %q", said)
	}
}

// A host that was taken over may send anything: what is too large is no lesson, and the largest that hosts send is one.
func TestALessonHasABound(t *testing.T) {
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
