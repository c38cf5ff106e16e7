package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chaff/cmd/internal/delivery"
	"chaff/corpus"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/message"
	"chaff/store"
	"chaff/train"
)

// listing is a message of a source, or the reason why it cannot be read.
type listing struct {
	corpus.Item
	err error
}

func listAll(p *program, source corpus.Source) []listing {
	var all []listing
	for item, err := range source {
		if corpus.IsRemark(err) {
			p.warn(err.Error())
			continue
		}
		all = append(all, listing{item, err})
	}
	return all
}

// A model that is taught a folder of the wrong class is spoilt, and the user finds out days later. So many messages are judged before they are
// learned. The filter is sure of the other class (98%, or less if it knows few messages) in most messages of a wrong folder: in 81 to 99% of
// held-out mail of SpamAssassin, and in 55 to 97% of Enron, for models of 100 to 8,272 messages of each class. Of a folder that holds nothing
// but its own mistakes and unsure verdicts, it is sure of the other class in one of four, or fewer. Half lies between them. Fewer than ten
// messages may all be such mistakes, and are soon taken back.
const fewest, mostShare = 10, 0.5

// checkContradictions says how many of the messages contradict the filter. If most do and the user has not confirmed them, that is an error. It judges the
// messages that can be read and are not large.
func (x *learning) checkContradictions(s *store.Store, messages []listing) error {
	if len(messages) < fewest {
		return nil
	}
	judged, contradicting := 0, 0
	err := x.eachTaught("judging", messages, func(l listing, raw []byte, err error) error {
		if err != nil || len(raw) > message.LargeSize { // to learn it says why not
			return nil
		}
		contradicts, err := s.Contradicts(raw, l.Label)
		if judged++; contradicts {
			contradicting++
		}
		return err
	})
	if err != nil || contradicting == 0 {
		return err
	}
	undo := "chaff learn" + x.use() + " --forget with the same paths undoes it"
	if x.spam || x.ham {
		undo = fmt.Sprintf("chaff learn%s --%s or --forget with the same paths undoes it", x.use(), map[bool]string{true: "ham", false: "spam"}[x.spam])
	}
	line := screen.Sprintf("%d of %d contradict the filter, which is sure of another class", contradicting, judged)
	if judged >= fewest && float64(contradicting) > mostShare*float64(judged) && !x.yes {
		return hint.With(fmt.Errorf("nothing was learned: %s", line), "check the flag and the paths; --yes learns them anyway, and "+undo)
	}
	if !x.quiet {
		x.aside("%s: %s", line, undo)
	}
	return nil
}

// learnEach learns or forgets each message and enters it into an account. Only an error about the log or the context ends it.
func (x *learning) learnEach(s *store.Store, messages []listing, a *account) error {
	if len(messages) == 0 {
		return errNoMessages
	}
	return x.eachTaught("learning", messages, func(l listing, raw []byte, err error) error {
		o := store.Outcome{What: store.Refused, Reason: store.Unreadable}
		switch {
		case a.NoMail.Count(err):
			a.noMail = cmp.Or(a.noMail, err)
			return nil
		case errors.Is(err, corpus.ErrTooLarge):
			o.Reason = store.TooLarge
		case err == nil:
			if o, err = x.teach(s, l.Item, raw); err != nil {
				return err
			}
			says := string(o.Reason)
			if o.Reason == store.NeverKnown {
				says = "the message was never learned, so it cannot be forgotten"
			}
			err = fmt.Errorf("%s: %s", corpus.NameOf(l.Origin), says)
		}
		done := learned{Path: l.Origin, Label: l.Label, Outcome: o}
		if o.What == store.Refused {
			done.Label, done.Reason = "", err.Error()
			a.refused = cmp.Or(a.refused, err)
		}
		a.Counts.add(o.What, l.Label, o.Before, string(o.Reason))
		a.Results = append(a.Results, done)
		return nil
	})
}

// each passes on each message, or the reason why it cannot be read, and shows how far it is.
func (x *onModel) each(what string, messages []listing, do func(l listing, raw []byte, err error) error) error {
	step := x.progress(what, "messages")
	var raw []byte
	for i, l := range messages {
		if err := x.command.Context().Err(); err != nil {
			return err
		}
		err := l.err
		if err == nil {
			raw, err = l.Read(raw)
		}
		if err := do(l, raw, err); err != nil {
			return err
		}
		step(i+1, len(messages))
	}
	return nil
}

// eachTaught is each for the messages that a message teaches: those attached to it if the flag says so or it is a complaint about them, else itself.
func (x *learning) eachTaught(what string, messages []listing, do func(l listing, raw []byte, err error) error) error {
	return x.each(what, messages, func(l listing, raw []byte, err error) error {
		attached, isReport := message.Attached(raw)
		switch {
		case err == nil && x.attached && len(attached) == 0:
			err = hint.With(fmt.Errorf("%s: no message is attached", corpus.NameOf(l.Origin)), "without --attached chaff learns the message itself")
			return do(l, nil, err)
		case err != nil || len(attached) == 0 || !x.attached && !isReport:
			return do(l, raw, err)
		}
		for _, one := range attached {
			if err := do(l, one, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

func (x *learning) teach(s *store.Store, item corpus.Item, raw []byte) (store.Outcome, error) {
	if len(raw) > message.LargeSize {
		defer delivery.LimitMemory(delivery.MessageMemory)()
	}
	if x.forget {
		return s.Forget(raw)
	}
	return s.Learn(store.Message{Raw: raw, Label: item.Label, Way: store.ByHand, Time: item.Time, Origin: x.origin})
}

// outcomes counts messages by what happened to them, and then by their class, the move between two classes or the reason of a refusal.
type outcomes map[store.What]map[string]int

func (o outcomes) add(what store.What, label, before, why string) {
	name := label
	switch what {
	case store.Relabelled:
		name = "from " + before + " to " + label
	case store.Forgotten:
		name = before
	case store.Refused:
		name = why
	}
	if o[what] == nil {
		o[what] = map[string]int{}
	}
	o[what][name]++
}

// of returns the number of messages to which something happened.
func (o outcomes) of(what store.What) int { return total(o[what]) }

// addLearned adds a line for each thing that happened to messages, or would happen.
func addLearned(a *answer, o outcomes, dryRun bool) {
	tally := func(label string, what store.What) {
		if names := slices.Sorted(maps.Keys(o[what])); len(names) > 0 {
			counted := mapped(names, func(name string) string { return screen.Grouped(o[what][name]) + " " + name })
			a.fact(label, "%d: %s", o.of(what), strings.Join(counted, ", "))
		}
	}
	learn, move := "learned", "moved"
	if dryRun {
		learn, move = "would learn", "would move"
	}
	tally(learn, store.Learned)
	tally(move, store.Relabelled)
	tally("forgotten", store.Forgotten)
}

// account counts what happened to the messages that a command learned or forgot. It is the JSON of learn.
type account struct {
	File   string   `json:"file"`
	Counts outcomes `json:"counts"`
	// NoMail counts the files that are no mail by kind.
	NoMail message.LeftOut `json:"no_mail,omitempty"`
	afterwards
	Results []learned `json:"messages,omitempty"`

	classes         []string
	refused, noMail error // about the first such file
}

// afterwards is the state of a model and its log after a command that learns.
type afterwards struct {
	// Changed is how many times a message was learned, moved or forgotten since the model was fitted.
	Changed int `json:"changed_since_fit"`
	// Fitted is the number of messages to which the command fitted the model, because the mix of classes has changed; 0 if it did not.
	Fitted int `json:"fitted_to,omitempty"`
	// Expired is the number of messages that left because they were the oldest.
	Expired int `json:"expired,omitempty"`

	isDue bool // a new fit
}

// change opens the log of the model, changes it, and closes it. If it may fit the model, it does when the mix of classes has changed. It warns of a
// fit that failed and of a model that could not be written, since the log has what was learned and forgotten.
func (x *onModel) change(mayFit bool, do func(s *store.Store) error) (f afterwards, err error) {
	if err := x.hasStore(x.model); err != nil {
		return f, err
	}
	ctx := x.command.Context()
	s, err := store.Open(ctx, x.model, x.Store)
	if err != nil {
		return f, delivery.Advised(x.model, err)
	}
	var problem error
	if err = do(s); err == nil && mayFit {
		var refitted train.Refitted
		refitted, problem = s.FitIfDue(ctx, retrainOptions(x.Config), false)
		f.Fitted = refitted.Messages
	}
	if problem = cmp.Or(problem, s.Finish()); errors.Is(problem, context.Canceled) {
		err = problem
	} else if problem != nil {
		x.warn(problem.Error())
	}
	f.Changed, f.Expired = s.Changed(), s.Expired()
	f.isDue = x.Store.RetrainAfter > 0 && f.Changed >= x.Store.RetrainAfter
	return f, errors.Join(err, s.Close())
}

func (f *afterwards) describe(a *answer) {
	if f.Fitted > 0 {
		a.fact("fitted", "to all %s", plural(f.Fitted, "message"))
	}
	a.count("expired", f.Expired, ofExpired)
	if f.isDue {
		a.unlessQuiet("next", "%s: %s since the model was fitted", screen.Quoted("chaff retrain"+a.use()), plural(f.Changed, "change"))
	}
}

// ofExpired is what is said of messages that left a log.
const ofExpired = "%d of the oldest messages (store.max_messages, store.max_age)"

type learned struct {
	Path  string `json:"path"`
	Label string `json:"label,omitempty"`
	store.Outcome
	Reason string `json:"reason,omitempty"`
}

func total[N int | uint64](counts map[string]N) (n N) {
	for _, count := range counts {
		n += count
	}
	return n
}

// complaint returns an error if messages were refused.
func (a *account) complaint() error {
	switch all := len(a.Results); {
	case all == 0:
		return a.noMail
	case all == 1 || a.refused == nil:
		return a.refused
	default:
		return fmt.Errorf("%d of %s refused", a.Counts.of(store.Refused), plural(all, "message was", "messages were"))
	}
}

// describe adds a line about one message, and a table of several, with the refused ones on stderr.
func (c *account) describe(a *answer) {
	defer c.afterwards.describe(a)
	left := c.NoMail.String()
	if len(c.Results) == 1 && left == "" {
		if text := c.Results[0].sentence(c.classes); text != "" {
			a.line("%s", text)
		}
		return
	}
	if total(c.NoMail) == 1 && len(c.Results) == 0 {
		left = "" // which is an error
	}
	var refused []string
	for _, l := range c.Results {
		if l.What == store.Refused {
			refused = append(refused, screen.Printable(l.Reason))
		}
	}
	a.first("refused", refused, len(refused))
	addLearned(a, c.Counts, false)
	a.count("known", c.Counts.of(store.Known), "%d already")
	a.count("refused", len(refused), "%d")
	if left != "" {
		a.fact("", "%s", left)
	}
}

// sentence says what happened to a message; nothing if it was refused, which is an error.
func (l learned) sentence(classes []string) string {
	judged := fmt.Sprintf("%s, %s", cmp.Or(string(l.Verdict), l.Class), delivery.Probability(classes, l.Probability))
	switch l.What {
	case store.Learned:
		return fmt.Sprintf("learned as %s; it was judged %s", l.Label, judged)
	case store.Relabelled:
		return fmt.Sprintf("moved from %s to %s", l.Before, l.Label)
	case store.Known:
		return "already known as " + l.Label
	case store.Forgotten:
		return "forgotten; it was learned as " + l.Before
	}
	return ""
}
