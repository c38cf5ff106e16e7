package filter

import (
	"bytes"
	"strings"
	"testing"
)

func TestThePassedMessageCarriesTheVerdict(t *testing.T) {
	f := spamFilter(t)
	f.settings.Thresholds.Spam = 4.5
	own := "X-Spam-Flag: YES\nX-Spam-Status: Yes, score=7.25 required=4.50\nX-Chaff-Verdict: spam\nX-Chaff-Score: 7.2500\nX-Chaff-Probability: 0.999291\n"
	v := Verdict{Class: "spam", Decision: Spam, Score: 7.25, Probability: 0.9992908}
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	tests := []struct{ name, raw, want string }{
		{"in front of the other fields", "From: a\nSubject: b\n\nbody\n", own + "From: a\nSubject: b\n\nbody\n"},
		{"behind a From_ line", "From a@b Mon Jan  1 00:00:00 2024\nFrom: a\n\nbody", "From a@b Mon Jan  1 00:00:00 2024\n" + own + "From: a\n\nbody"},
		{"with the line ends of the message", "From: a\r\n\r\nbody\r\n", crlf(own) + "From: a\r\n\r\nbody\r\n"},
		{"behind a From_ line with its line end", "From a@b\r\nFrom: a\r\n\r\nbody", "From a@b\r\n" + crlf(own) + "From: a\r\n\r\nbody"},
		{"instead of a verdict that came in", "X-Spam-Flag: NO\nFrom: a\nx-spam-status: No,\n\tscore=-5\nX-CHAFF-Score: 1\nTo: b\n\nbody\n", own + "From: a\nTo: b\n\nbody\n"},
		{"and leaves the body alone", "From: a\n\nX-Spam-Flag: NO\n", own + "From: a\n\nX-Spam-Flag: NO\n"},
		{"and other filters' fields", "X-Spam: no\nX-Bogosity: Ham\n\n", own + "X-Spam: no\nX-Bogosity: Ham\n\n"},
		{"on an empty message", "", own},
		{"on a message without a body", "From: a", own + "From: a"},
		{"on a From_ line alone", "From a@b", own + "From a@b"},
		{"on a message with bare CR", "X-Spam-Flag: NO\rFrom: a\r\rbody", own + "From: a\r\rbody"},
		{"on a message with CR CR LF", "X-Spam-Flag: NO\r\r\nFrom: a\r\r\n\r\r\nbody", crlf(own) + "From: a\r\r\n\r\r\nbody"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(f.Passed([]byte(tt.raw), v)); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestOtherVerdictsAreNotMarkedAsSpam(t *testing.T) {
	f := spamFilter(t)
	for _, d := range []Decision{Ham, Unsure} {
		got := string(f.Passed(nil, Verdict{Class: "ham", Decision: d, Score: 1}))
		if !strings.HasPrefix(got, "X-Spam-Flag: NO\nX-Spam-Status: No, ") || !strings.Contains(got, "\nX-Chaff-Verdict: "+string(d)+"\n") {
			t.Errorf("%s: got %q", d, got)
		}
	}
}

// FuzzPassed checks that a message that is passed through loses nothing but verdicts: without our own fields, it is the
// message that came in, and so it is when it is passed through again.
func FuzzPassed(f *testing.F) {
	for _, seed := range []string{
		"From: a\n\nbody", "From a@b\nX-Spam-Flag: YES\n\n", "X-Spam-Flag: YES\r\rbody", "\r\n\r\n", " continued\n\n", "X-Chaff-\n", ">From x", "From ", "\x00\r\r\n",
	} {
		f.Add([]byte(seed))
	}
	filter := spamFilter(f)
	v := Verdict{Class: "ham", Decision: Ham}
	own := filter.Passed(nil, v)
	f.Fuzz(func(t *testing.T, raw []byte) {
		out := filter.Passed(raw, v)
		stripped := out
		for _, fields := range [][]byte{own, bytes.ReplaceAll(own, []byte("\n"), []byte("\r\n"))} {
			if at := bytes.Index(out, fields); at >= 0 {
				stripped = append(bytes.Clone(out[:at]), out[at+len(fields):]...)
				break
			}
		}
		if len(stripped) == len(out) {
			t.Fatalf("%q passed as %q: our fields are not in it", raw, out)
		}
		first := 0
		if n := lineEnd(raw); isFromLine(raw[:n]) {
			first = n
		}
		want := appendWithoutVerdicts(bytes.Clone(raw[:first]), raw[first:])
		if !bytes.Equal(stripped, want) {
			t.Errorf("%q passed as %q: without our fields %q, want %q", raw, out, stripped, want)
		}
		if !bytes.Contains(raw, []byte("X-")) && !bytes.Contains(raw, []byte("x-")) && !bytes.Equal(stripped, raw) {
			t.Errorf("%q has no verdict, and lost something: %q", raw, stripped)
		}
	})
}
