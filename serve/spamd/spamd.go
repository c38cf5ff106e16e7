package spamd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"chaff/serve"
)

// The limits of a request. Spamc sends messages of at most 256 MB.
const (
	bufferSize = 8 << 10   // of a connection, and of a line
	maxFields  = 256       // before the message
	maxShown   = 200       // bytes of a wrong line that an error repeats
	maxLength  = 1 << 30   // the largest Content-length
	maxDrained = 256 << 20 // bytes of a message that are taken though they are not wanted
	maxFigure  = 9999999   // the largest score in a reply
)

func newServer(e serve.Service, log serve.Logger) *serve.Server {
	s := &serve.Server{Protocol: "spamd", Log: log, Engine: e, Busy: errorReply(serve.ErrBusy)}
	s.Idle, s.Total = 30*time.Second, 300*time.Second // of a request, and then of its reply
	s.Begin = func(conn *serve.Conn) serve.Client { return newClient(s, conn) }
	return s
}

// Open returns what answers the clients of a listener until its context ends. Then it finishes the requests that have begun.
func Open(l net.Listener, e *serve.Engine, log serve.Logger) (serve.Running, error) {
	return newServer(e, log).At(l), nil
}

// client is a connection. It sends one request.
type client struct {
	server    *serve.Server
	conn      *serve.Conn
	in        *bufio.Reader
	inMessage bool // the lines before the message have come
}

func newClient(s *serve.Server, conn *serve.Conn) *client {
	c := &client{server: s, conn: conn}
	c.in = bufio.NewReaderSize(c, bufferSize)
	conn.Last = time.Now().Add(s.Total)
	conn.Expect(s.Idle)
	return c
}

// Fail answers the client after a fault of the program.
func (c *client) Fail() { c.fail(serve.ErrInternal) }

func (c *client) Answer() {
	s := c.server
	if _, err := c.in.Peek(1); err != nil {
		switch {
		case errors.Is(err, io.EOF):
			c.write(errorReply(protocolError("(closed before headers)")), nil)
		case errors.Is(err, os.ErrDeadlineExceeded) && !s.IsStopping():
			c.fail(err)
		}
		return
	}
	_ = s.Await(c.conn, true) // reading has its errors
	r, err := readRequest(c.in)
	if err == nil {
		switch r.command {
		case ping:
			c.write("SPAMD/1.5 0 PONG\r\n", nil)
		case skip:
		case tell:
			err = c.tell(r)
		default:
			err = c.check(r)
		}
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.inMessage, c.conn.Last = false, serve.Until(time.Second, c.conn.Last)
	_ = s.Await(c.conn, false) // the end of the daemon comes sooner
	c.drain()
}

// write writes a reply. A client that does not take it needs none.
func (c *client) write(head string, text []byte) {
	c.conn.SetWriteDeadline(time.Now().Add(c.server.Total))
	parts := net.Buffers{[]byte(head), text}
	_, _ = parts.WriteTo(c.conn.Conn)
}

// fail sends an error, and takes what the client still sends: clients read the reply afterwards.
func (c *client) fail(err error) {
	if _, isWrong := errors.AsType[protocolError](err); isWrong || errors.Is(err, errTell) { // of which spamc prints nothing
		c.server.Warn("bad request from %s: %v: connection closed", serve.ClientOf(c.conn), err) // it would end in what the client chose
	}
	c.write(errorReply(err), nil)
	_ = c.server.Await(c.conn, false)
	c.drain()
}

// drain takes what the client still sends after the reply. Without it, closing the connection could destroy the reply, or end by a signal a client that
// writes, as Mail::SpamAssassin::Client writes the end of a line behind the message.
func (c *client) drain() {
	_ = c.conn.CloseWrite()
	_, _ = io.CopyN(io.Discard, c.in, maxDrained)
}

func errorReply(err error) string {
	_, isWrong := errors.AsType[protocolError](err)
	switch {
	case isWrong:
		return reply(76, "Bad header line: "+err.Error())
	case errors.Is(err, errClasses), errors.Is(err, errTell):
		return reply(69, "Service Unavailable: "+err.Error())
	case errors.Is(err, serve.ErrTimeout) || errors.Is(err, os.ErrDeadlineExceeded):
		return reply(79, "Timeout: (socket timeout reading input from client)")
	case errors.Is(err, serve.ErrTooLarge):
		return reply(65, "Data Error: "+serve.ErrTooLarge.Error())
	case errors.Is(err, serve.ErrNoMail):
		return reply(65, "Data Error: "+err.Error())
	case errors.Is(err, serve.ErrUser), errors.Is(err, serve.ErrUsers):
		return reply(67, "No Such User: "+err.Error())
	case errors.Is(err, serve.ErrInternal):
		return reply(70, "Internal Error: please see the log of chaff")
	}
	return reply(75, "Temporary Failure: "+serve.Temporary(err))
}

func reply(code int, text string) string { return fmt.Sprintf("SPAMD/1.0 %d %s\r\n", code, text) }
