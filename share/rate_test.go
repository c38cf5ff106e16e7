package share

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"chaff/store"
)

// oneHost is a stream with the records of one host, nil for those of others and for what it has forgotten.
type oneHost struct {
	jetstream.Stream
	records [][]byte
}

func (s oneHost) Info(context.Context, ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	return &jetstream.StreamInfo{State: jetstream.StreamState{Subjects: map[string]uint64{"chaff.mail.learn.b": 1}}}, nil
}

func (s oneHost) GetMsg(_ context.Context, from uint64, _ ...jetstream.GetMsgOpt) (*jetstream.RawStreamMsg, error) {
	for i := int(from) - 1; i < len(s.records); i++ {
		if s.records[i] != nil {
			return &jetstream.RawStreamMsg{Sequence: uint64(i + 1), Data: s.records[i]}, nil
		}
	}
	return nil, jetstream.ErrMsgNotFound
}

// streamOf returns the stream of a text: l is a record that was learned, w one that waits, g garbage with a high number, and a dot nothing.
func streamOf(text string) (s oneHost, last uint64) {
	for number, what := range text {
		data := make([]byte, 24)
		data[0], data[8] = 1, 7
		binary.LittleEndian.PutUint64(data[16:], uint64(number+1))
		switch what {
		case 'l':
			last = uint64(number + 1)
		case 'g':
			data[8], data[20] = 8, 1
		case '.':
			s.records = append(s.records, nil)
			continue
		}
		s.records = append(s.records, encoder.EncodeAll(data, nil))
	}
	return s, last
}

// Garbage may make the search begin earlier than with the first record that waits, but never later.
func TestTheRecordsThatWaitAreFound(t *testing.T) {
	tried := 0
	var try func(text string)
	try = func(text string) {
		if len(text) < 6 {
			for _, what := range "lwg." {
				if what != 'l' || !strings.Contains(text, "w") {
					try(text + string(what))
				}
			}
		}
		h := &host{options: DefaultOptions(), name: "a", origins: map[string]*origin{}}
		h.origin("b").next, h.origin("c").next = 99, 99 // of the last search, maybe in another stream
		_, last := streamOf(text)
		for _, end := range []string{"", "g", "w", ".w"} { // of the stream, which the log has not followed yet
			h.stream, _ = streamOf(text + end)
			err := h.findWaiting(t.Context(), store.Stand{Position: uint64(len(text)), Numbers: map[string]uint64{"b": last}, Check: 7})
			first, found := uint64(strings.IndexByte(text, 'w')+1), h.origin("b").next
			tried++
			switch {
			case err != nil, h.origin("c").next > 0, found != first && !strings.Contains(text, "g"), first > 0 && (found == 0 || found > first),
				found > uint64(len(text)), found > 0 && !strings.Contains("wg", text[found-1:found]):
				t.Fatalf("%s followed by %s: found %d, want %d: %v", text, end, found, first, err)
			}
		}
	}
	try("")
	t.Logf("%d streams", tried)
}

// failing is a stream whose servers do not answer.
type failing struct {
	oneHost
	asked *int
}

func (s failing) GetMsg(context.Context, uint64, ...jetstream.GetMsgOpt) (*jetstream.RawStreamMsg, error) {
	*s.asked++
	return nil, context.DeadlineExceeded
}

// Each request to servers that do not answer takes seconds.
func TestASearchEndsWithItsFirstError(t *testing.T) {
	asked := 0
	h := &host{options: DefaultOptions(), name: "a", origins: map[string]*origin{}, stream: failing{asked: &asked}}
	if err := h.findWaiting(t.Context(), store.Stand{Position: 1000}); err != context.DeadlineExceeded || asked != 1 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}
