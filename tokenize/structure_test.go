package tokenize

import (
	"slices"
	"strings"
	"testing"

	"chaff/internal/termkey"
	"chaff/message"
)

func TestStructureTellsHowAMessageIsWritten(t *testing.T) {
	tests := []struct {
		name, raw string
		want      []string
	}{
		{
			"the order of the fields, their names as written",
			"Subject: a\nto: x\nSUBJECT: b\n\n",
			[]string{"order:^>Subject", "order:Subject>to", "order:to>SUBJECT", "outline:text/plain"},
		},
		{
			"a value as a whole and its shape",
			"X-Mailer: Foo Mail 10.2 ü\n\n",
			[]string{"order:^>X-Mailer", "value:x-mailer:Foo Mail 10.2 ü", "shape:x-mailer:Aa+ Aa+ 9+.9 u+", "outline:text/plain"},
		},
		{
			"a long value only by the shape of its first bytes",
			"X-A: " + strings.Repeat("1a", 100) + "\n\n",
			[]string{"order:^>X-A", "shape:x-a:" + strings.Repeat("9a", 80), "outline:text/plain"},
		},
		{
			"the media type as written, its parameters in their order, the shape of its boundary",
			"Content-Type: Multipart/Mixed; charset=\"US-ASCII\"; boundary=\"--_Next_00F1\"\n\nx\n",
			[]string{"order:^>Content-Type", "mime:charset=\"US-ASCII\"", `shape:boundary:"--_Aa3_92A9"`, `shape:boundary:"--_Aa+_9+A9"`,
				"mime:Multipart/Mixed;charset;boundary", "outline:multipart/mixed"},
		},
		{
			"no more of a media type than its first bytes, and no character cut in two",
			"Content-Type: " + strings.Repeat("\u00e9", 60) + ";" + strings.Repeat("x", 200) + "=1\n\n",
			[]string{"order:^>Content-Type", "mime:" + strings.Repeat("x", 80) + "=1",
				"mime:" + strings.Repeat("\u00e9", 40) + ";" + strings.Repeat("x", 80), "outline:text/plain"},
		},
		{
			"the shape of a message id with and without lengths, and its domain",
			"Message-ID: <00aB.123@mail.example.co.uk>\n\n",
			[]string{"order:^>Message-ID", "shape:message-id:<92aA.93", "shape:message-id:<9+aA.9+@a+.a+.a+.a+>",
				"message-id:@mail.example.co.uk", "message-id:@.example.co.uk", "outline:text/plain"},
		},
		{
			"the shape of a date, and what follows the time",
			"Date: Mon, 1 Jan 2024 00:01:02 +0100 (CET)\n\n",
			[]string{"order:^>Date", "shape:date:Aa2, 9 Aa2 94 92:92:92 +94 (A3)", "zone:+0100 (CET)", "outline:text/plain"},
		},
		{
			"a step of the route up to its date, without names",
			"Received: from a.example.com ([192.0.2.1] helo=x) by mx.example.org with ESMTP id AB12 for <me@example.org>; Mon, 1 Jan 2024\n\n",
			[]string{"step:from host ([9+.9.9.9] a+=a) by host with ESMTP id A+9+ for address", "outline:text/plain"},
		},
		{
			"which fields are of the domain of the sender, and which are missing",
			"Return-Path: <bounce@lists.example.com>\nFrom: A <a@mail.example.com>\nReply-To: b@other.example\nTo: c@example.com\n\n",
			[]string{"order:^>From", "order:From>Reply-To", "order:Reply-To>To", "missing:message-id", "same:reply-to:no", "same:to:yes",
				"same:return-path:yes", "outline:text/plain"},
		},
		{
			"a field whose domain is that of the sender in other letters",
			"From: a@\U0001d41b\U0001d41a\U0001d427\U0001d424.example\nReply-To: b@bank.example\n\n",
			[]string{"order:^>From", "order:From>Reply-To", "missing:message-id", "same:reply-to:yes", "missing:to", "outline:text/plain"},
		},
		{
			"the types of the parts",
			"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b\nContent-Type: image/png\n\nx\n--b--\n",
			[]string{"order:^>Content-Type", "shape:boundary:a", "shape:boundary:a", "mime:multipart/mixed;boundary", "outline:text/plain,image/png"},
		},
		{
			"the types of so many parts",
			"Content-Type: multipart/mixed; boundary=b\n" + strings.Repeat("\n--b\n\nx", 10) + "\n--b--\n",
			[]string{"order:^>Content-Type", "shape:boundary:a", "shape:boundary:a", "mime:multipart/mixed;boundary", "outline:text/plain" + strings.Repeat(",text/plain", 7)},
		},
		{
			"no types without parts, and no relations to a sender without a domain",
			"From: a\nTo: b\nContent-Type: multipart/mixed; boundary=b\n\n--b--\n",
			[]string{"order:^>From", "order:From>To", "order:To>Content-Type", "shape:boundary:a", "shape:boundary:a", "mime:multipart/mixed;boundary"},
		},
		{
			"nothing of what filters, mailboxes, lists and the recipient's server write",
			"X-Spam-Level: *\nStatus: RO\nList-Id: <a.example>\nDelivered-To: a@b.example\nX-Original-To: a\nSender: a@b.example\n\n",
			[]string{"outline:text/plain"},
		},
	}
	prefixes := []string{"order:", "value:", "shape:", "mime:", "message-id:", "zone:", "step:", "same:", "missing:", "outline:"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := slices.DeleteFunc(termsOf(tokenizer(t, func(o *Options) { o.Structure = true }), tt.raw), func(term string) bool {
				return !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(term, p) })
			})
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestStructureIsMadeOfNoWord(t *testing.T) {
	tok := tokenizer(t, func(o *Options) { o.Structure = true })
	const raw = "X-Priority: 3\nContent-Type: text/plain; charset=us-ascii\nDate: Mon, 1 Jan 2024 00:01:02 +0100\n\n3 us-ascii +0100\n"
	tok.Terms(message.NewDecoder(message.DefaultOptions()).Decode([]byte(raw)), func(term *Term) {
		tag, _, _ := strings.Cut(term.Text(), ":")
		if slices.Contains([]string{"order", "value", "shape", "mime", "zone", "outline"}, tag) && term.Token != nil {
			t.Errorf("%s is made of %q: it would shade that word of the text", term.Text(), term.Token)
		}
	})
}

func TestIgnoredHeadersHaveNoStructure(t *testing.T) {
	const raw = "Received: from a by b\nReturn-Path: <a@x.example>\nFrom: a@x.example\nTo: b@x.example\nX-Mailer: M\nDate: today 1:2 +0\nMessage-ID: <1@x.example>\n\n"
	for name, change := range map[string]func(o *Options){
		"by their names": func(o *Options) {
			o.IgnoreHeaders = []string{"received", "return-path", "to", "x-*", "date", "message-id", "reply-to"}
		},
		"with the field that others are compared with": func(o *Options) {
			o.IgnoreHeaders = []string{"received", "to", "x-*", "date", "message-id", "from"}
		},
		"by the names of others": func(o *Options) { o.Headers = []string{"From"} },
	} {
		t.Run(name, func(t *testing.T) {
			got := termsOf(tokenizer(t, func(o *Options) { o.Structure = true; change(o) }), raw)
			want := []string{"header:From", "from:a@x.example", "from:@x.example", "from:@.x.example", "order:^>From", "outline:text/plain", "type:text/plain"}
			if strings.HasPrefix(name, "with the field") {
				want = want[5:]
			}
			if !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestTheUseOfAFieldIsKnown(t *testing.T) {
	tok, err := New(DefaultOptions(), termkey.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Subject": "", "X-Mailer": "", "Received": "partly used", "date": "partly used", "Message-ID": "partly used",
		"List-Id": "not used", "X-Spam-Flag": "not used", "": "not used",
	} {
		if got := tok.Note(message.Field{Name: []byte(name)}); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	if got := tokenizer(t, nil).Note(message.Field{Name: []byte("Received")}); got != "not used" {
		t.Errorf("without structure, Received is %q", got)
	}
}

func TestPairsAreOfNeighbouringWordsAsTheyAreCounted(t *testing.T) {
	tests := []struct {
		name, raw string
		want      []string
	}{
		{"of the text, from its start", "\nOffers, running now\n", []string{"body:^ offer", "body:offer ,", "body:, run", "body:run now"}},
		{"of the subject apart from the text", "Subject: Buy now\n\nToday\n", []string{"subject:^ buy", "subject:buy now", "body:^ today"}},
		{"of each part on its own", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\n\ntwo\n--b--\n", []string{"body:^ one", "body:^ two"}},
		{"of a disguised word as it was meant", "\nbuy V1AGRA now\n", []string{"body:^ buy", "body:buy viagra", "body:viagra now"}},
		{"of a long word by its length", "\na " + strings.Repeat("x", 40) + " b\n", []string{"body:^ a", "body:a 32+", "body:32+ b"}},
		{"not of other fields", "From: Ann Bo <a@b.example>\n\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := slices.DeleteFunc(termsOf(tokenizer(t, func(o *Options) { o.Pairs = true }), tt.raw), func(term string) bool {
				return !strings.Contains(term, " ")
			})
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
	t.Run("not of words that are left out", func(t *testing.T) {
		got := termsOf(tokenizer(t, func(o *Options) { o.Pairs, o.Symbols = true, false }), "\nbuy, now\n")
		if want := []string{"type:text/plain", "body:buy", "body:^ buy", "body:now", "body:buy now"}; !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
	t.Run("not beyond the number of tokens", func(t *testing.T) {
		got := termsOf(tokenizer(t, func(o *Options) { o.Pairs, o.MaxTokens = true, 3 }), "\none two three four\n")
		if want := []string{"type:text/plain", "body:one", "body:^ one", "body:two", "body:one two"}; !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
}

func TestTheStartIsTheHeaderAndTheFirstBytesOfTheText(t *testing.T) {
	tok := tokenizer(t, func(o *Options) { o.StartBytes, o.Pairs = 8, true })
	const raw = "Subject: topic\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\n\ntwo three four http://a.example/\n--b--\n"
	var start []string
	for range 2 { // a message does not depend on the one before
		start = nil
		tok.Terms(message.NewDecoder(message.DefaultOptions()).Decode([]byte(raw)), func(term *Term) {
			if term.Head {
				start = append(start, term.Text())
			}
		})
	}
	want := []string{"header:Subject", "subject:topic", "header:Content-Type", "type:text/plain", "body:one", "type:text/plain", "body:two",
		"body:three", "host:a.example", "domain:a.example", "path:/"}
	if !slices.Equal(start, want) {
		t.Errorf("got  %q\nwant %q", start, want)
	}
}
