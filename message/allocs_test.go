package message_test

import (
	"strings"
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
			most := 5.0*float64(strings.Count(mail.raw, "<style")+strings.Count(mail.raw, "style=")) + // the lexer of a style sheet
				4*float64(strings.Count(mail.raw, "\nbegin ")) // the pieces of text around a file; 3 without the race detector
			if n := testing.AllocsPerRun(5, func() { d.Decode(raw) }); n > most {
				t.Errorf("%v allocations, want %v", n, most)
			}
		})
	}
}

func TestTheSampleIsDecodedWithFewAllocations(t *testing.T) {
	const most = 3 // a message
	mails := samples(t)
	d := message.NewDecoder(message.DefaultOptions())
	n := testing.AllocsPerRun(2, func() {
		for _, raw := range mails {
			d.Decode(raw)
		}
	})
	if n > float64(most*len(mails)) {
		t.Errorf("%v allocations for %d messages, want at most %d a message", n, len(mails), most)
	}
}
