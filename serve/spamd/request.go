package spamd

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"chaff/serve"
)

// command is what a client asks for.
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
	command    command
	version    float64
	isRspamd   bool // the client asks rspamd, as Exim does with variant=rspamd
	user       string
	queueID    string // what a client of rspamd calls the message
	length     int    // of the message, as it is sent; -1 until the end
	compressed bool
	class      string
	set        databases
	remove     databases
}

// databases are those that TELL changes.
type databases struct{ local, remote bool }

// maxFields is how many fields a request may have.
const maxFields = 256

// maxShown is how much of a wrong line an error repeats.
const maxShown = 200

// maxLength is the largest Content-length. Spamc sends at most 256 MB.
const maxLength = 1 << 30

// protocolError is an error in a request.
type protocolError string

func (e protocolError) Error() string { return string(e) }

// unavailable is about a request that is right, and cannot be fulfilled.
type unavailable string

func (e unavailable) Error() string { return string(e) }

// requestLine is the first line of a request. Spamd takes these words anywhere in the line, which would let web pages send requests.
// Clients of rspamd that speak its line protocol, and not HTTP, only check.
var requestLine = regexp.MustCompile(`^(CHECK|SYMBOLS|REPORT|REPORT_IFSPAM|PROCESS|HEADERS|TELL|PING|SKIP) (SPAMC)/([0-9]{1,3}(?:\.[0-9]{1,3})?)\s*$` +
	`|^(CHECK) (RSPAMC)/(1\.[1-9])\s*$`)

// printable returns a line for an error.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, line[:min(len(line), maxShown)])
}

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
		return request{}, protocolError(printable(line))
	}
	r := request{command: command(parts[1] + parts[4]), isRspamd: parts[5] != "", length: -1}
	r.version, _ = strconv.ParseFloat(parts[3]+parts[6], 64) // digits and a dot
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
	text, _ := strings.CutSuffix(string(line), "\n")
	return strings.TrimSuffix(text, "\r"), nil
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
	case "queue-id":
		r.queueID = value
	case "compress":
		if !strings.Contains(strings.ToLower(value), "zlib") {
			return protocolError(fmt.Sprintf("(compression type not supported: %s)", printable(value)))
		}
		r.compressed = true
	case "message-class":
		r.class = strings.ToLower(value)
		if r.class != "spam" && r.class != "ham" {
			return protocolError("(Message-class header contains invalid class)")
		}
	case "set":
		r.set = databasesOf(value)
	case "remove":
		r.remove = databasesOf(value)
	}
	return nil
}

func databasesOf(value string) databases {
	value = strings.ToLower(value)
	return databases{strings.Contains(value, "local"), strings.Contains(value, "remote")}
}

// checkTell returns what is wrong with a TELL.
func (r request) checkTell() error {
	switch {
	case r.set.local && r.remove.local:
		return protocolError("Unable to set local and remove local in the same operation.")
	case r.set.remote && r.remove.remote:
		return protocolError("Unable to set remote and remove remote in the same operation.")
	case r.set.local && r.class == "":
		return protocolError("(Message-class header is missing)")
	}
	return nil
}

// Read reads what the client sends. A message may take as long as its bytes come, the lines before it may not.
func (c *client) Read(p []byte) (int, error) {
	if c.inMessage {
		c.wait()
	}
	return c.conn.Read(p)
}

// readMessage reads the message of a request into m. With an error from m, such as [serve.ErrTooLarge], m has its beginning, and the
// rest is not read.
func (c *client) readMessage(r request, m *serve.Message) error {
	c.inMessage = true
	from := io.Reader(c.in)
	if r.length >= 0 {
		from = io.LimitReader(from, int64(r.length))
	}
	if !r.compressed {
		n, err := io.CopyBuffer(m, from, make([]byte, min(bufferSize, max(r.length, 1))))
		if err != nil {
			return err
		}
		if got, isWhole := int(n), bytes.HasSuffix(m.Bytes(), []byte("\n")) || c.in.Buffered() == 0; r.length >= 0 && (got < r.length || !isWhole) {
			return protocolError(fmt.Sprintf("(Content-Length mismatch: Expected %d bytes, got %d bytes)", r.length, got+c.extra()))
		}
		return nil
	}
	if r.length < 0 {
		return unavailable("Compress requires Content-length header")
	}
	z, err := zlib.NewReader(from)
	if err == nil {
		_, err = io.Copy(m, z)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return unavailable("zlib: failed to find end of zlib stream")
	case errors.Is(err, serve.ErrTooLarge), errors.Is(err, serve.ErrBusy), errors.Is(err, os.ErrDeadlineExceeded):
		return err
	}
	return unavailable("zlib: " + strings.TrimPrefix(err.Error(), "zlib: "))
}

// extra returns how many bytes have come behind the message, to the end of the line.
func (c *client) extra() int {
	rest, _ := c.in.Peek(c.in.Buffered())
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		return end + 1
	}
	return len(rest)
}
