package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/message"
	"chaff/store"
	"chaff/train"
)

type learning struct {
	onModel
	paths            []string
	format           string // of what is at each path
	spam, ham        bool
	class            string // of all messages; empty if the paths say it
	begin, forget    bool
	attached, dryRun bool
	yes              bool // learn what contradicts the filter
	maildirs         []string
	origin           string // who teaches, or whose messages are forgotten
	since            string // the time from which on they are
}

func learnCommand(p *program) *cobra.Command {
	var x learning
	c := &cobra.Command{
		Use:   "learn --spam|--ham|--class NAME [-m FILE] [PATH...]",
		Short: "Learn messages, move them to another class, or forget them",
		Long: `Learn teaches a model messages that it got wrong or has not seen: a message or
an mbox from stdin, or all at each PATH. The next message is judged with them. A
message that is known is not learned twice; with another class it moves over.
Without --spam, --ham or --class, a PATH must show what it holds, as for chaff
train.

With --maildir it learns what has changed in a mailbox since the last time: mail
that is new in folders of spam and ham, and messages that you moved between
them. Drafts, the trash and unread mail outside of spam teach nothing. The
mailbox is not changed.

If the filter is sure that most of ten or more messages are of another class,
the flag is probably wrong: learn refuses, and --yes learns them anyway.

Learn writes the model's log, which chaff train saves as FILE.log. The exit code
is 1 if a message was refused; with --maildir refused messages are only listed.

The program chaff-learn learns one message from stdin and starts faster. It
reads no configuration and prints nothing but errors. It exits with 0 if the
model has learned the message, 1 if it refuses it, and 75 for trouble that may
pass. It takes of the flags --class, --forget, --ham, --model-file, --spam and
--version.`,
		Example: `  chaff learn --spam < message
  chaff learn --ham ~/Maildir/.Lists
  chaff learn --spam junk.mbox -m spam.model
  chaff learn --spam --attached forwarded.eml
  chaff learn --maildir ~/Maildir
  chaff learn --forget < message
  chaff learn --forget --origin web --since 2026-11-01
  chaff learn --begin --ham -m new.model < message`,
		RunE: func(_ *cobra.Command, paths []string) error {
			x.paths = paths
			if err := x.check(); err != nil {
				return err
			}
			if x.begin && x.class == "" && len(paths) == 0 {
				if err := x.beginStore(); err != nil {
					return err
				}
				return x.show(map[string]any{"file": x.model, "began": true}, func(a *answer) {
					a.line("Began %s with the model %s: it knows no message yet.", x.model, x.Model)
				})
			}
			if !x.begin {
				x.warnOfSettings()
			}
			if len(x.maildirs) > 0 {
				return x.learnMaildirs()
			}
			x.warnOfMailbox("--maildir")
			if x.forgetsOrigin() {
				return x.forgetOrigin()
			}
			return x.learn()
		},
	}
	x.add(p, c, "teach", "print what happened to each message as JSON", "model")
	f := c.Flags()
	f.BoolVar(&x.spam, "spam", false, "the messages are spam")
	f.BoolVar(&x.ham, "ham", false, "the messages are ham")
	f.StringVar(&x.class, "class", "", "the messages are of the class `NAME`")
	f.BoolVar(&x.forget, "forget", false, "forget the messages")
	f.StringVar(&x.origin, "origin", "", fmt.Sprintf("note that `NAME` teaches them, of at most %d bytes; with --forget: forget what NAME taught", store.MaxOrigin))
	f.StringVar(&x.since, "since", "", "with --forget --origin: only what was taught from `TIME` on, such as 2026-11-25 or 2026-11-25T13:00:00Z")
	f.BoolVar(&x.attached, "attached", false, "learn or forget the messages attached to each message instead, such as spam that a colleague forwards")
	f.BoolVar(&x.yes, "yes", false, "learn even if most of the messages contradict the filter")
	f.BoolVar(&x.begin, "begin", false, "begin an empty model of ham and spam")
	f.StringArrayVar(&x.maildirs, "maildir", nil, "learn what has changed in the mailbox of Maildirs at `PATH`; repeatable")
	f.BoolVar(&x.dryRun, "dry-run", false, "with --maildir: print what would be learned, and learn nothing")
	addFormat(c, &x.format, "what is at each PATH")
	c.MarkFlagsMutuallyExclusive("spam", "ham", "class", "forget", "maildir")
	exclude(c, "begin", "forget", "maildir")
	exclude(c, "yes", "forget")
	exclude(c, "maildir", "attached", "yes", "format", "origin", "since")
	return c
}

func (x *learning) check() error {
	switch {
	case x.spam:
		x.class = sources.Spam
	case x.ham:
		x.class = sources.Ham
	}
	onStdin := len(x.paths) == 0 && !x.forgetsOrigin() || slices.Contains(x.paths, stdinPath)
	ofMaildirs := len(x.maildirs) > 0
	switch {
	case x.begin && x.class != "" && !slices.Contains(spamClasses(), x.class):
		return hint.With(errors.New("--begin begins a model of ham and spam"), "for other classes: chaff train --folders PATH, with a subfolder for each class")
	case len(x.origin) > store.MaxOrigin:
		return fmt.Errorf("--origin %s is longer than %d bytes", x.origin, store.MaxOrigin)
	case x.since != "" && !x.forgetsOrigin():
		return errors.New("--since needs --forget and --origin")
	case x.forgetsOrigin() && len(x.paths) > 0:
		return hint.With(fmt.Errorf("--forget --origin forgets all that %s taught: leave out %s", x.origin, x.paths[0]), "chaff learn --forget PATH forgets messages")
	case ofMaildirs && len(x.paths) > 0:
		return hint.With(fmt.Errorf("--maildir takes the mailbox alone: leave out %s", x.paths[0]), "chaff learn PATH learns other mail")
	case !ofMaildirs && x.dryRun:
		return errors.New("--dry-run needs --maildir")
	case !ofMaildirs && !x.begin && onStdin && x.class == "" && !x.forget:
		return hint.With(errors.New("nothing says what the message on stdin is"), "say it with --spam, --ham or --class NAME")
	}
	return nil
}

// forgetsOrigin reports whether the command forgets what one origin has taught.
func (x *learning) forgetsOrigin() bool { return x.forget && x.origin != "" }

func (x *learning) learn() error {
	mail, err := x.open()
	if err != nil {
		return err
	}
	if !x.begin {
		if err := x.hasStore(x.model); err != nil {
			if slices.Contains(x.paths, stdinPath) {
				x.streams.Drain()
			}
			return err
		}
	}
	printSources(x.program, mail)
	messages := listAll(x.program, mail.source)
	if x.begin {
		if len(messages) == 1 && messages[0].err != nil {
			return messages[0].err // an empty stdin begins no model
		}
		if err := x.beginStore(); err != nil {
			return err
		}
	}
	for i := range messages {
		messages[i].Text = messages[i].Text || x.forget // what is no mail may be forgotten
		if x.forget || x.class != "" {
			messages[i].Label = x.class
		}
	}
	a := &account{File: x.model, Counts: outcomes{}}
	a.afterwards, err = x.change(!x.forget, func(s *store.Store) error {
		a.classes = s.Classes()
		err := x.match(mail, a.classes)
		if err == nil && !x.forget {
			err = x.checkContradictions(s, messages)
		}
		if err == nil {
			err = x.learnEach(s, messages, a)
		}
		return err
	})
	if err == nil || len(a.Results) > 0 { // what was learned stays learned
		err = errors.Join(err, x.show(a, a.describe))
	}
	return cmp.Or(err, a.complaint())
}

func (x *learning) forgetOrigin() error {
	var since time.Time
	if x.since != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, x.since); err != nil {
			if since, err = time.ParseInLocation(time.DateOnly, x.since, time.Local); err != nil {
				return fmt.Errorf("--since %s is no time such as 2026-11-25 or 2026-11-25T13:00:00Z", x.since)
			}
		}
	}
	n := 0
	_, err := x.change(false, func(s *store.Store) (err error) {
		n, err = s.ForgetOrigin(x.origin, since)
		return err
	})
	if err != nil {
		return err
	}
	return x.show(map[string]int{"forgotten": n}, func(a *answer) {
		a.fact("forgotten", "%s that %s taught", screen.Plural(n, "message"), x.origin)
	})
}

func (x *learning) open() (labelled, error) {
	all := labelled{classes: spamClasses()}
	o := sources.Options{Label: x.class, Format: sources.Format(x.format)}
	if x.forget {
		o.Label = "any" // what the messages were learned as is in the log
	}
	if len(x.paths) == 0 {
		x.paths = []string{stdinPath}
	}
	for _, path := range x.paths {
		var err error
		if path == stdinPath {
			var source corpus.Source
			source, err = x.openStdin(x.format)
			all.opened = append(all.opened, source)
		} else {
			err = all.open(path, o)
		}
		if errors.Is(err, sources.ErrNoLabel) {
			err = hint.With(fmt.Errorf("%s: neither its name nor its contents say what these messages are", path), "say it with --spam, --ham or --class NAME")
		}
		if err != nil {
			return all, err
		}
	}
	if o.Label != "" {
		all.notes = nil // they say nothing that the command does not
	}
	all.source = corpus.Concat(all.opened...)
	return all, nil
}

// match returns an error if the mail has a class that the model does not have.
func (x *learning) match(mail labelled, classes []string) error {
	given := mail.classes
	if x.class != "" {
		given = []string{x.class}
	}
	for _, class := range given {
		if !x.forget && !slices.Contains(classes, class) {
			return hint.With(fmt.Errorf("the model %s has no class %s: it has %s", x.model, class, strings.Join(classes, ", ")),
				"name one of these with --class NAME")
		}
	}
	return nil
}

// beginStore begins an empty model and its log. A model that is there is an error.
func (x *learning) beginStore() error {
	x.replace = true // a model that is there is an error
	o, keepKey, err := x.forNewModel(x.paths)
	if err != nil {
		return err
	}
	err = store.Begin(x.command.Context(), x.model, spamClasses(), x.Model, o, train.Options{Models: x.Models, Thresholds: x.Thresholds}, x.Store)
	if errors.Is(err, fs.ErrExist) {
		return hint.With(fmt.Errorf("there is a model %s or its log already", x.model), "leave out --begin to teach it")
	}
	return errors.Join(err, keepKey())
}

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
		a.fact("fitted", "to all %s", screen.Plural(f.Fitted, "message"))
	}
	a.count("expired", f.Expired, ofExpired)
	if f.isDue {
		a.unlessQuiet("next", "%s: %s since the model was fitted", screen.Quoted("chaff retrain"+a.use()), screen.Plural(f.Changed, "change"))
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
		return fmt.Errorf("%d of %s refused", a.Counts.of(store.Refused), screen.Plural(all, "message was", "messages were"))
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
