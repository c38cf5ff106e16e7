package serve

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

// Clients are the clients of a listener. The lock guards Stopping and what a protocol keeps of each client for its end.
type Clients[C comparable] struct {
	sync.Mutex
	Stopping bool

	conns map[C]net.Conn
	open  sync.WaitGroup
}

// IsStopping returns Stopping.
func (s *Clients[C]) IsStopping() bool {
	s.Lock()
	defer s.Unlock()
	return s.Stopping
}

// Begin answers a client in a goroutine of its own, and closes its connection afterwards.
func (s *Clients[C]) Begin(c C, conn net.Conn, answer func()) {
	s.Lock()
	if s.conns == nil {
		s.conns = map[C]net.Conn{}
	}
	s.conns[c] = conn
	s.Unlock()
	s.open.Go(func() {
		defer func() {
			conn.Close()
			s.Lock()
			delete(s.conns, c)
			s.Unlock()
		}()
		answer()
	})
}

// Protocol is what a server of a protocol does with a listener.
type Protocol[C comparable] struct {
	Name string
	// Begin answers a client, mostly by [Clients.Begin].
	Begin func(net.Conn)
	// Hurry ends a client soon if it has begun nothing. The clients are locked.
	Hurry func(C)
	// Grace is how long clients may take to end what they have begun. Then Abandon is called and all connections are closed.
	Grace   time.Duration
	Abandon func()
	Warn    func(format string, args ...any)
}

// Serve accepts clients until ctx ends, see [Accept]. Then it waits for them.
func (s *Clients[C]) Serve(ctx context.Context, l net.Listener, p Protocol[C]) error {
	err := Accept(ctx, l, p.Begin, func(err error) { p.Warn("accept a client: %v: trying again", err) })
	s.Lock()
	s.Stopping = true
	for c := range s.conns {
		p.Hurry(c)
	}
	s.Unlock()
	done := make(chan struct{})
	go func() {
		s.open.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(p.Grace):
		p.Abandon()
		s.Lock()
		for _, conn := range s.conns {
			conn.Close()
		}
		s.Unlock()
		<-done
	}
	if err != nil {
		return fmt.Errorf("accept a client of %s: %w", p.Name, err)
	}
	return nil
}
