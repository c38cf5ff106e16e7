package lmtp

import (
	"net"
	"sync/atomic"
	"time"

	"chaff/serve"
)

// The limits of a session with a client and the backend.
const (
	bufferSize    = 8 << 10           // of a connection, and of a line that is not part of a message
	maxErrors     = 20                // commands that make no sense
	maxName       = 255               // bytes of the name of a client
	maxRecipients = 1000              // of a message
	recipientSize = 200               // bytes of memory that a recipient takes besides its line
	mostTogether  = 50                // recipients of a group, if there are several; see client.groups
	maxReplyLines = 100               // of the backend
	maxPart       = 32 << 10          // bytes that are sent at a time
	dialTime      = 30 * time.Second  // for a connection to the backend
	writeTime     = 180 * time.Second // for the backend to take some bytes
)

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

// Open returns what answers the clients of a listener until its context ends. Then it finishes the transactions that have begun.
func Open(l net.Listener, e *serve.Engine, log serve.Logger) (serve.Running, error) {
	b, err := ParseBackend(e.Options().LMTPBackend)
	return newServer(e, b, log).At(l), err
}
