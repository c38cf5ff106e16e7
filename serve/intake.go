package serve

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// clients is a listener that the engine admits clients of a protocol to. Each has its own number, so that idle clients of a port delay no mail that comes by
// a Unix socket.
type clients struct {
	net.Listener
	engine         *Engine
	protocol, busy string
	connected      atomic.Int64
}

// Clients returns l, whose connections are each a [Conn] then. A client too many is told that the daemon is busy, and its connection closed.
func (e *Engine) Clients(l net.Listener, protocol, busy string) net.Listener {
	return &clients{Listener: l, engine: e, protocol: protocol, busy: busy}
}

func (l *clients) Accept() (net.Conn, error) {
	counters := l.engine.Counters
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.connected.Add(1) <= int64(l.engine.options.Connections) {
			counters.Connections.Add(l.protocol, 1)
			counters.Connected.Add(l.protocol, 1)
			return &Conn{Conn: conn, gone: sync.OnceFunc(func() {
				l.connected.Add(-1)
				counters.Connected.Add(l.protocol, -1)
			})}, nil
		}
		l.connected.Add(-1)
		counters.Refused.Add(l.protocol, 1)
		conn.SetWriteDeadline(time.Now().Add(time.Second))
		io.WriteString(conn, l.busy)
		conn.Close()
	}
}

// CloseWrite ends what the client gets, and not what it still sends.
func (c *Conn) CloseWrite() error {
	if half, can := c.Conn.(interface{ CloseWrite() error }); can {
		return half.CloseWrite()
	}
	return nil
}

// Close ends the connection, and makes room for another client.
func (c *Conn) Close() error {
	c.gone()
	return c.Conn.Close()
}

// Message is a message that a protocol is reading, within the limits of the engine. It belongs to one goroutine.
type Message struct {
	// Cut is why the message has only its beginning, else nil.
	Cut error

	engine *Engine
	raw    []byte
	taken  int
}

// NewMessage returns an empty message. The caller closes it.
func (e *Engine) NewMessage() *Message { return &Message{engine: e} }

// Write appends to the message what fits. The error is [ErrTooLarge] or [ErrBusy]; then the message is cut, and nothing more fits.
func (m *Message) Write(p []byte) (int, error) {
	if m.Cut != nil {
		return 0, m.Cut
	}
	most := m.engine.options.MaxMessage
	fits := p[:min(len(p), most-len(m.raw))]
	if need := len(m.raw) + len(fits); need > m.taken {
		size := min(max(need, 2*m.taken, 4<<10), most)
		if m.Cut = m.Grow(size); m.Cut != nil {
			return 0, m.Cut
		}
		m.raw = append(make([]byte, 0, size), m.raw...)
	}
	m.raw = append(m.raw, fits...)
	if len(fits) < len(p) {
		m.Cut = ErrTooLarge
		return len(fits), m.Cut
	}
	return len(p), nil
}

// Grow raises the memory that the message takes to at least size bytes, for what comes with it, such as recipients. The error is [ErrBusy].
func (m *Message) Grow(size int) error {
	more := int64(max(size-m.taken, 0))
	if more > 0 && m.engine.transit.Add(more) > int64(m.engine.options.Memory) {
		m.engine.transit.Add(-more)
		return ErrBusy
	}
	m.taken += int(more)
	return nil
}

// Bytes returns the message.
func (m *Message) Bytes() []byte { return m.raw }

// Drop forgets the bytes of the message and keeps their memory taken: a copy takes their place, such as one with the fields of a verdict.
func (m *Message) Drop() { m.raw = nil }

// Close gives back the memory. The bytes of the message stay valid.
func (m *Message) Close() {
	m.engine.transit.Add(int64(-m.taken))
	m.taken, m.raw, m.Cut = 0, nil, nil
}
