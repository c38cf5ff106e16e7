package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/corpus"
	"chaff/evaluate"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/models"
	"chaff/report"
	"chaff/train"
)

// findings are what the report and the terminal show of a trained model.
type findings struct {
	review evaluate.Review
	leaks  []evaluate.Leak
}

func (p *program) train(x *experiment) error {
	mail, err := x.sources.open()
	if err != nil {
		return err
	}
	if err := canSave(x.model); err != nil {
		return err
	}
	reading, keepKey, err := p.secretReading(x.Config)
	if err != nil {
		return err
	}
	collection, err := p.collect(x.command, x.Config, reading, mail)
	if err != nil {
		return err
	}
	ctx := x.command.Context()
	var options train.Options
	trained, err := fit(p, x.Config, false, func(o train.Options) (train.Trained, error) {
		options = o
		return train.Fit(ctx, collection, x.Model, o)
	})
	if err != nil {
		return err
	}
	result := trained.Result
	var found findings
	if found.leaks, err = evaluate.Leaks(collection); err != nil {
		return err
	}
	shown := x.mistakes
	if x.page.wanted() {
		shown = max(shown, shownTerms)
	}
	if found.review, err = evaluate.ReviewPart(ctx, collection, trained.Filter, corpus.Test, shown); err != nil {
		return err
	}
	var page report.Page
	if x.page.wanted() {
		if page, err = p.trainedPage(x, "chaff train: "+result.Model, collection, []train.Trained{trained}, found.first(shownTerms)); err != nil {
			return err
		}
	}
	found = found.first(x.mistakes)
	f, warnings := trained.Filter, []train.Result{result}
	var refitted *train.Refitted
	if x.Train.Refit {
		saved, refit, err := collection.Refit(ctx, trained, options)
		if err != nil {
			return err
		}
		f, refitted = saved, &refit
		warnings[0].Warnings = refit.Warnings // of the model that is saved
		addRefitted(&page, refit, doubts(warnings))
	}
	if err := x.page.write(page); err != nil {
		return err
	}
	summary, classes := collection.Summary(), collection.Classes()
	// The collection is out of use: saving reuses the memory of the documents.
	if err := errors.Join(save(f, x.model), keepKey()); err != nil {
		return err
	}
	if x.asJSON {
		return printJSON(p.stdout, trainingReport{resultReport{summary, []train.Result{result}, x.model}, refitted, found.review, found.leaks})
	}
	printSplit(p.stdout, x.Config, summary)
	screen.Printf(p.stdout, "model       %s on %s\n", result.Model, result.Kind)
	printTraining(p.stdout, result)
	fmt.Fprintln(p.stdout)
	printFigures(p.stdout, []partFigures{{"train", result.Train}, {"development", result.Development}, {"test", result.Test}})
	if refitted == nil {
		printVerdictsOfParts(p.stdout, result, x.Thresholds)
	}
	if result.Test != nil {
		fmt.Fprintln(p.stdout, "\nOn the test part:")
		printTest(p.stdout, classes, result.Test)
		printReview(p.stdout, found.review)
	}
	if refitted != nil {
		printRefitted(p.stdout, *refitted, x.Thresholds)
	} else {
		printPromise(p.stdout, result.Promise)
	}
	p.printLeaks(classes, found.leaks)
	p.printWarnings(warnings)
	size := int64(0)
	if info, err := os.Stat(x.model); err == nil {
		size = info.Size()
	}
	screen.Printf(p.stdout, "\nSaved to %s, %.1f MB.\n", x.model, float64(size)/1e6)
	return nil
}

// first returns the findings with at most n messages of each kind.
func (f findings) first(n int) findings {
	f.review.Mistakes = f.review.Mistakes[:min(n, len(f.review.Mistakes))]
	f.review.LeastCertain = f.review.LeastCertain[:min(n, len(f.review.LeastCertain))]
	return f
}

// trainingReport is the JSON of train. Models and review describe the model of the training part, saved_model the one fitted
// to all mail.
type trainingReport struct {
	resultReport
	Saved  *train.Refitted `json:"saved_model,omitempty"`
	Review evaluate.Review `json:"review"`
	Leaks  []evaluate.Leak `json:"leaks,omitempty"`
}

// resultReport is the JSON of train, compare and evaluate.
type resultReport struct {
	Corpus train.Summary  `json:"corpus"`
	Models []train.Result `json:"models"`
	File   string         `json:"file,omitempty"`
}

func (p *program) collect(c *cobra.Command, cfg config.Config, reading filter.Reading, mail labelled) (*train.Collection, error) {
	return read(p, mail, (*train.Collection).Summary, func(step func(read, all int)) (*train.Collection, error) {
		return train.Collect(c.Context(), mail.source, mail.classes, collectOptions(cfg, reading, step))
	})
}

// read runs a function that reads mail, with a progress bar. It reports the sources and the messages left out on stderr.
func read[T any](p *program, mail labelled, summary func(T) train.Summary, read func(step func(read, all int)) (T, error)) (T, error) {
	mail.print(p.stderr)
	step, done := p.progress("reading mail")
	result, err := read(step)
	done()
	switch {
	case errors.Is(err, train.ErrNoMail):
		return result, hint.With(err, "check the paths; chaff reads Maildirs, mbox files, folders of messages, archives of these, and single messages")
	case errors.Is(err, train.ErrOneClass):
		return result, hint.With(err, "give both: --ham PATH and --spam PATH")
	case err != nil:
		return result, err
	}
	p.printProblems(summary(result))
	return result, nil
}

// fit runs a function that trains models with the options in force. On a terminal it shows each epoch; several models share one
// line.
func fit[T any](p *program, c config.Config, several bool, run func(train.Options) (T, error)) (T, error) {
	tell, done := p.epochs(several)
	result, err := run(train.Options{Models: c.Models, Thresholds: c.Thresholds, Epoch: tell})
	done()
	if errors.Is(err, models.ErrNoDocuments) {
		err = hint.With(err, "give more mail of that class, or more of it to training: --set split.train=0.8 --set split.development=0.1 --set split.test=0.1")
	}
	return result, err
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

// printVerdictsOfParts prints the thresholds from the development part, and their verdicts on the test part.
func printVerdictsOfParts(w io.Writer, r train.Result, limits metrics.ThresholdOptions) {
	if r.Thresholds != nil {
		printThresholds(w, r, limits)
	}
	if r.Verdicts != nil {
		fmt.Fprintln(w, "With them, on the test part:")
		printVerdicts(w, *r.Verdicts)
	}
	printCost(w, r.Cost)
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

func verdictsAbove(t metrics.Thresholds) string {
	return fmt.Sprintf("spam above %s, unsure above %s", threshold(t.Spam), threshold(t.Unsure))
}

// printThresholds prints the thresholds and how they were chosen.
func printThresholds(w io.Writer, r train.Result, limits metrics.ThresholdOptions) {
	above := verdictsAbove(*r.Thresholds)
	if r.Development == nil {
		screen.Printf(w, "\nThresholds, with no development part to choose them on: %s.\n", above)
		return
	}
	screen.Printf(w, "\nThresholds, chosen on the development part: %s,\n%s.\n", above, chosenBy(limits))
}

// chosenBy describes the rule for choosing thresholds.
func chosenBy(o metrics.ThresholdOptions) string {
	if o.Costs != "" {
		return fmt.Sprintf("at the least cost, a lost ham, a missed spam and an unsure message costing %s", o.Costs)
	}
	return fmt.Sprintf("for limits of %v%% of ham lost and %v%% of spam missed", o.HamLost, o.SpamMissed)
}

// doubt is a warning about models.
type doubt struct{ models, text string }

// doubts collects the warnings about models. A warning about several models is one doubt.
func doubts(results []train.Result) []doubt {
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
	var all []doubt
	for _, text := range texts {
		d := doubt{strings.Join(of[text], ", "), text}
		if len(results) > 1 && len(of[text]) == len(results) {
			d.models = "all models"
		}
		all = append(all, d)
	}
	return all
}

func (p *program) printWarnings(results []train.Result) {
	for _, d := range doubts(results) {
		screen.Printf(p.stderr, "chaff: %s: warning: %s\n", d.models, d.text)
	}
}
