package store

import (
	"fmt"
	"math"
	"slices"
	"time"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/limits"
	"chaff/internal/logfile"
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
	// Always learns it even if the filter is sure of it, see [Options.OnError].
	Always bool
}

// What happened to a message.
type What string

// The results of learning and forgetting.
const (
	Learned    What = "learned"
	Relabelled What = "relabelled" // it was known with another label
	Known      What = "known"      // with the same label
	Sure       What = "sure"       // not learned, since the filter is right and sure of it
	Forgotten  What = "forgotten"
	Refused    What = "refused"
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
func (s *Store) Learn(m Message) (Outcome, error) {
	o, err := s.learn(m)
	if err != nil {
		return o, fmt.Errorf("learn into %s: %w", s.path+Suffix, err)
	}
	return o, nil
}

// maxNewTexts is the number of new terms up to which a record has their texts for the model, which take memory. The texts of more are known from the next
// fit on.
const maxNewTexts = 1 << 14

func (s *Store) learn(m Message) (Outcome, error) {
	label := slices.Index(s.Classes(), m.Label)
	if label < 0 {
		return Outcome{}, fmt.Errorf("class %q: the model has %q", m.Label, s.Classes())
	}
	if len(m.Raw) > limits.MaxMessage {
		return s.refuse(TooLarge)
	}
	m.Raw = message.Original(m.Raw)
	e := Entry{Learned: s.now().UTC().Truncate(time.Second), Way: m.Way, Class: -1, Score: math.NaN(), Origin: m.Origin}
	e.Fingerprint, e.SplitKey = corpus.Hashes(m.Raw, s.Key)
	e.Label, e.Size = label, len(m.Raw)
	if e.Time = m.Time; e.Time.IsZero() {
		e.Time, _ = corpus.DeliveryTime(m.Raw)
	}
	before, e0, known, err := s.find(e.Fingerprint)
	if err != nil {
		return Outcome{}, err
	}
	moves := known && op(before.Op) == learn
	if moves && e0.Label == label {
		return Outcome{What: Known, Before: m.Label}, nil
	}
	if err := s.prepare(); err != nil {
		return Outcome{}, err
	}
	e.Repairs = s.reader.Read(m.Raw)
	body := body{own: true}
	bag := *s.reader.Bag()
	if len(m.Raw) > limits.LargeMessage {
		s.reader.Forget() // all but the bag, so that what follows has its memory
	}
	document := bag.Document()
	var old *features.Document
	if moves {
		if old, err = s.toForget(before); err != nil {
			return Outcome{}, err
		}
	}
	p, verdict, err := s.part(&document, old, before)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{What: Learned, Class: verdict.Class, Verdict: verdict.Verdict, Score: verdict.Score, Probability: verdict.Probability}
	e.Score, e.Class = o.Score, slices.Index(s.Classes(), o.Class)
	switch {
	case moves:
		o.What, o.Before, e.Relabelled = Relabelled, s.Classes()[e0.Label], true
		e.Score, e.Class = e0.Score, e0.Class // what the filter said before it knew the message
	case (s.options.OnError || s.onErrors) && !m.Always && s.isSure(verdict, label):
		o.What = Sure
		return o, s.append(recordOf(trust, e), logfile.Rows{}, nil)
	}
	if m.Way == ByMaildir && !moves && len(s.Classes()) == 2 {
		if doubt := s.typicalMargins().Doubt(label, []float64{0, e.Score}); doubt >= metrics.Doubted {
			o.Doubt, e.Doubt = doubt, hundredths(doubt)
		}
	}
	body.document = document.Append(nil, func(i int) []byte { // the log has the texts of the others
		if p.Learner == nil || p.Unknown[i] { // a model that does not learn has terms that the log may lack
			return bag.Text(i)
		}
		return nil
	})
	rows := change(p, e0.Label, label, old != nil)
	if s.filter.SavesTexts() && s.filter.Kind() != features.Whole {
		for _, t := range p.New {
			var text []byte
			if len(p.New) <= maxNewTexts {
				text = bag.Text(t.Index)
			}
			rows.Texts = logfile.AppendText(rows.Texts, text)
		}
	}
	if err := s.append(recordOf(learn, e), rows, body.append(nil)); err != nil {
		return Outcome{}, err
	}
	s.taught++
	return o, nil
}

// part returns the learner for a document that is to be learned, and one that is to be forgotten before, which a record learned, see [filter.One.Partial], and
// the verdict on the former; without a learner if the model learns only when it is fitted.
func (s *Store) part(document, old *features.Document, r logfile.Record) (p filter.Partial, v filter.Classification, err error) {
	counted := math.MaxInt
	if old != nil && r.Number == 0 {
		f, err := s.facts()
		if err != nil {
			return p, v, err
		}
		counted = f.Terms
	}
	switch {
	case s.learns && (document != nil || old != nil):
		if p, err = s.filter.Partial(document, old, counted); err == nil && document != nil {
			v = s.filter.Judge(p.Learner.Scores(nil, p.Vector))
		}
	case document != nil:
		v, err = s.filter.ClassifyDocument(*document)
	}
	return p, v, err
}

// change learns and forgets the documents of a part, from one of the class before to one of class after, and returns what that changed.
func change(p filter.Partial, before, after int, forgets bool) logfile.Rows {
	if p.Learner == nil {
		return logfile.Rows{}
	}
	if forgets {
		p.Learner.Forget(p.Forgotten, before)
	}
	if after >= 0 {
		p.Learner.Learn(p.Vector, after)
	}
	r := logfile.Rows{IDs: p.IDs, Rows: make([]byte, 0, len(p.IDs)*p.Learner.TermSize()), Globals: p.Learner.AppendGlobals(nil)}
	for w := range p.IDs {
		r.Rows = p.Learner.AppendTerm(r.Rows, w)
	}
	for _, t := range p.New {
		r.New = append(r.New, t.Hash)
	}
	r.First = p.IDs[len(p.IDs)-1] + 1 - uint32(len(r.New))
	return r
}

// typicalMargins returns the typical margins at the last fit.
func (s *Store) typicalMargins() metrics.Typical {
	if s.provenance == nil {
		p, _ := train.ProvenanceOf(s.filter) // a fit reports the error
		s.provenance = &p
	}
	return s.provenance.Typical
}

// isSure reports whether the filter gave a message its label and was sure of it.
func (s *Store) isSure(v filter.Classification, label int) bool {
	if slices.Index(s.Classes(), v.Class) != label || v.Verdict == filter.Unsure {
		return false
	}
	p := v.Probability
	if filter.IsSpamFilter(s.Classes()) && label != filter.SpamClass {
		p = 1 - p
	}
	return 100*p >= s.options.Sure
}

// Contradicts reports whether the filter is sure that a message is not of the class label. What was moved to another class, or learned against
// the filter, contradicts nothing: it may be taken back.
func (s *Store) Contradicts(raw []byte, label string) (bool, error) {
	raw = message.Original(raw)
	r, before, known, err := s.find(s.Fingerprint(raw))
	if err != nil {
		return false, fmt.Errorf("look for a message in %s: %w", s.path+Suffix, err)
	}
	wanted := slices.Index(s.Classes(), label)
	if known && op(r.Op) == learn && (before.Label == wanted || before.Class == wanted || before.Relabelled) {
		return false, nil
	}
	v, err := s.filter.Classify(raw)
	return v.Class != label && s.isSure(v, slices.Index(s.Classes(), v.Class)), err
}

// Forget forgets a message. Naive Bayes knows it at once, and other models when they are fitted again. Its terms stay in the log until the next fit.
func (s *Store) Forget(raw []byte) (Outcome, error) {
	return s.ForgetKnown(s.Fingerprint(raw))
}

func (s *Store) forgetFingerprint(fingerprint uint64) (Outcome, error) {
	r, before, known, err := s.find(fingerprint)
	if err != nil {
		return Outcome{}, err
	}
	if !known {
		return s.refuse(NeverKnown)
	}
	var rows logfile.Rows
	if op(r.Op) == learn {
		old, err := s.toForget(r)
		if err != nil {
			return Outcome{}, err
		}
		p, _, err := s.part(nil, old, r)
		if err != nil {
			return Outcome{}, err
		}
		rows = change(p, before.Label, -1, true)
	}
	e := Entry{Learned: s.now().UTC().Truncate(time.Second), Class: -1}
	e.Fingerprint, e.Label, e.Confirmed = fingerprint, before.Label, before.Confirmed
	return Outcome{What: Forgotten, Before: s.Classes()[before.Label]}, s.append(recordOf(forget, e), rows, nil)
}

// ForgetKnown is Forget for a message by its fingerprint.
func (s *Store) ForgetKnown(fingerprint uint64) (Outcome, error) {
	o, err := s.forgetFingerprint(fingerprint)
	if err != nil {
		return o, fmt.Errorf("forget in %s: %w", s.path+Suffix, err)
	}
	return o, nil
}

// ForgetOrigin forgets all messages that one origin taught from a time on, and returns how many these were.
func (s *Store) ForgetOrigin(origin string, since time.Time) (n int, err error) {
	all, trusted, err := s.entries()
	for _, e := range append(all, trusted...) {
		if err == nil && e.Origin == origin && !e.Learned.Before(since) {
			if _, err = s.forgetFingerprint(e.Fingerprint); err == nil {
				n++
			}
		}
	}
	if err != nil {
		return n, fmt.Errorf("forget in %s: %w", s.path+Suffix, err)
	}
	return n, nil
}

// Refuse counts a message that could not be learned, for [Status].
func (s *Store) Refuse(why Reason) error {
	_, err := s.refuse(why)
	return err
}

func (s *Store) refuse(why Reason) (Outcome, error) {
	r := logfile.Record{Op: uint8(refuse), Reason: uint8(why)}
	return Outcome{What: Refused, Reason: why}, s.append(r, logfile.Rows{}, nil)
}

// toForget returns the document of a message that the log has; nil if the model forgets it only when it is fitted again.
func (s *Store) toForget(r logfile.Record) (*features.Document, error) {
	if !s.forgets {
		return nil, nil
	}
	return s.document(r, &s.hashes)
}

// prepare makes the reader when it is first needed.
func (s *Store) prepare() (err error) {
	if s.reader == nil {
		s.reader, err = filter.NewReader(s.reading(), filter.ReaderOptions{Grams: true, Names: true})
	}
	return err
}

// Knows reports whether the log has a message: it was learned, or the filter was sure of it.
func (s *Store) Knows(raw []byte) (bool, error) {
	_, _, known, err := s.find(s.Fingerprint(raw))
	if err != nil {
		return false, fmt.Errorf("look for a message in %s: %w", s.path+Suffix, err)
	}
	return known, nil
}
