package serve

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"strings"
	"testing"
	"time"

	"chaff/internal/fieldtags"
	"chaff/message"
)

// startWith starts an engine that does something with a message before it judges it.
func startWith(t *testing.T, first func(raw []byte), change func(*Options)) (*Engine, *testLog) {
	t.Helper()
	o := DefaultOptions()
	o.Model, o.Workers = newModel(t, 1), 1
	change(&o)
	log := &testLog{}
	e, err := open(o, log)
	if err != nil {
		t.Fatal(err)
	}
	e.judge = func(user string, raw []byte) Verdict {
		first(raw)
		return e.classify(user, raw)
	}
	e.start(t.Context())
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return e, log
}

func TestTheSizeOfAMessageIsLimited(t *testing.T) {
	e, _ := start(t, newModel(t, 1), func(o *Options) { o.MaxMessage = 1000 })
	for size, want := range map[int]error{1000: nil, 1001: ErrTooLarge} {
		raw := append(mail("spam", 1), make([]byte, size-len(mail("spam", 1)))...)
		if v, err := e.Judge(t.Context(), Origin{}, raw); err != nil || !errors.Is(v.Unjudged, want) {
			t.Errorf("judge %d bytes: got %v, %v, want %v", size, v.Unjudged, err, want)
		}
		if _, err := e.Learn(t.Context(), Origin{}, raw, "spam"); !errors.Is(err, want) {
			t.Errorf("learn %d bytes: got %v, want %v", size, err, want)
		}
		m := e.NewMessage()
		_, err := m.Write(raw)
		if !errors.Is(err, want) {
			t.Errorf("read %d bytes: got %v, want %v", size, err, want)
		}
		from := Origin{Cut: m.Cut}
		if v, err := e.Judge(t.Context(), from, m.Bytes()); err != nil || !errors.Is(v.Unjudged, want) {
			t.Errorf("judge what is read of %d bytes: got %v, %v, want %v", size, v.Unjudged, err, want)
		}
		if _, err := e.Learn(t.Context(), from, m.Bytes(), "spam"); !errors.Is(err, want) {
			t.Errorf("learn what is read of %d bytes: got %v, want %v", size, err, want)
		}
		m.Close()
	}
	if got := e.Counters.Unjudged.All()["too_large"]; got != 2 {
		t.Errorf("%d counted as too large, want 2", got)
	}
}

func TestTheQueueIsLimited(t *testing.T) {
	began, finish := make(chan struct{}, 10), make(chan struct{})
	e, _ := startWith(t, func(raw []byte) {
		began <- struct{}{}
		<-finish
	}, func(o *Options) { o.Queue = 2 })
	results := make(chan error, 3)
	for n := range 3 { // one that is judged, and two that wait
		go func() {
			_, err := e.Judge(context.Background(), Origin{}, make([]byte, n*quickMessage))
			results <- err
		}()
	}
	<-began
	for e.inFlight.Load() < 3 {
		time.Sleep(time.Millisecond)
	}
	at := time.Now()
	if _, err := e.Judge(t.Context(), Origin{}, mail("spam", 2)); !errors.Is(err, ErrBusy) {
		t.Errorf("one message too many: got %v", err)
	}
	if took := time.Since(at); took > time.Second {
		t.Errorf("it took %v to refuse it", took)
	}
	close(finish)
	for range 3 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	judge(t, e, "", mail("spam", 2)) // there is room again
	if got := e.Counters.Unjudged.All()["busy"]; got != 1 {
		t.Errorf("%d counted as busy, want 1", got)
	}
}

func TestTheTimeOfAMessageIsLimited(t *testing.T) {
	finish := make(chan struct{})
	e, _ := startWith(t, func(raw []byte) {
		if strings.Contains(string(raw), "slow") {
			<-finish
		}
	}, func(o *Options) { o.MaxSeconds = 0.1 })
	if v, err := e.Judge(t.Context(), Origin{}, append(make([]byte, quickMessage), "slow"...)); !errors.Is(v.Unjudged, ErrTimeout) {
		t.Errorf("a slow message: got %v, %v", v, err)
	}
	if v, err := e.Judge(t.Context(), Origin{}, []byte("one that waits for it")); !errors.Is(v.Unjudged, ErrTimeout) {
		t.Errorf("a message behind it: got %v, %v", v, err)
	}
	close(finish)
	judge(t, e, "", mail("spam", 2))
	if got := e.Counters.Unjudged.All()["timeout"]; got != 2 {
		t.Errorf("%d counted as timeouts, want 2", got)
	}
}

// The service manager ends a daemon that is not alive.
func TestADaemonWithTooMuchToDoIsAlive(t *testing.T) {
	e, _ := start(t, newModel(t, 1), func(o *Options) { o.Workers, o.MaxSeconds = 1, 0.05 })
	if !e.IsAlive(t.Context()) {
		t.Error("with nothing to do")
	}
	e.slots <- struct{}{}
	if e.IsAlive(t.Context()) {
		t.Error("while a message is never judged")
	}
	go func() {
		for t.Context().Err() == nil {
			e.Counters.Nanoseconds.Add(1)
			time.Sleep(time.Millisecond)
		}
	}()
	if !e.IsAlive(t.Context()) {
		t.Error("while others are judged")
	}
	<-e.slots
}

func TestALargeMessageDelaysNoSmallOnes(t *testing.T) {
	finish := make(chan struct{})
	e, _ := startWith(t, func(raw []byte) {
		if len(raw) > message.LargeSize {
			<-finish
		}
	}, func(*Options) {})
	results := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := e.Judge(context.Background(), Origin{}, make([]byte, message.LargeSize+1))
			results <- err
		}()
	}
	for e.inFlight.Load() < 3 {
		time.Sleep(time.Millisecond)
	}
	judge(t, e, "", mail("spam", 1))
	close(finish)
	for range 3 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

func TestAClientThatGivesUpIsNotCountedAsSlow(t *testing.T) {
	began, finish := make(chan struct{}), make(chan struct{})
	e, _ := startWith(t, func(raw []byte) {
		close(began)
		<-finish
	}, func(*Options) {})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	if _, err := e.Judge(ctx, Origin{}, make([]byte, quickMessage+1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a message that is judged: got %v", err)
	}
	if _, err := e.Judge(ctx, Origin{}, mail("spam", 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a message that waits: got %v", err)
	}
	close(finish)
	if got := e.Counters.Unjudged.All()["cancelled"]; got != 2 {
		t.Errorf("%d counted as cancelled, want 2", got)
	}
}

func TestAFaultCostsOneVerdict(t *testing.T) {
	e, log := startWith(t, func(raw []byte) {
		if string(raw) == "fault" {
			panic("a bug")
		}
	}, func(*Options) {})
	if v, err := e.Judge(t.Context(), Origin{}, []byte("fault")); !errors.Is(v.Unjudged, ErrInternal) {
		t.Errorf("got %v, %v", v, err)
	}
	judge(t, e, "", mail("spam", 1))
	if got := e.Counters.Faults.Load(); got != 1 {
		t.Errorf("%d faults counted, want 1", got)
	}
	if !strings.Contains(log.String(), "internal error: a bug") {
		t.Errorf("log: %s", log)
	}
}

func TestAFaultWhileModelsAreReadCostsNothing(t *testing.T) {
	e, _ := start(t, newModel(t, 5), nil)
	e.shared.Lock()
	e.shared.files, e.shared.reloads = files{}, nil // which counts what is read
	e.shared.Unlock()
	e.follow()
	if e.Counters.Faults.Load() == 0 {
		t.Error("there was no fault")
	}
	judge(t, e, "", mail("spam", 50))
}

// port is a listener with the clients that a test sends.
type port struct {
	dialled, admitted chan net.Conn
}

func (p port) Accept() (net.Conn, error) {
	if conn, is := <-p.dialled; is {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p port) Close() error   { return nil }
func (p port) Addr() net.Addr { return nil }

func newPort(t *testing.T, e *Engine) port {
	p := port{make(chan net.Conn), make(chan net.Conn)}
	l := e.Clients(p, "spamd", "busy")
	t.Cleanup(func() { close(p.dialled) })
	go func() {
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			p.admitted <- conn
		}
	}()
	return p
}

// dial returns the connection of a new client; nil if the client is told that there are too many.
func (p port) dial(t *testing.T) net.Conn {
	client, end := net.Pipe()
	t.Cleanup(func() { client.Close() })
	p.dialled <- end
	refused := make(chan string, 1)
	go func() {
		told, _ := io.ReadAll(client)
		refused <- string(told)
	}()
	select {
	case conn := <-p.admitted:
		return conn
	case told := <-refused:
		if told != "busy" {
			t.Errorf("a client was told %q", told)
		}
		return nil
	}
}

func TestConnectionsAreLimited(t *testing.T) {
	e, _ := start(t, newModel(t, 1), func(o *Options) { o.Connections = 2 })
	port, socket := newPort(t, e), newPort(t, e)
	first, second := port.dial(t), port.dial(t)
	if third := port.dial(t); first == nil || second == nil || third != nil {
		t.Errorf("got %v, %v, %v: want two admitted and one refused", first, second, third)
	}
	if socket.dial(t) == nil {
		t.Error("clients of one listener keep out those of another")
	}
	first.Close()
	first.Close() // counts once
	second.Close()
	for range 2 {
		if port.dial(t) == nil {
			t.Error("refused after others have gone")
		}
	}
	if port.dial(t) != nil {
		t.Error("a third one is admitted after others have gone")
	}
	if refused, connected := e.Counters.Refused.All()["spamd"], e.Counters.Connected.All()["spamd"]; refused != 2 || connected != 3 {
		t.Errorf("%d counted as refused, want 2, and %d as connected, want 3", refused, connected)
	}
}

func TestTheMemoryOfMessagesInTransitIsLimited(t *testing.T) {
	e, _ := start(t, newModel(t, 1), func(o *Options) { o.Memory = message.MaxSize })
	large := make([]byte, 20<<20)
	a, b := e.NewMessage(), e.NewMessage()
	if _, err := a.Write(large); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Write(large); !errors.Is(err, ErrBusy) {
		t.Errorf("a second large message: got %v", err)
	}
	if _, err := b.Write(mail("spam", 1)); !errors.Is(err, ErrBusy) {
		t.Errorf("what follows a piece that is missing: got %v", err)
	}
	b.Close()
	if _, err := b.Write(mail("spam", 1)); err != nil {
		t.Errorf("a small message beside a large one: %v", err)
	}
	a.Close()
	if _, err := b.Write(large[:15<<20]); err != nil {
		t.Errorf("after the large one has gone: %v", err)
	}
	b.Close()
	if got := e.transit.Load(); got != 0 {
		t.Errorf("%d bytes are still taken", got)
	}
}

func TestAMessageIsReadInPieces(t *testing.T) {
	e, _ := start(t, newModel(t, 1), nil)
	m := e.NewMessage()
	defer m.Close()
	want := strings.Repeat("a line of text\r\n", 10000)
	for rest := want; rest != ""; {
		n := min(len(rest), 777)
		if _, err := m.Write([]byte(rest[:n])); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	if string(m.Bytes()) != want {
		t.Error("the message is not what was written")
	}
}

func TestOptionsNameTheirLimits(t *testing.T) {
	for _, tt := range []struct {
		change func(*Options)
		want   string
	}{
		{func(*Options) {}, ""},
		{func(o *Options) { o.MaxMessage = message.MaxSize + 1 }, "max_message is 37748737: must be from 1 to 37748736"},
		{func(o *Options) { o.MaxMessage = 0 }, "max_message is 0: must be from 1 to 37748736"},
		{func(o *Options) { o.MilterReject = 1.5 }, "milter_reject is 1.5: must be from 0 to 1"},
		{func(o *Options) { o.MilterQuarantine = math.NaN() }, "milter_quarantine is NaN: must be from 0 to 1"},
		{func(o *Options) { o.MaxSeconds = 601 }, "max_seconds is 601: must be from 0.01 to 600"},
		{func(o *Options) { o.Queue = 0 }, "queue is 0: must be from 1 to 1000000"},
		{func(o *Options) { o.Memory = 1 }, "memory is 1: must be at least 37748736"},
		{func(o *Options) { o.HistoryDays = 200000 }, "history_days is 200000: must be from 1 to 36500"}, // a time.Duration has 106,751 days
		{func(o *Options) { o.History = -1 }, "history is -1: must be from 0 to 1000000"},
	} {
		o := DefaultOptions()
		tt.change(&o)
		got := ""
		if err := fieldtags.Check(o); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// TestLessonsWaitInAQueue teaches while another lesson takes long.
func TestLessonsWaitInAQueue(t *testing.T) {
	e, _ := start(t, newModel(t, 1), func(o *Options) { o.Queue = 2 })
	e.learner.turn <- struct{}{}
	learned := make(chan error, 2)
	for n := range 2 {
		go func() {
			_, err := e.Learn(t.Context(), Origin{}, mail("spam", 60+n), "spam")
			learned <- err
		}()
	}
	for e.learner.lessons.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	if _, err := e.Learn(t.Context(), Origin{}, mail("spam", 62), "spam"); !errors.Is(err, ErrBusy) {
		t.Errorf("one too many: got %v", err)
	}
	<-e.learner.turn
	for range 2 {
		if err := <-learned; err != nil {
			t.Error(err)
		}
	}
	e.learner.turn <- struct{}{}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := e.Learn(ctx, Origin{}, mail("spam", 63), "spam"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a client that goes: got %v", err)
	}
	<-e.learner.turn
}
