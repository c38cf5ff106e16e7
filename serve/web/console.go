package web

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"chaff/filter"
	"chaff/message"
	"chaff/serve"
	"chaff/store"
)

//go:embed console.html
var consoleTemplate string

//go:embed console.css
var consoleStyle []byte

// consoleRoutes are the pages for people.
func (s *server) consoleRoutes() []route {
	pages := template.Must(template.New("console").Funcs(functions()).Parse(consoleTemplate))
	c := &console{server: s, pages: pages}
	return []route{
		{"GET /console.css", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/css; charset=utf-8")
			_, _ = w.Write(consoleStyle)
		}},
		{"GET /login", c.loginForm},
		{"POST /login", c.login},
		{"POST /logout", c.posted(c.logout)},
		{"GET /{$}", c.page(c.overview)},
		{"GET /unsure", c.page(c.unsure)},
		{"GET /kept/{key}", c.page(c.whyKept)},
		{"POST /kept/{key}", c.posted(c.teachOne)},
		{"POST /teach", c.posted(c.teachSeveral)},
		{"GET /history", c.page(c.history)},
		{"GET /explain", c.page(c.explainForm)},
		{"POST /explain", c.explainMessage},
		{"GET /thresholds", c.page(c.thresholds)},
		{"/", c.notFound},
	}
}

type console struct {
	*server
	pages *template.Template
}

// view is what all pages show. Body is for the template with the name of the page.
type view struct {
	Page, Title string
	// Form is the token of forms; "" if nobody is signed in.
	Form    string
	Notice  string // what the last form did
	Problem string // why it could not
	// User is whose model the page is about, if users have models of their own.
	Users   bool
	User    string
	Classes []string // of the model
	Body    any
}

// Has reports whether the page is one in the list of pages.
func (v view) Has(page string) bool { return v.Page == page }

// errNotFound is about a page that does not exist.
var errNotFound = errors.New("there is no such page")

// page shows a page to people who are signed in.
func (c *console) page(make func(r *http.Request, v *view) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		session := c.session(r)
		if session == "" {
			c.askToSignIn(w, r)
			return
		}
		c.show(w, r, session, make)
	}
}

// show shows a page of a session.
func (c *console) show(w http.ResponseWriter, r *http.Request, session string, make func(r *http.Request, v *view) error) {
	v := &view{Form: c.formToken(session), Users: c.options.Users != "", User: r.URL.Query().Get("user"), Notice: notices[r.URL.Query().Get("did")],
		Classes: c.engine.Settings().Classes}
	if err := make(r, v); err != nil {
		c.fail(w, v, err)
		return
	}
	c.write(w, http.StatusOK, v)
}

// notices are what a page says after a form, by the parameter did.
var notices = map[string]string{
	"spam": "Learned as spam.", "ham": "Learned as ham.", "known": "The model knew this message already.", "sure": "The model is sure of this message already, so it was not learned.",
	"dropped": "Removed from the queue. Nothing was learned.", "learned": "Learned.", "none": "No message was chosen: tick those that you want to teach.",
	"several": "The chosen messages are learned. What the model knew or was sure of already stays as it was.",
}

// fail shows why there is no page.
func (c *console) fail(w http.ResponseWriter, v *view, err error) {
	status := statusOf(err)
	switch {
	case errors.Is(err, errNotFound):
		status = http.StatusNotFound
	case errors.Is(err, errForm):
		status = http.StatusForbidden
	}
	v.Page, v.Title, v.Problem, v.Notice = "problem", "Problem", err.Error(), ""
	c.write(w, status, v)
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
	session := c.session(r)
	v := &view{}
	if session != "" {
		v.Form = c.formToken(session)
	}
	c.fail(w, v, errNotFound)
}

// askToSignIn shows the form for the token.
func (c *console) askToSignIn(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") != "cross-site" {
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	c.loginPage(w, http.StatusUnauthorized, r, "")
}

// loginBody is the body of the page login. Followed says that a link of another site led here, with which browsers send no cookie.
type loginBody struct {
	File     string
	Followed bool
}

func (c *console) loginPage(w http.ResponseWriter, status int, r *http.Request, problem string) {
	c.write(w, status, &view{Page: "login", Title: "Sign in", Problem: problem,
		Body: loginBody{c.tokenFile, r.Header.Get("Sec-Fetch-Site") == "cross-site"}})
}

func (c *console) loginForm(w http.ResponseWriter, r *http.Request) {
	if c.session(r) != "" {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	c.loginPage(w, http.StatusOK, r, "")
}

// maxForm is the size in bytes of the largest form without a message.
const maxForm = 16 << 10

func (c *console) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || !c.isToken(strings.TrimSpace(r.PostForm.Get("token"))) {
		c.engine.WrongToken("console", clientOf(r))
		c.loginPage(w, http.StatusForbidden, r, "That is not the token.")
		return
	}
	http.SetCookie(w, c.cookie(r, c.sessions.begin(time.Now())))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// posted handles a form of a page, if it is of this session. It has the path to go on to.
func (c *console) posted(handle func(w http.ResponseWriter, r *http.Request) (next string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		session := c.session(r)
		if session == "" {
			c.askToSignIn(w, r)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		v := &view{Form: c.formToken(session)}
		if err := r.ParseForm(); err != nil || !c.isFormToken(r.PostForm.Get("form"), session) {
			c.fail(w, v, errForm)
			return
		}
		next, err := handle(w, r)
		if err != nil {
			c.fail(w, v, err)
			return
		}
		http.Redirect(w, r, next, http.StatusSeeOther)
	}
}

func (c *console) logout(w http.ResponseWriter, r *http.Request) (string, error) {
	c.sessions.end(c.session(r))
	http.SetCookie(w, c.cookie(r, ""))
	return "/login", nil
}

// unsureBody is the body of the page unsure.
type unsureBody struct {
	Kept   []serve.Kept
	Left   int // messages that are not shown
	Most   int // messages that are kept
	Days   int
	Folder string
}

// maxCards is how many messages a page shows.
const maxCards = 50

func (c *console) unsure(r *http.Request, v *view) error {
	v.Page, v.Title = "unsure", "Unsure"
	all := c.engine.Unsure()
	shown := all[:min(len(all), maxCards)]
	v.Body = unsureBody{shown, len(all) - len(shown), c.options.KeepUnsure, c.options.UnsureDays, c.options.Model + serve.UnsureSuffix}
	return nil
}

func (c *console) whyKept(r *http.Request, v *view) error {
	k, raw, err := c.engine.KeptMessage(r.PathValue("key"))
	if err != nil {
		return err
	}
	e, err := c.engine.Explain(r.Context(), k.User, raw)
	if err != nil {
		return err
	}
	v.Page, v.Title = "why", "Why?"
	body := c.why(e)
	body.Kept = &k
	v.Body = body
	return nil
}

// teachOne teaches a kept message, or removes it from the unsure ones if the form has no class.
func (c *console) teachOne(_ http.ResponseWriter, r *http.Request) (string, error) {
	key, class := r.PathValue("key"), r.PostForm.Get("class")
	if class == "" {
		return "/unsure?did=dropped", c.engine.DropUnsure(key)
	}
	outcome, err := c.teachKept(r, key, class)
	return pageOf(r) + "?did=" + didOf(outcome, class), err
}

// teachSeveral teaches the kept messages that were chosen.
func (c *console) teachSeveral(_ http.ResponseWriter, r *http.Request) (string, error) {
	keys := r.PostForm["key"]
	did := "several"
	if len(keys) == 0 {
		did = "none"
	}
	for _, key := range keys {
		if _, err := c.teachKept(r, key, r.PostForm.Get("class")); err != nil {
			return "", err
		}
	}
	return pageOf(r) + "?did=" + did, nil
}

// pageOf returns the page that a form for kept messages came from.
func pageOf(r *http.Request) string {
	if r.PostForm.Get("page") == "history" {
		return "/history"
	}
	return "/unsure"
}

func (c *console) teachKept(r *http.Request, key, class string) (store.Outcome, error) {
	k, raw, err := c.engine.KeptMessage(key)
	if err != nil {
		return store.Outcome{}, err
	}
	outcome, err := c.engine.Learn(r.Context(), k.User, raw, class)
	c.forgetStates()
	if err == nil {
		_ = c.engine.DropUnsure(key) // it may not be there
	}
	return outcome, err
}

// didOf returns the key of the notice about what was learned.
func didOf(o store.Outcome, class string) string {
	switch {
	case o.What == store.Known || o.What == store.Sure:
		return string(o.What)
	case notices[class] != "":
		return class
	}
	return "learned"
}

func (c *console) explainForm(r *http.Request, v *view) error {
	v.Page, v.Title = "explain", "Explain"
	return nil
}

// explainMessage explains or teaches a message that a person sends.
func (c *console) explainMessage(w http.ResponseWriter, r *http.Request) {
	session := c.session(r)
	if session == "" {
		c.askToSignIn(w, r)
		return
	}
	c.show(w, r, session, func(r *http.Request, v *view) error {
		form, m, err := c.messageForm(r, session)
		if err != nil {
			return err
		}
		defer m.Close()
		v.User = form["user"]
		if len(m.Bytes()) == 0 {
			v.Problem = "The form has no message: choose a file, or paste the source of a message."
			return c.explainForm(r, v)
		}
		if err := message.CheckMail(m.Bytes()); err != nil && form["do"] != "forget" {
			v.Problem = "What was sent " + err.Error() + ": choose a file that is a message, or paste its source with the header."
			return c.explainForm(r, v)
		}
		if did := form["do"]; did != "" && did != "explain" {
			err := c.teach(r, v, did, m.Bytes())
			c.forgetStates()
			if err != nil {
				return err
			}
		}
		e, err := c.engine.Explain(r.Context(), v.User, m.Bytes())
		if err != nil {
			return err
		}
		v.Page, v.Title = "why", "Why?"
		v.Body = c.why(e)
		return nil
	})
}

// teach learns a message of a form, or forgets it, and says so on the page.
func (c *console) teach(r *http.Request, v *view, did string, raw []byte) error {
	if did == "forget" {
		outcome, err := c.engine.Forget(r.Context(), v.User, raw)
		switch {
		case err != nil:
			return err
		case outcome.What == store.Refused:
			v.Problem = "It was not forgotten: " + outcome.Reason.String() + "."
		default:
			v.Notice = "Forgotten."
		}
		return nil
	}
	outcome, err := c.engine.Learn(r.Context(), v.User, raw, strings.TrimPrefix(did, "learn-"))
	switch {
	case err != nil:
		return err
	case outcome.What == store.Refused:
		v.Problem = "It was not learned: " + outcome.Reason.String() + "."
	default:
		v.Notice = notices[didOf(outcome, strings.TrimPrefix(did, "learn-"))]
	}
	return nil
}

// maxParts is how many parts of a form are read; ours have fewer.
const maxParts = 10

// messageForm reads a form with a message. The token of the form comes before the message.
func (c *console) messageForm(r *http.Request, session string) (form map[string]string, m *serve.Message, err error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, nil, errForm
	}
	form, m = map[string]string{}, c.engine.NewMessage()
	defer func() {
		if err != nil {
			m.Close()
			m = nil
			drain(r)
		}
	}()
	for range maxParts {
		part, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return form, m, errBody
		}
		if err := c.readPart(part, form, m, session); err != nil {
			return form, m, err
		}
	}
	if !c.isFormToken(form["form"], session) {
		return form, m, errForm
	}
	return form, m, nil
}

func (c *console) readPart(part *multipart.Part, form map[string]string, m *serve.Message, session string) error {
	name := part.FormName()
	if name != "file" && name != "text" {
		value, err := io.ReadAll(io.LimitReader(part, 1<<10))
		form[name] = string(value)
		return err
	}
	if !c.isFormToken(form["form"], session) {
		return errForm
	}
	if len(m.Bytes()) > 0 { // a file wins over a text
		return nil
	}
	if _, err := io.Copy(m, part); err != nil {
		if errors.Is(err, serve.ErrTooLarge) || errors.Is(err, serve.ErrBusy) {
			return err
		}
		return errBody
	}
	return nil
}

// historyBody is the body of the page history.
type historyBody struct {
	Records  []record
	Found    int
	All      int
	Query    string
	Verdict  string
	Verdicts []string
	Subjects bool // they are kept
	Kept     int  // messages that are kept
	Most     int
	Days     int
	Earlier  string // the address of the next page; "" for none
	Later    string
}

// record is a record with the key of its message, if that is kept.
type record struct {
	serve.Record
	Key string
}

func (c *console) history(r *http.Request, v *view) error {
	q := r.URL.Query()
	b := historyBody{Query: clip(strings.TrimSpace(q.Get("q")), 200), Verdict: q.Get("verdict"), Subjects: c.options.HistorySubjects, Kept: c.options.KeepHistory, Most: c.options.History, Days: c.options.HistoryDays}
	b.Verdicts = verdictsOf(c.engine.Settings())
	all := c.engine.History()
	var found []serve.Record
	needle := strings.ToLower(b.Query)
	for _, rec := range all {
		if matches(&rec, needle, b.Verdict) {
			found = append(found, rec)
		}
	}
	b.All, b.Found = len(all), len(found)
	from, _ := strconv.Atoi(q.Get("from"))
	from = min(max(from, 0), len(found))
	to := min(from+maxCards, len(found))
	address := func(from int) string {
		return "/history?" + url.Values{"q": {b.Query}, "verdict": {b.Verdict}, "from": {strconv.Itoa(from)}}.Encode()
	}
	if to < len(found) {
		b.Earlier = address(to)
	}
	if from > 0 {
		b.Later = address(max(from-maxCards, 0))
	}
	type name struct {
		id   string
		time time.Time
	}
	keys := map[name]string{}
	for _, k := range append(c.engine.Unsure(), c.engine.Kept()...) {
		keys[name{k.ID, k.Time}] = k.Key
	}
	for _, rec := range found[from:to] {
		b.Records = append(b.Records, record{rec, keys[name{rec.ID, rec.Time}]})
	}
	v.Page, v.Title, v.Body = "history", "History", b
	return nil
}

// unjudged is what the console calls messages without a verdict.
const unjudged = "unjudged"

// verdictsOf returns the verdicts of a model.
func verdictsOf(settings filter.Settings) []string {
	if settings.Thresholds != nil {
		return []string{string(filter.Ham), string(filter.Unsure), string(filter.Spam), unjudged}
	}
	return append(slices.Clone(settings.Classes), unjudged)
}

// verdictOf returns the verdict of a record.
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
	if needle == "" {
		return true
	}
	for _, text := range []string{r.Subject, r.From, r.ID, r.QueueID, r.User, r.Unjudged} {
		if strings.Contains(strings.ToLower(text), needle) {
			return true
		}
	}
	return false
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
