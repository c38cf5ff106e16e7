package milter

import (
	"context"
	"strings"
	"testing"

	"chaff/filter"
	"chaff/serve"
	"chaff/test/corpustest"
)

// asPostfixTakesIt returns a message as Postfix stores it: with line ends of LF, a line behind the header that is empty, no blank before a
// colon, and no From_ line.
func asPostfixTakesIt(raw string) string {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSuffix(raw, "\n"), "\r\n", "\n"), "\n")
	if strings.HasPrefix(strings.TrimLeft(lines[0], ">"), "From ") {
		lines[0] = "Mailbox-Line: " + lines[0]
	}
	var header strings.Builder
	for i, line := range lines {
		name, value, found := strings.Cut(line, ":")
		name = strings.TrimRight(name, " \t")
		switch {
		case line == "":
			return header.String() + strings.Join(lines[i:], "\n") + "\n"
		case i > 0 && (line[0] == ' ' || line[0] == '\t'):
			header.WriteString(line + "\n")
		case found && name != "" && strings.Trim(name, "!\"#$%&'()*+,-./0123456789;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~") == "":
			header.WriteString(name + ":" + value + "\n")
		default:
			return header.String() + "\n" + strings.Join(lines[i:], "\n") + "\n"
		}
	}
	return header.String() + "\n"
}

// Every message of the corpus is judged as Postfix stores it, and stays so, with our fields and without those of others.
func TestRealMailStaysAsItIs(t *testing.T) {
	source, ok := corpustest.SpamAssassin(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	e := verdict(t, filter.Unsure, 0.5)
	var judged string
	judge := e.judge
	e.judge = func(ctx context.Context, user string, raw []byte) (serve.Verdict, error) {
		judged = string(raw)
		return judge(ctx, user, raw)
	}
	v, _ := judge(t.Context(), "", nil)
	s := start(t, e, nil).dial(t, newest)
	n, asTheyCame := 0, 0
	for item, raw := range corpustest.Each(t, source) {
		text := asPostfixTakesIt(string(raw))
		got, err := deliver(s, newest, text, "anna@lab.example")
		if err != nil {
			t.Fatalf("%s: %v", item.Origin, err)
		}
		if want := string(v.Passed([]byte(text))); got.text != want {
			t.Errorf("%s: delivered as %.2000q, want %.2000q", item.Origin, got.text, want)
		}
		if want := strings.ReplaceAll(text, "\n", "\r\n"); judged != want {
			t.Errorf("%s: judged %.2000q, want %.2000q", item.Origin, judged, want)
		}
		n++
		if text == string(raw) || strings.TrimPrefix(text, "Mailbox-Line: ") == string(raw) {
			asTheyCame++
		}
	}
	t.Logf("%d messages; Postfix itself changes more than the From_ line of %d of them", n, n-asTheyCame)
	if n != 6046 {
		t.Errorf("%d messages, want 6046", n)
	}
}
