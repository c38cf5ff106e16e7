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
		return store.Outcome{}, fmt.Errorf("%q %w: must be one of %s", label, ErrClass, strings.Join(classes, ", "))
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
			e.Counters.Unlearned.Add(reasonOf(err), 1)
		} else {
			e.Counters.Learned.Add(string(o.What), 1)
		}
		e.events.learned(originOf(ctx).Protocol, user, label, string(o.What), err)
	}()
	if len(raw) > e.options.MaxMessage {
		return o, fmt.Errorf("%w: it has %d bytes, and the limit is %d", ErrTooLarge, len(raw), e.options.MaxMessage)
	}
	path, err := e.users.pathOf(user)
	if err != nil {
		return o, err
	}
	if !e.memory.take(len(raw)) {
		return o, ErrBusy
	}
	l := &lesson{path: path, user: user, raw: slices.Clone(raw), label: label, done: make(chan struct{})}
	e.inFlight.Add(1) // the channel stays open
	if e.closed.Load() {
		err = ErrClosed
	} else {
		select {
		case e.learner.lessons <- l:
		default:
			err = ErrBusy
		}
	}
	e.inFlight.Add(-1)
	if err != nil {
		e.memory.give(len(raw))
		return o, err
	}
	select {
	case <-l.done:
		return l.outcome, l.err
	case <-ctx.Done():
		return o, ctx.Err()
	}
}

// learner learns lessons, one after another.
type learner struct {
	engine  *Engine
	lessons chan *lesson
	idleFor time.Duration // for how long nothing was learned before a model is fitted again
}

// run learns what comes, until the channel is closed, and fits models again when nothing comes, until running ends.
func (l *learner) run(ctx, running context.Context) {
	changed := map[string]bool{} // paths of models
	idle := time.NewTimer(l.idleFor)
	defer idle.Stop()
	for {
		select {
		case first, open := <-l.lessons:
			if !open {
				return
			}
			for _, lesson := range l.teach(ctx, first) {
				changed[lesson.path] = true
			}
			idle.Reset(l.idleFor)
		case <-idle.C:
			for path := range changed {
				l.retrain(running, path)
			}
			clear(changed)
		}
	}
}

// teach learns a lesson and others that wait, in their order, and then reads the models that have changed once for all of them.
func (l *learner) teach(ctx context.Context, first *lesson) []*lesson {
	all := []*lesson{first}
	for waiting := true; waiting && len(all) < maxLessons; {
		select {
		case next, open := <-l.lessons:
			if waiting = open; open {
				all = append(all, next)
			}
		default:
			waiting = false
		}
	}
	lessons := map[string][]*lesson{} // by model
	for _, lesson := range all {
		lessons[lesson.path] = append(lessons[lesson.path], lesson)
	}
	for path := range lessons {
		l.teachOne(ctx, lessons[path])
	}
	l.engine.follow()
	for _, lesson := range all {
		l.engine.memory.give(len(lesson.raw))
		close(lesson.done)
	}
	return all
}

// teachOne learns messages into the log of one model.
func (l *learner) teachOne(ctx context.Context, lessons []*lesson) {
	defer func() {
		if fault := recover(); fault != nil {
			l.engine.fault(fault)
		}
	}()
	answer := func(o store.Outcome, err error) {
		for _, lesson := range lessons {
			lesson.outcome, lesson.err = o, err
		}
	}
	answer(store.Outcome{}, ErrInternal) // until it is learned
	s, err := l.openStore(ctx, lessons)
	if errors.Is(err, store.ErrNone) && lessons[0].path != l.engine.options.Model { // a user who has taught nothing
		answer(store.Outcome{What: store.Refused, Reason: store.NeverKnown}, nil)
		return
	}
	if err != nil {
		answer(store.Outcome{}, err)
		l.engine.log.Warn("%v", err)
		return
	}
	defer s.Close()
	for _, lesson := range lessons {
		if lesson.label == "" {
			lesson.outcome, lesson.err = s.Forget(lesson.raw)
		} else {
			lesson.outcome, lesson.err = s.Learn(store.Message{Raw: lesson.raw, Label: lesson.label, Way: store.ByServer})
		}
		if lesson.err != nil {
			l.engine.log.Warn("%v", lesson.err)
		}
	}
	if err := s.Finish(); err != nil {
		l.engine.log.Warn("%v", err)
	}
}

// openStore opens the log that lessons belong to. It begins that of a user who has none, unless there is nothing to learn.
func (l *learner) openStore(ctx context.Context, lessons []*lesson) (*store.Store, error) {
	path, o := lessons[0].path, l.engine.options
	s, err := store.Open(ctx, path, o.Store)
	if !errors.Is(err, store.ErrNone) || path == o.Model || !slices.ContainsFunc(lessons, func(lesson *lesson) bool { return lesson.label != "" }) {
		return s, err
	}
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
	l.engine.log.Note("began a model for the user %s", lessons[0].user)
	return store.Open(ctx, path, o.Store)
}

// retrain fits a model again if enough was learned since the last time, or mostly one class. What a user has taught may not be enough for a fit.
func (l *learner) retrain(ctx context.Context, path string) {
	e := l.engine
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
		refitted, failed := s.FitIfDue(ctx, e.options.Retrain, true)
		if err = failed; refitted.Messages > 0 {
			e.log.Note("fitted %s to %d messages in %.2f CPU seconds", path, refitted.Messages, refitted.Seconds)
		}
	}
	if err != nil && ctx.Err() == nil {
		e.log.Warn("%v", err)
	}
}
