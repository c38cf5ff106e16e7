package share

import (
	"context"
	"errors"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"chaff/store"
)

// pace is how fast an origin may teach: as many records as in an hour at once, and as many more in each hour.
type pace struct {
	each  time.Duration // 0 is no limit
	spent time.Time     // when what was taken would be there again, if nothing was taken
}

func newPace(rate int) pace {
	if rate == 0 {
		return pace{}
	}
	return pace{each: time.Hour / time.Duration(rate)}
}

// take takes out a record that was published at a time, and reports whether that may be: what was published long ago need not wait.
func (p *pace) take(at time.Time) bool {
	if p.each == 0 {
		return true
	}
	end := latest(at, time.Now()).Add(time.Hour)
	spent := latest(at, p.spent).Add(p.each)
	if spent.After(end) {
		return false
	}
	p.spent = spent
	return true
}

// latest returns the last of some times.
func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// origin is a host, as this one follows it. Its records are learned in their order. Those beyond share.rate wait in the stream, while the log goes on
// with those of others.
type origin struct {
	pace
	next uint64 // the position of the first record that waits, 0 for none
}

func (h *host) origin(name string) *origin {
	o := h.origins[name]
	if o == nil {
		o = &origin{pace: newPace(h.options.Rate)}
		h.origins[name] = o
	}
	return o
}

// holds reports whether a record at a position has to wait.
func (h *host) holds(name string, position uint64, at time.Time) bool {
	if name == h.name {
		return false
	}
	o := h.origin(name)
	if o.next == 0 && !o.take(at) {
		o.next = position
		h.say("the host " + name + " has published more than share.rate; its records wait")
	}
	return o.next > 0
}

// record returns the first record of a host from a position on, nil if there is none up to end.
func (h *host) record(ctx context.Context, name string, from, end uint64) (*jetstream.RawStreamMsg, error) {
	m, err := h.stream.GetMsg(ctx, from, jetstream.WithGetMsgSubject(h.subject(name)))
	if errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && m.Sequence > end {
		return nil, nil
	}
	return m, err
}

// findWaiting finds the records that wait: those of a host behind the last one that the log has of it. They may be of this host, if it has taken over a fit.
func (h *host) findWaiting(ctx context.Context, at store.Stand) error {
	info, err := h.stream.Info(ctx, jetstream.WithSubjectFilter(h.subject("*")))
	if err != nil {
		return err
	}
	for _, o := range h.origins {
		o.next = 0
	}
	for subject := range info.State.Subjects {
		name := subject[strings.LastIndexByte(subject, '.')+1:]
		o := h.origin(name)
		sort.Search(int(at.Position), func(i int) bool { // what follows is higher, too
			var m *jetstream.RawStreamMsg
			if err == nil {
				m, err = h.record(ctx, name, uint64(i)+1, at.Position)
			}
			if m == nil {
				return true
			}
			// Garbage has no number. It counts as one that waits, so that the search may begin too early but never too late.
			if n := (store.Lesson{Data: decompress(m.Data)}).NumberOf(at.Check); n > 0 && n <= at.Numbers[name] {
				return false
			}
			o.next = m.Sequence
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// learnWaiting learns of the records that wait those whose time has come.
func (h *host) learnWaiting(ctx context.Context, at uint64) error {
	for name, o := range h.origins {
		var lessons []store.Lesson
		for o.next > 0 && len(lessons) < maxBatch {
			m, err := h.record(ctx, name, o.next, at)
			if err != nil {
				return err
			}
			if m == nil { // all were learned, or the stream has forgotten them
				o.next = 0
				break
			}
			if !o.take(m.Time) {
				break
			}
			o.next = m.Sequence + 1
			lessons = append(lessons, store.Lesson{Origin: name, Time: m.Time, Data: decompress(m.Data), Late: true})
		}
		if len(lessons) > 0 {
			if err := h.apply(ctx, lessons, at, at); err != nil {
				return err
			}
			h.learned = true
		}
	}
	return nil
}
