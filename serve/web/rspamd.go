package web

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"chaff/filter"
	"chaff/internal/verdictfield"
	"chaff/serve"
	"chaff/store"
)

// rspamdRoutes are the requests of rspamd that its client rspamc makes for mail and figures. Source: https://rspamd.com/doc/developers/protocol.html
// and the answers of rspamd 3.4.
func (s *server) rspamdRoutes() []route {
	learn := func(class string) http.HandlerFunc {
		return s.withToken(func(w http.ResponseWriter, r *http.Request) { s.rspamdLearn(w, r, class) })
	}
	return []route{
		{"POST /checkv2", s.rspamdCheck},
		{"GET /checkv2", s.rspamdCheck}, // of a client without a message
		{"POST /learnspam", learn(spamClass)},
		{"POST /learnham", learn(hamClass)},
		{"GET /stat", s.rspamdStat},
		{"GET /auth", s.withToken(s.rspamdAuth)},
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

var errEncoding = errors.New("send the message itself, or compressed by zstd without a dictionary")

// rspamdBody reads the message of a request.
func (s *server) rspamdBody(r *http.Request) (*serve.Message, error) {
	compression := r.Header.Get("Compression")
	if compression != "" && compression != "zstd" || r.Header.Get("File") != "" || r.Header.Get("Shm") != "" || r.Header.Get("Dictionary") != "" {
		return nil, errEncoding
	}
	m, err := s.body(r)
	if err == nil && compression != "" {
		m, err = s.decompressed(m)
	}
	return m, err
}

// maxWindow is the size in bytes of the largest memory that decompressing takes besides the message.
const maxWindow = 8 << 20

// decompressed returns a message that was compressed by zstd, and closes the compressed one. Since it is there as a whole, one at a time is
// fast enough, and no client can make others wait.
func (s *server) decompressed(m *serve.Message) (*serve.Message, error) {
	defer m.Close()
	s.decompressing.Lock()
	defer s.decompressing.Unlock()
	z, err := zstd.NewReader(bytes.NewReader(m.Bytes()), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, errBody
	}
	defer z.Close()
	return s.read(z)
}

// rspamdResult is the answer to /checkv2.
type rspamdResult struct {
	IsSkipped     bool                    `json:"is_skipped"`
	Score         float64                 `json:"score"`
	RequiredScore float64                 `json:"required_score"`
	Action        string                  `json:"action"`
	Thresholds    map[string]float64      `json:"thresholds"`
	Symbols       map[string]rspamdSymbol `json:"symbols"`
	Messages      struct{}                `json:"messages"`
	MessageID     string                  `json:"message-id,omitempty"`
	TimeReal      float64                 `json:"time_real"`
	Milter        rspamdMilter            `json:"milter"`
}

type rspamdSymbol struct {
	Name        string   `json:"name"`
	Score       float64  `json:"score"`
	MetricScore float64  `json:"metric_score"`
	Description string   `json:"description"`
	Options     []string `json:"options,omitempty"`
}

// rspamdMilter says what a mail server does with the header.
type rspamdMilter struct {
	RemoveHeaders map[string]int          `json:"remove_headers"`
	AddHeaders    map[string]rspamdHeader `json:"add_headers"`
}

type rspamdHeader struct {
	Value string `json:"value"`
	Order int    `json:"order"`
}

func (s *server) rspamdCheck(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	m, err := s.rspamdBody(r)
	if err == nil {
		defer m.Close()
		var v serve.Verdict
		if v, err = s.engine.Judge(serve.From(r.Context(), serve.Origin{Protocol: "rspamd", QueueID: r.Header.Get("Queue-Id")}), rspamdUser(r), m.Bytes()); err == nil {
			result := s.rspamdResultOf(v)
			result.MessageID, result.TimeReal = messageID(m.Bytes()), time.Since(began).Seconds()
			writeJSON(w, http.StatusOK, result)
			return
		}
	}
	switch statusOf(err) {
	case http.StatusBadRequest, http.StatusUnsupportedMediaType:
		writeFailure(w, err)
	default:
		writeJSON(w, http.StatusOK, unjudgedResult(err))
	}
}

func newRspamdResult() rspamdResult {
	return rspamdResult{Action: "no action", Thresholds: map[string]float64{}, Symbols: map[string]rspamdSymbol{},
		Milter: rspamdMilter{map[string]int{}, map[string]rspamdHeader{}}}
}

// unjudgedResult answers for a message without a verdict. Its clients take any other status for a filter that is away, and some then deliver
// the message without a word. So a message that may be judged later is refused for now, and another one passes with a field that says why.
func unjudgedResult(err error) rspamdResult {
	result := newRspamdResult()
	if statusOf(err) == http.StatusServiceUnavailable && !errors.Is(err, serve.ErrTimeout) {
		result.Action = "soft reject"
		return result
	}
	field := verdictfield.UnjudgedField(err.Error())
	result.Milter.RemoveHeaders[field.Name] = 0
	result.Milter.AddHeaders[field.Name] = rspamdHeader{Value: field.Value}
	return result
}

// rspamdResultOf translates a verdict. Spam gets the action that adds a header, never one that rejects a message or delays it.
func (s *server) rspamdResultOf(v serve.Verdict) rspamdResult {
	result := newRspamdResult()
	result.Score = v.Score
	if t := s.engine.Settings().Thresholds; t != nil {
		result.RequiredScore, result.Thresholds["add header"] = t.Spam, t.Spam
	}
	if v.Verdict == filter.Spam {
		result.Action = "add header"
	}
	name := symbolOf(string(v.Verdict))
	result.Symbols = map[string]rspamdSymbol{name: {name, v.Score, v.Score, "Verdict of chaff", []string{fmt.Sprintf("probability=%.4f", v.Probability)}}}
	for _, f := range s.engine.Fields(v) {
		result.Milter.RemoveHeaders[f.Name] = 0
		result.Milter.AddHeaders[f.Name] = rspamdHeader{Value: f.Value}
	}
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
	header := raw[:min(len(raw), maxHeader)]
	for line := range bytes.Lines(header) {
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			break
		}
		if name, value, found := strings.Cut(string(line), ":"); found && strings.EqualFold(name, "message-id") {
			return clip(strings.Trim(strings.TrimSpace(value), "<>"), 200)
		}
	}
	return ""
}

func (s *server) rspamdLearn(w http.ResponseWriter, r *http.Request, class string) {
	if !slices.Contains(s.engine.Settings().Classes, class) {
		writeError(w, http.StatusBadRequest, "the model has no class "+class)
		return
	}
	m, err := s.rspamdBody(r)
	if err != nil {
		writeFailure(w, err)
		return
	}
	defer m.Close()
	if len(m.Bytes()) == 0 {
		writeError(w, http.StatusBadRequest, "Empty body is not permitted")
		return
	}
	outcome, err := s.engine.Learn(serve.From(r.Context(), serve.Origin{Protocol: "rspamd"}), rspamdUser(r), m.Bytes(), class)
	s.forgetStates()
	switch {
	case err != nil:
		writeFailure(w, err)
	case outcome.What == store.Known:
		writeError(w, http.StatusAlreadyReported, fmt.Sprintf("<%s> has been already learned as %s, ignore it", messageID(m.Bytes()), class))
	case outcome.What == store.Sure:
		writeError(w, http.StatusAlreadyReported, fmt.Sprintf("<%s> is surely %s already, ignore it", messageID(m.Bytes()), class))
	case outcome.What == store.Refused:
		writeError(w, http.StatusUnprocessableEntity, "refused: "+outcome.Reason.String())
	default:
		writeJSON(w, http.StatusOK, map[string]bool{"success": true})
	}
}

// rspamdFigures are the answer to /stat.
type rspamdFigures struct {
	Version  string           `json:"version"`
	ConfigID string           `json:"config_id"`
	Uptime   int64            `json:"uptime"`
	ReadOnly bool             `json:"read_only"`
	Scanned  int64            `json:"scanned"`
	Learned  int64            `json:"learned"`
	Actions  map[string]int64 `json:"actions"`
	// ScanTimes are the seconds of the last judgements.
	ScanTimes   []float64        `json:"scan_times"`
	Spam        int64            `json:"spam_count"`
	Ham         int64            `json:"ham_count"`
	Connections int64            `json:"connections"`
	Control     int64            `json:"control_connections"`
	TotalLearns int64            `json:"total_learns"`
	Statfiles   []rspamdStatfile `json:"statfiles"`
}

type rspamdStatfile struct {
	Revision int64  `json:"revision"`
	Used     int64  `json:"used"`
	Total    int64  `json:"total"`
	Size     int64  `json:"size"`
	Symbol   string `json:"symbol"`
	Type     string `json:"type"`
	Users    int64  `json:"users"`
}

// maxScanTimes is how many times rspamd sends.
const maxScanTimes = 31

// rspamdStat answers with the figures since the start, and the messages that each class of the shared model has learned.
func (s *server) rspamdStat(w http.ResponseWriter, _ *http.Request) {
	status, err := s.status("", openStateTime)
	if err != nil {
		writeFailure(w, err)
		return
	}
	c := s.engine.Counters()
	verdicts, learned := c.Verdicts.All(), c.Learned.All()
	f := rspamdFigures{
		Version: version(), Uptime: int64(time.Since(status.Started).Seconds()), ScanTimes: []float64{}, Connections: c.Connections.All()["http"],
		Actions: map[string]int64{"reject": 0, "soft reject": 0, "rewrite subject": 0, "greylist": 0}, Statfiles: []rspamdStatfile{},
	}
	history := s.engine.History()
	for _, r := range history[:min(len(history), maxScanTimes)] {
		f.ScanTimes = append(f.ScanTimes, r.Seconds)
	}
	for _, n := range verdicts {
		f.Scanned += n
	}
	f.Spam = verdicts[spamClass]
	f.Ham = f.Scanned - f.Spam
	f.Actions["add header"], f.Actions["no action"] = f.Spam, f.Ham
	f.Learned = learned[string(store.Learned)] + learned[string(store.Relabelled)]
	if status.Store != nil {
		f.TotalLearns = int64(status.Store.Messages)
		for _, class := range status.Store.Classes {
			n := int64(class.Messages)
			f.Statfiles = append(f.Statfiles, rspamdStatfile{n, n, n, status.Store.LogBytes, symbolOf(class.Class), "chaff", 1})
		}
	}
	writeJSON(w, http.StatusOK, f)
}

// rspamdAuth answers rspamc uptime.
func (s *server) rspamdAuth(w http.ResponseWriter, _ *http.Request) {
	up := time.Since(s.engine.Started())
	writeJSON(w, http.StatusOK, map[string]any{"version": version(), "auth": "ok", "uptime": int64(up.Seconds()), "read_only": false})
}

// version returns the version of the program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
