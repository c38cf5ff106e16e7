package serve

import (
	"context"
	"errors"
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
	// Hurry ends the client soon if it has begun nothing. The server is locked.
	Hurry()
	// Fail ends the client after a fault of the program.
	Fail()
}

// Server answers the clients of a listener in a protocol. The lock guards Stopping and what a protocol keeps of each client for its end.
type Server[C Client] struct {
	Reporter
	// Connect admits a client, see [Engine.Connect]. Another one is told Busy.
	Connect func(protocol string) (done func(), err error)
	Busy    string
	// Begin returns the client of a connection.
	Begin func(net.Conn) C
	// Grace is how long clients may take to end what they have begun. Then Working ends and all connections are closed.
	Grace   time.Duration
	Working context.Context

	sync.Mutex
	Stopping bool
	conns    map[C]net.Conn
	open     sync.WaitGroup
}

// IsStopping returns Stopping.
func (s *Server[C]) IsStopping() bool {
	s.Lock()
	defer s.Unlock()
	return s.Stopping
}

// From returns a context for the engine that says where a message came from, see [From].
func (s *Server[C]) From(queueID string) context.Context {
	return From(s.Working, Origin{s.Protocol, queueID})
}

// begin answers a client in a goroutine of its own, and closes its connection afterwards.
func (s *Server[C]) begin(conn net.Conn) {
	done, err := s.Connect(s.Protocol)
	if err != nil {
		conn.SetWriteDeadline(time.Now().Add(time.Second))
		io.WriteString(conn, s.Busy)
		conn.Close()
		return
	}
	c := s.Begin(conn)
	s.Lock()
	s.conns[c] = conn
	s.Unlock()
	s.open.Go(func() {
		defer func() {
			if fault := recover(); fault != nil {
				s.Warn("internal error: %v: please report it", fault)
				c.Fail()
			}
			done()
			conn.Close()
			s.Lock()
			delete(s.conns, c)
			s.Unlock()
		}()
		c.Answer()
	})
}

// Serve accepts clients until ctx ends, and closes l. Then it waits for them.
func (s *Server[C]) Serve(ctx context.Context, l net.Listener) error {
	working, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	s.Working, s.conns = working, map[C]net.Conn{}
	err := accept(ctx, l, s.begin, func(err error) { s.Warn("accept a client: %v: trying again", err) })
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
	case <-time.After(s.Grace):
		abandon()
		s.Lock()
		for _, conn := range s.conns {
			conn.Close()
		}
		s.Unlock()
		<-done
	}
	if err != nil {
		return fmt.Errorf("accept a client of %s: %w", s.Protocol, err)
	}
	return nil
}

// accept accepts clients until ctx ends, and closes l. It tries again after an error, such as too many open files, unless somebody else has
// closed l. It gives warn such an error once.
func accept(ctx context.Context, l net.Listener, begin func(net.Conn), warn func(error)) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	defer l.Close()
	pause := time.Duration(0)
	for {
		conn, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			if conn != nil {
				begin(conn)
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil:
			if pause == 0 {
				warn(err)
			}
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause):
			}
		default:
			pause = 0
			begin(conn)
		}
	}
}

// Reporter reports for a protocol, under its name.
type Reporter struct {
	Protocol string
	Log      Logger
}

// Note reports what happened.
func (r Reporter) Note(format string, args ...any) { r.Log.Note(r.Protocol+": "+format, args...) }

// Warn reports what may need attention.
func (r Reporter) Warn(format string, args ...any) { r.Log.Warn(r.Protocol+": "+format, args...) }

// ClientOf returns the address of a client for the log. Clients of Unix sockets have none.
func ClientOf(conn net.Conn) string {
	if at := conn.RemoteAddr(); at.Network() != "unix" {
		return at.String()
	}
	return "a client of the Unix socket"
}
