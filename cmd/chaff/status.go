package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"chaff/internal/screen"
	"chaff/share"
	"chaff/store"
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
		a.fact("fitted", "%s in %.2f CPU seconds; %s since", timeText(s.Fitted), s.FitSeconds, plural(s.Changed, "change"))
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
		tail = fmt.Sprintf(", with %s since the model was written, %s", plural(s.Records, "record"), sizeOf(s.TailBytes))
	}
	a.fact("log", "%s%s", sizeOf(s.LogBytes), tail)
	learned := plural(s.Messages, "message")
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
		a.line("It has judged %s before learning: too few to tell how good it is.", plural(len(s.Judged), "message"))
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

func shareCommand(p *program) *cobra.Command {
	var x onModel
	c := &cobra.Command{
		Use:   "share [-m FILE] --nats URL,...",
		Short: "Teach the filters of other hosts, and learn from them",
		Long: `Share connects the model of this host with those of others by NATS JetStream:
what users teach one of them, all learn. It runs beside chaff serve, or whatever
else learns and judges; nothing else waits for it or for the network, and what
is taught meanwhile is shared later.

One host has share.fit=true: it fits the model for all, and the others take over
its model and its log. A host without a model gets them from there.

A host has a name of at most 8 letters, share.host, by which chaff learn
--forget --origin NAME takes out what was taught there. chaff status shows what
was shared. Servers that are not this machine are reached by TLS only, since
records have the words of mail. docs/scale.md has a worked example.`,
		Example: `  chaff share --nats nats://localhost:4222 --set share.fit=true
  chaff share -m spam.model --nats tls://a.example.org,tls://b.example.org`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			m := share.Model{Path: x.model, Store: x.Store, Retrain: retrainOptions(x.Config)}
			return share.Run(c.Context(), m, x.Share, p.warn)
		},
	}
	x.add(p, c, "share", "", "nats", "workers", "memory")
	return c
}
