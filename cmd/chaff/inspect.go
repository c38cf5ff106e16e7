package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/filter"
	"chaff/filter/weights"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

func inspectCommand(p *program) *cobra.Command {
	var path string
	var strongest int
	var asJSON bool
	c := &cobra.Command{
		Use:        "inspect [FILE]",
		Short:      "Show what is in a model file",
		SuggestFor: []string{"show", "info", "model"},
		Long: `Inspect prints what a model file holds: the model and its settings, the mail it
was trained on, its figures, and its strongest terms.`,
		Example: `  chaff inspect
  chaff inspect spam.model --terms 30`,
		Args: atMostOne("model"),
		RunE: func(c *cobra.Command, files []string) error {
			if len(files) > 0 && c.Flags().Changed("model-file") {
				return fmt.Errorf("chaff inspect shows one model: leave out -m or %s", files[0])
			}
			if len(files) > 0 {
				path = files[0]
			}
			return inspect(p, path, strongest, asJSON)
		},
	}
	p.addModelFile(c, &path, "show")
	c.Flags().IntVar(&strongest, "terms", 10, "show the `N` strongest terms of each class")
	addJSON(c, &asJSON, "print all as JSON")
	return c
}

// inspection is the JSON of inspect.
type inspection struct {
	File       string           `json:"file"`
	Bytes      int64            `json:"bytes"`
	Settings   filter.Settings  `json:"settings"`
	Provenance train.Provenance `json:"provenance"`
	Strongest  []strongestTerms `json:"strongest"`
}

type strongestTerms struct {
	Class string              `json:"class"`
	Terms []filter.TermWeight `json:"terms"`
}

func inspect(p *program, path string, strongest int, asJSON bool) error {
	f, err := delivery.OpenModel(path, p.stderr)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	terms, err := f.Strongest(max(strongest, 0))
	noTexts := errors.Is(err, filter.ErrNoTexts)
	if err != nil && !noTexts {
		return delivery.ModelError(path, err)
	}
	from, err := train.ProvenanceOf(f)
	if err != nil {
		return delivery.ModelError(path, err)
	}
	from.Sample = nil // it means nothing to a reader
	s := f.Settings()
	all := inspection{File: path, Bytes: info.Size(), Settings: s, Provenance: from, Strongest: []strongestTerms{}}
	for c := range terms {
		all.Strongest = append(all.Strongest, strongestTerms{s.Classes[c], terms[c]})
	}
	if asJSON {
		return printJSON(p.stdout, all)
	}
	screen.Printf(p.stdout, "%-12s%s, %s, %s on %s\n", "model", path, sizeOf(info.Size()), s.Model, s.Kind)
	field(p.stdout, "classes", "%s", strings.Join(s.Classes, ", "))
	if s.Model != weights.ByHand {
		var a answer
		a.mail(from.Corpus, true)
		a.divided(from.Corpus, from.Split, from.Seed)
		p.say(a)
	}
	if from.FittedTo > 0 {
		field(p.stdout, "fitted to", "all %s; thresholds and probabilities from %s", plural(from.FittedTo, "message"), plural(from.OutOfFold, "out-of-fold score"))
	}
	field(p.stdout, "vocabulary", "%s, language %s", plural(f.Vocabulary().Len(), "term"), s.Tokenize.Language)
	var a answer
	a.thresholds(s.Thresholds)
	a.guarantee(from.Promise)
	p.say(a)
	printCalibration(p.stdout, s.Calibration)
	if s.Model != weights.ByHand {
		fmt.Fprintln(p.stdout)
		if from.FittedTo > 0 {
			fmt.Fprintln(p.stdout, "Figures of a model of the training part:")
		}
		var a answer
		a.figures(ofPart{"train", from.Train}, ofPart{"development", from.Development}, ofPart{"test", from.Test})
		p.say(a)
	}
	if noTexts && strongest > 0 {
		screen.Printf(p.stdout, "\nNo strongest terms: %v\n", filter.ErrNoTexts)
	}
	for _, class := range all.Strongest {
		if len(class.Terms) == 0 {
			continue
		}
		screen.Printf(p.stdout, "\nStrongest terms for %s:\n", class.Class)
		t := newTable(p.stdout, "  weight", "messages", "term").Within(p.limit())
		for _, term := range class.Terms {
			screen.Printf(t, "  %s\t%d\t%s\n", number(&term.Weight), term.Messages, term.Term)
		}
		t.Flush()
	}
	return nil
}

func printCalibration(w io.Writer, c metrics.Calibration) {
	if len(c.Offsets) == 2 {
		field(w, "probability", "1 / (1 + exp(-(%.3g score %+.3g)))", c.Slope, c.Offsets[1])
		return
	}
	offsets := make([]string, len(c.Offsets))
	for i, o := range c.Offsets {
		offsets[i] = threshold(o)
	}
	field(w, "probability", "softmax of %.3g times the scores plus %s", c.Slope, strings.Join(offsets, ", "))
}
