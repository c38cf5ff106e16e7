package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestAMisspeltClassifyPassesTheMessage(t *testing.T) {
	const message = "Subject: a\n\nbody\n"
	var out, err bytes.Buffer
	code := run(context.Background(), []string{"clasify", "--pass"}, nil, strings.NewReader(message), &out, &err)
	if code != 75 || out.String() != message {
		t.Errorf("got code %d and %q, want 75 and the message; stderr %q", code, out.String(), err.String())
	}
}
