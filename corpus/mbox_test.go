package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestParseFromLine(t *testing.T) {
	const want = "2002-08-22 12:36:23"
	tests := []struct {
		about, line, time string // time "" means none
		ok                bool
	}{
		{"as in RFC 4155", "From ann@example.org Thu Aug 22 12:36:23 2002", want, true},
		{"two blanks", "From ann@example.org  Thu Aug 22 12:36:23 2002", want, true},
		{"CR at the end", "From ann@example.org Thu Aug 22 12:36:23 2002\r", want, true},
		{"no seconds", "From ann@example.org Thu Aug 22 12:36 2002", "2002-08-22 12:36:00", true},
		{"a zone before the year", "From ann@example.org Thu Aug 22 12:36:23 EDT 2002", "2002-08-22 16:36:23", true},
		{"a zone at the end", "From ann@example.org Thu Aug 22 12:36:23 2002 +0200", "2002-08-22 10:36:23", true},
		{"in the order of RFC 5322", "From ann@example.org Thu, 22 Aug 2002 12:36:23 +0000", want, true},
		{"a sender without a host", "From MAILER-DAEMON Thu Aug 22 12:36:23 2002", want, true},
		{"a dash for the sender", "From - Thu Aug 22 12:36:23 2002", want, true},
		{"no sender", "From  Thu Aug 22 12:36:23 2002", want, true},
		{"a sender in words", `From "Ann Lee" <ann@example.org> Thu Aug 22 12:36:23 2002`, want, true},
		{"UUCP", "From ann Thu Aug 22 12:36:23 2002 remote from host", want, true},
		{"no year", "From ann@example.org Thu Aug 22 12:36:23", "", true},
		{"only a year after an address", "From ann@example.org 2002", "", true},
		{"no date", "From ann@example.org", "", false},
		{"prose", "From here on it is easy", "", false},
		{"prose with a time", "From Monday 10:30 the office is open", "", false},
		{"prose that ends in a time", "From the office we go at 10:30", "", false},
		{"prose that ends in a year", "From the beginning until May 2003", "", false},
		{"prose that begins with a year", "From 2002 to 2003", "", false},
		{"a field", "From: ann@example.org Thu Aug 22 12:36:23 2002", "", false},
		{"quoted", ">From ann@example.org Thu Aug 22 12:36:23 2002", "", false},
		{"nothing", "From ", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			date, ok := parseFromLine([]byte(tt.line))
			got := ""
			if !date.IsZero() {
				got = date.Format("2006-01-02 15:04:05")
			}
			if ok != tt.ok || got != tt.time {
				t.Errorf("got %q, %v, want %q, %v", got, ok, tt.time, tt.ok)
			}
		})
	}
}

func scanAll(t testing.TB, r io.Reader) (all []mboxMessage) {
	t.Helper()
	err := scanMbox(r, func(m mboxMessage) bool {
		all = append(all, m)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestScanMbox(t *testing.T) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\n"
	tests := []struct {
		about string
		parts []string // the first belongs to no message
	}{
		{"nothing", []string{""}},
		{"one message", []string{"", from + "Subject: a\n\na\n"}},
		{"two messages", []string{"", from + "a\n\n", from + "b\n"}},
		{"CRLF", []string{"", strings.ReplaceAll(from+"a\n\n", "\n", "\r\n"), strings.ReplaceAll(from+"b\n", "\n", "\r\n")}},
		{"empty lines first", []string{"\n\r\n", from + "a\n"}},
		{"foreign text first", []string{"# my mail\n\n", from + "a\n"}},
		{"no line end at the end", []string{"", from + "a\n\n", from + "b"}},
		{"a From_ line is the last", []string{"", from + "a\n\n", from[:len(from)-1]}},
		{"empty messages", []string{"", from + "\n", from + "\n", from}},
		{"no empty line before From", []string{"", from + "a\n" + from + "b\n"}},
		{"prose after an empty line", []string{"", from + "\n\nFrom here on it goes\n\nFrom \n\n", from + "b\n"}},
		{"quoted From", []string{"", from + "\n\n>" + from + "\n", from + "b\n"}},
		{"a very long line", []string{"", from + "\n" + strings.Repeat("x", 3*mboxBuffer) + "\n\n", from + "\n\nFrom " + strings.Repeat("y", 2*mboxBuffer) + "\n\n", from}},
	}
	for _, tt := range tests {
		for _, reader := range []struct {
			name string
			wrap func(io.Reader) io.Reader
		}{{"at once", func(r io.Reader) io.Reader { return r }}, {"in halves", iotest.HalfReader}, {"with the end", iotest.DataErrReader}} {
			t.Run(tt.about+" "+reader.name, func(t *testing.T) {
				text := strings.Join(tt.parts, "")
				var got []string
				for _, m := range scanAll(t, reader.wrap(strings.NewReader(text))) {
					got = append(got, text[m.offset:m.offset+m.size])
				}
				if !slices.Equal(got, tt.parts[1:]) {
					t.Errorf("got  %.300q\nwant %.300q", got, tt.parts[1:])
				}
			})
		}
	}
}

// TestScanMboxAtEveryPlaceOfTheWindow moves a border between messages over the
// place where the scanner reads on.
func TestScanMboxAtEveryPlaceOfTheWindow(t *testing.T) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\r\n"
	text := append([]byte(from), bytes.Repeat([]byte("x"), mboxBuffer)...)
	tail := "\r\n\r\n" + from + "\r\nbody\r\n"
	for n := mboxBuffer - 120; n <= mboxBuffer+10; n++ {
		all := scanAll(t, strings.NewReader(string(text[:n])+tail))
		if len(all) != 2 || all[1].offset != int64(n+4) || all[1].time.IsZero() {
			t.Fatalf("body up to %d: got %v", n, all)
		}
	}
}

func TestScanMboxReadError(t *testing.T) {
	const one = "From ann@example.org Thu Aug 22 12:36:23 2002\n\na\n\n"
	broken := errors.New("input/output error")
	n := 0
	err := scanMbox(io.MultiReader(strings.NewReader(one+one+one), iotest.ErrReader(broken)), func(mboxMessage) bool {
		n++
		return true
	})
	if !errors.Is(err, broken) || n != 2 {
		t.Errorf("got %v after %d messages, want %v after 2", err, n, broken)
	}
}

func TestMboxThatIsGoneIsOneError(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mbox")
	got := contents(listMbox(system{}, name, "ham"))
	if want := []string{"ham! list " + name + ": no such file or directory"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzScanMbox(f *testing.F) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\n"
	f.Add([]byte(""))
	f.Add([]byte(from + "a\n\n" + from + "b"))
	f.Add([]byte("junk\n\n" + from + "\r\n\r\n" + from + "\n\nFrom here\n\n>" + from))
	f.Add([]byte("\r\n" + from))
	f.Fuzz(func(t *testing.T, text []byte) {
		all := scanAll(t, bytes.NewReader(text))
		for i, m := range all {
			end := int64(len(text))
			if i+1 < len(all) {
				end = all[i+1].offset
			}
			if m.offset < 0 || m.size <= 0 || m.offset+m.size != end {
				t.Errorf("message %d has offset %d and size %d, want it to end at %d", i, m.offset, m.size, end)
			}
			if !bytes.HasPrefix(text[m.offset:], []byte(fromPrefix)) {
				t.Errorf("message %d begins with %.20q", i, text[m.offset:])
			}
		}
		if byHalves := scanAll(t, iotest.OneByteReader(bytes.NewReader(text))); !slices.Equal(all, byHalves) {
			t.Errorf("got %v at once, %v byte by byte", all, byHalves)
		}
	})
}

func BenchmarkScanMbox(b *testing.B) {
	var mbox bytes.Buffer
	for i := range 2000 {
		fmt.Fprintf(&mbox, "From ann@example.org Thu Aug 22 12:36:23 2002\nSubject: %d\n\n", i)
		for range 60 {
			mbox.WriteString("From the text of a letter, in lines of about seventy bytes each one.\n")
		}
		mbox.WriteString("\n")
	}
	b.SetBytes(int64(mbox.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if n := len(scanAll(b, bytes.NewReader(mbox.Bytes()))); n != 2000 {
			b.Fatalf("got %d messages, want 2000", n)
		}
	}
}
