package main

import "testing"

func TestGarbageMayTakeLessOfALargeHeap(t *testing.T) {
	for heap, want := range map[uint64]int{0: 100, 1 << 20: 100, 24 << 20: 100, 48 << 20: 50, 240 << 20: 10, 1 << 40: 10} {
		if got := gcPercent(heap); got != want {
			t.Errorf("of %d bytes: %d%%, want %d%%", heap, got, want)
		}
	}
}
