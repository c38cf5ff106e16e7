package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"chaff/corpus"
	"chaff/evaluate"
	"chaff/filter"
	"chaff/test/corpustest"
	"chaff/test/testmain"
	"chaff/train"
)

// A mailbox learns in one process for each message. It makes the errors of the replay of the same messages: SpamAssassin in the order of
// time, every tenth message, or all of them with $TEST_PROCESSES, which takes minutes.
func TestAProcessForEachMessageLearnsAsTheReplayDoes(t *testing.T) {
	source, ok := corpustest.SpamAssassin(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	type letter struct {
		corpus.Item
		time time.Time
	}
	var letters []letter
	for item, raw := range corpustest.Each(t, source) {
		letters = append(letters, letter{item, corpus.DeliveryTime(raw)})
	}
	slices.SortStableFunc(letters, func(a, b letter) int { return a.time.Compare(b.time) })
	if os.Getenv("TEST_PROCESSES") == "" {
		var some []letter
		for i := 0; i < len(letters); i += 10 {
			some = append(some, letters[i])
		}
		letters = some
	}
	inOrder := func(yield func(corpus.Item, error) bool) {
		for _, l := range letters {
			if !yield(l.Item, nil) {
				return
			}
		}
	}
	replay, err := train.Read(t.Context(), inOrder, spamClasses(), train.ReadOptions{Reading: filter.DefaultReading(), Copies: true})
	must(t, err)
	program := testmain.Build(t, "chaff")
	for _, model := range []string{"multinomial", "votes"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			want, err := evaluate.ReplayTo(t.Context(), model, replay, train.DefaultOptions())
			must(t, err)
			file, home := filepath.Join(t.TempDir(), "model"), t.TempDir()
			key := filepath.Join(home, "key")
			must(t, os.WriteFile(key, []byte("00112233445566778899aabbccddeeff"), 0o600))
			run := func(args ...string) []byte {
				c := exec.Command(program, append(args, "-m", file, "--set", "key_file="+key, "--set", "store.retrain_after=0")...) // the replay never fits
				c.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=")
				var stderr bytes.Buffer
				c.Stderr = &stderr
				out, err := c.Output()
				if err != nil {
					t.Fatalf("chaff %s: %v: %s", strings.Join(args, " "), err, stderr.Bytes())
				}
				return out
			}
			run("learn", "--begin", "--set", "model="+model)
			errors := 0
			for i, l := range letters {
				var told account
				must(t, json.Unmarshal(run("learn", "--"+l.Label, "--json", l.Origin), &told))
				if len(told.Results) != 1 {
					t.Fatalf("%d results of one message", len(told.Results))
				}
				got := told.Results[0]
				if got.What != "learned" || got.Class != want.Messages[i].Class {
					t.Errorf("message %d was %s and judged %s with the score %v; in the replay %s with %v",
						i, got.What, got.Class, got.Score, want.Messages[i].Class, want.Messages[i].Score)
				}
				if got.Class != l.Label {
					errors++
				}
			}
			t.Logf("%d processes make %d errors", len(letters), errors)
			if f := want.Figures; errors != f.Messages-f.Confusion.Correct() {
				t.Errorf("%d processes make %d errors; the replay makes %d", len(letters), errors, f.Messages-f.Confusion.Correct())
			}
		})
	}
}

// A pipe that nobody closes ends no read.
func TestASecondInterruptEndsWhatWaitsForInput(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this system sends no interrupts to one process")
	}
	c := exec.Command("chaff", "tokens")
	stdin, err := c.StdinPipe()
	must(t, err)
	must(t, c.Start())
	_, err = stdin.Write(make([]byte, 1<<20)) // more than a pipe holds, so that it reads when this is written
	must(t, err)
	ended := make(chan error)
	go func() { ended <- c.Wait() }()
	for range 1000 {
		select {
		case <-ended:
			return
		case <-time.After(10 * time.Millisecond):
			_ = c.Process.Signal(os.Interrupt) // an error if it has ended meanwhile
		}
	}
	c.Process.Kill()
	t.Error("interrupts do not end it")
	<-ended
}
