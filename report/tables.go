package report

import (
	"cmp"
	"slices"
	"strings"

	"chaff/filter"
	"chaff/internal/screen"
)

// figuresNote says how to read the figures.
func (p Page) figuresNote() string {
	if len(p.Tables) == 0 {
		return ""
	}
	note := "Log loss and Brier score measure the probabilities: lower is better."
	if filter.IsSpamFilter(p.Classes) {
		note = "Ham lost and spam missed are by the class of the higher score, with nothing unsure; their mean is on the logistic scale (hm%, sm% and lam% of TREC). " +
			"A pair of a ham and a spam is in the wrong order if the ham has the higher score; their share is (1-ROCA)%. " + note
	}
	return joined(append(slices.Clone(p.Notes), note)...)
}

// inWords has the names of figures as people say them, for which a terminal has no room.
var inWords = map[string]string{"hm%": "ham lost %", "sm%": "spam missed %", "lam%": "mean of both %", "(1-ROCA)%": "pairs in wrong order %"}

// figureTables has the figures of a result, as the command prints them.
func (p Page) figureTables() (all []table) {
	for _, rows := range p.Tables {
		var t table
		for _, texts := range rows {
			var cells []cell
			for i, text := range texts {
				cells = append(cells, cell{clean(cmp.Or(inWords[text], text), maxName), [...]kind{name, number}[min(i, 1)]})
			}
			t.Rows = append(t.Rows, cells)
		}
		t.Head, t.Rows = t.Rows[0], t.Rows[1:]
		all = append(all, t)
	}
	return all
}

// kind is the layout of a cell.
type kind string

const (
	name   kind = ""
	number kind = "number" // at the right
	prose  kind = "prose"  // of any length: broken into lines, and anywhere if need be
)

// row adds a row, whose cells have the kinds of the heads.
func (t *table) row(texts ...string) {
	cells := slices.Clone(t.Head)
	for i, text := range texts {
		cells[i].Text = text
	}
	t.Rows = append(t.Rows, cells)
}

// reliabilityTable has predicted probabilities and observed shares.
func (p Page) reliabilityTable() (t table) {
	if len(p.Models) == 0 || p.Models[0].Test == nil {
		return t
	}
	came := "were predicted right"
	if len(p.Classes) == 2 {
		came = "were " + p.className(1)
	}
	t.Head = []cell{{"messages", number}, {"mean probability %", number}, {came + " %", number}, {"95% interval", number}}
	for _, b := range p.Models[0].Test.Reliability {
		t.row(screen.Grouped(b.Messages), fixed(100*b.Predicted, 1), fixed(100*b.Observed, 1), fixed(100*b.ObservedLow, 1)+"–"+fixed(100*b.ObservedHigh, 1))
	}
	return t
}

func (p Page) termTables() (all []table) {
	for class, terms := range p.Strongest {
		t := table{Caption: p.className(class), Head: []cell{{"term", prose}, {"weight", number}, {"messages", number}}}
		for _, of := range terms {
			t.row(clean(of.Term, maxTerm), fixed(of.Weight, 3), screen.Grouped(int(of.Messages)))
		}
		all = append(all, t)
	}
	return all
}

func (p Page) weighedTable(shown []filter.Contribution) table {
	t := table{Head: []cell{{"term", prose}, {"adds", number}, {"weight", number}, {"value", number}, {"messages", number}, {"made of", prose}}}
	for i, w := range shown {
		messages := "-" // of runs of bytes, which are not counted
		if w.Messages > 0 {
			messages = screen.Grouped(int(w.Messages))
		}
		t.row(clean(w.Term, maxTerm), signed(w.Contribution), fixed(w.Weight, 4), fixed(w.Value, 4), messages, clean(strings.Join(w.Tokens, " "), maxTerm))
		t.Rows[i][1].Kind += kind(" " + p.evidenceClass(w.Contribution))
	}
	return t
}
