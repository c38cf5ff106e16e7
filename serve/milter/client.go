package milter

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/emersion/go-milter"
)

// maxPacket is the size in bytes of the largest packet. The body comes in pieces of 64 KiB, and a field is as large as the server lets it be:
// 100 KiB in Postfix.
const maxPacket = 1 << 20

// client is a connection from a mail server, as go-milter reads and writes it.
type client struct {
	server *server
	conn   net.Conn
	in     *bufio.Reader
	out    *bufio.Writer
	begun  bool // a message; guarded by server.clients

	packet []byte // the last one
	unread []byte // what of it go-milter has not read

	actions  milter.OptAction // what both sides can do
	protocol milter.OptProtocol
	mail     *mail

	ending sync.Once
	ended  chan struct{}
}

// What chaff asks of the server, if the server can do it: to change the header and to quarantine; and to send and answer no more than it needs.
const (
	actions  = milter.OptAddHeader | milter.OptChangeHeader | milter.OptQuarantine
	unneeded = milter.OptNoConnect | milter.OptNoHelo | milter.OptNoUnknown | milter.OptNoData | milter.OptNoEOH
	wishes   = unneeded | milter.OptNoHeaderReply | milter.OptSkip | milter.OptHeaderLeadingSpace
	needed   = milter.OptAddHeader | milter.OptChangeHeader
)

func newClient(s *server, conn net.Conn) *client {
	return &client{server: s, conn: conn, in: bufio.NewReader(conn), out: bufio.NewWriter(conn), ended: make(chan struct{})}
}

// answer answers the client until it goes.
func (c *client) answer() {
	if err := c.negotiate(); err != nil {
		c.complain(err)
		return
	}
	defer func() { c.mail.reset() }()
	c.mail = newMail(c)
	lib := milter.Server{NewMilter: func() milter.Milter { return c.mail }}
	lib.Serve(&single{conn: c}) // ends with the error of single
	<-c.ended
}

// single is a listener with one connection.
type single struct {
	net.Listener // for methods that are not used
	conn         net.Conn
}

func (s *single) Accept() (net.Conn, error) {
	if s.conn == nil {
		return nil, net.ErrClosed
	}
	conn := s.conn
	s.conn = nil
	return conn, nil
}

func (s *single) Close() error { return nil }

// Errors that end a connection. Nobody is told of the second.
var (
	errProtocol = errors.New("bad packet")
	errStopping = errors.New("stopping")
)

// negotiate agrees with the server on what both can do. Go-milter would answer with version 2, which has no words for what came later.
func (c *client) negotiate() error {
	code, data, err := c.readPacket()
	if err != nil {
		return err
	}
	if code != milter.CodeOptNeg || len(data) < 12 {
		return fmt.Errorf("%w: the first one is %q with %d bytes", errProtocol, string(code), len(data))
	}
	c.actions = actions & milter.OptAction(binary.BigEndian.Uint32(data[4:]))
	c.protocol = wishes & milter.OptProtocol(binary.BigEndian.Uint32(data[8:]))
	if c.actions&needed != needed {
		return fmt.Errorf("%w: the mail server lets nobody change the header", errProtocol)
	}
	answer := append([]byte{0, 0, 0, 13}, byte(milter.CodeOptNeg))
	for _, n := range []uint32{min(version, binary.BigEndian.Uint32(data)), uint32(c.actions), uint32(c.protocol)} {
		answer = binary.BigEndian.AppendUint32(answer, n)
	}
	_, err = c.out.Write(answer)
	return err
}

// version is the latest version of the protocol.
const version = 6

func (c *client) has(o milter.OptProtocol) bool { return c.protocol&o != 0 }

// Read returns packets for go-milter, whole and well-formed ones, and EOF when there is no other.
func (c *client) Read(p []byte) (n int, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			c.server.warn("internal error: %v: please report it", fault)
			n, err = 0, io.EOF
		}
	}()
	for len(c.unread) == 0 {
		code, data, err := c.readPacket()
		if err == nil {
			err = c.take(code, data)
		}
		if err != nil {
			c.complain(err)
			return 0, io.EOF
		}
	}
	n = copy(p, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}

// take handles a packet, or leaves it to go-milter.
func (c *client) take(code milter.Code, data []byte) error {
	switch code {
	case milter.CodeHeader:
		name, value, found := bytes.Cut(bytes.TrimSuffix(data, []byte{0}), []byte{0})
		if !found {
			return fmt.Errorf("%w: a field without a value", errProtocol)
		}
		c.mail.field(name, value)
		if !c.has(milter.OptNoHeaderReply) {
			return c.goOn()
		}
	case milter.CodeMacro:
	case milter.CodeConn, milter.CodeHelo, milter.CodeData, milter.CodeEOH, 'U': // of a server that cannot leave them out
		return c.goOn()
	case milter.CodeEOB:
		if len(data) > 0 { // the last piece of the body
			c.mail.body(data)
			c.packet = append(c.packet[:0], 0, 0, 0, 1, byte(code))
		}
		c.unread = c.packet
	case milter.CodeMail, milter.CodeRcpt, milter.CodeBody, milter.CodeAbort, milter.CodeQuit:
		c.unread = c.packet
	case milter.CodeQuitNewConn:
		return io.EOF
	default:
		return fmt.Errorf("%w: an unknown command %q", errProtocol, string(code))
	}
	return nil
}

// goOn answers a packet that says nothing new.
func (c *client) goOn() error {
	_, err := c.out.Write([]byte{0, 0, 0, 1, byte(milter.ActContinue)})
	return err
}

// readPacket sends what was answered, and reads a packet. Its data are valid until the next one.
func (c *client) readPacket() (code milter.Code, data []byte, err error) {
	c.conn.SetWriteDeadline(time.Now().Add(c.server.options.Packet))
	if err := c.out.Flush(); err != nil {
		return 0, nil, err
	}
	if err := c.wait(); err != nil {
		return 0, nil, err
	}
	if _, err := c.in.Peek(1); err != nil {
		return 0, nil, err
	}
	c.within(c.server.options.Packet)
	var size [4]byte
	if _, err := io.ReadFull(c.in, size[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n == 0 || n > maxPacket {
		return 0, nil, fmt.Errorf("%w: %d bytes", errProtocol, n)
	}
	if cap(c.packet) > 128<<10 {
		c.packet = nil
	}
	c.packet = append(c.packet[:0], size[:]...)
	for left := int(n); left > 0; { // no more memory than has come
		piece := min(left, 64<<10)
		from := len(c.packet)
		c.packet = append(c.packet, make([]byte, piece)...)
		if _, err := io.ReadFull(c.in, c.packet[from:]); err != nil {
			return 0, nil, err
		}
		left -= piece
	}
	code = milter.Code(c.packet[4])
	if code == milter.CodeMail {
		c.server.clients.Lock()
		c.begun = true
		c.server.clients.Unlock()
	}
	return code, c.packet[5:], nil
}

// wait sets until when the server may say nothing. Between two messages it is the place where the connection ends when the daemon stops.
func (c *client) wait() error {
	s := c.server
	s.clients.Lock()
	defer s.clients.Unlock()
	if c.mail == nil || c.mail.over {
		c.begun = false
	}
	if s.clients.Stopping && !c.begun {
		return errStopping
	}
	c.within(s.options.Idle)
	return nil
}

// within sets until when the next bytes must come.
func (c *client) within(d time.Duration) {
	until := time.Now().Add(d)
	if c.mail != nil && !c.mail.content.IsZero() {
		if last := c.mail.content.Add(c.server.options.Content); until.After(last) {
			until = last
		}
	}
	c.conn.SetReadDeadline(until)
}

// complain reports why a connection ends, unless it is the usual end.
func (c *client) complain(err error) {
	var late net.Error
	switch {
	case errors.Is(err, errProtocol):
		c.server.warn("%v: connection of %s closed", err, c.conn.RemoteAddr())
	case errors.As(err, &late) && late.Timeout() && !c.server.clients.IsStopping():
		c.server.warn("nothing came for too long: connection of %s closed", c.conn.RemoteAddr())
	}
}

// Write keeps what go-milter answers until it waits for the next packet. Errors show then.
func (c *client) Write(p []byte) (int, error) {
	_, _ = c.out.Write(p)
	return len(p), nil
}

// Close ends the connection when go-milter has.
func (c *client) Close() error {
	c.ending.Do(func() {
		_ = c.out.Flush()
		close(c.ended)
	})
	return nil
}

// The methods of a connection that go-milter does not use.
func (c *client) LocalAddr() net.Addr              { return c.conn.LocalAddr() }
func (c *client) RemoteAddr() net.Addr             { return c.conn.RemoteAddr() }
func (c *client) SetDeadline(time.Time) error      { return nil }
func (c *client) SetReadDeadline(time.Time) error  { return nil }
func (c *client) SetWriteDeadline(time.Time) error { return nil }
