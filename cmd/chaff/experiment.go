package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/config"
	"chaff/evaluate"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/models"
	"chaff/train"
)

// experiment is a command that trains or measures models on labelled mail: its flags, and the settings in force.
type experiment struct {
	command  *cobra.Command
	sources  sourceFlags
	paths    []string // mail that no flag explains
	settings settingFlags
	page     reportFlags
	replay   replayFlags
	model    string // path of the model file
	mistakes int
	folds    int
	noStore  bool
	replace  bool
	asJSON   bool
	verbose  bool
	set      []string // the settings given on the command line
	config.Config
}

// add adds the flags that all experiments share, and those for the named settings.
func (x *experiment) add(p *program, c *cobra.Command, settings ...string) {
	x.command = c
	x.sources.add(c)
	x.settings.add(p, c, settings...)
	x.page.add(c)
	addJSON(c, &x.asJSON, "print the result as JSON")
	addVerbose(c, &x.verbose, "print all figures")
}

func (x *experiment) addFolds(usage string) { x.command.Flags().IntVar(&x.folds, "folds", 0, usage) }

func (x *experiment) addMistakes() {
	x.command.Flags().IntVar(&x.mistakes, "mistakes", 5, "show the `N` worst mistakes and the N least certain messages")
}

// wantsMistakes reports whether the user asks for mistakes in a short answer.
func (x *experiment) wantsMistakes() bool { return x.command.Flags().Changed("mistakes") }

func (x *experiment) withFolds() bool { return x.command.Flags().Changed("folds") }

// load loads the settings, and checks all flags.
func (x *experiment) load(p *program) error {
	loaded, err := p.load(x.command, &x.settings)
	if err != nil {
		return err
	}
	x.Config = loaded.Config
	x.set = given(loaded)
	if x.mistakes < 0 {
		return fmt.Errorf("--mistakes is %d: must be at least 0", x.mistakes)
	}
	if err := x.replay.check(x.command); err != nil {
		return err
	}
	if x.withFolds() {
		if err := evaluate.ValidateFolds(x.folds, x.Split); err != nil {
			return fmt.Errorf("--folds: %w", err)
		}
	}
	return x.page.check()
}

// open opens the mail, if all outputs can be written: those of the flags that experiments share, and others.
func (x *experiment) open(others ...replace.Output) (labelled, error) {
	mail, err := x.sources.open(x.paths)
	if err != nil {
		return mail, err
	}
	return mail, canWrite(x.reads(mail), append(others, x.outputs()...)...)
}

func (x *experiment) reads(mail labelled) []place {
	return append(mail.reads, place{path: x.settings.file})
}

func (x *experiment) outputs() []replace.Output {
	return append(x.page.outputs(), replace.Output{Path: x.replay.results, Kind: evaluate.TRECKind()})
}

func (x *experiment) collect(p *program) (*train.Collection, error) {
	mail, err := x.open()
	if err != nil {
		return nil, err
	}
	return p.collect(x.command, collectOptions(x.Config, readingOf(x.Config)), mail)
}

func (p *program) trainCommand() *cobra.Command {
	var x experiment
	c := &cobra.Command{
		Use:        "train PATH... [-m FILE]",
		Short:      "Train a model, print its accuracy, and save it",
		SuggestFor: []string{"fit"},
		Long: `Train splits the mail into a training, a development and a test part. It trains
a model on the first part, chooses the thresholds for spam and unsure on the
second, and prints the accuracy on the second and the third. Then it fits the
model to all mail and saves it; --set train.refit=false saves the first model.
Beside it, FILE.log has what chaff learn needs to correct the model.
Train changes nothing in a mailbox.

A PATH is a Maildir with a junk folder, a folder whose subfolders are ham and
spam by name, an mbox of Gmail, an index, a list or a table of labelled mail; or
it has a name such as junk.mbox or inbox. For all other mail a flag says what it
is: --ham or --spam for a folder, an mbox, a message, or a tar or zip archive of
these.

The models are ` + wrapped(models.Names(), 68) + `.`,
		Example: `  chaff train ~/Maildir
  chaff train inbox.mbox junk.mbox.gz
  chaff train --ham work --ham lists.mbox --spam caught -m spam.model
  chaff train ~/Maildir --model bernoulli --set models.bernoulli.smoothing=0.1`,
		RunE: func(_ *cobra.Command, paths []string) error {
			x.paths = paths
			if err := x.load(p); err != nil {
				return err
			}
			return p.train(&x)
		},
	}
	x.add(p, c, "model", "workers", "memory", "seed", "split")
	p.addModelFile(c, &x.model, "save")
	c.Flags().BoolVar(&x.noStore, "no-log", false, "save the model alone: it cannot learn single messages")
	addReplace(c, &x.replace)
	x.addMistakes()
	x.page.addAxes(c)
	return c
}

func (p *program) compareCommand() *cobra.Command {
	var x experiment
	names, kinds := models.Names(), []string(nil)
	c := &cobra.Command{
		Use:   "compare PATH...",
		Short: "Train models on the same mail and compare them",
		Long: `Compare trains every model on the same training part and prints their accuracy
on the development and the test part, the best on development mail first. It
saves nothing. --models names some of the models, and --features the kinds of
feature that they are trained on, where a model takes them: bits, counts,
"normalised bits", "normalised counts" or "head bits".

With --folds K it trains each model K times, each time with another fold of the
mail as the test part, and prints the test figures over all messages.

With --online it replays the mail: each model classifies each message, then
learns it. The figures are those of all messages.`,
		Example: `  chaff compare --folders enron1
  chaff compare --ham inbox --spam junk --seed 7 --json
  chaff compare --ham inbox --spam junk --folds 10
  chaff compare ~/Maildir --models bernoulli,multinomial,perceptron,softmax \
    --features bits,counts --smoothing 1
  chaff compare --trec index --online`,
		RunE: func(_ *cobra.Command, paths []string) error {
			x.paths = paths
			if err := x.load(p); err != nil {
				return err
			}
			if x.page.axes != "" && (x.replay.online || x.withFolds()) {
				return errors.New("--axes needs models that are trained once: leave out --online and --folds")
			}
			features, err := x.kindsOf(names, kinds)
			names = slices.Compact(slices.SortedFunc(slices.Values(names), inOrderOfModels))
			if err != nil {
				return err
			}
			switch {
			case x.replay.online:
				return p.replayModels(&x, names)
			case x.withFolds():
				return p.crossValidate(&x, names)
			}
			return p.compareParts(&x, names, features)
		},
	}
	x.add(p, c, "workers", "memory", "seed", "split", "smoothing")
	c.Flags().StringSliceVar(&names, "models", names, "compare the models `NAMES`")
	c.Flags().Lookup("models").DefValue = "all"
	completeValues(c, "models", models.Names()...)
	c.Flags().StringSliceVar(&kinds, "features", nil, "train them on features of the `KINDS` instead of their own")
	x.replay.add(c)
	x.page.addAxes(c)
	x.addFolds("train each model `K` times, each time with another fold of the mail as the test part")
	c.MarkFlagsMutuallyExclusive("folds", "online")
	return c
}

// inOrderOfModels compares the names of models by the order in which they are shown.
func inOrderOfModels(x, y string) int {
	return cmp.Compare(slices.Index(models.Names(), x), slices.Index(models.Names(), y))
}

// kindsOf checks the models and the kinds of feature to compare, and returns the kinds. A replay and folds know one.
func (x *experiment) kindsOf(names, kinds []string) (all []features.Kind, err error) {
	for _, flag := range []string{"models", "features"} {
		if of := map[string][]string{"models": names, "features": kinds}[flag]; len(of) == 0 && x.command.Flags().Changed(flag) {
			return nil, fmt.Errorf("--%s is empty: the variable that should hold it may not be set", flag)
		}
	}
	for _, name := range names {
		if !slices.Contains(models.Names(), name) {
			return nil, fmt.Errorf("--models: there is no model %s; the models are %s", name, strings.Join(models.Names(), ", "))
		}
	}
	for _, name := range kinds {
		kind, err := features.ParseKind(name)
		if err != nil {
			return nil, fmt.Errorf("--features: %w", err)
		}
		all = append(all, kind)
	}
	switch {
	case len(all) == 1:
		x.Config.Models = x.Config.Models.WithFeatures(all[0])
	case len(all) > 1 && (x.replay.online || x.withFolds()):
		return nil, errors.New("--features: name one kind with --online or --folds")
	}
	return all, nil
}

func (p *program) evaluateCommand() *cobra.Command {
	var x experiment
	c := &cobra.Command{
		Use:        "evaluate [-m FILE | --online | --folds K] PATH...",
		Short:      "Measure a saved model on labelled mail",
		SuggestFor: []string{"test", "measure", "eval"},
		Long: `Evaluate classifies labelled mail with a saved model and prints its accuracy.
Use mail that the model was not trained on.

With --online it replays the mail through a new model: it classifies each
message, then learns it. With --folds K it splits the mail into K folds, and
tests each with a model that is trained on the others.`,
		Example: `  chaff evaluate -m spam.model --trec index
  chaff evaluate --ham inbox --spam junk --json
  chaff evaluate --online --ham inbox --spam junk --model softmax
  chaff evaluate --online --trec index --delay 100 --trec-results results`,
		RunE: func(c *cobra.Command, paths []string) error {
			x.paths = paths
			if err := x.load(p); err != nil {
				return err
			}
			if x.replay.online || x.withFolds() {
				p.warnOfOtherModels(x.set, x.Model)
			}
			switch {
			case x.replay.online:
				return p.replayModels(&x, []string{x.Model})
			case x.withFolds():
				return p.crossValidate(&x, []string{x.Model})
			}
			for _, flag := range []string{"model", "seed", "split"} {
				if c.Flags().Changed(flag) {
					return fmt.Errorf("--%s needs --online or --folds; -m FILE names a saved model", flag)
				}
			}
			p.warnOfSavedModel(x.set)
			return p.evaluate(&x)
		},
	}
	x.add(p, c, "model", "workers", "memory", "seed", "split")
	x.replay.add(c)
	c.Flags().StringVar(&x.replay.results, "trec-results", "", "with --online: write the verdicts to `FILE` in the format of the TREC spam track's toolkit")
	p.addModelFile(c, &x.model, "measure")
	x.addMistakes()
	x.addFolds("use no saved model: train one `K` times, each time with another fold of the mail as the test part")
	c.MarkFlagsMutuallyExclusive("model-file", "online", "folds")
	return c
}

// evaluate measures a saved model.
func (p *program) evaluate(x *experiment) error {
	f, err := delivery.OpenModel(x.model, p.stderr)
	if err != nil {
		return err
	}
	mail, err := x.open()
	if err != nil {
		return err
	}
	s := f.Settings()
	if err := mail.match(x.model, f); err != nil {
		return err
	}
	summary := func(e evaluate.Evaluation) train.Summary { return e.Summary }
	e, err := read(p, mail, summary, func(step func(read, all int)) (evaluate.Evaluation, error) {
		return evaluate.Filter(x.command.Context(), f, mail.source, x.mistakes, train.ReadOptions{Workers: x.Workers, Progress: step})
	})
	if err != nil {
		return err
	}
	result := train.Result{Model: s.Model, Kind: s.Kind, Terms: f.Vocabulary().Len(), Choice: train.Choice{Thresholds: s.Thresholds, Calibration: s.Calibration}, Test: &e.Figures, Verdicts: e.Verdicts}
	if warning := knownMail(e); warning != "" {
		result.Warnings = append(result.Warnings, warning)
	}
	if x.page.wanted() {
		page, err := evaluationPage(f, result, e)
		if err := cmp.Or(err, x.page.write(page)); err != nil {
			return err
		}
	}
	if x.asJSON {
		return printJSON(p.stdout, evaluationReport{resultReport{Corpus: e.Summary, Models: []train.Result{result}, File: x.model}, e.Review})
	}
	printMail(p.stdout, e.Summary)
	if x.verbose {
		p.printEvaluatedFully(x, f, e)
		p.printWarnings([]train.Result{result})
		return nil
	}
	screen.Printf(p.stdout, "%-12s%s, %s\n", "model", x.model, s.Model)
	printAccuracies(p.stdout, partFigures{"this mail", result.Test})
	if e.Verdicts != nil {
		printVerdicts(p.stdout, *e.Verdicts, "")
	}
	p.printWarnings([]train.Result{result})
	if x.wantsMistakes() {
		printReview(p.stdout, s.Classes, e.Review)
	} else if len(e.Review.Mistakes) > 0 {
		fmt.Fprintln(p.stdout, "\nThe worst mistakes:")
		printBrief(p.stdout, s.Classes, e.Review.Mistakes, shownMistakes, e.Figures.Messages-e.Figures.Confusion.Correct())
	}
	fmt.Fprintln(p.stdout)
	x.printMore(p.stdout)
	return nil
}

// maxKnown is the share of known messages below which there is no warning: the same letter may have reached two mailboxes.
const maxKnown = 0.05

// knownMail returns a warning if the model was fitted to the mail that measures it.
func knownMail(e evaluate.Evaluation) string {
	n := e.Figures.Messages
	if float64(e.Learned) < maxKnown*float64(n) {
		return ""
	}
	return fmt.Sprintf("the model was trained on %d of these %s, so the figures are too good; measure it on other mail, or with --folds 5", e.Learned, plural(n, "message"))
}

// shownMistakes is how many mistakes a short answer has.
const shownMistakes = 3

// printEvaluatedFully prints all figures of evaluate.
func (p *program) printEvaluatedFully(x *experiment, f *filter.Filter, e evaluate.Evaluation) {
	s := f.Settings()
	printOddities(p.stdout, e.Summary)
	screen.Printf(p.stdout, "%-12s%s, %s on %s\n\n", "model", x.model, s.Model, s.Kind)
	printFigures(p.stdout, []partFigures{{"this mail", &e.Figures}})
	fmt.Fprintln(p.stdout)
	printTest(p.stdout, s.Classes, &e.Figures)
	if e.Verdicts != nil {
		fmt.Fprintln(p.stdout)
		printThresholds(p.stdout, *s.Thresholds)
		printVerdicts(p.stdout, *e.Verdicts, "")
	}
	printReview(p.stdout, s.Classes, e.Review)
}

// evaluationReport is the JSON of evaluate.
type evaluationReport struct {
	resultReport
	Review evaluate.Review `json:"review"`
}
