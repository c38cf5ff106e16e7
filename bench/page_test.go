package main

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// made are results as they could be: of chaff, of one that is twice as fast, and of one that failed.
func made() measured {
	m := &mail{name: "Made", train: make([]mailFile, 100), test: make([]mailFile, 20)}
	for i := range m.train {
		m.train[i] = mailFile{size: 10_000, spam: i%2 == 0}
	}
	files := []mailFile{{"a", true, 1}, {"b", false, 1}}
	right := judge(files, []answer{{"a", true, 2}, {"b", false, -2}}, 0)
	half := judge(files, []answer{{"a", false, 0.4}, {"b", false, 0.1}}, 0.5)
	timed := func(seconds ...float64) timing { return timing{cpu: seconds, wall: seconds, peak: 20_000_000} }
	return measured{mail: m, rounds: 2, results: []result{
		{entrant: entrant{id: defaultChaff(), name: "chaff"}, training: timed(1, 3), classifying: timed(0.1, 0.1), single: timed(0.01), bytes: 1_600_000, vocabulary: 100_000, judged: &right},
		{entrant: entrant{id: quickID("multinomial"), name: "chaff, not measured"}, training: timed(0.8)},
		{entrant: entrant{id: "bogofilter", name: "bogofilter", debian: "bogofilter"}, training: timed(1), classifying: timed(0.4, 0.4), single: timed(0.005), bytes: 3_000_000, judged: &half},
		{entrant: entrant{id: "fasttext", name: "fastText", debian: "fasttext"}, failure: errAbsent{"fasttext"}},
	}, workers: workers{timed(4), timed(2)}}
}

func TestTheTableOfCosts(t *testing.T) {
	want := `| program | train: messages/s | MB/s | peak MB | classify in bulk: messages/s | peak MB | one message: ms | database: MB | terms | bytes a term | accuracy | (1-ROCA)% | notes |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
| chaff | 50 | 0.5 | 20.0 | 200 | 20.0 | 10.0 | 1.6 | 100,000 | 16.0 | 100.00% | 0.0000 |  |
| chaff, not measured | 125 | 1.2 | 20.0 | - | - | - | - | - | - | - | - | trained once |
| bogofilter | 100 | 1.0 | 20.0 | 50 | 20.0 | 5.0 | 3.0 | - | - | 50.00% | 0.0000 | trained once |
| fastText | - | - | - | - | - | - | - | - | - | - | - | not installed: apt-get install --no-install-recommends fasttext |
`
	if diff := cmp.Diff(want, made().costs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRatiosAreChaffOverTheOthers(t *testing.T) {
	_, rows, _ := strings.Cut(made().ratios(), "|---|---|---|---|---|---|\n")
	want := `| bogofilter | 0.50 | - | - | 4.00 | 0.50 |
| fastText | - | - | - | - | - |
`
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheSameWork(t *testing.T) {
	want := "The same work, one fit to all messages and no figures: times as fast as bogofilter: votes -, multinomial 1.25, softmax -.\n"
	if got := made().sameWork(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTwoWorkers(t *testing.T) {
	if got, want := made().twoWorkers(), "Two workers train 2.00 times as fast as one, by the clock.\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheAccuracyOfVerdictsAndOfTheMiddle(t *testing.T) {
	got := made().accuracies()
	if want := "| bogofilter | 50.00% (9.45-90.55) | 0.00 | 100.00 | 50.00% | 0.00 | 100.00 | 0.0000 |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %s", got)
	}
}

func TestWhatFailedAndWhatIsMissingIsNoted(t *testing.T) {
	r := result{failure: errors.New("train: a | b"), judged: &judged{missing: 2}}
	if got, want := r.note(3), "train: a / b; 2 messages without an answer count as ham"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestThePageTellsHowItWasMade(t *testing.T) {
	p := page{command: "go run ./bench CORPORA/made", date: "2020-02-02", machine: "a machine", chaff: "chaff 1", corpora: []measured{made()},
		runner: runner{rounds: 3, singles: 41, slow: time.Minute, heavy: 200 * time.Millisecond}, entrants: []entrant{bogofilter()}, versions: map[string]string{"bogofilter": "1.2.5"}}
	got := p.text()
	for _, want := range []string{
		"\n```\ngo run ./bench CORPORA/made\n```\n", "on 2020-02-02, on a machine, with chaff 1.", "\n## Made\n", "| bogofilter | 1.2.5 | `bogofilter -n -b`",
		"120 messages, of which 70 are ham and 50 spam; 0 copies were left out. Trained on 100 (1.0 MB), tested on 20 (0.0 MB).",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "%!") {
		t.Errorf("a figure has no place:\n%s", got)
	}
}

func TestTheCommandLine(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		ok   bool
		want options
	}{
		{"writes the page of all programs", []string{"x/sa.tar.xz"}, true, options{output: "docs/inside/benchmarks.md"}},
		{"leaves the page alone with -only", []string{"-only", "chaff,bogofilter", "sa"}, true, options{only: []string{"chaff", "bogofilter"}}},
		{"writes where it is told", []string{"-o", "page", "-only", "chaff", "sa"}, true, options{only: []string{"chaff"}, output: "page"}},
		{"needs a corpus", nil, false, options{}},
		{"needs a round", []string{"-rounds", "0", "sa"}, false, options{}},
		{"needs a name for each corpus", []string{"-corpus", "A,B", "sa"}, false, options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parse(c.args, io.Discard)
			if (err == nil) != c.ok {
				t.Fatalf("%v", err)
			}
			if c.ok && (got.output != c.want.output || !slices.Equal(got.only, c.want.only)) {
				t.Errorf("got %+v", got)
			}
		})
	}
	o, err := parse([]string{"-rounds", "3", "x/y/sa", "z/enron.tar.xz"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := o.commandLine(), "go run ./bench -rounds 3 CORPORA/sa CORPORA/enron.tar.xz"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestProgramsAreChosenByTheBeginningOfTheirIDs(t *testing.T) {
	all := everyone("chaff", "scripts")
	some, err := chosen(all, []string{"sklearn", "bogofilter"})
	if err != nil || len(some) != 3 {
		t.Errorf("%d, %v", len(some), err)
	}
	if same, err := chosen(all, nil); err != nil || len(same) != len(all) {
		t.Errorf("%d of %d, %v", len(same), len(all), err)
	}
	if _, err := chosen(all, []string{"mutt"}); err == nil || err.Error() != `-only: unknown program "mutt"` {
		t.Errorf("got %v", err)
	}
}
