package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/corpus"
	"chaff/evaluate"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/memory"
	"chaff/internal/screen"
	"chaff/models"
	"chaff/report"
	"chaff/train"
)

// findings are what the report and the terminal show of a trained model.
type findings struct {
	review   evaluate.Review
	leaks    []evaluate.Leak
	growth   evaluate.Growth
	doubtful []doubtful // of the labels of the saved model
}

func (p *program) train(x *experiment) error {
	mail, err := x.sources.open(x.paths)
	if err != nil {
		return err
	}
	if err := p.canSaveModel(x.model, x.reads(mail), x.outputs()...); err != nil {
		return err
	}
	ctx := x.command.Context()
	if !x.replace {
		if err := mayReplace(x.command, x.model); err != nil {
			return err
		}
	}
	reading, keepKey, err := p.secretReading(x.Config)
	if err != nil {
		return err
	}
	p.warnOfOtherModels(x.set, x.Model)
	o := collectOptions(x.Config, reading)
	collection, err := p.collect(x.command, o, mail)
	if err != nil {
		return err
	}
	var options train.Options
	trained, err := fit(p, x.Config, !x.verbose, func(o train.Options) (train.Trained, error) {
		o.Unwatched = !x.verbose && !x.asJSON && !x.page.wanted()
		options = o
		return train.Fit(ctx, collection, x.Model, o)
	})
	if errors.Is(err, models.ErrDiverged) {
		why, whyErr := options.WhyDiverged(ctx, collection, x.Model)
		return cmp.Or(whyErr, hint.With(err, why))
	}
	if err != nil {
		return err
	}
	memory.Release() // what the trainer took
	result := trained.Result
	var found findings
	if found.leaks, err = evaluate.Leaks(collection); err != nil {
		return err
	}
	shown := x.mistakes
	if x.page.wanted() {
		shown = max(shown, shownTerms)
	}
	if found.review, err = evaluate.ReviewPart(ctx, collection, trained.Filter, corpus.Test, shown); err != nil {
		return err
	}
	var page report.Page
	if x.page.wanted() {
		if page, err = p.trainedPage(x, "chaff train: "+result.Model, collection, []train.Trained{trained}, found.first(shownTerms)); err != nil {
			return err
		}
	}
	found = found.first(x.mistakes)
	if x.verbose && !x.asJSON {
		if found.growth, err = evaluate.GrowthOf(ctx, collection, trained, options); err != nil {
			return err
		}
	}
	summary, learned := collection.Summary(), collection.Mail
	warnings := []train.Result{result}
	var f *filter.Filter
	var refitted *train.Refitted
	if x.Train.Refit { // the collection and the model of the training part are out of use then, which frees their memory
		saved, refit, err := collection.Refit(ctx, trained, options)
		if err != nil {
			return err
		}
		f, refitted = saved, &refit
		warnings[0].Warnings = refit.Warnings // of the model that is saved
		addRefitted(&page, summary, refit, doubts(warnings))
	} else {
		f = trained.Filter
		page.Facts = append(verdictFacts(result.Verdicts, "the test part"), page.Facts...)
	}
	if err := x.page.write(page); err != nil {
		return err
	}
	classes := learned.Classes()
	if refitted != nil {
		found.doubtful = doubtsOf(learned, refitted.Doubtful, f)
	}
	if x.withStore() {
		err = saveStore(ctx, learned, f, x.model, *refitted, x.Store, x.replace)
	} else {
		err = saveAlone(ctx, f, x.model)
	}
	if err := errors.Join(err, keepKey()); err != nil {
		return err
	}
	if x.asJSON {
		return printJSON(p.stdout, trainingReport{resultReport{summary, []train.Result{result}, x.model}, refitted, found.review, found.leaks, found.doubtful})
	}
	switch {
	case x.verbose:
		p.printTrainedFully(x, summary, result, refitted, found, classes)
		p.printLeaks(classes, found.leaks)
		p.printWarnings(warnings)
	case p.quiet:
		p.printImportant(classes, found.leaks, warnings)
	default:
		printTrained(p.stdout, summary, result, refitted)
		if x.wantsMistakes() {
			printReview(p.stdout, classes, found.review)
			fmt.Fprintln(p.stdout)
		}
		p.printImportant(classes, found.leaks, warnings)
	}
	p.printWorst(found.doubtful, "chaff review"+useOf(x.command, x.model)+again(x.command, x.paths))
	p.printSaved(x, classes)
	return nil
}

// withStore reports whether the model is saved with a log. That of a part of the mail is not: it is for measuring.
func (x *experiment) withStore() bool { return !x.noStore && x.Train.Refit }

// printTrainedFully prints all figures of train.
func (p *program) printTrainedFully(x *experiment, summary train.Summary, result train.Result, refitted *train.Refitted, found findings, classes []string) {
	printSplit(p.stdout, x.Config, summary)
	field(p.stdout, "model", "%s on %s", result.Model, result.Kind)
	printTraining(p.stdout, result)
	fmt.Fprintln(p.stdout)
	printFigures(p.stdout, []partFigures{{"train", result.Train}, {"development", result.Development}, {"test", result.Test}})
	if refitted == nil {
		printVerdictsOfParts(p.stdout, result, x.Thresholds)
	}
	if result.Test != nil {
		fmt.Fprintln(p.stdout, "\nOn the test part:")
		printTest(p.stdout, classes, result.Test)
		printReview(p.stdout, classes, found.review)
	}
	printGrowth(p.stdout, found.growth)
	if refitted != nil {
		printRefitted(p.stdout, *refitted, x.Thresholds)
	} else {
		printGuarantee(p.stdout, result.Promise)
	}
}

// printSaved prints where the model is, and what to do next.
func (p *program) printSaved(x *experiment, classes []string) {
	screen.Printf(p.stdout, "%-12s%s\n", "saved", savedFiles(x.model))
	if p.quiet {
		return
	}
	use := useOf(x.command, x.model)
	question, class := "is it spam?", "--spam"
	if !filter.IsSpamFilter(classes) {
		question, class = "which class is it?", "--class NAME"
	}
	next := [][2]string{{"chaff classify" + use + " < message", question}, {"chaff explain" + use + " < message", "why?"}}
	if hasStore(x.model) == nil {
		next = append(next, [2]string{"chaff learn " + class + use + " < message", "correct it"})
	}
	printNext(p.stdout, next...)
	x.printMore(p.stdout)
}

// first returns the findings with at most n messages of each kind.
func (f findings) first(n int) findings {
	f.review.Mistakes = f.review.Mistakes[:min(n, len(f.review.Mistakes))]
	f.review.LeastCertain = f.review.LeastCertain[:min(n, len(f.review.LeastCertain))]
	return f
}

// trainingReport is the JSON of train. Models and review describe the model of the training part, saved_model the one fitted
// to all mail.
type trainingReport struct {
	resultReport
	Saved  *train.Refitted `json:"saved_model,omitempty"`
	Review evaluate.Review `json:"review"`
	Leaks  []evaluate.Leak `json:"leaks,omitempty"`
	// Doubtful are the messages that look mislabelled.
	Doubtful []doubtful `json:"doubtful,omitempty"`
}

// resultReport is the JSON of train, compare and evaluate.
type resultReport struct {
	Corpus train.Summary  `json:"corpus"`
	Models []train.Result `json:"models"`
	File   string         `json:"file,omitempty"`
}

// collect reads and divides mail.
func (p *program) collect(c *cobra.Command, o train.CollectOptions, mail labelled) (*train.Collection, error) {
	return read(p, mail, (*train.Collection).Summary, func(step func(read, all int)) (*train.Collection, error) {
		o.Progress = step
		return train.Collect(c.Context(), mail.source, mail.classes, o)
	})
}

// read runs a function that reads mail, with a progress bar. It reports the sources and the messages left out on stderr.
func read[T any](p *program, mail labelled, summary func(T) train.Summary, read func(step func(read, all int)) (T, error)) (T, error) {
	p.printSources(mail)
	step, done := p.progress("reading mail")
	result, err := read(step)
	done()
	switch oneClass := errors.Is(err, train.ErrOneClass); {
	case mail.unread != "" && (oneClass || errors.Is(err, train.ErrNoMail)):
		return result, hint.With(err, fmt.Sprintf("the mail of %s is left out, since nobody has read it: --ham %s takes it for ham", mail.unread, shellWord(mail.unread)))
	case errors.Is(err, train.ErrNoMail):
		return result, hint.With(err, "check the paths: chaff reads Maildirs, mbox files, folders of messages, archives of these, and single messages")
	case oneClass && mail.noJunk != "":
		return result, noJunkFolder(mail.noJunk, err)
	case oneClass:
		return result, hint.With(err, "give ham and spam, each with messages: --ham PATH and --spam PATH")
	case err != nil:
		return result, err
	}
	p.printProblems(summary(result))
	for _, warning := range summary(result).Warnings {
		p.warn(warning)
	}
	return result, nil
}

// fit runs a function that trains models with the options in force. On a terminal it shows each epoch; several models share one
// line.
func fit[T any](p *program, c config.Config, several bool, run func(train.Options) (T, error)) (T, error) {
	tell, done := p.epochs(several)
	result, err := run(train.Options{Models: c.Models, Thresholds: c.Thresholds, Epoch: tell})
	done()
	if errors.Is(err, models.ErrNoDocuments) {
		err = hint.With(err, "give more mail of that class, or more of it to training: --set split.train=0.8 --set split.development=0.1 --set split.test=0.1")
	}
	return result, err
}
