package sources

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

func TestDecodeMUTF7(t *testing.T) {
	tests := []struct{ about, name, want string }{
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
		{"bits that are left over", "&APx-", "&APx-"},
		{"half a pair", "&2D0-", "&2D0-"},
		{"no end", "Entw&APw", "Entw&APw"},
		{"a slash of ordinary base64", "&U/BTFw-", "&U/BTFw-"},
		{"what cannot be printed stays encoded", "a&AAo-b", "a&AAo-b"},
		{"so does a sign that turns the direction", "a&IC4-b", "a&IC4-b"},
		{"UTF-8 stays", "Entwürfe & Ämter", "Entwürfe & Ämter"},
		{"a later run counts although an earlier one is none", "A&B &APw-", "A&B ü"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			if got := decodeMUTF7(tt.name); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// encodeMUTF7 is the inverse, as RFC 3501, 5.1.3 has it.
func encodeMUTF7(name string) string {
	alphabet := base64.NewEncoding(base64Letters).WithPadding(base64.NoPadding)
	var out strings.Builder
	var run []byte
	flush := func() {
		if len(run) > 0 {
			out.WriteString("&" + alphabet.EncodeToString(run) + "-")
			run = nil
		}
	}
	for _, r := range name {
		if r < ' ' || r > '~' {
			for _, unit := range utf16.Encode([]rune{r}) {
				run = append(run, byte(unit>>8), byte(unit))
			}
			continue
		}
		flush()
		out.WriteRune(r)
		if r == '&' {
			out.WriteByte('-')
		}
	}
	flush()
	return out.String()
}

// FuzzDecodeMUTF7 wants every name back that was encoded, and never a character
// that was not in the name and cannot be printed.
func FuzzDecodeMUTF7(f *testing.F) {
	for _, s := range []string{"Entwürfe", "R&D-Team", "台北😀", "&-&APw-&", "&IC4-", "a\xffb&"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		printable := utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool {
			return !unicode.IsPrint(r) || r == unicode.ReplacementChar
		})
		if printable {
			if encoded := encodeMUTF7(name); decodeMUTF7(encoded) != name {
				t.Errorf("%q became %q, and then %q", name, encoded, decodeMUTF7(encoded))
			}
		}
		got := decodeMUTF7(name)
		if strings.Count(got, "\n") != strings.Count(name, "\n") || strings.Count(got, "\x1b") != strings.Count(name, "\x1b") {
			t.Errorf("%q became %q", name, got)
		}
		if utf8.ValidString(name) != utf8.ValidString(got) {
			t.Errorf("%q became %q: one of them is no UTF-8", name, got)
		}
	})
}
