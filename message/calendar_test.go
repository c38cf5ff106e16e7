package message_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"chaff/message"
)

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
		{"quoted-printable", "DESCRIPTION;ENCODING=QUOTED-PRINTABLE:Pay=20n=\now caf=C3=A9", "Pay now café", ""},
		{"a line that is no property", "Pay now", "-", ""},
		{"any case", "summary:Pay", "Pay", ""},
	}
	decodeAll(t, tests, "Content-Type: text/calendar\n\nBEGIN:VEVENT\n", "\nEND:VEVENT\n", urls)
	m := decode("Content-Type: text/calendar\n\nDESCRIPTION:<p>Pay</p><p hidden>moon</p>\n")
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
		m := d.Decode([]byte("Content-Type: text/calendar; charset=utf-8\n\n" + s))
		check(t, m, o, len(s))
		if !utf8.ValidString(s) || strings.ContainsAny(s, "<\x00\r\x1b") || strings.Contains(s, "://") || strings.Contains(s, ".") ||
			strings.HasPrefix(s, "\ufeff") {
			return
		}
		folded := "SUMMARY:"
		for _, r := range escape.Replace(s) {
			folded += string(r) + "\n "
		}
		m = d.Decode([]byte("Content-Type: text/calendar; charset=utf-8\n\n" + folded + "\n"))
		equal(t, "text", strings.TrimSuffix(string(m.Parts[0].Text), "\n"), s)
	})
}
