package filter

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"chaff/internal/journal"
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
	f, err := openFollowing(path, Open)
	if err == nil && f.onlyPart {
		if err := f.learnAll(); err != nil {
			f.dropJournal(err)
		}
		f.onlyPart = false
	}
	return f, err
}

// openFollowing opens a model with the journal of its store.
func openFollowing(path string, open func(path string) (*Filter, error)) (f *Filter, err error) {
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
		var file *os.File
		var journal *journal.Journal
		err := replace.CheckOwner(path+storeSuffix, path)
		if err == nil {
			file, journal, err = openStore(path + storeSuffix)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return f, nil
		case err != nil:
			if f.journalErr = err; isShorter(err) { // a writer cut off a torn record
				continue
			}
			return f, nil
		case journal.Model() == f.Identity():
			f.follow(file, journal)
			return f, nil
		}
		next, err := (*Filter)(nil), replace.CheckOwner(path+nextSuffix, path)
		if err == nil {
			next, err = open(path + nextSuffix)
		}
		switch {
		case err != nil:
		case journal.Model() == next.Identity():
			f.Close()
			next.follow(file, journal)
			return next, nil
		default:
			next.Close()
		}
		file.Close()
		f.journalErr = ErrOtherModel
	}
	return f, nil
}

func isShorter(err error) bool { return errors.Is(err, journal.ErrTruncated) }

// openStore opens a store and reads its journal.
func openStore(path string) (*os.File, *journal.Journal, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which does not wait for a FIFO
	if err == nil {
		var j *journal.Journal
		if j, err = readJournal(file); err == nil {
			return file, j, nil
		}
		file.Close()
	}
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err // whoever prints it names the file
	}
	return nil, nil, err
}

func readJournal(file *os.File) (*journal.Journal, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, journal.ErrNotStore
	}
	return journal.Open(sections.Plain(file), info.Size(), false)
}

// follow makes f use a journal, whose file it closes.
func (f *Filter) follow(file *os.File, j *journal.Journal) {
	if j.Len() > 0 {
		base, err := journal.BaseFormat().Open(sections.Plain(file))
		if err == nil {
			err = f.know(base, j)
		}
		if err == nil && f.knowledge == nil {
			err = ErrNotLearning
		}
		f.journalErr = err
	}
	if f.knowledge == nil {
		file.Close()
		return
	}
	f.store, f.onlyPart = file, true
}

// know makes f know what its learner knew when a base was written, if the base has that, and the records since.
func (f *Filter) know(base *sections.Reader, j *journal.Journal) error {
	s, err := readState(base, f.linear.Terms)
	if s == nil {
		return err
	}
	f.knowledge = &knowledge{state: s, ids: f.linear.Terms, journal: j}
	f.knowledge.follow()
	return nil
}

// OpenToLearn opens the model at path, whose store has the given base and journal. It is for a program that learns, and holds the lock of the
// store. The error wraps [ErrOtherModel], or is about a file.
func OpenToLearn(path string, base *sections.Reader, j *journal.Journal) (*Filter, error) {
	return openToLearn(path, base, j, time.Now())
}

// openToLearn takes the time, as openForOne does.
func openToLearn(path string, base *sections.Reader, j *journal.Journal, now time.Time) (*Filter, error) {
	f, err := openPart(path, now)
	if err != nil {
		return nil, err
	}
	if f.Identity() != j.Model() {
		f.Close()
		return nil, ErrOtherModel
	}
	if err := f.know(base, j); err != nil {
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
	return f.knowledge.journal.Len()
}

// Identity returns a number that identifies the model file that f was opened from, and that its store has; else 0.
func (f *Filter) Identity() uint64 {
	if f.file == nil {
		return 0
	}
	return f.file.Identity()
}
