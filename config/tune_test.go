package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// searchFile writes a configuration file whose ending says what it is.
func searchFile(t *testing.T, ending, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "search"+ending)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// plan returns the trials of a TOML file as text, "key = value; key = value" each.
func plan(t *testing.T, text string) ([]string, Plan) {
	t.Helper()
	p, err := load(t, Sources{File: searchFile(t, ".toml", text)}).Plan()
	if err != nil {
		t.Fatal(err)
	}
	var trials []string
	for _, trial := range p.Trials {
		var choices []string
		for _, choice := range trial.Choices {
			choices = append(choices, choice.String())
		}
		trials = append(trials, strings.Join(choices, "; "))
	}
	return trials, p
}

func TestAGridHasAllCombinationsInOrder(t *testing.T) {
	got, p := plan(t, `
model = "softmax"
[tune]
[[tune.search]]
key = "Models.Softmax.L2"
from = 0.001
to = 10
scale = "log"
steps = 3
[[tune.search]]
key = "features.min_document_frequency"
from = 1
to = 4
steps = 3
[[tune.search]]
key = "tokenize.headers"
values = ["*", "subject, from"]
`)
	var want []string
	for _, l2 := range []string{"0.001", "0.1", "10"} {
		for _, frequency := range []string{"1", "3", "4"} { // 2.5 is no whole number
			for _, headers := range []string{`["*"]`, `["subject", "from"]`} {
				want = append(want, "models.softmax.l2 = "+l2+"; features.min_document_frequency = "+frequency+"; tokenize.headers = "+headers)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trials (-want +got):\n%s", diff)
	}
	c := p.Trials[3].Config
	if c.Models.Softmax.L2 != 0.001 || c.Features.MinDocumentFrequency != 3 || !slices.Equal(c.Tokenize.Headers, []string{"subject", "from"}) || c.Model != "softmax" {
		t.Errorf("the fourth trial has the settings %+v", c)
	}
}

func TestSettingsOfOtherModelsDoNotCount(t *testing.T) {
	got, p := plan(t, `
[tune]
[[tune.search]]
key = "models.softmax.learning_rate"
values = [1, 2]
[[tune.search]]
key = "model"
values = ["softmax", "multinomial", "passive-aggressive"]
[[tune.search]]
key = "models.passive_aggressive.averaged"
values = [true, false]
`)
	want := []string{
		`models.softmax.learning_rate = 1; model = "softmax"`,
		`model = "multinomial"`,
		`model = "passive-aggressive"; models.passive_aggressive.averaged = true`,
		`model = "passive-aggressive"; models.passive_aggressive.averaged = false`,
		`models.softmax.learning_rate = 2; model = "softmax"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trials (-want +got):\n%s", diff)
	}
	if r := p.Trials[1].Config.Models.Softmax.LearningRate; r != Default().Models.Softmax.LearningRate {
		t.Errorf("a trial of multinomial changes softmax's setting to %v", r)
	}
}

const randomSearch = `model = "multinomial"

[tune]
method = "random"
trials = 40
[[tune.search]]
key = "models.multinomial.smoothing"
from = 0.001
to = 10
scale = "log"
[[tune.search]]
key = "features.min_document_frequency"
from = 1
to = 3
`

func TestRandomTrialsDoNotRepeat(t *testing.T) {
	got, p := plan(t, randomSearch)
	if len(got) != 40 || len(slices.Compact(slices.Sorted(slices.Values(got)))) != 40 {
		t.Fatalf("%d trials, want 40 different ones: %q", len(got), got)
	}
	frequencies, below := make(map[int]int), 0
	for _, trial := range p.Trials {
		s := trial.Config.Models.Multinomial.Smoothing
		if s < 0.001 || s > 10 {
			t.Errorf("smoothing %v is out of the range", s)
		}
		if s < 0.1 { // the middle of the logarithms
			below++
		}
		frequencies[trial.Config.Features.MinDocumentFrequency]++
	}
	if below < 10 || below > 30 {
		t.Errorf("%d of 40 are in the lower half of the scale", below)
	}
	if len(frequencies) != 3 || frequencies[1] < 5 || frequencies[2] < 5 || frequencies[3] < 5 {
		t.Errorf("frequencies %v, want each of 1 to 3 about as often", frequencies)
	}
	again, _ := plan(t, randomSearch)
	other, _ := plan(t, "seed = 2\n"+randomSearch)
	if !slices.Equal(got, again) || slices.Equal(got, other) {
		t.Error("the trials do not come from the seed alone")
	}
}

func TestARandomSearchEndsWhenThereIsNoMore(t *testing.T) {
	got, _ := plan(t, `
[tune]
method = "random"
[[tune.search]]
key = "tokenize.language"
values = ["none", "english"]
[[tune.search]]
key = "features.min_document_frequency"
values = [1, 2, 3]
`)
	if len(got) != 6 {
		t.Errorf("%d trials, want the 6 that there are: %q", len(got), got)
	}
}

func TestCombinationsThatAreNotValidAreLeftOut(t *testing.T) {
	got, p := plan(t, `
model = "softmax"
[tune]
[[tune.search]]
key = "models.softmax.method"
values = ["stochastic", "batch"]
[[tune.search]]
key = "models.softmax.l1"
values = [0, 1]
`)
	if len(got) != 3 || p.LeftOut != 1 || p.Reason == nil || !strings.Contains(p.Reason.Error(), "models.softmax.l1 is 1: must be 0 for the method batch") {
		t.Errorf("%q, %d left out: %v", got, p.LeftOut, p.Reason)
	}
}

func TestTheSameSearchInEachFormat(t *testing.T) {
	files := map[string]string{
		".toml": "[tune]\nmethod = \"random\"\ntime = \"1h30m\"\n[[tune.search]]\nkey = \"models.softmax.learning_rate\"\nfrom = 1\nto = 2.5\nscale = \"log\"\n" +
			"[[tune.search]]\nkey = \"model\"\nvalues = [\"softmax\"]\n",
		".yaml": "tune:\n  method: random\n  time: 1h30m\n  search:\n  - {key: models.softmax.learning_rate, from: 1, to: 2.5, scale: log}\n  - key: model\n    values: [softmax]\n",
		".json": `{"tune": {"method": "random", "time": "1h30m", "search": [{"key": "models.softmax.learning_rate", "from": 1, "to": 2.5, "scale": "log"}, {"key": "model", "values": ["softmax"]}]}}`,
	}
	from, to := 1.0, 2.5
	want := DefaultTune()
	want.Method, want.Time = "random", "1h30m"
	want.Search = []Search{{Key: "models.softmax.learning_rate", From: &from, To: &to, Scale: "log"}, {Key: "model", Values: []any{"softmax"}}}
	for ending, text := range files {
		l := load(t, Sources{File: searchFile(t, ending, text)})
		if diff := cmp.Diff(want, l.Tune); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ending, diff)
		}
		if l.Tune.Budget() != 90*time.Minute {
			t.Errorf("%s: the budget is %v", ending, l.Tune.Budget())
		}
	}
}

func TestAPrintedSearchLoadsAgain(t *testing.T) {
	const text = `[tune]
[[tune.search]]
key = "tokenize.headers"
values = ["*", "subject, from", ["x-\"a\"", "to"]]

[[tune.search]]
key = "models.softmax.l2"
from = 1e-07
to = 20
scale = "log"
steps = 3

[[tune.search]]
key = "models.passive_aggressive.averaged"
values = [true, false]

[[tune.search]]
key = "models.softmax.learning_rate"
values = [0.5, 1, 1e+08]
`
	want := load(t, Sources{File: searchFile(t, ".toml", text)}).Tune.Search
	printed := "[tune]\n"
	for _, entry := range want {
		printed += entry.TOML() + "\n"
	}
	if len(want) != 4 || strings.TrimSpace(printed) != strings.TrimSpace(text) {
		t.Errorf("%d entries, printed as\n%s", len(want), printed)
	}
	if diff := cmp.Diff(want, load(t, Sources{File: searchFile(t, ".toml", printed)}).Tune.Search); diff != "" {
		t.Errorf("search (-printed +loaded):\n%s", diff)
	}
}

func TestOtherSourcesChangeTheBaseAndNotTheSearch(t *testing.T) {
	l := load(t, Sources{
		File:    searchFile(t, ".toml", randomSearch),
		Environ: []string{"CHAFF_TUNE_TRIALS=7", "CHAFF_TOKENIZE_LANGUAGE=none"},
		Set:     []Setting{{"models.multinomial.features", "counts"}},
	})
	p, err := l.Plan()
	if err != nil || len(p.Trials) != 7 {
		t.Fatalf("%d trials, want 7: %v", len(p.Trials), err)
	}
	for _, trial := range p.Trials {
		if c := trial.Config; c.Tokenize.Language != "none" || c.Models.Multinomial.Features != "counts" {
			t.Errorf("a trial has another base: %+v", c)
		}
	}
}

func TestDifferencesLoadAgain(t *testing.T) {
	_, p := plan(t, "seed = 5\nworkers = 3\nmodel = \"softmax\"\n[tune]\n[[tune.search]]\nkey = \"models.softmax.l2\"\nvalues = [0.5]\n[[tune.search]]\nkey = \"tokenize.headers\"\nvalues = [\"subject\"]\n")
	want := p.Trials[0].Config
	text := TOML(want.Differences(), nil)
	if text != "model = \"softmax\"\nseed = 5\n\n[tokenize]\nheaders = [\"subject\"]\n\n[models.softmax]\nl2 = 0.5\n" {
		t.Errorf("got\n%s", text)
	}
	want.Workers = 0
	if diff := cmp.Diff(want, load(t, Sources{File: searchFile(t, ".toml", text)}).Config); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

// TestBadSearchesAreRefused holds the complaint about each rule, whether it comes from loading or from planning.
func TestBadSearchesAreRefused(t *testing.T) {
	entry := func(lines string) string { return "[tune]\n[[tune.search]]\nkey = \"seed\"\n" + lines }
	with := func(key, lines string) string { return strings.Replace(entry(lines), "seed", key, 1) }
	tests := map[string]struct{ text, want string }{
		"an unknown key of the section": {"[tune]\nmetod = \"grid\"", `unknown setting "tune.metod" in FILE: did you mean tune.method?`},
		"an unknown key of an entry":    {entry("vlaues = [1]"), `tune.search, entry 1 in FILE: unknown setting "vlaues": known are key, values, from, to, scale, steps`},
		"an entry that is no table":     {"[tune]\nsearch = [1]", "tune.search, entry 1 in FILE: is 1: must have a key"},
		"a search that is no list":      {"[tune.search]\nkey = \"model\"", `unknown setting "tune.search.key" in FILE`},
		"a text for a number":           {entry("from = \"low\""), `tune.search, entry 1 in FILE: from is "low": must be a number`},
		"an unknown method":             {"[tune]\nmethod = \"bayes\"", `tune.method is "bayes": must be grid or random`},
		"the method of an old version":  {"[tune]\nmethod = \"halving\"", `tune.method is "halving": must be grid or random`},
		"no trials":                     {"[tune]\ntrials = 0", "tune.trials is 0: must be from 1 to 10000"},
		"a time without a unit":         {"[tune]\ntime = \"10\"", `tune.time is "10": must be a time above 0`},
		"an unknown objective":          {"[tune]\nobjective = \"f1\"", `tune.objective is "f1": must be accuracy, one_minus_roca, lam, log_loss`},
		"no key":                        {"[tune]\n[[tune.search]]\nvalues = [1]", "tune.search, entry 1 (): key is missing"},
		"an unknown setting":            {with("models.sofmax.l2", "values = [1]"), `tune.search, entry 1 (models.sofmax.l2): unknown setting "models.sofmax.l2" as its key: did you mean models.softmax.l2?`},
		"the seed":                      {entry("values = [1, 2]"), "tune.search, entry 1 (seed): cannot be searched: it decides which messages are development mail"},
		"the split":                     {with("split.method", `values = ["hash"]`), "tune.search, entry 1 (split.method): cannot be searched"},
		"the refitting":                 {with("train.refit", "values = [true, false]"), "tune.search, entry 1 (train.refit): cannot be searched: trials are compared on models of the training part"},
		"the workers":                   {with("workers", "values = [1, 2]"), "tune.search, entry 1 (workers): cannot be searched: it changes no result"},
		"limits of messages":            {with("message.max_parts", "values = [1, 2]"), "tune.search, entry 1 (message.max_parts): cannot be searched: the limits"},
		"the search itself":             {with("tune.trials", "values = [1, 2]"), "tune.search, entry 1 (tune.trials): describes the search"},
		"an empty list":                 {with("models.softmax.learning_rate", "values = []"), "tune.search, entry 1 (models.softmax.learning_rate): has no values to try"},
		"neither values nor a range":    {with("models.softmax.learning_rate", ""), "tune.search, entry 1 (models.softmax.learning_rate): has no values to try"},
		"values of the wrong type":      {with("models.softmax.epochs", "values = [1, 2.5]"), "tune.search, entry 1 (models.softmax.epochs): value 2.5: must be a whole number"},
		"values and a range":            {with("models.softmax.epochs", "values = [1]\nfrom = 1\nto = 2"), "tune.search, entry 1 (models.softmax.epochs): has both values and a range"},
		"half a range":                  {with("models.softmax.epochs", "from = 1"), "tune.search, entry 1 (models.softmax.epochs): a range needs both from and to"},
		"a range upside down":           {with("models.softmax.epochs", "from = 2\nto = 2"), "tune.search, entry 1 (models.softmax.epochs): from 2 to 2: must be below it"},
		"a range without end":           {with("models.softmax.learning_rate", "from = 1\nto = inf"), "tune.search, entry 1 (models.softmax.learning_rate): from 1 to +Inf"},
		"a range of texts":              {with("model", "from = 1\nto = 2"), "tune.search, entry 1 (model): is a text, which has no range"},
		"a range of fractions":          {with("models.softmax.epochs", "from = 1\nto = 2.5\nsteps = 2"), "tune.search, entry 1 (models.softmax.epochs): from 1 to 2.5: must be a whole number"},
		"a scale of another name":       {with("models.softmax.epochs", "from = 1\nto = 2\nsteps = 2\nscale = \"square\""), `tune.search, entry 1 (models.softmax.epochs): scale is "square": must be linear or log`},
		"a scale from zero":             {with("models.softmax.l2", "from = 0\nto = 2\nsteps = 2\nscale = \"log\""), "tune.search, entry 1 (models.softmax.l2): from is 0: must be above 0 on the scale log"},
		"a grid without steps":          {with("models.softmax.l2", "from = 0\nto = 2"), "tune.search, entry 1 (models.softmax.l2): steps is missing"},
		"a single step":                 {with("models.softmax.l2", "from = 0\nto = 2\nsteps = 1"), "tune.search, entry 1 (models.softmax.l2): steps is 1: must be from 2 to 10000"},
		"a scale without a range":       {with("models.softmax.l2", "values = [1]\nscale = \"log\""), "tune.search, entry 1 (models.softmax.l2): scale and steps are about a range"},
		"a key twice":                   {with("model", `values = ["softmax"]`) + "\n[[tune.search]]\nkey = \"Model\"\nvalues = [\"lms\"]", "tune.search, entry 2 (Model): has the same key as entry 1"},
		"a value out of range":          {with("models.softmax.learning_rate", "values = [1, -1]"), "tune.search, entry 1 (models.softmax.learning_rate): models.softmax.learning_rate is -1: must be above 0"},
		"an end out of range":           {"model = \"softmax\"\n" + with("models.softmax.learning_rate", "from = 1\nto = 1e9\nsteps = 2"), "tune.search, entry 1 (models.softmax.learning_rate): models.softmax.learning_rate is 1e+09"},
		"an unknown model":              {with("model", `values = ["softmax", "bayes"]`), `tune.search, entry 1 (model): model is "bayes": must be one of`},
		"a setting of no model tried":   {with("models.softmax.learning_rate", "values = [1, 2]"), "tune.search, entry 1 (models.softmax.learning_rate): no trial has the model softmax: set model = \"softmax\", or search the key model too"},
		"too many combinations":         {with("models.multinomial.smoothing", "from = 1\nto = 2\nsteps = 5001\n[[tune.search]]\nkey = \"features.max_terms\"\nvalues = [0, 10]"), "the grid has more than 10000 combinations"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			file := searchFile(t, ".toml", tt.text)
			l, err := Load(Sources{File: file})
			if err == nil {
				_, err = l.Plan()
			}
			if err == nil || !strings.HasPrefix(err.Error(), strings.Replace(tt.want, "FILE", file, 1)) {
				t.Errorf("got %v, want %s...", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("one fault has more than one line: %v", err)
			}
		})
	}
}

func TestWithoutEntriesThereIsNothingToSearch(t *testing.T) {
	if _, err := Default().Plan(); !errors.Is(err, ErrNoSearch) {
		t.Errorf("got error %v", err)
	}
}
