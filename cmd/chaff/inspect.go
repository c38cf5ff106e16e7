package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/filter"
	"chaff/filter/weights"
	"chaff/train"
)

func inspectCommand(p *program) *cobra.Command {
	var strongest uint
	c := &cobra.Command{
		Use:   "inspect [-m FILE]",
		Short: "Show what is in a model file",
		Long: `Inspect prints what a model file holds: the model and its settings, the mail it
was trained on, its figures, and its strongest terms.`,
		Example: `  chaff inspect
  chaff inspect -m spam.model --terms 30`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			f, err := p.openModel()
			if err != nil {
				return err
			}
			info, err := os.Stat(p.model)
			if err != nil {
				return err
			}
			terms, err := f.Strongest(int(strongest))
			noTexts := errors.Is(err, filter.ErrNoTexts)
			if err != nil && !noTexts {
				return delivery.ModelError(p.model, err)
			}
			from, err := train.ProvenanceOf(f)
			if err != nil {
				return delivery.ModelError(p.model, err)
			}
			from.Sample = nil // it means nothing to a reader
			all := inspection{File: p.model, Bytes: info.Size(), Settings: f.Settings(), Provenance: from, Strongest: []strongestTerms{},
				terms: f.Vocabulary().Len(), noTexts: noTexts && strongest > 0}
			for c := range terms {
				all.Strongest = append(all.Strongest, strongestTerms{all.Settings.Classes[c], terms[c]})
			}
			p.verbose = true // there is no short answer
			return p.show(all, all.describe)
		},
	}
	p.addModelFile(c, "show", "print all as JSON")
	c.Flags().UintVar(&strongest, "terms", 10, "show the `N` strongest terms of each class")
	return c
}

// inspection is what a model file holds.
type inspection struct {
	File       string           `json:"file"`
	Bytes      int64            `json:"bytes"`
	Settings   filter.Settings  `json:"settings"`
	Provenance train.Provenance `json:"provenance"`
	Strongest  []strongestTerms `json:"strongest"`

	terms   int
	noTexts bool // though the strongest terms are asked for
}

type strongestTerms struct {
	Class string              `json:"class"`
	Terms []filter.TermWeight `json:"terms"`
}

func (i inspection) describe(a *answer) {
	s, from := i.Settings, i.Provenance
	a.line("%-12s%s, %s, %s on %s", "model", i.File, sizeOf(i.Bytes), s.Model, s.Kind)
	a.fact("classes", "%s", strings.Join(s.Classes, ", "))
	if s.Model != weights.ByHand {
		a.mail(from.Corpus)
	}
	isMeasured := s.Model != weights.ByHand && from.Train != nil
	if isMeasured {
		a.divided(from.Corpus, from.Split, from.Seed)
	}
	switch {
	case from.FittedTo > 0 && isMeasured:
		a.fact("fitted to", "all %s; thresholds and probabilities from %s", plural(from.FittedTo, "message"), plural(from.OutOfFold, "out-of-fold score"))
	case from.FittedTo > 0:
		a.fact("fitted to", "all %s, not measured; thresholds and probabilities from mail that it knows", plural(from.FittedTo, "message"))
	}
	a.fact("vocabulary", "%s, language %s", plural(i.terms, "term"), s.Tokenize.Language)
	a.thresholds(s.Thresholds)
	if from.Promise != nil {
		a.fact("guarantee", "%v", from.Promise)
	}
	if c := s.Calibration; len(c.Offsets) == 2 {
		a.fact("probability", "1 / (1 + exp(%.3g - %.3g score))", 0-c.Offsets[1], c.Slope)
	} else {
		a.fact("probability", "softmax of %.3g times the scores plus %s", c.Slope, strings.Join(mapped(c.Offsets, threshold), ", "))
	}
	if isMeasured {
		a.gap()
		if from.FittedTo > 0 {
			a.line("Figures of a model of the training part:")
		}
		a.figures(ofPart{"train", from.Train}, ofPart{"development", from.Development}, ofPart{"test", from.Test})
	}
	if i.noTexts {
		a.line("\nNo strongest terms: %v", filter.ErrNoTexts)
	}
	for _, class := range i.Strongest {
		if len(class.Terms) == 0 {
			continue
		}
		a.line("\nStrongest terms for %s:", class.Class)
		t := a.table(defaultWidth, "  weight", "messages", "term")
		for _, term := range class.Terms {
			t.Row("  "+number(&term.Weight), term.Messages, term.Term)
		}
		t.Flush()
	}
}
