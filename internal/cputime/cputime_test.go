package cputime

import (
	"testing"
	"time"
)

func TestCPUTimeGrowsWithTheWork(t *testing.T) {
	spin := func(until time.Duration) func() {
		return func() {
			for start := time.Now(); time.Since(start) < until; {
			}
		}
	}
	before := Process()
	short, long := Of(spin(time.Millisecond)), Of(spin(50*time.Millisecond))
	if short <= 0 || long <= short {
		t.Errorf("got %v for 1 ms and %v for 50 ms", short, long)
	}
	if Process() <= before {
		t.Error("the process took no time")
	}
}
