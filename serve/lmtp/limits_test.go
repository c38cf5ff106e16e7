package lmtp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"chaff/serve"
	"chaff/test/servetest"
)

// broken is an engine whose judgements a test makes.
type broken struct {
	*serve.Engine
	judge func(ctx context.Context) (serve.Verdict, error)
}

func (b broken) Judge(ctx context.Context, _ serve.Origin, _ []byte) (serve.Verdict, error) {
	return b.judge(ctx)
}

func TestAMessageWithoutAVerdictPasses(t *testing.T) {
	raw := "X-Spam-Flag: NO\r\n" + servetest.Mail("spam", 1)
	for _, why := range []error{serve.ErrTimeout, serve.ErrInternal} {
		a := startAgent(t, false, "8BITMIME")
		s := start(t, broken{servetest.NewEngine(t, nil), func(context.Context) (serve.Verdict, error) { return serve.Unjudged(why) }}, a, nil).hello(t)
		s.send(raw, "anna@lab.example")
		wantReceived(t, a, letter{sender, []string{"anna@lab.example"}, fmt.Sprintf("X-Chaff-Unjudged: %v\r\n%s", why, servetest.Mail("spam", 1))})
	}
}

func TestABusyEngineIsATemporaryError(t *testing.T) {
	for why, want := range map[error]string{serve.ErrBusy: "451 4.3.2 too busy", serve.ErrClosed: "451 4.3.2 the daemon is stopping", errors.New("/secret/path: no such file"): "451 4.3.2 please see the log"} {
		a := startAgent(t, false, "8BITMIME")
		s := start(t, broken{servetest.NewEngine(t, nil), func(context.Context) (serve.Verdict, error) { return serve.Unjudged(why) }}, a, nil).hello(t)
		for _, got := range s.send(servetest.Mail("spam", 1), "anna@lab.example", "bert@lab.example") {
			if !strings.HasPrefix(got, want) || strings.Contains(got, "secret") {
				t.Errorf("%v: got %q", why, got)
			}
		}
		wantReceived(t, a)
		s.want(sender, "250") // the session goes on, and the transaction with the backend
	}
}

func TestMessagesInTransitAreLimited(t *testing.T) {
	e := servetest.NewEngine(t, func(o *serve.Options) { o.Memory = 36 << 20 })
	a := startAgent(t, false, "8BITMIME")
	s := start(t, e, a, nil).hello(t)
	taken := e.NewMessage()
	if _, err := taken.Write(make([]byte, 34<<20)); err != nil {
		t.Fatal(err)
	}
	raw := servetest.Mail("ham", 1) + strings.Repeat("a", 4<<20) + "\r\n.\r\n\r\n"
	if got := s.send(raw, "anna@lab.example"); !strings.HasPrefix(got[0], "451 4.3.2 too busy") {
		t.Errorf("got %q", got)
	}
	wantReceived(t, a)
	taken.Close()
	if got := s.send(raw, "anna@lab.example"); got[0] != "250 2.0.0 saved for anna@lab.example" {
		t.Errorf("got %q", got)
	}
	for range 6 { // each gives its memory back
		if got := s.send(strings.TrimSuffix(raw, ".\r\n\r\n"), "anna@lab.example"); got[0] != "250 2.0.0 saved for anna@lab.example" {
			t.Errorf("got %q", got)
		}
	}
}

func TestRecipientsTakeTheMemoryOfMessages(t *testing.T) {
	e := servetest.NewEngine(t, func(o *serve.Options) { o.Memory = 36 << 20 })
	s := start(t, e, startAgent(t, false, "8BITMIME"), nil).hello(t)
	taken := e.NewMessage()
	defer taken.Close()
	if _, err := taken.Write(make([]byte, 36<<20-20_000)); err != nil {
		t.Fatal(err)
	}
	long := "RCPT TO:<" + strings.Repeat("a", 7000) + "@lab.example>"
	for range 2 { // the end of a transaction gives it back
		s.want(sender, "250")
		s.want(long, "250")
		s.want(long, "452 4.3.1 too busy")
		s.want("RCPT TO:<anna@lab.example>", "250")
		s.want("RSET", "250")
	}
}

func TestAPanicEndsOneSession(t *testing.T) {
	first := true
	e := servetest.NewEngine(t, nil)
	a := startAgent(t, false, "8BITMIME")
	d := start(t, broken{e, func(ctx context.Context) (serve.Verdict, error) {
		if first {
			first = false
			panic("oops")
		}
		return e.Judge(ctx, serve.Origin{}, []byte(servetest.Mail("ham", 1)))
	}}, a, nil)
	s := d.hello(t)
	if got := s.send(servetest.Mail("ham", 1), "anna@lab.example"); got[0] != "421 4.3.0 internal error" {
		t.Errorf("got %q", got)
	}
	s.want("", "closed")
	wantReceived(t, a)
	if got := d.hello(t).send(servetest.Mail("ham", 1), "anna@lab.example"); !strings.HasPrefix(got[0], "250") {
		t.Errorf("got %q", got)
	}
	if got := d.log.String(); got != "lmtp: internal error: oops: please report it" {
		t.Errorf("got the log %q", got)
	}
}

func TestAMessageOverTheLimitPasses(t *testing.T) {
	const limit = 100 << 10
	e := servetest.NewEngine(t, func(o *serve.Options) { o.MaxMessage, o.History = limit, 100 })
	a := startAgent(t, false, "8BITMIME")
	s := start(t, e, a, nil).hello(t)
	head := "Subject: large\r\nX-Spam-Flag: NO\r\n\r\n"
	body := strings.Repeat("line\r\n.\r\n\n.\r", limit)
	fits := head + body[:limit-len(head)-2] + "\r\n"
	s.send(fits, "anna@lab.example")
	if got, _ := a.received(); len(got) != 1 || !strings.Contains(got[0].text, "X-Chaff-Verdict: ") {
		t.Errorf("at the limit: got %.200q", got)
	}
	for _, more := range []int{1, limit, 10 * limit} { // more than any buffer between the programs
		raw := fits + body[:more] + "\r\n"
		if got := s.send(raw, "anna@lab.example"); got[0] != "250 2.0.0 saved for anna@lab.example" {
			t.Errorf("got %q", got)
		}
		want := "X-Chaff-Unjudged: the message is too large\r\n" + string(normal([]byte(strings.Replace(raw, "X-Spam-Flag: NO\r\n", "", 1))))
		wantReceived(t, a, letter{sender, []string{"anna@lab.example"}, want})
	}
	servetest.WantUnjudged(t, e, "too_large", 3)
	// The backend refuses it: the rest of the message is no command.
	a.answerTo("DATA", "552 5.3.4 no")
	if got := s.send(fits+body+"\r\n", "anna@lab.example"); got[0] != "552 5.3.4 no" {
		t.Errorf("got %q", got)
	}
	s.want("NOOP", "250 2.0.0")
}

func TestAHeaderOverTheLimitIsLeftWithTheServer(t *testing.T) {
	e := servetest.NewEngine(t, func(o *serve.Options) { o.MaxMessage = 1000 })
	a := startAgent(t, false, "8BITMIME")
	d := start(t, e, a, nil)
	s := d.hello(t)
	field := "Received: from somewhere\r\n"
	fits := strings.Repeat(field, 30) + "X-Spam-Flag: NO\r\n\r\n" + strings.Repeat("line\r\n", bufferSize)
	if got := s.send(fits, "anna@lab.example"); got[0] != "250 2.0.0 saved for anna@lab.example" {
		t.Errorf("got %q", got)
	}
	wantReceived(t, a, letter{sender, []string{"anna@lab.example"}, "X-Chaff-Unjudged: the message is too large\r\n" + strings.Replace(fits, "X-Spam-Flag: NO\r\n", "", 1)})
	for name, raw := range map[string]string{
		"a header over the limit":      strings.Repeat(field, 1000) + "X-Spam-Flag: NO\r\n\r\nbody\r\n" + strings.Repeat("line\r\n", bufferSize),
		"a message that is all header": strings.Repeat(field, 1000) + "X-Spam-Flag: NO\r\n",
	} {
		if got := s.send(raw, "anna@lab.example"); got[0] != "451 4.3.0 the header of the message is too large" {
			t.Errorf("%s: got %q", name, got)
		}
		wantReceived(t, a)
	}
	s.want("NOOP", "250 2.0.0")
	if got := d.log.String(); !strings.Contains(got, "the mail server keeps it") {
		t.Errorf("got the log %q", got)
	}
}

func TestSlowClientsAreSentAway(t *testing.T) {
	t.Parallel() // it waits
	a := startAgent(t, false, "8BITMIME")
	d := start(t, servetest.NewEngine(t, nil), a, func(s *server) { s.Idle, s.Total = 100*time.Millisecond, 300*time.Millisecond })
	const late = "421 4.4.2 you were silent for too long"
	for name, lines := range map[string]string{"silence": "", "half a line": "LHL", "half a transaction": "LHLO x\r\n" + sender + "\r\nRCPT TO:", "half a message": "LHLO x\r\n" + sender + "\r\nRCPT TO:<a@b>\r\nDATA\r\nSubject"} {
		s := d.dial(t)
		io.WriteString(s, lines)
		got := ""
		for !strings.HasSuffix(got, "closed") {
			got += s.reply() + "|"
			if strings.HasSuffix(got, "closed|") {
				break
			}
		}
		if !strings.HasSuffix(got, late+"|closed|") {
			t.Errorf("%s: got %q", name, got)
		}
	}
	// A byte now and then keeps no line open for longer than Idle, and no message for longer than Total.
	for name, lines := range map[string]string{"a line": "NOOP ", "a message": sender + "\r\nRCPT TO:<a@b>\r\nDATA\r\n"} {
		s := d.hello(t)
		io.WriteString(s, lines)
		ended := make(chan bool)
		go func() {
			defer close(ended)
			for {
				if _, err := io.WriteString(s, "a"); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}()
		began := time.Now()
		for got := ""; got != late && !strings.HasSuffix(got, "closed"); {
			got = s.reply()
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		<-ended
	}
	wantReceived(t, a)
}

func TestIdleAndSlowClientsHarmNobody(t *testing.T) {
	a := startAgent(t, false, "8BITMIME")
	d := start(t, servetest.NewEngine(t, nil), a, nil)
	for range 1000 {
		d.dial(t)
	}
	var slow []*session
	for range 200 {
		s := d.hello(t)
		io.WriteString(s, sender+"\r\nRCPT TO:<a@b>\r\nDATA\r\nSubject: ")
		slow = append(slow, s)
	}
	s := d.hello(t)
	began := time.Now()
	for i := range 100 {
		io.WriteString(slow[2*i], "a")
		if got := s.send(servetest.Mail("spam", i), "anna@lab.example"); got[0] != "250 2.0.0 saved for anna@lab.example" {
			t.Fatalf("got %q", got)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("100 messages took %v", took)
	}
}

func TestConnectionsAndRecipientsAreLimited(t *testing.T) {
	a := startAgent(t, false, "8BITMIME")
	d := start(t, servetest.NewEngine(t, func(o *serve.Options) { o.Connections = 2 }), a, nil)
	first, second := d.hello(t), d.hello(t)
	s := d.dial(t)
	s.want("", "421 4.3.2 too busy: try again later")
	s.want("", "closed")
	first.want(sender, "250")
	for i := range maxRecipients {
		first.want(fmt.Sprintf("RCPT TO:<%d@lab.example>", i), "250")
	}
	first.want("RCPT TO:<one@lab.example>", "452 4.5.3")
	first.Close()
	second.want("QUIT", "221")
	for {
		s := d.dial(t)
		if strings.HasPrefix(s.reply(), "220") {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// The backend closes the connection at each step. Nobody is told that a message has arrived that has not, nothing bounces, and the next
// message passes.
func TestABackendThatClosesAtAnyStepDelaysMail(t *testing.T) {
	for step, first := range map[string]string{
		"greeting": "LHLO", "LHLO closes": "LHLO", "MAIL closes": "MAIL", "RCPT closes": "RCPT", "DATA closes": "end", ".": "end",
		"message for anna@lab.example": "end", "message for bert@lab.example": "end", "RSET closes": "none",
	} {
		t.Run(step, func(t *testing.T) {
			a := startAgent(t, false, "8BITMIME")
			d := start(t, servetest.NewEngine(t, nil), a, nil)
			if step == "MAIL closes" {
				a.answerTo(step, "", "") // the proxy tries twice
			} else {
				a.answerTo(step, "")
			}
			raw := servetest.Mail("ham", 1)
			s := d.dial(t)
			s.want("", "220")
			script := []string{"LHLO x", sender, "RCPT TO:<anna@lab.example>", "RCPT TO:<bert@lab.example>", "DATA"}
			failed := false
			for _, line := range script {
				verb := line[:4]
				switch got := s.do(line); {
				case strings.HasPrefix(got, "421 4.4.1") && verb == first:
					s.want("", "closed")
					failed = true
				case strings.HasPrefix(got, "451 4.4.2") && (verb == first || failed):
					failed = true
				case !strings.HasPrefix(got, "250") && !strings.HasPrefix(got, "354") || failed:
					t.Errorf("%s: got %q", line, got)
				}
				if failed && verb != "RCPT" {
					break
				}
			}
			if failed != (first != "end" && first != "none") {
				t.Errorf("failed: %v", failed)
			}
			if !failed {
				s.text(raw)
				for _, to := range []string{"anna@lab.example", "bert@lab.example"} {
					got := s.reply()
					if isFirst := step == "message for bert@lab.example" && to == "anna@lab.example"; isFirst || first == "none" {
						if got != "250 2.0.0 saved for "+to {
							t.Errorf("got %q", got)
						}
					} else if !strings.HasPrefix(got, "451 4.4.2") {
						t.Errorf("%s: got %q", to, got)
					}
				}
			}
			letters, _ := a.received()
			if first != "none" && len(letters) > 1 || step != "message for bert@lab.example" && first != "none" && len(letters) > 0 {
				t.Errorf("the backend got %q", letters)
			}
			if first == "LHLO" || first == "MAIL" {
				s = d.hello(t)
			} else {
				s.want("RSET", "250")
			}
			if got := s.send(raw, "anna@lab.example"); got[0] != "250 2.0.0 saved for anna@lab.example" {
				t.Errorf("the next message: got %q", got)
			}
		})
	}
}

func TestABackendThatIsAwayIsReportedOnce(t *testing.T) {
	a := startAgent(t, false, "8BITMIME")
	d := start(t, servetest.NewEngine(t, nil), a, nil)
	a.answerTo("greeting", "554 go away", "220 chaff LMTP", "421 4.3.2 not now", "HTTP/1.1 400 Bad Request")
	for range 4 {
		s := d.dial(t)
		s.want("", "220")
		s.want("LHLO x", "421 4.4.1 the delivery agent is away")
		s.want("", "closed")
	}
	d.hello(t)
	d.hello(t)
	if got, want := d.log.String(), "lmtp: "+a.Address+": it greets with 554 go away: mail waits until it is back\nnote: lmtp: "+a.Address+" is back"; got != want {
		t.Errorf("got the log\n%s, want\n%s", got, want)
	}
	a.answerTo("greeting", "220 chaff LMTP")
	s := newServer(servetest.NewEngine(t, nil), a.Backend, &servetest.Log{})
	s.Working = t.Context()
	if err := newClient(s, &serve.Conn{}).connect(); err == nil || !strings.Contains(err.Error(), "round in circles") {
		t.Errorf("got %v", err)
	}
	nobody := start(t, servetest.NewEngine(t, nil), &agent{Backend: Backend{"unix", a.Address + "x", false}}, nil).dial(t)
	nobody.want("", "220")
	nobody.want("LHLO x", "421 4.4.1")
	d = start(t, servetest.NewEngine(t, nil), &agent{Backend: Backend{"unix", startAgent(t, true).Address, false}}, nil)
	wrong := d.dial(t)
	wrong.want("", "220")
	wrong.want("LHLO x", "421 4.4.1")
	if got := d.log.String(); !strings.Contains(got, `it answers "500 wrong protocol" to LHLO x: mail waits`) {
		t.Errorf("got the log %s", got)
	}
}

func TestASessionOutlivesThatOfTheBackend(t *testing.T) {
	a := startAgent(t, false, "8BITMIME")
	d := start(t, servetest.NewEngine(t, nil), a, nil)
	s := d.hello(t)
	for range 3 {
		a.closeAll()
		if got := s.send(servetest.Mail("ham", 1), "anna@lab.example"); got[0] != "250 2.0.0 saved for anna@lab.example" {
			t.Errorf("got %q", got)
		}
	}
	a.answerTo(sender, "421 4.4.2 idle for too long")
	s.send(servetest.Mail("ham", 1), "anna@lab.example")
	if letters, _ := a.received(); len(letters) != 4 {
		t.Errorf("%d messages arrived", len(letters))
	}
	// The backend has dropped an extension that the client was offered.
	a.extensions = []string{"SIZE 10"}
	a.closeAll()
	s.want(sender+" BODY=8BITMIME", "421 4.4.1")
	s.want("", "closed")
}

// TestRepliesTakeLittleMemory has a client send commands and read nothing.
func TestRepliesTakeLittleMemory(t *testing.T) {
	s := newServer(servetest.NewEngine(t, nil), startAgent(t, false).Backend, &servetest.Log{})
	s.Working = t.Context()
	conn := &largest{script: script{in: bytes.NewReader([]byte("LHLO x\n" + strings.Repeat("NOOP\n", 50000)))}}
	newClient(s, &serve.Conn{Conn: conn}).Answer()
	if n := strings.Count(conn.out.String(), "250 2.0.0 nothing done\r\n"); n != 50000 {
		t.Errorf("%d replies", n)
	}
	if conn.write > 2*bufferSize {
		t.Errorf("%d bytes of replies waited", conn.write)
	}
}

// largest is a script that remembers the size of the largest write.
type largest struct {
	script
	write int
}

func (l *largest) Write(p []byte) (int, error) {
	l.write = max(l.write, len(p))
	return l.script.Write(p)
}

func TestABackendThatDoesNotAnswerIsLeft(t *testing.T) {
	a := startAgent(t, false, "8BITMIME")
	block := make(chan struct{})
	a.slow = func() { <-block }
	d := start(t, servetest.NewEngine(t, nil), a, func(s *server) { s.answer = 50 * time.Millisecond })
	if got := d.hello(t).send(servetest.Mail("ham", 1), "anna@lab.example", "bert@lab.example"); !strings.HasPrefix(got[0], "451 4.4.2") || !strings.HasPrefix(got[1], "451 4.4.2") {
		t.Errorf("got %q", got)
	}
	close(block)
}

func TestAnswersThatAreNoneAreTemporaryErrors(t *testing.T) {
	a := startAgent(t, false, "8BITMIME")
	d := start(t, servetest.NewEngine(t, nil), a, nil)
	s := d.hello(t)
	a.answerTo("message for anna@lab.example", "354 what?")
	a.answerTo("message for bert@lab.example", "421 4.3.2 stopping")
	if got := s.send(servetest.Mail("ham", 1), "anna@lab.example", "bert@lab.example"); !strings.HasPrefix(got[0], "451 4.3.0") || !strings.HasPrefix(got[1], "451 4.4.2") {
		t.Errorf("got %q", got)
	}
	a.answerTo("DATA", "250 ok")
	if got := s.send(servetest.Mail("ham", 1), "anna@lab.example"); !strings.HasPrefix(got[0], "451 4.4.2") {
		t.Errorf("got %q", got)
	}
	wantReceived(t, a)
}

// A mail server that goes away in the middle of a message has not sent it, whatever has come.
func TestAMessageThatIsCutOffGoesNowhere(t *testing.T) {
	const limit = 10 << 10
	e := servetest.NewEngine(t, func(o *serve.Options) { o.MaxMessage = limit })
	a := startAgent(t, false, "8BITMIME")
	d := start(t, e, a, nil)
	raw := servetest.Mail("ham", 1) + strings.Repeat("line\r\n", limit) // the second half is passed on as it comes
	for _, cut := range []int{0, 10, 100, limit - 1, limit, limit + 100, 3 * limit, len(raw)} {
		for _, end := range []string{"", ".", ".\r"} {
			s := d.hello(t)
			s.want(sender, "250")
			s.want("RCPT TO:<anna@lab.example>", "250")
			s.want("DATA", "354")
			io.WriteString(s, raw[:cut]+end)
			s.Conn.(*net.UnixConn).CloseWrite()
			s.want("", "closed")
		}
	}
	wantReceived(t, a)
}

func TestTheEndFinishesWhatHasBegun(t *testing.T) {
	e := servetest.NewEngine(t, nil)
	judging, goOn := make(chan struct{}), make(chan struct{})
	a := startAgent(t, false, "8BITMIME")
	d := start(t, broken{e, func(ctx context.Context) (serve.Verdict, error) {
		judging <- struct{}{}
		<-goOn
		return e.Judge(ctx, serve.Origin{}, []byte(servetest.Mail("ham", 1)))
	}}, a, nil)
	idle, busy, begun := d.hello(t), d.hello(t), d.hello(t)
	begun.want(sender, "250")
	ended := make(chan error, 1)
	busy.want(sender, "250")
	busy.want("RCPT TO:<anna@lab.example>", "250")
	busy.want("DATA", "354")
	busy.text(servetest.Mail("ham", 1))
	<-judging
	go func() { ended <- d.stop() }()
	idle.want("", "421 4.3.2 the daemon is stopping")
	idle.want("", "closed")
	select {
	case <-ended:
		t.Error("ended before the transactions")
	default:
	}
	close(goOn)
	busy.want("", "250 2.0.0 saved for anna@lab.example")
	busy.want("", "421 4.3.2")
	begun.want("RCPT TO:<bert@lab.example>", "250")
	begun.want("DATA", "354")
	begun.text(servetest.Mail("ham", 2))
	<-judging
	begun.want("", "250 2.0.0 saved for bert@lab.example")
	begun.want("", "421 4.3.2")
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if letters, _ := a.received(); len(letters) != 2 {
		t.Errorf("%d messages arrived", len(letters))
	}
}

func TestTheEndWaitsOnlySoLong(t *testing.T) {
	a := startAgent(t, false, "8BITMIME")
	block := make(chan struct{})
	defer close(block)
	a.slow = func() { <-block }
	d := start(t, servetest.NewEngine(t, nil), a, func(s *server) { s.Grace = 50 * time.Millisecond })
	begun, sent := d.hello(t), d.hello(t)
	begun.want(sender, "250")
	sent.want(sender, "250")
	sent.want("RCPT TO:<anna@lab.example>", "250")
	sent.want("DATA", "354")
	sent.text(servetest.Mail("ham", 1))
	time.Sleep(20 * time.Millisecond)
	if err := d.stop(); err != nil {
		t.Error(err)
	}
	begun.want("", "closed")
}
