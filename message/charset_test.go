package message_test

import (
	"strings"
	"testing"

	"chaff/message"
	"chaff/test/tabletest"
)

func TestCharsets(t *testing.T) {
	tests := []fieldExample{
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
		{"what is not shifted is kept", "iso-2022-kr", "abc \x1bdef", "abc \x1bdef", ""},
		{"7-bit Korean", "iso-2022-kr", "\x1b$)Ca \x0e>H3g\x0f b", "a 안녕 b", ""},
		{"7-bit Korean without a line that announces it", "iso-2022-kr", "\x0e>H3g\x0f", "안녕", ""},
		{"7-bit Korean that nobody declares", "", "\x1b$)C\n\x0e>H3g\x0f b", "안녕 b", ""},
		{"7-bit Chinese with shifts is not read", "iso-2022-cn", "\x1b$)A\x0eVPND\x0f.", "\x1b$)A\x0eVPND\x0f.", ""},
		{"UTF-7", "utf-7", "1 +- 1, +ZeVnLIqe.", "1 + 1, 日本語.", ""},
		{"UTF-7 that is none", "utf-7", "1+1=2, a+b, +", "1+1=2, a+b, +", ""},
		{"UTF-7 of characters in two halves", "utf-7", "+2D3eAA-", "😀", ""},
		{"UTF-7 with half a character", "utf-7", "+2D0-", "+2D0-", ""},
		{"UTF-7 by another name", "UNICODE-1-1-UTF-7", "+AGE-", "a", ""},
		{"7-bit Japanese that nobody declares", "", "\x1b$B$\"\x1b(B", "あ", ""},
		{"7-bit Japanese declared as something else", "utf-8", "\x1b$B$\"\x1b(B", "あ", ""},
		{"7-bit Japanese declared, and none", "iso-2022-jp", "caf\xe9", "café", "text not in its declared charset"},
		{"UTF-16 big-endian that nobody declares", "", "\xfe\xff\x00a\x20\xac", "a€", ""},
		{"UTF-16 that nobody declares", "", "\xff\xfea\x00\xac\x20", "a€", ""},
		{"GB 18030 declared as GB 2312", "gb2312", "\xc4\xe3\xba\xc3\xc2\xf0\x82\x35\x8f\x33", "你好吗龦", ""},
		{"Latin declared as Chinese is read as browsers do", "big5", "caf\xe9 au lait", "caf\ufffd au lait", ""},
		{"a short word of Big5, whose second bytes are letters", "big5", "\xa7\x4b\xb6\x4f", "免費", ""},
		{"a character of Big5 after a word", "big5", "VIP\xa5\x64", "VIP卡", ""},
		{"a rare name in Big5", "big5", "\xe0\x4a\xe0\x4b", "詷誂", ""},
		{"a character of GB 2312 that is a letter in UTF-8", "gb2312", "\xc4\xa3", "模", ""},
		{"a word of KOI8-R that is a letter in UTF-8", "koi8-r", "\xc5\xa3", "её", ""},
		{"UTF-8 declared as Chinese", "gb2312", "un café", "un café", ""},
		{"Russian in UTF-8 declared as windows-1251", "windows-1251", "привет", "привет", ""},
		{"and behind much ASCII", "windows-1251", strings.Repeat("a ", 1500) + "привет", strings.Repeat("a ", 1500) + "привет", ""},
		{"Latin declared as UTF-8", "utf-8", "caf\xe9 au lait", "café au lait", "invalid UTF-8"},
		{"Russian declared as UTF-8", "utf-8", "\xd0\xd2\xc9\xd7\xc5\xd4", "привет", "invalid UTF-8"},
		{"Russian declared as ASCII", "us-ascii", "\xef\xf0\xe8\xe2\xe5\xf2", "привет", "text not in its declared charset"},
		{"Russian of an unknown charset", "x-none", "\xd0\xd2\xc9\xd7\xc5\xd4", "привет", "unknown charset"},
		{"UTF-8 with a bad byte that nobody declares", "", "да да \xff", "да да ÿ", "invalid UTF-8"},
		{"NUL is dropped", "utf-8", "a\x00b", "ab", "NUL bytes in text"},
	}
	decodeFields(t, tests, "Content-Type: text/plain; charset=")
}

func TestNamesOfCharsets(t *testing.T) {
	tests := [][3]string{
		{"utf8", "\u20ac", "€"},
		{"x-sjis", "\x93\xfa", "日"},
		{"cp932", "\x93\xfa", "日"},
		{"shift-jis", "\x93\xfa", "日"},
		{"ks_c_5601", "\xbe\xc8", "안"},
		{"ks_c_5601-1987", "\xbe\xc8", "안"},
		{"cp949", "\xbe\xc8", "안"},
		{"gb-2312", "\xc4\xe3", "你"},
		{"cp936", "\xc4\xe3", "你"},
		{"eucgb2312_cn", "\xc4\xe3", "你"}, // the e-mail package of Python
		{"big5_tw", "\xa7\x41", "你"},
		{"cp950", "\xa7\x41", "你"},
		{"iso-8859-8-i", "\xf9", "ש"},
		{"windows-874", "\xa1", "ก"},
		{"tis-620", "\xa1", "ก"},
		{"cp-850", "\x81", "ü"},
		{"ibm437", "\x81", "ü"},
		{"dos-866", "\xa4", "д"},
		{"cp1251", "\xe4", "д"},
		{"win-1251", "\xe4", "д"},
		{"windows_1251", "\xe4", "д"},
		{"x-mac-cyrillic", "\xe4", "д"},
		{"macintosh", "\x9f", "ü"},
		{"koi8", "\xc4", "д"},
		{"iso_8859-2", "\xb1", "ą"},
		{"iso8859-2", "\xb1", "ą"},
		{"8859-2", "\xb1", "ą"},
		{"8859-1", "\x80", "€"},
		{"latin-2", "\xb1", "ą"},
		{`"iso-8859-2"`, "\xb1", "ą"},
		{"'iso-8859-2'", "\xb1", "ą"},
		{"3Diso-8859-2", "\xb1", "ą"},
		{"charset=iso-8859-2", "\xb1", "ą"},
		{"iso-8859-2,", "\xb1", "ą"},
		{"hz", "~{VPND~}", "中文"},
		{"iso-2022-jp-2", "\x1b$B$\"\x1b(B", "あ"},
		{"ansi_x3.4-1968", "\x80", "€"},
		{"us-asci", "\x80", "€"},
		{"unknown-8bit", "\x80", "€"},
		{"x-user-defined", "\x80", "€"},
	}
	for i, c := range tests {
		tests[i] = [3]string{c[0], c[0] + "\n\n" + c[1], c[2]}
	}
	tabletest.Strings(t, func(in string) string {
		m := decode("Content-Type: text/plain; charset=" + in)
		if m.Repairs.Has(message.UnknownCharset) {
			t.Errorf("%q: the charset counts as unknown", in)
		}
		return string(m.Parts[0].Text)
	}, tests)
}
