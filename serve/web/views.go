package web

import (
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"chaff/filter"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/report"
	"chaff/serve"
	"chaff/train"
)

func functions(e *serve.Engine) template.FuncMap {
	return template.FuncMap{
		"kept": e.Kept.Has,
		// A foreign text with at most so many characters, without invisible ones.
		"text": func(most int, s string) string {
			return screen.Printable(screen.Clip(strings.Join(strings.Fields(s), " "), most))
		},
		"when":      func(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") },
		"iso":       func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"score":     func(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) },
		"n":         screen.Grouped,
		"percent":   percent,
		"plural":    plural,
		"counts":    screen.Counts[int64],
		"ways":      screen.Counts[int],
		"verdictOf": func(r serve.Record) string { return verdictOf(&r) },
		"chip":      func(verdict string) string { return strings.TrimSpace("chip " + styleOf(verdict)) },
		"button":    styleOf,
		"chance":    func() string { return filter.ProbabilityName(e.Settings().Classes) },
		"share":     func(n, of, others int) string { return percent(100 * float64(n) / float64(max(n+of+others, 1))) },
	}
}

// styleOf returns the class of style of a verdict or a class of mail, or "".
func styleOf(verdict string) string {
	switch verdict {
	case string(filter.Spam), string(filter.Ham), string(filter.Unsure), unjudged:
		return verdict
	}
	return ""
}

type overviewBody struct {
	serve.Status
	Problems []string
	Faults   int
}

func (c *console) overview(r *http.Request, v *view) error {
	status, err := c.engine.Status(v.User)
	if err != nil {
		return err
	}
	b := overviewBody{Status: status, Faults: int(c.engine.Counters.Faults.Load())}
	if status.Trouble != "" {
		b.Problems = append(b.Problems, "what judges is not up to date: "+status.Trouble)
	}
	if status.Unlike != "" {
		b.Problems = append(b.Problems, "the last "+status.Unlike)
	}
	switch {
	case status.Store != nil:
		b.Problems = append(b.Problems, status.Store.Problems...)
	case v.User != "":
		b.Problems = append(b.Problems, "This user has taught nothing, so the shared model alone judges.")
	default:
		b.Problems = append(b.Problems, noLog)
	}
	v.Body = b
	return nil
}

func percent(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" }

type whyBody struct {
	filter.Explanation
	Kept    serve.Record
	Page    string // of the history, to go back to
	Reasons template.HTML
}

func (c *console) why(r *http.Request, v *view) error {
	kept, raw, err := c.engine.Kept.Get(r.PathValue("key"))
	if err != nil {
		return err
	}
	v.User = kept.User
	e, err := c.engine.Explain(r.Context(), v.User, raw)
	if err != nil {
		return err
	}
	settings := c.engine.Settings()
	reasons, err := sectionsOf(report.Page{Classes: settings.Classes, Thresholds: settings.Thresholds, Explanation: &e})
	v.Body = whyBody{e, kept, r.URL.Query().Get("page"), reasons}
	return err
}

func sectionsOf(p report.Page) (template.HTML, error) {
	var b strings.Builder
	err := p.WriteSections(&b)
	return template.HTML(b.String()), err
}

type thresholdsBody struct {
	*metrics.Thresholds // nil for a model without any
	FindsHam, FindsSpam bool
	Fitted              bool
	Ham, Spams          int // messages that were judged before they were learned
	ByHand              int
	Errors              template.HTML     // at each threshold; "" without such messages of both classes
	Trained             *train.Provenance // nil for a model that was not measured on mail
}

func (c *console) thresholds(r *http.Request, v *view) error {
	status, err := c.engine.Status(v.User)
	if err != nil {
		return err
	}
	b := thresholdsBody{Thresholds: c.engine.Settings().Thresholds}
	v.Body = &b
	if b.Thresholds == nil {
		return nil
	}
	b.Fitted = status.Store == nil || status.Store.Fitted != nil
	b.FindsHam, b.FindsSpam = b.Unsure > -metrics.Beyond, b.Spam < metrics.Beyond
	if from, err := train.ProvenanceOf(c.engine); v.User == "" && err == nil && from.Verdicts != nil {
		b.Trained = &from
	}
	if status.Store == nil {
		return nil
	}
	b.ByHand = status.Store.ByHand
	var scores []float64
	var spam []bool
	for _, j := range status.Store.Judged {
		scores, spam = append(scores, j.Score), append(spam, j.Label == filter.SpamClass)
		if j.Label == filter.SpamClass {
			b.Spams++
		}
	}
	b.Ham = len(spam) - b.Spams
	if curve := metrics.NewMargins(scores, spam).ErrorCurve(); curve != nil {
		all := status.Store.Windows[len(status.Store.Windows)-1].Figures
		judged := train.Result{Model: status.Store.Model, Test: all, Choice: train.Choice{Thresholds: b.Thresholds}}
		b.Errors, err = sectionsOf(report.Page{Classes: v.Classes, Models: []train.Result{judged}, Curves: [][]metrics.Point{curve}})
	}
	return err
}
