package message_test

import (
	"os"
	"testing"

	"chaff/message"
)

// A decoder that has seen a message decodes it again without allocating memory.
func TestDecodingAllocatesNothingInTheSteadyState(t *testing.T) {
	const header = "Subject: =?utf-8?q?caf=C3=A9?=\nContent-Type: text/html\n\n"
	mails := append(benchMails(),
		benchMail{"html with a style sheet", header + "<style>.a, td{color:red} #b{display:none}</style><p class=a>a<p id=b>b"},
		benchMail{"html with a script", header + "a<script><!-- if (a<b) c(); --></script>b"},
		benchMail{"html with references", header + "a&nbsp;b&euro;c&#8364;d&copy e<a href='/?a=1&amp;b=2&copy=3'>f</a>"},
		benchMail{"html with colours", header + "<font color=white>a</font><p style='background: url(x) navy; color: rgb(1, 2, 3)'>b"},
		benchMail{"html with line ends", header + "a<br>\r\n<p title='a\r\nb'>c\r\n"},
		benchMail{"html as plain text", "Subject: a\n\n<html><body>a</body></html>\n"},
		benchMail{"uuencode", "Subject: a\n\nhere:\nbegin 644 a.txt\n#86)C\n`\nend\n"},
		benchMail{"an attached message", "Content-Type: message/rfc822\n\nSubject: a\n\nb\n"},
	)
	for _, mail := range mails {
		t.Run(mail.name, func(t *testing.T) {
			d := message.NewDecoder(message.DefaultOptions())
			raw := []byte(mail.raw)
			if n := testing.AllocsPerRun(5, func() { d.Decode(raw) }); n != 0 {
				t.Errorf("%v allocations, want none", n)
			}
		})
	}
}

func TestTheSampleIsDecodedWithoutAllocations(t *testing.T) {
	mails := samples(t)
	d := message.NewDecoder(message.DefaultOptions())
	n := testing.AllocsPerRun(2, func() {
		for _, raw := range mails {
			d.Decode(raw)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for %d messages, want none", n, len(mails))
	}
}

// Of real mail, little more than what names its charset nowhere but in its HTML makes the decoder allocate.
func TestRealMailIsDecodedNearlyWithoutAllocations(t *testing.T) {
	const most = 0.5 // a message
	dir := corporaDir(t)
	for _, c := range corpora() {
		t.Run(c.name, func(t *testing.T) {
			var mails [][]byte
			for i, file := range corpusFiles(t, dir, c.folders) {
				if i%5 != 0 {
					continue
				}
				raw, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				mails = append(mails, raw)
			}
			d := message.NewDecoder(message.DefaultOptions())
			n := testing.AllocsPerRun(1, func() {
				for _, raw := range mails {
					d.Decode(raw)
				}
			})
			t.Logf("%.3f allocations a message", n/float64(len(mails)))
			if n > most*float64(len(mails)) {
				t.Errorf("%v allocations for %d messages, want %v a message at most", n, len(mails), most)
			}
		})
	}
}
