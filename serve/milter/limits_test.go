package milter

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-milter"

	"chaff/internal/verdictfield"
	"chaff/serve"
	"chaff/test/servetest"
)

// failing returns an engine whose verdicts fail.
func failing(t testing.TB, why error) *engine {
	e := newEngine(t, nil)
	e.judge = func(context.Context, string, []byte) (serve.Verdict, error) { return serve.Unjudged(why) }
	return e
}

func TestAMessageWithoutAVerdictIsNotHeldUp(t *testing.T) {
	for _, why := range []error{serve.ErrTooLarge, serve.ErrTimeout, serve.ErrInternal} {
		got := must(t, start(t, failing(t, why), nil), "X-Spam-Flag: NO\nSubject: a\n\nb\n")
		if want := fmt.Sprintf("X-Chaff-Unjudged: %v\nSubject: a\n\nb\n", why); got != (delivery{text: want}) {
			t.Errorf("%v: got %+v", why, got)
		}
	}
}

func TestABusyDaemonGivesATemporaryError(t *testing.T) {
	for why, want := range map[error]string{
		serve.ErrBusy:                    "451 4.3.2 The spam filter: too busy: try again later",
		serve.ErrClosed:                  "451 4.3.2 The spam filter: the daemon is stopping: try again later",
		errors.New("/secret/path: gone"): "451 4.3.2 The spam filter: please see the log of chaff",
	} {
		if got := must(t, start(t, failing(t, why), nil), "Subject: a\n\nb\n"); got != (delivery{refusal: want}) {
			t.Errorf("%v: got %+v", why, got)
		}
	}
	// The memory for messages of all clients is full.
	e := newEngine(t, func(o *serve.Options) { o.Memory = 40 << 20 })
	for range 8 {
		m := e.NewMessage()
		defer m.Close()
		if _, err := m.Write(make([]byte, e.Options().Memory/8)); err != nil {
			t.Fatal(err)
		}
	}
	if got := must(t, start(t, e, nil), "Subject: a\n\nb\n"); !strings.HasPrefix(got.refusal, "451 4.3.2 ") {
		t.Errorf("got %+v", got)
	}
}

func TestAMessageOverTheLimitPasses(t *testing.T) {
	const limit = 100 << 10
	e := newEngine(t, func(o *serve.Options) { o.MaxMessage, o.History = limit, 100 })
	d := start(t, e, nil)
	head := "X-Spam-Flag: NO\nSubject: large\n\n"
	fits := head + strings.Repeat("a", limit-len(head)-strings.Count(head, "\n"))
	if got := must(t, d, fits); !strings.Contains(got.text, "X-Chaff-Verdict: ") {
		t.Errorf("at the limit: got %.300q", got.text)
	}
	for _, longer := range []int{1, limit, 1 << 20} {
		before := e.Counters.Unjudged.All()["too_large"]
		for name, offer := range map[string]milter.OptProtocol{"newest": newest, "oldest": oldest} {
			text := fits + strings.Repeat("a", longer)
			got, err := deliver(d.dial(t, offer), offer, text)
			if err != nil {
				t.Fatal(err)
			}
			if want := "X-Chaff-Unjudged: the message is too large\n" + strings.TrimPrefix(text, "X-Spam-Flag: NO\n"); got.text != want {
				t.Errorf("%s, %d bytes more: got %.300q", name, longer, got.text)
			}
		}
		if n := e.Counters.Unjudged.All()["too_large"] - before; n != 2 {
			t.Errorf("%d messages were counted", n)
		}
	}
	servetest.WantUnjudged(t, e.Engine, "too_large", 6)
}

// Go-milter's client does not know that word.
func TestTheRestOfAMessageOverTheLimitNeedNotBeSent(t *testing.T) {
	c := start(t, newEngine(t, func(o *serve.Options) { o.MaxMessage = 3 }), nil).raw(t)
	io.WriteString(c, negotiation(6, 0x1ff, uint32(milter.OptSkip))+packet('M', "")+packet('B', "body")+packet('E', "")+packet('Q', ""))
	got, err := io.ReadAll(c)
	want := negotiation(6, 0x31, uint32(milter.OptSkip)) + packet('c', "") + packet('s', "") + packet('i', "\x00\x00\x00\x00X-Chaff-Unjudged\x00the message is too large\x00") + packet('c', "")
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// A forged verdict could be in the rest.
func TestAHeaderOverTheLimitIsLeftWithTheServer(t *testing.T) {
	d := start(t, newEngine(t, func(o *serve.Options) { o.MaxMessage = 1000 }), nil)
	for name, offer := range map[string]milter.OptProtocol{"newest": newest, "oldest": oldest} {
		got, err := deliver(d.dial(t, offer), offer, "X-Long: "+strings.Repeat("a", 1000)+"\nX-Spam-Flag: NO\n\nbody\n")
		if want := (delivery{refusal: "451 4.3.0 The header of the message is too large"}); err != nil || got != want {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	if want := "milter: a message has a header of more than 1000 bytes: the mail server keeps it"; !strings.Contains(d.log.String(), want) {
		t.Errorf("got the log %s", d.log)
	}
}

// Postfix would take minutes to remove so many.
func TestAMessageWithTooManyForgedVerdictsIsRefused(t *testing.T) {
	d := start(t, newEngine(t, nil), nil)
	for about, line := range map[string]string{"fields of one name": "X-Spam-Flag: NO\n", "fields of many names": "X-Spam-%d: NO\n", "folded fields": "To: a\n X-Spam-%d: NO\n"} {
		var header string
		for n := range maxEdits + 1 {
			if n == maxEdits {
				if got := must(t, d, header+"\nbody\n"); got.refusal != "" || strings.Count(got.text, "X-Spam-") != 2 {
					t.Errorf("%s at the limit: got %+v", about, got)
				}
			}
			header += strings.Replace(line, "%d", fmt.Sprint(n), 1)
		}
		if got := must(t, d, header+"\nbody\n"); got != (delivery{refusal: "550 5.7.1 The message has more than 200 fields of a spam filter"}) {
			t.Errorf("%s: got %+v", about, got)
		}
	}
}

// Edits are kept outside of the message.
func TestAMessageWithLongNamesOfForgedVerdictsIsRefused(t *testing.T) {
	d := start(t, newEngine(t, nil), nil)
	var header string
	for n := range 5 {
		header += fmt.Sprintf("X-Spam-%d%s: NO\n", n, strings.Repeat("a", 50*longName))
	}
	if got := must(t, d, header+"\nbody\n"); !strings.HasPrefix(got.refusal, "550 5.7.1 ") {
		t.Errorf("got %.300q", got.text)
	}
}

func TestAFaultCostsOneVerdict(t *testing.T) {
	e := newEngine(t, nil)
	e.judge = func(context.Context, string, []byte) (serve.Verdict, error) { panic("oops") }
	d := start(t, e, nil)
	if got := must(t, d, "X-Spam-Flag: NO\nSubject: a\n\nb\n"); got.text != "X-Chaff-Unjudged: internal error\nSubject: a\n\nb\n" {
		t.Errorf("got %+v", got)
	}
	e.judge = func(context.Context, string, []byte) (serve.Verdict, error) { return serve.Verdict{}, nil } // has no fields
	if got := must(t, d, "Subject: a\n\nb\n"); got.text != "X-Chaff-Unjudged: internal error\nSubject: a\n\nb\n" {
		t.Errorf("got %+v", got)
	}
	e.judge = nil
	if got := must(t, d, "Subject: a\n\nb\n"); !strings.Contains(got.text, "X-Chaff-Verdict: ") {
		t.Errorf("got %+v", got)
	}
	if got := d.log.String(); got != "milter: internal error: oops: please report it\nmilter: internal error: runtime error: invalid memory address or nil pointer dereference: please report it" {
		t.Errorf("got the log %q", got)
	}
}

// packet returns a packet.
func packet(code byte, data string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(data)+1))) + string(code) + data
}

// negotiation returns the first packet of a server that offers so much.
func negotiation(version, actions, protocol uint32) string {
	var b []byte
	for _, n := range []uint32{version, actions, protocol} {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return packet('O', string(b))
}

func (d daemon) raw(t testing.TB) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", d.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

func TestBothSidesAgreeOnWhatTheyCanDo(t *testing.T) {
	d := start(t, newEngine(t, nil), nil)
	const all = 0x1fffff
	for _, test := range []struct{ version, actions, protocol, wantVersion, wantActions, wantProtocol uint32 }{
		{6, 0x1ff, all, 6, 0x31, uint32(wishes)},
		{7, 0xffffffff, 0xffffffff, 6, 0x31, uint32(wishes)},
		{2, 0x3f, 0x7f, 2, 0x31, 0x43},
		{2, 0x11, 0, 2, 0x11, 0},
	} {
		c := d.raw(t)
		io.WriteString(c, negotiation(test.version, test.actions, test.protocol))
		want := negotiation(test.wantVersion, test.wantActions, test.wantProtocol)
		got := make([]byte, len(want))
		if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
			t.Errorf("%+v: got %x, %v", test, got, err)
		}
	}
}

func TestBadPacketsEndTheConnection(t *testing.T) {
	begin := negotiation(6, 0x1ff, 0x1fffff)
	for about, test := range map[string]struct{ sent, log string }{
		"no negotiation":                {packet('M', "<a>\x00"), `milter: bad packet: the first one is "M" with 4 bytes`},
		"a short negotiation":           {packet('O', "1234"), `milter: bad packet: the first one is "O" with 4 bytes`},
		"another packet of its length":  {packet('M', "<a@b.exampl>"), `milter: bad packet: the first one is "M" with 12 bytes`},
		"a server that changes nothing": {negotiation(6, 1, 0), "milter: bad packet: the mail server lets nobody change the header"},
		"an empty packet":               {begin + "\x00\x00\x00\x00", "milter: bad packet: 0 bytes"},
		"a large packet":                {begin + "\x00\x02\x00\x01", "milter: bad packet: 131073 bytes"},
		"an unknown command":            {begin + packet('\x1b', ""), `milter: bad packet: an unknown command "\x1b"`},
		"a field without a value":       {begin + packet('L', "Subject"), "milter: bad packet: a field without a value"},
		"the end within a packet":       {begin + "\x00\x00\x00\x05B12", ""},
		"the end within a size":         {begin + "\x00\x00", ""},
		"the end":                       {begin + packet('Q', ""), ""},
		"another connection":            {begin + packet('K', ""), ""},
		"nothing":                       {"", ""},
	} {
		d := start(t, newEngine(t, nil), nil)
		c := d.raw(t)
		io.WriteString(c, test.sent)
		c.(*net.UnixConn).CloseWrite()
		if _, err := io.ReadAll(c); err != nil {
			t.Errorf("%s: %v", about, err)
		}
		d.stop()
		if got := d.log.String(); !strings.HasPrefix(got, test.log) || (got == "") != (test.log == "") {
			t.Errorf("%s: got the log %q, want %q", about, got, test.log)
		}
	}
}

// A body may end in the packet that ends the message, and a server may send what nobody needs.
func TestUnusualPacketsAreUnderstood(t *testing.T) {
	e := newEngine(t, nil)
	var judged string
	e.judge = func(_ context.Context, _ string, raw []byte) (serve.Verdict, error) {
		judged = string(raw)
		return serve.Verdict{}, serve.ErrBusy
	}
	c := start(t, e, nil).raw(t)
	io.WriteString(c, negotiation(2, 0x3f, uint32(milter.OptSkip))+packet('D', "")+packet('D', "Ci\x00")+packet('C', "")+packet('H', "x")+packet('M', "")+packet('R', "<a@b>")+packet('T', "")+packet('U', "?\x00")+
		packet('L', "A\x00b\n\tc\r\n d\x00")+packet('L', "B\x00\x00")+packet('N', "")+packet('B', "body\r\n")+packet('E', "end")+packet('Q', ""))
	got, err := io.ReadAll(c)
	if err != nil || judged != "A: b\r\n\tc\r\n d\r\nB: \r\n\r\nbody\r\nend" {
		t.Errorf("judged %q, %v", judged, err)
	}
	want := negotiation(2, 0x31, uint32(milter.OptSkip)) + strings.Repeat(packet('c', ""), 10) + packet('y', "451 4.3.2 The spam filter: too busy: try again later\x00")
	if string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Sendmail gives macros without a value, and for steps that nobody knows.
func TestEmptyMacrosDoNoHarm(t *testing.T) {
	packets, err := os.ReadFile(filepath.Join("..", "..", "test", "cases", "52-milter-empty-macros", "packets"))
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, newEngine(t, nil), nil).raw(t)
	c.Write(append(packets, packet('Q', "")...))
	got, err := io.ReadAll(c)
	if err != nil || !bytes.Contains(got, []byte("X-Spam-Flag\x00")) || !bytes.HasSuffix(got, []byte(packet('c', ""))) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestSlowServersAreSentAway(t *testing.T) {
	t.Parallel() // it waits
	begin := negotiation(6, 0x1ff, 0x1fffff)
	for about, test := range map[string]struct {
		sent   string
		change func(*server)
	}{
		"silence":                       {"", func(s *server) { s.Idle = 50 * time.Millisecond }},
		"silence after the negotiation": {begin, func(s *server) { s.Idle = 50 * time.Millisecond }},
		"half a size":                   {begin + "\x00\x00", func(s *server) { s.packet = 50 * time.Millisecond }},
		"half a packet":                 {begin + "\x00\x00\x00\x05B12", func(s *server) { s.packet = 50 * time.Millisecond }},
		"half a message":                {begin + packet('M', "<a>\x00") + packet('L', "A\x00b\x00"), func(s *server) { s.Total = 50 * time.Millisecond }},
		"half a body without a header":  {begin + packet('M', "<a>\x00") + packet('B', "b"), func(s *server) { s.Total = 50 * time.Millisecond }},
	} {
		d := start(t, newEngine(t, nil), test.change)
		c := d.raw(t)
		io.WriteString(c, test.sent)
		if _, err := io.ReadAll(c); err != nil {
			t.Errorf("%s: %v", about, err)
		}
		d.stop()
		if got := d.log.String(); !strings.HasPrefix(got, "milter: nothing came for too long") {
			t.Errorf("%s: got the log %q", about, got)
		}
	}
	// A field now and then keeps no message open for longer than Content.
	c := start(t, newEngine(t, nil), func(s *server) { s.Total = 100 * time.Millisecond }).raw(t)
	io.WriteString(c, begin+packet('M', "<a>\x00"))
	began := time.Now()
	for {
		if _, err := io.WriteString(c, packet('L', "A\x00b\x00")); err != nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("a slow message took %v", took)
	}
	// The time of a message ends with it.
	s := start(t, newEngine(t, nil), func(s *server) { s.Total = time.Second }).dial(t, newest)
	for range 2 {
		if _, err := deliver(s, newest, "Subject: a\n\nb\n"); err != nil {
			t.Error(err)
		}
		time.Sleep(1100 * time.Millisecond)
	}
}

// What does not fit into a buffer is sent before all of the answer is known.
func TestALongAnswerMayComeLate(t *testing.T) {
	e := newEngine(t, nil)
	e.judge = func(context.Context, string, []byte) (serve.Verdict, error) {
		time.Sleep(300 * time.Millisecond)
		return serve.Unjudged(serve.ErrTimeout)
	}
	d := start(t, e, func(s *server) { s.packet = 200 * time.Millisecond })
	got := must(t, d, strings.Repeat("X-Spam-"+strings.Repeat("a", 100)+": b\n", 100)+"Subject: a\n\nb\n")
	if !strings.HasPrefix(got.text, "X-Chaff-Unjudged: ") {
		t.Errorf("got %+v", got)
	}
}

func TestAServerThatLeavesGivesBackItsMemory(t *testing.T) {
	d := start(t, newEngine(t, func(o *serve.Options) { o.Memory = 40 << 20 }), nil)
	begun := negotiation(6, 0x1ff, 0x1fffff) + packet('M', "") + strings.Repeat(packet('B', strings.Repeat("a", 64<<10)), 80)
	for range 10 {
		c := d.raw(t)
		io.WriteString(c, begun)
		c.(*net.UnixConn).CloseWrite()
		io.ReadAll(c)
	}
	if got := must(t, d, "Subject: a\n\n"+strings.Repeat("a\n", 2<<20)); got.refusal != "" {
		t.Errorf("got %q", got.refusal)
	}
}

func TestAnIdleServerKeepsNoPacket(t *testing.T) {
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	d := start(t, newEngine(t, nil), nil)
	const n = 100
	before := heap()
	for range n {
		c := d.raw(t)
		io.WriteString(c, negotiation(6, 0x1ff, 0x1fffff)+packet('D', strings.Repeat("a", maxPacket-1))+packet('M', "<a@b>\x00"))
		if _, err := io.ReadFull(c, make([]byte, len(negotiation(6, 0, 0)+packet('c', "")))); err != nil {
			t.Fatal(err)
		}
	}
	if each := (heap() - before) / n; each > maxPacket/4 {
		t.Errorf("%d bytes for each client", each)
	}
}

func TestIdleAndSlowServersHarmNobody(t *testing.T) {
	d := start(t, newEngine(t, nil), nil)
	for n := range 400 {
		io.WriteString(d.raw(t), []string{"", "\x00", negotiation(6, 0x1ff, 0x1fffff) + "\x00\x0f\xff\xffB", negotiation(6, 0x1ff, 0x1fffff) + packet('M', "<a>\x00")}[n%4])
	}
	began := time.Now()
	s := d.dial(t, newest)
	for range 20 {
		if _, err := deliver(s, newest, "Subject: a\n\nb\n"); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("20 messages took %v", took)
	}
}

func TestConnectionsAreLimited(t *testing.T) {
	e := newEngine(t, func(o *serve.Options) { o.Connections = 1 })
	d := start(t, e, nil)
	s := d.dial(t, newest)
	if _, err := d.session(newest); err == nil {
		t.Error("there is a second connection")
	}
	if n := e.Counters.Refused.All()["milter"]; n != 1 {
		t.Errorf("%d connections were refused", n)
	}
	s.Close()
	for {
		if s, err := d.session(newest); err == nil {
			s.Close()
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestTheEndFinishesMessagesThatHaveBegun(t *testing.T) {
	e := newEngine(t, nil)
	d := start(t, e, nil)
	idle, begun, between := d.raw(t), d.dial(t, newest), d.raw(t)
	io.WriteString(between, negotiation(2, 0x3f, 0)+packet('M', "")+packet('A', "")+packet('T', ""))
	if _, err := io.ReadFull(between, make([]byte, len(negotiation(2, 0x3f, 0)+packet('c', "")+packet('c', "")))); err != nil {
		t.Fatal(err)
	}
	if _, err := begun.Mail("sender@elsewhere.example", nil); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- d.stop() }()
	for about, c := range map[string]net.Conn{"an idle server": idle, "a server between two messages": between} {
		if rest, err := io.ReadAll(c); len(rest) > 0 || err != nil {
			t.Errorf("%s got %q, %v", about, rest, err)
		}
	}
	if _, err := begun.HeaderField("Subject", " meeting"); err != nil {
		t.Error(err)
	}
	select {
	case <-ended:
		t.Error("ended before the message")
	default:
	}
	edits, _, err := begun.End()
	if err != nil || !slices.ContainsFunc(edits, func(e milter.ModifyAction) bool { return e.HeaderName == "X-Chaff-Verdict" }) {
		t.Errorf("a message that had begun got %v, %v", edits, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := d.log.String(); got != "" {
		t.Errorf("got the log %q", got)
	}
}

func TestTheEndWaitsOnlySoLong(t *testing.T) {
	e := newEngine(t, nil)
	judging := make(chan struct{})
	e.judge = func(ctx context.Context, _ string, _ []byte) (serve.Verdict, error) {
		close(judging)
		<-ctx.Done()
		return serve.Verdict{}, ctx.Err()
	}
	d := start(t, e, func(s *server) { s.Grace = 20 * time.Millisecond })
	s, other := d.dial(t, newest), d.dial(t, newest)
	other.Mail("sender@elsewhere.example", nil)
	go deliver(s, newest, "Subject: a\n\nb\n")
	<-judging
	if err := d.stop(); err != nil {
		t.Error(err)
	}
}

func TestEditsAreOfFieldsAsTheyWere(t *testing.T) {
	header := "A: 1\r\nX-Spam-A: 2\r\na: 3\r\n X-Spam-B: 4\r\n\r\n"
	ends := []int32{6, 19, 39}
	want := []edit{{index: 2, name: "a", value: " 3\r\n X_Spam-B: 4"}, {index: 1, name: "X-Spam-A"}}
	if got, isFew := editsOf([]byte(header), ends, true); !slices.Equal(got, want) || !isFew {
		t.Errorf("got %+v, %v, want %+v", got, isFew, want)
	}
	if clean, _ := verdictfield.Clean([]byte(header)); string(clean) != "A: 1\r\na: 3\r\n X_Spam-B: 4\r\n\r\n" {
		t.Errorf("got %q", clean)
	}
}
