package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/evaluate"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/message"
	"chaff/models"
	"chaff/train"
)

// demoFolds is the number of folds of the demonstration.
const demoFolds = 10

func (p *program) demoCommand() *cobra.Command {
	var settings settingFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Train and compare every model on built-in sample mail",
		Long: `Demo compares every model on a small built-in corpus of invented mail, by
ten-fold cross-validation. Then the default model classifies held-out messages.
Demo reads no other mail and writes no file.`,
		Example: `  chaff demo
  chaff demo --seed 2 --set tokenize.language=none`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := p.load(c, &settings)
			if err != nil {
				return err
			}
			if err := evaluate.ValidateFolds(demoFolds, cfg.Split); err != nil {
				return hint.With(err, "split the mail in another way: chaff demo --split grouped")
			}
			collection, err := p.collect(c, cfg.Config, readingOf(cfg.Config), labelled{source: sample.Source(), classes: spamClasses()})
			if err != nil {
				return err
			}
			results, err := p.validate(c, collection, cfg.Config, models.Names(), demoFolds)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.stdout, foldsReport{summaryOfFolds(collection), demoFolds, results})
			}
			fmt.Fprintln(p.stdout, "Every model on built-in sample mail, by cross-validation:")
			fmt.Fprintln(p.stdout)
			printFoldsMade(p.stdout, cfg.Config, summaryOfFolds(collection), demoFolds)
			p.demoTable(cfg.Model, results)
			return p.demoMessages(c, cfg.Config, collection.Origins(corpus.Test))
		},
	}
	settings.add(p, c, "workers", "seed", "split")
	p.addQuiet(c)
	addJSON(c, &asJSON, "print the result as JSON")
	return c
}

// demoTable prints the models, the most accurate first, each compared with the default.
func (p *program) demoTable(model string, results []evaluate.CrossValidation) {
	byAccuracy := slices.SortedStableFunc(slices.Values(results), func(x, y evaluate.CrossValidation) int {
		return cmp.Compare(y.Test.Accuracy, x.Test.Accuracy)
	})
	base := results[slices.IndexFunc(results, func(r evaluate.CrossValidation) bool { return r.Model == model })]
	printFolds(p.stdout, "default", byAccuracy, base)
	var better []string
	for m, difference := range evaluate.AgainstBase(byAccuracy, base) {
		if isBetter(difference) {
			better = append(better, byAccuracy[m].Model)
		}
	}
	verdict := "No model is better by more than chance."
	if len(better) > 0 {
		verdict = "Better by more than chance: " + strings.Join(better, ", ") + "."
	}
	screen.Printf(p.stdout, `
* is the default model of chaff train. %s "against the default": + counts the messages
that only this model classifies correctly, - those that only the default does; p is the probability of such a difference
between equally good models (McNemar's test, Holm's correction).
`, verdict)
}

// demoShown is how many messages the demonstration classifies.
const demoShown = 6

// demoMessages trains a filter on all mail except the given messages, and classifies some of these.
func (p *program) demoMessages(c *cobra.Command, cfg config.Config, unseen []string) error {
	if len(unseen) == 0 {
		return nil
	}
	collection, err := p.collect(c, cfg, readingOf(cfg), labelled{source: sampleWithout(unseen), classes: spamClasses()})
	if err != nil {
		return err
	}
	trained, err := fit(p, cfg, true, func(o train.Options) (train.Trained, error) { return train.Fit(c.Context(), collection, cfg.Model, o) })
	if err != nil {
		return err
	}
	result := trained.Result
	screen.Printf(p.stdout, "\nThe default, %s, trained on %d messages, on held-out messages:\n", result.Model, collection.Summary().Used)
	decoder := message.NewDecoder(message.DefaultOptions())
	shown := min(demoShown, len(unseen))
	for i := range shown {
		origin := unseen[i*len(unseen)/shown]
		raw, err := sample.Message(origin)
		if err != nil {
			return err
		}
		v := trained.Filter.Classify(raw)
		m := decoder.Decode(raw)
		screen.Printf(p.stdout, "\n  %s\n    From:     %s\n    Subject:  %s\n    verdict:  %s, score %.2f, probability %.4f\n",
			origin, shorten(m.Get("From")), shorten(m.Get("Subject")), v.Verdict, v.Score, v.Probability)
	}
	if t := result.Thresholds; t != nil {
		screen.Printf(p.stdout, "\n(spam above %s, unsure above %s: chosen on development mail so that ham is not lost)\n", threshold(t.Spam), threshold(t.Unsure))
	}
	fmt.Fprintln(p.stdout, "\nYour own mail next: chaff train --maildir ~/Maildir")
	return nil
}

func sampleWithout(origins []string) corpus.Source {
	return func(yield func(corpus.Item, error) bool) {
		for item, err := range sample.Source() {
			if err == nil && slices.Contains(origins, item.Origin) {
				continue
			}
			if !yield(item, err) {
				return
			}
		}
	}
}
