//go:build linux

package maillab

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/mail"
	"net/smtp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Send sends a message by SMTP to a port of the lab.
func (l *Lab) Send(port int, to, message string) {
	l.t.Helper()
	l.SendFrom(port, "sender@elsewhere.example", message, to)
}

// SendFrom sends a message with a sender, which may be empty, to recipients.
func (l *Lab) SendFrom(port int, from, message string, to ...string) {
	l.t.Helper()
	c, err := smtp.NewClient(l.Dial(port), "mx.lab.example")
	if err != nil {
		l.t.Fatalf("connect to port %d: %v\n%s", port, err, l.logs())
	}
	defer c.Close()
	if err := send(c, from, to, message); err != nil {
		l.t.Fatalf("send to port %d: %v\n%s", port, err, l.logs())
	}
}

func send(c *smtp.Client, from string, to []string, message string) error {
	if err := c.Mail(from); err != nil {
		return err
	}
	for _, recipient := range to {
		if err := c.Rcpt(recipient); err != nil {
			return err
		}
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, strings.ReplaceAll(message, "\n", "\r\n")); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return c.Quit()
}

// Stored is a message in a Maildir.
type Stored struct {
	mail.Header
	Path string // within the lab
	Text string // all of it
}

// Stored returns the messages in a Maildir with a subject.
func (l *Lab) Stored(maildir, subject string) []Stored {
	l.t.Helper()
	return slices.DeleteFunc(l.All(maildir), func(m Stored) bool { return m.Get("Subject") != subject })
}

// All returns the messages in a Maildir.
func (l *Lab) All(maildir string) []Stored {
	l.t.Helper()
	var all []Stored
	for _, sub := range []string{"new", "cur"} {
		entries, err := os.ReadDir(l.Path(filepath.Join(maildir, sub)))
		if err != nil {
			continue // programs make folders when they need them
		}
		for _, e := range entries {
			path := filepath.Join(maildir, sub, e.Name())
			text, err := os.ReadFile(l.Path(path))
			if err != nil {
				continue // it has been moved
			}
			m, err := mail.ReadMessage(bytes.NewReader(text))
			if err != nil {
				l.t.Fatalf("%s: %v\n%s", path, err, text)
			}
			all = append(all, Stored{m.Header, path, string(text)})
		}
	}
	return all
}

// WaitFor waits until a Maildir has one message with a subject, and returns it.
func (l *Lab) WaitFor(maildir, subject string) Stored {
	l.t.Helper()
	var found []Stored
	l.Wait(fmt.Sprintf("%q in %s", subject, maildir), func() error {
		if found = l.Stored(maildir, subject); len(found) != 1 {
			return fmt.Errorf("%d messages found", len(found))
		}
		return nil
	})
	return found[0]
}

// IMAP is a mail program that speaks IMAP.
type IMAP struct {
	l    *Lab
	conn net.Conn
	in   *bufio.Reader
	n    int
}

// Login logs in to the IMAP server at port 143.
func (l *Lab) Login(user string) *IMAP {
	l.t.Helper()
	conn := l.Dial(143)
	c := &IMAP{l: l, conn: conn, in: bufio.NewReader(conn)}
	if line, err := c.in.ReadString('\n'); err != nil || !strings.HasPrefix(line, "* OK") {
		l.t.Fatalf("IMAP server: %q, %v", line, err)
	}
	c.Do("LOGIN %s secret", user)
	return c
}

// Do sends a command and returns the untagged lines of the answer. An answer other than OK ends the test.
func (c *IMAP) Do(command string, args ...any) []string {
	c.l.t.Helper()
	c.n++
	tag := "t" + strconv.Itoa(c.n)
	line := fmt.Sprintf(command, args...)
	if _, err := fmt.Fprintf(c.conn, "%s %s\r\n", tag, line); err != nil {
		c.l.t.Fatal(err)
	}
	var answer []string
	for {
		got, err := c.in.ReadString('\n')
		if err != nil {
			c.l.t.Fatalf("IMAP %s: %v\n%s", line, err, c.l.logs())
		}
		got = strings.TrimRight(got, "\r\n")
		if status, found := strings.CutPrefix(got, tag+" "); found {
			if !strings.HasPrefix(status, "OK") {
				c.l.t.Fatalf("IMAP %s: %s\n%s", line, status, c.l.logs())
			}
			return answer
		}
		answer = append(answer, got)
	}
}

// Move moves the messages with a subject between folders, as people do it: by MOVE or, with copy, by COPY and deletion.
func (c *IMAP) Move(from, subject, to string, copied bool) {
	c.l.t.Helper()
	c.Do("SELECT %s", from)
	var ids string
	for _, line := range c.Do("UID SEARCH SUBJECT %q", subject) {
		if list, found := strings.CutPrefix(line, "* SEARCH "); found {
			ids = strings.ReplaceAll(list, " ", ",")
		}
	}
	if ids == "" {
		c.l.t.Fatalf("no message with the subject %q in %s", subject, from)
	}
	if !copied {
		c.Do("UID MOVE %s %s", ids, to)
		return
	}
	c.Do("UID COPY %s %s", ids, to)
	c.Do(`UID STORE %s +FLAGS (\Deleted)`, ids)
	c.Do("EXPUNGE")
}
