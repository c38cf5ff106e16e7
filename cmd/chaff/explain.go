package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/corpus"
	"chaff/evaluate"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/report"
)

func explainCommand(p *program) *cobra.Command {
	var page string
	var terms uint
	c := &cobra.Command{
		Use:   "explain [-m FILE] [PATH]",
		Short: "Show the contribution of each term to the score of a message",
		Long: `Explain reads a message from stdin or PATH and prints its verdict, what each
kind of evidence adds to the score, and the terms and runs of bytes that speak
most for it and against it. The score is the sum of the contributions and the
bias; --json has all parts of the sum, with the weights. A PATH such as
inbox.mbox#3 is a message of an mbox, as chaff classify prints it.`,
		Example: `  chaff explain < message
  chaff explain -m spam.model message --terms 0
  chaff explain message --html why.html`,
		Args: oneArgument("message", 0),
		RunE: func(_ *cobra.Command, paths []string) error {
			path, reads := stdinPath, []string{"/dev/stdin"}
			if len(paths) > 0 && paths[0] != stdinPath {
				path = paths[0]
				mbox, _, _ := inMbox(path)
				reads = []string{path, mbox}
			}
			if err := canWrite(reads, replace.Output{Path: page, Kind: report.PageKind()}); err != nil {
				return err
			}
			f, err := p.openModel(path)
			if err != nil {
				return err
			}
			delivery.LimitMemory(delivery.MessageMemory)
			origin, raw, err := readOne(p, path)
			if err != nil {
				return err
			}
			e, err := f.Explain(raw)
			if err != nil {
				return delivery.ModelError(p.model, err)
			}
			explained := explanation{origin, e, f.Settings().Thresholds, int(terms)}
			if terms == 0 {
				explained.terms = len(e.Contributions)
			}
			if p.asJSON { // in one line: indented, that of a large message would take too much memory
				return screen.PrintJSON(p.stdout, explained, "")
			}
			if page != "" {
				if err := p.writeFile(page, report.PageKind(), explained.page().WriteHTML); err != nil {
					return err
				}
			}
			return p.show(explained, explained.describe)
		},
	}
	f := c.Flags()
	p.addModelFile(c, "use", "print all as one JSON object, with the weights")
	f.UintVar(&terms, "terms", 6, "show the `N` strongest terms for each side; 0 for all")
	f.StringVar(&page, "html", "", "write a page to `FILE` that shades each word of the message by its contribution")
	c.MarkFlagsMutuallyExclusive("json", "html")
	return c
}

// inMbox divides the name of a message of an mbox, as chaff classify prints it, into the path of the mbox and the number.
func inMbox(origin string) (mbox, number string, is bool) {
	i := strings.LastIndexByte(origin, '#')
	if i < 1 {
		return origin, "", false
	}
	return origin[:i], origin[i+1:], true
}

func readOne(p *program, path string) (origin string, raw []byte, err error) {
	if path == stdinPath {
		raw, err = delivery.ReadMail(p.streams)
		return stdinPath, raw, err
	}
	wanted, none := "", fmt.Errorf("no message in %s", path)
	if mbox, number, is := inMbox(path); is {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			path, wanted, none = mbox, path, fmt.Errorf("%s has no message %s", mbox, number)
		}
	}
	err = readEach(p, p.openEach([]string{path}, ""), none, func(at string, text []byte) error {
		switch {
		case wanted != "" && at != wanted:
			return nil
		case origin != "":
			return hint.With(fmt.Errorf("chaff explain takes one message: %s has others beside %s", path, origin),
				"chaff classify"+p.use()+" "+hint.Word(path)+" lists them; name one: chaff explain"+p.use()+" "+hint.Word(origin))
		}
		origin, raw = at, slices.Clone(text)
		return nil
	})
	if err == nil && origin == "" {
		err = none
	}
	return origin, raw, err
}

type explanation struct {
	Path string `json:"path"`
	filter.Explanation
	thresholds *metrics.Thresholds
	terms      int // how many are shown of each side
}

// describe adds the verdict, with the thresholds of a spam filter, and the strongest terms for it and against it.
func (e explanation) describe(a *answer) {
	a.line("%s", e.sentence())
	a.line("%s", screen.Quoted(titleOf(e.Explanation, defaultWidth)))
	if e.Unlike {
		a.line("It is %s.", e.unlike())
	}
	if e.Margin != e.Score {
		a.line("What follows adds up to %s, %s.", e.Sum(), number(&e.Margin))
	}
	up, down := bySide(e.Explanation)
	if len(e.Votes) > 0 {
		t := a.table(0, "evidence", "terms", "adds")
		t.Row("bias", "", fmt.Sprintf("%+.2f", e.Bias), voteBar(e.Bias))
		for _, v := range e.Votes {
			t.Row(v.Group, v.Terms, fmt.Sprintf("%+.2f", v.Contribution), voteBar(v.Contribution))
		}
		a.gap()
		t.Flush()
	}
	more := len(up) + len(down)
	for _, side := range []struct {
		class string
		terms []filter.Contribution
	}{{e.For, up[:min(e.terms, len(up))]}, {e.Against, down[:min(e.terms, len(down))]}} {
		if len(side.terms) > 0 {
			a.line("\nFor %s:", side.class)
			addContributions(a, side.terms)
			more -= len(side.terms)
		}
	}
	if more > 0 {
		a.line("\n%s: --terms 0", screen.Plural(more, "more term"))
	}
}

func (e explanation) sentence() string {
	between := "" // which scores get which verdict
	switch t := e.thresholds; {
	case t == nil:
	case t.Spam >= metrics.Beyond || t.Unsure <= -metrics.Beyond:
		between = " (" + verdictRule(*t) + ")"
	default:
		between = fmt.Sprintf(" (ham up to %s, spam above %s)", threshold(t.Unsure), threshold(t.Spam))
	}
	return fmt.Sprintf("%s, score %s%s, %s", e.Verdict, number(&e.Score), between, delivery.Probability([]string{e.Against, e.For}, e.Probability))
}

func (e explanation) unlike() string {
	return fmt.Sprintf("unlike the mail that the model learned: %.0f%% of its terms are new to it", 100*e.Novelty)
}

// titleOf returns the subject and the sender of a message, cut at a width.
func titleOf(e filter.Explanation, width int) string {
	m := e.View.Message
	return screen.Cut(screen.Printable(evaluate.Title(string(m.Get("Subject")), string(m.Get("From")))), width)
}

// bySide divides the contributions of a message into those for e.For and those for e.Against, the strongest first.
func bySide(e filter.Explanation) (up, down []filter.Contribution) {
	for _, c := range e.Contributions {
		switch {
		case c.Contribution > 0:
			up = append(up, c)
		case c.Contribution < 0:
			down = append(down, c)
		}
	}
	return up, down
}

// addContributions adds contributions with the words that the terms stand for, if these are others.
func addContributions(a *answer, all []filter.Contribution) {
	t := a.table(defaultWidth)
	for _, c := range all {
		words := strings.Join(c.Tokens, " ")
		if _, text, _ := strings.Cut(c.Term, ":"); strings.EqualFold(text, words) {
			words = ""
		}
		t.Row(fmt.Sprintf("  %+.3f", c.Contribution), c.Term, words)
	}
	t.Flush()
}

// voteBar draws a contribution with one sign for each quarter, to the left for ham and to the right for spam.
func voteBar(adds float64) string {
	const half, perUnit = 16, 4
	n := 0
	if signs := math.Round(math.Abs(adds) * perUnit); signs > 0 { // a damaged model can have no number
		n = int(min(half, signs))
	}
	if adds < 0 {
		return strings.Repeat(" ", half-n) + strings.Repeat("-", n) + "|"
	}
	return strings.Repeat(" ", half) + "|" + strings.Repeat("+", n)
}

func (e explanation) page() report.Page {
	page := report.Page{
		Title:    titleOf(e.Explanation, 120), // characters
		Subtitle: corpus.NameOf(e.Path),
		Facts: []report.Fact{
			{Name: "verdict", Value: e.sentence()},
			{Name: "terms", Value: screen.Sprintf("%d known to the model, %d not", e.Known, len(e.UnknownTerms))},
		},
		Thresholds: e.thresholds, Explanation: &e.Explanation,
	}
	if e.Unlike {
		page.Warnings = []string{"This message is " + e.unlike() + "."}
	}
	return page
}
