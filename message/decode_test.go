package message_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"chaff/message"
)

// decode decodes with limits that do not matter.
func decode(raw string) *message.Message {
	return message.NewDecoder(message.DefaultOptions()).Decode([]byte(raw))
}

// example is a case of a table test: a piece of mail, its text, and what else is found in it.
type example struct{ name, raw, text, other string }

// decodeAll decodes each example between head and tail, and compares its text and what other returns.
func decodeAll(t *testing.T, examples []example, head, tail string, other func(*message.Message) string) {
	t.Helper()
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			m := decode(head + e.raw + tail)
			equal(t, "text", strings.TrimSpace(texts(m)), strings.TrimSpace(e.text))
			equal(t, "value", other(m), e.other)
		})
	}
}

// fieldExample is a body under a value of a header field, its text, and its repairs.
type fieldExample struct{ name, value, body, text, repairs string }

// decodeFields decodes each example under the value of a field.
func decodeFields(t *testing.T, examples []fieldExample, field string) {
	t.Helper()
	all := make([]example, len(examples))
	for i, e := range examples {
		all[i] = example{e.name, e.value + "\n\n" + e.body, e.text, e.repairs}
	}
	decodeAll(t, all, field, "", repairs)
}

// equal reports a value that is not as it should be.
func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %s %q, want %q", what, got, want)
	}
}

// texts joins the texts of all parts, blanks made single, with " | " between parts and "-" for parts without text.
func texts(m *message.Message) string {
	var all []string
	for _, p := range m.Parts {
		if p.Text == nil {
			all = append(all, "-")
			continue
		}
		all = append(all, strings.Join(strings.Fields(string(p.Text)), " "))
	}
	return strings.Join(all, " | ")
}

// fields joins names and values of fields.
func fields(of []message.Field, separator string) string {
	var all []string
	for _, f := range of {
		all = append(all, fmt.Sprintf("%s=%s", f.Name, f.Value))
	}
	return strings.Join(all, separator)
}

func urls(m *message.Message) string {
	var all []string
	for _, link := range m.Links {
		all = append(all, string(link.URL))
	}
	return strings.Join(all, " ")
}

func repairs(m *message.Message) string {
	var all []string
	for r := range m.Repairs.All() {
		all = append(all, r.String())
	}
	return strings.Join(all, ", ")
}

func TestBrokenMailIsRead(t *testing.T) {
	tests := []struct {
		file, subject, texts, urls, repairs string
	}{
		{"absent-boundary", "where?", "A boundary that is nowhere. --cutting | ", "",
			"boundary that never comes, fields that contradict each other"},
		{"attached", "outer", "Deep. | Subject: in two mails First half. | Second: half. | Content-Type: image/png; name=cat.png", "", ""},
		{"bare-cr", "old line ends", "Each line ends in another way.", "", "line ended by a bare CR"},
		{"base64-footer", "half base64", "A text that was encoded, and a list that was not told of it. " +
			"_______________ Announcements mailing list,", "https://lists.example/announce", "broken base64"},
		{"base64-foreign", "dirty base64", "Some bytes do not belong here.", "", "broken base64"},
		{"base64-joined", "two pieces", "one piece, another", "", ""},
		{"base64-plain", "not base64", "This text says that it is base64, but nobody has encoded it on its way to us.", "",
			"broken base64"},
		{"bounce", "not delivered", "Your mail could not be delivered. | Reporting-MTA: dns; mx.home.example Final-Recipient: " +
			"rfc822; bob@home.example Action: failed | ", "", ""},
		{"boundary-hyphens", "hyphens", "First. | Second.", "", "boundary lines other than declared"},
		{"boundary-prefixes", "prefixes", "First. | Second. --cut12 still second | Third. | Second. | still second", "",
			"fields that contradict each other"},
		{"boundary-quotes", "quotes", "First. | Second.", "", "boundary lines other than declared"},
		{"byte-order-mark", "saved by an editor", "It starts with a mark.", "", ""},
		{"byte-order-mark-mbox", "a mark inside", "It follows a line of an mbox.", "", ""},
		{"calendar", "only a calendar", "Your bill, Bob Call us at once. Thank you.", "https://shop.example/bill", ""},
		{"charset-ascii-declared", "not ASCII", "今天下午三点在公司开会，请大家准时参加。", "", "text not in its declared charset"},
		{"charset-escapes", "会議", "明日です", "", ""},
		{"charset-guessed", "Список вещей для поездки", "Завтракать будем уже в поезде.", "", "8-bit text without a charset"},
		{"charset-header", "привет", "деньги", "", ""},
		{"charset-labels", "labels", "да | ą | 안 | 日 | ü", "", ""},
		{"charset-meta", "meta", "деньги", "", ""},
		{"charset-mixed", "cut", "€5 über â‚", "", "invalid UTF-8"},
		{"charset-undeclared", "café “Paris”", "naïve €5", "", "8-bit text without a charset"},
		{"charset-unknown", "odd charset", "naïve €5", "", "unknown charset"},
		{"charset-utf-8-declared", "not UTF-8", "こんにちは、明日の予定をお知らせします。", "", "invalid UTF-8"},
		{"charset-wrong", "UTF-8 all the same", "€5 да", "", ""},
		{"comments", "comments", "café | fine", "", ""},
		{"content-types", "types", "one | <i>two</i> | three | four | five", "", "unreadable content type"},
		{"cr-cr-lf", "one CR too many", "The header is still one.", "", "line ended by a bare CR"},
		{"crlf", "as on the wire", "One line. Two lines.", "", ""},
		{"declared-encoded-multipart", "not encoded", "1=3D1", "", ""},
		{"digest", "digest", "First. | Second.", "", ""},
		{"encoded-message", "wrapped", "Unwrapped", "", ""},
		{"encoded-multipart", "all encoded", "Plain. | Marked up.", "", ""},
		{"encoded-words", "Äpfel € für alle ab cd wüst =?utf-8?x?odd?= =?utf-8?q?open", "Words in the header.", "",
			"broken encoded word, unknown charset"},
		{"file-names", "names", "- | - | prices | - | -", "", ""},
		{"html", "HTML", "Shop Cheap pills for you & me €5 cell next go Buy now or see . without scriptstop",
			"https://shop.example/a?b=1&c=2 //img.example/x.gif www.shop.example/more", ""},
		{"html-as-plain", "not plain", "Not plain <HTML> <Body bgcolor=white>Not <i>plain</i></body></html>", "", "HTML declared as plain text"},
		{"frames", "frames", "Above typed | Look inside", "data:image/svg+xml;base64 https://shop.example/in", ""},
		{"html-address", "write to us", "Write to our editors.", "mailto:a@b.example", ""},
		{"html-hidden", "hidden words", "Cheap pills for all of you today", "", ""},
		{"html-style-sheets", "style sheets", "Cheap pills today", "", ""},
		{"html-turned", "turned words", "Cheap pills now", "", ""},
		{"html-links", "on and on", "You will be sent on.", "http://one.example/ http://two.example/", ""},
		{"html-unclosed", "open ends", "one two", "https://shop.example/x",
			"HTML tag or comment without an end"},
		{"iso-2022-kr", "shifts", "a 안녕하세요 b", "", ""},
		{"junk-lines", "a long subject, broken by hand", "Still read as HTML.", "", "header line without a colon"},
		{"lost-folds", "a subject that was folded and then stripped", "Still two parts. | The second.", "",
			"header line without a colon"},
		{"mbox-line", "from an mbox", "The first line is no field.", "", ""},
		{"mbox-line-quoted", "from a forwarder", "Nor is this one.", "", ""},
		{"named-only", "for programs", "- | - | - | - | -", "", ""},
		{"nested", "nested", "Hello. | Hello. | Forwarded. | - | Notes.", "", ""},
		{"no-boundary", "which?", "A part without a boundary.", "", "multipart without a boundary"},
		{"no-closing-boundary", "open", "One. | Two. --outer- still two | Two. | still two", "", "missing closing boundary, fields that contradict each other"},
		{"no-empty-line", "nothing between", "the header and the text of this mail. A second paragraph: also text.", "",
			"header without an empty line after it"},
		{"no-empty-line-multipart", "straight into the parts", "First part.", "", "header without an empty line after it"},
		{"no-empty-line-part", "not delivered", "Dear Ann: this was not delivered. | Reporting-MTA: dns; relay.example " +
			"Final-Recipient: rfc822; bob@home.example | The message itself. | The last part.", "",
			"header without an empty line after it, fields that contradict each other"},
		{"nul_bytes", "hidden NUL", "pills", "", "NUL bytes in text"},
		{"opened-files", "files of no type", "Look inside | A message as a file. | Pay your bill | -",
			"https://shop.example/in https://shop.example/pay", ""},
		{"parameter-pieces", "pieces", "- | - | a file | - | - | -", "", ""},
		{"quoted-printable", "half quoted", "1=1, x=y, 100=% sure, café, longer word", "", "broken quoted-printable"},
		{"quoted-printable-end", "at the end", "café, soft line end", "", ""},
		{"transfer-encodings", "encodings", "one | two | three | four", "", "misspelt transfer encoding"},
		{"two-boundaries", "two boundaries", "For a filter. | For people.", "", "fields that contradict each other"},
		{"two-types", "two types", "The first one wins. | -", "", "fields that contradict each other"},
		{"unknown-encoding", "odd encoding", "Read as it is.", "", "unknown transfer encoding"},
		{"utf-7", "Hi Mom -☺-!", "Hi Mom -☺-! 1+1 is 1+1, 日本語", "", ""},
		{"uuencode", "two files", "Here they are. begin the day with a smile Greetings | Dear Bob, this is the list that " +
			"you wanted: Ann | -", "https://shop.example/list", ""},
		{"uuencode-broken", "half a file", "Here it is. Greetings | Dear Bob, this is the list that you wanted: Ann s the list that " +
			"you wanted:", "https://shop.example/list https://shop.exam", "broken uuencode"},
		{"uuencode-encoding", "one file", "Dear Bob, this is the list that you wanted: Ann", "https://shop.example/list", ""},
	}
	mail := exampleMail(t)
	var files []string
	for _, test := range tests {
		files = append(files, test.file)
		t.Run(test.file, func(t *testing.T) {
			raw := mail[test.file]
			before := string(raw)
			m := message.NewDecoder(message.DefaultOptions()).Decode(raw)
			if string(raw) != before {
				t.Error("the message was changed")
			}
			equal(t, "value", string(m.Get("SUBJECT")), test.subject)
			equal(t, "text", texts(m), test.texts)
			equal(t, "links", urls(m), test.urls)
			equal(t, "repairs", repairs(m), test.repairs)
		})
	}
	slices.Sort(files)
	if found := slices.Sorted(maps.Keys(mail)); !slices.Equal(found, files) {
		t.Errorf("testdata holds %q, the table has %q", found, files)
	}
}

func TestPartsAreDescribed(t *testing.T) {
	m := decodeFile(t, "nested")
	want := []string{
		"text/plain   false", "text/html   false", "text/plain   false", "image/png base64 cat.png true",
		"text/plain  notes.txt true",
	}
	var got []string
	for _, p := range m.Parts {
		got = append(got, fmt.Sprintf("%s %s %s %v", p.Type, p.Encoding, p.Filename, p.Attachment))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMessagesWithoutText(t *testing.T) {
	tests := []struct{ name, raw string }{
		{"an empty message", ""},
		{"an empty line", "\n"},
		{"a header only", "Subject: no more\n"},
		{"a mark only", "\ufeff"},
		{"an mbox line only", "From nobody"},
		{"a multipart that ends at once", "Content-Type: multipart/mixed; boundary=b\n\n--b--\n"},
		{"an image", "Content-Type: image/gif\n\nGIF89a"},
		{"two hyphens", "--"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decode(test.raw)
			if got := strings.Trim(texts(m), "- "); got != "" {
				t.Errorf("got text %q, want none", got)
			}
		})
	}
}

func TestLimitsAreKeptAndReported(t *testing.T) {
	manyParts := "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\nx\n", 5) + "--b--\n"
	nested := "Content-Type: message/rfc822\n\n"
	multiparts := "Content-Type: multipart/mixed; boundary=1\n\n--1\nContent-Type: multipart/mixed; boundary=2\n\n" +
		"--2\nContent-Type: multipart/mixed; boundary=3\n\n--3\n\ndeep\n--3--\n--2--\n--1\n\nshallow\n--1--\n"
	tests := []struct {
		name    string
		options message.Options
		raw     string
		texts   string
		repairs string
	}{
		{"parts", message.Options{MaxParts: 3}, manyParts, "x | x | x", "cut: too many parts"},
		{"as many parts as allowed", message.Options{MaxParts: 5}, manyParts, "x | x | x | x | x", ""},
		{"text", message.Options{MaxTextBytes: 5}, "\nabcdefgh", "abcde", "cut: too much text"},
		{"text up to a whole character", message.Options{MaxTextBytes: 4}, "\nab\u20acde", "ab", "cut: too much text"},
		{"text over all parts", message.Options{MaxTextBytes: 2}, manyParts, "x | x |  |  |", "cut: too much text"},
		{"encoded text", message.Options{MaxTextBytes: 3}, "Content-Transfer-Encoding: base64\n\nYWJjZGVm", "abc",
			"cut: too much text"},
		{"attached messages", message.Options{MaxDepth: 2}, strings.Repeat(nested, 4) + "\ndeep",
			"Content-Type: message/rfc822 deep", "cut: too deep"},
		{"as many attached messages as allowed", message.Options{MaxDepth: 3}, strings.Repeat(nested, 3) + "\ndeep", "deep",
			""},
		{"as many attached messages as Dovecot shows", message.Options{}, strings.Repeat(nested, 100) + "\ndeep", "deep", ""},
		{"multiparts", message.Options{MaxDepth: 2}, multiparts, "--3 deep --3-- | shallow", "cut: too deep"},
		{"as many multiparts as allowed", message.Options{MaxDepth: 3}, multiparts, "deep | shallow", ""},
		{"header fields", message.Options{MaxHeaderBytes: 20}, "Subject: 1234567890123456789012\n\nx", "x",
			"cut: header too long"},
		{"the number of fields", message.Options{}, strings.Repeat("A: b\n", 1001) + "\nx", "x", "cut: header too long"},
		{"fewer fields", message.Options{MaxHeaderFields: 2}, "Subject: 1\nA: b\nA: b\n\nx", "x", "cut: header too long"},
		{"as many fields as allowed", message.Options{MaxHeaderFields: 2}, "Subject: 1\nA: b\n\nx", "x", ""},
		{"fields of attached messages", message.Options{MaxHeaderFields: 2}, nested + "Subject: 1\nA: b\n\nx", "x",
			"cut: header too long"},
		{"files in a text", message.Options{MaxParts: 2}, "\none\n" + strings.Repeat("begin 644 a.txt\n#86)C\n`\nend\n", 3) + "two",
			"one | abc", "cut: too many parts"},
		{"text of files", message.Options{MaxTextBytes: 40}, "\n" + "begin 644 a.txt\n#86)C\n`\nend\n" + strings.Repeat("x", 30),
			strings.Repeat("x", 12) + " | abc", "cut: too much text"},
		{"encoded multiparts", message.Options{MaxDepth: 1}, "Content-Type: multipart/mixed; boundary=b\n" +
			"Content-Transfer-Encoding: quoted-printable\n\n=2D-b\nContent-Type: message/rfc822\n\n\ndeep\n=2D-b--", "deep", "cut: too deep"},
		{"links", message.Options{}, "\nhttp://shop.example/" + strings.Repeat("a", 3000), "", "cut: URL too long"},
		{"the number of links", message.Options{}, "\n" + strings.Repeat("a://b", 1) + strings.Repeat("\na://b", 20_000), "", "cut: too many links"},
		{"as many links as allowed", message.Options{}, "\n" + strings.Repeat("\na://b", 20_000), "", ""},
		{"all fields together", message.Options{MaxHeaderBytes: 1000}, strings.Repeat("A: "+strings.Repeat("a", 990)+"\n", 40) + "\nx", "x",
			"cut: header too long"},
		{"a part after too long headers", message.Options{MaxHeaderBytes: 1000}, strings.Repeat("A: "+strings.Repeat("a", 990)+"\n", 40) +
			"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Transfer-Encoding: base64\n\nYWJj\n--b--",
			"abc", "cut: header too long"},
		{"text that is not kept", message.Options{MaxTextBytes: 100}, "Content-Type: multipart/mixed; boundary=b\n\n" +
			strings.Repeat("--b\nContent-Transfer-Encoding: base64\n\n"+strings.Repeat("AAAA", 20)+"\n", 2) + "--b\n\nx\n--b--\n", "|  |",
			"NUL bytes in text, cut: too much text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := message.NewDecoder(test.options).Decode([]byte(test.raw))
			if got := texts(m); strings.TrimSpace(got) != test.texts {
				t.Errorf("got text %q, want %q", got, test.texts)
			}
			equal(t, "repairs", repairs(m), test.repairs)
			fields := test.options.MaxHeaderFields
			if fields == 0 {
				fields = message.DefaultOptions().MaxHeaderFields
			}
			if got := len(m.Header) + len(m.Attached); got > fields {
				t.Errorf("got %d fields, want at most %d", got, fields)
			}
			if got := m.Get("Subject"); len(got) > 20 {
				t.Errorf("got a subject of %d bytes, want at most 20", len(got))
			}
			if len(m.Links) > 0 && len(m.Links[0].URL) > 2048 {
				t.Errorf("got a URL of %d bytes, want at most 2048", len(m.Links[0].URL))
			}
		})
	}
}

func TestADecoderForgetsThePreviousMessage(t *testing.T) {
	d := message.NewDecoder(message.DefaultOptions())
	d.Decode([]byte("Subject: one\nX-Odd\nTo: a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nhttp://a.example\n--b\n\n"))
	m := d.Decode([]byte("To: two\n\nnew text"))
	if m.Get("subject") != nil || len(m.Header) != 1 || texts(m) != "new text" || len(m.Links) != 0 || m.Repairs != 0 {
		t.Errorf("got %q %q %q %q, want only the second message", m.Header, texts(m), urls(m), repairs(m))
	}
}

func TestAMessageMayUseUpItsMemory(t *testing.T) {
	// What is decoded first must survive the growth of memory by what comes later.
	var raw strings.Builder
	raw.WriteString("Subject: =?utf-8?q?first?=\nContent-Type: multipart/mixed; boundary=b\n\n")
	for i := range 200 {
		fmt.Fprintf(&raw, "--b\nContent-Type: text/html; charset=ISO-8859-%d\nContent-Transfer-Encoding: quoted-printable\n\n", i%9+1)
		fmt.Fprintf(&raw, "<a href=3Dhttp://shop.example/%d>part=20%d</a>\n", i, i)
	}
	m := decode(raw.String())
	if got := string(m.Get("subject")); got != "first" {
		t.Errorf("got subject %q, want first", got)
	}
	for i, p := range m.Parts {
		if got, want := strings.TrimSpace(string(p.Text)), fmt.Sprintf("part %d", i); got != want {
			t.Errorf("got text %q, want %q", got, want)
		}
		if got, want := string(p.Charset), fmt.Sprintf("iso-8859-%d", i%9+1); got != want {
			t.Errorf("got charset %q, want %q", got, want)
		}
		if got, want := string(m.Links[i].URL), fmt.Sprintf("http://shop.example/%d", i); got != want {
			t.Errorf("got URL %q, want %q", got, want)
		}
	}
	if len(m.Parts) != 200 {
		t.Errorf("got %d parts, want 200", len(m.Parts))
	}
}
