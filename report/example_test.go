package report_test

import (
	"bytes"
	"fmt"
	"strings"

	"chaff/metrics"
	"chaff/report"
)

// A page on one model, and the files of its plots.
func Example() {
	page := report.Page{
		Title:   "chaff train",
		Classes: []string{"ham", "spam"},
		ROC:     []report.Curve{{Name: "softmax", Points: []report.Point{{X: 0, Y: 0.9}, {X: 0.01, Y: 0.96}, {X: 1, Y: 1}}}},
		Findings: report.Findings{
			Confusion: metrics.Confusion{{95, 1}, {2, 52}},
			Mistakes:  []report.Mistake{{Path: "inbox/17", Subject: "<b>Sale</b>", Score: 2.5, True: "ham", Given: "spam"}},
		},
	}
	var html bytes.Buffer
	if err := page.WriteHTML(&html); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(html.String(), "&lt;b&gt;Sale&lt;/b&gt;"))
	for _, plot := range page.Plots() {
		svg, err := plot.SVG()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(plot.Name+".svg", len(svg) > 0)
	}
	// Output:
	// true
	// roc.svg true
}
