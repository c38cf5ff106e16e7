package spamd

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"chaff/serve"
	"chaff/test/servetest"
)

func FuzzReadRequest(f *testing.F) {
	for _, seed := range []string{
		requestOf("CHECK", "1.5", "User: anna\r\n", servetest.Mail("spam", 1)), requestOf("TELL", "1.5", "Message-class: ham\r\nSet: local, remote\r\nRemove: remote\r\n", "x"),
		"PING SPAMC/1.2\r\n", "SKIP SPAMC/1.5\r\n\r\n", "PROCESS SPAMC/1.0\nbody", "HEADERS SPAMC/1.4\r\nCompress: zlib\r\nContent-length: 0\r\n\r\n",
		"REPORT_IFSPAM SPAMC/999.999\r\n:\r\n: :\r\nUser:\r\nContent-length:\r\n", "SYMBOLS SPAMC/1.3\r\nContent-length: 2147483648\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := bufio.NewReaderSize(bytes.NewReader(data), bufferSize)
		r, err := readRequest(in)
		if err != nil {
			if line := errorReply(err); strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\r\n") || strings.ContainsAny(line[:len(line)-2], "\r\x00\x1b") {
				t.Errorf("the error is not one line: %q", line)
			}
			return
		}
		if !bytes.HasPrefix(data, []byte(r.command)) || r.length > maxLength || r.length < -1 || strings.ContainsAny(r.user, "\r\n\x00") {
			t.Errorf("got %+v", r)
		}
		// What follows the request is the message, and only that.
		rest, _ := io.ReadAll(in)
		if !bytes.HasSuffix(data, rest) {
			t.Errorf("%q does not end in %q", data, rest)
		}
		before := data[:len(data)-len(rest)]
		if r.hasFields() && !bytes.HasSuffix(before, []byte("\n\n")) && !bytes.HasSuffix(before, []byte("\n\r\n")) && !bytes.HasSuffix(before, []byte("\n\r")) {
			t.Errorf("the fields end in %q", before)
		}
	})
}

// FuzzClient sends anything, and gets a reply that its program understands.
func FuzzClient(f *testing.F) {
	e := servetest.NewEngine(f, func(o *serve.Options) { o.MaxMessage = 64 << 10 })
	s := newServer(e, &servetest.Log{})
	s.Working = f.Context()
	f.Add([]byte(requestOf("PROCESS", "1.5", "", servetest.Mail("spam", 1))))
	f.Add([]byte(requestOf("HEADERS", "1.5", "", "a\n\r\nb\r\n\r\nc")))
	f.Add([]byte(requestOf("REPORT", "1.2", "", servetest.Mail("ham", 1))))
	f.Fuzz(func(t *testing.T, data []byte) {
		conn := &script{in: bytes.NewReader(data)}
		c := newClient(s, &serve.Conn{Conn: conn})
		c.Answer()
		reply := conn.out.String()
		if reply == "" && !bytes.HasPrefix(data, []byte("SKIP")) {
			t.Error("no reply")
		}
		if reply == "" {
			return
		}
		first, rest, _ := strings.Cut(reply, "\r\n")
		if !strings.HasPrefix(first, "SPAMD/1.") {
			t.Errorf("got %q", reply)
		}
		if head, body, found := strings.Cut(rest, "\r\n\r\n"); found && strings.HasPrefix(head, "Content-length: ") {
			var length int
			for _, digit := range strings.TrimPrefix(strings.SplitN(head, "\r\n", 2)[0], "Content-length: ") {
				length = 10*length + int(digit-'0')
			}
			if length != len(body) {
				t.Errorf("the length is %d, and the message has %d bytes", length, len(body))
			}
		}
	})
}

// script is a connection to a client that sends a text.
type script struct {
	net.Conn // for methods that are not used
	in       *bytes.Reader
	out      bytes.Buffer
}

func (s *script) Read(p []byte) (int, error)       { return s.in.Read(p) }
func (s *script) Write(p []byte) (int, error)      { return s.out.Write(p) }
func (s *script) Close() error                     { return nil }
func (s *script) RemoteAddr() net.Addr             { return &net.UnixAddr{Name: "client", Net: "unix"} }
func (s *script) LocalAddr() net.Addr              { return &net.TCPAddr{} } // where nobody may teach
func (s *script) SetReadDeadline(time.Time) error  { return nil }
func (s *script) SetWriteDeadline(time.Time) error { return nil }
