package serve

import (
	"context"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Origin says where a message came from, and whose it is.
type Origin struct {
	Protocol string
	QueueID  string // what the mail system calls the message
	User     string // "" for nobody
	Cut      error  // why it has only its beginning, as that of a [Message]: then it is neither judged nor learned
}

// eventsASecond is how many events of a kind are logged in a second at most: whoever sends mail must not fill the disk, nor hide wrong tokens.
const eventsASecond = 1000

// limit bounds the lines of a kind that are logged in a second.
type limit struct {
	mu     sync.Mutex
	second int64
	seen   map[string]int // in that second, by kind
	left   int            // out of the log in that second
}

// pass reports whether one more line of a kind may be logged, and how many could not in the second before.
func (l *limit) pass(kind string, most int) (may bool, left int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now().Unix(); now != l.second {
		l.second, l.seen, left, l.left = now, map[string]int{}, l.left, 0
	}
	l.seen[kind]++
	if may = l.seen[kind] <= most; !may {
		l.left++
	}
	return may, left
}

// events log what happened to each message.
type events struct {
	log *slog.Logger // nil if nobody wants to know
	limit
}

// add logs an event, unless there were too many of its name in this second.
func (e *events) add(name string, attributes ...slog.Attr) {
	if e.log == nil {
		return
	}
	may, left := e.pass(name, eventsASecond)
	if left > 0 {
		e.log.Warn("left out", "events", left)
	}
	if may {
		e.log.LogAttrs(context.Background(), slog.LevelInfo, name, attributes...)
	}
}

// Line returns an event as a line: its name and its attributes. No value looks like another attribute.
func Line(r slog.Record) string {
	var line strings.Builder
	line.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		value := a.Value.String()
		if value == "" || strings.ContainsAny(value, " =\"\\") {
			value = strconv.Quote(value)
		}
		line.WriteString(" " + a.Key + "=" + value)
		return true
	})
	return line.String()
}

// some returns those of some texts that are not empty, as attributes: name, text, name, text.
func some(named ...string) (attributes []slog.Attr) {
	for i := 0; i < len(named); i += 2 {
		if named[i+1] != "" {
			attributes = append(attributes, slog.String(named[i], named[i+1]))
		}
	}
	return attributes
}

// judged logs a verdict, or why there is none.
func (e *events) judged(protocol string, r *Record) {
	all := some("protocol", protocol, "queue", r.QueueID, "id", r.ID, "user", r.User)
	if r.Unjudged != "" {
		all = append(all, slog.String("unjudged", r.Unjudged))
	} else {
		all = append(all, slog.String("verdict", string(r.Verdict)), slog.Float64("score", math.Round(100*r.Score)/100))
	}
	all = append(all, slog.Int("size", r.Size), slog.Int64("ms", int64(1000*r.Seconds)))
	e.add("judged", append(all, some("from", r.From, "subject", r.Subject)...)...)
}

// learned logs what became of a message that was to be learned, or forgotten if it has no label.
func (e *events) learned(from Origin, label, became string, why error) {
	name := "learn"
	if label == "" {
		name = "forget"
	}
	all := some("protocol", from.Protocol, "user", userName(from.User), "class", label, "result", became)
	if why != nil {
		all = append(all, slog.String("refused", reasonOf(why)))
	}
	e.add(name, all...)
}

// WrongToken logs that a client has sent a wrong token.
func (e *Engine) WrongToken(protocol, client string) {
	e.events.add("wrong token", some("protocol", protocol, "client", client)...)
}
