package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"

	"chaff/evaluate"
	"chaff/filter"
	"chaff/internal/screen"
)

//go:embed page.html
var pageTemplate string

//go:embed style.css
var style string

// Style returns the style sheet of a page.
func Style() string { return style }

// section is a part of the page with a heading.
type section struct {
	ID, Title, Note string
	Figures         []Plot
	Tables          []table
	Messages        []evaluate.Judged
	Legend          []stretch
	Texts           []shadedText
	Left            string // why plots are left out
	Fold            string // the name of the fold that hides the note and the tables; empty without one
}

// table is a table whose cells are text.
type table struct {
	Caption string
	Head    []cell
	Rows    [][]cell
}

type cell struct {
	Text string
	Kind kind
}

// WriteHTML writes the page. The error is that of w.
func (p Page) WriteHTML(w io.Writer) error { return p.write(w, "page") }

// WriteSections writes what the page has below its heading, for another page with its [Style].
func (p Page) WriteSections(w io.Writer) error { return p.write(w, "sections") }

func (p Page) write(w io.Writer, part string) error {
	cut := func(max int) func(string) string { return func(s string) string { return clean(s, max) } }
	t := template.Must(template.New("page").Funcs(template.FuncMap{
		"name": cut(maxName), "term": cut(maxTerm), "line": cut(maxLine),
		"score": func(x float64) string { return fixed(x, 3) }, "probability": func(x float64) string { return fixed(x, 4) }, "signed": signed,
		"title": func(j evaluate.Judged) string { return clean(evaluate.Title(j.Subject, j.From), maxSubject) }, "evidence": p.evidenceClass, "toScore": p.toScore, "probabilityName": func() string { return filter.ProbabilityName(p.Classes) },
		"style": func() template.CSS { return template.CSS(style) },
		"alt":   func(plot Plot) string { return plot.chart.Title.Text + ". " + clean(plot.Alt, 900) }, // characters
		"source": func(plot Plot) template.URL {
			return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(plot.SVG()))
		},
	}).Parse(pageTemplate))
	var b bytes.Buffer
	err := t.ExecuteTemplate(&b, part, struct {
		Page
		Sections []section
	}{p, p.sections()})
	if err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}

const textNote = `The colour of a word is that of the class it is evidence for, and its shade is the size of its contribution. A repeated word counts
as the model counts it. Repeated empty lines are shown as one. Point at a word, tap it, or move to it with the tab key to see its terms.`

// sections returns the parts of the page that are not empty.
func (p Page) sections() []section {
	const probabilityNote = "Messages in order of their probability, in groups of equal size: the mean that was predicted, and the share that came true."
	measured, ofModel := "", "" // names of the model and the mail of the parts about a single model
	if len(p.Models) > 0 {
		of := "For " + clean(p.Models[0].Model, maxName)
		measured, ofModel = of+", on "+clean(p.On, maxLine)+".", of+"."
	}
	comparison, onMail, fold := "Comparison", "", "All figures"
	if len(p.Models) == 1 {
		comparison, fold = "Figures", ""
	}
	if p.On != "" {
		onMail = "On " + clean(p.On, maxLine) + "."
	}
	if n := len(p.Curves); n > 1 && n < len(p.Models) {
		onMail = joined(onMail, screen.Sprintf("The first %d models of the comparison.", n))
	}
	parts := append(p.explained(), []section{
		{ID: "models", Title: comparison, Note: p.figuresNote(), Figures: []Plot{p.models()}, Tables: p.figureTables(), Fold: fold},
		{ID: "curves", Title: "Ham lost and spam missed", Note: onMail, Figures: []Plot{p.roc()}, Tables: []table{p.operatingTable()}},
		{ID: "learning", Title: "Learning", Figures: []Plot{p.epochs("Accuracy by epoch", "accuracy (%)", false), p.epochs("Loss by epoch", "loss of the trainer (logarithmic)", true)}},
		{ID: "probabilities", Title: "Probabilities", Note: joined(measured, probabilityNote), Tables: []table{p.reliabilityTable()}},
		{ID: "terms", Title: "Strongest terms", Note: ofModel, Tables: p.termTables()},
		{ID: "two-terms", Title: "Two terms", Figures: []Plot{p.twoTerms()}},
		{ID: "mistakes", Title: "Worst mistakes", Note: joined(measured, "With the strongest evidence for the predicted class. Of messages with the same subject, one is shown."), Messages: p.Mistakes},
	}...)
	var all []section
	for _, s := range parts {
		s.Tables = slices.DeleteFunc(s.Tables, func(t table) bool { return len(t.Rows) == 0 })
		s.Figures = slices.DeleteFunc(s.Figures, func(plot Plot) bool {
			if plot.chart == nil {
				s.Left = joined(s.Left, plot.Note)
			}
			return plot.chart == nil
		})
		if len(s.Figures)+len(s.Tables)+len(s.Messages)+len(s.Texts)+len(s.Left) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// explained returns the parts about a message.
func (p Page) explained() []section {
	if p.Explanation == nil {
		return nil
	}
	e := *p.Explanation
	evidence, weighed := "Each bar begins where the one above it ends; together they are "+clean(e.Sum(), maxName)+".", "A term adds its value times its weight."
	if len(e.Votes) > 0 {
		evidence += " What a kind of evidence adds has a bound."
		weighed = "A term adds its share of what its kind of evidence adds. Its value times its weight is what it would add without the bounds."
	}
	legend := []stretch{{Text: clean(e.For, maxName), Class: shadeClass(1, 2)}, {Text: clean(e.Against, maxName), Class: shadeClass(-1, 2)}}
	texts, left := e.Texts()
	terms := e.Contributions[:min(maxTerms, len(e.Contributions))]
	return []section{
		{ID: "evidence", Title: "Evidence", Note: evidence, Figures: []Plot{p.evidence()}},
		{ID: "text", Title: "Message", Note: withLeft(textNote, "The last %d bytes are left out.", left), Legend: legend, Texts: shadedTexts(texts)},
		{ID: "weighed", Title: "Terms", Note: withLeft(weighed, "The weakest %d are left out.", len(e.Contributions)-len(terms)), Tables: []table{p.weighedTable(terms)}},
	}
}

// toScore returns what a term of a mistake adds to the score. The term is evidence for the class given, the score of a spam filter that of spam over ham.
func (p Page) toScore(j evaluate.Judged, term evaluate.Reason) float64 {
	if filter.IsSpamFilter(p.Classes) && j.Class == p.Classes[0] {
		return -term.Contribution
	}
	return term.Contribution
}

// evidenceClass returns the CSS class of a contribution. With two classes, a negative score is evidence for the first of them; with more,
// all of it is evidence for the class given, and has no colour.
func (p Page) evidenceClass(score float64) string {
	switch {
	case len(p.Classes) > 2:
		return "neutral"
	case score < 0:
		return "against"
	}
	return "for"
}

// withLeft adds to a note how much is left out.
func withLeft(note, format string, left int) string {
	if left == 0 {
		return note
	}
	return note + " " + screen.Sprintf(format, left)
}

func joined(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}
