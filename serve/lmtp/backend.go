package lmtp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"chaff/serve"
)

// Backend is the address of the program that messages go to.
type Backend struct {
	Network, Address string // as package net has them
	isSMTP           bool
}

// ParseBackend parses an address: unix:PATH or HOST:PORT, with smtp: before it if the program there speaks SMTP and not LMTP.
func ParseBackend(text string) (Backend, error) {
	rest, isSMTP := strings.CutPrefix(text, "smtp:")
	if !isSMTP {
		rest = strings.TrimPrefix(rest, "lmtp:")
	}
	if path, isUnix := strings.CutPrefix(rest, "unix:"); isUnix && path != "" {
		return Backend{"unix", path, isSMTP}, nil
	}
	if host, port, err := net.SplitHostPort(rest); err == nil && host != "" && port != "" {
		return Backend{"tcp", rest, isSMTP}, nil
	}
	if text == "" {
		return Backend{}, errors.New("serve.lmtp_backend is not set: it says where mail goes, such as unix:/run/dovecot/lmtp")
	}
	return Backend{}, fmt.Errorf("serve.lmtp_backend is %q: must be unix:PATH or HOST:PORT, with smtp: before it for SMTP", text)
}

type link struct {
	net.Conn
	client     *client
	in         *bufio.Reader
	extensions []string // that are passed on, in capitals and sorted
	forget     func() bool
}

var errAway = errors.New("the backend is away")

// connect begins a session with the backend, which ends with the daemon. The log says when the backend goes away, and when it is back.
func (c *client) connect() error {
	s := c.server
	dialer := net.Dialer{Timeout: dialTime, Resolver: &net.Resolver{PreferGo: true}} // the C library's is confined
	conn, err := dialer.DialContext(s.Working, s.backend.Network, s.backend.Address)
	if err == nil {
		c.link = &link{Conn: conn, client: c, in: bufio.NewReaderSize(conn, bufferSize)}
		c.link.forget = context.AfterFunc(s.Working, func() { conn.Close() })
		if err = c.link.greet(); err != nil {
			c.drop()
		}
	}
	if err != nil {
		if !s.away.Swap(true) {
			s.Warn("%s: %v: mail waits until it is back", s.backend.Address, err)
		}
		return fmt.Errorf("%w: %w", errAway, err)
	}
	if s.away.Swap(false) {
		s.Note("%s is back", s.backend.Address)
	}
	return nil
}

func (c *client) drop() {
	if c.link != nil {
		c.link.forget()
		c.link.Close()
		c.link = nil
	}
}

// greeting is the first reply of every session with a client.
const greeting = "chaff LMTP"

func (l *link) greet() error {
	switch r, err := l.answer(); {
	case err != nil:
		return err
	case r.text == greeting:
		return errors.New("it is chaff, so messages would go round in circles: serve.lmtp_backend must be the address of the delivery agent")
	case r.code != 220:
		return fmt.Errorf("it greets with %s", r.first())
	}
	hello := "LHLO " + l.client.name
	if l.client.server.backend.isSMTP {
		hello = "EHLO " + l.client.name
	}
	r, err := l.command(hello)
	if err == nil && r.code != 250 {
		err = fmt.Errorf("it answers %q to %s", r.first(), hello)
	}
	if err != nil {
		return err
	}
	for _, line := range strings.Split(strings.ToUpper(r.text), "\n")[1:] {
		keyword, _, _ := strings.Cut(line, " ")
		switch keyword {
		case "8BITMIME", "DSN", "ENHANCEDSTATUSCODES", "SIZE", "SMTPUTF8":
			l.extensions = append(l.extensions, line)
		}
	}
	slices.Sort(l.extensions)
	return nil
}

// command sends a command and returns the reply. After an error, the connection is of no use.
func (l *link) command(line string) (reply, error) {
	if _, err := io.WriteString(l, line+"\r\n"); err != nil {
		return reply{}, err
	}
	return l.answer()
}

func (l *link) Write(p []byte) (int, error) {
	l.SetWriteDeadline(time.Now().Add(writeTime))
	return l.Conn.Write(p)
}

func (l *link) answer() (reply, error) {
	l.SetReadDeadline(serve.Until(l.client.server.answer, l.client.transaction.until))
	r, err := readReply(l.in)
	if err == nil && r.code == 421 {
		err = fmt.Errorf("it ends the session: %s", r.first())
	}
	return r, err
}

type reply struct {
	code int
	text string // lines, divided by LF
}

// String returns the reply as it is sent.
func (r reply) String() string {
	lines := strings.Split(r.text, "\n")
	last := len(lines) - 1
	var text strings.Builder
	for _, line := range lines[:last] {
		fmt.Fprintf(&text, "%d-%s\r\n", r.code, line)
	}
	fmt.Fprintf(&text, "%d %s\r\n", r.code, lines[last])
	return text.String()
}

// first returns the first line of a reply, for errors: a log has one line for each.
func (r reply) first() string {
	line, _, _ := strings.Cut(r.text, "\n")
	return fmt.Sprint(r.code, " ", line)
}

func (r reply) isDone() bool { return r.code/100 == 2 }

// final returns the reply as the answer for a message: that, or an error that is not final.
func (r reply) final() reply {
	switch r.code / 100 {
	case 2, 4, 5:
		return r
	}
	return reply{451, "4.3.0 the delivery agent gave no valid answer"}
}

var replyLine = regexp.MustCompile(`(?s)^([2-5][0-9][0-9])(?:([- ])(.*?))?\r*\n$`)

// readReply reads a reply, of which it replaces control characters.
func readReply(in *bufio.Reader) (reply, error) {
	code := ""
	var lines []string
	for range maxReplyLines {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return reply{}, io.ErrUnexpectedEOF
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return reply{}, err
		}
		parts := replyLine.FindStringSubmatch(string(line))
		if parts == nil || code != "" && code != parts[1] {
			break
		}
		code, lines = parts[1], append(lines, strings.Map(func(r rune) rune {
			if isControl(r) { // anything else may be part of an address
				return '?'
			}
			return r
		}, parts[3]))
		if parts[2] != "-" {
			n, err := strconv.Atoi(code)
			return reply{n, strings.Join(lines, "\n")}, err
		}
	}
	return reply{}, errors.New("it does not answer as LMTP or SMTP")
}
