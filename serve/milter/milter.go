package milter

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"chaff/filter"
	"chaff/serve"
)

// Engine judges messages. It is a [serve.Engine].
type Engine interface {
	Connect(protocol string) (done func(), err error)
	NewMessage() *serve.Message
	Judge(ctx context.Context, user string, raw []byte) (serve.Verdict, error)
	Fields(v serve.Verdict) []filter.Field
}

var _ Engine = (*serve.Engine)(nil)

// Options are the options of the protocol.
type Options struct {
	// Quarantine and Reject are the probabilities of spam from which the server keeps or rejects a message. Default 0: never.
	Quarantine, Reject float64
	// Idle is how long a server may say nothing, for instance while a sender is slow. Default 2 hours.
	Idle time.Duration
	// Packet is how long a packet that has begun may take, and how long an answer. Default 30 seconds.
	Packet time.Duration
	// Content is how long a message may take from its first field to its end. Default 300 seconds.
	Content time.Duration
	// Grace is how long messages that have begun may take to end when the daemon stops. Default 10 seconds.
	Grace time.Duration
	// Log takes what goes wrong; nil is nobody.
	Log serve.Logger
}

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	return Options{Idle: 2 * time.Hour, Packet: 30 * time.Second, Content: 300 * time.Second, Grace: 10 * time.Second}
}

// protocol is the name among the counters.
const protocol = "milter"

// server answers the clients of a listener, which are mail servers.
type server struct {
	engine  Engine
	options Options
	ctx     context.Context
	large   chan struct{} // a place for each large packet

	mu       sync.Mutex
	stopping bool
	clients  map[*client]struct{}
	open     sync.WaitGroup
}

func newServer(ctx context.Context, e Engine, o Options) *server {
	return &server{engine: e, options: o, ctx: ctx, large: make(chan struct{}, maxLarge), clients: map[*client]struct{}{}}
}

// Serve answers mail servers until ctx ends. Then it finishes the messages that have begun.
func Serve(ctx context.Context, l net.Listener, e Engine, o Options) error {
	working, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	s := newServer(working, e, o)
	err := serve.Accept(ctx, l, s.begin, func(err error) { s.warn("accept a client: %v: trying again", err) })
	s.finish(abandon)
	if err != nil {
		return fmt.Errorf("accept a client of milter: %w", err)
	}
	return nil
}

// begin answers a client in a goroutine of its own. The protocol has no word for too many clients.
func (s *server) begin(conn net.Conn) {
	done, err := s.engine.Connect(protocol)
	if err != nil {
		conn.Close()
		return
	}
	c := newClient(s, conn)
	s.mu.Lock()
	s.clients[c] = struct{}{}
	s.mu.Unlock()
	s.open.Go(func() {
		defer done()
		c.answer()
		s.mu.Lock()
		delete(s.clients, c)
		s.mu.Unlock()
	})
}

// finish waits until the messages that have begun have ended, and ends the others.
func (s *server) finish(abandon func()) {
	s.mu.Lock()
	s.stopping = true
	for c := range s.clients {
		if !c.begun {
			c.conn.SetReadDeadline(time.Now())
		}
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.open.Wait()
		close(done)
	}()
	select {
	case <-done:
		return
	case <-time.After(s.options.Grace):
	}
	abandon()
	s.mu.Lock()
	for c := range s.clients {
		c.conn.Close()
	}
	s.mu.Unlock()
	<-done
}

func (s *server) warn(format string, args ...any) {
	if s.options.Log != nil {
		s.options.Log.Warn("milter: "+format, args...)
	}
}
