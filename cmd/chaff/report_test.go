package main

import (
	"fmt"
	"reflect"
	"testing"

	"chaff/evaluate"
	"chaff/report"
)

func TestMonthsWithFewMessagesAreJoined(t *testing.T) {
	month := func(name string, messages int, accuracy float64) evaluate.Month {
		return evaluate.Month{Month: name, Messages: messages, Accuracy: accuracy}
	}
	var many []evaluate.Month
	for year := 2004; year < 2008; year++ {
		for of := 1; of <= 12; of++ {
			many = append(many, month(fmt.Sprintf("%d-%02d", year, of), 50, 90))
		}
	}
	for _, test := range []struct {
		name   string
		months []evaluate.Month
		want   []string // period, messages, accuracy
	}{
		{"months with enough messages stay", []evaluate.Month{month("2003-01", 50, 98), month("2003-02", 40, 100)}, []string{"2003-01 50 98", "2003-02 40 100"}},
		{"a month of one joins the next ones", []evaluate.Month{month("2003-01", 1, 0), month("2003-02", 9, 100), month("2003-04", 30, 100), month("2003-05", 30, 100)},
			[]string{"2003-01 to 2003-04 40 97.5", "2003-05 30 100"}},
		{"the last month joins the one before it", []evaluate.Month{month("2003-01", 30, 100), month("2003-02", 10, 50)}, []string{"2003-01 to 2003-02 40 87.5"}},
		{"few messages are one period", []evaluate.Month{month("2003-01", 3, 100), month("2003-02", 1, 0)}, []string{"2003-01 to 2003-02 4 75"}},
		{"many months become years", many, []string{"2004-01 to 2004-12 600 90", "2005-01 to 2005-12 600 90", "2006-01 to 2006-12 600 90", "2007-01 to 2007-12 600 90"}},
		{"no months", nil, nil},
	} {
		var got []string
		for _, p := range periods(test.months) {
			got = append(got, fmt.Sprintf("%s %d %v", p, p.Messages, p.Accuracy))
			if p.AccuracyLow > p.Accuracy || p.AccuracyHigh < p.Accuracy || p.AccuracyHigh-p.AccuracyLow < 1 {
				t.Errorf("%s: an interval of %v to %v", test.name, p.AccuracyLow, p.AccuracyHigh)
			}
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestEvidenceForHamIsNegative(t *testing.T) {
	all := []evaluate.Judged{{Label: "spam", Class: "ham", Score: -2, Terms: []evaluate.Reason{{Term: "body:meet", Contribution: 1.5}}}}
	if got := judged([]string{"ham", "spam"}, all)[0].Terms[0]; got != (report.Contribution{Term: "body:meet", Score: -1.5}) {
		t.Errorf("of a spam filter: got %v", got)
	}
	if got := judged([]string{"ham", "spam", "lists"}, all)[0].Terms[0].Score; got != 1.5 {
		t.Errorf("of three classes: got %v", got)
	}
}
