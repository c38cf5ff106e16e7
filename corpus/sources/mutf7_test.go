package sources

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/emersion/go-imap/utf7"
	"golang.org/x/text/unicode/norm"

	"chaff/test/tabletest"
)

func TestDecodeMUTF7(t *testing.T) {
	tabletest.Strings(t, readable, [][3]string{
		{"plain letters", "Sent Items", "Sent Items"},
		{"an umlaut", "Entw&APw-rfe", "Entwürfe"},
		{"several", "&BBoEPgRABDcEOAQ9BDA-", "Корзина"},
		{"two runs", "Gel&APY-schte &AMQ-mter", "Gelöschte Ämter"},
		{"as in RFC 3501", "~peter/mail/&U,BTFw-/&ZeVnLIqe-", "~peter/mail/台北/日本語"},
		{"a character beyond 16 bits", "&2D3eAA-", "😀"},
		{"an ampersand", "R&-D", "R&D"},
		{"an ampersand that is not encoded", "R&D", "R&D"},
		{"one with a hyphen after it", "R&D-Team", "R&D-Team"},
		{"base64 of another length", "&AP-", "&AP-"},
		{"bits that are left over", "&APx-", "ü"},
		{"half a pair", "&2D0-", "&2D0-"},
		{"no end", "Entw&APw", "Entw&APw"},
		{"a slash of ordinary base64", "&U/BTFw-", "&U/BTFw-"},
		{"what cannot be printed stays encoded", "a&AAo-b", "a&AAo-b"},
		{"so does a sign that turns the direction", "a&IC4-b", "a&IC4-b"},
		{"UTF-8 stays", "Entwürfe & Ämter", "Entwürfe & Ämter"},
		{"a name with an ampersand that is not encoded stays", "A&B &APw-", "A&B &APw-"},
		{"nothing", "", ""},
	})
}

func encodeMUTF7(t testing.TB, name string) string {
	t.Helper()
	encoded, err := utf7.Encoding.NewEncoder().String(name)
	must(t, err)
	return encoded
}

// FuzzDecodeMUTF7 requires that an encoded name is decoded, and that decoding adds no unprintable character.
func FuzzDecodeMUTF7(f *testing.F) {
	for _, s := range []string{"Entwürfe", "R&D-Team", "台北😀", "&-&APw-&", "&IC4-", "a\xffb&"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		printable := utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool {
			return !unicode.IsPrint(r) || r == unicode.ReplacementChar
		})
		if printable {
			if encoded := encodeMUTF7(t, name); readable(encoded) != norm.NFC.String(name) {
				t.Errorf("%q became %q, and then %q", name, encoded, readable(encoded))
			}
		}
		got := readable(name)
		if strings.Count(got, "\n") != strings.Count(name, "\n") || strings.Count(got, "\x1b") != strings.Count(name, "\x1b") {
			t.Errorf("%q became %q", name, got)
		}
		if utf8.ValidString(name) != utf8.ValidString(got) {
			t.Errorf("%q became %q: one of them is no UTF-8", name, got)
		}
	})
}
