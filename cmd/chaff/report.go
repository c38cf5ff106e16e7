package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/corpus"
	"chaff/evaluate"
	"chaff/filter"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/report"
	"chaff/train"
)

type reportFlags struct {
	page, plots string
	axes        string
}

func (r *reportFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&r.page, "report", "", "write a page with tables and plots to `FILE`")
	c.Flags().StringVar(&r.plots, "plots", "", "write the plots as SVG and PNG files into the folder `DIR`")
}

func (r *reportFlags) addAxes(c *cobra.Command) {
	c.Flags().StringVar(&r.axes, "axes", "", "draw the decision boundary for two `TERMS`, separated by a space")
}

func (r *reportFlags) check() error {
	if r.axes != "" && !r.wanted() {
		return errors.New("--axes needs --report or --plots")
	}
	if r.axes != "" && len(strings.Fields(r.axes)) != 2 {
		return fmt.Errorf("--axes is %q: must be two terms, as \"body:meet subject:offer\"", r.axes)
	}
	return nil
}

func (r *reportFlags) outputs() []replace.Output {
	all := []replace.Output{{Path: r.page, Kind: report.PageKind()}}
	if r.plots != "" {
		for _, name := range report.PlotNames() {
			path := filepath.Join(r.plots, name)
			all = append(all, replace.Output{Path: path + ".svg", Kind: report.SVGKind(), Made: true}, replace.Output{Path: path + ".png", Kind: report.PNGKind(), Made: true})
		}
	}
	return all
}

func (r *reportFlags) wanted() bool { return r.page != "" || r.plots != "" }

func (r *reportFlags) write(page report.Page) error {
	if r.page != "" {
		if err := writeFile(r.page, report.PageKind(), page.WriteHTML); err != nil {
			return err
		}
	}
	if r.plots == "" {
		return nil
	}
	if err := os.MkdirAll(r.plots, 0o755); err != nil {
		return fmt.Errorf("write %s: %w", r.plots, errors.Unwrap(err))
	}
	for _, plot := range page.Plots() {
		svg, err1 := plot.SVG()
		png, err2 := plot.PNG()
		if err := cmp.Or(err1, err2); err != nil {
			return fmt.Errorf("draw %s: %w", plot.Name, err)
		}
		path := filepath.Join(r.plots, plot.Name)
		if err := cmp.Or(writeBytes(path+".svg", report.SVGKind(), svg), writeBytes(path+".png", report.PNGKind(), png)); err != nil {
			return err
		}
	}
	return nil
}

// Limits of what a page shows.
const (
	maxCurves   = 6
	shownTerms  = 15
	curvePoints = 400
)

// trainedPage is the page about models that were trained on one collection, the best first. Found is about the best.
func (x *experiment) trainedPage(title string, collection *train.Collection, all []train.Trained, found findings) (report.Page, error) {
	ctx, s, best := x.command.Context(), collection.Summary(), all[0]
	page := report.Page{
		Title: title, Subtitle: corpusLine(s), Facts: corpusFacts(x.Config, s), Classes: collection.Classes(),
		Warnings: append(slices.Concat(s.Remarks, s.Warnings), doubts(resultsOf(all))...), Of: best.Result.Model, On: "the test part",
	}
	page.Models = modelsOf(resultsOf(all), best.Result.Development != nil)
	for i, t := range all {
		r := t.Result
		if len(r.Epochs) > 1 && len(page.Epochs) < maxCurves {
			page.Epochs = append(page.Epochs, epochCurve(r))
		}
		of, err := found.Findings, error(nil)
		if i > 0 && r.Test != nil {
			of, err = evaluate.Find(ctx, collection, t.Filter, corpus.Test, 0)
		}
		if err != nil {
			return report.Page{}, err
		}
		if r.Test != nil {
			addCurve(&page, r, of.Curve)
		}
	}
	if test := best.Result.Test; test != nil && len(all) == 1 {
		page.Facts = append(resultFacts("test message", test), page.Facts...)
	} else {
		page.Facts = append(verdictFacts(best.Result.Verdicts, "the best, "+best.Result.Model+", on the test part"), page.Facts...)
	}
	for _, l := range found.leaks {
		page.Leaks = append(page.Leaks, report.Leak{Term: l.Term, Messages: l.Messages, Of: l.Of, Advice: l.Advice})
	}
	if err := addFindings(&page, best.Filter, best.Result, found.Findings); err != nil {
		return report.Page{}, err
	}
	g, err := fit(x.program, x.Config, true, func(o train.Options) (evaluate.Growth, error) { return evaluate.GrowthOf(ctx, collection, best, o) })
	if err != nil {
		return report.Page{}, err
	}
	page.Growth = &report.Growth{Model: g.Model, Advice: g.Advice}
	for _, at := range g.Points {
		page.Growth.Points = append(page.Growth.Points, report.GrowthPoint(at))
	}
	return page, x.addTwoTerms(&page, collection, best)
}

// addFindings adds what the scores of a model show, and its strongest terms.
func addFindings(page *report.Page, f *filter.Filter, r train.Result, found evaluate.Findings) error {
	if r.Test != nil {
		page.Reliability, page.Confusion = r.Test.Reliability, r.Test.Confusion
		if len(found.Curve) > 0 {
			page.Scores, page.Thresholds = &found.Scores, r.Thresholds
		}
	}
	page.Mistakes, page.LeastCertain = judged(page.Classes, found.Review.Mistakes), judged(page.Classes, found.Review.LeastCertain)
	if all := periods(found.Review.Months); len(all) > 1 {
		page.Drift = all
	}
	terms, err := f.Strongest(shownTerms)
	if errors.Is(err, filter.ErrNoTexts) {
		return nil
	}
	for c, all := range terms {
		of := report.ClassTerms{Class: page.Classes[c]}
		for _, t := range all {
			of.Terms = append(of.Terms, report.Term{Text: t.Term, Weight: t.Weight, Messages: int(t.Messages)})
		}
		page.Strongest = append(page.Strongest, of)
	}
	return err
}

// addCurve adds the curve of a spam filter, and its errors at its thresholds and at limits of ham lost and of spam missed.
func addCurve(page *report.Page, r train.Result, curve []metrics.Point) {
	if len(curve) == 0 {
		return
	}
	ham, spam := r.Test.Confusion.Of(0), r.Test.Confusion.Of(1)
	add := func(why report.OperatingPoint, limit, threshold float64, at metrics.Point) {
		page.Operating = append(page.Operating, report.Operating{
			Model: r.Model, Point: why, Limit: limit, Threshold: threshold,
			Ham: ham, HamLost: int(math.Round(at.HM * float64(ham))), Spam: spam, SpamMissed: int(math.Round(at.SM * float64(spam))),
		})
	}
	add(report.SpamVerdict, 0, r.Thresholds.Spam, metrics.PointAt(curve, r.Thresholds.Spam))
	add(report.UnsureVerdict, 0, r.Thresholds.Unsure, metrics.PointAt(curve, r.Thresholds.Unsure))
	for _, limit := range []float64{0.1, 1} {
		at := metrics.PointAtHM(curve, limit/100)
		add(report.HamLimit, limit, at.Threshold, at)
	}
	for _, limit := range []float64{1, 5, 10} {
		at := metrics.PointAtSM(curve, limit/100)
		add(report.SpamLimit, limit, at.Threshold, at)
	}
	if len(page.ROC) < maxCurves {
		roc := report.Curve{Name: r.Model}
		for _, at := range metrics.Thin(curve, curvePoints) {
			roc.Points = append(roc.Points, report.Point{X: at.HM, Y: 1 - at.SM})
		}
		page.ROC = append(page.ROC, roc)
	}
}

// addTwoTerms adds the plot of two terms. It is an error if the user names terms that cannot be drawn.
func (x *experiment) addTwoTerms(page *report.Page, collection *train.Collection, best train.Trained) error {
	t, err := fit(x.program, x.Config, true, func(o train.Options) (evaluate.Boundary, error) {
		return evaluate.BoundaryOf(x.command.Context(), collection, best.Result.Model, o, strings.Fields(x.page.axes))
	})
	switch {
	case err != nil && x.page.axes != "":
		return fmt.Errorf("--axes: %w", err)
	case err != nil:
		return x.command.Context().Err()
	}
	page.TwoTerms = &report.TwoTerms{Model: t.Model, X: t.X, Y: t.Y, Unit: t.Unit, A: t.A, B: t.B, C: t.C}
	for _, at := range t.Points {
		page.TwoTerms.Points = append(page.TwoTerms.Points, report.TermPoint(at))
	}
	return nil
}

// verdictFacts are the verdicts that a user sees, which come first on a page. Of says on which mail; nil verdicts have none.
func verdictFacts(v *train.VerdictCounts, of string) []report.Fact {
	if v == nil {
		return nil
	}
	var facts []report.Fact
	if lost, rest := hamLost(*v); lost != "" {
		facts = append(facts, report.Fact{Name: "Ham", Value: lost + " " + rest + "; " + of})
	}
	if found := spamFound(*v); found != "" {
		facts = append(facts, report.Fact{Name: "Spam", Value: found})
	}
	return facts
}

// resultFacts are the main figures of a model on some mail.
func resultFacts(of string, f *metrics.Figures) []report.Fact {
	if f == nil || f.Messages == 0 {
		return nil
	}
	facts := []report.Fact{{Name: "Accuracy", Value: fmt.Sprintf("%.2f%% of %s, 95%% interval %.2f to %.2f",
		f.Accuracy, plural(f.Messages, of), f.AccuracyLow, f.AccuracyHigh)}}
	if f.HM == nil && f.SM == nil {
		return facts
	}
	c := f.Confusion
	return append(facts, report.Fact{Name: "By the likelier class", Value: screen.Sprintf("%d of %d ham taken for spam, %d of %d spam for ham, with nothing unsure", c[0][1], c.Of(0), c[1][0], c.Of(1))})
}

func epochCurve(r train.Result) report.EpochCurve {
	curve := report.EpochCurve{Model: r.Model, Kept: r.Kept}
	for _, e := range r.Epochs {
		point := report.Epoch{Epoch: e.Epoch, TrainLoss: &e.Train.Loss, TrainAccuracy: &e.Train.Accuracy}
		if e.Development != nil {
			point.DevelopmentLoss, point.DevelopmentAccuracy = &e.Development.Loss, &e.Development.Accuracy
		}
		curve.Epochs = append(curve.Epochs, point)
	}
	return curve
}

const (
	// maxPeriods is the number of periods that a plot can show.
	maxPeriods = 36
	// leastInPeriod is the number of messages below which months are joined: the accuracy on fewer says little.
	leastInPeriod = 30
)

// periods returns the months as periods of enough messages; of many months, the years.
func periods(months []evaluate.Month) []report.Period {
	hasFew := func(p report.Period, _ string) bool { return p.Messages < leastInPeriod }
	all := joinMonths(months, hasFew)
	if len(all) > maxPeriods {
		year := func(month string) string { before, _, _ := strings.Cut(month, "-"); return before }
		all = joinMonths(months, func(p report.Period, next string) bool { return hasFew(p, next) || year(p.From) == year(next) })
	}
	return all
}

// joinMonths joins a month to the period before it while join returns true. The last period also joins the one before it if it has too few
// messages.
func joinMonths(months []evaluate.Month, join func(p report.Period, next string) bool) []report.Period {
	var all []report.Period
	add := func(to string, messages int, correct float64) {
		last := &all[len(all)-1]
		last.To, last.Messages, last.Accuracy = to, last.Messages+messages, last.Accuracy+correct // a count, divided below
	}
	for _, m := range months {
		if n := len(all); n == 0 || !join(all[n-1], m.Month) {
			all = append(all, report.Period{From: m.Month})
		}
		add(m.Month, m.Messages, math.Round(m.Accuracy*float64(m.Messages)/100))
	}
	if n := len(all); n > 1 && all[n-1].Messages < leastInPeriod {
		last := all[n-1]
		all = all[:n-1]
		add(last.To, last.Messages, last.Accuracy)
	}
	for i := range all {
		p := &all[i]
		low, high := metrics.Wilson(int(p.Accuracy), p.Messages)
		p.Accuracy, p.AccuracyLow, p.AccuracyHigh = 100*p.Accuracy/float64(p.Messages), 100*low, 100*high
	}
	return all
}

// judged returns messages with their terms. Those of a spam filter are evidence for spam if positive, as the score is.
func judged(classes []string, all []evaluate.Judged) []report.Mistake {
	var shown []report.Mistake
	for _, j := range all {
		m := report.Mistake{Path: j.Path, Subject: aboutMessage(j.Subject, j.From), Score: j.Score, Probability: &j.Probability, True: j.Label, Given: j.Class}
		for _, t := range j.Terms {
			score := t.Contribution
			if filter.IsSpamFilter(classes) && j.Class == classes[0] {
				score = -score
			}
			m.Terms = append(m.Terms, report.Contribution{Term: t.Term, Score: score})
		}
		shown = append(shown, m)
	}
	return shown
}

// addRefitted adds facts and warnings about the saved model.
func addRefitted(page *report.Page, s train.Summary, r train.Refitted, doubts []string) {
	page.Facts = append(verdictFacts(r.Verdicts, heldOut), page.Facts...)
	page.Facts = append(page.Facts, report.Fact{Name: "Figures", Value: "from a model of the training part, as are the thresholds in the plots"})
	saved := screen.Sprintf("fitted to all %d messages", r.Messages)
	if r.Thresholds != nil {
		saved += fmt.Sprintf("; %s; from %s", verdictsAbove(*r.Thresholds), plural(r.OutOfFold, "out-of-fold score"))
	}
	page.Facts = append(page.Facts, report.Fact{Name: "Saved model", Value: saved})
	if r.Promise != nil {
		page.Facts = append(page.Facts, report.Fact{Name: "Guarantee", Value: r.Promise.String()})
	}
	page.Warnings = append(slices.Concat(s.Remarks, s.Warnings), doubts...)
}

// corpusFacts describes how mail was read and split.
func corpusFacts(cfg config.Config, s train.Summary) []report.Fact {
	facts := []report.Fact{
		{Name: "Parts", Value: partsOf(s)},
		{Name: "Split", Value: splitMethod(cfg.Split, cfg.Seed)},
	}
	if s.Terms > 0 {
		facts = append(facts, report.Fact{Name: "Vocabulary", Value: screen.Sprintf("%d terms, language %s", s.Terms, cfg.Tokenize.Language)})
	}
	for _, f := range []struct {
		name  string
		count int
	}{{"Copies left out", s.Duplicates}, {"Not readable", s.Unreadable}, {"Repaired", s.Repaired}, {"Near-duplicates", s.Grouped}} {
		if f.count > 0 {
			facts = append(facts, report.Fact{Name: f.name, Value: screen.Grouped(f.count)})
		}
	}
	return facts
}

// paged is a result with a page of its own.
type paged interface {
	page() (report.Page, error)
}

// modelsOf returns the rows of a comparison. If there is a best model, it is the first.
func modelsOf(results []train.Result, hasBest bool) (all []report.Model) {
	for i, r := range results {
		all = append(all, report.Model{
			Name: r.Model, Features: r.Kind, Best: hasBest && i == 0 && len(results) > 1, Train: r.Train, Development: r.Development, Test: r.Test,
			AgainstBest: r.AgainstBest, Seconds: r.Seconds,
		})
	}
	return all
}

// newPage returns a page about models that were measured on the same mail. With a single model its figures come first.
func newPage(title string, s train.Summary, models []report.Model, facts ...report.Fact) report.Page {
	page := report.Page{Title: title, Subtitle: corpusLine(s), Models: models, Facts: facts}
	for _, class := range s.Classes {
		page.Classes = append(page.Classes, class.Name)
	}
	if len(models) == 1 {
		page.Title += ": " + models[0].Name
		page.Facts = append(resultFacts("message", models[0].Test), facts...)
	}
	return page
}

func (r replayReport) page() (report.Page, error) {
	x := r.experiment
	facts := []report.Fact{{Name: "Replay", Value: x.replay.how()}}
	var models []report.Model
	var learning []report.LearningCurve
	for i, m := range r.Models {
		models = append(models, report.Model{Name: m.Model, Features: m.Kind, Test: &m.Figures, Seconds: m.Seconds})
		if i < maxCurves && len(m.Curve) > 1 {
			learning = append(learning, report.LearningCurve{Model: m.Model, Points: m.Curve})
		}
	}
	if len(learning) == 0 {
		facts = append(facts, report.Fact{Name: "Learning curve", Value: screen.Sprintf("none: a point every %d messages is too few; --every makes more", x.replay.every)})
	}
	page := newPage(x.command.CommandPath(), r.Corpus, models, facts...)
	page.Learning = learning
	if len(models) == 1 {
		page.Of, page.On, page.Confusion = models[0].Name, "all messages, each classified before it was learned", models[0].Test.Confusion
		page.Facts = append(verdictFacts(r.Models[0].Verdicts, "with thresholds from what was learned before"), page.Facts...)
	}
	return page, nil
}

func (r foldsReport) page() (report.Page, error) {
	x, best := r.experiment, r.Models[0]
	page := newPage(x.command.CommandPath(), r.Corpus, modelsOf(r.results(), true), report.Fact{Name: "Divided", Value: fmt.Sprintf("%d folds (%s)", x.folds, splitMethod(x.Split, x.Seed))})
	page.Of, page.On = best.Model, "all messages, each classified by a model that has not seen it"
	page.Reliability, page.Confusion, page.Suspects = best.Test.Reliability, best.Test.Confusion, judged(page.Classes, best.Suspects)
	return page, nil
}

func (r evaluationReport) page() (report.Page, error) {
	m := r.Models[0]
	page := newPage("chaff evaluate", r.Corpus, modelsOf(r.Models, false))
	page.Of, page.On, page.Warnings, page.Classes = m.Model, "this mail", doubts(r.Models), r.classes
	page.Facts = append(verdictFacts(m.Verdicts, page.On), page.Facts...)
	addCurve(&page, m, r.found.Curve)
	return page, addFindings(&page, r.filter, m, r.found)
}
