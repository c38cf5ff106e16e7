package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestAMisspeltClassifyPassesTheMessage(t *testing.T) {
	const message = "Subject: a\n\nbody\n"
	for _, line := range []string{"clasify --pass", "--pass", "--config chaff.toml classify --pass"} {
		var out, err bytes.Buffer
		code := run(context.Background(), strings.Fields(line), nil, strings.NewReader(message), &out, &err)
		if code != 75 || out.String() != message {
			t.Errorf("%s: got code %d and %q, want 75 and the message; stderr %q", line, code, out.String(), err.String())
		}
	}
}
