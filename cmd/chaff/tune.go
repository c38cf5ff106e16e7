package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/evaluate"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

// search is what to try and where the results go.
type search struct {
	experiment
	plan        []config.Trial
	out, trials string // paths of the best settings and of the table of trials
}

func tuneCommand(p *program) *cobra.Command {
	var s search
	c := &cobra.Command{
		Use:   "tune PATH... --config FILE [-o BEST.toml]",
		Short: "Search for the settings that are best for your mail",
		Long: `Tune tries many settings, compares them on development mail, and writes the best
as a configuration file for chaff train. The section [tune] of the configuration
file lists what to try; the trials change the other settings of the file.

No trial sees the test part. The best settings are measured on it once, at the
end.

After an interrupt, the best settings so far are written. The pages
docs/tuning.md and docs/configuration.md describe searches.`,
		Example: `  chaff tune --config search.toml ~/Maildir
  chaff tune --config search.toml inbox junk -o best.toml --trials trials.csv
  chaff train --config best.toml inbox junk`,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if s.plan, err = s.Config.Plan(); err != nil {
				return err
			}
			triesModels := slices.ContainsFunc(s.Tune.Search, func(e config.Search) bool { return strings.EqualFold(e.Key, "model") })
			if triesModels && c.Flags().Changed("model") {
				return errors.New("--model names one model and the search tries several: leave out one of them")
			}
			if strings.ToLower(filepath.Ext(s.out)) != ".toml" {
				return fmt.Errorf("-o %s: its name must end in .toml", s.out)
			}
			return s.tune()
		},
	}
	s.add(p, c, "", "model", "workers", "seed", "split")
	f := c.Flags()
	f.StringVarP(&s.out, "out", "o", "best.toml", "write the best settings to `FILE`")
	f.StringVar(&s.trials, "trials", "", "write the table of trials to `FILE` as CSV")
	return c
}

var (
	bestKind   = replace.Kind{Name: "result of a search", Start: bestMark}
	trialsKind = replace.Kind{Name: "table of trials", Start: "trial,", Mark: ",one_minus_roca,log_loss,"}
)

// bestMark begins a file of settings that chaff tune found.
const bestMark = "# Found by chaff tune: "

// candidateOf returns what a trial of the plan tries.
func candidateOf(t config.Trial) evaluate.Candidate {
	c := t.Config
	return evaluate.Candidate{Model: c.Model, Reading: collectOptions(c).Reading, Features: c.Features, Options: train.Options{Models: c.Models, Thresholds: c.Thresholds}}
}

type tuneReport struct {
	Corpus    train.Summary    `json:"corpus"`
	Method    string           `json:"method"`
	Objective string           `json:"objective"`
	Planned   int              `json:"planned"`        // combinations
	End       string           `json:"end"`            // complete or interrupted
	Trials    []tuneRow        `json:"trials"`         // the best first
	File      string           `json:"file"`           // of the best settings
	Test      *metrics.Figures `json:"test,omitempty"` // of the best settings; nil if it was not measured
	search    *search
}

// tuneRow is a trial, numbered from 1, with its settings.
type tuneRow struct {
	Trial            int            `json:"trial"`
	Settings         []config.Value `json:"settings"`
	*metrics.Figures                // on development mail; nil if it failed
	Error            string         `json:"error,omitempty"`
}

func (s *search) tune() error {
	const endComplete, endInterrupted = "complete", "interrupted"
	ctx := s.command.Context()
	collection, err := s.collect(replace.Output{Path: s.out, Kind: bestKind}, replace.Output{Path: s.trials, Kind: trialsKind})
	if err != nil {
		return err
	}
	r := tuneReport{
		Corpus: collection.Summary(), Method: s.Tune.Method, Objective: s.Tune.Objective,
		Planned: len(s.plan), File: s.out, search: s,
	}
	trials, err := evaluate.Tune(ctx, collection, mapped(s.plan, candidateOf), s.Tune.Objective, s.progress("trying settings", "trials"))
	if r.End = endComplete; errors.Is(err, context.Canceled) {
		r.End, err = endInterrupted, nil
	}
	if err != nil {
		return err
	}
	switch {
	case len(trials) == 0:
		return errors.New("interrupted before a trial was finished")
	case trials[0].Error != "":
		return fmt.Errorf("no settings can be trained: %s", trials[0].Error)
	}
	r.Trials = mapped(trials, func(t evaluate.Trial) tuneRow {
		return tuneRow{t.Candidate + 1, s.plan[t.Candidate].Choices, t.Development, t.Error}
	})
	reached := fmt.Sprintf("accuracy %.2f%%", trials[0].Development.Accuracy)
	if r.Objective != metrics.ByAccuracy {
		reached = fmt.Sprintf("%s %s, %s", r.Objective, screen.Figure(trials[0].Development.Cost(r.Objective)), reached)
	}
	best := screen.Sprintf(bestMark+"trial %d of %d (%s), %s on %s.\n", r.Trials[0].Trial, r.Planned, r.End, reached, r.comparedOn()) +
		config.TOML(s.plan[trials[0].Candidate].Config.Differences(), nil)
	if err := writeBytes(s.out, bestKind, []byte(best)); err != nil {
		return err
	}
	if s.trials != "" {
		if err := s.writeFile(s.trials, trialsKind, r.writeCSV); err != nil {
			return err
		}
	}
	if r.End != endInterrupted {
		tested, err := evaluate.FitCandidate(ctx, collection, candidateOf(s.plan[trials[0].Candidate]))
		switch {
		case ctx.Err() != nil:
			r.End = endInterrupted
		case err != nil:
			return err
		default:
			r.Test = tested.Result.Test
		}
	}
	if err := s.show(r, r.describe); err != nil {
		return err
	}
	if r.End == endInterrupted {
		return fmt.Errorf("interrupted: the best of %s so far is in %s", screen.Plural(len(trials), "trial"), s.out)
	}
	return nil
}

// keys returns the settings that the search tries, and cells those of a trial. A setting of another model is a dash.
func (s *search) keys() []string {
	return mapped(s.Tune.Search, func(e config.Search) string { return strings.ToLower(e.Key) })
}

func (s *search) cells(row tuneRow) []string {
	return mapped(s.keys(), func(key string) string {
		for _, choice := range row.Settings {
			if list, isList := choice.Value.([]string); choice.Key == key && isList {
				return strings.Join(list, ", ")
			} else if choice.Key == key {
				return fmt.Sprint(choice.Value)
			}
		}
		return "-"
	})
}

// comparedOn names the mail that compares trials.
func (r tuneReport) comparedOn() string {
	return "the development part, " + screen.Plural(r.Corpus.Development, "message")
}

// writeCSV writes the table of trials, the best first. An undefined figure is empty.
func (r tuneReport) writeCSV(w io.Writer) error {
	lines := [][]string{slices.Concat([]string{"trial"}, r.search.keys(), []string{"accuracy", "hm", "sm", "lam", "one_minus_roca", "log_loss", "error"})}
	for _, row := range r.Trials {
		line := append([]string{strconv.Itoa(row.Trial)}, r.search.cells(row)...)
		figures := make([]*float64, 6)
		if f := row.Figures; f != nil {
			figures = []*float64{&f.Accuracy, f.HM, f.SM, f.LAM, f.OneMinusROCA, f.LogLoss}
		}
		for _, figure := range figures {
			exact := ""
			if figure != nil {
				exact = strconv.FormatFloat(*figure, 'g', -1, 64)
			}
			line = append(line, exact)
		}
		line = append(line, row.Error)
		for i := range line {
			line[i] = screen.Printable(line[i])
		}
		lines = append(lines, line)
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// describe adds a row for each trial. The settings come last, since their values are as long as they like, and the heads of their columns are numbers,
// since their keys are long.
func (r tuneReport) describe(a *answer) {
	const shownTrials = 10
	s := r.search
	a.mail(r.Corpus)
	a.divided(r.Corpus, s.Split, s.Seed)
	a.fact("search", "%s, %d of %s finished (%s), by %s on %s", r.Method, len(r.Trials), screen.Plural(r.Planned, "trial"), r.End, r.Objective, r.comparedOn())
	shown, heads := r.Trials, []string{"accuracy", "hm%", "sm%", "(1-ROCA)%", "log loss"}
	if !a.verbose {
		shown = shown[:min(len(shown), shownTrials)]
	}
	t := a.table(0)
	var numbers, keys []string
	for i, key := range s.keys() {
		numbers, keys = append(numbers, fmt.Sprintf("[%d]", i+1)), append(keys, fmt.Sprintf("[%d] %s", i+1, key))
	}
	a.fact("settings", "%s", strings.Join(keys, ", "))
	a.gap()
	t.Row("trial", heads, numbers, "")
	for _, row := range shown {
		t.Row(row.Trial, figuresOf(row.Figures, heads...), s.cells(row), row.Error)
	}
	t.Flush()
	if more := len(r.Trials) - len(shown); more > 0 {
		a.line("and %s (--verbose: all)", screen.Plural(more, "more trial"))
	}
	a.gap()
	a.fact("best", "trial %d", r.Trials[0].Trial)
	if r.Test != nil { // no trial has seen this mail
		a.accuracies(ofPart{"test", r.Test})
	}
	a.line("%-12s%s", "saved", r.File)
	a.line("%-12schaff train --config %s PATH", "next", hint.Word(r.File))
}
