package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/train"
)

func (p *program) evaluateCommand() *cobra.Command {
	var x experiment
	c := &cobra.Command{
		Use:   "evaluate [-m FILE | --online | --folds K] SOURCES",
		Short: "Measure a saved model on labelled mail",
		Long: `Evaluate classifies labelled mail with a saved model and prints its accuracy. Use mail that the model
was not trained on.

With --online it replays the mail through a new model: it classifies each message, then learns it. With
--folds K it splits the mail into K folds, and tests each with a model that is trained on the others.`,
		Example: `  chaff evaluate -m spam.model --trec index
  chaff evaluate --ham inbox --spam junk --json
  chaff evaluate --online --ham inbox --spam junk --model arow
  chaff evaluate --online --trec index --delay 100 --trec-results results`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := x.load(p); err != nil {
				return err
			}
			switch {
			case x.replay.online:
				return p.evaluateOnline(&x)
			case x.withFolds():
				return p.crossValidate(&x, []string{x.Model})
			}
			for _, flag := range []string{"model", "seed", "split"} {
				if c.Flags().Changed(flag) {
					return fmt.Errorf("--%s needs --online or --folds; -m FILE names a saved model", flag)
				}
			}
			return p.evaluate(&x)
		},
	}
	x.add(c, "model", "workers", "memory", "seed", "split")
	x.replay.add(c)
	c.Flags().StringVar(&x.replay.results, "trec-results", "", "with --online: write the verdicts to `FILE` in the format of the TREC spam track's toolkit")
	addModelFile(c, &x.model, "measure")
	x.addMistakes()
	x.addFolds("use no saved model: train one `K` times, each time with another fold of the mail as the test part")
	c.MarkFlagsMutuallyExclusive("model-file", "online", "folds")
	return c
}

// evaluate measures a saved model.
func (p *program) evaluate(x *experiment) error {
	f, err := delivery.OpenModel(x.model)
	if err != nil {
		return err
	}
	mail, err := x.sources.open()
	if err != nil {
		return err
	}
	s := f.Settings()
	if !sameClasses(mail.classes, s.Classes) {
		return fmt.Errorf("the mail has the classes %q, the model %s has %q", mail.classes, x.model, s.Classes)
	}
	var e evaluate.Evaluation
	err = p.read(mail, func(step func(read, all int)) (train.Summary, error) {
		e, err = evaluate.Filter(x.command.Context(), f, mail.source, x.mistakes, train.ReadOptions{Workers: x.Workers, Progress: step})
		return e.Summary, err
	})
	if err != nil {
		return err
	}
	result := train.Result{Model: s.Model, Kind: s.Kind, Terms: f.Vocabulary().Len(), Thresholds: s.Thresholds, Test: &e.Figures, Verdicts: e.Verdicts, Calibration: s.Calibration}
	if x.page.wanted() {
		page, err := evaluationPage(f, result, e)
		if err := cmp.Or(err, x.page.write(page)); err != nil {
			return err
		}
	}
	if x.asJSON {
		return printJSON(p.stdout, evaluationReport{resultReport{Corpus: e.Summary, Models: []train.Result{result}, File: x.model}, e.Review})
	}
	printCorpus(p.stdout, e.Summary)
	screen.Printf(p.stdout, "model       %s on %s, %s\n\n", s.Model, s.Kind, x.model)
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
