package filter

import (
	"mime"
	"strings"
	"testing"
	"unicode/utf8"

	"chaff/internal/verdictfield"
	"chaff/metrics"
	"chaff/test/tabletest"
)

func TestThePassedMessageCarriesTheVerdict(t *testing.T) {
	f := spamFilter(t)
	f.settings.Thresholds.Spam = 4.5
	own := "X-Spam-Flag: YES\nX-Spam-Status: Yes, score=7.25 required=4.50\nX-Chaff-Verdict: spam\nX-Chaff-Score: 7.2500\nX-Chaff-Probability: 0.999291\n"
	v := Classification{Class: "spam", Verdict: Spam, Score: 7.25, Probability: 0.9992908}
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	tabletest.Strings(t, func(in string) string { return string(f.Passed([]byte(in), v)) }, [][3]string{
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
		{"on a message with bare CR", "X-Spam-Flag: NO\rFrom: a\r\rbody", own + "X_Spam-Flag: NO\rFrom: a\r\rbody"},
		{"on a message with CR CR LF", "X-Spam-Flag: NO\r\r\nFrom: a\r\r\n\r\r\nbody", crlf(own) + "X_Spam-Flag: NO\r\r\nFrom: a\r\r\n\r\r\nbody"},
		{"in lines that mostly end alike", "From: a\r\rb\r\nTo: c\r\n\r\nbody", crlf(own) + "From: a\r\rb\r\nTo: c\r\n\r\nbody"},
		{"in front of what may be no From_ line", "From a\rTo: b\nFrom: c\n\nbody", own + "From a\rTo: b\nFrom: c\n\nbody"},
		{"apart from a line that would continue it", " a\nFrom: b\n\nbody", own + "X-Chaff-Message:\n a\nFrom: b\n\nbody"},
		{"apart from a line that would continue it in CR LF", "\va\r\nFrom: b\r\n\r\nbody", crlf(own+"X-Chaff-Message:\n") + "\va\r\nFrom: b\r\n\r\nbody"},
	})
}

func TestOtherVerdictsAreNotMarkedAsSpam(t *testing.T) {
	f := spamFilter(t)
	for _, d := range []Verdict{Ham, Unsure} {
		got := string(f.Passed(nil, Classification{Class: "ham", Verdict: d, Score: 1}))
		if !strings.HasPrefix(got, "X-Spam-Flag: NO\nX-Spam-Status: No, ") || !strings.Contains(got, "\nX-Chaff-Verdict: "+string(d)+"\n") {
			t.Errorf("%s: got %q", d, got)
		}
	}
}

func TestAThresholdThatNoScoreReachesIsNotInTheHeader(t *testing.T) {
	f := spamFilter(t)
	f.settings.Thresholds.Spam = metrics.Beyond
	if got := string(f.Passed(nil, Classification{Class: "spam", Verdict: Unsure, Score: 1})); !strings.Contains(got, "\nX-Spam-Status: No, score=1.00\n") {
		t.Errorf("got %q", got)
	}
}

func TestTheNameOfAClassIsASCIIInTheHeader(t *testing.T) {
	long := strings.Repeat("ю", 60)
	for name, want := range map[string]string{
		"rowing": "rowing", "Entwürfe": "=?utf-8?b?RW50d8O8cmZl?=", "a\nX-Spam-Flag: NO": "", long: "", strings.Repeat("\x80", 100): "",
	} {
		got := verdictfield.Text(name)
		decoded, err := new(mime.WordDecoder).DecodeHeader(got)
		if want != "" && got != want || err != nil || utf8.ValidString(name) && decoded != name || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%q: got %q, which is %q, %v", name, got, decoded, err)
		}
	}
}
