package imap

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// What a server may do wrong.
var (
	// ErrTooMuch is returned for a reply that is larger than any reply to that command.
	ErrTooMuch = errors.New("the server sends too much")
	// ErrSilent is returned if a reply does not come in time.
	ErrSilent = errors.New("the server does not answer")
)

// idleBytes is what a server may send between two commands.
const idleBytes = 64 << 10

// bounded is a connection whose replies have a limit of bytes and of time. The library has none for the first, and waits for ever for the
// beginning of a reply.
type bounded struct {
	net.Conn
	mu   sync.Mutex
	left int64
	err  error // why the connection cannot be used
}

// allow begins a command: the server may send so many bytes until its end.
func (b *bounded) allow(bytes int64, d time.Duration) {
	b.mu.Lock()
	b.left = bytes
	b.mu.Unlock()
	b.Conn.SetDeadline(time.Now().Add(d))
}

// rest ends a command.
func (b *bounded) rest() {
	b.mu.Lock()
	b.left = idleBytes
	b.mu.Unlock()
	b.Conn.SetDeadline(time.Time{})
}

// failure returns why the connection cannot be used, or nil.
func (b *bounded) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// fail ends the connection for a reason.
func (b *bounded) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = 0
	if b.err == nil {
		b.err = err
	}
}

func (b *bounded) Read(p []byte) (int, error) {
	b.mu.Lock()
	left := b.left
	b.mu.Unlock()
	if left <= 0 {
		b.fail(ErrTooMuch)
		return 0, ErrTooMuch
	}
	n, err := b.Conn.Read(p[:min(int64(len(p)), left)])
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left -= int64(n)
	if err != nil && b.err == nil {
		b.err = plainly(err)
	}
	return n, err
}

// The deadlines of the library would take the place of ours.
func (b *bounded) SetDeadline(time.Time) error      { return nil }
func (b *bounded) SetReadDeadline(time.Time) error  { return nil }
func (b *bounded) SetWriteDeadline(time.Time) error { return nil }

// maxDepth is how deep lists of a server are nested. No reply to our commands is deeper than a few.
const maxDepth = 50

// ErrNested is returned for lists where none belong: within many lists they would exhaust the stack of the library.
var ErrNested = errors.New("the server sends lists that do not belong there")

// checked is a connection that ends when a reply is nested too deep, or has a list among capabilities, which the library never ends to read. It knows as much of the syntax as it needs: text, which is not
// nested, quoted strings and literals. Where it is wrong about a literal, the reply is none that the library accepts.
type checked struct {
	net.Conn
	raw    *bounded
	before []byte // to be read first

	line    []byte // the beginning of the line
	number  int64  // after the last "{"
	state   byte   // 0, '"' in a string, '\\' after a backslash there, '{' in the size of a literal, '}' after it
	literal int64  // how much of a literal is to come
	depth   int
	more    bool // the line goes on after a literal
	closed  bool // the code of a text has ended
}

func (c *checked) Read(p []byte) (int, error) {
	var n int
	var err error
	if len(c.before) > 0 {
		n = copy(p, c.before)
		c.before = c.before[n:]
	} else {
		n, err = c.Conn.Read(p)
	}
	if !c.check(p[:n]) {
		c.raw.fail(ErrNested)
		return 0, ErrNested
	}
	return n, err
}

// lineHead is how many bytes of a line say what it is.
const lineHead = 40

// check reports whether all lists so far are flat enough.
func (c *checked) check(data []byte) bool {
	for len(data) > 0 {
		if c.literal > 0 {
			n := min(c.literal, int64(len(data)))
			data, c.literal = data[n:], c.literal-n
			continue
		}
		b := data[0]
		data = data[1:]
		if len(c.line) < lineHead && !c.more {
			c.line = append(c.line, b)
		}
		switch {
		case c.state == '"' && b == '\\':
			c.state = b
		case c.state == '\\':
			c.state = '"'
		case c.state == '"':
			if b == '"' {
				c.state = 0
			}
		case b == '\n':
			if c.more = c.state == '}' && !isText(c.line); c.more {
				c.literal = c.number
			} else {
				c.line, c.depth, c.closed = c.line[:0], 0, false
			}
			c.state = 0
		case b == '"' && !isText(c.line):
			c.state = b
		case b == '{':
			c.state, c.number = b, 0
		case c.state == '{' && '0' <= b && b <= '9' && c.number < 1<<40:
			c.number = c.number*10 + int64(b-'0')
		case c.state == '{' && b == '}':
			c.state = b
		case c.state == '}' && b == '\r':
		default:
			c.state = 0
			switch b {
			case '(':
				c.depth++
				if c.isCapabilities() {
					return false
				}
			case ']':
				c.closed = true
			case ')':
				c.depth--
			}
			if c.depth > maxDepth {
				return false
			}
		}
	}
	return true
}

// isCapabilities reports whether the list of capabilities is being read.
func (c *checked) isCapabilities() bool {
	return !c.closed && bytes.Contains(bytes.ToUpper(c.line), []byte("CAPABILITY"))
}

// isText reports whether a line is a text for people: the status of a command or of the server, or the request to go on.
func isText(line []byte) bool {
	first, rest, _ := bytes.Cut(line, []byte(" "))
	if len(first) != 1 || first[0] != '*' {
		return true // the status of a command, or "+"
	}
	word, _, _ := bytes.Cut(bytes.TrimRight(rest, "\r\n"), []byte(" "))
	switch string(bytes.ToUpper(word)) {
	case "OK", "NO", "BAD", "BYE", "PREAUTH":
		return true
	}
	return false
}

// plainly returns an error of the network without addresses.
func plainly(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ErrSilent
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return fmt.Errorf("the server %s: %s", e.Name, e.Err)
	}
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		return e.Err
	}
	return err
}
