package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"chaff/filter"
	"chaff/models"
)

// epochs returns a function that tells of each epoch on stderr, nil where that is no terminal.
func (p *program) epochs() func(model string, e models.Epoch) {
	file, isFile := p.stderr.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return func(model string, e models.Epoch) { fmt.Fprintf(file, "%s %s\n", model, epochLine(e)) }
}

// epochLine tells what is known after an epoch.
func epochLine(e models.Epoch) string {
	line := fmt.Sprintf("epoch %d: %d updates, train loss %s accuracy %.2f%%", e.Epoch, e.Updates, number(&e.Train.Loss), e.Train.Accuracy)
	if d := e.Development; d != nil {
		line += fmt.Sprintf(", development loss %s accuracy %.2f%%", number(&d.Loss), d.Accuracy)
	}
	return line + fmt.Sprintf(", %.0f ms", 1000*e.Seconds)
}

// printTraining tells how a model was trained that is trained in epochs.
func printTraining(w io.Writer, r filter.Result) {
	if len(r.Epochs) == 0 {
		return
	}
	last := r.Epochs[len(r.Epochs)-1]
	fmt.Fprintf(w, "trained     %d epochs", len(r.Epochs))
	if r.Kept < last.Epoch {
		fmt.Fprintf(w, ", the weights of epoch %d kept", r.Kept)
	}
	fmt.Fprintf(w, ", %.2f CPU seconds\n            %s\n", r.Seconds, epochLine(r.Epochs[r.Kept-1]))
	if c := r.Convergence; c != nil {
		printConvergence(w, *c)
	}
}

// printConvergence tells whether a perceptron converged, and what that says of the mail.
func printConvergence(w io.Writer, c models.Convergence) {
	if !c.Converged {
		fmt.Fprintf(w, "            not linearly separable within %d epochs and %d updates\n", c.Epochs, c.Updates)
		return
	}
	fmt.Fprintf(w, "converged   after %d epochs and %d updates: the training part is linearly separable\n", c.Epochs, c.Updates)
	for _, s := range c.Separations {
		of := ""
		if s.Class != "" {
			of = s.Class + ": "
		}
		fmt.Fprintf(w, "            %sR %.4g, margin %.4g, geometric margin %.4g", of, s.Radius, s.Margin, s.GeometricMargin)
		if s.UpdateBound != nil {
			fmt.Fprintf(w, "; %d updates of at most (R/margin)^2 = %.4g", s.Updates, *s.UpdateBound)
		}
		fmt.Fprintln(w)
	}
}
