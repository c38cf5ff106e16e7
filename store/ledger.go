package store

import (
	"cmp"
	"maps"
	"math"
	"os"
	"slices"
	"time"

	"chaff/features"
	"chaff/internal/logfile"
	"chaff/train"
)

// ledger is all messages of a log in memory, in the order in which they were first learned.
type ledger struct {
	recipe        recipe
	facts         facts
	documents     *features.Documents
	entries       []Entry
	byFingerprint map[uint64]int // index of an entry
	seen          sightings
	// trusted are messages that were not learned, because the filter was right and sure of it: see [Options.OnError].
	trusted []Entry
	// forgotten are messages that were forgotten, so that a merge does not bring them back. They have the time as Learned.
	forgotten map[uint64]Entry
}

func newLedger(r recipe, f facts, documents *features.Documents) *ledger {
	return &ledger{recipe: r, facts: f, documents: documents, byFingerprint: map[uint64]int{}, seen: sightings{}, forgotten: map[uint64]Entry{}}
}

// ledger reads the whole log. See [features.NewDocuments] for memory.
func (b *book) ledger(memory int64) (*ledger, error) {
	documents := features.NewDocuments(memory)
	w := documents.NewWriter()
	defer w.Close()
	l, err := b.read(documents, w)
	if err != nil {
		return nil, err
	}
	return l, documents.Err()
}

// read reads a log, with documents if there is a writer of them.
func (b *book) read(documents *features.Documents, w *features.Writer) (*ledger, error) {
	f, err := b.facts()
	if err != nil {
		return nil, err
	}
	l := newLedger(b.recipe, f, documents)
	gone := map[int]bool{}
	err = b.each(func(r logfile.Record) error {
		switch what := op(r.Op); {
		case what == terms && w != nil:
			data, err := b.log.Body(r)
			if err != nil {
				return err
			}
			return documents.AddTerms(data)
		case what == see:
			data, err := b.log.Body(r)
			if err != nil {
				return err
			}
			return l.seen.apply(data, len(b.Classes))
		case what == learn, what == trust, what == forget:
			return b.enter(l, w, r, gone)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	l.remove(func(i int) bool { return gone[i] })
	return l, nil
}

// enter enters a record about a message in a ledger.
func (b *book) enter(l *ledger, w *features.Writer, r logfile.Record, gone map[int]bool) error {
	e, err := b.entry(r)
	if err != nil {
		return err
	}
	l.distrust(e.Fingerprint)
	delete(l.forgotten, e.Fingerprint)
	switch op(r.Op) {
	case trust:
		l.trusted = append(l.trusted, e)
	case forget:
		if at, known := l.byFingerprint[e.Fingerprint]; known {
			gone[at] = true
			delete(l.byFingerprint, e.Fingerprint)
		}
		l.forgotten[e.Fingerprint] = e
	default:
		if w != nil {
			body, err := b.body(r)
			if err != nil {
				return err
			}
			if e.Terms, err = body.add(w); err != nil {
				return err
			}
		}
		l.put(e)
	}
	return nil
}

// add adds the document of a body.
func (b body) add(w *features.Writer) (features.Ref, error) {
	if !b.own {
		return w.AddRecord(b.document)
	}
	d, texts, err := features.ReadDocument(b.document)
	if err != nil {
		return 0, err
	}
	return w.AddDocument(d, func(i int) []byte { return texts[i] }), nil
}

// put adds an entry, or replaces the one with its fingerprint.
func (l *ledger) put(e Entry) {
	if at, known := l.byFingerprint[e.Fingerprint]; known {
		l.entries[at] = e
		return
	}
	l.byFingerprint[e.Fingerprint] = len(l.entries)
	l.entries = append(l.entries, e)
}

// refs returns the documents of the entries.
func (l *ledger) refs() []features.Ref {
	refs := make([]features.Ref, len(l.entries))
	for i, e := range l.entries {
		refs[i] = e.Terms
	}
	return refs
}

// labels returns the labels of the entries.
func (l *ledger) labels() []int32 {
	labels := make([]int32, len(l.entries))
	for i, e := range l.entries {
		labels[i] = int32(e.Label)
	}
	return labels
}

// mail returns the messages.
func (l *ledger) mail() *train.Mail {
	entries := make([]train.Entry, len(l.entries))
	for i, e := range l.entries {
		entries[i] = e.Entry
	}
	return train.NewMail(l.recipe.Classes, l.documents, entries)
}

// distrust removes the trusted entry of a message.
func (l *ledger) distrust(fingerprint uint64) {
	l.trusted = slices.DeleteFunc(l.trusted, func(e Entry) bool { return e.Fingerprint == fingerprint })
}

// knows returns a function that reports whether a message is learned or trusted.
func (l *ledger) knows() func(fingerprint uint64) bool {
	trusted := make(map[uint64]bool, len(l.trusted))
	for _, e := range l.trusted {
		trusted[e.Fingerprint] = true
	}
	return func(fingerprint uint64) bool {
		_, learned := l.byFingerprint[fingerprint]
		return learned || trusted[fingerprint]
	}
}

// remove removes entries, and keeps the order of the others.
func (l *ledger) remove(gone func(i int) bool) {
	kept := l.entries[:0]
	l.byFingerprint = make(map[uint64]int, len(l.entries))
	for i, e := range l.entries {
		if !gone(i) {
			l.byFingerprint[e.Fingerprint] = len(kept)
			kept = append(kept, e)
		}
	}
	l.entries = kept
}

// settle enters what a person has said of labels: whether they are right.
func (l *ledger) settle(right map[uint64]bool, now time.Time) {
	for fingerprint, isRight := range right {
		at, known := l.byFingerprint[fingerprint]
		if !known {
			continue
		}
		e := &l.entries[at]
		e.Confirmed = true
		if !isRight && len(l.recipe.Classes) == 2 {
			e.Label, e.Relabelled, e.Way, e.Learned = 1-e.Label, true, ByHand, now.UTC().Truncate(time.Second)
		}
	}
}

// doubt notes the labels that a fit doubts.
func (l *ledger) doubt(doubtful []train.Doubt) {
	for i := range l.entries {
		l.entries[i].Doubt = 0
	}
	for _, d := range doubtful {
		l.entries[d.Message].Doubt = hundredths(d.Doubt)
	}
}

// forgottenDays is for how many days a log knows that a message was forgotten, if it does not limit the age of its messages.
const forgottenDays = 400

// expire forgets the messages beyond the limits that were learned first. A sender writes the date of a message, but not the time of learning. Each class
// has its own room, so that spam cannot push out ham.
func (l *ledger) expire(o Options, now time.Time) {
	isOld := func(e Entry, days int) bool { return days > 0 && now.Sub(e.Learned).Hours() > 24*float64(days) }
	oldest, over := make([]int, len(l.entries)), make([]int, len(l.recipe.Classes)) // how many messages of each class are too many
	for i, e := range l.entries {
		oldest[i] = i
		over[e.Label]++
	}
	for c := range over {
		over[c] -= cmp.Or(o.MaxMessages, math.MaxInt)
	}
	slices.SortStableFunc(oldest, func(i, j int) int {
		x, y := l.entries[i], l.entries[j]
		return cmp.Or(x.Learned.Compare(y.Learned), x.Time.Compare(y.Time))
	})
	gone := map[int]bool{}
	for _, i := range oldest {
		if e := l.entries[i]; over[e.Label] > 0 || isOld(e, o.MaxAge) {
			gone[i] = true
			over[e.Label]--
		}
	}
	l.remove(func(i int) bool { return gone[i] })
	l.facts.Expired += len(gone)
	l.trusted = slices.DeleteFunc(l.trusted, func(e Entry) bool { return isOld(e, o.MaxAge) })
	if over := len(l.trusted) - o.MaxMessages; o.MaxMessages > 0 && over > 0 {
		l.trusted = l.trusted[over:]
	}
	for fingerprint, e := range l.forgotten {
		if isOld(e, cmp.Or(o.MaxAge, forgottenDays)) {
			delete(l.forgotten, fingerprint)
		}
	}
}

// writeBytes is how many bytes of a log are written at once.
const writeBytes = 256 << 10

// logWriter writes a new log.
type logWriter struct {
	file   *os.File
	log    logfile.Log
	end    int64  // of what was appended
	buffer []byte // not written yet
}

func (w *logWriter) append(r logfile.Record, body []byte) (at int64, err error) {
	at = w.end
	size := len(w.buffer)
	w.buffer = w.log.Append(w.buffer, at, r, nil, body)
	w.end += int64(len(w.buffer) - size)
	if len(w.buffer) >= writeBytes {
		err = w.flush()
	}
	return at, err
}

func (w *logWriter) flush() error {
	_, err := w.file.Write(w.buffer)
	w.buffer = w.buffer[:0]
	return err
}

// save writes a log of all that is in the ledger to an empty file, with a checkpoint of the model with an identity. It has no trace of what was forgotten
// but the fingerprint.
func (l *ledger) save(file *os.File, model uint64) error {
	header, err := l.recipe.header()
	if err != nil {
		return err
	}
	w := logWriter{file: file, log: logfile.Keyed(l.recipe.Key.Bytes()), buffer: header, end: int64(len(header))}
	var messages []digest
	var data []byte
	err = l.documents.Save(l.refs(), func(some []byte) error {
		_, err := w.append(logfile.Record{Op: uint8(terms)}, some)
		return err
	}, func(i int, document []byte) error {
		e := l.entries[i]
		data = body{document: document}.append(data[:0])
		at, err := w.append(recordOf(learn, e), data)
		messages = append(messages, digest{e.Fingerprint, at})
		return err
	})
	if err != nil {
		return err
	}
	for _, e := range l.trusted {
		at, err := w.append(recordOf(trust, e), nil)
		if err != nil {
			return err
		}
		messages = append(messages, digest{e.Fingerprint, at})
	}
	for _, e := range slices.SortedFunc(maps.Values(l.forgotten), func(x, y Entry) int { return cmp.Compare(x.Fingerprint, y.Fingerprint) }) {
		if _, err := w.append(recordOf(forget, e), nil); err != nil {
			return err
		}
	}
	for r, data := range l.seen.records(l.knows()) {
		if _, err := w.append(r, data); err != nil {
			return err
		}
	}
	body, err := checkpointBody(l.facts, messages)
	if err == nil {
		_, err = w.append(logfile.Record{Op: logfile.Checkpoint, Key: model}, body)
	}
	if err == nil {
		err = w.flush()
	}
	return err
}

// judged yields what the filter said of messages before it learned them, or instead of learning them.
func (l *ledger) judged(yield func(Entry) bool) {
	for _, all := range [...][]Entry{l.entries, l.trusted} {
		for _, e := range all {
			if !math.IsNaN(e.Score) && e.Class >= 0 && !yield(e) {
				return
			}
		}
	}
}
