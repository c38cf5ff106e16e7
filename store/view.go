package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/screen"
	"chaff/metrics"
)

// View is a log as a reader sees it: the state before or after any message that a writer learns at the same time.
type View struct {
	*book
	ledger *ledger        // without documents
	Filter *filter.Filter // the model as it was written last
}

// Close closes the files. The view and its filter cannot be used afterwards.
func (v *View) Close() error { return errors.Join(v.Filter.Close(), v.file.Close()) }

// Look reads the log of the model at path. It locks nothing and waits for nobody. The error wraps [ErrNone], or is about a file.
func Look(path string) (*View, error) {
	b, l, err := readAll(path)
	if err != nil {
		return nil, err
	}
	f, err := filter.Open(path) // whose error names the model
	if err != nil {
		b.file.Close()
		return nil, err
	}
	return &View{b, l, f}, nil
}

// Verify reads all of the log: [Look] reads no message in it. The error names the log.
func (v *View) Verify() (err error) {
	defer about(&err, "read "+v.file.Name())
	return v.each(v.log.Verify)
}

// Classes returns the names of the classes.
func (v *View) Classes() []string { return v.names.Classes }

// Waiting returns how many records wait for their place in the stream of hosts.
func (v *View) Waiting() int { return len(v.ledger.offsets(Entry.waits)) }

// Entries returns the messages of the log, in the order in which they were first learned.
func (v *View) Entries() []Entry { return v.ledger.entries[:v.ledger.learned] }

// Sample is some messages of a log, by class.
type Sample [][]features.Document

// Sample returns up to so many messages of each class, spread evenly over the log.
func (v *View) Sample(each int) (Sample, error) {
	byClass := make([][]Entry, len(v.Classes()))
	for _, e := range v.Entries() {
		byClass[e.Label] = append(byClass[e.Label], e)
	}
	s := make(Sample, len(byClass))
	for c, all := range byClass {
		for n := range min(each, len(all)) {
			document, _, err := v.document(all[n*len(all)/min(each, len(all))])
			if err != nil {
				return nil, err
			}
			s[c] = append(s[c], document)
		}
	}
	return s, nil
}

// Len returns how many messages the smallest class has.
func (s Sample) Len() int {
	return len(slices.MinFunc(s, func(x, y []features.Document) int { return cmp.Compare(len(x), len(y)) }))
}

// Mean returns the mean score that a filter gives the messages, some of each class, of which each has the same weight. The filter reads mail like the model
// of the log, see [filter.Filter.CanJoin].
func (s Sample) Mean(f *filter.Filter) (mean float64) {
	for _, documents := range s {
		var sum float64
		for _, d := range documents {
			sum += f.ClassifyDocument(d).Score
		}
		mean += sum / float64(len(documents)*len(s))
	}
	return mean
}

// unlike returns a warning if the messages of the tail are unlike those that the model has learned, or "".
func (v *View) unlike() string {
	u, err := v.Filter.NewUnlike()
	if err != nil {
		return ""
	}
	for _, e := range v.Entries() {
		if e.at > v.checkpoint.At {
			document, _, err := v.document(e)
			if err != nil {
				return ""
			}
			u.Add(v.Filter.ClassifyDocument(document))
		}
	}
	return u.String()
}

// ClassStatus is what a log has of one class.
type ClassStatus struct {
	Class    string `json:"class"`
	Messages int    `json:"messages"`
	// Today and Month count the messages learned in the last 24 hours and 30 days, without those of a training or an import.
	Today int `json:"learned_today"`
	Month int `json:"learned_in_30_days"`
	// Last is when the last message of the class was learned, by training or later; nil for none.
	Last *time.Time `json:"last_learned,omitempty"`
}

// Window has the figures of the messages that were learned last, each as the filter judged it before it learned it.
type Window struct {
	// Last is the number of messages asked for, 0 for all, and Messages the number there is.
	Last     int              `json:"last"`
	Messages int              `json:"messages"`
	Figures  *metrics.Figures `json:"figures,omitempty"`
}

// Name says which messages these are.
func (w Window) Name() string {
	if w.Last == 0 {
		return "all " + screen.Grouped(w.Messages)
	}
	return "last " + screen.Grouped(w.Messages)
}

// Telling returns the windows of different messages, none if these are too few to tell how good the filter is.
func (s Status) Telling() (all []Window) {
	for i, w := range s.Windows {
		if w.Messages >= metrics.FewToTell && (w.Last == 0 || w.Messages < s.Windows[i+1].Messages) {
			all = append(all, w)
		}
	}
	return all
}

// Status is the state of a log.
type Status struct {
	Model    string        `json:"model"`
	Messages int           `json:"messages"`
	Classes  []ClassStatus `json:"classes"`
	// Ways counts the messages by how they were learned.
	Ways map[string]int `json:"ways"`
	// Records is how many records there are since the model was written, TailBytes their size, and LogBytes that of the log.
	Records   int   `json:"tail_records"`
	TailBytes int64 `json:"tail_bytes"`
	LogBytes  int64 `json:"log_bytes"`
	// Digest is the same for all logs that say the same of the same messages, in any order.
	Digest string `json:"digest"`
	// Fitted is when the model was last fitted, FitSeconds the CPU time that took, and Changed how many messages were learned or
	// forgotten since. Fitted is nil for a model that was never fitted.
	Fitted     *time.Time `json:"fitted,omitempty"`
	FitSeconds float64    `json:"fit_cpu_seconds,omitempty"`
	Changed    int        `json:"changed_since_fit"`
	// Expired is how many messages left because they were the oldest, and Forgotten how many it knows as forgotten.
	Expired   int `json:"expired,omitempty"`
	Forgotten int `json:"forgotten,omitempty"`
	// Doubtful is how many labels of learned messages may be wrong, see [Entry.Doubt], and Confirmed how many a person has confirmed.
	Doubtful  int `json:"doubtful"`
	Confirmed int `json:"confirmed,omitempty"`
	// Windows are the figures of the last 100, the last 1,000 and all messages.
	Windows []Window `json:"judged_before_learning"`
	// ByHand is how many of these messages were learned by hand: mostly those that the filter got wrong.
	ByHand int `json:"judged_and_learned_by_hand"`
	// Judged are the messages behind the windows, in the order in which they were learned.
	Judged     []Entry             `json:"-"`
	Thresholds *metrics.Thresholds `json:"thresholds,omitempty"`
	// Problems are the reasons why the filter does not learn, or learns badly.
	Problems []string `json:"problems,omitempty"`
}

// Status returns the state of the log at a time.
func (v *View) Status(now time.Time) Status {
	l, settings := v.ledger, v.Filter.Settings()
	s := Status{
		Records: len(v.tail), TailBytes: v.end - v.checkpoint.End, LogBytes: v.end,
		Model: settings.Model, Messages: l.learned, Ways: map[string]int{}, Changed: l.facts.Changed, Expired: l.facts.Expired,
		Forgotten: len(l.entries) - l.learned, FitSeconds: l.facts.FitSeconds, Thresholds: settings.Thresholds, Digest: l.digest(),
	}
	if l.facts.Fitted != 0 {
		fitted := time.Unix(l.facts.Fitted, 0).UTC()
		s.Fitted = &fitted
	}
	for _, name := range l.Classes {
		s.Classes = append(s.Classes, ClassStatus{Class: name})
	}
	for _, e := range l.entries {
		c := &s.Classes[e.Label]
		if e.isJudged() {
			s.Judged = append(s.Judged, e)
			s.ByHand += int(flag(e.Way == ByHand))
		}
		if e.what != learn {
			continue
		}
		s.Ways[e.Way.String()]++
		s.Doubtful += int(flag(e.Doubt > 0))
		s.Confirmed += int(flag(e.Confirmed))
		c.Messages++
		if c.Last == nil || !e.Learned.Before(*c.Last) {
			c.Last = &e.Learned
		}
		if age := now.Sub(e.Learned); e.Way != ByTraining && e.Way != ByImport {
			c.Today += int(flag(age < 24*time.Hour))
			c.Month += int(flag(age < 30*24*time.Hour))
		}
	}
	slices.SortStableFunc(s.Judged, func(a, b Entry) int { return a.Learned.Compare(b.Learned) })
	for _, last := range []int{100, 1000, 0} {
		s.Windows = append(s.Windows, windowOf(s.Judged, last, l.Classes))
	}
	s.Problems = s.problems(now)
	if warning := v.unlike(); warning != "" {
		s.Problems = append(s.Problems, "the last "+warning)
	}
	return s
}

// digest returns [Status.Digest].
func (l *ledger) digest() string {
	var sum uint64
	for _, e := range l.entries {
		e.Doubt = 0 // a matter of the model
		sum += xxhash.Sum64(appendEntry([]byte{byte(e.what)}, e))
	}
	return fmt.Sprintf("%016x", sum)
}

// windowOf returns the figures of the last messages; 0 is all.
func windowOf(judged []Entry, last int, classes []string) Window {
	w := Window{Last: last, Messages: len(judged)}
	if last > 0 && last < len(judged) {
		judged = judged[len(judged)-last:]
		w.Messages = last
	}
	if len(judged) == 0 {
		return w
	}
	labels, predictions := make([]int32, len(judged)), make([]int32, len(judged))
	margins, spam := make([]float64, len(judged)), make([]bool, len(judged))
	for i, j := range judged {
		labels[i], predictions[i] = int32(j.Label), int32(j.Class)
		margins[i], spam[i] = j.Score, j.Label == filter.SpamClass
	}
	figures := metrics.Measure(labels, predictions, len(classes))
	if filter.IsSpamFilter(classes) {
		figures.MeasureSpam(metrics.NewMargins(margins, spam))
	}
	w.Figures = &figures
	return w
}

// problems returns the reasons why the filter does not learn, or learns badly.
func (s *Status) problems(now time.Time) []string {
	const silentDays = 30 // without a message of a class are reported
	var all []string
	for _, c := range s.Classes {
		switch {
		case c.Messages == 0 && s.Expired > 0:
			all = append(all, fmt.Sprintf("it has no %s: store.max_messages or store.max_age left no room for any", c.Class))
		case c.Messages == 0:
			all = append(all, fmt.Sprintf("it has no %s: learn some", c.Class))
		case now.Sub(*c.Last) > silentDays*24*time.Hour:
			all = append(all, fmt.Sprintf("it has learned no %s for %d days", c.Class, int(now.Sub(*c.Last).Hours()/24)))
		}
	}
	if s.Thresholds != nil && s.Fitted == nil && s.Messages > 0 {
		all = append(all, fmt.Sprintf("it calls every message unsure until it is fitted, by itself from %d messages of each class on", minAhead))
	}
	return all
}
