package milter

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-milter"

	"chaff/serve"
)

// The limits of a message.
const (
	// maxEdits is how many fields are changed. Postfix reads the message from the beginning for each of them. Messages that went through some
	// filters have about twenty.
	maxEdits = 200
	// longName is a size in bytes that no name of an honest field has.
	longName = 1000
	// maxPacket is the size in bytes of the largest packet, since packets are not part of the memory for messages. The body comes in pieces of
	// 64 KiB, and a field is as large as the server lets it be: 100 KiB in Postfix.
	maxPacket = 128 << 10
)

// server answers the clients of a listener, which are mail servers.
type server struct {
	serve.Server
	options serve.Options
	packet  time.Duration // how long a packet that has begun may take, and an answer
}

func newServer(e serve.Service, log serve.Logger) *server {
	s := &server{options: e.Options(), packet: 30 * time.Second}
	s.Idle, s.Total = 2*time.Hour, 300*time.Second // a sender may be slow; a message counts from its first field or piece
	s.Protocol, s.Log, s.Engine = "milter", log, e // it has no word for too many clients
	s.Begin = func(conn *serve.Conn) serve.Client { return newClient(s, conn) }
	return s
}

// Open returns what answers the mail servers of a listener until its context ends. Then it finishes the messages that have begun.
func Open(l net.Listener, e *serve.Engine, log serve.Logger) (serve.Running, error) {
	return newServer(e, log).At(l), nil
}

// Fail says nothing: the mail server does what its setting for a missing filter says.
func (c *client) Fail() {}

// client is a connection from a mail server.
type client struct {
	server *server
	conn   *serve.Conn
	in     *bufio.Reader
	out    *bufio.Writer

	actions  milter.OptAction // what both sides can do
	protocol milter.OptProtocol
	mail     mail
}

// What chaff asks of the server, if the server can do it: to change the header and to quarantine; and to send and answer no more than it needs.
const (
	actions  = milter.OptAddHeader | milter.OptChangeHeader | milter.OptQuarantine
	unneeded = milter.OptNoConnect | milter.OptNoHelo | milter.OptNoUnknown | milter.OptNoData | milter.OptNoEOH
	wishes   = unneeded | milter.OptNoHeaderReply | milter.OptSkip | milter.OptHeaderLeadingSpace
	needed   = milter.OptAddHeader | milter.OptChangeHeader
)

func newClient(s *server, conn *serve.Conn) *client {
	c := &client{server: s, conn: conn, in: bufio.NewReader(conn), mail: mail{over: true, message: s.Engine.NewMessage()}}
	c.out = bufio.NewWriter(c)
	return c
}

// Write sends a part of the answers.
func (c *client) Write(p []byte) (int, error) {
	c.conn.SetWriteDeadline(time.Now().Add(c.server.packet))
	return c.conn.Write(p)
}

// Errors that end a connection. Nobody is told of the last one.
var (
	errProtocol = errors.New("bad packet")
	errQuit     = errors.New("quit")
)

func (c *client) Answer() {
	defer c.reset()
	err := c.negotiate()
	for err == nil {
		var code milter.Code
		var data []byte
		if code, data, err = c.readPacket(); err == nil {
			err = c.take(code, data)
		}
	}
	switch {
	case errors.Is(err, errProtocol):
		c.server.Warn("%v: connection of %s closed", err, serve.ClientOf(c.conn))
	case errors.Is(err, os.ErrDeadlineExceeded) && !c.server.IsStopping():
		c.server.Warn("nothing came for too long: connection of %s closed", serve.ClientOf(c.conn))
	}
}

// negotiate agrees with the server on what both can do.
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
	const version = 6
	var answer []byte
	for _, n := range []uint32{min(version, binary.BigEndian.Uint32(data)), uint32(c.actions), uint32(c.protocol)} {
		answer = binary.BigEndian.AppendUint32(answer, n)
	}
	c.reply(byte(milter.CodeOptNeg), answer)
	return nil
}

func (c *client) has(o milter.OptProtocol) bool { return c.protocol&o != 0 }

func (c *client) take(code milter.Code, data []byte) error {
	m := &c.mail
	if (code == milter.CodeHeader || code == milter.CodeBody) && c.conn.Last.IsZero() {
		c.conn.Last = time.Now().Add(c.server.Total)
	}
	switch code {
	case milter.CodeMacro:
		m.macros(data)
		return nil
	case milter.CodeAbort:
		c.reset()
		return nil
	case milter.CodeQuit, milter.CodeQuitNewConn:
		return errQuit
	case milter.CodeConn, milter.CodeHelo, milter.CodeData, milter.CodeEOH, 'U': // of a server that cannot leave them out
	case milter.CodeMail:
		id := m.queueID // came before
		c.reset()
		m.over, m.queueID = false, id
	case milter.CodeRcpt:
		to, _, _ := bytes.Cut(data, []byte{0}) // options follow
		m.user = ""
		if m.recipients++; m.recipients == 1 {
			m.user = serve.UserOf(strings.Trim(string(to), "<>"))
		}
	case milter.CodeHeader:
		name, value, found := bytes.Cut(bytes.TrimSuffix(data, []byte{0}), []byte{0})
		if !found {
			return fmt.Errorf("%w: a field without a value", errProtocol)
		}
		if c.field(name, value); c.has(milter.OptNoHeaderReply) {
			return nil
		}
	case milter.CodeBody:
		if m.body(data); m.message.Cut != nil && c.has(milter.OptSkip) { // the rest of a message over a limit need not come
			c.reply(byte(milter.ActSkip), nil)
			return nil
		}
	case milter.CodeEOB:
		m.body(data) // the last piece, or the end of a header without a body
		a := c.answer()
		if c.reset(); a.reply != "" {
			c.reply(byte(milter.ActReplyCode), append([]byte(a.reply), 0))
			return nil
		}
		c.change(a)
	default:
		return fmt.Errorf("%w: an unknown command %q", errProtocol, string(code))
	}
	c.reply(byte(milter.ActContinue), nil)
	return nil
}

// change answers with what shall be changed in a message. Edits go from the last field to the first, so that none moves what another is about.
func (c *client) change(a answer) {
	space := ""
	if c.has(milter.OptHeaderLeadingSpace) {
		space = " "
	}
	for _, f := range slices.Backward(a.fields) {
		a.edits = append(a.edits, edit{insert: true, name: f.Name, value: space + f.Value})
	}
	for _, e := range a.edits {
		code := milter.ActChangeHeader
		if e.insert {
			code = milter.ActInsertHeader
		}
		value := strings.ReplaceAll(e.value, "\r\n", "\n") // Postfix makes two lines of CR LF
		c.reply(byte(code), append(binary.BigEndian.AppendUint32(nil, uint32(e.index)), e.name+"\x00"+value+"\x00"...))
	}
	if a.quarantine != "" {
		c.reply(byte(milter.ActQuarantine), append([]byte(a.quarantine), 0))
	}
}

// reply answers. The answers are sent when the buffer is full and before the next packet is read, which returns an error of them.
func (c *client) reply(code byte, data []byte) {
	_, _ = c.out.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(data)+1)), code))
	_, _ = c.out.Write(data)
}

// readPacket sends what was answered, and reads a packet.
func (c *client) readPacket() (code milter.Code, data []byte, err error) {
	if err := c.out.Flush(); err != nil {
		return 0, nil, err
	}
	if err := c.server.Await(c.conn, !c.mail.over); err != nil {
		return 0, nil, err
	}
	if _, err := c.in.Peek(1); err != nil {
		return 0, nil, err
	}
	c.conn.Expect(c.server.packet)
	var size [4]byte
	if _, err := io.ReadFull(c.in, size[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n == 0 || n > maxPacket {
		return 0, nil, fmt.Errorf("%w: %d bytes", errProtocol, n)
	}
	var packet []byte                                  // an idle client keeps none
	for from := 0; from < int(n); from = len(packet) { // no more memory than has come
		packet = append(packet, make([]byte, min(int(n)-from, 64<<10))...)
		if _, err := io.ReadFull(c.in, packet[from:]); err != nil {
			return 0, nil, err
		}
	}
	return milter.Code(packet[0]), packet[1:], nil
}
