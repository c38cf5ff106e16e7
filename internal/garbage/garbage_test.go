package garbage

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// percent returns at how much garbage, as a percentage of the heap, the next collection begins.
func percent() int {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}

func TestGarbageHasALimitInAHeapOfAnySize(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	Limit(8 << 20)
	for _, tt := range []struct{ size, least, most int }{
		{1 << 20, 200, 200}, // of 4 MB
		{32 << 20, 20, 25},
		{256 << 20, 10, 10},
	} {
		live := make([]byte, tt.size)
		live[0] = 1
		for began := time.Now(); percent() < tt.least || percent() > tt.most; runtime.Gosched() {
			if time.Since(began) > 20*time.Second {
				t.Fatalf("beside %d bytes: %d%%, want %d to %d", tt.size, percent(), tt.least, tt.most)
			}
			runtime.GC() // finalizers run behind it
		}
		runtime.KeepAlive(live)
	}
}

func TestAPercentageOfSomebodyElseEndsTheLimit(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	Limit(8 << 20)
	debug.SetGCPercent(123)
	for range 3 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
	if got := percent(); got != 123 {
		t.Errorf("the percentage is %d", got)
	}
}
