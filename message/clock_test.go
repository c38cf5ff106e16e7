package message

import (
	"strings"
	"testing"
	"time"
)

// A clock that goes on by a second each time that it is read.
func slowClock() func() time.Time {
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

func TestTimeIsKeptAndReported(t *testing.T) {
	long := strings.Repeat("words ", 20_000)
	parts := "Subject: late\nContent-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\nx\n", 300) + "--b\n\n" + long
	tests := []struct {
		name, raw  string
		maxSeconds int
		minParts   int
		maxParts   int
		subject    string
		late       bool
	}{
		{"parts after the time are dropped", parts, 5, 1, 299, "late", true},
		{"all parts are read in time", parts, 3600, 301, 301, "late", false},
		{"fields after the time are dropped", strings.Repeat("A: b\n", 500) + parts, 5, 1, 1, "", true},
		{"attached messages after the time are dropped", "Subject: late\n" + strings.Repeat("Content-Type: message/rfc822\n\n", 29) + long, 3,
			1, 1, "late", true},
		{"a small message is not timed", "Subject: late\n\nx", 1, 1, 1, "late", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := NewDecoder(Options{MaxSeconds: test.maxSeconds})
			d.clock = slowClock()
			m := d.Decode([]byte(test.raw))
			if got := m.Repairs.Has(CutTime); got != test.late {
				t.Errorf("cut: got %v, want %v", got, test.late)
			}
			if got := len(m.Parts); got < test.minParts || got > test.maxParts {
				t.Errorf("got %d parts, want %d to %d", got, test.minParts, test.maxParts)
			}
			if got := string(m.Get("Subject")); got != test.subject {
				t.Errorf("subject: got %q, want %q", got, test.subject)
			}
			if m := d.Decode([]byte("Subject: next\n\nx")); m.Repairs.Has(CutTime) || len(m.Parts) != 1 {
				t.Errorf("the time for that message is the time for the next: %v", m.Repairs)
			}
		})
	}
}
