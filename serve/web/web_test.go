package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"chaff/internal/replace"
	"chaff/serve"
	"chaff/store"
	"chaff/test/servetest"
	"chaff/test/testmain"
	"chaff/train"
)

func TestMain(m *testing.M) {
	testmain.Prepare()
	goleak.VerifyTestMain(m)
}

// mail returns a message of a class, whose words depend on a number. Those of the class mixed are from both classes.
func mail(label string, n int) []byte {
	spam := strings.Fields("pills casino winner lottery prize discount offer cheap viagra bonus jackpot refund")
	ham := strings.Fields("meeting agenda minutes report review patch branch lecture kitchen garden concert recipe")
	words := map[string][]string{"spam": spam, "ham": ham, "mixed": append(slices.Clone(spam[:4]), ham[:4]...), "new": {"zebra"}}[label]
	var text []string
	for i := range 6 {
		text = append(text, words[(n*n+n*i+i)%len(words)])
	}
	return fmt.Appendf(nil, "From: a%d@b.example\r\nSubject: %s %d\r\nMessage-ID: <%d@%s>\r\n\r\n%s number%d\r\n",
		n, words[n%len(words)], n, n, label, strings.Join(text, " "), n)
}

// newModel saves a small model that knows some messages of each class, and returns its path. The last two of each look like both classes,
// so that there are unsure messages.
func newModel(t testing.TB, messages int) string {
	t.Helper()
	path, o := filepath.Join(t.TempDir(), "model"), train.DefaultOptions()
	o.Thresholds.HamLost = 3 // so that ten ham suffice to call anything spam
	must(t, store.Begin(t.Context(), path, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), o, store.DefaultOptions()))
	s, err := store.Open(t.Context(), path, store.DefaultOptions())
	must(t, err)
	defer s.Close()
	for n := range messages {
		for _, label := range []string{"ham", "spam"} {
			looks := label
			if n >= messages-2 {
				looks = "mixed"
			}
			_, err := s.Learn(store.Message{Raw: append(mail(looks, n), label...), Label: label, Way: store.ByHand})
			must(t, err)
		}
	}
	_, err = s.Retrain(t.Context(), nil, store.RetrainOptions{Workers: 1}) // chooses thresholds
	must(t, err)
	return path
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// site is a server of a model, without a network.
type site struct {
	*server
	t       testing.TB
	handler http.Handler
	log     *servetest.Log
	cookies []*http.Cookie
}

// newSite returns a server with options that change changes.
func newSite(t testing.TB, change func(o *serve.Options)) *site {
	t.Helper()
	o := serve.DefaultOptions()
	o.Model, o.Workers = newModel(t, 10), 2
	if change != nil {
		change(&o)
	}
	log := &servetest.Log{}
	e, err := serve.New(t.Context(), o, log)
	must(t, err)
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	s, err := newServer(e, log)
	must(t, err)
	return &site{server: s, t: t, handler: s.http.Handler, log: log}
}

// do sends a request. Each pair of fields is a name and a value.
func (s *site) do(method, target string, body string, fields ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost"+target, strings.NewReader(body))
	for i := 0; i < len(fields); i += 2 {
		if fields[i] == "Host" {
			r.Host = fields[i+1]
		} else {
			r.Header.Set(fields[i], fields[i+1])
		}
	}
	for _, c := range s.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

// bearer is the field with the token.
func (s *site) bearer() []string { return []string{"Authorization", "Bearer " + s.token} }

// signIn signs a person in.
func (s *site) signIn() {
	s.t.Helper()
	w := s.post("/login", url.Values{"token": {s.token}})
	if w.Code != http.StatusSeeOther {
		s.t.Fatalf("sign in: %d %s", w.Code, w.Body)
	}
	s.cookies = w.Result().Cookies()
}

// post sends a form.
func (s *site) post(target string, form url.Values, fields ...string) *httptest.ResponseRecorder {
	return s.do("POST", target, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, fields...)...)
}

// form returns the token of the forms of the session.
func (s *site) form() string {
	form, _ := s.sessions.Load(s.cookies[0].Value)
	return form.(string)
}

func TestTheTokenIsMadeAndGuarded(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	must(t, os.WriteFile(model, nil, 0o600))
	path := TokenFile(model)
	first, err := Token(model, &servetest.Log{})
	if err != nil || len(first) < 26 {
		t.Fatalf("made with %d characters: %v", len(first), err)
	}
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v", info.Mode())
	}
	if again, err := Token(model, &servetest.Log{}); err != nil || again != first {
		t.Errorf("read again: %v", err)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620} {
		must(t, os.Chmod(path, mode))
		if _, err := Token(model, &servetest.Log{}); err == nil || !strings.Contains(err.Error(), "others can use the token") {
			t.Errorf("mode %v: got %v", mode, err)
		}
	}
	must(t, os.Chmod(path, 0o600))
	if os.Geteuid() == 0 {
		const nobody = 65534
		must(t, os.Chown(path, nobody, nobody))
		if _, err := Token(model, &servetest.Log{}); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
			t.Errorf("of another user: got %v", err)
		}
		must(t, os.Chown(model, nobody, nobody))
		if _, err := Token(model, &servetest.Log{}); err != nil {
			t.Errorf("of the owner of the model: got %v", err)
		}
		must(t, os.Chown(path, 0, 0))
		must(t, os.Chown(model, 0, 0))
	}
	must(t, os.WriteFile(path, []byte("short\n"), 0o600))
	if _, err := Token(model, &servetest.Log{}); err == nil || !strings.Contains(err.Error(), "fewer than") {
		t.Errorf("a short token: got %v", err)
	}
	must(t, os.Remove(path))
	must(t, os.Mkdir(path, 0o700))
	if _, err := Token(model, &servetest.Log{}); !errors.Is(err, replace.ErrSpecial) {
		t.Errorf("a folder: got %v", err)
	}
	if _, err := Token(filepath.Join(model, "none"), &servetest.Log{}); err == nil || !strings.Contains(err.Error(), filepath.Join(model, "none")) {
		t.Error("no folder: got no error")
	}
}

// TestAUserWithAMalformedNameIsNotNobody teaches under names that a program did not escape. Nobody would be the model of all.
func TestAUserWithAMalformedNameIsNotNobody(t *testing.T) {
	s := newSite(t, func(o *serve.Options) { o.Users = t.TempDir() })
	for _, user := range []string{"a;b", "50%", "%zz"} {
		if w := s.do("POST", "/v1/learn?class=spam&user="+user, string(mail("new", 1)), s.bearer()...); w.Code != http.StatusBadRequest {
			t.Errorf("%s: got %d %s", user, w.Code, w.Body)
		}
	}
	if learned := s.engine.Counters.Learned.All(); len(learned) > 0 {
		t.Errorf("learned %v", learned)
	}
}

func TestWhatNeedsTheToken(t *testing.T) {
	s := newSite(t, nil)
	for _, tt := range []struct {
		method, path  string
		open, console bool
	}{
		{"POST", "/v1/classify", true, false}, {"POST", "/v1/explain", false, false}, {"POST", "/v1/learn?class=spam", false, false},
		{"POST", "/v1/forget", false, false}, {"GET", "/v1/status", false, false}, {"GET", "/v1/openapi.json", true, false},
		{"POST", "/checkv2", true, false}, {"POST", "/learnspam", false, false}, {"POST", "/learnham", false, false}, {"GET", "/stat", true, false},
		{"GET", "/ping", true, false}, {"GET", "/metrics", true, false}, {"GET", "/healthz", true, false}, {"GET", "/readyz", true, false},
		{"GET", "/", false, true}, {"GET", "/unsure", false, true}, {"GET", "/kept/0", false, true}, {"GET", "/history", false, true},
		{"GET", "/thresholds", false, true}, {"POST", "/kept/0", false, true}, {"POST", "/teach", false, true},
		{"POST", "/logout", false, true}, {"GET", "/login", true, true}, {"GET", "/console.css", true, true},
	} {
		for _, fields := range [][]string{nil, {"Authorization", "Bearer wrong"}, {"Password", "wrong"}, {"Authorization", "Bearer "}} {
			w := s.do(tt.method, tt.path, string(mail("new", 1)), fields...)
			want := http.StatusUnauthorized
			switch {
			case tt.open:
				want = http.StatusOK
			case tt.console && tt.method == "GET":
				want = http.StatusSeeOther
			}
			if w.Code != want {
				t.Errorf("%s %s with %q: got %d, want %d", tt.method, tt.path, fields, w.Code, want)
			}
		}
		if tt.console || tt.open {
			continue
		}
		for _, fields := range [][]string{s.bearer(), {"Password", s.token}} {
			if w := s.do(tt.method, tt.path, string(mail("new", 1)), fields...); w.Code != http.StatusOK && w.Code != http.StatusAlreadyReported && w.Code != http.StatusUnprocessableEntity {
				t.Errorf("%s %s with the token: got %d %s", tt.method, tt.path, w.Code, w.Body)
			}
		}
	}
	if n := s.do("GET", "/v1/status", "", s.bearer()...).Body.String(); !strings.Contains(n, `"messages":21,`) {
		t.Errorf("the right tokens learned a message, forgot it, and learned it twice: %s", n)
	}
}

func TestNoRequestOfAnotherOriginIsObeyed(t *testing.T) {
	s := newSite(t, func(o *serve.Options) { o.HTTPHosts = []string{"mail.example"} })
	message := string(mail("spam", 99))
	for _, tt := range []struct {
		name   string
		method string
		path   string
		fields []string
		want   int
	}{
		{"a program", "POST", "/v1/classify", nil, 200},
		{"a program without a host name", "POST", "/v1/classify", []string{"Host", ""}, 200},
		{"an address", "GET", "/ping", []string{"Host", "192.0.2.1:80"}, 200},
		{"an address of IPv6", "GET", "/ping", []string{"Host", "[::1]:80"}, 200},
		{"an address of IPv6 without a port", "GET", "/ping", []string{"Host", "[::1]"}, 200},
		{"an address whose bracket is not closed", "GET", "/ping", []string{"Host", "[::1"}, 421},
		{"an address of IPv6 without brackets", "GET", "/ping", []string{"Host", "::1"}, 421},
		{"a name with a path", "GET", "/ping", []string{"Host", "localhost/x"}, 421},
		{"a name with a user", "GET", "/ping", []string{"Host", "x@localhost"}, 421},
		{"a name in the settings", "GET", "/ping", []string{"Host", "MAIL.example.:8080"}, 200},
		{"DNS rebinding", "GET", "/ping", []string{"Host", "evil.example:8080"}, 421},
		{"DNS rebinding with the token", "POST", "/v1/learn?class=spam", append(s.bearer(), "Host", "evil.example"), 421},
		{"a name that begins like ours", "GET", "/ping", []string{"Host", "localhost.evil.example"}, 421},
		{"another origin", "POST", "/v1/classify", []string{"Origin", "https://evil.example"}, 403},
		{"another origin with the token", "POST", "/v1/learn?class=spam", append(s.bearer(), "Origin", "https://evil.example"), 403},
		{"another port of the host", "POST", "/v1/classify", []string{"Origin", "http://localhost:81"}, 403},
		{"the origin null", "POST", "/v1/classify", []string{"Origin", "null"}, 403},
		{"its own origin", "POST", "/v1/classify", []string{"Origin", "http://localhost"}, 200},
		{"a page of another site", "GET", "/metrics", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403},
		{"a page of the same site", "GET", "/metrics", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors"}, 403},
		{"a frame of another site", "GET", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		{"a form of another site", "POST", "/kept/0", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 403},
		{"an origin that contradicts", "POST", "/v1/classify", []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://evil.example"}, 403},
		{"a link of another site", "GET", "/login", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"an address that a person types", "GET", "/login", []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := s.do(tt.method, tt.path, message, tt.fields...)
			if w.Code != tt.want {
				t.Errorf("got %d %s, want %d", w.Code, w.Body, tt.want)
			}
			if w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Error("the answer lets other origins read it")
			}
		})
	}
	if n := s.do("GET", "/v1/status", "", s.bearer()...).Body.String(); !strings.Contains(n, `"messages":20,`) {
		t.Errorf("something was learned: %s", n)
	}
}

func TestASessionEndsAndCannotBeForged(t *testing.T) {
	asked := func(s *server, value string) bool {
		r := httptest.NewRequest("GET", "/", nil)
		r.AddCookie(&http.Cookie{Name: s.cookieName, Value: value})
		session, form := s.session(r)
		return session == value && form != ""
	}
	synctest.Test(t, func(t *testing.T) {
		s := server{cookieName: "chaff"}
		value := s.beginSession()
		for _, tt := range []struct {
			name, value string
			after       time.Duration
			want        bool
		}{
			{"a new session", value, 0, true},
			{"none", "", 0, false},
			{"cut", value[:len(value)-1], 0, false},
			{"changed", flip(value[0]) + value[1:], 0, false},
			{"just before its end", value, sessionTime - time.Second, true},
			{"after its end", value, 2 * time.Second, false},
		} {
			time.Sleep(tt.after)
			if got := asked(&s, tt.value); got != tt.want {
				t.Errorf("%s: got %v", tt.name, got)
			}
		}
	})
	s, other := newSite(t, nil), newSite(t, nil)
	value := s.beginSession()
	if asked(other.server, value) {
		t.Error("the session of another server counts")
	}
	if s.cookieName == other.cookieName {
		t.Error("two servers of a host have one name for their cookies")
	}
	c := s.cookie(httptest.NewRequest("GET", "/", nil), value)
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure {
		t.Errorf("cookie: %v", c)
	}
	behindTLS := httptest.NewRequest("GET", "/", nil)
	behindTLS.Header.Set("X-Forwarded-Proto", "https")
	if !s.cookie(behindTLS, value).Secure {
		t.Error("the cookie of a proxy with TLS may leave it")
	}
}

func flip(c byte) string {
	if c == 'A' {
		return "B"
	}
	return "A"
}

// listen serves a site on a socket, and returns its address. stop ends it.
func (s *site) listen() (address string, stop func() error) {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(s.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, l) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	s.t.Cleanup(func() { _ = stop() })
	return l.Addr().String(), stop
}

func TestSlowClientsAreCutOff(t *testing.T) {
	t.Parallel() // it waits
	s := newSite(t, nil)
	s.http.ReadHeaderTimeout, s.http.ReadTimeout, s.http.IdleTimeout = 50*time.Millisecond, 150*time.Millisecond, 50*time.Millisecond
	address, _ := s.listen()
	for _, tt := range []struct{ name, send string }{
		{"a header that does not end", "POST /v1/classify HTTP/1.1\r\nHost: localhost\r\nX-A: "},
		{"a message that does not end", "POST /v1/classify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nSubject: "},
		{"nothing", ""},
		{"no second request", "GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := net.Dial("tcp", address)
			must(t, err)
			defer c.Close()
			_, err = io.WriteString(c, tt.send)
			must(t, err)
			must(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
			if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "timeout") {
				t.Errorf("the client is still connected: %v", err)
			}
		})
	}
}

// A client that writes all of a request before it reads gets the answer, too.
func TestAMessageOverTheLimitGetsAnAnswer(t *testing.T) {
	s := newSite(t, func(o *serve.Options) { o.MaxMessage = 1000 })
	address, _ := s.listen()
	body := strings.Repeat("a", 12<<20)
	for path, want := range map[string]string{"/v1/classify": "HTTP/1.1 413", "/checkv2": "HTTP/1.1 200"} {
		c, err := net.Dial("tcp", address)
		must(t, err)
		defer c.Close()
		must(t, c.SetDeadline(time.Now().Add(20*time.Second)))
		if _, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		answer := make([]byte, 12)
		if _, err := io.ReadFull(c, answer); err != nil || string(answer) != want {
			t.Errorf("%s: got %q, %v", path, answer, err)
		}
	}
}

// TestNoBodyIsAFault sends JSON of great depth, a body without an end and a bomb to every path.
func TestNoBodyIsAFault(t *testing.T) {
	s := newSite(t, func(o *serve.Options) { o.MaxMessage = 1 << 18 })
	s.signIn()
	deep := strings.Repeat(`[{"a":`, 1<<15)
	routes := slices.Sorted(maps.Keys(s.routes()))
	if len(routes) < 20 {
		t.Fatalf("%d routes", len(routes))
	}
	for _, pattern := range routes {
		method, path, found := strings.Cut(pattern, " ")
		if !found {
			method, path = "POST", pattern
		}
		path = strings.NewReplacer("{$}", "", "{key}", strings.Repeat("0", 32)).Replace(path)
		for name, fields := range map[string][]string{
			"JSON": {"Content-Type", "application/json"}, "a form": {"Content-Type", "application/x-www-form-urlencoded"},
			"parts": {"Content-Type", "multipart/form-data; boundary=x"}, "compressed": {"Compression", "zstd"}, "encoded": {"Content-Encoding", "gzip"},
		} {
			for _, body := range []string{deep, strings.Repeat("--x\r\n", 1<<16)} {
				w := s.do(method, path, body, append(fields, s.bearer()...)...)
				if w.Code >= 500 {
					t.Errorf("%s %s with %s: %d %.200s", method, path, name, w.Code, w.Body)
				}
			}
		}
	}
	if n := s.engine.Counters.Faults.Load(); n > 0 {
		t.Errorf("%d faults: %s", n, s.log)
	}
}

func TestTooManyClientsGetAnAnswer(t *testing.T) {
	s := newSite(t, func(o *serve.Options) { o.Connections = 1 })
	address, _ := s.listen()
	first, err := net.Dial("tcp", address)
	must(t, err)
	defer first.Close()
	_, err = io.WriteString(first, "GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n")
	must(t, err)
	one := make([]byte, 12)
	_, err = io.ReadFull(first, one)
	must(t, err)
	second, err := net.Dial("tcp", address)
	must(t, err)
	defer second.Close()
	answer, err := io.ReadAll(second)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 503 ") {
		t.Errorf("got %q, %v", answer, err)
	}
	first.Close()
	for range 100 { // until the server has noticed
		if w, err := http.Get("http://" + address + "/ping"); err == nil {
			w.Body.Close()
			http.DefaultClient.CloseIdleConnections()
			if w.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("nobody gets in when the first client has gone")
}

func TestAServerFinishesWhatItHasAccepted(t *testing.T) {
	s := newSite(t, nil)
	address, stop := s.listen()
	c, err := net.Dial("tcp", address)
	must(t, err)
	defer c.Close()
	message := mail("spam", 50)
	fmt.Fprintf(c, "POST /v1/classify HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(message), message[:10])
	for s.engine.Counters.Connections.All()["http"] == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond) // the server reads the request
	ended := make(chan error)
	go func() { ended <- stop() }()
	for { // the listener is closed first
		other, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		other.Close()
		time.Sleep(time.Millisecond)
	}
	_, err = c.Write(message[10:])
	must(t, err)
	answer, err := io.ReadAll(c)
	if err != nil || !strings.Contains(string(answer), `"verdict":`) {
		t.Errorf("got %q, %v", answer, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAFaultCostsOneAnswer(t *testing.T) {
	s := newSite(t, nil)
	h := s.guarded(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("broken") }))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/", nil))
	if w.Code != 500 || s.engine.Counters.Faults.Load() != 1 || !strings.Contains(s.log.String(), "broken") {
		t.Errorf("got %d, %d faults, %s", w.Code, s.engine.Counters.Faults.Load(), s.log)
	}
}

func TestMetricsAreInTheFormatOfPrometheus(t *testing.T) {
	s := newSite(t, nil)
	s.do("POST", "/v1/classify", string(mail("spam", 1)))
	w := s.do("GET", "/metrics", "")
	if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/plain; version=0.0.4") {
		t.Errorf("type %q", got)
	}
	known := map[string]bool{}
	samples := 0
	for line := range strings.Lines(w.Body.String()) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			known[fields[2]] = fields[1] == "TYPE" || known[fields[2]]
			continue
		}
		samples++
		name, _, _ := strings.Cut(fields[0], "{")
		family := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum"), "_count")
		if !known[name] && !known[family] || len(fields) != 2 {
			t.Errorf("line %q", line)
		}
	}
	if samples < 10 || !strings.Contains(w.Body.String(), `chaff_verdicts_total{verdict="spam"} 1`) {
		t.Errorf("got %s", w.Body)
	}
}

func TestReadiness(t *testing.T) {
	s := newSite(t, nil)
	if w := s.do("GET", "/readyz", ""); w.Code != 200 {
		t.Errorf("got %d", w.Code)
	}
	must(t, s.engine.Close(t.Context()))
	if w := s.do("GET", "/readyz", ""); w.Code != 503 || !strings.Contains(w.Body.String(), "stopping") {
		t.Errorf("after the end: got %d %s", w.Code, w.Body)
	}
	if w := s.do("GET", "/healthz", ""); w.Code != 200 {
		t.Errorf("healthz: got %d", w.Code)
	}
}
