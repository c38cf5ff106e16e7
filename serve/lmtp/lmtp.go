package lmtp

import (
	"bufio"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"chaff/serve"
)

// Engine judges messages. It is a [serve.Engine].
type Engine interface {
	Connect(protocol string) (done func(), err error)
	NewMessage() *serve.Message
	HasModel(user string) bool
	Judge(ctx context.Context, user string, raw []byte) (serve.Verdict, error)
	Passed(raw []byte, v serve.Verdict) []byte
}

var _ Engine = (*serve.Engine)(nil)

// Options are the options of the proxy.
type Options struct {
	// Backend is where messages go.
	Backend Backend
	// Idle is how long a client may be silent, and how long it may take for a line. Default 300 seconds.
	Idle time.Duration
	// Total is how long a client may take for a message. Default 900 seconds.
	Total time.Duration
	// Answer is how long the backend may take for an answer, and for all answers after the message. It is less than Postfix waits, 600
	// seconds, since a message that the backend accepts after that is delivered twice. In the second half, no recipients of another model
	// are begun. Default 540 seconds.
	Answer time.Duration
	// Grace is how long transactions that have begun may take to end when the daemon stops. Default 10 seconds.
	Grace time.Duration
	// Log takes what goes wrong; nil is nobody.
	Log serve.Logger
}

// DefaultOptions returns the default options, without a backend.
func DefaultOptions() Options {
	return Options{Idle: 300 * time.Second, Total: 900 * time.Second, Answer: 540 * time.Second, Grace: 10 * time.Second}
}

// bufferSize is the size of the buffer of a connection, and the limit of a line that is not part of a message.
const bufferSize = 8 << 10

type server struct {
	serve.Reporter
	engine  Engine
	options Options
	buffers sync.Pool // of *bufio.Reader
	ctx     context.Context
	away    atomic.Bool // the backend was, at the last attempt

	clients serve.Clients[*client]
}

func newServer(ctx context.Context, e Engine, o Options) *server {
	return &server{
		Reporter: serve.Reporter{Protocol: "lmtp", Log: o.Log}, engine: e, options: o, ctx: ctx,
		buffers: sync.Pool{New: func() any { return bufio.NewReaderSize(nil, bufferSize) }},
	}
}

// Serve answers clients until ctx ends. Then it finishes the transactions that have begun.
func Serve(ctx context.Context, l net.Listener, e Engine, o Options) error {
	working, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	s := newServer(working, e, o)
	return s.clients.Serve(ctx, l, serve.Protocol[*client]{
		Reporter: s.Reporter, Connect: e.Connect, Busy: newReply(421, "4.3.2 "+serve.ErrBusy.Error()).String(), Grace: o.Grace, Abandon: abandon,
		Begin: func(conn net.Conn) *client { return &client{server: s, conn: conn} },
	})
}

// lateCommand is how long a client without a transaction may be silent when the daemon stops: its command may be on its way.
const lateCommand = 200 * time.Millisecond

// Hurry gives a client without a transaction little time.
func (c *client) Hurry() {
	if c.waiting {
		c.conn.SetReadDeadline(time.Now().Add(lateCommand))
	}
}
