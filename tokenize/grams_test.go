package tokenize

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"chaff/corpus/sample"
	"chaff/features"
	"chaff/internal/evidence"
	"chaff/message"
	"chaff/test/corpustest"
)

// gramsOf returns the runs of bytes of a message as text.
func gramsOf(t *Tokenizer, raw string) []string {
	var grams []string
	t.Grams(message.NewDecoder(message.DefaultOptions()).Decode([]byte(raw)), func(text []byte) {
		for ; len(text) >= features.GramSize; text = text[1:] {
			grams = append(grams, string(text[:features.GramSize]))
		}
	})
	return grams
}

func TestGramsAreNeighbouringBytesOfTheHeaderAndTheText(t *testing.T) {
	options := func(header, text int) func(*Options) {
		return func(o *Options) { o.GramHeaderBytes, o.GramTextBytes = header, text }
	}
	for _, tt := range []struct {
		name string
		set  func(*Options)
		raw  string
		want []string
	}{
		{"of the fields and the text apart", options(100, 100), "A: b\nC: d\n\nhello", []string{"A: b", ": b\n", " b\nC", "b\nC:", "\nC: ", "C: d", ": d\n", "hell", "ello"}},
		{"the same with other line ends", options(100, 3), "A: b\r\nC: d\r\n\r\nhello", []string{"A: b", ": b\n", " b\nC", "b\nC:", "\nC: ", "C: d", ": d\n"}},
		{"of so many bytes of each", options(5, 4), "A: b\nC: d\n\nhello", []string{"A: b", ": b\n", "hell"}},
		{"none of nothing", options(0, 0), "A: b\n\nhello", nil},
		{"none if they are not wanted", func(o *Options) { o.Grams = false }, "A: b\n\nhello", nil},
		{"of parts as if they were one", options(0, 4), "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nab\n--b\n\ncd\n--b--\n", []string{"abcd"}},
		{"without what filters, lists, mailboxes and the delivery write", options(100, 0),
			"X-Spam-Status: No\nList-Id: l\nDelivered-To: d\nStatus: R\nA: b\n\n", []string{"A: b", ": b\n"}},
		{"without fields that are ignored", func(o *Options) { o.IgnoreHeaders = []string{"c"} }, "A: b\nC: d\n\n", []string{"A: b", ": b\n"}},
		{"with fields of lists that are looked at", func(o *Options) { o.List = true }, "List-Id: l\n\n", []string{"List", "ist-", "st-I", "t-Id", "-Id:", "Id: ", "d: l", ": l\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := gramsOf(tokenizer(t, tt.set), tt.raw); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestGramsLeaveOutWhatTheReceivingSideWrote(t *testing.T) {
	const sender = "From: a@a.example\nX-Own: b\n"
	tok := tokenizer(t, func(o *Options) { o.GramHeaderBytes, o.GramTextBytes = 1000, 0 })
	headerOf := func(raw string) (text string) {
		tok.Grams(message.NewDecoder(message.DefaultOptions()).Decode([]byte(raw+"\n")), func(part []byte) { text += string(part) })
		return text
	}
	for _, tt := range []struct{ name, header, want string }{
		{"its own steps, also through another of its domains, and all but from whom it has the message",
			"Received: from in.mail.example (10.0.0.1) by box.mail.example with LMTP; Tue, 7 Nov 2023\n" +
				"Received: from mx.mail.example by in.other.example\n" +
				"Received: from out.a.example ([6.6.6.6]) by mx.mail.example with ESMTPS id 1; Tue, 7 Nov 2023\n" +
				"Received: from in.a.example by out.a.example\n" +
				"Received: from pc by out.a.example; Tue, 7 Nov 2023\n", "Received: from out.a.example ([6.6.6.6])\nReceived: from pc\n"},
		{"but not a client that calls itself like the receiver", "Received: from mx.mail.example (dialup.b.example [6.6.6.6]) by mx.mail.example\n",
			"Received: from mx.mail.example (dialup.b.example [6.6.6.6])\n"},
		{"a server that has the message from nobody", "Received: by mx.mail.example (Postfix, from userid 1)\n", ""},
		{"a program that names no server", "Received: (qmail 5 invoked by uid 9); Tue, 7 Nov 2023\n", "Received: (qmail 5 invoked\n"},
		{"fields above the first Received", "X-Added: x\nDKIM-Signature: v=1\nReceived: from b.example by mx.mail.example\n", "Received: from b.example\n"},
		{"but none of the usual ones", "Return-Path: <>\nDate: d\nSubject: s\nReceived: from b.example by mx.mail.example\n", "Return-Path: <>\nDate: d\nSubject: s\nReceived: from b.example\n"},
		{"and not an empty subject", "Subject: [SPAM]\nSubject:\n", "Subject: \nSubject: \n"},
		{"and none without a Received", "DKIM-Signature: v=1\n", "DKIM-Signature: v=1\n"},
		{"trace and authentication", "X-Received: x\nX-Google-DKIM-Signature: v=1\nX-Microsoft-Original-Message-ID: x\nARC-Seal: i=1\nX-OriginatorOrg: x\nX-Message-Info: x\nX-MS-Exchange-Foo: x\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := headerOf(tt.header+sender), tt.want+sender; got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestPairsAreMadeOfTheFirstBytes(t *testing.T) {
	for _, tt := range []struct {
		bytes int
		want  []string
	}{
		{0, []string{"body:^ one", "body:one two", "body:two three"}},
		{7, []string{"body:^ one", "body:one two"}},
		{6, []string{"body:^ one"}},
	} {
		t.Run(fmt.Sprint(tt.bytes), func(t *testing.T) {
			tok := tokenizer(t, func(o *Options) { o.Pairs, o.PairBytes = true, tt.bytes })
			got := slices.DeleteFunc(termsOf(tok, "\none two three"), func(term string) bool { return !strings.Contains(term, " ") })
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheGroupOfATerm(t *testing.T) {
	tok := tokenizer(t, func(o *Options) { o.Pairs, o.Structure = true, true })
	const raw = "From: ann@shop.example\nSubject: buy\nX-Mailer: m\nContent-Type: text/html\n\n<p>see it &#1076;&#1086;&#1073;&#1088;&#1099;&#1081;&#1076;&#1086;&#1084; <b style='display:none'>secret</b> " +
		"<a href=http://a.example/p>here</a>"
	want := map[string]evidence.Group{
		"body:see": evidence.Words, "hidden:secret": evidence.Words,
		"body:see it": evidence.Pairs, "body:^ see": evidence.Pairs,
		"subject:buy": evidence.Subject, "subject:^ buy": evidence.Subject,
		"host:a.example": evidence.Links, "path:p": evidence.Links,
		"header:From": evidence.Structure, "order:From>Subject": evidence.Structure, "type:text/html": evidence.Structure,
		"script:cyrillic": evidence.Structure, "mark:hidden-text": evidence.Structure,
		"from:ann@shop.example": evidence.Fields, "x-mailer:m": evidence.Fields,
	}
	got := make(map[string]evidence.Group)
	tok.Terms(message.NewDecoder(message.DefaultOptions()).Decode([]byte(raw)), func(term *Term) { got[term.Text()] = term.Group })
	for text, group := range want {
		if g, found := got[text]; !found || g != group {
			t.Errorf("%s: got %v, %v, want %v", text, g, found, group)
		}
	}
}

// A dictionary keeps one group of a term: it must not matter in which message, or where in it, a term was seen first.
func TestTheGroupFollowsFromTheTerm(t *testing.T) {
	tok := tokenizer(t, func(o *Options) {
		o.Pairs, o.Structure, o.Received, o.DeliveredTo, o.List, o.Date, o.MessageID = true, true, true, true, true, true, true
	})
	decoder := message.NewDecoder(message.DefaultOptions())
	groups := make(map[string]evidence.Group)
	// Fields with the names of tags, and a text and links with the same words.
	mail := []string{"Subject: one\nAttached-Subject: one\nHost: a.example\nDomain: a.example\nFile: one.txt\nField-Body: one two\n" +
		"Content-Type: multipart/mixed; boundary=b\n\n--b\n\none two 12:30 http://a.example/one\n" +
		"--b\nContent-Type: message/rfc822\n\nSubject: one two\n\none\n--b\nContent-Type: text/plain; name=one.txt\n\n--b--\n"}
	for _, tag := range []string{"body", "hidden", "type", "charset", "encoding", "path", "port", "mailto", "scheme", "link", "outline", "html",
		"script", "mark", "order", "value", "shape", "mime", "zone", "step", "same", "missing", "header"} {
		mail[0] = tag + ": one two a.example text/plain time\n" + mail[0]
	}
	for _, raw := range corpustest.Each(t, sample.Source()) {
		mail = append(mail, string(raw))
	}
	for _, raw := range mail {
		tok.Terms(decoder.Decode([]byte(raw)), func(term *Term) {
			if before, seen := groups[term.Text()]; seen && before != term.Group {
				t.Errorf("%s is in the groups %v and %v", term.Text(), before, term.Group)
			}
			groups[term.Text()] = term.Group
		})
	}
	if len(groups) < 1000 {
		t.Errorf("only %d terms", len(groups))
	}
}
