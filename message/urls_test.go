package message_test

import "testing"

func TestURLsAreTakenOutOfText(t *testing.T) {
	tests := []struct{ name, text, want, urls string }{
		{"none", "no links here: at all", "no links here: at all", ""},
		{"with a scheme", "see http://shop.example/a now", "see   now", "http://shop.example/a"},
		{"without a scheme", "see www.shop.example/a now", "see   now", "www.shop.example/a"},
		{"in capitals", "HTTP://SHOP.EXAMPLE WWW.SHOP.EXAMPLE", "   ", "HTTP://SHOP.EXAMPLE WWW.SHOP.EXAMPLE"},
		{"a scheme and www are one", "http://www.shop.example", " ", "http://www.shop.example"},
		{"in brackets", "(http://a.example/x) <www.b.example> \"ftp://c.example\"", "( ) < > \" \"",
			"http://a.example/x www.b.example ftp://c.example"},
		{"at the end of a sentence", "http://a.example/x. http://b.example!?", " .  !?", "http://a.example/x http://b.example"},
		{"before other letters", "http://a.example/x是", " 是", "http://a.example/x"},
		{"after other letters", "见http://a.example", "见 ", "http://a.example"},
		{"after a colon", "Link:http://a.example", "Link: ", "http://a.example"},
		{"with another one inside", "http://a.example/?u=http://b.example", " ", "http://a.example/?u=http://b.example"},
		{"no host", "a:// www. ://", "a:// www. ://", ""},
		{"no scheme", "://a.example", "://a.example", ""},
		{"www inside of a word", "awww.example", "awww.example", ""},
		{"www twice", "www.www.example", " ", "www.www.example"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decode("\n" + test.text)
			if got := string(m.Parts[0].Text); got != test.want {
				t.Errorf("text: got %q, want %q", got, test.want)
			}
			if got := urls(m); got != test.urls {
				t.Errorf("URLs: got %q, want %q", got, test.urls)
			}
		})
	}
}
