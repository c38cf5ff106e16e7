package main

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chaff/evaluate"
	"chaff/models"
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

func TestLongWorkIsToldEveryTenSeconds(t *testing.T) {
	var out strings.Builder
	synctest.Test(t, func(*testing.T) {
		step := progressEvery(toldEvery, "reading mail", "messages", func(text string) { out.WriteString(text + "\n") })
		for read := 1; read <= 6046; read++ {
			time.Sleep(5 * time.Millisecond)
			step(read, 6046)
		}
		for epoch := 1; epoch <= 15; epoch++ { // other work begins
			time.Sleep(time.Second)
			step(epoch, 20)
		}
	})
	const want = "reading mail: 2,000 of 6,046 messages, 20s left\n" +
		"reading mail: 4,000 of 6,046 messages, 10s left\n" +
		"reading mail: 6,000 of 6,046 messages, 0s left\n" +
		"reading mail: 11 of 20 messages, 8s left\n"
	if out.String() != want {
		t.Errorf("it prints %q, want %q", &out, want)
	}
}

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

func TestEpochsAreTold(t *testing.T) {
	first := models.Epoch{Epoch: 1, Updates: 12, Train: models.EpochFigures{Loss: 0.25, Accuracy: 97.5}}
	second := first
	second.Epoch, second.Development = 2, &models.EpochFigures{Loss: 0.5, Accuracy: 90}
	const (
		firstLine  = "lms epoch 1: 12 updates, train loss 0.25 accuracy 97.50%"
		secondLine = "lms epoch 2: 12 updates, train loss 0.25 accuracy 97.50%, development loss 0.5 accuracy 90.00%"
	)
	if got := "lms " + epochLine(first); got != firstLine {
		t.Errorf("got %q, want %q", got, firstLine)
	}
	for name, after := range map[string]func(terminal, stdout *output){
		"until something is printed": func(_, stdout *output) { stdout.Write([]byte("done\n")) },
		"until an error is printed":  func(terminal, _ *output) { terminal.Write([]byte("done\n")) },
		"once":                       func(terminal, stdout *output) { terminal.clear(); stdout.Write([]byte("done\n")) },
	} {
		t.Run("of several models on one line, "+name, func(t *testing.T) {
			var out strings.Builder
			terminal := &output{file: &out, width: 81}
			terminal.progress = terminal
			stdout := &output{file: &out, progress: terminal}
			stdout.Write([]byte("begun\n"))
			terminal.show("lms " + epochLine(first))
			terminal.show("lms " + epochLine(second))
			after(terminal, stdout)
			if want := "begun\n" + clearLine + firstLine + clearLine + secondLine[:80] + clearLine + "done\n"; out.String() != want {
				t.Errorf("got\n%q\nwant\n%q", out.String(), want)
			}
		})
	}
}

func TestConvergenceIsTold(t *testing.T) {
	bound := 40000.0
	tests := []struct {
		name string
		c    models.Convergence
		want string
	}{
		{"not converged", models.Convergence{Epochs: 7, Updates: 12},
			"            not linearly separable within 7 epochs and 12 updates\n"},
		{"converged", models.Convergence{Converged: true, Epochs: 7, Updates: 12, Separations: []models.Separation{
			{Updates: 12, Radius: 4, Margin: 0.5, GeometricMargin: 0.02, UpdateBound: &bound}}},
			"converged   after 7 epochs and 12 updates: the training part is linearly\n            separable\n" +
				"            R 4, margin 0.5, geometric margin 0.02; 12 updates of at most\n            (R/geometric margin)^2 = 40000\n"},
		{"each class by itself, where no bound is known", models.Convergence{Converged: true, Epochs: 1, Updates: 3, Separations: []models.Separation{
			{Class: "a", Radius: 4, Margin: 0.5, GeometricMargin: 0.02}, {Class: "b", Radius: 4, Margin: 1, GeometricMargin: 0.1}}},
			"converged   after 1 epoch and 3 updates: the training part is linearly separable\n" +
				"            a: R 4, margin 0.5, geometric margin 0.02\n" +
				"            b: R 4, margin 1, geometric margin 0.1\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			(&answer{program: &program{stdout: &output{file: &out}}}).convergence(test.c)
			if out.String() != test.want {
				t.Errorf("got\n%swant\n%s", out.String(), test.want)
			}
		})
	}
}
