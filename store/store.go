package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"chaff/corpus"
	"chaff/filter"
	"chaff/internal/filelock"
	"chaff/internal/journal"
	"chaff/internal/replace"
	"chaff/internal/sections"
	"chaff/message"
	"chaff/train"
)

// Suffix is appended to the path of a model to name its store.
const Suffix = ".store"

// Reasons why a store cannot be used.
var (
	// ErrNone is returned for a model without a store.
	ErrNone = errors.New("the model has no store")
	// ErrLocked is returned if another process does not stop writing.
	ErrLocked = errors.New("another process is learning")
	// ErrLearned is returned instead of replacing a store that has learned or forgotten messages meanwhile.
	ErrLearned = errors.New("messages were learned meanwhile")
	// ErrVersion is returned for a store that another version of the program wrote.
	ErrVersion = journal.ErrVersion
	// ErrForeign is returned for a store of another model.
	ErrForeign = filter.ErrOtherModel
)

// ErrTooFew is returned if a model cannot be fitted yet. Copies of a message count as one.
var ErrTooFew = errors.New("too few different messages of a class")

// Store is the store of a model, open for learning. It belongs to one goroutine, and to one process at a time.
type Store struct {
	path       string // of the model
	options    Options
	now        func() time.Time
	file       *os.File // locked
	filter     *filter.One
	reader     *filter.Reader
	base       *base
	journal    *journal.Journal
	provenance *train.Provenance // of the filter, read when it is first needed
	failed     error             // a write that failed and could not be taken back, or a base that could not be read
	// unfolded is why the last fold that was due failed.
	unfolded error
	limit    int // of records of the journal
	onErrors bool
	taught   int // messages that this process has learned
	expired  int // messages that this process has dropped
}

// Open opens the store of the model at path and locks it. It waits for a while for another process to finish. The error wraps [ErrNone],
// [ErrLocked] or [ErrForeign], or is about a file.
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
		return nil, replace.Reason(err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = replace.ErrSpecial
	}
	if err != nil {
		file.Close()
		return nil, replace.Reason(err)
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
			return nil, replace.Reason(err)
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

// load reads the journal and opens the model that it belongs to; after an error what was loaded before stays. It completes a fold that was interrupted, and cuts off a torn record.
func (s *Store) load() error {
	info, err := s.file.Stat()
	if err != nil {
		return replace.Reason(err)
	}
	j, err := journal.Open(sections.Plain(s.file), info.Size(), false)
	if err != nil {
		return replace.Reason(err)
	}
	f, err := s.openModel(j)
	if err != nil {
		return err
	}
	s.closeFilter()
	s.base, s.journal, s.filter, s.reader, s.provenance = baseOf(j.Base()), j, f, nil, nil
	if s.end() < info.Size() {
		return replace.Reason(s.file.Truncate(s.end()))
	}
	return nil
}

// end returns where the next record goes.
func (s *Store) end() int64 { return s.journal.Base().Size() + s.journal.Size() }

// openModel opens the model of a journal. An interrupted fold may have left it beside the old one.
func (s *Store) openModel(j *journal.Journal) (*filter.One, error) {
	next := s.path + nextSuffix
	waiting, waits, err := identityOfNext(next, s.path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", next, err)
	}
	if waits && waiting == j.Model() {
		if err := os.Rename(next, s.path); err != nil { // the store is in place: complete the fold
			return nil, replace.Reason(err)
		}
		waits = false
	}
	f, err := filter.OpenToLearn(s.path, j)
	if err == nil && waits { // of a fold that was interrupted before its store was in place
		err = replace.Reason(os.Remove(next))
	}
	return f, err
}

// identityOfNext returns the identity of the model that a fold left beside the one at path, 0 for what is empty or damaged, and reports whether
// there is one. A file of another user is none, nor one of another kind.
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
		return 0, false, replace.Reason(err)
	}
	if identity, err = filter.IdentityOf(file, info.Size()); errors.Is(err, filter.ErrNotModel) && info.Size() > 0 {
		return 0, false, nil
	}
	return identity, true, nil
}

// LearnOnErrors makes this process learn only what the filter got wrong or was not sure of, as [Options.OnError] does for all.
func (s *Store) LearnOnErrors() { s.onErrors = true }

// Expired returns how many messages have left the store since it was opened, because they were the oldest.
func (s *Store) Expired() int { return s.expired }

// Close unlocks the store.
func (s *Store) Close() error {
	s.closeFilter()
	return s.file.Close()
}

// Unlock is Close for a process about to exit: it leaves the memory of the model to the system.
func (s *Store) Unlock() error { return s.file.Close() }

func (s *Store) closeFilter() {
	if s.filter != nil {
		s.filter.Close()
		s.filter = nil
	}
}

// NameHash returns the hash of a name, that of a mailbox or of a file in it, under the key of the model.
func (s *Store) NameHash(name string) uint64 { return nameHash(s.filter.Settings(), name) }

// Fingerprint returns the digest by which a message is known: that under the key of the model.
func (s *Store) Fingerprint(raw []byte) uint64 { return fingerprint(s.filter.Settings(), raw) }

func fingerprint(s filter.Settings, raw []byte) uint64 {
	return corpus.Fingerprint(message.Original(raw), s.Key)
}

func nameHash(s filter.Settings, name string) uint64 { return s.Key.Hash([]byte(name)) }

// Classes returns the names of the classes.
func (s *Store) Classes() []string { return s.filter.Settings().Classes }

// Filter returns the model of the base, without the journal. It is valid until the store is closed or has a new base.
func (s *Store) Filter() *filter.One { return s.filter }

// Model returns the name of the model.
func (s *Store) Model() string { return s.filter.Settings().Model }

// ledger reads the base and the journal. See [features.NewDocuments] for memory.
func (s *Store) ledger(memory int64) (*ledger, error) {
	l, err := s.base.ledger(memory)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(sections.Plain(s.file), s.end(), true)
	if err != nil {
		return nil, replace.Reason(err)
	}
	return l, l.apply(j)
}
