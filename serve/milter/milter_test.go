package milter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-milter"
	"go.uber.org/goleak"

	"chaff/filter"
	"chaff/serve"
	"chaff/test/servetest"
	"chaff/test/testmain"
)

// Go-milter logs by itself. It must have no reason to.
func TestMain(m *testing.M) {
	var said bytes.Buffer
	log.SetOutput(&said)
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if said.Len() > 0 {
		fmt.Fprintf(os.Stderr, "go-milter has logged:\n%s", said.String())
		code = 1
	}
	os.Exit(code)
}

// engine is an engine whose verdicts a test may make, and which knows what it was asked.
type engine struct {
	*serve.Engine
	judge func(ctx context.Context, user string, raw []byte) (serve.Verdict, error)
}

func (e *engine) Judge(ctx context.Context, from serve.Origin, raw []byte) (serve.Verdict, error) {
	if e.judge != nil {
		return e.judge(ctx, from.User, raw)
	}
	return e.Engine.Judge(ctx, from, raw)
}

func newEngine(t testing.TB, change func(*serve.Options)) *engine {
	return &engine{Engine: servetest.NewEngine(t, change)}
}

// verdict returns an engine that gives all messages a verdict.
func verdict(t testing.TB, v filter.Verdict, probability float64) *engine {
	e := newEngine(t, nil)
	e.judge = func(context.Context, string, []byte) (serve.Verdict, error) {
		got, err := e.Engine.Judge(t.Context(), serve.Origin{}, nil) // for its fields
		got.Classification = filter.Classification{Class: string(v), Verdict: v, Score: 7.25, Probability: probability}
		return got, err
	}
	return e
}

// daemon is a milter that runs until its test ends.
type daemon struct {
	path string
	stop func() error // ends Serve and returns its error
	log  *servetest.Log
}

func start(t testing.TB, e serve.Service, change func(*server)) daemon {
	t.Helper()
	dir := testmain.ShortDir(t)
	d := daemon{path: filepath.Join(dir, "s"), log: &servetest.Log{}}
	l, err := net.Listen("unix", d.path)
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(e, d.log)
	if change != nil {
		change(s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.At(l)(ctx) }()
	d.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := d.stop(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// newest is what the latest servers offer, except what go-milter's client does not understand, and oldest what the first ones did.
const (
	newest = wishes &^ milter.OptSkip
	oldest = milter.OptProtocol(0)
)

// dial opens a session of a mail server.
func (d daemon) dial(t testing.TB, offer milter.OptProtocol) *milter.ClientSession {
	t.Helper()
	s, err := d.session(offer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func (d daemon) session(offer milter.OptProtocol) (*milter.ClientSession, error) {
	return milter.NewClientWithOptions("unix", d.path, milter.ClientOptions{
		ReadTimeout: 20 * time.Second, WriteTimeout: 20 * time.Second, ActionMask: actions | milter.OptAddRcpt, ProtocolMask: offer,
	}).Session()
}

// delivery is what a mail server does with a message.
type delivery struct {
	text       string // of the message, with line ends of LF
	quarantine string
	refusal    string // the code and the text, or "" if the message is accepted
}

// deliver sends a message with line ends of LF, as Postfix does it, and makes the changes.
func deliver(s *milter.ClientSession, offer milter.OptProtocol, text string, to ...string) (d delivery, err error) {
	fields, body := takeApart(text)
	var errs []error
	note := func(a *milter.Action, err error) {
		if err == nil && a.Code != milter.ActContinue {
			err = fmt.Errorf("action %q", string(a.Code))
		}
		errs = append(errs, err)
	}
	if offer == oldest {
		note(s.Conn("mx.lab.example", milter.FamilyInet, 25, "127.0.0.1"))
		note(s.Helo("mx.lab.example"))
		errs = append(errs, s.Macros(milter.CodeMail, "i", "4711"))
	}
	note(s.Mail("sender@elsewhere.example", nil))
	for _, r := range to {
		note(s.Rcpt(r, nil))
	}
	for _, f := range fields {
		value := f.value
		if offer&milter.OptHeaderLeadingSpace == 0 {
			value = strings.TrimPrefix(value, " ")
		}
		note(s.HeaderField(f.name, value))
	}
	note(s.HeaderEnd())
	body = strings.ReplaceAll(body, "\n", "\r\n")
	for body != "" {
		n := min(len(body), milter.MaxBodyChunk)
		note(s.BodyChunk([]byte(body[:n])))
		body = body[n:]
	}
	edits, a, err := s.End()
	if err := errors.Join(append(errs, err)...); err != nil {
		return d, err
	}
	if a.Code == milter.ActReplyCode {
		d.refusal = fmt.Sprint(a.SMTPCode, " ", a.SMTPText)
		return d, nil
	}
	if a.Code != milter.ActContinue {
		return d, fmt.Errorf("the message got the action %q", string(a.Code))
	}
	fields = append([]field{{"Received", " by mx.lab.example"}}, fields...)
	for _, e := range edits {
		value := e.HeaderValue
		if offer&milter.OptHeaderLeadingSpace == 0 && (value != "" || e.Code == milter.ActInsertHeader) {
			value = " " + value
		}
		switch e.Code {
		case milter.ActQuarantine:
			d.quarantine = e.Reason
		case milter.ActInsertHeader:
			at := int(e.HeaderIndex)
			if at > len(fields) {
				return d, fmt.Errorf("inserted at %d of %d fields", at, len(fields))
			}
			fields = append(fields[:at:at], append([]field{{e.HeaderName, value}}, fields[at:]...)...)
		case milter.ActChangeHeader:
			at := find(fields, e.HeaderName, int(e.HeaderIndex))
			if at < 0 {
				return d, fmt.Errorf("there is no field %s number %d", e.HeaderName, e.HeaderIndex)
			}
			if value == "" {
				fields = append(fields[:at:at], fields[at+1:]...)
			} else {
				fields[at].value = value
			}
		default:
			return d, fmt.Errorf("unexpected edit %+v", e)
		}
	}
	var b strings.Builder
	for _, f := range fields {
		b.WriteString(f.name + ":" + f.value + "\n")
	}
	_, body, _ = strings.Cut("\n"+text, "\n\n")
	d.text = strings.Replace(b.String(), "Received: by mx.lab.example\n", "", 1) + "\n" + body
	return d, nil
}

type field struct{ name, value string }

// find returns where the nth field with a name is behind the first field, or -1.
func find(fields []field, name string, n int) int {
	for i, f := range fields[1:] {
		if strings.EqualFold(f.name, name) {
			if n--; n == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// takeApart returns the fields of a message and its body. Values have the blank behind the colon, and line ends of LF.
func takeApart(text string) (fields []field, body string) {
	header, body, _ := strings.Cut("\n"+text, "\n\n")
	for line := range strings.Lines(strings.TrimPrefix(header, "\n")) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			fields[len(fields)-1].value += "\n" + line
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		fields = append(fields, field{name, value})
	}
	return fields, body
}

// must returns what a mail server that can do what the latest can does with a message.
func must(t testing.TB, d daemon, text string, to ...string) delivery {
	t.Helper()
	got, err := deliver(d.dial(t, newest), newest, text, to...)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestMessagesGetTheFieldsOfTheirVerdict(t *testing.T) {
	e := newEngine(t, nil)
	d := start(t, e, nil)
	for name, offer := range map[string]milter.OptProtocol{"newest": newest, "oldest": oldest} {
		s := d.dial(t, offer)
		for want, text := range map[filter.Verdict]string{
			filter.Spam: "From: a@b.example\nSubject: pills casino winner lottery\n\npills casino winner lottery\n",
			filter.Ham:  "From: a@b.example\nX-Spam-Flag: YES\nSubject: meeting\n\nagenda minutes report\n\n\nend",
		} {
			v, err := e.Judge(t.Context(), serve.Origin{}, []byte(text))
			if err != nil || v.Verdict != want {
				t.Fatalf("judged %v, %v, want %v", v.Verdict, err, want)
			}
			got, err := deliver(s, offer, text, "anna@lab.example")
			if err != nil {
				t.Fatal(err)
			}
			if wanted := string(v.Passed([]byte(text))); got != (delivery{text: wanted}) {
				t.Errorf("%s: got %+v, want %q", name, got, wanted)
			}
		}
	}
}

func TestForgedVerdictsAreRemoved(t *testing.T) {
	e := verdict(t, filter.Ham, 0.01)
	d := start(t, e, nil)
	var judged string
	judge := e.judge
	e.judge = func(ctx context.Context, user string, raw []byte) (serve.Verdict, error) {
		judged = string(raw)
		return judge(ctx, user, raw)
	}
	v, _ := judge(t.Context(), "", nil)
	for about, header := range map[string]string{
		"no fields":                                    "",
		"no forged ones":                               "Subject: a\nTo: b\n",
		"one of them":                                  "Subject: a\nX-Spam-Flag: NO\nTo: b\n",
		"in other letters, folded, empty":              "x-sPAM-status: No,\n\tscore=1\nX-CHAFF-Verdict:\nX-Chaff-Verdict:ham\n",
		"many of one name, with others between":        "X-Spam-Flag: 1\nTo: b\nX-Spam-Flag: 2\nX-Spam-Status: 3\nX-Spam-Flag: 4\nReceived: c\n",
		"only forged ones":                             "X-Spam-Flag: NO\nX-Chaff-Verdict: ham\n",
		"within a folded field":                        "To: b\n X-Spam-Flag: NO\nTo: c\n\tX-Chaff-Verdict: ham\nTo: d\n",
		"behind a field on which programs disagree":    "X-Odd: a\x01b\nX-Spam-Flag: NO\nTo: a\nX-Spam-Flag: YES\nX-Chaff-Verdict: ham\n",
		"behind a CR":                                  "X-Odd: a\rX-Spam-Flag: NO\nX-Odd: b\rX-Spam-Flag: NO\nTo: b\n",
		"in a long line":                               "X-Odd: " + strings.Repeat("a", 600) + "X-Spam-Flag: NO\nTo: b\n",
		"fields without a blank, with two, with a tab": "X-Odd:a\nX-Odd:  b\nX-Odd:\tc\nX-Odd: \nX-Odd:\nX-Spam-Flag: NO\n",
	} {
		text := header + "\nX-Spam-Flag: of the body\n"
		for name, offer := range map[string]milter.OptProtocol{"newest": newest, "oldest": oldest} {
			got, err := deliver(d.dial(t, offer), offer, text, "anna@lab.example")
			if err != nil {
				t.Fatalf("%s, %s: %v", about, name, err)
			}
			if want := string(v.Passed([]byte(text))); got.text != want {
				t.Errorf("%s, %s:\ngot  %q\nwant %q", about, name, got.text, want)
			}
			if want := strings.ReplaceAll(text, "\n", "\r\n"); offer == newest && judged != want {
				t.Errorf("%s: judged %q, want %q", about, judged, want)
			}
		}
	}
}

func TestTheHistoryHasTheQueueID(t *testing.T) {
	e := newEngine(t, func(o *serve.Options) { o.History = 10 })
	macro := func(command, name, value string) string {
		return packet('D', command+"a\x001\x00"+name+"\x00"+value+"\x00z\x002\x00")
	}
	end := packet('E', "")
	c := start(t, e, nil).raw(t)
	io.WriteString(c, negotiation(6, 0x1ff, 0x1fffff)+
		macro("M", "i", "SENDMAIL")+packet('M', "<a>\x00")+end+
		packet('M', "<a>\x00")+macro("E", "{i}", "POSTFIX")+end+
		packet('M', "<a>\x00")+packet('D', "")+packet('D', "Ei")+end+packet('Q', ""))
	if _, err := io.ReadAll(c); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range e.History.All() {
		got = append(got, r.QueueID)
	}
	if want := []string{"", "POSTFIX", "SENDMAIL"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOneRecipientIsTheUser(t *testing.T) {
	e := verdict(t, filter.Ham, 0.01)
	user := "nobody"
	judge := e.judge
	e.judge = func(ctx context.Context, of string, raw []byte) (serve.Verdict, error) {
		user = of
		return judge(ctx, of, raw)
	}
	s := start(t, e, nil).dial(t, newest)
	for _, test := range []struct {
		to   []string
		want string
	}{
		{[]string{"anna@lab.example"}, "anna@lab.example"},
		{[]string{"anna@lab.example", "bert@lab.example"}, ""},
		{[]string{"anna@lab.example", "bert@lab.example", "carl@lab.example"}, ""},
		{[]string{"bert+lists@lab.example"}, "bert@lab.example"},
		{nil, ""},
	} {
		if _, err := deliver(s, newest, "Subject: a\n\nb\n", test.to...); err != nil || user != test.want {
			t.Errorf("%q: the user is %q, %v", test.to, user, err)
		}
	}
}

func TestSpamIsKeptOrRejectedFromAProbability(t *testing.T) {
	const text = "Subject: a\n\nb\n"
	const rejected = "550 5.7.1 The message was judged to be spam"
	for _, test := range []struct {
		verdict                         filter.Verdict
		probability, quarantine, reject float64
		want                            delivery
	}{
		{filter.Spam, 1, 0, 0, delivery{}},
		{filter.Spam, 0.989, 0.99, 0, delivery{}},
		{filter.Spam, 0.99, 0.99, 0, delivery{quarantine: "chaff: spam, probability 0.990000"}},
		{filter.Spam, 0.99, 0.9, 0.999, delivery{quarantine: "chaff: spam, probability 0.990000"}},
		{filter.Spam, 0.998, 0, 0.999, delivery{}},
		{filter.Spam, 0.999, 0, 0.999, delivery{refusal: rejected}},
		{filter.Spam, 0.999, 0.9, 0.999, delivery{refusal: rejected}},
		{filter.Unsure, 1, 0.1, 0.1, delivery{}},
		{filter.Ham, 1, 0.1, 0.1, delivery{}},
	} {
		e := verdict(t, test.verdict, test.probability)
		d := start(t, e, func(s *server) { s.options.MilterQuarantine, s.options.MilterReject = test.quarantine, test.reject })
		v, _ := e.Judge(t.Context(), serve.Origin{}, nil)
		if test.want.refusal == "" {
			test.want.text = string(v.Passed([]byte(text)))
		}
		if got := must(t, d, text, "anna@lab.example"); got != test.want {
			t.Errorf("%+v: got %+v", test, got)
		}
	}
}

// A server may offer no quarantine, as go-milter's own client does by default.
func TestAServerWithoutQuarantineDelivers(t *testing.T) {
	d := start(t, verdict(t, filter.Spam, 1), func(s *server) { s.options.MilterQuarantine = 0.5 })
	s, err := milter.NewDefaultClient("unix", d.path).Session()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := deliver(s, oldest, "Subject: a\n\nb\n")
	if err != nil || got.quarantine != "" || !strings.Contains(got.text, "X-Spam-Flag: YES") {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestOneConnectionSendsManyMessages(t *testing.T) {
	e := newEngine(t, nil)
	s := start(t, e, nil).dial(t, newest)
	for n := range 3 {
		text := fmt.Sprintf("Subject: meeting %d\nX-Spam-Flag: NO\n\nbody %d\n", n, n)
		// One that is dropped, in its header or its body, leaves nothing behind.
		s.Mail("sender@elsewhere.example", nil)
		s.Rcpt("bert@lab.example", nil)
		s.HeaderField("X-Spam-Flag", " NO")
		if n > 0 {
			s.BodyChunk([]byte("dropped"))
		}
		if n < 2 { // Sendmail begins the next message without that, after an error
			s.Abort()
		}
		v, err := e.Judge(t.Context(), serve.Origin{}, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := deliver(s, newest, text, "anna@lab.example")
		if want := string(v.Passed([]byte(text))); err != nil || got.text != want {
			t.Errorf("got %+v, %v, want %q", got, err, want)
		}
	}
}
