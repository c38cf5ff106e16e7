package milter

import (
	"context"
	"net"
	"time"

	"chaff/internal/verdictfield"
	"chaff/serve"
)

// Engine judges messages. It is a [serve.Engine], except in tests.
type Engine interface {
	Connect(protocol string) (done func(), err error)
	NewMessage() *serve.Message
	Judge(ctx context.Context, user string, raw []byte) (serve.Verdict, error)
	Fields(v serve.Verdict) []verdictfield.Field
	Options() serve.Options
}

// server answers the clients of a listener, which are mail servers.
type server struct {
	serve.Server
	engine  Engine
	options serve.Options
	large   chan struct{} // a place for each large packet
	// idle is how long a mail server may say nothing, for instance while a sender is slow. Packet is how long a packet that has begun may
	// take, and how long an answer. Content is how long a message may take from its first field to its end.
	idle, packet, content time.Duration
}

func newServer(e Engine, log serve.Logger) *server {
	s := &server{engine: e, options: e.Options(), large: make(chan struct{}, maxLarge), idle: 2 * time.Hour, packet: 30 * time.Second, content: 300 * time.Second}
	s.Protocol, s.Log, s.Connect, s.Grace = "milter", log, e.Connect, 10*time.Second // it has no word for too many clients
	s.Begin = func(conn *serve.Conn) serve.Client { return newClient(s, conn) }
	return s
}

// Serve answers mail servers until ctx ends. Then it finishes the messages that have begun.
func Serve(ctx context.Context, l net.Listener, e *serve.Engine, log serve.Logger) error {
	return newServer(e, log).Serve(ctx, l)
}

// Fail says nothing: the mail server does what its setting for a missing filter says.
func (c *client) Fail() {}
