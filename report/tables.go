package report

import (
	"fmt"
	"slices"
	"strconv"

	"chaff/metrics"
)

// comparisonTitle is the heading of the table of models.
func (p Page) comparisonTitle() string {
	if len(p.Models) == 1 {
		return "Figures"
	}
	return "Comparison"
}

// comparisonNote explains what there is in the table of models.
func (p Page) comparisonNote() string {
	some := slices.ContainsFunc[[]Model]
	var best, errors, against, probabilities string
	if some(p.Models, func(m Model) bool { return m.Best }) {
		best = "* is the best on development mail."
	}
	if some(p.Models, func(m Model) bool { return m.Test != nil && m.Test.HM != nil }) {
		errors = "hm% is ham lost, sm% spam let through, both at the natural boundary, lam% their mean on the logistic scale; " +
			"(1-ROCA)% is 100 minus the area under the ROC curve in percent."
	}
	if some(p.Models, func(m Model) bool { return m.AgainstBest != nil }) {
		against = "Against the best, + counts the messages that the model gets right and the best one wrong, − the other way round; " +
			"p is the chance of a difference at least as large between models that are equally good (McNemar)."
	}
	if some(p.Models, func(m Model) bool { return m.Test != nil && (m.Test.LogLoss != nil || m.Test.Brier != nil) }) {
		probabilities = "Log loss and Brier score are about the probabilities: the lower, the better."
	}
	return joined(best, errors, against, probabilities)
}

// kind is how a cell is set.
type kind string

const (
	name   kind = ""
	number kind = "number" // at the right
	prose  kind = "prose"  // of any length: broken into lines, and anywhere if need be
)

// column is a column of a table over rows of any kind.
type column[T any] struct {
	head string
	kind kind
	of   func(T) string // "" or notKnown where there is nothing
}

// tabulate returns a table of rows, without the columns that are empty in all of them; nothing if there are no rows.
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
	return []table{t}
}

// figureOf reads a figure that may not be defined, of a part that may not be there.
func figureOf(f *metrics.Figures, decimals int, of func(*metrics.Figures) *float64) string {
	if f == nil {
		return notKnown
	}
	return fixedOrNot(of(f), decimals)
}

func accuracyOf(f *metrics.Figures) *float64 { return &f.Accuracy }
func hmOf(f *metrics.Figures) *float64       { return f.HM }
func smOf(f *metrics.Figures) *float64       { return f.SM }
func lamOf(f *metrics.Figures) *float64      { return f.LAM }
func rocaOf(f *metrics.Figures) *float64     { return f.OneMinusROCA }
func logLossOf(f *metrics.Figures) *float64  { return f.LogLoss }
func brierOf(f *metrics.Figures) *float64    { return f.Brier }

// interval is the 95 % interval of the accuracy.
func interval(f *metrics.Figures) string {
	if f == nil {
		return notKnown
	}
	return fixed(f.AccuracyLow, 2) + "–" + fixed(f.AccuracyHigh, 2)
}

func (p Page) comparisonTable() []table {
	accuracy := "accuracy %"
	if slices.ContainsFunc(p.Models, func(m Model) bool { return m.Train != nil || m.Development != nil }) {
		accuracy = "test %"
	}
	return tabulate("", p.Models, func(m Model) bool { return m.Best }, []column[Model]{
		{"model", name, func(m Model) string {
			if m.Best {
				return clean(m.Name, maxName) + " *"
			}
			return clean(m.Name, maxName)
		}},
		{"train %", number, func(m Model) string { return figureOf(m.Train, 2, accuracyOf) }},
		{"development %", number, func(m Model) string { return figureOf(m.Development, 2, accuracyOf) }},
		{accuracy, number, func(m Model) string { return figureOf(m.Test, 2, accuracyOf) }},
		{"95% interval", number, func(m Model) string { return interval(m.Test) }},
		{"hm%", number, func(m Model) string { return figureOf(m.Test, 2, hmOf) }},
		{"sm%", number, func(m Model) string { return figureOf(m.Test, 2, smOf) }},
		{"lam%", number, func(m Model) string { return figureOf(m.Test, 2, lamOf) }},
		{"(1-ROCA)%", number, func(m Model) string { return figureOf(m.Test, 4, rocaOf) }},
		{"against the best", number, func(m Model) string { return against(m.AgainstBest) }},
		{"log loss", number, func(m Model) string { return figureOf(m.Test, 4, logLossOf) }},
		{"Brier", number, func(m Model) string { return figureOf(m.Test, 4, brierOf) }},
		{"features", name, func(m Model) string { return clean(m.Features, maxName) }},
		{"CPU s", number, func(m Model) string {
			if m.Seconds == 0 {
				return ""
			}
			return fixed(m.Seconds, 2)
		}},
	})
}

func against(m *metrics.McNemar) string {
	if m == nil {
		return notKnown
	}
	if m.P < 0.001 {
		return fmt.Sprintf("+%d\u00a0−%d (p\u00a0<0.001)", m.Better, m.Worse)
	}
	return fmt.Sprintf("+%d\u00a0−%d (p\u00a0%.3f)", m.Better, m.Worse, m.P)
}

// trialTable has a column for each setting, in the order in which they are first met.
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
	columns = append(columns,
		column[Trial]{"accuracy %", number, func(t Trial) string { return figureOf(t.Development, 2, accuracyOf) }},
		column[Trial]{"hm%", number, func(t Trial) string { return figureOf(t.Development, 2, hmOf) }},
		column[Trial]{"sm%", number, func(t Trial) string { return figureOf(t.Development, 2, smOf) }},
		column[Trial]{"lam%", number, func(t Trial) string { return figureOf(t.Development, 2, lamOf) }},
		column[Trial]{"(1-ROCA)%", number, func(t Trial) string { return figureOf(t.Development, 4, rocaOf) }},
		column[Trial]{"log loss", number, func(t Trial) string { return figureOf(t.Development, 4, logLossOf) }},
		column[Trial]{"note", prose, func(t Trial) string { return clean(t.Note, maxLine) }})
	return tabulate("", p.Trials, func(t Trial) bool { return t.Best }, columns)
}

func (p Page) driftTable() []table {
	return tabulate("", p.Drift, nil, []column[Month]{
		{"when", name, func(m Month) string { return clean(m.Label, maxName) }},
		{"messages", number, func(m Month) string { return strconv.Itoa(m.Messages) }},
		{"accuracy %", number, func(m Month) string { return fixed(m.Accuracy, 2) }},
	})
}

func (p Page) termTables() []table {
	var all []table
	for _, class := range p.Strongest {
		all = append(all, tabulate(clean(class.Class, maxName), class.Terms, nil, []column[Term]{
			{"term", prose, func(t Term) string { return clean(t.Text, maxTerm) }},
			{"weight", number, func(t Term) string { return fixed(t.Weight, 3) }},
			{"messages", number, func(t Term) string { return strconv.Itoa(t.Messages) }},
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
			return fmt.Sprintf("%d of %d", l.Messages[class], l.Of[class])
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
	t := table{Head: []cell{{Text: "is \\ taken for"}}}
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
			cells = append(cells, cell{Text: strconv.Itoa(n), Kind: number, Shade: shade(n, sum)})
		}
		t.Rows = append(t.Rows, row{Cells: append(cells, cell{Text: strconv.Itoa(sum), Kind: number})})
	}
	return []table{t}
}

// shade returns 0 for nothing, 1 for the least share and 9 for all.
func shade(n, of int) int {
	if n <= 0 || of <= 0 {
		return 0
	}
	return 1 + min(8, 8*n/of)
}
