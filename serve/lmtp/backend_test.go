package lmtp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"chaff/test/testmain"
)

// agent is a delivery agent for tests. It takes CR LF "." CR LF only for the end of a message.
type agent struct {
	Backend
	extensions []string

	mu      sync.Mutex
	answers map[string][]string // what it answers to a line; the default is that it accepts. "" is that it closes the connection
	lines   []string            // commands that have come
	got     []letter            // that it has accepted for somebody
	open    map[net.Conn]bool
	slow    func()        // called with each part of a message
	pause   time.Duration // before the answer for each recipient
}

// letter is a message that an agent has accepted.
type letter struct {
	from string
	to   []string
	text string
}

// startAgent starts an agent that offers extensions. It ends with the test.
func startAgent(t testing.TB, isSMTP bool, extensions ...string) *agent {
	t.Helper()
	dir := testmain.ShortDir(t)
	a := &agent{Backend: Backend{"unix", filepath.Join(dir, "a"), isSMTP}, extensions: extensions, answers: map[string][]string{}, open: map[net.Conn]bool{}}
	l, err := net.Listen(a.Network, a.Address)
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			a.mu.Lock()
			a.open[conn] = true
			a.mu.Unlock()
			running.Go(func() {
				defer conn.Close()
				a.serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		a.closeAll()
		running.Wait()
	})
	return a
}

// closeAll closes all connections.
func (a *agent) closeAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for conn := range a.open {
		conn.Close()
	}
}

// answerTo sets what the agent answers to a line, at its next times.
func (a *agent) answerTo(line string, replies ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers[line] = replies
}

// received returns the messages that the agent has accepted since the last call, and the commands.
func (a *agent) received() (letters []letter, lines []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	letters, lines = a.got, a.lines
	a.got, a.lines = nil, nil
	return letters, lines
}

// reply returns the reply to a line, or the default.
func (a *agent) reply(line, accept string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if replies := a.answers[line]; len(replies) > 0 {
		a.answers[line] = replies[1:]
		return replies[0]
	}
	return accept
}

func (a *agent) serve(conn net.Conn) {
	in := bufio.NewReader(conn)
	say := func(line, accept string) (ok bool) {
		text := a.reply(line, accept)
		if text == "" {
			conn.Close()
			return false
		}
		_, err := io.WriteString(conn, text+"\r\n")
		return err == nil && strings.HasPrefix(text, accept[:1])
	}
	var l letter
	if !say("greeting", "220 agent") {
		return
	}
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSuffix(line, "\r\n")
		a.mu.Lock()
		a.lines = append(a.lines, line)
		a.mu.Unlock()
		verb, _, _ := strings.Cut(line, " ")
		if a.reply(verb+" closes", "-") == "" {
			return
		}
		switch verb {
		case "LHLO", "EHLO":
			if (verb == "EHLO") != a.isSMTP {
				say(line, "500 wrong protocol")
				continue
			}
			all := append([]string{"agent"}, a.extensions...)
			say(verb, "250-"+strings.Join(all[:len(all)-1], "\r\n250-")+"\r\n250 "+all[len(all)-1])
		case "MAIL":
			if l.from != "" {
				say(line, "503 5.5.1 a transaction has begun")
			} else if say(line, "250 2.1.0 ok") {
				l.from = line
			}
		case "RCPT":
			if say(line, "250 2.1.5 ok") {
				l.to = append(l.to, strings.TrimSuffix(strings.TrimPrefix(line, "RCPT TO:<"), ">"))
			}
		case "DATA":
			if !say(line, "354 go on") {
				continue
			}
			text, err := a.readText(in)
			if err != nil || a.reply(".", "-") == "" {
				return
			}
			// A letter counts before its sender hears of it, since the test looks at once.
			deliver := func(line, accept string, to ...string) (isOpen bool) {
				answer := a.reply(line, accept)
				if answer == "" {
					return false
				}
				if strings.HasPrefix(answer, "2") {
					a.accept(letter{l.from, to, text})
				}
				_, _ = io.WriteString(conn, answer+"\r\n") // it delivers to the others anyway
				return true
			}
			if a.isSMTP {
				deliver("message", "250 2.0.0 saved for all", l.to...)
			} else {
				for _, to := range l.to {
					time.Sleep(a.pause)
					if !deliver("message for "+to, "250 2.0.0 saved for "+to, to) {
						return
					}
				}
			}
			l = letter{}
		case "QUIT":
			return
		case "RSET":
			l = letter{}
			say(line, "250 2.0.0 reset")
		default:
			say(line, "250 2.0.0 ok")
		}
	}
}

func (a *agent) accept(l letter) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.got = append(a.got, l)
}

// readText reads a message.
func (a *agent) readText(in *bufio.Reader) (string, error) {
	text := []byte("\r\n")
	for !bytes.HasSuffix(text, []byte("\r\n.\r\n")) {
		part, err := in.ReadSlice('\n')
		text = append(text, part...)
		if err != nil && err != bufio.ErrBufferFull {
			return "", err
		}
		if a.slow != nil {
			a.slow()
		}
	}
	text = bytes.TrimSuffix(text, []byte(".\r\n"))
	text = bytes.ReplaceAll(text, []byte("\r\n."), []byte("\r\n"))
	return string(text[2:]), nil
}

func TestAddressesOfBackends(t *testing.T) {
	for text, want := range map[string]Backend{
		"unix:/run/dovecot/lmtp":      {"unix", "/run/dovecot/lmtp", false},
		"lmtp:unix:/run/dovecot/lmtp": {"unix", "/run/dovecot/lmtp", false},
		"smtp:unix:/run/smtp":         {"unix", "/run/smtp", true},
		"127.0.0.1:24":                {"tcp", "127.0.0.1:24", false},
		"smtp:[::1]:10026":            {"tcp", "[::1]:10026", true},
	} {
		if got, err := ParseBackend(text); got != want || err != nil {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "unix:", "smtp:", "24", "localhost", ":24", "localhost:", "http://localhost:24"} {
		if got, err := ParseBackend(text); err == nil || !strings.HasPrefix(err.Error(), "serve.lmtp_backend is ") {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
}

func TestRepliesOfBackends(t *testing.T) {
	for text, want := range map[string]string{
		"250 ok\r\n":                          "250 ok",
		"250 ok\n":                            "250 ok",
		"250\r\n":                             "250 ",
		"250-one\r\n250-two\r\n250 three\r\n": "250-one|250-two|250 three",
		"550 a\x1b[2J\r\r\n":                  "550 a?[2J",
		"550 grüß\r\n":                        "550 grüß",
	} {
		got, err := readReply(bufio.NewReader(strings.NewReader(text + "rest")))
		if err != nil || got.String() != strings.ReplaceAll(want, "|", "\r\n")+"\r\n" {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "250", "ok\r\n", "25 ok\r\n", "250ok\r\n", "150 ok\r\n", "999 ok\r\n", "+25 ok\r\n", "250-one\r\n251 two\r\n", "250-one\r\n",
		strings.Repeat("250-x\r\n", 200), strings.Repeat("2", 100000),
		"250 " + strings.Repeat("x", bufferSize-len("250 \r")) + "\r250 ok\r\n"} { // its first half ends in CR
		if got, err := readReply(bufio.NewReaderSize(strings.NewReader(text), bufferSize)); err == nil {
			t.Errorf("%.20q: got %q", text, got)
		}
	}
}

func TestAnErrorAboutAReplyHasOneLine(t *testing.T) {
	r, err := readReply(bufio.NewReader(strings.NewReader("554-no\r\n554 wrong token client=192.0.2.1\r\n")))
	if err != nil || r.first() != "554 no" {
		t.Errorf("got %q, %v", r.first(), err)
	}
}

func FuzzReadReply(f *testing.F) {
	f.Add("250-one\r\n250 two\r\n")
	f.Add("354 \x00\xff\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := readReply(bufio.NewReaderSize(strings.NewReader(text), bufferSize))
		if err != nil {
			return
		}
		again, err := readReply(bufio.NewReaderSize(strings.NewReader(r.String()), 2*bufferSize)) // U+FFFD takes more bytes
		if err != nil || again != r {
			t.Errorf("%q is passed on as %q, which is read as %q, %v", text, r.String(), again, err)
		}
		if got := strings.Count(r.String(), "\n"); got != strings.Count(r.text, "\n")+1 || strings.Count(r.String(), "\r") != got {
			t.Errorf("%q is passed on as %q", text, r.String())
		}
		if !strings.HasPrefix(r.String(), fmt.Sprint(r.code)) {
			t.Errorf("%q has the code %d", text, r.code)
		}
	})
}
