package web

import (
	_ "embed"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"chaff/internal/verdictfield"
	"chaff/serve"
	"chaff/store"
)

//go:embed openapi.json
var openAPI []byte

// apiRoutes are the API, which openapi.json describes.
func (s *server) apiRoutes() []route {
	return []route{
		{"POST /v1/classify", s.classify},
		{"POST /v1/explain", s.withToken(s.explain)},
		{"POST /v1/learn", s.withToken(s.learn)},
		{"POST /v1/forget", s.withToken(s.forget)},
		{"GET /v1/status", s.withToken(s.showStatus)},
		{"GET /v1/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(openAPI)
		}},
		{"/v1/", s.unknown},
	}
}

// unknown answers a request for a path or a method of the API that does not exist.
func (s *server) unknown(w http.ResponseWriter, r *http.Request) {
	methods := map[string]string{}
	for _, known := range s.apiRoutes() {
		if method, path, found := strings.Cut(known.pattern, " "); found {
			methods[path] = method
		}
	}
	if method, known := methods[r.URL.Path]; known {
		w.Header().Set("Allow", method)
		writeError(w, http.StatusMethodNotAllowed, r.URL.Path+" needs "+method)
		return
	}
	writeError(w, http.StatusNotFound, "no such path: the API has "+strings.Join(slices.Sorted(maps.Keys(methods)), ", "))
}

// field is a field of the header of a message.
type field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func fieldsOf(fields []verdictfield.Field) (all []field) {
	for _, f := range fields {
		all = append(all, field(f))
	}
	return all
}

// verdict is the answer to /v1/classify.
type verdict struct {
	serve.Verdict
	// Fields are those that chaff classify --pass adds.
	Fields []field `json:"fields"`
}

func (s *server) classify(w http.ResponseWriter, r *http.Request) {
	m, err := s.mail(r)
	if err == nil {
		defer m.Close()
		var v serve.Verdict
		if v, err = s.engine.Judge(r.Context(), r.URL.Query().Get("user"), m.Bytes()); err == nil {
			writeJSON(w, http.StatusOK, verdict{v, fieldsOf(s.engine.Fields(v))})
			return
		}
	}
	if statusOf(err) == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, statusOf(err), failure{err.Error(), fieldsOf([]verdictfield.Field{verdictfield.UnjudgedField(err.Error())})})
}

func (s *server) explain(w http.ResponseWriter, r *http.Request) {
	m, err := s.mail(r)
	if err != nil {
		writeFailure(w, err)
		return
	}
	defer m.Close()
	e, err := s.engine.Explain(r.Context(), r.URL.Query().Get("user"), m.Bytes())
	if err != nil {
		writeFailure(w, err)
		return
	}
	writeJSON(w, http.StatusOK, e)
}

func (s *server) learn(w http.ResponseWriter, r *http.Request) {
	class := r.URL.Query().Get("class")
	if classes := s.engine.Settings().Classes; !slices.Contains(classes, class) {
		writeError(w, http.StatusBadRequest, fmt.Sprintf("the parameter class is %q: must be one of %s", class, strings.Join(classes, ", ")))
		return
	}
	s.change(w, r, s.mail, func(user string, raw []byte) (store.Outcome, error) {
		return s.engine.Learn(r.Context(), user, raw, class)
	})
}

func (s *server) forget(w http.ResponseWriter, r *http.Request) {
	s.change(w, r, s.body, func(user string, raw []byte) (store.Outcome, error) { return s.engine.Forget(r.Context(), user, raw) })
}

// change changes a model by the message of a request, which read reads.
func (s *server) change(
	w http.ResponseWriter, r *http.Request, read func(*http.Request) (*serve.Message, error), change func(user string, raw []byte) (store.Outcome, error),
) {
	m, err := read(r)
	if err != nil {
		writeFailure(w, err)
		return
	}
	defer m.Close()
	if len(m.Bytes()) == 0 {
		writeFailure(w, errNoMessage)
		return
	}
	outcome, err := change(r.URL.Query().Get("user"), m.Bytes())
	s.forgetStates()
	switch {
	case err != nil:
		writeFailure(w, err)
	case outcome.What == store.Refused:
		writeError(w, http.StatusUnprocessableEntity, "refused: "+outcome.Reason.String())
	default:
		writeJSON(w, http.StatusOK, outcome)
	}
}

// daemonStatus is the answer to /v1/status.
type daemonStatus struct {
	serve.Status
	Classes    []string `json:"classes"`
	Verdicts   counters `json:"verdicts"`
	Unjudged   counters `json:"unjudged"`
	Learned    counters `json:"learned"`
	Unlearned  counters `json:"unlearned"`
	KeptUnsure int      `json:"kept_unsure"`
}

type counters map[string]int64

func (s *server) showStatus(w http.ResponseWriter, r *http.Request) {
	status, err := s.status(r.URL.Query().Get("user"), stateTime)
	if err != nil {
		writeFailure(w, err)
		return
	}
	c := s.engine.Counters()
	writeJSON(w, http.StatusOK, daemonStatus{status, s.engine.Settings().Classes, c.Verdicts.All(), c.Unjudged.All(), c.Learned.All(),
		c.Unlearned.All(), len(s.engine.Unsure())})
}
