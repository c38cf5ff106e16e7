package message

import (
	"slices"
	"testing"
)

func TestAWalkerFindsTheLeavesOfAMessage(t *testing.T) {
	const raw = "Content-Type: multipart/mixed; boundary=a\n\n--a\n\none\n--a\nContent-Type: message/rfc822\n\nSubject: x\n\ntwo\n" +
		"--a\nContent-Type: multipart/related; boundary=b\n\n--b\n\nthree\n--b--\n--a--\n"
	for _, test := range []struct {
		wholeMessages bool
		want          []string
		attached      int
	}{
		{false, []string{"one", "two", "three"}, 1},
		{true, []string{"one", "Subject: x\n\ntwo", "three"}, 0},
	} {
		var got []string
		w := Decoder{wholeMessages: test.wholeMessages, leaf: func(_ entity, body []byte) { got = append(got, string(body)) }}
		w.options = DefaultOptions()
		e, body := w.header([]byte(raw), typePlain, &w.msg.Header)
		w.walk(e, body, 0)
		if !slices.Equal(got, test.want) || len(w.msg.Attached) != test.attached || w.msg.Repairs != 0 {
			t.Errorf("got the leaves %q, %d fields and the repairs %v, want %q", got, len(w.msg.Attached), w.msg.Repairs, test.want)
		}
	}
}
