package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chaff/internal/markdown"
)

// page is docs/benchmarks.md.
type page struct {
	command  string // that made it
	date     string
	machine  string
	chaff    string // what chaff version prints
	race     race
	entrants []entrant
	versions map[string]string // of each package
	corpora  []measured
}

func newPage(ctx context.Context, o options, r race, entrants []entrant, chaffVersion string) page {
	p := page{
		command: o.commandLine(), date: time.Now().Format(time.DateOnly), machine: processor() + ", " + systemName(),
		chaff: chaffVersion, race: r, entrants: entrants, versions: make(map[string]string),
	}
	for _, e := range entrants {
		if e.debian != "" {
			p.versions[e.debian] = packageVersion(ctx, e.debian)
		}
	}
	return p
}

// text is the page in Markdown.
func (p page) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Benchmarks

Chaff beside other filters and learners: the same messages, one processor, one run. All of this page was written by

`+"```"+`
%s
`+"```"+`

on %s, on %s, with %s. Times are others on every machine; ratios of one run are what can be compared.

## How it is measured

- A message is in the test part if the hash of its content says so, one in five; copies count once. Every program trains on
  the same files and is tried on the same files, whose names tell nothing and are in random order. Messages that are nearly
  the same may be on both sides, for all programs alike.
- Time is CPU time, user and system, of the command and all that it starts, on one processor (`+"`taskset`"+`, and chaff with
  `+"`GOMAXPROCS=1`"+` and one worker). In each round all programs take turns; the tables have medians. The rounds of training and
  of classifying in bulk: %d; what takes more than %.0f CPU seconds is run once. The messages that are classified alone, each in a
  fresh process: %d; by programs that need more than %.0f ms: %d.
- Training is all from the files to the database, with what a program does besides: by default chaff divides its training
  messages again, measures a model of three fifths of them on the rest, prints all that, and fits the model that it saves to all.
  It reads and counts all of them. Programs that cannot read mail get what they learn from prepared, and that time is not counted.
- Accuracy is that of the program's own verdicts, where unsure is ham; hm%% is ham lost, sm%% spam let through. (1-ROCA)%% is 100
  minus the area under the ROC curve in percent, of the scores alone. Memory is the peak of the largest process; less
  than about 8 MB cannot be told from what the benchmark itself takes to start it. A MB is a million bytes.

| program | version | settings |
|---|---|---|
`, p.command, p.date, p.machine, p.chaff, p.race.rounds, p.race.slow.Seconds(), p.race.singles, p.race.heavy.Seconds()*1000, fewSingles)
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

// text is the part of the page about a corpus.
func (c measured) text() string {
	m := c.mail
	return fmt.Sprintf(`
## %s

%s messages, of which %s are ham and %s spam; %s copies were left out. Trained on %s (%.1f MB), tried on %s (%.1f MB).
%s
%s
%s
%s
%s`, m.name, markdown.Thousands(len(m.train)+len(m.test)), markdown.Thousands(len(m.train)+len(m.test)-countSpam(m.train)-countSpam(m.test)),
		markdown.Thousands(countSpam(m.train)+countSpam(m.test)), markdown.Thousands(m.copies),
		markdown.Thousands(len(m.train)), megabytes(totalBytes(m.train)), markdown.Thousands(len(m.test)), megabytes(totalBytes(m.test)),
		m.remark(), c.costs(), c.rightness(), c.ratios(), c.targets())
}

// remark tells what is unusual about a mail.
func (m *mail) remark() string {
	if m.joined == 0 {
		return ""
	}
	return fmt.Sprintf(`In %s messages the text follows the header without an empty line. spamprobe takes it for header fields, and sees little of
it.
`, markdown.Thousands(m.joined))
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }

// costs is the table of what programs cost, beside how right they are.
func (c measured) costs() string {
	var rows []string
	for _, r := range c.results {
		rows = append(rows, strings.Join([]string{r.name,
			figure(r.training.rate(float64(len(c.mail.train))), 0), figure(r.training.rate(megabytes(totalBytes(c.mail.train))), 1), memory(r.training.peak),
			figure(r.classifying.rate(float64(len(c.mail.test))), 0), memory(r.classifying.peak), figure(r.single.seconds()*1000, 1),
			figure(megabytes(r.bytes), 1), count(r.vocabulary), figure(ratio(float64(r.bytes), float64(r.vocabulary)), 1),
			r.accuracy(), r.order(), r.note(c.rounds),
		}, " | "))
	}
	return table("program | train: messages/s | MB/s | peak MB | classify in bulk: messages/s | peak MB | one message: ms | database: MB | terms | bytes a term | accuracy | (1-ROCA)% | notes", rows)
}

// rightness is the table of figures of the verdicts.
func (c measured) rightness() string {
	var rows []string
	for _, r := range c.results {
		if r.judged == nil {
			continue
		}
		v, m := r.judged.verdicts, r.judged.middle
		rows = append(rows, fmt.Sprintf("%s | %.2f%% (%.2f-%.2f) | %s | %s | %.2f%% | %s | %s | %s", r.name, v.Accuracy, v.AccuracyLow, v.AccuracyHigh,
			markdown.Decimals(v.HM, 2), markdown.Decimals(v.SM, 2), m.Accuracy, markdown.Decimals(m.HM, 2), markdown.Decimals(m.SM, 2), markdown.Decimals(v.OneMinusROCA, 4)))
	}
	return table("program | accuracy of its verdicts (95% interval) | hm% | sm% | accuracy at the middle of its scores | hm% | sm% | (1-ROCA)%", rows)
}

func (r result) accuracy() string {
	if r.judged == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", r.judged.verdicts.Accuracy)
}

func (r result) order() string {
	if r.judged == nil {
		return "-"
	}
	return markdown.Decimals(r.judged.verdicts.OneMinusROCA, 4)
}

// note tells what is to be known about the figures of a row.
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
