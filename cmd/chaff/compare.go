package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/corpus"
	"chaff/evaluate"
	"chaff/features"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

// compareParts trains models, on each of the kinds of feature or on their own, on the training part, and compares them. It reports models that cannot be trained on stderr.
func (p *program) compareParts(x *experiment, names []string, kinds []features.Kind) error {
	collection, err := x.collect(p)
	if err != nil {
		return err
	}
	comparison, err := fit(p, x.Config, true, func(o train.Options) (evaluate.Comparison, error) {
		return evaluate.Compare(x.command.Context(), collection, names, o, kinds...)
	})
	if err != nil {
		return err
	}
	if len(comparison.Models) == 0 {
		return errors.Join(comparison.Failed...)
	}
	for _, failed := range comparison.Failed {
		screen.Printf(p.stderr, "chaff: left out: %v\n", failed)
	}
	all := comparison.Models
	var found findings
	if x.page.wanted() || !x.asJSON {
		if found.leaks, err = evaluate.Leaks(collection); err != nil {
			return err
		}
	}
	if x.page.wanted() && len(all) > 0 {
		if found.review, err = evaluate.ReviewPart(x.command.Context(), collection, all[0].Filter, corpus.Test, shownTerms); err != nil {
			return err
		}
		page, err := p.trainedPage(x, "chaff compare", collection, all, found)
		if err != nil {
			return err
		}
		if err := x.page.write(page); err != nil {
			return err
		}
	}
	results := resultsOf(all)
	if x.asJSON {
		return printJSON(p.stdout, resultReport{Corpus: collection.Summary(), Models: results})
	}
	if !x.verbose {
		printMail(p.stdout, collection.Summary())
		fmt.Fprintln(p.stdout)
		printComparison(p.stdout, results)
		p.printImportant(collection.Classes(), found.leaks, results)
		fmt.Fprintln(p.stdout)
		x.printMore(p.stdout)
		return nil
	}
	printSplit(p.stdout, x.Config, collection.Summary())
	fmt.Fprintln(p.stdout)
	printComparison(p.stdout, results)
	fmt.Fprintln(p.stdout)
	printCosts(p.stdout, results)
	printLosses(p.stdout, results)
	p.printWarnings(results)
	p.printLeaks(collection.Classes(), found.leaks)
	return nil
}

func resultsOf(all []train.Trained) []train.Result {
	results := make([]train.Result, len(all))
	for i, t := range all {
		results[i] = t.Result
	}
	return results
}

// printComparison prints one row for each model, the best on the development part first. Errors are those of the test part.
func printComparison(w io.Writer, results []train.Result) {
	var rows []compared
	for i, r := range results {
		rows = append(rows, compared{rowName(results, r), r.Development, r.Test, r.AgainstBest, i == 0 && r.Development != nil})
	}
	printCompared(w, "dev.", rows)
	note, same := bestNote, " "+sameNote
	if !rows[0].base {
		note, same = "No model is marked as the best: there is no development mail to choose it on.", ""
	}
	if rows[0].isOfSpamFilter() {
		note += hmNote
	}
	fmt.Fprintln(w)
	screen.Paragraph(w, "", "%s dev. and test: the accuracy on development and test mail.%s", note, same)
}

// rowName returns the name of a result among others: the model, with its kind of feature if that tells it from another.
func rowName(all []train.Result, r train.Result) string {
	if slices.ContainsFunc(all, func(other train.Result) bool { return other.Model == r.Model && other.Kind != r.Kind }) {
		return r.Model + ", " + r.Kind
	}
	return r.Model
}

// compared is a row of a table of models.
type compared struct {
	model       string
	development *metrics.Figures
	test        *metrics.Figures
	difference  *metrics.McNemar
	base        bool
}

// isOfSpamFilter reports whether the row has rates of lost ham and missed spam.
func (c compared) isOfSpamFilter() bool {
	f := cmp.Or(c.test, c.development)
	return f != nil && (f.HM != nil || f.SM != nil)
}

// printCompared prints a row for each model. The heading of the first accuracy is development; without one, there is no such column.
func printCompared(w io.Writer, development string, rows []compared) {
	t := newTable(w)
	fmt.Fprint(t, "model\t")
	if development != "" {
		screen.Printf(t, "%s\t", development)
	}
	fmt.Fprint(t, "test\t95% interval\t")
	ofSpam := len(rows) > 0 && rows[0].isOfSpamFilter()
	if ofSpam {
		fmt.Fprint(t, "hm%\tsm%\t")
	}
	hasBase := len(rows) > 1 && slices.ContainsFunc(rows, func(r compared) bool { return r.base })
	if hasBase {
		fmt.Fprint(t, "against *")
	}
	fmt.Fprintln(t)
	for _, r := range rows {
		name := screen.Plain.Of(r.model)
		if r.base && hasBase {
			name = screen.Bold.Of(r.model + " *")
		}
		screen.Printf(t, "%s\t", name)
		if development != "" {
			screen.Printf(t, "%s\t", accuracyOf(r.development))
		}
		screen.Printf(t, "%s\t%s\t", accuracyOf(r.test), intervalOf(r.test))
		if ofSpam {
			hm, sm := "-", "-"
			if f := r.test; f != nil {
				hm, sm = percent(f.HM, 2), percent(f.SM, 2)
			}
			screen.Printf(t, "%s\t%s\t", hm, sm)
		}
		if hasBase {
			screen.Printf(t, "%s", against(r.difference))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// What the columns of a table of models mean.
const (
	bestNote = "* is the best on development mail."
	hmNote   = " hm%: ham lost, sm%: spam missed, on test mail."
	sameNote = "same: no difference from * by more than chance (McNemar's test on test mail, Holm's correction, p < 0.05)."
)

// printCosts prints the rest of what compares models: the errors that only one of two makes, and what training takes.
func printCosts(w io.Writer, results []train.Result) {
	t := newTable(w, "model", "(1-ROCA)%", "+", "-", "p", "features")
	for _, r := range results {
		better, worse, p := differenceOf(r.AgainstBest)
		roca := "-"
		if r.Test != nil {
			roca = percent(r.Test.OneMinusROCA, 4)
		}
		screen.Printf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Model, roca, better, worse, p, r.Kind)
	}
	t.Flush()
	fmt.Fprint(w, differenceNote, "\n")
	t = newTable(w, "model", "train", "CPU s", "terms", "size")
	for _, r := range results {
		screen.Printf(t, "%s\t%s\t%.2f\t%d\t%s\n", rowName(results, r), accuracyOf(r.Train), r.Seconds, r.Terms, sizeOf(int64(r.Bytes)))
	}
	t.Flush()
	fmt.Fprintln(w)
}

// differenceOf formats the difference between a model and another: the messages that only it classifies correctly, those that only the
// other does, and the p-value.
func differenceOf(m *metrics.McNemar) (better, worse, p string) {
	if m == nil {
		return "-", "-", "-"
	}
	return strconv.Itoa(m.Better), strconv.Itoa(m.Worse), probability(m.P)
}

// differenceNote explains the columns of differenceOf.
const differenceNote = `
+ counts the test messages that only this model classifies correctly, - those
that only * does. p is the probability of such a difference between equally good
models.
`

// printLosses prints the losses of each model on the three parts. The square loss uses scores; the log loss and the Brier
// score use probabilities.
func printLosses(w io.Writer, results []train.Result) {
	zeroOne := func(f *metrics.Figures) *float64 { return &f.ZeroOneLoss }
	square := func(f *metrics.Figures) *float64 { return f.SquareLoss }
	log := func(f *metrics.Figures) *float64 { return f.LogLoss }
	brier := func(f *metrics.Figures) *float64 { return f.Brier }
	rows := func(t io.Writer, losses ...func(*metrics.Figures) *float64) {
		for _, r := range results {
			screen.Printf(t, "%s", rowName(results, r))
			for _, loss := range losses {
				for _, f := range []*metrics.Figures{r.Train, r.Development, r.Test} {
					screen.Printf(t, "\t%s", lossOf(f, loss))
				}
			}
			fmt.Fprintln(t)
		}
	}
	t := newTable(w, "", "0-1 loss", "", "", "square loss")
	fmt.Fprintln(t, "model\ttrain\tdev.\ttest\ttrain\tdev.\ttest")
	rows(t, zeroOne, square)
	t.Flush()
	fmt.Fprintln(w)
	t = newTable(w, "", "log loss", "", "", "Brier score")
	fmt.Fprintln(t, "model\ttrain\tdev.\ttest\ttrain\tdev.\ttest")
	rows(t, log, brier)
	t.Flush()
}

// foldsReport is the JSON of compare with folds.
type foldsReport struct {
	Corpus train.Summary              `json:"corpus"`
	Folds  int                        `json:"folds"`
	Models []evaluate.CrossValidation `json:"models"`
}

// crossValidate cross-validates the named models, and prints the test figures.
func (p *program) crossValidate(x *experiment, names []string) error {
	collection, err := x.collect(p)
	if err != nil {
		return err
	}
	results, err := p.validate(x.command, collection, x.Config, names, x.folds)
	if err != nil {
		return err
	}
	if err := x.page.write(foldsPage(x, collection, results)); err != nil {
		return err
	}
	summary := summaryOfFolds(collection)
	if x.asJSON {
		return printJSON(p.stdout, foldsReport{summary, x.folds, results})
	}
	printFoldsMade(p.stdout, x.Config, summary, x.folds, x.verbose)
	printFolds(p.stdout, results, results[0], bestNote, x.verbose)
	if suspects := results[0].Suspects; len(suspects) > 0 {
		fmt.Fprintln(p.stdout)
		screen.Paragraph(p.stdout, "", "Labels that may be wrong: %s, trained without these messages, is sure of another class:", results[0].Model)
		if x.verbose {
			printJudged(p.stdout, collection.Classes(), suspects)
		} else {
			printBrief(p.stdout, collection.Classes(), suspects, shownMistakes, len(suspects))
		}
	}
	fmt.Fprintln(p.stdout)
	x.printMore(p.stdout)
	return nil
}

func (p *program) validate(c *cobra.Command, collection *train.Collection, cfg config.Config, names []string, folds int) ([]evaluate.CrossValidation, error) {
	return fit(p, cfg, true, func(o train.Options) ([]evaluate.CrossValidation, error) {
		return evaluate.CrossValidate(c.Context(), collection, names, folds, o)
	})
}

// summaryOfFolds returns the summary of a collection without the figures that differ between rounds.
func summaryOfFolds(collection *train.Collection) train.Summary {
	summary := collection.Summary()
	summary.Train, summary.Development, summary.Test, summary.Terms = 0, 0, 0, 0
	return summary
}

func printFoldsMade(w io.Writer, cfg config.Config, summary train.Summary, folds int, verbose bool) {
	printMail(w, summary)
	if verbose {
		printOddities(w, summary)
	}
	field(w, "split", "%d folds (%s)", folds, splitMethod(cfg.Split, cfg.Seed))
	if verbose {
		printGroups(w, summary, "fold")
	}
	fmt.Fprintln(w)
}

// printFolds prints one row for each model. It marks base with a star, and compares the others with it. The note says what base is.
func printFolds(w io.Writer, results []evaluate.CrossValidation, base evaluate.CrossValidation, note string, verbose bool) {
	differences := evaluate.AgainstBase(results, base)
	var rows []compared
	for m, r := range results {
		row := compared{model: r.Model, test: &r.Test, base: r.Model == base.Model}
		if !row.base {
			row.difference = &differences[m]
		}
		rows = append(rows, row)
	}
	printCompared(w, "", rows)
	if len(results) > 1 {
		if rows[0].isOfSpamFilter() {
			note += hmNote
		}
		fmt.Fprintln(w)
		screen.Paragraph(w, "", "%s %s", note, sameNote)
	}
	if !verbose {
		return
	}
	fmt.Fprintln(w)
	t := newTable(w, "model", "deviation", "lam%", "(1-ROCA)%", "+", "-", "p", "features")
	for m, r := range results {
		better, worse, p := differenceOf(rows[m].difference)
		screen.Printf(t, "%s\t%.2f\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Model, r.Deviation, percent(r.Test.LAM, 2), percent(r.Test.OneMinusROCA, 4), better, worse, p, r.Kind)
	}
	t.Flush()
	fmt.Fprint(w, differenceNote, "deviation is that of the accuracy over the folds, in percentage points.\n")
}
