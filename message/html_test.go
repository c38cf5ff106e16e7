package message_test

import (
	"strings"
	"testing"
)

func TestVisibleText(t *testing.T) {
	tests := []example{
		{"inline elements do not part words", "V<b>ia</b><font color=red>gr</font>a", "Viagra", ""},
		{"elements that do not exist do not part words", "Via<xyz>gr</xyz>a", "Viagra", ""},
		{"comments do not part words", "Via<!-- no -->gr<!>a", "Viagra", ""},
		{"block elements part words", "<p>a<p>b<br>c<div>d</div>e<li>f<td>g</td>h<h1>i</h1>j", "a b c d e f g h i j", ""},
		{"images part words", "a<img src=x>b", "a b", "x"},
		{"texts for images are kept", `a<img alt="b c">d`, "a b c d", ""},
		{"entities are decoded", "&lt;a&gt; &eacute;&#8364;&#x20ac &amp;amp;", "<a> é€€ &amp;", ""},
		{"zero-width characters are left", "a&#8203;b", "a\u200bb", ""},
		{"scripts and styles are not shown", "a<script>b<p>c</script>d<STYLE>e</STYLE>f", "adf", ""},
		{"a script that is not closed hides the rest", "a<script>b</p>c", "a", ""},
		{"a title is text even if it is not closed", "<title>a<p>b", "a b", ""},
		{"what stands in for scripts and frames is shown", "<noscript>a<br></noscript><noframes>b</noframes>", "a b", ""},
		{"a lone angle bracket is text", "1 < 2 <3 > 0", "1 < 2 <3 > 0", ""},
		{"links are taken from attributes", `<a href="u1">a</a><form action=u2><body background='u3'><img src=u4>`, "a", "u1 u2 u3 u4"},
		{"entities in links are decoded", `<a href="u?a=1&amp;b=2">`, "", "u?a=1&b=2"},
		{"line ends in links are passed over", "<a href=' u\n1\t2 '>", "", "u12"},
		{"places in the page are no links", "<a href='#top'>a</a><a href=''>b</a>", "ab", ""},
		{"data in links is dropped", "<img src='data:image/png;base64,AAAA'>", "", "data:image/png;base64"},
		{"links in the text are taken out", "see <a href=u1>http://<b>shop</b>.example</a>.", "see .", "u1 http://shop.example"},
		{"comments for one mail program are not shown", "a <!--[if mso]>b<![endif]--><!--[if !mso]><!-->c<!--<![endif]-->", "a c", ""},
		{"what is for all but one is shown", "a <![if !mso]>b<![endif]> c", "a b c", ""},
		{"sections of characters end with their first tag", "a<![CDATA[ b > c ]]>", "a c ]]>", ""},
		{"instructions are not shown", "a<?xml b?>c<!DOCTYPE d>e</>f</ g>h", "acefh", ""},
		{"entities without an end are decoded", "&ampb &eacutec &copy2 &notit", "&b éc ©2 ¬it", ""},
		{"cells in cells are apart", "<table><td>a<table><td>b</table>c<td>d</table>e", "a b c d e", ""},
		{"places to break do not part words", "a<wbr>b<nobr>c</nobr>", "abc", ""},
		{"words on buttons are shown", "<input type=submit value=Buy><input type=hidden value=x><input type=image alt=Go>", "Buy Go", ""},
		{"a tag that is not closed is text", "a <b", "a <b", ""},
		{"a link in a tag that is not closed is found", `a <a href="http://shop.example>b`, `a <a href=" >b`, "http://shop.example"},
		{"a comment that is not closed ends with its tag", "a <!-- b > c", "a c", ""},
		{"a comment that is not closed and has no tag hides the rest", "a <!-- b", "a", ""},
	}
	decodeAll(t, tests, "Content-Type: text/html\n\n", "", urls)
}

func TestHugeMarkupIsPassedOver(t *testing.T) {
	huge := strings.Repeat("\u00e9", 600<<10) // odd places inside of characters
	tests := []struct{ name, html, want, repairs string }{
		{"a huge tag", "one <a title='" + huge + "'>two", "one two", "cut: HTML tag or comment too long"},
		{"a huge tag in a script", "one <script>" + huge + "<b c='" + huge + "'></script>two", "one two", "cut: HTML tag or comment too long"},
		{"a large tag", "one <a title='" + huge[:5000] + "' href=x>t</a>w<b>o</b>", "one two", ""},
		{"a huge script", "one <script>" + huge + "</script>two", "one two", ""},
		{"a huge text", "one" + huge + "two", "one" + huge + "two", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decode("Content-Type: text/html\n\n" + test.html)
			if got := texts(m); got != test.want {
				t.Errorf("got %d bytes, want %d", len(got), len(test.want))
			}
			equal(t, "repairs", repairs(m), test.repairs)
		})
	}
	m := decode("Content-Type: text/html\n\none <!-- x" + huge + " --> two")
	if got := texts(m); !strings.HasPrefix(got, "one ") || !strings.HasSuffix(got, " two") ||
		repairs(m) != "cut: HTML tag or comment too long" {
		t.Errorf("a huge comment: got %d bytes and repairs %q", len(got), repairs(m))
	}
}

func TestHTMLIsRecognised(t *testing.T) {
	tests := []struct {
		name, body string
		isHTML     bool
	}{
		{"html element", "<html>a", true},
		{"html element with attributes", " \n<HTML lang=en>a", true},
		{"body element", "text before <body>a", true},
		{"other elements", "<b>bold</b>", false},
		{"longer names", "<htmlx> <bodywork>", false},
		{"late", strings.Repeat(" ", 2000) + "<html>", false},
		{"nothing", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decode("Content-Type: text/plain\n\n" + test.body)
			if got := repairs(m) == "HTML declared as plain text"; got != test.isHTML {
				t.Errorf("got %v, want %v", got, test.isHTML)
			}
		})
	}
}
