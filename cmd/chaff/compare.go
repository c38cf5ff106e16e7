package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

func (p *program) compareCommand() *cobra.Command {
	var sources sourceFlags
	var settings settingFlags
	var replay replayFlags
	var page reportFlags
	var folds int
	var asJSON bool
	c := &cobra.Command{
		Use:   "compare SOURCES",
		Short: "Train every model on the same mail and compare them",
		Long: `Compare trains every model on the same training part and prints one table of their accuracy on the
training, development and test part, the best on development mail first. Nothing is saved.

With --folds K the mail is divided into K folds, and each model is trained K times: each fold is once
the test part. The table then has the test figures over all messages.

With --online the mail is replayed: each message is classified by what was learnt from those before it,
and then learnt. The table then has the figures of all messages.`,
		Example: `  chaff compare --folders enron1
  chaff compare --ham inbox --spam junk --seed 7 --json
  chaff compare --ham inbox --spam junk --folds 10
  chaff compare --trec index --online`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := p.load(c, &settings)
			if err != nil {
				return err
			}
			if err := errors.Join(replay.check(c), page.check()); err != nil {
				return err
			}
			if page.axes != "" && (replay.online || c.Flags().Changed("folds")) {
				return errors.New("--axes is about models that are trained once: leave out --online and --folds")
			}
			if replay.online {
				return p.compareOnline(c, cfg.Config, &sources, &replay, &page, asJSON)
			}
			mail, err := sources.open()
			if err != nil {
				return err
			}
			withFolds := c.Flags().Changed("folds")
			if withFolds {
				if err := evaluate.ValidateFolds(folds, cfg.Split); err != nil {
					return fmt.Errorf("--folds: %w", err)
				}
			}
			collection, err := p.collect(c, cfg.Config, readingOf(cfg.Config), mail)
			if err != nil {
				return err
			}
			if withFolds {
				return p.crossValidate(c, collection, cfg.Config, models.Names(), folds, &page, asJSON)
			}
			results, err := p.compare(c, collection, cfg.Config)
			if err != nil {
				return err
			}
			if page.wanted() && len(results) > 0 {
				about, err := p.trainedPage(c, "chaff compare", collection, cfg.Config, results, page.axes)
				if err != nil {
					return err
				}
				if err := page.write(about); err != nil {
					return err
				}
			}
			if asJSON {
				return printJSON(p.stdout, resultReport{Corpus: collection.Summary(), Models: resultsOf(results)})
			}
			printSplit(p.stdout, cfg.Config, collection.Summary())
			fmt.Fprintln(p.stdout)
			if err := printComparison(p.stdout, resultsOf(results)); err != nil {
				return err
			}
			fmt.Fprintln(p.stdout)
			if err := printLosses(p.stdout, resultsOf(results)); err != nil {
				return err
			}
			p.printWarnings(resultsOf(results))
			leaks, err := evaluate.Leaks(collection)
			p.printLeaks(collection.Classes(), leaks)
			return err
		},
	}
	sources.add(c)
	settings.add(c, "workers", "memory", "seed", "split")
	replay.add(c)
	page.add(c)
	page.addAxes(c)
	c.Flags().IntVar(&folds, "folds", 0, "train each model `K` times, each time with another fold of the mail as the test part")
	addJSON(c, &asJSON, "print the result as JSON")
	c.MarkFlagsMutuallyExclusive("folds", "online")
	return c
}

// compare trains every model, and returns the best on the development part first. It tells of those that could not be
// trained.
func (p *program) compare(c *cobra.Command, collection *train.Collection, cfg config.Config) ([]train.Trained, error) {
	options, done := p.trainOptions(cfg, true)
	comparison, err := evaluate.Compare(c.Context(), collection, models.Names(), options)
	done()
	if err != nil {
		return nil, tooFew(err)
	}
	for _, failed := range comparison.Failed {
		screen.Printf(p.stderr, "chaff: left out: %v\n", failed)
	}
	return comparison.Models, nil
}

func resultsOf(all []train.Trained) []train.Result {
	results := make([]train.Result, len(all))
	for i, t := range all {
		results[i] = t.Result
	}
	return results
}

// printComparison prints one row for each model, the best on the development part first. The errors are those of the test
// part.
func printComparison(w io.Writer, results []train.Result) error {
	t := newTable(w)
	fmt.Fprintln(t, "model\tfeatures\ttrain\tdevelopment\ttest\t95% interval\thm%\tsm%\t(1-ROCA)%\tagainst the best\tCPU s\tterms\tMB")
	for i, r := range results {
		name := r.Model
		if i == 0 {
			name += " *"
		}
		interval, hm, sm, roca := "-", "-", "-", "-"
		if f := r.Test; f != nil {
			interval = fmt.Sprintf("%.2f-%.2f", f.AccuracyLow, f.AccuracyHigh)
			hm, sm, roca = percent(f.HM, 2), percent(f.SM, 2), percent(f.OneMinusROCA, 4)
		}
		screen.Printf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.2f\t%d\t%.1f\n", name, r.Kind,
			accuracyOf(r.Train), accuracyOf(r.Development), accuracyOf(r.Test), interval, hm, sm, roca,
			against(r.AgainstBest), r.Seconds, r.Terms, float64(r.Bytes)/1e6)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, bestNote)
	return err
}

// bestNote explains the table of models.
const bestNote = `
* is the best on development mail. "against the best": test messages that the model gets right and the best one wrong, and
the other way round; p is the chance of a difference at least as large between models that are equally good
(McNemar), corrected for the number of comparisons (Holm).
`

func accuracyOf(f *metrics.Figures) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", f.Accuracy)
}

// chance is the probability from which on a difference is put down to chance.
const chance = 0.05

// against tells whether the errors of a model differ from those of another one by more than chance.
func against(m *metrics.McNemar) string {
	if m == nil {
		return "-"
	}
	verdict := "chance"
	switch {
	case isBetter(*m):
		verdict = "better"
	case m.P < chance:
		verdict = "worse"
	}
	return fmt.Sprintf("+%d -%d %s (p %s)", m.Better, m.Worse, verdict, probability(m.P))
}

// isBetter reports whether a model has fewer errors than another one by more than chance.
func isBetter(m metrics.McNemar) bool { return m.P < chance && m.Better > m.Worse }

// probability writes a p-value: small ones by their order.
func probability(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// printLosses prints the losses of each model on the three parts: the square loss is that of the scores, the log loss and
// the Brier score are those of the probabilities.
func printLosses(w io.Writer, results []train.Result) error {
	t := newTable(w)
	fmt.Fprintln(t, "\t0-1 loss\t\t\tsquare loss\t\t\tlog loss\t\t\tBrier")
	fmt.Fprintln(t, "model\ttrain\tdev.\ttest\ttrain\tdev.\ttest\ttrain\tdev.\ttest\ttest")
	losses := []func(*metrics.Figures) *float64{
		func(f *metrics.Figures) *float64 { return &f.ZeroOneLoss },
		func(f *metrics.Figures) *float64 { return f.SquareLoss },
		func(f *metrics.Figures) *float64 { return f.LogLoss },
	}
	for _, r := range results {
		screen.Printf(t, "%s", r.Model)
		for _, loss := range losses {
			for _, f := range []*metrics.Figures{r.Train, r.Development, r.Test} {
				screen.Printf(t, "\t%s", lossOf(f, loss))
			}
		}
		screen.Printf(t, "\t%s\n", lossOf(r.Test, func(f *metrics.Figures) *float64 { return f.Brier }))
	}
	return t.Flush()
}

// lossOf writes a loss of a part that may have no messages.
func lossOf(f *metrics.Figures, loss func(*metrics.Figures) *float64) string {
	if f == nil {
		return "-"
	}
	return number(loss(f))
}
