package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLongWorkIsToldEveryTenSeconds(t *testing.T) {
	var out strings.Builder
	synctest.Test(t, func(*testing.T) {
		step := progressEvery(toldEvery, "reading mail", "messages", func(text string) { out.WriteString(text + "\n") })
		for read := 1; read <= 6046; read++ {
			time.Sleep(5 * time.Millisecond)
			step(read, 6046)
		}
		for epoch := 1; epoch <= 15; epoch++ { // other work begins
			time.Sleep(time.Second)
			step(epoch, 20)
		}
	})
	const want = "reading mail: 2,000 of 6,046 messages, 20s left\n" +
		"reading mail: 4,000 of 6,046 messages, 10s left\n" +
		"reading mail: 6,000 of 6,046 messages, 0s left\n" +
		"reading mail: 11 of 20 messages, 8s left\n"
	if out.String() != want {
		t.Errorf("it prints %q, want %q", &out, want)
	}
}
