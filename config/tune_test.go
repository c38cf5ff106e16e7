package config

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plan returns the trials of a TOML file as text, "key = value; key = value" each.
func plan(t *testing.T, text string) ([]string, []Trial) {
	t.Helper()
	p, err := load(t, Sources{File: written(t, "search.toml", text)}).Plan()
	if err != nil {
		t.Fatal(err)
	}
	var trials []string
	for _, trial := range p {
		var choices []string
		for _, choice := range trial.Choices {
			choices = append(choices, choice.Key+" = "+valueTOML(choice.Value))
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
values = [0.001, 0.1, 10]
[[tune.search]]
key = "features.min_document_frequency"
values = [1, 3, 4]
[[tune.search]]
key = "tokenize.headers"
values = ["*", "subject, from"]
`)
	var want []string
	for _, l2 := range []string{"0.001", "0.1", "10"} {
		for _, frequency := range []string{"1", "3", "4"} {
			for _, headers := range []string{`["*"]`, `["subject", "from"]`} {
				want = append(want, "models.softmax.l2 = "+l2+"; features.min_document_frequency = "+frequency+"; tokenize.headers = "+headers)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trials (-want +got):\n%s", diff)
	}
	c := p[3].Config
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
	if r := p[1].Config.Models.Softmax.LearningRate; r != Default().Models.Softmax.LearningRate {
		t.Errorf("a trial of multinomial changes softmax's setting to %v", r)
	}
}

const randomSearch = `model = "multinomial"

[tune]
method = "random"
trials = 40
[[tune.search]]
key = "models.multinomial.smoothing"
values = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]
[[tune.search]]
key = "features.min_document_frequency"
values = [1, 2, 3]
`

func TestRandomTrialsDoNotRepeat(t *testing.T) {
	got, p := plan(t, randomSearch)
	if len(got) != 40 || len(slices.Compact(slices.Sorted(slices.Values(got)))) != 40 {
		t.Fatalf("%d trials, want 40 different ones: %q", len(got), got)
	}
	frequencies := make(map[int]int)
	for _, trial := range p {
		frequencies[trial.Config.Features.MinDocumentFrequency]++
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

func TestTheSameSearchInEachFormat(t *testing.T) {
	files := map[string]string{
		".toml": "[tune]\nmethod = \"random\"\n[[tune.search]]\nkey = \"models.softmax.learning_rate\"\nvalues = [1, 2.5]\n" +
			"[[tune.search]]\nkey = \"model\"\nvalues = [\"softmax\"]\n",
		".yaml": "tune:\n  method: random\n  search:\n  - {key: models.softmax.learning_rate, values: [1, 2.5]}\n  - key: model\n    values: [softmax]\n",
		".json": `{"tune": {"method": "random", "search": [{"key": "models.softmax.learning_rate", "values": [1, 2.5]}, {"key": "model", "values": ["softmax"]}]}}`,
	}
	want := Default().Tune
	want.Method = "random"
	for ending, text := range files {
		l := load(t, Sources{File: written(t, "search"+ending, text)})
		var got []string // a whole number is an integer in TOML, and a fraction in JSON
		for _, entry := range l.Tune.Search {
			got = append(got, entry.TOML())
		}
		l.Tune.Search = nil
		if diff := cmp.Diff(want, l.Tune); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ending, diff)
		}
		if diff := cmp.Diff([]string{
			"[[tune.search]]\nkey = \"models.softmax.learning_rate\"\nvalues = [1, 2.5]\n",
			"[[tune.search]]\nkey = \"model\"\nvalues = [\"softmax\"]\n",
		}, got); diff != "" {
			t.Errorf("%s: search (-want +got):\n%s", ending, diff)
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
values = [1e-07, 20]

[[tune.search]]
key = "models.passive_aggressive.averaged"
values = [true, false]

[[tune.search]]
key = "models.softmax.learning_rate"
values = [0.5, 1, 1e+08]
`
	want := load(t, Sources{File: written(t, "search.toml", text)}).Tune.Search
	printed := "[tune]\n"
	for _, entry := range want {
		printed += entry.TOML() + "\n"
	}
	if len(want) != 4 || strings.TrimSpace(printed) != strings.TrimSpace(text) {
		t.Errorf("%d entries, printed as\n%s", len(want), printed)
	}
	if diff := cmp.Diff(want, load(t, Sources{File: written(t, "search.toml", printed)}).Tune.Search); diff != "" {
		t.Errorf("search (-printed +loaded):\n%s", diff)
	}
}

func TestOtherSourcesChangeTheBaseAndNotTheSearch(t *testing.T) {
	l := load(t, Sources{
		File:    written(t, "search.toml", randomSearch),
		Environ: []string{"CHAFF_TUNE_TRIALS=7", "CHAFF_TOKENIZE_LANGUAGE=none"},
		Set:     []Setting{{"models.multinomial.features", "counts"}},
	})
	p, err := l.Plan()
	if err != nil || len(p) != 7 {
		t.Fatalf("%d trials, want 7: %v", len(p), err)
	}
	for _, trial := range p {
		if c := trial.Config; c.Tokenize.Language != "none" || c.Models.Multinomial.Features != "counts" {
			t.Errorf("a trial has another base: %+v", c)
		}
	}
}

func TestDifferencesLoadAgain(t *testing.T) {
	_, p := plan(t, "seed = 5\nworkers = 3\nmodel = \"softmax\"\n[tune]\n[[tune.search]]\nkey = \"models.softmax.l2\"\nvalues = [0.5]\n[[tune.search]]\nkey = \"tokenize.headers\"\nvalues = [\"subject\"]\n")
	want := p[0].Config
	text := TOML(want.Differences(), nil)
	if text != "model = \"softmax\"\nseed = 5\n\n[tokenize]\nheaders = [\"subject\"]\n\n[models.softmax]\nl2 = 0.5\n" {
		t.Errorf("got\n%s", text)
	}
	want.Workers = 0
	if diff := cmp.Diff(want, load(t, Sources{File: written(t, "search.toml", text)}).Config); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

// TestBadSearchesAreRefused holds the complaint about each rule, whether it comes from loading or from planning.
func TestBadSearchesAreRefused(t *testing.T) {
	entry := func(lines string) string { return "[tune]\n[[tune.search]]\nkey = \"seed\"\n" + lines }
	with := func(key, lines string) string { return strings.Replace(entry(lines), "seed", key, 1) }
	tests := map[string]struct{ text, want string }{
		"an unknown key of the section": {"[tune]\nmetod = \"grid\"", `unknown setting "tune.metod" in FILE: did you mean tune.method?`},
		"an unknown key of an entry":    {entry("vlaues = [1]"), "tune.search in FILE: entries under [[tune.search]] have a key, a text, and values, a list: '[0]' has invalid keys: vlaues"},
		"an entry that is no table":     {"[tune]\nsearch = [1]", "tune.search in FILE: entries under [[tune.search]] have a key, a text, and values, a list: "},
		"a search that is no list":      {"[tune.search]\nkey = \"model\"", `unknown setting "tune.search.key" in FILE`},
		"a search without a key":        {"[tune.search]", "tune.search in FILE: entries under [[tune.search]] have a key, a text, and values, a list: "},
		"a range":                       {entry("from = 1"), "tune.search in FILE: entries under [[tune.search]] have a key, a text, and values, a list: '[0]' has invalid keys: from"},
		"a text for a list":             {entry("values = \"low\""), "tune.search in FILE: entries under [[tune.search]] have a key, a text, and values, a list: '[0].values' "},
		"an unknown method":             {"[tune]\nmethod = \"bayes\"", `tune.method is "bayes": must be grid or random`},
		"the method of an old version":  {"[tune]\nmethod = \"halving\"", `tune.method is "halving": must be grid or random`},
		"no trials":                     {"[tune]\ntrials = 0", "tune.trials is 0: must be from 1 to 10000"},
		"an unknown objective":          {"[tune]\nobjective = \"f1\"", `tune.objective is "f1": must be accuracy, one_minus_roca, lam, log_loss`},
		"no key":                        {"[tune]\n[[tune.search]]\nvalues = [1]", "tune.search, entry 1 (): key is missing"},
		"an unknown setting":            {with("models.sofmax.l2", "values = [1]"), `tune.search, entry 1 (models.sofmax.l2): unknown setting "models.sofmax.l2" as its key: did you mean models.softmax.l2?`},
		"the seed":                      {entry("values = [1, 2]"), "tune.search, entry 1 (seed): cannot be searched: it decides which messages are development mail"},
		"the split":                     {with("split.method", `values = ["hash"]`), "tune.search, entry 1 (split.method): cannot be searched"},
		"the workers":                   {with("workers", "values = [1, 2]"), "tune.search, entry 1 (workers): cannot be searched: it changes no result"},
		"limits of messages":            {with("message.max_parts", "values = [1, 2]"), "tune.search, entry 1 (message.max_parts): cannot be searched: the limits"},
		"the search itself":             {with("tune.trials", "values = [1, 2]"), "tune.search, entry 1 (tune.trials): describes the search"},
		"an empty list":                 {with("models.softmax.learning_rate", "values = []"), "tune.search, entry 1 (models.softmax.learning_rate): has no values to try"},
		"no list":                       {with("models.softmax.learning_rate", ""), "tune.search, entry 1 (models.softmax.learning_rate): has no values to try"},
		"values of the wrong type":      {with("models.softmax.epochs", "values = [1, 2.5]"), "tune.search, entry 1 (models.softmax.epochs): value 2.5: must be a whole number"},
		"a key twice":                   {with("model", `values = ["softmax"]`) + "\n[[tune.search]]\nkey = \"Model\"\nvalues = [\"lms\"]", "tune.search, entry 2 (Model): has the same key as entry 1"},
		"a value out of range":          {with("models.softmax.learning_rate", "values = [1, -1]"), "tune.search, entry 1 (models.softmax.learning_rate): models.softmax.learning_rate is -1: must be from 1e-10 to 1e6"},
		"an unknown model":              {with("model", `values = ["softmax", "bayes"]`), `tune.search, entry 1 (model): model is "bayes": must be one of`},
		"a setting of no model tried":   {with("models.softmax.learning_rate", "values = [1, 2]"), "tune.search, entry 1 (models.softmax.learning_rate): no trial has the model softmax: set model = \"softmax\", or search the key model too"},
		"too many combinations":         {with("models.multinomial.smoothing", "values = ["+strings.Repeat("1, ", 5001)+"]\n[[tune.search]]\nkey = \"features.max_terms\"\nvalues = [0, 10]"), "the grid has more than 10000 combinations"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			file := written(t, "search.toml", tt.text)
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
