package report

import (
	"slices"

	"chaff/filter"
	"chaff/internal/screen"
	"chaff/metrics"
)

// figuresNote says how to read the figures.
func (p Page) figuresNote() string {
	if len(p.Tables) == 0 {
		return ""
	}
	note := "Log loss and Brier score measure the probabilities: lower is better."
	if filter.IsSpamFilter(p.Classes) {
		note = "Ham lost and spam missed are by the likelier class, with nothing unsure; their mean is on the logistic scale (hm%, sm% and lam% of TREC). " +
			"Of a pair in the wrong order, the ham has a higher score than the spam: (1-ROCA)%. " + note
	}
	return joined(append(slices.Clone(p.Notes), note)...)
}

// inWords returns the name of a figure as people say it, for which a terminal has no room.
func inWords(name string) string {
	switch name {
	case "hm%":
		return "ham lost %"
	case "sm%":
		return "spam missed %"
	case "lam%":
		return "mean of both %"
	case "(1-ROCA)%":
		return "pairs in wrong order %"
	}
	return name
}

// figureTables has the figures of a result, as the command prints them.
func (p Page) figureTables() (all []table) {
	for _, rows := range p.Tables {
		var t table
		for _, texts := range rows {
			var cells []cell
			for i, text := range texts {
				cells = append(cells, cell{clean(inWords(text), maxName), [...]kind{name, number}[min(i, 1)]})
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

// column is a column of a table over rows of type T.
type column[T any] struct {
	head string
	kind kind
	of   func(T) string // "" or notKnown where there is nothing
}

// tabulate returns a table of rows without the columns that are empty, or nothing if there are no rows.
func tabulate[T any](caption string, rows []T, columns []column[T]) []table {
	if len(rows) == 0 {
		return nil
	}
	t := table{Caption: caption, Rows: make([][]cell, len(rows))}
	for _, c := range columns {
		cells := make([]cell, len(rows))
		empty := true
		for i, r := range rows {
			cells[i] = cell{Text: c.of(r), Kind: c.kind}
			empty = empty && (cells[i].Text == "" || cells[i].Text == notKnown)
		}
		if empty {
			continue
		}
		t.Head = append(t.Head, cell{Text: c.head, Kind: c.kind})
		for i := range cells {
			t.Rows[i] = append(t.Rows[i], cells[i])
		}
	}
	return []table{t}
}

// reliabilityTable has predicted probabilities and observed shares.
func (p Page) reliabilityTable() []table {
	if p.Figures == nil {
		return nil
	}
	came := "were predicted right"
	if len(p.Classes) == 2 {
		came = "were " + p.className(1)
	}
	return tabulate("", p.Figures.Reliability, []column[metrics.ReliabilityBin]{
		{"messages", number, func(b metrics.ReliabilityBin) string { return screen.Grouped(b.Messages) }},
		{"mean probability %", number, func(b metrics.ReliabilityBin) string { return fixed(100*b.Predicted, 1) }},
		{came + " %", number, func(b metrics.ReliabilityBin) string { return fixed(100*b.Observed, 1) }},
		{"95% interval", number, func(b metrics.ReliabilityBin) string {
			return fixed(100*b.ObservedLow, 1) + "–" + fixed(100*b.ObservedHigh, 1)
		}},
	})
}

func (p Page) termTables() []table {
	var all []table
	for class, terms := range p.Strongest {
		all = append(all, tabulate(p.className(class), terms, []column[filter.TermWeight]{
			{"term", prose, func(t filter.TermWeight) string { return clean(t.Term, maxTerm) }},
			{"weight", number, func(t filter.TermWeight) string { return fixed(t.Weight, 3) }},
			{"messages", number, func(t filter.TermWeight) string { return screen.Grouped(int(t.Messages)) }},
		})...)
	}
	return all
}
