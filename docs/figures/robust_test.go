package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/metrics"
)

func TestEveryProtocolHasRowsWithACellForEachModel(t *testing.T) {
	b, _ := inventedBench(t)
	inventedSpamAssassin(t, b)
	inventedEnron(t, b)
	want := map[string]int{"hash": 6, "flips": 3, "replay": 3, "replay-flips": 1, "twins": 1, "words": 4, "header": 1, "small": 2 * len(sizes())}
	for _, part := range []corpus.Part{corpus.Development, corpus.Test} {
		b.part = part
		models := []string{"multinomial", "majority"}
		r, err := protocolTest{b}.by(protocols(), models)
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]int)
		for _, row := range r.rows {
			got[row.protocol]++
			if len(row.cells) != len(models) || row.mail == "" || row.figure == "" {
				t.Errorf("row %+v of %d models", row, len(models))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || r.part != part {
			t.Errorf("judged on the %v part, rows (-want +got):\n%s", r.part, diff)
		}
		accuracy := r.rows[0]
		if accuracy.figure != "accuracy" || accuracy.cells[0] != "100.00%" || accuracy.cells[1] >= "60" {
			t.Errorf("judged on the %v part: %+v", part, accuracy)
		}
	}
}

func TestNamedProtocolsComeInTheOrderAsked(t *testing.T) {
	tests := map[string]struct {
		names []string
		want  []string
		wrong bool
	}{
		"one":           {[]string{"twins"}, []string{"twins"}, false},
		"two":           {[]string{"twins", "flips"}, []string{"twins", "flips"}, false},
		"all":           {[]string{"all"}, protocolNames(), false},
		"an unknown":    {[]string{"twins", "unknown"}, nil, true},
		"an empty name": {[]string{""}, nil, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			chosen, err := named(tt.names)
			var got []string
			for _, p := range chosen {
				got = append(got, p.name)
			}
			if (err != nil) != tt.wrong || !slices.Equal(got, tt.want) && !tt.wrong {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestAverage(t *testing.T) {
	tests := map[string]struct {
		of   []*float64
		want *float64
	}{
		"of two it is between them":                   {[]*float64{pointer(1), pointer(4)}, pointer(2.5)},
		"of nothing there is none":                    {nil, nil},
		"what is not defined once is not defined":     {[]*float64{pointer(1), nil}, nil},
		"of one it is that one, though it be nothing": {[]*float64{pointer(0)}, pointer(0)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, average(tt.of)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRobustText(t *testing.T) {
	r := robustness{part: corpus.Test, models: []string{"softmax", "lms"}, rows: []robustRow{{"twins", "SpamAssassin", "errors", []string{"1", "2"}}}}
	check(t, r.text(), `Tested on the test parts of 5 split seeds; Enron-Spam: means of its 6 corpora, one seed for small mailboxes:

| protocol | mail | figure | softmax | lms |
|---|---|---|---|---|
| twins | SpamAssassin | errors | 1 | 2 |
`)
}

func TestATrialPrintsItsRowsAndWritesNoPage(t *testing.T) {
	b, _ := inventedBench(t)
	inventedSpamAssassin(t, b)
	dir := t.TempDir()
	t.Chdir(dir) // there are no pages here, and -protocol does not miss them
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"-only", "robust", "-protocol", "replay,flips", "-part", "development", "-model", "multinomial,softmax",
		"-set", "tokenize.pairs=false", "-set", "models.softmax.epochs=1", b.corpora}, &stdout, &stderr)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	got := stdout.String()
	if !strings.HasPrefix(got, "Tested on the development parts") || strings.Count(got, "\n| replay |") != 3 || strings.Count(got, "\n| flips |") != 3 ||
		!strings.Contains(got, "| protocol | mail | figure | multinomial | softmax |\n") {
		t.Errorf("printed:\n%s", got)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("%d files were written, %v", len(files), err)
	}
}

func TestATrialRefuses(t *testing.T) {
	tests := map[string]struct {
		args []string
		code int
		want string
	}{
		"a part without a protocol":      {[]string{"-part", "test"}, 2, "-protocol"},
		"a model without a protocol":     {[]string{"-model", "softmax"}, 2, "-protocol"},
		"a setting without a protocol":   {[]string{"-set", "seed=2"}, 2, "-protocol"},
		"a protocol with another block":  {[]string{"-protocol", "twins", "-only", "noise"}, 2, "noise"},
		"a protocol that does not exist": {[]string{"-protocol", "unknown"}, 2, "unknown"},
		"a part that does not exist":     {[]string{"-protocol", "twins", "-part", "train"}, 2, "development or test"},
		"a setting without a value":      {[]string{"-protocol", "twins", "-set", "seed"}, 2, "KEY=VALUE"},
		"an unknown setting":             {[]string{"-protocol", "twins", "-set", "sede=2"}, 1, "sede"},
		"a folder without mail":          {[]string{"-protocol", "twins"}, 1, "missing"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), append(tt.args, "missing"), &stdout, &stderr)
			if code != tt.code || !strings.Contains(stderr.String(), tt.want) || stdout.Len() > 0 {
				t.Errorf("exit code %d, want %d; told: %s%s", code, tt.code, &stderr, &stdout)
			}
		})
	}
}

func TestTheModelOfATrialIsTheDefaultOne(t *testing.T) {
	b, _ := inventedBench(t)
	inventedSpamAssassin(t, b)
	try := trial{part: corpus.Test}
	if err := try.setProtocols("replay"); err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	if err := try.run(b, &stdout); err != nil {
		t.Fatal(err)
	}
	if want := "| protocol | mail | figure | " + b.settings.Model + " |\n"; !strings.Contains(stdout.String(), want) {
		t.Errorf("printed %s, want %s", &stdout, want)
	}
}

func TestSMAtHM(t *testing.T) {
	// Of 1,000 ham, n score above the spam at 2; of 4 spam, one is at 0, below all ham, and three are at 2.
	lost := func(n int) (ham, spam []float64) {
		for i := range 1000 {
			score := 1.0
			if i < n {
				score = 3
			}
			ham = append(ham, score)
		}
		return ham, []float64{0, 2, 2, 2}
	}
	oneLost, noSpam := lost(1)
	twoLost, _ := lost(2)
	tests := []struct {
		name      string
		ham, spam []float64
		hm        float64
		want      float64
		defined   bool
	}{
		{"the share that may be lost is lost, and the spam above the ham is caught", oneLost, noSpam, 0.1, 25, true},
		{"one ham too many moves the threshold above all spam", twoLost, noSpam, 0.1, 100, true},
		{"with a larger share the same ham may be lost", twoLost, noSpam, 0.2, 25, true},
		{"nothing may be lost", oneLost, noSpam, 0, 100, true},
		{"all may be lost, and so no spam is let through", oneLost, noSpam, 100, 0, true},
		{"a perfect order lets no spam through", []float64{1, 2}, []float64{3, 4}, 0, 0, true},
		{"spam that scores like ham is let through with it", []float64{1, 2}, []float64{2, 4}, 0, 50, true},
		{"there is no ham", nil, []float64{1}, 0.1, 0, false},
		{"there is no spam", []float64{1}, nil, 0.1, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scores, spam := slices.Concat(test.ham, test.spam), make([]bool, len(test.ham)+len(test.spam))
			for i := range test.spam {
				spam[len(test.ham)+i] = true
			}
			if got, defined := smAtHM(metrics.NewMargins(scores, spam), test.hm); got != test.want || defined != test.defined {
				t.Errorf("got %v, %v, want %v, %v", got, defined, test.want, test.defined)
			}
		})
	}
}
