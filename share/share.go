package share

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"chaff/store"
)

// Model is the model that is shared, and how it learns.
type Model struct {
	Path    string
	Store   store.Options
	Retrain store.RetrainOptions
}

// host is this host among those that share.
type host struct {
	Model
	options Options
	name    string
	js      jetstream.JetStream
	stream  jetstream.Stream
	made    int64  // when the stream was made
	number  uint64 // of the last record that this process has published, 0 for none
	learned bool   // since the model was written
	origins map[string]*origin
	fits    jetstream.KeyValue
	objects jetstream.ObjectStore

	mu    sync.Mutex
	state store.Sharing
	tell  func(line string)
	told  []string // the last lines
}

// fatal is an error that only a person can repair.
type fatal struct{ error }

func (f fatal) Unwrap() error { return f.error }

// retry is how long to wait after an error.
const retry = time.Second

// Run shares a model until ctx ends. It waits for the servers; the error is about something that a person has to repair. say gets a line for each thing that goes
// wrong meanwhile.
func Run(ctx context.Context, m Model, o Options, say func(line string)) error {
	name, err := o.name()
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(m.Path); err == nil {
		m.Path = target
	}
	h := &host{Model: m, options: o, name: name, origins: map[string]*origin{}, tell: say}
	if h.state, _, err = store.ReadSharing(m.Path); err != nil {
		return err
	}
	h.state.Host = name
	if h.state.Refused == nil {
		h.state.Refused = map[string]uint64{}
	}
	connection, err := o.connect(name, h.say)
	if err != nil {
		return err
	}
	defer connection.Close()
	if !connection.IsConnected() {
		h.say(fmt.Sprintf("no server answers at %s; what is taught waits in the log", strings.Join(o.Nats, ", ")))
	}
	if h.js, err = jetstream.New(connection); err != nil {
		return err
	}
	for err = h.share(ctx); errors.Is(err, jetstream.ErrStreamNotFound) && sleep(ctx, retry); err = h.share(ctx) {
		h.say("the stream was lost")
	}
	if ctx.Err() != nil && !errors.As(err, new(fatal)) {
		err = nil
	}
	h.note(func(s *store.Sharing) {
		if s.Problem = ""; err != nil {
			s.Problem = err.Error()
		}
	})
	h.save()
	return err
}

// share shares by one stream. The error is jetstream.ErrStreamNotFound if that is lost.
func (h *host) share(ctx context.Context) error {
	if err := h.again(ctx, "open the stream", h.open); err != nil {
		return err
	}
	if err := h.again(ctx, "begin", h.begin); err != nil {
		return err
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	start := func(what string, do func(context.Context) error) {
		all.Go(func() {
			var err error
			for err == nil { // so that another consumer goes on
				err = h.again(running, what, do)
			}
			stop(err)
		})
	}
	start("publish", h.publish)
	start("follow the stream", h.follow)
	if h.options.Fit {
		start("fit the model", h.fit)
	}
	all.Wait()
	return context.Cause(running)
}

// again does something until it succeeds, ctx ends, the stream is lost, or a person has to repair something.
func (h *host) again(ctx context.Context, what string, do func(context.Context) error) error {
	for {
		err := do(ctx)
		if err == nil || ctx.Err() != nil || errors.As(err, new(fatal)) || errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = errors.New("the servers do not answer")
		}
		problem := fmt.Sprintf("%s: %v", what, err)
		h.say(problem)
		h.note(func(s *store.Sharing) { s.Problem = problem })
		h.save()
		if !sleep(ctx, retry) {
			return ctx.Err()
		}
	}
}

// say tells a line, unless it is one of the last ones: on a full disk, each part of share says its own line each second.
func (h *host) say(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Contains(h.told, line) {
		h.told = append(h.told[max(0, len(h.told)-4):], line)
		h.tell(line)
	}
}

// sleep reports whether the time has passed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// note changes what the host says of itself.
func (h *host) note(change func(*store.Sharing)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&h.state)
}

// save writes it to its file.
func (h *host) save() {
	h.mu.Lock()
	h.state.Written = time.Now().UTC().Truncate(time.Second)
	err := h.state.Write(h.Path)
	h.mu.Unlock()
	if err != nil {
		h.say(err.Error())
	}
}

// subject returns the subject of the records of a host; * for all.
func (h *host) subject(of string) string { return "chaff." + h.options.Filter + ".learn." + of }

// open opens the stream, and what the fits are in. The host that fits makes them.
func (h *host) open(ctx context.Context) error {
	name, replicas := "chaff-"+h.options.Filter, min(3, len(h.options.Nats))
	if replicas == 2 {
		replicas = 1
	}
	stream, err := h.js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) && h.options.Fit {
		stream, err = h.js.CreateStream(ctx, jetstream.StreamConfig{
			Name: name, Subjects: []string{h.subject("*")}, Replicas: replicas, MaxAge: time.Duration(h.options.Keep) * 24 * time.Hour, MaxMsgSize: 1 << 20,
		})
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("there is no stream %s: the host with share.fit=true makes it", name)
	}
	if err != nil {
		return err
	}
	h.stream, h.made = stream, stream.CachedInfo().Created.UnixNano()
	h.fits, err = h.js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) && h.options.Fit {
		h.fits, err = h.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Replicas: replicas})
	}
	if err != nil {
		return err
	}
	h.objects, err = h.js.ObjectStore(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) && h.options.Fit {
		h.objects, err = h.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: name, Replicas: replicas})
	}
	return err
}

// stand returns how far the log has followed the stream. A position in another stream is none.
func (h *host) stand() (at store.Stand, err error) {
	at, err = store.StandOf(h.Path)
	if at.Stream != h.made {
		at = store.Stand{Check: at.Check}
	}
	return at, err
}

// begin makes sure that the model is one which can follow the stream.
func (h *host) begin(ctx context.Context) error {
	at, err := h.stand()
	if errors.Is(err, store.ErrNone) {
		if _, e := os.Stat(h.Path); e == nil {
			return fatal{fmt.Errorf("%s has no log: move it away, and share fetches the shared model", h.Path)}
		}
		fit, err := h.lastFit(ctx)
		if err == nil && fit.Position == 0 && fit.Model == "" {
			err = fatal{fmt.Errorf("there is no model %s, and no host has put one into the stream yet: copy the model and its log from another host", h.Path)}
		}
		if err == nil {
			err = h.adopt(ctx, fit)
		}
		return err
	}
	if err != nil {
		return err
	}
	info, err := h.stream.Info(ctx)
	if err != nil {
		return err
	}
	if info.Created.UnixNano() != h.made {
		return jetstream.ErrStreamNotFound
	}
	if at.Position+1 < info.State.FirstSeq && at.Position < info.State.LastSeq {
		fit, err := h.lastFit(ctx)
		if err != nil {
			return err
		}
		if fit.Position+1 < info.State.FirstSeq || fit.Model == "" {
			return fatal{fmt.Errorf("the stream begins with record %d, and the log of %s ends before, with %d: "+
				"start chaff share again when a host has fitted the model, or copy the model and its log from a host that shares, without what waits here",
				info.State.FirstSeq, h.Path, at.Position)}
		}
		return h.adopt(ctx, fit)
	}
	return h.apply(ctx, nil, at.Position, at.Position)
}

// apply makes the log learn what the stream has between two positions. Without lessons it writes the model, if that is due.
func (h *host) apply(ctx context.Context, lessons []store.Lesson, from, to uint64) error {
	s, err := store.Open(ctx, h.Path, h.Store)
	if err != nil {
		return err
	}
	a, err := store.Follow(s, store.Batch{Host: h.name, Stream: h.made, From: from, To: to, Lessons: lessons})
	if len(lessons) == 0 { // more may follow soon, and the model be written for all of them
		if e := s.Finish(); e != nil {
			h.say(e.Error())
		}
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	h.note(func(s *store.Sharing) {
		h.told = nil // what goes wrong from here on is news
		s.Position, s.Applied, s.Twice, s.Problem = to, s.Applied+uint64(a.Learned), s.Twice+uint64(a.Twice), ""
		for why, n := range a.Refused {
			s.Refused[why] += uint64(n)
		}
		if !a.Last.IsZero() {
			s.Lag = max(0, time.Since(a.Last).Seconds())
		}
	})
	return nil
}
