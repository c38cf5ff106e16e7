package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/store"
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
	f.BoolVar(&r.online, "online", false, "replay the mail: classify each message with a model of the earlier ones, then learn it")
	f.IntVar(&r.delay, "delay", 0, "with --online: learn each message after `N` more are classified")
	f.Float64Var(&r.feedback, "feedback", o.Feedback, "with --online: learn only this `SHARE` of the messages")
	f.StringVar(&r.order, "order", "", "with --online: replay in the `ORDER` listed or time; default: as listed in an index, else by time")
	f.IntVar(&r.every, "every", o.Every, "with --online: add a point to the learning curve every `N` messages")
}

// check returns an error for flags of a replay without --online, and for values that are wrong.
func (r *replayFlags) check(c *cobra.Command) error {
	if !r.online {
		for _, name := range []string{"delay", "feedback", "order", "every", "trec-results"} {
			if f := c.Flags().Lookup(name); f != nil && f.Changed {
				return fmt.Errorf("--%s needs --online", name)
			}
		}
		return nil
	}
	if r.order != "" && r.order != orderListed && r.order != orderTime {
		return fmt.Errorf("--order is %q: must be %s or %s", r.order, orderListed, orderTime)
	}
	return nil
}

func (p *program) readReplay(x *experiment) (*evaluate.ReplayMail, error) {
	mail, err := x.open()
	if err != nil {
		return nil, err
	}
	r := &x.replay
	byTime := r.order == orderTime || r.order == "" && len(x.sources.indexes) == 0
	return read(p, mail, (*evaluate.ReplayMail).Summary, func(step func(read, all int)) (*evaluate.ReplayMail, error) {
		return evaluate.ReadForReplay(x.command.Context(), mail.source, mail.classes, evaluate.ReplayOptions{
			Reading: readingOf(x.Config),
			Models:  x.Models, Thresholds: x.Thresholds, ByTime: byTime, Delay: r.delay, Feedback: r.feedback, Seed: x.Seed, Every: r.every,
			OnError: x.Store.OnError, Sure: x.Store.Sure,
			Workers: x.Workers, Memory: memoryOf(x.Config), Progress: step,
		})
	})
}

// replayReport is the JSON of a replay.
type replayReport struct {
	Corpus  train.Summary     `json:"corpus"`
	Seconds float64           `json:"reading_cpu_seconds"`
	Models  []evaluate.Replay `json:"models"`
}

// replayModels replays mail through models, and prints a row for each and the learning curve of a single one.
func (p *program) replayModels(x *experiment, names []string) error {
	mail, err := p.readReplay(x)
	if err != nil {
		return err
	}
	var all []evaluate.Replay
	for _, model := range names {
		r, err := mail.Replay(x.command.Context(), model)
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b evaluate.Replay) int { return cmp.Compare(b.Figures.Accuracy, a.Figures.Accuracy) })
	first := all[0]
	if x.replay.results != "" {
		if err := writeFile(x.replay.results, evaluate.TRECKind(), first.WriteTREC); err != nil {
			return err
		}
	}
	if err := x.page.write(replayPage(x, mail, all)); err != nil {
		return err
	}
	if x.asJSON {
		return printJSON(p.stdout, replayReport{mail.Summary(), mail.Seconds, all})
	}
	printMail(p.stdout, mail.Summary())
	if x.verbose {
		printOddities(p.stdout, mail.Summary())
	}
	field(p.stdout, "replay", "%s", x.replay.how(x.Store))
	fmt.Fprintln(p.stdout)
	printReplays(p.stdout, all, x.verbose)
	if len(all) == 1 && first.Verdicts != nil {
		printVerdicts(p.stdout, *first.Verdicts, "with thresholds from what was learned before")
	}
	if len(all) == 1 && len(first.Curve) > 0 {
		fmt.Fprintln(p.stdout)
		printCurve(p.stdout, first)
	}
	if len(all) > 1 {
		fmt.Fprintln(p.stdout)
		x.printMore(p.stdout)
	}
	return nil
}

// how describes when messages are learned.
func (r *replayFlags) how(o store.Options) string {
	how := "each message learned at once"
	if r.delay > 0 {
		how = fmt.Sprintf("each message learned after %d more", r.delay)
	}
	if r.feedback < 1 {
		how += fmt.Sprintf(", %.3g%% of them", 100*r.feedback)
	}
	if o.OnError {
		how += fmt.Sprintf(", unless the model is right and %v%% sure", o.Sure)
	}
	return how
}

func printReplays(w io.Writer, all []evaluate.Replay, verbose bool) {
	t := newTable(w, "model", "accuracy", "errors", "hm%", "sm%", "lam%", "(1-ROCA)%", "CPU s")
	for _, r := range all {
		f := r.Figures
		screen.Printf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%.2f\n", r.Model, accuracyOf(&f), f.Messages-f.Confusion.Correct(),
			percent(f.HM, 2), percent(f.SM, 2), percent(f.LAM, 2), percent(f.OneMinusROCA, 4), r.Seconds)
	}
	t.Flush()
	if !verbose {
		return
	}
	fmt.Fprintln(w)
	t = newTable(w, "model", "95% interval", "learned", "features")
	for _, r := range all {
		screen.Printf(t, "%s\t%s\t%d\t%s\n", r.Model, intervalOf(&r.Figures), r.Learned, r.Kind)
	}
	t.Flush()
}

// printCurve prints the learning curve of a spam filter: the figures of all messages so far, and those since the last row.
func printCurve(w io.Writer, r evaluate.Replay) {
	t := newTable(w, "  ", "so far", "", "", "", "these messages alone")
	fmt.Fprintln(t, "  messages\thm%\tsm%\tlam%\t(1-ROCA)%\thm%\tsm%\tlam%\t(1-ROCA)%")
	for i, p := range r.Curve {
		screen.Printf(t, "  %d", p.Messages)
		for _, figures := range []metrics.LearningPoint{p, r.Blocks[i]} {
			screen.Printf(t, "\t%s\t%s\t%s\t%s", percent(figures.HM, 2), percent(figures.SM, 2), percent(figures.LAM, 2), percent(figures.OneMinusROCA, 4))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}
