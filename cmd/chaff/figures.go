package main

import (
	"fmt"
	"io"
	"strings"

	"chaff/config"
	"chaff/corpus"
	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

func printCorpus(w io.Writer, s train.Summary) {
	screen.Printf(w, "mail        %s\n", corpusLine(s))
	if s.Duplicates > 0 {
		screen.Printf(w, "            %d copies of the same message left out", s.Duplicates)
		if s.Conflicts > 0 {
			screen.Printf(w, ", %d of them with another label", s.Conflicts)
		}
		fmt.Fprintln(w)
	}
	for _, some := range []struct {
		count int
		what  string
	}{{s.Unreadable, "could not be read"}, {s.Repaired, "needed repair to be decoded"}, {s.Cut, "were cut at a limit"}} {
		if some.count > 0 {
			screen.Printf(w, "            %d %s\n", some.count, some.what)
		}
	}
}

func corpusLine(s train.Summary) string {
	var classes []string
	for _, c := range s.Classes {
		classes = append(classes, fmt.Sprintf("%d %s", c.Messages, c.Name))
	}
	return fmt.Sprintf("%d messages: %s", s.Used, strings.Join(classes, ", "))
}

func printSplit(w io.Writer, cfg config.Config, s train.Summary) {
	printCorpus(w, s)
	printParts(w, s, cfg.Split, cfg.Seed)
	printGroups(w, s, "part")
	screen.Printf(w, "vocabulary  %d terms", s.Terms)
	if n := cfg.Features.MinDocumentFrequency; n > 1 {
		screen.Printf(w, " that are in at least %d training messages", n)
	}
	fmt.Fprintln(w)
}

func printParts(w io.Writer, s train.Summary, o corpus.SplitOptions, seed uint64) {
	screen.Printf(w, "split       %s (%s)\n", partsOf(s), splitMethod(o, seed))
}

func partsOf(s train.Summary) string {
	return fmt.Sprintf("%d train, %d development, %d test", s.Train, s.Development, s.Test)
}

func splitMethod(o corpus.SplitOptions, seed uint64) string {
	switch o.Method {
	case corpus.SplitByTime:
		return "by time"
	case corpus.SplitGrouped:
		return fmt.Sprintf("grouped, seed %d", seed)
	}
	return fmt.Sprintf("by %s, seed %d", o.Method, seed)
}

// printGroups prints the number of near-duplicates, if it is known.
func printGroups(w io.Writer, s train.Summary, place string) {
	if s.Groups > 0 {
		screen.Printf(w, "            %d messages are nearly the same as others: %d groups, each in one %s\n", s.Grouped, s.Groups, place)
	}
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

func epochLine(e models.Epoch) string {
	line := fmt.Sprintf("epoch %d: %s, train loss %s accuracy %.2f%%", e.Epoch, plural(e.Updates, "update"), number(&e.Train.Loss), e.Train.Accuracy)
	if d := e.Development; d != nil {
		line += fmt.Sprintf(", development loss %s accuracy %.2f%%", number(&d.Loss), d.Accuracy)
	}
	return line + fmt.Sprintf(", %.0f ms", 1000*e.Seconds)
}

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

// printFigures prints one row of figures for each part of the corpus.
func printFigures(w io.Writer, parts []partFigures) {
	t := newTable(w, "part", "messages", "accuracy", "95% interval", "0-1 loss", "square loss", "log loss", "Brier", "hm%", "sm%", "lam%", "(1-ROCA)%")
	for _, part := range parts {
		f := part.figures
		if f == nil {
			screen.Printf(t, "%s\t0\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\n", part.name)
			continue
		}
		screen.Printf(t, "%s\t%d\t%.2f%%\t%.2f-%.2f\t%.4f\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", part.name, f.Messages, f.Accuracy, f.AccuracyLow, f.AccuracyHigh,
			f.ZeroOneLoss, number(f.SquareLoss), number(f.LogLoss), number(f.Brier),
			percent(f.HM, 2), percent(f.SM, 2), percent(f.LAM, 2), percent(f.OneMinusROCA, 4))
	}
	t.Flush()
}

type partFigures struct {
	name    string
	figures *metrics.Figures
}

// printConfusion prints how many messages of each class, a row, were given each class, a column.
func printConfusion(w io.Writer, classes []string, f *metrics.Figures) {
	t := newTable(w)
	fmt.Fprint(t, "true \\ given")
	for _, class := range classes {
		screen.Printf(t, "\t%s", class)
	}
	fmt.Fprintln(t)
	for c, row := range f.Confusion {
		screen.Printf(t, "%s", classes[c])
		for _, n := range row {
			screen.Printf(t, "\t%d", n)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// printTest prints the errors of a model, and the reliability of its probabilities.
func printTest(w io.Writer, classes []string, f *metrics.Figures) {
	printConfusion(w, classes, f)
	if len(classes) > 2 {
		fmt.Fprintln(w)
		printClasses(w, classes, f)
	}
	fmt.Fprintln(w)
	printReliability(w, classes, f)
}

func printClasses(w io.Writer, classes []string, f *metrics.Figures) {
	t := newTable(w, "class", "messages", "precision", "recall", "F1")
	for c, figures := range f.Classes {
		screen.Printf(t, "%s\t%d\t%s\t%s\t%s\n", classes[c], figures.Messages,
			percent(figures.Precision, 2), percent(figures.Recall, 2), percent(figures.F1, 2))
	}
	t.Flush()
}

// printReliability prints predicted probabilities beside observed shares.
func printReliability(w io.Writer, classes []string, f *metrics.Figures) {
	of, came := "the class given", "were of it"
	if len(classes) == 2 {
		of, came = classes[1], "were "+classes[1]
	}
	screen.Printf(w, "Probability of %s, and how many %s (mean difference %s):\n", of, came, number(f.CalibrationError))
	t := newTable(w)
	screen.Printf(t, "  probability\tmessages\tmean\t%s\n", came)
	for _, bin := range f.Reliability {
		screen.Printf(t, "  %.1f-%.1f\t%d\t%.1f%%\t%.1f%%\n", bin.Low, bin.High, bin.Messages, 100*bin.Predicted, 100*bin.Observed)
	}
	t.Flush()
}

// printVerdictsOfParts prints the thresholds from the development part, and their verdicts on the test part.
func printVerdictsOfParts(w io.Writer, r train.Result, limits metrics.ThresholdOptions) {
	if r.Thresholds != nil && r.Development == nil {
		screen.Printf(w, "\nThresholds, with no development part to choose them on: %s.\n", verdictsAbove(*r.Thresholds))
	} else if r.Thresholds != nil {
		screen.Printf(w, "\nThresholds, chosen on the development part: %s,\n%s.\n", verdictsAbove(*r.Thresholds), chosenBy(limits))
	}
	if r.Verdicts != nil {
		fmt.Fprintln(w, "With them, on the test part:")
		printVerdicts(w, *r.Verdicts)
	}
	printCost(w, r.Cost)
}

func verdictsAbove(t metrics.Thresholds) string {
	return fmt.Sprintf("spam above %s, unsure above %s", threshold(t.Spam), threshold(t.Unsure))
}

func chosenBy(o metrics.ThresholdOptions) string {
	if o.Costs != "" {
		return fmt.Sprintf("at the least cost, a lost ham, a missed spam and an unsure message costing %s", o.Costs)
	}
	return fmt.Sprintf("for limits of %v%% of ham lost and %v%% of spam missed", o.HamLost, o.SpamMissed)
}

// printVerdicts prints the rates of verdicts on labelled messages.
func printVerdicts(w io.Writer, v train.VerdictCounts) {
	share := func(n, of int) string {
		if of == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f%%", 100*float64(n)/float64(of))
	}
	ham, spam := v.Ham.Messages(), v.Spam.Messages()
	screen.Printf(w, "  spam found %s, ham taken for spam %s, unsure %s of ham and %s of spam\n",
		share(v.Spam.Spam, spam), share(v.Ham.Spam, ham), share(v.Ham.Unsure, ham), share(v.Spam.Unsure, spam))
}

func printCost(w io.Writer, cost *float64) {
	if cost != nil {
		screen.Printf(w, "  cost of a message %.4f\n", *cost)
	}
}

// printRefitted describes the model that is fitted to all mail.
func printRefitted(w io.Writer, r train.Refitted, limits metrics.ThresholdOptions) {
	screen.Printf(w, "\nThese figures are of a model of the training part. The saved model is fitted to all %d messages.\n", r.Messages)
	if r.Thresholds == nil {
		screen.Printf(w, "Its probabilities come from %d scores by models that had not learnt the message.\n", r.OutOfFold)
		return
	}
	screen.Printf(w, "Its thresholds come from %d scores by models that had not learnt the message: %s,\n%s.\n",
		r.OutOfFold, verdictsAbove(*r.Thresholds), chosenBy(limits))
	fmt.Fprintln(w, "With them, by these scores (the saved model has learnt more, and finds more):")
	printVerdicts(w, *r.Verdicts)
	printCost(w, r.Cost)
	printPromise(w, r.Promise)
}

// printPromise prints what the thresholds of the saved model guarantee, if anything.
func printPromise(w io.Writer, p *metrics.Promise) {
	if p != nil {
		screen.Printf(w, "Promise: %v.\n", p)
	}
}

// printReview prints the messages worth reading, and the accuracy by month.
func printReview(w io.Writer, r evaluate.Review) {
	if len(r.Mistakes) > 0 {
		fmt.Fprintln(w, "\nThe worst mistakes:")
		printJudged(w, r.Mistakes)
	}
	if len(r.LeastCertain) > 0 {
		fmt.Fprintln(w, "\nThe least certain:")
		printJudged(w, r.LeastCertain)
	}
	times := periods(r.Months)
	if len(times) < 2 {
		return
	}
	fmt.Fprintln(w, "\nBy time of delivery:")
	t := newTable(w, "  time", "messages", "accuracy", "95% interval")
	for _, m := range times {
		screen.Printf(t, "  %s\t%d\t%.2f%%\t%.2f-%.2f\n", m, m.Messages, m.Accuracy, m.AccuracyLow, m.AccuracyHigh)
	}
	t.Flush()
}

func printJudged(w io.Writer, all []evaluate.Judged) {
	for _, j := range all {
		verdict := fmt.Sprintf("%s, given %s", j.Label, j.Class)
		if j.Label == j.Class {
			verdict = j.Label
		}
		screen.Printf(w, "  %s\n    %s: score %.4f, probability %.4f  %s\n", j.Path, verdict, j.Score, j.Probability, shorten([]byte(j.Subject)))
		var terms []string
		for _, t := range j.Terms {
			terms = append(terms, fmt.Sprintf("%s %+.3g", t.Term, t.Contribution))
		}
		if len(terms) > 0 {
			screen.Printf(w, "    for %s: %s\n", j.Class, strings.Join(terms, ", "))
		}
	}
}
