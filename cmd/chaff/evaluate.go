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
	var e evaluate.Evaluation
	err = p.read(mail, func(step func(read, all int)) (train.Summary, error) {
		e, err = evaluate.Filter(x.command.Context(), f, mail.source, x.mistakes, train.ReadOptions{Workers: x.Workers, Progress: step})
		return e.Summary, err
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
	if err := printFigures(p.stdout, []partFigures{{"this mail", &e.Figures}}); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout)
	if err := printTest(p.stdout, s.Classes, &e.Figures); err != nil {
		return err
	}
	if e.Verdicts != nil {
		screen.Printf(p.stdout, "\nWith the model's thresholds, spam above %s and unsure above %s:\n", threshold(s.Thresholds.Spam), threshold(s.Thresholds.Unsure))
		printVerdicts(p.stdout, *e.Verdicts)
	}
	return printReview(p.stdout, e.Review)
}

// evaluationReport is the JSON of evaluate.
type evaluationReport struct {
	resultReport
	Review evaluate.Review `json:"review"`
}
