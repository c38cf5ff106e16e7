package main

import (
	"math"
	"testing"
)

func TestTheBarOfAVote(t *testing.T) {
	const middle = "                |"
	for _, tt := range []struct {
		adds float64
		want string
	}{
		{0, middle}, {0.1, middle}, {0.25, middle + "+"}, {1, middle + "++++"}, {-0.5, "              --|"},
		{100, middle + "++++++++++++++++"}, {math.Inf(-1), "----------------|"},
	} {
		if got := voteBar(tt.adds); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.adds, got, tt.want)
		}
	}
	voteBar(math.NaN()) // of a damaged model: any bar will do
}
