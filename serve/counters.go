package serve

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Counters count what the engine does. They only grow.
type Counters struct {
	Verdicts    Family       // messages by verdict
	Unjudged    Family       // messages without one, by reason
	Learned     Family       // messages learned and forgotten, by what happened to them
	Unlearned   Family       // messages that could not be, by reason
	Connections Family       // by protocol
	Refused     Family       // connections, by protocol
	Reloads     Family       // of models: done or failed
	Unlike      atomic.Int64 // messages unlike those that the model learned
	Bytes       atomic.Int64
	Faults      atomic.Int64
	Seconds     Histogram
}

func newCounters() *Counters { return &Counters{} }

// Family is a counter for each value of a label. Only the program chooses these values, so they are few.
type Family struct{ counters sync.Map }

// Add adds n to the counter of a value, and returns it.
func (f *Family) Add(value string, n int64) int64 {
	c, ok := f.counters.Load(value)
	if !ok {
		c, _ = f.counters.LoadOrStore(value, new(atomic.Int64))
	}
	return c.(*atomic.Int64).Add(n)
}

// All returns the counters by value.
func (f *Family) All() map[string]int64 {
	all := map[string]int64{}
	for value, c := range f.counters.Range {
		all[value.(string)] = c.(*atomic.Int64).Load()
	}
	return all
}

// bounds are the upper bounds in seconds of the classes of a histogram; the last class has none.
var bounds = [...]float64{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10}

// Histogram counts durations by class.
type Histogram struct {
	classes [len(bounds) + 1]atomic.Int64
	sum     atomic.Int64 // in nanoseconds
}

func (h *Histogram) observe(d time.Duration) {
	i := 0
	for i < len(bounds) && d.Seconds() > bounds[i] {
		i++
	}
	h.classes[i].Add(1)
	h.sum.Add(int64(d))
}

// WriteMetrics writes all counters in the text format of Prometheus.
func (e *Engine) WriteMetrics(w io.Writer) error {
	c := e.counters
	var b strings.Builder
	head := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP chaff_%s %s\n# TYPE chaff_%s %s\n", name, help, name, kind)
	}
	family := func(name, label, help string, f *Family) {
		kind := "counter"
		if !strings.HasSuffix(name, "_total") {
			kind = "gauge"
		}
		head(name, kind, help)
		all := f.All()
		for _, value := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(&b, "chaff_%s{%s=\"%s\"} %d\n", name, label, labelValue(value), all[value])
		}
	}
	number := func(name, kind, help string, value int64) {
		head(name, kind, help)
		fmt.Fprintf(&b, "chaff_%s %d\n", name, value)
	}
	family("verdicts_total", "verdict", "Messages by verdict.", &c.Verdicts)
	family("unjudged_total", "reason", "Messages without a verdict, by reason.", &c.Unjudged)
	family("learned_total", "result", "Messages learned and forgotten, by what happened to them.", &c.Learned)
	family("unlearned_total", "reason", "Messages that could not be learned or forgotten, by reason.", &c.Unlearned)
	family("connections_total", "protocol", "Connections accepted.", &c.Connections)
	family("connections_refused_total", "protocol", "Connections refused, because there were too many.", &c.Refused)
	family("reloads_total", "result", "Models read again.", &c.Reloads)
	number("unlike_total", "counter", "Messages unlike those that the model learned.", c.Unlike.Load())
	number("bytes_total", "counter", "Bytes of messages judged.", c.Bytes.Load())
	number("faults_total", "counter", "Faults of the program.", c.Faults.Load())
	family("connections", "protocol", "Clients connected.", &e.connected)
	number("in_flight", "gauge", "Messages being judged or waiting for that.", e.inFlight.Load())
	number("transit_bytes", "gauge", "Bytes of messages in transit.", e.transit.Load())
	number("users_in_memory", "gauge", "Models of users in memory.", int64(e.users.count()))
	number("model_opened_seconds", "gauge", "When the model in memory was read.", e.shared.current().opened.Unix())
	head("verdict_seconds", "histogram", "Time from the end of a message to its verdict.")
	n := int64(0)
	for i := range c.Seconds.classes {
		n += c.Seconds.classes[i].Load()
		bound := "+Inf"
		if i < len(bounds) {
			bound = fmt.Sprint(bounds[i])
		}
		fmt.Fprintf(&b, "chaff_verdict_seconds_bucket{le=\"%s\"} %d\n", bound, n)
	}
	fmt.Fprintf(&b, "chaff_verdict_seconds_sum %g\nchaff_verdict_seconds_count %d\n", time.Duration(c.Seconds.sum.Load()).Seconds(), n)
	_, err := io.WriteString(w, b.String())
	return err
}

// labelValue escapes the value of a label.
func labelValue(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value)
}
