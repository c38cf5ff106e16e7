package sources

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"chaff/corpus"
	"chaff/internal/lines"
	"chaff/message"
)

// splitSlowly implements the documentation of scanMbox with the whole file in memory.
func splitSlowly(text []byte) (all []mboxMessage) {
	var starts []int
	header := false // in the header after the last of them
	first, afterEmpty, patches := true, false, false
	for i := 0; i < len(text); {
		n := lines.LineEnd(text[i:])
		start, line := i, bytes.TrimRight(text[i:i+n], "\r\n")
		i += n
		if start == 0 && bytes.HasPrefix(line, []byte("\xef\xbb\xbf")) {
			start, line = 3, line[3:]
		}
		next := bytes.TrimRight(text[i:i+lines.LineEnd(text[i:])], "\r\n")
		looks := likenessOf(line)
		patches = patches || looks == likePatch && len(starts) == 0
		dated := looks == likeDated || looks == likePatch && patches
		afterEmpty = afterEmpty || first
		again := bytes.HasPrefix(next, []byte("From ")) || bytes.HasPrefix(next, []byte(">From "))
		begins := dated && isField(next) || afterEmpty && (dated && (len(starts) == 0 || len(next) == 0 || again) || looks == likeSender && isMailField(next))
		switch {
		case len(line) == 0:
			header = false
		case begins && !header:
			starts, header = append(starts, start), true
		}
		first, afterEmpty = false, len(line) == 0
	}
	for i, start := range starts {
		end := append(starts, len(text))[i+1]
		all = append(all, mboxMessage{offset: int64(start), size: int64(end - start)})
	}
	return all
}

// FuzzScanMbox requires that the messages cover the file from the first to its end, that they are those of splitSlowly, and
// that they do not depend on how the file is read.
func FuzzScanMbox(f *testing.F) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\n"
	f.Add([]byte(""))
	f.Add([]byte(from + "a\n\n" + from + "b"))
	f.Add([]byte("junk\n\n" + from + "\r\n\r\n" + from + "\n\nFrom here\n\n>" + from))
	f.Add([]byte("\ufeff\r\n" + from))
	f.Add([]byte(from + "A: b\n\na\n" + from + "A: b\n\na\n" + from + from + "A: b"))
	const patch = "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nFrom: a\n\n"
	f.Add([]byte("From \nFrom: a\n\nb\n\nFrom \nTo: a\n\nFrom -\nDate: a\n\nFrom a@b.example 1699357652\nX-A: b\n\n" + patch))
	f.Add([]byte(from + "X-GM-THRID: 1\nX-Gmail-Labels: =?UTF-8?Q?Spam,?=\n =?UTF-8?Q?Trash?=\n\n\n" + from + "X-Gmail-Labels: Spam\n"))
	f.Add([]byte(patch + "b\n\n" + patch))
	f.Add([]byte(strings.ReplaceAll(from+"A: b\n\nb\n\n"+from+"A: b\n\n", "\n", "\r")))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > mboxBuffer || message.CheckFormat(text) != nil {
			return
		}
		scan := func(r io.Reader) (all []mboxMessage) {
			err := scanMbox(r, func(m mboxMessage) bool {
				all = append(all, mboxMessage{offset: m.offset, size: m.size})
				return true
			})
			if err != nil && !corpus.IsRemark(err) && (err != errNoFromLine || len(all) > 0) {
				t.Errorf("got the error %v", err)
			}
			return all
		}
		all := scan(bytes.NewReader(text))
		for i, m := range all {
			end := int64(len(text))
			if i+1 < len(all) {
				end = all[i+1].offset
			}
			if m.offset < 0 || m.size <= 0 || m.offset+m.size != end {
				t.Errorf("message %d has offset %d and size %d, want it to end at %d", i, m.offset, m.size, end)
			}
			if !bytes.HasPrefix(text[m.offset:], []byte(lines.FromPrefix)) {
				t.Errorf("message %d begins with %.20q", i, text[m.offset:])
			}
		}
		if n := bytes.Count(text, []byte(lines.FromPrefix)); len(all) > n {
			t.Errorf("got %d messages of %d From_ lines", len(all), n)
		}
		if lineEndOf(text) == '\r' {
			text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\n"), []byte("\v")), []byte("\r"), []byte("\n"))
		}
		same := func(a, b mboxMessage) bool { return a.offset == b.offset && a.size == b.size }
		if want := splitSlowly(text); !slices.EqualFunc(all, want, same) {
			t.Errorf("got %v, want %v", all, want)
		}
		if byHalves := scan(iotest.OneByteReader(bytes.NewReader(text))); !slices.EqualFunc(all, byHalves, same) {
			t.Errorf("got %v at once, %v byte by byte", all, byHalves)
		}
	})
}

// FuzzUnquoteFrom requires that unquoteFrom undoes the quoting of mboxrd.
func FuzzUnquoteFrom(f *testing.F) {
	f.Add([]byte("\nFrom x\n>From y\n>>From z\n"))
	f.Add([]byte("A: b\r\n\r\n>From \r\n>"))
	f.Add([]byte("\n>\n>>\n>From"))
	line := regexp.MustCompile(`(?m)^(>*From )`)
	f.Fuzz(func(t *testing.T, message []byte) {
		_, body, isField := lines.CutField(message)
		for isField {
			_, body, isField = lines.CutField(body)
		}
		quoted := append(bytes.Clone(message[:len(message)-len(body)]), line.ReplaceAll(body, []byte(">$1"))...)
		if got := unquoteFrom(quoted); !bytes.Equal(got, message) {
			t.Errorf("got %q, want %q", got, message)
		}
	})
}
