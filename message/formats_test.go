package message_test

import (
	"encoding/base64"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"chaff/message"
)

func TestFilesAreReadByWhatTheyAre(t *testing.T) {
	const (
		page     = "<!DOCTYPE html><p>Pay <a href=http://pay.example/>here</a>"
		inner    = "Received: from a\n\tby b\nSubject: inside\nContent-Type: text/html\n\n<b>Pay</b> now"
		calendar = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Pay\\, now\nEND:VEVENT\nEND:VCALENDAR\n"
	)
	const octets = "Content-Type: application/octet-stream"
	tests := []struct{ name, header, body, texts, urls string }{
		{"HTML under no type", octets, page, "Pay here", "http://pay.example/"},
		{"HTML as a picture", "Content-Type: image/png", page, "Pay here", "http://pay.example/"},
		{"HTML without its start, by its name", octets + "; name=a.HTM", "<p>Pay</p>", "Pay", ""},
		{"HTML without its start and without a name", octets, "<p>Pay</p>", "-", ""},
		{"HTML in a program's text", octets + "; name=a.js", "x = 1 < 2", "-", ""},
		{"binary data that has a page in it", octets, "\x00\x01<html>Pay", "-", ""},
		{"a plain text", octets + "; name=notes.txt", "Pay now", "Pay now", ""},
		{"a link in a file", octets + "; name=invoice.URL", "[InternetShortcut]\nURL=http://pay.example/\n", "[InternetShortcut] URL=", "http://pay.example/"},
		{"SVG", "Content-Type: image/svg+xml", "<svg xmlns='a'><a xlink:href='http://pay.example/'><text>Pay</text><text>n<tspan>ow</tspan></text></a></svg>",
			"Pay now", "http://pay.example/"},
		{"sections of characters in SVG", octets + "; name=a.svg", "<svg><text>P<![CDATA[a>y & <b>]]> now</text><![CDATA[<style>*{display:none}</style>]]></svg><![CDATA[a",
			"Pa>y & <b> now <style>*{display:none}</style>a", ""},
		{"sections that are comments, as the part is shown", "Content-Type: text/html; name=a.svg", "<svg></svg>P<![CDATA[a>y]]>", "Py]]>", ""},
		{"SVG that goes elsewhere", octets + "; name=a.svg", "<svg><script><![CDATA[location.href='https://pay.example/a';]]></script></svg>", "", "https://pay.example/a"},
		{"sections that are comments in a page", octets, "<html>P<![CDATA[a>y]]>", "Py]]>", ""},
		{"a picture that is cut behind its mark", octets, "RIFF", "-", ""},
		{"a page that goes elsewhere", octets, "<html><script>\nlocation = \"https://pay.example/a\"</script>", "", "https://pay.example/a"},
		{"an attached page that goes elsewhere", "Content-Type: text/html\nContent-Disposition: attachment", "<script>location = 'https://pay.example/a'</script>", "", "https://pay.example/a"},
		{"a page in the message, whose scripts nobody runs", "Content-Type: text/html", "<html><script>location = 'https://pay.example/'</script>a", "a", ""},
		{"SVG in XML", octets, "<?xml version='1.0'?><svg><text>Pay</text></svg>", "Pay", ""},
		{"a message under no type", octets, inner, "Pay now", ""},
		{"a message by its name", octets + "; name=a.eml", "X-Odd: a\n\nPay", "Pay", ""},
		{"a page that a browser saved as a message", octets + "; name=a.MHTML", "From: <Saved>\nSnapshot-Content-Location: x\nSubject: a\nContent-Type: text/html\n\n<b>Pay</b> now", "Pay now", ""},
		{"a piece of a message", "Content-Type: message/partial; number=1; total=1; id=a", "Subject: a\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGI+UGF5PC9iPiBub3c=", "Pay now", ""},
		{"a page of AMP", "Content-Type: text/x-amp-html", "<!doctype html><html amp4email><style amp4email-boilerplate>body{visibility:hidden}</style><style amp-custom>i{display:none}</style><b>Pay</b> now<i>not</i>", "Pay now", ""},
		{"a message in an mbox", octets, "From a@b.example\n" + inner, "Pay now", ""},
		{"fields that are no message", octets, "Key: a\nValue: b\n\nPay", "-", ""},
		{"a calendar under no type", octets, calendar, "Pay, now", ""},
		{"a calendar", "Content-Type: text/calendar", calendar, "Pay, now", ""},
		{"a card", "Content-Type: text/vcard", "BEGIN:VCARD\nFN:Ann Pay\nitem1.URL:http://pay.example/\nPHOTO:abcd\nEND:VCARD\n", "Ann Pay", "http://pay.example/"},
		{"text with tags", "Content-Type: text/enriched", "<bold>Pay</bold> now", "Pay now", ""},
		{"a PDF", "Content-Type: application/pdf", smallPDF, "Pay now", "http://pay.example/"},
		{"a PDF as text", "Content-Type: text/plain; name=a.pdf", smallPDF + strings.Repeat("\x01\xff\x9c", 60), "Pay now", "http://pay.example/"},
		{"words behind the mark of a PDF", "Content-Type: text/plain", "%PDF-1.4 buy pills", "%PDF-1.4 buy pills", ""},
		{"HTML as text, by its name", "Content-Type: text/plain; name=a.html", "<b>Pay</b> now", "Pay now", ""},
		{"a PDF as a picture", "Content-Type: image/jpeg", "GIF89a\n" + smallPDF, "Pay now", "http://pay.example/"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			encoded := base64.StdEncoding.EncodeToString([]byte(test.body))
			for name, raw := range map[string]string{
				"plain":   test.header + "\n\n" + test.body,
				"encoded": test.header + "\nContent-Transfer-Encoding: base64\n\n" + encoded,
			} {
				m := decode(raw)
				if got := strings.TrimSpace(texts(m)); got != test.texts {
					t.Errorf("%s: got text %q, want %q", name, got, test.texts)
				}
				if got := urls(m); got != test.urls {
					t.Errorf("%s: got links %q, want %q", name, got, test.urls)
				}
			}
		})
	}
}

func TestAFileWhoseStartIsReadIsNotDamaged(t *testing.T) {
	encoded := strings.Repeat(strings.Repeat("AAAA", 16)+"\n", 100) // of which the start ends within a character
	if m := decode("Content-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n\n" + encoded); m.Repairs != 0 {
		t.Errorf("got %v", m.Repairs)
	}
}

func TestAMessageUnderAnotherTypeHasItsHeaderKept(t *testing.T) {
	m := decode("Content-Type: application/octet-stream\n\nSubject: inside\nFrom: Ann\n\ntext")
	if len(m.Attached) != 2 || string(m.Attached[0].Value) != "inside" {
		t.Errorf("got the fields %q, want those of the message inside", m.Attached)
	}
}

func TestWhatIsShownOfFormsAndFrames(t *testing.T) {
	const page = "<p>Pay <a href=http://pay.example/>here</a></p>"
	encoded := base64.StdEncoding.EncodeToString([]byte(page))
	tests := []example{
		{"the value of a text field", "<input value=Pay>a<input type=Text value=now>", "Pay a now", ""},
		{"a button", "<input type=submit value=Pay>", "Pay", ""},
		{"what stands in an empty field", "<input type=email placeholder='Your name'><textarea placeholder=Text></textarea>", "Your name Text", ""},
		{"what stands in a field for a password", "<input type=password placeholder=Password value=secret>", "Password", ""},
		{"values that are not shown", "<input type=hidden value=a><input type=checkbox value=b><input type=radio value=c><input type=range value=5>", "", ""},
		{"the text of a picture as a button", "<input type=image alt=Pay value=x>", "Pay", ""},
		{"the names of options", "<select><optgroup label=Pay><option label=now></select>", "Pay now", ""},
		{"a frame", "a<iframe srcdoc='" + html.EscapeString(page) + "'>b</iframe>", "a b | Pay here", "http://pay.example/"},
		{"a frame in a frame", `<iframe srcdoc="<iframe srcdoc='<b>Pay</b> now'>">`, "| Pay now", ""},
		{"the srcdoc of another element", "<p srcdoc=Pay>", "", ""},
		{"an address that holds a page is only a link", "<iframe src='data:text/html;base64," + encoded + "'>", "", "data:text/html;base64"},
	}
	decodeAll(t, tests, "Content-Type: text/html\n\n", "", urls)
}

func TestTextOfAHiddenFrameIsHidden(t *testing.T) {
	for _, frame := range []string{
		"<iframe style='display:none' srcdoc='sun <i>moon</i>'></iframe>", "<div hidden><iframe srcdoc='sun moon'></div>",
	} {
		m := decode("Content-Type: text/html\n\n" + frame)
		last := m.Parts[len(m.Parts)-1]
		if len(m.Parts) != 2 || len(last.Text) > 0 || strings.Join(strings.Fields(string(last.Hidden)), " ") != "sun moon" ||
			!m.Marks.Has(message.HiddenByStyle) {
			t.Errorf("%s: got text %q, hidden %q", frame, last.Text, last.Hidden)
		}
	}
}

func TestFramesAndFilesKeepToTheLimits(t *testing.T) {
	nested := "words"
	for range 5 {
		nested = fmt.Sprintf("<iframe srcdoc='%s'>", html.EscapeString(nested))
	}
	m := message.NewDecoder(message.Options{MaxDepth: 3}).Decode([]byte("Content-Type: text/html\n\n" + nested))
	if got := strings.TrimSpace(texts(m)); got != "" || repairs(m) != "cut: too deep" {
		t.Errorf("got %q and %q of frames that are too deep", got, repairs(m))
	}
	frames := strings.Repeat("<iframe srcdoc='a b'>", 20)
	m = message.NewDecoder(message.Options{MaxParts: 5}).Decode([]byte("Content-Type: text/html\n\n" + frames))
	if len(m.Parts) != 5 || repairs(m) != "cut: too many parts" {
		t.Errorf("got %d parts and %q of many frames", len(m.Parts), repairs(m))
	}
	m = message.NewDecoder(message.Options{MaxTextBytes: 700}).Decode([]byte("Content-Type: text/html\n\n" + frames + strings.Repeat(
		"<iframe srcdoc='"+strings.Repeat("word ", 20)+"'>", 2)))
	size := 0
	for _, p := range m.Parts {
		size += len(p.Text)
	}
	if size > 700 || repairs(m) != "cut: too much text" {
		t.Errorf("got %d bytes of text and %q of frames", size, repairs(m))
	}
}

// FuzzFrames holds that a page in a frame gives the texts that it gives alone.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{"<p>Pay", "a<iframe srcdoc='b c'>", "<a href=http://pay.example/>a</a>", "&lt;b", "<b>\r\na\r"} {
		f.Add(seed)
	}
	d := message.NewDecoder(message.DefaultOptions())
	words := func(raw string) (all []string) {
		for _, p := range d.Decode([]byte("Content-Type: text/html; charset=utf-8\n\n" + raw)).Parts {
			if text := strings.Join(strings.Fields(string(p.Text)), " "); strings.ContainsFunc(text, unicode.IsLetter) {
				all = append(all, text)
			}
		}
		return all
	}
	f.Fuzz(func(t *testing.T, page string) {
		if !utf8.ValidString(page) || strings.ContainsAny(page, "\x00\x1b") || strings.HasPrefix(page, "\ufeff") || len(page) > 10_000 {
			return
		}
		want := words(page)
		if got := words("<iframe srcdoc='" + html.EscapeString(page) + "'>"); !slices.Equal(got, want) {
			t.Errorf("%q gives %q in a frame, %q alone", page, got, want)
		}
	})
}

func TestWhatIsShownOfACalendar(t *testing.T) {
	tests := []example{
		{"a folded value", "DESCRIPTION:Pay to\n day", "Pay today", ""},
		{"a folded value with CR LF", "DESCRIPTION:Pay to\r\n day\r\n", "Pay today", ""},
		{"escapes", `SUMMARY:a\, b\; c\\d\ne`, `a, b; c\d e`, ""},
		{"parameters with colons in quotes", `DESCRIPTION;ALTREP="cid:a:b":Pay`, "Pay", ""},
		{"HTML beside the text", "X-ALT-DESC;FMTTYPE=text/html:<html><body><a href='http://pay.example/'>Pay</a></body></html>", "Pay", "http://pay.example/"},
		{"HTML as the text", `DESCRIPTION:<p>Pay<br />now\, Ann</p>`, "Pay now, Ann", ""},
		{"text with angle brackets", "DESCRIPTION:join <https://meet.example/1> at 3 < 4", "join < > at 3 < 4", "https://meet.example/1"},
		{"hidden text", "DESCRIPTION:<p>Pay</p><p hidden>moon</p>", "Pay", ""},
		{"properties for programs", "UID:Pay\nDTSTART:20200101\nATTENDEE:mailto:a@b.example", "-", ""},
		{"an address", "URL:http://pay.example/\nLOCATION:Room 1", "Room 1", "http://pay.example/"},
		{"a line that is no property", "Pay now", "-", ""},
		{"any case", "summary:Pay", "Pay", ""},
		{"a backslash at the end", `SUMMARY:Pay\`, `Pay\`, ""},
	}
	decodeAll(t, tests, "Content-Type: text/calendar\n\nBEGIN:VCALENDAR\n", "\nEND:VCALENDAR\n", urls)
	m := decode("Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nDESCRIPTION:<p>Pay</p><p hidden>moon</p>\n")
	if got := strings.TrimSpace(string(m.Parts[0].Hidden)); got != "moon" {
		t.Errorf("got hidden text %q, want moon", got)
	}
}

// FuzzCalendar holds that a calendar gives no more text than it has, and finds again what is written into a property.
func FuzzCalendar(f *testing.F) {
	for _, seed := range []string{"", "SUMMARY:a\n b\n", "DESCRIPTION;X=\"a:b\":<p>c</p>\\n", "a.NOTE;QUOTED-PRINTABLE:=\n=C3", "FN:\\", ":", "\r\n \n"} {
		f.Add(seed)
	}
	o := message.DefaultOptions()
	d := message.NewDecoder(o)
	escape := strings.NewReplacer(`\`, `\\`, ",", `\,`, ";", `\;`, "\n", `\n`)
	f.Fuzz(func(t *testing.T, s string) {
		m := d.Decode([]byte("Content-Type: text/calendar; charset=utf-8\n\nBEGIN:VCALENDAR\n" + s))
		check(t, m, o, len(s))
		if !utf8.ValidString(s) || strings.ContainsAny(s, "<\x00\r\x1b") || strings.Contains(s, "://") || strings.Contains(s, ".") ||
			strings.HasPrefix(s, "\ufeff") {
			return
		}
		folded := "SUMMARY:"
		for _, r := range escape.Replace(s) {
			folded += string(r) + "\n "
		}
		m = d.Decode([]byte("Content-Type: text/calendar; charset=utf-8\n\nBEGIN:VCALENDAR\n" + folded + "\n"))
		equal(t, "text", strings.TrimSuffix(string(m.Parts[0].Text), "\n"), s)
	})
}
