package message_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"chaff/message"
)

// check reports what no message may lead to: text that is not UTF-8, and more of anything than the limits allow.
func check(t *testing.T, m *message.Message, o message.Options, size int) {
	t.Helper()
	valid := func(what string, b []byte) {
		if !utf8.Valid(b) {
			t.Errorf("%s %q is not valid UTF-8", what, b)
		}
	}
	for _, f := range slices.Concat(m.Header, m.Attached) {
		valid("name", f.Name)
		valid("value", f.Value)
		if len(f.Name) == 0 {
			t.Error("a field has no name")
		}
		if bytes.IndexByte(f.Name, '\n') >= 0 {
			t.Errorf("name %q has a line end", f.Name)
		}
	}
	text := 0
	for _, p := range m.Parts {
		valid("type", p.Type)
		valid("charset", p.Charset)
		valid("encoding", p.Encoding)
		valid("file name", p.Filename)
		valid("text", p.Text)
		text += len(p.Text)
		if bytes.IndexByte(p.Text, 0) >= 0 {
			t.Errorf("text %q has a NUL", p.Text)
		}
	}
	for _, link := range m.Links {
		u := link.URL
		valid("URL", u)
		if len(u) == 0 || len(u) > 2048 {
			t.Errorf("URL %q has %d bytes", u, len(u))
		}
	}
	// Two characters can come of one entity, which makes 6 bytes of 5 at most.
	if limit := o.MaxTextBytes * 6 / 5; text > limit {
		t.Errorf("got %d bytes of text, want at most %d", text, limit)
	}
	if len(m.Parts) > o.MaxParts {
		t.Errorf("got %d parts, want at most %d", len(m.Parts), o.MaxParts)
	}
	if got := len(m.Header) + len(m.Attached); got > o.MaxHeaderFields {
		t.Errorf("got %d fields, want at most %d", got, o.MaxHeaderFields)
	}
	if len(m.Links) > size {
		t.Errorf("got %d URLs of %d bytes", len(m.Links), size)
	}
}

// all writes down all of a message, whether an empty list is nil or not.
func all(m *message.Message) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%v %v %q %q", m.Repairs, m.Marks, m.Header, m.Attached)
	for _, p := range m.Parts {
		fmt.Fprintf(&s, "\n%q %q %q %q %v %d %q %q", p.Type, p.Charset, p.Encoding, p.Filename, p.Attachment, p.Images, p.Text, p.Hidden)
	}
	for _, l := range m.Links {
		fmt.Fprintf(&s, "\n%d %q %q %q", l.Kind, l.URL, l.Base, l.Text)
	}
	return s.String()
}

// A decoder that has decoded any other message finds in one what a new decoder finds.
func TestNothingIsLeftOfTheMessageBefore(t *testing.T) {
	mail := exampleMail(t)
	for _, o := range []message.Options{{}, {MaxDepth: 4, MaxParts: 3, MaxTextBytes: 400, MaxHeaderBytes: 100, MaxHeaderFields: 5}} {
		fresh := make(map[string]string)
		for i, raw := range mail {
			fresh[i] = all(message.NewDecoder(o).Decode(raw))
		}
		for i := range mail {
			used := message.NewDecoder(o)
			for j := range mail {
				used.Decode(mail[i])
				if got := all(used.Decode(mail[j])); got != fresh[j] {
					t.Fatalf("%s after %s: got %s, want %s", j, i, got, fresh[j])
				}
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	addExampleMail(f)
	o := message.Options{MaxDepth: 4, MaxParts: 8, MaxTextBytes: 4000, MaxHeaderBytes: 500, MaxHeaderFields: 20}
	used := message.NewDecoder(o)
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		m := used.Decode(raw)
		check(t, m, o, len(raw))
		if !bytes.Equal(raw, before) {
			t.Error("the message was changed")
		}
		// A decoder that has decoded other messages finds what a new one finds.
		fresh := message.NewDecoder(o).Decode(raw)
		if got, want := all(m), all(fresh); got != want {
			t.Errorf("got %s from a used decoder, %s from a new one", got, want)
		}
	})
}

func FuzzHTML(f *testing.F) {
	for _, html := range []string{
		"<p>a</p>", "<a href='x", "<script>a</script>b", "<!-- a > b", "&#0;&nGg;", "<title>a<xmp>b", "<img alt=a src=//b>", "<a\x00b>",
		"\x1b$B",
	} {
		f.Add(html)
	}
	o := message.DefaultOptions()
	d := message.NewDecoder(o)
	f.Fuzz(func(t *testing.T, html string) {
		m := d.Decode([]byte("Content-Type: text/html; charset=utf-8\n\n" + html))
		check(t, m, o, len(html))
		if !strings.ContainsAny(html, "<&\x00\r\x1b") && utf8.ValidString(html) && len(m.Links) == 0 &&
			!strings.HasPrefix(html, "\ufeff") {
			if got := string(m.Parts[0].Text); got != html {
				t.Errorf("text without markup became %q", got)
			}
		}
	})
}
