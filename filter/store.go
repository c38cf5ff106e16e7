package filter

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"chaff/internal/journal"
	"chaff/internal/mapped"
	"chaff/internal/replace"
	"chaff/internal/sections"
)

// The files of a model beside the model itself.
const (
	storeSuffix = ".store"
	nextSuffix  = ".next" // the model that a fold is about to put in place
)

// StorePath returns the path of the store of the model at path.
func StorePath(path string) string { return path + storeSuffix }

// ErrOtherModel is the reason for not using a journal of another model.
var ErrOtherModel = errors.New("the store belongs to another model")

// maxOpens is how often a reader opens the files of a model to find two that belong together. A fold replaces them once.
const maxOpens = 20

// OpenLearned is [Open] with what was learned since the model was written: the journal of path.store. A store that cannot be used is no
// error; [Filter.JournalErr] returns the reason.
func OpenLearned(path string) (*Filter, error) {
	f, err := openFollowing(path, Open, readStore)
	if err == nil && f.onlyPart {
		if f.onlyPart = false; f.knowledge != nil {
			if err := f.learnAll(); err != nil {
				f.dropJournal(err)
			}
		}
	}
	return f, err
}

// openFollowing opens a model with the journal of its store.
func openFollowing(path string, open func(path string) (*Filter, error), read func(path string) (storeFile, error)) (f *Filter, err error) {
	if _, err := os.Readlink(path); err == nil { // the store is beside the file, not beside the link
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
	}
	for range maxOpens {
		if f != nil {
			f.Close()
		}
		if f, err = open(path); err != nil {
			return nil, err
		}
		s, err := storeFile{}, replace.CheckOwner(path+storeSuffix, path)
		if err == nil {
			s, err = read(path + storeSuffix)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return f, nil
		case errors.Is(err, ErrChanged): // a writer cut off a torn record
			f.journalErr = err
			continue
		case err != nil:
			if pathError, ok := errors.AsType[*fs.PathError](err); ok {
				err = pathError.Err // whoever prints it names the file
			}
			f.journalErr = err
			return f, nil
		case s.model == f.Identity():
			f.follow(s)
			return f, nil
		}
		next, err := (*Filter)(nil), replace.CheckOwner(path+nextSuffix, path)
		if err == nil {
			next, err = open(path + nextSuffix)
		}
		switch {
		case err != nil:
		case s.model == next.Identity():
			f.Close()
			next.follow(s)
			return next, nil
		default:
			next.Close()
		}
		s.close()
		f.journalErr = ErrOtherModel
	}
	return f, nil
}

// follow makes f use a journal.
func (f *Filter) follow(s storeFile) {
	err := error(nil)
	if s.records.Len() > 0 {
		err = f.know(s.state, s.records)
	}
	if f.knowledge == nil {
		s.close()
		f.journalErr = err
		return
	}
	f.store, f.onlyPart = s.mapped, true
}

// know makes f know what its learner knew when a base was written, and the records since.
func (f *Filter) know(s *state, records journal.Records) error {
	switch {
	case s == nil:
		return ErrNotLearning
	case len(s.blocks) != blockNumbers*blocksOf(f.linear.Terms):
		return fmt.Errorf("%w: section ROWS is not for %d terms", journal.ErrDamaged, f.linear.Terms)
	}
	f.knowledge = &knowledge{state: s, ids: f.linear.Terms, records: records}
	for i := range records.Len() {
		f.knowledge.later.Add(records.At(i).New)
	}
	return nil
}

// OpenToLearn opens the model at path, whose store has the given base and records and says what its identity is. It is for a program that
// learns, and holds the lock of the store. The error wraps [ErrOtherModel], or is about a file.
func OpenToLearn(path string, identity uint64, base *sections.Reader, records journal.Records) (*Filter, error) {
	f, err := openMapped(path, time.Now())
	if err != nil {
		return nil, err
	}
	if f.Identity() != identity {
		f.Close()
		return nil, ErrOtherModel
	}
	s, err := readState(base)
	if err == nil && s != nil {
		err = f.know(s, records)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// dropJournal makes f do without its journal.
func (f *Filter) dropJournal(err error) {
	f.journalErr, f.onlyPart, f.knowledge = err, false, nil
}

// JournalErr returns why f does without the journal of its store, or nil.
func (f *Filter) JournalErr() error { return f.journalErr }

// Learned returns how many records of a journal f uses.
func (f *Filter) Learned() int {
	if f.knowledge == nil {
		return 0
	}
	return f.knowledge.records.Len()
}

// Identity returns a number that identifies the model file that f was opened from, and that its store has; else 0.
func (f *Filter) Identity() uint64 {
	if f.file == nil {
		return 0
	}
	return f.file.Identity()
}

// storeFile is a store as a reader uses it.
type storeFile struct {
	model   uint64
	records journal.Records
	state   *state       // nil without records, or if the model cannot learn on
	mapped  *mapped.File // the memory of the records; nil if it is a copy
}

// newStoreFile reads a journal and what the base in front of it says of the learner.
func newStoreFile(file io.ReaderAt, data []byte) (s storeFile, base *sections.Reader, err error) {
	if s.model, err = journal.Model(data); err != nil {
		return s, nil, err
	}
	if s.records, _, err = journal.Scan(data); err != nil || s.records.Len() == 0 {
		return s, nil, err
	}
	if base, err = journal.BaseFormat().Open(file); err == nil {
		s.state, err = readState(base)
	}
	return s, base, err
}

func (s storeFile) close() {
	if s.mapped != nil {
		s.mapped.Close()
	}
}

// mapStore maps the store at path and reads its journal. If it cannot be mapped, it is readStore.
func mapStore(path string) (s storeFile, err error) {
	m := mapped.Growing(path)
	if m == nil {
		return readStore(path)
	}
	defer func() {
		if m.Changed() {
			err = ErrChanged
		}
		if err != nil {
			m.Close()
		}
	}()
	defer m.Catch(debug.SetPanicOnFault(true))
	h, err := journal.Locate(m.Data)
	if err != nil {
		return storeFile{}, err
	}
	s, _, err = newStoreFile(m, m.Data[h.Base:])
	s.mapped = m
	return s, err
}

// readStore reads the journal of the store at path into memory and, if it has records, what the base says of the learner.
func readStore(path string) (storeFile, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which does not wait for a FIFO
	if err != nil {
		return storeFile{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = journal.ErrNotStore
	}
	head := make([]byte, sections.HeaderSize)
	if err == nil {
		var n int
		n, err = file.ReadAt(head, 0)
		if head = head[:n]; err == io.EOF {
			err = nil
		}
	}
	if err != nil {
		return storeFile{}, err
	}
	base, err := journal.BaseFormat().Size(head)
	if err != nil {
		return storeFile{}, err
	}
	if base > uint64(info.Size()) {
		return storeFile{}, journal.ErrTruncated
	}
	data := make([]byte, info.Size()-int64(base))
	n, err := file.ReadAt(data, int64(base))
	if err != nil && err != io.EOF {
		return storeFile{}, err
	}
	s, parts, err := newStoreFile(file, data[:n])
	if err == nil && s.state != nil {
		err = s.state.load(parts)
	}
	return s, err
}
