package main

import (
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
	"chaff/evaluate"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/report"
)

func explainCommand(p *program) *cobra.Command {
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
			return explainMessage(p, flags, paths)
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

func explainMessage(p *program, flags explainFlags, paths []string) error {
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
	origin, raw, err := readOne(p, paths)
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
	explained := explanation{e, f.Settings().Thresholds, flags.terms}
	if flags.page != "" {
		if err := writeFile(flags.page, report.PageKind(), explained.page(origin).WriteHTML); err != nil {
			return err
		}
	}
	return p.show(explained, false, flags.verbose)
}

// readsOf returns where readOne reads.
func readsOf(paths []string) []string {
	if len(paths) == 0 || paths[0] == stdinPath {
		return []string{"/dev/stdin"}
	}
	mbox, _ := inMbox(paths[0])
	return []string{paths[0], mbox}
}

// inMbox divides the name of a message of an mbox, as chaff classify prints it, into the path of the mbox and its number, or 0 if it has none.
func inMbox(origin string) (path string, number int) {
	i := strings.LastIndex(origin, "#")
	if number, err := strconv.Atoi(origin[i+1:]); i >= 0 && err == nil && number > 0 {
		return origin[:i], number
	}
	return origin, 0
}

func readOne(p *program, paths []string) (origin string, raw []byte, err error) {
	if len(paths) == 0 || paths[0] == stdinPath {
		raw, err = delivery.ReadMail(p.streams())
		return stdinPath, raw, err
	}
	path, none := paths[0], fmt.Errorf("no message in %s", paths[0])
	source, _, err := sources.Open(path, "", "")
	wanted := ""
	if mbox, number := inMbox(path); errors.Is(err, fs.ErrNotExist) && number > 0 {
		wanted, none = path, fmt.Errorf("%s has no message %d", mbox, number)
		source, _, err = sources.Open(mbox, "", "")
	}
	if err != nil {
		return "", nil, err
	}
	for item, err := range source {
		switch {
		case corpus.IsRemark(err):
			continue
		case err != nil:
			return "", nil, err
		case wanted != "" && item.Origin != wanted:
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

// between says which scores get which verdict; nothing without thresholds.
func between(t *metrics.Thresholds) string {
	if t == nil || t.Spam >= metrics.Beyond {
		return ""
	}
	return fmt.Sprintf(" (ham up to %s, spam above %s)", threshold(t.Unsure), threshold(t.Spam))
}

// explanation is the result of explain. Its JSON is that of the filter, in one line: indented, that of a large message would take too much memory.
type explanation struct {
	filter.Explanation
	thresholds *metrics.Thresholds
	terms      int // how many are shown; 0 is all
}

// describe adds the verdict, with the thresholds of a spam filter, and the strongest terms for it and against it, or fully all parts of the score.
func (e explanation) describe(a *answer, fully bool) {
	a.line("%s", e.sentence())
	a.line("%s", screen.Quoted(titleOf(e.Explanation, defaultWidth)))
	if e.Unlike {
		a.line("It is unlike the mail that the model learned: %.0f%% of its terms are new to it.", 100*e.Novelty)
	}
	up, down := bySide(e.Explanation)
	if fully {
		a.fact("score", "%.4f of %s over %s = %+.4f bias %+.4f by %s for %s %+.4f by %s for %s", e.Margin, e.For, e.Against, e.Bias,
			sumOf(up), plural(len(up), "term"), e.For, sumOf(down), plural(len(down), "term"), e.Against)
		a.fact("unknown", "%s", plural(len(e.UnknownTerms), "term"))
	}
	if len(e.Votes) > 0 {
		t := table{{"evidence", "terms", "adds"}}
		for _, v := range e.Votes {
			t.row(v.Group, v.Terms, fmt.Sprintf("%+.2f", v.Contribution), voteBar(v.Contribution))
		}
		a.gap()
		a.table(t, 0)
	}
	more := len(up) + len(down)
	if fully {
		shown := strongest(e.Contributions, e.terms)
		more = len(e.Contributions) - len(shown)
		a.gap()
		a.add(func(p *program) { printContributions(p.stdout, shown, true, 0) })
	} else {
		for _, side := range []struct {
			class string
			terms []filter.Contribution
		}{{e.For, strongest(up, e.terms)}, {e.Against, strongest(down, e.terms)}} {
			if len(side.terms) > 0 {
				a.line("\nFor %s:", side.class)
				a.add(func(p *program) { printContributions(p.stdout, side.terms, false, defaultWidth) })
				more -= len(side.terms)
			}
		}
	}
	if more > 0 {
		a.line("\n%s: --terms 0", plural(more, "more term"))
	}
}

// sentence says the verdict and what it comes from.
func (e explanation) sentence() string {
	return fmt.Sprintf("%s, score %s%s, %s", e.Verdict, number(&e.Score), between(e.thresholds), delivery.Probability([]string{e.Against, e.For}, e.Probability))
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

func sumOf(all []filter.Contribution) (sum float64) {
	for _, c := range all {
		sum += c.Contribution
	}
	return sum
}

// strongest returns the first n contributions; 0 is all.
func strongest(all []filter.Contribution, n int) []filter.Contribution {
	if n == 0 {
		return all
	}
	return all[:min(n, len(all))]
}

// printContributions prints contributions with the words that the terms stand for, if these are others; fully, also with their parts.
func printContributions(w io.Writer, all []filter.Contribution, fully bool, width int) {
	t := screen.NewTable(w).Within(width)
	if fully {
		t = screen.NewTable(w, "adds", "weight", "value", "messages", "term", "made of").Within(width)
	}
	for i, c := range all {
		flushSome(t, i)
		words := strings.Join(c.Tokens, " ")
		if _, text, _ := strings.Cut(c.Term, ":"); strings.EqualFold(text, words) {
			words = ""
		}
		if !fully {
			screen.Printf(t, "  %+.3f\t%s\t%s\n", c.Contribution, c.Term, words)
			continue
		}
		messages := "-" // of runs of bytes they are not counted
		if c.Messages > 0 {
			messages = screen.Grouped(int(c.Messages))
		}
		screen.Printf(t, "%+.4f\t%s\t%s\t%s\t%s\t%s\n", c.Contribution, number(&c.Weight), number(&c.Value), messages, c.Term, words)
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

// maxTitle is how wide the title of a page is.
const maxTitle = 120

func (e explanation) page(origin string) report.Page {
	return report.Page{
		Title:    titleOf(e.Explanation, maxTitle),
		Subtitle: origin,
		Facts: []report.Fact{
			{Name: "verdict", Value: e.sentence()},
			{Name: "terms", Value: screen.Sprintf("%d known to the model, %d not", e.Known, len(e.UnknownTerms))},
		},
		Thresholds: e.thresholds, Explanation: &e.Explanation,
	}
}
