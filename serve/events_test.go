package serve

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// eventLog returns options for a log of events, and its text without times.
func eventLog(o *Options) *bytes.Buffer {
	var text bytes.Buffer
	o.Events = slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "ms" || a.Key == "score" {
			return slog.Attr{}
		}
		return a
	}}))
	return &text
}

func TestEachMessageHasALineInTheLog(t *testing.T) {
	var text *bytes.Buffer
	e, _ := start(t, newModel(t, 20), func(o *Options) { text, o.MaxMessage = eventLog(o), 1000 })
	ctx, from := t.Context(), Origin{Protocol: "milter", QueueID: "4ABC"}
	if _, err := e.Judge(ctx, Origin{Protocol: "milter", QueueID: "4ABC", User: "bob"}, []byte("From: secret@a.b\nSubject: private\nMessage-ID: <x@y>\n\npills casino\n")); err != nil {
		t.Fatal(err)
	}
	_, _ = e.Judge(ctx, from, make([]byte, 1001))
	learn(t, e, "", mail("spam", 50), "spam")
	if _, err := e.Forget(ctx, Origin{Protocol: "http"}, mail("spam", 50)); err != nil {
		t.Fatal(err)
	}
	_, _ = e.Learn(ctx, from, make([]byte, 1001), "ham")
	_, _ = e.Learn(ctx, Origin{User: "bo\xffb"}, []byte("no mail"), "ham")
	e.WrongToken("console", "192.0.2.1")
	want := `level=INFO msg=judged protocol=milter queue=4ABC id=<x@y> user=bob verdict=unsure size=66
level=INFO msg=judged protocol=milter queue=4ABC unjudged=too_large size=1001
level=INFO msg=learn class=spam result=learned
level=INFO msg=forget protocol=http result=forgotten
level=INFO msg=learn protocol=milter class=ham refused=too_large
level=INFO msg=learn user="bo�b" class=ham refused=no_mail
level=INFO msg="wrong token" protocol=console client=192.0.2.1
`
	if got := text.String(); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestSubjectsAreLoggedOnlyOnDemand(t *testing.T) {
	var text *bytes.Buffer
	e, _ := start(t, newModel(t, 20), func(o *Options) { text, o.HistorySubjects, o.History = eventLog(o), true, 0 })
	if _, err := e.Judge(t.Context(), Origin{}, []byte("From: a@b.example\nSubject: lunch\n\npills\n")); err != nil {
		t.Fatal(err)
	}
	if got := text.String(); !strings.Contains(got, " from=a@b.example subject=lunch\n") {
		t.Errorf("got %s", got)
	}
}

// TestNoValueOfAnEventLooksLikeAnother logs what senders and clients may write.
func TestNoValueOfAnEventLooksLikeAnother(t *testing.T) {
	r := slog.NewRecord(time.Time{}, slog.LevelInfo, "judged", 0)
	r.AddAttrs(slog.String("id", "<x> wrong token client=192.0.2.1"), slog.String("user", ""), slog.String("queue", `a\"`), slog.Int("size", 5))
	if got, want := Line(r), `judged id="<x> wrong token client=192.0.2.1" user="" queue="a\\\"" size=5`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAFloodOfMailFillsNoLog(t *testing.T) {
	var o Options
	text := eventLog(&o)
	e := events{log: o.Events}
	for range 3 * eventsASecond {
		e.add("judged")
	}
	lines := strings.Count(text.String(), "judged")
	if lines < eventsASecond || lines > 2*eventsASecond { // a second may end in between
		t.Errorf("%d lines of %d", lines, 3*eventsASecond)
	}
	e.add("wrong token")
	if !strings.Contains(text.String(), "wrong token") {
		t.Error("a flood of mail hides who guesses the token")
	}
	for second := time.Now().Unix(); time.Now().Unix() == second; {
		time.Sleep(10 * time.Millisecond)
	}
	e.add("judged")
	if got := text.String(); !strings.Contains(got, "level=WARN msg=\"left out\" events=") {
		t.Error("the log does not say how many lines were left out")
	}
}
