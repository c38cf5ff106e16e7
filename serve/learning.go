package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chaff/filter"
	"chaff/message"
	"chaff/store"
)

// idleFor is for how long nothing was learned before a model is fitted again. Where something is always learned, that is after busyFor: a log that is never
// fitted grows for ever, and nothing in it expires.
const (
	idleFor = 30 * time.Second
	busyFor = time.Hour
)

// Learn teaches the model of a user that a message has a label. When it returns, the message is in the log, and the next one is judged with it.
// If ctx ends first, the message may be learned or not.
func (e *Engine) Learn(ctx context.Context, from Origin, raw []byte, label string) (store.Outcome, error) {
	if classes := e.Settings().Classes; !slices.Contains(classes, label) {
		return store.Outcome{}, fmt.Errorf("%q %w: must be one of %s", label, ErrClass, strings.Join(classes, ", "))
	}
	return e.learn(ctx, from, raw, label)
}

// Forget makes the model of a user forget a message.
func (e *Engine) Forget(ctx context.Context, from Origin, raw []byte) (store.Outcome, error) {
	return e.learn(ctx, from, raw, "")
}

// Learns reports whether a model can be taught: the shared one, if it has a log, and those of users.
func (e *Engine) Learns() bool {
	_, err := os.Stat(filter.LogOf(e.options.Model))
	return err == nil || e.options.Users != ""
}

// learn learns a message, or forgets it if it has no label. One lesson is learned at a time, in the order in which they came.
func (e *Engine) learn(ctx context.Context, from Origin, raw []byte, label string) (o store.Outcome, err error) {
	defer func() {
		if err != nil {
			e.Counters.Unlearned.Add(reasonOf(err), 1)
		} else {
			e.Counters.Learned.Add(string(o.What), 1)
		}
		e.events.learned(from, label, string(o.What), err)
	}()
	if err = from.Cut; err != nil {
		return o, err
	}
	l := e.learner
	if err = e.admit(raw, &l.lessons, e.options.Queue); err != nil {
		return o, err
	}
	defer l.lessons.Add(-1)
	if label != "" {
		if err = message.CheckMail(raw); err != nil {
			return o, fmt.Errorf("%w: it %w", ErrNoMail, err)
		}
	}
	path, err := e.users.pathOf(from.User)
	if err != nil {
		return o, err
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return o, ctx.Err()
	}
	if o, err = l.teach(context.WithoutCancel(ctx), path, from.User, raw, label); err == nil {
		if len(l.changed) == 0 {
			l.since = time.Now()
		}
		l.changed[path] = true
		l.idle.Reset(min(l.idleFor, time.Until(l.since.Add(busyFor))))
	}
	<-l.turn
	e.follow() // while one lesson reads the models, others are learned, and the next reading is for all of them
	return o, err
}

// learner learns messages, and fits models again when nothing comes.
type learner struct {
	engine  *Engine
	lessons atomic.Int64    // that are learned or wait for that
	turn    chan struct{}   // of one that writes to a log
	changed map[string]bool // paths of models, since they were fitted; belongs to who has the turn, as the next field
	since   time.Time       // of the first change
	idleFor time.Duration   // for how long nothing was learned before a model is fitted again
	idle    *time.Timer

	reading  sync.Mutex    // held while changed models are read
	readings atomic.Uint64 // how often that was begun
}

// fitWhenIdle fits models again when nothing was learned for a while, until ctx ends.
func (l *learner) fitWhenIdle(ctx context.Context) {
	defer l.idle.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.idle.C:
		}
		l.turn <- struct{}{}
		changed := l.changed
		l.changed = map[string]bool{}
		<-l.turn // learning goes on
		for path := range changed {
			l.retrain(ctx, path)
		}
	}
}

// teach learns a message into the log of one model.
func (l *learner) teach(ctx context.Context, path, user string, raw []byte, label string) (o store.Outcome, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = l.engine.fault(fault)
		} else if err != nil {
			l.engine.log.Warn("%v", err)
		}
	}()
	s, err := store.Open(ctx, path, l.engine.options.Store)
	if isNew := errors.Is(err, store.ErrNone) && path != l.engine.options.Model; isNew && label == "" {
		return store.Outcome{What: store.Refused, Reason: store.NeverKnown}, nil
	} else if isNew {
		s, err = l.beginUser(ctx, path, user)
	}
	if errors.Is(err, store.ErrNone) {
		return o, fmt.Errorf("%w, so it cannot learn: chaff train makes one", err)
	}
	if err != nil {
		return o, err
	}
	defer s.Close()
	if label == "" {
		o, err = s.Forget(raw)
	} else {
		o, err = s.Learn(store.Message{Raw: raw, Label: label, Way: store.ByServer})
	}
	if failed := s.Finish(); failed != nil {
		l.engine.log.Warn("%v", failed)
	}
	return o, err
}

// beginUser begins the log of a user who has none.
func (l *learner) beginUser(ctx context.Context, path, user string) (*store.Store, error) {
	o := l.engine.options
	if entries, err := os.ReadDir(o.Users); err != nil {
		return nil, fmt.Errorf("folder of users: %w", err)
	} else if len(entries) >= o.MaxUsers {
		return nil, ErrUsers
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("folder of a user: %w", err)
	}
	if err := store.BeginLike(ctx, path, l.engine.shared.current().filter, o.Store); err != nil {
		os.Remove(filepath.Dir(path)) // if it is empty
		return nil, err
	}
	l.engine.log.Note("began a model for the user %s", user)
	return store.Open(ctx, path, o.Store)
}

// retrain fits a model again if enough was learned since the last time, or mostly one class. What a user has taught may not be enough for a fit.
func (l *learner) retrain(ctx context.Context, path string) {
	e := l.engine
	defer e.survive(new(error))
	refitted, err := store.FitWhenIdle(ctx, path, e.options.Store, e.options.Retrain)
	if refitted.Messages > 0 {
		e.log.Note("fitted %s to %d messages in %.2f CPU seconds", path, refitted.Messages, refitted.Seconds)
	}
	if err != nil && ctx.Err() == nil {
		e.log.Warn("%v", err)
	}
}
