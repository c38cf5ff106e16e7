package spamd

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"chaff/serve"
)

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
