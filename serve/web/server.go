package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"chaff/filter"
	"chaff/internal/screen"
	"chaff/internal/verdictfield"
	"chaff/message"
	"chaff/report"
	"chaff/serve"
	"chaff/store"
)

type server struct {
	engine  *serve.Engine
	options serve.Options
	log     serve.Logger
	token   string
	http    *http.Server

	sessions   sync.Map // the tokens of forms of people who are signed in to the console, by the values of their cookies
	cookieName string   // servers at other ports of the host have other tokens, and so other names
}

// Open returns what answers HTTP on a listener until its context ends, and then finishes what it has accepted. It closes the listener.
func Open(l net.Listener, e *serve.Engine, log serve.Logger) (serve.Running, error) {
	s, err := newServer(e, log)
	if err != nil {
		return nil, err
	}
	if a, isTCP := l.Addr().(*net.TCPAddr); isTCP {
		log.Note("the console is at http://%s/, and its token in %s", a, TokenFile(s.options.Model))
	}
	return func(ctx context.Context) error { return s.serve(ctx, l) }, nil
}

func newServer(e *serve.Engine, logger serve.Logger) (*server, error) {
	const requestTime = time.Minute
	o := e.Options()
	token, err := Token(o.Model, logger)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte("cookie\n" + token))
	s := &server{engine: e, options: o, log: logger, token: token, cookieName: fmt.Sprintf("chaff_%x", sum[:6])}
	mux := http.NewServeMux()
	for pattern, handle := range s.routes() {
		mux.HandleFunc(pattern, handle)
	}
	s.http = &http.Server{
		Handler: s.guarded(mux), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: requestTime, IdleTimeout: time.Minute,
		WriteTimeout:   requestTime + time.Duration(o.MaxSeconds*float64(time.Second)) + 10*time.Second,
		MaxHeaderBytes: 32 << 10, ErrorLog: log.New(io.Discard, "", 0),
	}
	return s, nil
}

func (s *server) serve(ctx context.Context, l net.Listener) error {
	const grace = 25 * time.Second // for what clients are doing
	stopped := make(chan struct{})
	context.AfterFunc(ctx, func() {
		defer close(stopped)
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		if s.http.Shutdown(stopping) != nil {
			s.http.Close()
		}
	})
	const busy = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
	err := s.http.Serve(s.engine.Clients(l, "http", busy))
	if ctx.Err() == nil {
		return err
	}
	<-stopped
	return nil
}

// routes returns what the server answers, by patterns of [http.ServeMux].
func (s *server) routes() map[string]http.HandlerFunc {
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
	}
	c := &console{s, template.Must(template.New("console").Funcs(functions(s.engine)).Parse(consoleTemplate))}
	return map[string]http.HandlerFunc{
		// The API, which openapi.json describes.
		"POST /v1/classify":    answered(s.classify),
		"POST /v1/explain":     s.withToken(s.ofMail(s.explain)),
		"POST /v1/learn":       s.withToken(s.ofMail(s.learn)),
		"POST /v1/forget":      s.withToken(s.ofMail(s.forget)),
		"GET /v1/status":       s.withToken(func(r *http.Request) (any, error) { return s.engine.Status(userOf(r)) }),
		"GET /v1/openapi.json": func(w http.ResponseWriter, _ *http.Request) { writeAs(w, "application/json", openAPI) },
		"/v1/": answered(func(r *http.Request) (any, error) {
			return nil, failure{status: http.StatusNotFound, Text: "the API has no " + r.Method + " " + screen.Clip(r.URL.Path, 100) + ": see /v1/openapi.json"}
		}),
		// The requests of rspamd that its client rspamc makes for mail and figures. Source: https://rspamd.com/doc/developers/protocol.html and the answers of
		// rspamd 3.4. A client without a message sends GET.
		"POST /checkv2":   answered(s.rspamdCheck),
		"GET /checkv2":    answered(s.rspamdCheck),
		"POST /learnspam": s.withToken(s.rspamdLearn(string(filter.Spam))),
		"POST /learnham":  s.withToken(s.rspamdLearn(string(filter.Ham))),
		"GET /stat":       answered(s.rspamdStat),
		"GET /ping":       text("pong\r\n"),
		// For programs that watch the daemon.
		"GET /metrics": func(w http.ResponseWriter, _ *http.Request) {
			writeAs(w, "text/plain; version=0.0.4; charset=utf-8", s.engine.Metrics())
		},
		"GET /healthz": text("ok\n"),
		"GET /readyz": func(w http.ResponseWriter, r *http.Request) {
			if err := s.engine.Ready(); err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
			text("ready\n")(w, r)
		},
		// Pages for people.
		"GET /console.css": func(w http.ResponseWriter, _ *http.Request) {
			writeAs(w, "text/css; charset=utf-8", []byte(report.Style()+consoleStyle))
		},
		"GET /login":       func(w http.ResponseWriter, r *http.Request) { c.loginPage(w, http.StatusOK, r, "") },
		"POST /login":      c.login,
		"POST /logout":     c.posted(c.logout),
		"GET /{$}":         c.page("overview", c.overview),
		"GET /unsure":      c.page("unsure", c.unsure),
		"GET /kept/{key}":  c.page("why", c.why),
		"POST /kept/{key}": c.posted(c.teachKept),
		"POST /teach":      c.posted(c.teachKept),
		"GET /history":     c.page("history", c.history),
		"GET /thresholds":  c.page("thresholds", c.thresholds),
		"/":                c.notFound,
	}
}

// body reads the message of a request into m. What a client has compressed for its way, or only names as clients of
// rspamd can, is no message.
func (s *server) body(r *http.Request, m *serve.Message) error {
	h := r.Header
	encoding := h.Get("Content-Encoding")
	if encoding != "" && !strings.EqualFold(encoding, "identity") || h.Get("Compression")+h.Get("File")+h.Get("Shm") != "" {
		return errEncoding
	}
	if _, err := io.Copy(m, r.Body); err != nil && m.Cut == nil {
		return errBody
	}
	return m.Cut
}

// mail is body for a message that has to be mail. What is none is a [message.NoMail].
func (s *server) mail(r *http.Request, m *serve.Message) error {
	if err := s.body(r, m); err != nil {
		return err
	}
	if len(m.Bytes()) == 0 {
		return errNoMessage
	}
	if err := message.CheckMail(m.Bytes()); err != nil {
		return fmt.Errorf("the body %w", err)
	}
	return nil
}

// What is wrong with the body of a request.
var (
	errBody      = errors.New("the message did not arrive")
	errNoMessage = errors.New("the request has no message")
	errEncoding  = errors.New("send the message itself, neither compressed nor named")
)

// statusOf returns the status of HTTP for an error of the engine.
func statusOf(err error) int {
	for status, errs := range map[int][]error{
		http.StatusBadRequest:            {serve.ErrClass, serve.ErrUser, errBody, errNoMessage},
		http.StatusForbidden:             {serve.ErrUsers, errForm},
		http.StatusConflict:              {store.ErrNone},
		http.StatusNotFound:              {serve.ErrNotKept, errNotFound},
		http.StatusRequestEntityTooLarge: {serve.ErrTooLarge},
		http.StatusUnsupportedMediaType:  {errEncoding},
		http.StatusServiceUnavailable:    {serve.ErrBusy, serve.ErrTimeout, serve.ErrClosed, store.ErrLocked, context.Canceled},
	} {
		if slices.ContainsFunc(errs, func(e error) bool { return errors.Is(err, e) }) {
			return status
		}
	}
	if _, is := errors.AsType[*message.NoMail](err); is {
		return http.StatusUnprocessableEntity
	}
	return http.StatusInternalServerError
}

// answer answers a request with a value, as JSON.
type answer func(r *http.Request) (any, error)

// answered takes what is left of the request first: else the connection would end with an error for clients that still send, such as rspamc, and they
// would not read the answer.
func answered(a answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		const maxDrained = 256 << 20 // bytes that are not wanted
		value, err := a(r)
		_, _ = io.CopyN(io.Discard, r.Body, maxDrained)
		if err != nil {
			writeFailure(w, err)
			return
		}
		writeJSON(w, http.StatusOK, value)
	}
}

func writeAs(w http.ResponseWriter, kind string, data []byte) {
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(data)
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(value); err != nil {
		status = http.StatusInternalServerError
		b.Reset()
		b.WriteString(`{"error":"internal error"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w)
}

// failure is the answer to a request that failed. Fields are those of a message that passes unjudged.
type failure struct {
	status int
	Text   string               `json:"error"`
	Fields []verdictfield.Field `json:"fields,omitempty"`
}

func (f failure) Error() string { return f.Text }

func writeFailure(w http.ResponseWriter, err error) {
	f, is := errors.AsType[failure](err)
	if !is {
		f = failure{status: statusOf(err), Text: err.Error()}
	}
	if f.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, f.status, f)
}
