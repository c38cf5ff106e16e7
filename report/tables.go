package report

import (
	"slices"
	"strings"

	"chaff/internal/screen"
	"chaff/metrics"
)

// comparisonNote explains the columns of the table of models.
func (p Page) comparisonNote() string {
	var notes []string
	add := func(note string, about func(Model) bool) {
		if slices.ContainsFunc(p.Models, about) {
			notes = append(notes, note)
		}
	}
	add("* is the best on development mail.", func(m Model) bool { return m.Best })
	add("Ham lost (hm%) and spam missed (sm%) are by the likelier class, with nothing unsure; their mean (lam%) is on the logistic scale. "+
		"Of all pairs of a ham and a spam, (1-ROCA)% have the ham above the spam.", func(m Model) bool { return m.Test != nil && m.Test.HM != nil })
	add("Log loss and Brier score measure the probabilities: lower is better.",
		func(m Model) bool { return m.Test != nil && (m.Test.LogLoss != nil || m.Test.Brier != nil) })
	add("Against the best, + counts the messages that only this model classifies correctly, − those that only the best does; "+
		"p is the probability of such a difference between equally good models (McNemar's test).", func(m Model) bool { return m.AgainstBest != nil })
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
func tabulate[T any](caption string, rows []T, best func(T) bool, columns []column[T]) []table {
	if len(rows) == 0 {
		return nil
	}
	t := table{Caption: caption, Rows: make([]row, len(rows))}
	for i, r := range rows {
		t.Rows[i].Best = best != nil && best(r)
	}
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

// figureColumn returns a column with a figure of a part of the mail, which may be missing.
func figureColumn[T any](head string, decimals int, part func(T) *metrics.Figures, of func(*metrics.Figures) *float64) column[T] {
	return column[T]{head, longHead, func(row T) string {
		if f := part(row); f != nil && of(f) != nil {
			return fixed(*of(f), decimals)
		}
		return notKnown
	}}
}

func accuracyOf(f *metrics.Figures) *float64 { return &f.Accuracy }

// errorColumns returns columns with the errors and the losses of a part of the mail.
func errorColumns[T any](part func(T) *metrics.Figures) []column[T] {
	return []column[T]{
		figureColumn("ham lost %", 2, part, func(f *metrics.Figures) *float64 { return f.HM }),
		figureColumn("spam missed %", 2, part, func(f *metrics.Figures) *float64 { return f.SM }),
		figureColumn("mean of both %", 2, part, func(f *metrics.Figures) *float64 { return f.LAM }),
		figureColumn("ham ranked above spam %", 4, part, func(f *metrics.Figures) *float64 { return f.OneMinusROCA }),
		figureColumn("log loss", 4, part, func(f *metrics.Figures) *float64 { return f.LogLoss }),
		figureColumn("Brier score", 4, part, func(f *metrics.Figures) *float64 { return f.Brier }),
	}
}

// comparisonTable has two tables that are as wide as a page, or for a single model one with a row for each figure.
func (p Page) comparisonTable() []table {
	accuracy := "accuracy %"
	if slices.ContainsFunc(p.Models, func(m Model) bool { return m.Train != nil || m.Development != nil }) {
		accuracy = "accuracy in test %"
	}
	test := func(m Model) *metrics.Figures { return m.Test }
	model := column[Model]{"model", name, func(m Model) string {
		if m.Best {
			return clean(m.Name, maxName) + " *"
		}
		return clean(m.Name, maxName)
	}}
	columns := []column[Model]{
		model,
		figureColumn("accuracy in training %", 2, func(m Model) *metrics.Figures { return m.Train }, accuracyOf),
		figureColumn("in development %", 2, func(m Model) *metrics.Figures { return m.Development }, accuracyOf),
		figureColumn(accuracy, 2, test, accuracyOf),
		{"95% interval", number, func(m Model) string {
			if m.Test == nil {
				return notKnown
			}
			return fixed(m.Test.AccuracyLow, 2) + "–" + fixed(m.Test.AccuracyHigh, 2)
		}},
	}
	columns = append(columns,
		column[Model]{"against the best", number, func(m Model) string { return against(m.AgainstBest) }},
		column[Model]{"features", name, func(m Model) string { return clean(m.Features, maxName) }},
		column[Model]{"CPU s", number, func(m Model) string {
			if m.Seconds == 0 {
				return ""
			}
			return fixed(m.Seconds, 2)
		}})
	isBest, errors := func(m Model) bool { return m.Best }, errorColumns(test)
	if len(p.Models) == 1 {
		return transposed(tabulate("", p.Models, nil, append(columns, errors...)))
	}
	return slices.Concat(tabulate("", p.Models, isBest, columns), tabulate("Errors", p.Models, isBest, append([]column[Model]{model}, errors...)))
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

// trialTable has a column for each setting, in the order of appearance.
func (p Page) trialTable() []table {
	var names []string
	for _, t := range p.Trials {
		for _, s := range t.Settings {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	columns := []column[Trial]{{"", name, func(t Trial) string {
		if t.Best {
			return "*"
		}
		return ""
	}}}
	for _, setting := range names {
		columns = append(columns, column[Trial]{clean(setting, maxTerm), name, func(t Trial) string {
			for _, s := range t.Settings {
				if s.Name == setting {
					return clean(s.Value, maxTerm)
				}
			}
			return ""
		}})
	}
	development := func(t Trial) *metrics.Figures { return t.Development }
	columns = append(columns, figureColumn("accuracy %", 2, development, accuracyOf))
	columns = append(append(columns, errorColumns(development)...), column[Trial]{"note", prose, func(t Trial) string { return clean(t.Note, maxLine) }})
	return tabulate("", p.Trials, func(t Trial) bool { return t.Best }, columns)
}

func (p Page) driftTable() []table {
	return tabulate("", p.Drift, nil, []column[Period]{
		{"when", name, Period.String},
		{"messages", number, func(m Period) string { return screen.Grouped(m.Messages) }},
		{"accuracy %", number, func(m Period) string { return fixed(m.Accuracy, 2) }},
		{"95% interval", number, func(m Period) string { return fixed(m.AccuracyLow, 2) + "–" + fixed(m.AccuracyHigh, 2) }},
	})
}

func (p Page) termTables() []table {
	var all []table
	for _, class := range p.Strongest {
		all = append(all, tabulate(clean(class.Class, maxName), class.Terms, nil, []column[Term]{
			{"term", prose, func(t Term) string { return clean(t.Text, maxTerm) }},
			{"weight", number, func(t Term) string { return fixed(t.Weight, 3) }},
			{"messages", number, func(t Term) string { return screen.Grouped(t.Messages) }},
		})...)
	}
	return all
}

func (p Page) leakTable() []table {
	columns := []column[Leak]{{"term", prose, func(l Leak) string { return clean(l.Term, maxTerm) }}}
	classes := 0
	for _, l := range p.Leaks {
		classes = max(classes, len(l.Messages))
	}
	for class := range classes {
		columns = append(columns, column[Leak]{p.className(class), number, func(l Leak) string {
			if class >= len(l.Messages) || class >= len(l.Of) {
				return notKnown
			}
			return screen.Sprintf("%d of %d", l.Messages[class], l.Of[class])
		}})
	}
	columns = append(columns, column[Leak]{"what to do", prose, func(l Leak) string { return clean(l.Advice, maxLine) }})
	return tabulate("", p.Leaks, nil, columns)
}

// confusionTable shades each cell by its share of the row.
func (p Page) confusionTable() []table {
	if p.Confusion.Messages() == 0 {
		return nil
	}
	t := table{Head: []cell{{Text: "true \\ predicted"}}}
	for i := range p.Confusion {
		t.Head = append(t.Head, cell{Text: p.className(i), Kind: number})
	}
	t.Head = append(t.Head, cell{Text: "all", Kind: number})
	for i, counts := range p.Confusion {
		sum := 0
		for _, n := range counts {
			sum += n
		}
		cells := []cell{{Text: p.className(i)}}
		for _, n := range counts {
			cells = append(cells, cell{Text: screen.Grouped(n), Kind: number, Shade: shadeOf(n, sum)})
		}
		t.Rows = append(t.Rows, row{Cells: append(cells, cell{Text: screen.Grouped(sum), Kind: number})})
	}
	return []table{t}
}

// shadeOf returns 0 for an empty share, 1 for the least and 9 for all.
func shadeOf(n, of int) int {
	if n <= 0 || of <= 0 {
		return 0
	}
	return 1 + min(8, 8*n/of)
}
