package tokenize

import (
	"slices"
	"strings"
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
		{"a decimal address", message.Link{URL: []byte("http://3232235777")}, []string{"host:3232235777", "host:192.168.1.1", "domain:ip", "mark:mapped-host"}},
		{"a hexadecimal address", message.Link{URL: []byte("http://0xC0A80101")}, []string{"host:0xc0a80101", "host:192.168.1.1", "domain:ip", "mark:mapped-host"}},
		{"five numbers are a name", message.Link{URL: []byte("http://1.2.3.4.5")}, []string{"host:1.2.3.4.5", "domain:4.5"}},
		{"a decimal address and a full stop", message.Link{URL: []byte("http://3232235777.")}, []string{"host:3232235777", "host:192.168.1.1", "domain:ip", "mark:mapped-host"}},
		{"an octal address", message.Link{URL: []byte("http://0300.0250.1.08")}, []string{"host:0300.0250.1.08", "domain:ip"}},
		{"a name of digits with a domain is no address", message.Link{URL: []byte("http://163.com")}, []string{"host:163.com", "domain:163.com"}},
		{"a name in Punycode", message.Link{URL: []byte("http://xn--bcher-kva.example")},
			[]string{"host:xn--bcher-kva.example", "host:bücher.example", "domain:xn--bcher-kva.example", "mark:punycode"}},
		{"a name in Punycode that looks like one of ASCII", message.Link{URL: []byte("http://www.XN--pypl-53dc.com")},
			[]string{"host:www.xn--pypl-53dc.com", "host:www.pаypаl.com", "host:www.paypal.com", "domain:xn--pypl-53dc.com", "mark:homoglyph", "mark:punycode"}},
		{"a Cyrillic name that looks like one of ASCII", message.Link{URL: []byte("http://сосо.example")},
			[]string{"host:сосо.example", "host:coco.example", "domain:сосо.example", "mark:homoglyph"}},
		{"a name in escapes", message.Link{URL: []byte("http://101@%77%77%77%2Ea.example/%42%75y")},
			[]string{"host:user@", "host:www.a.example", "domain:a.example", "path:/", "path:buy", "mark:escaped-host"}},
		{"escapes that are broken", message.Link{URL: []byte("http://%7.example/%zz")},
			[]string{"host:%7.example", "domain:%7.example", "path:/", "path:%", "path:zz"}},
		{"a host that is too long for a term", message.Link{URL: []byte("http://" + strings.Repeat("a", 40) + ".b.evil.com")},
			[]string{"host:32+", "domain:evil.com"}},
		{"a domain that is too long for a term", message.Link{URL: []byte("http://" + strings.Repeat("a", 40) + ".com")},
			[]string{"host:32+", "domain:32+"}},
		{"backslashes", message.Link{URL: []byte(`http:\\a.example\x`)},
			[]string{"host:a.example", "domain:a.example", `path:\`, "path:x", "mark:repaired-url"}},
		{"a slash and a backslash without a scheme", message.Link{URL: []byte(`/\a.example`)},
			[]string{"host:a.example", "domain:a.example", "mark:repaired-url"}},
		{"no slashes", message.Link{URL: []byte("https:a.example")}, []string{"host:a.example", "domain:a.example", "mark:repaired-url"}},
		{"a letter in a circle", message.Link{URL: []byte("http://ⓔvil.example.com")},
			[]string{"host:ⓔvil.example.com", "host:evil.example.com", "domain:example.com", "mark:mapped-host"}},
		{"an ideographic full stop", message.Link{URL: []byte("http://evil。example")},
			[]string{"host:evil。example", "host:evil.example", "domain:evil.example", "mark:mapped-host"}},
		{"a soft hyphen in escapes", message.Link{URL: []byte("http://e%C2%ADvil.example")},
			[]string{"host:e\u00advil.example", "host:evil.example", "domain:evil.example", "mark:escaped-host", "mark:mapped-host"}},
		{"an address in full-width digits", message.Link{URL: []byte("http://１２７.1")},
			[]string{"host:１２７.1", "host:127.0.0.1", "domain:ip", "mark:mapped-host"}},
		{"an address of IPv6 with a port", message.Link{URL: []byte("http://[2001:db8::1]:8080/")},
			[]string{"port:8080", "host:[2001:db8::1]", "domain:ip", "path:/"}},
		{"a link on a page that names its base", message.Link{URL: []byte("/x"), Base: []byte("http://b.example/y")},
			[]string{"path:/", "path:x", "host:b.example", "domain:b.example"}},
		{"a name below a suffix beyond ASCII", message.Link{URL: []byte("http://a.b.公司.cn")},
			[]string{"host:a.b.公司.cn", "domain:b.公司.cn"}},
		{"mail to a name in other letters", message.Link{URL: []byte("mailto:ann@𝐛𝐚𝐧𝐤.example")},
			[]string{"mailto:ann@bank.example", "mailto:@𝐛𝐚𝐧𝐤.example", "mailto:@bank.example", "mailto:@.bank.example", "mark:full-width", "mark:mapped-host"}},
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
		{`http:\\evil.example`, "www.bank.example", true},
		{`/\evil.example`, "www.bank.example", true},
		{"http://bank.com@evil.example/", "bank.com", true},
		{"http://evil.example/", `http:\\bank.example`, true},
		{"http://evil.example/", "Link:http://bank.example", true},
		{"http://xn--bcher-kva.example/", "www.bücher.example", false},
		{"http://ⓑank.com/", "bank.com", false},
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
