package imap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/emersion/go-imap/utf7"

	"chaff/internal/replace"
)

// What a server may do wrong.
var (
	// ErrTooMuch is returned for a reply that is larger than any reply to that command.
	ErrTooMuch = errors.New("the server sends too much")
	// ErrSilent is returned if a reply does not come in time.
	ErrSilent = errors.New("the server does not answer")
	errEnded  = errors.New("the server ended the connection")
)

// idleBytes is what a server may send between two commands.
const idleBytes = 64 << 10

// bounded is a connection whose replies have a limit of bytes and of time. The library has none for the first, and waits for ever for the
// beginning of a reply.
type bounded struct {
	net.Conn
	left   atomic.Int64
	broken atomic.Pointer[error] // why the connection cannot be used
}

// allow begins a command: the server may send so many bytes until its end, and take so long, or 0 for as long as it wants.
func (b *bounded) allow(bytes int64, d time.Duration) {
	var until time.Time
	if d > 0 {
		until = time.Now().Add(d)
	}
	b.left.Store(bytes)
	b.Conn.SetDeadline(until)
}

// failure returns why the connection cannot be used, or nil.
func (b *bounded) failure() error {
	if err := b.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// fail ends the connection for a reason; the first one counts.
func (b *bounded) fail(err error) {
	b.broken.CompareAndSwap(nil, &err)
	b.left.Store(0)
}

func (b *bounded) Read(p []byte) (int, error) {
	left := b.left.Load()
	if left <= 0 {
		b.fail(ErrTooMuch)
		return 0, ErrTooMuch
	}
	n, err := b.Conn.Read(p[:min(int64(len(p)), left)])
	b.left.Add(-int64(n))
	if err != nil {
		b.fail(plainly(err))
	}
	return n, err
}

// The deadlines of the library would take the place of ours.
func (b *bounded) SetDeadline(time.Time) error      { return nil }
func (b *bounded) SetReadDeadline(time.Time) error  { return nil }
func (b *bounded) SetWriteDeadline(time.Time) error { return nil }

// ErrNested is returned for lists where none belong: within many lists they would exhaust the stack of the library.
var ErrNested = errors.New("the server sends lists that do not belong there")

// checked is a connection that ends when a reply is nested too deep, or would keep the library busy for ever. It knows as much of the syntax as it needs: lines,
// quoted strings and literals. Where it is wrong about a literal, the reply is none that the library accepts.
type checked struct {
	net.Conn
	raw     *bounded
	in      *bufio.Reader
	line    []byte // what is checked and not read yet
	literal int64  // how much of a literal follows
	depth   int
	goesOn  bool // the line goes on after a literal
}

// What a line is checked for.
var (
	// What the library reads for ever: a list of capabilities that has a list, and the code of a text that does not end on its line.
	endless = regexp.MustCompile(`(?i)^\S+ (\d+ )?(\S+ \[)?CAPABILITY[^\]]*\(|^\S+ (\d+ )?\S+ \[[^\]]*$`)
	// The status of the server, which has a text for people. That of a command and the request to go on do not begin with "*".
	status       = regexp.MustCompile(`(?i)^\* (\d+ )?(OK|NO|BAD|BYE|PREAUTH)\s`)
	quotedString = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)
	literalSize  = regexp.MustCompile(`\{(\d+)\} ?\r?\n$`)
)

func (c *checked) Read(p []byte) (int, error) {
	if len(c.line) == 0 && c.literal > 0 {
		n, err := c.in.Read(p[:min(int64(len(p)), c.literal)])
		c.literal -= int64(n)
		return n, err
	}
	if len(c.line) == 0 {
		line, err := c.in.ReadBytes('\n')
		if err != nil {
			return 0, err
		}
		if !c.check(line) {
			c.raw.fail(ErrNested)
			return 0, ErrNested
		}
		c.line = readable(line)
	}
	n := copy(p, c.line)
	c.line = c.line[n:]
	return n, nil
}

// flags are those of a folder or, of a message, those that it may have been given meanwhile.
var flags = regexp.MustCompile(`(?i)^(\* (?:FLAGS |OK \[PERMANENTFLAGS |\d+ FETCH \((?:UID \d+ )?FLAGS ))\([^()\r\n]*\)`)

// readable returns a line without what the library would end the connection for.
func readable(line []byte) []byte {
	line = flags.ReplaceAll(line, []byte("$1()")) // QUIRK: Cyrus has flags such as [x], which no flag may be; we need none
	if bytes.HasPrefix(line, []byte("* LIST ")) {
		if _, err := utf7.Encoding.NewDecoder().Bytes(bytes.TrimSpace(line)); err != nil { // QUIRK: Yandex encodes some names wrongly
			line = bytes.ReplaceAll(line, []byte("&"), []byte("&-")) // which makes a name that cannot be opened
		}
	}
	return line
}

// check reports whether a line is flat enough, and finds the literal after it.
func (c *checked) check(line []byte) bool {
	const maxDepth = 50 // of lists: no reply to our commands is deeper than a few
	if !c.goesOn {
		if c.depth = 0; endless.Match(line) {
			return false
		}
		if !bytes.HasPrefix(line, []byte("* ")) || status.Match(line) {
			return true
		}
	}
	bare := quotedString.ReplaceAll(line, nil)
	for _, b := range bare {
		switch b {
		case '(':
			c.depth++
		case ')':
			c.depth--
		case '"': // a string that does not end
			return false
		}
		if c.depth > maxDepth {
			return false
		}
	}
	size := literalSize.FindSubmatch(bare)
	if c.goesOn = size != nil; c.goesOn {
		var err error
		c.literal, err = strconv.ParseInt(string(size[1]), 10, 64)
		return err == nil
	}
	return true
}

// plainly returns an error of the network without addresses.
func plainly(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ErrSilent
	}
	if err == io.EOF {
		return errEnded
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return fmt.Errorf("the server %s: %s", e.Name, e.Err)
	}
	return replace.Reason(err)
}
