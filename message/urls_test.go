package message_test

import (
	"cmp"
	"strings"
	"testing"

	"chaff/internal/tabletest"
)

func TestURLsAreTakenOutOfText(t *testing.T) {
	tests := []example{
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
		{"www in mixed letters", "Www.shop.example", " ", "Www.shop.example"},
		{"backslashes for slashes", `see http:\\shop.example\a now`, "see   now", `http:\\shop.example\a`},
		{"backslashes among slashes", `http://\shop.example`, " ", `http://\shop.example`},
		{"one slash", "https:/shop.example/a", " ", "https:/shop.example/a"},
		{"no slash", "(HTTP:shop.example/a)", "( )", "HTTP:shop.example/a"},
		{"three slashes", "http:///shop.example", " ", "http:///shop.example"},
		{"no slash and no name", "http: the protocol, http:80, xhttp:shop.example", "http: the protocol, http:80, xhttp:shop.example", ""},
		{"a scheme that belongs to the URL before", `www.a.http:\\b.example`, ` :\\b.example`, "www.a.http"},
		{"a name beyond ASCII", "see http://bücher.example/a now", "see   now", "http://bücher.example/a http://b"},
		{"a name that starts beyond ASCII", "http://ⓔvil.example.", " .", "http://ⓔvil.example"},
		{"a Cyrillic name", "http://www.сайт.рф/a", " ", "http://www.сайт.рф/a http://www"},
		{"other full stops", "http://evil。example/a", " ", "http://evil。example/a http://evil"},
		{"a sentence behind a host", "http://a.example。然后看", " 。然后看", "http://a.example"},
		{"letters without a dot", "http://是的 http://a.example是", "http://是的  是", "http://a.example"},
		{"www twice", "www.www.example", " ", "www.www.example"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decode("\n" + test.raw)
			equal(t, "text", string(m.Parts[0].Text), test.text)
			equal(t, "links", urls(m), test.other)
		})
	}
}

func TestLinksAreReadAsBrowsersReadThem(t *testing.T) {
	long := strings.Repeat("bank.example", 300)
	tabletest.Strings(t, func(in string) string {
		return urls(decode("Content-Type: text/html\n\n" + in))
	}, [][3]string{
		{"controls before a link", "<a href='&#1;&#11; http://a.example'>", "http://a.example"},
		{"a long user before the host", "<a href='http://" + long + "@evil.example/x'>", "http://" + long[:64] + "@evil.example/x"},
		{"a set of images", "<img srcset='a,b.png, c.png 2x,d.png 3x, e.png, f.png'>", "a,b.png c.png d.png e.png f.png"},
		{"a page that goes on, after a blank", "<meta http-equiv=refresh content='0 url=http://a.example'>", "http://a.example"},
		{"a page that goes on, with quotes", "<meta http-equiv=refresh content='0;url=\"http://a.example\" x'>", "http://a.example"},
		{"a page that goes on, without url=", "<meta http-equiv=refresh content='1.5, http://a.example/?url=b'>", "http://a.example/?url=b"},
		{"a page that stays", "<meta http-equiv=refresh content='10'>", ""},
		{"no time to go on", "<meta http-equiv=refresh content='url=a'>", ""},
		{"pictures of Outlook", "<v:fill src='a.png'><v:roundrect href='http://a.example'>", "a.png http://a.example"},
		{"links of SVG", "<svg><a xlink:href='http://a.example'><image xlink:href=b.png>", "http://a.example b.png"},
		{"pictures of a style, in capitals", "<p style='color: rgb(1,2,3); background: URL(\"a.png\")'><style>p { background: Url(b.png) }</style>", "a.png b.png"},
		{"sound and captions", "<audio src=a><track src=b>", "a b"},
		{"data in capitals", "<img src='DATA:image/png;base64,AAAA'>", "DATA:image/png;base64"},
	})
}

func TestRelativeLinksHaveTheBaseOfTheirDocument(t *testing.T) {
	const base = "http://evil.example/x/"
	tabletest.Strings(t, func(in string) string {
		var got []string
		for _, link := range decode("Content-Type: text/html\n\n" + in).Links {
			got = append(got, cmp.Or(string(link.Base), "-"))
		}
		return strings.Join(got, " ")
	}, [][3]string{
		{"before and after it", "<a href=a><base href=" + base + "><a href=/b>", base + " - " + base},
		{"the first base counts", "<base href=" + base + "><base href=http://b.example><a href=a>", "- - " + base},
		{"a base that is none", "<base href=x><a href=a>", "- -"},
		{"a base that browsers repair", `<base href="http:\\evil.example"><a href=a>`, `- http:\\evil.example`},
		{"links that are not relative", "<base href=" + base + "><a href=//a><a href='\\\\a'><a href=mailto:a>", "- - - -"},
		{"no base", "<a href=a>", "-"},
	})
}
