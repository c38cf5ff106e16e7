package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/mailbox"
	"chaff/message"
	"chaff/store"
)

type reviewing struct {
	onModel
	sources        sourceFlags
	confirm, wrong []string // IDs
}

func reviewCommand(p *program) *cobra.Command {
	var x reviewing
	c := &cobra.Command{
		Use:   "review [-m FILE] [PATH...]",
		Short: "List messages that look mislabelled, and settle their labels",
		Long: `Review lists the messages at each PATH whose labels look wrong, the worst
first, with the command that corrects each. A PATH is the mail that the model
was trained on, named as for chaff train. Without a PATH, as for the mail of an
IMAP server, it lists when each message was delivered.

With --correct ID a message of the log gets the other class. With --confirm ID
its label is right: it is not listed again. Both labels count fully from then
on, and the model is fitted again. Nothing in the mail is changed.`,
		Example: `  chaff review ~/Maildir
  chaff review --ham inbox --spam junk.mbox
  chaff review --confirm 3f2a9c1d --confirm 77e01b52 --correct 0b4d6a90`,
		RunE: func(*cobra.Command, []string) error {
			if len(x.confirm)+len(x.wrong) > 0 {
				return x.settle()
			}
			return x.review()
		},
	}
	x.sources.add(c)
	x.add(p, c, "review", "print the result as JSON", "workers", "memory")
	c.Flags().StringArrayVar(&x.confirm, "confirm", nil, "the label of the message `ID` is right; repeatable")
	c.Flags().StringArrayVar(&x.wrong, "correct", nil, "the label of the message `ID` is wrong: give it the other class; repeatable")
	return c
}

// doubtful is a message whose label may be wrong.
type doubtful struct {
	ID      string `json:"id"` // the digest by which the log knows it
	Path    string `json:"path"`
	Subject string `json:"subject"`
	Label   string `json:"label"`
	// Doubt is how much the message scores like another class: see [metrics.Typical.Doubt].
	Doubt float64 `json:"doubt"`
	// Delivered is when a message that is at no path was delivered, if that is known.
	Delivered *time.Time `json:"delivered,omitempty"`
}

type reviewed struct {
	File     string     `json:"file"`
	Messages int        `json:"messages"` // without copies
	Learned  int        `json:"learned"`  // of them
	Doubts   []doubtful `json:"doubts"`
	// Elsewhere is how many doubtful messages of the log are not among these.
	Elsewhere int      `json:"doubtful_elsewhere"`
	Problems  []string `json:"problems,omitempty"`

	classes []string
}

func (x *reviewing) review() error {
	mail, err := x.sources.open()
	isElsewhere := errors.Is(err, errNoMailGiven)
	if err != nil && !isElsewhere {
		return err
	}
	view, err := x.look()
	if err != nil {
		return err
	}
	defer view.Close()
	if !isElsewhere {
		err = mail.match(x.model, view.Filter)
	}
	if err != nil {
		return err
	}
	r := reviewed{File: x.model, Doubts: []doubtful{}}
	entries := map[uint64]store.Entry{}
	for _, e := range view.Entries() {
		entries[e.Fingerprint] = e
		switch {
		case e.Doubt > 0 && isElsewhere:
			d := doubtful{ID: fmt.Sprintf(idFormat, e.Fingerprint), Label: view.Classes()[e.Label], Doubt: float64(e.Doubt) / 100}
			if !e.Time.IsZero() {
				d.Delivered = &e.Time
			}
			r.Doubts = append(r.Doubts, d)
		case e.Doubt > 0:
			r.Elsewhere++
		}
	}
	seen := map[uint64]bool{}
	err = x.each("reading mail", listAll(x.program, mail.source), func(m listing, raw []byte, err error) error {
		if err != nil {
			r.Problems = append(r.Problems, err.Error())
			return nil
		}
		fingerprint := view.Fingerprint(raw)
		if seen[fingerprint] {
			return nil
		}
		seen[fingerprint] = true
		r.Messages++
		e, learned := entries[fingerprint]
		if learned {
			r.Learned++
		}
		if e.Doubt > 0 {
			r.Elsewhere--
			r.Doubts = append(r.Doubts, doubtOf(fingerprint, m.Origin, view.Classes()[e.Label], float64(e.Doubt)/100, raw))
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(r.Doubts, func(a, b doubtful) int { return cmp.Compare(b.Doubt, a.Doubt) })
	r.classes = view.Classes()
	if isElsewhere {
		r.Messages, r.Learned = len(entries), len(entries)
	}
	if err := x.show(r, r.describe); err != nil || x.asJSON || r.Messages > 0 {
		return err
	}
	if isElsewhere {
		return errors.New("the model has learned no message")
	}
	return errNoMessages
}

func (r reviewed) describe(a *answer) {
	a.first("left out", r.Problems, len(r.Problems))
	switch {
	case r.Learned == r.Messages:
	case r.Messages == 1:
		a.line("The model has not learned this message. Its label is checked once it is learned.")
	default:
		a.line("The model has learned %d of %d messages here. Labels of the others are checked once they are learned.", r.Learned, r.Messages)
	}
	switch {
	case r.Learned == 0:
	case len(r.Doubts) == 0:
		a.line("%s: no label looks wrong.", screen.Plural(r.Learned, "message"))
	default:
		a.line("%s:", mislabelled(len(r.Doubts)))
		for _, d := range r.Doubts {
			id := d.ID[:8] // which tell the messages of a log apart but for one in a million
			if d.Path == "" {
				a.line("  %s %s: delivered %s", id, d.Label, timeText(d.Delivered))
			} else {
				a.line("  %s %s: %s", id, d.Label, screen.Quoted(screen.Cut(screen.Printable(cmp.Or(d.Subject, "(no subject)")), headWidth)))
				a.line("    %s", screen.Quoted(d.Path))
			}
			if len(r.classes) > 2 {
				a.line("    %s", screen.Quoted("chaff learn --class NAME"+a.use()+" "+hint.Word(cmp.Or(d.Path, "PATH"))))
			} else {
				a.line("    %s", screen.Quoted("chaff review --correct "+id+a.use()))
			}
		}
		if r.Doubts[0].Path == "" {
			a.line("The PATH of this mail, if it has one, adds the subjects: chaff review%s PATH", a.use())
		}
		a.line("For a label that is right: chaff review --confirm ID%s", a.use())
	}
	if r.Elsewhere > 0 && r.Messages > 0 {
		a.line("chaff status counts %d more, not at the paths given or left out there, as unread mail is: chaff review%s lists all.", r.Elsewhere, a.use())
	}
}

// mislabelled says how many messages look mislabelled.
func mislabelled(n int) string {
	return screen.Plural(n, "message looks mislabelled", "messages look mislabelled")
}

// doubtful adds how many messages look mislabelled, and the command that lists them.
func (a *answer) doubtful(n int, review string) {
	if n > 0 {
		a.fact("doubtful", "%s: %s", mislabelled(n), screen.Quoted(review))
	}
}

// worst adds the messages to doubt most.
func (a *answer) worst(doubts []doubtful) {
	t := a.table(0)
	for _, d := range doubts[:min(3, len(doubts))] {
		t.Row(strings.Repeat(" ", 12)+d.Label+": "+screen.Cut(cmp.Or(d.Subject, "(no subject)"), 30), d.Path)
	}
	t.Flush()
}

// worstOf returns the messages of a mailbox to doubt most.
func worstOf(changes []mailbox.Change) []doubtful {
	return mapped(changes[:min(3, len(changes))], func(c mailbox.Change) doubtful {
		raw, _ := c.Read()
		return doubtOf(c.Fingerprint, c.Path, c.Label, c.Doubt, raw)
	})
}

// doubtOf returns a message to doubt, with its subject if it could be read.
func doubtOf(fingerprint uint64, path, label string, doubt float64, raw []byte) doubtful {
	decoder := message.NewDecoder(message.DefaultOptions())
	return doubtful{fmt.Sprintf(idFormat, fingerprint), path, string(decoder.Decode(raw).Get("subject")), label, doubt, nil}
}

const idFormat = "%016x"

func (x *reviewing) settle() error {
	done, err := x.retrain(func(s *store.Store) (map[uint64]int, error) {
		entries, err := s.Entries()
		if err != nil {
			return nil, err
		}
		if classes := len(s.Classes()); len(x.wrong) > 0 && classes != 2 {
			return nil, hint.With(fmt.Errorf("a message has %d other classes", classes-1), "name one: chaff learn --class NAME PATH")
		}
		labels := map[uint64]int{}
		for i, id := range slices.Concat(x.confirm, x.wrong) {
			e, err := findID(entries, id)
			if err != nil {
				return nil, err
			}
			if _, twice := labels[e.Fingerprint]; twice {
				return nil, fmt.Errorf("the message %s is named twice", id)
			}
			if labels[e.Fingerprint] = e.Label; i < len(x.confirm) {
				continue
			}
			if label := s.Classes()[e.Label]; e.Confirmed && e.Relabelled { // by a run that could not write the model, or its answer
				return nil, hint.With(fmt.Errorf("the message %s was corrected before, and is %s", id, label), "if that is wrong, teach it: chaff learn PATH")
			}
			labels[e.Fingerprint] = 1 - e.Label
		}
		return labels, nil
	})
	if err != nil {
		return err
	}
	done.confirmed, done.corrected = len(x.confirm), len(x.wrong)
	return x.show(done, done.describe)
}

// findID returns the message whose ID begins with some digits.
func findID(entries []store.Entry, digits string) (store.Entry, error) {
	var found []store.Entry
	for _, e := range entries {
		if strings.HasPrefix(fmt.Sprintf(idFormat, e.Fingerprint), strings.ToLower(digits)) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return store.Entry{}, hint.With(fmt.Errorf("no learned message has the ID %s", digits), "chaff review PATH lists messages with their IDs")
	case 1:
		return found[0], nil
	}
	return store.Entry{}, hint.With(fmt.Errorf("%d messages have IDs that begin with %s", len(found), digits), "give more digits: chaff review PATH --json prints all")
}
