package message_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"chaff/message"
)

func TestWhatAMessageGivesTwiceIsReadBothWays(t *testing.T) {
	const (
		html  = "Content-Type: text/html\n"
		plain = "Content-Type: text/plain\n"
		qp    = "Content-Transfer-Encoding: quoted-printable\n"
		b64   = "Content-Transfer-Encoding: base64\n"
		both  = "--a\n\nfirst\n--a--\n--b\n\nsecond\n--b--\n"
	)
	tests := []struct{ name, raw, texts string }{
		{"two types", plain + html + "\n<b>a</b>", "<b>a</b> | a"},
		{"the same type twice", html + html + "\n<b>a</b>", "a"},
		{"two encodings", qp + b64 + "\nUGF5", "UGF5 | Pay"},
		{"two encodings that lead to the same", qp + "Content-Transfer-Encoding: 7bit\n\nPay", "Pay"},
		{"two boundaries", "Content-Type: multipart/mixed; boundary=a; boundary=b\n\n" + both, "first | second"},
		{"the same boundary twice", "Content-Type: multipart/mixed; boundary=a; boundary=a\n\n" + both, "first"},
		{"a boundary for those who know RFC 2231", "Content-Type: multipart/mixed; boundary=a; boundary*=us-ascii''b\n\n" + both, "second | first"},
		{"two charsets", "Content-Type: text/plain; charset=utf-8; charset=utf-7\n\na +AGI-", "a +AGI- | a b"},
		{"two types and two encodings", plain + html + qp + b64 + "\nPGI+YTwvYj4=", "PGI+YTwvYj4 | a"},
		{"a part", "Content-Type: multipart/mixed; boundary=c\n\n--c\n\nsame\n--c\n" + qp + b64 + "\nUGF5\n--c--", "same | UGF5 | Pay"},
		{"what only one reading shows is twofold itself", "Content-Type: multipart/mixed; boundary=a; boundary=b\n\n--b\n" + qp + b64 + "\nUGF5\n--b--\n--a\n\nx\n",
			"x | Pay"},
		{"an unreadable type at the end", html + "Content-Type: none\n\n<b>a</b>", "a | <b>a</b>"},
		{"other fields in a part than those of parts", "Content-Type: multipart/mixed; boundary=c\n\n--c\n" + strings.Repeat("Foo: a\n b\n", 9) + b64 + "\nUGF5\n--c--",
			strings.Repeat("Foo: a b ", 9) + "Content-Transfer-Encoding: base64 UGF5 | Pay"},
		{"other fields and none of parts", "Content-Type: multipart/mixed; boundary=c\n\n--c\nFoo: a\nBar: b\n\nCar: " + b64 + "--c--", "Foo: a Bar: b Car: Content-Transfer-Encoding: base64"},
		{"lines that begin with the boundary", "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nfirst\n--ab\n" + b64 + "\nUGF5\n--a--",
			"first --ab Content-Transfer-Encoding: base64 UGF5 | first | Pay"},
		{"a boundary that begins with another", "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=ab\n\n--ab\n\nfirst\n--ab--\n--a--", "first"},
		{"two names of files", "Content-Type: text/plain; name=a; name=b\n\na", "a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decode(test.raw)
			equal(t, "text", strings.TrimSpace(texts(m)), test.texts)
			if got, want := strings.Contains(repairs(m), "contradict"), strings.Contains(test.texts, "|") || strings.Contains(test.name, "two encodings"); got != want {
				t.Errorf("got repairs %q, contradiction is %v", repairs(m), want)
			}
		})
	}
}

func TestFurtherReadingsAddLinksAndFieldsOnce(t *testing.T) {
	m := decode("Content-Type: multipart/mixed; boundary=a; boundary=b\n\n--a\nContent-Type: message/rfc822\n\nSubject: in\n\nhttp://one.example/\n--a--\n" +
		"--b\nContent-Type: message/rfc822\n\nSubject: in\n\nhttp://one.example/ http://two.example/\n--b--\n")
	if got := urls(m); got != "http://one.example/ http://two.example/" || len(m.Attached) != 1 || len(m.Header) != 1 {
		t.Errorf("got links %q, fields %q and %q", got, m.Header, m.Attached)
	}
}

func TestFurtherReadingsKeepToTheLimits(t *testing.T) {
	const part = "\n--%s\nContent-Type: message/rfc822\n\nSubject: %s\nX-A: b\n\n<b hidden>%s</b>pills\n"
	raw := "Content-Type: multipart/mixed; boundary=a; boundary=b\n" + fmt.Sprintf(part+"--a--"+part+"--b--", "a", "1", "x", "b", "2", "y")
	m := message.NewDecoder(message.Options{MaxParts: 1, MaxHeaderFields: 3}).Decode([]byte(raw))
	if len(m.Parts) != 1 || len(m.Header)+len(m.Attached) != 3 || !m.Repairs.Has(message.CutParts) || !m.Repairs.Has(message.CutHeader) {
		t.Errorf("got %d parts, %d fields of attached messages, %s", len(m.Parts), len(m.Attached), repairs(m))
	}
}

func TestAFurtherReadingMarksDeception(t *testing.T) {
	if m := decode("Content-Type: text/plain\nContent-Type: text/html\n\nche<b></b>ap"); m.Marks == 0 {
		t.Error("a tag in a word that only the second type shows is not marked")
	}
}

// FuzzReadings puts two types and two encodings on a body, and looks for the text of the messages that have the first ones and the last ones.
func FuzzReadings(f *testing.F) {
	f.Add("text/html", "text/plain", "base64", "quoted-printable", "PGI+YTwvYj4=")
	f.Add("multipart/mixed; boundary=a; boundary=b", "text/plain; charset=utf-7", "7bit", "uuencode", "--a\n\nx\n--b\n\ny\n--a--\n--b--")
	f.Add("message/rfc822", "application/octet-stream", "", "8bit", "Content-Type: text/html\nContent-Type: text/plain\n\n<b>")
	f.Add("text/calendar", "multipart/mixed; boundary*=x; boundary=a", "quoted-printable", "base64", "--a\nSUMMARY:a")
	o := message.DefaultOptions()
	d := message.NewDecoder(o)
	f.Fuzz(func(t *testing.T, type1, type2, encoding1, encoding2, body string) {
		for _, value := range []string{type1, type2, encoding1, encoding2} {
			if strings.ContainsAny(value, "\r\n") || !utf8.ValidString(value) || len(value) > 1000 {
				t.Skip()
			}
		}
		const typeField, encodingField = "Content-Type:", "\nContent-Transfer-Encoding:"
		m := d.Decode([]byte(typeField + type1 + "\n" + typeField + type2 + encodingField + encoding1 + encodingField + encoding2 + "\n\n" + body))
		check(t, m, o, 2*(len(body)+100))
		if m.Repairs&message.Cuts != 0 {
			return
		}
		var all []string
		for _, p := range m.Parts {
			all = append(all, string(p.Text))
		}
		for _, header := range []string{
			typeField + type1 + encodingField + encoding1, typeField + type2 + encodingField + encoding2,
		} {
			one := d.Decode([]byte(header + "\n\n" + body))
			if one.Repairs.Has(message.Contradiction) {
				continue // a program that takes the first value does so at every level
			}
			for _, p := range one.Parts {
				if !slices.Contains(all, string(p.Text)) {
					t.Errorf("%q gives %q, which both together do not: %q", header, p.Text, all)
				}
			}
		}
	})
}
