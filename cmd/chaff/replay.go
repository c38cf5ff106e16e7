package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/evaluate"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

// replayFlags are the flags of commands that replay mail.
type replayFlags struct {
	online   bool
	delay    int
	feedback float64
	order    string
	every    int
	results  string
}

// The orders in which mail is replayed.
const (
	orderListed = "listed"
	orderTime   = "time"
)

func (r *replayFlags) add(c *cobra.Command) {
	o := evaluate.DefaultReplayOptions()
	f := c.Flags()
	f.BoolVar(&r.online, "online", false, "replay the mail: classify each message by what was learnt from those before it, then learn it")
	f.IntVar(&r.delay, "delay", 0, "with --online: learn a message after `N` more were classified")
	f.Float64Var(&r.feedback, "feedback", o.Feedback, "with --online: learn this `SHARE` of the messages only")
	f.StringVar(&r.order, "order", "", "with --online: replay in the `ORDER` listed or time; default: as listed in an index, else by time")
	f.IntVar(&r.every, "every", o.Every, "with --online: a point of the learning curve every `N` messages")
}

// check returns an error for flags that are about a replay where there is none.
func (r *replayFlags) check(c *cobra.Command) error {
	if !r.online {
		for _, name := range []string{"delay", "feedback", "order", "every", "trec-results"} {
			if f := c.Flags().Lookup(name); f != nil && f.Changed {
				return fmt.Errorf("--%s is about --online", name)
			}
		}
		return nil
	}
	if r.order != "" && r.order != orderListed && r.order != orderTime {
		return fmt.Errorf("--order is %q: must be %s or %s", r.order, orderListed, orderTime)
	}
	return nil
}

// read reads the mail that is replayed.
func (r *replayFlags) read(c *cobra.Command, p *program, cfg config.Config, sources *sourceFlags) (*evaluate.ReplayMail, error) {
	mail, err := sources.open()
	if err != nil {
		return nil, err
	}
	mail.print(p.stderr)
	step, done := p.progress("reading mail")
	defer done()
	order := r.order
	if order == "" {
		order = orderTime
		if len(sources.indexes) > 0 {
			order = orderListed
		}
	}
	replay, err := evaluate.ReadForReplay(c.Context(), mail.source, mail.classes, evaluate.ReplayOptions{
		Reading: readingOf(cfg),
		Models:  cfg.Models, ByTime: order == orderTime, Delay: r.delay, Feedback: r.feedback, Seed: cfg.Seed, Every: r.every,
		Workers: cfg.Workers, Memory: memoryOf(cfg), Progress: holdingGarbage(step),
	})
	if errors.Is(err, train.ErrNoMail) {
		return nil, hint.With(err, noMailHint)
	}
	if err != nil {
		return nil, err
	}
	p.printProblems(replay.Summary())
	return replay, nil
}

// replayReport is the JSON of a replay.
type replayReport struct {
	Corpus  train.Summary     `json:"corpus"`
	Seconds float64           `json:"reading_cpu_seconds"`
	Models  []evaluate.Replay `json:"models"`
}

// evaluateOnline replays mail through one model.
func (p *program) evaluateOnline(c *cobra.Command, cfg config.Config, sources *sourceFlags, flags *replayFlags, page *reportFlags, asJSON bool) error {
	mail, err := flags.read(c, p, cfg, sources)
	if err != nil {
		return err
	}
	r, err := mail.Replay(c.Context(), cfg.Model)
	if err != nil {
		return err
	}
	if flags.results != "" {
		if err := writeFile(flags.results, r.WriteTREC); err != nil {
			return err
		}
	}
	if page.wanted() {
		if err := page.write(replayPage("chaff evaluate: "+r.Model, mail, flags, []evaluate.Replay{r})); err != nil {
			return err
		}
	}
	if asJSON {
		return printJSON(p.stdout, replayReport{mail.Summary(), mail.Seconds, []evaluate.Replay{r}})
	}
	printReplayed(p.stdout, mail.Summary(), flags)
	if err := printReplays(p.stdout, []evaluate.Replay{r}); err != nil || len(r.Curve) == 0 {
		return err
	}
	fmt.Fprintln(p.stdout)
	return printCurve(p.stdout, r)
}

// compareOnline replays mail through every model.
func (p *program) compareOnline(c *cobra.Command, cfg config.Config, sources *sourceFlags, flags *replayFlags, page *reportFlags, asJSON bool) error {
	mail, err := flags.read(c, p, cfg, sources)
	if err != nil {
		return err
	}
	var all []evaluate.Replay
	for _, model := range models.Names() {
		r, err := mail.Replay(c.Context(), model)
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(x, y evaluate.Replay) int {
		switch {
		case x.Figures.Accuracy > y.Figures.Accuracy:
			return -1
		case x.Figures.Accuracy < y.Figures.Accuracy:
			return 1
		}
		return 0
	})
	if page.wanted() {
		if err := page.write(replayPage("chaff compare", mail, flags, all)); err != nil {
			return err
		}
	}
	if asJSON {
		return printJSON(p.stdout, replayReport{mail.Summary(), mail.Seconds, all})
	}
	printReplayed(p.stdout, mail.Summary(), flags)
	return printReplays(p.stdout, all)
}

// printReplayed tells what was replayed and how.
func printReplayed(w io.Writer, s train.Summary, flags *replayFlags) {
	printCorpus(w, s)
	screen.Printf(w, "replay      %s\n\n", flags.how())
}

// how tells how the mail is learnt.
func (r *replayFlags) how() string {
	how := "each message learnt at once"
	if r.delay > 0 {
		how = fmt.Sprintf("each message learnt after %d more", r.delay)
	}
	if r.feedback < 1 {
		how += fmt.Sprintf(", %.4g%% of them", 100*r.feedback)
	}
	return how
}

// printReplays prints a row for each model.
func printReplays(w io.Writer, all []evaluate.Replay) error {
	t := newTable(w)
	fmt.Fprintln(t, "model\tfeatures\taccuracy\terrors\thm%\tsm%\tlam%\t(1-ROCA)%\tlearnt\tCPU s")
	for _, r := range all {
		f := r.Figures
		screen.Printf(t, "%s\t%s\t%.2f%%\t%d\t%s\t%s\t%s\t%s\t%d\t%.2f\n", r.Model, r.Kind, f.Accuracy, f.Messages-f.Confusion.Correct(),
			percent(f.HM, 2), percent(f.SM, 2), percent(f.LAM, 2), percent(f.OneMinusROCA, 4), r.Learnt, r.Seconds)
	}
	return t.Flush()
}

// printCurve prints the learning curve of a spam filter: the figures of all messages so far, and of the last ones alone.
func printCurve(w io.Writer, r evaluate.Replay) error {
	t := newTable(w)
	fmt.Fprintln(t, "  \tso far\t\t\t\tthese messages alone")
	fmt.Fprintln(t, "  messages\thm%\tsm%\tlam%\t(1-ROCA)%\thm%\tsm%\tlam%\t(1-ROCA)%")
	for i, p := range r.Curve {
		screen.Printf(t, "  %d", p.Messages)
		for _, figures := range []metrics.LearningPoint{p, r.Blocks[i]} {
			screen.Printf(t, "\t%s\t%s\t%s\t%s", percent(figures.HM, 2), percent(figures.SM, 2), percent(figures.LAM, 2), percent(figures.OneMinusROCA, 4))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
