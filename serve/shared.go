package serve

import (
	"context"
	"fmt"
	"os"
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

// add adds a message and marks it if it is unlike the mail alone. It returns a warning once. Of twice as many messages as show it, half are forgotten.
func (u *unlike) add(c *filter.Classification) (warning string) {
	const lastMessages = 100
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

func newBackground(path string, f *filter.Filter) (*background, error) {
	last, err := f.NewUnlike()
	return &background{path: path, unlike: unlike{last: last}}, err
}

// sample returns some of the mail. It reads the log once.
func (b *background) sample() (store.Sample, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var err error
	if b.mail == nil {
		b.mail, err = sampleOf(b.path, 100) // of each class: enough for a mean
	}
	return b.mail, err
}

// sampleOf returns up to n messages of each class that a model has learned.
func sampleOf(path string, n int) (store.Sample, error) {
	v, err := store.Look(path)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	return v.Sample(n)
}

// shared is the model that all users share, and what is known of its files. It is locked while they are read.
type shared struct {
	log     Logger
	now     atomic.Pointer[loaded]
	reloads *Family

	sync.Mutex
	path    string
	files   files   // as they were seen last
	trouble trouble // why they were not read
}

// files are a model and its log; nil for one that is not there.
type files [2]os.FileInfo

func filesOf(path string) (f files) {
	for i, name := range []string{path, filter.LogOf(path)} {
		f[i], _ = os.Stat(name)
	}
	return f
}

// are reports whether files are those that were seen before.
func (f files) are(before files) bool {
	for i, now := range f {
		if was := before[i]; now != was && !(os.SameFile(now, was) && now.Size() == was.Size() && now.ModTime().Equal(was.ModTime())) {
			return false
		}
	}
	return true
}

func openShared(path string, log Logger, reloads *Family) (*shared, error) {
	for _, result := range []string{"done", "failed"} { // so that an alert sees the first one
		reloads.Add(result, 0)
	}
	s := &shared{log: log, reloads: reloads, path: path, files: filesOf(path)}
	f, err := filter.OpenLearned(path)
	if err != nil {
		return nil, err
	}
	b, err := newBackground(path, f)
	s.use(&loaded{filter: f, background: b, opened: time.Now()})
	return s, err
}

func (s *shared) current() *loaded { return s.now.Load() }

// use makes a model the current one. If it does without what its log has for it, the log says so, and it is read again later.
func (s *shared) use(l *loaded) {
	s.now.Store(l)
	err := l.filter.LogErr()
	if err != nil {
		err = fmt.Errorf("%w: judging without what was learned since the model was written", filter.AboutLog(s.path, err))
	}
	if s.trouble.isNew(err) {
		s.log.Warn("%v", err)
	}
}

// reload reads the model if its files have changed, or in any case. With an error the old one stays, and the log says why.
func (s *shared) reload(anyway bool) error {
	s.Lock()
	defer s.Unlock()
	seen := filesOf(s.path)
	if seen.are(s.files) && !anyway && !s.trouble.isDue() {
		return nil
	}
	s.files = seen
	f, err := filter.OpenLearned(s.path)
	next := &loaded{filter: f, background: s.current().background, opened: time.Now()}
	if err == nil && f.Identity() != s.current().filter.Identity() {
		next.background, err = newBackground(s.path, f)
	}
	if err == nil {
		s.use(next)
		s.reloads.Add("done", 1)
	} else if s.trouble.isNew(err) {
		s.reloads.Add("failed", 1)
		s.log.Warn("%v: going on with the model in memory", err)
	}
	return err
}

// Reload reads the shared model again. If that fails, the one in memory stays.
func (e *Engine) Reload() error {
	e.users.known.Clear()
	return e.shared.reload(true)
}

// watch follows the files of the models until ctx ends.
func (e *Engine) watch(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			e.follow()
		}
	}
}

// follow reads the models whose files have changed. Of many that ask while the models are read, one reads them for all: eight clients that teach
// would take twice the CPU if each waited for its turn.
func (e *Engine) follow() {
	before := e.learner.readings.Load()
	e.learner.reading.Lock()
	defer e.learner.reading.Unlock()
	defer e.survive(new(error)) // the models in memory stay
	if e.learner.readings.Load() > before {
		return // another has begun to look since
	}
	e.learner.readings.Add(1)
	_ = e.shared.reload(false) // it has reported the error
}
