package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chaff/filter"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/serve"
	"chaff/store"
)

// functions are those of the templates.
func functions() template.FuncMap {
	return template.FuncMap{
		"text":  func(max int, s string) string { return shown(s, max) },
		"when":  func(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") },
		"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"score": func(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) },
		"signed": func(x float64) string {
			if x < 0 {
				return "−" + strconv.FormatFloat(-x, 'f', 3, 64)
			}
			return "+" + strconv.FormatFloat(x, 'f', 3, 64)
		},
		"percent":   percent,
		"rate":      percentOf,
		"size":      sizeOf,
		"plural":    plural,
		"verdictOf": func(r serve.Record) string { return verdictOf(&r) },
		"chip":      func(verdict string) string { return strings.TrimSpace("chip " + styleOf(verdict)) },
		"button":    styleOf,
		"share":     func(n, of, others int) string { return percent(100 * float64(n) / float64(max(n+of+others, 1))) },
	}
}

// shown returns a foreign text with at most so many characters, without invisible ones.
func shown(s string, max int) string {
	return screen.Printable(clip(strings.Join(strings.Fields(s), " "), max))
}

// clip returns at most so many characters of a text.
func clip(s string, max int) string {
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	return string([]rune(s)[:max]) + "…"
}

func sizeOf(bytes int) string {
	switch {
	case bytes < 1000:
		return plural(bytes, "byte")
	case bytes < 1000*1000:
		return strconv.FormatFloat(float64(bytes)/1e3, 'f', 1, 64) + " kB"
	}
	return strconv.FormatFloat(float64(bytes)/1e6, 'f', 1, 64) + " MB"
}

// styleOf returns the class of style of a verdict or a class of mail, or "".
func styleOf(verdict string) string {
	switch verdict {
	case string(filter.Spam), string(filter.Ham), string(filter.Unsure), unjudged:
		return verdict
	}
	return ""
}

// overviewBody is the body of the page overview.
type overviewBody struct {
	serve.Status
	Problems []string
	Windows  []window
	Waiting  int // unsure messages
	Verdicts []count
	Unjudged []count
	Faults   int64
	Ways     []count
	NotHere  string // why there is no store
}

type count struct {
	Name string
	N    int64
}

// window are figures of the messages that were learned last.
type window struct {
	Name string
	*metrics.Figures
}

// Errors returns the number of wrong verdicts.
func (w window) Errors() int { return w.Messages - w.Confusion.Correct() }

func (c *console) overview(r *http.Request, v *view) error {
	status, err := c.status(v.User)
	if err != nil {
		return err
	}
	counters := c.engine.Counters
	b := overviewBody{Status: status, Verdicts: counted(counters.Verdicts.All()), Waiting: len(c.engine.Unsure.All()),
		Faults: counters.Faults.Load(), Unjudged: counted(counters.Unjudged.All())}
	if status.Trouble != "" {
		b.Problems = append(b.Problems, "the newest model cannot be read, and an older one judges: "+status.Trouble)
	}
	if status.Unlike != "" {
		b.Problems = append(b.Problems, "the last "+status.Unlike)
	}
	if status.Store == nil {
		b.NotHere = "The model has no log, so it cannot learn. chaff train makes one."
		if v.User != "" {
			b.NotHere = "This user has taught nothing, so the shared model alone judges."
		}
	} else {
		b.Problems = append(b.Problems, status.Store.Problems...)
		b.Windows = windowsOf(status.Store)
		b.Ways = counted(status.Store.Ways)
	}
	v.Body = b
	return nil
}

// counted returns counters, the largest first.
func counted[N int | int64](all map[string]N) (counts []count) {
	for name, n := range all {
		counts = append(counts, count{strings.ReplaceAll(name, "_", " "), int64(n)})
	}
	slices.SortFunc(counts, func(a, b count) int { return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Name, b.Name)) })
	return counts
}

// fewToTell is below how many messages a share of errors says nothing.
const fewToTell = 20

func windowsOf(s *store.Status) (all []window) {
	for i, w := range s.Windows {
		f := w.Figures
		if f == nil || f.Messages < fewToTell || i > 0 && w.Messages == s.Windows[i-1].Messages {
			continue
		}
		name := "all " + strconv.Itoa(w.Messages)
		if w.Messages < s.Windows[len(s.Windows)-1].Messages {
			name = "last " + strconv.Itoa(w.Messages)
		}
		all = append(all, window{name, f})
	}
	return all
}

func percent(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" }

// percentOf returns a share, "–" for one of nothing.
func percentOf(x *float64) string {
	if x == nil {
		return "–"
	}
	return percent(*x)
}

// whyBody is the body of the page why.
type whyBody struct {
	filter.Explanation
	Terms     []term
	TermsLeft int
	Shaded    []shadedText
	TextsLeft int
	Kept      serve.Record
	Two       bool // the classes are ham and spam
}

type term struct {
	filter.Contribution
	Words string
	Class string // of style
}

// shadedText is a text of a message, cut into stretches.
type shadedText struct {
	Title     string
	Stretches []stretch
}

type stretch struct{ Text, Class string }

// The largest explanation that a page shows.
const (
	maxTerms = 40
	maxText  = 20000 // characters
)

// why shows the explanation of a kept message.
func (c *console) why(r *http.Request, v *view) error {
	kept, raw, err := c.engine.KeptMessage(r.PathValue("key"))
	if err != nil {
		return err
	}
	v.User = kept.User
	e, err := c.engine.Explain(r.Context(), v.User, raw)
	if err != nil {
		return err
	}
	b := whyBody{Explanation: e, Kept: kept, Two: c.engine.Settings().Thresholds != nil}
	strongest := 0.0
	for _, t := range e.Contributions[:min(len(e.Contributions), maxTerms)] {
		strongest = max(strongest, math.Abs(t.Contribution))
		b.Terms = append(b.Terms, term{t, strings.Join(t.Tokens, ", "), shadeOf(t.Contribution, strongest)})
	}
	b.TermsLeft = len(e.Contributions) - len(b.Terms)
	texts, left := e.Texts()
	b.TextsLeft = left
	room := maxText
	for _, t := range texts {
		text := shadedText{Title: shown(t.Title, 200)}
		for _, span := range t.Spans {
			if room > 0 {
				text.Stretches = append(text.Stretches, stretch{shownLines(clip(span.Text, room)), shadeOf(span.Contribution, strongest)})
			}
			room -= utf8.RuneCountInString(span.Text)
		}
		if len(text.Stretches) > 0 {
			b.Shaded = append(b.Shaded, text)
		}
	}
	v.Body = b
	return nil
}

// shownLines is shown for a text of several lines. Of empty lines that follow one another, it keeps one.
func shownLines(s string) string {
	lines := strings.Split(s, "\n")
	kept := lines[:0]
	empty := 0
	for i, line := range lines {
		line = screen.Printable(strings.TrimRight(strings.ReplaceAll(line, "\t", " "), "\r"))
		isInner := i > 0 && i < len(lines)-1 // the others may go on in the stretches beside this one
		if isInner && strings.TrimSpace(line) == "" {
			if empty++; empty > 1 {
				continue
			}
		} else {
			empty = 0
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// shades is how many shades evidence has.
const shades = 6

// shadeOf returns the class of style of a contribution, beside that of the strongest term.
func shadeOf(contribution, strongest float64) string {
	if contribution == 0 || strongest == 0 {
		return ""
	}
	shade := strconv.Itoa(min(1+int(math.Abs(contribution)/strongest*(shades-0.01)), shades))
	if contribution < 0 {
		return "against" + shade
	}
	return "for" + shade
}

// thresholdsBody is the body of the page thresholds.
type thresholdsBody struct {
	Thresholds   bool // the model has some
	Fitted       bool // they were chosen
	Spam, Unsure float64
	Ham, Spams   int // messages that were judged before they were learned
	ByHand       int
	Curve        *curve // nil without such messages of both classes
	Points       []point
	Trained      *trained // nil for a model that was not fitted to mail
}

// trained is what the provenance of a model says of its thresholds: the verdicts on messages that a model had not learned.
type trained struct {
	Messages int `json:"out_of_fold_scores"`
	Verdicts struct {
		Ham, Spam struct{ Ham, Unsure, Spam int }
	} `json:"out_of_fold_verdicts"`
}

func (c *console) thresholds(r *http.Request, v *view) error {
	status, err := c.status(v.User)
	if err != nil {
		return err
	}
	var b thresholdsBody
	if t := c.engine.Settings().Thresholds; t != nil {
		b.Thresholds, b.Spam, b.Unsure = true, t.Spam, t.Unsure
		b.Fitted = t.Unsure > -metrics.Beyond
		if status.Store != nil {
			b.ByHand = status.Store.ByHand
			b.draw(status.Store.Judged)
		}
		var from trained
		if data, err := c.engine.Provenance(); v.User == "" && err == nil && json.Unmarshal(data, &from) == nil && from.Messages > 0 {
			b.Trained = &from
		}
	}
	v.Body = b
	return nil
}

// point is what a threshold does.
type point struct {
	Name      string
	Threshold float64
	HamLost   int
	HamShare  float64 // in percent
	SpamFound int
	Found     float64 // in percent
	X, Y      float64 // on the curve
	Marked    bool    // it is one of the model
}

// curve is a drawing of the spam found by the ham lost, at all thresholds.
type curve struct {
	Line   string // the points of a polyline
	XTicks []tick
	YTicks []tick
	Alt    string
}

type tick struct {
	At   float64
	Text string
}

// The size of the drawing, and of the rectangle of the curve in it. The template has the same.
const (
	curveLeft, curveRight = 72.0, 620.0
	curveTop, curveBottom = 12.0, 300.0
)

// draw draws the curve of the messages that were judged before they were learned.
func (b *thresholdsBody) draw(judged []store.Entry) {
	scores, spam := make([]float64, len(judged)), make([]bool, len(judged))
	for i, j := range judged {
		scores[i], spam[i] = j.Score, j.Label == filter.SpamClass
		if spam[i] {
			b.Spams++
		} else {
			b.Ham++
		}
	}
	all := metrics.ErrorCurve(scores, spam)
	if all == nil {
		return
	}
	// The axis of ham lost is logarithmic, since only small shares matter. Its left end stands for none.
	decades := math.Ceil(math.Log10(float64(b.Ham))) + 0.5
	x := func(hm float64) float64 {
		if hm == 0 {
			return curveLeft
		}
		return curveRight + math.Log10(hm)/decades*(curveRight-curveLeft)
	}
	y := func(sm float64) float64 { return curveTop + sm*(curveBottom-curveTop) }
	c := &curve{}
	var line strings.Builder
	for i, p := range all {
		if i > 0 { // a step: the share of spam found at a share of ham lost is that of the lowest threshold
			fmt.Fprintf(&line, "%.1f,%.1f ", x(p.HM), y(all[i-1].SM))
		}
		fmt.Fprintf(&line, "%.1f,%.1f ", x(p.HM), y(p.SM))
	}
	c.Line = strings.TrimSpace(line.String())
	c.XTicks = append(c.XTicks, tick{curveLeft, "0"})
	for share := 100.0; share/100 >= math.Pow(10, -decades+0.4); share /= 10 {
		c.XTicks = append(c.XTicks, tick{x(share / 100), strconv.FormatFloat(share, 'g', 3, 64) + "%"})
	}
	for _, found := range []int{0, 25, 50, 75, 100} {
		c.YTicks = append(c.YTicks, tick{y(1 - float64(found)/100), strconv.Itoa(found) + "%"})
	}
	at := func(name string, p metrics.Point, threshold float64, marked bool) {
		lost, found := int(math.Round(p.HM*float64(b.Ham))), int(math.Round((1-p.SM)*float64(b.Spams)))
		b.Points = append(b.Points, point{name, threshold, lost, 100 * p.HM, found, 100 * (1 - p.SM), x(p.HM), y(p.SM), marked})
	}
	at("threshold of spam", metrics.PointAt(all, b.Spam), b.Spam, true)
	at("threshold of unsure", metrics.PointAt(all, b.Unsure), b.Unsure, true)
	for _, limit := range []float64{0, 0.1, 0.5, 1, 5} {
		p := metrics.PointAtHM(all, limit/100)
		if n := len(b.Points); n > 2 && b.Points[n-1].Threshold == p.Threshold {
			continue
		}
		at("at most "+strconv.FormatFloat(limit, 'g', 3, 64)+"% of ham lost", p, p.Threshold, false)
	}
	now := b.Points[0]
	c.Alt = fmt.Sprintf("Spam found by ham lost. At the threshold of spam, %d of %d ham are lost and %d of %d spam are found.",
		now.HamLost, b.Ham, now.SpamFound, b.Spams)
	b.Curve = c
}
