package tokenize

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chaff/internal/evidence"
	"chaff/internal/termkey"
	"chaff/message"
)

// tokenizer returns one with the default options but for pairs and structure, which have tests of their own and would be in
// all others, too.
func tokenizer(t testing.TB, change func(o *Options)) *Tokenizer {
	t.Helper()
	o := DefaultOptions()
	o.Pairs, o.Structure = false, false
	if change != nil {
		change(&o)
	}
	tok, err := New(o, termkey.Key{})
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func termsOf(tok *Tokenizer, raw string) []string {
	var terms []string
	m := message.NewDecoder(message.DefaultOptions()).Decode([]byte(raw))
	tok.Terms(m, func(t *Term) { terms = append(terms, t.Text()) })
	return terms
}

// without removes the terms about the form of the message, which every message has.
func without(terms []string, prefixes ...string) []string {
	return slices.DeleteFunc(slices.Clone(terms), func(term string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(term, p) })
	})
}

func TestTermsAreTaggedWithTheirField(t *testing.T) {
	tests := []struct {
		name, raw string
		want      []string
	}{
		{
			"subject and body are stemmed",
			"Subject: Running offers\n\nThe offers are running!\n",
			[]string{"header:Subject", "subject:run", "subject:offer", "type:text/plain", "body:the", "body:offer", "body:are", "body:run", "body:!"},
		},
		{
			"in lower case of all letters",
			"Subject: ÉTÉ\n\nМОСКВА\n",
			[]string{"header:Subject", "subject:été", "type:text/plain", "body:москва"},
		},
		{
			"an address is taken whole, by its domain and by the domain that is registered",
			"From: Ann Offers <Ann@Mail.Example.co.uk>\n\n",
			[]string{"header:From", "from:ann", "from:offers", "from:ann@mail.example.co.uk", "from:@mail.example.co.uk", "from:@.example.co.uk", "type:text/plain"},
		},
		{
			"other fields keep their words unstemmed, and their name as written",
			"x-mailer: Running Mail 2.1\n\n",
			[]string{"header:x-mailer", "x-mailer:running", "x-mailer:mail", "x-mailer:2.1", "type:text/plain"},
		},
		{
			"a URL is cut into host, registered domain and the words of its path",
			"\nsee http://Shop.Pills.example:8080/buy/now?id=7 today\n",
			[]string{"type:text/plain", "body:see", "body:today", "port:8080", "host:shop.pills.example", "domain:pills.example",
				"path:/", "path:buy", "path:/", "path:now", "path:?", "path:id", "path:=", "path:7"},
		},
		{
			"verdicts, mailbox marks, route, list and date are not used",
			"X-Spam-Status: Yes\nX-Bogosity: Spam\nX-Chaff-Score: 9\nX-Rspamd-Score: 9\nX-DSPAM-Result: Spam\nX-Spambayes-Classification: spam\n" +
				"Status: RO\nX-Status: A\nX-Keywords: junk\nX-UID: 7\nReceived: from a by b\nDelivered-To: me@x.example\nList-Id: <l.example>\n" +
				"Date: Mon, 1 Jan 2024 00:00:00 +0000\nMessage-ID: <1@x.example>\n\n",
			[]string{"type:text/plain"},
		},
		{
			"a long word is counted by its length",
			"\n" + strings.Repeat("x", 70) + " y\n",
			[]string{"type:text/plain", "body:64+", "body:y"},
		},
		{
			"the parts of a message tell their type, and attachments their name",
			"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html; charset=UTF-8\nContent-Transfer-Encoding: 7bit\n\n<p>Hello</p>\n" +
				"--b\nContent-Type: application/zip; name=\"Invoice 12.zip\"\nContent-Disposition: attachment\n\nPK\n--b--\n",
			[]string{"header:Content-Type", "type:text/html", "charset:utf-8", "encoding:7bit", "body:hello",
				"type:application/zip", "file:.zip", "file:invoice", "file:12", "file:.", "file:zip"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := termsOf(tokenizer(t, nil), tt.raw); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestSettingsChangeTheTerms(t *testing.T) {
	const raw = "Subject: Running\nReceived: by mx\nReturn-Path: <a@b.example>\nDelivered-To: c@d.example\nList-Id: news\nDate: today\nMessage-ID: <1>\nX-Mailer: M\nX-Ours: o\n\nThe Offers, ok\n" +
		"________________________________________________________________________________\n"
	tests := []struct {
		name   string
		change func(o *Options)
		has    []string
		lacks  []string
	}{
		{"by default", nil, []string{"subject:run", "body:offer", "body:,", "body:64+", "header:X-Mailer"},
			[]string{"header:Received", "header:List-Id", "header:Date", "header:Message-ID", "header:Delivered-To", "header:Return-Path"}},
		{"without a language words stay whole", func(o *Options) { o.Language = "none" }, []string{"subject:running", "body:offers"}, []string{"subject:run"}},
		{"in another language other stems", func(o *Options) { o.Language = "french" }, []string{"body:offer"}, []string{"subject:run"}},
		{"without symbols", func(o *Options) { o.Symbols = false }, []string{"body:ok"}, []string{"body:,", "body:64+"}},
		{"with a shorter limit", func(o *Options) { o.MaxLength = 5 }, []string{"subject:4+", "body:4+"}, []string{"body:offer"}},
		{"with trace fields", func(o *Options) { o.Received = true }, []string{"header:Received", "received:mx", "header:Return-Path", "return-path:a@b.example"}, []string{"header:Date"}},
		{"with recipients", func(o *Options) { o.DeliveredTo = true }, []string{"delivered-to:c@d.example"}, nil},
		{"with list fields", func(o *Options) { o.List = true }, []string{"list-id:news"}, nil},
		{"with dates", func(o *Options) { o.Date = true }, []string{"date:today"}, nil},
		{"with message ids", func(o *Options) { o.MessageID = true }, []string{"message-id:1"}, nil},
		{"with few headers", func(o *Options) { o.Headers = []string{"SUBJECT"} }, []string{"subject:run"}, []string{"header:X-Mailer"}},
		{"without headers", func(o *Options) { o.Headers = nil }, []string{"body:offer"}, []string{"subject:run", "header:Subject"}},
		{"without our own", func(o *Options) { o.IgnoreHeaders = []string{"x-o*"} }, []string{"header:X-Mailer"}, []string{"header:X-Ours"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := termsOf(tokenizer(t, tt.change), raw)
			for _, term := range tt.has {
				if !slices.Contains(got, term) {
					t.Errorf("%q is missing in %q", term, got)
				}
			}
			for _, term := range tt.lacks {
				if slices.Contains(got, term) {
					t.Errorf("%q is in %q", term, got)
				}
			}
		})
	}
}

func TestURLsAreCutHoweverTheyAreWritten(t *testing.T) {
	tests := []struct {
		url  string
		want []string
	}{
		{"http://a.b.example.com/", []string{"host:a.b.example.com", "domain:example.com", "path:/"}},
		{"HTTPS://WWW.Example.COM", []string{"host:www.example.com", "domain:example.com"}},
		{"http://user:pw@real.example/x", []string{"host:user@", "host:real.example", "domain:real.example", "path:/", "path:x"}},
		{"http://192.0.2.7/x", []string{"host:192.0.2.7", "domain:ip", "path:/", "path:x"}},
		{"www.shop.example/x", []string{"host:www.shop.example", "domain:shop.example", "path:/", "path:x"}},
		{"//cdn.example/a", []string{"host:cdn.example", "domain:cdn.example", "path:/", "path:a"}},
		{"mailto:Ann@Shop.example?subject=hi", []string{"mailto:ann@shop.example", "mailto:@shop.example", "mailto:@.shop.example"}},
		{"cid:part1", []string{"scheme:cid"}},
		{"javascript:go()", []string{"scheme:javascript"}},
		{"http://", nil},
		{"http://" + strings.Repeat("a", 300), nil},
		{"", nil},
	}
	tok := tokenizer(t, nil)
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			var got []string
			tok.emit, tok.left = func(term *Term) { got = append(got, term.Text()) }, 100
			tok.link(message.Link{URL: []byte(tt.url)})
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestEveryLanguageHasAStemmer(t *testing.T) {
	if len(Languages()) == 0 {
		t.Fatal("no languages")
	}
	for _, language := range Languages() {
		if stemmers[language] == nil {
			t.Errorf("%s has no stemmer", language)
		}
	}
	if got, want := stemRussian("тёплый", true), stemRussian("теплый", true); got != want {
		t.Errorf("тёплый has the stem %q, теплый %q", got, want)
	}
}

func TestOptionsSayWhatIsWrong(t *testing.T) {
	if err := DefaultOptions().Validate(); err != nil {
		t.Error(err)
	}
	o := Options{Language: "latin", MaxLength: 3, MaxTokens: 0, PairBytes: -1, GramHeaderBytes: -1, GramTextBytes: -1, StartBytes: -1, Headers: []string{"a["}, IgnoreHeaders: []string{""}}
	err := o.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, key := range []string{"language is", "max_length is", "max_tokens is", "pair_bytes is", "gram_header_bytes is", "gram_text_bytes is", "start_bytes is", "headers has", "ignore_headers has"} {
		if !strings.Contains(err.Error(), key) {
			t.Errorf("%v does not complain that %s ...", err, key)
		}
	}
	if _, err := New(o, termkey.Key{}); err == nil {
		t.Error("a tokenizer was made of wrong options")
	}
}

// FuzzTerms checks that every term of any message has a tag and is within bounds, that no mark comes twice, and that
// the same message has the same terms again.
func FuzzTerms(f *testing.F) {
	for _, seed := range []string{
		"From: <@>\nSubject: =?x?\n\nwww. http://@:/", "Content-Type: text/html\n\n<a href='//'>\u200b</a>", ": \n/: x\n\n", "From: a@b@c@\n\n",
		"Subject: V1agra\n\nV i a g r a v-i-a-g-r-a c@sh pa$$word\n", "\n$ 5 million 12:30 +44 20 7946 0958 25 Dec 1,2,3.4 a@b.c\n",
		"\nVіаgrа \u202eab \u200ba ＦＲＥＥ 회의를 人民币500元\n", "Content-Type: text/html\n\n<a href=http://xn--pypl-53dc.com>www.a.com</a><img src=x>",
		"Subject: \u202eeerf 🇻🇮🇦 V\u0336\nFrom: <🅐\u200b@𝐛.example>\n\nV\U000E0061 ᐯᗩᒪᑌᗰ ɐɹƃɐıʌ V·I·A·G c\u3164a ❶a \x01\n",
		"Content-Type:;\n\n", "X: [spam]\nReceived: by \nReceived: from (a.b \nReceived: from x by \nSubject: [SPAM] (\n",
		"Received:\nReceived:  from [1.2.3.4]) by; \nFrom: a@b.example\nMessage-ID: <@>\nDate: 1:\nContent-Type: a/b; ;=;boundary\nReply-To: c@.\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		all := func(o *Options) { o.Pairs, o.Structure = true, true }
		tok := tokenizer(t, all) // a new one, since the caches of an old one confuse the fuzzer
		terms := termsOf(tok, string(raw))
		marks := make(map[string]bool)
		for _, term := range terms {
			tag, word, found := strings.Cut(term, ":")
			if !found || tag == "" || word == "" || len(term) > 1024 {
				t.Errorf("term %q", term)
			}
			if tag == "mark" && marks[term] {
				t.Errorf("%s comes twice", term)
			}
			marks[term] = true
		}
		tok.Grams(message.NewDecoder(message.DefaultOptions()).Decode(raw), func(text []byte) {
			if len(text) > max(tok.options.GramHeaderBytes, tok.options.GramTextBytes) {
				t.Errorf("runs of %d bytes", len(text))
			}
		})
		if again := termsOf(tok, string(raw)); !slices.Equal(terms, again) {
			t.Errorf("terms %q, the second time %q", terms, again)
		}
	})
}

// FuzzParts checks, of text in all the places where a message made by hand has it, what FuzzTerms checks of mail, and
// that words are in front of the terms made beside them: the terms without disguises are all there.
func FuzzParts(f *testing.F) {
	for _, seed := range []string{"V1agra $5 million", "x-y-z-w http://a.b", "a b c d", "Οffer 12/25/02 5 pm", "\u202a\u200b 회의를", "ann@shop.example 1-800-555-0123"} {
		f.Add([]byte(seed), []byte("http://0x7f.1/"))
	}
	f.Fuzz(func(t *testing.T, text, url []byte) {
		m := &message.Message{
			Attached: []message.Field{{Name: []byte("Subject"), Value: text}},
			Parts:    []message.Part{{Type: []byte("text/html"), Text: text, Hidden: text, Images: 1}},
			Links:    []message.Link{{Kind: message.LinkAnchor, URL: url, Text: text}},
		}
		tok := tokenizer(t, nil)
		body := having(termsOfMessage(tok, m), "body:")
		hidden := having(termsOfMessage(tok, m), "hidden:")
		for _, term := range body {
			if len(hidden) > 0 && term == "body:"+strings.TrimPrefix(hidden[0], "hidden:") {
				hidden = hidden[1:]
			}
		}
		if len(hidden) > 0 {
			t.Errorf("%q of the plain words of %q are not among %q", hidden, text, body)
		}
	})
}

func Example() {
	tok, err := New(DefaultOptions(), termkey.Key{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := message.NewDecoder(message.DefaultOptions()).Decode([]byte("Subject: Two offers\n\nBuy now\n"))
	tok.Terms(m, func(t *Term) { fmt.Println(t.Text()) })
	// Output:
	// header:Subject
	// subject:two
	// subject:^ two
	// subject:offer
	// subject:two offer
	// order:^>Subject
	// outline:text/plain
	// type:text/plain
	// body:buy
	// body:^ buy
	// body:now
	// body:buy now
}

func BenchmarkTerms(b *testing.B) {
	const plain = "From: Ann <ann@example.com>\nTo: bob@example.org\nSubject: Minutes of the meeting\nX-Mailer: Mail 1.0\n\n"
	text := strings.Repeat("The quarterly figures aren't final; please don't quote them before the 3rd of March. ", 50)
	mails := map[string]string{
		"plain": plain + text,
		"html": "Content-Type: text/html\n" + plain + "<html><body>" +
			strings.Repeat("<p>The <b>quarterly</b> figures &amp; more: <a href=\"http://example.com/q/3\">here</a>.</p>\n", 50),
	}
	var rubbish strings.Builder
	for i := range 500 {
		fmt.Fprintf(&rubbish, "X-%d-%x: %d\n", i, i*i, i)
	}
	mails["rubbish"] = rubbish.String()
	for name, raw := range mails {
		b.Run(name, func(b *testing.B) {
			tok, err := New(DefaultOptions(), termkey.Key{})
			if err != nil {
				b.Fatal(err)
			}
			d := message.NewDecoder(message.DefaultOptions())
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				tok.Terms(d.Decode([]byte(raw)), func(*Term) {})
			}
		})
	}
}

// TestTheHashOfATermFollowsFromItsText checks the shortcuts of the tokenizer, which remembers the hashes of words.
func TestTheHashOfATermFollowsFromItsText(t *testing.T) {
	key := termkey.New([16]byte{1})
	tok, err := New(DefaultOptions(), key)
	if err != nil {
		t.Fatal(err)
	}
	decoder := message.NewDecoder(message.DefaultOptions())
	pairs := 0
	check := func(term *Term) {
		if text := term.Text(); term.Hash != key.Hash([]byte(text)) {
			t.Errorf("%q has the hash of another text", text)
		} else if term.Group == evidence.Pairs {
			pairs++
		}
	}
	paths, err := filepath.Glob("../corpus/sample/mail/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // words that are new, and words that are known
			tok.Terms(decoder.Decode(raw), check)
		}
	}
	if pairs == 0 {
		t.Error("there were no pairs")
	}
}
