package main

import (
	"cmp"
	"fmt"
	"slices"

	"chaff/evaluate"
	"chaff/train"
)

func (x *experiment) addOnline() {
	x.command.Flags().BoolVar(&x.online, "online", false, "replay the mail: classify each message with a model of the earlier ones, then learn it")
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
	ctx := x.command.Context()
	read, err := read(x.program, mail, (*evaluate.ReplayMail).Summary, func(step func(read, all int)) (*evaluate.ReplayMail, error) {
		return evaluate.ReadForReplay(ctx, mail.source, mail.classes, evaluate.ReplayOptions{
			Reading: readingOf(x.Config), Models: x.Models, Thresholds: x.Thresholds,
			ByTime: len(*x.sources.paths["trec"]) == 0, Seed: x.Seed, // an index has an order of its own
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
	return x.show(replayReport{read.Summary(), read.Seconds, all, x})
}

// describe adds a row for each model, and the verdicts of a single one.
func (r replayReport) describe(a *answer, fully bool) {
	x := r.experiment
	a.mail(r.Corpus, fully)
	a.fact("replay", "each message learned at once")
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
		t = table{{"model", "95% interval", "features"}}
		for _, r := range r.Models {
			t.row(r.Model, figureOf(&r.Figures, "95% interval"), r.Kind)
		}
		a.table(t, 0)
	}
	if len(r.Models) > 1 {
		a.gap()
		x.more(a)
		return
	}
	a.verdicts(r.Models[0].Verdicts, "with thresholds from what was learned before")
}
