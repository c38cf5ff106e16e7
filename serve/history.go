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
	"slices"
	"strings"
	"sync"
	"time"

	"chaff/filter"
	"chaff/internal/lines"
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
}

// newRecord returns the record of a message that was judged, or was not.
func newRecord(j *judgement, began time.Time, err error, subjects bool) *Record {
	r := &Record{Time: began.UTC().Truncate(time.Millisecond), User: userName(j.user), Size: len(j.raw), Seconds: time.Since(began).Seconds()}
	if err != nil {
		r.Unjudged = reasonOf(err)
	} else {
		r.Verdict, r.Score, r.Probability = j.verdict.Verdict, j.verdict.Score, j.verdict.Probability
	}
	r.QueueID = short(originOf(j.ctx).QueueID)
	r.ID = short(string(HeaderField(j.raw, "message-id")))
	if subjects {
		r.Subject, r.From = readable(HeaderField(j.raw, "subject")), readable(HeaderField(j.raw, "from"))
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
	rest := raw[:min(len(raw), maxHistoryHeader)]
	for {
		field, after, ok := lines.CutField(rest)
		if !ok {
			return nil
		}
		if name := lines.NameOf(field); string(name.Text()) == lower {
			return bytes.TrimSpace(field[bytes.IndexByte(field, ':')+1:])
		}
		rest = after
	}
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

// History has the last verdicts, in memory and in a file.
type History struct {
	folder  *folder
	name    string // of the file
	most    int    // records that are kept
	days    int
	trouble trouble // with the file

	mu    sync.Mutex // of the two fields below
	ring  []*Record  // the oldest first, up to twice as many as are kept
	fresh int        // how many of the last ones are not in the file

	file  sync.Mutex // held while the file is written
	lines int        // of the file
	cut   time.Time  // when the file was last cut to what is kept
}

// historyStart is how a history begins, unless it is empty.
const historyStart = `{"time":"`

var errNoHistory = errors.New("the file that is there is no history of chaff")

// openHistory returns the history in the file of a model, which it makes if there is none.
func openHistory(dir *folder, o Options) (*History, error) {
	h := &History{folder: dir, name: filepath.Base(o.Model) + historySuffix, most: o.History, days: o.HistoryDays}
	if o.History == 0 {
		return h, nil
	}
	file, err := dir.openOwn(h.name, os.O_RDWR)
	if err == nil {
		err = h.read(file)
		file.Close()
	}
	if err != nil {
		err = fmt.Errorf("history: %w", err)
	}
	if errors.Is(err, errNotOurs) || errors.Is(err, errNoHistory) {
		return nil, err
	}
	h.trouble.isNew(err)
	return h, nil // in memory, where the file cannot be written
}

// read reads the file. What was being written at a crash has no line end, and the first flush drops it.
func (h *History) read(file *os.File) error {
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
			h.fresh = 0
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

func (h *History) add(r *Record) {
	if h.most == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.ring) == 2*h.most { // others may be reading it
		h.ring = slices.Clone(h.ring[h.most:])
	}
	h.ring = append(h.ring, r)
	h.fresh = min(h.fresh+1, h.most)
}

// kept returns the records that are not too many. The caller locks.
func (h *History) kept() []*Record { return h.ring[max(len(h.ring)-h.most, 0):] }

// recent returns those of some records that are not too old.
func (h *History) recent(records []*Record, now time.Time) (all []*Record) {
	for _, r := range records {
		if now.Sub(r.Time) < time.Duration(h.days)*24*time.Hour {
			all = append(all, r)
		}
	}
	return all
}

// All returns the records, the latest first.
func (h *History) All() []*Record {
	h.mu.Lock()
	kept := h.kept()
	h.mu.Unlock()
	all := h.recent(kept, time.Now())
	slices.Reverse(all)
	return all
}

// cutEvery is how often old records leave the file at the latest.
const cutEvery = time.Hour

// flush appends new records to the file. A file of more than twice the records that are kept is written again, and each hour one that may have
// old ones.
func (h *History) flush(now time.Time) error {
	h.file.Lock()
	defer h.file.Unlock()
	h.mu.Lock()
	kept := h.kept()
	fresh := kept[len(kept)-h.fresh:]
	h.fresh = 0
	h.mu.Unlock()
	if len(fresh) > 0 {
		if err := h.append(linesOf(fresh)); err != nil {
			h.mu.Lock()
			h.fresh = min(h.fresh+len(fresh), h.most)
			h.mu.Unlock()
			return fmt.Errorf("history: %w", err)
		}
		h.lines += len(fresh)
	}
	if h.lines > 2*h.most || h.lines > 0 && now.Sub(h.cut) > cutEvery {
		kept = h.recent(kept, now)
		if err := h.folder.replace(h.name, linesOf(kept)); err != nil {
			return fmt.Errorf("history: %w", err)
		}
		h.lines, h.cut = len(kept), now
	}
	return nil
}

func (h *History) append(data []byte) error {
	file, err := h.folder.openOwn(h.name, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

func linesOf(records []*Record) []byte {
	var data bytes.Buffer
	lines := json.NewEncoder(&data)
	for _, r := range records {
		_ = lines.Encode(r) // one whose score is no number is left out
	}
	return data.Bytes()
}
