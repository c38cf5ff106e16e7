package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chaff/docs/markdown"
	"chaff/internal/screen"
)

// page is docs/inside/benchmarks.md.
type page struct {
	command  string // that wrote it
	date     string
	machine  string
	chaff    string // the output of chaff version
	runner   runner
	entrants []entrant
	versions map[string]string // of each package
	corpora  []measured
}

func newPage(ctx context.Context, o options, r runner, entrants []entrant, chaffVersion string) page {
	p := page{
		command: o.commandLine(), date: time.Now().Format(time.DateOnly), machine: processor() + ", " + systemName(),
		chaff: chaffVersion, runner: r, entrants: entrants, versions: make(map[string]string),
	}
	for _, e := range entrants {
		if e.debian != "" {
			p.versions[e.debian] = packageVersion(ctx, e.debian)
		}
	}
	return p
}

// text returns the page in Markdown.
func (p page) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# How does chaff compare with other programs?

Speed and accuracy of chaff beside other filters and learners, on the same messages. This command wrote the page

`+"```"+`
%s
`+"```"+`

on %s, on %s, with %s. Times differ between machines; compare the ratios within one run.

## Method

- The hash of its content puts one message in five into the test part; copies count once. All programs train on the same files
  and classify the same files, with random names. Near-duplicates may be in both parts, for all programs.
- Time is the user and system CPU time of a command and all its children, on one processor (`+"`taskset`"+`, and chaff with
  `+"`GOMAXPROCS=1`"+` and one worker). The programs take turns in each round, and the tables show medians of %d rounds of training
  and bulk classification; a step of more than %.0f CPU seconds runs once. %d messages are classified alone, each in a fresh
  process; if that takes more than %.0f ms, %d of them.
- Training is everything from the files to the database. By default chaff also splits its training messages, measures a model of
  three fifths of them on the rest, prints the results, and fits the saved model to all of them; with `+"`--quick`"+` it does the last
  alone, as bogofilter does. For programs that cannot read mail, preparing the input is not counted.
- Accuracy is that of the program's own verdicts, with unsure as ham; hm%% is false positives, sm%% false negatives. (1-ROCA)%% is
  100 minus the area under the ROC curve in percent, from the scores alone. Memory is the peak of the largest process; below
  about 8 MB it is that of the benchmark itself. A MB is a million bytes.

| program | version | settings |
|---|---|---|
`, p.command, p.date, p.machine, p.chaff, p.runner.rounds, p.runner.slow.Seconds(), p.runner.singles, p.runner.heavy.Seconds()*1000, fewSingles)
	for _, e := range p.entrants {
		version := "this one"
		if e.debian != "" {
			version = p.versions[e.debian]
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", e.name, version, e.settings)
	}
	for _, c := range p.corpora {
		b.WriteString(c.text())
	}
	return b.String()
}

// text returns the part of the page about a corpus.
func (c measured) text() string {
	m := c.mail
	return fmt.Sprintf(`
## %s

%s messages, of which %s are ham and %s spam; %s copies were left out. Trained on %s (%.1f MB), tested on %s (%.1f MB).
%s
%s
%s
%s
%s
%s`, m.name, screen.Grouped(len(m.train)+len(m.test)), screen.Grouped(len(m.train)+len(m.test)-countSpam(m.train)-countSpam(m.test)),
		screen.Grouped(countSpam(m.train)+countSpam(m.test)), screen.Grouped(m.copies),
		screen.Grouped(len(m.train)), megabytes(totalBytes(m.train)), screen.Grouped(len(m.test)), megabytes(totalBytes(m.test)),
		m.remark(), c.costs(), c.accuracies(), c.ratios(), c.sameWork(), c.twoWorkers())
}

// remark returns a note on messages without an empty line after the header, if there are any.
func (m *mail) remark() string {
	if m.joined == 0 {
		return ""
	}
	return fmt.Sprintf(`%s messages have no empty line after the header. spamprobe takes their text for header fields and uses little of it.
`, screen.Grouped(m.joined))
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }

// costs returns the table of time, memory and size, with accuracy beside them.
func (c measured) costs() string {
	var rows []string
	for _, r := range c.results {
		accuracy, oneMinusROCA := r.accuracy()
		rows = append(rows, strings.Join([]string{r.name,
			figure(r.training.rate(float64(len(c.mail.train))), 0), figure(r.training.rate(megabytes(totalBytes(c.mail.train))), 1), memory(r.training.peak),
			figure(r.classifying.rate(float64(len(c.mail.test))), 0), memory(r.classifying.peak), figure(r.single.seconds()*1000, 1),
			figure(megabytes(r.bytes), 1), count(r.vocabulary), figure(ratio(float64(r.bytes), float64(r.vocabulary)), 1),
			accuracy, oneMinusROCA, r.note(c.rounds),
		}, " | "))
	}
	return markdown.Table("program | train: messages/s | MB/s | peak MB | classify in bulk: messages/s | peak MB | one message: ms | database: MB | terms | bytes a term | accuracy | (1-ROCA)% | notes", rows)
}

// accuracies returns the table of the accuracy of the verdicts and scores.
func (c measured) accuracies() string {
	var rows []string
	for _, r := range c.results {
		if r.judged == nil {
			continue
		}
		v, m := r.judged.verdicts, r.judged.middle
		rows = append(rows, fmt.Sprintf("%s | %.2f%% (%.2f-%.2f) | %s | %s | %.2f%% | %s | %s | %s", r.name, v.Accuracy, v.AccuracyLow, v.AccuracyHigh,
			markdown.Decimals(v.HM, 2), markdown.Decimals(v.SM, 2), m.Accuracy, markdown.Decimals(m.HM, 2), markdown.Decimals(m.SM, 2), markdown.Decimals(v.OneMinusROCA, 4)))
	}
	return markdown.Table("program | accuracy of its verdicts (95% interval) | hm% | sm% | accuracy at the middle of its scores | hm% | sm% | (1-ROCA)%", rows)
}

// accuracy returns the accuracy of the verdicts and (1-ROCA)%.
func (r result) accuracy() (accuracy, oneMinusROCA string) {
	if r.judged == nil {
		return "-", "-"
	}
	return fmt.Sprintf("%.2f%%", r.judged.verdicts.Accuracy), markdown.Decimals(r.judged.verdicts.OneMinusROCA, 4)
}

// note returns what qualifies the figures of a row.
func (r result) note(rounds int) string {
	var notes []string
	if r.failure != nil {
		notes = append(notes, strings.ReplaceAll(r.failure.Error(), "|", "/"))
	}
	if r.training.runs() == 1 && rounds > 1 {
		notes = append(notes, "trained once")
	}
	if r.classifying.runs() == 1 && rounds > 1 {
		notes = append(notes, "classified in bulk once")
	}
	if r.judged != nil && r.judged.missing > 0 {
		notes = append(notes, fmt.Sprintf("%d messages without an answer count as ham", r.judged.missing))
	}
	return strings.Join(notes, "; ")
}
