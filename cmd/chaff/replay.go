package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

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

type replayReport struct {
	Corpus     train.Summary     `json:"corpus"`
	Seconds    float64           `json:"reading_cpu_seconds"`
	Models     []evaluate.Replay `json:"models"` // the most accurate first
	experiment *experiment
}

func (x *experiment) replayModels(names []string) error {
	mail, err := x.open()
	if err != nil {
		return err
	}
	ctx, r := x.command.Context(), &x.replay
	read, err := read(x.program, mail, (*evaluate.ReplayMail).Summary, func(step func(read, all int)) (*evaluate.ReplayMail, error) {
		return evaluate.ReadForReplay(ctx, mail.source, mail.classes, evaluate.ReplayOptions{
			Reading: readingOf(x.Config), Models: x.Models, Thresholds: x.Thresholds,
			ByTime: r.order == orderTime || r.order == "" && len(*x.sources.paths["trec"]) == 0,
			Delay:  r.delay, Feedback: r.feedback, Seed: x.Seed, Every: r.every,
			Workers: x.Workers, Memory: memoryOf(x.Config), Progress: step,
		})
	})
	if err != nil {
		return err
	}
	var all []evaluate.Replay
	for _, model := range names {
		r, err := read.Replay(ctx, model)
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b evaluate.Replay) int { return cmp.Compare(b.Figures.Accuracy, a.Figures.Accuracy) })
	if r.results != "" {
		if err := writeFile(r.results, evaluate.TRECKind(), all[0].WriteTREC); err != nil {
			return err
		}
	}
	return x.show(replayReport{read.Summary(), read.Seconds, all, x})
}

// how describes when messages are learned.
func (r *replayFlags) how() string {
	how := "each message learned at once"
	if r.delay > 0 {
		how = screen.Sprintf("each message learned after %d more", r.delay)
	}
	if r.feedback < 1 {
		how += fmt.Sprintf(", %.3g%% of them", 100*r.feedback)
	}
	return how
}

// describe adds a row for each model, and the learning curve of a single one.
func (r replayReport) describe(a *answer, fully bool) {
	x := r.experiment
	a.mail(r.Corpus, fully)
	a.fact("replay", "%s", x.replay.how())
	a.gap()
	heads := []string{"accuracy", "errors", "hm%", "sm%", "lam%", "(1-ROCA)%"}
	t := table{}
	t.row("model", heads, "CPU s")
	for _, r := range r.Models {
		t.row(r.Model, figuresOf(&r.Figures, heads...), fmt.Sprintf("%.2f", r.Seconds))
	}
	a.table(t, 0)
	if fully {
		a.gap()
		t = table{{"model", "95% interval", "learned", "features"}}
		for _, r := range r.Models {
			t.row(r.Model, figureOf(&r.Figures, "95% interval"), r.Learned, r.Kind)
		}
		a.table(t, 0)
	}
	if len(r.Models) > 1 {
		a.gap()
		x.more(a)
		return
	}
	single := r.Models[0]
	a.verdicts(single.Verdicts, "with thresholds from what was learned before")
	if len(single.Curve) == 0 {
		return
	}
	a.gap()
	heads = []string{"hm%", "sm%", "lam%", "(1-ROCA)%"}
	t = table{{"  ", "so far", "", "", "", "these messages alone"}}
	t.row("  messages", heads, heads)
	for i, at := range single.Curve {
		t.row(screen.Sprintf("  %d", at.Messages), figuresOf(&metrics.Figures{SpamFigures: at.SpamFigures}, heads...),
			figuresOf(&metrics.Figures{SpamFigures: single.Blocks[i].SpamFigures}, heads...))
	}
	a.table(t, 0)
}
