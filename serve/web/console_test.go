package web

import (
	"fmt"
	"html"
	"html/template"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"chaff/filter"
	"chaff/metrics"
	"chaff/serve"
	"chaff/store"
	"chaff/train"
)

// unsureMail returns a message that the model of newModel finds unsure, with texts that attack their reader.
func unsureMail(n int) []byte {
	return fmt.Appendf(nil, "From: \"<img src=x onerror=alert(1)>\" <a@b.example>\r\nSubject: </title><script>alert(%d)</script> \u202etxt.exe\r\n"+
		"Message-ID: <\"'><svg onload=alert(1)>%d@x>\r\n\r\npills casino <b>bold</b> n%d\r\n", n, n, n)
}

// unsureSite is a site that keeps unsure messages and has some, signed in.
func unsureSite(t *testing.T, messages int, change func(o *serve.Options)) *site {
	s := newSite(t, func(o *serve.Options) {
		o.KeepUnsure, o.HistorySubjects = 100, true
		if change != nil {
			change(o)
		}
	})
	for n := range messages {
		w := s.do("POST", "/v1/classify", string(unsureMail(n)))
		if !strings.Contains(w.Body.String(), `"verdict":"unsure"`) {
			t.Fatalf("the message is not unsure: %s", w.Body)
		}
	}
	s.signIn()
	return s
}

// get returns a page of the console.
func (s *site) get(target string) string {
	s.t.Helper()
	w := s.do("GET", target, "")
	if w.Code != 200 {
		s.t.Fatalf("%s: %d %s", target, w.Code, w.Body)
	}
	s.checkPage(w)
	return w.Body.String()
}

// checkPage checks what holds for every page.
func (s *site) checkPage(w *httptest.ResponseRecorder) {
	s.t.Helper()
	policy := w.Header().Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "style-src 'self'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(policy, part) {
			s.t.Errorf("the policy %q has no %s", policy, part)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") {
		s.t.Errorf("policy %q", policy)
	}
	page := w.Body.String()
	for _, forbidden := range []string{"<script", "<img src=x", "onerror=alert(1)>", "style=", "\u202e", "<b>bold", s.token, "javascript:", "<svg onload"} {
		if strings.Contains(page, forbidden) {
			s.t.Errorf("the page has %q", forbidden)
		}
	}
	if w.Header().Get("Cache-Control") != "no-store" {
		s.t.Error("the page may be stored")
	}
	for _, control := range regexp.MustCompile(`<(?:input|select|textarea)[^>]*\bid="(\w+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, `<label for="`+control[1]+`"`) {
			s.t.Errorf("the field %s has no label", control[1])
		}
	}
}

func TestTheConsoleShowsWhatSendersWroteAsText(t *testing.T) {
	s := unsureSite(t, 1, nil)
	s.engine.Counters.Faults.Add(1234)
	if page := s.get("/"); !strings.Contains(page, "<dd>1,234</dd>") {
		t.Errorf("no 1,234 faults: %s", page)
	}
	key := s.engine.Kept.Unsure()[0].Key
	for target, want := range map[string]string{
		"/":                          "Is it learning?",
		"/unsure":                    "&lt;script&gt;alert(0)&lt;/script&gt; \\u202etxt.exe",
		"/kept/" + key:               "&lt;b&gt;",
		"/history":                   "&lt;img src=x onerror=alert(1)&gt;",
		"/history?q=%22%3E%3Cscript": `value="&#34;&gt;&lt;script"`,
		"/history?verdict=%3Cb%3E":   "0 of 1 verdict",
		"/thresholds":                "is unsure",
		"/?user=%22%3E%3Cscript%3E":  "Is it learning?",
	} {
		if page := s.get(target); !strings.Contains(page, want) {
			t.Errorf("%s has no %q: %s", target, want, page)
		}
	}
	if w := s.do("GET", "/none", ""); w.Code != 404 || !strings.Contains(w.Body.String(), "no such page") {
		t.Errorf("an unknown page: %d", w.Code)
	}
	if w := s.do("GET", "/kept/"+strings.Repeat("0", 32), ""); w.Code != 404 || !strings.Contains(w.Body.String(), "no longer kept") {
		t.Errorf("an unknown message: %d %s", w.Code, w.Body)
	}
	if w := s.do("GET", "/kept/..%2f..%2fmodel", ""); w.Code != 404 {
		t.Errorf("a path: %d %s", w.Code, w.Body)
	}
}

func TestAnUnsureMessageIsTaughtWithOneClick(t *testing.T) {
	s := unsureSite(t, 3, nil)
	other, _ := s.sessions.Load(s.beginSession())
	for i, class := range []string{"spam", "ham", ""} {
		kept := s.engine.Kept.Unsure()
		if len(kept) != 3-i {
			t.Fatalf("%d messages wait", len(kept))
		}
		path := "/kept/" + kept[0].Key
		if page := s.get("/unsure"); !strings.Contains(page, `formaction="`+path+`"`) || !strings.Contains(page, `value="`+s.form()+`"`) {
			t.Fatalf("the page has no form for %s: %s", path, page)
		}
		for _, bad := range []url.Values{{"class": {class}}, {"class": {class}, "form": {"x"}}, {"class": {class}, "form": {other.(string)}}} {
			if w := s.post(path, bad); w.Code != 403 {
				t.Errorf("a form with %v: got %d", bad, w.Code)
			}
		}
		w := s.post(path, url.Values{"form": {s.form()}, "class": {class}})
		if w.Code != 303 || !strings.HasPrefix(w.Header().Get("Location"), "/unsure?did=") {
			t.Fatalf("teach: %d %s", w.Code, w.Body)
		}
		if page := s.get(w.Header().Get("Location")); !strings.Contains(page, `role="status"`) {
			t.Error("the page does not say what happened")
		}
	}
	status, err := s.engine.Status("")
	must(t, err)
	if status.Store.Messages != 22 {
		t.Errorf("it knows %d messages", status.Store.Messages)
	}
	if files, err := os.ReadDir(s.options.Model + serve.KeptSuffix); err != nil || len(files) != 0 {
		t.Errorf("%d files are left: %v", len(files), err)
	}
	if w := s.post("/kept/"+strings.Repeat("0", 32), url.Values{"form": {s.form()}, "class": {"spam"}}); w.Code != 404 {
		t.Errorf("a message that is gone: %d", w.Code)
	}
	if page := s.get("/unsure"); !strings.Contains(page, "No message waits") {
		t.Error(page)
	}
}

func TestAModelWithoutALogOffersNoTeaching(t *testing.T) {
	s := unsureSite(t, 1, nil)
	must(t, os.Remove(s.options.Model+store.Suffix))
	if page := s.get("/unsure"); strings.Contains(page, `value="spam"`) || !strings.Contains(page, "The model has no log, so it cannot learn. chaff train makes one.") {
		t.Errorf("the page offers to teach, or does not say why not: %s", page)
	}
	w := s.post("/kept/"+s.engine.Kept.Unsure()[0].Key, url.Values{"form": {s.form()}, "class": {"spam"}})
	if w.Code != 409 || !strings.Contains(w.Body.String(), "the model has no log, so it cannot learn: chaff train makes one") {
		t.Errorf("it teaches: %d %s", w.Code, w.Body)
	}
	must(t, os.WriteFile(s.options.Model, []byte("damaged"), 0o600))
	if s.engine.Reload() == nil {
		t.Fatal("a damaged model is read")
	}
	if page := s.get("/"); !strings.Contains(page, "has no log") || !strings.Contains(page, "what judges is not up to date") {
		t.Errorf("the overview hides a problem: %s", page)
	}
}

func TestAModelOfSeveralClassesHasNoProbabilityOfSpam(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	must(t, store.Begin(t.Context(), path, []string{"golf", "poems", "spam"}, "multinomial", train.DefaultCollectOptions(), train.DefaultOptions(), store.DefaultOptions()))
	s := newSite(t, func(o *serve.Options) { o.Model, o.KeepHistory = path, 1 })
	s.do("POST", "/v1/classify", string(mail("ham", 1)))
	s.signIn()
	for _, page := range []string{"/history", "/kept/" + s.engine.History.All()[0].Key} {
		if text := s.get(page); strings.Contains(text, "P(spam)") || !strings.Contains(text, "probability ") {
			t.Errorf("%s: %s", page, text)
		}
	}
}

// TestWhatTheHistoryKeepsCanBeTaught teaches several messages at once, of which the filter had called one spam.
func TestWhatTheHistoryKeepsCanBeTaught(t *testing.T) {
	s := unsureSite(t, 2, func(o *serve.Options) { o.KeepHistory = 100 })
	lost := mail("spam", 500)
	s.do("POST", "/v1/classify", string(lost))
	var kept []*serve.Record
	for _, r := range s.engine.History.All() {
		if s.engine.Kept.Has(r.Key) {
			kept = append(kept, r)
		}
	}
	if len(kept) != 3 || kept[0].Verdict != "spam" {
		t.Fatalf("kept %+v", kept)
	}
	page := s.get("/history?verdict=spam&from=0")
	const here = "/history?from=0&q=&verdict=spam"
	if !strings.Contains(page, `name="page" value="`+html.EscapeString(here)+`"`) || !strings.Contains(page, "?page="+strings.ToLower(url.QueryEscape(here))) {
		t.Error("the page does not say where to go on")
	}
	if page := s.get("/kept/" + kept[0].Key + "?page=" + url.QueryEscape(here)); !strings.Contains(page, `name="page" value="`+html.EscapeString(here)+`"`) {
		t.Error("the reasons do not say where to go on")
	}
	page = s.get("/history")
	form := url.Values{"form": {s.form()}, "page": {here}, "class": {"ham"}}
	for _, k := range kept {
		if !strings.Contains(page, `type="checkbox" name="key" value="`+k.Key+`"`) {
			t.Errorf("%s cannot be chosen", k.Key)
		}
		form.Add("key", k.Key)
	}
	if w := s.post("/teach", url.Values{"form": {"x"}, "key": form["key"], "class": {"ham"}}); w.Code != 403 {
		t.Errorf("a form of another session: %d", w.Code)
	}
	w := s.post("/teach", form)
	if w.Code != 303 || w.Header().Get("Location") != "/history?did=learned&"+here[len("/history?"):] {
		t.Fatalf("got %d %s", w.Code, w.Header().Get("Location"))
	}
	if page := s.get("/history?did=learned"); !strings.Contains(page, "Learned. What the model knew") {
		t.Error(page)
	}
	if o, err := s.engine.Learn(t.Context(), serve.Origin{}, lost, "ham"); err != nil || o.What != "known" {
		t.Errorf("the lost ham was not learned: %+v, %v", o, err)
	}
	for _, k := range kept {
		if s.engine.Kept.Has(k.Key) {
			t.Errorf("%s was taught and is kept", k.ID)
		}
	}
	delete(form, "key")
	if w := s.post("/teach", form); !strings.HasPrefix(w.Header().Get("Location"), "/history?did=none&") {
		t.Errorf("nothing was chosen: %d %s", w.Code, w.Header().Get("Location"))
	}
	for _, elsewhere := range []string{"https://example.org/history", "//example.org/", "/login", "%"} {
		form.Set("page", elsewhere)
		if w := s.post("/teach", form); !strings.HasPrefix(w.Header().Get("Location"), "/unsure?") && !strings.HasPrefix(w.Header().Get("Location"), "/history?") {
			t.Errorf("%s leads to %s", elsewhere, w.Header().Get("Location"))
		}
	}
}

// TestWhatIsGoneKeepsNothingElseFromBeingTaught teaches two messages of which another person has taught one meanwhile.
func TestWhatIsGoneKeepsNothingElseFromBeingTaught(t *testing.T) {
	s := unsureSite(t, 2, nil)
	kept := s.engine.Kept.Unsure()
	s.engine.Kept.Drop(kept[0].Key)
	form := url.Values{"form": {s.form()}, "class": {"ham"}, "key": {kept[0].Key, "../model", kept[1].Key}}
	if w := s.post("/teach", form); w.Code != 303 {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if left := s.engine.Kept.Unsure(); len(left) != 0 {
		t.Errorf("%+v is not taught", left)
	}
	if w := s.post("/teach", form); w.Code != 404 {
		t.Errorf("when all are gone: %d", w.Code)
	}
}

func TestWhatIsNoMailKeepsNothingElseFromBeingTaught(t *testing.T) {
	s := unsureSite(t, 2, nil)
	_, noMail, _ := strings.Cut(string(unsureMail(3)), "\r\n\r\n")
	_, err := s.engine.Judge(t.Context(), serve.Origin{}, []byte(noMail)) // a mail system's word is enough
	must(t, err)
	form := url.Values{"form": {s.form()}, "class": {"ham"}}
	for _, k := range s.engine.Kept.Unsure() {
		form.Add("key", k.Key)
	}
	if w := s.post("/teach", form); w.Code != 422 || !strings.Contains(w.Body.String(), "what is no mail is not learned") || len(form["key"]) != 3 {
		t.Errorf("%d messages: got %d %s", len(form["key"]), w.Code, w.Body)
	}
	if left := s.engine.Kept.Unsure(); len(left) != 1 || left[0].Size != len(noMail) {
		t.Errorf("%+v is not taught", left)
	}
}

// TestTheHistoryNamesTheMessageOfEachVerdict sends messages with one Message-ID at once, as a sender may.
func TestTheHistoryNamesTheMessageOfEachVerdict(t *testing.T) {
	s := unsureSite(t, 0, func(o *serve.Options) { o.KeepHistory = 100 })
	const messages = 40
	for n := range messages {
		s.do("POST", "/v1/classify", "Subject: x\nMessage-ID: <x@y>\n\nmeeting"+strings.Repeat(" agenda", n)+"\n")
	}
	keys := map[string]bool{}
	for _, found := range regexp.MustCompile(`name="key" value="([0-9a-f]+)"`).FindAllStringSubmatch(s.get("/history"), -1) {
		keys[found[1]] = true
	}
	if len(keys) != messages {
		t.Errorf("%d messages can be taught, want %d", len(keys), messages)
	}
}

func TestAnUnknownClassTeachesNothing(t *testing.T) {
	s := unsureSite(t, 1, nil)
	if w := s.post("/kept/"+s.engine.Kept.Unsure()[0].Key, url.Values{"form": {s.form()}, "class": {"eggs"}}); w.Code == 303 {
		t.Error("it was learned")
	}
	if len(s.engine.Kept.Unsure()) != 1 {
		t.Error("the message is gone")
	}
}

func TestWithoutKeptMessagesTheConsoleSaysWhatToDo(t *testing.T) {
	s := newSite(t, nil)
	s.do("POST", "/v1/classify", string(unsureMail(1)))
	s.signIn()
	if page := s.get("/unsure"); !strings.Contains(page, "serve.keep_unsure") || !strings.Contains(page, "cannot read it again from its mailbox") {
		t.Error(page)
	}
	if _, err := os.Stat(s.options.Model + serve.KeptSuffix); err == nil {
		t.Error("there is a folder")
	}
	if page := s.get("/history"); strings.Contains(page, "script") || !strings.Contains(page, "Subjects and senders are not kept") {
		t.Error(page)
	}
}

func TestTheHistoryIsSearched(t *testing.T) {
	s := unsureSite(t, 1, func(o *serve.Options) { o.KeepHistory = 1 })
	for n := range 60 {
		s.do("POST", "/checkv2", string(mail("spam", n)), "Queue-Id", fmt.Sprintf("4Q%dZ", n))
		s.do("POST", "/checkv2", string(mail("ham", n)))
	}
	for _, tt := range []struct{ query, want string }{
		{"", "121 verdicts."},
		{"?q=%40SPAM", "60 of 121 verdicts."},
		{"?q=4q7z", "1 of 121 verdicts."},
		{"?q=%3C3%40HAM", "1 of 121 verdicts."},
		{"?verdict=unsure&q=svg", "1 of 121 verdicts."},
		{"?verdict=spam&q=%40ham", "0 of 121 verdicts."},
		{"?from=99999", "121 verdicts."},
		{"?from=-5", "121 verdicts."},
	} {
		if page := s.get("/history" + tt.query); !strings.Contains(page, "<p>"+tt.want+"</p>") {
			t.Errorf("%s: %s is missing in %s", tt.query, tt.want, page)
		} else if strings.Contains(page, "Those that are ticked") != strings.Contains(page, "<li>") {
			t.Errorf("%s: what can teach messages is there without any, or missing: %s", tt.query, page)
		}
	}
	next := regexp.MustCompile(`<a href="([^"]*)">Earlier</a>`)
	page, cards := s.get("/history?q=4Q"), 0
	for range 5 {
		cards += strings.Count(page, "<li>")
		link := next.FindStringSubmatch(page)
		if link == nil {
			break
		}
		page = s.get(html.UnescapeString(link[1]))
	}
	if cards != 60 || !strings.Contains(page, ">Later</a>") {
		t.Errorf("%d of 60 cards on all pages", cards)
	}
	if page := s.get("/history?verdict=unsure"); !strings.Contains(page, `href="/kept/`+s.engine.Kept.Unsure()[0].Key) {
		t.Error("a message that is kept has no link")
	}
}

func TestTheCurveIsThatOfTheLedger(t *testing.T) {
	s := newSite(t, nil)
	s.signIn()
	page := s.get("/thresholds")
	// The model has judged its 20 messages before it learned them.
	for _, want := range []string{"From 10 ham and 10 spam", `<img src="data:image/svg&#43;xml;base64,`, `alt="ROC curve.`, "verdict spam or unsure", "10% (1 of 10)", "20 messages of these were taught by hand"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in %s", want, page)
		}
	}
}

func TestThresholdsOfAModelThatWasNeverFitted(t *testing.T) {
	s := newSite(t, func(o *serve.Options) {
		o.Model = filepath.Join(t.TempDir(), "model")
		must(t, store.Begin(t.Context(), o.Model, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), train.DefaultOptions(), store.DefaultOptions()))
	})
	s.signIn()
	if page := s.get("/thresholds"); !strings.Contains(page, "calls every message unsure: it was never fitted.") || strings.Contains(page, "1000000") {
		t.Error(page)
	}
}

func TestThresholdsThatNoScoreReachesAreNoNumbers(t *testing.T) {
	pages := template.Must(template.New("console").Funcs(functions(newSite(t, nil).engine)).Parse(consoleTemplate))
	for want, b := range map[string]thresholdsBody{
		"A message with a score above 5.000 is spam, one above 2.000 is unsure, any other is ham.": {FindsHam: true, FindsSpam: true},
		"Nothing is called spam: a message with a score above 2.000 is unsure, any other is ham.":  {FindsHam: true},
		"A message with a score above 5.000 is spam, any other is unsure.":                         {FindsSpam: true},
		"The model calls every message unsure.":                                                    {Fitted: true},
	} {
		b.Thresholds = &metrics.Thresholds{Unsure: 2, Spam: 5}
		var page strings.Builder
		if err := pages.ExecuteTemplate(&page, "thresholds", view{Body: &b}); err != nil || !strings.Contains(page.String(), "<p>"+want+"</p>") {
			t.Errorf("%q is missing in %s, %v", want, &page, err)
		}
	}
}

func TestSigningInAndOut(t *testing.T) {
	s := newSite(t, nil)
	if page := s.get("/login"); strings.Contains(page, "Are you signed in?") || strings.Contains(page, "Sign out") {
		t.Error(page)
	}
	if w := s.post("/login", url.Values{"token": {"wrong"}}); w.Code != 403 || len(w.Result().Cookies()) != 0 {
		t.Errorf("a wrong token: %d", w.Code)
	}
	if w := s.post("/login", url.Values{"token": {strings.Repeat("x", 1<<20)}}); w.Code != 403 {
		t.Errorf("a large form: %d", w.Code)
	}
	followed := []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}
	if w := s.do("GET", "/history", "", followed...); w.Code != 401 || !strings.Contains(w.Body.String(), "Are you signed in?") {
		t.Errorf("a link of another site: %d", w.Code)
	}
	s.signIn()
	s.get("/")
	if w := s.post("/logout", url.Values{}); w.Code != 403 {
		t.Errorf("signed out without the token of the form: %d", w.Code)
	}
	stolen := s.cookies
	w := s.post("/logout", url.Values{"form": {s.form()}})
	if cookies := w.Result().Cookies(); w.Code != 303 || len(cookies) != 1 || cookies[0].MaxAge >= 0 {
		t.Errorf("signed out: %d %v", w.Code, cookies)
	}
	s.cookies = stolen
	if w := s.do("GET", "/history", ""); w.Code == 200 {
		t.Error("the cookie of a session that was signed out still opens the console")
	}
}

// FuzzForms sends any bytes as a form: no answer is an internal error, and without the token of the form none is a success.
func FuzzForms(f *testing.F) {
	f.Add("--b\r\nContent-Disposition: form-data; name=\"form\"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nhello\r\n--b--\r\n", "b")
	f.Add("", "")
	s := newSite(f, func(o *serve.Options) { o.MaxMessage = 1000 })
	s.signIn()
	f.Fuzz(func(t *testing.T, body, boundary string) {
		for _, path := range []string{"/teach", "/logout", "/login"} {
			w := s.do("POST", path, body, "Content-Type", "multipart/form-data; boundary="+boundary)
			if w.Code != 403 && w.Code != 400 && w.Code != 413 {
				t.Errorf("%s: got %d %s", path, w.Code, w.Body)
			}
		}
		s.do("POST", "/checkv2", body, "Queue-Id", boundary, "Deliver-To", boundary)
		if _, is := s.sessions.Load(boundary); is {
			t.Errorf("%q is a session", boundary)
		}
	})
}

func TestAnExplanationSaysThatAMessageIsUnlikeTheOthers(t *testing.T) {
	const sentence = "It is unlike the mail that the model learned."
	pages := template.Must(template.New("console").Funcs(functions(newSite(t, nil).engine)).Parse(consoleTemplate))
	for _, unlike := range []bool{false, true} {
		var b strings.Builder
		body := whyBody{Explanation: filter.Explanation{Classification: filter.Classification{Unlike: unlike}}}
		if err := pages.ExecuteTemplate(&b, "why", view{Body: body}); err != nil || strings.Contains(b.String(), sentence) != unlike {
			t.Errorf("unlike %v, %v: %s", unlike, err, b.String())
		}
	}
}
