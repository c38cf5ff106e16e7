package main

import (
	"fmt"
	"math"

	"chaff/corpus"
	"chaff/docs/markdown"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

// countDraws is how many mailboxes with the same counts of ham and spam are drawn.
const countDraws = 6

// counted is a row of the table: a model that learns so many ham and so many spam.
type counted struct {
	ham, spam int
	model     string
	how       string  // how training differs from chaff train; empty if it does not
	few       float64 // leaves the factor 1 + few/n out of the spam threshold; 0 leaves nothing out
	keeps     bool    // the unsure threshold does not fall
	quick     bool    // learned by chaff train --quick
}

func (c counted) String() string {
	name := fmt.Sprintf("%s, %s | %s", screen.Grouped(c.ham), screen.Grouped(c.spam), c.model)
	if c.how != "" {
		name += ", " + c.how
	}
	return name
}

// thresholds are the options of a row.
func (c counted) thresholds(o metrics.ThresholdOptions) metrics.ThresholdOptions {
	// The rule multiplies the logarithm of this limit by 1 + few/n, which gives that of the limit of o.
	o.HamLost = 100 * math.Pow(o.HamLost/100, 1/(1+c.few/float64(c.ham)))
	if c.keeps {
		o.SpamMissed = 100 // the rule treats this as 1%, and no spam is too much
	}
	return o
}

// counts are the rows: few messages, without and with the rule for few ham; few of one class; models of one fit without held-out mail.
func (b mailboxTest) counts() []counted {
	var rows []counted
	usual := b.settings.Model
	for _, n := range [][2]int{{5, 5}, {10, 30}, {50, 150}} {
		for _, model := range []string{usual, "multinomial", "softmax"} {
			c := counted{ham: n[0], spam: n[1], model: model, few: 10}
			if model == usual {
				c.few = 2
			}
			c.how = fmt.Sprintf("without %v/n", c.few)
			rows = append(rows, c, counted{ham: n[0], spam: n[1], model: model})
		}
	}
	for _, model := range []string{usual, "softmax", "bernoulli"} {
		rows = append(rows, counted{ham: 1000, spam: 50, model: model, how: "before the threshold moves", keeps: true}, counted{ham: 1000, spam: 50, model: model})
	}
	rows = append(rows, counted{ham: 1000, spam: 50, model: usual, how: "`--quick`", quick: true})
	for _, model := range []string{usual, "softmax", "bernoulli"} {
		rows = append(rows, counted{ham: 50, spam: 1000, model: model})
	}
	for _, model := range []string{usual, "multinomial", "bernoulli", "softmax"} {
		rows = append(rows, counted{ham: 900, spam: 900, model: model, how: "`--quick`", quick: true}, counted{ham: 900, spam: 900, model: model})
	}
	return rows
}

// countedMail are the verdicts on mailboxes with counts of ham and spam, of each corpus.
type countedMail []verdictRow // cells: corpora x draws

func (b mailboxTest) measureCounts() (countedMail, error) {
	mail, err := b.bothCorpora()
	if err != nil {
		return nil, err
	}
	rows := b.counts()
	table := make(countedMail, len(rows))
	for r, row := range rows {
		table[r] = verdictRow{row.String(), make([][]shares, len(mail))}
	}
	for i, source := range mail {
		b.tell("%s: reading", corporaNames()[i])
		all, err := b.collect(source, b.settings.Split.Method)
		if err != nil {
			return nil, err
		}
		items := itemsByOrigin(source)
		b.tell("  %d mailboxes for each of %d rows", countDraws, len(rows))
		drawn, err := inParallel(len(rows)*countDraws, func(n int) (shares, error) {
			return b.judgeCounted(rows[n/countDraws], all.Members(), items, uint64(n%countDraws+1))
		})
		if err != nil {
			return nil, err
		}
		for r := range rows {
			table[r].cells[i] = drawn[r*countDraws : (r+1)*countDraws]
		}
	}
	return table, nil
}

// judgeCounted draws a mailbox, trains the model of a row on it, and counts its verdicts on other messages.
func (b mailboxTest) judgeCounted(c counted, members []train.Member, items map[string]corpus.Item, seed uint64) (shares, error) {
	left := [2]int{c.ham, c.spam}
	d, err := b.draw(members, items, func(label int) bool {
		left[label]--
		return left[label] >= 0
	}, seed)
	if err != nil {
		return shares{}, err
	}
	o := *b.bench
	o.settings.Thresholds = c.thresholds(o.settings.Thresholds)
	if !c.quick {
		return mailboxTest{&o}.judgeBy(judge{model: c.model}, d)
	}
	o.settings.Seed = seed
	whole := o.collectOptions(o.settings.Split.Method)
	whole.Undivided = true
	box, err := train.Collect(b.ctx, itemsOf(d.box, items), classes(), whole)
	if err != nil {
		return shares{}, err
	}
	f, _, err := box.Quick(b.ctx, c.model, o.trainOptions())
	if err != nil {
		return shares{}, err
	}
	return d.judgeWith(f)
}

func (t countedMail) text() string {
	return fmt.Sprintf("Ham lost %% / ham unsure %% / spam found %%, spam called ham %%; means of %d random mailboxes, on up to %s other messages:\n\n",
		countDraws, screen.Grouped(mostJudged)) + markdown.Table("ham, spam | model | SpamAssassin | Enron-Spam", rowsOf(t, func(all []shares) string {
		return fmt.Sprintf("%s, %.1f", meanText(all), meanShares(all).missed)
	}))
}
