package report

import (
	"strings"
	"testing"

	"chaff/filter"
	"chaff/metrics"
	"chaff/train"
)

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
