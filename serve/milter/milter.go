package milter

import (
	"context"
	"net"
	"time"

	"chaff/internal/verdictfield"
	"chaff/serve"
)

// Engine judges messages. It is a [serve.Engine].
type Engine interface {
	Connect(protocol string) (done func(), err error)
	NewMessage() *serve.Message
	Judge(ctx context.Context, user string, raw []byte) (serve.Verdict, error)
	Fields(v serve.Verdict) []verdictfield.Field
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

// server answers the clients of a listener, which are mail servers.
type server struct {
	serve.Reporter
	engine  Engine
	options Options
	ctx     context.Context
	large   chan struct{} // a place for each large packet

	clients serve.Clients[*client]
}

func newServer(ctx context.Context, e Engine, o Options) *server {
	return &server{Reporter: serve.Reporter{Protocol: "milter", Log: o.Log}, engine: e, options: o, ctx: ctx, large: make(chan struct{}, maxLarge)}
}

// Serve answers mail servers until ctx ends. Then it finishes the messages that have begun.
func Serve(ctx context.Context, l net.Listener, e Engine, o Options) error {
	working, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	s := newServer(working, e, o)
	return s.clients.Serve(ctx, l, serve.Protocol[*client]{ // which has no word for too many clients
		Reporter: s.Reporter, Connect: e.Connect, Begin: func(conn net.Conn) *client { return newClient(s, conn) }, Grace: o.Grace, Abandon: abandon,
	})
}

// Hurry ends a client that has begun no message.
func (c *client) Hurry() {
	if !c.begun {
		c.conn.SetReadDeadline(time.Now())
	}
}
