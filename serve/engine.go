package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chaff/filter"
	"chaff/internal/fieldtags"
	"chaff/internal/hint"
	"chaff/internal/parallel"
	"chaff/internal/replace"
	"chaff/internal/verdictfield"
	"chaff/message"
	"chaff/store"
)

// Logger takes what the engine reports, and what protocols do. The format is ours, and the arguments may be anyone's.
type Logger interface {
	// Note reports what happened, and Warn what may need attention.
	Note(format string, args ...any)
	Warn(format string, args ...any)
}

// Engine judges and learns messages.
type Engine struct {
	// Counters count what it does.
	Counters *Counters
	// History has the last verdicts, and Kept messages of it.
	History *History
	Kept    *Shelf
	// Started is when it was started.
	Started time.Time

	options Options
	log     Logger
	events  events
	shared  *shared
	users   *users
	learner *learner
	looking sync.Mutex // at a log

	transit  atomic.Int64 // bytes of messages that clients send
	inFlight atomic.Int64 // judgements, also those whose client has gone
	closed   atomic.Bool
	slots    chan struct{}                         // as many as messages are judged at a time
	large    chan struct{}                         // one for a large message
	judge    func(user string, raw []byte) Verdict // classify, except in tests

	stop    context.CancelFunc // ends the watcher, and fitting a model
	running sync.WaitGroup     // the watcher, and what fits models
}

// New returns an engine that runs until Close, also if ctx ends before.
func New(ctx context.Context, o Options, log Logger) (*Engine, error) {
	e, err := open(o, log)
	if err == nil {
		e.start(ctx)
	}
	return e, err
}

// open returns an engine that does not run yet.
func open(o Options, log Logger) (*Engine, error) {
	if err := fieldtags.Check(o); err != nil {
		return nil, err
	}
	e := &Engine{
		Counters: &Counters{}, Started: time.Now(), options: o, log: log, events: events{log: o.Events},
		users: &users{options: o, log: log},
		slots: make(chan struct{}, parallel.Workers(o.Workers)), large: make(chan struct{}, 1),
	}
	e.judge, e.learner = e.classify, &learner{engine: e, turn: make(chan struct{}, 1), changed: map[string]bool{}, idleFor: idleFor}
	var err error
	e.shared, err = openShared(o.Model, log, &e.Counters.Reloads)
	if err = cmp.Or(err, checkUsers(o), checkRoot(filepath.Dir(o.Model))); err == nil {
		e.Kept, err = openShelf(o)
	}
	if err != nil {
		return nil, err
	}
	e.History = newHistory(o, e.Kept.all)
	return e, nil
}

// checkUsers returns why the folder of users cannot be used.
func checkUsers(o Options) error {
	if o.Users == "" {
		return nil
	}
	own, err := os.Stat(o.Users + "/.") // an error, too, if what is in it cannot be found
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !own.IsDir():
		return hint.With(fmt.Errorf("folder of users: there is none at %s", o.Users), "mkdir -m 700 "+hint.Word(o.Users)+" makes one, by the user that chaff serve runs as")
	case err != nil:
		return fmt.Errorf("folder of users: %w", err)
	}
	if model, _ := os.Stat(filepath.Dir(o.Model)); os.SameFile(own, model) {
		return fmt.Errorf("folder of users: %s is that of the model, whose files would get mixed up with users: give it another one", o.Users)
	}
	return checkRoot(o.Users)
}

var errRoot = errors.New("chaff serve runs as root, and the folder belongs to another user, who could lead it to any file: start it as that user")

// checkRoot refuses to work as root in the folder of another user.
func checkRoot(path string) error {
	info, err := os.Stat(path)
	if err == nil && os.Geteuid() == 0 && replace.IsForeign(info, "/") {
		return fmt.Errorf("%s: %w", path, errRoot)
	}
	return nil
}

func (e *Engine) start(ctx context.Context) {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop, e.learner.idle = stop, time.NewTimer(e.learner.idleFor)
	e.running.Go(func() { e.learner.fitWhenIdle(running) })
	e.running.Go(func() { e.watch(running) })
}

// Close refuses new messages, and finishes those that were accepted. The error is that of ctx, if it ends before that.
func (e *Engine) Close(ctx context.Context) error {
	e.closed.Store(true)
	e.stop()
	done := make(chan struct{})
	go func() {
		for e.inFlight.Load()+e.learner.lessons.Load() > 0 {
			time.Sleep(time.Millisecond)
		}
		e.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop: %w", ctx.Err())
	}
}

// Verdict is the result of judging a message.
type Verdict struct {
	filter.Classification
	// Shared is the score of the shared model, and User what the model of the user added to it.
	Shared float64 `json:"shared_score"`
	User   float64 `json:"user_score"`
	// Unjudged is why a message that passes has no verdict, else nil.
	Unjudged error `json:"-"`

	judge *filter.Filter // whose thresholds it follows
}

// Unjudged returns the verdict on a message that passes without one, and says why: it is over a limit of size or time, or met a fault. After any
// other error, which it returns, the message may be judged later.
func Unjudged(why error) (Verdict, error) {
	if errors.Is(why, ErrTooLarge) || errors.Is(why, ErrTimeout) || errors.Is(why, ErrInternal) {
		return Verdict{Unjudged: why}, nil
	}
	return Verdict{}, why
}

// Passed returns a message with the fields of its verdict, as [filter.Filter.Passed] does.
func (v Verdict) Passed(raw []byte) []byte {
	if v.Unjudged != nil {
		raw, _ = verdictfield.Set(raw, v.Fields()...)
		return raw
	}
	return v.judge.Passed(raw, v.Classification)
}

// Fields returns the fields of a verdict that Passed writes.
func (v Verdict) Fields() []verdictfield.Field {
	if v.Unjudged != nil {
		return []verdictfield.Field{verdictfield.UnjudgedField(v.Unjudged.Error())}
	}
	return v.judge.Fields(v.Classification)
}

// Symbol returns the name of a verdict as other filters write such names.
func (v Verdict) Symbol() string {
	if v.Unjudged != nil {
		return "CHAFF_UNJUDGED"
	}
	return "CHAFF_" + strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_' // in the name of a class
	}, strings.ToUpper(string(v.Verdict)))
}

// Judge judges a message. A user without a model is judged by the shared one alone. The error is as that of [Unjudged]. After
// [ErrTimeout], raw must not change for a while: the judgement may still go on.
func (e *Engine) Judge(ctx context.Context, from Origin, raw []byte) (Verdict, error) {
	began := time.Now()
	v, err := Verdict{}, from.Cut
	if err == nil {
		v, err = limited(ctx, e, raw, func() (Verdict, error) { return e.judge(from.User, raw), nil })
	}
	e.remember(newRecord(from, raw, v, began, err), raw, from.Protocol)
	if err != nil {
		e.Counters.Unjudged.Add(reasonOf(err), 1)
		return Unjudged(err)
	}
	e.Counters.Verdicts.Add(string(v.Verdict), 1)
	if v.Unlike {
		e.Counters.Unlike.Add(1)
	}
	e.Counters.Bytes.Add(int64(len(raw)))
	e.Counters.Nanoseconds.Add(int64(time.Since(began)))
	return v, nil
}

// remember adds a verdict, or why there is none, to the history and to the log, and keeps the message as the options say.
func (e *Engine) remember(r *Record, raw []byte, protocol string) {
	keeps := r.Unjudged == "" && e.Kept.keeps(r.Verdict, len(raw))
	if e.options.HistorySubjects || keeps {
		r.Subject, r.From = readable(HeaderField(raw, "subject")), readable(HeaderField(raw, "from"))
	}
	if keeps {
		if err := e.Kept.keep(r, raw); e.Kept.trouble.isNew(err) {
			e.log.Warn("%v", err)
		}
	}
	if !e.options.HistorySubjects {
		r.From, r.Subject = "", ""
	}
	e.events.judged(protocol, r)
	e.History.add(r)
}

// Explain explains the verdict on a message. It is not counted as judged.
func (e *Engine) Explain(ctx context.Context, user string, raw []byte) (filter.Explanation, error) {
	return limited(ctx, e, raw, func() (filter.Explanation, error) {
		shared := e.shared.current()
		x, err := shared.filter.Explain(raw)
		c, added := e.users.classify(user, shared, raw)
		if err != nil || added == 0 {
			return x, err
		}
		const ownModel = "model of the user" // what it adds is one contribution
		x.Classification = c
		x.Margin += added
		x.Contributions = append(x.Contributions, filter.Contribution{SeenTerm: filter.SeenTerm{Term: ownModel}, Contribution: added})
		slices.SortStableFunc(x.Contributions, func(a, b filter.Contribution) int {
			return cmp.Compare(math.Abs(b.Contribution), math.Abs(a.Contribution))
		})
		if len(x.Votes) > 0 {
			x.Votes = append(x.Votes, filter.Vote{Group: ownModel, Contribution: added})
		}
		return x, nil
	})
}

// quickMessage is the size in bytes up to which a message is judged by the goroutine that asks: it takes 30 ms at most, or a second if its
// attachments unpack to as much as is read of them, so that nobody need give up in between. Handing it to another goroutine would take half as
// long as judging an ordinary message.
const quickMessage = 64 << 10

// limited does something with a message within the limits, and returns its result.
func limited[T any](ctx context.Context, e *Engine, raw []byte, do func() (T, error)) (none T, err error) {
	if err := e.admit(raw, &e.inFlight, cap(e.slots)+e.options.Queue); err != nil {
		return none, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(e.options.MaxSeconds*float64(time.Second)), ErrTimeout)
	defer cancel()
	if len(raw) <= quickMessage {
		defer e.inFlight.Add(-1)
		return inTurn(ctx, e, e.slots, do)
	}
	slots := e.slots
	if len(raw) > message.LargeSize {
		slots = e.large
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		defer e.inFlight.Add(-1)
		value, err := inTurn(ctx, e, slots, do)
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}

// admit counts a message among others that are at work or wait, unless it is too large or they are too many. The caller takes it out again.
func (e *Engine) admit(raw []byte, others *atomic.Int64, most int) error {
	if len(raw) > e.options.MaxMessage {
		return fmt.Errorf("%w: it has %d bytes, and the limit is %d", ErrTooLarge, len(raw), e.options.MaxMessage)
	}
	var err error
	switch n := others.Add(1); {
	case e.closed.Load():
		err = ErrClosed
	case n > int64(most):
		err = ErrBusy
	default:
		return nil
	}
	others.Add(-1)
	return err
}

// Ready returns nil if the engine judges the next message at once or soon, else [ErrClosed] or [ErrBusy].
func (e *Engine) Ready() error {
	err := e.admit(nil, &e.inFlight, cap(e.slots)+e.options.Queue)
	if err == nil {
		e.inFlight.Add(-1)
	}
	return err
}

// IsAlive reports whether messages are judged: one of its own, which is not counted, or others while that waits too long.
func (e *Engine) IsAlive(ctx context.Context) bool {
	before := e.Counters.Nanoseconds.Load()
	_, err := e.Explain(ctx, "", []byte("Subject: alive\n\n"))
	return !errors.Is(err, ErrTimeout) || e.Counters.Nanoseconds.Load() > before
}

// inTurn waits for a slot and does something, unless ctx ends first. A fault of the program costs one verdict.
func inTurn[T any](ctx context.Context, e *Engine, slots chan struct{}, do func() (T, error)) (value T, err error) {
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return value, context.Cause(ctx)
	}
	defer func() { <-slots }()
	defer e.survive(&err)
	return do()
}

func (e *Engine) classify(name string, raw []byte) Verdict {
	shared := e.shared.current()
	v := Verdict{judge: shared.filter}
	v.Classification, v.User = e.users.classify(name, shared, raw)
	v.Shared = v.Score - v.User
	if warning := shared.background.unlike.add(&v.Classification); warning != "" {
		e.log.Warn("the last %s", warning)
	}
	return v
}

// survive turns a fault of the program into an error. It is deferred.
func (e *Engine) survive(err *error) {
	if fault := recover(); fault != nil {
		*err = e.fault(fault)
	}
}

func (e *Engine) fault(what any) error {
	e.Counters.Faults.Add(1)
	e.log.Warn("internal error: %v: please report it", what)
	return ErrInternal
}

// Provenance returns how the shared model was made; see [filter.Filter.Provenance].
func (e *Engine) Provenance() (json.RawMessage, error) { return e.shared.current().filter.Provenance() }

// Settings returns the settings of the shared model.
func (e *Engine) Settings() filter.Settings { return e.shared.current().filter.Settings() }

// Options returns the options of the engine.
func (e *Engine) Options() Options { return e.options }

// Status is the state of the engine.
type Status struct {
	Model   string    `json:"model"`
	Classes []string  `json:"classes"` // of the model
	Started time.Time `json:"started"`
	// Opened is when the model in memory was read, and Trouble why a newer one, or its log, was not.
	Opened  time.Time `json:"opened"`
	Trouble string    `json:"trouble,omitempty"`
	// Unlike says that the last messages are unlike the mail that the shared model learned, and by how much.
	Unlike string `json:"unlike,omitempty"`
	// KeptUnsure is how many unsure messages are kept.
	KeptUnsure int `json:"kept_unsure"`
	// The rest is as in [Counters].
	Verdicts  map[string]int64 `json:"verdicts"`
	Unjudged  map[string]int64 `json:"unjudged"`
	Learned   map[string]int64 `json:"learned"`
	Unlearned map[string]int64 `json:"unlearned"`
	// Store is the state of the log of the user, or of the shared one; nil if there is none.
	Store *store.Status `json:"store,omitempty"`
}

// Status returns the state of the engine and of the log of a user, "" for the shared one. It reads the whole log, one at a time, since that
// takes memory.
func (e *Engine) Status(user string) (Status, error) {
	e.looking.Lock()
	defer e.looking.Unlock()
	now, c := e.shared.current(), e.Counters
	s := Status{
		Model: e.options.Model, Classes: now.filter.Settings().Classes, Started: e.Started, Opened: now.opened, Unlike: now.background.unlike.warning(),
		KeptUnsure: len(e.Kept.Unsure()),
		Verdicts:   c.Verdicts.All(), Unjudged: c.Unjudged.All(), Learned: c.Learned.All(), Unlearned: c.Unlearned.All(),
	}
	if err := e.shared.trouble.err(); err != nil {
		s.Trouble = err.Error()
	}
	path, err := e.users.pathOf(user)
	if err != nil {
		return s, err
	}
	v, err := store.Look(path)
	if err != nil {
		if errors.Is(err, store.ErrNone) {
			err = nil
		}
		return s, err
	}
	defer v.Close()
	s.Store = new(v.Status(time.Now()))
	return s, nil
}
