package main

import (
	"fmt"
	"reflect"
	"testing"

	"chaff/evaluate"
)

func TestManyMonthsAreDrawnAsYears(t *testing.T) {
	few := []evaluate.Month{{Month: "2003-01", Messages: 8, Accuracy: 100}, {Month: "2003-02", Messages: 12, Accuracy: 0}}
	if got := spans(few); !reflect.DeepEqual(got, few) {
		t.Errorf("few months became %v", got)
	}
	many := few
	for year := 2004; year < 2008; year++ {
		for month := 1; month <= 12; month++ {
			many = append(many, evaluate.Month{Month: fmt.Sprintf("%d-%02d", year, month), Messages: 2, Accuracy: 50})
		}
	}
	want := []evaluate.Month{{Month: "2003", Messages: 20, Accuracy: 40}}
	for year := 2004; year < 2008; year++ {
		want = append(want, evaluate.Month{Month: fmt.Sprint(year), Messages: 24, Accuracy: 50})
	}
	if got := spans(many); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	thin := []evaluate.Month{{Month: "2003-01", Messages: 1, Accuracy: 100}, {Month: "2004-01", Messages: 1, Accuracy: 0}}
	if got := spans(thin); got != nil {
		t.Errorf("two years of a message became %v", got)
	}
}
