package mailbox

import (
	"context"
	"fmt"
	"maps"
	"os"
	"time"

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
	Now     func() time.Time // of [LearnOptions]
	// Settle is how often the folders are looked at. A mailbox that has changed is compared with the log once it was quiet for so long, since mail
	// programs move a message in several steps, or after twenty times as long if it is never quiet.
	Settle time.Duration
	// Idle is how long nothing is learned before the model is fitted again, if [store.Options] ask for that.
	Idle time.Duration
	// Rescan is how often the whole mailbox is listed, if nothing seems to have changed.
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
	return WatchOptions{Settle: time.Second, Idle: 30 * time.Second, Rescan: 15 * time.Minute, Retry: 15 * time.Second}
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
	w := &watch{WatchOptions: o, box: box, refused: map[string]bool{}, idle: time.NewTimer(o.Idle)}
	defer w.idle.Stop()
	if err := w.compare(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	w.next = time.Now().Add(w.Rescan)
	look := time.NewTicker(w.Settle)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
			if w.isDue(time.Now()) {
				w.after(ctx, w.compare(ctx))
			}
		case <-w.idle.C:
			if err := w.retrain(ctx); err != nil && ctx.Err() == nil && !w.waiting {
				w.Trouble(err)
			}
		}
	}
}

// watch is a mailbox that is watched.
type watch struct {
	WatchOptions
	box *Mailbox
	// seen has the times at which the folders changed, as they were at the last look, and compared as they were when the mailbox was listed.
	seen, compared map[string]time.Time
	since          time.Time // of the first look at a change that is not dealt with; zero for none
	next           time.Time // when the mailbox is listed in any case
	idle           *time.Timer
	refused        map[string]bool
	waiting        bool // in trouble
	started        bool
}

// times returns when the folders have changed. One that changes just now is left out, as a later change could have the same time.
func (w *watch) times() map[string]time.Time {
	times := map[string]time.Time{}
	for _, dir := range w.box.plan.Watched() {
		info, err := os.Stat(dir)
		if err != nil {
			continue // as the list of the mailbox says
		}
		if age := time.Since(info.ModTime()); age < 0 || age > time.Second {
			times[dir] = info.ModTime()
		}
	}
	return times
}

// longest is how many times Settle a comparison is put off at most.
const longest = 20

// isDue looks at the folders, and reports whether the mailbox is to be compared with the log.
func (w *watch) isDue(now time.Time) bool {
	times := w.times()
	isQuiet := maps.Equal(times, w.seen)
	w.seen = times
	switch {
	case w.waiting || maps.Equal(times, w.compared):
		return !now.Before(w.next)
	case w.since.IsZero():
		w.since = now
	}
	return isQuiet || now.Sub(w.since) >= longest*w.Settle
}

// after plans the next comparison. It reports trouble once, and its end.
func (w *watch) after(ctx context.Context, err error) {
	w.since, w.next = time.Time{}, time.Now().Add(w.Rescan)
	if err != nil {
		w.next = time.Now().Add(w.Retry)
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
	times := w.times() // before it is listed, so that nothing is missed
	if err := w.box.refresh(); err != nil {
		return err
	}
	w.compared = times
	o := LearnOptions{Workers: w.Retrain.Workers, Now: w.Now, Options: w.Mailbox}
	if w.started && !w.box.hasNews(o.now()) {
		return nil
	}
	s, err := store.Open(ctx, w.Model, w.Store)
	if err != nil {
		return err
	}
	defer s.Close()
	account, err := w.box.Learn(ctx, s, o)
	for _, change := range account.Changes {
		w.tell(change)
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
	}
	if err := s.Finish(); err != nil && !w.waiting {
		w.Trouble(err)
	}
	if account.Count(store.Learned)+account.Count(store.Relabelled)+account.TakenBack > 0 {
		w.idle.Reset(w.Idle)
	}
	return nil
}

// tell reports a change. A message that cannot be read is refused each time, and reported once.
func (w *watch) tell(c Change) {
	if c.Result == store.Refused {
		if w.refused[c.Path] {
			return
		}
		w.refused[c.Path] = true
	}
	w.Changed(c)
}

// retrain fits the model again if enough has changed since the last time, or one class was learned only.
func (w *watch) retrain(ctx context.Context) error {
	if w.Store.RetrainAfter == 0 {
		return nil
	}
	s, err := store.Open(ctx, w.Model, w.Store)
	if err != nil {
		return err
	}
	defer s.Close()
	refitted, err := s.FitIfDue(ctx, w.Retrain, true)
	if refitted.Messages > 0 {
		w.Retrained(refitted)
	}
	return err
}
