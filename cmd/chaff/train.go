package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/corpus"
	"chaff/evaluate"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/places"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/models"
	"chaff/report"
	"chaff/train"
)

func (p *program) trainCommand() *cobra.Command {
	var sources sourceFlags
	var settings settingFlags
	var path string
	var page reportFlags
	var mistakes int
	var asJSON bool
	c := &cobra.Command{
		Use:   "train SOURCES [-m FILE]",
		Short: "Train a model, print its accuracy, and save it",
		Long: `Train divides the mail into a training, a development and a test part, trains a model on the first,
chooses the thresholds for spam and unsure on the second, and prints the accuracy on all three.
Then it fits the model again, to all the mail, and saves that; --set train.refit=false saves the
first one. Nothing in a mailbox is written or moved.`,
		Example: `  chaff train --maildir ~/Maildir
  chaff train --ham inbox.mbox --ham lists --spam junk -m spam.model
  chaff train --maildir ~/Maildir --model bernoulli --set models.bernoulli.smoothing=0.1`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if path == "" {
				path = places.Model(p.environ)
			}
			return p.train(c, &sources, &settings, &page, path, mistakes, asJSON)
		},
	}
	sources.add(c)
	settings.add(c, "model", "workers", "memory", "seed", "split")
	addModelFile(c, &path, "save")
	addMistakes(c, &mistakes)
	page.add(c)
	page.addAxes(c)
	addJSON(c, &asJSON, "print the result as JSON")
	return c
}

func (p *program) train(c *cobra.Command, sources *sourceFlags, settings *settingFlags, page *reportFlags, path string, mistakes int, asJSON bool) error {
	if err := errors.Join(checkMistakes(mistakes), page.check()); err != nil {
		return err
	}
	cfg, err := p.load(c, settings)
	if err != nil {
		return err
	}
	mail, err := sources.open()
	if err != nil {
		return err
	}
	if err := canSave(path); err != nil {
		return err
	}
	reading := readingOf(cfg.Config)
	key, keepKey, err := p.key(cfg.Config)
	if err != nil {
		return err
	}
	reading.Key = key
	collection, err := p.collect(c, cfg.Config, reading, mail)
	if err != nil {
		return err
	}
	options, done := p.trainOptions(cfg.Config, false)
	trained, err := train.Fit(c.Context(), collection, cfg.Model, options)
	done()
	if err != nil {
		return tooFew(err)
	}
	f, result := trained.Filter, trained.Result
	var about report.Page
	if page.wanted() {
		about, err = p.trainedPage(c, "chaff train: "+result.Model, collection, cfg.Config, []train.Trained{trained}, page.axes)
		if err != nil {
			return err
		}
	}
	leaks, err := evaluate.Leaks(collection)
	if err != nil {
		return err
	}
	review, err := evaluate.ReviewPart(c.Context(), collection, f, corpus.Test, mistakes)
	if err != nil {
		return err
	}
	warnings := []train.Result{result}
	var refitted *train.Refitted
	if cfg.Train.Refit {
		saved, refit, err := collection.Refit(c.Context(), trained, options)
		if err != nil {
			return err
		}
		f, refitted = saved, &refit
		warnings[0].Warnings = refit.Warnings // of the model that is saved
		addRefitted(&about, refit, doubts(warnings))
	}
	if page.wanted() {
		if err := page.write(about); err != nil {
			return err
		}
	}
	summary, classes := collection.Summary(), collection.Classes()
	// The model is saved when the collection is out of use: what saving needs takes the place of the documents.
	if err := errors.Join(save(f, path), keepKey()); err != nil {
		return err
	}
	if asJSON {
		return printJSON(p.stdout, trainingReport{resultReport{summary, []train.Result{result}, path}, refitted, review, leaks})
	}
	printSplit(p.stdout, cfg.Config, summary)
	screen.Printf(p.stdout, "model       %s on %s\n", result.Model, result.Kind)
	printTraining(p.stdout, result)
	fmt.Fprintln(p.stdout)
	if err := printFigures(p.stdout, []partFigures{{"train", result.Train}, {"development", result.Development}, {"test", result.Test}}); err != nil {
		return err
	}
	if refitted == nil {
		printVerdictsOfParts(p.stdout, result, cfg.Thresholds)
	}
	if result.Test != nil {
		fmt.Fprintln(p.stdout, "\nOn the test part:")
		if err := printTest(p.stdout, classes, result.Test); err != nil {
			return err
		}
		if err := printReview(p.stdout, review); err != nil {
			return err
		}
	}
	if refitted != nil {
		printRefitted(p.stdout, *refitted, cfg.Thresholds)
	} else {
		printPromise(p.stdout, result.Promise)
	}
	p.printLeaks(classes, leaks)
	p.printWarnings(warnings)
	size := int64(0)
	if info, err := os.Stat(path); err == nil {
		size = info.Size()
	}
	screen.Printf(p.stdout, "\nSaved to %s, %.1f MB.\n", path, float64(size)/1e6)
	return nil
}

// trainingReport is the JSON of train: models and review are about the model of the training part, saved_model about the one
// that is fitted to all the mail, if there is one.
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

// canSave finds out before the long work whether its result has a place to go to. It leaves nothing behind.
func canSave(path string) error {
	if path == "" {
		return hint.With(errors.New("no place for the model: the home directory is unknown"), "say where to save it: -m FILE")
	}
	target, err := replace.Target(path)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	dir := filepath.Dir(target)
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	if err := replace.Probe(dir); err != nil {
		return fmt.Errorf("save %s: cannot write in %s: %w", path, dir, err)
	}
	return nil
}

// save writes the model, and makes its folder if need be.
func save(f *filter.Filter, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return f.Save(path)
}

// collect reads the mail, with a progress bar, and tells what was used and what was left out.
func (p *program) collect(c *cobra.Command, cfg config.Config, reading filter.Reading, mail labelled) (*train.Collection, error) {
	mail.print(p.stderr)
	step, done := p.progress("reading mail")
	step = holdingGarbage(step)
	collection, err := train.Collect(c.Context(), mail.source, mail.classes, collectOptions(cfg, reading, step))
	done()
	switch {
	case errors.Is(err, train.ErrNoMail):
		return nil, hint.With(err, noMailHint)
	case errors.Is(err, train.ErrOneClass):
		return nil, hint.With(err, "give both: --ham PATH and --spam PATH")
	case err != nil:
		return nil, err
	}
	p.printProblems(collection.Summary())
	return collection, nil
}

// tooFew adds a hint to the error about a class that has no message in the training part.
func tooFew(err error) error {
	if errors.Is(err, models.ErrNoDocuments) {
		return hint.With(err, "give more mail of that class, or more of it to training: --set split.train=0.8 --set split.development=0.1 --set split.test=0.1")
	}
	return err
}

func printSplit(w io.Writer, cfg config.Config, s train.Summary) {
	printCorpus(w, s)
	screen.Printf(w, "split       %d train, %d development, %d test (%s)\n", s.Train, s.Development, s.Test, splitMethod(cfg.Split, cfg.Seed))
	printGroups(w, s, "part")
	screen.Printf(w, "vocabulary  %d terms", s.Terms)
	if n := cfg.Features.MinDocumentFrequency; n > 1 {
		screen.Printf(w, " that are in at least %d training messages", n)
	}
	fmt.Fprintln(w)
}

// splitMethod tells by what rule mail was divided.
func splitMethod(o corpus.SplitOptions, seed uint64) string {
	switch o.Method {
	case corpus.SplitByTime:
		return "by time"
	case corpus.SplitGrouped:
		return fmt.Sprintf("grouped, seed %d", seed)
	}
	return fmt.Sprintf("by %s, seed %d", o.Method, seed)
}

// printGroups tells how many near-duplicates there are, if that is known.
func printGroups(w io.Writer, s train.Summary, place string) {
	if s.Groups > 0 {
		screen.Printf(w, "            %d messages are nearly the same as others: %d groups, each in one %s\n", s.Grouped, s.Groups, place)
	}
}

// printVerdictsOfParts tells the thresholds from the development part, and what they make of the test part.
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

// printRefitted tells of the model that is fitted to all the mail.
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

// printPromise tells what the thresholds of the saved model promise, if they promise anything.
func printPromise(w io.Writer, p *metrics.Promise) {
	if p != nil {
		screen.Printf(w, "Promise: %v.\n", p)
	}
}

// verdictsAbove tells the thresholds.
func verdictsAbove(t metrics.Thresholds) string {
	return fmt.Sprintf("spam above %s, unsure above %s", threshold(t.Spam), threshold(t.Unsure))
}

// printThresholds tells the thresholds, and how they were chosen if there was mail to choose them on.
func printThresholds(w io.Writer, r train.Result, limits metrics.ThresholdOptions) {
	above := verdictsAbove(*r.Thresholds)
	if r.Development == nil {
		screen.Printf(w, "\nThresholds, with no development part to choose them on: %s.\n", above)
		return
	}
	screen.Printf(w, "\nThresholds, chosen on the development part: %s,\n%s.\n", above, chosenBy(limits))
}

// chosenBy tells by what rule thresholds were chosen.
func chosenBy(o metrics.ThresholdOptions) string {
	if o.Costs != "" {
		return fmt.Sprintf("at the least cost, a lost ham, a missed spam and an unsure message costing %s", o.Costs)
	}
	return fmt.Sprintf("for limits of %v%% of ham lost and %v%% of spam missed", o.HamLost, o.SpamMissed)
}

// doubt is a warning, and the models it is about.
type doubt struct{ models, text string }

// doubts are the warnings about models; one about all of them is there once.
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

// printWarnings tells the doubts about models.
func (p *program) printWarnings(results []train.Result) {
	for _, d := range doubts(results) {
		screen.Printf(p.stderr, "chaff: %s: warning: %s\n", d.models, d.text)
	}
}
