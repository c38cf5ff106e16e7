package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"github.com/cespare/xxhash/v2"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/journal"
	"chaff/internal/sections"
)

// facts are what a store knows beside its messages: section FACT.
type facts struct {
	Classes []string `json:"classes"`
	// Options are those that the store was begun, or last folded, with, for [OpenAsBefore].
	Options Options `json:"options"`
	// Begun and Fitted are times in seconds: when the store was begun by training, import or merging, and of the last fit, 0 for none.
	Begun  int64 `json:"begun"`
	Fitted int64 `json:"fitted,omitempty"`
	// FitSeconds is the CPU time of the last fit, and Changed how many messages were learned or forgotten since.
	FitSeconds float64 `json:"fit_cpu_seconds,omitempty"`
	Changed    int     `json:"changed"`
	// Known and Learned count the messages of each class that were known at the last fit, and those learned since that are in the base. All
	// are known to a model that was never fitted.
	Known   []int `json:"known"`
	Learned []int `json:"learned"`
	// Expired counts the messages that left because they were the oldest, Forgotten those that were forgotten, and Refused refusals by reason.
	Expired   int            `json:"expired,omitempty"`
	Forgotten int            `json:"forgotten,omitempty"`
	Refused   map[string]int `json:"refused,omitempty"`
}

// count sets Known and Learned.
func (f *facts) count(entries []Entry) {
	f.Known, f.Learned = make([]int, len(f.Classes)), make([]int, len(f.Classes))
	for _, e := range entries {
		if f.Fitted != 0 && e.Learned.Unix() > f.Fitted {
			f.Learned[e.Label]++
		} else {
			f.Known[e.Label]++
		}
	}
}

// ledger is all messages of a store, in the order in which they were first learned.
type ledger struct {
	facts         facts
	documents     *features.Documents
	entries       []Entry
	byFingerprint map[uint64]int // index of an entry
	seen          sightings
	// trusted are messages that were not learned, because the filter was right and sure of them: see [Options.OnError].
	trusted []Entry
}

// base is the base of an open store, whose sections are read when they are needed.
type base struct {
	sections *sections.Reader
}

func baseOf(s *sections.Reader) *base { return &base{s} }

const (
	// digestSize is the size of a digest in section DIGS: u64 fingerprint, u32 index of the message, u32 zero.
	digestSize = 16
	// digestBlock is the most digests of a block. A u64 follows them: their xxhash64 plus the number of the block.
	digestBlock = 64
)

// find returns the entry of a fingerprint, and its index.
func (b *base) find(fingerprint uint64) (index int, e Entry, known bool, err error) {
	index, known, err = b.indexOf(fingerprint)
	if err != nil || !known {
		return 0, Entry{}, false, err
	}
	messages, err := b.sections.Section("MSGS")
	if err != nil {
		return 0, Entry{}, false, err
	}
	if uint(index) < uint(len(messages)/entrySize) {
		e, _ = readEntry(messages[index*entrySize:])
		return index, e, true, nil
	}
	return 0, Entry{}, false, b.damaged("DIGS")
}

// indexOf returns the index of the message with a fingerprint, by halves: it reads and verifies few of the blocks.
func (b *base) indexOf(fingerprint uint64) (index int, known bool, err error) {
	digests, err := b.sections.Part("DIGS")
	if err != nil {
		return 0, false, err
	}
	const size = digestSize*digestBlock + 8
	le, buffer := binary.LittleEndian, make([]byte, size)
	for low, high := int64(0), (digests.Size()+size-1)/size; low < high; {
		number := (low + high) / 2
		block := buffer[:min(size, digests.Size()-number*size)]
		if _, err := digests.ReadAt(block, number*size); err != nil && err != io.EOF {
			return 0, false, err
		}
		end := len(block) - 8
		if end < digestSize || end%digestSize != 0 || le.Uint64(block[end:]) != xxhash.Sum64(block[:end])+uint64(number) {
			return 0, false, b.damaged("DIGS")
		}
		switch i := sort.Search(end/digestSize, func(i int) bool { return le.Uint64(block[digestSize*i:]) >= fingerprint }); {
		case i == end/digestSize:
			low = number + 1
		case le.Uint64(block[digestSize*i:]) == fingerprint:
			return int(le.Uint32(block[digestSize*i+8:])), true, nil
		case i > 0:
			return 0, false, nil
		default:
			high = number
		}
	}
	return 0, false, nil
}

// saveDigests writes the content of section DIGS.
func (l *ledger) saveDigests(w *sections.Writer) {
	order := make([]int, len(l.entries))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(l.entries[i].Fingerprint, l.entries[j].Fingerprint) })
	le, number := binary.LittleEndian, uint64(0)
	var digests []byte
	for block := range slices.Chunk(order, digestBlock) {
		digests = digests[:0]
		for _, i := range block {
			digests = le.AppendUint64(digests, l.entries[i].Fingerprint)
			digests = le.AppendUint64(digests, uint64(i))
		}
		w.Write(le.AppendUint64(digests, xxhash.Sum64(digests)+number))
		number++
	}
}

// document returns a document.
func (b *base) document(index int) (*features.Document, error) {
	d, err := features.SavedDocument(b.sections, index)
	return &d, err
}

// entries returns the entries of a section, MSGS or SURE, without documents and sketches, and the sizes of the sketches.
func (b *base) entries(section string, classes int) (all []Entry, sketches []int, err error) {
	messages, err := b.sections.Section(section)
	if err != nil {
		return nil, nil, err
	}
	if len(messages)%entrySize != 0 {
		return nil, nil, b.damaged(section)
	}
	for ; len(messages) > 0; messages = messages[entrySize:] {
		e, sketch := readEntry(messages)
		if !e.fits(classes) || sketch > math.MaxInt32/8 {
			return nil, nil, b.damaged(section)
		}
		all, sketches = append(all, e), append(sketches, int(sketch))
	}
	return all, sketches, nil
}

func (b *base) damaged(section string) error {
	return fmt.Errorf("%w: section %s", journal.ErrDamaged, section)
}

func (b *base) facts() (f facts, err error) {
	data, err := b.sections.Section("FACT")
	if err != nil {
		return f, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("%w: %w", journal.ErrVersion, err)
	}
	if n := len(f.Classes); n < 2 || len(f.Known) != n || len(f.Learned) != n {
		return f, b.damaged("FACT")
	}
	return f, nil
}

// ledger reads the whole base. See [features.NewDocuments] for memory.
func (b *base) ledger(memory int64) (*ledger, error) {
	l := new(ledger)
	var sketches []int
	var err error
	if l.facts, err = b.facts(); err != nil {
		return nil, err
	}
	if l.entries, sketches, err = b.entries("MSGS", len(l.facts.Classes)); err != nil {
		return nil, err
	}
	if l.trusted, _, err = b.entries("SURE", len(l.facts.Classes)); err != nil {
		return nil, err
	}
	if l.seen, err = b.sightings(len(l.facts.Classes)); err != nil {
		return nil, err
	}
	var refs []features.Ref
	if l.documents, refs, err = features.OpenDocuments(b.sections, memory); err != nil {
		return nil, err
	}
	if len(refs) != len(l.entries) {
		return nil, b.damaged("ENDS")
	}
	kept, err := b.sections.Stream("SKCH")
	if err != nil {
		return nil, err
	}
	w := l.documents.NewWriter()
	defer w.Close()
	l.byFingerprint = make(map[uint64]int, len(l.entries))
	for i := range l.entries {
		e := &l.entries[i]
		e.Terms = refs[i]
		sketch := kept.Next(8 * sketches[i])
		if sketch == nil {
			return nil, cmp.Or(kept.Close(), b.damaged("SKCH"))
		}
		e.Sketch = w.Keep(sketch)
		l.byFingerprint[e.Fingerprint] = i
	}
	return l, kept.Close()
}

// apply does to the ledger what the records of a journal say.
func (l *ledger) apply(j *journal.Journal) error {
	w := l.documents.NewWriter()
	defer w.Close()
	gone := map[int]bool{}
	for _, r := range j.Records() {
		_, _, data, err := r.Rest()
		if err != nil {
			return err
		}
		if changeOf(data) == see {
			if err := l.seen.apply(data, len(l.facts.Classes)); err != nil {
				return err
			}
			continue
		}
		m, err := readMeta(data)
		if err != nil {
			return err
		}
		if m.change == refuse {
			l.refused(m.reason.String(), 1)
			continue
		}
		e := m.entry
		if !e.fits(len(l.facts.Classes)) {
			return errMeta
		}
		trusted := len(l.trusted)
		l.distrust(e.Fingerprint)
		at, known := l.byFingerprint[e.Fingerprint]
		switch {
		case m.change == trust:
			l.trusted = append(l.trusted, e)
			continue
		case m.change == forget && known:
			gone[at] = true
			delete(l.byFingerprint, e.Fingerprint)
			l.facts.Forgotten++
		case m.change == forget && len(l.trusted) < trusted:
			continue
		case m.change == learn:
			e.Terms, e.Sketch = w.AddDocument(m.document, func(i int) []byte { return m.texts[i] }), w.Keep(m.sketch)
			l.put(e)
		default:
			return errMeta
		}
		l.facts.Changed++
	}
	l.remove(func(i int) bool { return gone[i] })
	return l.documents.Err()
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

// refused counts refusals.
func (l *ledger) refused(why string, n int) {
	if l.facts.Refused == nil {
		l.facts.Refused = map[string]int{}
	}
	l.facts.Refused[why] += n
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

// save writes the base of a ledger and of what the learner of f knows:
//
//	FACT facts as JSON
//	SKCH the sketches, one after the other, u64 each
//	MSGS an entry of entrySize for each message, whose last number is the size of its sketch
//	DIGS fingerprints in ascending order with the index of the message, in blocks with a checksum
//	SEEN the files of mailboxes
//	SURE entries of the messages that the filter was sure of
//
// The sections of the documents follow, then those of the learner.
func (l *ledger) save(file io.WriterAt, f *filter.Filter) (size int64, err error) {
	l.facts.count(l.entries)
	info, err := json.Marshal(l.facts)
	if err != nil {
		return 0, err
	}
	w := journal.BaseFormat().NewWriter(file, 6+features.SavedSections+filter.LearnedSections)
	w.Begin("FACT")
	w.Write(info)
	w.Begin("SKCH")
	kept, sizes := l.documents.Kept(), make([]uint32, len(l.entries))
	for i, e := range l.entries {
		sketch := kept(e.Sketch)
		sizes[i] = uint32(len(sketch) / 8)
		w.Write(sketch)
	}
	w.Begin("MSGS")
	w.WriteEach(len(l.entries), func(dst []byte, i int) []byte { return appendEntry(dst, l.entries[i], uint64(sizes[i])) })
	w.Begin("DIGS")
	l.saveDigests(w)
	w.Begin("SEEN")
	w.Write(l.seen.encode(l.knows()))
	w.Begin("SURE")
	w.WriteEach(len(l.trusted), func(dst []byte, i int) []byte { return appendEntry(dst, l.trusted[i], 0) })
	if err := l.documents.Save(w, l.refs()); err != nil {
		return 0, err
	}
	if err := f.SaveLearned(w); err != nil {
		return 0, err
	}
	size, _, err = w.Close()
	return size, err
}
