package message_test

import (
	"cmp"
	"strings"
	"testing"

	"chaff/message"
	"chaff/test/tabletest"
)

func TestVisibleText(t *testing.T) {
	tests := []example{
		{"inline elements do not part words", "V<b>ia</b><font color=red>gr</font>a", "Viagra", ""},
		{"elements that do not exist do not part words", "Via<xyz>gr</xyz>a", "Viagra", ""},
		{"comments do not part words", "Via<!-- no -->gr<!>a", "Viagra", ""},
		{"block elements part words", "<p>a<p>b<br>c<div>d</div>e<li>f<table><td>g</td>h</table><h1>i</h1>j", "a b c d e f g h i j", ""},
		{"images part words", "a<img src=x>b", "a b", "x"},
		{"texts for images are kept", `a<img alt="b c">d`, "a b c d", ""},
		{"entities are decoded", "&lt;a&gt; &eacute;&#8364;&#x20ac &amp;amp;", "<a> é€€ &amp;", ""},
		{"zero-width characters are left", "a&#8203;b", "a\u200bb", ""},
		{"scripts and styles are not shown", "a<script>b<p>c</script>d<STYLE>e</STYLE>f", "adf", ""},
		{"a script that is not closed hides the rest", "a<script>b</p>c", "a", ""},
		{"a title is text even if it is not closed", "<title>a<p>b", "a b", ""},
		{"what stands in for scripts is shown, and for frames not", "<noscript>a<br></noscript><noframes>b</noframes>", "a", ""},
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
		{"in SVG and MathML they are characters", "a<svg><text><![CDATA[ b c ]]></text></svg><math><mi><![CDATA[d]]></math>e<![CDATA[ f ]]>g", "a b c deg", ""},
		{"in SVG an empty style has no content", "a<svg><style/></svg>b<style/>c", "ab", ""},
		{"nor has an empty script in MathML", "a<math><script src=x /></math>b", "ab", ""},
		{"a slash that is a value closes nothing", "a<svg x=a/><style />b", "ab", ""},
		{"a paragraph in a style of SVG is shown", "a<svg><style>c{}<p>b</p></style></svg>", "a b", ""},
		{"a title ends within a comment", "a<title><!-- </title>b -->c", "a b -->c", ""},
		{"a text field ends within a script", "a<textarea><script></textarea>b</script>c", "a bc", ""},
		{"and within a style", "a<textarea><style>x</textarea>b</style>c", "a bc", ""},
		{"a frame ends within the value of an attribute", "a<iframe><p title='</iframe>b'>c", "a b'>c", ""},
		{"and within a section", "a<noembed><![CDATA[</noembed>b]]>c", "ab]]>c", ""},
		{"a title without an end tag", "a<title><!-- </titles>b --><title>c", "a c", ""},
		{"instructions are not shown", "a<?xml b?>c<!DOCTYPE d>e</>f</ g>h", "acefh", ""},
		{"entities without an end are decoded", "&ampb &eacutec &copy2 &notit", "&b éc ©2 ¬it", ""},
		{"cells in cells are apart", "<table><td>a<table><td>b</table>c<td>d</table>e", "a b c d e", ""},
		{"places to break do not part words", "a<wbr>b<nobr>c</nobr>", "abc", ""},
		{"words on buttons are shown", "<input type=submit value=Buy><input type=hidden value=x><input type=image alt=Go>", "Buy Go", ""},
		{"a tag that is not closed is not shown", "a <b", "a", ""},
		{"a link in a tag that is not closed is found", `a <a href="http://shop.example>b`, "a", "http://shop.example"},
		{"a comment that is not closed hides the rest", "a <!-- b > c http://shop.example", "a", "http://shop.example"},
	}
	decodeAll(t, tests, "Content-Type: text/html\n\n", "", urls)
}

func TestHugeMarkupIsPassedOver(t *testing.T) {
	huge := strings.Repeat("\u00e9", 600<<10) // odd places inside of characters
	tests := []struct{ name, html, want, repairs string }{
		{"a huge tag", "one <a title='" + huge + "'>two", "one two", ""},
		{"a huge tag in a script", "one <script>" + huge + "<b c='" + huge + "'></script>two", "one two", ""},
		{"a huge text without tags", "one <xmp>" + huge + "<b></xmp>two", "one " + huge + "<b> two", ""},
		{"a huge tag before a text without tags", "one <xmp title='" + huge[:5000] + "'><b></xmp>two", "one <b> two", ""},
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
	if got := texts(m); got != "one two" || repairs(m) != "" {
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

// hidden joins the hidden texts of all parts, blanks made single.
func hidden(m *message.Message) string {
	var all []string
	for _, p := range m.Parts {
		all = append(all, strings.Fields(string(p.Hidden))...)
	}
	return strings.Join(all, " ")
}

// marks joins the names of the marks, without "hidden-", which all reasons for hidden text begin with.
func marks(m *message.Message) string {
	var all []string
	for mark := range m.Marks.All() {
		if mark != message.HiddenText {
			all = append(all, strings.TrimPrefix(mark.String(), "hidden-"))
		}
	}
	return strings.Join(all, " ")
}

func TestHiddenTextIsKeptApart(t *testing.T) {
	tests := []struct{ name, html, text, hidden, marks string }{
		{"nothing is hidden", "a <b>b</b>", "a b", "", ""},
		{"display none", `a <span style="display:none">b <i>c</i></span> d`, "a d", "b c", "by-style"},
		{"nothing is shown inside of what is not there", `<div style="DISPLAY : None ! important">b <i style="display:block">c</i></div>d`, "d", "b c", "by-style"},
		{"the hidden attribute", "a <p hidden>b</p> c", "a c", "b", "by-style"},
		{"the hidden attribute in capitals and after a line end", "a <p\nHIDDEN>b</p> c", "a c", "b", "by-style"},
		{"an element that is one of SVG inside of it", "a<svg style=display:none><section>b</section></svg><svg style=display:none><label>c<p>d", "a d", "b c", "by-style"},
		{"HTML in SVG and MathML inside of it", "a<svg style=display:none><desc><p>b</p></desc></svg> c <math style=display:none><mtext><b>d</b></mtext></math>e", "a c e", "b d", "by-style"},
		{"SVG ends at the end tag of a paragraph, and elements of it at their own, whatever is open within", "a<svg><defs>b</p>c</svg> <svg><defs><desc></defs>d</svg> <svg style=display:none><foreignObject></svg>e", "a c d e", "b", "by-style"},
		{"a block in an applet, which ends no paragraph around it", "a<p style=display:none><applet><div></div>b", "a", "b", "by-style"},
		{"a template", "a <template>b</template> c", "a c", "b", "by-style"},
		{"a template that is shown in the place of what is around it", "<p><template shadowrootmode=Open>b</template>c <template shadowrootmode=d>e</template>", "b c", "e", "by-style"},
		{"visibility", "a <p style=visibility:hidden>b</p> c", "a c", "b", "by-style"},
		{"what is visible inside of what is not", "<p style=visibility:hidden>b<i style=visibility:visible>c</i> d</p>", "c", "b d", "by-style"},
		{"inherited visibility", "<p style=visibility:hidden>b <i style=visibility:inherit>c</i></p>d", "d", "b c", "by-style"},
		{"opacity", "<p style=opacity:0>b</p><p style=opacity:5%>c</p><p style=opacity:.8>d</p>", "d", "b c", "by-style"},
		{"a font without size", "<p style=font-size:0>b</p><p style='font-size: 1px'>c</p><p style=font-size:12px>d</p>", "d", "b c", "by-size"},
		{"a font of a tenth", "<p style=font-size:.1em>b</p><p style=font-size:5%>c</p><p style=font-size:90%>d</p>", "d", "b c", "by-size"},
		{"a font of a size inside of one without", "<p style=font-size:0>b <i style=font-size:10pt>c</i></p>", "c", "b", "by-size"},
		{"a font of a share of nothing", "<p style=font-size:0>b <i style=font-size:2em>c</i></p>d", "d", "b c", "by-size"},
		{"a font in shorthand", "<p style='font: bold 1px/0 Arial'>b</p><p style='font: 700 12px Arial'>c</p>", "c", "b", "by-size"},
		{"a box without room", "<div style='max-height:0;overflow:hidden'>b</div><div style='height:1px;overflow:hidden'>c</div>d", "d", "b c", "by-size"},
		{"a box without room that is not cut off", "<div style=height:0>b</div>", "b", "", ""},
		{"a box with room", "<div style='height:1em;width:1%;overflow:hidden'>b</div>", "b", "", ""},
		{"a zoom", "<p style=zoom:.05>b</p><p style=zoom:10%><font style=font-size:10px>c</font></p><p style=zoom:0>d", "d", "b c", "by-size"},
		{"a gradient of the colour of the text", "<p style='color:#fff;background:linear-gradient(#fff,white)'>b</p>c", "c", "b", "by-colour"},
		{"a gradient on which text is seen", "<p style='color:#fff;background:linear-gradient(#fff,red)'>b</p>c", "b c", "", ""},
		{"what stands in for a video", "<video>b</video>c", "c", "b", "by-style"},
		{"what stands in for frames", "<noframes>b</noframes>c", "c", "b", "by-style"},
		{"definitions of a drawing", "<svg><g><defs><text>b</text></defs></g></svg><defs>c</defs>", "c", "b", "by-style"},
		{"a body in a head that is not closed", "<head><p hidden>b</head>c", "", "b c", "by-style"},
		{"a place off the screen", "<p style=text-indent:-500px>b</p><p style=text-indent:-9999px>c</p>d", "d", "b c", "off-screen"},
		{"a place near the screen", "<p style='position:absolute;left:-9px'>b</p><p style=margin-left:-10px>c</p>", "b c", "", ""},
		{"a place that does not count", "<p style=left:-9999px>b</p>", "b", "", ""},
		{"white on white", "a <font color=white>b</font> <font color=#fffffe>c</font> d", "a d", "b c", "by-colour"},
		{"white on what surrounds it", "<table bgcolor=black><td><font color=white>b</font><td bgcolor=white><font color=white>c", "b", "c", "by-colour"},
		{"black on black", "<body bgcolor=black text=black>b <font color=red>c</font>", "c", "b", "by-colour"},
		{"white on a picture", "<table><td background=x><font color=white>b</font></td></table><p style='background:url(y);color:#fff'>c", "b c", "", ""},
		{"white on a picture with white behind it", "<p style='background-image:url(y);background-color:#fff;color:#fff'>c", "c", "", ""},
		{"white on a white that shows nothing of it", "<p style='background:#000;color:#fff'>a <b style='background:rgba(255,255,255,.2)'>b", "a b", "", ""},
		{"no colour at all", "<p style=color:transparent>b</p>c", "c", "b", "by-colour"},
		{"a colour that is not one", "<p style=color:nothing>b", "b", "", ""},
		{"links have a colour of their own", "<body text=white><a href=x>b</a> c", "b", "c", "by-colour"},
		{"links in the colour of the page", "<body link=white><a href=x>b</a> c", "c", "b", "by-colour"},
		{"a picture is seen whatever the colour of text is there", "<font color=white>a<img alt=b></font>", "b", "a", "by-colour"},
		{"links in the colour around them", "<body bgcolor=#0000ee text=white><a href=x style=color:inherit>b</a>", "b", "", ""},
		{"hidden blanks are no deception", "<p style=display:none>&nbsp;&#8204; </p>b", "b", "\u200c", ""},
		{"what only one mail program hides", "<p style=mso-hide:all>b", "b", "", ""},
		{"comments in a style", "<p style='display:/* x */none'>b</p>c", "c", "b", "by-style"},
		{"a hidden picture hides its text", "<img alt=b style=display:none>c<img alt=d>", "c d", "b", ""},
		{"a tag that is not closed", "a <i b", "a", "<i b", ""},
		{"a cell ends what is hidden", "<table><td><span hidden>b<td>c", "c", "b", "by-style"},
		{"a paragraph ends what is hidden", "<p hidden>b<div>c", "c", "b", "by-style"},
		{"a picture does not end a paragraph", "<p hidden>b<img>c", "", "b c", "by-style"},
		{"an end tag ends what is open inside", "<div hidden>a <b>b</div>c", "c", "a b", "by-style"},
		{"an end tag ends nothing outside of its cell", "<div hidden>a<table><td>b</div>c</table></div>d", "d", "a b c", "by-style"},
		{"the end of bold text leaves the blocks in it open", "<div hidden><b><div>a</b>b</div>c</div>d", "d", "ab c", "by-style"},
		{"deeper elements than are remembered", strings.Repeat("<i>", 1000) + "<b hidden>a</b>b", "b", "a", "by-style"},
		{"deeper elements inside of what is hidden", "<b hidden>" + strings.Repeat("<i>", 1000) + "a", "", "a", "by-style"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decode("Content-Type: text/html; charset=utf-8\n\n" + test.html)
			equal(t, "text", texts(m), test.text)
			equal(t, "hidden text", hidden(m), test.hidden)
			equal(t, "marks", marks(m), test.marks)
			if has := m.Marks.Has(message.HiddenText); has != (test.marks != "") {
				t.Errorf("hidden-text: got %v", has)
			}
		})
	}
}

func TestDeceptionWithinWordsIsMarked(t *testing.T) {
	tests := []example{
		{"a comment", "V<!-- x -->iagra", "Viagra", "comment-in-word"},
		{"a comment that is none", "V<!x>iagra", "Viagra", "comment-in-word"},
		{"a comment in Cyrillic", "сло<!-- x -->во", "слово", "comment-in-word"},
		{"a comment between words", "a <!-- x -->b<!-- x --> c", "a b c", ""},
		{"a comment at the start", "<!-- x -->word", "word", ""},
		{"a comment at the end of an element", "<p>a<!-- x --><p>b", "a b", ""},
		{"a comment in a script without blanks", "漢<!-- x -->字", "漢字", ""},
		{"an element that does not exist", "V<xyz>iagra", "Viagra", "tag-in-word"},
		{"the end of one", "V</xyz>iagra", "Viagra", "tag-in-word"},
		{"an element of an office program", "V<o:p></o:p>iagra", "Viagra", ""},
		{"an empty element", "V<b></b>iagra", "Viagra", "tag-in-word"},
		{"a hidden element", "V<b style=display:none>xyz</b>iagra", "Viagra", "by-style tag-in-word"},
		{"an element with a letter", "<b>V</b>iagra", "Viagra", ""},
		{"an element between words", "a<xyz> b", "a b", ""},
		{"a place to break", "V<wbr>iagra", "Viagra", "break-in-word"},
		{"a soft hyphen", "V&shy;iagra", "V\u00adiagra", "break-in-word"},
		{"a soft hyphen between words", "a&shy; b \u00ad", "a\u00ad b \u00ad", ""},
		{"letters by their numbers", "&#86;&#105;&#x61;&#103&#X72;&#97;", "Viagra", "numeric-entity"},
		{"a few letters by their numbers", "&#86;iag&#114;a", "Viagra", ""},
		{"other characters by their numbers", "&#8364;&#33;&#34;&#35;&#36;&#37;&#228;", "€!\"#$%ä", ""},
		{"the end of a cell that is open nowhere", "V</td>iagra", "Viagra", "tag-in-word"},
		{"the ends of other elements, too", "Vi</div></h1><!-- x --></td>ag</body></html>ra", "Viagra", "tag-in-word"},
		{"a cell outside of a table", "V<td>ia</td>gra", "Viagra", "tag-in-word"},
		{"a head in the text", "V<head></head>iagra", "Viagra", "tag-in-word"},
		{"a hidden block", "V<div hidden>xyz</div>iagra", "Viagra", "by-style tag-in-word"},
		{"a hidden line end", "V<br style=display:none>iagra", "Viagra", "tag-in-word"},
		{"a hidden field", "V<input type=hidden value=x>iagra", "Viagra", "tag-in-word"},
		{"blocks in a line, as menus have them", "<li style='display:inline;margin:9px'>free</li><div style='display:inline-block;padding:9px'>now</div>", "free now", ""},
		{"a block that ends with a hidden element", "<div>free<span hidden>xyz</div>now", "free now", "by-style"},
		{"hidden details", "free<details><summary hidden>x</summary></details>now", "free now", "by-style"},
		{"a box without a width", "V<i style='display:inline-block;width:0;overflow:hidden'>xyz</i>iagra", "Viagra", "by-size tag-in-word"},
		{"a line end by its end tag", "free</br>now", "free now", ""},
		{"the end of a paragraph that is open nowhere", "free</p>now", "free now", ""},
		{"a paragraph that a block in a line ends", "<p>free<div style=display:inline>now</div>", "free now", ""},
		{"a link without blanks beside it", "mail<html><a href=u>us</a></html>now", "mail us now", ""},
		{"an address by its numbers", "<a href=mailto:a@b>&#86;&#105;&#x61;&#103&#X72;&#97;</a>", "Viagra", ""},
	}
	// The last letter of the subject must not count as one of the text.
	decodeAll(t, tests, "Subject: =?utf-8?q?word?=\nContent-Type: text/html; charset=utf-8\n\n", "", marks)
}

func TestLinksAreKeptWithTheirKindAndText(t *testing.T) {
	long := strings.Repeat("\u20ac", 100)
	tabletest.Strings(t, func(in string) string {
		var got []string
		for _, link := range decode("Content-Type: text/html; charset=utf-8\n\n" + in).Links {
			got = append(got, link.Kind.String()+" "+string(link.URL)+" ["+string(link.Text)+"]")
		}
		return strings.Join(got, ", ")
	}, [][3]string{
		{"an anchor", "<a href=u>a <b>b</b>\n c</a> d", "anchor u [a b c]"},
		{"an anchor around a picture", "<a href=u><img src=v alt=Buy></a>", "anchor u [Buy], image v []"},
		{"an anchor that is not closed ends at the next", "<a href=u>a<a href=v>b", "anchor u [a], anchor v [b]"},
		{"an anchor without a link", "<a name=x>a</a>", ""},
		{"an anchor with two links", "<a href=u HREF=v>a</a>", "anchor u [a]"},
		{"an anchor with a long text", "<a href=u>" + long + "</a>", "anchor u [" + long[:255] + "]"},
		{"a hidden anchor", "<p hidden><a href=u>a</a></p>", "anchor u []"},
		{"an area", "<area href=u alt=b>", "anchor u []"},
		{"a link of VML", "<v:roundrect href=u>b</v:roundrect>", "anchor u []"},
		{"a picture of VML", "<v:imagedata src=u>", "image u []"},
		{"a form", "<form action=u><input type=submit formaction=v value=Go><button formaction=w>", "form u [], form v [], form w []"},
		{"pictures", "<img src=u><input type=image src=v><img srcset='w 1x, x 2x'>", "image u [], image v [], image w [], image x []"},
		{"what is fetched", "<link href=u><iframe src=v></iframe><body background=w><base href=x>", "other u [], other v [], other w [], other x []"},
		{"styles", "<p style='background:url( \"u\" )'><style>@import url(v); @media print { p { background: url(w) } }</style>", "other u [], other v [], other w []"},
		{"a page that goes on", "<meta http-equiv=refresh content='0;url=u?a=b'>", "other u?a=b []"},
		{"a page that stays", "<meta http-equiv=refresh content=5><meta name=x content='0;url=u'>", ""},
	})
}

func TestPicturesAreCounted(t *testing.T) {
	p := decode("Content-Type: text/html\n\n<img><b>text</b><IMAGE><input type=image>").Parts[0]
	if p.Images != 2 {
		t.Errorf("got %d images, want 2", p.Images)
	}
}

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
	tabletest.Strings(t, func(in string) string { return urls(decode("Content-Type: text/html\n\n" + in)) }, [][3]string{
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
