package lmtp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chaff/serve"
	"chaff/test/servetest"
	"chaff/test/testmain"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// started is a proxy that runs until its test ends.
type started struct {
	net.Addr
	stop func() error // ends Serve and returns its error
	log  *servetest.Log
}

// start starts a proxy in front of an agent.
func start(t testing.TB, e serve.Service, a *agent, change func(*server)) started {
	t.Helper()
	dir := testmain.ShortDir(t)
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	log := &servetest.Log{}
	s := newServer(e, a.Backend, log)
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

// session is a session of a mail server with the proxy.
type session struct {
	net.Conn
	t  testing.TB
	in *bufio.Reader
}

// dial begins a session up to the greeting.
func (d started) dial(t testing.TB) *session {
	t.Helper()
	c, err := net.Dial(d.Network(), d.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return &session{c, t, bufio.NewReader(c)}
}

// hello begins a session.
func (d started) hello(t testing.TB) *session {
	t.Helper()
	s := d.dial(t)
	s.want("", "220 chaff LMTP")
	s.do("LHLO mx.example.org")
	return s
}

// reply returns the next reply, in lines separated by a bar, or "closed".
func (s *session) reply() string {
	var all []string
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return strings.Join(append(all, "closed"), "|")
		}
		line, found := strings.CutSuffix(line, "\r\n")
		if !found || len(line) < 4 {
			s.t.Errorf("a reply is %q", line)
		}
		all = append(all, line)
		if len(line) < 4 || line[3] == ' ' {
			return strings.Join(all, "|")
		}
	}
}

// do sends a line and returns the reply.
func (s *session) do(line string) string {
	io.WriteString(s, line+"\r\n")
	return s.reply()
}

// want sends a line, unless it is empty, and checks the beginning of the reply.
func (s *session) want(line, reply string) {
	s.t.Helper()
	got := ""
	if line == "" {
		got = s.reply()
	} else {
		got = s.do(line)
	}
	if !strings.HasPrefix(got, reply) || reply == "" && got != "" {
		s.t.Errorf("%q: got %q, want %q", line, got, reply)
	}
}

// send sends a message and returns the status of each recipient. It is to be accepted up to DATA.
func (s *session) send(raw string, to ...string) (status []string) {
	s.t.Helper()
	s.want("MAIL FROM:<sender@elsewhere.example>", "250")
	for _, r := range to {
		s.want("RCPT TO:<"+r+">", "250")
	}
	s.want("DATA", "354")
	s.text(raw)
	for range to {
		status = append(status, s.reply())
	}
	return status
}

// text sends a message and its end, as a mail server does.
func (s *session) text(raw string) {
	io.WriteString(s, strings.ReplaceAll("\r\n"+raw, "\r\n.", "\r\n..")[2:]+".\r\n")
}

// passed returns a message as it comes out.
func passed(t testing.TB, e *serve.Engine, user, raw string) string {
	t.Helper()
	v, err := e.Judge(t.Context(), serve.Origin{User: user}, []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return string(v.Passed([]byte(raw)))
}

const sender = "MAIL FROM:<sender@elsewhere.example>"

// wantReceived checks what an agent has received.
func wantReceived(t testing.TB, a *agent, want ...letter) {
	t.Helper()
	if got, _ := a.received(); !reflect.DeepEqual(got, want) {
		t.Errorf("the backend got\n%q, want\n%q", got, want)
	}
}

func TestAMessagePassesWithItsVerdict(t *testing.T) {
	e := servetest.NewEngine(t, nil)
	a := startAgent(t, false, "8BITMIME")
	d := start(t, e, a, nil)
	s := d.hello(t)
	a.answerTo("RCPT TO:<nobody@lab.example>", "550-5.1.1 there is\r\n550 5.1.1 nobody")
	a.answerTo("message for full@lab.example", "452 4.2.2 full")
	raw := "X-Spam-Flag: NO\r\n" + servetest.Mail("spam", 100)
	s.want("mail from:<sender@elsewhere.example> BODY=8BITMIME", "250 2.1.0 ok")
	s.want("RCPT TO:<anna@lab.example>", "250 2.1.5 ok")
	s.want("RCPT TO:<nobody@lab.example>", "550-5.1.1 there is|550 5.1.1 nobody")
	s.want("rcpt to: <full@lab.example>", "250")
	s.want("RCPT TO:<bert@lab.example>", "250")
	s.want("data", "354")
	s.text(raw)
	s.want("", "250 2.0.0 saved for anna@lab.example")
	s.want("", "452 4.2.2 full")
	s.want("", "250 2.0.0 saved for bert@lab.example")
	text := passed(t, e, "", raw)
	if !strings.Contains(text, "X-Chaff-Verdict: spam\r\n") || strings.Contains(text, "X-Spam-Flag: NO") {
		t.Fatalf("got %q", text)
	}
	from := sender + " BODY=8BITMIME"
	wantReceived(t, a, letter{from, []string{"anna@lab.example"}, text}, letter{from, []string{"bert@lab.example"}, text})

	// The next one in the same session.
	if got := s.send(servetest.Mail("ham", 100), "anna@lab.example"); got[0] != "250 2.0.0 saved for anna@lab.example" {
		t.Errorf("got %q", got)
	}
	wantReceived(t, a, letter{sender, []string{"anna@lab.example"}, passed(t, e, "", servetest.Mail("ham", 100))})
	s.want("QUIT", "221")
	s.want("", "closed")
	if got := d.log.String(); got != "" {
		t.Errorf("got the log %s", got)
	}
}

func TestOnlyWhatTheBackendOffersIsOffered(t *testing.T) {
	a := startAgent(t, false, "PIPELINING", "CHUNKING", "STARTTLS", "AUTH PLAIN", "8BITMIME", "Size 1000", "XCLIENT ADDR", "XFORWARD NAME ADDR", "SMTPUTF8", "ENHANCEDSTATUSCODES", "DSN", "BINARYMIME", "VRFY")
	d := start(t, servetest.NewEngine(t, nil), a, nil)
	s := d.dial(t)
	s.want("", "220")
	s.want("LHLO mx.example.org", "250-chaff|250-PIPELINING|250-8BITMIME|250-DSN|250-ENHANCEDSTATUSCODES|250-SIZE 1000|250 SMTPUTF8")
	s.want("MAIL FROM:<> SIZE=100 SMTPUTF8 RET=HDRS", "250")
	s.want("RCPT TO:<grüße@lab.example> NOTIFY=NEVER", "250")
	if _, got := a.received(); !reflect.DeepEqual(got, []string{"LHLO mx.example.org", "MAIL FROM:<> SIZE=100 SMTPUTF8 RET=HDRS", "RCPT TO:<grüße@lab.example> NOTIFY=NEVER"}) {
		t.Errorf("the backend got %q", got)
	}
	a = startAgent(t, false, "HELP")
	s = start(t, servetest.NewEngine(t, nil), a, nil).dial(t)
	s.want("", "220")
	s.want("LHLO mx", "250-chaff|250 PIPELINING")
	s.want("XFORWARD NAME=mx", "500")
}

func TestABackendMaySpeakSMTP(t *testing.T) {
	e := servetest.NewEngine(t, nil)
	a := startAgent(t, true, "8BITMIME")
	s := start(t, e, a, nil).hello(t)
	if got := strings.Join(s.send(servetest.Mail("ham", 1), "anna@lab.example", "bert@lab.example"), "|"); got != "250 2.0.0 saved for all|250 2.0.0 saved for all" {
		t.Errorf("got %s", got)
	}
	wantReceived(t, a, letter{sender, []string{"anna@lab.example", "bert@lab.example"}, passed(t, e, "", servetest.Mail("ham", 1))})
	a.answerTo("message", "552 5.3.4 too large")
	if got := strings.Join(s.send(servetest.Mail("ham", 1), "anna@lab.example", "bert@lab.example"), "|"); got != "552 5.3.4 too large|552 5.3.4 too large" {
		t.Errorf("got %s", got)
	}
	wantReceived(t, a)
}

// offer returns a message that the shared model does not know.
func offer(n int) string {
	return fmt.Sprintf("Subject: tarpaulins %d\r\n\r\nHeavy tarpaulins keep firewood dry, catalogue %d\r\n", n, n)
}

func TestEachRecipientHasTheVerdictOfItsModel(t *testing.T) {
	users := t.TempDir()
	e := servetest.NewEngine(t, func(o *serve.Options) { o.Users = users })
	for n := range 8 {
		for user, label := range map[string]string{"anna@lab.example": "spam", "bert@lab.example": "ham"} {
			if _, err := e.Learn(t.Context(), serve.Origin{User: user}, []byte(offer(n)), label); err != nil {
				t.Fatal(err)
			}
		}
	}
	a := startAgent(t, false)
	s := start(t, e, a, nil).hello(t)
	raw := offer(100)
	text := map[string]string{}
	for _, user := range []string{"anna@lab.example", "bert@lab.example", ""} {
		text[user] = passed(t, e, user, raw)
	}
	if anna, bert, none := text["anna@lab.example"], text["bert@lab.example"], text[""]; anna == none || bert == none || anna == bert {
		t.Fatalf("the models know the same: %q", text)
	}

	// One recipient, or several with one model: one transaction.
	for _, to := range [][]string{{"anna@lab.example"}, {"Anna+lists@lab.example", "Anna@lab.example"}, {"carl@lab.example", "dora@lab.example", "../etc@lab.example"}} {
		s.send(raw, to...)
		letters, lines := a.received()
		user := ""
		if strings.HasPrefix(strings.ToLower(to[0]), "anna") {
			user = "anna@lab.example"
		}
		if len(letters) != len(to) || letters[0].text != text[user] || strings.Contains(strings.Join(lines, "\n"), "RSET") {
			t.Errorf("%s: got %q by %q", to, letters, lines)
		}
	}

	// Several models: a transaction for each.
	a.answerTo("message for dora@lab.example", "452 4.2.2 full")
	a.answerTo("RCPT TO:<bert@lab.example>", "250 ok", "450 4.2.1 busy")
	got := s.send(raw, "carl@lab.example", "anna@lab.example", "dora@lab.example", "bert@lab.example", "anna+x@lab.example")
	if want := []string{"250 2.0.0 saved for carl@lab.example", "250 2.0.0 saved for anna@lab.example", "452 4.2.2 full", "450 4.2.1 busy", "250 2.0.0 saved for anna+x@lab.example"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	letters, commands := a.received()
	want := []letter{{sender, []string{"carl@lab.example"}, text[""]}, {sender, []string{"anna@lab.example"}, text["anna@lab.example"]}, {sender, []string{"anna+x@lab.example"}, text["anna@lab.example"]}}
	if !reflect.DeepEqual(letters, want) {
		t.Errorf("the backend got\n%q, want\n%q", letters, want)
	}
	if got := strings.Count(strings.Join(commands, "\n"), sender); got != 4 {
		t.Errorf("the backend got %q", commands)
	}
	// The backend ends between two transactions: the others go on in another session.
	a.answerTo("MAIL closes", "-", "-", "") // the third
	got = s.send(raw, "carl@lab.example", "anna@lab.example", "bert@lab.example")
	a.answerTo("MAIL closes")
	if !strings.HasPrefix(got[0], "250") || !strings.HasPrefix(got[1], "250") || !strings.HasPrefix(got[2], "250") {
		t.Errorf("got %q", got)
	}
	wantReceived(t, a, letter{sender, []string{"carl@lab.example"}, text[""]}, letter{sender, []string{"anna@lab.example"}, text["anna@lab.example"]}, letter{sender, []string{"bert@lab.example"}, text["bert@lab.example"]})
	// If it ends in each, recipients that have the message keep their answer, and only the others get it again.
	a.answerTo("MAIL closes", "-", "-", "", "", "-")
	got = s.send(raw, "carl@lab.example", "anna@lab.example", "bert@lab.example")
	a.answerTo("MAIL closes")
	if !strings.HasPrefix(got[0], "250") || !strings.HasPrefix(got[1], "451 4.4.2") || !strings.HasPrefix(got[2], "250") {
		t.Errorf("got %q", got)
	}
	wantReceived(t, a, letter{sender, []string{"carl@lab.example"}, text[""]}, letter{sender, []string{"bert@lab.example"}, text["bert@lab.example"]})
}

// everyone is an engine in which each user has a model.
type everyone struct{ *serve.Engine }

func (everyone) HasModel(string) bool { return true }

// TestAStatusGoesOutWhenItIsKnown delivers to an agent that takes its time for each message, so that a mail server that waited for all statuses
// would give up.
func TestAStatusGoesOutWhenItIsKnown(t *testing.T) {
	t.Parallel() // it waits
	a := startAgent(t, false)
	const pause = 100 * time.Millisecond
	var parts atomic.Int64
	a.slow = func() {
		if parts.Add(1)%7 == 0 { // of the lines of a message
			time.Sleep(pause)
		}
	}
	to := []string{}
	for n := range 8 {
		to = append(to, fmt.Sprintf("user%d@lab.example", n))
	}
	send := func(answer time.Duration) (status []string, first, all time.Duration) {
		s := start(t, everyone{servetest.NewEngine(t, nil)}, a, func(s *server) { s.answer = answer }).hello(t)
		s.want(sender, "250")
		for _, r := range to {
			s.want("RCPT TO:<"+r+">", "250")
		}
		s.want("DATA", "354")
		began := time.Now()
		s.text("\r\nx\r\n")
		for range to {
			status = append(status, s.reply())
			if first == 0 {
				first = time.Since(began)
			}
		}
		return status, first, time.Since(began)
	}
	status, first, all := send(time.Minute)
	for i, r := range to {
		if status[i] != "250 2.0.0 saved for "+r {
			t.Errorf("%s: got %q", r, status[i])
		}
	}
	if first > all/2 {
		t.Errorf("the first status came after %v, the last after %v", first, all)
	}
	status, _, all = send(6 * pause)
	if status[0] != "250 2.0.0 saved for "+to[0] || !strings.HasPrefix(status[7], "451 4.3.2") {
		t.Errorf("in %v: got %q", all, status)
	}
	if letters, _ := a.received(); len(letters) == 16 {
		t.Error("recipients that were refused have the message")
	}
}

// someone is an engine in which a few users have models.
type someone struct{ *serve.Engine }

func (someone) HasModel(user string) bool { return strings.HasPrefix(user, "model") }

// TestNobodyGetsAMessageTwice delivers to an agent that takes longer for all recipients than a mail server waits for one status. None that the
// agent has accepted is told otherwise, and the server never waits in vain.
func TestNobodyGetsAMessageTwice(t *testing.T) {
	t.Parallel() // it waits
	for name, models := range map[string]int{"one model": 0, "several models": 5} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := startAgent(t, false)
			a.pause = 10 * time.Millisecond
			const answer = time.Second
			s := start(t, someone{servetest.NewEngine(t, nil)}, a, func(s *server) { s.answer = answer }).hello(t)
			s.want(sender, "250")
			to := []string{}
			for n := range 150 {
				to = append(to, fmt.Sprintf("user%d@lab.example", n))
				if n%10 == 1 && n/10 < models {
					to[n] = fmt.Sprintf("model%d@lab.example", n)
				}
				s.want("RCPT TO:<"+to[n]+">", "250")
			}
			s.want("DATA", "354")
			last, longest := time.Now(), time.Duration(0)
			s.text("\r\nx\r\n")
			saved := map[string]bool{}
			for _, r := range to {
				saved[r] = strings.HasPrefix(s.reply(), "250")
				longest = max(longest, time.Since(last))
				last = time.Now()
			}
			if longest > answer {
				t.Errorf("the server waited %v for a status", longest)
			}
			if slices.Contains(slices.Collect(maps.Values(saved)), false) { // the agent may still be at work
				time.Sleep(time.Duration(len(to)) * a.pause)
			}
			letters, _ := a.received()
			for _, l := range letters {
				if !saved[l.to[0]] {
					t.Errorf("%s gets the message twice", l.to[0])
				}
				delete(saved, l.to[0])
			}
			for r, is := range saved {
				if is {
					t.Errorf("%s does not get the message", r)
				}
			}
			if len(letters) < 50 {
				t.Errorf("%d recipients got it at once, want at least the first 50", len(letters))
			}
		})
	}
}

func TestBytesComeOutAsTheyCame(t *testing.T) {
	e := servetest.NewEngine(t, nil)
	a := startAgent(t, false, "8BITMIME")
	s := start(t, e, a, nil).hello(t)
	for _, raw := range []string{
		"\r\n", "no header\r\n", "Subject: x\r\n\r\n.\r\n..\r\n.a\r\n", "Subject: x\r\r\n\r\r\nbody\r\r\n", "Subject: x\n\nbody\ndot.\n\r\n",
		"Subject: x\r\n\r\na\x00b\xff\xfe\r\n", "Subject: x\r\n\r\n" + strings.Repeat("long", 100000) + "\r\n", ".\r\n", "X-Spam-Flag: NO\r\n\r\n",
		" begins with a blank\r\n", "Subject: x\r\n\r\nbare\rreturn\nand feed\r\n", "From a Mon Jan 1\r\nSubject: x\r\n\r\nbody\r\n",
		"Subject: x\r\n\r\n" + strings.Repeat("\r\n.", 20000) + "\r\n",
	} {
		if got := s.send(raw, "anna@lab.example"); got[0] != "250 2.0.0 saved for anna@lab.example" {
			t.Fatalf("%.40q: got %q", raw, got)
		}
		wantReceived(t, a, letter{sender, []string{"anna@lab.example"}, passed(t, e, "", raw)})
	}
	// An empty message gets lines that end in CR LF.
	s.send("", "anna@lab.example")
	letters, _ := a.received()
	if len(letters) != 1 || strings.Count(letters[0].text, "\n") != strings.Count(letters[0].text, "\r\n") || !strings.HasPrefix(letters[0].text, "X-Spam-Flag: ") {
		t.Errorf("got %q", letters)
	}
}

// A sender hides a second message, with a verdict of its own, behind what some programs take for the end of the first.
func TestNoMessageIsHiddenInAnother(t *testing.T) {
	e := servetest.NewEngine(t, nil)
	a := startAgent(t, false, "8BITMIME")
	s := start(t, e, a, nil).hello(t)
	for _, end := range []string{"\n.\n", "\n.\r\n", "\r.\r", "\r.\r\n", "\r\n.\n", "\r\n.\r", "\r.\n", "\n.\r", "\r\n\x00.\r\n"} {
		raw := servetest.Mail("ham", 1) + "a" + end + "MAIL FROM:<x@x.example>" + end + "RCPT TO:<anna@lab.example>" + end + "DATA" + end + "X-Spam-Flag: NO" + end + "QUIT\r\n"
		s.want(sender, "250")
		s.want("RCPT TO:<bert@lab.example>", "250")
		s.want("DATA", "354")
		io.WriteString(s, raw+".\r\n")
		s.want("", "250 2.0.0 saved for bert@lab.example")
		s.want("NOOP", "250") // in step
		letters, lines := a.received()
		if len(letters) != 1 || !strings.Contains(letters[0].text, "QUIT\r\n") || strings.Contains(strings.Join(lines, "\n"), "x@x.example") {
			t.Errorf("%q: got %q, %q", end, letters, lines)
		}
	}
}

func TestCommandsInOneGo(t *testing.T) {
	a := startAgent(t, false, "8BITMIME")
	s := start(t, servetest.NewEngine(t, nil), a, nil).hello(t)
	a.answerTo("RCPT TO:<nobody@lab.example>", "550 5.1.1 nobody", "550 5.1.1 nobody")
	io.WriteString(s, sender+"\r\nRCPT TO:<nobody@lab.example>\r\nRCPT TO:<anna@lab.example>\r\nDATA\r\n")
	for _, reply := range []string{"250 2.1.0 ok", "550 5.1.1 nobody", "250 2.1.5 ok", "354 "} {
		s.want("", reply)
	}
	io.WriteString(s, servetest.Mail("ham", 1)+".\r\n"+sender+"\r\nRCPT TO:<nobody@lab.example>\r\nDATA\r\nRSET\r\nQUIT\r\n")
	for _, reply := range []string{"250 2.0.0 saved for anna@lab.example", "250 2.1.0 ok", "550 5.1.1 nobody", "503 5.5.1 no valid recipients", "250 2.0.0", "221", "closed"} {
		s.want("", reply)
	}
}

func TestWrongCommandsAreRefused(t *testing.T) {
	a := startAgent(t, false, "8BITMIME")
	d := start(t, servetest.NewEngine(t, nil), a, nil)
	for _, line := range []string{"GET / HTTP/1.1", "POST / HTTP/1.1", "Host: localhost", "", "AUTH PLAIN"} {
		s := d.dial(t)
		s.want("", "220")
		io.WriteString(s, line+"\r\nLHLO x\r\n")
		s.want("", "421 4.7.0 this is LMTP")
		s.want("", "closed")
	}
	s := d.dial(t)
	s.want("", "220")
	for _, step := range [][2]string{
		{"MAIL FROM:<a@b>", "503"}, {"RCPT TO:<a@b>", "503"}, {"DATA", "503"}, {"EHLO x", "500 5.5.1 this is LMTP"}, {"HELO x", "500"}, {"LHLO", "501"}, {"LHLO a b", "501"},
		{"LHLO " + strings.Repeat("x", 256), "501"}, {"RSET", "250"}, {"NOOP", "250"}, {"VRFY anna", "252"}, {"lhlo x", "250"}, {"RCPT TO:<a@b>", "503"},
		{"MAIL FROM:a@b", "501"}, {"MAIL FROM <a@b>", "501"}, {"MAIL FROM:<a@b", "501"}, {"MAIL FROM:a@b>", "501"},
	} {
		s.want(step[0], step[1])
	}
	s = d.hello(t)
	s.want(sender, "250")
	s.want("RCPT TO:<a@b>", "250")
	io.WriteString(s, "BDAT 30 LAST\r\nRCPT TO:<other@b>\r\nDATA\r\n\r\nx\r\n.\r\n") // a message is no commands
	s.want("", "502 5.5.1 BDAT is not offered")
	s.want("", "closed")
	if letters, lines := a.received(); len(letters) > 0 || strings.Contains(strings.Join(lines, "|"), "other") {
		t.Errorf("the backend got %q, %q", letters, lines)
	}
	s = d.hello(t)
	a.answerTo(sender, "550 5.7.1 not you")
	for _, step := range [][2]string{
		{"MAIL FROM:<a\x00b@c>", "500"}, {"MAIL FROM:<a\rRCPT TO:<b>>", "500"}, {"FROB", "500"}, {sender, "550"}, {sender, "250"}, {sender, "503"}, {"XFORWARD NAME=x", "500"},
		{"RCPT TO:a@b", "501"}, {"RCPT TO:<\"a>b\\\"c\"@d> NOTIFY=NEVER", "250"}, {"DATA now", "501"}, {"RSET", "250"}, {"DATA", "503"},
	} {
		s.want(step[0], step[1])
	}
	_, lines := a.received()
	if got := strings.Join(lines, "|"); got != "LHLO mx.example.org|"+sender+"|"+sender+`|RCPT TO:<"a>b\"c"@d> NOTIFY=NEVER|RSET` {
		t.Errorf("the backend got %q", got)
	}
	for range maxErrors {
		if got := s.do("FROB"); strings.HasPrefix(got, "421 4.7.0 too many errors") {
			s.want("", "closed")
			return
		}
	}
	t.Error("errors have no limit")
}

func TestALineWithoutAnEndEndsTheSession(t *testing.T) {
	s := start(t, servetest.NewEngine(t, nil), startAgent(t, false, "8BITMIME"), nil).hello(t)
	io.WriteString(s, "NOOP "+strings.Repeat("x", bufferSize)+"\r\nNOOP\r\n")
	s.want("", "421 4.5.2 line too long")
	s.want("", "closed")
}

// FuzzCommand sends any line. What the backend gets of it is one line.
func FuzzCommand(f *testing.F) {
	for _, seed := range []string{"MAIL FROM:<a@b> SIZE=1", "rcpt to:<\"a b>\\\"\"@c>", "RCPT TO: <@a,@b:c@d>  NOTIFY=NEVER  ORCPT=rfc822;a", "MAIL FROM:<>", "DATA", "LHLO [127.0.0.1]", "XFORWARD A=b\x7f", "MAIL FROM:<a\u0085b>\u00a0x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		verb, rest, ok := parseCommand(line)
		if !ok {
			return
		}
		if strings.ContainsAny(line, "\r\n\x00\t\x7f") || strings.Contains(verb, " ") {
			t.Errorf("%q is a command: %q %q", line, verb, rest)
		}
		for _, prefix := range []string{"FROM:", "TO:"} {
			path, address, ok := parsePath(rest, prefix)
			if ok && (!strings.HasSuffix(strings.TrimRight(line, " "), path) || !strings.HasPrefix(path, "<"+address+">")) {
				t.Errorf("%q has the path %q with the address %q", line, path, address)
			}
		}
	})
}
