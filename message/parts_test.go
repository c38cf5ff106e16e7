package message_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chaff/message"
)

// exampleMail returns the messages in testdata by the names of their files, without .eml.
func exampleMail(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.eml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no mail in testdata: %v", err)
	}
	mail := make(map[string][]byte)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		mail[strings.TrimSuffix(filepath.Base(file), ".eml")] = raw
	}
	return mail
}

// addExampleMail adds the messages in testdata to the seeds of f.
func addExampleMail(f *testing.F) {
	f.Helper()
	mail := exampleMail(f)
	for _, name := range slices.Sorted(maps.Keys(mail)) {
		f.Add(mail[name])
	}
}

// decodeFile decodes an example in testdata.
func decodeFile(t *testing.T, name string) *message.Message {
	t.Helper()
	raw, found := exampleMail(t)[name]
	if !found {
		t.Fatalf("testdata has no %s.eml", name)
	}
	return decode(string(raw))
}

func TestFilesAreNamed(t *testing.T) {
	tests := []struct{ file, want string }{
		{"comments", `text/plain "letter (2).txt" false, text/html "a (b).html" true`},
		{"named-only", `application/ms-tnef "winmail.dat" true, text/calendar "meet.ics" false, text/x-vcard "ann.vcf" true, ` +
			`application/pkcs7-mime "smime.p7m" true, application/pkcs7-signature "smime.p7s" true`},
		{"parameter-pieces", `application/zip "grün.zip" true, application/zip "blåbær.zip" true, text/plain "grün.zip" true, ` +
			`application/zip "grün.zip" true, application/zip "grün.zip" true, application/zip "red%20.zipx" true`},
		{"uuencode", `text/plain "" false, text/plain "list.txt" true, application/octet-stream "small cat.gif" true`},
		{"uuencode-broken", `text/plain "" false, text/plain "list.txt" true`},
		{"uuencode-encoding", `text/plain "list.txt" false`},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			var parts []string
			for _, p := range decodeFile(t, test.file).Parts {
				parts = append(parts, fmt.Sprintf("%s %q %v", p.Type, p.Filename, p.Attachment))
			}
			if got := strings.Join(parts, ", "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestHeadersOfAttachedMessagesAreKept(t *testing.T) {
	tests := []struct{ file, header, attached string }{
		{"attached", "From=Ann <ann@shop.example>, To=bob@home.example, Subject=outer, Content-Type=multipart/mixed; boundary=cut",
			"Subject=first inner, Content-Type=message/global, Subject=second inner"},
		{"bounce", "From=MAILER-DAEMON@home.example, To=ann@shop.example, Subject=not delivered, " +
			"Content-Type=multipart/report; report-type=delivery-status; boundary=cut",
			"From=Ann <ann@shop.example>, To=bob@home.example, Subject=café, Content-Type=multipart/mixed; boundary=inner"},
		{"encoded-message", "From=Ann <ann@shop.example>, To=bob@home.example, Subject=wrapped, Content-Type=message/rfc822, " +
			"Content-Transfer-Encoding=base64", "Subject=inside, Content-Type=text/html"},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			m := decodeFile(t, test.file)
			equal(t, "value", fields(m.Header, ", "), test.header)
			equal(t, "value", fields(m.Attached, ", "), test.attached)
		})
	}
}

func TestUUencode(t *testing.T) {
	const line = "#86)C" // abc
	tests := []example{
		{"a text", "begin 644 a.txt\n" + line + "\n`\nend\n", " | abc", ""},
		{"blanks for zeros", "M\nbegin 644 a.txt\n" + line + "\n \nend\n", "M | abc", ""},
		{"blanks for zeros within a line", "begin 644 a.txt\n#04 @\n`\nend\n", " | A@", ""},
		{"a mode of two digits", "begin 64 a.txt\n" + line + "\n", "begin 64 a.txt #86)C", ""},
		{"a mode of five digits", "begin 64444 a.txt\n" + line + "\n", "begin 64444 a.txt #86)C", ""},
		{"a mode and a name in one", "begin 644a.txt\n" + line + "\n", "begin 644a.txt #86)C", ""},
		{"a mode without begin", "644 a.txt\n" + line + "\n", "644 a.txt #86)C", ""},
		{"a line that is too short", "begin 644 a.txt\nM86)C\n", "begin 644 a.txt M86)C", ""},
		{"a line that is too long", "begin 644 a.txt\n" + line + "XYZ\n", "begin 644 a.txt #86)CXYZ", ""},
		{"a line with a tab", "begin 644 a.txt\n#86)\t\n", "begin 644 a.txt #86)", ""},
		{"a line before the end that is none", "begin 644 a.txt\n" + line + "\nlost line\nend\nx", "x | abc", "broken uuencode"},
		{"a mode of four digits", "begin 0644 a.txt\n" + line + "\n`\nend\n", " | abc", ""},
		{"a name with blanks", "begin 644 a b.txt\n" + line + "\n`\nend\n", " | abc", ""},
		{"a check sum at the end of a line", "begin 644 a.txt\n" + line + "X\n`\nend\n", " | abc", ""},
		{"HTML", "begin 644 a.htm\n(/&(^83PO8CX`\n`\nend\n", " | a", ""},
		{"text around it", "one\nbegin 644 a.txt\n" + line + "\n`\nend\ntwo\n", "one two | abc", ""},
		{"a line within that is none", "begin 644 a.txt\n" + line + "\nlost lines\n" + line + "\n`\nend\nx", "x | abcabc", "broken uuencode"},
		{"no end before other text", "begin 644 a.txt\n" + line + "\n`\n\nother text", "other text | abc", "broken uuencode"},
		{"no end at all", "begin 644 a.txt\n" + line + "\n`", " | abc", "broken uuencode"},
		{"an empty file", "begin 644 a\n`\nend\n", " | ", ""},
		{"binary", "begin 644 a\n#``$\"\n`\nend\n", " | -", ""},
		{"a document that is not read as text", "begin 644 a\n&)5!$1BTQ\n`\nend\n", " | -", ""},
		{"people write begin", "`begin 644 a`\nbegin 644 times\nMore\nbegin at 6\n", "`begin 644 a` begin 644 times More begin at 6", ""},
		{"less than a full line in a long text", strings.Repeat("word ", 250) + "\nbegin 644 a.txt\n" + line + "\n`\nend\n",
			strings.TrimSpace(strings.Repeat("word ", 250)) + " | abc", ""},
		{"a full line in a long text", strings.Repeat("word ", 250) + "\nbegin 644 a.txt\nM" + strings.Repeat("86)C", 15) + "\n`\nend\n",
			strings.TrimSpace(strings.Repeat("word ", 250)) + " | " + strings.Repeat("abc", 15), ""},
		{"without a name", "begin 644 \n" + line + "\n`\nend\n", "begin 644 #86)C ` end", ""},
	}
	decodeAll(t, tests, "\n", "", repairs)
}

func TestUUencodeAsTransferEncoding(t *testing.T) {
	tests := []fieldExample{
		{"whole", "uuencode", "begin 644 a\n#86)C\n`\nend\n", "abc", ""},
		{"another name for it", "X-UUE", "begin 644 a\n#86)C\n`\nend\n", "abc", ""},
		{"without a first line", "uuencode", "#86)C\n`\nend\n", "#86)C ` end", "broken uuencode"},
		{"without an end", "uuencode", "begin 644 a\n#86)C\n", "abc", "broken uuencode"},
		{"not encoded", "uuencode", "plain text\n", "plain text", "broken uuencode"},
	}
	decodeFields(t, tests, "Content-Transfer-Encoding: ")
}
