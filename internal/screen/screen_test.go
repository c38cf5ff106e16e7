package screen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"chaff/test/tabletest"
)

func TestWhatATerminalObeysIsEscaped(t *testing.T) {
	tabletest.Strings(t, func(in string) string {
		got := Printable(in)
		if back := Original(got); back != in {
			t.Errorf("%q: back: got %q", in, back)
		}
		return got
	}, [][3]string{
		{"plain text stays", "Inbox/Größe 3 €, 日本語 \"a\" 'b'", "Inbox/Größe 3 €, 日本語 \"a\" 'b'"},
		{"an empty text stays", "", ""},
		{"a newline makes no line", "a\nspam  9.99", `a\nspam  9.99`},
		{"nor does any other end of a line", "\r\v\f\u0085\u2028\u2029", `\r\v\f\u0085\u2028\u2029`},
		{"escape sequences", "\x1b[2J\x1b]0;title\a", `\x1b[2J\x1b]0;title\a`},
		{"control characters of eight bits", "\u009b31m", `\u009b31m`},
		{"bytes that are no UTF-8", "a\x9b\xff\xc3", `a\x9b\xff\xc3`},
		{"a true replacement character stays", "\ufffd", "\ufffd"},
		{"marks of direction", "\u202egnp.exe\u2066\u200f", `\u202egnp.exe\u2066\u200f`},
		{"what is invisible", "a\u200bb\u00adc\U000e0041", `a\u200bb\u00adc\U000e0041`},
		{"the spaces of other scripts stay", "特別\u3000価格\u00a0", "特別\u3000価格\u00a0"},
		{"tabs do not move a column", "a\tb", `a\tb`},
		{"DEL and NUL", "\x7f\x00", `\x7f\x00`},
		{"a backslash is two", `a\x1b[31m`, `a\\x1b[31m`},
	})
}

func TestABackslashThatBeginsNoEscapeStandsForItself(t *testing.T) {
	for _, text := range []string{`\`, `a\ b`, `C:\`, `\x1`, `\q`, `\u12`} {
		if got := Original(text); got != text {
			t.Errorf("%s: got %q", text, got)
		}
	}
}

type named string

func (n named) String() string { return "name " + string(n) }

func TestTheFormatOfALineIsOurs(t *testing.T) {
	evil := "a\n\x1b[1mb"
	for name, tt := range map[string]struct {
		format string
		args   []any
		want   string
	}{
		"a text":                      {"chaff:\t%s\n", []any{evil}, "chaff:\ta\\n\\x1b[1mb\n"},
		"as a value":                  {"%v\n", []any{evil}, "a\\n\\x1b[1mb\n"},
		"bytes":                       {"%s\n", []any{[]byte(evil)}, "a\\n\\x1b[1mb\n"},
		"an error":                    {"%v\n", []any{fmt.Errorf("open %s: %w", evil, errors.New("gone"))}, "open a\\n\\x1b[1mb: gone\n"},
		"a note that quotes":          {"%s\n", []any{Quoted(evil + `\"`)}, `a\n\x1b[1mb\"` + "\n"},
		"an error that quotes":        {"%v\n", []any{fmt.Errorf("unknown label %q", evil)}, `unknown label "a\n\x1b[1mb"` + "\n"},
		"what has a name":             {"%s\n", []any{named(evil)}, "name a\\n\\x1b[1mb\n"},
		"a list":                      {"%v %q\n", []any{[]string{evil}, []string{evil}}, "[a\\n\\x1b[1mb] [\"a\\n\\x1b[1mb\"]\n"},
		"a quoted text":               {"%q\n", []any{evil}, `"a\n\x1b[1mb"` + "\n"},
		"quoted as it stands":         {"%#q\n", []any{"\u202e"}, "`\\u202e`\n"},
		"a character":                 {"%c\n", []any{'\u202e'}, "\\u202e\n"},
		"a padded text":               {"%-8s|\n", []any{"a\tb"}, "a\\tb    |\n"},
		"a width that is an argument": {"%-*s|\n", []any{6, "a"}, "a     |\n"},
		"numbers":                     {"%6.2f %d %+.1f\n", []any{1.5, 7, 2.0}, "  1.50 7 +2.0\n"},
		"nothing":                     {"%v\n", []any{nil}, "<nil>\n"},
	} {
		var out strings.Builder
		if _, err := Printf(&out, tt.format, tt.args...); err != nil || out.String() != tt.want {
			t.Errorf("%s: got %q, %v, want %q", name, out.String(), err, tt.want)
		}
	}
}

func TestLinesThatQuoteThemselvesKeepTheirForm(t *testing.T) {
	var out strings.Builder
	text := "a = \"\\\\ \\u001b\"\t# \x1b\n\n[b]"
	n, err := io.WriteString(Lines{To: &out}, text)
	if want := "a = \"\\\\ \\u001b\"\t# \\x1b\n\n[b]"; n != len(text) || err != nil || out.String() != want {
		t.Errorf("got %q, %d, %v", out.String(), n, err)
	}
}

func TestJSONIsTheSameForWhoParsesIt(t *testing.T) {
	text := "a\n\x1b\x7f\u009b\u202e\u2028\U000e0041 <b> ä"
	var out bytes.Buffer
	if err := PrintJSON(&out, map[string]string{"text": text}, ""); err != nil {
		t.Fatal(err)
	}
	want := `{"text":"a\n\u001b\u007f\u009b\u202e\u2028\udb40\udc41 <b> ä"}` + "\n"
	if out.String() != want {
		t.Errorf("got %s, want %s", out.String(), want)
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["text"] != text {
		t.Errorf("read back as %q, %v", back["text"], err)
	}
	out.Reset()
	if err := PrintJSON(&out, []string{"a\x7f"}, "  "); err != nil || out.String() != "[\n  \"a\\u007f\"\n]\n" {
		t.Errorf("with an indent: %q, %v", out.String(), err)
	}
	for _, at := range []int{0, 1} { // before an escape, and at it
		if err := PrintJSON(&failing{left: at}, "a\x7f", ""); !errors.Is(err, errFull) {
			t.Errorf("after %d writes: %v", at, err)
		}
	}
}

var errFull = errors.New("no space left")

type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestALongTextIsPrintedInPieces(t *testing.T) {
	pieces := writes{}
	text := strings.Repeat("é\x00\xe2\x82", 100_000) + strings.Repeat("\x80", 5000)
	if err := Print(&pieces, []byte(text)); err != nil || pieces.all.String() != Printable(text) || pieces.longest > 4*4096 {
		t.Errorf("pieces of %d bytes, %d in all, %v", pieces.longest, pieces.all.Len(), err)
	}
	if err := Print(&failing{}, []byte("a")); !errors.Is(err, errFull) {
		t.Errorf("on a full disk: %v", err)
	}
}

type writes struct {
	all     strings.Builder
	longest int
}

func (w *writes) Write(p []byte) (int, error) {
	w.longest = max(w.longest, len(p))
	return w.all.Write(p)
}

// FuzzTerminal prints any text in every way there is. What comes out is one line that can be printed, and it is known what it
// was made of.
func FuzzTerminal(f *testing.F) {
	for _, seed := range []string{"", "a", "\x1b[2J", "a\nspam  9.99  1.000000  b", "\u202e\u2066", "\x9b\xff", `\x1b\\n`, "\U000e0041", "\xed\xa0\x80", "😀\u200d", "\u00a0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain := Printable(text)
		mustBePrintable(t, plain)
		if back := Original(plain); back != text {
			t.Errorf("%q is printed as %q, which is %q", text, plain, back)
		}
		if !strings.Contains(text, `\`) && strings.IndexFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 && utf8.ValidString(text) && plain != text {
			t.Errorf("%q can be printed, and was changed to %q", text, plain)
		}
		var out bytes.Buffer
		long := strings.Repeat("x", 4095) + text + strings.Repeat("é", 4096) + text
		if err := Print(&out, []byte(long)); err != nil || out.String() != Printable(long) {
			t.Errorf("in pieces %q is another text: %v", text, err)
		}
		out.Reset()
		if _, err := Printf(&out, "%s%v%q%-9s%v%s", text, errors.New(text), text, text, []string{text}, []byte(text)); err != nil {
			t.Fatal(err)
		}
		mustBePrintable(t, out.String())
		out.Reset()
		if _, err := io.WriteString(Lines{To: &out}, text); err != nil {
			t.Fatal(err)
		}
		mustBePrintable(t, strings.NewReplacer("\n", "", "\t", "").Replace(out.String()))
		out.Reset()
		if err := PrintJSON(&out, map[string]string{text: text}, ""); err != nil {
			t.Fatal(err)
		}
		mustBePrintable(t, strings.TrimSuffix(out.String(), "\n"))
		var back map[string]string
		valid := strings.ToValidUTF8(text, "\ufffd")
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || utf8.ValidString(text) && back[valid] != valid {
			t.Errorf("%s: %v", out.Bytes(), err)
		}
	})
}

func mustBePrintable(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) || strings.IndexFunc(text, func(r rune) bool { return !strconv.IsPrint(r) && !unicode.Is(unicode.Zs, r) }) >= 0 {
		t.Errorf("%q cannot be printed", text)
	}
}
