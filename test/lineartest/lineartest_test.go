package lineartest

import (
	"testing"
	"time"
)

func TestTimeGrowsWithTheWork(t *testing.T) {
	spin := func(until time.Duration) func() {
		return func() {
			for start := time.Now(); time.Since(start) < until; {
			}
		}
	}
	short, long := Time(spin(time.Millisecond)), Time(spin(50*time.Millisecond))
	if short <= 0 || long <= short {
		t.Errorf("got %v for 1 ms and %v for 50 ms", short, long)
	}
}
