package mailbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"chaff/store"
	"chaff/train"
)

// WatchOptions configure how a mailbox is watched.
type WatchOptions struct {
	// Model is the file of the model. Its store is open only while something is learned.
	Model   string
	Store   store.Options
	Retrain store.RetrainOptions
	Mailbox Options
	// Settle is how long a mailbox is quiet before it is compared with the log: mail programs move a message in several steps. A mailbox
	// that is never quiet is compared after ten times as long.
	Settle time.Duration
	// Idle is how long nothing is learned before the model is fitted again, if [store.Options] ask for that.
	Idle time.Duration
	// Rescan is how often the whole mailbox is listed: some file systems, such as network shares, report no events.
	Rescan time.Duration
	// Retry is how soon a log or a mailbox that cannot be read is tried again.
	Retry time.Duration
	// Compared is called after the first comparison, Changed after each message, Learned after each comparison that changed the log, and Retrained after each fit. Trouble is called with
	// each error of a fit or a fold, and once with the reason why the watch has to wait, then with nil when it goes on. All must be set.
	Compared  func(Account)
	Changed   func(Change)
	Learned   func(Account)
	Retrained func(train.Refitted)
	Trouble   func(error)
}

// DefaultWatchOptions returns the default times.
func DefaultWatchOptions() WatchOptions {
	return WatchOptions{Settle: 2 * time.Second, Idle: 30 * time.Second, Rescan: 15 * time.Minute, Retry: 15 * time.Second}
}

// Watch learns what a mailbox says, as [Mailbox.Learn] does, first as it is and then as it changes, until ctx ends. That is no error; the
// message that is being learned then is finished. The error is about the start: a mailbox or a log that cannot be read.
func Watch(ctx context.Context, path string, o WatchOptions) error {
	box, err := Open(path)
	if err != nil {
		return err
	}
	if len(box.plan.Watched()) == 0 {
		return fmt.Errorf("watch %s: %w", path, ErrArchive)
	}
	files, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", path, cmp.Or(tooMany(err), err))
	}
	defer files.Close()
	return newWatch(box, o, notifier{files.Events, files.Errors, files.Add, files.Remove, files.WatchList}).run(ctx)
}

// tooMany explains the errors of a system that watches too many folders. It returns nil for others.
func tooMany(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return errors.New("the system watches as many folders as it may: raise the setting fs.inotify.max_user_watches")
	case errors.Is(err, syscall.EMFILE) && runtime.GOOS != "linux":
		return errors.New("this system opens each message that it watches, and these are more files than a program may open: run chaff learn --maildir often instead")
	case errors.Is(err, syscall.EMFILE):
		return errors.New("too many programs watch folders: raise the setting fs.inotify.max_user_instances")
	}
	return nil
}

// notifier reports changes in folders, as fsnotify.Watcher does.
type notifier struct {
	events      <-chan fsnotify.Event
	errors      <-chan error
	add, remove func(dir string) error
	list        func() []string
}

// watch is a mailbox that is watched.
type watch struct {
	WatchOptions
	notifier
	box     *Mailbox
	dirs    map[string]bool // that are watched, as [sources.Plan.Watched] has them
	settled *time.Timer
	idle    *time.Timer
	since   time.Time // of the first event that is not dealt with; zero for none
	refused map[string]bool
	waiting bool // in trouble
	started bool
}

func newWatch(box *Mailbox, o WatchOptions, n notifier) *watch {
	return &watch{WatchOptions: o, notifier: n, box: box, refused: map[string]bool{}}
}

func (w *watch) run(ctx context.Context) error {
	w.settled, w.idle = time.NewTimer(0), time.NewTimer(w.Idle)
	defer w.settled.Stop()
	defer w.idle.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-w.events:
			w.note(e)
		case err := <-w.errors: // events were lost
			if err != nil {
				w.settle()
			}
		case <-w.settled.C:
			err := w.compare(ctx)
			if err != nil && !w.started && ctx.Err() == nil {
				return err
			}
			w.after(ctx, err)
		case <-w.idle.C:
			refitted, err := store.FitWhenIdle(ctx, w.Model, w.Store, w.Retrain)
			if refitted.Messages > 0 {
				w.Retrained(refitted)
			}
			if err != nil && ctx.Err() == nil && !w.waiting {
				w.Trouble(err)
			}
		}
	}
}

// note plans a comparison if an event is about a message or a folder. Mail servers have other files in the folders, too.
func (w *watch) note(e fsnotify.Event) {
	name := filepath.Clean(e.Name)
	hasMail, isWatched := w.dirs[filepath.Dir(name)]
	_, isFolder := w.dirs[name]
	switch {
	case e.Op == fsnotify.Chmod:
	case isFolder && !e.Has(fsnotify.Write),
		isWatched && !hasMail && e.Has(fsnotify.Create) && isDir(name),
		hasMail && filepath.Base(name)[0] != '.':
		w.settle()
	}
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// settle puts off the comparison until the mailbox is quiet.
func (w *watch) settle() {
	const longest = 10 // times Settle are the most by which a comparison is put off
	now := time.Now()
	if w.since.IsZero() {
		w.since = now
	}
	w.settled.Reset(min(w.Settle, max(0, w.since.Add(longest*w.Settle).Sub(now))))
}

// after plans the next comparison. It reports trouble once, and its end.
func (w *watch) after(ctx context.Context, err error) {
	w.since = time.Time{}
	w.settled.Reset(w.Rescan)
	if err != nil {
		w.settled.Reset(w.Retry)
	}
	if ctx.Err() != nil || w.waiting == (err != nil) {
		return
	}
	if w.waiting = err != nil; w.waiting {
		err = fmt.Errorf("%w; trying again every %v", err, w.Retry)
	}
	w.Trouble(err)
}

// compare lists the mailbox and learns what it says.
func (w *watch) compare(ctx context.Context) error {
	if err := w.refresh(); err != nil {
		return err
	}
	s, err := store.Open(ctx, w.Model, w.Store)
	if err != nil {
		return err
	}
	defer s.Close()
	account, err := w.box.Learn(ctx, s, LearnOptions{Workers: w.Retrain.Workers, Options: w.Mailbox})
	for _, change := range account.Changes {
		if change.Result == store.Refused { // one that cannot be read is refused each time, and reported once
			if w.refused[change.Path] {
				continue
			}
			w.refused[change.Path] = true
		}
		w.Changed(change)
	}
	if err != nil {
		return err
	}
	if !w.started {
		w.Compared(account)
		w.started = true
	}
	if len(account.Changes)+account.TakenBack > 0 {
		w.Learned(account)
		w.idle.Reset(w.Idle)
	}
	if err := s.Finish(); err != nil && !w.waiting {
		w.Trouble(err)
	}
	return nil
}

// refresh lists the mailbox and watches the folders that it has now. A folder is watched before it is listed, so that nothing is missed.
func (w *watch) refresh() error {
	const maxListings = 10     // for folders that appeared meanwhile: their events come later
	tried := map[string]bool{} // of two paths to one folder, the system watches one only
	for range maxListings {
		if err := w.box.refresh(); err != nil {
			return err
		}
		w.dirs = w.box.plan.Watched()
		watched := w.list()
		slices.Sort(watched)
		for _, dir := range watched {
			if _, is := w.dirs[dir]; !is {
				_ = w.remove(dir) // it may be gone already
			}
		}
		added := false
		for _, dir := range slices.Sorted(maps.Keys(w.dirs)) {
			if _, is := slices.BinarySearch(watched, dir); is || tried[dir] {
				continue
			}
			tried[dir] = true
			err := w.add(dir) // one that has disappeared or cannot be read is not watched, as the list of the mailbox says
			if many := tooMany(err); many != nil {
				return fmt.Errorf("watch %s: %w", dir, many)
			}
			added = added || err == nil
		}
		if !added {
			return nil
		}
	}
	return nil
}
