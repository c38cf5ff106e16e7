package serve

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chaff/store"
)

// Counters count what the engine does. They only grow.
type Counters struct {
	Verdicts    Family       // messages by verdict
	Unjudged    Family       // messages without one, by reason
	Learned     Family       // messages learned and forgotten, by what happened to them
	Unlearned   Family       // messages that could not be, by reason
	Connections Family       // by protocol
	Connected   Family       // clients that are now, by protocol
	Refused     Family       // connections, by protocol
	Reloads     Family       // of models: done or failed
	Unlike      atomic.Int64 // messages unlike those that the model learned
	Bytes       atomic.Int64
	Faults      atomic.Int64
	Nanoseconds atomic.Int64 // from the end of a message to its verdict
}

// Family is a counter for each value of a label. Only the program chooses these values, so they are few.
type Family struct {
	mu       sync.Mutex
	counters map[string]int64
}

// Add adds n to the counter of a value.
func (f *Family) Add(value string, n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counters == nil {
		f.counters = map[string]int64{}
	}
	f.counters[value] += n
}

// All returns the counters by value.
func (f *Family) All() map[string]int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := map[string]int64{}
	maps.Copy(all, f.counters)
	return all
}

// metric is a counter or a gauge, with a value for each value of its label, or one without a label. The values of a sum of seconds are nanoseconds.
type metric struct {
	name, label, help string
	values            map[string]int64
}

func number(n int64) map[string]int64 { return map[string]int64{"": n} }

func (e *Engine) metrics() []metric {
	c := e.Counters
	all := []metric{
		{"verdicts_total", "verdict", "Messages by verdict.", c.Verdicts.All()},
		{"unjudged_total", "reason", "Messages without a verdict, by reason.", c.Unjudged.All()},
		{"learned_total", "result", "Messages learned and forgotten, by what happened to them.", c.Learned.All()},
		{"unlearned_total", "reason", "Messages that could not be learned or forgotten, by reason.", c.Unlearned.All()},
		{"connections_total", "protocol", "Connections accepted.", c.Connections.All()},
		{"connections_refused_total", "protocol", "Connections refused, because there were too many.", c.Refused.All()},
		{"reloads_total", "result", "Models read again.", c.Reloads.All()},
		{"unlike_total", "", "Messages unlike those that the model learned.", number(c.Unlike.Load())},
		{"verdict_seconds_total", "", "Time from the ends of messages to their verdicts.", number(c.Nanoseconds.Load())},
		{"bytes_total", "", "Bytes of messages judged.", number(c.Bytes.Load())},
		{"faults_total", "", "Faults of the program.", number(c.Faults.Load())},
		{"connections", "protocol", "Clients connected.", e.Counters.Connected.All()},
		{"in_flight", "", "Messages being judged or waiting for that.", number(e.inFlight.Load())},
		{"transit_bytes", "", "Bytes of messages in transit.", number(e.transit.Load())},
		{"model_opened_seconds", "", "When the model in memory was read.", number(e.shared.current().opened.Unix())},
	}
	sharing, is, err := store.ReadSharing(e.options.Model)
	if err != nil || !is { // chaff status says why
		return all
	}
	refused, fitted := map[string]int64{}, int64(0)
	for why, n := range sharing.Refused {
		refused[why] = int64(n)
	}
	if sharing.Fitted != nil {
		fitted = sharing.Fitted.Unix()
	}
	return append(all, []metric{
		{"share_published_total", "", "Records that this host has published to others.", number(int64(sharing.Published))},
		{"share_applied_total", "", "Records of other hosts that were learned.", number(int64(sharing.Applied))},
		{"share_refused_total", "reason", "Records of other hosts that were refused.", refused},
		{"share_waiting", "", "Records that wait to be published.", number(int64(sharing.Waiting))},
		{"share_lag_seconds", "", "Time from the place of the last record in the stream to its lesson here.", number(int64(sharing.Lag))},
		{"share_position", "", "Place of the last record in the stream that was learned.", number(int64(sharing.Position))},
		{"share_fitted_seconds", "", "When the host that fits was seen last with a new fit.", number(fitted)},
		{"share_written_seconds", "", "When chaff share was seen last.", number(sharing.Written.Unix())},
	}...)
}

// Metrics returns all counters in the text format of Prometheus.
func (e *Engine) Metrics() []byte {
	var b bytes.Buffer
	for _, m := range e.metrics() {
		kind := "counter"
		if !strings.HasSuffix(m.name, "_total") {
			kind = "gauge"
		}
		fmt.Fprintf(&b, "# HELP chaff_%s %s\n# TYPE chaff_%s %s\n", m.name, m.help, m.name, kind)
		for _, value := range slices.Sorted(maps.Keys(m.values)) {
			label := ""
			if m.label != "" {
				label = fmt.Sprintf("{%s=%q}", m.label, value)
			}
			text := strconv.FormatInt(m.values[value], 10)
			if strings.HasSuffix(m.name, "_seconds_total") {
				text = strconv.FormatFloat(time.Duration(m.values[value]).Seconds(), 'f', -1, 64)
			}
			fmt.Fprintf(&b, "chaff_%s%s %s\n", m.name, label, text)
		}
	}
	return b.Bytes()
}
