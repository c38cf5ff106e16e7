package web

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
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

//go:embed console.html
var consoleTemplate string

//go:embed console.css
var consoleStyle string

// console has the pages for people.
type console struct {
	*server
	pages *template.Template
}

// view is what all pages show. Body is for the template with the name of the page.
type view struct {
	Page string
	// Form is the token of forms; "" if nobody is signed in.
	Form    string
	Notice  string // what the last form did
	Problem string // why it could not
	// User is whose model the page is about, if users have models of their own.
	User    string
	Classes []string // of the model
	Options serve.Options
	Body    any
}

// Title returns the title of the page.
func (v view) Title() string {
	switch v.Page {
	case "why":
		return "Why?"
	case "login":
		return "Sign in"
	}
	return strings.ToUpper(v.Page[:1]) + v.Page[1:]
}

var errNotFound = errors.New("there is no such page")

// signedIn answers people who are signed in, and asks others to do so.
func (c *console) signedIn(page string, do func(w http.ResponseWriter, r *http.Request, v *view) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, form := c.session(r)
		switch {
		case form != "":
			v := &view{Page: page, Form: form, User: userOf(r), Options: c.options}
			if c.engine.Learns() {
				v.Classes = c.engine.Settings().Classes
			}
			if err := do(w, r, v); err != nil {
				c.fail(w, v, err)
			}
		case r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") != "cross-site":
			http.Redirect(w, r, "/login", http.StatusSeeOther)
		default:
			c.loginPage(w, http.StatusUnauthorized, r, "")
		}
	}
}

func (c *console) page(name string, fill func(r *http.Request, v *view) error) http.HandlerFunc {
	return c.signedIn(name, func(w http.ResponseWriter, r *http.Request, v *view) error {
		if v.Notice = notices[r.URL.Query().Get("did")]; v.Classes == nil && name != "overview" { // which says so itself
			v.Notice = noLog
		}
		err := fill(r, v)
		if err == nil {
			c.write(w, http.StatusOK, v)
		}
		return err
	})
}

// notices are what a page says after a form, by the parameter did.
var notices = map[string]string{
	"learned": "Learned. What the model knew already stays as it was.", "dropped": "Removed. Nothing was learned.",
	"none": "No message was chosen: tick those that you want to teach.",
}

const noLog = "The model has no log, so it cannot learn. chaff train makes one."

// fail shows why there is no page.
func (c *console) fail(w http.ResponseWriter, v *view, err error) {
	v.Page, v.Problem, v.Notice = "problem", err.Error(), ""
	c.write(w, statusOf(err), v)
}

func (c *console) write(w http.ResponseWriter, status int, v *view) {
	var b bytes.Buffer
	if err := c.pages.ExecuteTemplate(&b, "page", v); err != nil {
		panic(err) // the templates are ours
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w)
}

func (c *console) notFound(w http.ResponseWriter, r *http.Request) {
	_, form := c.session(r)
	c.fail(w, &view{Form: form}, errNotFound)
}

func (c *console) loginPage(w http.ResponseWriter, status int, r *http.Request, problem string) {
	followed := r.Header.Get("Sec-Fetch-Site") == "cross-site" // a link of another site, with which browsers send no cookie
	c.write(w, status, &view{Page: "login", Problem: problem, Body: object{"File": TokenFile(c.options.Model), "Followed": followed}})
}

// maxForm is the size in bytes of the largest form without a message.
const maxForm = 16 << 10

func (c *console) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || !isSame(strings.TrimSpace(r.PostForm.Get("token")), c.token) {
		c.engine.WrongToken("console", clientOf(r))
		c.loginPage(w, http.StatusForbidden, r, "That is not the token.")
		return
	}
	http.SetCookie(w, c.cookie(r, c.beginSession()))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// posted handles a form of a page, if it is of this session. It has the path to go on to.
func (c *console) posted(handle func(w http.ResponseWriter, r *http.Request) (next string, err error)) http.HandlerFunc {
	return c.signedIn("", func(w http.ResponseWriter, r *http.Request, v *view) error {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil || !isSame(r.PostForm.Get("form"), v.Form) {
			return errForm
		}
		next, err := handle(w, r)
		if err == nil {
			http.Redirect(w, r, next, http.StatusSeeOther)
		}
		return err
	})
}

func (c *console) logout(w http.ResponseWriter, r *http.Request) (string, error) {
	session, _ := c.session(r)
	c.sessions.Delete(session)
	http.SetCookie(w, c.cookie(r, ""))
	return "/login", nil
}

// maxCards is how many messages a page shows.
const maxCards = 50

func (c *console) unsure(_ *http.Request, v *view) error {
	all := c.engine.Kept.Unsure()
	shown := all[:min(len(all), maxCards)]
	v.Body = object{"Kept": shown, "Left": len(all) - len(shown)}
	return nil
}

// teachKept teaches the kept message of the path, or those that were chosen. Without a class it only removes them.
func (c *console) teachKept(_ http.ResponseWriter, r *http.Request) (string, error) {
	keys, class, did := r.PostForm["key"], r.PostForm.Get("class"), "learned"
	if one := r.PathValue("key"); one != "" {
		keys = []string{one}
	}
	switch {
	case len(keys) == 0:
		did = "none"
	case class == "":
		did = "dropped"
	}
	done, gone, failed := 0, 0, error(nil)
	for _, key := range keys { // one that cannot be taught, such as what is no mail, is no reason to leave out others
		k, raw, err := c.engine.Kept.Get(key)
		if err == nil && class != "" {
			_, err = c.engine.Learn(r.Context(), serve.Origin{Protocol: "http", User: k.User}, raw, class)
		}
		switch {
		case err == nil:
			c.engine.Kept.Drop(key)
			done++
		case errors.Is(err, serve.ErrNotKept) && gone < len(keys)-1: // taught by another person, or too old
			gone++
		default:
			failed = err
		}
	}
	switch {
	case failed != nil && done > 0:
		return "", fmt.Errorf("%w; of %d messages, %d were done", failed, len(keys), done)
	case failed != nil:
		return "", failed
	}
	back, err := url.Parse(r.PostForm.Get("page"))
	if err != nil || back.Path != "/history" {
		return "/unsure?did=" + did, nil
	}
	query := back.Query()
	query.Set("did", did)
	return "/history?" + query.Encode(), nil
}

func (c *console) history(r *http.Request, v *view) error {
	q, all := r.URL.Query(), c.engine.History.All()
	query, verdict := screen.Clip(strings.TrimSpace(q.Get("q")), 200), q.Get("verdict")
	needle := strings.ToLower(query)
	found := slices.DeleteFunc(all, func(r *serve.Record) bool { return !matches(r, needle, verdict) })
	from, _ := strconv.Atoi(q.Get("from"))
	from = min(max(from, 0), len(found))
	to := min(from+maxCards, len(found))
	address := func(from int) string {
		return "/history?" + url.Values{"q": {query}, "verdict": {verdict}, "from": {strconv.Itoa(from)}}.Encode()
	}
	b := object{"Records": found[from:to], "Found": len(found), "All": len(all), "Query": query, "Verdict": verdict, "Verdicts": verdictsOf(c.engine.Settings()), "Here": address(from)}
	if to < len(found) {
		b["Earlier"] = address(to)
	}
	if from > 0 {
		b["Later"] = address(max(from-maxCards, 0))
	}
	v.Body = b
	return nil
}

// unjudged is what the console calls messages without a verdict.
const unjudged = "unjudged"

func verdictsOf(settings filter.Settings) []string {
	if settings.Thresholds != nil {
		return []string{string(filter.Ham), string(filter.Unsure), string(filter.Spam), unjudged}
	}
	return append(slices.Clone(settings.Classes), unjudged)
}

func verdictOf(r *serve.Record) string {
	if r.Unjudged != "" {
		return unjudged
	}
	return string(r.Verdict)
}

// matches reports whether a record has a text, in lower case, and a verdict; "" is any.
func matches(r *serve.Record, needle, verdict string) bool {
	if verdict != "" && verdictOf(r) != verdict {
		return false
	}
	return slices.ContainsFunc([]string{r.Subject, r.From, r.ID, r.QueueID, r.User, r.Unjudged}, func(text string) bool {
		return strings.Contains(strings.ToLower(text), needle)
	})
}

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
		"plural":    screen.Plural,
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
