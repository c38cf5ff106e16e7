package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// pageFlag is the path of the page that a command draws; none if it is empty.
type pageFlag string

func (f *pageFlag) add(c *cobra.Command) {
	c.Flags().StringVar((*string)(f), "report", "", "write a page with tables and plots to `FILE`")
}

func (f pageFlag) output() replace.Output {
	return replace.Output{Path: string(f), Kind: report.PageKind()}
}

// write writes the page, if it is wanted.
func (f pageFlag) write(page report.Page) error {
	if f == "" {
		return nil
	}
	return writeFile(string(f), report.PageKind(), page.WriteHTML)
}

// Limits of what a page shows.
const (
	maxCurves  = 6
	shownTerms = 15
)

// paged is a result with a page of its own.
type paged interface {
	page() (report.Page, error)
}

// newPage returns a page about models that were measured on the same mail, the best first. With a single model its figures come first.
func newPage(title string, s train.Summary, results []train.Result, facts ...report.Fact) report.Page {
	page := report.Page{
		Title: title, Subtitle: corpusLine(s), Models: results, Of: results[0].Model, Facts: facts,
		Warnings: slices.Concat(s.Remarks, s.Warnings, doubts(results)),
	}
	for _, class := range s.Classes {
		page.Classes = append(page.Classes, class.Name)
	}
	if len(results) == 1 {
		page.Title += ": " + page.Of
	}
	return page
}

// addSingle adds what the scores of the best model show, and its strongest terms.
func addSingle(page *report.Page, f *filter.Filter, found evaluate.Findings) error {
	r := page.Models[0]
	page.Figures, page.Mistakes = r.Test, found.Review.Mistakes
	if len(found.Curve) > 0 && r.Test != nil {
		page.Thresholds = r.Thresholds
		page.Curves = append(page.Curves, found.Curve)
	}
	var err error
	if page.Strongest, err = f.Strongest(shownTerms); errors.Is(err, filter.ErrNoTexts) {
		return nil
	}
	return err
}

// trainedPage is the page about models that were trained on one collection, the best first. The findings and the leaks are about the best.
func (x *experiment) trainedPage(title string, collection *train.Collection, all []train.Trained, found evaluate.Findings, leaks []evaluate.Leak) (report.Page, error) {
	ctx, best := x.command.Context(), all[0]
	s, results := collection.Summary(), resultsOf(all)
	page := newPage(title, s, results, corpusFacts(x.Config, s)...)
	page.Warnings = slices.Concat(s.Remarks, s.Warnings, doubted{collection.Classes(), leaks, results}.all())
	page.On, page.HasBest = "the test part", best.Result.Development != nil && len(all) > 1
	if len(all) == 1 {
		page.Facts = append(resultFacts("test message", best.Result.Test), page.Facts...)
	} else {
		page.Facts = append(verdictFacts(best.Result.Verdicts, "the best, "+page.Of+", on the test part"), page.Facts...)
	}
	if err := addSingle(&page, best.Filter, found); err != nil {
		return page, err
	}
	for _, t := range all[1:min(len(all), maxCurves)] {
		of, err := evaluate.Find(ctx, collection, t.Filter, corpus.Test, 0)
		if err != nil {
			return page, err
		}
		if len(page.Curves) > 0 {
			page.Curves = append(page.Curves, of.Curve)
		}
	}
	boundary, err := evaluate.BoundaryOf(ctx, collection)
	if err == nil { // some mail has no two words that separate
		page.Boundary = &boundary
	}
	return page, context.Cause(ctx)
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

// addRefitted adds facts and warnings about the saved model.
func addRefitted(page *report.Page, s train.Summary, r train.Refitted, d doubted) {
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
	page.Warnings = slices.Concat(s.Remarks, s.Warnings, d.all())
}

// corpusFacts describes how mail was read and split.
func corpusFacts(cfg config.Config, s train.Summary) []report.Fact {
	facts := []report.Fact{
		{Name: "Parts", Value: partsOf(s)},
		{Name: "Split", Value: splitMethod(cfg.Split, cfg.Seed)},
		{Name: "Vocabulary", Value: screen.Sprintf("%d terms, language %s", s.Terms, cfg.Tokenize.Language)},
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

func (r foldsReport) page() (report.Page, error) {
	x, results := r.experiment, r.results()
	page := newPage(x.command.CommandPath(), r.Corpus, results, report.Fact{Name: "Divided", Value: fmt.Sprintf("%d folds (%s)", x.folds, splitMethod(x.Split, x.Seed))})
	page.On, page.Figures, page.HasBest = "all messages, each classified by a model that has not seen it", results[0].Test, len(results) > 1
	if len(results) == 1 {
		page.Facts = append(resultFacts("message", page.Figures), page.Facts...)
	}
	return page, nil
}

func (r evaluationReport) page() (report.Page, error) {
	page := newPage("chaff evaluate", r.Corpus, r.Models)
	page.On, page.Classes = "this mail", r.classes
	page.Facts = append(verdictFacts(r.Models[0].Verdicts, page.On), resultFacts("message", r.Models[0].Test)...)
	return page, addSingle(&page, r.filter, r.found)
}
