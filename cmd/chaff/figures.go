package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chaff/cmd/internal/delivery"
	"chaff/config"
	"chaff/corpus"
	"chaff/evaluate"
	"chaff/filter"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

// mail prints what mail was read; with --verbose, also what was odd about it.
func (a *answer) mail(s train.Summary) {
	text := corpusLine(s)
	if s.Listing != nil {
		if s.Sampled > 0 {
			text += screen.Sprintf("; %d left out by the sample", s.Sampled)
		}
		if s.Unreadable > 0 {
			text += screen.Sprintf("; %d could not be read", s.Unreadable)
		}
		if left := s.NoMail.String(); left != "" {
			text += "; " + left
		}
		if s.Duplicates > 0 {
			text += "; " + screen.Plural(s.Duplicates, "copy", "copies") + " left out"
		}
		if s.Conflicts > 0 {
			text += screen.Sprintf(", %d of them with another label", s.Conflicts)
		}
	}
	a.fact("mail", "%s", text)
	if a.verbose {
		a.count("", s.Repaired, "%d needed repair to be decoded")
		a.count("", s.Cut, "%d cut at a limit")
	}
}

func corpusLine(s train.Summary) string {
	classes := mapped(s.Classes, func(c train.ClassCount) string { return screen.Grouped(c.Messages) + " " + c.Name })
	return fmt.Sprintf("%s: %s", screen.Plural(s.Used, "message"), strings.Join(classes, ", "))
}

func (a *answer) divided(s train.Summary, o corpus.SplitOptions, seed uint64) {
	a.fact("split", "%d train, %d development, %d test (%s)", s.Train, s.Development, s.Test, splitMethod(o, seed))
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

// groups adds the number of near-duplicates, if it is known.
func (a *answer) groups(s train.Summary, place string) {
	if s.Groups > 0 {
		a.fact("", "%s in %s of near-duplicates; all messages of a group are in the same %s", screen.Plural(s.Grouped, "message"), screen.Plural(s.Groups, "group"), place)
	}
}

// collected prints what mail was divided into parts; with --verbose, also how.
func (a *answer) collected(s train.Summary, cfg config.Config) {
	a.mail(s)
	if a.verbose {
		a.divided(s, cfg.Split, cfg.Seed)
		a.groups(s, "part")
	}
}

func (a *answer) epochs(r train.Result) {
	if len(r.Epochs) == 0 {
		return
	}
	a.fact("trained", "%s, %.2f CPU seconds", screen.Plural(len(r.Epochs), "epoch"), r.Seconds)
	a.fact("", "%s", epochLine(r.Epochs[len(r.Epochs)-1]))
	if r.Convergence != nil {
		a.convergence(*r.Convergence)
	}
}

func epochLine(e models.Epoch) string {
	line := fmt.Sprintf("epoch %d: %s, train loss %s accuracy %.2f%%", e.Epoch, screen.Plural(e.Updates, "update"), number(&e.Train.Loss), e.Train.Accuracy)
	if d := e.Development; d != nil {
		line += fmt.Sprintf(", development loss %s accuracy %.2f%%", number(&d.Loss), d.Accuracy)
	}
	return line
}

func (a *answer) convergence(c models.Convergence) {
	after := screen.Plural(c.Epochs, "epoch") + " and " + screen.Plural(c.Updates, "update")
	if !c.Converged {
		a.fact("", "not linearly separable within %s", after)
		return
	}
	a.fact("converged", "after %s: the training part is linearly separable", after)
	for _, s := range c.Separations {
		of, bound := "", ""
		if s.Class != "" {
			of = s.Class + ": "
		}
		if s.UpdateBound != nil {
			bound = fmt.Sprintf("; %s of at most (R/geometric margin)^2 = %s", screen.Plural(s.Updates, "update"), number(s.UpdateBound))
		}
		a.fact("", "%sR %.3g, margin %.3g, geometric margin %.3g%s", of, s.Radius, s.Margin, s.GeometricMargin, bound)
	}
}

// ofPart is the figures of a part of the mail; nil for a part without messages.
type ofPart struct {
	name    string
	figures *metrics.Figures
}

// figures adds all figures that are defined, with a column for each part of the mail.
func (a *answer) figures(parts ...ofPart) {
	names := []string{"messages", "accuracy", "95% interval", "0-1 loss", "square loss", "log loss", "Brier score", "hm%", "sm%", "lam%", "(1-ROCA)%"}
	t := a.table(0)
	t.Row("", mapped(parts, func(p ofPart) string { return p.name }))
	for _, name := range names {
		cells := mapped(parts, func(p ofPart) string { return figureOf(p.figures, name) })
		if slices.ContainsFunc(cells, func(cell string) bool { return cell != "-" }) {
			t.Row(name, cells)
		}
	}
	a.figureTable(t, "")
}

// accuracies adds a line for each part of the mail: its accuracy, the interval, and the number of errors.
func (a *answer) accuracies(parts ...ofPart) {
	t := a.table(0)
	for i, part := range parts {
		label := [...]string{"accuracy  ", "          "}[min(i, 1)]
		f := part.figures
		if f == nil {
			t.Row(label, part.name, "no messages")
			continue
		}
		errors := screen.Plural(f.Errors(), "error") + " in " + screen.Grouped(f.Messages)
		if f.Messages < metrics.FewToTell {
			t.Row(label, part.name, errors+": too few to tell")
			continue
		}
		shown := figuresOf(f, "accuracy", "95% interval")
		t.Row(label, part.name, shown[0], "95% interval "+shown[1], errors)
	}
	t.Flush()
}

// errors adds how many messages of each class, a row, were given each class, a column.
func (a *answer) errors(classes []string, f *metrics.Figures) {
	t := a.table(0)
	t.Row(screen.Quoted("true \\ given"), classes)
	for c, row := range f.Confusion {
		t.Row(classes[c], mapped(row, screen.Grouped))
	}
	a.figureTable(t, "")
	if len(classes) > 2 {
		a.gap()
		t = a.table(0, "class", "messages", "precision", "recall", "F1")
		for c, of := range f.Classes {
			t.Row(classes[c], of.Messages, percent(of.Precision, 2), percent(of.Recall, 2), percent(of.F1, 2))
		}
		a.figureTable(t, "")
	}
}

// thresholds adds which scores get which verdict.
func (a *answer) thresholds(t *metrics.Thresholds) {
	if t != nil {
		a.fact("thresholds", "%s", verdictRule(*t))
	}
}

func verdictRule(t metrics.Thresholds) string {
	spam, unsure := threshold(t.Spam), threshold(t.Unsure)
	switch noHam, noSpam := t.Unsure <= -metrics.Beyond, t.Spam >= metrics.Beyond; {
	case noHam && noSpam:
		return "every message is unsure"
	case noSpam:
		return fmt.Sprintf("nothing is called spam; ham if the score is at most %s, else unsure", unsure)
	case noHam:
		return fmt.Sprintf("nothing is called ham; spam if the score is above %s, else unsure", spam)
	case spam == unsure:
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

// verdicts adds the rates of verdicts on labelled messages, if there are any. On says which messages these are.
func (a *answer) verdicts(label string, v *metrics.VerdictCounts, on string) {
	if v == nil {
		return
	}
	if ham := v.Ham.Messages(); ham > 0 {
		a.fact(label, "ham: %s lost as spam (%d of %d), %s unsure", shareOf(v.Ham.Spam, ham), v.Ham.Spam, ham, shareOf(v.Ham.Unsure, ham))
		label = ""
	}
	if spam := v.Spam.Messages(); spam > 0 {
		a.fact(label, "spam: %s found (%d of %d), %s unsure, %s missed",
			shareOf(v.Spam.Spam, spam), v.Spam.Spam, spam, shareOf(v.Spam.Unsure, spam), shareOf(v.Spam.Ham, spam))
	}
	if on != "" && v.Ham.Messages()+v.Spam.Messages() > 0 {
		a.fact("", "%s", on)
	}
}

// choice adds what the thresholds of a saved model do to messages, which on describes: the verdicts, the mean cost and the guarantee.
func (a *answer) choice(r train.Refitted, on string) {
	a.verdicts("verdicts", r.Verdicts, on)
	if r.Cost != nil {
		a.fact("cost", "%s a message", number(r.Cost))
	}
	if r.Promise != nil {
		a.fact("guarantee", "%v", r.Promise)
	}
}

// heldOut describes the messages of out-of-fold scores.
const heldOut = "each message judged by a model that had not learned it"

// mistakes adds the worst mistakes, with the terms that speak for their verdicts, of all errors that figures count.
func (a *answer) mistakes(classes []string, all []evaluate.Judged, of *metrics.Figures) {
	if len(all) == 0 {
		return
	}
	unsure := ""
	if filter.IsSpamFilter(classes) {
		unsure = ", if nothing were unsure"
	}
	a.line("\nThe worst mistakes%s:", unsure)
	for _, j := range all {
		a.line("  %s", j.Path)
		screen.Paragraph(a.stdout, "    ", "%s called %s, score %s, %s: %s", j.Label, j.Class, screen.Figure(j.Score),
			delivery.Probability(classes, j.Probability), cmp.Or(screen.Cut(j.Subject, headWidth), "(no subject)"))
		if len(j.Terms) > 0 {
			terms := mapped(j.Terms, func(t evaluate.Reason) string { return fmt.Sprintf("%s %+.3g", t.Term, t.Contribution) })
			screen.List(a.stdout, fmt.Sprintf("    for %s: ", screen.Printable(j.Class)), terms)
		}
	}
	if more := of.Errors() - len(all); more > 0 {
		a.line("  and %d more: --mistakes N", more)
	}
}

// figuresOf returns the cells of a table with these heads, which name figures. An undefined figure, and one of no messages, is a dash.
func figuresOf(f *metrics.Figures, heads ...string) []string {
	var shown map[string]string
	if f != nil {
		shown = map[string]string{
			"messages": screen.Grouped(f.Messages), "errors": screen.Grouped(f.Errors()), "accuracy": fmt.Sprintf("%.2f%%", f.Accuracy), "95% interval": fmt.Sprintf("%.2f-%.2f", f.AccuracyLow, f.AccuracyHigh),
			"0-1 loss": number(&f.ZeroOneLoss), "square loss": number(f.SquareLoss), "log loss": number(f.LogLoss), "Brier score": number(f.Brier),
			"hm%": percent(f.HM, 2), "sm%": percent(f.SM, 2), "lam%": percent(f.LAM, 2), "(1-ROCA)%": percent(f.OneMinusROCA, 4),
		}
	}
	return mapped(heads, func(head string) string { return cmp.Or(shown[head], "-") })
}

func figureOf(f *metrics.Figures, name string) string { return figuresOf(f, name)[0] }

// doubts prints the first warnings, or all.
func (a *answer) doubts(texts []string) {
	const maxWarnings = 2 // in a short answer
	for i, text := range texts {
		if i == maxWarnings && !a.verbose {
			a.aside("%s: --verbose shows all", screen.Plural(len(texts)-i, "more warning"))
			return
		}
		a.warn(text)
	}
}

// doubts collects the warnings about models, one for all that share it, and then those about leaks: terms that the senders may not have written.
func doubts(results []train.Result, classes []string, leaks []evaluate.Leak) []string {
	var texts []string
	of := make(map[string][]string) // models by warning
	for _, r := range results {
		for _, text := range r.Warnings {
			if len(of[text]) == 0 {
				texts = append(texts, text)
			}
			of[text] = append(of[text], r.Model)
		}
	}
	for i, text := range texts {
		switch {
		case len(results) == 1:
		case len(of[text]) == len(results):
			texts[i] = "all models: " + text
		default:
			texts[i] = strings.Join(of[text], ", ") + ": " + text
		}
	}
	for _, l := range leaks {
		about, of := "", []string(nil)
		if l.Setting == "" && l.Alike > 0 {
			about = ", like " + screen.Plural(l.Alike, "other term") + " of the text,"
		}
		for c, n := range l.Messages {
			of = append(of, screen.Sprintf("%d of %d %s", n, l.Of[c], classes[c]))
		}
		texts = append(texts, screen.Printable(fmt.Sprintf("possible leak: %s%s is in %s (training messages): %s", l.Term, about, strings.Join(of, ", "), l.Advice)))
	}
	return texts
}
