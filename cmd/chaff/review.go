package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/config"
	"chaff/corpus/sources"
	"chaff/filter"
	"chaff/internal/screen"
	"chaff/mailbox"
	"chaff/store"
)

// reviewing is the command review.
type reviewing struct {
	command         *cobra.Command
	path, model     string
	verbose, asJSON bool
	config.Config
}

func (p *program) reviewCommand() *cobra.Command {
	var settings settingFlags
	var x reviewing
	c := &cobra.Command{
		Use:        "review [-m FILE] --maildir PATH",
		Short:      "Find messages of a mailbox that are in the wrong folder",
		SuggestFor: []string{"audit", "doubt", "suspects"},
		Long: `Review classifies the messages of a mailbox, and counts by folder what the
filter would make of them today. Then it lists messages that seem to be in the
wrong folder, with the command that corrects each.

A filter agrees with the labels that it has learned. So each message that it has
learned is judged by a model fitted to the others: five models, each without a
fifth of the messages. Nothing in the mailbox is changed.`,
		Example: `  chaff review --maildir ~/Maildir
  chaff review --maildir ~/Maildir -v`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			loaded, err := p.load(c, &settings)
			if err != nil {
				return err
			}
			if x.path == "" {
				return needMaildir(c)
			}
			x.Config = loaded.Config
			return p.review(&x)
		},
	}
	x.command = c
	settings.add(p, c, "workers", "memory")
	addMaildir(c, &x.path)
	p.addModelFile(c, &x.model, "use")
	c.Flags().BoolVarP(&x.verbose, "verbose", "v", false, "list all messages whose verdict is not their label")
	addJSON(c, &x.asJSON, "print the review as JSON")
	return c
}

func (p *program) review(x *reviewing) error {
	f, err := delivery.OpenModel(x.model, p.stderr)
	if err != nil {
		return err
	}
	var view *store.View
	if _, err := os.Stat(storeOf(x.model)); err == nil {
		if view, err = look(x.model); err != nil {
			return err
		}
		defer view.Close()
	}
	box, err := p.openMailbox(x.path)
	if err != nil {
		return err
	}
	step, done := p.progress("reading mail")
	r, err := box.Review(x.command.Context(), f, view, mailbox.ReviewOptions{Workers: x.Workers, Memory: memoryOf(x.Config), Progress: step})
	done()
	if err != nil {
		return aboutMailbox(err)
	}
	if x.asJSON {
		return printJSON(p.stdout, r)
	}
	p.printLeftOut(r.Problems)
	if r.Messages == 0 {
		return errors.New("the mailbox has no messages in folders of ham and spam")
	}
	p.printReviewed(x, r, view != nil)
	return nil
}

// How much a review shows without --verbose.
const (
	shownRows   = 8
	shownDoubts = 4
)

// printReviewed prints a review, without --verbose in at most 25 lines.
func (p *program) printReviewed(x *reviewing, r mailbox.Review, hasStore bool) {
	t := newTable(p.stdout, "folder", "is", "messages", "ham", "unsure", "spam")
	folders := r.Folders
	if !x.verbose {
		folders = folders[:min(len(folders), shownRows)]
	}
	for _, f := range folders {
		label := f.Label
		if label == "" {
			label = "unread"
		}
		screen.Printf(t, "%s\t%s\t%d\t%d\t%d\t%d\n", f.Folder, label, f.ByVerdict.Messages(), f.Ham, f.Unsure, f.Spam)
	}
	t.Flush()
	if more := len(r.Folders) - len(folders); more > 0 {
		screen.Printf(p.stdout, "and %s more: -v shows all\n", plural(more, "folder"))
	}
	fmt.Fprintln(p.stdout)
	p.printJudges(r, hasStore)
	shown := r.Doubtful()
	if len(shown) == 0 {
		screen.Printf(p.stdout, "No message seems to be in the wrong folder.\n")
	} else {
		screen.Printf(p.stdout, "%s to be in the wrong folder:\n", pluralOf(len(shown), "message seems", "messages seem"))
		x.printMessages(p, shown)
	}
	for _, rest := range []struct {
		unsure bool
		text   string
	}{{false, "with the other verdict, less surely"}, {true, "unsure"}} {
		var others []mailbox.Reviewed
		for _, m := range r.Differing {
			if !m.Doubtful && (m.Verdict == filter.Unsure) == rest.unsure {
				others = append(others, m)
			}
		}
		switch {
		case len(others) > 0 && x.verbose:
			screen.Printf(p.stdout, "%s %s:\n", plural(len(others), "message"), rest.text)
			x.printMessages(p, others)
		case len(others) > 0:
			screen.Printf(p.stdout, "%s %s: -v lists them\n", plural(len(others), "message"), rest.text)
		}
	}
}

// printJudges prints which models judged the messages.
func (p *program) printJudges(r mailbox.Review, hasStore bool) {
	switch {
	case r.Learned == 0:
		screen.Printf(p.stdout, "The filter has learned none of these messages.\n")
	case r.Folds == 0:
		screen.Printf(p.stdout, "The filter itself judges these messages, and may know their labels: there is too\nlittle mail to judge them by.\n")
	case !hasStore:
		screen.Printf(p.stdout, "The model has no store: messages are judged by models fitted to the others here.\n")
	default:
		screen.Printf(p.stdout, "The filter has learned %d of these messages: models without them judge them. The\nfilter itself contradicts the label of %d.\n", r.Learned, r.Contradicted)
	}
}

func (x *reviewing) printMessages(p *program, all []mailbox.Reviewed) {
	shown := all
	if !x.verbose {
		shown = all[:min(len(all), shownDoubts)]
	}
	for _, m := range shown {
		x.printMessage(p, m)
	}
	if more := len(all) - len(shown); more > 0 {
		screen.Printf(p.stdout, "  and %d more: -v lists them\n", more)
	}
}

// printMessage prints a message, and for one with a label the command that corrects the label.
func (x *reviewing) printMessage(p *program, m mailbox.Reviewed) {
	line := fmt.Sprintf("  P(spam) %.3f  %s  %s", m.Probability, screen.Printable(m.Folder), screen.Printable(shorten([]byte(m.Subject))))
	if limit := p.limit(); limit > 0 {
		line = screen.Cut(line, limit)
	}
	screen.Printf(p.stdout, "%s\n", screen.Quoted(line))
	if m.Label == "" {
		screen.Printf(p.stdout, "    unread: %s\n", m.Path)
		return
	}
	class := sources.Spam
	if m.Label == class.String() {
		class = sources.Ham
	}
	screen.Printf(p.stdout, "    chaff learn --%s%s %s\n", class, useOf(x.command, x.model), screen.Quoted(screen.Printable(shellWord(m.Path))))
}
