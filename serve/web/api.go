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
