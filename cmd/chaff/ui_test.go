package main

import (
	"io"
	"math"
	"os"
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

func TestColoursAreForTerminalsUnlessTheUserSaysOtherwise(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("the system makes no pseudo-terminals: %v", err)
	}
	defer terminal.Close()
	for name, test := range map[string]struct {
		flag    colourFlag
		environ []string
		w       io.Writer
		want    bool
	}{
		"a terminal":                       {colourAuto, []string{"TERM=xterm"}, terminal, true},
		"a file":                           {colourAuto, []string{"TERM=xterm"}, io.Discard, false},
		"NO_COLOR":                         {colourAuto, []string{"TERM=xterm", "NO_COLOR=1"}, terminal, false},
		"an empty NO_COLOR":                {colourAuto, []string{"TERM=xterm", "NO_COLOR="}, terminal, true},
		"a terminal without colours":       {colourAuto, []string{"TERM=dumb"}, terminal, false},
		"always wins over the environment": {colourAlways, []string{"TERM=dumb", "NO_COLOR=1"}, io.Discard, true},
		"never":                            {colourNever, []string{"TERM=xterm"}, terminal, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := &program{environ: test.environ, colour: test.flag}
			if got := p.hasColours(test.w); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
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

func TestAPathIsQuotedForTheShell(t *testing.T) {
	for path, want := range map[string]string{
		"spam.model": "spam.model", "~/a-b/c_d.model": "~/a-b/c_d.model", "my model": "'my model'", "it's": `'it'"'"'s'`, "": "''",
	} {
		if got := shellWord(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestTheSenderIsTheNameOrElseTheAddress(t *testing.T) {
	for from, want := range map[string]string{
		"Ann Lee <ann@one.example>": "Ann Lee", `"Lee, Ann" <ann@one.example>`: "Lee, Ann", "<ann@one.example>": "ann@one.example", "ann@one.example": "ann@one.example", "": "",
	} {
		if got := sender(from); got != want {
			t.Errorf("%s: got %q, want %q", from, got, want)
		}
	}
}
