package spamd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"chaff/internal/screen"
	"chaff/serve"
)

type command string

const (
	check        command = "CHECK"
	symbols      command = "SYMBOLS"
	report       command = "REPORT"
	reportIfSpam command = "REPORT_IFSPAM"
	process      command = "PROCESS"
	headers      command = "HEADERS"
	tell         command = "TELL"
	ping         command = "PING"
	skip         command = "SKIP"
)

// request is a request without its message.
type request struct {
	command command
	version float64
	user    string
	length  int // of the message; -1 until the end
	class   string
	// set and remove say whether TELL is to change the local database. Another one is of no use to chaff.
	set, remove bool
}

type protocolError string

func (e protocolError) Error() string { return string(e) }

// requestLine is the first line of a request. Spamd takes these words anywhere in the line, which would let web pages send requests.
var requestLine = regexp.MustCompile(`^(CHECK|SYMBOLS|REPORT|REPORT_IFSPAM|PROCESS|HEADERS|TELL|PING|SKIP) SPAMC/([0-9]{1,3}(?:\.[0-9]{1,3})?)\s*$`)

// shown returns a line for an error.
func shown(line string) string { return screen.Printable(line[:min(len(line), maxShown)]) }

// hasFields reports whether fields and an empty line follow the first line.
func (r request) hasFields() bool {
	switch r.command {
	case ping, skip:
		return r.version >= 1.5
	case tell:
		return true
	}
	return r.version > 1.0
}

// readRequest reads a request up to its message. The error is [io.EOF] if there is nothing to read.
func readRequest(b *bufio.Reader) (request, error) {
	line, err := readLine(b)
	if err != nil {
		return request{}, err
	}
	parts := requestLine.FindStringSubmatch(line)
	if parts == nil {
		return request{}, protocolError(shown(line))
	}
	r := request{command: command(parts[1]), length: -1}
	r.version, _ = strconv.ParseFloat(parts[2], 64) // digits and a dot
	if !r.hasFields() {
		return r, nil
	}
	for range maxFields {
		line, err := readLine(b)
		switch {
		case errors.Is(err, io.EOF):
			return r, protocolError("(EOF during headers)")
		case err != nil:
			return r, err
		case line == "":
			return r, nil
		}
		if err := r.field(line); err != nil {
			return r, err
		}
	}
	return r, protocolError("(too many headers)")
}

// readLine returns a line without its end. The last line may have none.
func readLine(b *bufio.Reader) (string, error) {
	line, err := b.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", protocolError("(line too long)")
	case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0):
		return "", err
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r"), nil
}

// field reads a field of a request. Unknown ones mean nothing.
func (r *request) field(line string) error {
	name, value, found := strings.Cut(line, ":")
	if !found {
		return protocolError("(header not in 'Name: value' format)")
	}
	value = strings.TrimLeft(value, " \t")
	switch strings.ToLower(name) {
	case "content-length":
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil || n > maxLength {
			return protocolError("(Content-Length contains non-numeric bytes)")
		}
		r.length = int(n)
	case "user":
		if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' }) {
			return protocolError("(User header contains control chars)")
		}
		r.user = value
	case "compress":
		return protocolError(fmt.Sprintf("(compression type not supported: %s)", shown(value)))
	case "message-class":
		r.class = strings.ToLower(value)
		if r.class != "spam" && r.class != "ham" {
			return protocolError("(Message-class header contains invalid class)")
		}
	case "set":
		r.set = strings.Contains(strings.ToLower(value), "local")
	case "remove":
		r.remove = strings.Contains(strings.ToLower(value), "local")
	}
	return nil
}

// Read reads what the client sends. A message may take as long as its bytes come, the lines before it may not.
func (c *client) Read(p []byte) (int, error) {
	if c.inMessage {
		c.conn.Expect(c.server.Idle)
	}
	return c.conn.Read(p)
}

// readMessage reads the message of a request into m. The rest of one that is cut is not read.
func (c *client) readMessage(r request, m *serve.Message) (serve.Origin, error) {
	c.inMessage = true
	from := io.Reader(c.in)
	if r.length >= 0 {
		from = io.LimitReader(from, int64(r.length))
	}
	n, err := io.CopyBuffer(m, from, make([]byte, min(bufferSize, max(r.length, 1))))
	origin := serve.Origin{Protocol: c.server.Protocol, User: r.user, Cut: m.Cut}
	if err != nil && m.Cut == nil {
		return origin, err
	}
	if got, isWhole := int(n), bytes.HasSuffix(m.Bytes(), []byte("\n")) || c.in.Buffered() == 0; m.Cut == nil && (got < r.length || !isWhole) {
		return origin, protocolError(fmt.Sprintf("(Content-Length mismatch: Expected %d bytes, got %d bytes)", r.length, got+c.extra()))
	}
	return origin, nil
}

// extra returns how many bytes have come behind the message, to the end of the line.
func (c *client) extra() int {
	rest, _ := c.in.Peek(c.in.Buffered())
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		return end + 1
	}
	return len(rest)
}
