package share

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"chaff/store"
)

const (
	// maxBatch is how many records are learned under one lock of the log, and gather for how long they are waited for after the first.
	maxBatch = 500
	gather   = 200 * time.Millisecond
	// heartbeat is how often the server says that it knows our consumer, and idle for how long the first record is waited for. If two heartbeats of one wait do
	// not come, no server knows the consumer, as after a partition of a cluster.
	heartbeat = time.Second
	idle      = 3 * heartbeat
)

// fitsEvery is how often share looks for a new fit.
const fitsEvery = 2 * time.Second

// follow learns what comes through the stream. Its consumer begins behind the position that the log has, so that nobody need know what the last one was told.
// It returns nil when another one has to go on: the log was replaced, or a message lost.
func (h *host) follow(ctx context.Context) error {
	if err := h.begin(ctx); err != nil {
		return err
	}
	at, err := h.stand()
	if err != nil {
		return err
	}
	if err := h.findWaiting(ctx, at); err != nil {
		return err
	}
	if err := h.stream.DeleteConsumer(ctx, h.name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	consumer, err := h.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: h.name, AckPolicy: jetstream.AckAllPolicy, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: at.Position + 1,
		MaxAckPending: 2 * maxBatch, AckWait: 10 * time.Second,
	})
	if err != nil {
		return err
	}
	// A consumer that waits for a server that is gone asks another one after so long.
	messages, err := consumer.Messages(jetstream.PullMaxMessages(maxBatch), jetstream.PullExpiry(2*time.Second), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return err
	}
	defer messages.Stop()
	from := place{position: at.Position}
	for looked := time.Now(); ; {
		batch, err := next(ctx, messages)
		if err == nil {
			err = h.learn(ctx, batch, &from)
		}
		if err == nil {
			err = h.learnWaiting(ctx, from.position)
		}
		if errors.Is(err, store.ErrMoved) || errors.Is(err, errGap) {
			return nil
		}
		if err != nil {
			return err
		}
		if time.Since(looked) < fitsEvery {
			continue
		}
		looked = time.Now()
		fit, err := h.lastFit(ctx)
		if err != nil {
			return err
		}
		if fit.Position > at.Fit && fit.Position <= from.position {
			return h.adopt(ctx, fit)
		}
	}
}

// next returns the messages that come, none after a while.
func next(ctx context.Context, messages jetstream.MessagesContext) (batch []jetstream.Msg, err error) {
	wait := idle
	var until time.Time
	for len(batch) < maxBatch && wait > 0 {
		m, err := messages.Next(jetstream.NextMaxWait(wait))
		if errors.Is(err, nats.ErrTimeout) {
			break
		}
		if err != nil {
			return nil, err
		}
		if batch = append(batch, m); len(batch) == 1 {
			until = time.Now().Add(gather)
		}
		wait = time.Until(until)
	}
	return batch, ctx.Err()
}

// place is where a consumer is: at which position of the stream, and after how many messages.
type place struct{ position, delivered uint64 }

// errGap is returned if a message was lost on its way: the consumer sends it again later, behind others, so another one begins where the log is.
var errGap = errors.New("a message was lost on its way")

// learn learns a batch, and then tells the stream.
func (h *host) learn(ctx context.Context, batch []jetstream.Msg, at *place) error {
	var lessons []store.Lesson
	end, left := at.position, uint64(0)
	for _, m := range batch {
		about, err := m.Metadata()
		if err != nil {
			return err
		}
		if at.delivered++; about.Sequence.Consumer != at.delivered {
			return errGap
		}
		if left = about.NumPending; about.Sequence.Stream <= end { // it came again
			h.note(func(s *store.Sharing) { s.Twice++ })
			continue
		}
		end = about.Sequence.Stream
		origin := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]
		if !h.holds(origin, end, about.Timestamp) {
			lessons = append(lessons, store.Lesson{Origin: origin, Time: about.Timestamp, Data: decompress(m.Data())})
		}
	}
	if end > at.position {
		for {
			err := h.apply(ctx, lessons, at.position, end)
			if err == nil {
				break
			}
			if errors.Is(err, store.ErrMoved) {
				return err
			}
			if h.say(err.Error()); !sleep(ctx, retry) {
				return ctx.Err()
			}
		}
		at.position, h.learned = end, true
		h.note(func(s *store.Sharing) { s.End = end + left })
	}
	if len(batch) > 0 {
		return batch[len(batch)-1].Ack()
	}
	if h.learned {
		h.learned = false
		return h.apply(ctx, nil, at.position, at.position)
	}
	return nil
}
