package main

import (
	"strings"
	"testing"

	"chaff/models"
)

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
