package web

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"chaff/serve"
	"chaff/store"
	"chaff/test/servetest"
)

// description is openapi.json.
type description struct {
	Paths map[string]map[string]struct {
		OperationID string              `json:"operationId"`
		Security    []map[string][]any  `json:"security"`
		RequestBody any                 `json:"requestBody"`
		Responses   map[string]response `json:"responses"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

type response struct {
	Content map[string]struct {
		Schema schema `json:"schema"`
	} `json:"content"`
}

// schema is the part of JSON Schema that the description uses.
type schema struct {
	Ref        string            `json:"$ref"`
	Type       any               `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Additional json.RawMessage   `json:"additionalProperties"`
	Items      *schema           `json:"items"`
	Enum       []any             `json:"enum"`
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
	Format     string            `json:"format"`
}

func readDescription(t *testing.T) description {
	var d description
	must(t, json.Unmarshal(openAPI, &d))
	if len(d.Paths) == 0 || len(d.Components.Schemas) == 0 {
		t.Fatal("the description is empty")
	}
	return d
}

// check returns how a value differs from a schema.
func (d description) check(s schema, at string, value any) (faults []string) {
	if s.Ref != "" {
		target, ok := d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
		if !ok {
			return []string{at + ": no schema " + s.Ref}
		}
		return d.check(target, at, value)
	}
	if s.Type != nil && !isOfType(s.Type, value) {
		return []string{fmt.Sprintf("%s: %v is no %v", at, value, s.Type)}
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, value) {
		faults = append(faults, fmt.Sprintf("%s: %v is none of %v", at, value, s.Enum))
	}
	switch value := value.(type) {
	case float64:
		if s.Minimum != nil && value < *s.Minimum || s.Maximum != nil && value > *s.Maximum {
			faults = append(faults, fmt.Sprintf("%s: %v is out of range", at, value))
		}
	case string:
		if s.Format == "date-time" {
			if _, err := time.Parse(time.RFC3339, value); err != nil {
				faults = append(faults, at+": "+err.Error())
			}
		}
	case []any:
		for i, item := range value {
			faults = append(faults, d.check(*s.Items, fmt.Sprintf("%s[%d]", at, i), item)...)
		}
	case map[string]any:
		for _, name := range s.Required {
			if _, ok := value[name]; !ok {
				faults = append(faults, at+"."+name+" is missing")
			}
		}
		for name, member := range value {
			property, described := s.Properties[name]
			switch {
			case described:
				faults = append(faults, d.check(property, at+"."+name, member)...)
			case string(s.Additional) == "false":
				faults = append(faults, at+"."+name+" is not described")
			case strings.HasPrefix(string(s.Additional), "{"):
				var other schema
				if err := json.Unmarshal(s.Additional, &other); err != nil {
					return []string{err.Error()}
				}
				faults = append(faults, d.check(other, at+"."+name, member)...)
			}
		}
	}
	return faults
}

func isOfType(types any, value any) bool {
	if all, ok := types.([]any); ok {
		return slices.ContainsFunc(all, func(one any) bool { return isOfType(one, value) })
	}
	switch v := value.(type) {
	case nil:
		return types == "null"
	case bool:
		return types == "boolean"
	case float64:
		return types == "number" || types == "integer" && v == float64(int64(v))
	case string:
		return types == "string"
	case []any:
		return types == "array"
	case map[string]any:
		return types == "object"
	}
	return false
}

func TestTheDescriptionHasEveryRoute(t *testing.T) {
	s := newSite(t, nil)
	d := readDescription(t)
	var described, served []string
	for path, methods := range d.Paths {
		for method := range methods {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	for pattern := range s.routes() {
		if strings.Contains(pattern, " /v1/") {
			served = append(served, pattern)
		}
	}
	slices.Sort(described)
	slices.Sort(served)
	if !slices.Equal(described, served) {
		t.Errorf("described: %v\nserved: %v", described, served)
	}
	for path, methods := range d.Paths {
		for method, operation := range methods {
			w := s.do(strings.ToUpper(method), path, "")
			if needsToken := w.Code == http.StatusUnauthorized; needsToken != (len(operation.Security) > 0) {
				t.Errorf("%s %s needs the token: %v, described: %v", method, path, needsToken, operation.Security)
			}
		}
	}
	if w := s.do("GET", "/v1/openapi.json", ""); w.Body.String() != string(openAPI) {
		t.Error("the server sends another description")
	}
}

func TestAnswersAreAsDescribed(t *testing.T) {
	s := newSite(t, func(o *serve.Options) { o.MaxMessage, o.Users, o.MaxUsers = 1000, t.TempDir(), 1 })
	d := readDescription(t)
	token := s.bearer()
	message := string(mail("spam", 100))
	seen := map[string]bool{}
	for _, tt := range []struct {
		name, method, target, body string
		fields                     []string
		status                     int
		has                        []string
	}{
		{"a verdict", "POST", "/v1/classify", message, nil, 200, []string{`"verdict":"spam"`, `"X-Spam-Flag"`}},
		{"a verdict on nothing", "POST", "/v1/classify", "", nil, 400, []string{"the request has no message"}},
		{"a verdict on a picture", "POST", "/v1/classify", "\x89PNG\r\n\x1a\n", nil, 422, []string{"is no mail but a picture", `"X-Chaff-Unjudged"`}},
		{"a verdict on a large message", "POST", "/v1/classify", strings.Repeat("x", 1001), nil, 413, []string{`"X-Chaff-Unjudged"`, "too large"}},
		{"a verdict on the largest message", "POST", "/v1/classify", "Subject: " + strings.Repeat("x", 991), nil, 200, nil},
		{"a verdict for another name", "POST", "/v1/classify", message, []string{"Host", "evil.example"}, 421, []string{"serve.http_hosts"}},
		{"a verdict for another origin", "POST", "/v1/classify", message, []string{"Origin", "http://evil.example"}, 403, nil},
		{"an explanation", "POST", "/v1/explain", message, token, 200, []string{`"term":"body:`}},
		{"an explanation of nothing", "POST", "/v1/explain", "", token, 400, nil},
		{"an explanation of a text", "POST", "/v1/explain", "cheap pills", token, 422, []string{"is no mail but a text"}},
		{"learning a PDF", "POST", "/v1/learn?class=spam", "%PDF-1.4", token, 422, []string{"is no mail but a PDF"}},
		{"an explanation of a large message", "POST", "/v1/explain", strings.Repeat("x", 1001), token, 413, nil},
		{"an explanation without the token", "POST", "/v1/explain", message, nil, 401, nil},
		{"learning", "POST", "/v1/learn?class=spam", message, token, 200, []string{`"result":"learned"`}},
		{"learning again", "POST", "/v1/learn?class=spam", message, token, 200, []string{`"result":"known"`}},
		{"learning the other class", "POST", "/v1/learn?class=ham", message, token, 200, []string{`"result":"relabelled"`, `"before":"spam"`}},
		{"learning for a user", "POST", "/v1/learn?class=ham&user=joe", message, token, 200, []string{`"result":"learned"`}},
		{"learning for one user too many", "POST", "/v1/learn?class=ham&user=jim", message, token, 403, []string{"serve.max_users"}},
		{"learning for a bad user", "POST", "/v1/learn?class=ham&user=../x", message, token, 400, []string{"name of a user"}},
		{"learning no class", "POST", "/v1/learn", message, token, 400, []string{"must be one of ham, spam"}},
		{"learning nothing", "POST", "/v1/learn?class=spam", "", token, 400, []string{"no message"}},
		{"learning a large message", "POST", "/v1/learn?class=spam", strings.Repeat("x", 1001), token, 413, nil},
		{"learning without the token", "POST", "/v1/learn?class=spam", message, nil, 401, nil},
		{"forgetting", "POST", "/v1/forget", message, token, 200, []string{`"result":"forgotten"`}},
		{"forgetting again", "POST", "/v1/forget", message, token, 422, []string{"never learned"}},
		{"the state", "GET", "/v1/status", "", token, 200, []string{`"messages":20`, `"verdicts":{`}},
		{"the state of a user", "GET", "/v1/status?user=joe", "", token, 200, []string{`"messages":1`}},
		{"the state of a bad user", "GET", "/v1/status?user=.x", "", token, 400, nil},
		{"the state without the token", "GET", "/v1/status", "", nil, 401, nil},
		{"another method", "GET", "/v1/learn", "", token, 404, []string{"the API has no GET /v1/learn"}},
		{"another path", "GET", "/v1/nothing", "", token, 404, []string{"/v1/openapi.json"}},
		{"learning without a log", "POST", "/v1/learn?class=ham", message, token, 409, []string{"has no log"}},
		{"forgetting without a log", "POST", "/v1/forget", message, token, 409, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.status == http.StatusConflict {
				must(t, os.RemoveAll(s.options.Model+store.Suffix))
			}
			w := s.do(tt.method, tt.target, tt.body, tt.fields...)
			if w.Code != tt.status {
				t.Fatalf("got %d %s, want %d", w.Code, w.Body, tt.status)
			}
			for _, text := range tt.has {
				if !strings.Contains(w.Body.String(), text) {
					t.Errorf("%s is not in %s", text, w.Body)
				}
			}
			var value any
			must(t, json.Unmarshal(w.Body.Bytes(), &value))
			path, _, _ := strings.Cut(tt.target, "?")
			operation, known := d.Paths[path][strings.ToLower(tt.method)]
			answer := d.Components.Schemas["Failure"]
			if known {
				described, ok := operation.Responses[fmt.Sprint(tt.status)]
				if !ok {
					t.Fatalf("status %d is not described; these are: %v", tt.status, slices.Sorted(maps.Keys(operation.Responses)))
				}
				answer = described.Content["application/json"].Schema
				seen[operation.OperationID+fmt.Sprint(tt.status)] = true
			}
			for _, fault := range d.check(answer, "answer", value) {
				t.Error(fault)
			}
		})
	}
	servetest.WantUnjudged(t, s.engine, "too_large", 1)
	if n := s.engine.Counters.Unlearned.All()["too_large"]; n != 1 {
		t.Errorf("%d lessons are counted as too large, want 1", n)
	}
	for _, methods := range d.Paths {
		for _, operation := range methods {
			if operation.OperationID != "openapi" && !seen[operation.OperationID+"200"] {
				t.Errorf("no case succeeds in %s", operation.OperationID)
			}
		}
	}
}

// TestTheCheckOfAnswersFindsFaults breaks answers on purpose.
func TestTheCheckOfAnswersFindsFaults(t *testing.T) {
	d := readDescription(t)
	for _, tt := range []struct{ name, value string }{
		{"a member is missing", `{}`},
		{"a member has another type", `{"error": 1}`},
		{"a member is not described", `{"error": "x", "more": 1}`},
		{"an item has another type", `{"error": "x", "fields": [{"name": "a"}]}`},
		{"no object", `[]`},
	} {
		var value any
		must(t, json.Unmarshal([]byte(tt.value), &value))
		if len(d.check(schema{Ref: "#/components/schemas/Failure"}, "", value)) == 0 {
			t.Errorf("%s: no fault", tt.name)
		}
	}
}

func TestAStoppedEngineAnswersTryAgain(t *testing.T) {
	s := newSite(t, nil)
	must(t, s.engine.Close(t.Context()))
	for _, path := range []string{"/v1/classify", "/v1/explain", "/v1/learn?class=spam", "/v1/forget", "/learnspam"} {
		w := s.do("POST", path, string(mail("spam", 1)), s.bearer()...)
		if w.Code != 503 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "stopping") {
			t.Errorf("%s: got %d %s", path, w.Code, w.Body)
		}
	}
	if w := s.do("POST", "/checkv2", string(mail("spam", 1))); w.Code != 200 || !strings.Contains(w.Body.String(), `"action":"soft reject"`) {
		t.Errorf("rspamd's client: got %d %s", w.Code, w.Body)
	}
	if got := statusOf(fmt.Errorf("open the log: %w", store.ErrLocked)); got != 503 {
		t.Errorf("while another process learns: got %d", got)
	}
}

// BenchmarkClassify judges messages that several clients send over TCP.
func BenchmarkClassify(b *testing.B) {
	s := newSite(b, nil)
	address, _ := s.listen()
	message := string(mail("spam", 1)) + strings.Repeat("some more words of an ordinary message\r\n", 70)
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		client := &http.Client{Transport: &http.Transport{}}
		defer client.CloseIdleConnections()
		for pb.Next() {
			answer, err := client.Post("http://"+address+"/v1/classify", "message/rfc822", strings.NewReader(message))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != 200 {
				b.Fatal(answer.StatusCode, err)
			}
			answer.Body.Close()
		}
	})
}
