package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Client is a client of a protocol, with its connection.
type Client interface {
	comparable
	// Answer answers the client until it goes.
	Answer()
	// Hurry ends the client soon if it has begun nothing. The clients are locked.
	Hurry()
}

// Clients are the clients of a listener. The lock guards Stopping and what a protocol keeps of each client for its end.
type Clients[C Client] struct {
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

// Reporter reports for a protocol, under its name. Without a log it reports to nobody.
type Reporter struct {
	Protocol string
	Log      Logger
}

// From returns a context for the engine that says where a message came from, see [From].
func (r Reporter) From(ctx context.Context, queueID string) context.Context {
	return From(ctx, Origin{r.Protocol, queueID})
}

// Note reports what happened.
func (r Reporter) Note(format string, args ...any) {
	if r.Log != nil {
		r.Log.Note(r.Protocol+": "+format, args...)
	}
}

// Warn reports what may need attention.
func (r Reporter) Warn(format string, args ...any) {
	if r.Log != nil {
		r.Log.Warn(r.Protocol+": "+format, args...)
	}
}

// Protocol is what a server of a protocol does with a listener.
type Protocol[C Client] struct {
	Reporter
	// Connect admits a client, see [Engine.Connect]. Another one is told Busy.
	Connect func(protocol string) (done func(), err error)
	Busy    string
	// Begin returns the client of a connection.
	Begin func(net.Conn) C
	// Grace is how long clients may take to end what they have begun. Then Abandon is called and all connections are closed.
	Grace   time.Duration
	Abandon func()
}

// begin answers a client in a goroutine of its own, and closes its connection afterwards.
func (s *Clients[C]) begin(conn net.Conn, p Protocol[C]) {
	done, err := p.Connect(p.Protocol)
	if err != nil {
		conn.SetWriteDeadline(time.Now().Add(time.Second))
		io.WriteString(conn, p.Busy)
		conn.Close()
		return
	}
	c := p.Begin(conn)
	s.Lock()
	if s.conns == nil {
		s.conns = map[C]net.Conn{}
	}
	s.conns[c] = conn
	s.Unlock()
	s.open.Go(func() {
		defer func() {
			done()
			conn.Close()
			s.Lock()
			delete(s.conns, c)
			s.Unlock()
		}()
		c.Answer()
	})
}

// Serve accepts clients until ctx ends, see [Accept]. Then it waits for them.
func (s *Clients[C]) Serve(ctx context.Context, l net.Listener, p Protocol[C]) error {
	err := Accept(ctx, l, func(conn net.Conn) { s.begin(conn, p) }, func(err error) { p.Warn("accept a client: %v: trying again", err) })
	s.Lock()
	s.Stopping = true
	for c := range s.conns {
		c.Hurry()
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
		return fmt.Errorf("accept a client of %s: %w", p.Protocol, err)
	}
	return nil
}
