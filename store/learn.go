package store

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/journal"
	"chaff/internal/limits"
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
// The error is about the store, which then holds the state before the message. An error of a fold that was due is none; see [Store.Unfolded].
func (s *Store) Learn(m Message) (Outcome, error) {
	o, err := s.learn(m)
	if err != nil {
		return o, fmt.Errorf("learn into %s: %w", s.path+Suffix, err)
	}
	return o, nil
}

// maxNewTexts is the number of new terms up to which a record has their texts, which take memory. The texts of more are known from the next
// fold on.
const maxNewTexts = 1 << 14

func (s *Store) learn(m Message) (Outcome, error) {
	classes := s.Classes()
	label := slices.Index(classes, m.Label)
	if label < 0 {
		return Outcome{}, fmt.Errorf("class %q: the model has %q", m.Label, classes)
	}
	if len(m.Raw) > limits.MaxMessage {
		return s.refuse(TooLarge)
	}
	m.Raw = message.Original(m.Raw)
	e := Entry{Learned: s.now().UTC().Truncate(time.Second), Way: m.Way, Class: -1, Score: math.NaN()}
	e.Fingerprint, e.SplitKey = corpus.Hashes(m.Raw, s.filter.Settings().Key)
	e.Label, e.Size = label, len(m.Raw)
	if e.Time = m.Time; e.Time.IsZero() {
		e.Time, _ = corpus.DeliveryTime(m.Raw)
	}
	before, known, err := s.find(e.Fingerprint)
	if err != nil {
		return Outcome{}, err
	}
	if known && before.Label == label {
		return Outcome{What: Known, Before: m.Label}, nil
	}
	if err := s.prepare(); err != nil {
		return Outcome{}, err
	}
	e.Repairs = s.reader.Read(m.Raw)
	sketch := train.AppendSketch(nil, s.reader.Message())
	bag := *s.reader.Bag()
	if len(m.Raw) > limits.LargeMessage {
		s.reader.Forget() // all but the bag, so that what follows has its memory
	}
	document := bag.Document()
	var old *features.Document
	var inJournal bool
	if known {
		if old, inJournal, err = s.documentToForget(e.Fingerprint); err != nil {
			return Outcome{}, err
		}
	}
	p, err := newUpdate(s.filter, &document, old, inJournal)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{What: Learned, Class: p.verdict.Class, Verdict: p.verdict.Verdict, Score: p.verdict.Score, Probability: p.verdict.Probability}
	e.Score, e.Class = o.Score, slices.Index(classes, o.Class)
	switch {
	case known:
		o.What, o.Before, e.Relabelled = Relabelled, classes[before.Label], true
		e.Score, e.Class = before.Score, before.Class // what the filter said before it knew the message
	case (s.options.OnError || s.onErrors) && !m.Always && s.isSure(p.verdict, label):
		o.What = Sure
		if err := s.append(journal.Record{Meta: appendMeta(nil, &meta{change: trust, entry: e})}); err != nil {
			return Outcome{}, err
		}
		return o, s.foldIfLarge()
	}
	if m.Way == ByMaildir && !known && len(classes) == 2 {
		if doubt := s.typical().Doubt(label, []float64{0, e.Score}); doubt >= metrics.Doubted {
			o.Doubt, e.Doubt = doubt, hundredths(doubt)
		}
	}
	r := meta{change: learn, document: document, sketch: sketch, texts: make([][]byte, len(document.Terms))}
	for i := range document.Terms { // the ledger has the texts of the others
		if p.Learner == nil || p.Unknown[i] { // a model that does not learn has terms that the ledger lost
			r.texts[i] = slices.Clone(bag.Text(i))
		}
	}
	r.entry = e
	update := p.record(before.Label, label)
	if s.filter.SavesTexts() && s.filter.Kind() != features.Whole {
		keep := len(p.New) <= maxNewTexts
		for _, t := range p.New {
			var text []byte
			if keep {
				text = r.texts[t.Index]
			}
			update.Texts = journal.AppendText(update.Texts, text)
		}
	}
	update.Meta = appendMeta(nil, &r)
	if err := s.append(update); err != nil {
		return Outcome{}, err
	}
	s.taught++
	return o, s.foldIfLarge()
}

// typical returns the typical margins at the last fit.
func (s *Store) typical() metrics.Typical {
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
	before, known, err := s.find(s.Fingerprint(raw))
	if err != nil {
		return false, fmt.Errorf("look for a message in %s: %w", s.path+Suffix, err)
	}
	wanted := slices.Index(s.Classes(), label)
	if known && (before.Label == wanted || before.Class == wanted || before.Relabelled) {
		return false, nil
	}
	v, err := s.filter.Classify(raw)
	return v.Class != label && s.isSure(v, slices.Index(s.Classes(), v.Class)), err
}

// Forget forgets a message. Naive Bayes knows it at once, and other models when they are fitted again. Its terms stay in the file until the
// next fold.
func (s *Store) Forget(raw []byte) (Outcome, error) {
	o, err := s.forgetFingerprint(s.Fingerprint(raw))
	if err != nil {
		return o, fmt.Errorf("forget in %s: %w", s.path+Suffix, err)
	}
	return o, nil
}

func (s *Store) forgetFingerprint(fingerprint uint64) (Outcome, error) {
	before, learned, err := s.find(fingerprint)
	if err != nil {
		return Outcome{}, err
	}
	var update journal.Record
	if learned {
		update, err = s.unlearn(fingerprint, before.Label)
	} else {
		var trusted bool
		if before, trusted, err = s.trusted(fingerprint); err == nil && !trusted {
			return s.refuse(NeverKnown)
		}
	}
	if err != nil {
		return Outcome{}, err
	}
	e := Entry{Learned: s.now().UTC().Truncate(time.Second), Class: -1}
	e.Fingerprint, e.Label = fingerprint, before.Label
	update.Meta = appendMeta(nil, &meta{change: forget, entry: e})
	if err := s.append(update); err != nil {
		return Outcome{}, err
	}
	return Outcome{What: Forgotten, Before: s.Classes()[before.Label]}, s.foldIfLarge()
}

// unlearn returns the record of a learned message that is forgotten, without its meta.
func (s *Store) unlearn(fingerprint uint64, label int) (journal.Record, error) {
	if err := s.prepare(); err != nil {
		return journal.Record{}, err
	}
	old, inJournal, err := s.documentToForget(fingerprint)
	if err != nil {
		return journal.Record{}, err
	}
	p, err := newUpdate(s.filter, nil, old, inJournal)
	if err != nil {
		return journal.Record{}, err
	}
	return p.record(label, 0), nil
}

// Refuse counts a message that could not be learned, for [Status].
func (s *Store) Refuse(why Reason) error {
	_, err := s.refuse(why)
	return err
}

func (s *Store) refuse(why Reason) (Outcome, error) {
	r := meta{change: refuse, reason: why}
	r.entry.Learned = s.now().UTC().Truncate(time.Second)
	if err := s.append(journal.Record{Meta: appendMeta(nil, &r)}); err != nil {
		return Outcome{}, err
	}
	return Outcome{What: Refused, Reason: why}, s.foldIfLarge()
}

// documentToForget returns the document of a message that the store has, and whether the journal has it; nil if the model forgets it only when it
// is fitted again.
func (s *Store) documentToForget(fingerprint uint64) (document *features.Document, inJournal bool, err error) {
	if !forgets(s.filter) {
		return nil, false, nil
	}
	r, inJournal, err := s.newest(fingerprint)
	if err != nil {
		return nil, false, err
	}
	if !inJournal {
		index, _, known, err := s.base.find(fingerprint)
		if err != nil || !known {
			return nil, false, cmp.Or(err, errMeta)
		}
		document, err = s.base.document(index)
		return document, false, err
	}
	data, err := metaOf(s.journal, r)
	if err != nil {
		return nil, false, err
	}
	m, err := readMeta(data)
	if err != nil {
		return nil, false, err
	}
	return &m.document, true, nil
}

// prepare makes the reader when it is first needed.
func (s *Store) prepare() (err error) {
	if s.reader == nil {
		s.reader, err = filter.NewReader(s.filter.Settings().Reading(), filter.ReaderOptions{Grams: true, Names: true})
	}
	return err
}

// Knows reports whether the store has a message: it has learned it, or was sure of it.
func (s *Store) Knows(raw []byte) (bool, error) {
	fingerprint := s.Fingerprint(raw)
	_, known, err := s.find(fingerprint)
	if err == nil && !known {
		_, known, err = s.trusted(fingerprint)
	}
	if err != nil {
		return false, fmt.Errorf("look for a message in %s: %w", s.path+Suffix, err)
	}
	return known, nil
}
