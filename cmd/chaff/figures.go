package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"chaff/cmd/internal/delivery"
	"chaff/config"
	"chaff/corpus"
	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

// printCorpus prints what mail was read.
func printCorpus(w io.Writer, s train.Summary) {
	printMail(w, s)
	printOddities(w, s)
}

func printMail(w io.Writer, s train.Summary) {
	field(w, "mail", "%s", corpusLine(s))
	if s.Listing == nil {
		return
	}
	if s.Unreadable > 0 {
		field(w, "", "%d could not be read", s.Unreadable)
	}
	if left := s.NoMail.String(); left != "" {
		field(w, "", "%s", left)
	}
	if s.Duplicates > 0 {
		conflicts := ""
		if s.Conflicts > 0 {
			conflicts = fmt.Sprintf(", %d of them with another label", s.Conflicts)
		}
		field(w, "", "%s of the same message left out%s", pluralOf(s.Duplicates, "copy", "copies"), conflicts)
	}
}

// printOddities prints what was odd about the mail that was used.
func printOddities(w io.Writer, s train.Summary) {
	if s.Repaired > 0 {
		field(w, "", "%d needed repair to be decoded", s.Repaired)
	}
	if s.Cut > 0 {
		field(w, "", "%d cut at a limit", s.Cut)
	}
}

// field prints a labelled text, wrapped beside its label.
func field(w io.Writer, label, format string, args ...any) {
	screen.Paragraph(w, fmt.Sprintf("%-12s", label), format, args...)
}

func corpusLine(s train.Summary) string {
	var classes []string
	for _, c := range s.Classes {
		classes = append(classes, screen.Grouped(c.Messages)+" "+c.Name)
	}
	return fmt.Sprintf("%s: %s", plural(s.Used, "message"), strings.Join(classes, ", "))
}

func printSplit(w io.Writer, cfg config.Config, s train.Summary) {
	printCorpus(w, s)
	printParts(w, s, cfg.Split, cfg.Seed)
	printGroups(w, s, "part")
	of := ""
	if n := cfg.Features.MinDocumentFrequency; n > 1 {
		of = fmt.Sprintf(" that are in at least %d training messages", n)
	}
	field(w, "vocabulary", "%s%s", plural(s.Terms, "term"), of)
}

func printParts(w io.Writer, s train.Summary, o corpus.SplitOptions, seed uint64) {
	field(w, "split", "%s (%s)", partsOf(s), splitMethod(o, seed))
}

func partsOf(s train.Summary) string {
	return fmt.Sprintf("%s train, %s development, %s test", screen.Grouped(s.Train), screen.Grouped(s.Development), screen.Grouped(s.Test))
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
		field(w, "", "%s in %s of near-duplicates; all messages of a group are in the same %s", plural(s.Grouped, "message"), plural(s.Groups, "group"), place)
	}
}

// printTraining prints the number of epochs and the figures of the last, if the model has epochs.
func printTraining(w io.Writer, r train.Result) {
	if len(r.Epochs) == 0 {
		return
	}
	last := r.Epochs[len(r.Epochs)-1]
	kept := ""
	if r.Kept < last.Epoch {
		kept = fmt.Sprintf(", the weights of epoch %d kept", r.Kept)
	}
	field(w, "trained", "%s%s, %.2f CPU seconds", plural(len(r.Epochs), "epoch"), kept, r.Seconds)
	field(w, "", "%s", epochLine(r.Epochs[r.Kept-1]))
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
	after := plural(c.Epochs, "epoch") + " and " + plural(c.Updates, "update")
	if !c.Converged {
		field(w, "", "not linearly separable within %s", after)
		return
	}
	field(w, "converged", "after %s: the training part is linearly separable", after)
	for _, s := range c.Separations {
		of, bound := "", ""
		if s.Class != "" {
			of = s.Class + ": "
		}
		if s.UpdateBound != nil {
			bound = fmt.Sprintf("; %s of at most (R/geometric margin)^2 = %s", plural(s.Updates, "update"), number(s.UpdateBound))
		}
		field(w, "", "%sR %.3g, margin %.3g, geometric margin %.3g%s", of, s.Radius, s.Margin, s.GeometricMargin, bound)
	}
}

// printFigures prints a column of figures for each part of the corpus.
func printFigures(w io.Writer, parts []partFigures) {
	t := newTable(w)
	row := func(name string, cell func(f *metrics.Figures) string) {
		screen.Printf(t, "%s", name)
		for _, part := range parts {
			text := "-"
			if part.figures != nil {
				text = cell(part.figures)
			}
			screen.Printf(t, "\t%s", text)
		}
		fmt.Fprintln(t)
	}
	fmt.Fprint(t, "")
	for _, part := range parts {
		screen.Printf(t, "\t%s", part.name)
	}
	fmt.Fprintln(t)
	row("messages", func(f *metrics.Figures) string { return strconv.Itoa(f.Messages) })
	row("accuracy", accuracyOf)
	row("95% interval", intervalOf)
	row("0-1 loss", func(f *metrics.Figures) string { return number(&f.ZeroOneLoss) })
	row("square loss", func(f *metrics.Figures) string { return number(f.SquareLoss) })
	row("log loss", func(f *metrics.Figures) string { return number(f.LogLoss) })
	row("Brier score", func(f *metrics.Figures) string { return number(f.Brier) })
	row("hm%", func(f *metrics.Figures) string { return percent(f.HM, 2) })
	row("sm%", func(f *metrics.Figures) string { return percent(f.SM, 2) })
	row("lam%", func(f *metrics.Figures) string { return percent(f.LAM, 2) })
	row("(1-ROCA)%", func(f *metrics.Figures) string { return percent(f.OneMinusROCA, 4) })
	t.Flush()
}

func intervalOf(f *metrics.Figures) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f-%.2f", f.AccuracyLow, f.AccuracyHigh)
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
	screen.Printf(t, "  messages\tmean probability\t%s\t95%% interval\n", came)
	for _, bin := range f.Reliability {
		screen.Printf(t, "  %d\t%.1f%%\t%.1f%%\t%.1f-%.1f\n", bin.Messages, 100*bin.Predicted, 100*bin.Observed, 100*bin.ObservedLow, 100*bin.ObservedHigh)
	}
	t.Flush()
}

// printVerdictsOfParts prints the thresholds from the development part, and their verdicts on the test part.
func printVerdictsOfParts(w io.Writer, r train.Result, limits metrics.ThresholdOptions) {
	fmt.Fprintln(w)
	if r.Thresholds != nil {
		printThresholds(w, *r.Thresholds)
		chosen := "on the development part, " + chosenBy(limits)
		if r.Development == nil {
			chosen = "without mail: there is no development part"
		}
		field(w, "", "chosen %s", chosen)
	}
	if r.Verdicts != nil {
		printVerdicts(w, *r.Verdicts, "on the test part")
	}
	printCost(w, r.Cost)
}

// printThresholds prints which scores get which verdict.
func printThresholds(w io.Writer, t metrics.Thresholds) {
	field(w, "thresholds", "%s", verdictsAbove(t))
}

// verdictsAbove describes which scores get which verdict.
func verdictsAbove(t metrics.Thresholds) string {
	spam, unsure := threshold(t.Spam), threshold(t.Unsure)
	if spam == unsure {
		return fmt.Sprintf("spam if the score is above %s, else ham; none is unsure", spam)
	}
	return fmt.Sprintf("spam if the score is above %s, ham up to %s, unsure in between", spam, unsure)
}

func chosenBy(o metrics.ThresholdOptions) string {
	if o.Costs != "" {
		return fmt.Sprintf("at the least cost; a lost ham, a missed spam and an unsure message cost %s", o.Costs)
	}
	return fmt.Sprintf("aiming at %v%% of ham lost and %v%% of spam missed", o.HamLost, o.SpamMissed)
}

// printVerdicts prints the rates of verdicts on labelled messages. On says which messages these are.
func printVerdicts(w io.Writer, v train.VerdictCounts, on string) {
	lost := screen.Green
	if v.Ham.Spam > 0 {
		lost = screen.Red
	}
	label := "verdicts"
	if ham := v.Ham.Messages(); ham > 0 {
		field(w, label, "ham: %s (%s of %s), %s unsure", lost.Of(shareOf(v.Ham.Spam, ham)+" lost as spam"), screen.Grouped(v.Ham.Spam), screen.Grouped(ham), shareOf(v.Ham.Unsure, ham))
		label = ""
	}
	if spam := v.Spam.Messages(); spam > 0 {
		field(w, label, "spam: %s found (%s of %s), %s unsure, %s missed", shareOf(v.Spam.Spam, spam), screen.Grouped(v.Spam.Spam), screen.Grouped(spam),
			shareOf(v.Spam.Unsure, spam), shareOf(v.Spam.Ham, spam))
	}
	if on != "" {
		field(w, "", "%s", screen.Faint.Of(on))
	}
}

// verdictShares is what printVerdicts prints, in short.
func verdictShares(v train.VerdictCounts) string {
	ham, spam := max(1, v.Ham.Messages()), max(1, v.Spam.Messages())
	return fmt.Sprintf("ham: %s lost, %s unsure; spam: %s found, %s unsure, %s missed", shareOf(v.Ham.Spam, ham), shareOf(v.Ham.Unsure, ham),
		shareOf(v.Spam.Spam, spam), shareOf(v.Spam.Unsure, spam), shareOf(v.Spam.Ham, spam))
}

func printCost(w io.Writer, cost *float64) {
	if cost != nil {
		field(w, "cost", "%s a message", number(cost))
	}
}

// heldOut describes the messages of out-of-fold scores.
const heldOut = "each message judged by a model that had not learned it"

// printRefitted describes the model that is fitted to all mail.
func printRefitted(w io.Writer, r train.Refitted, limits metrics.ThresholdOptions) {
	fmt.Fprintln(w, "\nThese figures are of a model of the training part. The saved model:")
	field(w, "fitted to", "all %s", plural(r.Messages, "message"))
	if r.Thresholds == nil {
		field(w, "", "its probabilities come from %s", plural(r.OutOfFold, "out-of-fold score"))
		return
	}
	printThresholds(w, *r.Thresholds)
	field(w, "", "chosen on %s, %s", plural(r.OutOfFold, "out-of-fold score"), chosenBy(limits))
	printVerdicts(w, *r.Verdicts, heldOut)
	printCost(w, r.Cost)
	printGuarantee(w, r.Promise)
}

// printGuarantee prints what the thresholds of the saved model guarantee, if anything.
func printGuarantee(w io.Writer, p *metrics.Promise) {
	if p != nil {
		field(w, "guarantee", "%v", p)
	}
}

// printGrowth prints the accuracy by the number of messages learned, and whether more mail would help.
func printGrowth(w io.Writer, g evaluate.Growth) {
	if len(g.Points) < 2 {
		return
	}
	fmt.Fprintln(w, "\nAccuracy by the number of messages learned:")
	t := newTable(w, "  learned", "accuracy", "95% interval", "errors")
	for _, at := range g.Points {
		screen.Printf(t, "  %d\t%.2f%%\t%.2f-%.2f\t%d\n", at.Messages, at.Accuracy, at.AccuracyLow, at.AccuracyHigh, at.Errors)
	}
	t.Flush()
	if g.Advice != "" {
		screen.Paragraph(w, "", "%s", g.Advice)
	}
}

// printReview prints the messages worth reading, and the accuracy by month.
func printReview(w io.Writer, classes []string, r evaluate.Review) {
	if len(r.Mistakes) > 0 {
		fmt.Fprintln(w, "\nThe worst mistakes:")
		printJudged(w, classes, r.Mistakes)
	}
	if len(r.LeastCertain) > 0 {
		fmt.Fprintln(w, "\nThe least certain:")
		printJudged(w, classes, r.LeastCertain)
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

// printJudged prints messages with the terms that speak for their verdicts.
func printJudged(w io.Writer, classes []string, all []evaluate.Judged) {
	for _, j := range all {
		screen.Printf(w, "  %s\n", j.Path)
		screen.Paragraph(w, "    ", "%s, score %s, %s: %s", judgement(j), screen.Figure(j.Score), delivery.Probability(classes, j.Probability), subjectOf(j))
		var terms []string
		for _, t := range j.Terms {
			terms = append(terms, fmt.Sprintf("%s %+.3g", t.Term, t.Contribution))
		}
		if len(terms) > 0 {
			screen.List(w, fmt.Sprintf("    for %s: ", screen.Printable(j.Class)), terms)
		}
	}
}

func subjectOf(j evaluate.Judged) string {
	if j.Subject == "" {
		return "(no subject)"
	}
	return shorten([]byte(j.Subject))
}

// judgement says what a message is and, if that is a mistake, what it was called.
func judgement(j evaluate.Judged) screen.Styled {
	if j.Label == j.Class {
		return screen.Plain.Of(j.Label)
	}
	return screen.Red.Of(j.Label + " called " + j.Class)
}
