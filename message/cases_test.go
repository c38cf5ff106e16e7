package message

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// TestCasesOfMessages reads messages that broke other programs; see test/cases.
func TestCasesOfMessages(t *testing.T) {
	for name, want := range map[string]struct {
		subject string
		texts   []string // in this order
		not     string   // in no text
		link    string
	}{
		"16-utf16-little-endian/mail.eml":       {subject: "Cheap moulds", texts: []string{"plastic moulds"}},
		"18-big5-short/mail.eml":                {subject: "免費優惠", texts: []string{"免費優惠"}},
		"21-delsp/mail.eml":                     {texts: []string{"remarkable offer of medicaments", "line here"}},
		"24-plain-under-base64/long.eml":        {texts: []string{"Lieferungsankuendigung Rechnungsnummer"}},
		"24-plain-under-base64/url.eml":         {link: "https://pills.example/offer/abcdefghijklmnop"},
		"26-picture-without-type/mail.eml":      {texts: []string{"My photograph"}, not: "JFIF"},
		"36-boundary-folded-in-quotes/mail.eml": {texts: []string{"Plain words from notes.", "Html words from notes."}},
		"38-part-without-header/mail.eml":       {texts: []string{"HI ANA", "HOW IS IT", "SECOND"}},
		"40-no-closing-boundary/mail.eml":       {texts: []string{"First reading.", "Second reading"}},
		"42-japanese-words-padded/mail.eml":     {subject: "電子メール情報漏 洩対策システム"},
		"44-calendar-cr-cr-lf/mail.eml":         {texts: []string{"Sunglasses black friday"}, link: "http://glasses.example/now"},
		"46-text-with-a-name/mail.eml":          {texts: []string{"Text with a name is the body."}},
		"48-big5-hello/mail.eml":                {subject: "你好", texts: []string{"你好"}},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile("../test/cases/" + name)
			if err != nil {
				t.Fatal(err)
			}
			m := NewDecoder(Options{}).Decode(raw)
			var all strings.Builder
			for _, p := range m.Parts {
				all.Write(p.Text)
			}
			rest := all.String()
			for _, text := range want.texts {
				_, after, found := strings.Cut(rest, text)
				if !found {
					t.Fatalf("no %q in %q", text, all.String())
				}
				rest = after
			}
			if want.subject != "" && string(m.Get("Subject")) != want.subject {
				t.Errorf("the subject is %q, want %q", m.Get("Subject"), want.subject)
			}
			if want.not != "" && strings.Contains(all.String(), want.not) {
				t.Errorf("%q is in %q", want.not, all.String())
			}
			if want.link != "" && (len(m.Links) == 0 || string(m.Links[0].URL) != want.link) {
				t.Errorf("the links are %q, want %q", m.Links, want.link)
			}
		})
	}
}

func TestTextThatIsNoneAndTextThatLooksLikeNone(t *testing.T) {
	noise := make([]byte, 3000)
	for i := range noise {
		noise[i] = byte(i * 151 >> 2)
	}
	wrapped := func(content string) string {
		return "Content-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(content)) + "\n"
	}
	utf16 := func(order binary.AppendByteOrder, text string) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(text)) {
			b = order.AppendUint16(b, u)
		}
		return string(b)
	}
	utf32 := func(order binary.AppendByteOrder, text string) string {
		var b []byte
		for _, r := range text {
			b = order.AppendUint32(b, uint32(r))
		}
		return string(b)
	}
	const (
		page = "Content-Type: application/octet-stream; name=a.html\n"
		pdf  = "%PDF-1.4\n2 0 obj<</Length 20>>stream\nBT /F1 12 Tf (Pay now) Tj ET\nendstream endobj\n"
	)
	inPieces := func(content string) (pieces string) {
		for piece := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString([]byte(content))), 4) {
			pieces += string(piece) + " "
		}
		return pieces
	}
	for name, test := range map[string]struct {
		raw, want string
		is        bool
	}{
		"a picture called text is not read":                                          {"Content-Type: text/plain\n" + wrapped("\xff\xd8\xff\xe0 JFIF words"+string(noise)), "words", false},
		"an archive without a type is not read":                                      {wrapped("PK\x03\x04 words" + string(noise)), "words", false},
		"words behind the mark of a picture are read":                                {"\nGIF89a cheap pills\n", "cheap pills", true},
		"words between control characters are read":                                  {wrapped("cheap\x01pills\x02for\x03you\x04now"), "pills", true},
		"words between control characters behind a mark that is no picture are read": {"\nBM\x01cheap\x01pills\n", "pills", true},
		"words behind the mark of a PDF are read":                                    {"\n%PDF-1.4 cheap pills\n", "cheap pills", true},
		"words between control characters behind the mark of a picture are read":     {"\nGIF89a\ncheap\x01 pills\x02 for\x03 you\n", "pills", true},
		"letters between control characters behind the mark of a picture are read":   {"\nGIF89a\nc\x01h\x01e\xad\x01a\x01p\x01\xff", "c\x01h\x01e", true},
		"Russian between control characters behind the mark of an archive is read":   {"\nPK\x03\x04\nде\x01ше\x02во\x03\xff", "де\x01ше", true},
		"base64 in pieces behind a control character is base64":                      {"Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n" + inPieces("<!--\x01-->cheap pills, and only for you"), "cheap pills", true},
		"and behind a comment of noise":                                              {"Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n" + inPieces("<!--"+string(noise)+"-->"+strings.Repeat("<p>cheap pills for you", 3)), "cheap pills", true},
		"and text that is not UTF-8 behind one":                                      {"Content-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n\n" + inPieces("<!--"+string(noise)+"-->"+strings.Repeat("d\xfcrr \xe4h ", 80)), "dürr äh", true},
		"base64 in pieces of a few words":                                            {"Content-Transfer-Encoding: base64\n\n" + inPieces("cheap pills \u20ac 1!"), "cheap pills", true},
		"and of words that are not UTF-8":                                            {"Content-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n\n" + inPieces(strings.Repeat("d\xfcrr \xe4h ", 20)), "dürr äh", true},
		"base64 behind a line that is none":                                          {"Content-Transfer-Encoding: base64\n\nY2hl\n-----\n" + strings.Repeat("YXAg\n", 20), "cheap ap", true},
		"a few letters that are declared base64":                                     {"Content-Transfer-Encoding: base64\n\ncall me\n", "call me", true},
		"and whose content would be text, but for its length":                        {"Content-Transfer-Encoding: base64\n\ndear sir\n", "dear sir", true},
		"and more that are not UTF-8":                                                {"Content-Transfer-Encoding: base64\n\nPlease visit our shop tonight\n", "visit our shop", true},
		"noise behind a line that is none is not read":                               {"Content-Transfer-Encoding: base64\n\n/9j/4AAQ\n-----\n" + strings.Repeat("lhAO\n", 100), "lhAO", false},
		"letters that are declared base64 are read as they stand":                    {"Content-Transfer-Encoding: base64\n\nVersandbestaetigung Rechnungsnummer\n", "Versandbestaetigung", true},
		"UTF-16 in little-endian order":                                              {"Content-Type: text/plain; charset=utf-16\n" + wrapped(utf16(binary.LittleEndian, "cheap 便宜\n")), "cheap 便宜", true},
		"UTF-16 in big-endian order":                                                 {"Content-Type: text/plain; charset=utf-16\n" + wrapped(utf16(binary.BigEndian, "cheap 便宜\n")), "cheap 便宜", true},
		"UTF-16 with the wrong order declared":                                       {"Content-Type: text/plain; charset=utf-16le\n" + wrapped(utf16(binary.BigEndian, "cheap 便宜\n")), "cheap 便宜", true},
		"Chinese in the declared order":                                              {"Content-Type: text/plain; charset=utf-16be\n" + wrapped(utf16(binary.BigEndian, "一汉")), "一汉", true},
		"Russian, of which a byte in two is a control character":                     {"Content-Type: text/plain; charset=utf-16be\n" + wrapped(utf16(binary.BigEndian, "Купите зебру")), "Купите зебру", true},
		"Russian in little-endian order":                                             {"Content-Type: text/plain; charset=utf-16le\n" + wrapped(utf16(binary.LittleEndian, "Купите зебру")), "Купите зебру", true},
		"Russian with a mark and without a charset":                                  {"Content-Type: text/plain\n" + wrapped("\xff\xfe"+utf16(binary.LittleEndian, "Купите зебру")), "Купите зебру", true},
		"full-width letters without a NUL":                                           {"Content-Type: text/plain; charset=utf-16be\n" + wrapped(utf16(binary.BigEndian, "ｃｈｅａｐ\u2003ｐｉｌｌｓ")), "ｃｈｅａｐ\u2003ｐｉｌｌｓ", true},
		"Latin-1 that is declared UTF-16":                                            {"Content-Type: text/plain; charset=utf-16\n" + wrapped("Gr\xfc\xdfe an alle Freunde"), "Grüße an alle Freunde", true},
		"text before a file of uuencode in an encoded body":                          {"Content-Transfer-Encoding: x-uuencode\n\ncheap pills\nbegin 644 a\n#0V%T\n`\nend\n", "cheap pills", true},
		"and behind it":                                                {"Content-Transfer-Encoding: x-uuencode\n\nbegin 644 a\n#0V%T\n`\nend\ncheap pills\n", "cheap pills", true},
		"capitals that look like uuencode":                             {"\nbegin 644 a\n" + strings.Repeat("MAKE MONEY FAST AND BUY CHEAP PILLS NOW\n", 3) + "end\n", "CHEAP PILLS", true},
		"and in an encoded body":                                       {"Content-Transfer-Encoding: uuencode\n\nbegin 644 a\n" + strings.Repeat("MAKE MONEY FAST AND BUY CHEAP PILLS NOW\n", 3) + "end\n", "CHEAP PILLS", true},
		"a comment in rich text":                                       {"Content-Type: text/enriched\n\n<bold>a</bold><!-- cheap pills -->", "cheap pills", true},
		"a style in rich text":                                         {"Content-Type: text/richtext\n\n<style>cheap pills</style>", "cheap pills", true},
		"an attribute in rich text":                                    {"Content-Type: text/enriched\n\n<bold a='cheap pills'>", "cheap pills", true},
		"rich text":                                                    {"Content-Type: text/enriched\n\n<bold>che</bold>ap << pills", "cheap", true},
		"a section in XHTML":                                           {"Content-Type: application/xhtml+xml\n\n<html><script/><body><![CDATA[cheap pills]]>", "cheap pills", true},
		"an attached page with a control character":                    {page + wrapped("<!--\x01-->cheap pills"), "cheap pills", true},
		"an attached page with the mark of a PDF in it":                {page + wrapped("<!--%PDF-1.4-->cheap pills"), "cheap pills", true},
		"an attached page that begins as a calendar":                   {page + wrapped("begin:vcalendar<br>cheap pills"), "cheap pills", true},
		"an attached page that begins as a picture":                    {page + wrapped("GIF89a"+string(noise[:64])+strings.Repeat("d\xfcrr \xe4h ", 9)), "dürr äh", true},
		"an attached page whose name Windows cuts":                     {"Content-Type: application/octet-stream; name=\"a.html. \"\n" + wrapped("cheap pills"), "cheap pills", true},
		"text under the type of a directory":                           {"Content-Type: text/directory\n\ncheap pills\n", "cheap pills", true},
		"text under the type of a calendar":                            {"Content-Type: text/calendar\n\ncheap: pills\n", "cheap: pills", true},
		"Russian in the declared charset behind the mark of a picture": {"Content-Type: text/plain; charset=koi8-r\n\nGIF89a \xc4\xc5\xce\xd8\xc7\xc9\x01\x02\n", "деньги", true},
		"a page of single letters behind the mark of a PDF":            {"Content-Type: text/html\n\n%PDF-\x01\x02\x03\x04<b>c</b><b>h</b><b>e</b><b>a</b>p", "cheap", true},
		"a page behind a PDF":                                          {"Content-Type: text/html; charset=iso-8859-1\n" + wrapped(pdf+"<p hidden>"+string(noise)+"</p>cheap pills"), "cheap pills", true},
		"a PDF that is attached as a page":                             {"Content-Type: text/html; name=a.pdf\nContent-Disposition: attachment\n" + wrapped(pdf+"<p hidden>"+string(noise)), "Pay now", true},
		"a comment in HTML that is declared as plain text":             {"\n<html><!-- cheap pills -->", "cheap pills", true},
		"and an attribute":                                             {"\n<html><a title='cheap pills'>", "cheap pills", true},
		"and its text, with words in parts":                            {"\n<html>che<b>ap</b>", "cheap", true},
		"half a unit at the end":                                       {"Content-Type: text/plain; charset=utf-16le\n" + wrapped("a\x00b"), "\ufffd", false},
		"UCS-2":                                                        {"Content-Type: text/plain; charset=ucs-2\n" + wrapped(utf16(binary.BigEndian, "cheap 便宜\n")), "cheap 便宜", true},
		"UTF-32 in little-endian order":                                {"Content-Type: text/plain; charset=utf-32\n" + wrapped(utf32(binary.LittleEndian, "cheap 便宜\n")), "cheap 便宜", true},
		"UTF-32 in big-endian order":                                   {"Content-Type: text/plain; charset=utf-32\n" + wrapped(utf32(binary.BigEndian, "cheap 便宜\n")), "cheap 便宜", true},
		"Chinese in UTF-32, in big-endian order":                       {"Content-Type: text/plain; charset=utf-32\n" + wrapped(utf32(binary.BigEndian, "便宜")), "便宜", true},
		"an empty type before another is the type":                     {"Content-Type:\nContent-Type: text/html\n\nche<b>ap</b>", "che<b>ap", true},
		"UTF-32 with a mark":                                           {"Content-Type: text/plain; charset=utf-32\n" + wrapped("\xff\xfe\x00\x00"+utf32(binary.LittleEndian, "cheap")), "cheap", true},
		"UTF-16 with a mark":                                           {"Content-Type: text/plain; charset=utf-16\n" + wrapped("\xff\xfe"+utf16(binary.LittleEndian, "便宜")), "便宜", true},
		"a flowed word goes on in the next line":                       {"Content-Type: text/plain; format=flowed; delsp=yes\n\nche \nap\n", "cheap", true},
		"but not in another quote":                                     {"Content-Type: text/plain; format=flowed; delsp=yes\n\n> che \nap\n", "cheap", false},
		"and not after the line of a signature":                        {"Content-Type: text/plain; format=flowed; delsp=yes\n\n-- \nAna\n", "-- \nAna", true},
		"without delsp the blank stays":                                {"Content-Type: text/plain; format=flowed\n\nche \nap\n", "che \nap", true},
		"the organiser of a meeting":                                   {"Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nORGANIZER;CN=\"Cheap Pills\":mailto:a@b.example\n", "Cheap Pills", true},
		"the guests of a meeting":                                      {"Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nATTENDEE;ROLE=REQ;CN=Win Now;RSVP=TRUE:mailto:a@b.example\n", "Win Now", true},
		"and not their addresses":                                      {"Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nATTENDEE:mailto:a@b.example\n", "a@b", false},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewDecoder(Options{}).Decode([]byte("Subject: x\n" + test.raw))
			var text string
			for _, p := range m.Parts {
				text += string(p.Text)
			}
			if strings.Contains(text, test.want) != test.is {
				t.Errorf("%q in %q: want %v", test.want, text, test.is)
			}
		})
	}
}

func TestWordsWithoutCharactersVanish(t *testing.T) {
	for _, word := range []string{"=?utf-8?Q??=", "=?utf-16?B?//4=?=", "=?utf-16?B?AAA=?=", "=?utf-16?B?AA==?=", "=?utf-8?B?AA==?="} {
		if got := string(NewDecoder(Options{}).Decode([]byte("Subject: a " + word + " b\n\n")).Get("Subject")); strings.ReplaceAll(got, " ", "") != "ab" {
			t.Errorf("%s: the subject is %q", word, got)
		}
	}
}

// FuzzWide reads Latin text as UTF-16 and UTF-32 in both orders: the order that is declared does not matter where most bytes are zero.
func FuzzWide(f *testing.F) {
	f.Add([]byte("a"))
	f.Add([]byte("some text\r\n"))
	f.Add([]byte("\xff\xfe\x00\x00\xd8\x3d"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d := NewDecoder(Options{})
		isPlain := len(text) > 0 && bytes.IndexByte(text, 0) < 0 && lengthOfASCII(text) == len(text)
		for label, width := range map[string]int{"utf-16": 2, "utf-16le": 2, "utf-16be": 2, "ucs-2": 2, "utf-32": 4, "utf-32le": 4, "utf-32be": 4} {
			little, big := make([]byte, width*len(text)), make([]byte, width*len(text))
			for i, c := range text {
				little[width*i], big[width*i+width-1] = c, c
			}
			for _, wide := range [][]byte{little, big, text} {
				got := string(d.toUTF8(wide, []byte(label), false))
				if !utf8.ValidString(got) || isPlain && len(wide) > len(text) && got != string(text) {
					t.Errorf("%s: got %q of %q, want %q", label, got, wide, text)
				}
			}
		}
	})
}

// FuzzFlowed compares text without and with its lines joined: only blanks, quote marks and line ends may go.
func FuzzFlowed(f *testing.F) {
	for _, seed := range []string{"", "a \nb", "> a \n> b", "a \r\n b", "-- \na", "a \n>b \n\n \n \n"} {
		f.Add([]byte(seed))
	}
	words := func(text []byte) string {
		return string(slices.DeleteFunc(bytes.Clone(text), func(c byte) bool { return strings.IndexByte(" \r\n>", c) >= 0 }))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := NewDecoder(Options{}).joinFlowed(text)
		if words(got) != words(text) || len(got) > len(text) {
			t.Errorf("got %q of %q", got, text)
		}
	})
}

func TestFieldsAreInTheCharsetOfTheBodyIfItHasEscapes(t *testing.T) {
	const katakana = "\x1b(I6E\x1b(B" // half-width, which no escape with a dollar announces
	raw := "Content-Type: text/plain; charset=ISO-2022-JP\nSubject: " + katakana + "\n\n" + katakana
	m := NewDecoder(DefaultOptions()).Decode([]byte(raw))
	if got, want := string(m.Get("subject")), "ｶﾅ"; got != want || string(m.Parts[0].Text) != want {
		t.Errorf("the subject is %q and the text %q, want both to be %q", got, m.Parts[0].Text, want)
	}
}

func TestACommentIsNoTransferEncoding(t *testing.T) {
	for value, want := range map[string]string{"(base64)": "YWJj", "(x) base64": "abc", "((x) y) base64": "abc", "base64 (x)": "abc", "b ase64": "abc", "8 bit": "YWJj"} {
		m := NewDecoder(DefaultOptions()).Decode([]byte("Content-Transfer-Encoding: " + value + "\n\nYWJj"))
		if got := string(m.Parts[0].Text); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}

func TestDamagedBase64CopiesNothing(t *testing.T) {
	dst, word := make([]byte, 32<<10), []byte("@@@@")
	damaged := func() { dst, _ = appendBase64(dst, word) }
	if n := testing.AllocsPerRun(100, damaged); n > 0 { // its first run may make room
		t.Errorf("a damaged word behind 32 KiB makes room %.0f times", n)
	}
}

func TestForeignBytesInBase64AreIgnored(t *testing.T) {
	const text = "Cheap pills, no prescription needed. "
	for name, want := range map[string]string{"short": text, "long": strings.Repeat(text, 200), "Russian": strings.Repeat("\xc4\xc5\xce\xd8\xc7\xc9 ", 100)} {
		encoded := base64.StdEncoding.EncodeToString([]byte(want))
		for _, foreign := range []string{" ", "  ", ".", " \n", "-_"} {
			var body strings.Builder
			for group := range slices.Chunk([]byte(encoded), 4) {
				body.WriteString(string(group) + foreign)
			}
			raw := "Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n" + body.String()
			if got, _ := appendBase64(nil, []byte(body.String())); !bytes.Equal(got, []byte(want)) { // the library decodes it where it stands
				t.Errorf("%s, %q behind each four letters: got %.50q", name, foreign, got)
			}
			m := NewDecoder(DefaultOptions()).Decode([]byte(raw))
			if got := string(m.Parts[0].Text); !strings.HasPrefix(got, "Cheap pills,") && !strings.HasPrefix(got, "деньги") {
				t.Errorf("%s, %q behind each four letters: got %.50q", name, foreign, got)
			}
		}
	}
}

func TestFieldsThatDescribeTheContentTakeLittleMemory(t *testing.T) {
	const size = 8 << 20
	junk := strings.Repeat("A: "+strings.Repeat("b", 60<<10)+"\n", 2*maxHeaders)
	for _, name := range []string{"Content-A", "Content-Type", "Content-Transfer-Encoding", "Content-Disposition"} {
		field := name + ": " + strings.Repeat("a\n b", 200) + "\n"
		raw := junk + "Content-Type: text/html\n" + strings.Repeat(field, size/len(field)) + "\n<p>text"
		d, data := NewDecoder(DefaultOptions()), []byte(raw)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m := d.Decode(data)
		runtime.ReadMemStats(&after)
		if string(m.Parts[0].Type) != "text/html" {
			t.Errorf("%s: the type behind %d bytes of other fields is read as %q", name, len(junk), m.Parts[0].Type)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > size {
			t.Errorf("%s: %d bytes of such fields take %d bytes", name, size, taken)
		}
	}
}
