package serve

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"chaff/filter"
	"chaff/store"
)

// loaded is the shared model in memory. It stays there until the last judgement with it ends.
type loaded struct {
	filter *filter.Filter
	// reading numbers the ways of reading messages: a model of a user that was opened with another number may not fit.
	reading int
	opened  time.Time
}

// shared is the model that all users share.
type shared struct {
	path string
	now  atomic.Pointer[loaded]

	mu      sync.Mutex // of the fields below, and of reloading
	files   files
	trouble error // why the files were not read
}

// files are the files of a model, as they were at one time.
type files [2]os.FileInfo

// filesOf looks at the files of the model at path.
func filesOf(path string) (f files) {
	for i, name := range []string{path, path + store.Suffix} {
		if info, err := os.Stat(name); err == nil {
			f[i] = info
		}
	}
	return f
}

// same reports whether no file has changed.
func (f files) same(other files) bool {
	for i, a := range f {
		b := other[i]
		if (a == nil) != (b == nil) || a != nil && (!os.SameFile(a, b) || a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime())) {
			return false
		}
	}
	return true
}

func openShared(path string) (*shared, error) {
	s := &shared{path: path, files: filesOf(path)}
	f, err := filter.OpenLearned(path)
	if err != nil {
		return nil, err
	}
	s.now.Store(&loaded{filter: f, opened: time.Now()})
	return s, nil
}

func (s *shared) current() *loaded { return s.now.Load() }

// state returns when the model in memory was read, and why a newer one was not.
func (s *shared) state() (opened time.Time, trouble string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trouble != nil {
		trouble = s.trouble.Error()
	}
	return s.current().opened, trouble
}

// reload reads the model if its files have changed, or in any case, and reports whether it did. With an error the old one stays, and isNew says
// whether the last attempt had another error.
func (s *shared) reload(anyway bool) (did bool, err error, isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	there := filesOf(s.path)
	if !anyway && s.trouble == nil && there.same(s.files) {
		return false, nil, false
	}
	f, err := filter.OpenLearned(s.path)
	before := s.trouble
	s.files, s.trouble = there, err
	if err != nil {
		return false, err, before == nil || before.Error() != err.Error()
	}
	old := s.current()
	next := &loaded{filter: f, reading: old.reading, opened: time.Now()}
	if !old.filter.CanJoin(f) {
		next.reading++
	}
	s.now.Store(next)
	return true, nil, false
}

// Reload reads the model again. If that fails, the one in memory stays.
func (e *Engine) Reload() error {
	e.users.reload(e.shared.current(), e.log)
	return e.reload(true)
}

// reload reads the shared model if its files have changed, or in any case.
func (e *Engine) reload(anyway bool) error {
	did, err, isNew := e.shared.reload(anyway)
	switch {
	case err != nil:
		if isNew {
			e.counters.Reloads.Add("failed", 1)
			e.log.Warn("%v: going on with the model in memory", err)
		}
	case did:
		e.counters.Reloads.Add("done", 1)
		e.warnOfJournal(e.options.Model, e.shared.current().filter)
	}
	return err
}

// warnOfJournal says that a model does without its journal.
func (e *Engine) warnOfJournal(path string, f *filter.Filter) {
	if err := f.JournalErr(); err != nil {
		e.log.Warn("%s: %v: judging without what was learned since the model was written", path+store.Suffix, err)
	}
}

// watchEvery is how often the engine looks at the files of models, and writes the history.
const watchEvery = time.Second

// watch follows the files of the models until ctx ends.
func (e *Engine) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = e.reload(false) // it has reported the error
			e.users.watch(e.shared.current(), e.log)
			if err, isNew := e.history.flush(time.Now()); isNew {
				e.log.Warn("%v", err)
			}
		}
	}
}
