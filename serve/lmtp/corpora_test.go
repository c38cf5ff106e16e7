package lmtp

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"chaff/corpus"
	"chaff/serve"
	"chaff/test/corpustest"
	"chaff/test/servetest"
)

// Every message of both corpora comes out as it went in apart from our fields, when it is sent as mail servers do, with lines that end in
// CR LF. So does every file of the first one, except for lines of a dot with other line ends; see the package comment.
func TestRealMailComesOutByteForByte(t *testing.T) {
	source, ok := corpustest.SpamAssassin(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	dir, _ := corpustest.CorporaDir(t)
	e := servetest.NewEngine(t, nil)
	verdict, err := e.Judge(t.Context(), serve.Origin{}, []byte(servetest.Mail("ham", 1)))
	if err != nil {
		t.Fatal(err)
	}
	a := startAgent(t, false, "8BITMIME")
	s := start(t, broken{e, func(context.Context) (serve.Verdict, error) { return verdict, nil }}, a, nil).hello(t)
	s.SetDeadline(time.Now().Add(10 * time.Minute))
	repaired := 0
	check := func(origin string, raw []byte) {
		if !bytes.HasSuffix(raw, []byte("\r\n")) {
			raw = append(raw, "\r\n"...)
		}
		if got := s.send(string(raw), "anna@lab.example"); got[0] != "250 2.0.0 saved for anna@lab.example" {
			t.Fatalf("%s: got %q", origin, got)
		}
		want := verdict.Passed(raw)
		if sent := normal(want); !bytes.Equal(sent, want) {
			repaired++
			want = sent
		}
		if letters, _ := a.received(); len(letters) != 1 || letters[0].text != string(want) {
			t.Fatalf("%s does not come out as it went in", origin)
		}
	}
	all := []corpus.Source{source}
	for n := range 6 {
		all = append(all, corpustest.Enron(t, dir, n+1))
	}
	n, files := 0, 0
	for item, err := range corpus.Concat(all...) {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := item.Read(nil)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.ReplaceAll(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n", "\r\n")
		if check(item.Origin, []byte(lines)); repaired != files {
			t.Fatalf("%s is not as it was", item.Origin)
		}
		if n++; n <= 6046 { // the SpamAssassin corpus
			check(item.Origin, raw)
			files = repaired
		}
	}
	t.Logf("%d messages; of the first 6046 as files, %d have a line that begins with a dot behind a line end that is not CR LF", n, files)
	if n < 39000 || files == 0 || files > 400 {
		t.Errorf("%d messages, %d with such a line", n, files)
	}
}
