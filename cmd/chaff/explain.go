package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/filter"
	"chaff/internal/evidence"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/report"
)

func (p *program) explainCommand() *cobra.Command {
	var flags explainFlags
	c := &cobra.Command{
		Use:   "explain [-m FILE] [PATH]",
		Short: "Show the contribution of each term to the score of a message",
		Long: `Explain reads a message from stdin or PATH and prints its verdict, what each
kind of evidence adds to the score, and the terms and runs of bytes that speak
most for it and against it. The score is the sum of the contributions and the
bias; --verbose prints all parts of the sum, with the weights. A PATH such as
inbox.mbox#3 is a message of an mbox, as chaff classify prints it.`,
		Example: `  chaff explain < message
  chaff explain -m spam.model message --terms 0
  chaff explain message --html why.html`,
		Args: atMostOne("message"),
		RunE: func(_ *cobra.Command, paths []string) error {
			return p.explain(flags, paths)
		},
	}
	f := c.Flags()
	p.addModelFile(c, &flags.model, "use")
	f.IntVar(&flags.terms, "terms", 6, "show the `N` strongest terms for each side; 0 for all")
	addVerbose(c, &flags.verbose, "add the weights, values and words of the terms")
	addJSON(c, &flags.json, "print all as one JSON object")
	f.StringVar(&flags.page, "html", "", "write a page to `FILE` that shades each word of the message by its contribution")
	c.MarkFlagsMutuallyExclusive("json", "html")
	return c
}

type explainFlags struct {
	model, page string
	terms       int
	json        bool
	verbose     bool
}

func (p *program) explain(flags explainFlags, paths []string) error {
	if flags.terms < 0 {
		return fmt.Errorf("--terms is %d: must be at least 0", flags.terms)
	}
	if err := canWrite(readsOf(paths), replace.Output{Path: flags.page, Kind: report.PageKind()}); err != nil {
		return err
	}
	f, err := delivery.OpenModel(flags.model, p.stderr)
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
		if err := writeFile(flags.page, report.PageKind(), explanationPage(origin, e, f.Settings().Thresholds).WriteHTML); err != nil {
			return err
		}
	}
	if flags.verbose {
		printExplanationFully(p.stdout, e, f.Settings().Thresholds, flags.terms, p.limit())
		return nil
	}
	printExplanation(p.stdout, e, f.Settings().Thresholds, flags.terms)
	return nil
}

// readsOf returns where readOne reads.
func readsOf(paths []string) []place {
	if len(paths) == 0 || paths[0] == stdinPath {
		return []place{{path: "/dev/stdin"}}
	}
	file, _, _ := cutLast(paths[0], "#")
	return []place{{path: paths[0]}, {path: file}}
}

// readOne reads the message at the path, or from stdin.
func (p *program) readOne(paths []string) (origin string, raw []byte, err error) {
	if len(paths) == 0 || paths[0] == stdinPath {
		raw, err = delivery.ReadMail(p.streams())
		return stdinPath, raw, err
	}
	path := paths[0]
	source, _, err := sources.Open(path, "", "")
	if file, number, isNumbered := cutLast(path, "#"); errors.Is(err, fs.ErrNotExist) && isNumbered {
		if n, bad := strconv.Atoi(number); bad == nil && n > 0 { // a message of an mbox, as chaff classify names it
			path = file
			source, _, err = sources.Open(path, "", "")
			return only(source, err, func(origin string) bool { return origin == paths[0] }, fmt.Errorf("%s has no message %d", path, n))
		}
	}
	return only(source, err, func(string) bool { return true }, fmt.Errorf("no message in %s", path))
}

// cutLast cuts text at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// only reads the only message of a source with a wanted origin. A source without any is the error none.
func only(source corpus.Source, err error, wanted func(origin string) bool, none error) (origin string, raw []byte, _ error) {
	if err != nil {
		return "", nil, err
	}
	for item, err := range source {
		switch {
		case corpus.IsRemark(err):
			continue
		case err != nil:
			return "", nil, err
		case !wanted(item.Origin):
			continue
		case origin != "":
			return "", nil, hint.With(fmt.Errorf("chaff explain takes one message: there are others beside %s", origin), "name it: chaff explain "+shellWord(item.Origin))
		}
		if raw, err = item.Read(nil); err != nil {
			return "", nil, err
		}
		origin = item.Origin
	}
	if origin == "" {
		return "", nil, none
	}
	return origin, raw, nil
}

// printVerdictOn prints the verdict, with the thresholds of a spam filter, and which message it is about.
func printVerdictOn(w io.Writer, e filter.Explanation, t *metrics.Thresholds) {
	screen.Printf(w, "%s, score %s%s, %s\n", delivery.Styled(e.Verdict), number(&e.Score), between(t), delivery.Probability([]string{e.Against, e.For}, e.Probability))
	screen.Printf(w, "%s\n", screen.Quoted(screen.Cut(screen.Printable(aboutMessage(e)), defaultWidth)))
	printUnlike(w, e)
}

// between says which scores get which verdict; nothing without thresholds.
func between(t *metrics.Thresholds) string {
	if t == nil || t.Spam >= metrics.Beyond {
		return ""
	}
	return fmt.Sprintf(" (ham up to %s, spam above %s)", threshold(t.Unsure), threshold(t.Spam))
}

// aboutMessage returns the subject and the sender of a message.
func aboutMessage(e filter.Explanation) string {
	about := cmp.Or(string(e.View.Message.Get("Subject")), "without a subject")
	if from := sender(string(e.View.Message.Get("From"))); from != "" {
		about += ", from " + from
	}
	return about
}

// printExplanation prints the verdict, and the n strongest terms for it and against it; 0 is all.
func printExplanation(w io.Writer, e filter.Explanation, t *metrics.Thresholds, n int) {
	up, down := bySide(e)
	printVerdictOn(w, e, t)
	if len(e.Votes) > 0 {
		fmt.Fprintln(w)
		printVotes(w, e.Votes)
	}
	for _, side := range []struct {
		class string
		terms []filter.Contribution
	}{{e.For, up}, {e.Against, down}} {
		if len(side.terms) == 0 {
			continue
		}
		screen.Printf(w, "\nFor %s:\n", delivery.Styled(filter.Verdict(side.class)))
		printContributions(w, side.terms, n)
	}
	if more := max(len(up)-n, 0) + max(len(down)-n, 0); n > 0 && more > 0 {
		screen.Printf(w, "\n%s: --terms 0\n", plural(more, "more term"))
	}
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

// printContributions prints the n strongest contributions; 0 is all.
func printContributions(w io.Writer, all []filter.Contribution, n int) {
	if n > 0 {
		all = all[:min(n, len(all))]
	}
	t := newTable(w).Within(defaultWidth)
	for i, c := range all {
		flushSome(t, i)
		words := strings.Join(c.Tokens, " ")
		if _, text, _ := strings.Cut(c.Term, ":"); strings.EqualFold(text, words) {
			words = ""
		}
		screen.Printf(t, "  %+.3f\t%s\t%s\n", c.Contribution, c.Term, words)
	}
	t.Flush()
}

// printUnlike says that a message is unlike what the model learned.
func printUnlike(w io.Writer, e filter.Explanation) {
	if e.Unlike {
		screen.Printf(w, "It is unlike the mail that the model learned: %.0f%% of its terms are new to it.\n", 100*e.Novelty)
	}
}

// printExplanationFully prints the parts of a score, and the n strongest terms with their weights. Limit is the width of the table of
// terms; 0 is none.
func printExplanationFully(w io.Writer, e filter.Explanation, thresholds *metrics.Thresholds, n, limit int) {
	up, down := bySide(e)
	sum := func(all []filter.Contribution) (sum float64) {
		for _, c := range all {
			sum += c.Contribution
		}
		return sum
	}
	printVerdictOn(w, e, thresholds)
	field(w, "score", "%.4f of %s over %s = %+.4f bias %+.4f by %s for %s %+.4f by %s for %s", e.Margin, e.For, e.Against, e.Bias,
		sum(up), plural(len(up), "term"), e.For, sum(down), plural(len(down), "term"), e.Against)
	field(w, "unknown", "%s", plural(len(e.UnknownTerms), "term"))
	fmt.Fprintln(w)
	if len(e.Votes) > 0 {
		printVotes(w, e.Votes)
		fmt.Fprintln(w)
	}
	shown := e.Contributions
	if n > 0 {
		shown = shown[:min(n, len(shown))]
	}
	t := newTable(w, "adds", "weight", "value", "messages", "term", "made of").Within(limit)
	for i, c := range shown {
		flushSome(t, i)
		messages := "-" // of runs of bytes they are not counted
		if c.Messages > 0 {
			messages = strconv.Itoa(int(c.Messages))
		}
		screen.Printf(t, "%+.4f\t%s\t%s\t%s\t%s\t%s\n", c.Contribution, number(&c.Weight), number(&c.Value), messages, c.Term, strings.Join(c.Tokens, " "))
	}
	t.Flush()
	if more := len(e.Contributions) - len(shown); more > 0 {
		screen.Printf(w, "\n%s: --terms 0\n", plural(more, "more term"))
	}
}

// printVotes prints the contribution of each kind of evidence, with a bar to the left for ham and to the right for spam.
func printVotes(w io.Writer, votes []filter.Vote) {
	t := newTable(w, "evidence", "terms", "adds")
	for _, v := range votes {
		screen.Printf(t, "%s\t%d\t%+.2f\t%s\n", v.Group, v.Terms, v.Contribution, voteBar(v.Contribution))
	}
	t.Flush()
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

// maxPageTerms is how many terms a page shows, and maxTitle how wide its title is.
const (
	maxPageTerms = 1000
	maxTitle     = 120
)

func explanationPage(origin string, e filter.Explanation, t *metrics.Thresholds) report.Page {
	above := fmt.Sprintf(" (%s over %s)", e.For, e.Against)
	if text := between(t); text != "" {
		above = text
	}
	page := report.Page{
		Title:    screen.Cut(screen.Printable(aboutMessage(e)), maxTitle),
		Subtitle: origin, For: e.For, Against: e.Against,
		Facts: []report.Fact{
			{Name: "Verdict", Value: string(e.Verdict)},
			{Name: "Score", Value: fmt.Sprintf("%.3f%s", e.Margin, above)},
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
	if len(page.Votes) > 0 {
		page.Votes = append(page.Votes, report.Vote{Evidence: "bias", Score: e.Bias})
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
