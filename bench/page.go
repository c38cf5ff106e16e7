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
	fmt.Fprintf(&b, `# How does chaff compare with other programs?

Chaff beside other filters and learners: the same messages, one processor, one run, by

`+"```"+`
%s
`+"```"+`

on %s, on %s, with %s. Compare ratios; times differ between machines.

## Method

- The hash of its content puts one message in five into the test part; copies count once, near-duplicates may be on both sides. All programs get
  the same files in the same random order, with names that say nothing.
- Time is user and system CPU time of a command and its children on one processor (`+"`taskset`, `GOMAXPROCS=1`"+`, one worker). Programs take turns;
  the tables have medians of %d rounds, or one round above %.0f CPU seconds. %d messages are classified alone, each in a fresh process,
  or %[9]d by programs that need more than %[8]d ms.
- Training counts everything from the files to the database. Chaff fits three fifths of its training messages, measures, and fits all of them.
  The preparation of text for programs that cannot read mail does not count.
- Accuracy is that of the program's verdicts, where unsure is ham. hm%% is ham lost, sm%% spam missed, (1-ROCA)%% is 100 minus the area under the
  ROC curve in percent. Memory is the peak of the largest process; below 8 MB it is not measurable. MB is a million bytes.

| program | version | settings |
|---|---|---|
`, p.command, p.date, p.machine, p.chaff, p.race.rounds, p.race.slow.Seconds(), p.race.singles, p.race.heavy.Milliseconds(), fewSingles)
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

%s messages: %s ham and %s spam; %s copies left out. Training: %s (%.1f MB). Test: %s (%.1f MB).
%s
%s
%s
%s
%s`, m.name, markdown.Thousands(len(m.train)+len(m.test)), markdown.Thousands(len(m.train)+len(m.test)-countSpam(m.train)-countSpam(m.test)),
		markdown.Thousands(countSpam(m.train)+countSpam(m.test)), markdown.Thousands(m.copies),
		markdown.Thousands(len(m.train)), megabytes(totalBytes(m.train)), markdown.Thousands(len(m.test)), megabytes(totalBytes(m.test)),
		m.remark(), c.costs(), c.rightness(), c.ratios(), c.twoWorkers())
}

// remark tells what is unusual about a mail.
func (m *mail) remark() string {
	if m.joined == 0 {
		return ""
	}
	return fmt.Sprintf(`In %s messages no empty line precedes the text; spamprobe takes it for header fields.
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
