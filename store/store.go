package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/cespare/xxhash/v2"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/filelock"
	"chaff/internal/journal"
	"chaff/internal/limits"
	"chaff/internal/replace"
	"chaff/internal/sections"
	"chaff/train"
)

// Suffix is what the name of a store has after that of its model.
const Suffix = ".store"

// Reasons why a store cannot be used.
var (
	// ErrNone is returned for a model without a store.
	ErrNone = errors.New("the model has no store")
	// ErrLocked is returned if another process does not stop writing.
	ErrLocked = errors.New("another process is learning")
	// ErrForeign is returned for a store of another model.
	ErrForeign = filter.ErrOtherModel
)

// ErrTooFew is returned if a model cannot be fitted yet. Copies of a message count as one.
var ErrTooFew = errors.New("too few different messages of a class")

// Store is the store of a model, open for learning. It belongs to one goroutine, and to one process at a time.
type Store struct {
	path    string // of the model
	options Options
	now     func() time.Time
	file    *os.File // locked
	filter  *filter.Filter
	reader  *filter.Reader
	base    *base
	journal *journal.Journal
	failed  error // a write that failed and could not be taken back
	limit   int   // of records of the journal
	taught  int   // messages that this process has learned
}

// Open opens the store of the model at path and locks it. It waits for a while for another process to finish.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	s, err := open(ctx, path, o)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path+Suffix, err)
	}
	return s, nil
}

// OpenAsBefore is [Open] with the options that the store was begun, or last folded, with.
func OpenAsBefore(ctx context.Context, path string) (*Store, error) {
	s, err := Open(ctx, path, Options{})
	if err != nil {
		return nil, err
	}
	f, err := s.base.facts()
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("open store %s: %w", path+Suffix, err)
	}
	s.options = f.Options
	return s, nil
}

func open(ctx context.Context, path string, o Options) (*Store, error) {
	target, err := replace.Target(path)
	if err != nil {
		return nil, err
	}
	if err := owned(target); err != nil {
		return nil, err
	}
	s := &Store{path: target, options: o, now: time.Now, limit: maxRecords}
	if s.file, err = lockFile(ctx, target+Suffix); err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// owned returns an error if there is no store of the model at path, or one that another user may have put there.
func owned(path string) error {
	err := replace.CheckOwner(path+Suffix, path)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNone
	}
	return err
}

// openRegular opens a file without waiting for a FIFO. The error does not name it.
func openRegular(path string, flag int) (*os.File, error) {
	file, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, withoutPath(err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = replace.ErrSpecial
	}
	if err != nil {
		file.Close()
		return nil, withoutPath(err)
	}
	return file, nil
}

// lockFile opens and locks a store.
func lockFile(ctx context.Context, path string) (*os.File, error) {
	for {
		file, err := waitForLock(ctx, func() (*os.File, error) { return openRegular(path, os.O_RDWR) })
		if errors.Is(err, fs.ErrNotExist) {
			return nil, ErrNone
		}
		if err != nil {
			return nil, err
		}
		mine, err1 := file.Stat()
		there, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			return file, nil
		}
		file.Close() // another process has replaced it
	}
}

// waitForLock opens a file and locks it. It waits for a while for another process, and opens the file anew each time.
func waitForLock(ctx context.Context, open func() (*os.File, error)) (*os.File, error) {
	for deadline := time.Now().Add(lockWait); ; {
		file, err := open()
		if err != nil {
			return nil, withoutPath(err)
		}
		locked, err := filelock.Try(file)
		if err == nil && locked {
			return file, nil
		}
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("lock: %w", err)
		}
		if time.Now().After(deadline) {
			return nil, ErrLocked
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// load reads the journal and opens the model that it belongs to. It completes a fold that was interrupted, and cuts off a torn record.
func (s *Store) load() error {
	s.closeFilter()
	info, err := s.file.Stat()
	if err != nil {
		return withoutPath(err)
	}
	if s.base, err = openBase(sections.Plain(s.file)); err != nil {
		return err
	}
	if s.journal, err = journal.Open(sections.Plain(s.file), info.Size(), false); err != nil {
		return withoutPath(err)
	}
	if s.filter, err = s.openModel(); err != nil {
		return err
	}
	s.reader = nil
	if s.end() < info.Size() {
		return withoutPath(s.file.Truncate(s.end()))
	}
	return nil
}

// end returns where the next record goes.
func (s *Store) end() int64 { return s.journal.Base() + s.journal.Size() }

// openModel opens the model of the journal. An interrupted fold may have left it beside the old one.
func (s *Store) openModel() (*filter.Filter, error) {
	next := s.path + nextSuffix
	waiting, waits, err := identityOfNext(next, s.path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", next, err)
	}
	if waits && waiting == s.journal.Model() {
		if err := os.Rename(next, s.path); err != nil { // the store is in place: complete the fold
			return nil, withoutPath(err)
		}
		waits = false
	}
	f, err := filter.OpenToLearn(s.path, s.base.sections, s.journal)
	if err == nil && waits { // of a fold that was interrupted before its store was in place
		err = withoutPath(os.Remove(next))
	}
	return f, err
}

// identityOfNext returns the identity of the model that a fold left beside the one at path, 0 for a file that is no model, and reports whether
// there is a file. A file of another user is none.
func identityOfNext(next, path string) (identity uint64, is bool, err error) {
	if replace.CheckOwner(next, path) != nil {
		return 0, false, nil
	}
	file, err := openRegular(next, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, false, withoutPath(err)
	}
	if identity, err = filter.IdentityOf(file, info.Size()); err != nil {
		identity = 0
	}
	return identity, true, nil
}

// Close unlocks the store.
func (s *Store) Close() error {
	s.closeFilter()
	return s.file.Close()
}

// Unlock is Close for a process that is about to end, which then frees the memory of the model for less.
func (s *Store) Unlock() error { return s.file.Close() }

func (s *Store) closeFilter() {
	if s.filter != nil {
		s.filter.Close()
		s.filter = nil
	}
}

// Message is a message to learn.
type Message struct {
	Raw   []byte
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
	// Class, Score and Probability are what the filter said of it before.
	Class       string         `json:"class,omitempty"`
	Verdict     filter.Verdict `json:"verdict,omitempty"`
	Score       float64        `json:"score"`
	Probability float64        `json:"probability"`
}

// NameHash returns the hash of a name, that of a mailbox or of a file in it, under the key of the model.
func (s *Store) NameHash(name string) uint64 { return nameHash(s.filter, name) }

func nameHash(f *filter.Filter, name string) uint64 { return f.Settings().Key.Hash([]byte(name)) }

// Classes returns the names of the classes.
func (s *Store) Classes() []string { return s.filter.Settings().Classes }

// Filter returns the model of the base, without the journal. It is valid until the store is closed or has a new base.
func (s *Store) Filter() *filter.Filter { return s.filter }

// Model returns the name of the model.
func (s *Store) Model() string { return s.filter.Settings().Model }

// Learn learns a message. The model knows it at once; the file is synced before Learn returns. A message that is known with another label moves over.
// The error is about the store; it holds the state before the message then.
func (s *Store) Learn(m Message) (Outcome, error) {
	o, err := s.learn(m)
	if err != nil {
		return o, fmt.Errorf("learn into %s: %w", s.path+Suffix, err)
	}
	return o, nil
}

func (s *Store) learn(m Message) (Outcome, error) {
	classes := s.Classes()
	label := classIndex(classes, m.Label)
	if label < 0 {
		return Outcome{}, fmt.Errorf("class %q: the model has %q", m.Label, classes)
	}
	if len(m.Raw) > limits.MaxMessage {
		return s.refuse(TooLarge)
	}
	e := Entry{Learned: s.now().UTC().Truncate(time.Second), Way: m.Way, Class: -1, Score: math.NaN()}
	e.Fingerprint, e.SplitKey = corpus.Hashes(m.Raw)
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
	bag := s.reader.Bag()
	document := bag.Document()
	var old *features.Document
	if known {
		if old, err = s.documentToForget(e.Fingerprint); err != nil {
			return Outcome{}, err
		}
	}
	p, err := newUpdate(s.filter, &document, old)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{What: Learned, Class: p.verdict.Class, Verdict: p.verdict.Verdict, Score: p.verdict.Score, Probability: p.verdict.Probability}
	e.Score, e.Class = o.Score, classIndex(classes, o.Class)
	switch {
	case known:
		o.What, o.Before = Relabelled, classes[before.Label]
		e.Score, e.Class = before.Score, before.Class // what the filter said before it knew the message
	case s.options.OnError && !m.Always && s.isSure(p.verdict, label):
		o.What = Sure
		return o, nil
	}
	r := meta{change: learn, document: document, sketch: sketch, texts: make([][]byte, len(document.Terms))}
	for i, unknown := range s.filter.UnknownTerms(document) { // the ledger has the texts of the others
		if unknown {
			r.texts[i] = s.textOf(bag.Text(i))
		}
	}
	if err := s.filter.Err(); err != nil { // a term that could not be looked up has no text in the ledger, or two
		return Outcome{}, err
	}
	r.entry = e
	update := p.record(before.Label, label)
	update.Meta = appendMeta(nil, &r)
	if err := s.append(update); err != nil {
		return Outcome{}, err
	}
	s.taught++
	if len(m.Raw) > limits.LargeMessage {
		s.reader.Forget()
	}
	return o, s.foldIfLarge()
}

// isSure reports whether the filter gave a message its label and was sure of it.
func (s *Store) isSure(v filter.Classification, label int) bool {
	if classIndex(s.Classes(), v.Class) != label || v.Verdict == filter.Unsure {
		return false
	}
	p := v.Probability
	if filter.IsSpamFilter(s.Classes()) && label != filter.SpamClass {
		p = 1 - p
	}
	return 100*p >= s.options.Sure
}

// textOf returns what the store keeps of the text of a term: the text, or without texts its order hash.
func (s *Store) textOf(text []byte) []byte {
	if s.base.hasTexts {
		return slices.Clone(text)
	}
	return binary.LittleEndian.AppendUint64(nil, xxhash.Sum64(text))
}

// Forget forgets a message. Naive Bayes knows it at once, and other models when they are fitted again.
func (s *Store) Forget(raw []byte) (Outcome, error) {
	o, err := s.forgetFingerprint(fingerprint(Message{Raw: raw}))
	if err != nil {
		return o, fmt.Errorf("forget in %s: %w", s.path+Suffix, err)
	}
	return o, nil
}

func (s *Store) forgetFingerprint(fingerprint uint64) (Outcome, error) {
	before, known, err := s.find(fingerprint)
	if err != nil {
		return Outcome{}, err
	}
	if !known {
		return s.refuse(NeverKnown)
	}
	if err := s.prepare(); err != nil {
		return Outcome{}, err
	}
	old, err := s.documentToForget(fingerprint)
	if err != nil {
		return Outcome{}, err
	}
	p, err := newUpdate(s.filter, nil, old)
	if err != nil {
		return Outcome{}, err
	}
	update := p.record(before.Label, 0)
	e := Entry{Learned: s.now().UTC().Truncate(time.Second), Class: -1}
	e.Fingerprint, e.Label = fingerprint, before.Label
	update.Meta = appendMeta(nil, &meta{change: forget, entry: e})
	if err := s.append(update); err != nil {
		return Outcome{}, err
	}
	return Outcome{What: Forgotten, Before: s.Classes()[before.Label]}, s.foldIfLarge()
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

// append writes a record to the end of the journal and syncs the file. If that fails it takes the record back.
func (s *Store) append(r journal.Record) error {
	if s.failed != nil {
		return s.failed
	}
	r.Tag, r.Key = tagOf(r.Meta)
	data, err := s.write(r)
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return s.takeBack(err)
	}
	s.journal.Add(data)
	if s.journal.NeedsSummary() {
		err = s.summarise()
	}
	s.filter.Follow()
	return err
}

// write writes a record behind the last one, and returns its bytes.
func (s *Store) write(r journal.Record) ([]byte, error) {
	data := journal.Append(nil, s.journal.Next(), r)
	_, err := s.file.WriteAt(data, s.end())
	return data, err
}

// takeBack removes a record that could not be written.
func (s *Store) takeBack(err error) error {
	if s.file.Truncate(s.end()) != nil {
		s.failed = fmt.Errorf("a record could neither be written nor taken back: %w", withoutPath(err))
	}
	return withoutPath(err)
}

// summarise appends a summary of all records, which spares readers the records before it. It need not be on disk before the next record is, and
// the journal does without it if there is no room.
func (s *Store) summarise() error {
	r, err := s.journal.Summary(s.filter.Linear().Terms)
	if err != nil {
		return nil // whoever reads all records says so
	}
	data, err := s.write(r)
	if err != nil {
		s.takeBack(err)
		return s.failed
	}
	s.journal.Add(data)
	hint, at := s.journal.Hint()
	_, err = s.file.WriteAt(hint, at)
	return withoutPath(err)
}

// foldIfLarge folds a journal that readers of all of it would read for too long.
func (s *Store) foldIfLarge() error {
	if s.journal.Len() < s.limit && s.journal.Size() < maxJournalBytes {
		return nil
	}
	return s.consolidate(context.Background(), nil)
}

// find returns the entry of a fingerprint. The newest record of the journal decides, else the base.
func (s *Store) find(fingerprint uint64) (Entry, bool, error) {
	r, ok, err := s.newest(fingerprint)
	if err != nil {
		return Entry{}, false, err
	}
	if !ok {
		_, e, known, err := s.base.find(fingerprint)
		if err == nil && !e.fits(len(s.Classes())) {
			err = s.base.damaged("MSGS")
		}
		return e, known, err
	}
	e, err := entryOf(s.journal, r, len(s.Classes()))
	what, _ := splitTag(r.Tag)
	return e, what == learn, err
}

// newest returns the newest record of a fingerprint, and reports whether the journal has one.
func (s *Store) newest(fingerprint uint64) (journal.Entry, bool, error) {
	records, err := s.journal.Entries()
	for _, r := range slices.Backward(records) {
		if what, _ := splitTag(r.Tag); r.Key == fingerprint && (what == learn || what == forget) {
			return r, true, nil
		}
	}
	return journal.Entry{}, false, err
}

// metaOf returns the meta of a record of a journal, which is of a message.
func metaOf(j *journal.Journal, r journal.Entry) ([]byte, error) {
	record, err := j.Record(r)
	if err != nil {
		return nil, err
	}
	_, _, meta, err := record.Rest()
	if err == nil && len(meta) < metaHead {
		err = errMeta
	}
	return meta, err
}

// entryOf returns the entry in a record of a journal, which is of a message.
func entryOf(j *journal.Journal, r journal.Entry, classes int) (Entry, error) {
	meta, err := metaOf(j, r)
	if err != nil {
		return Entry{}, err
	}
	e, _ := readEntry(meta[8:])
	if !e.fits(classes) {
		return Entry{}, errMeta
	}
	return e, nil
}

// documentToForget returns the document of a message that the store has, or nil if the model forgets it only when it is fitted again.
func (s *Store) documentToForget(fingerprint uint64) (*features.Document, error) {
	if !forgets(s.filter) {
		return nil, nil
	}
	r, ok, err := s.newest(fingerprint)
	if err != nil {
		return nil, err
	}
	if !ok {
		index, _, known, err := s.base.find(fingerprint)
		if err != nil || !known {
			return nil, cmp.Or(err, errMeta)
		}
		return s.base.document(index)
	}
	data, err := metaOf(s.journal, r)
	if err != nil {
		return nil, err
	}
	m, err := readMeta(data)
	if err != nil {
		return nil, err
	}
	return &m.document, nil
}

// ledger reads the base and the journal. See [features.NewDocuments] for memory.
func (s *Store) ledger(memory int64) (*ledger, error) {
	l, err := s.base.ledger(memory)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(sections.Plain(s.file), s.end(), true)
	if err != nil {
		return nil, withoutPath(err)
	}
	return l, l.apply(j)
}

// prepare makes the reader when it is first needed.
func (s *Store) prepare() (err error) {
	if s.reader == nil {
		s.reader, err = filter.NewReader(s.filter.Settings().Reading(), filter.ReaderOptions{Grams: true, Names: true})
	}
	return err
}

func classIndex(classes []string, name string) int {
	for i, class := range classes {
		if class == name {
			return i
		}
	}
	return -1
}

// withoutPath removes the operation and the path that package os adds to an error.
func withoutPath(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// fingerprint returns the digest by which a message is known.
func fingerprint(m Message) uint64 { return corpus.Fingerprint(m.Raw) }
