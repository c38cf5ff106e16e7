package spamd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"chaff/filter"
	"chaff/serve"
	"chaff/store"
)

// Engine judges and learns messages. It is a [serve.Engine], except in tests.
type Engine interface {
	Connect(protocol string) (done func(), err error)
	NewMessage() *serve.Message
	Judge(ctx context.Context, user string, raw []byte) (serve.Verdict, error)
	Explain(ctx context.Context, user string, raw []byte) (filter.Explanation, error)
	Learn(ctx context.Context, user string, raw []byte, label string) (store.Outcome, error)
	Forget(ctx context.Context, user string, raw []byte) (store.Outcome, error)
	Passed(raw []byte, v serve.Verdict) []byte
	Settings() filter.Settings
	Options() serve.Options
}

// bufferSize is the size of the buffer of a connection, and the limit of a line.
const bufferSize = 8 << 10

type server struct {
	serve.Server[*client]
	engine  Engine
	mayTell bool
	// idle is how long a client may be silent, and how long it may take for the lines before the message. Total is how long a request may take,
	// and then how long its reply.
	idle, total time.Duration
}

func newServer(e Engine, at net.Addr, log serve.Logger) *server {
	s := &server{engine: e, mayTell: e.Options().TellOverTCP || at.Network() == "unix", idle: 30 * time.Second, total: 300 * time.Second}
	s.Reporter, s.Connect, s.Busy, s.Grace = serve.Reporter{Protocol: "spamd", Log: log}, e.Connect, errorReply(serve.ErrBusy), 10*time.Second
	s.Begin = func(conn net.Conn) *client {
		c := &client{server: s, conn: conn, began: time.Now()}
		c.wait(s.idle)
		return c
	}
	return s
}

// Serve answers clients until ctx ends. Then it finishes the requests that have begun.
func Serve(ctx context.Context, l net.Listener, e *serve.Engine, log serve.Logger) error {
	return newServer(e, l.Addr(), log).Serve(ctx, l)
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
	begun  bool // something of the request has come; guarded by server

	inMessage bool // the lines before the message have come
}

// wait sets until when the client may be silent.
func (c *client) wait(d time.Duration) {
	until := time.Now().Add(d)
	if last := c.began.Add(c.server.total); until.After(last) {
		until = last
	}
	c.conn.SetReadDeadline(until)
}

// Fail tells the client of a fault of the program.
func (c *client) Fail() { c.fail(serve.ErrInternal) }

func (c *client) Answer() {
	s := c.server
	c.in = bufio.NewReaderSize(c, bufferSize)
	if _, err := c.in.Peek(1); err != nil {
		switch {
		case errors.Is(err, io.EOF):
			c.send(errorReply(protocolError("(closed before headers)")))
		case errors.Is(err, os.ErrDeadlineExceeded) && !s.IsStopping():
			c.fail(err)
		}
		return
	}
	s.Lock()
	c.begun = true
	c.wait(s.idle)
	s.Unlock()
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
	c.conn.SetWriteDeadline(time.Now().Add(c.server.total))
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
	c.wait(c.server.idle)
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
