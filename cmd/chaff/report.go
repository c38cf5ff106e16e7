package main

import (
	"context"
	"errors"
	"slices"

	"chaff/corpus"
	"chaff/evaluate"
	"chaff/filter"
	"chaff/report"
	"chaff/train"
)

// Limits of what a page shows.
const (
	maxCurves  = 6
	shownTerms = 15
)

// newPage returns a page about models that were measured on the same mail, the best first. With a single model its figures come first.
func newPage(title string, s train.Summary, results []train.Result) report.Page {
	models := slices.Clone(results)
	for i, r := range results {
		models[i].Model = rowName(results, r)
	}
	page := report.Page{
		Title: title, Subtitle: corpusLine(s), Models: models, Of: models[0].Model,
		Warnings: slices.Concat(s.Remarks, s.Warnings, doubts(results, nil, nil)),
	}
	for _, class := range s.Classes {
		page.Classes = append(page.Classes, class.Name)
	}
	if len(results) == 1 {
		page.Title += ": " + page.Of
	}
	return page
}

// addSingle adds the figures, the mistakes and the strongest terms of the best model.
func addSingle(page *report.Page, f *filter.Filter, mistakes []evaluate.Judged) (err error) {
	page.Figures, page.Mistakes = page.Models[0].Test, mistakes
	if page.Strongest, err = f.Strongest(shownTerms); errors.Is(err, filter.ErrNoTexts) {
		return nil
	}
	return err
}

// look finds the leaks of a collection and the worst mistakes of the first of the models that were trained on it, the best, and draws them if there is a page.
func (x *experiment) look(collection *train.Collection, all []train.Trained) (mistakes []evaluate.Judged, leaks []evaluate.Leak, err error) {
	if leaks, err = evaluate.Leaks(collection); err != nil {
		return nil, nil, err
	}
	shown := int(x.mistakes)
	switch {
	case x.page != "":
		shown = max(shown, shownTerms)
	case !x.verbose && !x.asJSON: // a short answer has none
		shown = 0
	}
	if mistakes = []evaluate.Judged{}; shown > 0 {
		mistakes, err = evaluate.Mistakes(x.command.Context(), collection, all[0].Filter, corpus.Test, shown)
	}
	if err == nil && x.page != "" {
		err = x.draw(collection, all, mistakes, leaks)
	}
	return mistakes[:min(int(x.mistakes), len(mistakes))], leaks, err
}

// draw draws models that were trained on one collection, the best first. The mistakes and the leaks are those of the best.
func (x *experiment) draw(collection *train.Collection, all []train.Trained, mistakes []evaluate.Judged, leaks []evaluate.Leak) error {
	ctx, best, s, results := x.command.Context(), all[0], collection.Summary(), resultsOf(all)
	page := newPage(x.command.CommandPath(), s, results)
	page.Warnings = slices.Concat(s.Remarks, s.Warnings, doubts(results, collection.Classes(), leaks))
	page.On, page.HasBest = "the test part", best.Result.Development != nil && len(all) > 1
	if err := addSingle(&page, best.Filter, mistakes); err != nil {
		return err
	}
	for _, t := range all[:min(len(all), maxCurves)] {
		if t.Result.Thresholds != nil {
			page.Curves = append(page.Curves, t.Test.Margins().ErrorCurve())
		}
	}
	boundary, err := evaluate.BoundaryOf(ctx, collection)
	if err == nil { // some mail has no two words that separate
		page.Boundary = &boundary
	}
	x.drawn = page
	return context.Cause(ctx)
}
