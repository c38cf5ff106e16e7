package share

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"chaff/store"
)

// lookEvery is how often share looks whether the log has grown.
const lookEvery = 100 * time.Millisecond

// publish puts what waits in the log into the stream, one record after the other.
func (h *host) publish(ctx context.Context) error {
	const atOnce = 50             // records that are read at once
	const saveEvery = time.Second // what was done is written down
	p, err := h.newPublisher(ctx)
	if err != nil {
		return err
	}
	var saved time.Time
	for {
		waiting, err := p.box.Next(atOnce, p.sent)
		if err != nil {
			return err
		}
		h.note(func(s *store.Sharing) { s.Waiting = uint64(p.box.Len()) })
		for _, w := range waiting {
			if err := p.send(ctx, w); err != nil {
				return err
			}
			p.box.Done(1)
			h.note(func(s *store.Sharing) { s.Published, s.Waiting = p.number, uint64(p.box.Len()) })
		}
		if time.Since(saved) > saveEvery {
			saved = time.Now()
			h.save()
		}
		if len(waiting) == 0 && !sleep(ctx, lookEvery) {
			return ctx.Err()
		}
	}
}

// publisher puts records of this host into the stream.
type publisher struct {
	*host
	box  *store.Outbox
	sent uint64 // the position of the last record of this host, whose number is that of the host
	pace pace
}

func (h *host) newPublisher(ctx context.Context) (*publisher, error) {
	p := &publisher{host: h, box: &store.Outbox{Path: h.Path}, pace: newPace(h.options.Rate)}
	var newest store.Lesson
	last, err := p.stream.GetLastMsgForSubject(ctx, p.subject(p.name))
	switch {
	case err == nil:
		p.sent, newest.Data = last.Sequence, decompress(last.Data)
	case !errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, err
	}
	at, err := h.stand()
	for ; err == nil && at.Position < p.sent; at, err = h.stand() { // until the log knows what has its place
		if !sleep(ctx, lookEvery) {
			return nil, ctx.Err()
		}
	}
	if err != nil {
		return nil, err
	}
	number := max(newest.NumberOf(at.Check), at.Numbers[h.name])
	if h.number > 0 && number > h.number+1 {
		return nil, fatal{fmt.Errorf("another process publishes as the host %s: each needs a name of its own, share.host", h.name)}
	}
	h.number = number
	return p, nil
}

// send puts a record into the stream, and returns when it is there. If the answer is lost, the next publisher asks the stream and begins behind what it has.
func (p *publisher) send(ctx context.Context, w store.Taught) error {
	data, isCut := p.encode(w)
	for !p.pace.take(time.Now()) {
		if !sleep(ctx, time.Second) {
			return ctx.Err()
		}
	}
	m := &nats.Msg{Subject: p.subject(p.name), Data: data}
	id := fmt.Sprintf("%s-%d-%016x", p.name, p.number+1, xxhash.Sum64(data))
	ack, err := p.js.PublishMsg(ctx, m, jetstream.WithMsgID(id), jetstream.WithExpectLastSequencePerSubject(p.sent))
	if err != nil {
		return err
	}
	p.sent = ack.Sequence
	p.number++
	if isCut {
		p.note(func(s *store.Sharing) { s.Cut++ })
	}
	return nil
}

// encode returns a record as it is sent. One that is too large loses terms at its end until it fits.
func (p *publisher) encode(w store.Taught) (data []byte, isCut bool) {
	const maxRecord = 1000000 // bytes, a little less than what a server takes by default
	for terms := w.Terms(); ; terms /= 2 {
		lesson := w.Lesson(p.number+1, terms)
		data = encoder.EncodeAll(lesson, nil)
		if len(data) <= maxRecord && len(lesson) <= store.MaxLesson {
			return data, terms < w.Terms()
		}
	}
}

var encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))

var decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(store.MaxLesson))

// decompress returns what encode has compressed, nil for anything else.
func decompress(data []byte) []byte {
	plain, err := decoder.DecodeAll(data, nil)
	if err != nil {
		return nil
	}
	return plain
}
