package message

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

const wrapped = "From: a@a.example\nSubject: *****SPAM***** x\nX-Spam-Flag: YES\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\n" +
	"Spam detection software\n--b\nContent-Type: message/rfc822; x-spam-type=original\n\nSubject: x\n\nyes\n--b--\n"

func TestTheOriginalInAReportOfSpamAssassin(t *testing.T) {
	const original = "Subject: x\n\nyes"
	for _, tt := range []struct {
		name, raw string
		found     bool
	}{
		{"as a message", wrapped, true},
		{"as text (report_safe 2)", strings.Replace(wrapped, "message/rfc822", "text/plain", 1), true},
		{"with other line ends", strings.ReplaceAll(wrapped, "\n", "\r\n"), true},
		{"with the parameter in quotes and on its own line", strings.Replace(wrapped, " x-spam-type=original", "\n\tx-spam-type=\"original\"", 1), true},
		{"in base64", strings.Replace(wrapped, "original\n\n"+original, "original\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeAoKeWVz", 1), true},
		{"without its end", strings.TrimSuffix(wrapped, "\n--b--\n"), true},
		{"none of a message that nobody calls the original", strings.Replace(wrapped, "x-spam-type=original", "", 1), false},
		{"none without a field of SpamAssassin", strings.Replace(wrapped, "X-Spam-Flag: YES\n", "", 1), false},
		{"none in mail that chaff passed on, where only a sender can claim it", "X-Chaff-Verdict: ham\n" + wrapped, false},
		{"none of two", strings.Replace(wrapped, "--b--", "--b\nContent-Type: message/rfc822; x-spam-type=original\n\nSubject: y\n\nno\n--b--", 1), false},
		{"none within a message that someone forwards", "X-Spam-Flag: NO\nContent-Type: message/rfc822\n\n" + wrapped, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.raw
			if tt.found {
				want = original
			}
			if got := string(Original([]byte(tt.raw))); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	report, err := os.ReadFile("../test/cases/31-spamassassin-wrapped/mail.eml")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(Original(report)); !strings.HasPrefix(got, "From: Pills <x@pills.example>\nTo:") || !strings.HasSuffix(got, "\nOrder cheap tablets now at http://pills.example/a") {
		t.Errorf("case 31: got %q", got)
	}
}

func TestAttachedMessages(t *testing.T) {
	const complaint = "From: isp@a.example\nContent-Type: multipart/report; report-type=\"feedback-report\"; boundary=b\n\n--b\n\nA complaint.\n--b\n" +
		"Content-Type: message/feedback-report\n\nFeedback-Type: abuse\n--b\nContent-Type: message/rfc822\n\nSubject: x\n\nyes\n--b--\n"
	for _, tt := range []struct {
		name, raw string
		want      []string
		isReport  bool
	}{
		{"of a complaint", complaint, []string{"Subject: x\n\nyes"}, true},
		{"of a complaint about a header", strings.Replace(complaint, "message/rfc822", "text/rfc822-headers", 1), []string{"Subject: x\n\nyes"}, true},
		{"of a report on delivery, which is no complaint", strings.Replace(complaint, "feedback-report", "delivery-status", 1), []string{"Subject: x\n\nyes"}, false},
		{"of a colleague's mail, whose text has two versions", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/alternative; boundary=c\n\n" +
			"--c\n\nsee\n--c\nContent-Type: text/html\n\n<p>see\n--c--\n--b\nContent-Type: message/rfc822\n\nSubject: x\n\nyes\n" +
			"--b\nContent-Type: application/octet-stream; name=y.eml\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeQoKbm8=\n" +
			"--b\nContent-Type: image/png\n\npicture\n--b--\n", []string{"Subject: x\n\nyes", "Subject: y\n\nno"}, false},
		{"of a digest", "Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: x\n\nyes\n--b--\n", []string{"Subject: x\n\nyes"}, false},
		{"without those attached to it", "Content-Type: message/rfc822\n\nContent-Type: message/rfc822\n\nSubject: x\n", []string{"Content-Type: message/rfc822\n\nSubject: x\n"}, false},
		{"none of text", "Subject: x\n\nyes", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, isReport := Attached([]byte(tt.raw))
			if string(bytes.Join(got, []byte("|"))) != strings.Join(tt.want, "|") || len(got) != len(tt.want) || isReport != tt.isReport {
				t.Errorf("got %q, %v, want %q, %v", got, isReport, tt.want, tt.isReport)
			}
		})
	}
}

// What is unwrapped is in the message: nothing is read twice, however the parts nest.
func FuzzUnwrap(f *testing.F) {
	f.Add([]byte(wrapped))
	f.Add([]byte(strings.ReplaceAll(wrapped, "original", "other")))
	f.Add([]byte("Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: x\n\nyes\n--b\nContent-Transfer-Encoding: uuencode\n\nx\n--b--"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		attached, _ := Attached(raw)
		size := 0
		for _, m := range attached {
			size += len(m)
		}
		if original := Original(raw); size > len(raw) || len(original) > len(raw) || !bytes.Equal(raw, before) {
			t.Errorf("%d bytes have %d attached, and an original of %d", len(raw), size, len(original))
		}
	})
}
