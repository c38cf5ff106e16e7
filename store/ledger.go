package store

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"iter"
	"maps"
	"math"
	"os"
	"slices"
	"time"

	"chaff/features"
	"chaff/internal/cputime"
	"chaff/internal/indices"
	"chaff/internal/logfile"
	"chaff/metrics"
	"chaff/train"
)

// ledger is what a log says of each message, in memory: first those that were learned, in the order in which they first were; then those that were forgotten,
// so that a merge does not bring them back, with the time of that as Learned.
type ledger struct {
	recipe
	facts     facts
	documents *features.Documents // nil if they were not read
	entries   []Entry
	learned   int            // how many of them were learned
	index     map[uint64]int // of an entry, by fingerprint
	seen      sightings
	kept      int64         // bytes of the log that others than readers of a model need
	began     time.Duration // the CPU time before it was read
}

func newLedger(r recipe, f facts, documents *features.Documents) *ledger {
	return &ledger{recipe: r, facts: f, documents: documents, index: map[uint64]int{}, seen: sightings{}, began: cputime.Process()}
}

// read reads a log, with its documents, which are empty, unless they are nil.
func (b *book) read(documents *features.Documents) (*ledger, error) {
	return b.readSome(documents, nil, nil)
}

// readSome is read with the entries that count; nil for all. known are the terms which begin the log if the documents have them already, and maybe others.
func (b *book) readSome(documents *features.Documents, known *features.Saved, counts func(Entry) bool) (*ledger, error) {
	r, err := recipeIn(b.log)
	if err != nil {
		return nil, err
	}
	l := newLedger(r, b.facts, documents)
	var w *features.Writer
	if documents != nil {
		if known == nil {
			saved, err := documents.AddSaved(b.eachTerm)
			if err != nil {
				return nil, err
			}
			known = &saved
		}
		w = documents.NewWriter()
		defer w.Close()
	}
	err = b.each(func(r logfile.Record) error {
		l.kept += r.Kept()
		switch op(r.Op) {
		case learn, forget:
			e, err := b.entry(r)
			if err != nil || counts != nil && !counts(e) {
				return err
			}
			if e.what == learn && w != nil {
				e.Terms, err = b.addDocument(w, r, known)
			}
			l.say(e)
			return err
		case see:
			data, err := b.log.Body(r)
			if err != nil {
				return err
			}
			return l.seen.apply(data, len(b.Classes))
		}
		return nil
	})
	l.tidy()
	if err == nil && documents != nil {
		err = documents.Err()
	}
	return l, err
}

// say enters what is said of a message. Call tidy after the last one.
func (l *ledger) say(e Entry) {
	i, known := l.index[e.Fingerprint]
	if known && e.what == learn && l.entries[i].what == learn { // a message that moves keeps its place
		l.entries[i] = e
		return
	}
	if known {
		l.entries[i].what = 0
	}
	l.index[e.Fingerprint] = len(l.entries)
	l.entries = append(l.entries, e)
}

// tidy removes the entries about which nothing is known, and sorts the others.
func (l *ledger) tidy() {
	l.entries = slices.DeleteFunc(l.entries, func(e Entry) bool { return e.what == 0 })
	slices.SortStableFunc(l.entries, func(x, y Entry) int { return cmp.Compare(x.what, y.what) })
	l.learned = 0
	clear(l.index)
	for i, e := range l.entries {
		l.index[e.Fingerprint] = i
		if e.what == learn {
			l.learned++
		}
	}
}

// knows reports whether a message was learned.
func (l *ledger) knows(fingerprint uint64) bool {
	i, known := l.index[fingerprint]
	return known && l.entries[i].what != forget
}

// mail returns the messages that were learned.
func (l *ledger) mail() *train.Mail {
	entries := make([]train.Entry, l.learned)
	for i := range entries {
		entries[i] = l.entries[i].Entry
	}
	return train.NewMail(l.Classes, l.documents, entries)
}

// count sets Known and Learned at a fit.
func (l *ledger) count() {
	l.facts.Changed, l.facts.Known, l.facts.Learned = 0, l.perClass(), make([]int, len(l.Classes))
}

// perClass returns how many messages of each class were learned.
func (l *ledger) perClass() []int {
	messages := make([]int, len(l.Classes))
	for _, e := range l.entries[:l.learned] {
		messages[e.Label]++
	}
	return messages
}

// settle enters the labels that a person has confirmed or corrected.
func (l *ledger) settle(labels map[uint64]int, now time.Time) {
	for fingerprint, label := range labels {
		i, known := l.index[fingerprint]
		if !known || i >= l.learned {
			continue
		}
		e := &l.entries[i]
		e.Confirmed = true
		e.unshare() // what is said now is another lesson
		if e.Label != label {
			e.Label, e.Relabelled, e.Way, e.Learned = label, true, ByHand, now.UTC().Truncate(time.Second)
		}
	}
}

// doubt notes the labels that a fit doubts.
func (l *ledger) doubt(doubtful []metrics.Doubt) {
	for i := range l.entries {
		l.entries[i].Doubt = 0
	}
	for _, d := range doubtful {
		l.entries[d.Message].Doubt = hundredths(d.Doubt)
	}
}

// expire removes the entries beyond the limits that were learned first. A sender writes the date of a message, but not the time of learning. Each class
// has its own room, so that spam cannot push out ham.
func (l *ledger) expire(o Options, now time.Time) {
	oldest, over := indices.Below[int](len(l.entries)), l.perClass() // how many messages of each class are too many
	for c := range over {
		over[c] -= cmp.Or(o.MaxMessages, math.MaxInt)
	}
	slices.SortStableFunc(oldest, func(i, j int) int {
		x, y := l.entries[i], l.entries[j]
		return cmp.Or(x.Learned.Compare(y.Learned), x.Time.Compare(y.Time))
	})
	const forgottenDays = 400 // for so long a log knows what was forgotten, if it does not limit the age of its messages
	for _, i := range oldest {
		e, days := &l.entries[i], o.MaxAge
		if e.what == forget {
			days = cmp.Or(days, forgottenDays)
		}
		isOld := days > 0 && now.Sub(e.Learned).Hours() > 24*float64(days)
		switch {
		case e.what == learn && (isOld || over[e.Label] > 0):
			l.facts.Expired++
			over[e.Label]--
			e.what = 0
		case isOld:
			e.what = 0
		}
	}
	l.tidy()
}

// save writes a log of all that is in the ledger to an empty file, with a checkpoint of the model, for whose identity it waits at the end. It has no trace of
// what was forgotten but the fingerprint.
func (l *ledger) save(file *os.File, model func() (identity uint64, err error)) error {
	settings, err := json.Marshal(l.recipe)
	if err != nil {
		return err
	}
	w, add := writerOf(file, l.Key.Bytes(), settings)
	var data []byte
	var refs []features.Ref
	for _, e := range l.entries[:l.learned] {
		refs = append(refs, e.Terms)
	}
	err = l.documents.Save(refs, func(some []byte) { add(logfile.Record{Op: uint8(terms)}, some) }, func(i int, document []byte) {
		data = appendBody(data[:0], document, false)
		l.entries[i].at = add(l.entries[i].record(), data)
	})
	for i := l.learned; i < len(l.entries); i++ {
		l.entries[i].at = add(l.entries[i].record(), nil)
	}
	for r, data := range l.sightings() {
		add(r, data)
	}
	body := l.checkpoint()
	identity, failed := model()
	add(logfile.Record{Op: logfile.Checkpoint, Key: identity}, body)
	return cmp.Or(err, failed, w.Flush())
}

// writerOf begins a log, and returns a function that adds a record without rows, and the buffer to flush at the end, which keeps errors.
func writerOf(file *os.File, key, settings []byte) (w *bufio.Writer, add func(r logfile.Record, body []byte) (at int64)) {
	log := logfile.Log{Key: key}
	w = bufio.NewWriterSize(file, 256<<10)
	n, _ := w.Write(logfile.AppendHeader(nil, key, settings))
	end := int64(n)
	return w, func(r logfile.Record, body []byte) (at int64) {
		n, _ := w.Write(log.Append(w.AvailableBuffer(), end, r, nil, body))
		at, end = end, end+int64(n)
		return at
	}
}

// copy writes what the records of a log say to an empty file, without their rows, and with one checkpoint, that of the model.
func (l *ledger) copy(b *book, file *os.File) error {
	w, add := writerOf(file, b.log.Key, b.log.Settings)
	moved := map[int64]int64{}
	err := b.each(func(r logfile.Record) error {
		body, err := b.log.Body(r)
		if err != nil || r.Op == logfile.Checkpoint {
			return err
		}
		if r.Reason == again && len(body) == 8 {
			binary.LittleEndian.PutUint64(body, uint64(moved[int64(binary.LittleEndian.Uint64(body))]))
		}
		moved[r.At] = add(logfile.Record{Op: r.Op, Reason: r.Reason, Key: r.Key, Entry: r.Entry}, body)
		return nil
	})
	for i := range l.entries {
		l.entries[i].at = moved[l.entries[i].at]
	}
	add(logfile.Record{Op: logfile.Checkpoint, Key: b.checkpoint.Key}, l.checkpoint())
	return cmp.Or(err, w.Flush())
}

// sightings yields a record for each mailbox. A message that the ledger does not have leaves no fingerprint.
func (l *ledger) sightings() iter.Seq2[logfile.Record, []byte] {
	return func(yield func(logfile.Record, []byte) bool) {
		for _, mailbox := range slices.Sorted(maps.Keys(l.seen)) {
			files := maps.Clone(l.seen[mailbox])
			for name, f := range files {
				if (f.State == Said || f.State == LearnedAsRead) && !l.knows(f.Fingerprint) {
					files[name] = Sighting{Label: f.Label, Folder: f.Folder}
				}
			}
			if !yield(logfile.Record{Op: uint8(see), Key: mailbox}, appendSightings(nil, mailbox, files, nil)) {
				return
			}
		}
	}
}
