package main

import (
	"strings"
	"testing"
	"time"
)

func TestLongWorkIsToldEveryTenSeconds(t *testing.T) {
	now := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	var out strings.Builder
	tell := func(text string) { out.WriteString(text + "\n") }
	step := progressEvery(toldEvery, "reading mail", "messages", func() time.Time { return now }, tell)
	for read := 1; read <= 6046; read++ {
		now = now.Add(5 * time.Millisecond)
		step(read, 6046)
	}
	for epoch := 1; epoch <= 15; epoch++ { // other work begins
		now = now.Add(time.Second)
		step(epoch, 20)
	}
	const want = "reading mail: 2,000 of 6,046 messages, 20s left\n" +
		"reading mail: 4,000 of 6,046 messages, 10s left\n" +
		"reading mail: 6,000 of 6,046 messages, 0s left\n" +
		"reading mail: 11 of 20 messages, 8s left\n"
	if out.String() != want {
		t.Errorf("it prints %q, want %q", &out, want)
	}
}
