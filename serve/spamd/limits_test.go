package spamd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"chaff/filter"
	"chaff/metrics"
	"chaff/serve"
	"chaff/test/servetest"
)

// broken is an engine whose judgements a test makes.
type broken struct {
	*serve.Engine
	judge    func(ctx context.Context) (serve.Verdict, error)
	settings filter.Settings
}

func (b broken) Judge(ctx context.Context, _ serve.Origin, _ []byte) (serve.Verdict, error) {
	return b.judge(ctx)
}
func (b broken) Settings() filter.Settings {
	if b.settings.Classes != nil {
		return b.settings
	}
	return b.Engine.Settings()
}

func TestAMessageWithoutAVerdictIsNotHeldUp(t *testing.T) {
	raw := servetest.Mail("spam", 1)
	threshold := servetest.NewEngine(t, nil).Settings().Thresholds.Spam
	score := min(0, threshold-0.1)
	line := fmt.Sprintf("Spam: False ; %.1f / %.1f\r\n", score, threshold)
	for _, why := range []error{serve.ErrTimeout, serve.ErrInternal, serve.ErrTooLarge} {
		d := start(t, "unix", broken{servetest.NewEngine(t, nil), func(context.Context) (serve.Verdict, error) { return serve.Unjudged(why) }, filter.Settings{}}, nil)
		unjudged := fmt.Sprintf("X-Chaff-Unjudged: %v\r\n%s", why, raw)
		header, _, _ := strings.Cut(unjudged, "\r\n\r\n")
		for command, want := range map[string]string{
			"CHECK":         line + "\r\n",
			"SYMBOLS":       "Content-length: 14\r\n" + line + "\r\nCHAFF_UNJUDGED",
			"PROCESS":       fmt.Sprintf("Content-length: %d\r\n%s\r\n%s", len(unjudged), line, unjudged),
			"HEADERS":       fmt.Sprintf("Content-length: %d\r\n%s\r\n%s\r\n\r\n", len(header)+4, line, header),
			"REPORT_IFSPAM": "Content-length: 0\r\n" + strings.Replace(line, "False", "No", 1) + "\r\n",
		} {
			if got := d.ask(t, requestOf(command, "1.5", "", raw)); got != "SPAMD/1.1 0 EX_OK\r\n"+want {
				t.Errorf("%s, %v: got\n%q, want\n%q", command, why, got, want)
			}
		}
	}
}

func TestABusyDaemonGivesATemporaryError(t *testing.T) {
	for _, why := range []error{serve.ErrBusy, serve.ErrClosed, errors.New("/secret/path: no such file")} {
		d := start(t, "unix", broken{servetest.NewEngine(t, nil), func(context.Context) (serve.Verdict, error) { return serve.Unjudged(why) }, filter.Settings{}}, nil)
		got := d.ask(t, requestOf("PROCESS", "1.5", "", servetest.Mail("spam", 1)))
		if !strings.HasPrefix(got, "SPAMD/1.0 75 Temporary Failure: ") || strings.Contains(got, "secret") {
			t.Errorf("%v: got %q", why, got)
		}
	}
}

func TestAPanicEndsOneRequest(t *testing.T) {
	first := true
	e := servetest.NewEngine(t, nil)
	d := start(t, "unix", broken{e, func(ctx context.Context) (serve.Verdict, error) {
		if first {
			first = false
			panic("oops")
		}
		return e.Judge(ctx, serve.Origin{}, []byte(servetest.Mail("ham", 1)))
	}, filter.Settings{}}, nil)
	if got := d.ask(t, requestOf("PROCESS", "1.5", "", servetest.Mail("ham", 1))); got != "SPAMD/1.0 70 Internal Error: please see the log of chaff\r\n" {
		t.Errorf("got %q", got)
	}
	if got := d.ask(t, requestOf("PROCESS", "1.5", "", servetest.Mail("ham", 1))); !strings.Contains(got, "X-Chaff-Verdict: ham") {
		t.Errorf("got %q", got)
	}
	if got := d.log.String(); got != "spamd: internal error: oops: please report it" {
		t.Errorf("got the log %q", got)
	}
}

func TestAModelOfOtherClassesJudgesNothing(t *testing.T) {
	e := servetest.NewEngine(t, nil)
	d := start(t, "unix", broken{Engine: e, settings: filter.Settings{Classes: []string{"lists", "work"}}}, nil)
	for _, r := range []string{requestOf("CHECK", "1.5", "", "Subject: x\n\n"), requestOf("TELL", "1.5", "Message-class: ham\r\nSet: local\r\n", "Subject: x\n\n")} {
		if got := d.ask(t, r); !strings.HasPrefix(got, "SPAMD/1.0 69 Service Unavailable: the model has other classes") {
			t.Errorf("got %q", got)
		}
	}
}

func TestAMessageOverTheLimitPasses(t *testing.T) {
	const limit = 100 << 10
	e := servetest.NewEngine(t, func(o *serve.Options) { o.MaxMessage, o.History = limit, 100 })
	d := start(t, "unix", e, nil)
	head := "Subject: large\r\nX-Spam-Flag: NO\r\n\r\n"
	fits := head + strings.Repeat("a", limit-len(head))
	if got := d.ask(t, requestOf("SYMBOLS", "1.5", "", fits)); strings.HasSuffix(got, "CHAFF_UNJUDGED") {
		t.Errorf("at the limit: got %q", got)
	}
	for _, length := range []int{1, limit, 10 << 20} { // more than any buffer between the programs
		large := fits + strings.Repeat("a", length)
		if got := d.ask(t, requestOf("SYMBOLS", "1.5", "", large)); !strings.HasSuffix(got, "\r\nCHAFF_UNJUDGED") || !strings.Contains(got, "Spam: False") {
			t.Errorf("got %q", got)
		}
		if got := d.ask(t, requestOf("HEADERS", "1.5", "", large)); !strings.HasSuffix(got, "\r\n\r\nX-Chaff-Unjudged: the message is too large\r\nSubject: large\r\n\r\n") {
			t.Errorf("got %q", got)
		}
		for _, r := range []string{requestOf("PROCESS", "1.5", "", large), "PROCESS SPAMC/1.2\r\n\r\n" + large, requestOf("TELL", "1.5", "Message-class: ham\r\nSet: local\r\n", large),
			requestOf("HEADERS", "1.5", "", strings.Repeat("Received: x\r\n", limit/10)+"\r\nbody\r\n")} {
			if got := d.ask(t, r); got != "SPAMD/1.0 65 Data Error: the message is too large\r\n" {
				t.Errorf("%.20q: got %q", r, got)
			}
		}
	}
	servetest.WantUnjudged(t, e, "too_large", 15)
	if got := e.Counters.Unlearned.All()["too_large"]; got != 3 {
		t.Errorf("%d lessons were counted", got)
	}
}

func TestMessagesGiveBackTheirMemory(t *testing.T) {
	d := start(t, "unix", servetest.NewEngine(t, func(o *serve.Options) { o.Memory = 40 << 20 }), nil)
	for _, command := range []string{"CHECK", "TELL"} {
		for n := range 6 {
			request := requestOf(command, "1.5", "Remove: local\r\n", "Subject: x\r\n\r\n"+strings.Repeat("a\r\n", 5<<20/3))
			if got := d.ask(t, request); !strings.Contains(got, " 0 EX_OK") {
				t.Errorf("%s %d: got %q", command, n, got)
			}
		}
	}
}

func TestSlowClientsAreSentAway(t *testing.T) {
	t.Parallel() // it waits
	d := start(t, "tcp", servetest.NewEngine(t, nil), func(s *serve.Server) { s.Idle, s.Total = 100*time.Millisecond, 300*time.Millisecond })
	const late = "SPAMD/1.0 79 Timeout: (socket timeout reading input from client)\r\n"
	for name, first := range map[string]string{
		"silence": "", "half a line": "CHECK SPA", "half a header": "CHECK SPAMC/1.5\r\nUser: x\r\n", "half a message": "CHECK SPAMC/1.5\r\nContent-length: 100\r\n\r\nSubject",
	} {
		c := d.dial(t)
		io.WriteString(c, first)
		if got := read(t, c); got != late {
			t.Errorf("%s: got %q", name, got)
		}
	}
	// A byte now and then keeps no line open for longer than Idle, and no message for longer than Total.
	for name, first := range map[string]string{"a header": "CHECK SPAMC/1.5\r\n", "a message": "CHECK SPAMC/1.5\r\nContent-length: 100000\r\n\r\n"} {
		c := d.dial(t)
		io.WriteString(c, first)
		stop := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				select {
				case <-stop:
					return
				case <-time.After(10 * time.Millisecond):
					io.WriteString(c, "a")
				}
			}
		}()
		began := time.Now()
		got := make([]byte, len(late))
		if _, err := io.ReadFull(c, got); err != nil || string(got) != late {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		close(stop)
		<-done
	}
}

func TestIdleAndSlowClientsHarmNobody(t *testing.T) {
	d := start(t, "unix", servetest.NewEngine(t, nil), nil)
	for range 1000 {
		d.dial(t)
	}
	var slow []net.Conn
	for range 200 {
		c := d.dial(t)
		io.WriteString(c, "CHECK SPAMC/1.5\r\nContent-length: 1000000\r\n\r\nSubject: ")
		slow = append(slow, c)
	}
	raw := requestOf("SYMBOLS", "1.5", "", servetest.Mail("spam", 1))
	began := time.Now()
	for i := range 100 {
		io.WriteString(slow[2*i], "a")
		if got := d.ask(t, raw); !strings.HasSuffix(got, "CHAFF_SPAM") {
			t.Fatalf("got %q", got)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("100 requests took %v", took)
	}
}

func TestConnectionsAreLimited(t *testing.T) {
	e := servetest.NewEngine(t, func(o *serve.Options) { o.Connections = 2 })
	d := start(t, "unix", e, nil)
	first, second := d.dial(t), d.dial(t)
	c := d.dial(t)
	if got := read(t, c); got != "SPAMD/1.0 75 Temporary Failure: too busy: try again later\r\n" {
		t.Errorf("got %q", got)
	}
	if got := start(t, "tcp", e, nil).ask(t, "PING SPAMC/1.2\r\n"); got != "SPAMD/1.5 0 PONG\r\n" {
		t.Errorf("another listener: got %q", got)
	}
	first.Close()
	second.Close()
	for {
		c := d.dial(t)
		io.WriteString(c, "PING SPAMC/1.2\r\n")
		if got, _ := io.ReadAll(c); string(got) == "SPAMD/1.5 0 PONG\r\n" {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestTheEndFinishesWhatHasBegun(t *testing.T) {
	e := servetest.NewEngine(t, nil)
	judging, goOn := make(chan struct{}), make(chan struct{})
	d := start(t, "unix", broken{e, func(ctx context.Context) (serve.Verdict, error) {
		close(judging)
		<-goOn
		return e.Judge(ctx, serve.Origin{}, []byte(servetest.Mail("ham", 1)))
	}, filter.Settings{}}, nil)
	release := sync.OnceFunc(func() { close(goOn) })
	defer release()                                     // or the end of the test would wait for it
	idle, half, busy := d.dial(t), d.dial(t), d.dial(t) // the last one is accepted last
	io.WriteString(half, "PING SPA")
	io.WriteString(busy, requestOf("SYMBOLS", "1.5", "", servetest.Mail("ham", 1)))
	<-judging
	ended := make(chan error, 1)
	go func() { ended <- d.stop() }()
	if got := read(t, idle); got != "" {
		t.Errorf("an idle client got %q", got)
	}
	select {
	case <-ended:
		t.Error("ended before the requests")
	default:
	}
	io.WriteString(half, "MC/1.2\r\n")
	if got := read(t, half); got != "SPAMD/1.5 0 PONG\r\n" {
		t.Errorf("a client that has begun got %q", got)
	}
	release()
	if got := read(t, busy); !strings.HasSuffix(got, "CHAFF_HAM") {
		t.Errorf("a client that waits got %q", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestTheEndDoesNotWaitForAClientThatHasItsReply(t *testing.T) {
	for name, request := range map[string]string{"an answer": "PING SPAMC/1.2\r\n", "an error": "NOPE SPAMC/1.2\r\n"} {
		t.Run(name, func(t *testing.T) {
			d := start(t, "unix", servetest.NewEngine(t, nil), nil)
			c := d.dial(t)
			io.WriteString(c, request)
			read(t, c) // to the end of the reply, and not of the connection
			began := time.Now()
			if err := d.stop(); err != nil || time.Since(began) > 700*time.Millisecond {
				t.Errorf("ended after %v, %v", time.Since(began), err)
			}
		})
	}
}

func TestTheEndWaitsOnlySoLong(t *testing.T) {
	e := servetest.NewEngine(t, nil)
	d := start(t, "unix", broken{e, func(ctx context.Context) (serve.Verdict, error) {
		<-ctx.Done()
		return serve.Verdict{}, ctx.Err()
	}, filter.Settings{}}, func(s *serve.Server) { s.Grace = 50 * time.Millisecond })
	c := d.dial(t)
	io.WriteString(c, requestOf("CHECK", "1.5", "", servetest.Mail("ham", 1)))
	time.Sleep(20 * time.Millisecond)
	if err := d.stop(); err != nil {
		t.Error(err)
	}
}

func TestFiguresAgreeWithTheVerdict(t *testing.T) {
	for _, test := range []struct {
		score, threshold float64
		verdict          filter.Verdict
		want             string
	}{
		{7.26, 2.34, filter.Spam, "Spam: True ; 7.3 / 2.3\r\n"},
		{2.1, 2.34, filter.Spam, "Spam: True ; 2.3 / 2.3\r\n"}, // by the model that follows the one whose threshold it is
		{2.345, 2.34, filter.Spam, "Spam: True ; 2.3 / 2.3\r\n"},
		{2.34, 2.34, filter.Unsure, "Spam: False ; 2.2 / 2.3\r\n"},
		{2.36, 2.38, filter.Unsure, "Spam: False ; 2.3 / 2.4\r\n"},
		{0, -1, filter.Ham, "Spam: False ; -1.1 / -1.0\r\n"},
		{-0.01, 3, filter.Ham, "Spam: False ; 0.0 / 3.0\r\n"},
		{math.Inf(1), 3, filter.Spam, "Spam: True ; 9999999.0 / 3.0\r\n"},
		{12, math.Inf(1), filter.Unsure, "Spam: False ; 12.0 / 9999999.0\r\n"},
		{math.NaN(), 3, filter.Unsure, "Spam: False ; 0.0 / 3.0\r\n"},
	} {
		var v serve.Verdict
		v.Score, v.Verdict = test.score, test.verdict
		j := judged{v, filter.Settings{Thresholds: &metrics.Thresholds{Spam: test.threshold}}}
		if got := j.line(check); got != test.want {
			t.Errorf("%v: got %q, want %q", test, got, test.want)
		}
		if got := string(j.report()); strings.Contains(got, "spam from") != (test.threshold < 1000) {
			t.Errorf("%v: reports %q", test, got)
		}
	}
}
