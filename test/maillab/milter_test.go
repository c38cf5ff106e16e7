package maillab_test

import (
	"bufio"
	"fmt"
	"net/textproto"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-milter"

	"chaff/test/maillab"
)

const milterSocket = "/var/spool/postfix/chaff/milter.sock"

// startMilter starts a lab with Postfix and Dovecot as the page says, and a model.
func startMilter(t *testing.T) (*maillab.Lab, *maillab.Page) {
	t.Helper()
	l := maillab.Start(t, maillab.Postfix, maillab.Dovecot)
	l.AddUser("anna")
	page, dovecot := l.Page("postfix-milter.md"), l.Page("dovecot.md")
	page.Follow("root", "useradd")
	dovecot.Install("root")
	l.Write("/etc/dovecot/sieve/file.sieve", "require \"fileinto\";\nif header :is \"X-Spam-Flag\" \"YES\" { fileinto \"Junk\"; }\n", 0o644)
	dovecot.Follow("root", "sievec")
	dovecot.Follow("root", "postconf")
	page.Follow("root", "postconf")
	train(l, "root", "-m /var/lib/chaff/model && chown chaff: /var/lib/chaff/model*")
	l.StartDovecot()
	startMilterDaemon(l, page)
	return l, page
}

func startMilterDaemon(l *maillab.Lab, page *maillab.Page) {
	page.Follow("root", "chaff serve")
	l.Wait("the milter", func() error {
		_, err := askMilter(l, ham(1))
		return err
	})
}

// askMilter returns the score of a message.
func askMilter(l *maillab.Lab, message string) (string, error) {
	c := milter.NewClientWithOptions("unix", l.Path(milterSocket), milter.ClientOptions{
		ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, ActionMask: milter.OptAddHeader | milter.OptChangeHeader,
	})
	s, err := c.Session()
	if err != nil {
		return "", err
	}
	defer s.Close()
	if _, err := s.Mail("sender@elsewhere.example", nil); err != nil {
		return "", err
	}
	header, body, _ := strings.Cut(message, "\n\n")
	for line := range strings.Lines(header) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if _, err := s.HeaderField(name, value); err != nil {
			return "", err
		}
	}
	edits, _, err := s.BodyReadFrom(strings.NewReader(strings.ReplaceAll(body, "\n", "\r\n")))
	for _, e := range edits {
		if e.HeaderName == "X-Chaff-Score" {
			return e.HeaderValue, err
		}
	}
	return "", fmt.Errorf("no score: %v, %w", edits, err)
}

func TestPostfixMilter(t *testing.T) {
	t.Parallel()
	l, page := startMilter(t)
	l.StartPostfix()
	filters(t, l, func() {
		score := func() string {
			got, err := askMilter(l, offer(9))
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		before := score()
		page.Follow("root", "chaff learn")
		l.Wait("another verdict", func() error {
			if score() == before {
				return fmt.Errorf("still %s", before)
			}
			return nil
		})
	})

	stopServe(l)
	if code := talk(t, l, ham(7)); code != 451 {
		t.Errorf("without the daemon: got %d", code)
	}
	startMilterDaemon(l, page)
	if code := talk(t, l, ham(7)); code != 250 {
		t.Errorf("with the daemon again: got %d", code)
	}
	wantVerdict(t, l.WaitFor(inbox, "minutes of meeting 7"), "ham")
}

// talk sends a message to anna, and returns the first reply that refuses it, or the last one.
func talk(t *testing.T, l *maillab.Lab, message string) int {
	t.Helper()
	c := textproto.NewConn(l.Dial(25))
	defer c.Close()
	code, text, err := c.ReadResponse(0)
	for _, line := range []string{"HELO mx.lab.example", "MAIL FROM:<sender@elsewhere.example>", "RCPT TO:<anna@lab.example>", "DATA", strings.ReplaceAll(message, "\n", "\r\n") + "."} {
		if err != nil || code >= 400 {
			break
		}
		if err = c.PrintfLine("%s", line); err == nil {
			code, text, err = c.ReadResponse(0)
		}
	}
	if err != nil {
		t.Fatal(err, text)
	}
	return code
}

var _ = bufio.NewReader
var _ = os.Getenv
var _ = strconv.Itoa
