package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/filter"
	"chaff/message"
)

func (p *program) demoCommand() *cobra.Command {
	var settings settingFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Train and compare every model on the mail that is part of the program",
		Long: `Demo trains every model on a small corpus of invented mail that is part of the program, compares them,
and lets the best classify messages that it has not seen. It reads and writes no file.`,
		Example: `  chaff demo
  chaff demo --seed 2 --set tokenize.language=none`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := p.load(c, &settings)
			if err != nil {
				return err
			}
			mail := labelled{source: sample.Source(), classes: spamClasses()}
			collection, err := p.collect(c, cfg.Config, mail)
			if err != nil {
				return err
			}
			all, err := p.compare(c, collection, cfg.Config)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.stdout, resultReport{Corpus: collection.Summary(), Models: resultsOf(all)})
			}
			fmt.Fprintln(p.stdout, "Every model, trained on the invented mail that is part of chaff:")
			fmt.Fprintln(p.stdout)
			printSplit(p.stdout, cfg.Config, collection.Summary())
			fmt.Fprintln(p.stdout)
			if err := printComparison(p.stdout, resultsOf(all)); err != nil {
				return err
			}
			return p.demoMessages(all[0], collection.Origins(corpus.Test))
		},
	}
	settings.add(c, "workers", "seed", "split")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// demoShown is how many messages the demonstration classifies.
const demoShown = 6

// demoMessages lets the best model classify some messages of the test part, as even a choice as the listing gives.
func (p *program) demoMessages(best filter.Trained, origins []string) error {
	fmt.Fprintf(p.stdout, "\nThe best on development mail, %s, on messages it has not seen:\n", best.Result.Model)
	decoder := message.NewDecoder(message.DefaultOptions())
	for i := range min(demoShown, len(origins)) {
		origin := origins[i*len(origins)/demoShown]
		raw, err := sample.Message(origin)
		if err != nil {
			return err
		}
		v := best.Filter.Classify(raw)
		m := decoder.Decode(raw)
		fmt.Fprintf(p.stdout, "\n  %s\n    From:     %s\n    Subject:  %s\n    verdict:  %s, score %.2f, probability %.4f\n",
			origin, shorten(m.Get("From")), shorten(m.Get("Subject")), v.Decision, v.Score, v.Probability)
	}
	if t := best.Result.Thresholds; t != nil {
		fmt.Fprintf(p.stdout, "\n(spam above %s, unsure above %s: chosen on development mail so that ham is not lost)\n", threshold(t.Spam), threshold(t.Unsure))
	}
	fmt.Fprintln(p.stdout, "\nYour own mail next: chaff train --maildir ~/Maildir")
	return nil
}

// shorten makes the value of a header field fit on a line of a terminal.
func shorten(value []byte) string {
	text := []rune(printable(string(value)))
	if len(text) > 70 {
		return string(text[:69]) + "…"
	}
	return string(text)
}
