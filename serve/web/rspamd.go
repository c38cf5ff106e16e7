package web

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"chaff/filter"
	"chaff/internal/verdictfield"
	"chaff/message"
	"chaff/serve"
	"chaff/store"
)

// rspamdRoutes are the requests of rspamd that its client rspamc makes for mail. Source: https://rspamd.com/doc/developers/protocol.html
// and the answers of rspamd 3.4.
func (s *server) rspamdRoutes() []route {
	return []route{
		{"POST /checkv2", answered(s.rspamdCheck)},
		{"GET /checkv2", answered(s.rspamdCheck)}, // of a client without a message
		{"POST /learnspam", s.withToken(s.rspamdLearn(spamClass))},
		{"POST /learnham", s.withToken(s.rspamdLearn(hamClass))},
		{"GET /ping", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "pong\r\n") }},
	}
}

// The classes that rspamd knows.
const (
	spamClass = string(filter.Spam)
	hamClass  = string(filter.Ham)
)

// rspamdUser returns whose mail a message is: that of the user to whom it is delivered, else that of the user who sends it.
func rspamdUser(r *http.Request) string {
	if user := r.Header.Get("Deliver-To"); user != "" {
		return user
	}
	return r.Header.Get("User")
}

func (s *server) rspamdCheck(r *http.Request) (any, error) {
	began := time.Now()
	value, err := about(s.body, func(r *http.Request, raw []byte) (any, error) {
		v, err := s.engine.Judge(serve.From(r.Context(), serve.Origin{Protocol: "rspamd", QueueID: r.Header.Get("Queue-Id")}), rspamdUser(r), raw)
		if err != nil {
			return nil, err
		}
		result := s.rspamdResultOf(v)
		if id := messageID(raw); id != "" {
			result["message-id"] = id
		}
		result["time_real"] = time.Since(began).Seconds()
		return result, nil
	})(r)
	if status := statusOf(err); err != nil && status != http.StatusBadRequest && status != http.StatusUnsupportedMediaType {
		return unjudgedResult(err), nil
	}
	return value, err
}

// object is an object of JSON.
type object map[string]any

// rspamdHeader is a field that the mail server adds.
type rspamdHeader struct {
	Value string `json:"value"`
	Order int    `json:"order"`
}

// newRspamdResult returns an answer to /checkv2, which has the mail server add some fields.
func newRspamdResult(action string, fields ...verdictfield.Field) object {
	remove, add := object{}, object{}
	for _, f := range fields {
		remove[f.Name], add[f.Name] = 0, rspamdHeader{Value: f.Value}
	}
	return object{
		"is_skipped": false, "score": 0.0, "required_score": 0.0, "action": action, "thresholds": object{}, "symbols": object{}, "messages": object{},
		"time_real": 0.0, "milter": object{"remove_headers": remove, "add_headers": add},
	}
}

// unjudgedResult answers for a message without a verdict. Its clients take any other status for a filter that is away, and some then deliver
// the message without a word. So a message that may be judged later is refused for now, and another one passes with a field that says why.
func unjudgedResult(err error) object {
	if statusOf(err) == http.StatusServiceUnavailable && !errors.Is(err, serve.ErrTimeout) {
		return newRspamdResult("soft reject")
	}
	return newRspamdResult("no action", verdictfield.UnjudgedField(err.Error()))
}

// rspamdResultOf translates a verdict. Spam gets the action that adds a header, never one that rejects a message or delays it.
func (s *server) rspamdResultOf(v serve.Verdict) object {
	action := "no action"
	if v.Verdict == filter.Spam {
		action = "add header"
	}
	result := newRspamdResult(action, s.engine.Fields(v)...)
	result["score"] = v.Score
	if t := s.engine.Settings().Thresholds; t != nil {
		result["required_score"], result["thresholds"] = t.Spam, object{"add header": t.Spam}
	}
	name := symbolOf(string(v.Verdict))
	result["symbols"] = object{name: object{
		"name": name, "score": v.Score, "metric_score": v.Score, "description": "Verdict of chaff",
		"options": []string{fmt.Sprintf("probability=%.4f", v.Probability)},
	}}
	return result
}

// symbolOf returns the name of a class or verdict as rspamd writes names.
func symbolOf(name string) string {
	return "CHAFF_" + strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}

// messageID returns the Message-ID of a message without its angle brackets, or "".
func messageID(raw []byte) string {
	return clip(strings.Trim(string(serve.HeaderField(raw, "message-id")), "<>"), 200)
}

func (s *server) rspamdLearn(class string) answer {
	learn := s.change(s.body, func(r *http.Request, raw []byte) (store.Outcome, error) {
		if err := message.CheckMail(raw); err != nil {
			return store.Outcome{}, fmt.Errorf("the body %w", err)
		}
		outcome, err := s.engine.Learn(serve.From(r.Context(), serve.Origin{Protocol: "rspamd"}), rspamdUser(r), raw, class)
		if outcome.What == store.Known {
			err = failure{status: http.StatusAlreadyReported, Text: fmt.Sprintf("<%s> has been already learned as %s, ignore it", messageID(raw), class)}
		}
		return outcome, err
	})
	return func(r *http.Request) (any, error) {
		if !slices.Contains(s.engine.Settings().Classes, class) {
			return nil, failure{status: http.StatusBadRequest, Text: "the model has no class " + class}
		}
		_, err := learn(r)
		if errors.Is(err, errNoMessage) {
			err = failure{status: http.StatusBadRequest, Text: "Empty body is not permitted"}
		}
		return object{"success": true}, err
	}
}
