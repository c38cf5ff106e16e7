package serve

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// results is a listener whose Accept has results that were chosen.
type results struct {
	net.Listener // for methods that are not used
	of           chan any
	closed       chan struct{}
}

func (r *results) Close() error { r.closed <- struct{}{}; return nil }
func (r *results) Accept() (net.Conn, error) {
	switch x := (<-r.of).(type) {
	case net.Conn:
		return x, nil
	case error:
		return nil, x
	}
	return nil, nil
}

func TestAcceptGoesOnAfterAnError(t *testing.T) {
	r := &results{of: make(chan any, 9), closed: make(chan struct{}, 9)}
	client, conn := net.Pipe()
	defer client.Close()
	defer conn.Close()
	many := errors.New("too many open files")
	for _, x := range []any{many, many, conn, conn, many, net.ErrClosed} {
		r.of <- x
	}
	clients, warnings := 0, 0
	err := accept(t.Context(), r, func(net.Conn) { clients++ }, func(error) { warnings++ })
	if clients != 2 || warnings != 2 || !errors.Is(err, net.ErrClosed) || len(r.closed) != 1 {
		t.Errorf("%d clients, %d warnings, %v, closed %d times", clients, warnings, err, len(r.closed))
	}
}

func TestAcceptEndsWithItsContext(t *testing.T) {
	r := &results{of: make(chan any, 9), closed: make(chan struct{}, 9)}
	ctx, cancel := context.WithCancel(t.Context())
	client, conn := net.Pipe()
	defer client.Close()
	defer conn.Close()
	cancel()
	r.of <- conn // came at the same time
	clients := 0
	if err := accept(ctx, r, func(net.Conn) { clients++ }, func(error) {}); clients != 1 || err != nil {
		t.Errorf("%d clients, %v", clients, err)
	}
}

func TestAFloodOfWarningsFillsNoLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &testLog{}
		s := Server{Protocol: "spamd", Log: log}
		for range 3 * warningsASecond {
			s.Warn("bad request")
		}
		if n := strings.Count(log.String(), "spamd: bad request"); n != warningsASecond {
			t.Errorf("%d lines of %d", n, 3*warningsASecond)
		}
		if s.Warn("internal error"); !strings.Contains(log.String(), "spamd: internal error") {
			t.Error("a flood hides a fault")
		}
		time.Sleep(time.Second)
		if s.Warn("more"); !strings.Contains(log.String(), "spamd: left out 200 more") {
			t.Errorf("the log does not say how many were left out: %s", log)
		}
	})
}
