package main

import (
	"chaff/evaluate"
	"chaff/internal/cputime"
	"chaff/train"
)

type replayReport struct {
	Corpus  train.Summary     `json:"corpus"`
	Seconds float64           `json:"reading_cpu_seconds"`
	Models  []evaluate.Replay `json:"models"` // one
}

// evaluateOnline replays mail: a new model classifies each message, then learns it.
func (x *experiment) evaluateOnline() error {
	mail, err := x.open()
	if err != nil {
		return err
	}
	o := collectOptions(x.Config).ReadOptions
	o.Copies = true // a mailbox receives them too
	began := cputime.Process()
	read, err := x.read(mail, o)
	if err == nil && !x.command.Flags().Changed("trec") { // an index has an order of its own
		read, err = evaluate.ByTime(read)
	}
	if err != nil {
		return err
	}
	seconds := (cputime.Process() - began).Seconds()
	r, err := evaluate.ReplayTo(x.command.Context(), x.Model, read, train.Options{Models: x.Models, Thresholds: x.Thresholds})
	if err != nil {
		return err
	}
	report := replayReport{read.Summary(), seconds, []evaluate.Replay{r}}
	return x.show(report, report.describe)
}

func (r replayReport) describe(a *answer) {
	m := r.Models[0]
	a.mail(r.Corpus)
	a.fact("replay", "%s on %s, %.2f CPU seconds", m.Model, m.Kind, m.Seconds)
	a.accuracies(ofPart{"replay", &m.Figures})
	a.verdicts(m.Verdicts, "with thresholds from what was learned before")
	a.gap()
	if a.verbose {
		a.figures(ofPart{"replay", &m.Figures})
	} else {
		a.fact("more", "--verbose prints all figures")
	}
}
