package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/corpus/sources"
	"chaff/evaluate"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/message"
	"chaff/models"
	"chaff/train"
)

// demoSplits is over how many splits the demonstration takes means.
const demoSplits = 5

func demoCommand(p *program) *cobra.Command {
	var settings settingFlags
	var asJSON, verbose bool
	var save string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Train and compare models on built-in sample mail",
		Long: `Demo trains the default model on a small built-in corpus of invented mail and
judges messages that it has not seen. It shows the training, development and
test accuracy of the classifiers, each the mean over five splits of the mail;
--verbose shows all of them. Demo reads no other mail and writes no file, unless
--save names a folder for the sample mail.`,
		Example: `  chaff demo
  chaff demo --verbose
  chaff demo --save Maildir && chaff train --maildir Maildir
  chaff demo --seed 2 --set tokenize.language=none`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := p.load(&settings)
			if err != nil {
				return err
			}
			if c.Flags().Changed("save") {
				return saveSample(p.stdout, save)
			}
			if cfg.Split.Method == corpus.SplitByTime {
				return hint.With(errors.New("the sample mail is divided by chance, several times"), "chaff demo --split grouped")
			}
			collection, err := collect(p, c, collectOptions(cfg.Config, readingOf(cfg.Config)), labelled{source: sample.Source(), classes: spamClasses()})
			if err != nil {
				return err
			}
			names := models.Names()
			if !verbose {
				names = []string{"bernoulli", "multinomial", "perceptron", "averaged-perceptron", "softmax"}
				if !slices.Contains(names, cfg.Model) {
					names = append(names, cfg.Model)
				}
			}
			results, err := fit(p, cfg.Config, true, func(o train.Options) ([]evaluate.Repeated, error) {
				o.Unwatched = true
				return evaluate.Repeat(c.Context(), collection, names, demoSplits, o)
			})
			if err != nil {
				return err
			}
			slices.SortStableFunc(results, func(x, y evaluate.Repeated) int { return cmp.Compare(y.Development.Mean, x.Development.Mean) })
			if !asJSON {
				if err := demoMessages(p, c, cfg.Config, collection.Origins(corpus.Test)); err != nil {
					return err
				}
			}
			return p.show(demoReport{collection.Summary(), demoSplits, results, cfg.Config}, asJSON, verbose)
		},
	}
	settings.add(c, "workers", "seed", "split")
	addJSON(c, &asJSON, "print the accuracy of the models as JSON")
	addVerbose(c, &verbose, "print the accuracy of all models")
	c.Flags().StringVar(&save, "save", "", "write the sample mail to a new folder `DIR`, a Maildir, and do nothing else")
	return c
}

type demoReport struct {
	Corpus train.Summary       `json:"corpus"`
	Splits int                 `json:"splits"`
	Models []evaluate.Repeated `json:"models"`
	config config.Config
}

// describe adds the accuracy of models, the default with a star.
func (r demoReport) describe(a *answer, _ bool) {
	a.line("\nAccuracy of models that learned %.0f%% of the 300 messages, means over %d splits:\n", 100*r.config.Split.Train, r.Splits)
	mean := func(m evaluate.Mean) string {
		if m.Splits == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f%% ± %.1f", m.Mean, m.Deviation)
	}
	t := table{{"model", "training", "development", "test", "features"}}
	for _, m := range r.Models {
		name := m.Model
		if name == r.config.Model {
			name += " *"
		}
		t.row(name, fmt.Sprintf("%.1f%%", m.Train.Mean), mean(m.Development), mean(m.Test), m.Kind)
	}
	a.table(t, 0)
	a.line(`
* is the default of chaff train, ahead on more mail (docs/inside/results.md).
± is the standard deviation of a split: smaller differences are chance.

Your own mail is next. Chaff reads it and changes nothing in it:
  chaff train ~/Maildir
  chaff train inbox.mbox junk.mbox`)
}

// saveSample writes the sample mail to a new folder as a Maildir.
func saveSample(w io.Writer, dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return hint.With(fmt.Errorf("write the sample mail to %s: %w", dir, replace.Reason(err)), "name a folder that does not exist yet, in one that does")
	}
	for _, folder := range []string{"", ".Junk"} {
		for _, sub := range []string{"cur", "new", "tmp"} {
			if err := os.MkdirAll(filepath.Join(dir, folder, sub), 0o700); err != nil {
				return fmt.Errorf("write the sample mail: %w", err)
			}
		}
	}
	n := 0
	for item, err := range sample.Source() {
		if err != nil {
			return err
		}
		raw, err := sample.Message(item.Origin)
		if err != nil {
			return err
		}
		folder := ""
		if item.Label == sources.Spam {
			folder = ".Junk"
		}
		n++
		name := fmt.Sprintf("%d.%s:2,S", 1700000000+n, strings.TrimSuffix(path.Base(item.Origin), ".eml"))
		if err := os.WriteFile(filepath.Join(dir, folder, "cur", name), raw, 0o600); err != nil {
			return fmt.Errorf("write the sample mail: %w", err)
		}
	}
	screen.Printf(w, "%d messages are in %s: chaff train --maildir %s\n", n, screen.Printable(dir), screen.Printable(shellWord(dir)))
	return nil
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
func demoMessages(p *program, c *cobra.Command, cfg config.Config, unseen []string) error {
	if len(unseen) == 0 {
		return nil
	}
	collection, err := collect(p, c, collectOptions(cfg, readingOf(cfg)), labelled{source: sampleWithout(unseen), classes: spamClasses()})
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
	t := screen.NewTable(p.stdout, "verdict", "P(spam)", "from", "subject").Within(defaultWidth)
	var last []byte
	for i := range shown {
		if last, err = sample.Message(unseen[i*len(unseen)/shown]); err != nil {
			return err
		}
		v := trained.Filter.Classify(last)
		m := decoder.Decode(last)
		screen.Printf(t, "%s\t%.3f\t%s\t%s\n", v.Verdict, v.Probability, screen.Quoted(screen.Cut(screen.Printable(evaluate.Sender(string(m.Get("From")))), demoSender)), m.Get("Subject"))
	}
	t.Flush()
	e, err := trained.Filter.Explain(last)
	if err != nil {
		return err
	}
	screen.Printf(p.stdout, "\nThe strongest evidence for %s in the last:\n", e.For)
	up, _ := bySide(e)
	printContributions(p.stdout, strongest(up, demoTerms))
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
