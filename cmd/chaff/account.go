package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/corpus"
	"chaff/internal/screen"
	"chaff/message"
	"chaff/store"
)

// account counts what happened to the messages that a command learned or forgot. It is the JSON of learn.
type account struct {
	File      string         `json:"file"`
	Learned   map[string]int `json:"learned"` // by class
	Moved     []move         `json:"moved"`
	Known     int            `json:"known"`
	Sure      int            `json:"sure"`
	Unknown   int            `json:"unknown,omitempty"`
	Forgotten map[string]int `json:"forgotten,omitempty"` // by class
	Refused   map[string]int `json:"refused"`             // by reason
	// Contradicting is the number of messages of which the filter was sure that they are of another class, if there were many messages.
	Contradicting int `json:"contradicting,omitempty"`
	// NoMail counts the files that are no mail by kind.
	NoMail message.LeftOut `json:"no_mail,omitempty"`
	afterwards
	Results []learned `json:"messages,omitempty"`

	classes []string
	keeps   bool    // results
	errs    []error // about the first refused messages
	noMail  error   // about the first file that is no mail
}

// afterwards is the state of a model and its log after a command that learns.
type afterwards struct {
	// Changed is how many times a message was learned, moved or forgotten since the model was fitted.
	Changed int `json:"changed_since_fit"`
	// Fitted is the number of messages to which the command fitted the model, because the mix of classes has changed; 0 if it did not.
	Fitted int `json:"fitted_to,omitempty"`
	// Expired is the number of messages that left because they were the oldest.
	Expired int `json:"expired,omitempty"`

	entries []store.Entry // after a fit
}

// end fits the model if the mix of classes has changed, unless messages were forgotten, and closes the log. err is that of learning.
func (a *afterwards) end(p *program, x *learning, s *store.Store, err error) error {
	if err == nil && !x.forget {
		a.Fitted, err = s.FitIfUnbalanced(x.command.Context(), retrainOptions(x.Config))
		err = p.warnOfStore(s, err)
	}
	if err == nil && a.Fitted > 0 {
		a.entries, err = s.Entries()
	}
	var countErr error
	a.Changed, countErr = s.Changed()
	a.Expired = s.Expired()
	return errors.Join(err, countErr, s.Close())
}

// print prints what else happened to the model, and whether it should be fitted again.
func (a afterwards) print(p *program, c *cobra.Command, model string, retrainAfter int) {
	if a.Fitted > 0 {
		field(p.stdout, "fitted", "to all %s", plural(a.Fitted, "message"))
	}
	printExpired(p.stdout, a.Expired)
	if retrainAfter > 0 && a.Changed >= retrainAfter && !p.quiet {
		printNext(p.stdout, [2]string{"chaff retrain" + useOf(c, model), plural(a.Changed, "change") + " since the model was fitted"})
	}
}

// printExpired prints how many messages left a log; nothing for 0.
func printExpired(w io.Writer, messages int) {
	if messages > 0 {
		field(w, "expired", "%s (store.max_messages, store.max_age)", pluralOf(messages, "oldest message", "oldest messages"))
	}
}

// move counts messages whose class changed.
type move struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Messages int    `json:"messages"`
}

// learned is what happened to one message.
type learned struct {
	Path  string `json:"path"`
	Label string `json:"label,omitempty"`
	store.Outcome
	Reason string `json:"reason,omitempty"`
}

func newAccount(path string, classes []string) *account {
	return &account{File: path, classes: classes, Learned: map[string]int{}, Moved: []move{}, Forgotten: map[string]int{}, Refused: map[string]int{}}
}

// add enters what happened to a message.
func (a *account) add(item corpus.Item, o store.Outcome) {
	switch o.What {
	case store.Learned:
		a.Learned[item.Label]++
	case store.Relabelled:
		a.addMove(o.Before, item.Label)
	case store.Known:
		a.Known++
	case store.Sure:
		a.Sure++
	case store.Forgotten:
		a.Forgotten[o.Before]++
	case store.Refused:
		a.refuse(item.Origin, o.Reason, fmt.Errorf("%s: %s", nameOf(item.Origin), whyRefused(o.Reason)))
		return
	default:
		a.Unknown++
	}
	if a.keeps {
		a.Results = append(a.Results, learned{Path: item.Origin, Label: item.Label, Outcome: o})
	}
}

func (a *account) addMove(from, to string) {
	i := slices.IndexFunc(a.Moved, func(m move) bool { return m.From == from && m.To == to })
	if i < 0 {
		i = len(a.Moved)
		a.Moved = append(a.Moved, move{From: from, To: to})
	}
	a.Moved[i].Messages++
}

// nameOf returns how a message names a place of mail.
func nameOf(origin string) string {
	if origin == stdinPath {
		return "stdin"
	}
	return origin
}

// whyRefused says why a message was refused.
func whyRefused(why store.Reason) string {
	switch why {
	case store.TooLarge:
		return corpus.ErrTooLarge.Error()
	case store.NeverKnown:
		return "the message was never learned, so it cannot be forgotten"
	}
	return why.String()
}

// refuse enters a message that was refused. The error names it.
func (a *account) refuse(origin string, why store.Reason, err error) {
	a.Refused[why.String()]++
	if a.keeps {
		a.Results = append(a.Results, learned{Path: origin, Outcome: store.Outcome{What: store.Refused}, Reason: err.Error()})
	}
	if len(a.errs) < maxRefusals {
		a.errs = append(a.errs, err)
	}
}

// maxRefusals is how many refused messages are named.
const maxRefusals = 10

func total(counts map[string]int) int {
	n := 0
	for _, count := range counts {
		n += count
	}
	return n
}

// messages returns how many messages have an entry.
func (a *account) messages() int {
	n := total(a.Learned) + a.Known + a.Sure + a.Unknown + total(a.Forgotten) + total(a.Refused)
	for _, m := range a.Moved {
		n += m.Messages
	}
	return n
}

// complaint returns an error if messages were refused.
func (a *account) complaint() error {
	refused, all := total(a.Refused), a.messages()
	switch {
	case all == 0:
		return a.noMail
	case refused == 0:
		return nil
	case all == 1:
		return a.errs[0]
	}
	return fmt.Errorf("%d of %s refused", refused, pluralOf(all, "message was", "messages were"))
}

// print prints the account: a line about one message, and a table of several, with the refused ones on stderr.
func (a *account) print(p *program) {
	left := a.NoMail.String()
	if a.messages() == 1 && len(a.Results) == 1 && left == "" {
		if text := a.Results[0].sentence(a.classes); text != "" {
			screen.Printf(p.stdout, "%s\n", text)
		}
		return
	}
	for _, err := range a.errs {
		screen.Printf(p.stderr, "chaff: refused: %v\n", err)
	}
	if more := total(a.Refused) - len(a.errs); more > 0 {
		screen.Printf(p.stderr, "chaff: refused: %d more\n", more)
	}
	w := p.stdout
	if n := total(a.Learned); n > 0 {
		field(w, "learned", "%s: %s", screen.Grouped(n), a.byClass(a.Learned))
	}
	for i, m := range a.Moved {
		label := ""
		if i == 0 {
			label = "moved"
		}
		field(w, label, "%d from %s to %s", m.Messages, m.From, m.To)
	}
	if n := total(a.Forgotten); n > 0 {
		field(w, "forgotten", "%s: %s", screen.Grouped(n), a.byClass(a.Forgotten))
	}
	if a.Known > 0 {
		field(w, "known", "%s already", screen.Grouped(a.Known))
	}
	if a.Sure > 0 {
		field(w, "sure", "%d not learned, since the model was right and sure of them (store.on_error)", a.Sure)
	}
	if a.Unknown > 0 {
		field(w, "unknown", "%d not learned: --relabel moves known messages only", a.Unknown)
	}
	if n := total(a.Refused); n > 0 {
		var reasons []string
		for _, why := range slices.Sorted(maps.Keys(a.Refused)) {
			reasons = append(reasons, fmt.Sprintf("%d %s", a.Refused[why], why))
		}
		field(w, "refused", "%d: %s", n, strings.Join(reasons, ", "))
	}
	if left != "" && a.messages()+total(a.NoMail) > 1 { // one alone is an error
		field(w, "", "%s", left)
	}
}

// byClass lists counts in the order of the classes.
func (a *account) byClass(counts map[string]int) string {
	var all []string
	for _, class := range a.classes {
		if n := counts[class]; n > 0 {
			all = append(all, screen.Grouped(n)+" "+class)
		}
	}
	return strings.Join(all, ", ")
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
	case store.Sure:
		return "not learned: it was judged " + judged + ", and the model was right and sure (store.on_error)"
	case store.Forgotten:
		return "forgotten; it was learned as " + l.Before
	case unknown:
		return "not learned: --relabel moves known messages only, and this one is not known"
	}
	return ""
}
