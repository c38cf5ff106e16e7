package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/corpus/sources"
	"chaff/filter"
	"chaff/internal/evidence"
	"chaff/internal/screen"
	"chaff/report"
)

func (p *program) explainCommand() *cobra.Command {
	var flags explainFlags
	c := &cobra.Command{
		Use:   "explain [-m FILE] [PATH]",
		Short: "Show the contribution of each term to the score of a message",
		Long: `Explain reads a message from stdin or PATH and lists the parts of its score: each kind of evidence,
each term and run of bytes that the model knows, with its weight and its contribution. The score is
the sum of the contributions and the bias.`,
		Example: `  chaff explain < message
  chaff explain -m spam.model message --terms 0
  chaff explain message --html why.html`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, paths []string) error {
			return p.explain(flags, paths)
		},
	}
	f := c.Flags()
	p.addModelFile(c, &flags.model, "use")
	f.IntVar(&flags.terms, "terms", 20, "show the `N` strongest terms; 0 for all")
	addJSON(c, &flags.json, "print all as one JSON object")
	f.StringVar(&flags.page, "html", "", "write a page to `FILE` that shades each word of the message by its contribution")
	c.MarkFlagsMutuallyExclusive("json", "html")
	return c
}

type explainFlags struct {
	model, page string
	terms       int
	json        bool
}

func (p *program) explain(flags explainFlags, paths []string) error {
	if flags.terms < 0 {
		return fmt.Errorf("--terms is %d: must be at least 0", flags.terms)
	}
	if err := canSaveAll(flags.page); err != nil {
		return err
	}
	f, err := delivery.OpenModel(flags.model)
	if err != nil {
		return err
	}
	delivery.LimitMemory()
	origin, raw, err := p.readOne(paths)
	if err != nil {
		return err
	}
	e, err := f.Explain(raw)
	if err != nil {
		return delivery.ModelError(flags.model, err)
	}
	if flags.json {
		return screen.PrintJSON(p.stdout, struct {
			Path string `json:"path"`
			filter.Explanation
		}{origin, e}, "")
	}
	if flags.page != "" {
		if err := writeFile(flags.page, explanationPage(origin, e).WriteHTML); err != nil {
			return err
		}
	}
	printExplanation(p.stdout, e, flags.terms)
	return nil
}

// readOne reads the message at the path, or from stdin.
func (p *program) readOne(paths []string) (origin string, raw []byte, err error) {
	if len(paths) == 0 {
		raw, err = delivery.ReadMessage(p.streams())
		return "-", raw, err
	}
	source, _, err := sources.Open(paths[0], "", sources.Message)
	if err != nil {
		return "", nil, err
	}
	for item, err := range source {
		if err != nil {
			return "", nil, err
		}
		raw, err = item.Read(nil)
		return item.Origin, raw, err
	}
	return "", nil, fmt.Errorf("no message in %s", paths[0])
}

// printExplanation prints the parts of a score, and the n strongest terms.
func printExplanation(w io.Writer, e filter.Explanation, n int) {
	forIt, against := 0, 0
	var up, down float64
	for _, c := range e.Contributions {
		if c.Contribution > 0 {
			forIt, up = forIt+1, up+c.Contribution
		} else {
			against, down = against+1, down+c.Contribution
		}
	}
	screen.Printf(w, "verdict      %s, score %.4f, probability %.6f\n", e.Verdict, e.Score, e.Probability)
	terms := func(n int) string {
		if len(e.Votes) > 0 {
			return fmt.Sprintf("%d terms and runs of bytes", n)
		}
		return plural(n, "term")
	}
	screen.Printf(w, "%s over %s: %.4f = %+.4f bias %+.4f by %s for %s %+.4f by %s for %s\n",
		e.For, e.Against, e.Margin, e.Bias, up, terms(forIt), e.For, down, terms(against), e.Against)
	if len(e.UnknownTerms) > 0 {
		screen.Printf(w, "             %s not known to the model\n", plural(len(e.UnknownTerms), "term"))
	}
	fmt.Fprintln(w)
	printVotes(w, e.Votes)
	t := newTable(w, "adds", "weight", "value", "messages", "term", "made of")
	shown := e.Contributions
	if n > 0 {
		shown = shown[:min(n, len(shown))]
	}
	for i, c := range shown {
		flushSome(t, i)
		screen.Printf(t, "%+.4f\t%.4f\t%.4g\t%d\t%s\t%s\n", c.Contribution, c.Weight, c.Value, c.Messages, c.Term, strings.Join(c.Tokens, " "))
	}
	t.Flush()
	if more := len(e.Contributions) - len(shown); more > 0 {
		screen.Printf(w, "and %s more: --terms 0 shows all\n", plural(more, "term"))
	}
}

// printVotes prints the contribution of each kind of evidence, with a bar to the left for ham and to the right for spam.
func printVotes(w io.Writer, votes []filter.Vote) {
	if len(votes) == 0 {
		return
	}
	t := newTable(w, "adds", "evidence", "terms", "")
	for _, v := range votes {
		screen.Printf(t, "%+.4f\t%s\t%d\t%s\n", v.Contribution, v.Group, v.Terms, voteBar(v.Contribution))
	}
	t.Flush()
	fmt.Fprintln(w)
}

// voteBar draws a contribution, with one sign for each quarter.
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

// maxPageTerms is how many terms a page shows.
const maxPageTerms = 1000

func explanationPage(origin string, e filter.Explanation) report.Page {
	page := report.Page{
		Title:    "chaff explain",
		Subtitle: origin, For: e.For, Against: e.Against,
		Facts: []report.Fact{
			{Name: "Verdict", Value: string(e.Verdict)},
			{Name: "Score", Value: fmt.Sprintf("%.3f (%s over %s)", e.Margin, e.For, e.Against)},
			{Name: "Bias", Value: fmt.Sprintf("%+.3f", e.Bias)},
			{Name: "Probability of " + e.For, Value: fmt.Sprintf("%.4f", e.Probability)},
			{Name: "Terms", Value: fmt.Sprintf("%d known to the model, %d not", e.Known, len(e.UnknownTerms))},
		},
	}
	for _, v := range e.Votes {
		what := "term"
		if v.Group == evidence.Grams.String() {
			what = "run"
		}
		page.Votes = append(page.Votes, report.Vote{Evidence: v.Group, Score: v.Contribution, Terms: plural(v.Terms, what)})
	}
	texts, left := e.Texts()
	page.TextLeft = left
	for _, t := range texts {
		text := report.Text{Title: t.Title}
		for _, s := range t.Spans {
			text.Stretches = append(text.Stretches, report.Stretch{Text: s.Text, Score: s.Contribution, Terms: strings.Join(s.Terms, ", ")})
		}
		page.Texts = append(page.Texts, text)
	}
	shown := e.Contributions[:min(maxPageTerms, len(e.Contributions))]
	page.WeighedLeft = len(e.Contributions) - len(shown)
	for _, c := range shown {
		page.Weighed = append(page.Weighed, report.Weighed{
			Term: c.Term, Words: strings.Join(c.Tokens, " "), Score: c.Contribution, Weight: c.Weight, Value: c.Value, Messages: int(c.Messages),
		})
	}
	return page
}
