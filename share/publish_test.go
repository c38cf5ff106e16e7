package share

import (
	"context"
	"testing"
	"time"
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
