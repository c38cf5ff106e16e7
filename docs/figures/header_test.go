package main

import (
	"bytes"
	"slices"
	"testing"

	"chaff/message"
	"chaff/test/tabletest"
)

func TestHeaderFields(t *testing.T) {
	tests := map[string]struct {
		raw    string
		names  []string
		values []string
		body   string
	}{
		"a field has a name and a value":            {"Subject: x\nTo: y\n\nhello\n", []string{"Subject", "To"}, []string{" x\n", " y\n"}, "hello\n"},
		"a value goes on in further lines":          {"Subject: x\n y\n\tz\n\n", []string{"Subject"}, []string{" x\n y\n\tz\n"}, ""},
		"lines can end in CRLF":                     {"Subject: x\r\n\r\nhello", []string{"Subject"}, []string{" x\r\n"}, "hello"},
		"the line of an mbox has no name":           {"From me Fri Aug 23 11:44:26 2002\nTo: y\n\n", []string{"", "To"}, []string{"From me Fri Aug 23 11:44:26 2002\n", " y\n"}, ""},
		"a header without an end is all of it":      {"Subject: x", []string{"Subject"}, []string{" x"}, ""},
		"a message can begin with its body":         {"\nhello", nil, nil, "hello"},
		"there is none in nothing":                  {"", nil, nil, ""},
		"what goes on where nothing began is a row": {" x\nTo: y\n\n", []string{"", "To"}, []string{" x\n", " y\n"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fields, body := headerFields([]byte(tt.raw))
			var names, values []string
			for _, f := range fields {
				value := f.value()
				if f.name == "" {
					value = f.raw
				}
				names, values = append(names, f.name), append(values, value)
			}
			if !slices.Equal(names, tt.names) || !slices.Equal(values, tt.values) || tt.raw[body:] != tt.body {
				t.Errorf("fields %q, values %q, body %q", names, values, tt.raw[body:])
			}
		})
	}
}

func TestForge(t *testing.T) {
	const ham = `From someone Fri Aug 23 11:44:26 2002
Received: from ham.example
Date: Fri, 23 Aug 2002 11:44:26 +0100 (IST)
from: friend@ham.example
to: me@example.org
SUBJECT: Re: lunch
Message-ID: <1234@ham.example>
MIME-Version: 1.0 (ours)
User-Agent: Mutt/1.2.5i
List-Id: <list.ham.example>
X-Organisation: club

lunch?
`
	tabletest.Strings(t, func(in string) string { return string(forge([]byte(in), []byte(ham))) }, [][3]string{
		{"says what spam says as ham says it", `Received: from spam.example
Subject: offer
From: spammer@spam.example
To: me@example.org
Message-Id: <spam@spam.example>
X-Mailer: Bulk 1.0
Date: today

buy
`, `Received: from spam.example
Date: Fri, 23 Aug 2002 11:44:26 +0100 (IST)
from: spammer@spam.example
to: me@example.org
SUBJECT: offer
Message-ID: <1234@ham.example>
MIME-Version: 1.0 (ours)
User-Agent: Mutt/1.2.5i
X-Organisation: club

buy
`},
		{"keeps what the text needs and ham does not have", `Subject: offer
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: base64
Cc: you@example.org

YnV5
`, `Date: Fri, 23 Aug 2002 11:44:26 +0100 (IST)
SUBJECT: offer
Message-ID: <1234@ham.example>
MIME-Version: 1.0 (ours)
User-Agent: Mutt/1.2.5i
X-Organisation: club
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: base64
Cc: you@example.org

YnV5
`},
		{"makes a header where there is none", "\nbuy\n", `Date: Fri, 23 Aug 2002 11:44:26 +0100 (IST)
Message-ID: <1234@ham.example>
MIME-Version: 1.0 (ours)
User-Agent: Mutt/1.2.5i
X-Organisation: club

buy
`},
		{"ends the last field", "To: you", "Date: Fri, 23 Aug 2002 11:44:26 +0100 (IST)\nto: you\nMessage-ID: <1234@ham.example>\nMIME-Version: 1.0 (ours)\nUser-Agent: Mutt/1.2.5i\nX-Organisation: club\n\n"},
	})
}

func TestForgeKeepsTheVersionOfMIMEThatHamDoesNotName(t *testing.T) {
	got := string(forge([]byte("Mime-Version: 1.0\nTo: x\n\nbuy\n"), []byte("To: y\n\nlunch\n")))
	if want := "To: x\nMime-Version: 1.0\n\nbuy\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheMediaTypeIsWrittenInTheStyleOfHam(t *testing.T) {
	tests := map[string]struct{ spam, ham, want string }{
		"in its letter case":               {" text/plain; charset=us-ascii\n", " TEXT/Plain; CharSet=US-ASCII\n", " TEXT/Plain; CharSet=US-ASCII\n"},
		"in its order":                     {" text/plain; charset=utf-8; format=flowed\n", " text/plain; format=fixed; charset=us-ascii\n", " text/plain; format=flowed; charset=utf-8\n"},
		"with its quotes":                  {" text/plain; charset=utf-8\n", " text/plain; charset=\"us-ascii\"\n", " text/plain; charset=\"utf-8\"\n"},
		"on as many lines":                 {" multipart/mixed; boundary=\"a b\"\n", " multipart/mixed;\n\tboundary=x\n", " multipart/mixed;\n\tboundary=\"a b\"\n"},
		"with parameters that ham lacks":   {" text/plain; charset=utf-8; format=flowed\n", " text/plain\n", " text/plain; charset=utf-8; format=flowed\n"},
		"without parameters that it lacks": {" text/plain\n", " text/plain; charset=us-ascii\n", " text/plain\n"},
		"not if the types differ":          {" text/html; charset=utf-8\n", " text/plain; charset=us-ascii\n", " text/html; charset=utf-8\n"},
		"not if it is broken":              {" text/html;;;=\n", " text/html\n", " text/html;;;=\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := inStyle(headerField{"Content-Type", "Content-Type:" + tt.spam}, headerField{"Content-Type", "Content-Type:" + tt.ham})
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	encoding := func(value string) headerField {
		return headerField{"Content-Transfer-Encoding", "Content-Transfer-Encoding:" + value}
	}
	if got := inStyle(encoding(" 8bit\n"), encoding(" 8BIT\n")); got != " 8BIT\n" {
		t.Errorf("the same encoding is written %q", got)
	}
	if got := inStyle(encoding(" base64\n"), encoding(" 8BIT\n")); got != " base64\n" {
		t.Errorf("another encoding is written %q", got)
	}
}

// FuzzForge wants a forged message to have the body of the spam.
func FuzzForge(f *testing.F) {
	f.Add([]byte("To: x\nContent-Type: text/html; charset=\"a\n\nbuy\n"), []byte("to: y\ncontent-type: text/html;\n CHARSET=b\n\nlunch"))
	f.Add([]byte(" x\n\nbuy"), []byte("X:\n"))
	f.Fuzz(func(t *testing.T, spam, ham []byte) {
		_, body := headerFields(spam)
		forged := forge(spam, ham)
		fields, at := headerFields(forged)
		if !bytes.HasSuffix(forged, spam[body:]) || len(fields) > 0 && !bytes.Equal(forged[at:], spam[body:]) {
			t.Errorf("%q in the style of %q is %q", spam, ham, forged)
		}
	})
}

func TestAForgedMessageReadsAsBefore(t *testing.T) {
	spam := []byte(multipart("Content-Type: text/html\n\n<p>buy", "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nYnV5"))
	ham := []byte("MIME-Version: 1.0\nContent-Type: MULTIPART/MIXED;\n  BOUNDARY=\"xyz\"\n\n")
	decode := func(raw []byte) (texts []string) {
		for _, p := range message.NewDecoder(message.DefaultOptions()).Decode(raw).Parts {
			texts = append(texts, string(p.Text))
		}
		return texts
	}
	want := decode(spam)
	if got := decode(forge(spam, ham)); !slices.Equal(got, want) || len(want) != 2 {
		t.Errorf("got %q, want %q", got, want)
	}
}
