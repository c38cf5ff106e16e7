package web

import (
	_ "embed"
	"fmt"
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
		{"POST /v1/classify", answered(s.classify)},
		{"POST /v1/explain", s.withToken(about(s.mail, s.explain))},
		{"POST /v1/learn", s.withToken(s.learn)},
		{"POST /v1/forget", s.withToken(s.forget)},
		{"GET /v1/status", s.withToken(s.daemonStatus)},
		{"GET /v1/openapi.json", func(w http.ResponseWriter, _ *http.Request) { writeAs(w, "application/json", openAPI) }},
		{"/v1/", func(w http.ResponseWriter, r *http.Request) {
			writeFailure(w, failure{status: http.StatusNotFound, Text: "the API has no " + r.Method + " " + clip(r.URL.Path, 100) + ": see /v1/openapi.json"})
		}},
	}
}

// field is a field of the header of a message.
type field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func fieldsOf(fields ...verdictfield.Field) (all []field) {
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

func userOf(r *http.Request) string { return r.URL.Query().Get("user") }

func (s *server) classify(r *http.Request) (any, error) {
	value, err := about(s.mail, func(r *http.Request, raw []byte) (any, error) {
		v, err := s.engine.Judge(r.Context(), userOf(r), raw)
		return verdict{v, fieldsOf(s.engine.Fields(v)...)}, err
	})(r)
	if err != nil {
		err = failure{statusOf(err), err.Error(), fieldsOf(verdictfield.UnjudgedField(err.Error()))}
	}
	return value, err
}

func (s *server) explain(r *http.Request, raw []byte) (any, error) {
	return s.engine.Explain(r.Context(), userOf(r), raw)
}

func (s *server) learn(r *http.Request) (any, error) {
	class := r.URL.Query().Get("class")
	if classes := s.engine.Settings().Classes; !slices.Contains(classes, class) {
		return nil, failure{status: http.StatusBadRequest, Text: fmt.Sprintf("the parameter class is %q: must be one of %s", class, strings.Join(classes, ", "))}
	}
	return s.change(s.mail, func(r *http.Request, raw []byte) (store.Outcome, error) {
		return s.engine.Learn(r.Context(), userOf(r), raw, class)
	})(r)
}

func (s *server) forget(r *http.Request) (any, error) {
	return s.change(s.body, func(r *http.Request, raw []byte) (store.Outcome, error) {
		return s.engine.Forget(r.Context(), userOf(r), raw)
	})(r)
}

// change changes a model by the message of a request, which read reads.
func (s *server) change(read reading, change func(r *http.Request, raw []byte) (store.Outcome, error)) answer {
	return about(read, func(r *http.Request, raw []byte) (any, error) {
		if len(raw) == 0 {
			return nil, errNoMessage
		}
		outcome, err := change(r, raw)
		if err == nil && outcome.What == store.Refused {
			err = failure{status: http.StatusUnprocessableEntity, Text: "refused: " + string(outcome.Reason)}
		}
		return outcome, err
	})
}

// daemonStatus is the answer to /v1/status.
type daemonStatus struct {
	serve.Status
	Classes    []string         `json:"classes"`
	Verdicts   map[string]int64 `json:"verdicts"`
	Unjudged   map[string]int64 `json:"unjudged"`
	Learned    map[string]int64 `json:"learned"`
	Unlearned  map[string]int64 `json:"unlearned"`
	KeptUnsure int              `json:"kept_unsure"`
}

func (s *server) daemonStatus(r *http.Request) (any, error) {
	status, err := s.status(userOf(r))
	c := s.engine.Counters
	return daemonStatus{status, s.engine.Settings().Classes, c.Verdicts.All(), c.Unjudged.All(), c.Learned.All(),
		c.Unlearned.All(), len(s.engine.Unsure.All())}, err
}
