package web

import (
	"cmp"
	_ "embed"
	"fmt"
	"net/http"
	"strings"
	"time"

	"chaff/filter"
	"chaff/internal/screen"
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

func originOf(r *http.Request, m *serve.Message) serve.Origin {
	return serve.Origin{Protocol: "http", User: userOf(r), Cut: m.Cut}
}

func (s *server) classify(r *http.Request) (any, error) {
	m := s.engine.NewMessage()
	defer m.Close()
	var v serve.Verdict
	err := s.mail(r, m)
	if err == nil || m.Cut != nil {
		v, err = s.engine.Judge(r.Context(), originOf(r, m), m.Bytes())
	}
	if err = cmp.Or(err, v.Unjudged); err != nil {
		return nil, failure{statusOf(err), err.Error(), serve.Verdict{Unjudged: err}.Fields()}
	}
	return verdict{v, v.Fields()}, nil
}

// ofMail answers a request whose body has to be mail, which may be cut.
func (s *server) ofMail(do func(r *http.Request, m *serve.Message) (any, error)) answer {
	return func(r *http.Request) (any, error) {
		m := s.engine.NewMessage()
		defer m.Close()
		if err := s.mail(r, m); err != nil && m.Cut == nil {
			return nil, err
		}
		return do(r, m)
	}
}

func (s *server) explain(r *http.Request, m *serve.Message) (any, error) {
	if m.Cut != nil {
		return nil, m.Cut
	}
	return s.engine.Explain(r.Context(), userOf(r), m.Bytes())
}

func (s *server) learn(r *http.Request, m *serve.Message) (any, error) {
	return learned(s.engine.Learn(r.Context(), originOf(r, m), m.Bytes(), r.URL.Query().Get("class")))
}

func (s *server) forget(r *http.Request, m *serve.Message) (any, error) {
	return learned(s.engine.Forget(r.Context(), originOf(r, m), m.Bytes()))
}

func learned(o store.Outcome, err error) (any, error) {
	if err == nil && o.What == store.Refused {
		err = failure{status: http.StatusUnprocessableEntity, Text: "refused: " + string(o.Reason)}
	}
	return o, err
}

// rspamdOrigin says whose mail a message is: that of the user to whom it is delivered, else that of the user who sends it.
func rspamdOrigin(r *http.Request, m *serve.Message) serve.Origin {
	h := r.Header
	return serve.Origin{Protocol: "rspamd", QueueID: h.Get("Queue-Id"), User: cmp.Or(serve.UserOf(h.Get("Deliver-To")), h.Get("User")), Cut: m.Cut}
}

func (s *server) rspamdCheck(r *http.Request) (any, error) {
	began := time.Now()
	m := s.engine.NewMessage()
	defer m.Close()
	var v serve.Verdict
	err := s.body(r, m)
	if err == nil || m.Cut != nil {
		v, err = s.engine.Judge(r.Context(), rspamdOrigin(r, m), m.Bytes())
	}
	switch {
	case err != nil && statusOf(err) < http.StatusInternalServerError:
		return nil, err
	case err != nil: // for another status, some clients deliver the message without a word; this makes the mail server ask later
		return newRspamdResult("soft reject"), nil
	}
	action := "no action" // never one that rejects a message or delays it
	if v.Verdict == filter.Spam {
		action = "add header"
	}
	result := newRspamdResult(action, v.Fields()...)
	if id := messageID(m.Bytes()); id != "" {
		result["message-id"] = id
	}
	result["time_real"] = time.Since(began).Seconds()
	if v.Unjudged != nil {
		return result, nil
	}
	result["score"] = v.Score
	if t := s.engine.Settings().Thresholds; t != nil {
		result["required_score"], result["thresholds"] = t.Spam, object{"add header": t.Spam}
	}
	name := v.Symbol()
	result["symbols"] = object{name: object{
		"name": name, "score": v.Score, "metric_score": v.Score, "description": "Verdict of chaff",
		"options": []string{fmt.Sprintf("probability=%.4f", v.Probability)},
	}}
	return result, nil
}

type object map[string]any

// newRspamdResult returns an answer to /checkv2, which has the mail server add some fields.
func newRspamdResult(action string, fields ...verdictfield.Field) object {
	remove, add := object{}, object{}
	for _, f := range fields {
		remove[f.Name], add[f.Name] = 0, object{"value": f.Value, "order": 0}
	}
	return object{
		"is_skipped": false, "score": 0.0, "required_score": 0.0, "action": action, "thresholds": object{}, "symbols": object{}, "messages": object{},
		"time_real": 0.0, "milter": object{"remove_headers": remove, "add_headers": add},
	}
}

// messageID returns the Message-ID of a message without its angle brackets, or "".
func messageID(raw []byte) string {
	return screen.Clip(strings.Trim(string(serve.HeaderField(raw, "message-id")), "<>"), 200)
}

func (s *server) rspamdLearn(class string) answer {
	return s.ofMail(func(r *http.Request, m *serve.Message) (any, error) {
		o, err := s.engine.Learn(r.Context(), rspamdOrigin(r, m), m.Bytes(), class)
		if o.What == store.Known {
			err = failure{status: http.StatusAlreadyReported, Text: fmt.Sprintf("<%s> has been already learned as %s, ignore it", messageID(m.Bytes()), class)}
		}
		_, err = learned(o, err)
		return object{"success": true}, err
	})
}

// rspamdStat answers with the figures since the start of the daemon. It reads no log, since it asks for no token.
func (s *server) rspamdStat(*http.Request) (any, error) {
	c := s.engine.Counters
	verdicts, learned := c.Verdicts.All(), c.Learned.All()
	taught, spam, scanned := learned[string(store.Learned)]+learned[string(store.Relabelled)], verdicts[string(filter.Spam)], int64(0)
	for _, n := range verdicts {
		scanned += n
	}
	times := []float64{}
	for _, r := range s.engine.History.Last(31) { // as many as rspamd sends
		times = append(times, r.Seconds)
	}
	return object{
		"version": "chaff", "config_id": "", "uptime": int64(time.Since(s.engine.Started).Seconds()), "read_only": false,
		"scanned": scanned, "learned": taught, "spam_count": spam, "ham_count": scanned - spam,
		"actions":    object{"reject": 0, "soft reject": 0, "rewrite subject": 0, "greylist": 0, "add header": spam, "no action": scanned - spam},
		"scan_times": times, "connections": c.Connections.All()["http"], "control_connections": 0, "total_learns": taught, "statfiles": []object{},
	}, nil
}
