package message_test

import (
	"fmt"
	"strings"
	"testing"

	"chaff/message"
)

// hidden joins the hidden texts of all parts, blanks made single.
func hidden(m *message.Message) string {
	var all []string
	for _, p := range m.Parts {
		if text := strings.Join(strings.Fields(string(p.Hidden)), " "); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, " | ")
}

func marks(m *message.Message) string {
	var all []string
	for mark := range m.Marks.All() {
		all = append(all, mark.String())
	}
	return strings.Join(all, " ")
}

func TestHiddenTextIsKeptApart(t *testing.T) {
	const (
		byStyle  = "hidden-text hidden-by-style"
		byColour = "hidden-text hidden-by-colour"
		bySize   = "hidden-text hidden-by-size"
		off      = "hidden-text hidden-off-screen"
	)
	tests := []struct{ name, html, text, hidden, marks string }{
		{"nothing is hidden", "<p style='color:red'>a</p>", "a", "", ""},
		{"display none", "a<span style='display:none'>b</span>c", "ac", "b", byStyle + " tag-in-word"},
		{"display none in capitals", "a <P STYLE='DISPLAY : NONE !important'>b</P> c", "a c", "b", byStyle},
		{"display that is overridden", "<p style='display:none;display:block'>a</p>", "a", "", ""},
		{"visibility hidden", "a <i style='visibility:hidden'>b</i> c", "a c", "b", byStyle},
		{"visible inside of what is not", "<div style='visibility:hidden'>a <b style='visibility:visible'>b</b></div>", "b", "a", byStyle},
		{"nothing is visible inside of what is not displayed", "<div style='display:none'>a<b style='display:inline'>b</b></div>", "", "ab", byStyle},
		{"opacity", "<p style='opacity:0.01'>a<p style='opacity:5%'>b<p style='opacity:.5'>c", "c", "a b", byStyle},
		{"the attribute hidden", "<p hidden>a</p><p>b</p>", "b", "a", byStyle},
		{"templates", "<template>a</template>b", "b", "a", byStyle},
		{"a font of no size", "<p style='font-size:0'>a<p style='font-size:1px'>b<p style='font-size:2px'>c", "c", "a b", bySize},
		{"a font size in words", "<p style='font-size:x-small'>a", "a", "", ""},
		{"a font size in parts of another", "<p style='font-size:0.05em'>a<p style='font-size:1em'>b", "b", "a", bySize},
		{"a font size in percent", "<p style='font-size:5%'>a<p style='font-size:60%'>b", "b", "a", bySize},
		{"larger inside of tiny", "<p style='font-size:0'>a<b style='font-size:12px'>b</b>", "b", "a", bySize},
		{"a box of no height", "<div style='max-height:0;overflow:hidden'>a</div>b", "b", "a", bySize},
		{"a box of one pixel", "<div style='height:1px;overflow:hidden'>a</div>b", "b", "a", bySize},
		{"a box of no height whose text flows over", "<div style='height:0'>a</div>b", "a b", "", ""},
		{"far to the left", "<div style='position:absolute;left:-9999px'>a</div>b", "b", "a", off},
		{"left without a position", "<div style='left:-9999px'>a</div>b", "a b", "", ""},
		{"an indent off the screen", "<p style='text-indent:-9999px'>a</p>b", "b", "a", off},
		{"an indent", "<p style='text-indent:-20px'>a</p>b", "a b", "", ""},
		{"white on white", "<font color=white>a</font> b", "b", "a", byColour},
		{"nearly white on white", "<font color='#fdfdfe'>a</font> b", "b", "a", byColour},
		{"grey on white", "<font color='#888'>a</font> b", "a b", "", ""},
		{"white on a coloured page", "<body bgcolor='#000080'><font color=white>a</font>", "a", "", ""},
		{"the colour of the page", "<body bgcolor='#000080'><font color=navy>a</font> b", "b", "a", byColour},
		{"the text of the page in its own colour", "<body bgcolor=black text=black>a", "", "a", byColour},
		{"links in the colour of the page", "<body link=white><a href=x>a</a> b", "b", "a", byColour},
		{"a cell of another colour", "<font color=white><table><tr><td bgcolor=red>a<td>b</table>", "a", "b", byColour},
		{"a picture behind it", "<td background=x.gif><font color=white>a</font>", "a", "", ""},
		{"a picture behind it by style", "<td style='background:url(x.gif)'><font color=white>a</font>", "a", "", ""},
		{"a background by style", "<td style='background: #fff url(x.gif)'><p style='background:#123 none;color:#112233'>a", "", "a", byColour},
		{"transparent text", "<p style='color:transparent'>a<p style='color:rgba(0,0,0,0)'>b<p>c", "c", "a b", byColour},
		{"a background of no colour", "<p style='background:transparent;color:#fff'>a", "", "a", byColour},
		{"a colour in numbers", "<p style='color:rgb(255, 255, 255)'>a<p style='color:rgb(100% 0% 0%)'>b", "b", "a", byColour},
		{"a colour that nobody knows", "<p style='color:plaid'>a", "a", "", ""},
		{"a style sheet by class", "<style>.x{display:none}</style><p class='y x'>a<p class=y>b", "b", "a", byStyle},
		{"a style sheet by element and class", "<style>p.x{display:none}</style><b class=x>a</b><p class=x>b", "a", "b", byStyle},
		{"a style sheet by id", "<style>#x{font-size:0}</style><p id=x>a<p>b", "b", "a", bySize},
		{"a style sheet by element", "<style>i{display:none}</style>a <i>b</i> c", "a c", "b", byStyle},
		{"several selectors", "<style>.a, .b {display:none}</style><p class=a>a<p class=b>b<p class=c>c", "c", "a b", byStyle},
		{"a style sheet in a comment", "<style><!-- .x {display:none} --></style><p class=x>a<p>b", "b", "a", byStyle},
		{"comments in a style sheet", "<style>/* } */ .x {display:none} /* a */</style><p class=x>a<p>b", "b", "a", byStyle},
		{"rules for some screens are passed over", "<style>@media print { .x {display:none} } .y{display:none}</style><p class=x>a<p class=y>b", "a", "b", byStyle},
		{"an attribute overrides the style sheet", "<style>.x{display:none}</style><p class=x style='display:block'>a", "a", "", ""},
		{"an element that is never closed hides its cell", "<table><tr><td><div style='display:none'>a<td>b</table>c", "b c", "a", byStyle},
		{"an end tag closes what is open inside", "<div style='display:none'><span>a</div>b", "b", "a", byStyle},
		{"an end tag too many closes nothing", "<td style='display:none'>a</b>b</td>c", "c", "ab", byStyle},
		{"a paragraph ends the one before it", "<p style='display:none'>a<p>b", "b", "a", byStyle},
		{"a list item ends the one before it", "<ul><li style='display:none'>a<li>b</ul>", "b", "a", byStyle},
		{"pieces from different places are apart", "<i style='font-size:0'>a</i>b<i style='font-size:0'>c</i>", "b", "a c", bySize},
		{"pieces of one place are not", "<div hidden>a<b>b</b></div>", "", "ab", byStyle},
		{"alternatives of hidden images", "<div hidden><img alt='a b'></div>c", "c", "a b", byStyle},
		{"alternatives of images in text that is hidden by its colour", "<font color=white>a<img alt='b'></font>", "b", "a", byColour},
		{"links in hidden text are found", "<div hidden>see http://shop.example/ now</div>", "", "see now", byStyle},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decode("Content-Type: text/html\n\n" + test.html)
			if got := texts(m); got != test.text {
				t.Errorf("text: got %q, want %q", got, test.text)
			}
			if got := hidden(m); got != test.hidden {
				t.Errorf("hidden: got %q, want %q", got, test.hidden)
			}
			if got := marks(m); got != test.marks {
				t.Errorf("marks: got %q, want %q", got, test.marks)
			}
		})
	}
}

func TestWordsThatAreTakenApartAreMarked(t *testing.T) {
	tests := []struct{ name, html, text, marks string }{
		{"a comment in a word", "Via<!-- x -->gra", "Viagra", "comment-in-word"},
		{"a comment between words", "one <!-- x -->two<!-- y --> three", "one two three", ""},
		{"a comment behind a block", "<p>one</p><!-- x --><p>two</p>", "one two", ""},
		{"an element that does not exist", "Via<qx>gra</qx>", "Viagra", "tag-in-word"},
		{"the end of one", "Via</qx>gra", "Viagra", "tag-in-word"},
		{"an element of an office program", "one<o:p></o:p>two", "onetwo", ""},
		{"an element that shows nothing", "Via<b></b>gra", "Viagra", "tag-in-word"},
		{"an element that shows a letter", "<b>V</b>iagra", "Viagra", ""},
		{"an image in a word sets it apart", "Via<img src=x>gra", "Via gra", ""},
		{"a break in a word", "Via<wbr>gra", "Viagra", "break-in-word"},
		{"a break between words", "one<wbr> two", "one two", ""},
		{"a soft hyphen in a word", "Via&shy;gra", "Via\u00adgra", "break-in-word"},
		{"a soft hyphen at its end", "one&shy; two", "one\u00ad two", ""},
		{"letters by their numbers", "&#86;&#105;&#x61;gra", "Viagra", "numeric-entity"},
		{"two letters by their numbers", "&#86;&#105;agra", "Viagra", ""},
		{"signs by their numbers", "it&#39;s &#8364;5 &#38; more &#8211; &#160;", "it's €5 & more –", ""},
		{"a mail address by its numbers", "&#97;&#110;&#110;&#64;shop", "ann@shop", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decode("Content-Type: text/html\n\n" + test.html)
			if got := texts(m); got != test.text {
				t.Errorf("text: got %q, want %q", got, test.text)
			}
			if got := marks(m); got != test.marks {
				t.Errorf("marks: got %q, want %q", got, test.marks)
			}
		})
	}
}

func TestLinksSayWhatTheyAreAndWhatTheyStandUnder(t *testing.T) {
	long := strings.Repeat("word ", 100)
	tests := []struct{ name, html, want string }{
		{"a link and its text", "<a href=u>one <b>two</b></a> three", "anchor u [one two]"},
		{"two links, the first not closed", "<a href=u>one<a href=v>two</a>", "anchor u [one], anchor v [two]"},
		{"a link that is never closed", "<a href=u>one", "anchor u [one]"},
		{"a link under a picture", "<a href=u><img src=v alt='one two'></a>", "anchor u [one two], image v []"},
		{"a long text is cut", "<a href=u>" + long + "</a>", "anchor u [" + strings.TrimSpace(long[:256]) + "]"},
		{"an area of a map", "<area href=u alt=one>", "anchor u []"},
		{"forms and their buttons", "<form action=u><button formaction=v>one</button><input type=submit formaction=w value=two></form>",
			"form u [], form v [], form w []"},
		{"pictures", "<img src=u srcset='v 1x, w 2x'><input type=image src=x>", "image u [], image v [], image w [], image x []"},
		{"what a page fetches", "<link href=u><iframe src=v></iframe><body background=w><td background=x><object data=y></object>",
			"other u [], other v [], other w [], other x [], other y []"},
		{"where a page goes by itself", "<meta http-equiv=refresh content='0; URL=http://u.example/'>", "other http://u.example/ []"},
		{"other meta elements", "<meta name=author content='0; url=u'>", ""},
		{"what a style fetches", "<p style=\"background:url('u')\">a", "other u []"},
		{"what a style sheet fetches", "<style>.x { background: url(u) }</style>", "other u []"},
		{"the base of a page", "<base href=u>", "other u []"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var all []string
			for _, l := range decode("Content-Type: text/html\n\n" + test.html).Links {
				all = append(all, fmt.Sprintf("%s %s [%s]", l.Kind, l.URL, l.Text))
			}
			if got := strings.Join(all, ", "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestMarkupAndImagesAreCounted(t *testing.T) {
	p := decode("Content-Type: text/html\n\n<p><b>one</b> &amp; <img src=a><IMG src=b></p>").Parts[0]
	if p.Images != 2 {
		t.Errorf("%d images, want 2", p.Images)
	}
	if want := len("<p><b></b><img src=a><IMG src=b></p>"); p.Markup != want {
		t.Errorf("%d bytes of markup, want %d", p.Markup, want)
	}
	if p := decode("\nplain <b>text</b>").Parts[0]; p.Markup != 0 || p.Images != 0 {
		t.Errorf("plain text has %d bytes of markup and %d images", p.Markup, p.Images)
	}
}

func TestRulesOfStyleSheetsHaveALimit(t *testing.T) {
	var css strings.Builder
	for n := range 2000 {
		fmt.Fprintf(&css, ".c%d{display:none}", n)
	}
	m := decode("Content-Type: text/html\n\n<style>" + css.String() + "</style><p class=c999>a<p class=c1000>b<p class=c1999>c")
	if got, want := texts(m)+"/"+hidden(m), "b c/a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestElementsNestWithoutLimit(t *testing.T) {
	const deep = 5000
	m := decode("Content-Type: text/html\n\n<div hidden>" + strings.Repeat("<div>", deep) + "a" + strings.Repeat("</div>", deep) + "b</div>c")
	if got, want := texts(m)+"/"+hidden(m), "c/a b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
