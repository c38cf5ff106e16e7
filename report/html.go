package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed page.html
var pageTemplate string

// view is a page in the form that the template shows.
type view struct {
	Title, Subtitle string
	Facts           []Fact
	Warnings        []string
	Sections        []section
}

// section is a part of the page with a heading.
type section struct {
	ID, Title, Note string
	Figures         []figure
	Tables          []table
	Messages        []message
	Legend          []stretch
	Texts           []shadedText
}

// figure is a plot as an image.
type figure struct {
	Name, Title, Note string
	Source            template.URL
}

// table is a table whose cells are text.
type table struct {
	Caption string
	Head    []cell
	Rows    []row
}

type row struct {
	Best  bool
	Cells []cell
}

// cell is text on a ground whose shade is 0 to 9.
type cell struct {
	Text  string
	Kind  kind
	Shade int
}

// message is a message that was misjudged, or nearly.
type message struct {
	Path, Subject, True, Given, Score, Probability string
	Wrong                                          bool
	Terms                                          []contribution
}

type contribution struct {
	Term, Score string
	Against     bool // lowers the score
}

// WriteHTML writes the page. The error is that of w.
func (p Page) WriteHTML(w io.Writer) error {
	v, err := p.view()
	if err != nil {
		return err
	}
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}

const textNote = `Each word has the colour of the class that it speaks for, the stronger the more it adds to the score; a word that comes
several times counts as the model counts it. Rows of empty lines are shown as one. Hold the pointer over a word to see its terms.`

// view gathers the parts of the page that are not empty.
func (p Page) view() (view, error) {
	v := view{Title: clean(p.Title, maxLine), Subtitle: clean(p.Subtitle, maxLine)}
	for _, f := range p.Facts {
		v.Facts = append(v.Facts, Fact{clean(f.Name, maxTerm), clean(f.Value, maxLine)})
	}
	for _, warning := range p.Warnings {
		v.Warnings = append(v.Warnings, clean(warning, maxLine))
	}
	figures, err := p.figures()
	if err != nil {
		return view{}, err
	}
	measured, ofModel := p.notes()
	all := []section{
		{ID: "text", Title: "Message", Note: p.textNotes(), Legend: p.legend(), Texts: p.shadedTexts()},
		{ID: "weighed", Title: "Terms", Note: p.weighedNote(), Tables: p.weighedTable()},
		{ID: "models", Title: p.comparisonTitle(), Note: p.comparisonNote(), Tables: p.comparisonTable()},
		{ID: "trials", Title: "Trials", Note: "All figures are those of development mail.", Tables: p.trialTable()},
		{ID: "curves", Title: "Ham lost and spam let through", Note: p.curvesNote(), Figures: figures.take("roc", "det")},
		{ID: "learning", Title: "Learning", Figures: figures.take("learning", "epochs", "epochs-loss")},
		{ID: "scores", Title: "Scores and probabilities", Note: measured, Figures: figures.take("scores", "reliability")},
		{ID: "confusion", Title: "Confusion", Note: joined(measured, "Rows are what the messages are, columns what they were taken for."), Tables: p.confusionTable()},
		{ID: "drift", Title: "Drift", Note: measured, Figures: figures.take("drift"), Tables: p.driftTable()},
		{ID: "terms", Title: "Strongest terms", Note: ofModel, Tables: p.termTables()},
		{ID: "two-terms", Title: "Two terms", Note: ofModel, Figures: figures.take("two-terms")},
		{ID: "leaks", Title: "Leaks", Note: "Terms of the training messages that an archive, a relay or a filter may have written, and not the senders. Figures that rest on them say little about new mail.", Tables: p.leakTable()},
		{ID: "mistakes", Title: "Worst mistakes", Note: joined(measured, "The terms are those that speak most for the class given."), Messages: messages(p.Mistakes)},
		{ID: "least-certain", Title: "Least certain", Note: joined(measured, "Messages nearest to the boundary."), Messages: messages(p.LeastCertain)},
		{ID: "suspects", Title: "Suspected label errors", Note: joined(measured, "The model is sure, and the label says otherwise. Look whether the label is right."), Messages: messages(p.Suspects)},
	}
	for _, s := range all {
		if len(s.Figures)+len(s.Tables)+len(s.Messages)+len(s.Texts) > 0 {
			v.Sections = append(v.Sections, s)
		}
	}
	return v, nil
}

type figures []figure

// figures draws the plots of the page.
func (p Page) figures() (figures, error) {
	var all figures
	for _, plot := range p.Plots() {
		svg, err := plot.SVG()
		if err != nil {
			return nil, fmt.Errorf("draw %s: %w", plot.Name, err)
		}
		source := template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg))
		all = append(all, figure{plot.Name, plot.Title, plot.Note, source})
	}
	return all, nil
}

// take returns those with the given names.
func (all figures) take(names ...string) []figure {
	var taken []figure
	for _, name := range names {
		for _, f := range all {
			if f.Name == name {
				taken = append(taken, f)
			}
		}
	}
	return taken
}

func messages(all []Mistake) []message {
	var out []message
	for _, m := range all {
		shown := message{
			Path: clean(m.Path, maxLine), Subject: clean(m.Subject, maxSubject), True: clean(m.True, maxName), Given: clean(m.Given, maxName),
			Score: fixed(m.Score, 3), Wrong: m.True != m.Given,
		}
		if m.Probability != nil {
			shown.Probability = fixed(*m.Probability, 4)
		}
		for _, t := range m.Terms {
			shown.Terms = append(shown.Terms, contribution{clean(t.Term, maxTerm), signed(t.Score), t.Score < 0})
		}
		out = append(out, shown)
	}
	return out
}

// notes say what the parts about a single model are about: the model on the mail, and the model.
func (p Page) notes() (measured, ofModel string) {
	on := clean(p.On, maxLine)
	if p.Of == "" {
		if on != "" {
			measured = "On " + on + "."
		}
		return measured, ""
	}
	ofModel = "Of " + clean(p.Of, maxName)
	measured = ofModel + "."
	if on != "" {
		measured = ofModel + ", on " + on + "."
	}
	return measured, ofModel + "."
}

// curvesNote says what the curves were measured on, and that there may be more models than curves.
func (p Page) curvesNote() string {
	var on, more string
	if p.On != "" {
		on = "On " + clean(p.On, maxLine) + "."
	}
	if n := len(p.ROC); n > 1 && n < len(p.Models) {
		more = fmt.Sprintf("The first %d models of the comparison.", n)
	}
	return joined(on, more)
}

// joined puts sentences together, without those that are empty.
func joined(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}
