package message_test

import (
	"strings"
	"testing"
)

func TestTransferEncodings(t *testing.T) {
	long := strings.Repeat("YWJj", 20)
	tests := []fieldExample{
		{"base64", "base64", "YWJj\nZGVm\n", "abcdef", ""},
		{"capitals and a comment", "BASE64 (rfc)", "YWJj", "abc", ""},
		{"base64 without padding", "base64", "YWI", "ab", ""},
		{"base64 cut within a byte", "base64", "YWJjZ", "abc", "broken base64"},
		{"base64 with blanks", "base64", long + " YWJj\t\n", strings.Repeat("abc", 21), ""},
		{"base64 with foreign bytes", "base64", long + "Y*W.J-j", strings.Repeat("abc", 21), "broken base64"},
		{"base64 with a damaged line", "base64", long + "\n?*?!\n" + long, strings.Repeat("abc", 40), "broken base64"},
		{"base64 in pieces", "base64", "YQ==Yg==\nYw==", "abc", ""},
		{"quoted-printable", "quoted-printable", "a=3Db=\n c=C3=A9", "a=b cé", ""},
		{"quoted-printable in small letters", "quoted-printable", "=c3=a9", "é", ""},
		{"blanks after a soft line end", "quoted-printable", "a= \t\nb=", "ab", ""},
		{"a CR before a soft line end", "quoted-printable", "a=\r\nb", "ab", ""},
		{"an escape cut short", "quoted-printable", "a=4", "a=4", "broken quoted-printable"},
		{"an escape that is none", "quoted-printable", "=zz=", "=zz", "broken quoted-printable"},
		{"two equal signs", "quoted-printable", "==41", "=A", "broken quoted-printable"},
		{"none", "", "a=3D", "a=3D", ""},
		{"8bit", "8bit", "\u20ac", "€", ""},
		{"unknown", "x-odd", "YWJj", "YWJj", "unknown transfer encoding"},
		{"a hyphen too many", "base-64", "YWJj", "abc", "misspelt transfer encoding"},
		{"a blank in place of a hyphen", "Quoted Printable", "a=3D", "a=", "misspelt transfer encoding"},
		{"a blank in a number of bits", "8 bit", "\u20ac", "€", "misspelt transfer encoding"},
		{"quotes", `"base64"`, "YWJj", "abc", "misspelt transfer encoding"},
		{"something after it", "base64; charset=utf-8", "YWJj", "abc", ""},
		{"a word after it", "base64 encoded", "YWJj", "abc", ""},
		{"a comment before it", "(sent as) base64", "YWJj", "abc", ""},
		{"base64 in one line", "base64", strings.Repeat("YWJj", 5000), strings.Repeat("abc", 5000), ""},
		{"an equal sign at the end", "quoted-printable", "a=", "a", ""},
	}
	decodeFields(t, tests, "Content-Transfer-Encoding: ")
}
