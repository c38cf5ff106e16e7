//go:build linux

package maillab_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"chaff/test/maillab"
)

// TestPostfixHasManyRecipients sends a message to 200 recipients, 60 of them with models of their own, when the agent takes its time for each. All
// get it once, with the verdict of their model, and Postfix hears of the first one at once. Its pause is 0.1 s unless TEST_MAILLAB_PAUSE says
// otherwise; with 3 s, not all can get it before Postfix would give up, and the others get it at the next attempt.
func TestPostfixHasManyRecipients(t *testing.T) {
	t.Parallel()
	pause := 100 * time.Millisecond
	if text := os.Getenv("TEST_MAILLAB_PAUSE"); text != "" {
		var err error
		if pause, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	l := maillab.Start(t, maillab.Postfix, maillab.Spamd)
	l.Run("root", "mkdir -p /var/lib/chaff/users /run/chaff")
	train(l, "root", "-m /var/lib/chaff/model")
	a := startSlowAgent(t, l, "/run/agent", pause)
	l.Run("root", "chaff serve -m /var/lib/chaff/model --users /var/lib/chaff/users --spamd unix:"+chaffSocket+
		" --lmtp 2424 --set serve.lmtp_backend=unix:/run/agent >/var/log/maillab/chaff 2>&1 &")
	waitForServe(l)
	l.Run("root", `postconf -e virtual_mailbox_domains=users.example virtual_mailbox_maps=static:all virtual_transport=lmtp:inet:127.0.0.1:2424 \
		lmtp_destination_recipient_limit=200`)
	l.StartPostfix()

	const all, models = 200, 60
	to := make([]string, all)
	for n := range to {
		to[n] = fmt.Sprintf("user%d@users.example", n)
	}
	l.Write("/tmp/spam", offer(1), 0o644) // which the shared model takes for ham
	l.Write("/tmp/ham", letter("allotment", "The beans and potatoes are out of the frost. Could you water the seedlings this week?"), 0o644)
	l.Run("root", fmt.Sprintf(`set -e
		for n in $(seq 0 3 %d); do
			for class in spam ham; do spamc -x -U %s -u user$n@users.example -L $class </tmp/$class; done
		done`, 3*models-1, chaffSocket))
	began := time.Now()
	l.SendFrom(25, "sender@elsewhere.example", offer(2), to...)

	var first time.Duration
	for end := began.Add(time.Minute + 3*all*pause); len(a.received()) < all && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if first == 0 && strings.Contains(l.Run("root", "cat /var/log/maillab/postfix"), "status=sent") {
			first = time.Since(began)
		}
	}
	l.Wait("an empty queue", func() error {
		if queue := l.Run("root", "postqueue -p"); !strings.Contains(queue, "queue is empty") {
			return fmt.Errorf("the queue has %s", queue)
		}
		return nil
	})
	took := time.Since(began)
	got := a.received()
	for n, r := range to {
		switch texts := got[r]; {
		case len(texts) != 1:
			t.Errorf("%s got the message %d times", r, len(texts))
		case strings.Contains(texts[0], "X-Chaff-Score: "+scoreOf(got[to[1]][0])+"\n") != (n%3 != 0 || n >= 3*models):
			t.Errorf("%s got it with the verdict of another model:\n%s", r, texts[0])
		}
	}
	t.Logf("a pause of %v: first status after %v, all after %v, in %d messages to the agent", pause, first, took, a.messages())
	if first == 0 || first > took/4 {
		t.Errorf("the first status came after %v, the last after %v", first, took)
	}
	for line := range strings.Lines(l.Run("root", "cat /var/log/maillab/postfix")) {
		if strings.Contains(line, "postfix/lmtp") && (strings.Contains(line, "timed out") || strings.Contains(line, "lost connection")) {
			t.Error(line)
		}
	}
}

// scoreOf returns the score in the header of a message.
func scoreOf(text string) string {
	_, rest, _ := strings.Cut(text, "X-Chaff-Score: ")
	score, _, _ := strings.Cut(rest, "\n")
	return score
}

// slowAgent is a delivery agent that takes a pause before it has delivered to a recipient, and goes on if its client goes.
type slowAgent struct {
	pause time.Duration
	mu    sync.Mutex
	got   map[string][]string // messages by recipient
	n     int
}

func startSlowAgent(t *testing.T, lab *maillab.Lab, socket string, pause time.Duration) *slowAgent {
	t.Helper()
	l, err := net.Listen("unix", lab.Path(socket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if err := os.Chmod(lab.Path(socket), 0o777); err != nil {
		t.Fatal(err)
	}
	a := &slowAgent{pause: pause, got: map[string][]string{}}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go a.serve(c)
		}
	}()
	return a
}

func (a *slowAgent) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewScanner(c)
	var to []string
	io.WriteString(c, "220 agent\r\n")
	for in.Scan() {
		verb, rest, _ := strings.Cut(in.Text(), " ")
		switch verb {
		case "LHLO":
			io.WriteString(c, "250-agent\r\n250 PIPELINING\r\n")
			continue
		case "RCPT":
			to = append(to, strings.TrimSuffix(strings.TrimPrefix(rest, "TO:<"), ">"))
		case "RSET":
			to = nil
		case "DATA":
			io.WriteString(c, "354 go on\r\n")
			var text strings.Builder
			for in.Scan() && in.Text() != "." {
				text.WriteString(in.Text() + "\n")
			}
			if in.Text() != "." {
				return
			}
			a.deliver(c, to, text.String())
			to = nil
			continue
		}
		io.WriteString(c, "250 2.0.0 yes\r\n")
	}
}

func (a *slowAgent) deliver(c net.Conn, to []string, text string) {
	a.mu.Lock()
	a.n++
	a.mu.Unlock()
	for _, r := range to {
		time.Sleep(a.pause)
		a.mu.Lock()
		a.got[r] = append(a.got[r], text)
		a.mu.Unlock()
		io.WriteString(c, "250 2.0.0 saved for "+r+"\r\n")
	}
}

// received returns the messages by recipient.
func (a *slowAgent) received() map[string][]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := map[string][]string{}
	for r, texts := range a.got {
		all[r] = append([]string(nil), texts...)
	}
	return all
}

func (a *slowAgent) messages() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.n
}
