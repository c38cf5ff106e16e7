package message_test

import (
	"fmt"
	"strings"
	"testing"

	"chaff/message"
	"chaff/test/tabletest"
)

// seenOf returns the words that are seen and those that are hidden in HTML.
func seenOf(html string) (text, hidden string) {
	m := decode("Content-Type: text/html; charset=utf-8\n\n" + html)
	return strings.Join(strings.Fields(string(m.Parts[0].Text)), " "), strings.Join(strings.Fields(string(m.Parts[0].Hidden)), " ")
}

// styled is a style sheet, a page, and the words of the page that are seen.
type styled struct{ name, css, html, text string }

// checkSeen reads each page with its style sheet before it and behind it.
func checkSeen(t *testing.T, pages []styled) {
	t.Helper()
	for _, p := range pages {
		t.Run(p.name, func(t *testing.T) {
			sheet := "<style>" + p.css + "</style>"
			if text, hidden := seenOf(sheet + p.html); text != p.text {
				t.Errorf("got %q, want %q; hidden %q", text, p.text, hidden)
			}
			if text, _ := seenOf(p.html + sheet); text != p.text {
				t.Errorf("with the style sheet behind it: got %q, want %q", text, p.text)
			}
		})
	}
}

func TestSelectorsMeanWhatTheyMeanInBrowsers(t *testing.T) {
	tests := []styled{
		{"an element within another", "div p", "<div><i><p>a</p></i></div><p>b</p>", "b"},
		{"three deep", "div .x p", "<div><p>a</p><b class=x><p>b</p></b></div><b class=x><p>c</p></b>", "a c"},
		{"the same element twice", "p p", "<p>a</p><div><p>b<i><p>c", "a b c"},
		{"divs in divs", "div div div", "<div>a<div>b<div>c</div></div></div>", "a b"},
		{"anything", "*", "<p>a</p>b", ""},
		{"anything in an element", "div *", "a<div>b<i>c</i></div>", "a b"},
		{"anything after all", "div *.x", "<div><i>a</i><i class=x>b</i></div>", "a"},
		{"a value in another case", `[data-a="X"]`, "<p data-a=x>a</p>b", "a b"},
		{"what is pointed at", "p:hover", "<p>a</p>", "a"},
		{"a body that nobody wrote", "body p", "<p>a</p>", ""},
		{"a row is no child of its table", "table > tr", "<table><tr><td>a</table>", "a"},
		{"a class in capitals", ".X", "<p class=x>a</p>b", "b"},
		{"a pseudo-element", "p::selection, p::first-line", "<p>a</p>", "a"},
		{"what follows cannot be known", "p:last-child", "<p>a</p>", "a"},
	}
	for i := range tests {
		tests[i].css += "{display:none}"
	}
	checkSeen(t, tests)
}

func TestOfTwoRulesTheOneCountsThatCountsInBrowsers(t *testing.T) {
	tests := []styled{
		{"the id", "#x{display:none}p.y.z{display:block}", "<p id=x class='y z'>a", ""},
		{"the class", "div .y{display:none}div div p{display:block}", "<div><div><p class=y>a", ""},
		{"the later", ".x{display:none}.y{display:block}", "<p class='y x'>a", "a"},
		{"the important", "p{display:none!important}#x{display:block}", "<p id=x>a", ""},
		{"the important of the later", "p{display:none!important}p{display:block!important}", "<p>a", "a"},
		{"the important before the element's own", "p{display:none!important}", "<p style=display:block>a", ""},
		{"the element's own important", "p{display:none!important}", "<p style='display:block!important'>a", "a"},
		{"the one that shows what its own hides", ".x{display:block!important}", "<p class=x style=display:none>a", "a"},
		{"what browsers know", "p{display:none;display:nosuch}", "<p>a", ""},
		{"what browsers know of a colour", "p{color:white;color:nosuch}", "<p>a", ""},
		{"where() is nothing", ":where(#x){display:none}p{display:block}", "<p id=x>a", "a"},
		{"the rule over the attribute", "p{display:block}", "<p hidden>a", "a"},
	}
	checkSeen(t, tests)
}

func TestBlocksOfAStyleSheetAreForTheReaderOfAMail(t *testing.T) {
	tests := []struct {
		rule  string
		holds bool
	}{
		{"@media all", true},
		{"@media screen", true},
		{"@MEDIA only screen", true},
		{"@media print", false},
		{"@media not print", true},
		{"@media not all", false},
		{"@media print, screen", true},
		{"@media screen, print", true},
		{"@media print, tv", false},
		{"@media (min-width: 1400px)", false},
		{"@media screen and (min-width: 1px)", true},
		{"@media only screen and (max-width: 600px)", false},
		{"@media screen and (min-width:600px) and (max-width:2000px)", true},
		{"@media (width<400px)", false},
		{"@media (400px > width)", false},
		{"@media (prefers-color-scheme: dark)", false},
		{"@media (prefers-color-scheme: light)", true},
		{"@media (min-resolution: 2dppx)", false},
		{"@media (nosuch)", false},
		{"@media (max-width:600px) and (hover)", false},
		{"@supports not (display:grid)", false},
		{"@font-face", false},
		{"@keyframes p", false},
		{"@media all{@media screen", true},
		{"@media all{@media print", false},
		{"", true},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			open := strings.Repeat("{", min(len(test.rule), 1))
			closed := strings.Repeat("}", strings.Count(test.rule+open, "{"))
			text, _ := seenOf("<style>" + test.rule + open + "p{display:none}" + closed + "i{display:none}</style><p>a</p><i>b</i>c")
			if want := map[bool]string{true: "c", false: "a c"}[test.holds]; text != want {
				t.Errorf("got %q, want %q", text, want)
			}
		})
	}
}

// With too many rules for its elements a page is read as if what is left of the rules were not there, and it is reported.
func TestTooManyRulesAreReported(t *testing.T) {
	many := func(format string) string {
		var css strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&css, format, i)
		}
		return css.String()
	}
	for name, css := range map[string]string{
		"rules for anything":    many("#a%d *{color:red}"),
		"rules for one class":   many(".x{color:red;width:%dpx}"),
		"rules for an ancestor": many("#a%d .x{color:red}"),
	} {
		t.Run(name, func(t *testing.T) {
			m := decode("Content-Type: text/html\n\n<style>" + css + "</style>" + strings.Repeat("<i class=x>a ", 20_000))
			if !m.Repairs.Has(message.CutStyles) {
				t.Error("it is not reported")
			}
			if got := strings.Count(string(m.Parts[0].Text), "a"); got != 20_000 {
				t.Errorf("got %d words, want 20000", got)
			}
		})
	}
}

func TestStyleSheetsHideText(t *testing.T) {
	tests := []styled{
		{"an element", "p { display: none }", "<p>a</p><div>b</div>", "b"},
		{"a sheet in a template", "", "<template><template></template><style>p{display:none}</style></template><style>b{display:none}</style><p>a</p><b>b</b>", "a"},
		{"a class", ".x{display:none}", "<p class='y X'>a</p><p>b</p>", "b"},
		{"an element of a class", "p.x{display:none}", "<p class=x>a</p><i class=x>b</i>", "b"},
		{"an element of a name", "#x{display:none}p#y{display:none}", "<p id=x>a</p><p id=y>b</p><i id=y>c</i>", "c"},
		{"several selectors", "i , .x,b{display:none}", "<i>a</i><b>b</b><u class=x>c</u>d", "d"},
		{"the attribute counts more", "p{display:none}", "<p style=display:block>a</p>", "a"},
		{"the class counts more than the element", ".x{display:block}p{display:none}", "<p class=x>a</p>", "a"},
		{"the later rule counts more", "p{display:none}p{display:block}", "<p>a</p>", "a"},
		{"the word initial is about its property only", "p{display:none}p{color:initial}", "<p>a</p>b", "b"},
		{"no picture leaves the colour of a background", "p{color:#fff;background-color:#000;background-image:none}", "<p>a</p>b", "a b"},
		{"no background shows that behind", "p{color:#fff;background:none}", "<p>a</p>b", "b"},
		{"selectors that are about something else", "div>i p{display:none}p:hover{display:none}p *{display:none}[b]{display:none}p+p{display:none}", "<div><p a>a</p></div>", "a"},
		{"for some screens", "@media (max-width:600px){p{display:none}}i{display:none}", "<p>a</p><i>b</i>", "a"},
		{"imported sheets", "@import 'a.css';p{display:none}", "<p>a</p>b", "b"},
		{"comments", "/* p{ */i/**/{/*}*/display:none}", "<p>a</p><i>b</i>", "a"},
		{"marks of comments", "<!-- p{display:none} -->", "<p>a</p>b", "b"},
		{"a rule that is not closed", "p{display:none", "<p>a</p>b", "b"},
		{"a rule in a rule is not of the element around", "p{b{display:none}color:red}", "<p>a</p>b", "a b"},
		{"a block that is not closed", "@media x{p{display:none}", "<p>a</p>b", "a b"},
		{"a brace too many makes the next rule void, as in browsers", "}p{display:none}}i{display:none}b{display:none}", "<p>a</p><i>b</i><b>c</b>", "a b"},
	}
	checkSeen(t, tests)
}

func TestStyleSheetsForOtherMediaDoNotCount(t *testing.T) {
	for media, want := range map[string]string{"": "", "all": "", "Screen": "", "print": "a", "screen and (max-width:600px)": "a"} {
		m := decode(fmt.Sprintf("Content-Type: text/html\n\n<style media=%q>p{display:none}</style><p>a", media))
		if got := strings.TrimSpace(string(m.Parts[0].Text)); got != want {
			t.Errorf("%q: got %q, want %q", media, got, want)
		}
	}
}

func TestTextThatAStyleHidesIsHidden(t *testing.T) {
	hides := []string{
		`display:none;display:nosuch`, `display:none;display:none none`,
		"opacity:0", "opacity:0e3", "opacity:.001", "opacity:1e-2",
		"font-size:.01in", "font-size:0.05em", "font-size:1e-3px", "font:0/0 a",
		"color:#ffffffff", "color:#fff0", "color:#00000000", "color:#0000",
		"color:rgb(255 255 255)", "color:rgb(100%,100%,100%)", "color:rgb(0 0 0 / 0)", "color:rgb(0 0 0 / 5%)", "color:rgba(0,0,0,.05)",
		"color:white;color:nosuch", "color:transparent",
		"color:white;-webkit-text-fill-color:currentcolor",
		"background:#123;color:#123",
		"visibility:hidden", "visibility:collapse",
		"text-indent:-9999px", "text-indent:100%;overflow:hidden;white-space:nowrap",
		"max-height:0;overflow:hidden", "width:0;overflow:clip", "max-width:1px;overflow:auto",
		"background:#ccc;position:relative;z-index:0;opacity:0",
	}
	for _, css := range hides {
		if text, hidden := seenOf("<p style='" + css + "'>word</p>seen"); text != "seen" || hidden != "word" {
			t.Errorf("%q: got %q, hidden %q", css, text, hidden)
		}
		if text, _ := seenOf("<style>body div p{" + css + "}</style><div><p>word</p></div>seen"); text != "seen" {
			t.Errorf("%q in a style sheet: got %q", css, text)
		}
	}
}

func TestTextThatIsSeenIsNotTakenForHidden(t *testing.T) {
	shows := []string{
		"display:nosuch", "display:none!importantly", `display\:none`, "display:var(--nowhere)", "--a:none", "-display:none", "display:block;--a:none",
		"transform:scale(.5)", "transform:scale(1,1)", "transform:none", "transform:rotate(90deg)", "transform:translate(-50%,-50%)", "scale:1", "translate:-10px",
		"clip-path:inset(10%)", "clip-path:circle(50%)", "clip-path:none", "clip-path:polygon(0 0,100% 0,100% 100%)", "clip:rect(0,0,0,0)", "clip-path:url(x)",
		"filter:opacity(1)", "filter:blur(1px)", "filter:opacity(0);filter:none", "opacity:.5", "opacity:0;opacity:1", "opacity:nosuch",
		"font-size:calc(10px + 1em)", "font-size:calc(0px", "font-size:2em", "font-size:larger", "font-size:2vw", "font:100 12px a", "font:1 12px/0 a",
		"color:hsl(0,100%,50%)", "color:#ffffff80", "color:rgba(0,0,0,.6)", "color:currentcolor", "color:inherit", "color:color-mix(in srgb, white, white)",
		"color:nosuch", "background:url(x);color:#fff", "color:rgb(1,2)", "color:hsl(0 0% 99% / .5)",
		"content-visibility:auto", "visibility:visible", "text-indent:-9px", "text-indent:100%", "max-height:0", "overflow:hidden", "max-height:10px;overflow:hidden", "height:0;overflow:visible",
		"left:-9999px", "position:static;left:-9999px", "margin:0 -10px", "margin:0 auto", "z-index:-1", "position:relative;z-index:-1", "mso-hide:all",
		"all:unset", "white-space:nowrap;direction:ltr",
	}
	for _, css := range shows {
		if css == "font-size:calc(0px" || css == "all:unset" {
			continue // what stays open is closed by the end of the style
		}
		if text, hidden := seenOf("<p style='" + css + "'>word</p>"); text != "word" || hidden != "" {
			t.Errorf("%q: got %q, hidden %q", css, text, hidden)
		}
	}
}

func TestWhatIsAroundTextHidesIt(t *testing.T) {
	tests := []example{
		{"opacities multiply", "<p style=opacity:.3>a <b style=opacity:.3>b</b></p>", "a", "b"},
		{"and do not end inside", "<p style=opacity:0><b style=opacity:1>b</b></p>a", "a", "b"},
		{"fonts in fonts", "<p style=font-size:.3em>a <i style=font-size:.3em>b</i></p>", "a", "b"},
		{"a font of a share of what is no longer tiny", "<p style=font-size:1px>b <i style=font-size:1000%>a</i></p>", "a", "b"},
		{"the background of an ancestor", "<div style=background:#123456><p><i style=color:#123456>b</i> <u style=color:#fff>a</u>", "a", "b"},
		{"the colour of an ancestor", "<div style=color:#123456><p>a <i style=background:#123456>b", "a", "b"},
		{"closed details", "<details><summary>a</summary>b <i>c</i></details>d", "a d", "b c"},
		{"open details", "<details open><summary>a</summary>b</details>", "a b", ""},
		{"details in closed details", "<details><summary>a <i>b</i></summary><details open><summary>c</summary>d</details></details>e", "a b e", "c d"},
		{"a closed dialog", "<dialog>b</dialog>a", "a", "b"},
		{"an open dialog", "<dialog open>a</dialog>", "a", ""},
		{"a popover", "<p popover>b</p>a", "a", "b"},
		{"a list of suggestions", "<datalist><option>b</datalist>a", "a", "b"},
		{"the parentheses of ruby", "<ruby>a<rp>b</rp></ruby>", "a", "b"},
		{"hidden until it is found", "<p hidden=until-found>b</p>a", "a", "b"},
		{"below, but before the background of its layer", "<div style='background:#eee;position:relative;z-index:0'><p style='position:relative;z-index:-1'>a</p></div>", "a", ""},
		{"below nothing", "<p style='position:relative;z-index:-1'>a", "a", ""},
		{"what is below needs a place", "<div style=background:#eee><p style=z-index:-1>a", "a", ""},
	}
	decodeAll(t, tests, "Content-Type: text/html; charset=utf-8\n\n", "", hidden)
}

func TestTurnedTextIsReadAsItIsSeen(t *testing.T) {
	tabletest.Strings(t, func(in string) string {
		text, _ := seenOf(in)
		return text
	}, [][3]string{
		{"an element", "<bdo dir=rtl>argaiv</bdo>", "viagra"},
		{"within a word", "v<bdo dir=rtl>rgai</bdo>a", "viagra"},
		{"over elements", "<bdo dir=rtl>arg<b>a</b><i>iv</i></bdo>", "viagra"},
		{"several words", "<bdo dir=rtl>won argaiv yub</bdo>", "buy viagra now"},
		{"line for line", "<bdo dir=rtl>yub<br>argaiv</bdo>", "buy viagra"},
		{"left to right within", "<bdo dir=rtl>won <bdo dir=ltr>viagra</bdo> yub</bdo>", "buy viagra now"},
		{"left to right", "<bdo dir=ltr>viagra</bdo>", "viagra"},
		{"without a direction", "<bdo>viagra</bdo>", "viagra"},
		{"the direction of a paragraph turns no letters", "<p dir=rtl>viagra</p>", "viagra"},
		{"characters of several bytes", "<bdo dir=rtl>\u20acéa</bdo>", "aé\u20ac"},
		{"never closed", "<bdo dir=rtl>argaiv", "viagra"},
		{"closed by its cell", "<table><td><bdo dir=rtl>yub<td>viagra", "buy viagra"},
		{"hidden text is not turned", "<bdo dir=rtl>yub<i hidden>x</i></bdo>", "buy"},
		{"deeper than is followed", strings.Repeat("<bdo dir=rtl><bdo dir=ltr>", 50) + "viagra", "viagra"},
	})
	m := decode("Content-Type: text/html\n\n<a href=http://x.example/><bdo dir=rtl>yub</bdo></a>")
	equal(t, "text", string(m.Links[0].Text), "buy")
}

func TestElementsEndWhereTheyEndInBrowsers(t *testing.T) {
	const hide = " style=display:none>"
	tests := []example{
		{"an end tag of a span ends nothing around a block", "<span" + hide + "x<div>y</span>z</div></span>a", "a", "x yz"},
		{"an end tag of bold text ends what is open in it", "<b" + hide + "x<p>y</b>a", "a", "x y"},
		{"a block in bold text stays open", "<b><p" + hide + "x</b>y</p>a", "a", "xy"},
		{"a block in a link stays open behind a link in it", "<a><div style=background:#000;color:#ccc><a>a</a><i style=color:#fff>b", "ab", ""},
		{"a term ends a description and a description a term", "<dd" + hide + "x<dt>a<dt" + hide + "y<dd>b", "a b", "x y"},
		{"an item ends the one before it through a paragraph", "<ul><li" + hide + "x<div><p>y<li>a", "a", "x y"},
		{"a link ends the one around it", "<a" + hide + "x<a>a", "a", "x"},
		{"a heading is ended by another one and by its end tag", "<h1" + hide + "x<h2>a</h2><h3" + hide + "y</h4>b", "a b", "x y"},
		{"a button and a choice end the one around them", "<button" + hide + "x<button>a</button><select" + hide + "y<input type=image>b", "a b", "x y"},
		{"a note of ruby ends its parenthesis", "<ruby>a<rp>x<rt>b", "ab", "x"},
		{"a form in a form does not count", "<form><form" + hide + "a", "a", ""},
		{"a form in a table has no content", "<table" + hide + "<form>a", "a", ""},
		{"parts of a table without a table do not count", "<td" + hide + "a<tr" + hide + "b<tbody" + hide + "c<caption" + hide + "d<col" + hide + "e", "abcde", ""},
		{"what is in no cell of a hidden table is shown before it", "<div><table" + hide + "a<tr><b>b</b><td>x</table></div>", "a b", "x"},
		{"a table in no cell ends the one around it", "<table" + hide + "<table><td>a", "a", ""},
		{"a table in a cell does not", "<table" + hide + "<td><table><td>x</table>y</table>a", "a", "x y"},
		{"a hidden head hides no text", "<head" + hide + "a", "a", ""},
		{"of two bodies with attributes the first counts", "<body text=black><body" + hide + "a", "a", ""},
		{"a body without attributes is no other one", "<body><body" + hide + "x", "", "x"},
		{"HTML ends a drawing", "<svg" + hide + "<text>x</text><p>a</p>", "a", "x"},
		{"but not in its frame for HTML", "<svg" + hide + "<foreignObject><p>x</p></foreignObject></svg>a", "a", "x"},
		{"an empty drawing has no content", "<svg" + hide[:len(hide)-1] + " />a", "a", ""},
		{"an element of old browsers has no content", "<keygen" + hide + "a", "a", ""},
		{"a letter that is none in the name of an element", "<scr\x00ipt>a</scr\x00ipt>", "a", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, hidden := seenOf(test.raw)
			equal(t, "text", text, test.text)
			equal(t, "hidden text", hidden, test.other)
		})
	}
}

func TestStyleSheetsThatNoBrowserReadsHideNothing(t *testing.T) {
	for _, sheet := range []string{"<style type=text/x>%s</style>", "<iframe><style>%s</style></iframe>", "<textarea><style>%s</style></textarea>"} {
		if text, hidden := seenOf(fmt.Sprintf(sheet, "p{display:none}") + "<p>a"); text != "a" {
			t.Errorf("%s: got %q, hidden %q", sheet, text, hidden)
		}
	}
}

func TestStylesUndoHiding(t *testing.T) {
	shows := []string{
		"display:none;all:unset", "color:white;all:initial", "font-size:0;all:revert", "opacity:0;all:inherit", "color:white;color:initial", "color:transparent;color:unset",
		"display:none;display:revert", "visibility:hidden;visibility:unset", "opacity:0;opacity:inherit", "opacity:0;opacity:calc(1)",
		"font-size:0;font-size:calc(16px)", "font-size:1px;font-size:max(1px,1em)", "font-size:0;font-size:inherit", "zoom:.01;zoom:initial",
		"overflow:hidden;height:0;height:unset", "overflow:hidden;height:0;overflow:initial", "background:#000;color:#000;background:none",
		"height:0;overflow:hidden;display:inline", "height:0;overflow:hidden;display:table", "text-indent:-9999px;display:inline",
	}
	for _, css := range shows {
		if text, hidden := seenOf("<p style='" + css + "'>a"); text != "a" {
			t.Errorf("%q: got %q, hidden %q", css, text, hidden)
		}
	}
	for _, html := range []string{"<span %s>a", "<table><td %s>a", "<nosuch %s>a"} {
		if text, hidden := seenOf(fmt.Sprintf(html, "style=max-height:0;overflow:hidden")); text != "a" {
			t.Errorf("a box without room that is none, %s: got %q, hidden %q", html, text, hidden)
		}
	}
	if text, hidden := seenOf("<p style=visibility:hidden>x<i style=visibility:initial>a</i><i style=visibility:unset>y"); text != "a" || hidden != "x y" {
		t.Errorf("visibility: got %q, hidden %q", text, hidden)
	}
}
