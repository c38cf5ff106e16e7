package main

import (
	"math"
	"strings"
	"testing"

	"chaff/evaluate"
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

func TestPercentagesHaveThreeDigits(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.004: "<0.01", 0.0526: "0.05", 3.846: "3.85", 16.667: "16.7", 99.9: "99.9", 99.97: ">99.9", 100: "100",
	} {
		if got := percent(&v, 2); got != want {
			t.Errorf("%v: got %s, want %s", v, got, want)
		}
	}
	small := 0.00943
	if got := percent(&small, 4); got != "0.0094" {
		t.Errorf("got %s, want 0.0094", got)
	}
	if got := percent(nil, 2); got != "-" {
		t.Errorf("got %s, want -", got)
	}
}

func TestTheSenderIsTheNameOrElseTheAddress(t *testing.T) {
	for from, want := range map[string]string{
		"Ann Lee <ann@one.example>": "Ann Lee", `"Lee, Ann" <ann@one.example>`: "Lee, Ann", "<ann@one.example>": "ann@one.example", "ann@one.example": "ann@one.example", "": "",
	} {
		if got := evaluate.Sender(from); got != want {
			t.Errorf("%s: got %q, want %q", from, got, want)
		}
	}
}

func TestMessagesAreWrappedOnATerminal(t *testing.T) {
	long, short := "chaff: hint: name another place: -m  FILE\nchaff: next\n", "reading mail: 34 of 175 messages, 0s left"
	for width, want := range map[int]string{0: long + short, 25: "chaff: hint: name another\nplace: -m  FILE\nchaff: next\n" + short} {
		var b strings.Builder
		o := &output{file: &b, width: width}
		for _, text := range []string{long, short} {
			if n, err := o.Write([]byte(text)); n != len(text) || err != nil {
				t.Errorf("got %d, %v, want %d bytes", n, err, len(text))
			}
		}
		if b.String() != want {
			t.Errorf("%d columns: got %q, want %q", width, b.String(), want)
		}
	}
}
