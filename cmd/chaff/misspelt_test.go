package main

import (
	"strings"
	"testing"
)

func TestAMisspeltClassifyPassesTheMessage(t *testing.T) {
	const message = "Subject: a\n\nbody\n"
	for _, line := range []string{"clasify --pass", "--pass", "--config chaff.toml classify --pass"} {
		if got := chaffWith(t, nil, strings.NewReader(message), strings.Fields(line)...); got.code != 75 || got.out != message {
			t.Errorf("%s: %v, want 75 and the message", line, got)
		}
	}
}
