package message_test

import (
	"strings"
	"testing"

	"chaff/message"
	"chaff/test/tabletest"
)

func TestHeaderFields(t *testing.T) {
	tests := []example{
		{"fields keep their order and their names as written", "B: 1\na: 2\nB: 3\n\nx", "x", "B=1 a=2 B=3"},
		{"a folded value is put on one line", "A: 1\n 2\n\t3\n\nx", "x", "A=1 2\t3"},
		{"a value may start on the next line", "A:\n 1\n\nx", "x", "A=1"},
		{"a line of blanks continues a field", "A: 1\n \nB: 2\n\nx", "x", "A=1 B=2"},
		{"an empty value is a value", "A:\nB:\n\nx", "x", "A= B="},
		{"a value may hold colons", "A: b: c\n\nx", "x", "A=b: c"},
		{"a header may end with the message", "A: 1", "", "A=1"},
		{"a header ends before two hyphens", "A: 1\n--b: c\n\nx", "--b: c x", "A=1"},
		{"a line that is no field goes on with the one before it", "A: 1\njunk\nTo: b\n\nx", "x", "A=1 junk To=b"},
		{"a colon behind two words is no field", "A: 1\nby way of: 5\nTo: b\n\nx", "x", "A=1 by way of: 5 To=b"},
		{"a colon alone is no field", "A: 1\n: 5\nTo: b\n\nx", "x", "A=1 : 5 To=b"},
		{"an address of the web is no field", "A: 1\nhttps://a.example/\nTo: b\n\nx", "x", "A=1 https://a.example/ To=b"},
		{"two slashes behind the colon of a known name are its value", "X: 1\nSubject://Pay now\nTo: b\n\nx", "x", "X=1 Subject=//Pay now To=b"},
		{"other bytes than ASCII name no field", "A: 1\n\xfc: 2\nTo: b\n\nx", "x", "A=1 ü: 2 To=b"},
		{"a field that ends in a semicolon goes on", "A: b;\nc\n\nx", "x", "A=b; c"},
		{"a field that ends in a comma goes on", "A: b,\nc,\nd\n\nx", "x", "A=b, c, d"},
		{"a subject that ends in a comma does not", "Subject: b,\nc\n\nx", "c x", "Subject=b,"},
		{"the first line is passed over if it is no field", "junk\nTo: b\n\nx", "x", "To=b"},
		{"a line that is no field starts the body otherwise", "A: 1\njunk\nmore\n\nTo: b\n\nx", "junk more To: b x", "A=1"},
		{"text with a colon in it is still text", "A: 1\nDear all,\nnote: five\n\nx", "Dear all, note: five x", "A=1"},
		{"a known field eight lines on is in the header", "A: 1\n" + strings.Repeat("junk\n", 8) + "To: b\n\nx", "x", "A=1" + strings.Repeat(" junk", 8) + " To=b"},
		{"nine lines on it is not", "A: 1\n" + strings.Repeat("junk\n", 9) + "To: b\n\nx", strings.Repeat("junk ", 9) + "To: b x", "A=1"},
		{"an mbox line is passed over", "A: 1\nFrom a@b Thu Aug 22 12:36:23 2002\nTo: b\n\nx", "x", "A=1 To=b"},
		{"a From field with a blank before its colon is no such line", "From : a\nTo: b\n\nx", "x", "From=a To=b"},
		{"a blank before the colon of a known name is passed over", "Subject : a\nTo\t: b\n\nx", "x", "Subject=a To=b"},
		{"a blank before the colon of a small name is not", "Subject: a\nto : b\n\nx", "to : b x", "Subject=a"},
		{"but that of a field which describes the content is", "subject: a\ncontent-type : text/html\n\n<b>x", "x", "subject=a content-type=text/html"},
		{"blanks around the slash of a type", "Content-Type: text / html\nA: 1\n\n<b>x", "x", "Content-Type=text / html A=1"},
		{"and a comment before it", "Content-Type: text (x) /html\n\n<b>x", "x", "Content-Type=text (x) /html"},
		{"a blank before another colon is not", "A: 1\nprice : 5\n\nx", "price : 5 x", "A=1"},
		{"a byte order mark may be on a field behind those of other programs", "A: 1\n\ufeffB: 2\nTo: b\n\nx", "x", "A=1 B=2 To=b"},
		{"a message without a header is all body", "Dear all,\nhello\n", "Dear all, hello", ""},
	}
	decodeAll(t, tests, "", "", func(m *message.Message) string { return fields(m.Header, " ") })
}

func TestHeadersOfPartsEnd(t *testing.T) {
	const top, base64 = "Content-Type: multipart/mixed; boundary=b\n\n--b\n", "Content-Transfer-Encoding: base64\n"
	tabletest.Strings(t, func(in string) string { return texts(decode(top + in + "\n--b--\n")) }, [][3]string{
		{"at an empty line", "Content-Type: text/plain\nX-Id: 1\n\nx", "x"},
		{"at a field that describes no part", "Content-Type: text/plain\nNumber: 1\n\nx", "Number: 1 x"},
		{"not there if one comes that does", "Number: 1\nContent-Type: text/html\n\n<b>x", "x"},
		{"not there before base64", base64 + "Number: 1\n\neA==", "x"},
		{"at text", "Content-Type: text/plain\nwords\nmore\n", "words more"},
	})
}

func TestTypesForProgramsAreNamedOnly(t *testing.T) {
	for _, mediaType := range []string{"text/calendar", "text/directory", "text/vcard", "text/x-vcard", "text/x-vcalendar"} {
		p := decode("Content-Type: " + mediaType + "; name=a.b\n\nBEGIN:VCARD\n").Parts[0]
		if p.Text != nil || p.Attachment || string(p.Filename) != "a.b" {
			t.Errorf("%s: text %q, attachment %v, name %q", mediaType, p.Text, p.Attachment, p.Filename)
		}
	}
	m := decode("Content-Type: message/global-headers\n\nSubject: inner\n")
	if len(m.Attached) != 1 || string(m.Attached[0].Value) != "inner" {
		t.Errorf("message/global-headers: attached %v", m.Attached)
	}
}

func TestEncodedWords(t *testing.T) {
	tabletest.Strings(t, func(in string) string { return string(decode("A: " + in + "\n\n").Header[0].Value) }, [][3]string{
		{"base64", "=?utf-8?B?4oKs?=", "€"},
		{"base64 without padding", "=?utf-8?B?YQ?=", "a"},
		{"quoted", "=?iso-8859-1?Q?a_b=E9?=", "a bé"},
		{"blanks between neighbours are dropped", "=?utf-8?q?a?=  =?utf-8?q?b?=", "ab"},
		{"blanks before other text are kept", "=?utf-8?q?a?= b =?utf-8?q?c?=", "a b c"},
		{"inside of a word", "x=?utf-8?q?a?=y", "xay"},
		{"with blanks inside", "=?utf-8?q?a b?=", "a b"},
		{"a character may be split between neighbours", "=?utf-8?b?4oI=?= =?utf-8?b?rA==?=", "€"},
		{"neighbours may differ in charset", "=?iso-8859-1?q?=FC?= =?koi8-r?q?=C4?=", "üд"},
		{"a language is passed over", "=?iso-8859-2*pl?q?=B1?=", "ą"},
		{"an unknown charset is taken as it is", "=?x-none?q?a=E2=82=AC?=", "a€"},
		{"an unknown charset that is not UTF-8 is windows-1252", "=?x-none?q?=80?=", "€"},
		{"an empty charset is taken as it is", "=??q?a?= =??q?b?=", "ab"},
		{"an unknown encoding is kept", "=?utf-8?z?a?=", "=?utf-8?z?a?="},
		{"without an end it is kept", "=?utf-8?q?a", "=?utf-8?q?a"},
		{"a broken escape is kept", "=?utf-8?q?a=zz=4?=", "a=zz=4"},
		{"broken base64 is decoded as far as it goes", "=?utf-8?b?Y!WJj?=", "abc"},
		{"7-bit charsets are decoded", "=?iso-2022-jp?b?GyRCJCIbKEI=?=", "あ"},
		{"no encoded word at all", "a =? b ?= c", "a =? b ?= c"},
		{"alone", "=?", "=?"},
	})
}

func TestContentTypes(t *testing.T) {
	tests := []struct{ name, value, mediaType, charset, filename string }{
		{"type and parameters", `text/html; charset=utf-8; name="a.html"`, "text/html", "utf-8", "a.html"},
		{"capitals", "Text/HTML; Charset=UTF-8", "text/html", "utf-8", ""},
		{"blanks around everything", " text/html ; charset = utf-8 ; name = a b ", "text/html", "utf-8", "a b"},
		{"no semicolon", "text/html charset=utf-8", "text/html", "utf-8", ""},
		{"no semicolon between parameters", `text/html; name="a" charset="utf-8"`, "text/html", "utf-8", "a"},
		{"a quote that is not closed", `text/html; charset="utf-8; name=a`, "text/html", "utf-8", "a"},
		{"a semicolon in quotes", `text/html; name="a;b"; charset=utf-8`, "text/html", "utf-8", "a;b"},
		{"the first of two", "text/html; charset=utf-8; charset=koi8-r", "text/html", "utf-8", ""},
		{"no subtype", "text; charset=utf-8", "text/plain", "utf-8", ""},
		{"nothing", "", "text/plain", "", ""},
		{"a name with a charset", "a/b; name*=iso-8859-1'de'%fc", "a/b", "", "ü"},
		{"a name with a broken escape", "a/b; name*=utf-8''100%zz", "a/b", "", "100%zz"},
		{"a name in pieces", "a/b; name*0=one; name*1*=%20two; name*2=three", "a/b", "", "one twothree"},
		{"a name in encoded words", `a/b; name="=?utf-8?q?=C3=BC?="`, "a/b", "", "ü"},
		{"a name in bytes", "a/b; name=\xfc", "a/b", "", "ü"},
		{"pieces in any order", "a/b; name*1*=%62; name*2=c; name*0*=utf-8''%61", "a/b", "", "abc"},
		{"more than ten pieces", "a/b; name*10=k; name*9=j; name*0=a; name*1=b", "a/b", "", "abjk"},
		{"a piece that is missing", "a/b; name*0=a; name*2=c", "a/b", "", "ac"},
		{"the first of two pieces of one number", "a/b; name*0=a; name*1=b; name*1=c", "a/b", "", "ab"},
		{"pieces that are quoted", `a/b; name*0*="utf-8''%c3"; name*1*="%bc"`, "a/b", "", "ü"},
		{"a language", "a/b; name*=utf-8'de-at'%c3%bc", "a/b", "", "ü"},
		{"a charset that is not given", "a/b; name*=''%c3%bc", "a/b", "", "ü"},
		{"no charset and no language", "a/b; name*=%c3%bc", "a/b", "", "ü"},
		{"an apostrophe that is no charset", "a/b; name*0=it's; name*1=' here", "a/b", "", "it's' here"},
		{"a name for readers that know the RFC comes first", "a/b; name=u; name*=utf-8''%c3%bc", "a/b", "", "ü"},
		{"a whole name before pieces", "a/b; name*0=a; name*=utf-8''b", "a/b", "", "b"},
		{"a number that is none", "a/b; name*x=a; name=b", "a/b", "", "b"},
		{"an encoded word in two pieces", `a/b; name*0="=?utf-8?b?4o"; name*1="Ks?="`, "a/b", "", "€"},
		{"a comment", "text/html (a) ; (b) charset=utf-8 (c); name=\"a\" (d=e; name=f)", "text/html", "utf-8", "a"},
		{"a comment in a comment", "text/html; (a (b; name=c) d; name=e) name=f", "text/html", "", "f"},
		{"a comment with an escape", `text/html; (a \) name=b;) name=c`, "text/html", "", "c"},
		{"a comment that never ends", "text/html; (name=a; name=b", "text/html", "", "b"},
		{"a comment before everything", "(text/plain) text/html; name=a", "text/html", "", "a"},
		{"apostrophes in the first of two pieces", `a/b; name*0="Ann's and Bo's"; name*1=.txt`, "a/b", "", "Ann's and Bo's.txt"},
		{"a quote within quotes", `a/b; name="a\";b"; charset=c`, "a/b", "c", `a";b`},
		{"another name that begins alike", "a/b; names=a; name=b", "a/b", "", "b"},
		{"brackets in a name", "a/b; name=a (1).b; charset=c", "a/b", "c", "a (1).b"},
		{"a type in quotes", `"text/html"; name=a`, "text/html", "", "a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := decode("Content-Type:" + test.value + "\n\n").Parts[0]
			equal(t, "value", string(p.Type), test.mediaType)
			equal(t, "value", string(p.Charset), test.charset)
			equal(t, "value", string(p.Filename), test.filename)
		})
	}
}

func TestTypesOfText(t *testing.T) {
	tests := []struct {
		mediaType string
		isText    bool
	}{
		{"text/plain", true},
		{"message/delivery-status", true},
		{"message/disposition-notification", true},
		{"message/rfc822", true},
		{"application/xhtml+xml", true},
		{"x-unknown/type", true},
		{"multipart/mixed", true},
		{"application/pdf", false},
		{"IMAGE/PNG", false},
		{"audio/mpeg", false},
		{"video/mp4", false},
		{"font/ttf", false},
		{"model/vrml", false},
		{"message/news", true},
	}
	for _, test := range tests {
		t.Run(test.mediaType, func(t *testing.T) {
			p := decode("Content-Type: " + test.mediaType + "\n\nx").Parts[0]
			if (p.Text != nil) != test.isText || p.Attachment == test.isText {
				t.Errorf("got text %q and attachment %v, want text: %v", p.Text, p.Attachment, test.isText)
			}
		})
	}
}
