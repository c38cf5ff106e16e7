package main

import (
	"fmt"
	"strconv"

	"chaff/metrics"
	"chaff/report"
	"chaff/train"
)

// tuningPage is the page about a search.
func (s search) tuningPage(found outcome) report.Page {
	c := found.corpus
	page := report.Page{Title: "chaff tune", Subtitle: corpusLine(c), Classes: classesOf(c)}
	best := found.trials[0]
	page.Facts = append(corpusFacts(s.base, c),
		report.Fact{Name: "Search", Value: fmt.Sprintf("%s, %d of %s finished (%s)", s.base.Tune.Method, len(found.trials), plural(len(s.plan.Trials), "trial"), found.end)},
		report.Fact{Name: "Compared by", Value: s.base.Tune.Objective + " on " + s.comparedOn(c)},
		report.Fact{Name: "Best", Value: fmt.Sprintf("trial %d: %s; its settings are in %s", best.Candidate+1, reached(best, s.base.Tune.Objective), s.out)})
	if found.test != nil {
		page.Facts = append(page.Facts, report.Fact{Name: "Best on the test part", Value: testLine(found.test)})
		page.Of, page.On = "the best trial", "the test part"
		page.Reliability, page.Confusion = found.test.Reliability, found.test.Confusion
	}
	for i, row := range s.rows(found.trials) {
		trial := s.trialRow(row)
		trial.Best = i == 0
		page.Trials = append(page.Trials, trial)
	}
	return page
}

// trialRow is a row of the table of trials.
func (s search) trialRow(row tuneRow) report.Trial {
	trial := report.Trial{Note: row.Error, Settings: []report.Fact{{Name: "trial", Value: strconv.Itoa(row.Trial)}}}
	keys := s.keys()
	for i, value := range s.cells(row) {
		trial.Settings = append(trial.Settings, report.Fact{Name: keys[i], Value: value})
	}
	if row.Share < 1 {
		trial.Settings = append(trial.Settings, report.Fact{Name: "trained on", Value: fmt.Sprintf("%.4g%%", 100*row.Share)})
	}
	if o := row.Outcome; row.Error == "" {
		trial.Development = &metrics.Figures{Accuracy: o.Accuracy, SpamFigures: o.SpamFigures, LogLoss: o.LogLoss}
	}
	return trial
}

// classesOf returns the names of the classes.
func classesOf(c train.Summary) []string {
	names := make([]string, len(c.Classes))
	for i, class := range c.Classes {
		names[i] = class.Name
	}
	return names
}
