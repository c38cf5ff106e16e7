package verdictfield

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/test/corpustest"
)

// The test removes the verdicts with code of its own.
func TestTheSamplePassesByteForByte(t *testing.T) { checkPassages(t, sample.Source(), 200) }

func TestRealMailPassesByteForByte(t *testing.T) {
	dir, ok := corpustest.CorporaDir(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	t.Run("SpamAssassin", func(t *testing.T) {
		t.Parallel()
		source, _ := corpustest.SpamAssassin(t)
		checkPassages(t, source, 6046)
	})
	t.Run("Enron-Spam", func(t *testing.T) {
		t.Parallel()
		var sources []corpus.Source
		for n := range 6 {
			sources = append(sources, corpustest.Enron(t, dir, n+1))
		}
		checkPassages(t, corpus.Concat(sources...), 33715)
	})
}

// checkPassages checks the messages of a source, at least want of them, in all forms.
func checkPassages(t *testing.T, source corpus.Source, want int) {
	n := 0
	for item, raw := range corpustest.Each(t, source) {
		n++
		for _, form := range formsOfMail() {
			checkPassage(t, filepath.Base(item.Origin)+" "+form.name, form.of(raw))
		}
	}
	if n < want {
		t.Errorf("%d messages, want %d or more", n, want)
	}
}

// formsOfMail returns the forms in which a message may come.
func formsOfMail() []struct {
	name string
	of   func(raw []byte) []byte
} {
	replace := func(old, new string) func([]byte) []byte {
		return func(raw []byte) []byte { return bytes.ReplaceAll(raw, []byte(old), []byte(new)) }
	}
	return []struct {
		name string
		of   func(raw []byte) []byte
	}{
		{"as it is", func(raw []byte) []byte { return raw }},
		{"with CR LF", replace("\n", "\r\n")},
		{"with CR CR LF", replace("\n", "\r\r\n")},
		{"with bare CR", replace("\n", "\r")},
		{"with mixed line ends", mixed},
		{"with NUL", replace("e", "e\x00")},
		{"without a final line end", func(raw []byte) []byte { return bytes.TrimRight(raw, "\r\n") }},
		{"without a body", func(raw []byte) []byte { header, _, _ := bytes.Cut(raw, []byte("\n\n")); return header }},
		{"without a header", func(raw []byte) []byte { _, body, _ := bytes.Cut(raw, []byte("\n\n")); return body }},
	}
}

// mixed ends the first line of raw in LF, the second in CR LF, the third in CR CR LF, and so on.
func mixed(raw []byte) []byte {
	var out []byte
	ends := []string{"\n", "\r\n", "\r\r\n"}
	n := 0
	for line := range bytes.Lines(raw) {
		bare, ended := bytes.CutSuffix(line, []byte("\n"))
		out = append(out, bare...)
		if ended {
			out = append(out, ends[n%len(ends)]...)
			n++
		}
	}
	return out
}

func TestTheSmallestMessagesPassByteForByte(t *testing.T) {
	for name, raw := range map[string]string{
		"nothing":                             "",
		"a line end":                          "\n",
		"a CR":                                "\r",
		"NUL":                                 "\x00",
		"a header only":                       "Subject: a\n",
		"a header without a line end":         "Subject: a",
		"a header of one verdict":             "X-Spam-Flag: YES\n",
		"a verdict without a line end":        "X-Spam-Flag: YES",
		"a folded verdict at the end":         "Subject: a\nX-Spam-Status: No,\n\tscore=1",
		"a body only":                         "\nX-Spam-Flag: in the body\n",
		"a body of NUL":                       "\n\x00\x00\x00",
		"a text without a header":             "no field, no empty line",
		"an mbox line only":                   "From ann@example.org Thu Aug 22 12:36:23 2002\n",
		"an mbox line and a verdict":          "From ann@example.org Thu Aug 22 12:36:23 2002\nX-Chaff-Score: 9\n\nbody",
		"a quoted mbox line":                  ">From ann@example.org\r\nSubject: a\r\n\r\nbody\r\n",
		"a From field that looks like one":    "From : Ann\n <ann@example.org>\n\nbody\n",
		"a byte order mark":                   "\ufeffSubject: a\n\nbody\n",
		"8-bit bytes":                         "Subject: \xff\xfe\n\n\x80\x81",
		"a continuation line without a field": " a\nX-Spam-Flag: YES\n\n",
		"a blank line with a space":           "Subject: a\n \nX-Spam-Flag: YES\n\nbody",
	} {
		for _, form := range formsOfMail() {
			checkPassage(t, name+" "+form.name, form.of([]byte(raw)))
		}
	}
}

func TestAFromFieldThatLooksLikeAnMboxLineStaysWhole(t *testing.T) {
	const raw = "From : Ann\n <ann@example.org>\n\nbody\n"
	if out := marked([]byte(raw)); !bytes.Equal(out, append(marked(nil), raw...)) {
		t.Errorf("got %q", out)
	}
}

// checkPassage reports a message that differs after its verdict is removed, whose body has changed, or that changes when it is passed twice.
func checkPassage(t *testing.T, name string, raw []byte) {
	t.Helper()
	before := bytes.Clone(raw)
	own, out := marked(nil), marked(raw)
	if !bytes.Equal(raw, before) {
		t.Fatalf("%s: the input was changed", name)
	}
	first, rest, ok := bytes.Cut(out, bytes.ReplaceAll(own, []byte("\n"), []byte("\r\n")))
	if !ok {
		first, rest, ok = bytes.Cut(out, own)
	}
	if !ok || !bytes.HasPrefix(raw, first) {
		t.Fatalf("%s: no verdict before the header of %.300q", name, out)
	}
	rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte(spacer+"\n")), []byte(spacer+"\r\n"))
	checkNothingIsLost(t, string(raw[len(first):]), string(rest))
	for _, ends := range []string{"\n", "\r\n"} {
		header, body, ok := strings.Cut(string(raw), ends+ends)
		if plain := strings.ReplaceAll(header, ends, ""); ok && !strings.ContainsAny(plain, "\r\n") && !bytes.HasSuffix(out, []byte(body)) {
			t.Errorf("%s: the body has changed", name)
		}
	}
	if again := marked(out); !bytes.Equal(again, out) {
		at := firstDifference(again, out)
		t.Errorf("%s: passed twice, byte %d: got %.80q, want %.80q", name, at, again[at:], out[at:])
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
