package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"chaff/evaluate"
	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/models"
	"chaff/report"
	"chaff/train"
)

// experiment is a command that trains or measures models on labelled mail: its flags, and the settings in force.
type experiment struct {
	onModel
	sources  sourceFlags
	page     string // the path of the page to draw; empty for none
	drawn    report.Page
	mistakes uint
}

// add adds the flags that all experiments share, those for the named settings, and that for the model, which the verb is done to.
func (x *experiment) add(p *program, c *cobra.Command, verb string, settings ...string) {
	x.sources.add(c)
	x.onModel.add(p, c, verb, "print the result as JSON", settings...)
	c.Flags().BoolVarP(&p.verbose, "verbose", "v", false, "print all figures")
}

// addPage adds the flag for a page, and that for the mistakes, if it shows any.
func (x *experiment) addPage(mistakes bool) {
	x.command.Flags().StringVar(&x.page, "report", "", "write a page with tables and plots to `FILE`")
	if mistakes {
		x.command.Flags().UintVar(&x.mistakes, "mistakes", 3, "show the `N` worst mistakes")
	}
}

// open opens the mail, if all outputs can be written: those of the flags that experiments share, and others.
func (x *experiment) open(others ...replace.Output) (labelled, error) {
	mail, err := x.sources.open()
	if err != nil {
		return mail, err
	}
	return mail, canWrite(append(mail.reads, x.File), append(others, replace.Output{Path: x.page, Kind: report.PageKind()})...)
}

func (x *experiment) collect(others ...replace.Output) (*train.Collection, error) {
	mail, err := x.open(others...)
	if err != nil {
		return nil, err
	}
	return x.divided(mail, collectOptions(x.Config))
}

// show writes the page of a result, if it is wanted, and prints the result. A page has all that the text has, the verdicts first.
func (x *experiment) show(computed any, describe func(a *answer)) error {
	if x.page != "" {
		silent := *x.program
		silent.stdout, silent.stderr, silent.verbose, silent.quiet = newOutput(io.Discard), newOutput(io.Discard), true, false
		describe(&answer{&silent, &x.drawn})
		facts := x.drawn.Facts
		if i := slices.IndexFunc(facts, func(f report.Fact) bool { return f.Name == "verdicts" }); i > 0 {
			verdicts := facts[i]
			x.drawn.Facts = slices.Insert(slices.Delete(facts, i, i+1), 0, verdicts)
		}
		if err := x.writeFile(x.page, report.PageKind(), x.drawn.WriteHTML); err != nil {
			return err
		}
	}
	return x.program.show(computed, describe)
}

// more says where the rest of the figures is.
func (x *experiment) more(a *answer) {
	text := "--verbose prints all figures"
	if x.page == "" {
		text += "; --report FILE.html draws them"
	}
	if !a.verbose {
		a.fact("more", "%s", text)
	}
}

// divided reads mail and divides it into parts.
func (x *onModel) divided(mail labelled, o train.CollectOptions) (*train.Collection, error) {
	printSources(x.program, mail)
	o.Progress = x.progress("reading mail", "messages")
	c, err := train.Collect(x.command.Context(), mail.source, mail.classes, o)
	return c, x.wasRead(mail, c, err)
}

func (x *onModel) read(mail labelled, o train.ReadOptions) (*train.Mail, error) {
	printSources(x.program, mail)
	o.Progress = x.progress("reading mail", "messages")
	m, err := train.Read(x.command.Context(), mail.source, mail.classes, o)
	if mail.isPart && errors.Is(err, train.ErrNoMail) { // another task has the messages
		err = nil
	}
	return m, x.wasRead(mail, m, err)
}

// wasRead reports the messages left out on stderr, or returns the error with what the user can do.
func (p *program) wasRead(mail labelled, result interface{ Summary() train.Summary }, err error) error {
	switch oneClass := errors.Is(err, train.ErrOneClass); {
	case mail.unread != "" && (oneClass || errors.Is(err, train.ErrNoMail)):
		return hint.With(err, fmt.Sprintf("the mail of %s is left out, since nobody has read it: --ham %s takes it for ham", mail.unread, hint.Word(mail.unread)))
	case errors.Is(err, train.ErrNoMail):
		return hint.With(err, "check the paths: chaff reads Maildirs, mbox files, folders of messages, archives of these, and single messages; to begin with no mail: chaff learn --begin"+p.use())
	case oneClass && mail.noJunk != "":
		return hint.With(fmt.Errorf("%s has no folder for spam: %w", mail.noJunk, err), noSpamFolder+"; name yours: "+hint.Word(mail.noJunk)+" --spam FOLDER")
	case oneClass:
		return hint.With(err, "give ham and spam, each with messages: --ham PATH and --spam PATH; to begin with one class: chaff learn --begin"+p.use()+" PATH")
	case err != nil:
		return err
	}
	s := result.Summary()
	p.first("left out", s.Problems, s.Unreadable)
	if left := s.NoMail.String(); left != "" && p.quiet { // else the answer has it
		p.aside("%s", left)
	}
	for _, warning := range slices.Concat(s.Remarks, s.Warnings) {
		p.warn(warning)
	}
	return nil
}

// readFor opens the mail and reads it as a model does.
func (x *experiment) readFor(f *filter.Filter, others ...replace.Output) (*train.Mail, error) {
	mail, err := x.open(others...)
	if err == nil {
		err = mail.match(x.model, f)
	}
	if err != nil {
		return nil, err
	}
	return x.read(mail, train.ReadOptions{Reading: f.Settings().Reading, Workers: x.Workers})
}

// trainOptions returns the options in force for a fit. A terminal shows each epoch, else progress says how far a long fit is. The figures of epochs are for
// verbose answers, JSON and a page.
func (x *onModel) trainOptions(page string) train.Options {
	o := train.Options{Models: x.Models, Thresholds: x.Thresholds, Unwatched: !x.verbose && !x.asJSON && page == ""}
	if x.isWatched() {
		o.Epoch = func(model string, e models.Epoch) { x.stderr.show(model + " " + epochLine(e)) }
	} else {
		o.Pass = x.progress(fittingModel, "epochs")
	}
	return o
}

// Limits of what a page shows.
const (
	maxCurves  = 6
	shownTerms = 15
)

// draw draws models that were measured on the same mail, which on describes, the best first: the figures, the mistakes and, if its filter is given, the
// strongest terms of the best.
func (x *experiment) draw(s train.Summary, classes []string, all []train.Trained, on string, mistakes []evaluate.Judged) (err error) {
	if x.page == "" {
		return nil
	}
	results, best := resultsOf(all), all[0]
	x.drawn = report.Page{
		Title: x.command.CommandPath(), Subtitle: corpusLine(s), Classes: classes, Models: slices.Clone(results), On: on,
		Warnings: slices.Concat(s.Remarks, s.Warnings), Mistakes: mistakes,
	}
	if len(all) == 1 {
		x.drawn.Title += ": " + best.Result.Model
	}
	for i, t := range all {
		x.drawn.Models[i].Model = rowName(results, t.Result)
		if i < maxCurves && t.Filter != nil && t.Result.Thresholds != nil {
			x.drawn.Curves = append(x.drawn.Curves, t.Test.Margins().ErrorCurve())
		}
	}
	if best.Filter != nil {
		x.drawn.Strongest, err = best.Filter.Strongest(shownTerms)
	}
	if errors.Is(err, filter.ErrNoTexts) {
		return nil
	}
	return err
}

// look finds the leaks of a collection and the worst mistakes of the first of the models that were trained on it, the best, and draws them if there is a page.
func (x *experiment) look(collection *train.Collection, all []train.Trained) (mistakes []evaluate.Judged, leaks []evaluate.Leak, err error) {
	train.ReleaseMemory() // what the trainers took
	if leaks, err = evaluate.Leaks(collection); err != nil {
		return nil, nil, err
	}
	ctx, shown := x.command.Context(), int(x.mistakes)
	switch {
	case x.page != "":
		shown = max(shown, shownTerms)
	case !x.verbose && !x.asJSON: // a short answer has none
		shown = 0
	}
	if mistakes = []evaluate.Judged{}; shown > 0 {
		mistakes, err = evaluate.Mistakes(ctx, collection, all[0], shown)
	}
	if err == nil && x.page != "" {
		err = x.draw(collection.Summary(), collection.Classes, all, "the test part", mistakes)
		if boundary, none := evaluate.BoundaryOf(ctx, collection); none == nil { // some mail has no two words that separate
			x.drawn.Boundary = &boundary
		}
		err = cmp.Or(err, context.Cause(ctx))
	}
	return mistakes[:min(int(x.mistakes), len(mistakes))], leaks, err
}

func evaluateCommand(p *program) *cobra.Command {
	var x experiment
	var online bool
	c := &cobra.Command{
		Use:   "evaluate [-m FILE | --online] PATH...",
		Short: "Measure a saved model on labelled mail",
		Long: `Evaluate classifies labelled mail with a saved model and prints its accuracy.
Use mail that the model was not trained on. chaff compare --folds trains models
on parts of the mail and measures them on the rest.`,
		Example: `  chaff evaluate -m spam.model --trec index
  chaff evaluate --ham inbox --spam junk --json
  chaff evaluate --online --ham inbox --spam junk --model softmax`,
		RunE: func(c *cobra.Command, _ []string) error {
			if online {
				return x.evaluateOnline()
			}
			if c.Flags().Changed("model") {
				return errors.New("--model needs --online; -m FILE names a saved model")
			}
			x.warnOfSettings()
			return x.evaluate()
		},
	}
	x.add(p, c, "measure", "model", "workers", "memory")
	x.addPage(true)
	c.Flags().BoolVar(&online, "online", false, "replay the mail through a new model: classify each message, then learn it")
	exclude(c, "online", "model-file", "report", "mistakes")
	return c
}

func (x *experiment) evaluate() error {
	f, err := x.openModel()
	if err != nil {
		return err
	}
	read, err := x.readFor(f)
	if err != nil {
		return err
	}
	e, err := evaluate.Filter(x.command.Context(), f, read, int(x.mistakes), x.Workers)
	if err != nil {
		return err
	}
	const maxKnown = 0.05 // below that, the same letters may have reached two mailboxes
	if n := e.Result.Test.Messages; float64(e.Learned) >= maxKnown*float64(n) {
		of := screen.Sprintf("%d of these %d messages", e.Learned, n)
		if n == 1 {
			of = "this message"
		}
		e.Result.Warnings = append(e.Result.Warnings,
			"the model was trained on "+of+", so the figures are too good; measure it on other mail, or other models on this: chaff compare --folds 5")
	}
	if err := x.draw(read.Summary(), read.Classes, []train.Trained{e.Trained}, "this mail", e.Mistakes); err != nil {
		return err
	}
	r := resultReport{read.Summary(), []train.Result{e.Result}, x.model, e.Mistakes}
	return x.show(r, func(a *answer) {
		m := r.Models[0]
		a.mail(r.Corpus)
		a.line("%-12s%s, %s on %s", "model", r.File, m.Model, m.Kind)
		a.accuracies(ofPart{"this mail", m.Test})
		a.verdicts("verdicts", m.Verdicts, "")
		if a.verbose {
			a.thresholds(m.Thresholds)
			a.gap()
			a.figures(ofPart{"this mail", m.Test})
			a.gap()
			a.errors(read.Classes, m.Test)
		}
		for _, warning := range m.Warnings {
			a.warn(warning)
		}
		a.mistakes(read.Classes, r.Mistakes, m.Test)
		if !a.verbose {
			a.gap()
			x.more(a)
		}
	})
}

type replayReport struct {
	Corpus  train.Summary     `json:"corpus"`
	Seconds float64           `json:"reading_cpu_seconds"`
	Models  []evaluate.Replay `json:"models"` // one
}

// evaluateOnline replays mail: a new model classifies each message, then learns it.
func (x *experiment) evaluateOnline() error {
	mail, err := x.open()
	if err != nil {
		return err
	}
	x.warnOfModels()
	o := collectOptions(x.Config).ReadOptions
	o.Copies = true // a mailbox receives them too
	began := cputime.Process()
	read, err := x.read(mail, o)
	if err == nil && !x.command.Flags().Changed("trec") { // an index has an order of its own
		read, err = evaluate.ByTime(read)
	}
	if err != nil {
		return err
	}
	if undated := read.Undated(); undated > 0 && !x.command.Flags().Changed("trec") {
		x.warn(screen.Sprintf("%d of %d messages have no time of delivery, and come last, in the order of their paths", undated, read.Len()))
	}
	seconds := (cputime.Process() - began).Seconds()
	r, err := evaluate.ReplayTo(x.command.Context(), x.Model, read, train.Options{Models: x.Models, Thresholds: x.Thresholds})
	if err != nil {
		return err
	}
	return x.show(replayReport{read.Summary(), seconds, []evaluate.Replay{r}}, func(a *answer) {
		a.mail(read.Summary())
		a.fact("replay", "%s on %s, %.2f CPU seconds", r.Model, r.Kind, r.Seconds)
		a.accuracies(ofPart{"replay", &r.Figures})
		a.verdicts("verdicts", r.Verdicts, "with thresholds from what was learned before")
		a.gap()
		if a.verbose {
			a.figures(ofPart{"replay", &r.Figures})
		} else {
			a.fact("more", "--verbose prints all figures")
		}
	})
}
