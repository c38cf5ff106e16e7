package report

import (
	"strings"
	"testing"

	"chaff/filter"
	"chaff/metrics"
	"chaff/train"
)

func TestNotesSayWhatThePartsAreAbout(t *testing.T) {
	figures := &metrics.Figures{Reliability: make([]metrics.ReliabilityBin, 2)}
	tables := samplePage().Tables
	for _, test := range []struct {
		name       string
		page       Page
		want, lack string
	}{
		{"the model and the mail", Page{Of: "softmax", On: "the test part", Figures: figures}, "For softmax, on the test part. Messages in", ""},
		{"the model of terms", Page{Of: "softmax", Strongest: [][]filter.TermWeight{{{Term: "x"}}}}, "For softmax.", ""},
		{"neither", Page{Figures: figures}, `"note">Messages in`, "For "},
		{"fewer curves than models", Page{Models: make([]train.Result, 3), Curves: [][]metrics.Point{{{HM: 0, SM: 0}}, nil}}, "The first 2 models of the comparison.", ""},
		{"figures of a spam filter", Page{Classes: []string{"ham", "spam"}, Tables: tables}, "Ham lost and spam missed", "is the best"},
		{"notes of a result", Page{Classes: []string{"a", "b"}, Tables: tables, Notes: []string{"* is the best on development mail."}}, "* is the best on development mail. Log loss", "Ham lost"},
		{"spam has a probability", Page{Classes: []string{"ham", "spam"}, Figures: &metrics.Figures{Reliability: make([]metrics.ReliabilityBin, 2)}}, "were spam %", "were predicted right"},
		{"of many classes the class given has one", Page{Classes: []string{"a", "b", "c"}, Figures: &metrics.Figures{Reliability: make([]metrics.ReliabilityBin, 2)}}, "were predicted right %", "spam"},
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
