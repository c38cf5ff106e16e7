package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"

	"chaff/features"
	"chaff/internal/logfile"
	"chaff/message"
)

// Hosts that share what their users teach have one log in common: a stream of records, which each host appends to and learns in its order. What a host teaches
// is in its own log at once, and waits there for its place in the stream. Of two records of one message the later one in the stream counts, unless only the
// earlier one has a label that a person has confirmed.

// Stand is how far a log has followed the stream that hosts share.
type Stand struct {
	// Stream is when the stream was made, in nanoseconds: another stream begins anew.
	Stream int64 `json:"stream"`
	// Position is the place of the last record in the stream that the log has.
	Position uint64 `json:"position"`
	// Fit is the position of the last fit that came from the host that fits.
	Fit uint64 `json:"fit"`
	// Numbers are those of the last record of each origin in this stream, by which one that comes again is known.
	Numbers map[string]uint64 `json:"numbers"`
	// Check is the check value of the key of the log, for [Lesson.NumberOf]; [StandOf] sets it.
	Check uint64 `json:"-"`
}

// take enters what a record says of the stand.
func (s *Stand) take(r logfile.Record) {
	le := binary.LittleEndian
	if stream := int64(le.Uint64(r.Entry[8:])); s.Stream != stream || s.Numbers == nil {
		*s = Stand{Stream: stream, Numbers: map[string]uint64{}}
	}
	s.Position = r.Key
	if origin := readEntry(r.Entry[:]).Origin; origin != "" {
		s.Numbers[origin] = le.Uint64(r.Entry[:])
	}
}

// standRecord returns the record that a log has a position of a stream, and the record of an origin with a number; "" for none.
func standRecord(stream int64, position uint64, origin string, number uint64) logfile.Record {
	r := logfile.Record{Op: uint8(stand), Key: position}
	le := binary.LittleEndian
	le.PutUint64(r.Entry[:], number)
	le.PutUint64(r.Entry[8:], uint64(stream))
	copy(r.Entry[entrySize-MaxOrigin:], origin)
	return r
}

// follows reports whether a log follows a stream.
func (f facts) follows() bool { return f.Shared.Numbers != nil }

// StandOf returns how far the log of the model at path has followed a stream.
func StandOf(path string) (at Stand, err error) {
	err = reading(path, func(b *book) error {
		at = b.facts.Shared
		at.Check = b.check()
		return nil
	})
	return at, err
}

// waits reports whether an entry was taught here and has no place in the stream yet. The mail of a training is what all hosts begin with.
func (e Entry) waits() bool {
	return !e.Shared && (e.what == forget || e.what == learn && (e.Confirmed || e.Way != ByTraining && e.Way != ByImport))
}

// unshare makes an entry wait that has its place in the stream.
func (e *Entry) unshare() {
	if e.Shared {
		e.Shared, e.Origin = false, ""
	}
}

// again is the Reason of a record that gives an earlier one its place in the stream. Its body is the offset of that record, which has the document.
const again = 1

// Lesson is a record as the stream has it. docs/inside/formats.md describes it byte by byte. The keyed hashes of its terms are made anew of the texts.
type Lesson struct {
	// Origin is who has taught it and Time when: both are said by the stream.
	Origin string
	Time   time.Time
	Data   []byte
	// Late says that the log has followed the stream further already. What others taught later counts then.
	Late bool
}

const (
	lessonVersion = 1
	lessonHead    = 24
)

// MaxLesson is the most bytes of a lesson. Its terms take up to 50 times the memory while it is read, whoever has sent it.
const MaxLesson = 4 << 20

// check returns the check value of the key: all hosts have it.
func (r names) check() uint64 { return r.Key.Hash([]byte("chaff share")) }

// Taught is what was taught of a message: it was read in a lesson, or waits in a log for its place in the stream.
type Taught struct {
	entry    Entry
	document features.Document
	texts    [][]byte
	check    uint64    // of the log in which it waits
	isCut    bool      // in the lesson
	taught   time.Time // of a lesson, by the clock of its host
}

// read reads a lesson. The error says in a few words why it is refused.
func (l Lesson) read(r *names) (t Taught, err error) {
	le, data := binary.LittleEndian, l.Data
	switch {
	case len(data) < lessonHead+entrySize || len(data) > MaxLesson || len(l.Origin) > MaxOrigin:
		return t, errors.New("no record")
	case data[0] != lessonVersion:
		return t, errors.New("another version")
	case le.Uint64(data[8:]) != r.check():
		return t, errors.New("another key")
	}
	e := readEntry(data[lessonHead:][:entrySize])
	taught := e.Learned
	e.what, e.Origin, e.Learned, e.Shared = op(data[1]), l.Origin, l.Time.UTC().Truncate(time.Second), true
	if !e.fits(len(r.Classes)) || e.Class < -1 || e.Way >= ways || e.Size < 0 || e.Size > message.MaxSize || math.IsInf(e.Score, 0) {
		return t, errors.New("no record")
	}
	t = Taught{entry: e, isCut: data[2] != 0, taught: taught}
	data = data[lessonHead+entrySize:]
	if e.what == forget && len(data) == 0 {
		return t, nil
	}
	if e.what != learn || len(data) < 4 {
		return t, errors.New("no record")
	}
	var hashes []uint64
	n := le.Uint32(data)
	for data = data[4:]; n > 0; n-- {
		size, width := binary.Uvarint(data)
		if width <= 0 || size > uint64(len(data)-width) {
			return t, errors.New("no document")
		}
		text := data[width:][:size:size]
		hashes, t.texts = append(hashes, r.Key.Hash(text)), append(t.texts, text)
		data = data[width+int(size):]
	}
	if t.document, err = features.SavedDocument(data, hashes); err != nil || len(t.document.Terms) < len(hashes) {
		return t, errors.New("no document")
	}
	return t, nil
}

// NumberOf returns the number of a lesson, 0 for one of another version or key: garbage with a high number would hide all that its host teaches later.
func (l Lesson) NumberOf(check uint64) uint64 {
	le, data := binary.LittleEndian, l.Data
	if len(data) < lessonHead || len(l.Origin) > MaxOrigin || data[0] != lessonVersion || le.Uint64(data[8:]) != check {
		return 0
	}
	return le.Uint64(data[16:])
}

// Terms returns how many terms it has.
func (t Taught) Terms() int { return len(t.document.Terms) }

// Lesson returns it as the stream has it, with a number that is higher than those before, and with the first terms only, if it has more.
func (t Taught) Lesson(number uint64, terms int) []byte {
	le, isCut := binary.LittleEndian, terms < t.Terms()
	data := append(make([]byte, 0, 4096), lessonVersion, byte(t.entry.what), flag(isCut), 0, 0, 0, 0, 0)
	data = le.AppendUint64(le.AppendUint64(data, t.check), number)
	data = appendEntry(data, t.entry)
	if t.entry.what != learn {
		return data
	}
	d, n := t.document, min(terms, t.Terms())
	if isCut {
		d.Terms, d.Counts, d.Marks = d.Terms[:n], d.Counts[:n], d.Marks[:n]
	}
	data = le.AppendUint32(data, uint32(n))
	for _, text := range t.texts[:n] {
		data = append(binary.AppendUvarint(data, uint64(len(text))), text...)
	}
	whole := d.Append(nil, func(int) []byte { return nil })
	return append(data, whole[4+le.Uint32(whole):]...)
}

// Outbox reads what waits in a log. It locks nothing.
type Outbox struct {
	Path  string         // of the model
	last  logfile.Record // the last one that was read
	queue []int64        // the offsets of what waits in the log
}

// Len returns how many records wait, as of the last call of Next.
func (o *Outbox) Len() int { return len(o.queue) }

// Done takes the first n records out.
func (o *Outbox) Done(n int) { o.queue = o.queue[n:] }

// Next returns up to n records that wait, the oldest first. A log that was written anew since the last call has
// none before it has followed the stream to a position, that of the last record that was sent: it may have its place by then.
func (o *Outbox) Next(n int, sent uint64) (all []Taught, err error) {
	err = reading(o.Path, func(b *book) error {
		last := o.last
		if there, _, _ := b.log.At(last.At, b.end); last.End == 0 || there != last { // the number of its file may be that of another log before
			if !b.facts.follows() || b.facts.Shared.Position < sent {
				return nil
			}
			l, err := b.read(nil)
			if err != nil {
				return err
			}
			if last, _, err = b.log.Last(b.end); err != nil {
				return err
			}
			o.queue = l.offsets(Entry.waits)
		}
		_, err := b.log.Each(last.End, b.end, func(r logfile.Record) error {
			if last = r; entryOf(r).waits() {
				o.queue = append(o.queue, r.At)
			}
			return nil
		})
		if err == nil {
			o.last = last
			err = b.eachTaught(o.queue[:min(n, len(o.queue))], func(_ logfile.Record, t Taught) error {
				all = append(all, t)
				return nil
			})
		}
		return err
	})
	return all, err
}

// offsets returns the offsets of some entries in the log, in ascending order.
func (l *ledger) offsets(some func(Entry) bool) (offsets []int64) {
	for _, e := range l.entries {
		if some(e) {
			offsets = append(offsets, e.at)
		}
	}
	slices.Sort(offsets)
	return offsets
}

// eachTaught calls do with what the records at some offsets taught. It searches the log for texts that only other records have, once for all.
func (b *book) eachTaught(offsets []int64, do func(r logfile.Record, t Taught) error) error {
	others := map[uint64][]byte{} // these texts, by hash
	for _, at := range offsets {
		if _, _, err := b.taught(at, others); err != nil {
			return err
		}
	}
	if err := b.findTexts(others); err != nil {
		return err
	}
	for _, at := range offsets {
		r, t, err := b.taught(at, others)
		if err == nil {
			err = do(r, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// taught returns the record at an offset and what it taught. A text that the record lacks is taken from others, or gets a place there.
func (b *book) taught(at int64, others map[uint64][]byte) (r logfile.Record, t Taught, err error) {
	t.check = b.check()
	r, err = b.record(at)
	if what := op(r.Op); err != nil || what != learn && what != forget {
		return r, t, err
	}
	if t.entry, err = b.entry(r); err == nil && t.entry.what == learn {
		t.document, t.texts, err = b.document(t.entry)
	}
	if err != nil {
		return r, t, err
	}
	t.texts = append(t.texts, make([][]byte, len(t.document.Terms)-len(t.texts))...)
	for i, hash := range t.document.Terms {
		if t.texts[i] == nil {
			t.texts[i] = others[hash]
			others[hash] = t.texts[i]
		}
	}
	return r, t, nil
}

// findTexts sets the texts of terms by their hashes.
func (b *book) findTexts(lacks map[uint64][]byte) error {
	if len(lacks) == 0 {
		return nil
	}
	enter := func(hash uint64, text []byte) error {
		if old, is := lacks[hash]; is && old == nil && text != nil {
			lacks[hash] = bytes.Clone(text)
		}
		return nil
	}
	if err := b.eachTerm(enter); err != nil {
		return err
	}
	return b.each(func(r logfile.Record) error {
		if op(r.Op) != learn {
			return nil
		}
		data, own, err := b.body(r)
		if err != nil || !own {
			return err
		}
		d, texts, err := features.ReadDocument(data)
		for i, hash := range d.Terms {
			_ = enter(hash, texts[i])
		}
		return err
	})
}
