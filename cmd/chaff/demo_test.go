package main

import (
	"testing"

	"chaff/corpus/sample"
)

func TestTheDemonstrationLeavesOutWhatItShows(t *testing.T) {
	var all []string
	for item, err := range sample.Source() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, item.Origin)
	}
	if len(all) < 10 {
		t.Fatalf("%d messages are too few", len(all))
	}
	left := make(map[string]bool)
	for item, err := range sampleWithout([]string{all[0], all[7]}) {
		if err != nil {
			t.Fatal(err)
		}
		left[item.Origin] = true
	}
	if len(left) != len(all)-2 || left[all[0]] || left[all[7]] {
		t.Errorf("%d of %d messages are left, among them %s: %v, %s: %v", len(left), len(all), all[0], left[all[0]], all[7], left[all[7]])
	}
}
