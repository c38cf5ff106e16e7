package lmtp

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	"chaff/serve"
)

// bufferSize is the size of the buffer of a connection, and the limit of a line that is not part of a message.
const bufferSize = 8 << 10

type server struct {
	serve.Server
	backend Backend
	away    atomic.Bool // the backend was, at the last attempt
	// answer is how long the backend may take for an answer, and how long a client waits for a status after the one before. It is less than
	// Postfix waits, 600 seconds, since a message that the backend accepts after that is delivered twice. When half of it has passed after the
	// message, no recipients of another model are begun.
	answer time.Duration
}

func newServer(e serve.Service, b Backend, log serve.Logger) *server {
	s := &server{backend: b, answer: 540 * time.Second}
	s.Idle, s.Total = 300*time.Second, 900*time.Second
	s.Protocol, s.Log, s.Engine, s.Busy = "lmtp", log, e, reply{421, "4.3.2 " + serve.ErrBusy.Error()}.String()
	s.Begin = func(conn *serve.Conn) serve.Client { return newClient(s, conn) }
	return s
}

// Serve answers clients until ctx ends. Then it finishes the transactions that have begun.
func Serve(ctx context.Context, l net.Listener, e *serve.Engine, log serve.Logger) error {
	b, err := ParseBackend(e.Options().LMTPBackend)
	if err != nil {
		l.Close()
		return err
	}
	return newServer(e, b, log).Serve(ctx, l)
}
