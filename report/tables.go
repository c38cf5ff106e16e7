package report

import (
	"cmp"
	"slices"
	"strings"

	"chaff/filter"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

// comparisonNote explains the columns of the table of models.
func (p Page) comparisonNote() string {
	var notes []string
	add := func(note string, about func(train.Result) bool) {
		if slices.ContainsFunc(p.Models, about) {
			notes = append(notes, note)
		}
	}
	add("* is the best on development mail.", func(train.Result) bool { return p.HasBest && len(p.Models) > 1 })
	add("Ham lost (hm%) and spam missed (sm%) are by the likelier class, with nothing unsure; their mean (lam%) is on the logistic scale. "+
		"Of all pairs of a ham and a spam, (1-ROCA)% have the ham above the spam.", func(m train.Result) bool { return m.Test != nil && m.Test.HM != nil })
	add("Log loss and Brier score measure the probabilities: lower is better.",
		func(m train.Result) bool { return m.Test != nil && (m.Test.LogLoss != nil || m.Test.Brier != nil) })
	add("Against the best, + counts the messages that only this model classifies correctly, − those that only the best does; "+
		"p is the probability of such a difference between equally good models (McNemar's test).", func(m train.Result) bool { return m.AgainstBest != nil })
	return strings.Join(notes, " ")
}

// kind is the layout of a cell.
type kind string

const (
	name     kind = ""
	number   kind = "number"      // at the right
	longHead kind = "number long" // at the right, below a long head
	prose    kind = "prose"       // of any length: broken into lines, and anywhere if need be
)

// column is a column of a table over rows of type T.
type column[T any] struct {
	head string
	kind kind
	of   func(T) string // "" or notKnown where there is nothing
}

// tabulate returns a table of rows without the columns that are empty, or nothing if there are no rows, or of several rows only the names.
func tabulate[T any](caption string, rows []T, columns []column[T]) []table {
	if len(rows) == 0 {
		return nil
	}
	t := table{Caption: caption, Rows: make([]row, len(rows))}
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
			t.Rows[i].Cells = append(t.Rows[i].Cells, cells[i])
		}
	}
	if len(rows) > 1 && len(t.Head) < 2 {
		return nil
	}
	return []table{t}
}

// modelColumn returns a column with a figure of each model, which may be missing.
func modelColumn(head string, decimals int, of func(train.Result) *float64) column[train.Result] {
	return column[train.Result]{head, longHead, func(r train.Result) string {
		if x := of(r); x != nil {
			return fixed(*x, decimals)
		}
		return notKnown
	}}
}

func accuracyOf(f *metrics.Figures) *float64 {
	if f == nil {
		return nil
	}
	return &f.Accuracy
}

// comparisonTable has two tables that are as wide as a page, or for a single model one with a row for each figure.
func (p Page) comparisonTable() []table {
	accuracy := "accuracy %"
	if slices.ContainsFunc(p.Models, func(m train.Result) bool { return m.Train != nil || m.Development != nil }) {
		accuracy = "accuracy in test %"
	}
	test := func(r train.Result) metrics.Figures { return *cmp.Or(r.Test, new(metrics.Figures)) }
	columns := []column[train.Result]{
		{"model", name, func(r train.Result) string { return clean(r.Model, maxName) }},
		modelColumn("accuracy in training %", 2, func(r train.Result) *float64 { return accuracyOf(r.Train) }),
		modelColumn("in development %", 2, func(r train.Result) *float64 { return accuracyOf(r.Development) }),
		modelColumn(accuracy, 2, func(r train.Result) *float64 { return accuracyOf(r.Test) }),
		{"95% interval", number, func(r train.Result) string {
			if r.Test == nil {
				return notKnown
			}
			return fixed(r.Test.AccuracyLow, 2) + "–" + fixed(r.Test.AccuracyHigh, 2)
		}},
		{"against the best", number, func(r train.Result) string { return against(r.AgainstBest) }},
		{"features", name, func(r train.Result) string { return clean(r.Kind, maxName) }},
		{"CPU s", number, func(r train.Result) string {
			if r.Seconds == 0 {
				return ""
			}
			return fixed(r.Seconds, 2)
		}},
	}
	errors := []column[train.Result]{
		modelColumn("ham lost %", 2, func(r train.Result) *float64 { return test(r).HM }),
		modelColumn("spam missed %", 2, func(r train.Result) *float64 { return test(r).SM }),
		modelColumn("mean of both %", 2, func(r train.Result) *float64 { return test(r).LAM }),
		modelColumn("ham ranked above spam %", 4, func(r train.Result) *float64 { return test(r).OneMinusROCA }),
		modelColumn("log loss", 4, func(r train.Result) *float64 { return test(r).LogLoss }),
		modelColumn("Brier score", 4, func(r train.Result) *float64 { return test(r).Brier }),
	}
	if len(p.Models) == 1 {
		return transposed(tabulate("", p.Models, append(columns, errors...)))
	}
	all := slices.Concat(tabulate("", p.Models, columns), tabulate("Errors", p.Models, append(columns[:1:1], errors...)))
	for _, t := range all {
		if p.HasBest {
			t.Rows[0].Best = true
			t.Rows[0].Cells[0].Text += " *"
		}
	}
	return all
}

// transposed returns tables with a row for each column.
func transposed(all []table) []table {
	for i, t := range all {
		all[i].Head, all[i].Rows = nil, nil
		for j, head := range t.Head {
			cells := []cell{{Text: head.Text}}
			for _, r := range t.Rows {
				cells = append(cells, cell{Text: r.Cells[j].Text, Kind: number})
			}
			all[i].Rows = append(all[i].Rows, row{Cells: cells})
		}
	}
	return all
}

func against(m *metrics.McNemar) string {
	if m == nil {
		return notKnown
	}
	p := fixed(m.P, 3)
	if m.P < 0.001 {
		p = "<0.001"
	}
	return screen.Sprintf("+%d\u00a0−%d (p\u00a0%s)", m.Better, m.Worse, p)
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

// confusionTable has a row for each true class and a column for each predicted one.
func (p Page) confusionTable() []table {
	if p.Figures == nil || p.Figures.Confusion.Messages() == 0 {
		return nil
	}
	confusion, rows := p.Figures.Confusion, []int(nil)
	columns := []column[int]{{"true \\ predicted", name, p.className}}
	for class := range confusion {
		rows = append(rows, class)
		columns = append(columns, column[int]{p.className(class), number, func(row int) string { return screen.Grouped(confusion[row][class]) }})
	}
	columns = append(columns, column[int]{"all", number, func(row int) string { return screen.Grouped(confusion.Of(row)) }})
	return tabulate("", rows, columns)
}
