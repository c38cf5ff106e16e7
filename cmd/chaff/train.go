package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"chaff/evaluate"
	"chaff/filter"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/models"
	"chaff/report"
	"chaff/store"
	"chaff/train"
)

type training struct {
	experiment
	noLog, quick bool
}

func trainCommand(p *program) *cobra.Command {
	var x training
	c := &cobra.Command{
		Use:   "train PATH... [-m FILE]",
		Short: "Train a model, print its accuracy, and save it",
		Long: `Train splits the mail into a training, a development and a test part. It trains
a model on the first part, and prints its accuracy on the other two. Then it
fits the model to all mail, chooses the thresholds for spam and unsure by scores
of models that had not learned the message, and saves it. Beside it, FILE.log
has what chaff learn needs to correct the model. Train changes nothing in a
mailbox.

A PATH is a Maildir or a folder of Thunderbird with a junk folder, a folder
whose subfolders are ham and spam by name, an mbox of Gmail, an index or a table
of labelled mail; or it has a name such as junk.mbox or inbox. For all other
mail a flag says what it is: --ham or --spam for a folder, an mbox, a message,
or an archive of these.

The models are ` + strings.Join(screen.Wrap(strings.Fields(strings.Join(models.Names(), ", ")), 68), "\n") + `.`,
		Example: `  chaff train ~/Maildir
  chaff train inbox.mbox junk.mbox.gz
  chaff train --ham work --ham lists.mbox --spam caught -m spam.model
  chaff train ~/Maildir --model bernoulli --set models.bernoulli.smoothing=0.1`,
		RunE: func(*cobra.Command, []string) error {
			if x.quick && x.Thresholds.Costs != "" {
				return errors.New("--quick measures nothing, and needs thresholds.costs=\"\"")
			}
			return x.train()
		},
	}
	x.add(p, c, "save", "model", "workers", "memory", "seed", "split")
	x.addPage(true)
	c.Flags().BoolVar(&x.noLog, "no-log", false, "save the model alone: it cannot learn single messages")
	c.Flags().BoolVar(&x.quick, "quick", false, "fit one model to all mail, and measure nothing; chaff retrain measures it later")
	x.addReplace()
	exclude(c, "quick", "report", "mistakes", "verbose") // which show what it does not measure
	return c
}

// trainingReport is the result of train. Models and review describe the model of the training part, saved_model the one fitted to all mail.
type trainingReport struct {
	resultReport
	Saved  train.Refitted  `json:"saved_model"`
	Leaks  []evaluate.Leak `json:"leaks,omitempty"`
	Doubts []doubtful      `json:"doubts,omitempty"` // the messages that look mislabelled

	classes, warnings []string // the latter are about the saved model
}

func (x *training) train() error {
	mail, err := x.sources.open()
	if err != nil {
		return err
	}
	ctx := x.command.Context()
	o, keepKey, err := x.forNewModel(mail.reads, replace.Output{Path: x.page, Kind: report.PageKind()})
	if err != nil {
		return err
	}
	o.Undivided = x.quick
	collection, err := x.divided(mail, o)
	if err != nil {
		return err
	}
	r := trainingReport{resultReport: resultReport{collection.Summary(), []train.Result{}, x.model, []evaluate.Judged{}}, classes: collection.Classes}
	learned := collection.Mail // the collection is out of use when it is fitted, which frees its memory
	f, err := x.fitModel(ctx, collection, &r)
	if err != nil {
		return err
	}
	r.warnings = doubts([]train.Result{{Model: x.Model, Report: models.Report{Warnings: r.Saved.Warnings}}}, r.classes, r.Leaks)
	if x.noLog {
		err = store.SaveAlone(ctx, x.model, f)
	} else {
		err = store.Create(ctx, x.model, learned, f, r.Saved, x.Store, x.replace)
	}
	if err := errors.Join(err, keepKey()); err != nil {
		return err
	}
	return x.show(r, func(a *answer) { x.describe(a, r) })
}

// fitModel fits the model to all mail, and before that, unless it is quick, to the training part, to measure it.
func (x *training) fitModel(ctx context.Context, collection *train.Collection, r *trainingReport) (f *filter.Filter, err error) {
	options := x.trainOptions(x.page)
	if x.quick {
		f, r.Saved, err = collection.Quick(ctx, x.Model, options)
		return f, err
	}
	trained, err := train.Fit(ctx, collection, x.Model, options)
	if err != nil {
		return nil, err
	}
	if r.Mistakes, r.Leaks, err = x.look(collection, []train.Trained{trained}); err != nil {
		return nil, err
	}
	r.Models = []train.Result{trained.Result}
	learned := collection.Mail
	if f, r.Saved, err = collection.Refit(ctx, trained, options); err == nil {
		r.Doubts = mapped(r.Saved.Doubts, func(d metrics.Doubt) doubtful {
			item, e := learned.Item(d.Message), learned.Entry(d.Message)
			raw, _ := item.Read(nil)
			return doubtOf(e.Fingerprint, item.Origin, learned.Classes[e.Label], d.Doubt, raw)
		})
	}
	return f, err
}

func (x *training) describe(a *answer, r trainingReport) {
	if a.verbose || !a.quiet {
		x.describeModel(a, r)
	}
	use := a.use()
	a.doubts(r.warnings)
	a.doubtful(len(r.Doubts), "chaff review"+use+" PATH")
	a.worst(r.Doubts)
	a.saved()
	if a.quiet {
		return
	}
	question, class := "is it spam?", "--spam"
	if !filter.IsSpamFilter(r.classes) {
		question, class = "which class is it?", "--class NAME"
	}
	next := a.table(0)
	next.Row("next      ", screen.Quoted("chaff classify"+use+" < message"), question)
	if !x.noLog {
		next.Row("", screen.Quoted("chaff learn "+class+use+" < message"), "correct it")
	}
	next.Flush()
	if len(r.Doubts) == 0 && !x.quick { // what matters fits fifteen lines
		x.more(a)
	}
}

// describeModel adds what the saved model learned, what its thresholds do, and how good a model of the training part was.
func (x *training) describeModel(a *answer, r trainingReport) {
	s := r.Saved
	a.collected(r.Corpus, x.Config)
	a.fact("learned", "%s of %s, by the model %s", screen.Plural(s.Terms, "term"), screen.Plural(s.Messages, "message"), x.Model)
	if len(r.Models) == 0 {
		a.fact("measured", "nothing; thresholds and probabilities come from mail that it knows")
		if !x.noLog {
			a.fact("", "chaff retrain%s chooses them anew, and measures it, given enough mail", a.use())
		}
		return
	}
	m, on := r.Models[0], ""
	a.accuracies(ofPart{"development", m.Development}, ofPart{"test", m.Test})
	if a.verbose {
		on = heldOut
		scores := screen.Plural(s.OutOfFold, "out-of-fold score")
		if a.thresholds(s.Thresholds); s.Thresholds != nil {
			a.fact("", "chosen on %s, %s", scores, chosenBy(x.Thresholds))
		} else {
			a.fact("probability", "from %s", scores)
		}
	}
	a.choice(s, on)
	if !a.verbose {
		return
	}
	a.gap()
	a.fact("measured", "%s on %s, %s of the training part; the figures below are of this model", m.Model, m.Kind, screen.Plural(r.Corpus.Terms, "term"))
	a.epochs(m)
	a.gap()
	a.figures(ofPart{"train", m.Train}, ofPart{"development", m.Development}, ofPart{"test", m.Test})
	if m.Test != nil {
		a.line("\nOn the test part:")
		a.errors(r.classes, m.Test)
		a.mistakes(r.classes, r.Mistakes, m.Test)
		a.gap()
	}
}
