package lmtp

import (
	"bufio"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"chaff/serve"
)

// client is a session with a mail server.
type client struct {
	server *server
	conn   *serve.Conn
	in     *bufio.Reader
	out    []byte // replies to be sent
	errors int    // commands that made no sense

	name        string         // by which the client calls itself
	offered     []string       // extensions
	link        *link          // to the backend; nil if there is none
	transaction transaction    // that has begun, if it has a sender
	envelope    *serve.Message // has no bytes, but the memory of the recipients
	incoming    decoder        // of the message that the client is sending
	part        []byte         // of it
}

func newClient(s *server, conn *serve.Conn) *client {
	return &client{server: s, conn: conn, in: bufio.NewReaderSize(conn, bufferSize), envelope: s.Engine.NewMessage()}
}

// reset ends the transaction.
func (c *client) reset() {
	c.envelope.Close()
	c.transaction = transaction{}
}

// transaction is what the client has said of a message, and the backend has accepted.
type transaction struct {
	sender     string // as a command
	recipients []*recipient
	memory     int       // that these take
	told       int       // how many of these have got their status
	isSent     bool      // to the end, which ends the transaction with the backend
	until      time.Time // when the next status has to be known; zero if there is no limit yet
}

type recipient struct {
	line   string // as a command
	user   string
	model  string // that judges the message: that of the user, or "" for the shared one
	status reply
}

var (
	errTooLong = errors.New("line too long")
	errQuit    = errors.New("the client has quit")
)

func (c *client) Fail() {
	c.out = nil // may be half of what the client waits for
	c.end("4.3.0 internal error")
}

func (c *client) Answer() {
	defer c.drop()
	defer c.reset()
	c.relay(reply{220, greeting})
	for {
		line, err := c.readLine()
		if err == nil {
			err = c.do(line)
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, serve.ErrClosed):
			c.end("4.3.2 " + serve.ErrClosed.Error())
		case errors.Is(err, errTooLong):
			c.end("4.5.2 line too long")
		case errors.Is(err, errAway): // which may be a timeout, too
			c.end("4.4.1 the delivery agent is away")
		case errors.Is(err, os.ErrDeadlineExceeded):
			c.end("4.4.2 you were silent for too long")
		case errors.Is(err, errQuit):
			c.flush()
		}
		return
	}
}

// readLine reads a command without its end. Some replies wait as long as there are more commands.
func (c *client) readLine() (string, error) {
	s := c.server
	if err := s.Await(c.conn, c.transaction.sender != ""); err != nil {
		return "", err
	}
	if c.in.Buffered() == 0 || len(c.out) > bufferSize { // a client that reads no replies sends no more commands
		if err := c.flush(); err != nil {
			return "", err
		}
	}
	line, err := c.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", errTooLong
	case errors.Is(err, os.ErrDeadlineExceeded) && s.IsStopping():
		return "", serve.ErrClosed
	case err != nil:
		return "", err
	}
	_ = s.Await(c.conn, true) // answering may take long
	text := strings.TrimSuffix(string(line), "\n")
	return strings.TrimSuffix(text, "\r"), nil
}

// say adds a reply of one line to those that are to be sent.
func (c *client) say(code int, text string) { c.relay(reply{code, text}) }

func (c *client) relay(r reply) { c.out = append(c.out, r.String()...) }

func (c *client) flush() error {
	c.conn.SetWriteDeadline(time.Now().Add(c.server.Idle))
	_, err := c.conn.Write(c.out)
	c.out = c.out[:0]
	return err
}

func (c *client) end(text string) {
	c.say(421, text)
	_ = c.flush() // the session ends in any case
}

// wrong reports a command that makes no sense.
func (c *client) wrong(code int, text string) error {
	if c.errors++; c.errors > maxErrors {
		c.say(421, "4.7.0 too many errors")
		return errQuit
	}
	c.say(code, text)
	return nil
}

// do answers a command. An error ends the session.
func (c *client) do(line string) error {
	verb, rest, ok := parseCommand(line)
	if !ok {
		return c.wrong(500, "5.5.2 a command has no control characters")
	}
	switch verb {
	case "LHLO":
		return c.hello(rest)
	case "HELO", "EHLO":
		return c.wrong(500, "5.5.1 this is LMTP: say LHLO")
	case "MAIL":
		return c.mail(rest)
	case "RCPT":
		return c.rcpt(rest)
	case "DATA":
		return c.data(rest)
	case "RSET":
		if c.transaction.sender != "" {
			c.ask("RSET") // without an answer there is no transaction either
		}
		c.reset()
		c.say(250, "2.0.0 forgotten")
	case "NOOP":
		c.say(250, "2.0.0 nothing done")
	case "VRFY":
		c.say(252, "2.5.0 not verified")
	case "BDAT": // a part of a message follows, whose lines are no commands
		c.say(502, "5.5.1 BDAT is not offered: send the message by DATA")
		return errQuit
	case "QUIT":
		c.say(221, "2.0.0 goodbye")
		return errQuit
	default:
		if c.name == "" { // such as a web browser
			c.say(421, "4.7.0 this is LMTP")
			return errQuit
		}
		return c.wrong(500, "5.5.2 unknown command")
	}
	return nil
}

// hello begins a session, here and with the backend.
func (c *client) hello(name string) error {
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return c.wrong(501, "5.5.4 say LHLO and your name")
	}
	c.drop()
	c.reset()
	c.name = name
	if err := c.connect(); err != nil {
		return err
	}
	c.offered = c.link.extensions
	c.relay(reply{250, strings.Join(append([]string{"chaff", "PIPELINING"}, c.offered...), "\n")})
	return nil
}

// lost ends the session with the backend after an error.
func (c *client) lost(err error) {
	c.server.Warn("%s: %v: mail waits until it works", c.server.backend.Address, err)
	c.drop()
}

// ask returns the reply of the backend to a command. If it does not answer, the session with it ends, and the reply is notDelivered.
func (c *client) ask(line string) reply {
	if c.link == nil {
		return notDelivered
	}
	r, err := c.link.command(line)
	if err != nil {
		c.lost(err)
		return notDelivered
	}
	return r
}

// notDelivered is the status after an error of the backend.
var notDelivered = reply{451, "4.4.2 the delivery agent does not answer: try again later"}

func (c *client) mail(rest string) error {
	path, _, ok := parsePath(rest, "FROM:")
	switch {
	case c.name == "":
		return c.wrong(503, "5.5.1 say LHLO first")
	case c.transaction.sender != "":
		return c.wrong(503, "5.5.1 a message has begun")
	case !ok:
		return c.wrong(501, "5.5.4 say MAIL FROM:<address>")
	}
	sender := "MAIL FROM:" + path
	r, err := c.sender(sender)
	if err != nil {
		return err
	}
	if r.isDone() {
		c.transaction.sender = sender
	}
	c.relay(r)
	return nil
}

// sender begins a transaction with the backend. A session that the backend has ended meanwhile begins once more.
func (c *client) sender(line string) (reply, error) {
	if c.link != nil {
		if r, err := c.link.command(line); err == nil {
			return r, nil
		}
		c.drop()
	}
	if err := c.connect(); err != nil {
		return reply{}, err
	}
	if !slices.Equal(c.link.extensions, c.offered) { // the client relies on what was offered
		return reply{}, errAway
	}
	return c.ask(line), nil
}

func (c *client) rcpt(rest string) error {
	path, address, ok := parsePath(rest, "TO:")
	switch {
	case c.transaction.sender == "":
		return c.wrong(503, "5.5.1 say MAIL first")
	case !ok:
		return c.wrong(501, "5.5.4 say RCPT TO:<address>")
	case len(c.transaction.recipients) == maxRecipients:
		c.say(452, "4.5.3 too many recipients")
		return nil
	}
	line := "RCPT TO:" + path
	memory := c.transaction.memory + 2*len(line) + recipientSize // the user is a part of what the client sent
	if err := c.envelope.Grow(memory); err != nil {
		c.say(452, "4.3.1 "+err.Error())
		return nil
	}
	r := c.ask(line)
	if r.isDone() {
		c.transaction.memory = memory
		c.transaction.recipients = append(c.transaction.recipients, &recipient{line: line, user: serve.UserOf(address)})
	}
	c.relay(r)
	return nil
}

func (c *client) data(rest string) error {
	t := c.transaction
	switch {
	case rest != "":
		return c.wrong(501, "5.5.4 DATA has no arguments")
	case t.sender != "" && c.link == nil:
		c.relay(notDelivered)
		return nil
	case len(t.recipients) == 0:
		return c.wrong(503, "5.5.1 no valid recipients")
	}
	c.say(354, "send the message")
	if err := c.flush(); err != nil {
		return err
	}
	if err := c.deliver(); err != nil {
		return err
	}
	if err := c.report(); err != nil {
		return err
	}
	isSent := c.transaction.isSent
	if c.reset(); !isSent {
		c.ask("RSET") // else the next MAIL would come within a transaction
	}
	return nil
}

// report sends the statuses that are known, in the order of the recipients (RFC 2033, section 4.2), so that the client sees work go on.
func (c *client) report() error {
	t := &c.transaction
	before := t.told
	for ; t.told < len(t.recipients) && t.recipients[t.told].status.code != 0; t.told++ {
		c.relay(t.recipients[t.told].status)
	}
	if t.told > before && !t.until.IsZero() { // it waits anew for the next one
		t.until = time.Now().Add(c.server.answer)
	}
	return c.flush()
}

// parseCommand divides a line without its end: the verb is in capitals, the rest has no blanks around it. Result ok is false if the line has
// control characters, and no program would agree on what they mean.
func parseCommand(line string) (verb, rest string, ok bool) {
	verb, rest, _ = strings.Cut(line, " ")
	return strings.ToUpper(verb), strings.Trim(rest, " "), !strings.ContainsFunc(line, isControl)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// parsePath divides the argument of MAIL, "FROM:<address> parameters", or of RCPT. The path is for the backend, which knows what is right, and
// address the user.
func parsePath(rest, prefix string) (path, address string, ok bool) {
	if len(rest) < len(prefix) || !strings.EqualFold(rest[:len(prefix)], prefix) {
		return "", "", false
	}
	path = strings.TrimLeft(rest[len(prefix):], " ")
	address, _, ok = strings.Cut(path, ">")
	return path, strings.TrimPrefix(address, "<"), ok && path[0] == '<'
}
