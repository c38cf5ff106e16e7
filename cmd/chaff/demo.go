package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
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
	var asJSON, verbose bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Train and compare every model on built-in sample mail",
		Long: `Demo trains the default model on a small built-in corpus of invented mail and
classifies messages that it has not seen. It compares every model by ten-fold
cross-validation; --verbose prints the comparison.
Demo reads no other mail and writes no file.`,
		Example: `  chaff demo
  chaff demo --verbose
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
			collection, err := p.collect(c, collectOptions(cfg.Config, readingOf(cfg.Config)), labelled{source: sample.Source(), classes: spamClasses()})
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
			if err := p.demoMessages(c, cfg.Config, collection.Origins(corpus.Test)); err != nil {
				return err
			}
			p.demoModels(cfg.Config, summaryOfFolds(collection), results, verbose)
			fmt.Fprint(p.stdout, invitation)
			return nil
		},
	}
	settings.add(p, c, "workers", "seed", "split")
	addJSON(c, &asJSON, "print the result as JSON")
	addVerbose(c, &verbose, "print the comparison of all models")
	return c
}

// invitation ends the demonstration.
const invitation = `
Your own mail is next. Chaff reads it and changes nothing in it:
  chaff train ~/Maildir
  chaff train inbox.mbox junk.mbox
`

// demoModels prints the cross-validated accuracy of the default, and whether another model is better.
func (p *program) demoModels(cfg config.Config, s train.Summary, results []evaluate.CrossValidation, verbose bool) {
	byAccuracy := slices.SortedStableFunc(slices.Values(results), func(x, y evaluate.CrossValidation) int {
		return cmp.Compare(y.Test.Accuracy, x.Test.Accuracy)
	})
	base := results[slices.IndexFunc(results, func(r evaluate.CrossValidation) bool { return r.Model == cfg.Model })]
	if verbose {
		fmt.Fprintln(p.stdout, "\nAll models, by cross-validation:")
		fmt.Fprintln(p.stdout)
		printFoldsMade(p.stdout, cfg, s, demoFolds, true)
		printFolds(p.stdout, byAccuracy, base, "* is the default model of chaff train.", true)
		return
	}
	var better []string
	for m, difference := range evaluate.AgainstBase(byAccuracy, base) {
		if isBetter(difference) {
			better = append(better, byAccuracy[m].Model)
		}
	}
	verb := "is"
	switch len(better) {
	case 0:
		better = []string{fmt.Sprintf("none of %d others", len(results)-1)}
	case 1:
	default:
		verb = "are"
	}
	ham, spam := base.Test.Confusion[0], base.Test.Confusion[1]
	screen.Printf(p.stdout, "\nOver all %d messages, by cross-validation:\n", base.Test.Messages)
	field(p.stdout, "accuracy", "%s, 95%% interval %s", screen.Bold.Of(accuracyOf(&base.Test)), intervalOf(&base.Test))
	field(p.stdout, "errors", "%d of %d ham, %d of %d spam", ham[1], ham[0]+ham[1], spam[0], spam[0]+spam[1])
	field(p.stdout, "models", "%s %s better by more than chance (--verbose: all)", strings.Join(better, ", "), verb)
}

const (
	// demoShown is how many messages the demonstration classifies.
	demoShown = 6
	// demoTerms is how many terms it shows of the last.
	demoTerms = 4
	// demoSender is the width of its column of senders.
	demoSender = 22
)

// demoMessages trains a filter on all mail except the given messages, and classifies some of these.
func (p *program) demoMessages(c *cobra.Command, cfg config.Config, unseen []string) error {
	if len(unseen) == 0 {
		return nil
	}
	collection, err := p.collect(c, collectOptions(cfg, readingOf(cfg)), labelled{source: sampleWithout(unseen), classes: spamClasses()})
	if err != nil {
		return err
	}
	trained, err := fit(p, cfg, true, func(o train.Options) (train.Trained, error) { return train.Fit(c.Context(), collection, cfg.Model, o) })
	if err != nil {
		return err
	}
	shown := min(demoShown, len(unseen))
	screen.Printf(p.stdout, "Chaff learned %d invented messages (model %s) and judges %d others:\n\n",
		collection.Summary().Used, cfg.Model, shown)
	decoder := message.NewDecoder(message.DefaultOptions())
	t := newTable(p.stdout, "verdict", "P(spam)", "from", "subject").Within(defaultWidth)
	var last []byte
	for i := range shown {
		if last, err = sample.Message(unseen[i*len(unseen)/shown]); err != nil {
			return err
		}
		v := trained.Filter.Classify(last)
		m := decoder.Decode(last)
		screen.Printf(t, "%s\t%.3f\t%s\t%s\n", delivery.Styled(v.Verdict), v.Probability, screen.Quoted(screen.Cut(screen.Printable(sender(string(m.Get("From")))), demoSender)), m.Get("Subject"))
	}
	t.Flush()
	e, err := trained.Filter.Explain(last)
	if err != nil {
		return err
	}
	screen.Printf(p.stdout, "\nThe strongest evidence for %s in the last:\n", e.For)
	up, _ := bySide(e)
	printContributions(p.stdout, up, demoTerms)
	return nil
}

// sender returns the name of the sender in a From field, or the address if there is none.
func sender(from string) string {
	name, address, _ := strings.Cut(from, "<")
	if name = strings.Trim(name, "\" \t"); name == "" {
		return strings.Trim(address, "<>")
	}
	return name
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
