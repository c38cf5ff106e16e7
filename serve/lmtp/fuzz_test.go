package lmtp

import (
	"bytes"
	"context"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"chaff/serve"
	"chaff/test/servetest"
)

// FuzzSession sends anything. The replies are well-formed, and the backend gets nothing but commands of the protocol and whole messages with
// our fields.
func FuzzSession(f *testing.F) {
	const begin = "LHLO x\r\n" + sender + "\r\nRCPT TO:<a@b>\r\nDATA\r\n"
	for _, seed := range []string{
		"", "QUIT\r\n", "LHLO x\nNOOP\n", "GET / HTTP/1.1\r\n\r\n", begin + "Subject: x\r\n\r\n.\n..a\r\n.\r\nQUIT\r\n", begin + ".\r\n" + begin + "\n.\r\nQUIT\r\n.\r\n",
		"LHLO x\r\n" + begin[8:] + "X-Chaff-Verdict: spam\r\n\r\n.\r\nRSET\r\nMAIL FROM:<\r\n",
		begin + strings.Repeat("Received: long\r\n", 200) + "X-Spam-Flag: NO\r\n\r\n" + strings.Repeat("x", 3000) + "\r\n.\r\n",
	} {
		f.Add([]byte(seed))
	}
	e := servetest.NewEngine(f, func(o *serve.Options) { o.MaxMessage = 2000 })
	verdict, err := e.Judge(f.Context(), serve.Origin{}, []byte(servetest.Mail("ham", 1)))
	if err != nil {
		f.Fatal(err)
	}
	a := startAgent(f, false, "8BITMIME")
	replies := regexp.MustCompile(`^([2345][0-9]{2}(-[^\r\n]*\r\n[2345][0-9]{2})* [^\r\n]*\r\n)*$`)
	commands := regexp.MustCompile(`^(LHLO [!-~]+|MAIL FROM:<.*>.*|RCPT TO:<.*>.*|DATA|RSET)$`)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newServer(broken{e, func(context.Context) (serve.Verdict, error) { return verdict, nil }}, a.Backend, &servetest.Log{})
		s.Working = t.Context()
		conn := &script{in: bytes.NewReader(data)}
		newClient(s, &serve.Conn{Conn: conn}).Answer()
		if got := conn.out.String(); !replies.MatchString(got) || !strings.HasPrefix(got, "220 "+greeting) {
			t.Errorf("the replies are %q", got)
		}
		letters, lines := a.received()
		for _, l := range letters {
			if !strings.HasPrefix(l.text, "X-Spam-Flag: ") && !strings.HasPrefix(l.text, "X-Chaff-Unjudged: ") && !strings.HasPrefix(l.text, "From ") && !strings.HasPrefix(l.text, ">From ") || !strings.HasSuffix(l.text, "\r\n") {
				t.Errorf("the backend got the message %q", l.text)
			}
		}
		for _, line := range lines {
			if !commands.MatchString(line) {
				t.Errorf("the backend got the command %q", line)
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
func (s *script) SetReadDeadline(time.Time) error  { return nil }
func (s *script) SetWriteDeadline(time.Time) error { return nil }
