package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/schollz/progressbar/v3"

	"chaff/config"
	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/report"
	"chaff/train"
)

type tuneReport struct {
	Corpus    train.Summary    `json:"corpus"`
	Method    string           `json:"method"`
	Objective string           `json:"objective"`
	Folds     int              `json:"folds,omitempty"`
	Planned   int              `json:"planned"`        // combinations
	LeftOut   int              `json:"left_out"`       // invalid combinations
	End       string           `json:"end"`            // "complete", "out of time" or "interrupted"
	Trials    []tuneRow        `json:"trials"`         // the best first
	File      string           `json:"file"`           // of the best settings
	Test      *metrics.Figures `json:"test,omitempty"` // of the best settings
}

// tuneRow is a trial, numbered from 1, with its settings.
type tuneRow struct {
	Trial    int             `json:"trial"`
	Settings []config.Choice `json:"settings"`
	metrics.Outcome
	Seconds float64 `json:"cpu_seconds"`
	Error   string  `json:"error,omitempty"`
}

func (s search) rows(trials []evaluate.Trial) []tuneRow {
	rows := make([]tuneRow, len(trials))
	for i, t := range trials {
		rows[i] = tuneRow{t.Candidate + 1, s.plan.Trials[t.Candidate].Choices, t.Development, t.Seconds, t.Error}
	}
	return rows
}

// cells returns the settings of a trial in the order of the search. A setting of another model is a dash.
func (s search) cells(row tuneRow) []string {
	cells := make([]string, len(s.base.Tune.Search))
	for i, entry := range s.base.Tune.Search {
		cells[i] = "-"
		for _, choice := range row.Settings {
			if strings.EqualFold(choice.Key, entry.Key) {
				cells[i] = cell(choice.Value)
			}
		}
	}
	return cells
}

func cell(value any) string {
	if list, isList := value.([]string); isList {
		return strings.Join(list, ", ")
	}
	return fmt.Sprint(value)
}

func (s search) keys() []string {
	keys := make([]string, len(s.base.Tune.Search))
	for i, entry := range s.base.Tune.Search {
		keys[i] = strings.ToLower(entry.Key)
	}
	return keys
}

func (s search) write(found outcome) error {
	if err := writeBytes(s.out, bestKind(), s.best(found)); err != nil {
		return err
	}
	if s.trials == "" {
		return nil
	}
	table, err := s.csv(s.rows(found.trials))
	if err != nil {
		return err
	}
	return writeBytes(s.trials, trialsKind(), table)
}

func (s search) best(found outcome) []byte {
	trial := found.trials[0]
	var b bytes.Buffer
	fmt.Fprintf(&b, bestMark+"trial %d of %d (%s), %s on %s.\n", trial.Candidate+1, len(s.plan.Trials), found.end,
		reached(trial, s.base.Tune.Objective), s.comparedOn(found.corpus))
	b.WriteString(config.TOML(s.plan.Trials[trial.Candidate].Config.Differences()))
	return b.Bytes()
}

// reached describes the accuracy of a trial, and its objective if that is another figure.
func reached(t evaluate.Trial, objective string) string {
	text := fmt.Sprintf("accuracy %.2f%%", t.Development.Accuracy)
	if objective != metrics.ByAccuracy {
		cost := t.Development.Cost(objective)
		text = fmt.Sprintf("%s %s, %s", objective, number(&cost), text)
	}
	return text
}

// comparedOn names the mail that compares trials.
func (s search) comparedOn(c train.Summary) string {
	if s.folds > 0 {
		return fmt.Sprintf("development mail, mean of %d folds of %d messages", s.folds, c.Train+c.Development)
	}
	return fmt.Sprintf("the development part, %d messages", c.Development)
}

// csv returns the table of trials, the best first. An undefined figure is empty.
func (s search) csv(rows []tuneRow) ([]byte, error) {
	header := append([]string{"trial"}, s.keys()...)
	lines := [][]string{append(header, "accuracy", "hm", "sm", "lam", "one_minus_roca", "log_loss", "cpu_seconds", "error")}
	exact := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'g', -1, 64)
	}
	for _, row := range rows {
		accuracy := &row.Accuracy
		if row.Error != "" {
			accuracy = nil
		}
		line := append([]string{strconv.Itoa(row.Trial)}, s.cells(row)...)
		line = append(line, exact(accuracy), exact(row.HM), exact(row.SM), exact(row.LAM), exact(row.OneMinusROCA), exact(row.LogLoss),
			strconv.FormatFloat(row.Seconds, 'f', 3, 64), row.Error)
		for i := range line {
			line[i] = screen.Printable(line[i])
		}
		lines = append(lines, line)
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(lines)
	return b.Bytes(), err
}

const shownTrials = 10

func (p *program) printTuning(s search, found outcome) error {
	rows := s.rows(found.trials)
	if s.asJSON {
		return printJSON(p.stdout, tuneReport{
			Corpus: found.corpus, Method: s.base.Tune.Method, Objective: s.base.Tune.Objective, Folds: s.folds,
			Planned: len(s.plan.Trials), LeftOut: s.plan.LeftOut, End: found.end, Trials: rows, File: s.out, Test: found.test,
		})
	}
	c := found.corpus
	printMail(p.stdout, c)
	if s.verbose {
		printOddities(p.stdout, c)
	}
	printParts(p.stdout, c, s.base.Split, s.base.Seed)
	field(p.stdout, "search", "%s, %d of %s finished (%s), by %s on %s", s.base.Tune.Method, len(rows), plural(len(s.plan.Trials), "trial"),
		found.end, s.base.Tune.Objective, s.comparedOn(c))
	if s.plan.LeftOut > 0 {
		field(p.stdout, "", "%s left out, without valid settings (%v)", plural(s.plan.LeftOut, "combination"), s.plan.Reason)
	}
	fmt.Fprintln(p.stdout)
	shown := rows
	if !s.verbose {
		shown = rows[:min(len(rows), shownTrials)]
	}
	s.printRows(p.stdout, shown)
	if more := len(rows) - len(shown); more > 0 {
		screen.Printf(p.stdout, "and %s more (--verbose: all)\n", plural(more, "trial"))
	}
	fmt.Fprintln(p.stdout)
	field(p.stdout, "best", "trial %d", rows[0].Trial)
	if found.test != nil {
		field(p.stdout, "test mail", "%s", testLine(found.test))
	}
	screen.Printf(p.stdout, "%-12s%s\n", "saved", s.out)
	screen.Printf(p.stdout, "%-12schaff train --config %s\n", "next", shellWord(s.out))
	return nil
}

func testLine(f *metrics.Figures) string {
	return fmt.Sprintf("accuracy %.2f%%, 95%% interval %.2f-%.2f, hm %s%%, sm %s%%, (1-ROCA)%% %s, %s that no trial has seen",
		f.Accuracy, f.AccuracyLow, f.AccuracyHigh, percent(f.HM, 2), percent(f.SM, 2), percent(f.OneMinusROCA, 4), plural(f.Messages, "message"))
}

// printRows prints a row for each trial. The settings come last, since their values are as long as they like.
func (s search) printRows(w io.Writer, rows []tuneRow) {
	t := newTable(w)
	fmt.Fprint(t, "trial\taccuracy\thm%\tsm%\t(1-ROCA)%\tlog loss\t")
	if s.verbose {
		fmt.Fprint(t, "lam%\tCPU s\t")
	}
	printCells(t, lastParts(s.keys()))
	fmt.Fprintln(t)
	for _, row := range rows {
		cells := []string{"-", "-", "-", "-", "-"}
		more := []string{"-", "-"}
		settings := s.cells(row)
		if row.Error == "" {
			cells = []string{fmt.Sprintf("%.2f%%", row.Accuracy), percent(row.HM, 2), percent(row.SM, 2), percent(row.OneMinusROCA, 4), number(row.LogLoss)}
			more = []string{percent(row.LAM, 2), fmt.Sprintf("%.2f", row.Seconds)}
		} else {
			settings = append(settings, row.Error)
		}
		if s.verbose {
			cells = append(cells, more...)
		}
		screen.Printf(t, "%d\t", row.Trial)
		printCells(t, cells)
		printCells(t, settings)
		fmt.Fprintln(t)
	}
	t.Flush()
}

// lastParts returns the last parts of keys, such as smoothing, or the keys if two have the same last part.
func lastParts(keys []string) []string {
	var parts []string
	for _, key := range keys {
		part := key[strings.LastIndexByte(key, '.')+1:]
		if slices.Contains(parts, part) {
			return keys
		}
		parts = append(parts, part)
	}
	return parts
}

func printCells(w io.Writer, cells []string) {
	for _, cell := range cells {
		screen.Printf(w, "%s\t", cell)
	}
}

// tuneProgress returns a function that draws a bar with the best trial on a terminal, and one that removes it.
func (p *program) tuneProgress(objective string) (step func(done, all int, best evaluate.Trial), done func()) {
	if file := p.terminal(); file != nil {
		return tuneBar(file, objective)
	}
	return nil, func() {}
}

func tuneBar(w io.Writer, objective string) (step func(done, all int, best evaluate.Trial), done func()) {
	var bar *progressbar.ProgressBar
	step = func(done, all int, best evaluate.Trial) {
		if bar == nil {
			bar = newBar(w, all, "")
		}
		if best.Error == "" {
			figure, _, _ := strings.Cut(reached(best, objective), ",") // a line has little room
			bar.Describe(fmt.Sprintf("best: %s, trial %d", figure, best.Candidate+1))
		}
		_ = bar.Set(done) // a bar that cannot be drawn must not stop the work
	}
	return step, func() {
		if bar != nil {
			_ = bar.Finish()
		}
	}
}

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

func (s search) trialRow(row tuneRow) report.Trial {
	trial := report.Trial{Note: row.Error, Settings: []report.Fact{{Name: "trial", Value: strconv.Itoa(row.Trial)}}}
	keys := s.keys()
	for i, value := range s.cells(row) {
		trial.Settings = append(trial.Settings, report.Fact{Name: keys[i], Value: value})
	}
	if o := row.Outcome; row.Error == "" {
		trial.Development = &metrics.Figures{Accuracy: o.Accuracy, SpamFigures: o.SpamFigures, LogLoss: o.LogLoss}
	}
	return trial
}

func classesOf(c train.Summary) []string {
	names := make([]string, len(c.Classes))
	for i, class := range c.Classes {
		names[i] = class.Name
	}
	return names
}
