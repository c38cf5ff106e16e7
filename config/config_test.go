package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// written returns the path of a file with a text. The ending of its name says which format that is.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, s Sources) Loaded {
	t.Helper()
	l, err := Load(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestDefaultsAreValid(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(Default(), load(t, Sources{}).Config); diff != "" {
		t.Errorf("without sources the settings are not the defaults (-want +got):\n%s", diff)
	}
}

func TestGoodFilesLoad(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no good files: %v", err)
	}
	want := Default()
	want.Model = "bernoulli"
	want.Seed = 7
	want.Split.Train, want.Split.Development, want.Split.Test = 0.5, 0.25, 0.25
	want.Tokenize.Language = "none"
	want.Tokenize.IgnoreHeaders = []string{"X-Mailer", "x-our-*"}
	want.Tokenize.Received = true
	want.Models.Bernoulli.Smoothing = 0.5
	want.Models.Bernoulli.Prior = "uniform"
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			l := load(t, Sources{File: file})
			if diff := cmp.Diff(want, l.Config); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
			if got := l.Origins["models.bernoulli.smoothing"]; got != "file" {
				t.Errorf("origin of models.bernoulli.smoothing is %q, want file", got)
			}
			if got := l.Origins["models.multinomial.smoothing"]; got != "" {
				t.Errorf("origin of models.multinomial.smoothing is %q, want none", got)
			}
		})
	}
}

// TestBadFilesAreRefused has one file for each rule.
func TestBadFilesAreRefused(t *testing.T) {
	want := map[string]string{
		"unknown_key.toml":       `unknown setting "tokenize.langauge" in testdata/bad/unknown_key.toml: did you mean tokenize.language?`,
		"missing_section.toml":   `unknown setting "smoothing" in testdata/bad/missing_section.toml: did you mean models.votes.smoothing?`,
		"unknown_model.yaml":     `model is "bayes": must be one of bernoulli, multinomial, perceptron, averaged-perceptron, multiclass-perceptron, tanh, lms, softmax, passive-aggressive, votes, memoriser, majority`,
		"not_toml.toml":          `configuration testdata/bad/not_toml.toml, line 1, column 10: expected character ]: [tokenize`,
		"wrong_type.toml":        `models.bernoulli.smoothing is "much": must be a number`,
		"bool_for_number.toml":   `seed is true: must be a whole number, not negative`,
		"number_for_bool.toml":   `tokenize.pairs is 3: must be true or false`,
		"seed.toml":              `seed is -1: must be a whole number, not negative`,
		"list_for_number.toml":   `workers is [1, 2]: must be a whole number`,
		"fraction.toml":          `tokenize.max_length is 2.5: must be a whole number`,
		"fraction_for_text.toml": `memory is 2.5: must be a text`,
		"larger_number.yaml":     `workers is 18446744073709551615: must be a whole number`,
		"large_number.json":      `tokenize.gram_text_bytes is 1e+30: must be a whole number`,
		"serve.toml":             `serve.max_seconds is 0: must be from 0.01 to 600`,
		"store.toml":             `store.max_age is -1: must be at least 0`,
		"read_days.toml":         `mailbox.read_days is 200000: must be from 0 to 36500`,
		"keep.toml":              `share.keep is 200000: must be from 1 to 36500`,
		"negative.toml":          `models.multinomial.smoothing is -1: must be 0, or from 1e-10 to 1e6`,
		"shares.json":            `split.`,
		"split_method.toml":      `split.method is "random"`,
		"language.toml":          `tokenize.language is "german": must be english, french, hungarian, norwegian, russian, spanish, swedish or none`,
		"pattern.toml":           `tokenize.ignore_headers has the entry "x-[": must be a header name or a pattern with *`,
		"prior.toml":             `models.bernoulli.prior is "ham:0.5": `,
		"thresholds.toml":        `thresholds.ham_lost is 101: must be a percentage from 0 to 100`,
		"document_frequency.yml": `features.min_document_frequency is 0: must be at least 1`,
		"limits.toml":            `message.max_depth is -1: `,
		"workers.toml":           `workers is -2: must be from 0 to 1000`,
		"ending.conf":            `configuration testdata/bad/ending.conf: its name must end in .toml, .yaml or .json`,
	}
	files, err := filepath.Glob("testdata/bad/*")
	if err != nil || len(files) != len(want) {
		t.Fatalf("%d bad files, %d expected messages: %v", len(files), len(want), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, err := Load(Sources{File: file})
			expected, ok := want[filepath.Base(file)]
			if err == nil || !ok || !strings.HasPrefix(err.Error(), expected) {
				t.Errorf("got %v, want %s...", err, expected)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("one fault has more than one line: %v", err)
			}
		})
	}
}

func TestANumberOfAFileIsReadAsItIsOrRefused(t *testing.T) {
	for ending, text := range map[string]string{"toml": "tokenize.max_tokens = 4294967297", "yaml": "tokenize: {max_tokens: 4294967297}", "json": `{"tokenize": {"max_tokens": 4294967297}}`} {
		l, err := Load(Sources{File: written(t, "file."+ending, text)})
		if got := int64(l.Tokenize.MaxTokens); err == nil && got != 4294967297 || (err == nil) != (strconv.IntSize == 64) {
			t.Errorf("%s: got %d, %v", ending, got, err)
		}
	}
}

func TestAFileMayBeginWithAByteOrderMark(t *testing.T) {
	wide := func(text string) string { return strings.Join(strings.Split(text, ""), "\x00") + "\x00" }
	for name, text := range map[string]string{
		"utf-8.toml": "\ufeffseed = 7\r\n", "utf-8.json": "\ufeff{\"seed\": 7}", "utf-8.yaml": "\ufeffseed: 7\r\n",
		"utf-16le.toml": "\xff\xfe" + wide("seed = 7\r\n"), "utf-16be.json": "\xfe\xff\x00" + strings.TrimSuffix(wide(`{"seed": 7}`), "\x00"),
	} {
		if l, err := Load(Sources{File: written(t, name, text)}); err != nil || l.Seed != 7 {
			t.Errorf("%s: seed is %d, %v", name, l.Seed, err)
		}
	}
}

func TestOddValuesAreReadAsWhatTheyAreOrRefused(t *testing.T) {
	for _, tt := range []struct{ name, file, text, key, want string }{
		{"a number that JSON rounds", "a.json", `{"seed": 9007199254740993}`, "seed", "error"},
		{"the largest number that JSON does not round", "a.json", `{"seed": 9007199254740991}`, "seed", "9007199254740991"},
		{"a number before an empty second document", "a.yaml", "---\nseed: 7\n...\n---\n# nothing\n", "seed", "7"},
		{"zeros before a number", "a.toml", `seed = "010"`, "seed", "10"},
		{"a number in hexadecimal digits", "a.toml", `seed = 0x10`, "seed", "16"},
		{"null in a list", "a.json", `{"tokenize": {"headers": [null]}}`, "tokenize.headers", "error"},
		{"a table for a setting", "a.toml", "workers = {}", "workers", "error"},
		{"sections that differ in case", "a.toml", "[Share]\nkeep = 2\n[share]\nrate = 3", "share.rate", "3"},
		{"a setting twice", "a.yaml", "seed: 7\nSEED: 7", "seed", "error"},
		{"a setting twice by its two names", "a.toml", "[log]\nmax_age = 7\n[store]\nmax_age = 7", "store.max_age", "error"},
		{"a path of the shell", "a.toml", "[share]\nca_file = '~/ca'", "share.ca_file", "error"},
		{"a colon behind the name of a field", "a.toml", "[tokenize]\nheaders = ['Subject:']", "tokenize.headers", "error"},
		{"workers for all of memory", "a.toml", "workers = 9223372036854775807", "workers", "error"},
		{"a queue without an end", "a.toml", "serve.queue = 9223372036854775807", "serve.queue", "error"},
		{"a rate of which nothing is left", "a.toml", "models.softmax.learning_rate = 1e-320", "models.softmax.learning_rate", "error"},
	} {
		l, err := Load(Sources{File: written(t, tt.file, tt.text)})
		got, _ := find(settings(l.Config), tt.key)
		if text := fmt.Sprint(got.value); err == nil && text != tt.want || err != nil && tt.want != "error" {
			t.Errorf("%s: got %s, %v, want %s", tt.name, text, err, tt.want)
		}
		if err != nil && (!strings.HasPrefix(err.Error(), tt.key+" ") || !strings.Contains(err.Error(), tt.file) || len(err.Error()) > 300) {
			t.Errorf("%s: the error names no key or no file: %.400v", tt.name, err)
		}
	}
}

func TestFilesOfManyStrangeKeysEndSoonInAFewLines(t *testing.T) {
	var many strings.Builder
	for i := range 500 {
		fmt.Fprintf(&many, "k%d = 1\n", i)
	}
	for name, text := range map[string]string{
		"deep.json": strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000),
		"deep.toml": strings.Repeat("a.", 9000) + "a = 1",
		"long.toml": strings.Repeat("k", 100_000) + " = 1",
		"many.toml": many.String(),
	} {
		_, err := Load(Sources{File: written(t, name, text)})
		if err == nil || strings.Count(err.Error(), "\n") > 10 || len(err.Error()) > 3000 {
			t.Errorf("%s: got %.3000v", name, err)
		}
	}
}

func TestLaterSourcesWin(t *testing.T) {
	s := Sources{
		File:    "testdata/good/settings.toml",
		Environ: []string{"CHAFF_SEED=8", "CHAFF_TOKENIZE_LANGUAGE=", "CHAFF_MODELS_BERNOULLI_SMOOTHING=0.25", "CHAFF_TOKENIZE_HEADERS=from, subject", "OTHER=1"},
		Set:     []Setting{{"seed", "9"}, {"Tokenize.Symbols", "false"}},
	}
	l := load(t, s)
	if l.Seed != 9 || l.Origins["seed"] != "command line" {
		t.Errorf("seed is %d from the %s, want 9 from the command line", l.Seed, l.Origins["seed"])
	}
	if got := l.Models.Bernoulli.Smoothing; got != 0.25 || l.Origins["models.bernoulli.smoothing"] != "environment" {
		t.Errorf("smoothing is %v from the %s, want 0.25 from the environment", got, l.Origins["models.bernoulli.smoothing"])
	}
	if diff := cmp.Diff([]string{"from", "subject"}, l.Tokenize.Headers); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if got := l.Origins["tokenize.language"]; got != "file" {
		t.Errorf("language is from the %s, want the file beside a variable without a text", got)
	}
	if l.Tokenize.Symbols {
		t.Error("symbols is true, want false from the command line")
	}
}

func TestUnknownNamesNameTheNearest(t *testing.T) {
	tests := []struct {
		name string
		s    Sources
		want string
	}{
		{"a misspelt variable", Sources{Environ: []string{"CHAFF_SEDE=1"}},
			`unknown setting "CHAFF_SEDE" in the environment: did you mean CHAFF_SEED?`},
		{"nothing like it in the environment", Sources{Environ: []string{"CHAFF_NOPE=1"}},
			`unknown setting "CHAFF_NOPE" in the environment: no setting has a similar name`},
		{"a misspelt setting", Sources{Set: []Setting{{"split.metod", "time"}}},
			`unknown setting "split.metod" on the command line: did you mean split.method?`},
		{"a setting without its section", Sources{Set: []Setting{{"language", "none"}}},
			`unknown setting "language" on the command line: did you mean tokenize.language?`},
		{"one that several models have: the model in use", Sources{Set: []Setting{{"smoothing", "1"}, {"model", "multinomial"}}},
			`unknown setting "smoothing" on the command line: did you mean models.multinomial.smoothing?`},
		{"in the section of another model", Sources{Set: []Setting{{"models.votes.prior", "uniform"}}},
			`unknown setting "models.votes.prior" on the command line: did you mean models.bernoulli.prior?`},
		{"a part of a name in its section", Sources{Set: []Setting{{"models.softmax.rate", "1"}}},
			`unknown setting "models.softmax.rate" on the command line: did you mean models.softmax.learning_rate?`},
		{"a search that is no list", Sources{Set: []Setting{{"tune.search.models.softmax.rate", "1"}}},
			`unknown setting "tune.search.models.softmax.rate" on the command line: each setting to search is a table [[tune.search]] with its key and values`},
		{"a model that is gone", Sources{Set: []Setting{{"model", "complement"}}},
			`the model complement is gone: use multinomial`},
		{"nothing like a setting", Sources{Set: []Setting{{"foo", "1"}}},
			`unknown setting "foo" on the command line: no setting has a similar name`},
		{"no number", Sources{Set: []Setting{{"thresholds.ham_lost", ""}}},
			`thresholds.ham_lost is "": must be a number`},
		{"neither true nor false", Sources{Set: []Setting{{"tokenize.pairs", ""}}},
			`tokenize.pairs is "": must be true or false`},
		{"a section", Sources{Set: []Setting{{"tokenize", "1"}}},
			`unknown setting "tokenize" on the command line: it is a section: name a setting in it, such as tokenize.language`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(tt.s)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestSettingsThatAreGoneAreNamedAndTheRestIsRead(t *testing.T) {
	file := written(t, "old.toml", "seed = 7\n[models.hybrid]\nepochs = 2\nbayes_share = 0.3\n[models.votes]\nepochs = 3\n")
	l := load(t, Sources{File: file, Environ: []string{"CHAFF_MODELS_AROW_EPOCHS=5", "CHAFF_WORKERS=2"}, Set: []Setting{{"tokenize.classes", "true"}, {"models.lms.patience", "2"}}})
	want := []string{
		"models.hybrid.bayes_share in " + file + " has no effect: it is gone",
		"models.hybrid.epochs in " + file + " has no effect: it is gone",
		"CHAFF_MODELS_AROW_EPOCHS in the environment has no effect: it is gone",
		"tokenize.classes on the command line has no effect: it is gone",
		"models.lms.patience on the command line has no effect: it is gone",
	}
	if diff := cmp.Diff(want, l.Gone); diff != "" {
		t.Errorf("settings that are gone (-want +got):\n%s", diff)
	}
	if l.Seed != 7 || l.Models.Votes.Epochs != 3 || l.Workers != 2 {
		t.Errorf("the rest was not read: seed %d, %d epochs, %d workers", l.Seed, l.Models.Votes.Epochs, l.Workers)
	}
}

func TestAllFaultsAreReportedTogether(t *testing.T) {
	_, err := Load(Sources{Set: []Setting{{"workers", "-1"}, {"tokenize.max_length", "0"}, {"models.bernoulli.smoothing", "-1"}}})
	if err == nil || len(strings.Split(err.Error(), "\n")) != 3 {
		t.Errorf("got %v, want three lines", err)
	}
}

func TestTheDefaultFileMayBeMissing(t *testing.T) {
	if l := load(t, Sources{DefaultFile: filepath.Join(t.TempDir(), "config.toml")}); l.File != "" {
		t.Errorf("read %s, which does not exist", l.File)
	}
	_, err := Load(Sources{File: "testdata/nowhere.toml"})
	if err == nil || err.Error() != "configuration testdata/nowhere.toml: file does not exist" {
		t.Errorf("a missing file that was asked for: got %v", err)
	}
}

func TestAPrintedConfigurationLoadsAgain(t *testing.T) {
	odd := Setting{"serve.http_hosts", "a\x1b\a\v\x7f\u009b\u202e\U000e0041,b\"\\\n'c,ä 日本"}
	l := load(t, Sources{File: "testdata/good/settings.toml", Set: []Setting{odd}})
	if len(l.Serve.HTTPHosts) != 3 {
		t.Fatalf("the odd names are %q", l.Serve.HTTPHosts)
	}
	var b strings.Builder
	for _, v := range l.Describe() {
		b.WriteString(v.Key + " = " + valueTOML(v.Value) + "\n")
	}
	if diff := cmp.Diff(l.Config, load(t, Sources{File: written(t, "again.toml", b.String())}).Config); diff != "" {
		t.Errorf("settings (-printed +loaded):\n%s", diff)
	}
}

func ExampleLoad() {
	loaded, err := Load(Sources{
		Environ: []string{"CHAFF_TOKENIZE_LANGUAGE=none"},
		Set:     []Setting{{"models.bernoulli.smoothing", "0.5"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(loaded.Tokenize.Language, loaded.Models.Bernoulli.Smoothing, loaded.Origins["tokenize.language"])
	// Output: none 0.5 environment
}

func TestAHugeFileIsRefusedUnread(t *testing.T) {
	path := written(t, "huge.toml", strings.Repeat("# text\n", 1<<16))
	if _, err := Load(Sources{File: path}); err == nil || !strings.HasSuffix(err.Error(), "huge.toml: it is larger than 256 kB") {
		t.Errorf("got %v", err)
	}
}

func TestSizesHaveUnits(t *testing.T) {
	sizes := map[string]int64{
		"0": 0, "4096": 4096, "17B": 17, "5kB": 5000, "300MB": 300e6, "300 mb": 300e6, "2G": 2e9, "1.5GB": 1.5e9, " 1TB ": 1e12, "1e3MB": 1e9,
	}
	for text, want := range sizes {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "-1MB", "many", "3 apples", "1MMB", "NaN", "Inf", "1e30TB"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q is %d bytes", text, got)
		}
	}
}

func TestAFaultInAFileHasItsLine(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"a value is missing in TOML", "a.toml", "model = \"votes\"\nseed = \n", `, line 2, column 8: incomplete number: seed =`},
		{"a second document of YAML", "a.yaml", "# first\n---\nseed: 1\n---\nseed: 2\n", `: it has a second document, below a line ---: leave out one of them`},
		{"a second document, indented, below an empty one", "a.yaml", "---\n---\n  seed: 2\n", `: it has a second document, below a line ---: leave out one of them`},
		{"a second document below nothing", "a.yaml", "seed: 1\n---\n---\nseed: 2\n", `: it has a second document, below a line ---: leave out one of them`},
		{"a second document in the line of its beginning", "a.yaml", "seed: 1\n--- {seed: 2}\n", `: it has a second document, below a line ---: leave out one of them`},
		{"a mapping in a mapping of YAML", "a.yaml", "seed: 1\nmodel: b: c\n", `, line 2: mapping values are not allowed in this context: model: b: c`},
		{"the first line of YAML", "a.yml", "model: b: c\n", `, line 1: mapping values are not allowed in this context: model: b: c`},
		{"a comma too many in JSON", "a.json", "{\n \"seed\": 1,\n}\n", `, line 3, column 1: invalid character '}' looking for beginning of object key string: }`},
		{"the end is missing in JSON", "b.json", "{\"seed\": 1", `, line 1, column 10: unexpected end of JSON input: {"seed": 1`},
		{"a long line is cut", "b.toml", "seed = \"0123456789012345678901234567890123456789012345678901234567890123456789\n", `, line 1, column 79: basic strings cannot have new lines: seed = "0123456789012345678901234567890123456789012345678901...`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := written(t, tt.file, tt.text)
			_, err := Load(Sources{File: path})
			if want := "configuration " + path + tt.want; err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
	if _, err := Load(Sources{File: t.TempDir()}); err == nil {
		t.Error("a folder was read as a configuration")
	}
}
