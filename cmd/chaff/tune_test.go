package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"chaff/test/testmain"
)

// TestThePageOnTuningRuns runs the commands of docs/tuning.md on the search that it shows.
func TestThePageOnTuningRuns(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "tuning.md"))
	must(t, err)
	blocks := make(map[string][]string)
	kind := ""
	for line := range strings.Lines(string(page)) {
		if name, isFence := strings.CutPrefix(strings.TrimSpace(line), "```"); isFence {
			kind = name
		} else if kind != "" {
			blocks[kind] = append(blocks[kind], line)
		}
	}
	if len(blocks["toml"]) == 0 || len(blocks["sh"]) != 2 {
		t.Fatalf("the page has %d lines of settings and %d commands", len(blocks["toml"]), len(blocks["sh"]))
	}
	script := "easymail mail\n" + strings.Join(blocks["sh"], "") +
		"grep 'Found by chaff tune: trial .* of 12 .complete.' best.toml\nexists best.model trials.csv\n" +
		"-- search.toml --\n" + strings.Join(blocks["toml"], "")
	file := filepath.Join(t.TempDir(), "page.txtar")
	must(t, os.WriteFile(file, []byte(script), 0o600))
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
	h := home{t, testmain.ShortDir(t)}
	for _, class := range []string{"ham", "spam"} {
		must(t, os.Symlink(filepath.Join(sampleDir(), class), h.path(class)))
	}
	h.write("search.toml", search)
	return h
}

func (h home) path(name string) string { return filepath.Join(h.dir, name) }

func (h home) write(name, text string) {
	h.t.Helper()
	must(h.t, os.MkdirAll(filepath.Dir(h.path(name)), 0o700))
	must(h.t, os.WriteFile(h.path(name), []byte(text), 0o600))
}

func (h home) read(name string) string {
	h.t.Helper()
	data, err := os.ReadFile(h.path(name))
	must(h.t, err)
	return string(data)
}

// writeModel writes the model of the sample mail.
func (h home) writeModel() {
	h.t.Helper()
	model, err := sampleModel()
	must(h.t, err)
	h.write("model", string(model))
}

func TestTrainingWithTheBestSettingsGivesTheSameFigures(t *testing.T) {
	h := newHome(t, `
seed = 3
split.method = "hash" # near-duplicates are known by their terms, which another language changes
[tune]
objective = "log_loss"
[[tune.search]]
key = "model"
values = ["bernoulli", "softmax"]
[[tune.search]]
key = "tokenize.language"
values = ["none", "french"]
[[tune.search]]
key = "features.min_document_frequency"
values = [2, 3]
`)
	result := func(of any, args ...string) {
		got := chaff(t, h.dir, append(args, "--ham", h.path("ham"), "--spam", h.path("spam"), "--json")...)
		if got.code != 0 {
			t.Fatal(got)
		}
		must(t, json.Unmarshal([]byte(got.out), of))
	}
	var tuned tuneReport
	result(&tuned, "tune", "--config", h.path("search.toml"), "-o", h.path("best.toml"))
	var trained resultReport
	result(&trained, "train", "--config", h.path("best.toml"), "-m", h.path("model"))
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

func TestASettingsFileIsReplacedAsAWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "best.toml")
	for _, text := range []string{bestMark + "first, longer\n", bestMark + "second\n"} {
		must(t, writeBytes(file, bestKind, []byte(text)))
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the file: %v, %v", left, err)
	}
	if err := writeBytes(filepath.Join(file, "below.toml"), bestKind, nil); err == nil {
		t.Error("a file was written below a file")
	}
}
