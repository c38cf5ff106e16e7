package message_test

import "testing"

func TestCharsets(t *testing.T) {
	tests := []struct{ name, charset, body, want, repairs string }{
		{"ASCII needs no charset", "x-none", "abc", "abc", ""},
		{"UTF-8 is UTF-8 whatever is declared", "koi8-r", "€", "€", ""},
		{"what is declared", "koi8-r", "\xc4\xc1", "да", ""},
		{"a charset of two bytes", "GB2312", "\xc4\xe3\xba\xc3", "你好", ""},
		{"iso-8859-1 means windows-1252", "iso-8859-1", "\x80", "€", ""},
		{"nothing declared means windows-1252", "", "\x80", "€", "8-bit text without a charset"},
		{"an unknown charset means windows-1252", "x-none", "\x80", "€", "unknown charset"},
		{"ASCII declared means windows-1252", "us-ascii", "\x80", "€", "text not in its declared charset"},
		{"broken UTF-8 is mended where it is broken", "utf-8", "€\x80€", "€€€", "invalid UTF-8"},
		{"a byte order mark is dropped", "utf-8", "\ufeffa", "a", ""},
		{"UTF-16 with a mark", "utf-16", "\xff\xfea\x00\xac\x20", "a€", ""},
		{"UTF-16 big-endian with a mark", "utf-16", "\xfe\xff\x00a\x20\xac", "a€", ""},
		{"UTF-16 little-endian", "utf-16le", "a\x00b\x00", "ab", ""},
		{"UTF-16 that is none", "utf-16", "abc", "abc", ""},
		{"7-bit Japanese", "iso-2022-jp", "a \x1b$B$\"\x1b(B", "a あ", ""},
		{"7-bit Japanese in capitals", "ISO-2022-JP", "\x1b$B$\"\x1b(B", "あ", ""},
		{"7-bit Chinese", "HZ-GB-2312", "~{VPND~}", "中文", ""},
		{"what browsers refuse is kept", "iso-2022-kr", "abc \x1bdef", "abc \x1bdef", ""},
		{"NUL is dropped", "utf-8", "a\x00b", "ab", "NUL bytes in text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decode("Content-Type: text/plain; charset=" + test.charset + "\n\n" + test.body)
			if got := string(m.Parts[0].Text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if got := repairs(m); got != test.repairs {
				t.Errorf("got repairs %q, want %q", got, test.repairs)
			}
		})
	}
}
