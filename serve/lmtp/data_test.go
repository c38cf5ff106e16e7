package lmtp

import (
	"bufio"
	"bytes"
	"slices"
	"strings"
	"testing"
)

// decodeAll decodes parts of a message, and returns it with what follows.
func decodeAll(parts ...string) (text, rest string, ended bool) {
	var d decoder
	var dst []byte
	for i, part := range parts {
		used := 0
		dst, used = d.decode(dst, []byte(part))
		if d.at == atEnd {
			return string(dst), part[used:] + strings.Join(parts[i+1:], ""), true
		}
	}
	return string(dst), "", false
}

func TestOnlyOneLineEndsAMessage(t *testing.T) {
	for in, want := range map[string]string{
		".\r\nrest":                      "",
		"\r\n.\r\nrest":                  "\r\n",
		"text\r\n.\r\nrest":              "text\r\n",
		"..\r\n.a\r\n...\r\n.\r\nrest":   ".\r\na\r\n..\r\n",
		"a\n.\nb\n.\r\nc\r\n.\r\nrest":   "a\n.\nb\n.\r\nc\r\n",
		"a\r.\rb\r.\r\nc\r\n.\r\nrest":   "a\r.\rb\r.\r\nc\r\n",
		"a\r\n.\nb\r\n.\rc\r\n.\r\nrest": "a\r\n\nb\r\n\rc\r\n",
		"a\r\r\n.\r\nrest":               "a\r\r\n",
		"a\r\n.\r\r\n.\r\nrest":          "a\r\n\r\r\n",
		"a\n\r.\r\n.\r\nrest":            "a\n\r.\r\n",
		"\x00\xff.\r\n.\r\nrest":         "\x00\xff.\r\n",
	} {
		if got, rest, ended := decodeAll(in); got != want || rest != "rest" || !ended {
			t.Errorf("%q: got %q, %q, %v, want %q", in, got, rest, ended, want)
		}
		if got, rest, ended := decodeAll(strings.Split(in, "")...); got != want || rest != "rest" || !ended {
			t.Errorf("%q, byte by byte: got %q, %q, %v, want %q", in, got, rest, ended, want)
		}
	}
	for _, in := range []string{"", "text", "text\r\n", "text\r\n.", "text\r\n.\r", "a\n.\n", "a\n.\r\n", "a\r.\r\n", "a\r.\r", "a\r\n..\r\n", "a\r\n.\n", "\n.\r\n"} {
		if got, _, ended := decodeAll(in); ended {
			t.Errorf("%q ends with %q", in, got)
		}
	}
}

func TestDotsAreAdded(t *testing.T) {
	for in, want := range map[string]string{
		"":                    ".\r\n",
		"a":                   "a\r\n.\r\n",
		"a\r\n":               "a\r\n.\r\n",
		".\r\n":               "..\r\n.\r\n",
		"a\r\n.b\r\n..\r\n":   "a\r\n..b\r\n...\r\n.\r\n",
		"a\n.b\r.c\r\n":       "a\r\n..b\r\n..c\r\n.\r\n",
		"a\n.\nb\r\n":         "a\r\n..\nb\r\n.\r\n",
		"a\n.\r\nb\r\n":       "a\r\n..\r\nb\r\n.\r\n",
		"a\r.\rb\r\n":         "a\r\n..\rb\r\n.\r\n",
		"a\r.\r\nb\r\n":       "a\r\n..\r\nb\r\n.\r\n",
		"a\n.":                "a\r\n..\r\n.\r\n",
		"a\r.":                "a\r\n..\r\n.\r\n",
		"a\n":                 "a\n\r\n.\r\n",
		"a\r":                 "a\r\r\n.\r\n",
		"a\r\n\n.\nb\r\r\n.c": "a\r\n\r\n..\nb\r\r\n..c\r\n.\r\n",
	} {
		if got := encoded([]byte(in), len(in)); string(got) != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if got := encoded([]byte(in), 1); string(got) != want {
			t.Errorf("%q, byte by byte: got %q, want %q", in, got, want)
		}
	}
}

// encoded returns a message as it is sent in parts of a size.
func encoded(in []byte, size int) []byte {
	var sent bytes.Buffer
	e := encoder{out: bufio.NewWriter(&sent)}
	for part := range slices.Chunk(in, max(size, 1)) {
		e.write(part)
	}
	e.end()
	return sent.Bytes()
}

// normal returns a message as it arrives: lines that begin with a dot have CR LF before them.
func normal(in []byte) []byte {
	var out []byte
	for i, b := range in {
		isDot := i+1 < len(in) && in[i+1] == '.'
		switch {
		case b == '\n' && isDot && (i == 0 || in[i-1] != '\r'):
			out = append(out, '\r', '\n')
		case b == '\r' && isDot:
			out = append(out, '\r', '\n')
		default:
			out = append(out, b)
		}
	}
	if !bytes.HasSuffix(out, []byte("\r\n")) && len(out) > 0 {
		out = append(out, '\r', '\n')
	}
	return out
}

// FuzzData sends any bytes as a message. It comes back as it was, and no program finds an end before its end, whatever it takes for the end
// of a line.
func FuzzData(f *testing.F) {
	for _, seed := range []string{"", ".", "a\n.\nb", "a\r.\rb\r\n", "a\r\n.\r\nb", "\n.\r\n", "\r\n.\n", "\r\r\n.\r\n", "\r.\n.\r.\n", "\n.\r\r\n", "\r\n.\r.\r\n"} {
		f.Add([]byte(seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		sent := encoded(in, int(size)+1)
		got, rest, ended := decodeAll(string(sent) + "rest")
		if !ended || rest != "rest" || got != string(normal(in)) {
			t.Errorf("%q is sent as %q and arrives as %q, then %q, want %q", in, sent, got, rest, normal(in))
		}
		for _, ends := range [][]string{{"\r\n"}, {"\r\n", "\n"}, {"\r\n", "\r"}, {"\r\n", "\r", "\n"}, {"\r\r\n", "\r\n", "\n"}} {
			if at := firstEnd(string(sent), ends); at != len(sent) {
				t.Errorf("%q is sent as %q, which ends at %d for a program whose lines end in %q", in, sent, at, ends)
			}
		}
		// What comes is only ever taken for an end where it is one.
		if text, rest, ended := decodeAll(string(in)); ended {
			before := "\r\n" + strings.TrimSuffix(string(in), rest)
			if !strings.HasSuffix(before, "\r\n.\r\n") || strings.Index(before, "\r\n.\r\n") != len(before)-5 {
				t.Errorf("%q ends with %q", in, text)
			}
			if want := strings.ReplaceAll(strings.TrimSuffix(before, ".\r\n"), "\r\n.", "\r\n")[2:]; text != want {
				t.Errorf("%q arrives as %q, want %q", in, text, want)
			}
		}
	})
}

// firstEnd returns where a program sees the end of a message, whose lines end in any of some texts, the longest first.
func firstEnd(sent string, ends []string) int {
	start := 0
	for i := 0; i < len(sent); {
		length := 0
		for _, end := range ends {
			if strings.HasPrefix(sent[i:], end) {
				length = len(end)
				break
			}
		}
		if length == 0 {
			i++
			continue
		}
		if sent[start:i] == "." {
			return i + length
		}
		i += length
		start = i
	}
	return -1
}
