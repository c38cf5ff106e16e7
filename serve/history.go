package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chaff/filter"
	"chaff/message"
)

// historySuffix is what the name of the history has after that of the model.
const historySuffix = ".history"

// Record is a verdict of the history.
type Record struct {
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

	number int64 // of all records, from 1
}

// newRecord returns the record of a message that was judged, or was not.
func newRecord(j *judgement, began time.Time, err error, subjects bool) *Record {
	r := &Record{Time: began.UTC().Truncate(time.Millisecond), User: short(j.user), Size: len(j.raw), Seconds: time.Since(began).Seconds()}
	if err != nil {
		r.Unjudged = reasonOf(err)
	} else {
		r.Verdict, r.Score, r.Probability = j.verdict.Verdict, j.verdict.Score, j.verdict.Probability
	}
	r.QueueID = short(originOf(j.ctx).QueueID)
	for name, value := range fields(j.raw) {
		switch {
		case r.ID == "" && equalFold(name, "message-id"):
			r.ID = short(string(value))
		case subjects && r.Subject == "" && equalFold(name, "subject"):
			r.Subject = readable(value)
		case subjects && r.From == "" && equalFold(name, "from"):
			r.From = readable(value)
		}
	}
	return r
}

// The parts of a message that become part of a record.
const (
	maxHistoryHeader = 64 << 10 // bytes of the header that are searched
	maxHistoryText   = 200      // bytes of a text that are kept
)

// fields yields the fields of the header of a message, the lines of folded ones joined.
func fields(raw []byte) func(yield func(name, value []byte) bool) {
	return func(yield func(name, value []byte) bool) {
		rest := raw[:min(len(raw), maxHistoryHeader)]
		for len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r' {
			end := 0
			for {
				n := bytes.IndexByte(rest[end:], '\n')
				if n < 0 {
					end = len(rest)
					break
				}
				end += n + 1
				if end == len(rest) || rest[end] != ' ' && rest[end] != '\t' {
					break
				}
			}
			name, value, found := bytes.Cut(rest[:end], []byte(":"))
			if found && !yield(bytes.TrimRight(name, " \t"), bytes.TrimSpace(value)) {
				return
			}
			rest = rest[end:]
		}
	}
}

func equalFold(name []byte, lower string) bool {
	return len(name) == len(lower) && strings.EqualFold(string(name), lower)
}

// short returns the beginning of a text, as UTF-8.
func short(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxHistoryText)], "")
}

// readable returns the beginning of the value of a field, decoded as the filter decodes it.
func readable(value []byte) string {
	field := append([]byte("Subject: "), value[:min(len(value), 4*maxHistoryText)]...)
	decoded := message.NewDecoder(message.DefaultOptions()).Decode(append(field, "\n\n"...)).Get("subject")
	return short(strings.Join(strings.Fields(string(decoded)), " "))
}

// history has the last verdicts, in memory and in a file.
type history struct {
	folder *folder
	name   string // of the file
	days   int
	ring   []atomic.Pointer[Record]
	next   atomic.Int64 // the number of the next record, minus 1

	mu      sync.Mutex // of the fields below
	written int64      // the number of the last record in the file
	lines   int        // of the file
	cut     time.Time  // when the file was last cut to the ring
	trouble error
}

// historyStart is how a history begins, unless it is empty.
const historyStart = `{"time":"`

var errNoHistory = errors.New("the file that is there is no history of chaff")

// openHistory returns the history in the file of a model, which it makes if there is none.
func openHistory(dir *folder, o Options) (*history, error) {
	h := &history{folder: dir, name: filepath.Base(o.Model) + historySuffix, days: o.HistoryDays, ring: make([]atomic.Pointer[Record], o.History)}
	if o.History == 0 {
		return h, nil
	}
	file, err := dir.openOwn(h.name, os.O_RDWR)
	if err == nil {
		err = h.read(file)
		file.Close()
	}
	if err != nil {
		h.trouble = fmt.Errorf("history: %w", err)
	}
	if errors.Is(err, errNotOurs) || errors.Is(err, errNoHistory) {
		return nil, h.trouble
	}
	return h, nil // in memory, where the file cannot be written
}

// read reads the file. What was being written at a crash has no line end, and the first flush drops it.
func (h *history) read(file *os.File) error {
	lines := bufio.NewReader(file)
	if head, _ := lines.Peek(len(historyStart)); len(head) > 0 && !strings.HasPrefix(historyStart, string(head)) {
		return errNoHistory
	}
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			h.lines++
		}
		if err == io.EOF {
			h.written = h.next.Load()
			return nil
		}
		if err != nil {
			return err
		}
		var r Record
		if json.Unmarshal(line, &r) == nil {
			h.add(&r)
		}
	}
}

// add adds a record.
func (h *history) add(r *Record) {
	if len(h.ring) == 0 {
		return
	}
	r.number = h.next.Add(1)
	h.ring[r.number%int64(len(h.ring))].Store(r)
}

// since returns the records after one with a number, the oldest first, up to the last whose predecessors are all there.
func (h *history) since(number int64) []*Record {
	last := h.next.Load()
	var all []*Record
	for n := max(number, last-int64(len(h.ring))) + 1; n <= last; n++ {
		r := h.ring[n%int64(len(h.ring))].Load()
		if r == nil || r.number < n { // somebody is about to add it
			break
		}
		if r.number == n {
			all = append(all, r)
		}
	}
	return all
}

// all returns the records, the latest first.
func (h *history) all(now time.Time) []Record {
	var all []Record
	if len(h.ring) == 0 {
		return nil
	}
	kept := h.since(0)
	for i := len(kept) - 1; i >= 0; i-- {
		if h.isRecent(kept[i], now) {
			all = append(all, *kept[i])
		}
	}
	return all
}

func (h *history) isRecent(r *Record, now time.Time) bool {
	return now.Sub(r.Time) < time.Duration(h.days)*24*time.Hour
}

// cutEvery is how often old records leave the file at the latest.
const cutEvery = time.Hour

// flush appends new records to the file. A file of more than twice the records that are kept is written again, and each hour one that may have
// old ones. Result isNew says whether the last attempt had another error.
func (h *history) flush(now time.Time) (err error, isNew bool) {
	if len(h.ring) == 0 {
		return nil, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.trouble
	defer func() {
		if err != nil {
			err = fmt.Errorf("history: %w", err)
		}
		h.trouble, isNew = err, err != nil && (before == nil || before.Error() != err.Error())
	}()
	fresh := h.since(h.written)
	if len(fresh) > 0 {
		if err := h.append(fresh); err != nil {
			return err, false
		}
		h.written = fresh[len(fresh)-1].number
		h.lines += len(fresh)
	}
	if h.lines > 2*len(h.ring) || h.lines > 0 && now.Sub(h.cut) > cutEvery {
		return h.rewrite(now), false
	}
	return nil, false
}

func (h *history) append(records []*Record) error {
	data, err := linesOf(records)
	if err != nil {
		return err
	}
	file, err := h.folder.openOwn(h.name, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

// rewrite writes the file with the records that are kept.
func (h *history) rewrite(now time.Time) error {
	var kept []*Record
	for _, r := range h.since(0) {
		if r.number <= h.written && h.isRecent(r, now) {
			kept = append(kept, r)
		}
	}
	data, err := linesOf(kept)
	if err != nil {
		return err
	}
	if err := h.folder.replace(h.name, data); err != nil {
		return err
	}
	h.lines, h.cut = len(kept), now
	return nil
}

func linesOf(records []*Record) ([]byte, error) {
	var data bytes.Buffer
	lines := json.NewEncoder(&data)
	for _, r := range records {
		if err := lines.Encode(r); err != nil {
			return nil, err
		}
	}
	return data.Bytes(), nil
}

// close writes what is not in the file.
func (h *history) close(now time.Time) error {
	err, _ := h.flush(now)
	return err
}
