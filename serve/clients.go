package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"chaff/filter"
	"chaff/store"
)

// Service is what protocols ask of an [Engine]. Tests of protocols change parts of it.
type Service interface {
	Clients(l net.Listener, protocol, busy string) net.Listener
	NewMessage() *Message
	HasModel(user string) bool
	Judge(ctx context.Context, from Origin, raw []byte) (Verdict, error)
	Learn(ctx context.Context, from Origin, raw []byte, label string) (store.Outcome, error)
	Forget(ctx context.Context, from Origin, raw []byte) (store.Outcome, error)
	Settings() filter.Settings
	Options() Options
}

// Client is a client of a protocol.
type Client interface {
	// Answer answers the client until it goes.
	Answer()
	// Fail ends the client after a fault of the program.
	Fail()
}

// Conn is the connection of a client.
type Conn struct {
	net.Conn
	Last time.Time // when what the client has begun has to have come; zero for no limit
	gone func()    // is told of its end

	mu    sync.Mutex // of its end
	begun bool       // something that is to be finished
}

// Server answers the clients of a listener in a protocol, under whose name it reports.
type Server struct {
	Protocol string
	Log      Logger
	// Engine admits clients. Others are told Busy.
	Engine Service
	Busy   string
	// Idle is how long a client may be silent. Total is how long a message may take.
	Idle, Total time.Duration
	// Begin returns the client of a connection.
	Begin func(*Conn) Client
	// Grace is how long clients may take to end what they have begun when the daemon stops. Then Working ends and all connections are closed. Zero is
	// ten seconds.
	Grace   time.Duration
	Working context.Context

	warnings limit
	accepts  context.Context // ends when the daemon stops; nil in tests of protocols
	open     sync.WaitGroup
}

// IsStopping reports whether the daemon stops.
func (s *Server) IsStopping() bool { return s.accepts != nil && s.accepts.Err() != nil }

// whenStopping is how long a client that has begun nothing may be silent when the daemon stops: its request may be on its way.
const whenStopping = 200 * time.Millisecond

// Await sets until when a client may be silent. Begun says whether it has begun something: one that has not gets [ErrClosed] when the daemon stops.
func (s *Server) Await(conn *Conn, begun bool) error {
	conn.mu.Lock()
	defer conn.mu.Unlock()
	if conn.begun = begun; s.IsStopping() && !begun {
		conn.SetReadDeadline(time.Now().Add(whenStopping))
		return ErrClosed
	}
	return conn.Expect(s.Idle)
}

// hurry ends the connection soon, unless the client has begun something.
func (c *Conn) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.begun {
		c.SetReadDeadline(time.Now().Add(whenStopping)) // Last belongs to the client
	}
}

// Expect sets how long the client may be silent, up to Last.
func (c *Conn) Expect(d time.Duration) error { return c.SetReadDeadline(Until(d, c.Last)) }

// Until returns the end of a time that begins now, but not after last unless that is zero.
func Until(d time.Duration, last time.Time) time.Time {
	until := time.Now().Add(d)
	if !last.IsZero() && until.After(last) {
		return last
	}
	return until
}

// Note reports what happened.
func (s *Server) Note(format string, args ...any) { s.Log.Note(s.Protocol+": "+format, args...) }

// warningsASecond is how many warnings of a kind are logged in a second at most: whoever can connect must not fill the disk, nor hide a fault.
const warningsASecond = 100

// Warn reports what may need attention.
func (s *Server) Warn(format string, args ...any) {
	may, left := s.warnings.pass(format, warningsASecond)
	if left > 0 {
		s.Log.Warn("%s: left out %d more", s.Protocol, left)
	}
	if may {
		s.Log.Warn(s.Protocol+": "+format, args...)
	}
}

// begin answers a client in a goroutine of its own, and closes its connection afterwards.
func (s *Server) begin(of net.Conn) {
	conn := of.(*Conn)
	c := s.Begin(conn)
	stopHurry := context.AfterFunc(s.accepts, conn.hurry)
	stopClose := context.AfterFunc(s.Working, func() { conn.Close() })
	s.open.Go(func() {
		defer func() {
			stopHurry()
			stopClose()
			if fault := recover(); fault != nil {
				s.Warn("internal error: %v: please report it", fault)
				c.Fail()
			}
			conn.Close()
		}()
		c.Answer()
	})
}

// Running answers clients until ctx ends, and then finishes what they have begun.
type Running func(ctx context.Context) error

// At returns what accepts clients at a listener until its context ends, closes the listener, and waits for them.
func (s *Server) At(l net.Listener) Running {
	return func(ctx context.Context) error {
		accepts, stop := context.WithCancel(ctx)
		working, abandon := context.WithCancel(context.WithoutCancel(ctx))
		defer abandon()
		s.accepts, s.Working = accepts, working
		err := accept(ctx, s.Engine.Clients(l, s.Protocol, s.Busy), s.begin, func(err error) { s.Warn("accept a client: %v: trying again", err) })
		stop()
		late := time.AfterFunc(cmp.Or(s.Grace, 10*time.Second), abandon)
		s.open.Wait()
		late.Stop()
		if err != nil {
			return fmt.Errorf("accept a client of %s: %w", s.Protocol, err)
		}
		return nil
	}
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

// ClientOf returns the address of a client for the log. Clients of Unix sockets have none.
func ClientOf(conn net.Conn) string {
	if at := conn.RemoteAddr(); at.Network() != "unix" {
		return at.String()
	}
	return "a client of the Unix socket"
}
