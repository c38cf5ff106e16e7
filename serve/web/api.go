package web

import (
	"cmp"
	_ "embed"
	"net/http"

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
		{"POST /v1/explain", s.withToken(s.ofMail(s.explain))},
		{"POST /v1/learn", s.withToken(s.ofMail(s.learn))},
		{"POST /v1/forget", s.withToken(s.ofMail(s.forget))},
		{"GET /v1/status", s.withToken(func(r *http.Request) (any, error) { return s.engine.Status(userOf(r)) })},
		{"GET /v1/openapi.json", func(w http.ResponseWriter, _ *http.Request) { writeAs(w, "application/json", openAPI) }},
		{"/v1/", func(w http.ResponseWriter, r *http.Request) {
			writeFailure(w, failure{status: http.StatusNotFound, Text: "the API has no " + r.Method + " " + clip(r.URL.Path, 100) + ": see /v1/openapi.json"})
		}},
	}
}

// verdict is the answer to /v1/classify.
type verdict struct {
	serve.Verdict
	// Fields are those that chaff classify --pass adds.
	Fields []verdictfield.Field `json:"fields"`
}

func userOf(r *http.Request) string { return r.URL.Query().Get("user") }

func originOf(r *http.Request) serve.Origin { return serve.Origin{Protocol: "http", User: userOf(r)} }

func (s *server) classify(r *http.Request) (any, error) {
	m := s.engine.NewMessage()
	defer m.Close()
	var v serve.Verdict
	err := s.mail(r, m)
	if err == nil {
		v, err = s.engine.Judge(r.Context(), originOf(r), m.Bytes())
	}
	if err = cmp.Or(err, v.Unjudged); err != nil {
		return nil, failure{statusOf(err), err.Error(), serve.Verdict{Unjudged: err}.Fields()}
	}
	return verdict{v, v.Fields()}, nil
}

// ofMail answers a request whose body has to be mail.
func (s *server) ofMail(do func(r *http.Request, raw []byte) (any, error)) answer {
	return func(r *http.Request) (any, error) {
		m := s.engine.NewMessage()
		defer m.Close()
		if err := s.mail(r, m); err != nil {
			return nil, err
		}
		return do(r, m.Bytes())
	}
}

func (s *server) explain(r *http.Request, raw []byte) (any, error) {
	return s.engine.Explain(r.Context(), userOf(r), raw)
}

func (s *server) learn(r *http.Request, raw []byte) (any, error) {
	return learned(s.engine.Learn(r.Context(), originOf(r), raw, r.URL.Query().Get("class")))
}

func (s *server) forget(r *http.Request, raw []byte) (any, error) {
	return learned(s.engine.Forget(r.Context(), originOf(r), raw))
}

func learned(o store.Outcome, err error) (any, error) {
	if err == nil && o.What == store.Refused {
		err = failure{status: http.StatusUnprocessableEntity, Text: "refused: " + string(o.Reason)}
	}
	return o, err
}
