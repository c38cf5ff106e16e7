package main

import (
	"fmt"
	"io"

	"golang.org/x/term"

	"chaff/internal/screen"
	"chaff/models"
	"chaff/train"
)

// epochs returns a function that prints each epoch on a terminal, and one that ends the output. Several models share one line.
func (p *program) epochs(several bool) (tell func(model string, e models.Epoch), done func()) {
	file := p.terminal()
	if file == nil {
		return nil, func() {}
	}
	if !several {
		return showEpochs(file), func() {}
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		width = 80
	}
	return showInPlace(file, width)
}

func showEpochs(w io.Writer) func(model string, e models.Epoch) {
	return func(model string, e models.Epoch) { screen.Printf(w, "%s %s\n", model, epochLine(e)) }
}

// clearLine empties the current line of a terminal.
const clearLine = "\r\x1b[K"

// showInPlace prints each epoch over the previous one, cut to the width of the terminal.
func showInPlace(w io.Writer, width int) (tell func(model string, e models.Epoch), done func()) {
	told := false
	tell = func(model string, e models.Epoch) {
		line := model + " " + epochLine(e)
		screen.Printf(w, clearLine+"%s", line[:min(len(line), max(width-1, 0))])
		told = true
	}
	return tell, func() {
		if told {
			fmt.Fprint(w, clearLine)
		}
	}
}

// epochLine describes an epoch.
func epochLine(e models.Epoch) string {
	line := fmt.Sprintf("epoch %d: %s, train loss %s accuracy %.2f%%", e.Epoch, plural(e.Updates, "update"), number(&e.Train.Loss), e.Train.Accuracy)
	if d := e.Development; d != nil {
		line += fmt.Sprintf(", development loss %s accuracy %.2f%%", number(&d.Loss), d.Accuracy)
	}
	return line + fmt.Sprintf(", %.0f ms", 1000*e.Seconds)
}

// printTraining prints the number of epochs and the figures of the last, if the model has epochs.
func printTraining(w io.Writer, r train.Result) {
	if len(r.Epochs) == 0 {
		return
	}
	last := r.Epochs[len(r.Epochs)-1]
	screen.Printf(w, "trained     %s", plural(len(r.Epochs), "epoch"))
	if r.Kept < last.Epoch {
		screen.Printf(w, ", the weights of epoch %d kept", r.Kept)
	}
	screen.Printf(w, ", %.2f CPU seconds\n            %s\n", r.Seconds, epochLine(r.Epochs[r.Kept-1]))
	if c := r.Convergence; c != nil {
		printConvergence(w, *c)
	}
}

// printConvergence prints whether a perceptron converged, and on which margins.
func printConvergence(w io.Writer, c models.Convergence) {
	if !c.Converged {
		screen.Printf(w, "            not linearly separable within %s and %s\n", plural(c.Epochs, "epoch"), plural(c.Updates, "update"))
		return
	}
	screen.Printf(w, "converged   after %s and %s: the training part is linearly separable\n", plural(c.Epochs, "epoch"), plural(c.Updates, "update"))
	for _, s := range c.Separations {
		of := ""
		if s.Class != "" {
			of = s.Class + ": "
		}
		screen.Printf(w, "            %sR %.4g, margin %.4g, geometric margin %.4g", of, s.Radius, s.Margin, s.GeometricMargin)
		if s.UpdateBound != nil {
			screen.Printf(w, "; %s of at most (R/geometric margin)^2 = %.4g", plural(s.Updates, "update"), *s.UpdateBound)
		}
		fmt.Fprintln(w)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
