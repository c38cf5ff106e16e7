package cputime

import (
	"testing"
	"time"
)

func TestCPUTimeGrowsWithTheWork(t *testing.T) {
	before := Process()
	for start := time.Now(); time.Since(start) < 50*time.Millisecond; {
	}
	if took := Process() - before; took < time.Millisecond {
		t.Errorf("got %v for 50 ms of work", took)
	}
}
