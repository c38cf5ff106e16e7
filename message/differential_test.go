package message_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime/quotedprintable"
	"strings"
	"testing"
	"unicode/utf8"

	"chaff/message"
)

// The fuzz targets in this file hold each short way through the decoder to the long one, or to the library whose work it
// does.

// contentOf decodes a text part and returns what was found in it.
func contentOf(charset, encoding string, body []byte) string {
	return found(decode(fmt.Sprintf("Content-Type: text/plain; charset=%q\nContent-Transfer-Encoding: %s\n\n%s", charset, encoding, body)))
}

// found puts everything that was found in a message but what was mended into one text.
func found(m *message.Message) string {
	var all strings.Builder
	for _, fields := range [][]message.Field{m.Header, m.Attached} {
		for _, f := range fields {
			if !describesContent(string(f.Name)) {
				fmt.Fprintf(&all, "%s: %q\n", f.Name, f.Value)
			}
		}
	}
	for _, p := range m.Parts {
		fmt.Fprintf(&all, "%s %q %q %q %v %d\n", p.Type, p.Filename, p.Text, p.Hidden, p.Attachment, p.Images)
	}
	for _, l := range m.Links {
		fmt.Fprintf(&all, "%v %q %q\n", l.Kind, l.URL, l.Text)
	}
	return all.String()
}

// FuzzBase64 compares valid base64, which the standard library decodes, with the same base64 with a fault, and any base64
// that the library accepts with the library's result.
func FuzzBase64(f *testing.F) {
	for _, seed := range []string{
		"", "a", "ab", "A letter of some length, so that its base64 has more than one line of 76 characters.",
		"\xff\x00\xfe", "YWJj", "YQ==", "Y\nQ=\n=\n", "YWJjYWJjYWJjYWJjYWJjYWJjYWJjYWJjYWJjYWJjYWJj",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		const enough = 60 // bytes, of which one fault does not make base64 doubtful
		if mayBeNoise(text) {
			return
		}
		clean := base64Lines(string(text))
		want := contentOf("", "base64", []byte(clean))
		if len(text) >= enough {
			for name, damaged := range map[string]string{
				"a blank":           clean[:20] + " " + clean[20:],
				"a foreign byte":    clean[:20] + "*" + clean[20:],
				"no padding":        strings.TrimRight(clean, "=\n"),
				"odd lengths":       inLines(strings.ReplaceAll(clean, "\n", ""), 47),
				"another line ends": strings.ReplaceAll(clean, "\n", "\r\n"),
			} {
				if got := contentOf("", "base64", []byte(damaged)); got != want {
					t.Errorf("%s in the base64 of %q: got %q, want %q", name, text, got, want)
				}
			}
		}
		if library, err := base64.StdEncoding.DecodeString(string(text)); err == nil && !bytes.ContainsRune(library, '\r') && !mayBeNoise(library) {
			if got, want := contentOf("", "base64", text), contentOf("", "8bit", library); got != want {
				t.Errorf("%q is base64: got %q, the library finds %q", text, got, want)
			}
		}
	})
}

// mayBeNoise reports whether text has control characters. If they are many, what seems to be base64 of it is shown as well.
func mayBeNoise(text []byte) bool {
	return bytes.ContainsFunc(text, func(r rune) bool { return 0 < r && r < ' ' && !strings.ContainsRune("\t\n\r\f\x1b", r) })
}

// FuzzQuotedPrintable compares the decoder of quoted-printable text with the standard library.
func FuzzQuotedPrintable(f *testing.F) {
	for _, seed := range []string{
		"", "a=3Db=\n c=C3=A9", "=c3=a9", "a= \t\nb=", "blanks \t\n at the end  ", "=\n=\n", "caf\xe9 \x00 .\n.\n", "www.shop.example/=3D",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.ContainsRune(text, '\r') || mayBeNoise(text) {
			return // whether the library reads it as a line end depends on the bytes beside it
		}
		got := contentOf("", "quoted-printable", []byte(quotedLines(string(text))))
		if want := contentOf("", "base64", []byte(base64Lines(string(text)))); got != want {
			t.Errorf("%q written by the library: got %q, want %q", text, got, want)
		}
		library, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(text)))
		if err != nil || bytes.ContainsRune(library, '\r') || mayBeNoise(library) || hasBlankBeforeLineEnd(text) {
			return // of blanks at the end of a line the library keeps none
		}
		got = contentOf("", "quoted-printable", text)
		if want := contentOf("", "base64", []byte(base64Lines(string(library)))); got != want {
			t.Errorf("%q: got %q, the library reads %q", text, got, want)
		}
	})
}

func hasBlankBeforeLineEnd(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if len(bytes.TrimRight(line, " \t")) < len(line) {
			return true
		}
	}
	return false
}

// FuzzPlainUTF8 compares text that needs no conversion with the same text after a byte order mark, which is converted.
func FuzzPlainUTF8(f *testing.F) {
	for _, seed := range []string{"", "plain", "naïve €5", "\x1b$B$\"\x1b(B", "a\x00b", "~{VPND~}", "деньги"} {
		f.Add([]byte(seed))
	}
	labels := []string{"", "us-ascii", "utf-8", "utf-16", "utf-16le", "iso-8859-1", "windows-1252", "koi8-r", "iso-2022-jp",
		"shift_jis", "gb18030", "big5", "hz-gb-2312", "x-unheard-of"}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !utf8.Valid(text) || bytes.ContainsAny(text, "<") || bytes.HasPrefix(text, []byte("\ufeff")) {
			return
		}
		for _, label := range labels {
			got := contentOf(label, "8bit", text)
			if want := contentOf(label, "8bit", append([]byte("\ufeff"), text...)); got != want {
				t.Errorf("%q in %q: got %q, converted %q", text, label, got, want)
			}
		}
	})
}

// FuzzFieldWithoutEncodedWords compares a field value that has no encoded word with the same value and one at its end.
func FuzzFieldWithoutEncodedWords(f *testing.F) {
	for _, seed := range []string{"", "plain", "caf\xe9", "café", "=? not one", "a =  b", "\ufeff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		value = bytes.TrimSpace(value)
		if bytes.ContainsAny(value, "\r\n\x00\x1b") || bytes.Contains(value, []byte("=?")) || len(value) > 1000 {
			return // with NUL or ESC it may be in a charset in which a piece is not read as the whole is
		}
		subject := func(value []byte) string { // the charset is declared, or it would be guessed from what is around
			const header = "Content-Type: text/plain; charset=windows-1252\nSubject: "
			return string(decode(header + string(value) + "\n\n").Get("Subject"))
		}
		got := subject(append(bytes.Clone(value), " =?us-ascii?q?end?="...))
		if got, ok := strings.CutSuffix(got, "end"); !ok || strings.TrimSpace(got) != strings.TrimSpace(subject(value)) {
			t.Errorf("%q: got %q before an encoded word, %q without", value, got, subject(value))
		}
	})
}

// FuzzLineEnds compares a message whose lines end in LF, which is not copied, with the same message in CR LF.
func FuzzLineEnds(f *testing.F) {
	addExampleMail(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw = bytes.ReplaceAll(raw, []byte("\r"), nil)
		lf := decode(string(raw))
		crlf := decode(strings.ReplaceAll(string(raw), "\n", "\r\n"))
		if got, want := found(crlf), found(lf); got != want || crlf.Repairs != lf.Repairs {
			t.Errorf("%q: got %q (%s) with CR LF, %q (%s) with LF", raw, got, repairs(crlf), want, repairs(lf))
		}
	})
}

// FuzzLinksInText compares the search for links in a text, which remembers where the next link may be, with a search in each
// piece between blanks.
func FuzzLinksInText(f *testing.F) {
	for _, seed := range []string{
		"see http://a.example/ or www.b.example, or WWW.c.example", "www.www.://x ://", "awww.x http://", "a://b://c www. .",
		"averyveryverylongwordcom://a.example", "mailto:a@b http://c\u00a0d",
		`http:\\a.example\b http:/a http:a.b`, `www.http:\a http://\a`, "http://é.b http://a。b。 http://aé http://a.рф", "httphttp:a.b:http:/c",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || strings.ContainsAny(text, "<\x00\x1b\r\ufeff") {
			return
		}
		var want []string
		for stretch := range strings.FieldsFuncSeq(text, func(r rune) bool { return r <= ' ' }) {
			if links := urls(decode("\n" + stretch)); links != "" {
				want = append(want, links)
			}
		}
		if got := urls(decode("\n" + text)); got != strings.Join(want, " ") {
			t.Errorf("%q: got links %q, in the stretches by themselves %q", text, got, want)
		}
	})
}

// FuzzHugeTag compares HTML with a huge tag with the same HTML with a small tag.
func FuzzHugeTag(f *testing.F) {
	for _, seed := range [][2]string{
		{"<p>one", "two</p>"}, {"<script>", "</script>three"}, {"<title>", "</title>"}, {"<!-- a", "--> b"}, {"<a href='", "'>c</a>"},
		{"<a href=//b.example>", "</a>"}, {"<div style=display:none>", "</div>seen"}, {"<xmp>", "</xmp>"}, {"<", ">"},
		{"<xmP ", "<b>one</b>"}, {"<plaintext ", "<b>one</b></plaintext>two"}, {"<script ", "if (a<b c='</script>'>one"},
		{"<title ", "<b>one</b>"}, {"&&&&&&<xmP ", "CCCd<\x00/>"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		if len(before)+len(after) > 10_000 || !utf8.ValidString(before+after) {
			return // the charset is guessed from the start of a text, and the size of the tag changes that start
		}
		with := func(attribute string) string {
			m := decode("Content-Type: text/html; charset=utf-8\n\n" + before + `<i x="` + attribute + `">` + after)
			var all []string
			for _, p := range m.Parts {
				all = append(all, fmt.Sprintf("%q %q", p.Text, p.Hidden))
			}
			return strings.ReplaceAll(strings.Join(all, "\n"), "x", "")
		}
		if huge, small := with(strings.Repeat("x", 1500)), with("x"); huge != small {
			t.Errorf("%q and %q: got %s around a huge tag, %s around a small one", before, after, huge, small)
		}
	})
}
