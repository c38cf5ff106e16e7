package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/config"
	"chaff/evaluate"
	"chaff/metrics"
)

func TestTheBarTellsTheBestSoFar(t *testing.T) {
	loss := 0.25
	tests := map[string]struct {
		best evaluate.Trial
		want string
	}{
		"a trial":                 {evaluate.Trial{Candidate: 11, Share: 1, Development: metrics.Outcome{Accuracy: 98, LogLoss: &loss}}, "best: log_loss 0.25, trial 12 "},
		"a trial without figures": {evaluate.Trial{Candidate: 6, Share: 1, Error: "training diverges"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var screen bytes.Buffer
			step, done := tuneBar(&screen, metrics.ByLogLoss)
			step(1, 3, tt.best)
			done()
			if got := screen.String(); !strings.Contains(got, tt.want) || !strings.Contains(got, "3)") || tt.want == "" && strings.Contains(got, "best") {
				t.Errorf("got %q, want %q in it", got, tt.want)
			}
		})
	}
}

func TestASettingsFileIsReplacedAsAWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "best.toml")
	for _, text := range []string{bestMark + "first, longer\n", bestMark + "second\n"} {
		if err := writeBytes(file, bestKind(), []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the file: %v, %v", left, err)
	}
	if err := writeBytes(filepath.Join(file, "below.toml"), bestKind(), nil); err == nil {
		t.Error("a file was written below a file")
	}
}

// FuzzTuneState parses what may be in a state file. What was read of it, written anew, must be read back the same.
func FuzzTuneState(f *testing.F) {
	header := `{"chaff_tune_state":1,"search":"a","corpus":"b"}` + "\n"
	f.Add([]byte(header))
	f.Add([]byte(header + `{"candidate":3,"rung":1,"training_share":0.5,"development":{"accuracy":99.5,"hm":0.25},"cpu_seconds":1.5}` + "\n" + stateFooter))
	f.Add([]byte(header + `{"candidate":3,"error":"train lms: training diverges"}` + "\n" + `{"candidate":4,`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var state tuneState
		if err := state.parse(data); err != nil {
			return
		}
		if state.size < 0 || state.size > int64(len(data)) || data[state.size-1] != '\n' {
			t.Fatalf("%d of %d bytes are whole lines", state.size, len(data))
		}
		var b bytes.Buffer
		lines := json.NewEncoder(&b)
		if err := lines.Encode(state.found); err != nil {
			t.Fatal(err)
		}
		for _, trial := range state.trials {
			if err := lines.Encode(trial); err != nil {
				t.Fatal(err)
			}
		}
		var again tuneState
		if err := again.parse(b.Bytes()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(state.trials, again.trials); diff != "" || *state.found != *again.found || again.size != int64(b.Len()) {
			t.Errorf("read back (-first +again):\n%s", diff)
		}
	})
}

func TestAStateThatCannotBeWrittenIsAnError(t *testing.T) {
	closed, err := os.Create(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	state := tuneState{file: closed}
	if err := state.add(evaluate.Trial{}); !errors.Is(err, os.ErrClosed) || !strings.Contains(err.Error(), "keep the state of the search") {
		t.Errorf("got error %v", err)
	}
}

func TestTheNameOfASearch(t *testing.T) {
	base := config.Default()
	base.Tune.Search = []config.Search{{Key: "tokenize.language", Values: []any{"none", "english"}}}
	name := func(change func(s *search)) string {
		s := search{base: base}
		change(&s)
		var err error
		if s.plan, err = s.base.Plan(); err != nil {
			t.Fatal(err)
		}
		id, err := s.id()
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	want := name(func(*search) {})
	for about, change := range map[string]func(s *search){
		"the time":    func(s *search) { s.base.Tune.Time = "10m" },
		"the workers": func(s *search) { s.base.Workers = 3 },
		"the files":   func(s *search) { s.out, s.trials = "other.toml", "other.csv" },
	} {
		if name(change) != want {
			t.Errorf("%s: the search has another name", about)
		}
	}
	for about, change := range map[string]func(s *search){
		"the values": func(s *search) {
			s.base.Tune.Search = []config.Search{{Key: "tokenize.language", Values: []any{"none"}}}
		},
		"the objective": func(s *search) { s.base.Tune.Objective = metrics.ByLAM },
		"the seed":      func(s *search) { s.base.Seed = 2 },
		"a threshold":   func(s *search) { s.base.Thresholds.HamLost = 1 },
		"the folds":     func(s *search) { s.folds = 5 },
	} {
		if name(change) == want {
			t.Errorf("%s: the search has the same name", about)
		}
	}
}
