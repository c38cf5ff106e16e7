package sources

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"chaff/corpus"
	"chaff/message"
	"chaff/test/tabletest"
)

func scanAll(t testing.TB, r io.Reader) (all []mboxMessage) {
	t.Helper()
	err := scanMbox(r, func(m mboxMessage) bool {
		all = append(all, m)
		return true
	})
	if !corpus.IsRemark(err) {
		must(t, err)
	}
	return all
}

// partsOf returns the messages of an mbox that is read through wrap.
func partsOf(t testing.TB, mbox string, wrap func(io.Reader) io.Reader) (parts []string) {
	for _, m := range scanAll(t, wrap(strings.NewReader(mbox))) {
		parts = append(parts, mbox[m.offset:m.offset+m.size])
	}
	return parts
}

func TestScanMbox(t *testing.T) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\n"
	const patch = "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nFrom: a\n\n---\n\n"
	for _, tt := range []struct {
		about string
		parts []string // the first belongs to no message
	}{
		{"nothing", []string{""}},
		{"one message", []string{"", from + "Subject: a\n\na\n"}},
		{"two messages", []string{"", from + "a\n\n", from + "B: b\n"}},
		{"CRLF", []string{"", strings.ReplaceAll(from+"a\n\n", "\n", "\r\n"), strings.ReplaceAll(from+"B: b\n", "\n", "\r\n")}},
		{"empty lines first", []string{"\n\r\n", from + "a\n"}},
		{"foreign text first", []string{"# my mail\n\n", from + "a\n"}},
		{"no line end at the end", []string{"", from + "a\n\n", from + "B: b"}},
		{"a From_ line is the last", []string{"", from + "a\n\n", from[:len(from)-1]}},
		{"empty messages", []string{"", from + "\n", from + "\n", from}},
		{"no empty line before From", []string{"", from + "a\n" + from + "B: b\n"}},
		{"a byte order mark", []string{"\ufeff", from + "a\n\n", from + "B: b\n"}},
		{"a byte order mark at the head of a message", []string{"", from + "A: b\n\na\n\n", from + "\ufeffB: b\n\nb\n", from + "\ufeffC: b\n\nc\n"}},
		{"joined without an empty line", []string{"", from + "A: b\n\na\n", from + "A: b\n\nb\n", from + "A: b\n\nc\n"}},
		{"joined, with CRLF", []string{"", from + "A: b\r\n\r\na\r\n", from + "A: b\r\n\r\nb\r\n"}},
		{"joined, but in a header", []string{"", from + "A: b\n" + from + "A: b\n\nb\n"}},
		{"joined, but without a full date", []string{"", from + "A: b\n\na\nFrom ann@example.org 2002\nA: b\n\nb\n"}},
		{"joined, but with words for a sender", []string{"", from + "A: b\n\na\nFrom Ann B. Lee Thu Aug 22 12:36:23 2002\nA: b\n\nb\n"}},
		{"no date, as Thunderbird writes it", []string{"", "From \r\nFrom: a\r\n\r\na\r\n\r\n", "From \r\nTo: a\r\n\r\n"}},
		{"no date, and no empty line before", []string{"", "From \nFrom: a\n\na\nFrom \nTo: a\n\n"}},
		{"no date, and no field of mail after it", []string{"", "From \nFrom: a\n\nFrom \nhttps://example.org/a-b\n\nFrom \nNote: a\n"}},
		{"senders of many kinds", []string{"", "From -\nTo: a\n\n", "From ann@example.org\nTo: a\n\n", "From 1844347792267117871\nTo: a\n\n", "From 1@xxx\nTo: a\n\n"}},
		{"a date without a header in the middle", []string{"", from + "A: b\n\n" + from + "is how it looks\n\n", from + "\na\n"}},
		{"CR alone", []string{"", strings.ReplaceAll(from+"A: b\n\na\n\n", "\n", "\r"), strings.ReplaceAll(from+"A: b\n\nb", "\n", "\r")}},
		{"CR alone, with LF in a letter", []string{"", "From \rTo: a\r\ra\nb\r\r", "From \rTo: b\r\rc"}},
		{"a patch of git in a letter", []string{"", from + "A: b\n\n" + patch, from + "A: b\n"}},
		{"patches of git", []string{"", patch, patch, from + "A: b\n\n", patch}},
		{"two From_ lines", []string{"", from + from + "A: b\n\na\n\n", from + "B: b\n"}},
		{"foreign text with a From_ line in it", []string{"my mail\n" + from + "is here\n\n", from + "a\n"}},
		{"prose after an empty line", []string{"", from + "\n\nFrom here on it goes\n\nFrom \n\n", from + "B: b\n"}},
		{"quoted From", []string{"", from + "\n\n>" + from + "\n", from + "B: b\n"}},
		{"a very long line that goes on like a message", []string{"", from + "\n" + strings.Repeat("x", mboxBuffer) + from + "A: b\n\n", from + "B: b\n"}},
		{"a very long line", []string{"", from + "\n" + strings.Repeat("x", 3*mboxBuffer) + "\n\n", from + "\n\nFrom " + strings.Repeat("y", 2*mboxBuffer) + "\n\n", from}},
	} {
		for _, reader := range []struct {
			name string
			wrap func(io.Reader) io.Reader
		}{{"at once", func(r io.Reader) io.Reader { return r }}, {"in halves", iotest.HalfReader}, {"with the end", iotest.DataErrReader}} {
			t.Run(tt.about+" "+reader.name, func(t *testing.T) {
				got := partsOf(t, strings.Join(tt.parts, ""), reader.wrap)
				if !slices.Equal(got, tt.parts[1:]) {
					t.Errorf("got  %.300q\nwant %.300q", got, tt.parts[1:])
				}
			})
		}
	}
}

// A sender can write the length of the body, so it does not decide where a message ends.
func TestALengthOfAMessageCountsNothing(t *testing.T) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\n"
	for _, length := range []string{"0", "1", "61", "99999999", "99999999999999999999", "x"} {
		parts := []string{from + "Content-Length: " + length + "\n\na\n\n", from + "A: b\n\nc\n"}
		check(t, length, partsOf(t, strings.Join(parts, ""), iotest.HalfReader), parts)
	}
}

// What Thunderbird and IMAP servers write above the fields of a message leaves it out; a sender who writes the same keeps no spam from being learned.
func TestASenderLeavesNoMessageOut(t *testing.T) {
	const from, received = "From ann@example.org Thu Aug 22 12:36:23 2002\n", "Received: from a by b\n"
	for _, field := range []string{"X-Mozilla-Status: 0009\n", "Subject: DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA\n"} {
		name := filepath.Join(t.TempDir(), "mbox")
		mbox := from + field + received + "To: a\nSubject: a\nX-Mozilla-Status: 0001\n\n\n" + from + received + field + "To: b\n\n"
		if err := os.WriteFile(name, []byte(mbox), 0o600); err != nil {
			t.Fatal(err)
		}
		items := itemsOf(t, listMbox(system{}, name, "spam"))
		if len(items) != 1 || !strings.HasSuffix(items[0].Origin, "#2") {
			t.Errorf("%q: got %v, want the second message", field, items)
		}
	}
}

// Pine and Dovecot mark messages as deleted below all fields, where a sender can do so too: it takes his message out of the ham, and never out of
// the spam.
func TestAMessageMarkedAsDeletedIsNoHam(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mbox")
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\nReceived: from a by b\nTo: a\nStatus: RO\n"
	must(t, os.WriteFile(name, []byte(from+"X-Status: AD\n\na\n\n"+from+"X-Status: Delivered\n\nb\n\n"), 0o600))
	for label, want := range map[string]int{Ham: 1, Spam: 2, "": 2} {
		if items := itemsOf(t, listMbox(system{}, name, label)); len(items) != want || !strings.HasSuffix(items[want-1].Origin, "#2") {
			t.Errorf("label %q: got %v, want %d messages", label, items, want)
		}
	}
}

func TestAnMboxOfAnOldMacIsRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mbox")
	must(t, os.WriteFile(name, []byte("From \rTo: a\r\r>From a\r\rFrom \rTo: b\r\rb\r"), 0o600))
	var got []string
	for _, item := range itemsOf(t, listMbox(system{}, name, Ham)) {
		got = append(got, string(read(t, item)))
	}
	check(t, "", got, []string{"From \nTo: a\n\nFrom a\n\n", "From \nTo: b\n\nb\n"})
}

// TestMboxFiles reads the files of testdata/mbox, one of each kind.
func TestMboxFiles(t *testing.T) {
	for _, tt := range []struct {
		about, name string
		subjects    []string
		text        string // that the last message has
	}{
		{"mboxo quotes lines that begin with From", "mboxo.mbox", []string{"minutes", "harvest"}, "\nFrom the garden "},
		{"mboxrd quotes quoted lines too", "mboxrd.mbox", []string{"minutes", "reply"}, "\n>From the garden "},
		{"mboxcl quotes and counts", "mboxcl.mbox", []string{"minutes", "harvest"}, "\nFrom the garden "},
		{"a wrong Content-Length does not count", "wrong-length.mbox", []string{"minutes", "harvest"}, "beans"},
		{"files joined with cat", "joined.mbox", []string{"minutes", "harvest", "bread"}, "flour"},
		{"CRLF and a byte order mark", "crlf-bom.mbox", []string{"minutes", "harvest"}, "beans"},
		{"what Thunderbird has moved away is left out", "expunged.mbox", []string{"minutes"}, "river"},
		{"the notes of an IMAP server are no message", "pine.mbox", []string{"minutes"}, "river"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			var subjects []string
			last := ""
			for _, item := range itemsOf(t, listMbox(system{}, filepath.Join("testdata", "mbox", tt.name), "ham")) {
				last = string(read(t, item))
				_, subject, _ := strings.Cut(last, "Subject: ")
				subject, _, _ = strings.Cut(subject, "\n")
				subjects = append(subjects, strings.TrimRight(subject, "\r"))
			}
			check(t, "the subjects", subjects, tt.subjects)
			if !strings.Contains(last, tt.text) {
				t.Errorf("got %q, want %q in it", last, tt.text)
			}
		})
	}
}

func TestMboxWithoutAnyMessage(t *testing.T) {
	root := tree(t, map[string]string{"text": "no mail\n\nFrom here on\n", "blank": "\n\r\n\n", "nothing": ""})
	for _, tt := range []struct {
		about, name string
		want        []string
	}{
		{"text without a From_ line is an error", "text", []string{"ham! " + filepath.Join(root, "text") + " has no From_ line, so it is not an mbox"}},
		{"empty lines are an empty mbox", "blank", nil},
		{"nothing is an empty mbox", "nothing", nil},
	} {
		t.Run(tt.about, func(t *testing.T) {
			check(t, "", contents(listMbox(system{}, filepath.Join(root, tt.name), "ham")), tt.want)
		})
	}
}

func TestUnquoteFrom(t *testing.T) {
	tabletest.Strings(t, func(s string) string { return string(unquoteFrom([]byte(s))) }, [][3]string{
		{"one sign is taken off", "A: b\n\n>From x\n", "A: b\n\nFrom x\n"},
		{"one of several", "A: b\n\nx\n>>>From x\ny\n", "A: b\n\nx\n>>From x\ny\n"},
		{"each line", "\n>From x\n>>From y\n>From z", "\nFrom x\n>From y\nFrom z"},
		{"CRLF", "A: b\r\n\r\n>From x\r\n>From y", "A: b\r\n\r\nFrom x\r\nFrom y"},
		{"a quotation in a letter stays", "\n> From x\n>from y\n>From: z\n", "\n> From x\n>from y\n>From: z\n"},
		{"within a line nothing is quoted", "\nx >From y\n", "\nx >From y\n"},
		{"the header stays", "From a\n>From b\nA: b\n\nx\n", "From a\n>From b\nA: b\n\nx\n"},
		{"no body", "A: b\n>From x\n", "A: b\n>From x\n"},
		{"nothing", "", ""},
	})
}

// TestScanMboxAtEveryPlaceOfTheWindow moves a boundary between messages across the end of the scanner's buffer.
func TestScanMboxAtEveryPlaceOfTheWindow(t *testing.T) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\r\n"
	text := append([]byte(from), bytes.Repeat([]byte("x"), mboxBuffer)...)
	tail := "\r\n\r\n" + from + "\r\nbody\r\n"
	for n := mboxBuffer - 120; n <= mboxBuffer+10; n++ {
		all := scanAll(t, strings.NewReader(string(text[:n])+tail))
		if len(all) != 2 || all[1].offset != int64(n+4) {
			t.Fatalf("body up to %d: got %v", n, all)
		}
	}
}

func TestScanMboxReadError(t *testing.T) {
	const one = "From ann@example.org Thu Aug 22 12:36:23 2002\n\na\n\n"
	broken := errors.New("input/output error")
	n := 0
	err := scanMbox(io.MultiReader(strings.NewReader(one+one+one), iotest.ErrReader(broken)), func(mboxMessage) bool { n++; return true })
	if !errors.Is(err, broken) || n != 2 {
		t.Errorf("got %v after %d messages, want %v after 2", err, n, broken)
	}
}

func TestMboxThatIsGoneIsOneError(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mbox")
	check(t, "", contents(listMbox(system{}, name, "ham")), []string{"ham! list " + name + ": no such file or directory"})
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

func TestAFileOfAnotherFormatIsNoMbox(t *testing.T) {
	err := scanMbox(strings.NewReader("%PDF-1.4\nFrom a@b.example Mon Jan  1 00:00:00 2024\nSubject: x\n\ny\n"), func(mboxMessage) bool { return true })
	var no *message.NoMail
	if !errors.As(err, &no) {
		t.Errorf("the error is %v, want one that names the PDF", err)
	}
}
