package spamd

import (
	"bytes"
	"testing"

	"chaff/serve"
	"chaff/test/corpustest"

	"chaff/test/servetest"
)

// Every message of the corpus comes back with our fields and without those of others, over PROCESS and over HEADERS, whose reply spamc
// joins to the body that it has.
func TestRealMailComesBackAsItWas(t *testing.T) {
	source, ok := corpustest.SpamAssassin(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	e := servetest.NewEngine(t, nil)
	s := newServer(e, &servetest.Log{})
	s.Working = t.Context()
	ask := func(command string, raw []byte) []byte {
		conn := &script{in: bytes.NewReader([]byte(requestOf(command, "1.5", "", string(raw))))}
		newClient(s, &serve.Conn{Conn: conn}).Answer()
		_, body, _ := bytes.Cut(conn.out.Bytes(), []byte("\r\n\r\n"))
		return body
	}
	n, joined := 0, 0
	for item, err := range source {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := item.Read(nil)
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Judge(t.Context(), serve.Origin{}, raw)
		if err != nil {
			t.Fatal(err)
		}
		want := v.Passed(raw)
		if !bytes.Equal(ask("PROCESS", raw), want) {
			t.Errorf("%s: PROCESS changes it", item.Origin)
		}
		if bytes.Equal(append(ask("HEADERS", raw), raw[headerLength(raw):]...), want) {
			joined++
		}
		n++
	}
	if n < 6000 || joined != n {
		t.Errorf("of %d messages, %d are as they were after HEADERS", n, joined)
	}
}
