package sources

import (
	"bytes"
	"fmt"
	"testing"

	"chaff/test/tabletest"
)

func TestCutEmlx(t *testing.T) {
	tabletest.Strings(t, func(s string) string { return string(cutEmlx([]byte(s))) }, [][3]string{
		{"the message is what the number counts", "5\nabcde<?xml?>", "abcde"},
		{"blanks after the number", "5         \nabcde<?xml?>", "abcde"},
		{"a CR after the number", "5\r\nabcde<?xml?>", "abcde"},
		{"a number that is too large", "50\nabcde", "abcde"},
		{"a number that is no size of a message", "99999999999999\nabcde", "99999999999999\nabcde"},
		{"no number", "Subject: a\n\nb\n", "Subject: a\n\nb\n"},
		{"an empty line first", "\n5\nabcde", "\n5\nabcde"},
		{"an empty message", "0\n<?xml?>", ""},
		{"nothing but a number", "5", ""},
		{"nothing", "", ""},
	})
}

func TestFilesOfDovecot(t *testing.T) {
	framed := func(size int, message string) string {
		return fmt.Sprintf("\x01\x02N%25s%016X\n%s\n\x01\x03\nR4f8a1b2c\nG0123\n\n", "", size, message)
	}
	const head, message = "2 M1e C4f8a1b2c\n", "Subject: a\n\nb\n"
	unpacked := func(file string) string {
		raw, err := unpackDbox([]byte(file))
		if err != nil {
			return err.Error()
		}
		return string(raw)
	}
	packed := pack(t, gzipped, message)
	tabletest.Strings(t, unpacked, [][3]string{
		{"a message of sdbox", head + framed(len(message), message), message},
		{"a compressed message of sdbox", head + framed(len(packed), packed), message},
		{"messages of mdbox", head + framed(len(message), message) + framed(len(message), message), "is no mail but a Dovecot mdbox file"},
		{"a size that is too large", head + framed(1<<20, message), "is a damaged file of Dovecot"},
		{"a size that is none", head + "\x01\x02N\n" + message, "is a damaged file of Dovecot"},
		{"a message that begins alike", head + message, head + message},
		{"a message", message, message},
		{"nothing", "", ""},
	})
	dir := tree(t, map[string]string{"dbox-Mails/u.1": head + framed(len(message), message), "dbox-Mails/dovecot.index": "x"})
	check(t, "a folder of sdbox", contents(open(t, dir, "")), []string{"ham: " + message})
}

func TestAMixMailboxOfAlpineIsNamed(t *testing.T) {
	dir := tree(t, map[string]string{".mixmeta": "x", ".mixindex": "x", ".mix5f3a0001": "x", "b/1.eml": "a"})
	check(t, "", contents(open(t, dir, "")), []string{"ham! " + dir + " is no mail but an Alpine mix mailbox", "ham: a"})
}

// FuzzCutEmlx requires that the message in a frame comes back in the same memory, and a part of any other file.
func FuzzCutEmlx(f *testing.F) {
	f.Add([]byte("Subject: a\n\nb\n"), []byte("<?xml version=\"1.0\"?>"))
	f.Add([]byte("12\n3"), []byte(""))
	f.Fuzz(func(t *testing.T, message, rest []byte) {
		if part := cutEmlx(bytes.Clone(rest)); !bytes.Contains(rest, part) {
			t.Errorf("got %q, which is not in %q", part, rest)
		}
		file := fmt.Appendf(nil, "%-10d\n%s%s", len(message), message, rest)
		start := &file[0]
		got := cutEmlx(file)
		if !bytes.Equal(got, message) || cap(got) > 0 && &got[:1][0] != start {
			t.Errorf("got %q, want %q", got, message)
		}
	})
}
