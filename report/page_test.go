package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"chaff/metrics"
)

func writeHTML(t testing.TB, p Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestEachPartIsShownWhereThereIsSomethingToShow gives a page one part after the other.
func TestEachPartIsShownWhereThereIsSomethingToShow(t *testing.T) {
	sample := samplePage()
	tests := []struct {
		part string
		page Page
		want []string // sections and plots
		text string
	}{
		{"nothing", Page{}, nil, "<h1>chaff</h1>"},
		{"a title", Page{Title: "chaff tune"}, nil, "<h1>chaff tune</h1>"},
		{"a subtitle", Page{Subtitle: "ten messages"}, nil, "ten messages"},
		{"facts", Page{Facts: sample.Facts}, nil, "<dt>seed</dt><dd><bdi>1</bdi></dd>"},
		{"warnings", Page{Warnings: []string{"too few"}}, nil, "<li><bdi>too few</bdi></li>"},
		{"models", Page{Models: sample.Models}, []string{"models", "Accuracy of each model"}, "<details><summary>All figures</summary>"},
		{"one model", Page{Models: sample.Models[:1]}, []string{"models"}, `<td class=""><bdi>ham lost %</bdi></td><td class="number"><bdi>`},
		{"thresholds of one model", Page{Operating: sample.Operating[:4]}, []string{"curves"}, "<bdi>at most 0.1% of ham lost</bdi>"},
		{"thresholds of several models", Page{Operating: sample.Operating}, []string{"curves"}, "<bdi>spam called ham</bdi>"},
		{"accuracy by messages", Page{Growth: sample.Growth}, []string{"learning", "Accuracy by training messages"}, "more mail will probably help."},
		{"ROC curves", Page{ROC: sample.ROC}, []string{"curves", "ROC curves"}, ""},
		{"curves without points", Page{ROC: []Curve{{Name: "a"}}}, nil, ""},
		{"epochs", Page{Epochs: sample.Epochs}, []string{"learning", "Accuracy by epoch", "Loss by epoch"}, ""},
		{"epochs of which only the loss is known", Page{Epochs: []EpochCurve{{Model: "a", Epochs: []Epoch{{Epoch: 1, TrainLoss: known(1)}, {Epoch: 2, TrainLoss: known(0.5)}}}}},
			[]string{"learning", "Loss by epoch"}, ""},
		{"a single epoch", Page{Epochs: []EpochCurve{{Model: "a", Epochs: []Epoch{{Epoch: 1, TrainLoss: known(1)}}}}}, nil, ""},
		{"figures by messages", Page{Learning: sample.Learning}, []string{"learning", "Errors by messages learned"}, ""},
		{"figures by messages that are not defined", Page{Learning: []LearningCurve{{Points: []metrics.LearningPoint{{Messages: 1}}}}}, nil, ""},
		{"scores", Page{Findings: Findings{Scores: sample.Scores}}, []string{"scores", "Scores of ham and spam"}, ""},
		{"scores without bins", Page{Findings: Findings{Scores: &metrics.Histogram{}}}, nil, ""},
		{"reliability", Page{Findings: Findings{Reliability: sample.Reliability}}, []string{"scores", "Reliability"}, ""},
		{"confusion", Page{Classes: []string{"ham", "spam"}, Findings: Findings{Confusion: metrics.Confusion{{90, 1}, {2, 7}}}}, []string{"confusion"},
			`<td class=""><bdi>spam</bdi></td><td class="number shade2"><bdi>2</bdi></td><td class="number shade7"><bdi>7</bdi></td>`},
		{"confusion of no messages", Page{Findings: Findings{Confusion: metrics.Confusion{{0, 0}, {0, 0}}}}, nil, ""},
		{"confusion of classes without names", Page{Findings: Findings{Confusion: metrics.Confusion{{1}}}}, []string{"confusion"}, "class 0"},
		{"strongest terms", Page{Strongest: sample.Strongest}, []string{"terms"}, "click here"},
		{"classes without terms", Page{Strongest: []ClassTerms{{Class: "ham"}}}, nil, ""},
		{"mistakes", Page{Findings: Findings{Mistakes: sample.Mistakes}}, []string{"mistakes"}, "<bdi>ham</bdi> called <bdi>spam</bdi>, score 4.817, probability 0.9934"},
		{"a message without subject", Page{Findings: Findings{LeastCertain: []Mistake{{Path: "a", True: "ham", Given: "ham"}}}}, []string{"least-certain"}, "(no subject)"},
		{"suspects", Page{Findings: Findings{Suspects: sample.Suspects}}, []string{"suspects"}, "Re: meeting on Thursday"},
		{"leaks", Page{Leaks: sample.Leaks, Classes: sample.Classes}, []string{"leaks"}, "<bdi>1,201 of 1,520</bdi>"},
		{"evidence", Page{Evidence: Evidence{Votes: []Vote{{"words", -0.5}, {"links", 0.25}}}}, []string{"evidence", "What adds up to the score"},
			"words -0.50, links &#43;0.25 and score -0.25."},
		{"one month", Page{Findings: Findings{Drift: sample.Drift[:1]}}, []string{"drift"}, "2002-06"},
		{"months", Page{Findings: Findings{Drift: sample.Drift}}, []string{"drift", "Accuracy over time"}, "2002-07"},
		{"two terms", Page{TwoTerms: sample.TwoTerms}, []string{"two-terms", "Two terms and the boundary"}, ""},
		{"two terms without messages", Page{TwoTerms: &TwoTerms{X: "a", Y: "b"}}, nil, ""},
		{"trials", Page{Trials: sample.Trials}, []string{"trials"}, "stopped: training diverges"},
	}
	for _, test := range tests {
		t.Run(test.part, func(t *testing.T) {
			page := writeHTML(t, test.page)
			var got []string
			for _, e := range elements(t, page) {
				if e.name == "section" {
					got = append(got, e.attributes["id"])
				}
				if e.name == "img" {
					title, figures, _ := strings.Cut(e.attributes["alt"], ". ")
					got = append(got, title)
					if !strings.ContainsAny(figures, "0123456789") {
						t.Errorf("%s has no figures in its description: %q", title, e.attributes["alt"])
					}
				}
			}
			if strings.Join(got, ", ") != strings.Join(test.want, ", ") {
				t.Errorf("sections and plots: got %q, want %q", got, test.want)
			}
			if !strings.Contains(page, test.text) {
				t.Errorf("no %q in %s", test.text, page[strings.Index(page, "<body>"):])
			}
		})
	}
}

func TestColumnsThatAreEmptyAreLeftOut(t *testing.T) {
	page := writeHTML(t, Page{Models: []Model{{Name: "softmax", Test: &metrics.Figures{Accuracy: 99}}, {Name: "lms"}}})
	for _, head := range []string{"in development %", "ham lost %", "accuracy in test %", "CPU s", "features", "against the best"} {
		if strings.Contains(page, "<bdi>"+head+"</bdi></th>") {
			t.Errorf("there is a column %q", head)
		}
	}
	if !strings.Contains(page, `<bdi>accuracy %</bdi></th>`) || !strings.Contains(page, `<bdi>99.00</bdi></td>`) {
		t.Error("the column of the accuracy is missing")
	}
}

func TestTheSamePageGivesTheSameBytes(t *testing.T) {
	first, second := writeHTML(t, samplePage()), writeHTML(t, samplePage())
	if first != second {
		t.Error("the page differs the second time")
	}
	again := samplePage().Plots()
	for i, p := range samplePage().Plots()[:1] { // the files of the others are made in the same way
		one, err := p.PNG()
		if err != nil {
			t.Fatal(err)
		}
		two, err := again[i].PNG()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, two) {
			t.Errorf("%s.png differs the second time", p.Name)
		}
	}
}

type brokenWriter struct{}

var errBroken = errors.New("disk full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestAnErrorInWritingIsReturned(t *testing.T) {
	if err := (Page{}).WriteHTML(brokenWriter{}); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want %v", err, errBroken)
	}
}

// element is a start tag of a page.
type element struct {
	name       string
	attributes map[string]string
}

// elements lists the start tags of a page, as a browser makes them of it.
func elements(t testing.TB, page string) []element {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []element
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			e := element{n.Data, map[string]string{}}
			for _, a := range n.Attr {
				e.attributes[a.Key] = a.Val
			}
			all = append(all, e)
		case html.CommentNode:
			t.Errorf("there is a comment: %q", n.Data)
		}
	}
	return all
}

func BenchmarkWriteHTML(b *testing.B) {
	page := samplePage()
	b.ReportAllocs()
	for b.Loop() {
		var out bytes.Buffer
		if err := page.WriteHTML(&out); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(out.Len()))
	}
}
