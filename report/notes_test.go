package report

import (
	"strings"
	"testing"

	"chaff/filter"
	"chaff/metrics"
	"chaff/train"
)

func TestNotesSayWhatThePartsAreAbout(t *testing.T) {
	confusion := metrics.Confusion{{3, 1}, {0, 2}}
	hm := &metrics.Figures{SpamFigures: metrics.SpamFigures{HM: known(1)}}
	for _, test := range []struct {
		name       string
		page       Page
		want, lack string
	}{
		{"the model and the mail", Page{Of: "softmax", On: "the test part", Figures: &metrics.Figures{Confusion: confusion}}, "For softmax, on the test part. Rows are", ""},
		{"the model alone", Page{Of: "softmax", Strongest: [][]filter.TermWeight{{{Term: "x"}}}}, "For softmax.", ""},
		{"the mail alone", Page{On: "the test part", Figures: &metrics.Figures{Confusion: confusion}}, "On the test part. Rows are", "For "},
		{"neither", Page{Figures: &metrics.Figures{Confusion: confusion}}, `"note">Rows are`, "For "},
		{"fewer curves than models", Page{Models: make([]train.Result, 3), Curves: [][]metrics.Point{{{HM: 0, SM: 0}}, nil}}, "The first 2 models of the comparison.", ""},
		{"a single model is compared with nothing", Page{Models: []train.Result{{Model: "softmax", Test: hm}}}, "Ham lost (hm%) and", "is the best"},
		{"the best of several", Page{Models: []train.Result{{Model: "softmax", Kind: "bits"}, {Model: "lms"}}, HasBest: true}, "* is the best on development mail.", "Ham lost"},
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
