package main

import (
	"math"
	"strings"
	"testing"
)

func TestThresholdsAreWrittenWithoutANegativeZero(t *testing.T) {
	for score, want := range map[float64]string{
		12.345: "12.3", -0.5: "-0.5", math.Nextafter(0, -1): "0", math.Copysign(0, -1): "0", -0.004: "-0.004",
	} {
		if got := threshold(score); got != want {
			t.Errorf("%v: got %s, want %s", score, got, want)
		}
	}
}

func TestALongHeaderFieldIsCut(t *testing.T) {
	if got := shorten([]byte(strings.Repeat("ä", 100))); len([]rune(got)) != 70 {
		t.Errorf("%d characters, want 70", len([]rune(got)))
	}
}

func TestTextIsWrappedAtWords(t *testing.T) {
	want := []string{"one two", "three", "a-word-that-is-too-long", "four"}
	if got := wrap("one two three a-word-that-is-too-long four", 8); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}
