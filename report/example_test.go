package report_test

import (
	"bytes"
	"fmt"
	"strings"

	"chaff/evaluate"
	"chaff/metrics"
	"chaff/report"
	"chaff/train"
)

// A page on one model.
func Example() {
	page := report.Page{
		Title:    "chaff train",
		Classes:  []string{"ham", "spam"},
		Models:   []train.Result{{Model: "votes", Test: &metrics.Figures{Confusion: metrics.Confusion{{95, 1}, {2, 52}}}}},
		Mistakes: []evaluate.Judged{{Path: "inbox/17", Subject: "<b>Sale</b>", Score: 2.5, Label: "ham", Class: "spam"}},
	}
	var html bytes.Buffer
	if err := page.WriteHTML(&html); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(html.String(), "&lt;b&gt;Sale&lt;/b&gt;"))
	// Output:
	// true
}
