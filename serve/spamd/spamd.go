package spamd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"chaff/filter"
	"chaff/serve"
	"chaff/store"
)

// Engine judges and learns messages. It is a [serve.Engine].
type Engine interface {
	Connect(protocol string) (done func(), err error)
	NewMessage() *serve.Message
	Judge(ctx context.Context, user string, raw []byte) (serve.Verdict, error)
	Explain(ctx context.Context, user string, raw []byte) (filter.Explanation, error)
	Learn(ctx context.Context, user string, raw []byte, label string) (store.Outcome, error)
	Forget(ctx context.Context, user string, raw []byte) (store.Outcome, error)
	Passed(raw []byte, v serve.Verdict) []byte
	Unjudged(raw []byte, why error) []byte
	Settings() filter.Settings
}

var _ Engine = (*serve.Engine)(nil)

// Options are the options of the protocol.
type Options struct {
	// TellOverTCP lets clients teach the model over TCP, too. Any user of the machine, and with an open address anybody, may then do so.
	// Default false: only over a Unix socket, whose folder says who may connect.
	TellOverTCP bool
	// Idle is how long a client may be silent, and how long it may take for the lines before the message. Default 30 seconds.
	Idle time.Duration
	// Total is how long a request may take, and then how long its reply. Default 300 seconds.
	Total time.Duration
	// Grace is how long requests that have begun may take to end when the daemon stops. Default 10 seconds.
	Grace time.Duration
	// Log takes what goes wrong; nil is nobody.
	Log serve.Logger
}

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	return Options{Idle: 30 * time.Second, Total: 300 * time.Second, Grace: 10 * time.Second}
}

// bufferSize is the size of the buffer of a connection, and the limit of a line.
const bufferSize = 8 << 10

type server struct {
	serve.Reporter
	engine  Engine
	options Options
	mayTell bool
	buffers sync.Pool // of *bufio.Reader
	ctx     context.Context

	clients serve.Clients[*client]
}

func newServer(ctx context.Context, e Engine, o Options, at net.Addr) *server {
	return &server{
		Reporter: serve.Reporter{Protocol: "spamd", Log: o.Log}, engine: e, options: o, ctx: ctx,
		mayTell: o.TellOverTCP || at.Network() == "unix",
		buffers: sync.Pool{New: func() any { return bufio.NewReaderSize(nil, bufferSize) }},
	}
}

// Serve answers clients until ctx ends. Then it finishes the requests that have begun.
func Serve(ctx context.Context, l net.Listener, e Engine, o Options) error {
	working, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	s := newServer(working, e, o, l.Addr())
	return s.clients.Serve(ctx, l, serve.Protocol[*client]{
		Reporter: s.Reporter, Connect: e.Connect, Busy: errorReply(serve.ErrBusy), Begin: s.begin, Grace: o.Grace, Abandon: abandon,
	})
}

func (s *server) begin(conn net.Conn) *client {
	c := &client{server: s, conn: conn, began: time.Now()}
	c.wait(s.options.Idle)
	return c
}

// lateRequest is how long a client that has sent nothing may do so when the daemon stops: its request may be on its way.
const lateRequest = 200 * time.Millisecond

// Hurry gives a client that has sent nothing little time.
func (c *client) Hurry() {
	if !c.begun {
		c.wait(lateRequest)
	}
}

// client is a connection. It sends one request.
type client struct {
	server *server
	conn   net.Conn
	in     *bufio.Reader
	began  time.Time
	begun  bool // something of the request has come; guarded by server.clients

	inMessage bool // the lines before the message have come
}

// wait sets until when the client may be silent.
func (c *client) wait(d time.Duration) {
	until := time.Now().Add(d)
	if last := c.began.Add(c.server.options.Total); until.After(last) {
		until = last
	}
	c.conn.SetReadDeadline(until)
}

func (c *client) Answer() {
	s := c.server
	c.in = s.buffers.Get().(*bufio.Reader)
	c.in.Reset(c)
	defer func() {
		c.in.Reset(nil)
		s.buffers.Put(c.in)
	}()
	defer func() {
		if fault := recover(); fault != nil {
			s.Warn("internal error: %v: please report it", fault)
			c.fail(serve.ErrInternal)
		}
	}()
	if _, err := c.in.Peek(1); err != nil {
		switch {
		case errors.Is(err, io.EOF):
			c.send(errorReply(protocolError("(closed before headers)")))
		case errors.Is(err, os.ErrDeadlineExceeded) && !s.clients.IsStopping():
			c.fail(err)
		}
		return
	}
	s.clients.Lock()
	c.begun = true
	c.wait(s.options.Idle)
	s.clients.Unlock()
	r, err := readRequest(c.in)
	if err != nil {
		c.fail(err)
		return
	}
	switch r.command {
	case ping:
		c.send("SPAMD/1.5 0 PONG\r\n")
	case skip:
	case tell:
		c.tell(r)
	default:
		c.check(r)
	}
}

func (c *client) send(parts ...string) {
	buffers := make(net.Buffers, len(parts))
	for i, p := range parts {
		buffers[i] = []byte(p)
	}
	c.write(buffers)
}

// write writes a reply. A client that does not take it needs none.
func (c *client) write(parts net.Buffers) {
	c.conn.SetWriteDeadline(time.Now().Add(c.server.options.Total))
	_, _ = parts.WriteTo(c.conn)
}

// fail sends an error, and takes what the client still sends: clients read the reply afterwards.
func (c *client) fail(err error) {
	var wrong protocolError
	if errors.As(err, &wrong) {
		c.server.Warn("bad request from %s: %v", serve.ClientOf(c.conn), err)
	}
	c.send(errorReply(err))
	c.drain()
}

// maxDrained is how much of a message is taken that is not wanted. Spamc sends at most 256 MB.
const maxDrained = 256 << 20

// drain takes what the client still sends after the reply. Without it, closing the connection could destroy the reply.
func (c *client) drain() {
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	c.wait(c.server.options.Idle)
	_, _ = io.CopyN(io.Discard, c.in, maxDrained)
}

func errorReply(err error) string {
	var wrong protocolError
	var not unavailable
	switch {
	case errors.As(err, &wrong):
		return reply(76, "Bad header line: "+err.Error())
	case errors.As(err, &not):
		return reply(69, "Service Unavailable: "+err.Error())
	case errors.Is(err, serve.ErrTimeout) || errors.Is(err, os.ErrDeadlineExceeded):
		return reply(79, "Timeout: (socket timeout reading input from client)")
	case errors.Is(err, serve.ErrTooLarge):
		return reply(65, "Data Error: "+serve.ErrTooLarge.Error())
	case errors.Is(err, serve.ErrUser), errors.Is(err, serve.ErrUsers):
		return reply(67, "No Such User: "+err.Error())
	case errors.Is(err, serve.ErrInternal):
		return reply(70, "Internal Error: please see the log of chaff")
	}
	return reply(75, "Temporary Failure: "+serve.Temporary(err))
}

func reply(code int, text string) string { return fmt.Sprintf("SPAMD/1.0 %d %s\r\n", code, text) }
