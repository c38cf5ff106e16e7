package store

import (
	"fmt"
	"math"
	"slices"
	"time"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/message"
	"chaff/metrics"
	"chaff/train"
)

// Message is a message to learn.
type Message struct {
	Raw   []byte // of a report of SpamAssassin, the original is learned; see [message.Original]
	Label string
	Way   Way
	// Time is when the message was delivered, if its file says so; zero to ask the message.
	Time time.Time
	// Origin is the short name of who teaches it, at most [MaxOrigin] bytes; empty for the owner of the log.
	Origin string
}

// What happened to a message.
type What string

// The results of learning and forgetting.
const (
	Learned    What = "learned"
	Relabelled What = "relabelled" // it was known with another label
	Known      What = "known"      // with the same label
	Forgotten  What = "forgotten"
	Refused    What = "refused"
)

// Reason is why a message was not learned or forgotten, in a few words.
type Reason string

// The reasons.
const (
	TooLarge   Reason = "too large"     // larger than chaff reads
	NeverKnown Reason = "never learned" // to be forgotten, but never learned
	Unreadable Reason = "unreadable"    // the file could not be read
)

// Outcome is what happened to a message.
type Outcome struct {
	What What `json:"result"`
	// Reason is why it was refused.
	Reason Reason `json:"-"`
	// Before is the label that it had before, if it was known.
	Before string `json:"before,omitempty"`
	// Class, Verdict, Score and Probability are what the filter said of it before; zero for a message that it did not judge.
	Class       string         `json:"class,omitempty"`
	Verdict     filter.Verdict `json:"verdict,omitempty"`
	Score       float64        `json:"score,omitempty"`
	Probability float64        `json:"probability,omitempty"`
	// Doubt is how much the score speaks against the label that a mailbox gives, if that is doubtful: see [metrics.Typical.Doubt].
	Doubt float64 `json:"doubt,omitempty"`
}

// Learn learns a message. The model knows it at once; the file is synced before Learn returns. A message that is known with another label moves over.
// The error is about the log, which then holds the state before the message. An error of writing a model that was due is none; see [Store.Finish].
func (s *Store) Learn(m Message) (o Outcome, err error) {
	defer about(&err, "learn into "+s.path+Suffix)
	if m.Way != ByMaildir {
		if err := s.pause(); err != nil {
			return Outcome{}, err
		}
	}
	label := slices.Index(s.Classes(), m.Label)
	if label < 0 {
		return Outcome{}, fmt.Errorf("class %q: the model has %q", m.Label, s.Classes())
	}
	if len(m.Raw) > message.MaxSize {
		return Outcome{What: Refused, Reason: TooLarge}, nil
	}
	m.Raw = message.Original(m.Raw)
	e := Entry{Learned: s.now().UTC().Truncate(time.Second), Way: m.Way, Origin: m.Origin, what: learn}
	e.Fingerprint, e.SplitKey = corpus.Hashes(m.Raw, s.Key)
	e.Label, e.Size = label, len(m.Raw)
	if e.Time = m.Time; e.Time.IsZero() {
		e.Time = corpus.DeliveryTime(m.Raw)
	}
	before, err := s.find(e.Fingerprint)
	if err != nil {
		return Outcome{}, err
	}
	known := before.what == learn
	if known && before.Label == label {
		return Outcome{What: Known, Before: m.Label}, nil
	}
	e.Confirmed = before.Confirmed && s.facts.follows() // also if it was forgotten since: other hosts keep what is confirmed against what is not
	if s.reader == nil {
		if s.reader, err = filter.NewReader(s.filter.Settings().Reading, filter.ReaderOptions{Grams: s.filter.Kind() == features.Evidence, Names: true}); err != nil {
			return Outcome{}, err
		}
	}
	e.Repairs = s.reader.Read(m.Raw)
	bag := s.reader.Bag
	if len(m.Raw) > message.LargeSize {
		s.reader.Forget() // all but the bag, so that what follows has its memory
	}
	document := bag.Document()
	p, err := s.lesson(&document, before)
	if err != nil {
		return Outcome{}, err
	}
	v := p.Verdict
	o = Outcome{What: Learned, Class: v.Class, Verdict: v.Verdict, Score: v.Score, Probability: v.Probability}
	e.Score, e.Class = o.Score, slices.Index(s.Classes(), o.Class)
	if known {
		o.What, o.Before, e.Relabelled = Relabelled, s.Classes()[before.Label], true
		e.Score, e.Class = before.Score, before.Class // what the filter said before it knew the message
	}
	if m.Way == ByMaildir && !known && len(s.Classes()) == 2 {
		if s.typical == nil { // the typical margins at the last fit
			from, _ := train.ProvenanceOf(s.filter) // a fit reports the error
			s.typical = &from.Typical
		}
		if doubt := s.typical.Doubt(label, []float64{0, e.Score}); doubt >= metrics.Doubted {
			o.Doubt, e.Doubt = doubt, hundredths(doubt)
		}
	}
	data := document.Append(nil, func(i int) []byte { // the log has the texts of the others
		if p.Unknown == nil || p.Unknown[i] || s.facts.follows() { // a model that does not learn has terms that the log may lack; what is shared stands alone
			return bag.Text(i)
		}
		return nil
	})
	if err := s.append(e.record(), p.Learn(before.Label, label), appendBody(nil, data, true)); err != nil {
		return Outcome{}, err
	}
	return o, nil
}

// lesson returns the learner for a document that is to be learned, nil for none, and for the message of the entry before if that was learned and is to be
// forgotten, with the verdict on the former, see [filter.One.Partial].
func (s *Store) lesson(document *features.Document, before Entry) (p filter.Partial, err error) {
	var old *features.Document
	counted := math.MaxInt
	if before.what == learn && s.filter.Counts() {
		d, texts, err := s.document(before)
		if err != nil {
			return p, err
		}
		if old = &d; texts == nil {
			counted = s.facts.Terms
		}
	}
	p, err = s.filter.Partial(document, old, counted)
	if err != nil {
		if err = s.heal(err); err == nil {
			p, err = s.filter.Partial(document, old, s.facts.Terms) // a fit has counted all documents
		}
	}
	return p, err
}

// Contradicts reports whether the filter is sure that a message is not of the class label. What was moved to another class, or learned against
// the filter, contradicts nothing: it may be taken back.
func (s *Store) Contradicts(raw []byte, label string) (bool, error) {
	if err := s.pause(); err != nil {
		return false, err
	}
	raw = message.Original(raw)
	before, err := s.find(s.Fingerprint(raw))
	if err != nil {
		return false, fmt.Errorf("look for a message in %s: %w", s.path+Suffix, err)
	}
	wanted := slices.Index(s.Classes(), label)
	if before.what == learn && (before.Label == wanted || before.Class == wanted || before.Relabelled) {
		return false, nil
	}
	v, err := s.filter.Classify(raw)
	if err != nil || v.Verdict == filter.Unsure {
		return false, err
	}
	// A model of a few hundred messages seldom gives more than 0.99, and one that was fitted to n messages of a class little more than (n+1)/(n+2).
	n := s.facts.Known[slices.Index(s.Classes(), string(v.Verdict))]
	sure := min(0.98, 1-1.5/float64(n+2))
	p := v.Probability
	if filter.IsSpamFilter(s.Classes()) && v.Verdict == filter.Ham {
		p = 1 - p
	}
	return string(v.Verdict) != label && p >= sure, nil
}

// Forget forgets a message. What a model counts is without it at once, the weights of other models when they are fitted again. Its terms stay in the log
// until the next fit.
func (s *Store) Forget(raw []byte) (Outcome, error) {
	if err := s.pause(); err != nil {
		return Outcome{}, err
	}
	return s.ForgetKnown(s.Fingerprint(raw))
}

// ForgetKnown is Forget for a message by its fingerprint.
func (s *Store) ForgetKnown(fingerprint uint64) (o Outcome, err error) {
	defer about(&err, "forget in "+s.path+Suffix)
	before, err := s.find(fingerprint)
	if err != nil {
		return Outcome{}, err
	}
	if before.what != learn {
		return Outcome{What: Refused, Reason: NeverKnown}, nil
	}
	e := Entry{Learned: s.now().UTC().Truncate(time.Second), what: forget}
	e.Fingerprint, e.Label, e.Class, e.Confirmed = fingerprint, before.Label, -1, before.Confirmed
	if err := s.enter(Taught{entry: e}, before); err != nil {
		return Outcome{}, err
	}
	return Outcome{What: Forgotten, Before: s.Classes()[before.Label]}, nil
}

// enter forgets or learns what was taught. before is what the log said of the message.
func (s *Store) enter(t Taught, before Entry) error {
	var document *features.Document
	var body []byte
	label := -1
	if t.entry.what == learn {
		document, label = &t.document, t.entry.Label
		body = appendBody(nil, document.Append(nil, func(i int) []byte { return t.texts[i] }), true) // all texts: a record that has them may be left out of a fit
	}
	p, err := s.lesson(document, before)
	if err != nil {
		return err
	}
	return s.append(t.entry.record(), p.Learn(before.Label, label), body)
}

// ForgetOrigin forgets all messages that one origin taught from a time on, and returns how many these were.
func (s *Store) ForgetOrigin(origin string, since time.Time) (n int, err error) {
	l, err := s.read(nil)
	if err != nil {
		return 0, fmt.Errorf("forget in %s: %w", s.path+Suffix, err)
	}
	for _, e := range l.entries {
		if e.what != forget && e.Origin == origin && !e.Learned.Before(since) {
			if _, err := s.ForgetKnown(e.Fingerprint); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}
