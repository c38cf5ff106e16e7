package serve

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"

	"chaff/filter"
	"chaff/internal/lines"
	"chaff/message"
)

// Record is a verdict of the history.
type Record struct {
	// Key names the message if it was kept.
	Key  string    `json:"-"`
	Time time.Time `json:"time"`
	// ID is the Message-ID of the message, and QueueID what the mail system calls it.
	ID      string `json:"id,omitempty"`
	QueueID string `json:"queue_id,omitempty"`
	User    string `json:"user,omitempty"`
	// Verdict, Score and Probability are those of the message, unless Unjudged says why it has none.
	Verdict     filter.Verdict `json:"verdict,omitempty"`
	Score       float64        `json:"score"`
	Probability float64        `json:"probability"`
	Unjudged    string         `json:"unjudged,omitempty"`
	Size        int            `json:"size"`
	Seconds     float64        `json:"seconds"`
	// From and Subject are kept only if the options say so.
	From    string `json:"from,omitempty"`
	Subject string `json:"subject,omitempty"`
}

// newRecord returns the record of a message that was judged, or was not, without its subject and sender.
func newRecord(from Origin, raw []byte, v Verdict, began time.Time, err error) *Record {
	r := &Record{
		Time: began.UTC().Truncate(time.Millisecond), ID: short(string(HeaderField(raw, "message-id"))), QueueID: short(from.QueueID), User: userName(from.User),
		Verdict: v.Verdict, Score: v.Score, Probability: v.Probability, Size: len(raw), Seconds: time.Since(began).Seconds(),
	}
	if err != nil {
		r.Unjudged = reasonOf(err)
	}
	return r
}

// The parts of a message that become part of a record.
const (
	maxHistoryHeader = 64 << 10 // bytes of the header that are searched
	maxHistoryText   = 200      // bytes of a text that are kept
)

// HeaderField returns the value of the first field of a name, without the blanks around it. It may have line ends.
func HeaderField(raw []byte, lower string) []byte {
	raw = raw[:min(len(raw), maxHistoryHeader)]
	var room [lines.NameSize]byte
	for field, rest, ok := lines.CutField(raw); ok; field, rest, ok = lines.CutField(rest) {
		if string(lines.AppendName(room[:0], field)) == lower {
			return bytes.TrimSpace(field[bytes.IndexByte(field, ':')+1:])
		}
	}
	return nil
}

// short returns the beginning of a text, as UTF-8.
func short(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxHistoryText)], "")
}

// userName returns the name of a user for a record. One that no user may have becomes no name of another user.
func userName(name string) string {
	return strings.ToValidUTF8(name[:min(len(name), maxUserName+1)], "\uFFFD")
}

// readable returns the beginning of the value of a field, decoded as the filter decodes it.
func readable(value []byte) string {
	field := append([]byte("Subject: "), value[:min(len(value), 4*maxHistoryText)]...)
	decoded := message.NewDecoder(message.DefaultOptions()).Decode(append(field, "\n\n"...)).Get("subject")
	return short(strings.Join(strings.Fields(string(decoded)), " "))
}

// History has the last verdicts, in memory. The log has all of them.
type History struct {
	most, days int

	mu      sync.Mutex
	records []*Record // the oldest first, up to twice as many as there may be
}

// newHistory returns a history that begins with the records of the messages that are kept, the oldest first.
func newHistory(o Options, kept []Record) *History {
	h := &History{most: o.History, days: o.HistoryDays}
	for _, k := range kept[max(len(kept)-o.History, 0):] {
		if !o.HistorySubjects {
			k.From, k.Subject = "", ""
		}
		h.records = append(h.records, &k)
	}
	return h
}

func (h *History) add(r *Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.records) >= 2*h.most { // others may be reading it
		h.records = slices.Clone(h.records[len(h.records)-h.most:])
	}
	h.records = append(h.records, r)
}

// All returns the records that are neither too many nor too old, the latest first.
func (h *History) All() []*Record { return h.Last(h.most) }

// Last returns those of All that are among the last n.
func (h *History) Last(n int) (all []*Record) {
	h.mu.Lock()
	kept := h.records[max(len(h.records)-min(n, h.most), 0):]
	h.mu.Unlock()
	for _, r := range slices.Backward(kept) {
		if time.Since(r.Time) < time.Duration(h.days)*24*time.Hour {
			all = append(all, r)
		}
	}
	return all
}
