package serve

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"chaff/filter"
	"chaff/store"
)

// loaded is the shared model in memory. It stays there until the last judgement with it ends.
type loaded struct {
	filter     *filter.Filter
	background *background // the same for all that belong to one model file
	opened     time.Time
}

// background is the mail that the shared model was fitted to, by which models of users are centred: a model that has seen one class only
// gives its score to all mail, and what counts is by how much a message differs from that. Without it, a user who teaches one spam loses
// half of the ham.
type background struct {
	path   string
	mu     sync.Mutex
	mail   store.Sample // nil until it was read
	unlike unlike       // the mail that was judged
}

// unlike notices that the last messages are unlike the mail that a model learned.
type unlike struct {
	mu   sync.Mutex
	last *filter.Unlike
	told bool
}

// lastMessages is how many messages show that mail is unlike what was learned. Half of them are forgotten when there are twice as many.
const lastMessages = 100

// add adds a message and marks it if it is unlike the mail alone. It returns a warning once.
func (u *unlike) add(c *filter.Classification) (warning string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if c.Unlike = u.last.Add(*c); u.last.Messages() >= 2*lastMessages {
		u.last.Fade()
	}
	if u.told || u.last.Messages() < lastMessages {
		return ""
	}
	warning = u.last.String()
	u.told = warning != ""
	return warning
}

// warning returns the warning that holds now, or "".
func (u *unlike) warning() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.last.String()
}

// newBackground returns the background of a model at path.
func newBackground(path string, f *filter.Filter) (*background, error) {
	last, err := f.NewUnlike()
	return &background{path: path, unlike: unlike{last: last}}, err
}

// sampleSize is how many messages of each class are enough for a mean.
const sampleSize = 100

// sample returns some of the mail. It reads the log once.
func (b *background) sample() (store.Sample, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mail == nil {
		v, err := store.Look(b.path)
		if err != nil {
			return nil, err
		}
		b.mail, err = v.Sample(sampleSize)
		v.Close()
		return b.mail, err
	}
	return b.mail, nil
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
	if target, err := filepath.EvalSymlinks(path); err == nil { // the store is beside the file, not beside a link
		path = target
	}
	for i, name := range []string{path, filter.LogPath(path)} {
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
	b, err := newBackground(path, f)
	s.now.Store(&loaded{f, b, time.Now()})
	return s, err
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
	next := &loaded{f, s.current().background, time.Now()}
	if err == nil && f.Identity() != s.current().filter.Identity() {
		next.background, err = newBackground(s.path, f)
	}
	before := s.trouble
	s.files, s.trouble = there, err
	if err != nil {
		return false, err, before == nil || before.Error() != err.Error()
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
		e.warnOfLog(e.options.Model, e.shared.current().filter)
	}
	return err
}

// warnOfLog says that a model does without what its log has for it.
func (e *Engine) warnOfLog(path string, f *filter.Filter) {
	if err := f.LogErr(); err != nil {
		e.log.Warn("%s: %v: judging without what was learned since the model was written", filter.LogPath(path), err)
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
