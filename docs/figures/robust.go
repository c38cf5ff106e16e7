package main

import (
	"fmt"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/docs/markdown"
	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

// protocol is a way to measure models: its name on the command line, and a function that returns its rows.
type protocol struct {
	name    string
	measure func(b protocolTest, models []string) ([]robustRow, error)
}

// protocols are all protocols in the order of the table.
func protocols() []protocol {
	return []protocol{
		{"hash", protocolTest.byHash},
		{"flips", protocolTest.withFlips},
		{"replay", protocolTest.inTime},
		{"replay-flips", protocolTest.replayFlips},
		{"twins", protocolTest.replayTwins},
		{"words", protocolTest.againstWords},
		{"header", protocolTest.againstHeaders},
		{"small", protocolTest.withLittleMail},
	}
}

// robustness is the results of models by some protocols.
type robustness struct {
	part   corpus.Part // that they are judged on
	models []string
	rows   []robustRow
}

// robustRow is one figure of each model.
type robustRow struct {
	protocol, mail, figure string
	cells                  []string
}

// protocolTest measures models by protocols.
type protocolTest struct{ *bench }

// measureRobust measures the default model and its rivals by every protocol.
func (b protocolTest) measureRobust() (robustness, error) {
	return b.by(protocols(), b.withDefault("multinomial", "bernoulli"))
}

// by measures models by the given protocols.
func (b protocolTest) by(protocols []protocol, models []string) (robustness, error) {
	r := robustness{part: b.part, models: models}
	for _, p := range protocols {
		b.tell("protocol %s", p.name)
		rows, err := p.measure(b, models)
		if err != nil {
			return robustness{}, fmt.Errorf("protocol %s: %w", p.name, err)
		}
		for _, row := range rows {
			row.protocol = p.name
			r.rows = append(r.rows, row)
		}
	}
	return r, nil
}

func protocolNames() []string {
	var names []string
	for _, p := range protocols() {
		names = append(names, p.name)
	}
	return names
}

// named returns the protocols with the given names; "all" means every protocol.
func named(names []string) ([]protocol, error) {
	var chosen []protocol
	for _, name := range names {
		i := slices.Index(protocolNames(), name)
		switch {
		case name == "all":
			chosen = append(chosen, protocols()...)
		case i < 0:
			return nil, fmt.Errorf("there is no protocol %q: must be all or some of %s", name, strings.Join(protocolNames(), ","))
		default:
			chosen = append(chosen, protocols()[i])
		}
	}
	return chosen, nil
}

// judged returns the collection with the measured part as its test part. If that is the development part, test mail is left
// out and no part remains for thresholds.
func (b *bench) judged(divided *train.Collection) (*train.Collection, error) {
	if b.part == corpus.Test {
		return divided, nil
	}
	var members []train.Member
	for _, m := range divided.Members() {
		switch m.Part {
		case corpus.Test:
			continue
		case b.part:
			m.Part = corpus.Test
		}
		members = append(members, m)
	}
	return divided.Select(members)
}

// lostHam is the percentage of lost ham at which missed spam is measured.
const lostHam = 0.1

// byHash splits both corpora by hash.
func (b protocolTest) byHash(models []string) ([]robustRow, error) {
	var rows []robustRow
	for _, corpusName := range []string{spamAssassinName, enronName} {
		mail, err := b.read(reading{corpus: corpusName, method: corpus.SplitByHash})
		if err != nil {
			return nil, err
		}
		tests, err := overSeeds(mail, seeds, func(divided *train.Collection, _ uint64) ([]ordered, error) {
			return b.testOrder(divided, models)
		})
		if err != nil {
			return nil, err
		}
		means := make([]mean, len(models))
		through := make([]*float64, len(models))
		for i := range models {
			var figures []metrics.Figures
			var all []*float64
			for _, o := range column(tests, i) {
				figures, all = append(figures, o.Figures), append(all, o.through)
			}
			means[i], through[i] = meanOf(figures), average(all)
		}
		name := corpusName + ", split by hash"
		rows = append(rows, accuracyRow(name, means), rocaRow(name, means),
			rowOf(name, fmt.Sprintf("sm%% at hm%% = %v", lostHam), through, func(v *float64) string { return markdown.Decimals(v, 2) }))
	}
	return rows, nil
}

// ordered is the figures of a model, and the spam missed at [lostHam].
type ordered struct {
	metrics.Figures
	through *float64
}

// testOrder trains models and measures their figures and rankings.
func (b protocolTest) testOrder(divided *train.Collection, models []string) ([]ordered, error) {
	divided, err := b.judged(divided)
	if err != nil {
		return nil, err
	}
	return fitEach(b.bench, divided, models, func(t train.Trained) (ordered, error) {
		o := ordered{Figures: *t.Result.Test}
		if through, defined := smAtHM(t.Test.Margins(), lostHam); defined {
			o.through = &through
		}
		return o, nil
	})
}

// smAtHM returns sm% at hm%: the percentage of spam let through at the first point of the [metrics.Margins.ErrorCurve] that loses at most hm percent of
// the ham. It is not defined without ham or without spam. It compares how filters rank messages and predicts nothing about other
// mail, because it measures the threshold on the messages that it is chosen on.
//
// Source: TREC 2005 Spam Track Overview, which reports sm% at hm% = 0.1.
func smAtHM(m metrics.Margins, hm float64) (percent float64, defined bool) {
	for _, p := range m.ErrorCurve() {
		if 100*p.HM <= hm {
			return 100 * p.SM, true
		}
	}
	return 0, false
}

// withFlips inverts a share of the training labels of SpamAssassin.
func (b protocolTest) withFlips(models []string) ([]robustRow, error) {
	n, err := b.mislabelled(models, noises()[1:])
	if err != nil {
		return nil, err
	}
	var rows []robustRow
	for i, share := range n.shares {
		rows = append(rows, accuracyRow(fmt.Sprintf("SpamAssassin, %.0f%% of the labels inverted", 100*share), n.tests[i]))
	}
	return rows, nil
}

// inTime replays SpamAssassin in the order of time.
func (b protocolTest) inTime(models []string) ([]robustRow, error) {
	mail, err := b.inOrder()
	if err != nil {
		return nil, err
	}
	replays, err := b.replay(mail, models)
	if err != nil {
		return nil, err
	}
	name := "SpamAssassin, replay by time"
	return []robustRow{
		rowOf(name, "errors", replays, func(r evaluate.Replay) string {
			return screen.Grouped(r.Figures.Errors())
		}),
		rowOf(name, "lam%", replays, func(r evaluate.Replay) string { return markdown.Decimals(r.Figures.LAM, 3) }),
		rowOf(name, "(1-ROCA)%", replays, func(r evaluate.Replay) string { return markdown.Decimals(r.Figures.OneMinusROCA, 4) }),
	}, nil
}

// withLittleMail trains on the first messages of both corpora.
func (b protocolTest) withLittleMail(models []string) ([]robustRow, error) {
	var rows []robustRow
	for _, corpusName := range []string{spamAssassinName, enronName} {
		mail, err := b.read(reading{corpus: corpusName, method: corpus.SplitByHash})
		if err != nil {
			return nil, err
		}
		curveSeeds := seeds
		if corpusName == enronName {
			curveSeeds = 1
		}
		means, err := b.curves(mail, curveSeeds, models)
		if err != nil {
			return nil, err
		}
		for i, n := range sizes() {
			rows = append(rows, accuracyRow(fmt.Sprintf("%s, %s messages", corpusName, screen.Grouped(n)), means[i]))
		}
	}
	return rows, nil
}

// rowOf returns a row with one figure of each model.
func rowOf[T any](mail, figure string, of []T, write func(T) string) robustRow {
	row := robustRow{mail: mail, figure: figure}
	for _, v := range of {
		row.cells = append(row.cells, write(v))
	}
	return row
}

func accuracyRow(mail string, means []mean) robustRow {
	return rowOf(mail, "accuracy", means, func(m mean) string { return percent(m.accuracy) })
}

func rocaRow(mail string, means []mean) robustRow {
	return rowOf(mail, "(1-ROCA)%", means, func(m mean) string { return markdown.Decimals(m.roca, 4) })
}

// average returns the mean of figures, nil if one is undefined or there are none.
func average(all []*float64) *float64 {
	if len(all) == 0 || slices.Contains(all, nil) {
		return nil
	}
	sum := 0.0
	for _, v := range all {
		sum += *v
	}
	sum /= float64(len(all))
	return &sum
}

func (r robustness) text() string {
	var rows []string
	for _, row := range r.rows {
		rows = append(rows, strings.Join(append([]string{row.protocol, row.mail, row.figure}, row.cells...), " | "))
	}
	return fmt.Sprintf("Tested on the %s parts of %d split seeds; Enron-Spam: means of its %d corpora, one seed for small mailboxes:\n\n",
		r.part, seeds, sets) + markdown.Table("protocol | mail | figure | "+strings.Join(r.models, " | "), rows)
}
