package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestThePageOnTuningRuns runs the commands of docs/tuning.md on the search that it shows.
func TestThePageOnTuningRuns(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "tuning.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := make(map[string][]string)
	kind := ""
	for line := range strings.Lines(string(page)) {
		if name, isFence := strings.CutPrefix(strings.TrimSpace(line), "```"); isFence {
			kind = name
		} else if kind != "" {
			blocks[kind] = append(blocks[kind], line)
		}
	}
	if len(blocks["toml"]) == 0 || len(blocks["sh"]) != 3 {
		t.Fatalf("the page has %d lines of settings and %d commands", len(blocks["toml"]), len(blocks["sh"]))
	}
	script := "easymail mail\n" + strings.Join(blocks["sh"], "") +
		"grep 'Found by chaff tune: trial .* of 12 .complete.' best.toml\nexists best.model trials.csv\n" +
		"-- search.toml --\n" + strings.Join(blocks["toml"], "")
	file := filepath.Join(t.TempDir(), "page.txtar")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	p := scriptParams(t)
	p.Files = []string{file}
	testscript.Run(t, p)
}

// home is a folder with links to the sample mail, which no test may change, and a search, and chaff run in it.
type home struct {
	t   *testing.T
	dir string
}

func newHome(t *testing.T, search string) home {
	h := home{t, t.TempDir()}
	for _, class := range []string{"ham", "spam"} {
		must(t, os.Symlink(filepath.Join(sampleDir(), class), h.path(class)))
	}
	h.write("search.toml", search)
	return h
}

func (h home) path(name string) string { return filepath.Join(h.dir, name) }

func (h home) write(name, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.path(name)), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(h.path(name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h home) read(name string) string {
	h.t.Helper()
	data, err := os.ReadFile(h.path(name))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(data)
}

// writeModel writes the model of the sample mail.
func (h home) writeModel() {
	h.t.Helper()
	model, err := sampleModel()
	must(h.t, err)
	h.write("model", string(model))
}

// chaff runs a command on the mail, in an environment with the given variables.
func (h home) chaff(ctx context.Context, command string, environ []string, args ...string) (stdout, stderr string, code int) {
	var out, complaints bytes.Buffer
	args = append([]string{command, "--ham", h.path("ham"), "--spam", h.path("spam")}, args...)
	code = run(ctx, args, append(environ, "HOME="+h.dir), strings.NewReader(""), &out, &complaints)
	return out.String(), complaints.String(), code
}

// tune searches with the results in files that begin with the given name.
func (h home) tune(ctx context.Context, name string, environ []string, args ...string) (stdout, stderr string, code int) {
	args = append(args, "--config", h.path("search.toml"), "-o", h.path(name+".toml"), "--trials", h.path(name+".csv"))
	return h.chaff(ctx, "tune", environ, args...)
}

// trials reads a table of trials, without the times.
func (h home) trials(name string) [][]string {
	h.t.Helper()
	rows, err := csv.NewReader(strings.NewReader(h.read(name + ".csv"))).ReadAll()
	if err != nil || len(rows) < 2 {
		h.t.Fatalf("%d rows: %v", len(rows), err)
	}
	i := slices.Index(rows[0], "cpu_seconds")
	for n := range rows {
		rows[n] = slices.Delete(rows[n], i, i+1)
	}
	return rows
}

func TestTrainingWithTheBestSettingsGivesTheSameFigures(t *testing.T) {
	h := newHome(t, `
seed = 3
[tune]
objective = "log_loss"
[[tune.search]]
key = "model"
values = ["bernoulli", "softmax"]
[[tune.search]]
key = "tokenize.language"
values = ["none", "auto"]
[[tune.search]]
key = "features.min_document_frequency"
values = [2, 3]
`)
	stdout, stderr, code := h.tune(t.Context(), "best", nil, "--json")
	if code != 0 {
		t.Fatal(stderr)
	}
	var tuned tuneReport
	if err := json.Unmarshal([]byte(stdout), &tuned); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code = h.chaff(t.Context(), "train", nil, "--config", h.path("best.toml"), "-m", h.path("model"), "--json")
	if code != 0 {
		t.Fatal(stderr)
	}
	var trained resultReport
	if err := json.Unmarshal([]byte(stdout), &trained); err != nil {
		t.Fatal(err)
	}
	best, model := tuned.Trials[0], trained.Models[0]
	if *best.LogLoss != *model.Development.LogLoss || best.Accuracy != model.Development.Accuracy || *best.OneMinusROCA != *model.Development.OneMinusROCA {
		t.Errorf("development figures of the trial %+v, of training %+v", best, model.Development)
	}
	if *tuned.Test.LogLoss != *model.Test.LogLoss || tuned.Test.Messages != model.Test.Messages {
		t.Errorf("test figures of the search %+v, of training %+v", tuned.Test, model.Test)
	}
	if strings.Contains(h.read("best.toml"), "tune.search") || !strings.Contains(h.read("best.toml"), "seed = 3") {
		t.Errorf("best.toml is\n%s", h.read("best.toml"))
	}
}

const longSearch = `
[tune]
method = "random"
trials = 12
[[tune.search]]
key = "model"
values = ["softmax", "multinomial"]
[[tune.search]]
key = "models.softmax.l2"
from = 1e-5
to = 1
scale = "log"
[[tune.search]]
key = "models.multinomial.smoothing"
from = 1e-5
to = 1
scale = "log"
`

// interruptAfter cancels a context when the file has so many lines.
func interruptAfter(ctx context.Context, file string, lines int) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for ctx.Err() == nil {
			if data, err := os.ReadFile(file); err == nil && bytes.Count(data, []byte("\n")) >= lines {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	return ctx
}

func TestAnInterruptedSearchGoesOnToTheSameEnd(t *testing.T) {
	h := newHome(t, longSearch)
	if _, stderr, code := h.tune(t.Context(), "whole", nil); code != 0 {
		t.Fatal(stderr)
	}
	state := h.path("parts.toml.state")
	stdout, stderr, code := h.tune(interruptAfter(t.Context(), state, 5), "parts", nil, "--workers", "1")
	if code != exitError || !strings.Contains(stderr, "chaff: interrupted: the best of ") || strings.Contains(stdout, "test mail ") {
		t.Fatalf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	if found := len(h.trials("parts")) - 1; found < 4 || found >= 12 {
		t.Errorf("%d trials were finished", found)
	}
	if !strings.Contains(h.read("parts.toml"), "(interrupted)") {
		t.Errorf("the best so far is\n%s", h.read("parts.toml"))
	}

	// Without --resume what was found is not written over.
	if _, stderr, code := h.tune(t.Context(), "parts", nil); code != exitError || !strings.Contains(stderr, "holds the trials of a search that is not finished") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}

	// A line that was cut off in the middle counts for nothing.
	h.write("parts.toml.state", h.read("parts.toml.state")+`{"candidate":17,"rung":0,"deve`)
	stdout, stderr, code = h.tune(t.Context(), "parts", []string{"CHAFF_TUNE_TIME=1ns"}, "--resume")
	if code != 0 || !strings.Contains(stdout, "finished (out of time)") || !strings.Contains(stdout, "test mail ") {
		t.Errorf("without time: exit code %d\n%s\n%s", code, stdout, stderr)
	}
	if _, stderr, code := h.tune(t.Context(), "parts", nil, "--resume"); code != 0 {
		t.Fatal(stderr)
	}
	whole, parts := h.trials("whole"), h.trials("parts")
	if len(whole) != 13 || len(whole) != len(parts) {
		t.Fatalf("%d rows, want %d", len(parts), len(whole))
	}
	for i := range whole {
		if !slices.Equal(whole[i], parts[i]) {
			t.Errorf("row %d is %q, want %q", i, parts[i], whole[i])
		}
	}
	if h.read("whole.toml") != h.read("parts.toml") {
		t.Errorf("the best is\n%s\nwant\n%s", h.read("parts.toml"), h.read("whole.toml"))
	}
}

func TestASearchIsNotResumedFromAnother(t *testing.T) {
	h := newHome(t, longSearch)
	h.write("other.eml", "Subject: other mail\n\n"+longSearch)
	h.tune(interruptAfter(t.Context(), h.path("best.toml.state"), 3), "best", nil, "--workers", "1")
	tests := map[string]struct {
		args []string
		want string
	}{
		"other settings": {[]string{"--set", "tokenize.language=none"}, "it is of another search"},
		"another seed":   {[]string{"--seed", "2"}, "it is of another search"},
		"other values":   {[]string{"--set", "tune.trials=11"}, "it is of another search"},
		"folds":          {[]string{"--folds", "3"}, "it is of another search"},
		"other mail":     {[]string{"--ham", h.path("other.eml")}, "it is of other mail"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := h.read("best.toml.state")
			_, stderr, code := h.tune(t.Context(), "best", nil, append(tt.args, "--resume")...)
			if code != exitError || !strings.Contains(stderr, tt.want) {
				t.Errorf("exit code %d, %s, want %s", code, stderr, tt.want)
			}
			if h.read("best.toml.state") != before {
				t.Error("the state file was changed")
			}
		})
	}
	h.write("best.toml.state", strings.Replace(h.read("best.toml.state"), `"candidate"`, `"candidate`, 1))
	if _, stderr, _ := h.tune(t.Context(), "best", nil, "--resume"); !strings.Contains(stderr, "line 2 is damaged") {
		t.Errorf("got %s", stderr)
	}
	h.write("best.toml.state", "not a state\n")
	if _, stderr, _ := h.tune(t.Context(), "best", nil, "--resume"); !strings.Contains(stderr, "best.toml.state: the file that is there is no state of a search of chaff") {
		t.Errorf("got %s", stderr)
	}
}
