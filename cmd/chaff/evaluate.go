package main

import (
	"cmp"
	"fmt"

	"chaff/cmd/internal/delivery"
	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/train"
)

// evaluate measures a saved model.
func (p *program) evaluate(x *experiment) error {
	f, err := delivery.OpenModel(x.model)
	if err != nil {
		return err
	}
	mail, err := x.sources.open()
	if err != nil {
		return err
	}
	s := f.Settings()
	if !sameClasses(mail.classes, s.Classes) {
		return fmt.Errorf("the mail has the classes %q, the model %s has %q", mail.classes, x.model, s.Classes)
	}
	summary := func(e evaluate.Evaluation) train.Summary { return e.Summary }
	e, err := read(p, mail, summary, func(step func(read, all int)) (evaluate.Evaluation, error) {
		return evaluate.Filter(x.command.Context(), f, mail.source, x.mistakes, train.ReadOptions{Workers: x.Workers, Progress: step})
	})
	if err != nil {
		return err
	}
	result := train.Result{Model: s.Model, Kind: s.Kind, Terms: f.Vocabulary().Len(), Thresholds: s.Thresholds, Test: &e.Figures, Verdicts: e.Verdicts, Calibration: s.Calibration}
	if x.page.wanted() {
		page, err := evaluationPage(f, result, e)
		if err := cmp.Or(err, x.page.write(page)); err != nil {
			return err
		}
	}
	if x.asJSON {
		return printJSON(p.stdout, evaluationReport{resultReport{Corpus: e.Summary, Models: []train.Result{result}, File: x.model}, e.Review})
	}
	printCorpus(p.stdout, e.Summary)
	screen.Printf(p.stdout, "model       %s on %s, %s\n\n", s.Model, s.Kind, x.model)
	printFigures(p.stdout, []partFigures{{"this mail", &e.Figures}})
	fmt.Fprintln(p.stdout)
	printTest(p.stdout, s.Classes, &e.Figures)
	if e.Verdicts != nil {
		screen.Printf(p.stdout, "\nWith the model's thresholds, spam above %s and unsure above %s:\n", threshold(s.Thresholds.Spam), threshold(s.Thresholds.Unsure))
		printVerdicts(p.stdout, *e.Verdicts)
	}
	printReview(p.stdout, e.Review)
	return nil
}

// evaluationReport is the JSON of evaluate.
type evaluationReport struct {
	resultReport
	Review evaluate.Review `json:"review"`
}
