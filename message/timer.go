package message

import "time"

// timer measures the time of a message.
type timer struct {
	clock    func() time.Time
	deadline time.Time // zero for a message without a time limit
	reads    int       // how often the time was asked for
}

// start sets the deadline for a message of that size. Messages below minTimed cannot take long.
func (t *timer) start(size int, limit time.Duration) {
	const minTimed = 64 << 10
	t.deadline, t.reads = time.Time{}, 0
	if size >= minTimed {
		t.deadline = t.clock().Add(limit)
	}
}

// isUp reports whether the time for the message is up. Only every 32nd call reads the clock.
func (t *timer) isUp() bool {
	const each = 32
	if t.deadline.IsZero() {
		return false
	}
	t.reads++
	return t.reads%each == 0 && !t.clock().Before(t.deadline)
}
