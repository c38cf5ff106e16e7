package filter

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"syscall"

	"chaff/features"
	"chaff/internal/journal"
	"chaff/internal/sections"
)

// The files of a model beside the model itself.
const (
	storeSuffix = ".store"
	nextSuffix  = ".next" // the model that a fold is about to put in place
)

// ErrOtherModel is the reason for not using a journal of another model.
var ErrOtherModel = errors.New("the store belongs to another model")

// maxOpens is how often a reader opens the files of a model to find two that belong together. A fold replaces them once.
const maxOpens = 4

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
	for range maxOpens {
		if f != nil {
			f.Close()
		}
		if f, err = open(path); err != nil {
			return nil, err
		}
		s, err := read(path + storeSuffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return f, nil
		case errors.Is(err, ErrChanged): // a writer cut off a torn record
			f.journalErr = err
			continue
		case err != nil:
			f.journalErr = err
			return f, nil
		case s.model == f.Identity():
			f.follow(s)
			return f, nil
		}
		next, err := open(path + nextSuffix)
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
	if s.records.Len() == 0 || f.knowledge == nil {
		if s.close(); s.records.Len() > 0 {
			f.journalErr = ErrNotLearning
		}
		return
	}
	f.knowledge.records, f.knowledge.later = s.records, s.later
	f.store, f.onlyPart = s.mapped, true
}

// dropJournal makes f do without its journal.
func (f *Filter) dropJournal(err error) {
	f.journalErr, f.onlyPart = err, false
	f.knowledge.records, f.knowledge.later = journal.Records{}, features.Extension{}
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

// storeFile is the journal of a store.
type storeFile struct {
	model   uint64
	records journal.Records
	later   features.Extension
	mapped  *mapping // the memory of the records; nil if it is a copy
}

// newStoreFile reads a journal.
func newStoreFile(data []byte) (s storeFile, err error) {
	if s.model, err = journal.Model(data); err != nil {
		return storeFile{}, err
	}
	if s.records, _, err = journal.Scan(data); err != nil {
		return storeFile{}, err
	}
	for i := range s.records.Len() {
		s.later.Add(s.records.At(i).New)
	}
	return s, nil
}

func (s storeFile) close() {
	if s.mapped != nil {
		s.mapped.close()
	}
}

// mapStore maps the store at path and reads its journal. If it cannot be mapped, it is readStore.
func mapStore(path string) (s storeFile, err error) {
	m := mapGrowing(path)
	if m == nil {
		return readStore(path)
	}
	defer func() {
		if m.changed() {
			err = ErrChanged
		}
		if err != nil {
			m.close()
		}
	}()
	defer m.catch(debug.SetPanicOnFault(true))
	h, err := journal.Locate(m.data)
	if err != nil {
		return storeFile{}, err
	}
	s, err = newStoreFile(m.data[h.Base:])
	s.mapped = m
	return s, err
}

// readStore reads the journal of the store at path into memory.
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
	return newStoreFile(data[:n])
}
