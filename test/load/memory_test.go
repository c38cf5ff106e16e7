//go:build linux

package load

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"chaff/message"
)

// mostMemory is how much memory in MB the daemon may take at its default limits: serve.memory, 256 MiB for its work, and what is not collected yet.
const mostMemory = 600

// TestLargeMessagesTakeLittleMemory sends the largest messages that are judged, full of words in base64, by each protocol: one, and then from as
// many clients as serve.memory does not suffice for, in small steps at the same time.
func TestLargeMessagesTakeLittleMemory(t *testing.T) {
	if os.Getenv("TEST_LOAD") == "" {
		t.Skip("set TEST_LOAD=1 to send many large messages to chaff serve")
	}
	folder := t.TempDir()
	program, model := buildChaff(t, folder)
	backend := filepath.Join(folder, "backend")
	receiveLMTP(t, backend)
	command := exec.Command(program, "serve", "-m", model, "--set", "serve.lmtp_backend=unix:"+backend)
	for _, protocol := range []string{"spamd", "http", "lmtp", "milter"} {
		command.Args = append(command.Args, "--"+protocol, "unix:"+filepath.Join(folder, protocol))
	}
	d := start(t, "chaff", filepath.Join(folder, "spamd"), command)
	raw := largeMessage()
	for _, clients := range []int{1, 20} {
		for protocol, text := range map[string][]byte{
			"spamd":  request("PROCESS", raw),
			"http":   fmt.Appendf(nil, "POST /v1/classify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(raw), raw),
			"lmtp":   fmt.Appendf(nil, "LHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<x@x.example>\r\nDATA\r\n%s.\r\nQUIT\r\n", raw),
			"milter": packets(string(raw)),
		} {
			began := time.Now()
			sendTogether(t, filepath.Join(folder, protocol), text, clients)
			peak := d.statusOf(t, "VmHWM:") / 1000
			t.Logf("%s, %d clients: %.1f s, peak so far %d MB", protocol, clients, time.Since(began).Seconds(), peak)
			if peak > mostMemory {
				t.Errorf("want at most %d MB", mostMemory)
			}
		}
	}
	if answer, err := exchange(d, request("CHECK", []byte("Subject: x\r\n\r\nmeeting\r\n"))); err != nil || !strings.Contains(string(answer), "EX_OK") {
		t.Errorf("afterwards it answers %q, %v", answer, err)
	}
}

// largeMessage returns a message of many words in base64.
func largeMessage() []byte {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]byte, message.MaxSize*57/78*72/76)
	for i := range words {
		if words[i] = ' '; i%8 > 0 {
			words[i] = 'a' + byte(random.IntN(26))
		}
	}
	raw := []byte("From: a@a.example\r\nSubject: large\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n")
	for len(words) > 0 {
		n := min(57, len(words))
		raw = append(base64.StdEncoding.AppendEncode(raw, words[:n]), "\r\n"...)
		words = words[n:]
	}
	return raw
}

// packets returns what a mail server sends to a milter for a message.
func packets(raw string) (all []byte) {
	packet := func(code byte, data string) {
		all = append(append(binary.BigEndian.AppendUint32(all, uint32(1+len(data))), code), data...)
	}
	packet('O', "\x00\x00\x00\x06\x00\x00\x01\xff\x00\x1f\xff\xff")
	packet('M', "<>\x00")
	packet('R', "<x@x.example>\x00")
	header, body, _ := strings.Cut(raw, "\r\n\r\n")
	for field := range strings.SplitSeq(header, "\r\n") {
		name, value, _ := strings.Cut(field, ": ")
		packet('L', name+"\x00"+value+"\x00")
	}
	packet('N', "")
	for len(body) > 0 {
		n := min(65535, len(body))
		packet('B', body[:n])
		body = body[n:]
	}
	packet('E', "")
	packet('Q', "")
	return all
}

// sendTogether sends a text by several connections, each a piece at a time in turn, and waits until the server has closed them.
func sendTogether(t *testing.T, socket string, text []byte, clients int) {
	t.Helper()
	conns, ended := make([]net.Conn, clients), make(chan int64, clients)
	for i := range conns {
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(time.Minute))
		conns[i] = c
		go func() {
			n, _ := io.Copy(io.Discard, c)
			ended <- n
		}()
	}
	for len(text) > 0 {
		piece := text[:min(256<<10, len(text))]
		text = text[len(piece):]
		for i, c := range conns {
			if c != nil {
				if _, err := c.Write(piece); err != nil { // the server wants no more
					conns[i] = nil
				}
			}
		}
	}
	for range conns {
		if <-ended == 0 {
			t.Errorf("%s: a client got no answer", filepath.Base(socket))
		}
	}
}

// receiveLMTP takes mail at a socket until the test ends.
func receiveLMTP(t *testing.T, socket string) {
	t.Helper()
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				in, data, recipients := bufio.NewReader(c), false, 0
				fmt.Fprint(c, "220 x LMTP\r\n")
				for {
					line, err := in.ReadString('\n')
					switch {
					case err != nil:
						return
					case data && line != ".\r\n":
					case strings.HasPrefix(line, "LHLO"):
						fmt.Fprint(c, "250-x\r\n250 PIPELINING\r\n")
					case data: // one answer for each recipient
						fmt.Fprint(c, strings.Repeat("250 yes\r\n", recipients))
						data, recipients = false, 0
					case line == "DATA\r\n":
						data = true
						fmt.Fprint(c, "354 go on\r\n")
					case line == "RSET\r\n":
						recipients = 0
						fmt.Fprint(c, "250 yes\r\n")
					default:
						if strings.HasPrefix(line, "RCPT") {
							recipients++
						}
						fmt.Fprint(c, "250 yes\r\n")
					}
				}
			}()
		}
	}()
}

// statusOf returns a number of the status of a process, in kB.
func (d daemon) statusOf(t *testing.T, name string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), name)
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes
}
