package tokenize

import (
	"slices"
	"testing"

	"chaff/message"
)

func TestLinksTellTheirKindAndWhereTheyLead(t *testing.T) {
	tests := []struct {
		name string
		link message.Link
		want []string
	}{
		{"a form", message.Link{Kind: message.LinkForm, URL: []byte("http://a.example")}, []string{"link:form", "host:a.example", "domain:a.example"}},
		{"an image", message.Link{Kind: message.LinkImage, URL: []byte("cid:x")}, []string{"link:image", "scheme:cid"}},
		{"a style sheet", message.Link{Kind: message.LinkOther, URL: []byte("//a.example")}, []string{"link:other", "host:a.example", "domain:a.example"}},
		{"the words of an anchor are those of the body", message.Link{Kind: message.LinkAnchor, URL: []byte("http://a.example"), Text: []byte("click here")},
			[]string{"host:a.example", "domain:a.example"}},
		{"a decimal address", message.Link{URL: []byte("http://3232235777")}, []string{"host:3232235777", "domain:ip"}},
		{"a hexadecimal address", message.Link{URL: []byte("http://0xC0A80101")}, []string{"host:0xc0a80101", "domain:ip"}},
		{"an octal address", message.Link{URL: []byte("http://0300.0250.1.08")}, []string{"host:0300.0250.1.08", "domain:ip"}},
		{"a name of digits with a domain is no address", message.Link{URL: []byte("http://163.com")}, []string{"host:163.com", "domain:163.com"}},
		{"a name in Punycode", message.Link{URL: []byte("http://xn--bcher-kva.example")},
			[]string{"host:xn--bcher-kva.example", "domain:xn--bcher-kva.example", "host:bücher.example", "mark:punycode"}},
		{"a name in Punycode that looks like one of ASCII", message.Link{URL: []byte("http://www.XN--pypl-53dc.com")},
			[]string{"host:www.xn--pypl-53dc.com", "domain:xn--pypl-53dc.com", "host:www.pаypаl.com", "host:www.paypal.com", "mark:homoglyph", "mark:punycode"}},
		{"a Cyrillic name that looks like one of ASCII", message.Link{URL: []byte("http://сосо.example")},
			[]string{"host:сосо.example", "domain:сосо.example", "host:coco.example", "mark:homoglyph"}},
		{"a name in escapes", message.Link{URL: []byte("http://101@%77%77%77%2Ea.example/%42%75y")},
			[]string{"host:user@", "host:www.a.example", "domain:a.example", "path:/", "path:buy", "mark:escaped-host"}},
		{"escapes that are broken", message.Link{URL: []byte("http://%7.example/%zz")},
			[]string{"host:%7.example", "domain:%7.example", "path:/", "path:%", "path:zz"}},
		{"a Cyrillic name", message.Link{URL: []byte("http://сайт.рф")}, []string{"host:сайт.рф", "domain:сайт.рф"}},
	}
	tok := tokenizer(t, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := termsOfMessage(tok, &message.Message{Links: []message.Link{tt.link}}); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestALinkThatNamesAnotherDomainIsMarked(t *testing.T) {
	tests := []struct {
		url, text string
		want      bool
	}{
		{"http://evil.example/x", "http://bank.example/login", true},
		{"http://evil.example/x", "www.bank.example", true},
		{"http://evil.example/x", "Log in at bank.com now", true},
		{"http://192.0.2.1/", "(www.bank.example)", true},
		{"http://click.bank.example/x", "www.bank.example", false},
		{"HTTP://WWW.Bank.COM/", "bank.com.", false},
		{"http://evil.example/", "Click here", false},
		{"http://evil.example/", "version 2.0 of main.xyzw and Node.qq", false},
		{"http://evil.example/", "ann@bank.com", false},
		{"mailto:ann@evil.example", "www.bank.example", false},
		{"http://evil.example/", "", false},
		{"", "www.bank.example", false},
	}
	tok := tokenizer(t, nil)
	for _, tt := range tests {
		t.Run(tt.text+" to "+tt.url, func(t *testing.T) {
			m := &message.Message{Links: []message.Link{{Kind: message.LinkAnchor, URL: []byte(tt.url), Text: []byte(tt.text)}}}
			if got := slices.Contains(termsOfMessage(tok, m), "mark:link-text-other-domain"); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}
