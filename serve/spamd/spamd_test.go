package spamd

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chaff/filter"
	"chaff/serve"
	"chaff/test/servetest"
	"chaff/test/testmain"
)

func TestMain(m *testing.M) {
	testmain.Prepare()
	goleak.VerifyTestMain(m)
}

// started is a daemon that runs until its test ends.
type started struct {
	net.Addr
	stop func() error // ends Serve and returns its error
	log  *servetest.Log
}

// start starts a daemon over a network, "unix" or "tcp".
func start(t testing.TB, network string, e serve.Service, change func(*serve.Server)) started {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		dir := testmain.ShortDir(t)
		address = filepath.Join(dir, "s")
	}
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	log := &servetest.Log{}
	s := newServer(e, log)
	if change != nil {
		change(s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.At(l)(ctx) }()
	stop := sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return started{l.Addr(), stop, log}
}

func (d started) dial(t testing.TB) net.Conn {
	t.Helper()
	c, err := net.Dial(d.Network(), d.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

// ask sends a request, ends its side of the connection and returns the reply.
func (d started) ask(t testing.TB, request string) string {
	t.Helper()
	c := d.dial(t)
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	c.(interface{ CloseWrite() error }).CloseWrite()
	return read(t, c)
}

func read(t testing.TB, c net.Conn) string {
	t.Helper()
	reply, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(reply)
}

// requestOf returns a request with a message.
func requestOf(command, version, fields, message string) string {
	return fmt.Sprintf("%s SPAMC/%s\r\n%sContent-length: %d\r\n\r\n%s", command, version, fields, len(message), message)
}

func TestRepliesToEveryVersionOfTheProtocol(t *testing.T) {
	e := servetest.NewEngine(t, nil)
	d := start(t, "unix", e, nil)
	spam, ham := servetest.Mail("spam", 100), servetest.Mail("ham", 100)
	line := func(raw, yes, no string) string {
		v, err := e.Judge(t.Context(), serve.Origin{}, []byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		word := no
		if v.Verdict == filter.Spam {
			word = yes
		}
		return fmt.Sprintf("Spam: %s ; %.1f / %.1f\r\n", word, v.Score, e.Settings().Thresholds.Spam)
	}
	passed := func(raw string) string {
		v, err := e.Judge(t.Context(), serve.Origin{}, []byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		return string(v.Passed([]byte(raw)))
	}
	length := func(text string) string { return fmt.Sprintf("Content-length: %d\r\n", len(text)) }
	text := func(raw string) string {
		_, text, _ := strings.Cut(d.ask(t, requestOf("REPORT", "1.5", "", raw)), "\r\n\r\n")
		return text
	}
	short := func(raw string) string {
		text, _, _ := strings.Cut(text(raw), "\nThe terms")
		return text
	}
	head := func(text string) string { return text[:strings.Index(text, "\r\n\r\n")+4] }
	const ok11, ok10 = "SPAMD/1.1 0 EX_OK\r\n", "SPAMD/1.0 0 EX_OK\r\n"
	if !strings.Contains(line(spam, "True", "False"), "True") || !strings.Contains(line(ham, "True", "False"), "False") {
		t.Fatalf("the model knows nothing: %s%s", line(spam, "True", "False"), line(ham, "True", "False"))
	}
	for _, test := range []struct{ name, request, want string }{
		{"a check of spam", requestOf("CHECK", "1.5", "User: anna\r\n", spam), ok11 + line(spam, "True", "False") + "\r\n"},
		{"a check of ham", requestOf("CHECK", "1.2", "", ham), ok11 + line(ham, "True", "False") + "\r\n"},
		{"a check without a length", "CHECK SPAMC/1.2\r\n\r\n" + spam, ok11 + line(spam, "True", "False") + "\r\n"},
		{"a check of the first version, which has no fields", "CHECK SPAMC/1.0\r\n" + spam, ok11 + line(spam, "True", "False") + "\r\n"},
		{"lines that end in LF", fmt.Sprintf("CHECK SPAMC/1.2\nContent-length: %d\n\n%s", len(spam), spam), ok11 + line(spam, "True", "False") + "\r\n"},
		{"a length in other letters", "CHECK SPAMC/1.2\r\ncontent-LENGTH: " + fmt.Sprint(len(spam)) + "\r\n\r\n" + spam, ok11 + line(spam, "True", "False") + "\r\n"},
		{"unknown fields", requestOf("CHECK", "1.2", "Colour: blue\r\n", spam), ok11 + line(spam, "True", "False") + "\r\n"},
		{"a client of rspamd", "CHECK RSPAMC/1.3\r\n\r\n", "SPAMD/1.0 76 Bad header line: CHECK RSPAMC/1.3\r\n"},
		{"symbols end in CR LF before 1.3", requestOf("SYMBOLS", "1.2", "", spam), ok11 + line(spam, "True", "False") + "\r\nCHAFF_SPAM\r\n"},
		{"symbols from 1.3 on", requestOf("SYMBOLS", "1.3", "", ham), ok11 + length("CHAFF_HAM") + line(ham, "True", "False") + "\r\nCHAFF_HAM"},
		{"a report without a length before 1.3", requestOf("REPORT", "1.2", "", spam), ok11 + line(spam, "True", "False") + "\r\n" + short(spam)},
		{"a report from 1.3 on", requestOf("REPORT", "1.4", "", ham), ok11 + length(text(ham)) + line(ham, "True", "False") + "\r\n" + text(ham)},
		{"a report if it is spam, and it is", requestOf("REPORT_IFSPAM", "1.5", "", spam), ok11 + length(text(spam)) + line(spam, "Yes", "No") + "\r\n" + text(spam)},
		{"a report if it is spam, and it is not", requestOf("REPORT_IFSPAM", "1.5", "", ham), ok11 + length("") + line(ham, "Yes", "No") + "\r\n"},
		{"a message from 1.3 on", requestOf("PROCESS", "1.5", "", spam), ok11 + length(passed(spam)) + line(spam, "True", "False") + "\r\n" + passed(spam)},
		{"a message for 1.2", requestOf("PROCESS", "1.2", "", ham), ok11 + length(passed(ham)) + "\r\n" + passed(ham)},
		{"a message for 1.1", requestOf("PROCESS", "1.1", "", ham), ok10 + passed(ham)},
		{"a header", requestOf("HEADERS", "1.5", "", spam), ok11 + length(head(passed(spam))) + line(spam, "True", "False") + "\r\n" + head(passed(spam))},
		{"a ping", "PING SPAMC/1.5\r\n\r\n", "SPAMD/1.5 0 PONG\r\n"},
		{"an old ping", "PING SPAMC/1.2\r\n", "SPAMD/1.5 0 PONG\r\n"},
		{"a ping whose line has no end", "PING SPAMC/1.2", "SPAMD/1.5 0 PONG\r\n"},
		{"a skip", "SKIP SPAMC/1.5\r\n\r\n", ""},
		{"nothing", "", "SPAMD/1.0 76 Bad header line: (closed before headers)\r\n"},
		{"an unknown command", "FROB SPAMC/1.5\r\n\r\n", "SPAMD/1.0 76 Bad header line: FROB SPAMC/1.5\r\n"},
		{"a browser", "POST /?PROCESS SPAMC/1.5 HTTP/1.1\r\n\r\n", "SPAMD/1.0 76 Bad header line: POST /?PROCESS SPAMC/1.5 HTTP/1.1\r\n"},
		{"a line without a colon", "CHECK SPAMC/1.2\r\nfrob\r\n\r\n", "SPAMD/1.0 76 Bad header line: (header not in 'Name: value' format)\r\n"},
		{"an end among the fields", "CHECK SPAMC/1.2\r\nUser: anna\r\n", "SPAMD/1.0 76 Bad header line: (EOF during headers)\r\n"},
		{"no fields of a ping that has some", "PING SPAMC/1.5\r\n", "SPAMD/1.0 76 Bad header line: (EOF during headers)\r\n"},
		{"a length in words", "CHECK SPAMC/1.2\r\nContent-length: ten\r\n\r\n", "SPAMD/1.0 76 Bad header line: (Content-Length contains non-numeric bytes)\r\n"},
		{"a negative length", "CHECK SPAMC/1.2\r\nContent-length: -1\r\n\r\n", "SPAMD/1.0 76 Bad header line: (Content-Length contains non-numeric bytes)\r\n"},
		{"a huge length", "CHECK SPAMC/1.2\r\nContent-length: 99999999999999999999\r\n\r\n", "SPAMD/1.0 76 Bad header line: (Content-Length contains non-numeric bytes)\r\n"},
		{"a length over the limit", "CHECK SPAMC/1.2\r\nContent-length: 1073741825\r\n\r\n", "SPAMD/1.0 76 Bad header line: (Content-Length contains non-numeric bytes)\r\n"},
		{"a field without an end", "CHECK SPAMC/1.2\r\nUser: " + strings.Repeat("a", 100000), "SPAMD/1.0 76 Bad header line: (line too long)\r\n"},
		{"a message that is cut off", "PROCESS SPAMC/1.2\r\nContent-length: 1000\r\n\r\n" + spam, fmt.Sprintf("SPAMD/1.0 76 Bad header line: (Content-Length mismatch: Expected 1000 bytes, got %d bytes)\r\n", len(spam))},
		{"a message that goes on", "PROCESS SPAMC/1.2\r\nContent-length: 10\r\n\r\nSubject: one\r\ntwo\r\n", "SPAMD/1.0 76 Bad header line: (Content-Length mismatch: Expected 10 bytes, got 14 bytes)\r\n"},
		{"a user with control characters", "CHECK SPAMC/1.2\r\nUser: a\x07b\r\n\r\n", "SPAMD/1.0 76 Bad header line: (User header contains control chars)\r\n"},
		{"compression", requestOf("CHECK", "1.5", "Compress: zlib\r\n", spam), "SPAMD/1.0 76 Bad header line: (compression type not supported: zlib)\r\n"},
		{"too many fields", "CHECK SPAMC/1.5\r\n" + strings.Repeat("A: b\r\n", 300) + "\r\n", "SPAMD/1.0 76 Bad header line: (too many headers)\r\n"},
		{"a line without an end", strings.Repeat("A", 100000), "SPAMD/1.0 76 Bad header line: (line too long)\r\n"},
		{"what a log line could be", "wrong token client=192.0.2.1\r\n", "SPAMD/1.0 76 Bad header line: wrong token client=192.0.2.1\r\n"},
		{"a wrong line with control characters", "\x1b[2JCHECK\xff\r\n", "SPAMD/1.0 76 Bad header line: \\x1b[2JCHECK\\xff\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := d.ask(t, test.request); got != test.want {
				t.Errorf("got\n%q, want\n%q", got, test.want)
			}
		})
	}
	wrongToken := regexp.MustCompile(`(?m)wrong token .*client=\S*$`) // as docs/serving.md has fail2ban look for it
	if got := d.log.String(); !strings.Contains(got, "spamd: bad request from") || !strings.Contains(got, "(too many headers)") || wrongToken.MatchString(got) {
		t.Errorf("got the log %s", got)
	}
}

// The pattern is that of Exim, which reads REPORT of version 1.2. It passes mail unfiltered if the reply is another.
func TestEximReadsTheReport(t *testing.T) {
	d := start(t, "unix", servetest.NewEngine(t, nil), nil)
	for _, raw := range []string{servetest.Mail("spam", 100), servetest.Mail("ham", 100), "", "\r\n", "Subject: x\n\ny"} {
		got := d.ask(t, requestOf("REPORT", "1.2", "User: nobody\r\n", raw))
		if !regexp.MustCompile(`^SPAMD/1\.1 0 EX_OK\r\nSpam: \w+ ; -?\d+\.\d / -?\d+\.\d\r\n\r\nchaff judges this message: (spam|unsure|ham)\nScore [-0-9.]+, spam from [-0-9.]+\. Probability of spam [0-9.]+\n$`).MatchString(got) {
			t.Errorf("got %q", got)
		}
	}
}

func TestAReplyDoesNotWaitForTheEndOfTheConnection(t *testing.T) {
	d := start(t, "tcp", servetest.NewEngine(t, nil), nil)
	for _, test := range []string{"PING SPAMC/1.5\r\n\r\n", "PING SPAMC/1.2\r\n", requestOf("CHECK", "1.5", "", "Subject: x\r\n\r\nno end of line"), requestOf("CHECK", "1.5", "", "Subject: x\r\n\r\n") + "more"} {
		c := d.dial(t)
		io.WriteString(c, test)
		if got := read(t, c); !strings.HasPrefix(got, "SPAMD/1.") || !strings.Contains(got, " 0 ") {
			t.Errorf("%q: got %q", test, got)
		}
	}
}

func TestAClientMayWriteALineBehindItsMessage(t *testing.T) {
	d := start(t, "unix", servetest.NewEngine(t, nil), nil)
	for _, test := range []string{"PING SPAMC/1.2\r\n", requestOf("CHECK", "1.5", "", "Subject: x\r\n\r\n")} {
		c := d.dial(t)
		began := time.Now()
		io.WriteString(c, test)
		read(t, c)
		if _, err := io.WriteString(c, "\r\n"); err != nil && time.Since(began) < time.Second { // else it may come too late
			t.Errorf("%q: %v", test, err)
		}
	}
}

func TestAMessageComesBackAsItWasApartFromOurFields(t *testing.T) {
	e := servetest.NewEngine(t, nil)
	d := start(t, "unix", e, nil)
	for _, raw := range []string{
		"", "\n", "\r\n", "no header", "Subject: x\n\nbody\n", "Subject: x\r\n\r\nbody\r\n", "Subject: x\r\r\n\r\r\nbody\r\r\n",
		"Subject: x\r\n\r\n.\r\n.\n\x00\xff\r", "From a Mon Jan 1\nSubject: x\n\nbody", "Subject: x\n\r\nX-Spam-Flag: NO\r\n\r\nbody",
		"X-Spam-Flag: NO\r\nSubject: x\r\n\nX-Spam-Flag: NO\r\n\r\n", "Subject: only\r\n", "X-Chaff-Verdict: ham\n\n\n\nbody",
	} {
		v, err := e.Judge(t.Context(), serve.Origin{}, []byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		want := string(v.Passed([]byte(raw)))
		_, got, _ := strings.Cut(d.ask(t, requestOf("PROCESS", "1.5", "", raw)), "\r\n\r\n")
		if got != want {
			t.Errorf("%q: got\n%q, want\n%q", raw, got, want)
		}
		_, header, _ := strings.Cut(d.ask(t, requestOf("HEADERS", "1.5", "", raw)), "\r\n\r\n")
		if cut := headerLength([]byte(raw)); header != want[:len(want)-len(raw)+cut] {
			t.Errorf("%q: got the header\n%q, want the beginning of\n%q", raw, header, want)
		}
	}
}

func TestTellTeaches(t *testing.T) {
	d := start(t, "unix", servetest.NewEngine(t, nil), nil)
	const ok = "SPAMD/1.1 0 EX_OK\r\n"
	offer := func(n int) string {
		return fmt.Sprintf("Subject: tarpaulins %d\r\n\r\nHeavy tarpaulins keep firewood dry, catalogue %d\r\n", n, n)
	}
	symbol := func(raw string) string {
		_, symbol, _ := strings.Cut(d.ask(t, requestOf("SYMBOLS", "1.5", "", raw)), "\r\n\r\n")
		return symbol
	}
	for _, step := range []struct{ name, fields, want string }{
		{"learn", "Message-class: spam\r\nSet: local\r\n", ok + "DidSet: local\r\n\r\n\r\n"},
		{"learn again", "Message-class: spam\r\nSet: local\r\n", ok + "\r\n\r\n"},
		{"learn as the other class", "Message-class: ham\r\nSet: local\r\n", ok + "DidSet: local\r\n\r\n\r\n"},
		{"forget", "Remove: local\r\n", ok + "DidRemove: local\r\n\r\n\r\n"},
		{"forget again", "Remove: local\r\n", ok + "\r\n\r\n"},
		{"report", "Message-class: spam\r\nSet: local,remote\r\n", ok + "DidSet: local\r\n\r\n\r\n"},
		{"revoke", "Message-class: ham\r\nSet: local\r\nRemove: remote\r\n", ok + "DidSet: local\r\n\r\n\r\n"},
		{"nothing", "", ok + "\r\n\r\n"},
		{"report elsewhere only", "Message-class: spam\r\nSet: remote\r\n", ok + "\r\n\r\n"},
		{"set and remove", "Message-class: ham\r\nSet: local\r\nRemove: local\r\n", "SPAMD/1.0 76 Bad header line: Unable to set local and remove local in the same operation.\r\n"},
		{"no class", "Set: local\r\n", "SPAMD/1.0 76 Bad header line: (Message-class header is missing)\r\n"},
		{"another class", "Message-class: lists\r\nSet: local\r\n", "SPAMD/1.0 76 Bad header line: (Message-class header contains invalid class)\r\n"},
	} {
		if got := d.ask(t, requestOf("TELL", "1.5", step.fields, offer(1))); got != step.want {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
	const noMail = "SPAMD/1.0 65 Data Error: what is no mail is not learned: it is no mail but a "
	for kind, raw := range map[string]string{"text": "", "picture": "\x89PNG\r\n\x1a\nSubject: x\n\n"} {
		if got := d.ask(t, requestOf("TELL", "1.5", "Message-class: spam\r\nSet: local\r\n", raw)); got != noMail+kind+"\r\n" {
			t.Errorf("a %s: got %q", kind, got)
		}
	}
	if got := d.ask(t, "TELL SPAMC/1.5\r\nMessage-class: spam\r\nSet: local\r\nContent-length: 1000\r\n\r\n"+offer(1)); !strings.Contains(got, "Content-Length mismatch") {
		t.Errorf("a message that is cut off: got %q", got)
	}
	for n := range 10 {
		d.ask(t, requestOf("TELL", "1.5", "Message-class: spam\r\nSet: local\r\n", offer(n)))
	}
	if got := symbol(offer(50)); got != "CHAFF_SPAM" {
		t.Errorf("after learning: got %s", got)
	}
}

func TestTellIsRefusedOverTCPUnlessAllowed(t *testing.T) {
	e := servetest.NewEngine(t, nil)
	lesson := requestOf("TELL", "1.5", "Message-class: spam\r\nSet: local\r\n", servetest.Mail("spam", 200))
	overTCP := start(t, "tcp", e, nil)
	if got := overTCP.ask(t, lesson); !strings.HasPrefix(got, "SPAMD/1.0 69 Service Unavailable: TELL commands are not enabled") || !strings.Contains(overTCP.log.String(), "set serve.tell_over_tcp") {
		t.Errorf("got %q", got)
	}
	if got := start(t, "tcp", servetest.NewEngine(t, func(o *serve.Options) { o.TellOverTCP = true }), nil).ask(t, lesson); !strings.Contains(got, "DidSet: local") {
		t.Errorf("got %q", got)
	}
}

func TestUsersTeachTheirOwnModel(t *testing.T) {
	users := t.TempDir()
	d := start(t, "unix", servetest.NewEngine(t, func(o *serve.Options) { o.Users = users }), nil)
	lesson := func(user string) string {
		return d.ask(t, requestOf("TELL", "1.5", "User: "+user+"\r\nMessage-class: spam\r\nSet: local\r\n", servetest.Mail("spam", 300)))
	}
	if got := lesson("anna@example.org"); !strings.Contains(got, "DidSet: local") {
		t.Errorf("got %q", got)
	}
	for _, name := range []string{"../anna", ".anna", "a/b", "", strings.Repeat("a", 255)} {
		got := lesson(name)
		if name != "" && !strings.HasPrefix(got, "SPAMD/1.0 67 No Such User: ") {
			t.Errorf("%q: got %q", name, got)
		}
	}
	entries, err := os.ReadDir(users)
	if err != nil || len(entries) != 1 || entries[0].Name() != "anna@example.org" {
		t.Errorf("got the folders %v, %v", entries, err)
	}
	if got := d.ask(t, requestOf("CHECK", "1.5", "User: ../../etc\r\n", servetest.Mail("spam", 1))); !strings.Contains(got, "Spam: True") {
		t.Errorf("a verdict for a user who cannot be: got %q", got)
	}
}
