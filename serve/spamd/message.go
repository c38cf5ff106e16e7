package spamd

import (
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"chaff/serve"
)

// readMessage reads the message of a request into m. With an error from m, such as [serve.ErrTooLarge], m has its beginning, and the
// rest is not read.
func (c *client) readMessage(r request, m *serve.Message) error {
	body := &body{client: c, left: r.length}
	if !r.compressed {
		if err := body.copyTo(m); err != nil {
			return err
		}
		if r.length >= 0 && (body.left > 0 || !endsLine(m.Bytes()) && c.in.Buffered() > 0) {
			got := r.length - body.left + c.extra()
			return protocolError(fmt.Sprintf("(Content-Length mismatch: Expected %d bytes, got %d bytes)", r.length, got))
		}
		return nil
	}
	if r.length < 0 {
		return unavailable("Compress requires Content-length header")
	}
	return inflate(m, body)
}

func endsLine(raw []byte) bool { return len(raw) > 0 && raw[len(raw)-1] == '\n' }

// extra returns how many bytes have come behind the message, to the end of the line.
func (c *client) extra() int {
	rest, _ := c.in.Peek(c.in.Buffered())
	for i, b := range rest {
		if b == '\n' {
			return i + 1
		}
	}
	return len(rest)
}

// inflate decompresses a body into m, which limits its size.
func inflate(m *serve.Message, b *body) error {
	z, err := zlib.NewReader(b)
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

// body is the message of a request as it comes: so many bytes, or if left is negative, all to the end. It implements [io.ByteReader] so that
// a decompressor takes no more than it needs.
type body struct {
	client *client
	left   int
}

// next returns some bytes that have come, at least one and at most so many, or an error. The caller discards what it uses.
func (b *body) next(most int) ([]byte, error) {
	if b.left >= 0 {
		most = min(most, b.left)
	}
	if most == 0 {
		return nil, io.EOF
	}
	in := b.client.in
	if in.Buffered() == 0 {
		b.client.wait(b.client.server.options.Idle)
		if _, err := in.Peek(1); err != nil {
			return nil, err
		}
	}
	return in.Peek(min(most, in.Buffered()))
}

func (b *body) used(n int) {
	if b.left >= 0 {
		b.left -= n
	}
	_, _ = b.client.in.Discard(n) // has been peeked
}

// copyTo writes the body to w without a buffer of its own. An early end is no error.
func (b *body) copyTo(w io.Writer) error {
	for {
		p, err := b.next(bufferSize)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
		b.used(len(p))
	}
}

// Read reads some bytes.
func (b *body) Read(p []byte) (int, error) {
	from, err := b.next(len(p))
	n := copy(p, from)
	b.used(n)
	return n, err
}

// ReadByte reads a byte.
func (b *body) ReadByte() (byte, error) {
	from, err := b.next(1)
	if err != nil {
		return 0, err
	}
	first := from[0]
	b.used(1)
	return first, nil
}
