package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/filter"
	"chaff/filter/weights"
	"chaff/internal/screen"
	"chaff/store"
	"chaff/train"
)

func statusCommand(p *program) *cobra.Command {
	c := &cobra.Command{
		Use:   "status [-m FILE]",
		Short: "Show what a model has learned, and whether it learns well",
		Long: `Status prints what a model has learned: messages of each class, when and how
they were learned, and how well it judged them before it learned them. These
figures are the accuracy on your own mail. Reasons why the model does not learn,
or learns badly, come first.`,
		Example: `  chaff status
  chaff status -m spam.model --json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			v, err := p.look()
			if err != nil {
				return err
			}
			defer v.Close()
			s := state{File: p.model, Status: v.Status(time.Now())}
			s.share(v.Waiting(), time.Now())
			if err := unused(p.model); err != nil {
				s.Problems = append([]string{err.Error() + ": " + fromLog(p.model)}, s.Problems...)
			}
			return p.show(s, s.describe)
		},
	}
	p.addModelFile(c, "show", "print all as JSON")
	return c
}

type state struct {
	File string `json:"file"`
	store.Status
	// Sharing is what chaff share says of itself; nil if it never ran for this model.
	Sharing *store.Sharing `json:"sharing,omitempty"`
}

// share adds what chaff share says of itself. How many records wait is known from the log, whether it runs or not.
func (s *state) share(waiting int, now time.Time) {
	sharing, is, err := store.ReadSharing(s.File)
	if err != nil { // what has been shared is in the log
		s.Problems = append([]string{err.Error() + ": move it away, and chaff share makes another one"}, s.Problems...)
	}
	if !is {
		return
	}
	s.Sharing, sharing.Waiting = &sharing, uint64(waiting)
	if sharing.Problem != "" {
		s.Problems = append([]string{"chaff share: " + sharing.Problem}, s.Problems...)
	}
	if silent := now.Sub(sharing.Written); silent > time.Minute {
		s.Problems = append([]string{fmt.Sprintf("chaff share has not run for %v", silent.Round(time.Minute))}, s.Problems...)
	}
}

func (s state) describe(a *answer) {
	for _, problem := range s.Problems {
		a.fact("problem", "%s", screen.Quoted(problem))
	}
	a.line("%-12s%s, %s", "model", s.File, s.Model)
	switch {
	case s.Fitted == nil:
		a.fact("fitted", "never: chaff retrain%s fits it to all that it has learned", a.use())
	case s.Changed > 0:
		a.fact("fitted", "%s in %.2f CPU seconds; %s since", timeText(s.Fitted), s.FitSeconds, screen.Plural(s.Changed, "change"))
	default:
		a.fact("fitted", "%s in %.2f CPU seconds", timeText(s.Fitted), s.FitSeconds)
	}
	if h := s.Sharing; h != nil {
		a.fact("shared", "as %s: %d published, %d waiting, %d applied, %d refused", h.Host, h.Published, h.Waiting, h.Applied, total(h.Refused))
		fitter := "never fitted for all"
		if h.Fitted != nil {
			fitter = fmt.Sprintf("fitted by %s at %s", h.Fitter, timeText(h.Fitted))
		}
		a.fact("stream", "at %d of %d, %.1f seconds behind; %s", h.Position, max(h.End, h.Position), h.Lag, fitter)
	}
	tail := ""
	if s.Records > 0 {
		tail = fmt.Sprintf(", with %s since the model was written, %s", screen.Plural(s.Records, "record"), sizeOf(s.TailBytes))
	}
	a.fact("log", "%s%s", sizeOf(s.LogBytes), tail)
	learned := screen.Plural(s.Messages, "message")
	if s.Messages > 0 {
		learned += ": " + screen.Counts(s.Ways)
	}
	a.fact("learned", "%s", learned)
	a.count("", s.Confirmed, "%d with a confirmed label")
	a.count("", s.Forgotten, "%d forgotten")
	a.count("expired", s.Expired, ofExpired)
	a.doubtful(s.Doubtful, "chaff review"+a.use()+" PATH")
	a.gap()
	t := a.table(defaultWidth, "class", "messages", "taught today", "30 days", "last learned")
	const widestClass = 30 // columns that a row has room for
	for _, c := range s.Classes {
		t.Row(screen.Cut(screen.Text("%s", c.Class), widestClass), c.Messages, c.Today, c.Month, timeText(c.Last))
	}
	t.Flush()
	a.gap()
	windows := s.Telling()
	if len(windows) == 0 {
		a.line("It has judged %s before learning: too few to tell how good it is.", screen.Plural(len(s.Judged), "message"))
		return
	}
	a.line("As judged before they were learned, by the class of the higher score:")
	heads := []string{"accuracy", "95% interval", "errors", "hm%", "sm%", "(1-ROCA)%"}
	t = a.table(0)
	t.Row("  messages", heads)
	for _, of := range windows {
		t.Row("  "+of.Name(), figuresOf(of.Figures, heads...))
	}
	t.Flush()
}

// timeText formats a time for people where they are; a dash for none.
func timeText(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

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
		a.fact("fitted to", "all %s; thresholds and probabilities from %s", screen.Plural(from.FittedTo, "message"), screen.Plural(from.OutOfFold, "out-of-fold score"))
	case from.FittedTo > 0:
		a.fact("fitted to", "all %s, not measured; thresholds and probabilities from mail that it knows", screen.Plural(from.FittedTo, "message"))
	}
	a.fact("vocabulary", "%s, language %s", screen.Plural(i.terms, "term"), s.Tokenize.Language)
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
