package report

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"chaff/evaluate"
	"chaff/filter"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
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
	bins := sample.Models[0].Test.Reliability
	sample.Models[0].Test.Reliability = nil
	epochs := sample.Models[slices.IndexFunc(sample.Models, func(r train.Result) bool { return r.Model == "softmax" })]
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
		{"models", Page{Models: sample.Models[:3], Tables: sample.Tables}, []string{"models", "Accuracy of each model"}, "<details><summary>All figures</summary>"},
		{"one model", Page{Models: sample.Models[:1], Tables: sample.Tables}, []string{"models"}, `<td class=""><bdi>multinomial *</bdi></td><td class="number"><bdi>99.42%`},
		{"curves of one model", Page{Models: sample.Models[:1], Curves: sample.Curves[:1]}, []string{"curves", "ROC curve"}, "<bdi>at most 0.1% of ham lost</bdi>"},
		{"curves of several models", Page{Models: sample.Models[:2], Curves: sample.Curves[:2]}, []string{"models", "Accuracy of each model", "curves", "ROC curves"}, "<bdi>verdict spam or unsure</bdi>"},
		{"curves without points", Page{Models: []train.Result{{Model: "a"}}, Curves: [][]metrics.Point{nil}}, nil, ""},
		{"a flawless filter", Page{Models: sample.Models[:1], Curves: [][]metrics.Point{{{Threshold: -1, HM: 1}, {}, {Threshold: 1, SM: 1}}}}, []string{"curves"}, "All spam can be caught without losing ham"},
		{"epochs", Page{Models: []train.Result{epochs}}, []string{"learning", "Accuracy by epoch", "Loss by epoch"}, ""},
		{"a single epoch", Page{Models: []train.Result{{Model: "a", Report: models.Report{Epochs: epochs.Epochs[:1]}}}}, nil, ""},
		{"reliability", Page{Models: []train.Result{{Model: "a", Test: &metrics.Figures{Reliability: bins}}}}, []string{"probabilities"}, "<bdi>mean probability %</bdi>"},
		{"strongest terms", Page{Strongest: sample.Strongest}, []string{"terms"}, "click here"},
		{"classes without terms", Page{Strongest: [][]filter.TermWeight{nil}}, nil, ""},
		{"mistakes", Page{Mistakes: sample.Mistakes}, []string{"mistakes"}, "<bdi>ham</bdi> called <bdi>spam</bdi>, score 4.817, probability 0.9934"},
		{"a message without subject", Page{Mistakes: sample.Mistakes[1:]}, []string{"mistakes"}, "<bdi>without a subject</bdi>"},
		{"evidence", Page{Explanation: sample.Explanation}, []string{"evidence", "What adds up to the score", "text", "weighed"},
			"bias &#43;0.00, words -0.50, links &#43;0.25 and score -0.25."},
		{"two terms", Page{Boundary: sample.Boundary}, []string{"two-terms", "Two terms and the boundary"}, ""},
		{"two terms without messages", Page{Boundary: &evaluate.Boundary{X: "a", Y: "b"}}, nil, ""},
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
	sample := samplePage()
	const model = `<bdi>model</bdi></th><th scope="col"><bdi>threshold</bdi></th>`
	if page := writeHTML(t, Page{Models: sample.Models[:1], Curves: sample.Curves[:1]}); strings.Contains(page, model) {
		t.Error("there is a column for the name of a single model")
	}
	if page := writeHTML(t, Page{Models: sample.Models[:2], Curves: sample.Curves[:2]}); !strings.Contains(page, model) {
		t.Error("the column of the models is missing")
	}
}

func TestTheSamePageGivesTheSameBytes(t *testing.T) {
	first, second := writeHTML(t, samplePage()), writeHTML(t, samplePage())
	if first != second {
		t.Error("the page differs the second time")
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

func TestNotesSayWhatThePartsAreAbout(t *testing.T) {
	softmax := []train.Result{{Model: "softmax", Test: &metrics.Figures{Reliability: make([]metrics.ReliabilityBin, 2)}}}
	tables := samplePage().Tables
	for _, test := range []struct {
		name       string
		page       Page
		want, lack string
	}{
		{"the model and the mail", Page{On: "the test part", Models: softmax}, "For softmax, on the test part. Messages in", ""},
		{"the model of terms", Page{Models: softmax, Strongest: [][]filter.TermWeight{{{Term: "x"}}}}, "For softmax.", ""},
		{"fewer curves than models", Page{Models: make([]train.Result, 3), Curves: [][]metrics.Point{{{HM: 0, SM: 0}}, nil}}, "The first 2 models of the comparison.", ""},
		{"figures of a spam filter", Page{Classes: []string{"ham", "spam"}, Tables: tables}, "Ham lost and spam missed", "is the best"},
		{"notes of a result", Page{Classes: []string{"a", "b"}, Tables: tables, Notes: []string{"* is the best on development mail."}}, "* is the best on development mail. Log loss", "Ham lost"},
		{"spam has a probability", Page{Classes: []string{"ham", "spam"}, Models: softmax}, "were spam %", "were predicted right"},
		{"of many classes the class given has one", Page{Classes: []string{"a", "b", "c"}, Models: softmax}, "were predicted right %", "spam"},
	} {
		t.Run(test.name, func(t *testing.T) {
			page := writeHTML(t, test.page)
			body := page[strings.Index(page, "<body>"):]
			if !strings.Contains(body, test.want) {
				t.Errorf("no %q in %.2000s", test.want, body)
			}
			if test.lack != "" && strings.Contains(body, test.lack) {
				t.Errorf("there is %q in %.2000s", test.lack, body)
			}
		})
	}
}
