package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"chaff/store"
)

// idleFor is for how long nothing was learned before a model is fitted again.
const idleFor = 30 * time.Second

// maxLessons is how many messages are learned before the models are read again.
const maxLessons = 100

// lesson is a message on its way into a log.
type lesson struct {
	path, user string // of the model, and whose it is
	raw        []byte
	label      string // "" to forget the message
	done       chan struct{}
	outcome    store.Outcome
	err        error
}

// Learn teaches the model of a user that a message has a label. When it returns, the message is in the log, and the next one is judged with it.
// If ctx ends first, the message may be learned or not; it is the only limit of time, and while a model is fitted, learning waits.
func (e *Engine) Learn(ctx context.Context, user string, raw []byte, label string) (store.Outcome, error) {
	if classes := e.Settings().Classes; !slices.Contains(classes, label) {
		return store.Outcome{}, fmt.Errorf("class %q: the model has %q", label, classes)
	}
	return e.learn(ctx, user, raw, label)
}

// Forget makes the model of a user forget a message.
func (e *Engine) Forget(ctx context.Context, user string, raw []byte) (store.Outcome, error) {
	return e.learn(ctx, user, raw, "")
}

func (e *Engine) learn(ctx context.Context, user string, raw []byte, label string) (o store.Outcome, err error) {
	defer func() {
		if err != nil {
			e.counters.Unlearned.Add(reasonOf(err), 1)
		} else {
			e.counters.Learned.Add(string(o.What), 1)
		}
		e.events.learned(originOf(ctx).Protocol, user, label, string(o.What), err)
	}()
	if len(raw) > e.options.MaxMessage {
		return o, fmt.Errorf("%w: it has %d bytes, and the limit is %d", ErrTooLarge, len(raw), e.options.MaxMessage)
	}
	path, err := e.pathOf(user)
	if err != nil {
		return o, err
	}
	if !e.reserve(len(raw)) {
		return o, ErrBusy
	}
	l := &lesson{path: path, user: user, raw: slices.Clone(raw), label: label, done: make(chan struct{})}
	e.inFlight.Add(1) // the channel stays open
	if e.closed.Load() {
		err = ErrClosed
	} else {
		select {
		case e.lessons <- l:
		default:
			err = ErrBusy
		}
	}
	e.inFlight.Add(-1)
	if err != nil {
		e.release(len(raw))
		return o, err
	}
	select {
	case <-l.done:
		return l.outcome, l.err
	case <-ctx.Done():
		return o, ctx.Err()
	}
}

// teach learns what comes, until the channel is closed, and fits models again when nothing comes, until running ends.
func (e *Engine) teach(ctx, running context.Context) {
	changed := map[string]bool{} // paths of models
	idle := time.NewTimer(e.idleFor)
	defer idle.Stop()
	for {
		select {
		case l, open := <-e.lessons:
			if !open {
				return
			}
			lessons := e.waiting(l)
			e.teachAll(ctx, lessons)
			for _, l := range lessons {
				changed[l.path] = true
			}
			idle.Reset(e.idleFor)
		case <-idle.C:
			for path := range changed {
				e.retrain(running, path)
			}
			clear(changed)
		}
	}
}

// waiting returns a lesson and others that wait, so that the models are read once for all of them.
func (e *Engine) waiting(first *lesson) []*lesson {
	all := []*lesson{first}
	for len(all) < maxLessons {
		select {
		case l, open := <-e.lessons:
			if !open {
				return all
			}
			all = append(all, l)
		default:
			return all
		}
	}
	return all
}

// teachAll learns some messages in their order, and then reads the models that have changed.
func (e *Engine) teachAll(ctx context.Context, lessons []*lesson) {
	for rest := lessons; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].path == rest[0].path {
			n++
		}
		e.teachOne(ctx, rest[:n])
		rest = rest[n:]
	}
	e.refresh(lessons)
	for _, l := range lessons {
		e.release(len(l.raw))
		close(l.done)
	}
}

// refresh reads the models of lessons again.
func (e *Engine) refresh(lessons []*lesson) {
	seen := map[string]bool{}
	for _, l := range lessons {
		switch {
		case seen[l.path]:
		case l.path == e.options.Model:
			_ = e.reload(false) // it has reported the error
		default:
			if folder, err := folderOf(l.user); err == nil {
				e.users.refresh(folder, e.shared.current(), e.log)
			}
		}
		seen[l.path] = true
	}
}

// teachOne learns messages into the log of one model.
func (e *Engine) teachOne(ctx context.Context, lessons []*lesson) {
	current := 0
	failRest := func(err error) {
		for _, l := range lessons[current:] {
			l.err = err
		}
		e.log.Warn("%v", err)
	}
	defer func() {
		if fault := recover(); fault != nil {
			failRest(e.fault(fault))
		}
	}()
	s, err := e.openStore(ctx, lessons)
	if errors.Is(err, store.ErrNone) && lessons[0].path != e.options.Model { // a user who has taught nothing
		for _, l := range lessons {
			l.outcome = store.Outcome{What: store.Refused, Reason: store.NeverKnown}
		}
		return
	}
	if err != nil {
		failRest(err)
		return
	}
	defer s.Close()
	for _, l := range lessons {
		if l.label == "" {
			l.outcome, l.err = s.Forget(l.raw)
		} else {
			l.outcome, l.err = s.Learn(store.Message{Raw: l.raw, Label: l.label, Way: store.ByServer})
		}
		if l.err != nil {
			e.log.Warn("%v", l.err)
		}
		current++
	}
	if err := s.Finish(); err != nil {
		e.log.Warn("%v", err)
	}
}

// openStore opens the log that lessons belong to. It begins that of a user who has none, unless there is nothing to learn.
func (e *Engine) openStore(ctx context.Context, lessons []*lesson) (*store.Store, error) {
	path := lessons[0].path
	s, err := store.Open(ctx, path, e.options.Store)
	if !errors.Is(err, store.ErrNone) || path == e.options.Model ||
		!slices.ContainsFunc(lessons, func(l *lesson) bool { return l.label != "" }) {
		return s, err
	}
	if entries, err := os.ReadDir(e.options.Users); err != nil {
		return nil, fmt.Errorf("folder of users: %w", err)
	} else if len(entries) >= e.options.MaxUsers {
		return nil, fmt.Errorf("%w", ErrUsers)
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("folder of a user: %w", err)
	}
	if err := store.BeginLike(ctx, path, e.shared.current().filter, e.options.Store); err != nil {
		return nil, err
	}
	e.log.Note("began a model for the user %s", lessons[0].user)
	return store.Open(ctx, path, e.options.Store)
}

// retrain fits a model again if enough was learned since the last time, or mostly one class. What a user has taught may not be enough for a fit.
func (e *Engine) retrain(ctx context.Context, path string) {
	defer func() {
		if fault := recover(); fault != nil {
			e.fault(fault)
		}
	}()
	if e.options.Store.RetrainAfter == 0 || ctx.Err() != nil {
		return
	}
	s, err := store.Open(ctx, path, e.options.Store)
	if err == nil {
		defer s.Close()
		err = e.retrainStore(ctx, path, s)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrTooFew) {
		e.log.Warn("%v", err)
	}
}

func (e *Engine) retrainStore(ctx context.Context, path string, s *store.Store) error {
	if s.Changed() < e.options.Store.RetrainAfter && !s.Unbalanced() {
		return nil
	}
	refitted, err := s.Retrain(ctx, e.options.Retrain)
	if err == nil {
		e.log.Note("fitted %s to %d messages in %.2f CPU seconds", path, refitted.Messages, refitted.Seconds)
	}
	return err
}
