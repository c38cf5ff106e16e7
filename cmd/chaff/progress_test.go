package main

import (
	"strings"
	"testing"
	"time"
)

func TestLongWorkIsToldEveryTenSeconds(t *testing.T) {
	now := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	var out strings.Builder
	step := progressLines(&out, "reading mail", func() time.Time { return now })
	for read := 1; read <= 6046; read++ {
		now = now.Add(5 * time.Millisecond)
		step(read, 6046)
	}
	const want = "chaff: reading mail: 2,000 of 6,046 messages, 20s left\n" +
		"chaff: reading mail: 4,000 of 6,046 messages, 10s left\n" +
		"chaff: reading mail: 6,000 of 6,046 messages, 0s left\n"
	if out.String() != want {
		t.Errorf("it prints %q, want %q", &out, want)
	}
}
