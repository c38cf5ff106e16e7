//go:build linux

package load

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hourlyRate is how many messages are sent in a second: little, since hours count here and not speed.
const hourlyRate = 20

// TestMemoryIsFlatForHours sends mail by all protocols for a time, for users with models of their own, while
// messages are learned and forgotten, models are fitted, and read again. The memory of the second half of that time is at most a tenth over that of the
// first half.
func TestMemoryIsFlatForHours(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("TEST_LOAD_TIME"))
	if err != nil {
		t.Skip("set TEST_LOAD_TIME=8h to send mail to chaff serve for so long")
	}
	mail := realMail(t)
	folder := t.TempDir()
	program, model := buildChaff(t, folder)
	backend := filepath.Join(folder, "backend")
	receiveLMTP(t, backend)
	command := exec.Command(program, "serve", "-m", model, "--users", t.TempDir(), "--set", "serve.lmtp_backend=unix:"+backend,
		"--set", "serve.keep_unsure=100", "--set", "serve.keep_history=200",
		"--set", "store.retrain_after=20", "--set", "serve.history=1000")
	for _, protocol := range []string{"spamd", "http", "lmtp", "milter"} {
		command.Args = append(command.Args, "--"+protocol, "unix:"+filepath.Join(folder, protocol))
	}
	d := start(t, "chaff", filepath.Join(folder, "spamd"), command)
	random := rand.New(rand.NewPCG(1, 2))
	began, sent, learned := time.Now(), 0, 0
	var taught []lesson
	var minutes []float64
	sum, samples, minute := 0.0, 0, began
	tick := time.NewTicker(time.Second / hourlyRate)
	defer tick.Stop()
	for now := began; now.Sub(began) < long; now = <-tick.C {
		raw, user := mail[random.IntN(len(mail))], fmt.Sprintf("user%d@example.org", random.IntN(30))
		protocol, text := requestFor([]string{"spamd", "http", "lmtp", "milter"}[random.IntN(4)], user, raw)
		talk(t, filepath.Join(folder, protocol), text)
		// For four of five minutes messages are learned. In the fifth, nothing comes that keeps models from being fitted.
		if sent++; sent%hourlyRate == 0 && now.Sub(began)%(5*time.Minute) < 4*time.Minute {
			next := lesson{user, []string{"ham", "spam"}[random.IntN(2)], raw}
			if random.IntN(4) == 0 {
				next.user = "" // all of them
			}
			next.tell(t, d, "Set")
			if taught = append(taught, next); len(taught) > 200 { // what is known does not grow
				taught[0].tell(t, d, "Remove")
				taught = taught[1:]
			}
			learned++
		}
		if sent%(hourlyRate/2) == 0 {
			sum += float64(d.statusOf(t, "VmRSS:")) / 1000
			samples++
		}
		if now.Sub(minute) >= time.Minute {
			minutes = append(minutes, sum/float64(samples))
			t.Logf("minute %d: %.1f MB, %d messages, %d learned", len(minutes), minutes[len(minutes)-1], sent, learned)
			sum, samples, minute = 0, 0, now
			if err := d.process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(minutes) < 4 {
		t.Fatalf("%v are too few to compare", long)
	}
	half := len(minutes) / 2
	first, second := mean(minutes[:half]), mean(minutes[half:])
	t.Logf("%v, %d messages, %d learned: %.1f MB in the first half, %.1f MB in the second", long, sent, learned, first, second)
	if second > 1.1*first {
		t.Error("want at most 10% more")
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// requestFor returns what a client of a protocol sends to have a message judged for a user.
func requestFor(protocol, user string, raw []byte) (to string, text []byte) {
	switch protocol {
	case "http":
		text = fmt.Appendf(nil, "POST /checkv2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nUser: %s\r\nContent-Length: %d\r\n\r\n%s", user, len(raw), raw)
	case "lmtp":
		lines := bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
		lines = bytes.ReplaceAll(lines, []byte("\r\n."), []byte("\r\n.."))
		text = fmt.Appendf(nil, "LHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<%s>\r\nRCPT TO:<x%s>\r\nDATA\r\n%s\r\n.\r\nQUIT\r\n", user, user, lines)
	case "milter":
		if head, _, found := bytes.Cut(raw, []byte("\n\n")); found && !bytes.Contains(head, []byte("\r")) {
			return "milter", packets(strings.ReplaceAll(string(raw), "\n", "\r\n"))
		}
		fallthrough
	default:
		protocol = "spamd"
		text = fmt.Appendf(nil, "PROCESS SPAMC/1.5\r\nUser: %s\r\nContent-length: %d\r\n\r\n%s", user, len(raw), raw)
	}
	return protocol, text
}

// talk sends all of a text to a socket, and waits for the end of the answer.
func talk(t *testing.T, socket string, text []byte) []byte {
	t.Helper()
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	go c.Write(text) //nolint:errcheck // the answer shows it
	answer, err := io.ReadAll(c)
	if err != nil || len(answer) == 0 {
		t.Fatalf("%s: %q, %v", filepath.Base(socket), answer, err)
	}
	return answer
}

// lesson is a message that is learned, and forgotten later.
type lesson struct {
	user, class string
	raw         []byte
}

func (l lesson) tell(t *testing.T, d daemon, what string) {
	t.Helper()
	text := fmt.Appendf(nil, "TELL SPAMC/1.5\r\nUser: %s\r\n%s: local\r\nMessage-class: %s\r\nContent-length: %d\r\n\r\n%s", l.user, what, l.class, len(l.raw), l.raw)
	if answer := talk(t, d.socket, text); !bytes.Contains(answer, []byte(" EX_OK")) {
		t.Errorf("%s of %s: %q", what, l.user, answer)
	}
}
