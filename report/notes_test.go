package report

import (
	"strings"
	"testing"

	"chaff/metrics"
)

func TestNotesSayWhatThePartsAreAbout(t *testing.T) {
	confusion := metrics.Confusion{{3, 1}, {0, 2}}
	hm := &metrics.Figures{SpamFigures: metrics.SpamFigures{HM: known(1)}}
	for _, test := range []struct {
		name       string
		page       Page
		want, lack string
	}{
		{"the model and the mail", Page{Of: "softmax", On: "the test part", Findings: Findings{Confusion: confusion}}, "For softmax, on the test part. Rows are", ""},
		{"the model alone", Page{Of: "softmax", Strongest: []ClassTerms{{Class: "ham", Terms: []Term{{Text: "x"}}}}}, "For softmax.", ""},
		{"the mail alone", Page{On: "the test part", Findings: Findings{Confusion: confusion}}, "On the test part. Rows are", "For "},
		{"neither", Page{Findings: Findings{Confusion: confusion}}, `"note">Rows are`, "For "},
		{"fewer curves than models", Page{Models: make([]Model, 3), ROC: []Curve{{Points: []Point{{0, 1}}}, {}}}, "The first 2 models of the comparison.", ""},
		{"a single model is compared with nothing", Page{Models: []Model{{Name: "softmax", Test: hm}}}, "Ham lost (hm%) and", "is the best"},
		{"the best of several", Page{Models: []Model{{Name: "softmax", Features: "bits", Best: true}, {Name: "lms"}}}, "* is the best on development mail.", "Ham lost"},
		{"spam has a probability", Page{Classes: []string{"ham", "spam"}, Findings: Findings{Reliability: make([]metrics.ReliabilityBin, 2)}}, "spam probability", "predicted class"},
		{"of many classes the class given has one", Page{Classes: []string{"a", "b", "c"}, Findings: Findings{Reliability: make([]metrics.ReliabilityBin, 2)}}, "whose predicted class is right", "spam"},
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
