package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/corpus"
	"chaff/evaluate"
	"chaff/features"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

func compareCommand(p *program) *cobra.Command {
	var x experiment
	var folds int
	names, kinds := models.Names(), []string(nil)
	c := &cobra.Command{
		Use:   "compare PATH...",
		Short: "Train models on the same mail and compare them",
		Long: `Compare trains every model on the same training part and prints their accuracy
on the development and the test part, the best on development mail first. It
saves nothing. --models names some of the models, and --features the kinds of
feature that they are trained on, where a model takes them: bits, counts,
"normalised bits", "normalised counts" or "head bits".`,
		Example: `  chaff compare --folders enron1
  chaff compare --ham inbox --spam junk --seed 7 --json
  chaff compare --ham inbox --spam junk --folds 10
  chaff compare ~/Maildir --models bernoulli,multinomial,perceptron,softmax \
    --features bits,counts --smoothing 1`,
		RunE: func(*cobra.Command, []string) error {
			features, err := x.kindsOf(names, kinds)
			if err != nil {
				return err
			}
			names = slices.DeleteFunc(models.Names(), func(name string) bool { return !slices.Contains(names, name) })
			if !x.command.Flags().Changed("folds") {
				return x.compareParts(names, features)
			}
			if err := evaluate.ValidateFolds(folds, x.Split); err != nil {
				return fmt.Errorf("--folds: %w", err)
			}
			if len(features) > 1 {
				return errors.New("--features: name one kind with --folds")
			}
			return x.crossValidate(names, folds)
		},
	}
	x.add(p, c, "", "workers", "memory", "seed", "split", "smoothing")
	x.addPage(false)
	c.Flags().StringSliceVar(&names, "models", names, "compare the models `NAMES`")
	c.Flags().Lookup("models").DefValue = "all"
	_ = c.RegisterFlagCompletionFunc("models", cobra.FixedCompletions(models.Names(), cobra.ShellCompDirectiveNoFileComp))
	c.Flags().StringSliceVar(&kinds, "features", nil, "train them on features of the `KINDS` instead of their own")
	c.Flags().IntVar(&folds, "folds", 0, "train each model `K` times, each time with another fold of the mail as the test part, and print the test figures over all messages")
	return c
}

// kindsOf checks the models and the kinds of feature to compare, and returns the kinds.
func (x *experiment) kindsOf(names, kinds []string) (all []features.Kind, err error) {
	for _, name := range names {
		if !slices.Contains(models.Names(), name) {
			return nil, fmt.Errorf("--models: there is no model %s; the models are %s", name, strings.Join(models.Names(), ", "))
		}
	}
	for _, name := range kinds {
		kind, err := features.ParseKind(name)
		if err != nil {
			return nil, fmt.Errorf("--features: %w", err)
		}
		all = append(all, kind)
	}
	if len(all) == 1 {
		x.Config.Models = x.Config.Models.WithFeatures(all[0])
	}
	return all, nil
}

// compareParts trains models, on each of the kinds of feature or on their own, on the training part, and compares them. It reports models
// that cannot be trained on stderr.
func (x *experiment) compareParts(names []string, kinds []features.Kind) error {
	collection, err := x.collect()
	if err != nil {
		return err
	}
	all, failed, err := evaluate.Compare(x.command.Context(), collection, names, x.trainOptions(x.page), kinds...)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.Join(failed...)
	}
	for _, err := range failed {
		x.aside("left out: %v", err)
	}
	_, leaks, err := x.look(collection, all)
	if err != nil {
		return err
	}
	results := resultsOf(all)
	summary, warnings := collection.Summary(), doubts(results, collection.Classes, leaks)
	return x.show(resultReport{Corpus: summary, Models: results}, func(a *answer) {
		a.collected(summary, x.Config)
		a.gap()
		addComparison(a, results, "on test mail")
		if !a.verbose {
			a.doubts(warnings)
			a.gap()
			x.more(a)
			return
		}
		a.gap()
		t := a.table(0, "model", "train", "log loss", "Brier score", "(1-ROCA)%", "CPU s", "terms", "size", "features")
		for _, r := range results {
			t.Row(r.Model, figureOf(r.Train, "accuracy"), figuresOf(r.Test, "log loss", "Brier score", "(1-ROCA)%"), fmt.Sprintf("%.2f", r.Seconds), r.Terms, sizeOf(int64(r.Bytes)), r.Kind)
		}
		a.figureTable(t, "train: the accuracy on training mail. All other figures are of test mail.")
		a.doubts(warnings)
	})
}

func resultsOf(all []train.Trained) []train.Result {
	return mapped(all, func(t train.Trained) train.Result { return t.Result })
}

// resultReport is the JSON of train, compare and evaluate.
type resultReport struct {
	Corpus train.Summary  `json:"corpus"`
	Models []train.Result `json:"models"`
	File   string         `json:"file,omitempty"`
	// Mistakes are the worst; nil for compare.
	Mistakes []evaluate.Judged `json:"mistakes,omitzero"`
}

// addComparison adds one row for each model, the best first if there is mail to choose it on, and the verdicts of the first on messages that on describes. Rates of
// errors are those of the test part.
func addComparison(a *answer, results []train.Result, on string) {
	heads, figures, note := []string{"model", "dev.", "test", "95% interval"}, []string{"accuracy", "95% interval"}, "dev. and test: the accuracy on development and test mail."
	if f := cmp.Or(results[0].Test, results[0].Development); f != nil && (f.HM != nil || f.SM != nil) {
		heads, figures = append(heads, "hm%", "sm%"), append(figures, "hm%", "sm%")
		note += " hm%: ham lost, sm%: spam missed, on test mail if nothing were unsure."
	}
	isChoice := results[0].Development != nil && len(results) > 1
	switch {
	case isChoice:
		heads = append(heads, "against *")
		note = "* is the best on development mail. " + note +
			" same: no difference from * by more than chance (McNemar's test on test mail, Holm's correction, p < 0.05)."
	case results[0].Development == nil:
		note = "No model is marked as the best: there is no development mail to choose it on. " + note
	}
	t := a.table(0, heads...)
	for i, r := range results {
		cells := append([]string{rowName(results, r), figureOf(r.Development, "accuracy")}, figuresOf(r.Test, figures...)...)
		switch {
		case !isChoice:
		case i == 0:
			cells[0] += " *"
			fallthrough
		case r.AgainstBest == nil:
			cells = append(cells, "-")
		default:
			cells = append(cells, [...]string{"worse", "same", "better"}[1+r.AgainstBest.Difference()])
		}
		t.Row(cells)
	}
	a.figureTable(t, note)
	if v := results[0].Verdicts; v != nil {
		a.gap()
		a.verdicts("verdicts", v, "by "+rowName(results, results[0])+", "+on)
	}
}

// rowName returns the name of a result among others: the model, with its kind of feature if that tells it from another.
func rowName(all []train.Result, r train.Result) string {
	if slices.ContainsFunc(all, func(other train.Result) bool { return other.Model == r.Model && other.Kind != r.Kind }) {
		return r.Model + ", " + r.Kind
	}
	return r.Model
}

func (x *experiment) crossValidate(names []string, folds int) error {
	collection, err := x.collect()
	if err != nil {
		return err
	}
	results, err := evaluate.CrossValidate(x.command.Context(), collection, names, folds, x.trainOptions(x.page))
	if err != nil {
		return err
	}
	summary := collection.Summary()
	summary.Train, summary.Development, summary.Test, summary.Terms = 0, 0, 0, 0 // they differ between rounds
	r := foldsReport{summary, folds, results}
	if err := x.draw(summary, collection.Classes, r.trained(), "all messages, each classified by a model that has not seen it", nil); err != nil {
		return err
	}
	return x.show(r, func(a *answer) {
		a.mail(r.Corpus)
		a.fact("split", "%d folds (%s)", r.Folds, splitMethod(x.Split, x.Seed))
		if a.verbose {
			a.groups(r.Corpus, "fold")
		}
		a.gap()
		addComparison(a, resultsOf(r.trained()), heldOut)
		if a.verbose {
			a.gap()
			t := a.table(0, "model", "deviation", "lam%", "(1-ROCA)%", "features")
			for _, r := range r.Models {
				t.Row(r.Model, fmt.Sprintf("%.2f", r.Deviation), figuresOf(&r.Test, "lam%", "(1-ROCA)%"), r.Kind)
			}
			a.figureTable(t, "deviation is that of the accuracy over the folds, in percentage points.")
		}
		a.gap()
		x.more(a)
	})
}

type foldsReport struct {
	Corpus train.Summary              `json:"corpus"`
	Folds  int                        `json:"folds"`
	Models []evaluate.CrossValidation `json:"models"` // the best first
}

// trained returns what the folds share with models that are trained once, with the mean accuracy on development mail, by which they are sorted.
func (r foldsReport) trained() []train.Trained {
	return mapped(r.Models, func(m evaluate.CrossValidation) train.Trained {
		development := &metrics.Figures{Accuracy: m.Mean(corpus.Development).Accuracy}
		return train.Trained{Result: train.Result{Model: m.Model, Kind: m.Kind, Development: development, Test: &m.Test, Verdicts: m.Verdicts, AgainstBest: m.AgainstBest}}
	})
}
