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
