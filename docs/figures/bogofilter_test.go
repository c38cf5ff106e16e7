package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/evaluate"
	"chaff/filter"
	"chaff/metrics"
	"chaff/test/corpustest"
)

func TestBogofilterLearns(t *testing.T) {
	if _, err := exec.LookPath("bogofilter"); err != nil {
		t.Skip("needs bogofilter: apt-get install bogofilter")
	}
	var hams, spams, items []corpus.Item
	for item, err := range letters(15) {
		if err != nil {
			t.Fatal(err)
		}
		if item.Label == sources.Ham {
			hams = append(hams, item)
		} else {
			spams = append(spams, item)
		}
	}
	for i := range hams {
		items = append(items, hams[i], spams[i])
	}
	answers, err := replayToBogofilter(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	if len(answers) != len(items) || answers[0] != (answer{verdict: filter.Unsure, score: unknownScore}) {
		t.Fatalf("%+v", answers)
	}
	late := figuresOfBogofilter(answers[len(answers)-10:])
	if late.Accuracy != 100 || *late.OneMinusROCA != 0 {
		t.Errorf("of the last ten %.0f%% are right: %+v", late.Accuracy, answers)
	}
}

func TestFiguresOf(t *testing.T) {
	answers := []answer{{filter.Spam, true, 1}, {filter.Unsure, true, 0.6}, {filter.Unsure, false, 0.7}, {filter.Ham, false, 0}}
	half := figuresOfBogofilter(answers)
	if *half.HM != 50 || *half.SM != 0 || *half.OneMinusROCA != 25 {
		t.Errorf("half %v, %v; %v", *half.HM, *half.SM, *half.OneMinusROCA)
	}
	if got, want := sharesOf(verdictsOfAnswers(answers)), (shares{lost: 0, unsure: 50, found: 50}); got != want {
		t.Errorf("verdicts %+v, want %+v", got, want)
	}
}

func TestMessagesAreOrderedAsInTheReplay(t *testing.T) {
	r := evaluate.Replay{Messages: []evaluate.Replayed{{Path: "spam/001"}, {Path: "ham/000"}}}
	items := inOrderOf(letters(3), r)
	if len(items) != 2 || items[0].Origin != "spam/001" || items[1].Origin != "ham/000" {
		t.Errorf("%+v", items)
	}
}

func TestATrainedBogofilterKnowsOtherMessages(t *testing.T) {
	if _, err := exec.LookPath("bogofilter"); err != nil {
		t.Skip("needs bogofilter: apt-get install bogofilter")
	}
	items := make(map[string]corpus.Item)
	var origins []string
	for item, raw := range corpustest.Each(t, letters(15)) {
		path := filepath.Join(t.TempDir(), "message")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		items[path] = item
		origins = append(origins, path)
	}
	var training, test []string
	for i, path := range origins {
		if i%3 == 0 {
			test = append(test, path)
		} else {
			training = append(training, path)
		}
	}
	answers, err := trainBogofilter(t.Context(), items, training, test)
	if err != nil {
		t.Fatal(err)
	}
	if middle := figuresOfBogofilter(answers); len(answers) != len(test) || middle.Accuracy != 100 {
		t.Errorf("%.0f%% are right: %+v", middle.Accuracy, answers)
	}
}

func TestDuelText(t *testing.T) {
	f := metrics.Measure([]int32{0, 1}, []int32{0, 0}, 2)
	f.MeasureSpam(metrics.Margins{Ham: []float64{0}, Spam: []float64{1}})
	d := duel{[]duelVerdicts{{"chaff", []shares{{0.1, 1, 90, 0}, {0.3, 2, 91, 0}}, shares{0.5, 3, 80, 0}}}, []duelRow{{"votes", meanOf([]metrics.Figures{f}), f}}}
	check(t, d.text(), `| verdicts | grouped split: ham lost, % | ham unsure, % | spam found, % | replay, last 3,000 messages: ham lost, % | ham unsure, % | spam found, % |
|---|---|---|---|---|---|---|
| chaff | 0.20 | 1.50 | 90.50 | 0.50 | 3.00 | 80.00 |

| score in the middle | grouped split: accuracy | ham lost, % | spam missed, % | (1-ROCA)% | replay: errors | ham lost, % | spam missed, % | (1-ROCA)% |
|---|---|---|---|---|---|---|---|---|
| votes | 50.00% | 0.00 | 100.00 | 0.0000 | 1 | 0.00 | 100.00 | 0.0000 |
`)
}
