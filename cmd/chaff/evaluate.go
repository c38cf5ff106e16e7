package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/evaluate"
	"chaff/internal/hint"
	"chaff/internal/places"
	"chaff/internal/screen"
	"chaff/train"
)

func (p *program) evaluateCommand() *cobra.Command {
	var sources sourceFlags
	var settings settingFlags
	var replay replayFlags
	var path string
	var page reportFlags
	var mistakes, folds int
	var asJSON bool
	c := &cobra.Command{
		Use:   "evaluate [-m FILE | --online | --folds K] SOURCES",
		Short: "Measure a saved model on labelled mail",
		Long: `Evaluate classifies labelled mail with a saved model and prints how often it is right. Mail that the
model was trained on makes it look better than it is: take other mail.

With --online no saved model is used: the mail is replayed through a new one, as it would have come in.
Each message is classified by what was learnt from those before it, and then learnt. With --folds K the
mail is divided into K folds, and each is once the test part of a model that is trained on the others.`,
		Example: `  chaff evaluate -m spam.model --trec index
  chaff evaluate --ham inbox --spam junk --json
  chaff evaluate --online --ham inbox --spam junk --model arow
  chaff evaluate --online --trec index --delay 100 --trec-results results`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := errors.Join(replay.check(c), page.check()); err != nil {
				return err
			}
			if replay.online {
				cfg, err := p.load(c, &settings)
				if err != nil {
					return err
				}
				return p.evaluateOnline(c, cfg.Config, &sources, &replay, &page, asJSON)
			}
			if c.Flags().Changed("folds") {
				return p.evaluateFolds(c, &sources, &settings, folds, &page, asJSON)
			}
			for _, flag := range []string{"model", "seed", "split"} {
				if c.Flags().Changed(flag) {
					return fmt.Errorf("--%s is about --online and --folds: a saved model is what it is; -m FILE says which", flag)
				}
			}
			if path == "" {
				path = places.Model(p.environ)
			}
			return p.evaluate(c, &sources, &settings, &page, path, mistakes, asJSON)
		},
	}
	sources.add(c)
	settings.add(c, "model", "workers", "memory", "seed", "split")
	replay.add(c)
	page.add(c)
	c.Flags().StringVar(&replay.results, "trec-results", "", "with --online: write what was said of each message to `FILE`, as the TREC spam track's toolkit does")
	addModelFile(c, &path, "measure")
	addMistakes(c, &mistakes)
	addJSON(c, &asJSON, "print the result as JSON")
	c.Flags().IntVar(&folds, "folds", 0, "use no saved model: train one `K` times, each time with another fold of the mail as the test part")
	c.MarkFlagsMutuallyExclusive("model-file", "online", "folds")
	return c
}

func (p *program) evaluate(c *cobra.Command, sources *sourceFlags, settings *settingFlags, page *reportFlags, path string, mistakes int, asJSON bool) error {
	if err := checkMistakes(mistakes); err != nil {
		return err
	}
	cfg, err := p.load(c, settings)
	if err != nil {
		return err
	}
	f, err := delivery.OpenModel(path)
	if err != nil {
		return err
	}
	mail, err := sources.open()
	if err != nil {
		return err
	}
	s := f.Settings()
	if !sameClasses(mail.classes, s.Classes) {
		return fmt.Errorf("the mail has the classes %q, the model %s has %q", mail.classes, path, s.Classes)
	}
	mail.print(p.stderr)
	step, done := p.progress("reading mail")
	e, err := evaluate.Filter(c.Context(), f, mail.source, mistakes, train.ReadOptions{Workers: cfg.Workers, Progress: holdingGarbage(step)})
	done()
	if errors.Is(err, train.ErrNoMail) {
		return hint.With(err, noMailHint)
	}
	if err != nil {
		return err
	}
	p.printProblems(e.Summary)
	result := train.Result{Model: s.Model, Kind: s.Kind, Terms: f.Vocabulary().Len(), Thresholds: s.Thresholds, Test: &e.Figures, Verdicts: e.Verdicts, Calibration: s.Calibration}
	if page.wanted() {
		about, err := evaluationPage(f, result, e)
		if err != nil {
			return err
		}
		if err := page.write(about); err != nil {
			return err
		}
	}
	if asJSON {
		return printJSON(p.stdout, evaluationReport{resultReport{Corpus: e.Summary, Models: []train.Result{result}, File: path}, e.Review})
	}
	printCorpus(p.stdout, e.Summary)
	screen.Printf(p.stdout, "model       %s on %s, %s\n\n", s.Model, s.Kind, path)
	if err := printFigures(p.stdout, []partFigures{{"this mail", &e.Figures}}); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout)
	if err := printTest(p.stdout, s.Classes, &e.Figures); err != nil {
		return err
	}
	if e.Verdicts != nil {
		screen.Printf(p.stdout, "\nWith the model's thresholds, spam above %s and unsure above %s:\n", threshold(s.Thresholds.Spam), threshold(s.Thresholds.Unsure))
		printVerdicts(p.stdout, *e.Verdicts)
	}
	return printReview(p.stdout, e.Review)
}

// evaluationReport is the JSON of evaluate.
type evaluationReport struct {
	resultReport
	Review evaluate.Review `json:"review"`
}
